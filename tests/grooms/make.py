#!/usr/bin/python3
"""Sixteen grooms as users bring them: scenes without a solver block, heads that move, hair from the groom of a scene and from
.hair, OBJ, PC2 and MDD files that are written here from the formats' descriptions.

    make.py FOLDER [--seed N] [--only NAME,NAME]      FOLDER/NAME/scene.json and its files

A seed gives the same files on any machine: random numbers are integers, what is written is rounded."""
import argparse
import json
import math
import pathlib
import struct
import zlib

import numpy as np

HEAD = np.array([0.075, 0.095, 0.115])  # m: semi-axes of the heads that are written as files


class Draw:
    """Random numbers of a seed and a name: splitmix64, in steps of a millionth."""
    mask = (1 << 64) - 1

    def __init__(self, seed, name):
        self.state = (seed * 0x9E3779B97F4A7C15 + zlib.crc32(name.encode())) & self.mask

    def number(self, lo=0.0, hi=1.0):
        self.state = (self.state + 0x9E3779B97F4A7C15) & self.mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & self.mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & self.mask
        return lo + (hi - lo) * ((z ^ (z >> 31)) % 1000000) / 1000000

    def whole(self, lo, hi):
        return int(self.number(lo, hi + 1))


# ---- Files ----

def write_hair(path, strands):
    """Cem Yuksel's format: a header of 128 bytes, segments of each strand (flag 1), points (flag 2)."""
    points = np.concatenate(strands)
    head = b"HAIR" + struct.pack("<IIII", len(strands), len(points), 3, 0) + struct.pack("<ff3f", 1, 0, 0.3, 0.2, 0.1)
    counts = np.array([len(s) - 1 for s in strands], "<u2")
    path.write_bytes(head.ljust(128, b"\0") + counts.tobytes() + np.round(points, 6).astype("<f4").tobytes())


def write_obj(path, v, faces, groups=None):
    lines = ["v %.6f %.6f %.6f" % tuple(p) for p in v]
    for k, f in enumerate(faces):
        if groups is not None and (k == 0 or groups[k] != groups[k - 1]):
            lines.append("g " + groups[k])
        lines.append("f " + " ".join(str(i + 1) for i in f))
    path.write_text("\n".join(lines) + "\n")


def write_lines(path, strands):
    """Strands as the lines of an OBJ."""
    points = ["v %.6f %.6f %.6f" % tuple(p) for s in strands for p in s]
    lines, at = [], 1
    for s in strands:
        lines.append("l " + " ".join(str(at + k) for k in range(len(s))))
        at += len(s)
    path.write_text("\n".join(points + lines) + "\n")


def write_pc2(path, frames):
    head = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(frames[0]), 0.0, 1.0, len(frames))
    path.write_bytes(head + np.round(np.array(frames), 6).astype("<f4").tobytes())


def write_mdd(path, frames, times):
    head = struct.pack(">ii%df" % len(times), len(frames), len(frames[0]), *times)
    path.write_bytes(head + np.round(np.array(frames), 6).astype(">f4").tobytes())


# ---- Heads and strands on them ----

def egg(radii=HEAD, rings=20, around=28):
    """An ellipsoid of quads and triangles, vertices and faces that look out, with a nose at -y."""
    v, faces = [(0, 0, 1.0)], []
    for i in range(1, rings):
        a = math.pi * i / rings
        v += [(math.sin(a) * math.cos(2 * math.pi * k / around), math.sin(a) * math.sin(2 * math.pi * k / around), math.cos(a))
              for k in range(around)]
    v.append((0, 0, -1.0))
    def at(i, k):
        return 1 + (i - 1) * around + k % around
    for k in range(around):
        faces.append((0, at(1, k), at(1, k + 1)))
        faces += [(at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)) for i in range(1, rings - 1)]
        faces.append((at(rings - 1, k), len(v) - 1, at(rings - 1, k + 1)))
    v = np.array(v)
    nose = np.exp(-((v[:, 0] / 0.16) ** 2 + ((v[:, 2] + 0.1) / 0.22) ** 2)) * (v[:, 1] < 0)
    v = v * radii
    v[:, 1] -= 0.018 * nose
    return np.round(v, 6), faces


def unit(p):
    return p / np.linalg.norm(p)


def roots(draw, count, lowest=0.1, front=-0.35):
    """Directions from the middle of the head to the roots: evenly over what a hairline leaves of it."""
    found, k = [], 0
    start = draw.number(0, 2 * math.pi)
    while len(found) < count:
        z = 1 - (1 - lowest) * ((k * 0.6180339887) % 1)
        a = start + 2 * math.pi * k * 0.7548776662
        p = np.array([math.sqrt(1 - z * z) * math.cos(a), math.sqrt(1 - z * z) * math.sin(a), z])
        if p[1] > front or z > 0.75:
            found.append(p)
        k += 1
    return found


def fall(draw, p, length, segments, fade=0.05, clear=0.002, aside=0.12, radii=HEAD):
    """A strand that leaves the head at a root (a direction), bends down within `fade` m and stays outside."""
    at, way = 0.99 * radii * p, unit(p / radii)
    out = unit(np.array([p[0], p[1], 0]) + 1e-9) + np.array([draw.number(-1, 1), draw.number(-1, 1), 0]) * aside
    goal = unit(np.array([0.25 * out[0], 0.25 * out[1], -1.0]))
    step, points = length / segments, [at]
    for j in range(segments):
        share = min(1.0, step / fade)
        way = unit((1 - share) * way + share * goal)
        at = at + step * way
        size = math.sqrt(((at / (radii + clear)) ** 2).sum())
        if j > 1 and size < 1:
            at = at / size
            way = unit(at - points[-1])
        points.append(at)
    return np.array(points)


def wave(draw, strand, height, length, twist=1.0):
    """Waves beside a strand: a helix (twist 1) or flat (0), none at the root."""
    s = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(strand, axis=0), axis=1))])
    phase, grow = draw.number(0, 2 * math.pi), 1 - np.exp(-s / 0.02)
    t = np.gradient(strand, axis=0)
    t /= np.linalg.norm(t, axis=1)[:, None]
    e = np.cross(t, [0.13, 0.97, 0.21])
    e /= np.linalg.norm(e, axis=1)[:, None]
    f = np.cross(t, e)
    a = phase + 2 * math.pi * s / length
    beside = (np.cos(a) - math.cos(phase))[:, None] * e + twist * (np.sin(a) - math.sin(phase))[:, None] * f
    return strand + (height * grow)[:, None] * beside


def many(draw, count, length, vary, segments, shape=None, **more):
    strands = []
    for p in roots(draw, count):
        strand = fall(draw, p, length * draw.number(1 - vary, 1 + vary), segments, **more)
        strands.append(shape(strand) if shape else strand)
    return strands


# ---- Motions ----

def degrees(axis, angle):
    return {"axis": axis, "angle": round(angle, 3)}


def to_and_fro(axis, angle, seconds, duration, start=0.05, pivot=None):
    """Keys: from side to side, each way in so many seconds; the largest speed is 1.5 times the mean one."""
    keys, t, side = [{"time": 0, "rotation": degrees(axis, 0)}, {"time": round(start, 4)}], start + 0.6 * seconds, 1
    while t < duration + seconds:
        keys.append({"time": round(t, 4), "rotation": degrees(axis, side * angle)})
        t, side = t + seconds, -side
    motion = {"keys": keys}
    return dict(motion, pivot=pivot) if pivot else motion


def shake(draw, duration, speed):
    """To the left and right, at up to so many rad/s."""
    angle = draw.number(40, 65)
    return to_and_fro([0, 0, 1], angle, 1.5 * 2 * math.radians(angle) / speed, duration)


def nod(draw, duration, speed):
    angle = draw.number(18, 28)
    return to_and_fro([1, 0, 0], angle, 1.5 * 2 * math.radians(angle) / speed, duration, pivot=[0, 0.02, -0.1])


def hair(radius, preset="hair-caucasian", **more):
    return dict({"preset": preset, "collision_radius": radius}, **more)


def head(motion, **more):
    return dict({"name": "head", "group": "skin", "shape": {"type": "head"}, "motion": motion}, **more)


def bust():
    return {"name": "bust", "group": "skin", "shape": {"type": "head", "part": "bust"}}


def scene(title, duration, materials, rods, bodies, **more):
    time = dict({"duration": duration}, **more.pop("time", {}))
    return dict({"title": title, "time": time, "materials": materials, "rods": rods, "bodies": bodies}, **more)


def grown(count, length, **more):
    """Hair that Skein grows on its own head."""
    groom = dict({"count": count, "seed": more.pop("seed", 1)}, **more.pop("groom", {}))
    return dict({"name": "hair", "group": "hair", "material": "hair", "length": length, "root": {"body": "head"},
                 "groom": groom}, **more)


pairs = [{"groups": ["hair", "skin"], "mu": 0.5}]


# ---- The grooms: each gets random numbers and a folder for its files, and returns its scene ----

def straight(draw, folder):
    return scene("Straight hair to the shoulders, a head that shakes", 0.8, {"hair": hair(0.0004)},
                 [grown(80, 0.28, seed=draw.whole(1, 999), groom={"parting": "middle"})],
                 [head(shake(draw, 0.8, 9)), bust()], time={"settle": 0.3}, pairs=pairs, friction=0.3)


def wavy(draw, folder):
    """A .hair file and an OBJ head, both in centimetres with y up."""
    strands = many(draw, 60, 0.24, 0.15, 80, lambda s: wave(draw, s, 0.005, 0.045))
    turned = [100 * s[:, [0, 2, 1]] * [1, 1, -1] for s in strands]
    write_hair(folder / "wavy.hair", turned)
    v, faces = egg()
    write_obj(folder / "head.obj", 100 * v[:, [0, 2, 1]] * [1, 1, -1], faces)
    return scene("Wavy hair from files, a head that nods", 0.7, {"hair": hair(0.0005, drag=2e-5)},
                 [{"name": "hair", "group": "hair", "material": "hair", "elements": 12, "file": "wavy.hair", "up": "y",
                   "scale": 0.01, "root": {"body": "head"}}],
                 [{"name": "head", "group": "skin", "motion": nod(draw, 0.7, 8),
                   "shape": {"type": "mesh", "file": "head.obj", "up": "y", "scale": 0.01}}],
                 time={"settle": 0.2}, pairs=pairs)


def coils(draw, folder):
    return scene("Coils that stand off the head, gently shaken", 0.5,
                 {"hair": hair(0.0003, "hair-african")},
                 [grown(60, 0.12, seed=draw.whole(1, 999), elements=16, natural={"helix": {"radius": 0.003, "pitch": 0.006}},
                        groom={"curl_variation": 0.3, "variation": 0.3, "raised": True})],
                 [head(shake(draw, 0.5, 6))], time={"settle": 0.3}, pairs=pairs)


def ponytail(draw, folder):
    return scene("A tight ponytail on a head that nods", 0.6, {"hair": hair(0.0005)},
                 [grown(60, 0.25, seed=draw.whole(1, 999), groom={"tie": {"position": [0, 0.088, 0.104], "direction": [0, 1, 0.3]}})],
                 [head(nod(draw, 0.6, 8)), bust()], time={"settle": 0.5}, pairs=pairs)


def metre(draw, folder):
    """Strands of 1 m, in waves, as the lines of an OBJ."""
    strands = many(draw, 60, 1.0, 0.1, 160, lambda s: wave(draw, s, 0.006, 0.09))
    write_lines(folder / "strands.obj", strands)
    v, faces = egg()
    write_obj(folder / "head.obj", v, faces)
    return scene("Strands of a metre on a head that turns to and fro at 12 rad/s", 0.5, {"hair": hair(0.0004)},
                 [{"name": "hair", "group": "hair", "material": "hair", "elements": 12, "file": "strands.obj",
                   "root": {"body": "head"}}],
                 [{"name": "head", "group": "skin", "motion": shake(draw, 0.5, 12), "shape": {"type": "mesh", "file": "head.obj"}}],
                 pairs=pairs)


def soft(draw, folder):
    return scene("Soft fibres, as of rubber, on a head that shakes", 0.6, {"hair": hair(0.0005, E=4e6, G=1.4e6)},
                 [grown(40, 0.22, seed=draw.whole(1, 999), natural={"curvature": [20, 0]}, groom={"parting": "left"})],
                 [head(shake(draw, 0.6, 8))], pairs=pairs)


def stiff(draw, folder):
    return scene("Bristles of 0.3 mm that stand up, on a head that nods fast", 0.5,
                 {"hair": {"E": 5e9, "G": 1.8e9, "density": 1150, "radius": 0.00015, "damping": 1e-4}},
                 [grown(80, 0.11, seed=draw.whole(1, 999), groom={"raised": True, "lift": 50, "stray": 25})],
                 [head(nod(draw, 0.5, 12))], pairs=pairs)


def dreads(draw, folder):
    """Thick rods beside thin ones."""
    v, faces = egg()
    write_obj(folder / "head.obj", v, faces)
    thick = [fall(draw, p, 0.3 * draw.number(0.8, 1.1), 40, clear=0.006) for p in roots(draw, 14, 0.2)]
    thin = many(draw, 46, 0.25, 0.2, 60, lambda s: wave(draw, s, 0.002, 0.05))
    write_hair(folder / "thick.hair", thick)
    write_hair(folder / "thin.hair", thin)
    return scene("Dreadlocks 8 mm thick among fine hair, shaken", 0.6,
                 {"lock": {"E": 2e6, "density": 700, "radius": 0.004, "damping": 0.01}, "hair": hair(0.0002)},
                 [{"name": "lock", "group": "hair", "material": "lock", "elements": 8, "file": "thick.hair", "root": {"body": "head"}},
                  {"name": "hair", "group": "hair", "material": "hair", "elements": 10, "file": "thin.hair", "root": {"body": "head"}}],
                 [{"name": "head", "group": "skin", "motion": shake(draw, 0.6, 7), "shape": {"type": "mesh", "file": "head.obj"}}],
                 time={"settle": 0.3}, pairs=pairs)


def fur(draw, folder):
    """Fur of real thickness on a ball, stroked by another."""
    strands = []
    for k in range(120):
        z = 1 - 0.9 * (k + 0.5) / 120
        a = 2.39996323 * k + draw.number(-0.1, 0.1)
        p = np.array([math.sqrt(1 - z * z) * math.cos(a), math.sqrt(1 - z * z) * math.sin(a), z])
        lean = unit(p + 0.8 * np.array([draw.number(-0.3, 0.3), -1, draw.number(-0.2, 0.2)]))
        s = np.linspace(0, draw.number(0.018, 0.026), 12)[:, None]
        strands.append(0.04 * p + s * p + 20 * s * s * (lean - p))
    write_hair(folder / "fur.hair", strands)
    turn = draw.number(60, 90)
    return scene("Fur on a ball that turns, stroked by another one", 0.6, {"fur": {"preset": "hair-caucasian"}},
                 [{"name": "fur", "group": "hair", "material": "fur", "elements": 4, "file": "fur.hair", "root": {"body": "ball"}}],
                 [{"name": "ball", "group": "skin", "shape": {"type": "sphere", "radius": 0.04},
                   "motion": {"waves": [{"axis": [0, 0, 1], "turn": True, "amplitude": round(turn, 1), "frequency": 1, "phase": -90}]}},
                  {"name": "hand", "group": "skin", "shape": {"type": "sphere", "radius": 0.015},
                   "motion": {"keys": [{"time": 0, "position": [0.005, -0.08, 0.06]}, {"time": 0.3, "position": [0, 0, 0.065]},
                                       {"time": 0.6, "position": [-0.005, 0.08, 0.055]}]}}], pairs=pairs)


def braids(draw, folder):
    """Fourteen braids of three locks each round the head."""
    strands = []
    for k in range(14):
        a = math.pi * (k - 6.5) / 8.5 + math.pi / 2 + draw.number(-0.02, 0.02)
        foot, out = np.array([0.078 * math.cos(a), 0.098 * math.sin(a), 0.03]), np.array([math.cos(a), math.sin(a), 0])
        side, period = np.cross(out, [0, 0, 1]), draw.number(0.034, 0.04)
        s = np.linspace(0, draw.number(0.17, 0.21), 96)
        for lock in range(3):
            t = 2 * math.pi * (s / period + lock / 3)
            across, depth = 0.0042 * np.sin(t), 0.0025 * np.sin(2 * t)
            strands.append(foot + (0.008 + depth)[:, None] * out + across[:, None] * side - s[:, None] * [0, 0, 1.0])
    write_hair(folder / "braids.hair", strands)
    v, faces = egg()
    write_obj(folder / "head.obj", v, faces)
    return scene("Braids on a head that shakes", 0.5, {"lock": {"E": 2e7, "density": 800, "radius": 0.0012, "damping": 0.01}},
                 [{"name": "lock", "group": "hair", "material": "lock", "elements": 24, "file": "braids.hair", "root": {"body": "head"}}],
                 [{"name": "head", "group": "skin", "motion": shake(draw, 0.5, 6), "shape": {"type": "mesh", "file": "head.obj"}}],
                 friction=0.4)


def needles(draw, folder):
    """Steel needles that fall into a bowl."""
    rods = []
    for k in range(48):
        a, tilt = draw.number(0, 360), draw.number(-0.05, 0.05)
        way = [math.cos(math.radians(a)), math.sin(math.radians(a)), tilt]
        place = [draw.number(-0.02, 0.02), draw.number(-0.02, 0.02), 0.03 + 0.004 * k]
        place = [p - 0.025 * w / math.hypot(1, tilt) for p, w in zip(place, way)]
        rods.append({"name": "needle%d" % k, "material": "steel", "length": 0.05, "elements": 2,
                     "root": {"type": "free", "position": [round(x, 5) for x in place], "direction": [round(x, 5) for x in way]}})
    around, radius = 24, [0.0, 0.02, 0.035, 0.045, 0.05, 0.055]
    height = [-0.012, -0.0105, -0.006, 0.002, 0.012, 0.022]
    inner = [(r * math.cos(2 * math.pi * k / around), r * math.sin(2 * math.pi * k / around), z)
             for r, z in zip(radius[1:], height[1:]) for k in range(around)]
    v, rings = [(0, 0, height[0])] + inner, len(radius) - 1
    faces = [(0, 1 + k, 1 + (k + 1) % around) for k in range(around)]
    for i in range(rings - 1):
        a, b = 1 + i * around, 1 + (i + 1) * around
        faces += [(a + k, b + k, b + (k + 1) % around, a + (k + 1) % around) for k in range(around)]
    n = len(v)
    v = v + [(1.04 * x, 1.04 * y, z - 0.006) for x, y, z in v]
    under = [tuple(n + i for i in reversed(f)) for f in faces]
    rim, last = 1 + (rings - 1) * around, []
    last = [(rim + k, n + rim + k, n + rim + (k + 1) % around, rim + (k + 1) % around) for k in range(around)]
    write_obj(folder / "bowl.obj", v, faces + under + last)
    return scene("Steel needles fall into a bowl", 0.5,
                 {"steel": {"E": 2e11, "G": 8e10, "density": 7800, "radius": 0.0004, "damping": 1e-5}}, rods,
                 [{"name": "bowl", "shape": {"type": "mesh", "file": "bowl.obj"}}], friction=0.2)


def fringe(draw, folder):
    cap = {"cap": {"centre": [0, -0.02, 0.05], "direction": [0, -0.8, 0.6], "angle": 38}}
    return scene("A fringe on the face of a head that nods", 0.7, {"hair": hair(0.0003)},
                 [grown(70, 0.1, seed=draw.whole(1, 999), elements=5, natural={"curvature": [6, 0]},
                        groom={"scalp": cap, "stray": 15, "variation": 0.2})],
                 [head(nod(draw, 0.7, 9))], time={"settle": 0.2}, pairs=pairs)


def cache(draw, folder):
    """A head in centimetres that turns, leans and chews as its vertex cache says."""
    v, faces = egg()
    jaw, beat = np.clip(-v[:, 2] / 0.08, 0, 1) * (v[:, 1] < 0.03), draw.number(1.6, 2.2)
    frames = []
    for k in range(25):
        t = k / 24
        turn, lean = 0.5 * math.sin(2 * math.pi * beat * t), 0.2 * (1 - math.cos(2 * math.pi * 1.5 * t))
        p = v + jaw[:, None] * [0, -0.004, -0.012] * (0.5 - 0.5 * math.cos(2 * math.pi * 3 * t))
        p = p * (1 + 0.03 * math.sin(2 * math.pi * 2 * t) * np.exp(-((v[:, 2] - 0.06) / 0.05) ** 2))[:, None]
        p = p @ np.array([[1, 0, 0], [0, math.cos(lean), -math.sin(lean)], [0, math.sin(lean), math.cos(lean)]]).T
        p = p @ np.array([[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]]).T
        frames.append(100 * p)
    write_obj(folder / "head.obj", 100 * v, faces)
    animation = {"file": "head.pc2", "fps": 24}
    if draw.whole(0, 1):
        animation = {"file": "head.mdd"}
        write_mdd(folder / "head.mdd", frames, [k / 24 for k in range(25)])
    else:
        write_pc2(folder / "head.pc2", frames)
    write_hair(folder / "hair.hair", many(draw, 80, 0.2, 0.2, 60, lambda s: wave(draw, s, 0.003, 0.06)))
    return scene("A head that deforms by its vertex cache", 0.8, {"hair": hair(0.0005)},
                 [{"name": "hair", "group": "hair", "material": "hair", "elements": 8, "file": "hair.hair", "root": {"body": "head"}}],
                 [{"name": "head", "group": "skin", "shape": {"type": "mesh", "file": "head.obj", "scale": 0.01, "animation": animation}}],
                 pairs=pairs)


def bun(draw, folder):
    """Strands that are wound to a bun behind the head, round a pin."""
    strands, lattice = [], []
    for row in range(-4, 5):
        lattice += [((i + 0.5 * (row % 2)) * 0.0013, row * 0.0013 * math.sqrt(0.75)) for i in range(-4, 5)]
    lattice = sorted(lattice, key=lambda p: (round(p[0] ** 2 + p[1] ** 2, 9), p))[:48]
    for x, y in lattice:
        turns = draw.number(1.7, 1.9)
        t = np.linspace(0, 2 * math.pi * turns, 120)
        ring = 0.016 + x + 0.009 * t / (2 * math.pi)
        centre = np.array([0, 0.115, 0.05])
        path = centre + np.stack([ring * np.cos(t), 1.5 * y + 0.002 * np.sin(t / 2), ring * np.sin(t)], axis=1)
        start = centre + np.array([0.016 + x, -0.03 + y, -0.012])
        strands.append(np.concatenate([np.linspace(start, path[0], 12)[:-1], path]))
    write_hair(folder / "bun.hair", strands)
    motion = nod(draw, 0.5, 8)
    pin = {"type": "capsule", "radius": 0.003, "length": 0.04, "axis": [0, 1, 0]}
    return scene("A bun on a head that nods", 0.5, {"hair": hair(0.0005)},
                 [{"name": "hair", "group": "hair", "material": "hair", "elements": 14, "file": "bun.hair",
                   "root": {"body": "head"}}],
                 [head(motion), {"name": "pin", "group": "skin", "shape": pin, "position": [0, 0.125, 0.05], "motion": motion}],
                 time={"settle": 0.3}, pairs=pairs)


def curls(draw, folder):
    return scene("Curls of very different lengths on a head that shakes", 0.6, {"hair": hair(0.0005, drag=2e-5)},
                 [grown(70, 0.2, seed=draw.whole(1, 999), elements=10, natural={"helix": {"radius": 0.007, "pitch": 0.025}},
                        groom={"variation": 0.6, "curl_variation": 0.5, "parting": "right"})],
                 [head(shake(draw, 0.6, 9)), bust()], time={"settle": 0.3}, pairs=pairs)


def spaghetti(draw, folder):
    rods = []
    for k in range(40):
        a = draw.number(0, 180)
        way = np.array([math.cos(math.radians(a)), math.sin(math.radians(a)), 0])
        place = np.array([draw.number(-0.015, 0.015), draw.number(-0.015, 0.015), 0.065 + 0.0035 * k]) - 0.1 * way
        rods.append({"name": "noodle%d" % k, "model": "mass-spring", "material": "spaghetti-cooked", "length": 0.2,
                     "root": {"type": "free", "position": [round(float(x), 5) for x in place],
                              "direction": [round(float(x), 5) for x in way]}})
    return scene("Cooked spaghetti fall in a heap over a ball, mu = 1", 0.6, {}, rods,
                 [{"name": "ball", "shape": {"type": "sphere", "radius": 0.03}, "position": [0, 0, 0.03]},
                  {"name": "plate", "shape": {"type": "plane"}}], friction=1)


grooms = {f.__name__: f for f in (straight, wavy, coils, ponytail, metre, soft, stiff, dreads, fur, braids, needles, fringe,
                                  cache, bun, curls, spaghetti)}


# ---- Two that take seconds, for the quick tests ----

def few(draw, folder):
    return scene("A few straight strands on a ball that turns", 0.1, {"hair": hair(0.001)},
                 [{"name": "hair", "group": "hair", "material": "hair", "elements": 4, "length": 0.1,
                   "root": {"position": [0, 0, 0.05], "direction": [0.3, 0, 1], "body": "ball"}, "bundle": {"count": 5, "jitter": 0.5}}],
                 [{"name": "ball", "group": "skin", "shape": {"type": "sphere", "radius": 0.05},
                   "motion": {"keys": [{"time": 0, "rotation": degrees([0, 1, 0], 0)}, {"time": 0.1, "rotation": degrees([0, 1, 0], 30)}]}}])


def sticks(draw, folder):
    rods = [{"name": "stick%d" % k, "model": "der", "elements": 6, "material": "spaghetti-dry", "length": 0.1,
             "root": {"type": "free", "position": [round(draw.number(-0.06, -0.04), 4), 0, round(0.002 + 0.004 * k, 4)],
                      "direction": [1, round(draw.number(-0.5, 0.5), 3), 0]}} for k in range(4)]
    return scene("Four sticks fall on a plane", 0.08, {}, rods, [{"name": "plate", "shape": {"type": "plane"}}])


tiny = {f.__name__: f for f in (few, sticks)}


def make(folder, name, seed):
    """Writes one groom; its scene."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    made = dict(grooms, **tiny)[name](Draw(seed, name), folder)
    (folder / "scene.json").write_text(json.dumps(made, indent=1) + "\n")
    return made


def main():
    parser = argparse.ArgumentParser(description="Writes grooms.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(grooms))
    options = parser.parse_args()
    for name in options.only.split(","):
        make(options.folder / name, name, options.seed)


if __name__ == "__main__":
    main()
