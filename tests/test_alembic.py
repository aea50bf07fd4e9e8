#!/usr/bin/python3
"""Alembic as it is written, by a reader that knows the format alone: points, widths, velocities, ids, texture coordinates
and places of bodies against the run as h5py has it; a cut; velocities of a turning rigid strand; a deforming mesh.
Usage: test_alembic.py PATH_OF_SKEIN"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: needs numpy and h5py")
    sys.exit(77)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import abc_reader

skein = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "skein"
FPS = 25

SCENE = {
    "title": "Hair; a cord = cut", "time": {"duration": 0.4, "dt": 0.002},
    "camera": {"eye": [0.3, -0.4, 0.2], "target": [0, 0, 0.05], "fov": 30},
    "materials": {"cord": {"preset": "rope", "radius": 0.0015, "E": 2e6, "colour": "#c98d3f"},
                  "hair": {"preset": "hair-caucasian", "collision_radius": 0.0004, "colour": "#7a2f1d"}},
    "rods": [{"name": "cord", "model": "der", "elements": 12, "material": "cord", "group": "cords", "length": 0.2,
              "root": {"type": "free", "position": [-0.1, 0.3, 0.09], "direction": [1, 0, 0]}},
             {"name": "hair", "material": "hair", "group": "hair", "length": 0.015, "elements": 2,
              "root": {"position": [0, 0, 0], "direction": [0, 0, 1], "body": "skin"},
              "grid": {"count": [20, 15, 1], "spacing": 0.005}}],
    "bodies": [{"name": "skin", "shape": {"type": "mesh", "file": "skin.obj"}, "position": [0, 0, -0.001],
                "motion": {"waves": [{"axis": [1, 0, 0], "amplitude": 0.01, "frequency": 2}]}},
               {"name": "ball", "shape": {"type": "sphere", "radius": 0.03}, "position": [0, 0.3, 0.2], "density": 500},
               {"name": "flag", "shape": {"type": "mesh", "file": "flag.obj", "animation": {"file": "flag.mdd"}},
                "position": [0.5, 0, 0]}],
    "events": [{"time": 0.2, "cut": "cord", "at": 0.25}], "output": {"fps": FPS}}

SKIN = """v -0.1 -0.1 0
v 0.1 -0.1 0
v 0.1 0.1 0
v -0.1 0.1 0
vt 0 0
vt 0.5 0
vt 0.5 1
vt 0 1
f 1/1 2/2 3/3 4/4
"""


def write_flag():
    """A square that turns about its z by 2 rad/s: OBJ and MDD."""
    square = np.array([[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [0, 0.1, 0]])
    with open("flag.obj", "w") as file:
        for x in square:
            print("v %.9g %.9g %.9g" % tuple(x), file=file)
        print("f 1 2 3 4", file=file)
    times = np.arange(21) / 50
    turned = [square @ np.array([[math.cos(2 * t), math.sin(2 * t), 0], [-math.sin(2 * t), math.cos(2 * t), 0], [0, 0, 1]])
              for t in times]
    with open("flag.mdd", "wb") as file:
        file.write(np.array([len(times), 4], ">i4").tobytes() + times.astype(">f4").tobytes())
        file.write(np.array(turned, ">f4").tobytes())


def write_scene(path):
    """300 hairs, a cord that is cut, bodies that move and deform, a camera; with its meshes, in the folder."""
    open("skin.obj", "w").write(SKIN)
    write_flag()
    json.dump(SCENE, open(path, "w"))


def call(*arguments):
    done = subprocess.run([skein, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)


def frames_of(path):
    run = h5py.File(path, "r")
    return list(run["frames"].values())


def rods(frame):
    return np.split(frame["points"][:], frame["point_start"][1:-1])


def split(values, counts):
    return np.split(values, np.cumsum(counts)[:-1])


def test_curves():
    frames, top = frames_of("run.h5"), abc_reader.read("run.abc")
    sizes = [np.diff(f["point_start"][:]) for f in frames]
    longest = [max(s[i] for s in sizes if len(s) > i) for i in range(len(sizes[-1]))]
    assert len(longest) == 302 and len(rods(frames[0])) == 301
    seen = set()
    for name in ("cords", "hair"):
        curves = top["/rods/" + name]
        assert curves.meta["schema"] == "AbcGeom_Curve_v2" and curves.meta["schemaObjTitle"] == "AbcGeom_Curve_v2:.geom"
        geom, more = curves[".geom"], curves[".geom"][".arbGeomParams"]
        counts, ids = geom["nVertices"][0], more["id"][0]
        assert geom["nVertices"].samples == 1 and list(counts) == [longest[i] for i in ids]
        assert (more["groom_id"][0] == ids).all() and more["groom_id"].pod == "<i4" and (more["groom_guide"][0] == 0).all()
        assert more["groom_group_name"][0] == [name] * len(ids) and more["groom_guide"].pod == "<i2"
        assert len(set(more["groom_group_id"][0])) == 1 and list(geom["curveBasisAndType"][0][0]) == [1, 0, 0, 0]
        for key in ("id", "groom_id", "groom_group_id", "groom_guide", "groom_root_uv", "groom_group_name"):
            assert more[key].meta["geoScope"] == "uni" and more[key].meta["isGeomParam"] == "true", key
        for key in ("groom_width", "groom_color"):
            assert more[key].meta["geoScope"] == "vtx" and more[key].samples in (1, len(frames)), key
        assert np.array_equal(more["groom_root_uv"][0], geom["uv"][0])
        for k, frame in enumerate(frames):
            assert abs(geom["P"].times[k] - frame.attrs["time"]) < 1e-12
            there, radius = rods(frame), frame["radius"][:]
            for i, points, width in zip(ids, split(geom["P"][k], counts), split(geom["width"][k], counts)):
                if i >= len(there):
                    assert not width.any()
                    continue
                rod = there[i]
                assert (width == np.float32(2 * radius[i])).all()
                if len(rod) == len(points):
                    assert np.array_equal(points, rod)
                else:
                    assert np.abs(points[[0, -1]] - rod[[0, -1]]).max() < 1e-7
            box = geom[".selfBnds"][k][0]
            assert (geom["P"][k].min(axis=0) >= box[:3]).all() and (geom["P"][k].max(axis=0) <= box[3:]).all()
        seen |= set(ids)
    assert seen == set(range(302))
    uv, first = top["/rods/hair"][".geom"]["uv"][0], np.array([r[0] for r in rods(frames[0])[1:]])
    assert np.allclose(uv, np.stack([0.25 + 2.5 * first[:, 0], 0.5 + 5 * first[:, 1]], axis=1), atol=1e-5)
    assert not top["/rods/cords"][".geom"]["uv"][0].any()


def test_groom_version():
    xform = abc_reader.read("run.abc")["/rods"][".xform"]
    for place in (".arbGeomParams", ".userProperties"):
        for name, value in (("groom_version_major", 1), ("groom_version_minor", 4)):
            p = xform[place][name]
            assert p.pod == "<i2" and int(p[0].ravel()[0]) == value
    assert xform[".arbGeomParams"]["groom_version_major"].meta["geoScope"] == "uni"


def test_cut():
    """What comes off has its points on its parent before, so that it does not jump where it appears."""
    frames, top = frames_of("run.h5"), abc_reader.read("run.abc")
    geom = top["/rods/cords"][".geom"]
    born = next(k for k, f in enumerate(frames) if len(rods(f)) == 302)
    cord, part = split(geom["P"][born - 1], geom["nVertices"][0])
    _, after = split(geom["P"][born], geom["nVertices"][0])
    fall = np.abs(cord[-1] - rods(frames[born])[301][-1]).max()
    assert np.abs(part[-1] - cord[-1]).max() < 1e-6 and np.abs(part - after).max() < 2 * fall + 0.002
    speed = np.abs(geom[".velocities"][born]).max()
    assert speed < 9.81 * 0.4 * 1.2, speed  # it falls; no point went to another place of the cord


PATCH = {
    "time": {"duration": 0.1}, "units": {"length": "mm"}, "events": [{"time": 0.05, "cut": "hair[3]"}], "output": {"fps": 50},
    "materials": {"wisp": {"preset": "hair-caucasian", "collision_radius": 0.4}},
    "rods": [{"name": "hair", "elements": 4, "material": "wisp", "length": 50, "natural": {"curvature": [0.03, 0]},
              "root": {"position": [0, 0, 0], "direction": [0, 0, 1], "body": "skin"},
              "grid": {"count": [6, 6, 1], "spacing": 4, "jitter": 0.2}}],
    "bodies": [{"name": "skin", "shape": {"type": "plane"},
                "motion": {"waves": [{"axis": [1, 0, 0], "amplitude": 5, "frequency": 5}]}}]}


def test_hairs_of_a_guide_that_is_cut():
    """They end at the cut and keep their points; none has the speed of a point that became another one (0.7 m/s)."""
    json.dump(PATCH, open("patch.json", "w"))
    call("run", "patch.json", "-o", "patch.h5", "-q", "-j1")
    call("export", "patch.h5", "-o", "patch.abc", "--hairs", "300", "--points", "16")
    (curves,) = abc_reader.read("patch.abc")["/rods"].children.values()
    geom = curves[".geom"]
    counts, source = geom["nVertices"][0], geom[".arbGeomParams"]["source"][0]
    assert len(counts) == 301 and set(counts[:300]) == {16}
    for k in range(6):
        hairs, speeds = (split(geom[name][k], counts) for name in ("P", ".velocities"))
        length = np.mean([np.linalg.norm(np.diff(p, axis=0), axis=1).sum() for p, s in zip(hairs[:300], source) if s == 3])
        assert abs(length - (0.042 if k < 3 else 0.021)) < 0.004, (k, length)
        assert max(np.linalg.norm(v, axis=1).max() for v, s in zip(speeds[:300], source) if s == 3) < 0.55, k
        assert (geom["width"][k][-counts[300]:] > 0).all() == (k >= 3)
    uv = geom["uv"][0]
    assert uv.min() > 0 and uv.max() < 1 and len(np.unique(uv, axis=0)) > 290


def test_bodies_and_camera():
    frames, top = frames_of("run.h5"), abc_reader.read("run.abc")
    for i, name in enumerate(("skin", "ball", "flag")):
        place, shape = top["/bodies/" + name][".xform"], top[f"/bodies/{name}/{name}Shape"][".geom"]
        assert list(place[".ops"][0][0]) == [0x30]
        for k, frame in enumerate(frames):
            if name == "flag" and k:
                break
            m, pose = place[".vals"][k][0].reshape(4, 4), frame["body_pose"][i]
            w, x, y, z = pose[3:]
            assert np.allclose(m[3, :3], pose[:3], atol=1e-12) and np.allclose(m[0, :3], [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], atol=1e-9)
        assert shape[".faceCounts"][0].sum() == len(shape[".faceIndices"][0]) and shape["P"].samples == (len(frames) if name == "flag" else 1)
    ball = top["/bodies/ball/ballShape"][".geom"]
    a, b, c = (ball["P"][0][ball[".faceIndices"][0][k::3]].astype(float) for k in range(3))
    assert ((np.cross(b - a, c - a) * a).sum(axis=1) < 1e-12).all()  # clockwise from outside
    skin = top["/bodies/skin/skinShape"][".geom"]
    corner = skin["P"][0][skin[".faceIndices"][0]]
    assert np.allclose(skin["uv"][0], np.stack([0.25 + 2.5 * corner[:, 0], 0.5 + 5 * corner[:, 1]], axis=1), atol=1e-6)
    flag = top["/bodies/flag/flagShape"][".geom"]
    for k in range(2, len(frames) - 2):
        p, v = flag["P"][k].astype(float), flag[".velocities"][k]
        assert np.abs(v - 2 * np.stack([-p[:, 1], p[:, 0], 0 * p[:, 0]], axis=1)).max() < 2e-3  # the file is interpolated
    camera, core = top["/camera"][".xform"][".vals"][0][0].reshape(4, 4), top["/camera/cameraShape"][".geom"][".core"][0][0]
    assert np.allclose(camera[3, :3], [0.3, -0.4, 0.2]) and np.allclose(camera[2, :3], np.array([0.3, -0.4, 0.15]) / np.linalg.norm([0.3, -0.4, 0.15]))
    assert abs(2 * math.degrees(math.atan(10 * core[3] / (2 * core[0]))) - 30) < 1e-9
    assert top.meta["_ai_DCC_FPS"] == str(FPS) and top.meta["metersPerUnit"] == "1" and top.meta["upAxis"] == "Z"
    assert top.meta["_ai_Description"] == "Hair  a cord   cut"


def test_units_and_axes():
    call("export", "run.h5", "-o", "cm.abc", "--unit", "cm", "--up", "y", "--frames", "3:9:2")
    top, frames = abc_reader.read("cm.abc"), frames_of("run.h5")
    p, ids = top["/rods/hair"][".geom"]["P"], top["/rods/hair"][".geom"][".arbGeomParams"]["id"][0]
    assert p.samples == 4 and np.allclose(p.times, np.array([3, 5, 7, 9]) / FPS) and top.meta["upAxis"] == "Y"
    own, whole = p[1], abc_reader.read("run.abc")["/rods/hair"][".geom"]
    assert np.allclose(own, 100 * whole["P"][5][:, [0, 2, 1]] * [1, 1, -1], atol=1e-5)
    velocity = top["/rods/hair"][".geom"][".velocities"][1]
    assert np.allclose(velocity, 100 * whole[".velocities"][5][:, [0, 2, 1]] * [1, 1, -1], atol=1e-3)
    assert len(ids) == 300


def test_velocities():
    """The points of the run are replaced by ones that turn: v = omega x r."""
    omega = np.array([0.5, -0.3, 1.0])
    rate, axis = np.linalg.norm(omega), omega / np.linalg.norm(omega)
    shutil.copy("run.h5", "turned.h5")
    with h5py.File("run.h5", "r") as run, h5py.File("turned.h5", "r+") as out:
        still = run["frames/000000/points"][:].astype(float)
        for k, frame in enumerate(out["frames"].values()):
            for key in ("points", "point_start", "radius", "rod_group", "rod_source"):
                del frame[key]
                run.copy("frames/000000/" + key, frame)
            if "contacts" in frame:
                for key in list(frame["contacts"]):
                    old = frame["contacts"][key]
                    del frame["contacts"][key]
                    frame["contacts"].create_dataset(key, shape=(0, *old.shape[1:]), dtype=old.dtype)
            a = rate * k / FPS
            turn = np.array([x * math.cos(a) + np.cross(axis, x) * math.sin(a) + axis * (axis @ x) * (1 - math.cos(a)) for x in still])
            frame["points"][...] = turn.astype("f4")
    call("export", "turned.h5", "-o", "turned.abc")
    geom = abc_reader.read("turned.abc")["/rods/hair"][".geom"]
    worst = []
    for k in range(geom["P"].samples):
        truth = np.cross(omega, geom["P"][k].astype(float))
        worst.append(np.abs(geom[".velocities"][k] - truth).max() / np.abs(truth).max())
    assert max(worst[2:-2]) < 1e-5 and max(worst) < 2e-3, worst
    print(f"# velocities: {max(worst[2:-2]):.1e} of the largest beside omega x r, {max(worst):.1e} at the ends")


def test_once():
    """What does not change is stored once, and what changes back is stored once too."""
    top = abc_reader.read("run.abc")
    more = top["/rods/hair"][".geom"]
    assert more["width"].stored() == 1 and more["width"].samples == 11
    assert more["width"].group[0] == more[".arbGeomParams"]["groom_width"].group[0]
    cords = top["/rods/cords"][".geom"]["width"]
    assert len(set(cords.group[::2])) == 2 and cords.stored() == 2  # before and after the cut


def numbers(text):
    return np.array(re.findall(r"-?\d[\d.e+-]*", text), float)


def prim(text, kind, name):
    """The lines between the braces of a prim of the stage."""
    at = text.index(f'def {kind} "{name}"')
    indent = text[text.rindex("\n", 0, at) + 1 : at]
    return text[at : text.index("\n" + indent + "}\n", at)]


def attribute(block, head):
    """Its one value, or {time code: value}."""
    at = block.index(head)
    if block[at + len(head) :].startswith(".timeSamples"):
        lines = block[at : block.index("}", at)].splitlines()[1:]
        return {int(line.split(":")[0]): numbers(line.split(":", 1)[1]) for line in lines if ":" in line}
    return numbers(block[at + len(head) :].split("\n")[0])


def test_usd_is_the_same():
    call("export", "run.h5", "-o", "run.usda")
    text, top = open("run.usda").read(), abc_reader.read("run.abc")
    for name in ("cords", "hair"):
        block, geom = prim(text, "BasisCurves", name), top["/rods/" + name][".geom"]
        points, velocities = attribute(block, "point3f[] points"), attribute(block, "vector3f[] velocities")
        assert list(points) == list(velocities) == list(range(geom["P"].samples))
        for k in points:
            assert np.array_equal(points[k].astype("f4"), geom["P"][k].ravel()), (name, k)
            assert np.array_equal(velocities[k].astype("f4"), geom[".velocities"][k].ravel() + np.float32(0)), (name, k)
        assert np.array_equal(attribute(block, "int[] curveVertexCounts"), geom["nVertices"][0])
        assert np.array_equal(attribute(block, "int[] primvars:id"), geom[".arbGeomParams"]["id"][0])
        assert np.array_equal(attribute(block, "texCoord2f[] primvars:st").astype("f4"), geom["uv"][0].ravel())
        assert np.array_equal(attribute(block, "point3f[] primvars:rest").astype("f4"), geom["P"][0].ravel())
    skin, mesh = prim(text, "Mesh", "skin"), top["/bodies/skin/skinShape"][".geom"]
    uv, corner = attribute(skin, "texCoord2f[] primvars:st"), attribute(skin, "int[] faceVertexIndices").astype(int)
    at = attribute(skin, "point3f[] points").reshape(-1, 3)[corner]
    assert np.allclose(uv.reshape(-1, 2), np.stack([0.25 + 2.5 * at[:, 0], 0.5 + 5 * at[:, 1]], axis=1), atol=1e-6) and len(corner) == len(mesh[".faceIndices"][0])
    assert len(attribute(prim(text, "Mesh", "flag"), "vector3f[] velocities")) == 11
    lens = prim(text, "Camera", "Camera")
    assert abs(2 * math.degrees(math.atan(attribute(lens, "float verticalAperture")[0] / 2 / attribute(lens, "float focalLength")[0])) - 30) < 1e-4
    assert np.allclose(attribute(lens, "matrix4d xformOp:transform")[-16 + 12 : -1], [0.3, -0.4, 0.2])


def test_shots():
    """Frame 0 is frame 1001 of a shot of 12.5 frames per second: every second frame of the run lies between two."""
    call("export", "run.h5", "-o", "shot.abc", "--start", "1001", "--rate", "12.5")
    call("export", "run.h5", "-o", "shot.usda", "--start", "1001", "--rate", "12.5", "--frames", "1:")
    top, text = abc_reader.read("shot.abc"), open("shot.usda").read()
    p = top["/rods/hair"][".geom"]["P"]
    assert np.allclose(p.times, 1001 / 12.5 + np.arange(11) / 25, atol=1e-9) and top.meta["_ai_DCC_FPS"] == "12.5"
    assert np.array_equal(p[4], abc_reader.read("run.abc")["/rods/hair"][".geom"]["P"][4])
    block = prim(text, "BasisCurves", "hair")
    codes = re.findall(r"^ *([0-9.]+): ", block[block.index("points.timeSamples") : block.index("}", block.index("points.timeSamples"))], re.M)
    assert codes[:3] == ["1001.5", "1002", "1002.5"] and "timeCodesPerSecond = 12.5" in text and "startTimeCode = 1001.5" in text
    call("export", "run.h5", "-o", "s.hair", "--start", "1001", "--frames", "9:")
    assert os.path.exists("s_1010.hair") and os.path.exists("s_1011.hair")
    done = subprocess.run([skein, "export", "run.h5", "-o", "s.obj", "--rate", "24"], capture_output=True, text=True)
    assert done.returncode == 2 and "a rate is for usda and abc" in done.stderr


def places(path, frame):
    """Vertices of the only body of a run, in the world; it does not turn."""
    f = frames_of(path)[frame]
    return f["surfaces/vertices"][:] + f["body_pose"][0, :3]


def test_groom_comes_back():
    """A groom of another unit and axis becomes the rods that it was; a strand without width is none."""
    for name in ("groom.abc", "groom.usda"):
        call("export", "run.h5", "-o", name, "--unit", "cm", "--up", "y", "--frames", "0")
        json.dump({"rods": [{"file": name, "elements": 12, "model": "der"}], "time": {"duration": 0.001}}, open("again.json", "w"))
        call("run", "again.json", "-o", "again.h5", "--overwrite", "-q", "-j1")
        before, after = rods(frames_of("run.h5")[0]), rods(frames_of("again.h5")[0])
        assert len(before) == len(after) == 301
        roots = [np.array([r[0] for r in some]) for some in (before, after)]
        assert np.abs(roots[0] - roots[1]).max() < 1e-6, (name, np.abs(roots[0] - roots[1]).max())
        assert max(np.abs(a[-1] - b[-1]).max() for a, b in zip(before, after)) < 1e-4
    json.dump({"rods": [{"file": "groom.abc", "scale": 0.01, "up": "z"}], "time": {"duration": 0.001}}, open("again.json", "w"))
    call("run", "again.json", "-o", "again.h5", "--overwrite", "-q", "-j1")  # as one says, where one says
    other = np.array([r[0] for r in rods(frames_of("again.h5")[0])])
    assert np.abs(other - roots[0][:, [0, 2, 1]] * [1, 1, -1]).max() < 1e-6


def test_head_comes_back():
    """A mesh that deforms, through an archive of another unit and axis."""
    mesh = {"type": "mesh", "file": "flag.obj", "animation": {"file": "flag.mdd"}}
    time = {"time": {"duration": 0.4, "dt": 0.02}, "output": {"fps": FPS}, "title": "a flag"}
    rod = [{"length": 0.1, "elements": 2, "root": {"position": [2, 0, 0]}}]
    json.dump({**time, "rods": rod, "bodies": [{"name": "flag", "shape": mesh, "position": [0.5, 0.1, -0.2]}]}, open("a.json", "w"))
    call("run", "a.json", "-o", "a.h5", "-q", "-j1")
    for name in ("flag.abc", "flag.usda"):
        call("export", "a.h5", "-o", name, "--unit", "mm", "--up", "y")
        mesh = {"type": "mesh", "file": name, "animation": {"file": name}}
        json.dump({**time, "rods": rod, "bodies": [{"name": "flag", "shape": mesh}]}, open("b.json", "w"))
        call("run", "b.json", "-o", "b.h5", "--overwrite", "-q", "-j1")
        for k in range(11):
            a, b = places("a.h5", k), places("b.h5", k)
            assert a.shape == b.shape and np.abs(a - b).max() < 1e-6, (name, k, np.abs(a - b).max())
        assert np.abs(places("b.h5", 10) - places("b.h5", 0)).max() > 0.05


STAGE = """#usda 1.0
( # of another program
    doc = '''two lines with } and (
    "quoted"'''
    metersPerUnit = 0.1
    upAxis = "Z"
)
class "hidden" { point3f[] points = [(9, 9, 9)] }
def Xform "top" (
    prepend variantSets = "look"
)
{
    double3 xformOp:translate = (1, 2, 3)
    float xformOp:rotateZ.timeSamples = { 0: 90, 10: 90, }
    float3 xformOp:scale = (2, 2, 2)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ", "xformOp:scale"]
    variantSet "look" = { "a" { over "x" { int a = 1 } } }
    def Scope "inside" { def BasisCurves "fur" {
        uniform token type = "linear"
        int[] curveVertexCounts = [3, 3, 2]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 1, 0), (0, 1, .5), (0, 1, 1e0), (5, 5, 5), (6, 6, 6)] ( doc = "points" )
        float[] widths = [1, 1, 1, 1, 1, 1, 0, 0] (interpolation = "vertex")
        rel material:binding = </a/b>
    } }
    def Mesh "late" { quatf xformOp:orient = (0.70710678, 0, 0, 0.70710678); uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:orient"]
        int[] faceVertexCounts = [4] int[] faceVertexIndices = [0, 1, 2, 3]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    }
}
"""


def test_a_stage_of_others():
    """Nested prims, operations in their order, comments, strings with brackets, classes and variants passed over."""
    open("other.usda", "w").write(STAGE)
    json.dump({"rods": [{"file": "other.usda", "model": "der", "elements": 8}], "time": {"duration": 0.001},
               "bodies": [{"name": "late", "shape": {"type": "mesh", "file": "other.usda"}, "position": [5, 5, 5]}]}, open("other.json", "w"))
    call("run", "other.json", "-o", "other.h5", "-q", "-j1")
    first = rods(frames_of("other.h5")[0])
    assert len(first) == 2  # the third has no width
    assert np.allclose(first[0][0], [0.1, 0.2, 0.3], atol=1e-6) and np.allclose(first[1][0], [-0.1, 0.2, 0.3], atol=1e-6)
    assert np.allclose(first[1][-1], [-0.1, 0.2, 0.5], atol=1e-5)
    call("export", "other.h5", "-o", "other.abc")
    mesh = abc_reader.read("other.abc")["/bodies/late/lateShape"][".geom"]["P"][0]
    assert np.allclose(sorted(map(tuple, np.round(mesh, 5))), [(-0.1, 0, 0), (-0.1, 0.1, 0), (0, 0, 0), (0, 0.1, 0)], atol=1e-5)


def test_units_are_guessed_and_said():
    """An archive of another program: its note of the unit is taken out, to the same length."""
    data = open("groom.abc", "rb").read()
    for program, word, factor in ((b"Maya", "centimetres", 1), (b"Houd", "metres", 100)):
        other = data.replace(b"metersPerUnit", b"metresPerUnit").replace(b"_ai_Application=Skei", b"_ai_Application=" + program)
        assert len(other) == len(data) and other != data
        open("other.abc", "wb").write(other)
        json.dump({"rods": [{"file": "other.abc"}], "time": {"duration": 0.001}}, open("guess.json", "w"))
        done = subprocess.run([skein, "run", "guess.json", "-o", "guess.h5", "--overwrite", "-j1"], capture_output=True, text=True)
        assert done.returncode == 0 and f"other.abc: says no unit, taken as {word} with y up" in done.stderr, done.stderr
        before, after = (np.array([r[0] for r in rods(frames_of(path)[0])]) for path in ("run.h5", "guess.h5"))
        assert np.abs(after - factor * before).max() < 1e-5 * factor


def test_what_is_refused():
    def refused(rods, text):
        json.dump({"rods": rods, "time": {"duration": 0.001}}, open("bad.json", "w"))
        done = subprocess.run([skein, "run", "bad.json", "-o", "bad.h5"], capture_output=True, text=True)
        assert done.returncode == 2 and text in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    whole = open("run.abc", "rb").read()
    for data, text in ((b"", "does not start with Ogawa"), (b"\x89HDF\r\n", "HDF5"), (whole[:5] + b"\0" + whole[6:], "was not written to its end"),
                       (whole[:8] + b"\xff" * 8 + whole[16:], "is damaged"), (whole[: len(whole) // 2], "is damaged")):
        open("bad.abc", "wb").write(data)
        refused([{"file": "bad.abc"}], text)
    for data, text in (("PXR-USDC", "is a binary stage"), ("hello", "does not start with #usda"), ("#usda 1.0\ndef Xform \"a\" {", "a prim does not end"),
                       ("#usda 1.0\n", "has no curves"), (STAGE.replace("xformOp:rotateZ\",", "xformOp:twist\","), "xformOp:twist")):
        open("bad.usda", "w").write(data)
        refused([{"file": "bad.usda"}], text)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_scene("scene.json")
        call("run", "scene.json", "-o", "run.h5", "-q", "-j1")
        call("export", "run.h5", "-o", "run.abc")
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                try:
                    test()
                    print("ok", name)
                except Exception as error:
                    failed += 1
                    print("not ok", name, repr(error))
                    import traceback
                    traceback.print_exc()
        os.chdir("/")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
