"""A run as objects: one Curves object whose points follow the timeline, meshes of the bodies, the camera.

An object that follows has the path of its archive, its part in it and the frame of the scene at which the archive starts as
custom properties; so it goes on doing that in a file that is opened again."""
import os
import subprocess

import bpy
import numpy
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

from .archive import Archive, ArchiveError

open_archives = {}  # path -> (time of change, Archive)


def archive_at(path):
    path = bpy.path.abspath(path)
    try:
        stamp = os.stat(path).st_mtime_ns
    except OSError as error:
        raise ArchiveError(f"{path}: {error.strerror}") from error
    if path not in open_archives or open_archives[path][0] != stamp:
        open_archives[path] = (stamp, Archive(path))
    return open_archives[path][1]


def export_run(skein, path, archive, hairs=0):
    """A run as the archive that this add-on reads."""
    command = [skein, "export", path, "-o", archive, "--quiet"]
    if hairs > 0:
        command += ["--hairs", str(hairs)]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise ArchiveError(f"{skein}: {error.strerror}; the add-on's preferences say where the program is") from error
    if done.returncode:
        raise ArchiveError(done.stderr.strip() or f"{skein} ended with {done.returncode}")


# ---- Units: Blender has metres, z up ----


def to_blender(archive):
    metres = float(archive.about.get("metersPerUnit", 1))
    turn = Matrix.Rotation(numpy.pi / 2, 4, "X") if archive.about.get("upAxis", "Y") == "Y" else Matrix.Identity(4)
    return metres, turn


def turned(points, archive):
    metres, turn = to_blender(archive)
    matrix = numpy.array(turn.to_3x3(), dtype=numpy.float32)
    return numpy.ascontiguousarray(points @ matrix.T * numpy.float32(metres), dtype=numpy.float32)


# ---- Curves ----


def curve_nodes(archive):
    return [node for node in archive.top.walk() if node.schema.startswith("AbcGeom_Curve")]


def mix(a, b, va, vb, h, t):
    """Between two samples: the cubic with their velocities."""
    if va is None:
        return a + (b - a) * numpy.float32(t)
    t2, t3 = t * t, t * t * t
    weights = [2 * t3 - 3 * t2 + 1, (t3 - 2 * t2 + t) * h, 3 * t2 - 2 * t3, (t3 - t2) * h]
    return sum(numpy.float32(w) * x for w, x in zip(weights, (a, va, b, vb)))


def points_at(archive, sample):
    """All points, of all groups one after the other; `sample` may lie between two."""
    parts = []
    for node in curve_nodes(archive):
        geom = node.properties[".geom"]
        p, v = geom["P"], geom.get(".velocities")
        k = int(max(0, min(sample, p.samples - 1)))
        t = max(0.0, min(sample - k, 1.0)) if k + 1 < p.samples else 0.0
        step = archive.samplings[p.sampling][0]
        if t < 1e-4:
            parts.append(p[k])
        else:
            moving = v is not None and v.samples == p.samples
            parts.append(mix(p[k], p[k + 1], v[k] if moving else None, v[k + 1] if moving else None, step, t))
    return turned(numpy.concatenate(parts), archive)


def radii_at(archive, sample):
    parts = [node.properties[".geom"]["width"][int(sample)] for node in curve_nodes(archive)]
    return numpy.concatenate(parts) * numpy.float32(0.5 * to_blender(archive)[0])


def make_curves(sizes):
    data = bpy.data.hair_curves.new("hair")
    if hasattr(data, "add_curves"):  # Blender 3.5 and newer
        data.add_curves([int(n) for n in sizes])
        hair = bpy.data.objects.new("hair", data)
        bpy.context.collection.objects.link(hair)
        return hair
    bpy.data.hair_curves.remove(data)  # before, they are only made of curves of the old kind
    curve = bpy.data.curves.new("hair", "CURVE")
    curve.dimensions = "3D"
    for size in sizes:
        curve.splines.new("POLY").points.add(int(size) - 1)
    hair = bpy.data.objects.new("hair", curve)
    bpy.context.collection.objects.link(hair)
    for other in bpy.context.selected_objects:
        other.select_set(False)
    hair.select_set(True)
    bpy.context.view_layer.objects.active = hair
    bpy.ops.object.convert(target="CURVES")
    return bpy.context.view_layer.objects.active


def put(data, name, kind, domain, field, values):
    layer = data.attributes.get(name) or data.attributes.new(name, kind, domain)
    layer.data.foreach_set(field, numpy.ascontiguousarray(values).ravel())


def fill_still(data, archive):
    """Attributes that all frames share."""
    nodes = curve_nodes(archive)

    def gather(name, where):
        return numpy.concatenate([where(node.properties[".geom"])[name][0] for node in nodes])

    put(data, "strand", "INT", "CURVE", "value", gather("id", lambda geom: geom[".arbGeomParams"]))
    put(data, "group", "INT", "CURVE", "value", gather("groom_group_id", lambda geom: geom[".arbGeomParams"]))
    put(data, "surface_uv_coordinate", "FLOAT2", "CURVE", "vector", gather("uv", lambda geom: geom))
    rgb = gather("groom_color", lambda geom: geom[".arbGeomParams"])
    put(data, "colour", "FLOAT_COLOR", "POINT", "color", numpy.hstack([rgb, numpy.ones((len(rgb), 1), numpy.float32)]))


def show_curves(hair, archive, sample):
    data = hair.data
    points = points_at(archive, sample)
    if len(points) != len(data.points):
        raise ArchiveError(f"{hair.name}: has {len(data.points)} points, the run {len(points)}: import it again")
    data.position_data.foreach_set("vector", points.ravel())
    put(data, "radius", "FLOAT", "POINT", "value", radii_at(archive, sample))
    data.update_tag()


# ---- Bodies ----


def matrix_at(archive, node, sample):
    """The place of an object: rows of the archive are columns here."""
    values = node.properties.get(".xform", {}).get(".vals")
    if values is None:
        return Matrix.Identity(4)
    k = int(max(0, min(sample, values.samples - 1)))
    m = values[k].astype(float).ravel()
    if k + 1 < values.samples and sample - k > 1e-4:
        a, b = Matrix(m.reshape(4, 4)).transposed(), Matrix(values[k + 1].reshape(4, 4)).transposed()
        place = a.lerp(b, sample - k)
    else:
        place = Matrix(m.reshape(4, 4)).transposed()
    metres, turn = to_blender(archive)
    place.translation = metres * place.translation
    return turn @ place


def mesh_points(archive, geom, sample):
    p = geom["P"]
    k = int(max(0, min(sample, p.samples - 1)))
    points = p[k]
    if p.changes() and k + 1 < p.samples and sample - k > 1e-4:
        points = points + (p[k + 1] - points) * numpy.float32(sample - k)
    return points * numpy.float32(to_blender(archive)[0])


def body_material(name, colour):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1)
    shader.inputs["Roughness"].default_value = 0.6
    material.diffuse_color = (*colour, 1)
    return material


def make_body(archive, node):
    shape = next(child for child in node.children if child.schema.startswith("AbcGeom_PolyMesh"))
    geom = shape.properties[".geom"]
    corners, counts = geom[".faceIndices"][0], geom[".faceCounts"][0]
    mesh = bpy.data.meshes.new(node.name)
    points = mesh_points(archive, geom, 0)
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.ravel())
    starts = numpy.concatenate([[0], numpy.cumsum(counts)[:-1]])
    order = numpy.concatenate([numpy.arange(s, s + n)[::-1] for s, n in zip(starts, counts)])  # they turn the other way here
    mesh.loops.add(len(corners))
    mesh.loops.foreach_set("vertex_index", corners[order])
    mesh.polygons.add(len(counts))
    mesh.polygons.foreach_set("loop_start", starts)
    mesh.polygons.foreach_set("loop_total", counts)
    mesh.polygons.foreach_set("use_smooth", numpy.ones(len(counts), bool))
    if "uv" in geom:
        layer = mesh.uv_layers.new(name="UVMap")
        layer.data.foreach_set("uv", geom["uv"][0][order].ravel())
    mesh.update()
    mesh.validate()
    colour = geom[".arbGeomParams"]["Cd"][0].ravel()[:3] if "Cd" in geom.get(".arbGeomParams", {}) else (0.5, 0.5, 0.5)
    mesh.materials.append(body_material(node.name, [float(c) for c in colour]))
    body = bpy.data.objects.new(node.name, mesh)
    bpy.context.collection.objects.link(body)
    return body


def node_at(archive, path):
    return next((node for node in archive.top.walk() if node.path == path), None)


def show_body(body, archive, sample):
    node = node_at(archive, body["skein_node"])
    if node is None:
        raise ArchiveError(f"{body.name}: {body['skein_node']} is not in the run any more: import it again")
    body.matrix_world = matrix_at(archive, node, sample)
    shape = next((child for child in node.children if child.schema.startswith("AbcGeom_PolyMesh")), None)
    geom = shape.properties[".geom"] if shape else {}
    if shape and geom["P"].changes():
        points = mesh_points(archive, geom, sample)
        if len(points) != len(body.data.vertices):
            raise ArchiveError(f"{body.name}: has other vertices than the run: import it again")
        body.data.vertices.foreach_set("co", points.ravel())
        body.data.update()


def make_camera(archive, node):
    core = node.children[0].properties[".geom"][".core"][0].ravel()
    camera = bpy.data.cameras.new(node.name)
    camera.lens, camera.sensor_width, camera.sensor_height = core[0], 10 * core[1], 10 * core[3]
    camera.sensor_fit = "VERTICAL"
    metres = to_blender(archive)[0]
    camera.clip_start, camera.clip_end = metres * core[14], metres * core[15]
    eye = bpy.data.objects.new(node.name, camera)
    bpy.context.collection.objects.link(eye)
    eye.matrix_world = matrix_at(archive, node, 0)
    bpy.context.scene.camera = bpy.context.scene.camera or eye
    return eye


# ---- All of a run ----


def hair_material():
    material = bpy.data.materials.new("hair")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    colour, out = nodes.new("ShaderNodeAttribute"), nodes.new("ShaderNodeOutputMaterial")
    colour.attribute_name = "colour"
    shader = nodes.new("ShaderNodeBsdfPrincipled")
    shader.inputs["Roughness"].default_value = 0.35
    links.new(colour.outputs["Color"], shader.inputs["Base Color"])
    links.new(shader.outputs[0], out.inputs["Surface"])
    return material


def find_surface(bodies, points):
    """The mesh on which most of the strands root: the nearest one to their roots."""
    best, least = None, 1e-2
    for body in bodies:
        tree = BVHTree.FromPolygons([body.matrix_world @ v.co for v in body.data.vertices],
                                    [list(p.vertices) for p in body.data.polygons])
        away = [tree.find_nearest(Vector(p))[3] for p in points[:: max(1, len(points) // 50)]]
        away = sorted(d for d in away if d is not None)
        if away and away[len(away) // 2] < least:
            best, least = body, away[len(away) // 2]
    return best


def follow(thing, path, node, start):
    thing["skein_archive"], thing["skein_node"], thing["skein_start"] = path, node, start


def load(path, start=1, set_timeline=True):
    """The objects of an archive in the scene: the Curves object or None, bodies, camera or None."""
    archive = archive_at(path)
    fps, bodies, hair, camera = float(archive.about.get("_ai_DCC_FPS", 24)), [], None, None
    scene = bpy.context.scene
    moving = [node.properties[".geom"]["P"] for node in curve_nodes(archive)]
    frames = max((p.samples for p in moving), default=1)
    for node in archive.top.walk():
        if any(child.schema.startswith("AbcGeom_PolyMesh") for child in node.children):
            bodies.append(make_body(archive, node))
            follow(bodies[-1], path, node.path, start)
            show_body(bodies[-1], archive, 0)
        elif any(child.schema.startswith("AbcGeom_Camera") for child in node.children):
            camera = make_camera(archive, node)
    if moving:
        sizes = numpy.concatenate([node.properties[".geom"]["nVertices"][0] for node in curve_nodes(archive)])
        hair = make_curves(sizes)
        hair.data.materials.append(hair_material())
        fill_still(hair.data, archive)
        show_curves(hair, archive, 0)
        follow(hair, path, "", start)
        firsts = numpy.concatenate([[0], numpy.cumsum(sizes)[:-1]])
        surface = find_surface(bodies, points_at(archive, 0)[firsts])
        if surface:
            hair.data.surface = surface
            if surface.data.uv_layers:
                hair.data.surface_uv_map = surface.data.uv_layers[0].name
    if set_timeline:
        scene.render.fps, scene.render.fps_base = max(1, round(fps)), max(1, round(fps)) / fps
        scene.frame_start, scene.frame_end = start, start + frames - 1
        scene.frame_set(start)
    return hair, bodies, camera


def sample_of(thing, archive, scene):
    """The number of the sample at the scene's time, also between two."""
    seconds = (scene.frame_current_final - thing["skein_start"]) * scene.render.fps_base / scene.render.fps
    return max(0.0, seconds / archive.samplings[-1][0])


def show_frame(scene):
    """Everything that follows a run, as it is in the scene's frame."""
    for thing in scene.objects:
        if "skein_archive" not in thing:
            continue
        try:
            archive = archive_at(thing["skein_archive"])
            sample = sample_of(thing, archive, scene)
            if thing.type == "CURVES":
                show_curves(thing, archive, sample)
            elif thing.type == "MESH":
                show_body(thing, archive, sample)
        except ArchiveError as error:
            print("Skein:", error)
