#!/usr/bin/python3
"""A user's own groom: a .hair file and an OBJ head that are written here, from the public descriptions of the formats and by
none of Skein's code, load, settle, run and export. Arguments: the skein command, a folder to work in."""
import json
import math
import pathlib
import struct
import subprocess
import sys

import numpy

skein, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
radius = 9.0  # cm: both files are in centimetres, with y up


def write_head(path, rings=12, sides=16):
    """A sphere of quads and triangles with texture coordinates, normals, groups and materials, as modellers write it."""
    lines = ["# a head", "mtllib none.mtl", "o Head"]
    places = [(0.0, 1.0, 0.0)]
    for i in range(1, rings):
        for k in range(sides):
            a, b = math.pi * i / rings, 2 * math.pi * k / sides
            places.append((math.sin(a) * math.cos(b), math.cos(a), -math.sin(a) * math.sin(b)))
    places.append((0.0, -1.0, 0.0))
    lines += [f"v {radius * x:.6f} {radius * y:.6f} {radius * z:.6f}" for x, y, z in places]
    lines += ["vt 0.5 0.5"] + [f"vn {x:.6f} {y:.6f} {z:.6f}" for x, y, z in places]
    lines += ["g scalp", "usemtl skin", "s 1"]
    def corner(n):
        return f"{n}/1/{n}"
    def at(i, k):
        return 2 + (i - 1) * sides + k % sides
    last = len(places)
    for k in range(sides):
        lines.append("f " + " ".join(map(corner, (1, at(1, k), at(1, k + 1)))))
        for i in range(1, rings - 1):
            lines.append("f " + " ".join(map(corner, (at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)))))
        lines.append("f " + " ".join(map(corner, (at(rings - 1, k), last, at(rings - 1, k + 1)))))
    path.write_text("\r\n".join(lines) + "\r\n")


def write_hair(path, count=24, segments=20, length=12.0):
    """Strands that leave the upper head and fall straight down, some of them through it; roots a little inside."""
    points = []
    for i in range(count):
        y = 1 - 0.9 * (i + 0.5) / count
        a = 2.399963 * i
        out = numpy.array([math.sqrt(1 - y * y) * math.cos(a), y, math.sqrt(1 - y * y) * math.sin(a)])
        place = 0.975 * radius * out
        for j in range(segments + 1):
            points.append(place)
            fade = math.exp(-j / 4)
            way = fade * out + (1 - fade) * numpy.array([0.3 * out[0], -1.0, 0.3 * out[2]])
            place = place + length / segments * way / numpy.linalg.norm(way)
    head = b"HAIR" + struct.pack("<III", count, len(points), 2) + struct.pack("<I", segments)
    head += struct.pack("<ff3f", 0.01, 0.0, 0.3, 0.2, 0.1) + b"an independent writer".ljust(88, b"\0")
    path.write_bytes(head + numpy.array(points, "<f4").tobytes())


def read_hair(path):
    data = path.read_bytes()
    assert data[:4] == b"HAIR"
    strands, points, bits, default = struct.unpack("<4I", data[4:20])
    sizes, at = [default] * strands, 128
    if bits & 1:
        sizes, at = list(struct.unpack(f"<{strands}H", data[at:at + 2 * strands])), at + 2 * strands
    place = numpy.frombuffer(data, "<f4", 3 * points, at).reshape(-1, 3)
    starts = numpy.cumsum([0] + [n + 1 for n in sizes])
    return [place[starts[i]:starts[i + 1]] for i in range(strands)]


write_head(folder / "head.obj")
write_hair(folder / "groom.hair")
scene = {"units": {"length": "cm"}, "time": {"duration": 0.1, "dt": 0.002, "settle": 0.3, "settle_friction": 0.3},
         "materials": {"hair": {"preset": "hair-asian", "collision_radius": 0.03}},
         "bodies": [{"name": "head", "shape": {"type": "mesh", "file": "head.obj", "up": "y"}}],
         "rods": [{"name": "hair", "file": "groom.hair", "up": "y", "material": "hair", "root": {"body": "head"}}],
         "friction": 0.3}
(folder / "scene.json").write_text(json.dumps(scene))


def call(*words):
    done = subprocess.run([skein, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
    return done.stderr


said = call("run", "scene.json", "-o", "groom.h5", "--overwrite", "--threads", "1")
assert "fit: 24 strands, largest error" in said, said
assert "rods moved out of bodies" in said and "all the same" not in said, said
assert "settled in" in said, said
call("export", "groom.h5", "-o", "out.usda")
call("export", "groom.h5", "-o", "out_%04d.hair")
assert (folder / "out.usda").read_text().startswith("#usda 1.0")
given = read_hair(folder / "groom.hair")
frames = sorted(folder.glob("out_*.hair"))
assert len(frames) == 4, frames
for path in frames:
    strands = read_hair(path)
    assert len(strands) == 24
    unit = 1.0 if numpy.linalg.norm(strands[0][0]) > 1 else 100.0  # the file may be in metres
    for strand, old in zip(strands, given):
        strand = unit * strand.astype(float)
        assert numpy.isfinite(strand).all()
        root = numpy.array([old[0][0], -old[0][2], old[0][1]])
        assert numpy.linalg.norm(strand[0] - root) < 1e-4, (path, strand[0], root)
        arc = numpy.concatenate([[0], numpy.cumsum(numpy.linalg.norm(numpy.diff(strand, axis=0), axis=1))])
        least = numpy.linalg.norm(strand[arc > 1.0], axis=1).min()
        assert least > 0.95 * radius, (path, least)  # the facets of the head are up to 0.97 of its radius from the middle
print("groom: loaded, moved out, settled, run and exported")
