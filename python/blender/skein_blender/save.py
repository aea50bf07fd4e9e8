"""A groom of Blender and the mesh that it grows on, as a scene: scene.json, groom.hair, head.obj, and head.mdd where the
mesh moves. All in metres, z up, places in the world."""
import json
import os
import struct

import bpy
import numpy


def strand_points(hair):
    """Sizes of the strands, and their points in the world."""
    data = hair.data
    flat = numpy.empty(3 * len(data.points), numpy.float32)
    data.position_data.foreach_get("vector", flat)
    matrix = numpy.array(hair.matrix_world)
    points = flat.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
    return [len(curve.points) for curve in data.curves], points


def write_hair(path, sizes, points):
    """Cem Yuksel's format: segments of each strand, points."""
    head = b"HAIR" + struct.pack("<4I5f", len(sizes), len(points), 3, 0, 0.0001, 0.0, 1.0, 1.0, 1.0)
    with open(path, "wb") as file:
        file.write(head.ljust(128, b"\0"))
        file.write(numpy.array([n - 1 for n in sizes], "<u2").tobytes())
        file.write(points.astype("<f4").tobytes())


def world_vertices(body):
    """As all modifiers leave it, and its faces with texture coordinates."""
    graph = bpy.context.evaluated_depsgraph_get()
    seen = body.evaluated_get(graph)
    mesh = seen.to_mesh()
    flat = numpy.empty(3 * len(mesh.vertices), numpy.float32)
    mesh.vertices.foreach_get("co", flat)
    matrix = numpy.array(seen.matrix_world)
    points = flat.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
    faces = [(list(p.vertices), list(p.loop_indices)) for p in mesh.polygons]
    uv = [tuple(c.uv) for c in mesh.uv_layers.active.data] if mesh.uv_layers.active else []
    seen.to_mesh_clear()
    return points, faces, uv


def write_obj(path, points, faces, uv):
    with open(path, "w") as file:
        for p in points:
            print("v %.9g %.9g %.9g" % tuple(p), file=file)
        for c in uv:
            print("vt %.9g %.9g" % c, file=file)
        for corners, loops in faces:
            words = (f"{v + 1}/{l + 1}" if uv else f"{v + 1}" for v, l in zip(corners, loops))
            print("f", *words, file=file)


def write_mdd(path, times, frames):
    with open(path, "wb") as file:
        file.write(struct.pack(">2i", len(frames), len(frames[0])))
        file.write(numpy.array(times, ">f4").tobytes())
        for points in frames:
            file.write(points.astype(">f4").tobytes())


def save_scene(folder, hair, surface, elements=8, material="hair-caucasian"):
    """Writes the folder; the path of scene.json. The motion is that of the scene's frames."""
    scene = bpy.context.scene
    os.makedirs(folder, exist_ok=True)
    fps, now = scene.render.fps / scene.render.fps_base, scene.frame_current
    times, frames = [], []
    scene.frame_set(scene.frame_start)
    sizes, points = strand_points(hair)
    if not sizes or min(sizes) < 2:
        raise ValueError(f"{hair.name}: has a strand of one point, expected two or more")
    write_hair(os.path.join(folder, "groom.hair"), sizes, points)
    rods = {"name": "hair", "file": "groom.hair", "elements": elements, "material": "hair", "group": "hair"}
    out = {"title": bpy.path.display_name_from_filepath(bpy.data.filepath) or "a groom of Blender",
           "time": {"duration": (scene.frame_end - scene.frame_start) / fps or 1 / fps},
           "materials": {"hair": {"preset": material}}, "rods": [rods], "output": {"fps": fps}}
    if surface:
        rods["root"] = {"body": "surface"}
        first, faces, uv = world_vertices(surface)
        write_obj(os.path.join(folder, "surface.obj"), first, faces, uv)
        shape = {"type": "mesh", "file": "surface.obj"}
        for frame in range(scene.frame_start, scene.frame_end + 1):
            scene.frame_set(frame)
            times.append((frame - scene.frame_start) / fps)
            frames.append(world_vertices(surface)[0])
        if any(len(f) != len(first) for f in frames):
            raise ValueError(f"{surface.name}: its number of vertices changes with time, expected the same in all frames")
        if max(float(abs(f - first).max()) for f in frames) > 1e-7:
            write_mdd(os.path.join(folder, "surface.mdd"), times, frames)
            shape["animation"] = {"file": "surface.mdd"}
        out["bodies"] = [{"name": "surface", "shape": shape}]
        rods["start"] = {"outside": True}
    scene.frame_set(now)
    path = os.path.join(folder, "scene.json")
    with open(path, "w") as file:
        json.dump(out, file, indent=2)
        file.write("\n")
    return path
