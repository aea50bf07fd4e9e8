"""Loads hair files (skein export -o out_%04d.hair) into Blender as hair curves that follow the timeline.

    blender --python blender_hair.py -- out_%04d.hair                           look at it
    blender -b --python blender_hair.py -- out_%04d.hair --render frame.png --frame 20
    blender -b --python blender_hair.py -- out_%04d.hair --save hair.blend

Options after the --:
    --frame N          the frame to show, render or save (default: the first one)
    --bodies FILE.obj  bodies of one frame (skein export --up y -o bodies.obj --frames N); its lines are left out
    --render FILE.png  render that frame with Cycles
    --size 960x720     of the picture
    --samples N        per pixel, default 64
    --save FILE.blend  a file that has the frame; run the script in it to have the others

The series may have z or y up (--y-up turns it), and any unit. Works in Blender 3.4 and newer, without further modules.
"""
import array
import os
import re
import struct
import sys

import bpy
from mathutils import Vector

SEGMENTS, POINTS, THICKNESS, TRANSPARENCY, COLOUR = 1, 2, 4, 8, 16


def read_hair(path):
    """Cem Yuksel's HAIR file: sizes of the strands, points, radii and colours as flat arrays."""
    with open(path, "rb") as file:
        head = file.read(128)
        if len(head) < 128 or head[:4] != b"HAIR":
            raise ValueError(f"{path}: not a hair file")
        strands, points, flags, default_segments = struct.unpack("<4I", head[4:20])
        thickness, _, *colour = struct.unpack("<5f", head[20:40])

        def numbers(kind, count):
            values = array.array(kind)
            values.frombytes(file.read(count * values.itemsize))
            if len(values) != count:
                raise ValueError(f"{path}: ends too early")
            if sys.byteorder == "big":
                values.byteswap()
            return values

        segments = numbers("H", strands) if flags & SEGMENTS else array.array("H", [default_segments]) * strands
        point = numbers("f", 3 * points)
        wide = numbers("f", points) if flags & THICKNESS else array.array("f", [thickness]) * points
        if flags & TRANSPARENCY:
            numbers("f", points)
        rgb = numbers("f", 3 * points) if flags & COLOUR else array.array("f", colour) * points
    sizes = [n + 1 for n in segments]
    if sum(sizes) != points:
        raise ValueError(f"{path}: {sum(sizes)} points in strands, {points} in the file")
    return sizes, point, array.array("f", [0.5 * w for w in wide]), rgb


def find_series(pattern):
    """Frame number -> file, of "out_%04d.hair" or of one file."""
    match = re.search(r"%0?(\d*)d", pattern)
    if not match:
        return {0: pattern}
    folder, name = os.path.split(pattern)
    match = re.search(r"%0?(\d*)d", name)
    expression = re.compile(re.escape(name[: match.start()]) + r"(\d+)" + re.escape(name[match.end() :]) + "$")
    found = {}
    for entry in os.listdir(folder or "."):
        hit = expression.match(entry)
        if hit:
            found[int(hit.group(1))] = os.path.join(folder, entry)
    if not found:
        raise ValueError(f"{pattern}: no such files")
    return found


def turn_to_z(point):
    """From y up to Blender's z up, in place."""
    for k in range(0, len(point), 3):
        point[k + 1], point[k + 2] = -point[k + 2], point[k + 1]


def make_curves(sizes):
    """A hair curves object with strands of these sizes; positions come later."""
    data = bpy.data.hair_curves.new("hair")
    if hasattr(data, "add_curves"):  # Blender 3.5 and newer
        data.add_curves(sizes)
        hair = bpy.data.objects.new("hair", data)
        bpy.context.collection.objects.link(hair)
        return hair
    bpy.data.hair_curves.remove(data)  # older ones have only the way over a curve of the old kind
    curve = bpy.data.curves.new("hair", "CURVE")
    curve.dimensions = "3D"
    for size in sizes:
        curve.splines.new("POLY").points.add(size - 1)
    hair = bpy.data.objects.new("hair", curve)
    bpy.context.collection.objects.link(hair)
    for other in bpy.context.selected_objects:
        other.select_set(False)
    hair.select_set(True)
    bpy.context.view_layer.objects.active = hair
    bpy.ops.object.convert(target="CURVES")
    return bpy.context.view_layer.objects.active


def put(data, name, kind, field, values):
    layer = data.attributes.get(name) or data.attributes.new(name, kind, "POINT")
    layer.data.foreach_set(field, values)


class Series:
    """The object, and the files that it is made from as time goes on."""

    def __init__(self, pattern, y_up):
        self.files, self.y_up, self.hair, self.sizes = find_series(pattern), y_up, None, None

    def show(self, frame):
        number = max((n for n in self.files if n <= frame), default=min(self.files))
        sizes, point, radius, rgb = read_hair(self.files[number])
        if self.y_up:
            turn_to_z(point)
        if sizes != self.sizes:  # rods were cut, or have more points than before
            material = list(self.hair.data.materials) if self.hair else []
            if self.hair:
                bpy.data.objects.remove(self.hair)
            self.hair, self.sizes = make_curves(sizes), sizes
            for m in material:
                self.hair.data.materials.append(m)
        data = self.hair.data
        data.position_data.foreach_set("vector", point)
        put(data, "radius", "FLOAT", "value", radius)
        rgba = array.array("f", [1.0]) * (4 * len(radius))
        for c in range(3):
            rgba[c::4] = rgb[c::3]
        put(data, "colour", "FLOAT_COLOR", "color", rgba)
        data.update_tag()
        return self.hair


def hair_material():
    material = bpy.data.materials.new("hair")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    colour, out = nodes.new("ShaderNodeAttribute"), nodes.new("ShaderNodeOutputMaterial")
    colour.attribute_name = "colour"
    shader = nodes.new("ShaderNodeBsdfPrincipled")  # keeps the colour of the file; ShaderNodeBsdfHairPrincipled glows more
    shader.inputs["Roughness"].default_value = 0.35
    links.new(colour.outputs["Color"], shader.inputs["Base Color"])
    links.new(shader.outputs[0], out.inputs["Surface"])
    return material


def load_bodies(path):
    """Meshes with faces of an OBJ file with y up."""
    before = set(bpy.data.objects)
    bpy.ops.wm.obj_import(filepath=path)
    shades = [(0.34, 0.30, 0.27), (0.08, 0.19, 0.36), (0.36, 0.12, 0.06), (0.07, 0.24, 0.18)]
    for k, body in enumerate(sorted(set(bpy.data.objects) - before, key=lambda o: o.name)):
        if not body.data.polygons:
            bpy.data.objects.remove(body)
            continue
        material = bpy.data.materials.new(body.name)
        material.use_nodes = True
        shader = material.node_tree.nodes["Principled BSDF"]
        flat = len(body.data.polygons) <= 2
        shader.inputs["Base Color"].default_value = (*(shades[0] if flat else shades[1 + k % 3]), 1)
        shader.inputs["Roughness"].default_value = 0.6
        body.data.materials.clear()
        body.data.materials.append(material)


def light_and_camera(point):
    """A key and a fill light, a bright sky, and a camera that sees all points."""
    lo = Vector(min(point[k::3]) for k in range(3))
    hi = Vector(max(point[k::3]) for k in range(3))
    middle, reach = 0.5 * (lo + hi), max((hi - lo).length / 2, 1e-4)
    scene = bpy.context.scene
    toward = Vector((0.85, -1.0, 0.38)).normalized()
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.angle = 0.55
    aspect = scene.render.resolution_x / scene.render.resolution_y
    distance = 0.95 * reach / (0.5 * camera.data.angle / max(aspect, 1.0))
    camera.location = middle + distance * toward
    camera.rotation_euler = (-toward).to_track_quat("-Z", "Y").to_euler()
    camera.data.clip_start, camera.data.clip_end = 0.01 * reach, 100 * distance
    scene.collection.objects.link(camera)
    scene.camera = camera
    for name, direction, power, angle in (("key", (0.9, -0.4, 1.1), 4.2, 0.12), ("fill", (-1.0, -0.6, 0.5), 0.6, 1.0)):
        sun = bpy.data.objects.new(name, bpy.data.lights.new(name, "SUN"))
        sun.data.energy, sun.data.angle = power, angle
        sun.rotation_euler = (-Vector(direction)).to_track_quat("-Z", "Y").to_euler()
        scene.collection.objects.link(sun)
    world = bpy.data.worlds.new("sky")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs[0].default_value = (0.80, 0.86, 0.95, 1)
    world.node_tree.nodes["Background"].inputs[1].default_value = 0.35
    scene.world = world


def render(path, size, samples):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.device = samples, False, "CPU"
    scene.cycles_curves.shape = "THICK"
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.render.filepath = os.path.abspath(path)
    scene.render.image_settings.file_format = "PNG"
    bpy.ops.render.render(write_still=True)


def parse(arguments):
    values = {"pattern": None, "frame": None, "bodies": None, "render": None, "size": (960, 720), "samples": 64,
              "save": None, "y_up": False}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--y-up":
            values["y_up"] = True
        elif word in ("--frame", "--bodies", "--render", "--size", "--samples", "--save") and rest:
            values[word[2:]] = rest.pop(0)
        elif not word.startswith("--") and values["pattern"] is None:
            values["pattern"] = word
        else:
            raise ValueError(f"{word}: not known, or its value is missing")
    if values["pattern"] is None:
        raise ValueError("no hair file given, expected: -- out_%04d.hair")
    for name in ("frame", "samples"):
        values[name] = None if values[name] is None else int(values[name])
    if isinstance(values["size"], str):
        values["size"] = tuple(int(n) for n in values["size"].split("x"))
    return values


def main(arguments):
    o = parse(arguments)
    series = Series(o["pattern"], o["y_up"])
    if bpy.app.background:
        bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = o["size"]
    scene.frame_start, scene.frame_end = min(series.files), max(series.files)
    frame = scene.frame_start if o["frame"] is None else o["frame"]
    hair = series.show(frame)
    hair.data.materials.append(hair_material())
    scene.frame_set(frame)
    if o["bodies"]:
        load_bodies(o["bodies"])
    light_and_camera(read_hair(series.files.get(frame, series.files[min(series.files)]))[1] if not o["y_up"] else
                     [x for p in hair.data.position_data for x in p.vector])
    print(f"hair: {len(series.sizes)} strands, {sum(series.sizes)} points, {len(series.files)} frames, {hair.type}")
    if o["save"]:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(o["save"]))
    if o["render"]:
        render(o["render"], o["size"], o["samples"])
    if not bpy.app.background:
        bpy.app.handlers.frame_change_pre.append(lambda s, *_: series.show(s.frame_current))


if __name__ == "__main__":
    try:
        main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else [])
    except (ValueError, OSError) as error:
        print(f"blender_hair.py: {error}", file=sys.stderr)
        if bpy.app.background:
            sys.exit(2)
