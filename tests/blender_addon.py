"""The add-on in a headless Blender, for scripts/test-interop:  blender -b --python blender_addon.py -- PART
The folder has run.h5, truth.npz (points of all frames, by strand), skein_blender.zip; SKEIN is the program.

    import   installs the zip, imports the run, looks at every frame, saves saved.blend, renders a frame
    again    opens saved.blend with the add-on: the frames are there without another import
    groom    an animated head with hair made here, as a scene, simulated by the button, back in"""
import json
import math
import os
import sys

import bpy
import numpy

part = sys.argv[-1]


def points_of(hair):
    flat = numpy.empty(3 * len(hair.data.points), numpy.float32)
    hair.data.position_data.foreach_get("vector", flat)
    return flat.reshape(-1, 3)


def attribute(data, name, field, width):
    values = numpy.empty(width * len(data.attributes[name].data), numpy.float32 if field != "value" or name == "radius" else numpy.int32)
    data.attributes[name].data.foreach_get(field, values)
    return values.reshape(-1, width) if width > 1 else values


def beside_the_run(hair, frame):
    """The largest distance to the ends of the run's rods in that frame."""
    truth = numpy.load("truth.npz")
    bpy.context.scene.frame_set(frame + 1)
    points, first = points_of(hair), [c.first_point_index for c in hair.data.curves]
    last = [c.first_point_index + c.points_length - 1 for c in hair.data.curves]
    order = attribute(hair.data, "strand", "value", 1)
    ends, worst = truth[f"ends_{frame}"], 0.0
    for k, i in enumerate(order):
        if i < len(ends):
            worst = max(worst, float(abs(points[[first[k], last[k]]] - ends[i]).max()))
    return worst


def follower(kind):
    return [o for o in bpy.context.scene.objects if o.type == kind and "skein_archive" in o]


def part_import():
    bpy.ops.preferences.addon_install(overwrite=True, filepath=os.path.abspath("skein_blender.zip"))
    assert bpy.ops.preferences.addon_enable(module="skein_blender") == {"FINISHED"}
    bpy.ops.wm.save_userpref()
    bpy.ops.wm.read_homefile(use_empty=True)
    assert bpy.ops.skein.import_run(filepath=os.path.abspath("run.h5")) == {"FINISHED"}
    (hair,) = follower("CURVES")
    facts = json.load(open("facts.json"))
    assert (len(hair.data.curves), len(hair.data.points)) == (facts["rods"][0], facts["points"][0])
    bodies = {o.name: o for o in follower("MESH")}
    assert set(bodies) == {"floor", "ball", "box"} and hair.data.surface == bodies["floor"]
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end, scene.render.fps) == (1, 16, 50)
    worst = max(beside_the_run(hair, k) for k in range(16))
    assert worst < 1e-6, worst
    scene.frame_set(3, subframe=0.5)  # between two frames
    middle = points_of(hair)
    scene.frame_set(3), bpy.context.view_layer.update()
    before = points_of(hair)
    scene.frame_set(4)
    assert 0 < abs(middle - 0.5 * (before + points_of(hair))).max() < 0.2 * abs(before - points_of(hair)).max()
    assert len(bpy.data.hair_curves) == 1 and follower("CURVES") == [hair]  # one object all the time
    uv = attribute(hair.data, "surface_uv_coordinate", "vector", 2)
    assert uv.min() >= 0 and uv.max() <= 1 and len(uv) == len(hair.data.curves)
    colours = {tuple(numpy.round(c, 3)) for c in attribute(hair.data, "colour", "color", 4)}
    assert len(colours) == 2, colours
    shades = {name: tuple(b.data.materials[0].node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value) for name, b in bodies.items()}
    assert len(set(shades.values())) == 3, shades
    ball = numpy.load("truth.npz")["ball"]
    for k in (0, 7, 15):
        scene.frame_set(k + 1)
        assert abs(numpy.array(bodies["ball"].matrix_world.translation) - ball[k]).max() < 1e-6
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("saved.blend"))
    render(hair)
    print(f"16 frames of {len(hair.data.points)} points in one Curves object, {worst:.1e} m beside the run; 3 bodies; saved, rendered")


def render(hair):
    """A picture in which hair of its colour is seen."""
    scene = bpy.context.scene
    scene.frame_set(8)
    points = points_of(hair)[attribute(hair.data, "radius", "value", 1) > 0]
    low, high = points.min(axis=0), points.max(axis=0)
    middle, size = 0.5 * (low + high), float(numpy.linalg.norm(high - low))
    camera = bpy.data.objects.new("eye", bpy.data.cameras.new("eye"))
    camera.location = middle + numpy.array([0.6, -1.2, 0.7]) * size
    from mathutils import Vector
    camera.rotation_euler = (Vector(middle) - camera.location).to_track_quat("-Z", "Y").to_euler()
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 4, (0.6, 0.3, 0)
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
    scene.camera, scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = camera, "CYCLES", 12, False
    scene.render.resolution_x, scene.render.resolution_y, scene.render.filepath = 480, 360, os.path.abspath("addon.png")
    scene.view_settings.view_transform = "Standard"
    bpy.ops.render.render(write_still=True)
    picture = bpy.data.images.load(os.path.abspath("addon.png"))
    rgb = numpy.array(picture.pixels[:]).reshape(-1, 4)[:, :3]
    brown = (rgb[:, 0] > 1.5 * rgb[:, 2]) & (rgb[:, 0] > 0.05)
    assert 0.002 < brown.mean() < 0.5, brown.mean()


def part_again():
    bpy.ops.wm.open_mainfile(filepath=os.path.abspath("saved.blend"))
    (hair,) = follower("CURVES")
    worst = max(beside_the_run(hair, k) for k in (14, 2, 9, 15))
    assert worst < 1e-6, worst
    ball = bpy.data.objects["ball"]
    assert abs(numpy.array(ball.matrix_world.translation) - numpy.load("truth.npz")["ball"][15]).max() < 1e-6
    bpy.context.scene.frame_set(400)  # after its end the run stays where it is
    print(f"opened again: frames 3, 10, 15 and 16 are {worst:.1e} m beside the run")


def part_groom():
    bpy.ops.wm.read_homefile(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, 9
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=0.1)
    head = bpy.context.object
    for frame, angle in ((1, 0), (9, 30)):
        head.rotation_euler.y = math.radians(angle)
        head.keyframe_insert("rotation_euler", frame=frame)
    curve = bpy.data.curves.new("groom", "CURVE")
    curve.dimensions, strands, size = "3D", 40, 8
    for k in range(strands):
        angle, lift = 2.4 * k, math.radians(40 + 45 * k / strands)
        out = numpy.array([math.cos(angle) * math.cos(lift), math.sin(angle) * math.cos(lift), math.sin(lift)])
        spline = curve.splines.new("POLY")
        spline.points.add(size - 1)
        for i in range(size):
            spline.points[i].co = (*(out * (0.1 + 0.06 * i / (size - 1))), 1)
    groom = bpy.data.objects.new("groom", curve)
    scene.collection.objects.link(groom)
    for other in bpy.context.selected_objects:
        other.select_set(False)
    groom.select_set(True)
    bpy.context.view_layer.objects.active = groom
    bpy.ops.object.convert(target="CURVES")
    groom = bpy.context.view_layer.objects.active
    groom.data.surface = head
    assert bpy.ops.skein.export_scene(filepath=os.path.abspath("groom/scene.json")) == {"FINISHED"}
    assert bpy.ops.skein.simulate(folder=os.path.abspath("groom")) == {"FINISHED"}
    (hair,) = follower("CURVES")
    surface = next(o for o in follower("MESH"))
    assert len(hair.data.curves) == strands and hair.data.surface == surface and groom.hide_render
    scene.frame_set(1)
    first = [c.first_point_index for c in hair.data.curves]
    roots, order = points_of(hair)[first], attribute(hair.data, "strand", "value", 1)
    mine = points_of(groom)[::size][order]
    assert abs(roots - mine).max() < 1e-5, abs(roots - mine).max()
    scene.frame_set(9)  # roots go with the head
    graph = bpy.context.evaluated_depsgraph_get()
    turned = numpy.array([head.evaluated_get(graph).matrix_world @ v for v in [head.matrix_world.inverted() @ __import__("mathutils").Vector(p) for p in mine]])
    expected = mine @ numpy.array(head.matrix_world.to_3x3()).T
    worst = abs(points_of(hair)[first] - expected).max()
    assert worst < 2e-4, worst
    tips = [c.first_point_index + c.points_length - 1 for c in hair.data.curves]
    assert numpy.isfinite(points_of(hair)[tips]).all()
    print(f"{strands} strands and a head that turns: out, simulated, back in; roots {worst:.1e} m beside the head's in the last frame")


try:
    globals()["part_" + part]()
except BaseException as error:
    import traceback
    traceback.print_exc()
    print("failed:", repr(error))
    sys.exit(1)
