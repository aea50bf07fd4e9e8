#!/usr/bin/python3
"""An independent judge of a run: it knows frames of every step (output.every "step"), shapes of bodies, and none of Skein's code.

    judge.py RUN.h5 [--free FREE.h5] [--skein SKEIN] [-o OUT.json]

Events are {time, until, kind, objects, size}:
    overlap    two rods, or a rod and a body, are deeper in each other than half a contact length (the collision radius of the
               thinner rod); size: in contact lengths, the deepest
    crossing   the axes of two rods went through each other between two frames; size: how often
    spike      a point was faster than 1.5 times the largest speed of the same groom without contacts (FREE.h5) and the fastest
               surface together; size: over that bound. A motion without contacts that is twice as fast as what falls and is
               swung round can be (12 rad/s, strands of 1 m: 18 m/s) has blown up itself: then that takes its place
    blow-up    the root of the mean square of all speeds was above that bound, or numbers are not finite; size: the same

Between two frames points are taken to move evenly. Two segments meet at roots of the cubic
    det(p2 - p1, q2 - q1, q1 - p1)(t) = 0,   0 <= t <= 1,
at which they also have a point in common. Polylines miss their curves by an eighth of a radius each: overlaps are known to a
quarter of a contact length. Bodies are planes, balls, capsules, cylinders, boxes, meshes (also those that deform) and Skein's
heads, whose triangles `skein export` gives. Not judged: bodies among each other, tubes."""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile
import time

import numpy as np

DEEP = 0.5         # contact lengths
SPIKE = 1.5        # times the speed without contacts
APART = 2 * math.pi  # radii of arc between two places of one rod that may touch
ROOTED = 5         # sums of radii from held roots on top of each other


# ---- Frames ----

class Frame:
    """points P x 3 of rods start[i] .. start[i + 1], radius and source of each rod, pose of each body, surfaces {body: V x 3}."""

    def __init__(self, time, start, points, radius, source=None, group=None, pose=None, surfaces=None):
        self.time, self.start = float(time), np.asarray(start, int)
        self.points = np.asarray(points, float).reshape(-1, 3)
        self.radius = np.asarray(radius, float)
        rods = len(self.radius)
        self.source = np.arange(rods) if source is None else np.asarray(source)
        self.group = np.zeros(rods, int) if group is None else np.asarray(group)
        self.pose = np.zeros((0, 7)) if pose is None else np.asarray(pose, float)
        self.surfaces = surfaces or {}


def read_frame(group):
    surfaces = {}
    if "surfaces" in group:
        start, v = group["surfaces/start"][()], group["surfaces/vertices"][()].astype(float)
        surfaces = {int(b): v[start[k]:start[k + 1]] for k, b in enumerate(group["surfaces/body"][()])}
    return Frame(group.attrs["time"], group["point_start"][()], group["points"][()], group["radius"][()],
                 group["rod_source"][()], group["rod_group"][()], group["body_pose"][()], surfaces)


def frames_of(path):
    import h5py
    with h5py.File(path, "r") as run:
        for k in range(int(run.attrs["frames"])):
            yield read_frame(run["frames/%06d" % k])


# ---- Bodies: signed distances (negative inside) in their own axes ----

def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def unit(v):
    v = np.asarray(v, float)
    return v / np.linalg.norm(v)


class Plane:
    def __init__(self, normal):
        self.normal, self.corners = unit(normal), np.zeros((1, 3))

    def distance(self, p, within, vertices=None):
        return p @ self.normal


class Capsule:
    """A ball is one without length."""

    def __init__(self, radius, length=0.0, axis=(0, 0, 1)):
        self.radius, self.half, self.axis = radius, length / 2, unit(axis)
        ends = np.array([self.half * self.axis, -self.half * self.axis])
        self.corners = np.concatenate([ends + radius * s for s in np.concatenate([np.eye(3), -np.eye(3)])])

    def distance(self, p, within, vertices=None):
        along = np.clip(p @ self.axis, -self.half, self.half)
        return np.linalg.norm(p - along[:, None] * self.axis, axis=1) - self.radius


class Cylinder(Capsule):
    def distance(self, p, within, vertices=None):
        along = p @ self.axis
        aside = np.linalg.norm(p - along[:, None] * self.axis, axis=1) - self.radius
        above = np.abs(along) - self.half
        outside = np.hypot(np.maximum(aside, 0), np.maximum(above, 0))
        return outside + np.minimum(np.maximum(aside, above), 0)


class Box:
    def __init__(self, size):
        self.half = np.asarray(size, float) / 2
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        self.corners = signs * self.half

    def distance(self, p, within, vertices=None):
        d = np.abs(p) - self.half
        return np.linalg.norm(np.maximum(d, 0), axis=1) + np.minimum(d.max(axis=1), 0)


def triangle_distance(p, a, b, c):
    """Distances of points from triangles, pair by pair, and the vectors from the nearest places (Ericson's regions)."""
    ab, ac, ap = b - a, c - a, p - a
    dot = lambda x, y: np.einsum("ij,ij->i", x, y)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    bp, cp = p - b, p - c
    d3, d4, d5, d6 = dot(ab, bp), dot(ac, bp), dot(ab, cp), dot(ac, cp)
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    with np.errstate(divide="ignore", invalid="ignore"):
        sum_ = va + vb + vc
        v, w = vb / sum_, vc / sum_
        for where, nv, nw in (
                ((va <= 0) & (d4 - d3 >= 0) & (d5 - d6 >= 0),
                 1 - (d4 - d3) / ((d4 - d3) + (d5 - d6)), (d4 - d3) / ((d4 - d3) + (d5 - d6))),
                ((vb <= 0) & (d2 >= 0) & (d6 <= 0), 0 * d1, d2 / (d2 - d6)),
                ((vc <= 0) & (d1 >= 0) & (d3 <= 0), d1 / (d1 - d3), 0 * d1),
                ((d6 >= 0) & (d5 <= d6), 0 * d1, 0 * d1 + 1),
                ((d3 >= 0) & (d4 <= d3), 0 * d1 + 1, 0 * d1),
                ((d1 <= 0) & (d2 <= 0), 0 * d1, 0 * d1)):
            v, w = np.where(where, nv, v), np.where(where, nw, w)
    away = p - (a + v[:, None] * ab + w[:, None] * ac)
    return np.sqrt(dot(away, away)), away


def expand(counts):
    """For counts [2, 0, 3]: rows [0, 0, 2, 2, 2] and places in them [0, 1, 0, 1, 2]."""
    rows = np.repeat(np.arange(len(counts)), counts)
    return rows, np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)


class Mesh:
    """Triangles in cells. Distances are exact within `band`; what is further outside has the distance `band` or more."""
    node = 0.0015  # m: between the places at which the distance of a surface that does not deform is kept

    def __init__(self, v, triangles):
        self.vertices, self.triangles, self.corners = np.asarray(v, float), np.asarray(triangles, int), np.asarray(v, float)
        self.built, self.fine = None, None
        edges = np.linalg.norm(self.vertices[self.triangles] - self.vertices[np.roll(self.triangles, 1, axis=1)], axis=2)
        self.cell = max(0.004, float(np.median(edges)))

    def build(self, v, band):
        """Which triangles are within the band of each cell."""
        t = v[self.triangles]
        lo, hi = t.min(axis=1) - band, t.max(axis=1) + band
        self.low = lo.min(axis=0) - self.cell
        self.shape = np.ceil((hi.max(axis=0) - self.low) / self.cell).astype(int) + 2
        first, last = ((lo - self.low) // self.cell).astype(int), ((hi - self.low) // self.cell).astype(int)
        size = last - first + 1
        row, k = expand(size.prod(axis=1))
        s = size[row]
        at = first[row] + np.stack([k // (s[:, 1] * s[:, 2]), k // s[:, 2] % s[:, 1], k % s[:, 2]], axis=1)
        # cells that a big triangle's box holds but the triangle's plane passes far from are left out
        normal = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
        self.area2 = np.linalg.norm(normal, axis=1)
        self.normal = normal / np.maximum(self.area2, 1e-300)[:, None]
        middle = self.low + (at + 0.5) * self.cell
        off = np.abs(np.einsum("ij,ij->i", middle - t[row, 0], self.normal[row]))
        keep = off <= band + self.cell * 0.8661
        key = (at[:, 0] * self.shape[1] + at[:, 1]) * self.shape[2] + at[:, 2]
        row, key = row[keep], key[keep]
        order = np.argsort(key, kind="stable")
        self.in_cell = row[order]
        self.cell_start = np.searchsorted(key[order], np.arange(self.shape.prod() + 1))
        self.t, self.band, self.built = t, band, v
        self.hollow = self.find_hollow()

    def find_hollow(self):
        """Cells far from all triangles that no way leads to from outside."""
        empty = (np.diff(self.cell_start) == 0).reshape(self.shape)
        reached, count = np.zeros_like(empty), 0
        reached[0, 0, 0] = True
        while count != (count := int(reached.sum())):
            for axis in range(3):
                a, b = ([slice(None)] * 3 for _ in range(2))
                a[axis], b[axis] = slice(1, None), slice(None, -1)
                a, b = tuple(a), tuple(b)
                for _ in range(4):
                    reached[a] |= reached[b] & empty[a]
                    reached[b] |= reached[a] & empty[b]
        return (empty & ~reached).ravel()

    def is_inside(self, p):
        """Of one place, by the solid angle of all triangles."""
        a, b, c = (self.t[:, k] - p for k in range(3))
        la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
        det = np.einsum("ij,ij->i", a, np.cross(b, c))
        div = la * lb * lc + np.einsum("ij,ij->i", a, b) * lc + np.einsum("ij,ij->i", b, c) * la + np.einsum("ij,ij->i", c, a) * lb
        return 2 * np.arctan2(det, div).sum() > 2 * math.pi

    def exact(self, p):
        out = np.full(len(p), self.band)
        at = ((p - self.low) // self.cell).astype(int)
        good = np.flatnonzero(((at >= 0) & (at < self.shape)).all(axis=1))
        key = (at[good, 0] * self.shape[1] + at[good, 1]) * self.shape[2] + at[good, 2]
        first, count = self.cell_start[key], self.cell_start[key + 1] - self.cell_start[key]
        row, k = expand(count)
        deep = good[self.hollow[key]]
        if len(row):
            t = self.in_cell[first[row] + k]
            d, away = triangle_distance(p[good[row]], self.t[t, 0], self.t[t, 1], self.t[t, 2])
            start = np.cumsum(count) - count
            some = np.flatnonzero(count)
            best = np.minimum.reduceat(d, start[some])
            # on an edge or a corner: the triangle that looks most along the way from it has the right side
            face = np.einsum("ij,ij->i", away, self.normal[t])
            tie = d <= np.repeat(best, count[some]) * (1 + 1e-9) + 1e-12
            weight = np.where(tie, np.abs(face), -1)
            most = np.maximum.reduceat(weight, start[some])
            hit = np.flatnonzero(weight == np.repeat(most, count[some]))
            behind = np.zeros(len(good), bool)
            behind[row[hit]] = face[hit] < 0
            near = best <= self.band
            out[good[some[near]]] = best[near] * np.where(behind[some[near]], -1, 1)
            doubtful = good[some[~near & behind[some]]]  # beyond the band of all: perhaps inside
            deep = np.concatenate([deep, doubtful[[self.is_inside(q) for q in p[doubtful]]] if len(doubtful) else doubtful])
        for k in deep:
            out[k] = -triangle_distance(np.broadcast_to(p[k], self.t[:, 0].shape), *(self.t[:, j] for j in range(3)))[0].min()
        return out

    def distance(self, p, within, vertices=None):
        """Exact where it is below `within`."""
        if vertices is not None:
            self.build(vertices, max(0.002, 2 * within))
            return self.exact(p)
        if self.built is None:
            self.build(self.vertices, max(0.006, 3 * within))
            self.nodes = np.ceil(self.shape * self.cell / self.node).astype(int) + 2
            self.fine = np.full(self.nodes.prod(), np.nan, np.float32)
        # interpolated first: only what may be deep is worth the triangles
        x = (p - self.low) / self.node
        at = np.floor(x).astype(int)
        out = np.full(len(p), self.band)
        good = np.flatnonzero(((at >= 0) & (at < self.nodes - 1)).all(axis=1))
        at, share = at[good], x[good] - at[good]
        guess = np.zeros(len(good))
        for corner in range(8):
            d = np.array([corner >> 2 & 1, corner >> 1 & 1, corner & 1])
            n = at + d
            key = (n[:, 0] * self.nodes[1] + n[:, 1]) * self.nodes[2] + n[:, 2]
            new = np.unique(key[np.isnan(self.fine[key])])
            if len(new):
                place = np.stack([new // (self.nodes[1] * self.nodes[2]), new // self.nodes[2] % self.nodes[1],
                                  new % self.nodes[2]], axis=1)
                self.fine[new] = self.exact(self.low + place * self.node)
            guess += np.where(d, share, 1 - share).prod(axis=1) * self.fine[key]
        out[good] = guess
        sure = good[guess < within + 0.1 * self.node]
        out[sure] = self.exact(p[sure])
        return out


def read_obj(path):
    v, triangles = [], []
    for line in pathlib.Path(path).read_text().splitlines():
        word = line.split()
        if word[:1] == ["v"]:
            v.append([float(x) for x in word[1:4]])
        elif word[:1] == ["f"]:
            f = [int(x.split("/")[0]) for x in word[1:]]
            f = [k - 1 if k > 0 else len(v) + k for k in f]
            triangles += [(f[0], f[k], f[k + 1]) for k in range(1, len(f) - 1)]
    return np.array(v), np.array(triangles)


def exported(skein, run, name, pose):
    """The triangles of a body of Skein's own, in its axes."""
    if not skein:
        raise ValueError("%s: the body '%s' is a head of Skein's, expected --skein to export it" % (run, name))
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "first.obj"
        subprocess.run([skein, "export", str(run), "-o", str(out), "--frames", "0"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        v, triangles, own = [], [], False
        for line in out.read_text().splitlines():
            word = line.split()
            if word[:1] == ["o"]:
                own = line[2:] == name
            elif word[:1] == ["v"]:
                v.append([float(x) for x in word[1:4]])
            elif word[:1] == ["f"] and own:
                triangles.append([int(x.split("/")[0]) - 1 for x in word[1:]])
    triangles = np.array(triangles)
    used, triangles = np.unique(triangles, return_inverse=True)
    return (np.array(v)[used] - pose[:3]) @ rotation(pose[3:]), triangles.reshape(-1, 3)


class World:
    """What frames do not say: shapes of bodies, who passes through whom, which roots are held, names."""

    def __init__(self, shapes=(), body_group=(), through=(), held=None, names=None):
        self.shapes, self.body_group, self.through = list(shapes), list(body_group), set(through)
        self.held, self.names = held, names

    def pass_through(self, a, b):
        return (min(a, b), max(a, b)) in self.through

    def name(self, rods, k):
        if self.names is None:
            return ("rod %d" % k) if k < rods else "body %d" % (k - rods)
        rod, body = self.names
        return (rod[k] if k < len(rod) else "rod %d" % k) if k < rods else body[k - rods]


def rods_of(entry, folder):
    """How many rods an entry of a scene is; None: not known from here."""
    for key in ("groom", "bundle"):
        if key in entry:
            return entry[key]["count"]
    if "grid" in entry:
        return int(np.prod(entry["grid"]["count"]))
    if "file" not in entry:
        return 1
    if "count" in entry:
        return entry["count"]
    path = folder / entry["file"]
    if path.suffix == ".hair":
        return int(np.frombuffer(path.read_bytes()[4:8], "<u4")[0])
    if path.suffix == ".obj":
        return sum(line.startswith("l ") for line in path.read_text().splitlines())
    return None


def world_of(path, skein=None):
    """From the scene that a run holds."""
    import h5py
    with h5py.File(path, "r") as run:
        scene, folder = json.loads(run["scene"].asstr()[()]), pathlib.Path(run["files"].asstr()[()])
        first = read_frame(run["frames/000000"])
        names = [[s.decode() for s in run["names/" + kind][()]] for kind in ("rods", "bodies")] if "names" in run else None
    unit_of = {"m": 1, "cm": 0.01, "mm": 0.001}[scene.get("units", {}).get("length", "m")]
    groups, shapes, body_group, held, rod_names = list(scene.get("groups", [])), [], [], [], []
    def group(name):
        if name not in groups:
            groups.append(name)
        return groups.index(name)
    for k, r in enumerate(scene.get("rods", [])):
        group(r.get("group", "rods"))
        count, name = rods_of(r, folder), r.get("name", "rod%d" % k)
        held += [r.get("root", {}).get("type", "clamped") != "free"] * (count or 0)
        single = not any(key in r for key in ("groom", "bundle", "grid", "file"))
        rod_names += [name] if single else ["%s[%d]" % (name, i) for i in range(count or 0)]
    for k, b in enumerate(scene.get("bodies", [])):
        body_group.append(group(b.get("group", "bodies")))
        s, kind = b["shape"], b["shape"]["type"]
        if kind == "plane":
            shapes.append(Plane(s.get("normal", [0, 0, 1])))
        elif kind == "sphere":
            shapes.append(Capsule(unit_of * s["radius"]))
        elif kind in ("capsule", "cylinder"):
            shapes.append((Capsule if kind == "capsule" else Cylinder)(unit_of * s["radius"], unit_of * s["length"], s.get("axis", [0, 0, 1])))
        elif kind == "box":
            shapes.append(Box(unit_of * np.array(s["size"])))
        elif kind == "mesh":
            v, triangles = read_obj(folder / s["file"])
            if s.get("up", "z") == "y":
                v = v[:, [0, 2, 1]] * [1, -1, 1]
            shapes.append(Mesh(unit_of * s.get("scale", 1) * v, triangles))
        elif kind == "head":
            shapes.append(Mesh(*exported(skein, path, b.get("name", "body%d" % k), first.pose[k])))
        else:
            raise ValueError("%s: bodies[%d].shape.type is '%s', which is not judged" % (path, k, kind))
    through = {tuple(sorted((group(p["groups"][0]), group(p["groups"][-1])))) for p in scene.get("pairs", [])
               if p.get("contacts") is False}
    if names is None and len(rod_names) == len(first.radius):
        names = [rod_names, [b.get("name", "body%d" % k) for k, b in enumerate(scene.get("bodies", []))]]
    return World(shapes, body_group, through, held if len(held) == len(first.radius) else None, names)


# ---- Segments ----

def closest(p1, d1, p2, d2):
    """Distances of segments p + s d, 0 <= s <= 1, pair by pair, and both s."""
    r = p1 - p2
    dot = lambda x, y: np.einsum("ij,ij->i", x, y)
    a, e, f, c, b = dot(d1, d1), dot(d2, d2), dot(d2, r), dot(d1, r), dot(d1, d2)
    a, e = np.maximum(a, 1e-30), np.maximum(e, 1e-30)
    denom = a * e - b * b
    s = np.where(denom > 1e-12 * a * e, np.clip((b * f - c * e) / np.maximum(denom, 1e-60), 0, 1), 0.5)
    t = (b * s + f) / e
    s = np.where(t < 0, np.clip(-c / a, 0, 1), np.where(t > 1, np.clip((b - c) / a, 0, 1), s))
    t = np.clip((b * s + f) / e, 0, 1)
    away = r + s[:, None] * d1 - t[:, None] * d2
    return np.sqrt(dot(away, away)), s, t


def meet(p, q, dp, dq):
    """Whether moving segments p (n x 2 x 3, moved by dp) and q meet for some 0 <= t <= 1; when (-1: never)."""
    e0, e1 = p[:, 1] - p[:, 0], dp[:, 1] - dp[:, 0]
    g0, g1 = q[:, 1] - q[:, 0], dq[:, 1] - dq[:, 0]
    w0, w1 = q[:, 0] - p[:, 0], dq[:, 0] - dp[:, 0]
    dot = lambda x, y: np.einsum("ij,ij->i", x, y)
    n0, n1, n2 = np.cross(e0, g0), np.cross(e0, g1) + np.cross(e1, g0), np.cross(e1, g1)
    c = [dot(n0, w0), dot(n0, w1) + dot(n1, w0), dot(n1, w1) + dot(n2, w0), dot(n2, w1)]
    f = lambda t: c[0] + t * (c[1] + t * (c[2] + t * c[3]))
    # between the places where the slope is zero f is monotone: one root at most in each part
    A, B, C = 3 * c[3], 2 * c[2], c[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(B * B - 4 * A * C, 0))
        low = -0.5 * (B + np.where(B < 0, -1, 1) * root)
        turns = np.stack([low / A, C / low], axis=1)
    turns = np.sort(np.clip(np.where(np.isfinite(turns), turns, 0), 0, 1), axis=1)
    ends = np.concatenate([np.zeros((len(p), 1)), turns, np.ones((len(p), 1))], axis=1)
    when = np.full(len(p), -1.0)
    for k in range(3):
        a, b = ends[:, k].copy(), ends[:, k + 1].copy()
        fa, fb = f(a), f(b)
        some = np.flatnonzero((fa * fb <= 0) & (b > a) & ((fa != 0) | (fb != 0)) & (when < 0))
        if not len(some):
            continue
        a, b, fa = a[some], b[some], fa[some]
        sub = [x[some] for x in c]
        for _ in range(60):
            m = 0.5 * (a + b)
            fm = sub[0] + m * (sub[1] + m * (sub[2] + m * sub[3]))
            left = fa * fm <= 0
            b, a, fa = np.where(left, m, b), np.where(left, a, m), np.where(left, fa, fm)
        t = 0.5 * (a + b)
        at = lambda x, dx: x[some] + t[:, None] * dx[some]
        p1, q1, e, g = at(p[:, 0], dp[:, 0]), at(q[:, 0], dq[:, 0]), at(e0, e1), at(g0, g1)
        d, _, _ = closest(p1, e, q1, g)
        scale = np.linalg.norm(e, axis=1) + np.linalg.norm(g, axis=1)
        hit = d <= 1e-7 * scale
        when[some[hit]] = t[hit]
    return when


# ---- One step: two frames ----

class Motion:
    """Rods of two frames with the same places on both: points a (before) and b (after), arc length, their rod."""

    def __init__(self, before, after):
        rods = min(len(before.radius), len(after.radius))
        same = rods == len(after.radius) == len(before.radius) and np.array_equal(before.start, after.start)
        if same:
            self.a, self.b, self.start = before.points, after.points, after.start
            self.exact = np.ones(len(self.b), bool)
        else:
            parts = [self.common(before, after, i) for i in range(rods)]
            self.a, self.b = (np.concatenate([p[k] for p in parts]) if parts else np.zeros((0, 3)) for k in range(2))
            self.exact = np.concatenate([p[2] for p in parts]) if parts else np.zeros(0, bool)
            self.start = np.concatenate([[0], np.cumsum([len(p[0]) for p in parts])]).astype(int)
        count = np.diff(self.start)
        self.rod = np.repeat(np.arange(rods), count)
        self.first = np.setdiff1d(np.arange(len(self.b)), self.start[1:] - 1)  # of segments
        length = np.zeros(len(self.b))
        length[self.first + 1] = np.linalg.norm(self.b[self.first + 1] - self.b[self.first], axis=1)
        s = np.cumsum(length)
        self.s = s - s[self.start[:-1]][self.rod] if rods else s
        self.length = np.array([self.s[k - 1] for k in self.start[1:]])
        self.radius, self.dt = after.radius[:rods], after.time - before.time
        self.cut = len(before.radius) != len(after.radius)

    @staticmethod
    def common(before, after, i):
        x, y = (f.points[f.start[i]:f.start[i + 1]] for f in (before, after))
        both = np.ones(len(x), bool)
        if len(x) != len(y):
            s, t = (np.round(np.linspace(0, 1, len(z)), 12) for z in (x, y))
            u = np.union1d(s, t)
            x, y = (np.stack([np.interp(u, np.linspace(0, 1, len(z)), z[:, j]) for j in range(3)], axis=1) for z in (x, y))
            both = np.isin(u, np.intersect1d(s, t))
        return x, y, both

    def speed(self):
        """Of each point, less what rounding to single precision may add; 0 where a frame has no point of the curve: chords
        miss it, and in a short step that would be a speed."""
        moved = np.linalg.norm(self.b - self.a, axis=1) - 2 * 2.0 ** -24 * (np.abs(self.a).sum(axis=1) + np.abs(self.b).sum(axis=1))
        return np.where(self.exact, np.maximum(moved, 0), 0) / self.dt


def still(frame):
    return Motion(frame, frame)


def pairs_that_may_meet(m):
    """Pairs of segments whose boxes over the step, a radius wide, meet: from blocks of 16 to blocks of 4 to segments."""
    k = m.first
    r = m.radius[m.rod[k]][:, None]
    lo = np.minimum(np.minimum(m.a[k], m.a[k + 1]), np.minimum(m.b[k], m.b[k + 1])) - r
    hi = np.maximum(np.maximum(m.a[k], m.a[k + 1]), np.maximum(m.b[k], m.b[k + 1])) + r
    levels, rod = [(lo, hi, None, None)], m.rod[k]
    for _ in range(2):
        lo, hi = levels[-1][:2]
        start = np.flatnonzero(np.concatenate([[True], rod[1:] != rod[:-1]])) if len(rod) else np.zeros(0, int)
        place = np.arange(len(rod)) - start[np.searchsorted(start, np.arange(len(rod)), side="right") - 1]
        first = np.flatnonzero(place % 4 == 0)
        levels.append((np.minimum.reduceat(lo, first), np.maximum.reduceat(hi, first), first,
                       np.diff(np.append(first, len(rod)))))
        rod = rod[first]
    lo, hi = levels[2][:2]
    i, j = [], []
    for k in range(len(lo)):
        near = np.flatnonzero((lo[k:] <= hi[k]).all(axis=1) & (hi[k:] >= lo[k]).all(axis=1)) + k
        i.append(np.full(len(near), k)), j.append(near)
    i, j = np.concatenate(i), np.concatenate(j)
    for part in np.array_split(np.arange(len(i)), 1 + len(i) // 10000):  # not all at once: memory
        x, y = i[part], j[part]
        for level in (1, 0):
            _, _, first, count = levels[level + 1]
            lo, hi = levels[level][:2]
            row, k = expand(count[x] * count[y])
            up, vp = x[row], y[row]
            u, v = first[up] + k // count[vp], first[vp] + k % count[vp]
            keep = ((up != vp) | (u < v if level == 0 else u <= v)) & (lo[u] <= hi[v]).all(axis=1) & (hi[u] >= lo[v]).all(axis=1)
            x, y = u[keep], v[keep]
        yield x, y


class Judge:
    def __init__(self, world, first):
        self.world, self.rods = world, len(first.radius)
        self.overlaps = []   # per frame: {(a, b): contact lengths}, above a quarter
        self.crossings = []  # per frame: {(a, b): share of the step}
        self.speeds, self.mean, self.surface, self.times = [], [], 0.0, []
        self.exempt_until = self.find_rooted(first)
        self.tied = self.find_tied(first)
        self.last, self.turning, self.longest = None, 0.0, 0.0
        self.highest, self.lowest = (float(x) for x in ((first.points[:, 2].max(), first.points[:, 2].min()) if len(first.points) else (0, 0)))

    # What cannot be otherwise

    def find_rooted(self, frame):
        """Per body and rod: the arc up to which a held rod starts in the body (a scalp), and five radii more."""
        m, found = still(frame), []
        for body, shape in enumerate(self.world.shapes):
            d = self.body_distances(frame, m, body, np.arange(len(m.b)))
            until = np.zeros(self.rods)
            for i in range(self.rods):
                own = slice(m.start[i], m.start[i + 1])
                out = np.flatnonzero(d[own] > 0.9 * m.radius[i])
                held = self.world.held is None or self.world.held[i]
                if held and d[m.start[i]] <= 0.9 * m.radius[i]:
                    until[i] = (m.s[own][out[0]] if len(out) else np.inf) + 5 * m.radius[i]
                elif held:
                    until[i] = m.radius[i]
            found.append(until)
        return found

    def find_tied(self, frame):
        """Pairs of held roots that start on top of each other."""
        root = frame.points[frame.start[:-1]]
        tied = set()
        for i in range(self.rods):
            near = np.flatnonzero(np.linalg.norm(root[i + 1:] - root[i], axis=1) < frame.radius[i] + frame.radius[i + 1:]) + i + 1
            tied |= {(i, int(j)) for j in near}
        return tied

    # The parts

    def body_distances(self, frame, m, body, which):
        pose = frame.pose[body]
        p = (m.b[which] - pose[:3]) @ rotation(pose[3:])
        return self.world.shapes[body].distance(p, float(m.radius.max()), frame.surfaces.get(body))

    def against_bodies(self, frame, m, found):
        for body in range(len(self.world.shapes)):
            clear = np.array([self.world.pass_through(g, self.world.body_group[body]) if self.world.body_group else False
                              for g in frame.group[:len(m.radius)]], bool)
            until = self.exempt_until[body][np.minimum(frame.source[:len(m.radius)], self.rods - 1)]
            which = np.flatnonzero(~clear[m.rod] & (m.s > until[m.rod]))
            if not len(which):
                continue
            deep = 1 - self.body_distances(frame, m, body, which) / m.radius[m.rod[which]]
            for k in np.flatnonzero(deep > DEEP / 2):
                pair = (int(m.rod[which[k]]), len(frame.radius) + body)
                found[pair] = max(found.get(pair, 0), float(deep[k]))

    def allowed(self, frame, m, a, b, sa, sb):
        """Pairs of places that may touch: not neighbours along a rod, across a cut, at roots on top of each other."""
        reach = m.radius[a] + m.radius[b]
        good = (a != b) | (np.abs(sa - sb) > APART * m.radius[a])
        if self.world.through:
            g = frame.group
            good &= np.array([not self.world.pass_through(x, y) for x, y in zip(g[a], g[b])], bool)
        source = frame.source
        if len(frame.radius) > self.rods:
            same = (a != b) & (source[a] == source[b])
            across = np.minimum(m.length[a] - sa + sb, m.length[b] - sb + sa)
            good &= ~(same & (across < APART * m.radius[a]))
        if self.tied:
            tied = np.array([(min(x, y), max(x, y)) in self.tied for x, y in zip(source[a], source[b])], bool)
            good &= ~(tied & (np.maximum(sa, sb) <= ROOTED * reach))
        return good

    def among_rods(self, frame, m, overlaps, crossings):
        if len(m.first) > 1:
            for i, j in pairs_that_may_meet(m):
                self.among_segments(frame, m, m.first[i], m.first[j], overlaps, crossings)

    def among_segments(self, frame, m, x, y, overlaps, crossings):
        a, b = m.rod[x], m.rod[y]
        near = (a != b) | (m.s[y] - m.s[x + 1] > 0)
        x, y, a, b = x[near], y[near], a[near], b[near]
        if not len(x):
            return
        d, s, t = closest(m.b[x], m.b[x + 1] - m.b[x], m.b[y], m.b[y + 1] - m.b[y])
        move = m.b - m.a
        rel = np.max([np.linalg.norm(move[x + k] - move[y + l], axis=1) for k in (0, 1) for l in (0, 1)], axis=0)
        reach, c = m.radius[a] + m.radius[b], np.minimum(m.radius[a], m.radius[b])
        deep = (reach - d) / c
        near = np.flatnonzero((deep > DEEP / 2) | (d <= rel))
        x, y, a, b, d, s, t, deep, rel = (v[near] for v in (x, y, a, b, d, s, t, deep, rel))
        sa = m.s[x] + s * (m.s[x + 1] - m.s[x])
        sb = m.s[y] + t * (m.s[y + 1] - m.s[y])
        good = self.allowed(frame, m, a, b, sa, sb)
        for k in np.flatnonzero(good & (deep > DEEP / 2)):
            pair = (int(min(a[k], b[k])), int(max(a[k], b[k])))
            overlaps[pair] = max(overlaps.get(pair, 0), float(deep[k]))
        near = np.flatnonzero(good & (d <= rel))
        if m.dt > 0 and len(near):
            of = lambda v, k: np.stack([v[k[near]], v[k[near] + 1]], axis=1)
            when = meet(of(m.a, x), of(m.a, y), of(move, x), of(move, y))
            for k in np.flatnonzero(when >= 0):
                pair = tuple(sorted((int(a[near[k]]), int(b[near[k]]))))
                crossings[pair] = min(crossings.get(pair, 2), float(when[k]))

    def look(self, frame):
        """At the next frame."""
        before = self.last if self.last is not None else frame
        m = Motion(before, frame)
        overlaps, crossings = {}, {}
        self.against_bodies(frame, m, overlaps)
        self.among_rods(frame, m, overlaps, crossings)
        speed = np.zeros(len(frame.radius))
        mean = 0.0
        if m.dt > 0 and len(m.b):
            v = m.speed()
            np.maximum.at(speed, m.rod, v)
            mean = float(np.sqrt((v[m.exact] ** 2).mean()))
            self.surface = max(self.surface, self.surface_speed(before, frame, m.dt))
            self.turning = max(self.turning, self.turning_speed(before, frame, m.dt))
            self.longest, self.lowest = max(self.longest, float(m.length.max())), min(self.lowest, float(m.b[:, 2].min()))
        self.overlaps.append(overlaps), self.crossings.append(crossings)
        self.speeds.append(speed), self.mean.append(mean), self.times.append(frame.time)
        self.last = frame

    def surface_speed(self, before, after, dt):
        fastest = 0.0
        for body, shape in enumerate(self.world.shapes):
            place = [f.surfaces.get(body, shape.corners) @ rotation(f.pose[body][3:]).T + f.pose[body][:3] for f in (before, after)]
            fastest = max(fastest, float(np.linalg.norm(place[1] - place[0], axis=1).max()) / dt)
        return fastest

    @staticmethod
    def turning_speed(before, after, dt):
        """Of the fastest body, rad/s."""
        c = np.abs(np.einsum("ij,ij->i", before.pose[:, 3:], after.pose[:, 3:])) if len(after.pose) else np.ones(1)
        return float(2 * np.arccos(np.clip(c, 0, 1)).max()) / dt

    # The end

    def plausible(self):
        """m/s: what falls from the highest point to the lowest, at the end of the longest rod on what turns fastest, reaches."""
        size = max((float(np.linalg.norm(s.corners, axis=1).max()) for s in self.world.shapes), default=0.0)
        turn = max(self.turning, self.surface / size if size > 0 and self.last.surfaces else 0.0)
        drop = max(self.highest - self.lowest, self.longest)
        return math.sqrt(2 * 9.81 * drop) + turn * (size + self.longest) + self.surface

    def fastest(self):
        return max((float(v.max()) for v in self.speeds if len(v)), default=0.0)

    def events(self, bound=math.inf):
        """What happened, pair by pair: an overlap lasts as long as it is deep enough."""
        found = []
        def name(k):
            return self.world.name(self.rods if len(self.last.radius) < self.rods else len(self.last.radius), k)
        def follow(kind, per_frame, least):
            open_ = {}
            for when, now in zip(self.times + [None], per_frame + [{}]):
                for key in [k for k in open_ if now.get(k, -1) <= least]:
                    found.append(open_.pop(key))
                for key, size in now.items():
                    if size <= least:
                        continue
                    who = list(key) if isinstance(key, tuple) else [key]
                    event = open_.setdefault(key, {"time": when, "until": when, "kind": kind, "objects": who,
                                                   "names": [name(k) for k in who], "size": 0.0, "peak": when})
                    event["until"] = when
                    if size > event["size"]:
                        event["size"], event["peak"] = size, when
        follow("overlap", self.overlaps, DEEP)
        for when, pairs in zip(self.times, self.crossings):
            for pair in sorted(pairs):
                found.append({"time": when, "until": when, "kind": "crossing", "objects": list(pair),
                              "names": [name(k) for k in pair], "size": 1})
        if math.isfinite(bound) and bound > 0:
            follow("spike", [{k: float(x / bound) for k, x in enumerate(v) if x > bound} for v in self.speeds], 1)
            follow("blow-up", [{(): x / bound} if x > bound else {} for x in self.mean], 1)
        for event in found:
            event["size"] = round(event["size"], 4)
        return sorted(found, key=lambda e: (e["time"], e["kind"], e["objects"]))


def judge(frames, world, bound=math.inf, free=None, seconds=math.inf):
    """free: frames without contacts, which give the bound of the speed; seconds: of CPU, after which it looks no further. The
    judge, its events, and the bound."""
    it = iter(frames)
    first = next(it)
    one, begun = Judge(world, first), time.process_time()
    one.look(first)
    for frame in it:
        if time.process_time() - begun > seconds:
            break
        one.look(frame)
    if free is not None:
        fastest, before = 0.0, None
        for frame in free:
            if before is not None and frame.time > before.time:
                m = Motion(before, frame)
                if len(m.b):
                    fastest = max(fastest, float(m.speed().max()))
            before = frame
        if fastest > 2 * one.plausible():  # the motion without contacts is itself none
            fastest = one.plausible()
        bound = SPIKE * fastest + one.surface
    return one, one.events(bound), bound


def judge_run(path, free=None, skein=None, seconds=math.inf):
    return judge(frames_of(path), world_of(path, skein), free=frames_of(free) if free else None, seconds=seconds)


def main():
    parser = argparse.ArgumentParser(description="An independent judge of runs with a frame of every step.")
    parser.add_argument("run")
    parser.add_argument("--free", help="the same groom without contacts")
    parser.add_argument("--skein", help="the command, to export heads")
    parser.add_argument("-o", "--output", help="JSON (default: standard output)")
    options = parser.parse_args()
    one, events, bound = judge_run(options.run, options.free, options.skein)
    text = json.dumps({"frames": len(one.times), "bound": bound if math.isfinite(bound) else None, "fastest": one.fastest(),
                       "events": events}, indent=1)
    if options.output:
        pathlib.Path(options.output).write_text(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
