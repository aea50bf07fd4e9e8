#!/usr/bin/python3
"""test_judge.py SKEIN FOLDER: the independent judge finds what was planted in frames, each time, and nothing where nothing is."""
import json
import math
import pathlib
import subprocess
import sys
import unittest

import numpy as np

import judge as j
import make
import run as grooms

skein, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)


def line(a, b, points=11):
    return np.linspace(a, b, points)


def frame(time, rods, radius=0.001, **more):
    start = np.concatenate([[0], np.cumsum([len(r) for r in rods])])
    return j.Frame(time, start, np.concatenate(rods), np.broadcast_to(radius, len(rods)), **more)


def kinds(events):
    return [(e["kind"], e["objects"]) for e in events]


class Planted(unittest.TestCase):
    def judge(self, frames, world=None, bound=math.inf):
        return j.judge(frames, world or j.World(), bound)[1]

    def crossed(self, z0, z1, x=0.03, dt=1e-3, **more):
        """A rod along x, and one along y that goes from height z0 to z1 in one step, at x."""
        low = line([0, 0, 0], [0.1, 0, 0])
        return [frame(k * dt, [low, line([x, -0.02, z], [x, 0.03, z], 9)], **more) for k, z in enumerate((z0, z0, z1, z1))]

    def test_a_crossing(self):
        events = self.judge(self.crossed(0.003, -0.003))
        self.assertEqual(kinds(events), [("crossing", [0, 1])])
        self.assertEqual(events[0]["time"], 0.002)
        self.assertEqual(kinds(self.judge(self.crossed(0.003, -0.003, x=0.02))), [("crossing", [0, 1])])  # at a vertex of both
        self.assertEqual(kinds(self.judge(self.crossed(0.003, 0.0021))), [])
        self.assertEqual(kinds(self.judge(self.crossed(0.003, -0.003, x=0.1011))), [])  # past the end

    def test_crossings_of_turning_rods(self):
        """Rods that turn and move at random: against the signed volume in ten thousand small steps."""
        draw = make.Draw(7, "turning")
        number = lambda: np.array([draw.number(-1, 1) for _ in range(3)])
        n = 300
        p, q, dp, dq = (np.array([[number(), number()] for _ in range(n)]) for _ in range(4))
        when = j.meet(p, q, dp, dq)
        t = np.linspace(0, 1, 4001)[:, None]
        self.assertGreater((when >= 0).sum(), 20)
        for k in range(n):
            a, b, c, d = (x[k, i] + t * dx[k, i] for x, dx in ((p, dp), (q, dq)) for i in (0, 1))
            distance = j.closest(a, b - a, c, d - c)[0]
            if when[k] >= 0:
                self.assertLess(distance.min(), 5e-3)
            else:
                self.assertGreater(distance.min(), 1e-5)

    def test_a_crossing_when_the_number_of_points_changes(self):
        frames = [frame(1e-3 * k, [line([0, 0, 0], [0.1, 0, 0], 7 + 4 * k), line([0.03, -0.02, z], [0.03, 0.03, z], 9 - k)])
                  for k, z in enumerate((0.003, -0.003))]
        self.assertEqual(kinds(self.judge(frames)), [("crossing", [0, 1])])

    def test_an_overlap(self):
        deep = lambda size: [frame(k * 1e-3, [line([0, 0, 0], [0.1, 0, 0]), line([0, 0, z], [0.1, 0.01, z])], radius=[0.001, 0.003])
                             for k, z in enumerate((0.005, 0.004 - 0.001 * size, 0.0041, 0.004 - 0.001 * size))]
        events = self.judge(deep(0.7))
        self.assertEqual(kinds(events), [("overlap", [0, 1])] * 2)
        self.assertAlmostEqual(events[0]["size"], 0.7, 3)
        self.assertEqual([e["time"] for e in events], [1e-3, 3e-3])
        self.assertEqual(self.judge(deep(0.4)), [])
        self.assertEqual(self.judge(deep(0.7), j.World(body_group=[], through={(0, 0)})), [])

    def test_an_overlap_of_a_rod_with_itself(self):
        t = np.linspace(0, 2 * math.pi * 1.2, 100)[:, None]
        loop = lambda pitch: np.concatenate([0.02 * np.cos(t), 0.02 * np.sin(t), pitch * t / (2 * math.pi)], axis=1)
        self.assertEqual(kinds(self.judge([frame(0, [loop(0.001)])])), [("overlap", [0, 0])])
        self.assertEqual(self.judge([frame(0, [loop(0.0022)])]), [])

    def test_a_spike(self):
        rod = line([0, 0, 0], [0, 0, -0.1])
        places = [rod + [0.0005 * k, 0, 0] for k in range(5)]
        places[3] = places[3].copy()
        places[3][7] += [0.004, 0, 0]
        frames = [frame(1e-3 * k, [r, line([1, 0, 0], [1, 0, 1])]) for k, r in enumerate(places)]
        events = self.judge(frames, bound=1.0)
        self.assertEqual({e["kind"] for e in events}, {"spike", "blow-up"})
        spike = next(e for e in events if e["kind"] == "spike")
        self.assertEqual((spike["objects"], spike["time"]), ([0], 3e-3))
        self.assertAlmostEqual(spike["size"], 4.5, 3)
        free = [frame(1e-3 * k, [rod + [0.001 * k, 0, 0], line([1, 0, 0], [1, 0, 1])]) for k in range(5)]
        one, events, bound = j.judge(frames, j.World(), free=free)
        self.assertAlmostEqual(bound, 1.5, 6)
        self.assertEqual(events[0]["kind"], "spike")
        self.assertEqual(j.judge(frames[:3], j.World(), free=free)[1], [])
        wild = [frame(1e-3 * k, [rod + [0.1 * k, 0, 0], line([1, 0, 0], [1, 0, 1])]) for k in range(5)]
        self.assertAlmostEqual(j.judge(frames, j.World(), free=wild)[2], 1.5 * math.sqrt(2 * 9.81 * 1.1), 2)

    def test_no_spike_where_a_short_step_has_other_points(self):
        t = lambda n: np.linspace(0, 1, n)[:, None]
        arc = lambda n: np.concatenate([0.05 * np.sin(2 * t(n)), 0.05 * np.cos(2 * t(n)), 0 * t(n)], axis=1)
        frames = [frame(1e-6 * k, [np.float32(arc(n)) + np.float32(0.4)]) for k, n in enumerate((13, 19, 25, 13))]
        self.assertEqual(self.judge(frames, bound=0.1), [])

    def test_bodies(self):
        v, faces = make.egg(np.array([0.05, 0.05, 0.05]), 60, 90)
        v[:, 1] += 0.018 * np.exp(-((v[:, 0] / 0.05 / 0.16) ** 2 + ((v[:, 2] / 0.05 + 0.1) / 0.22) ** 2)) * (v[:, 1] < 0)
        mesh = j.Mesh(v, [(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)])
        cases = [(j.Plane([0, 0, 1]), [0, 0, 0.05]), (j.Capsule(0.05), [0, 0, 0]), (j.Cylinder(0.05, 0.2, [1, 0, 0]), [0, 0, 0]),
                 (j.Capsule(0.05, 0.2, [0, 1, 0]), [0, 0, 0]), (j.Box([0.2, 0.2, 0.1]), [0, 0, 0]), (mesh, [0, 0, 0])]
        turn = [math.cos(0.6), 0, 0, math.sin(0.6)]
        for shape, place in cases:
            world = j.World([shape], [0], held=[False])
            for size, expected in ((0.7, [("overlap", [0, 1])]), (0.4, [])):
                z = 0.05 + 0.001 * (1 - size)
                frames = [frame(k * 1e-3, [line([-0.03, 0.001, 0.06 if k == 0 else z], [0.03, 0, 0.06 if k == 0 else z], 61)],
                                pose=[place + (turn if k else [1, 0, 0, 0])]) for k in range(3)]
                self.assertEqual(kinds(self.judge(frames, world)), expected, (type(shape).__name__, size))

    def test_deep_inside_a_mesh_and_one_that_deforms(self):
        v, faces = make.egg()
        triangles = [(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)]
        world = j.World([j.Mesh(v, triangles)], [0], held=[False])
        pose = [[0, 0, 0, 1, 0, 0, 0]]
        deep = frame(0, [line([0, 0, 0.02], [0.01, 0, 0.03])], pose=pose)
        self.assertEqual(kinds(self.judge([deep], world)), [("overlap", [0, 1])])
        above = line([-0.01, 0, 0.118], [0.01, 0, 0.118])
        frames = [frame(1e-3 * k, [above], pose=pose, surfaces={0: v * (1 + 0.02 * k)}) for k in range(4)]
        events = self.judge(frames, world)
        self.assertEqual(kinds(events), [("overlap", [0, 1])])
        self.assertEqual(events[0]["time"], 0.002)  # 0.115 x 1.04 = 0.1196

    def test_distances_to_a_mesh(self):
        v, faces = make.egg()
        mesh = j.Mesh(v, [(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)])
        draw = make.Draw(3, "places")
        way = np.array([[draw.number(-1, 1) for _ in range(3)] for _ in range(400)])
        p = make.HEAD * way / np.linalg.norm(way, axis=1)[:, None] * np.linspace(0.94, 1.02, 400)[:, None]
        got = mesh.distance(p, 0.001)
        mesh.build(mesh.vertices, 0.006)
        for k in range(0, 400, 3):
            away = j.triangle_distance(np.broadcast_to(p[k], mesh.t[:, 0].shape), *(mesh.t[:, i] for i in range(3)))[0].min()
            sign = -1 if mesh.is_inside(p[k]) else 1
            if sign * away < 0.001:
                self.assertAlmostEqual(got[k], sign * away, 9)
            else:
                self.assertGreaterEqual(got[k], 0.001)

    def test_roots_and_cuts_are_no_overlaps(self):
        ball = j.World([j.Capsule(0.05)], [0], held=[True, True, True])
        out = lambda x: line([0, 0, 0.049], [x, 0, 0.1], 31)
        # two roots in one place, one rod that leaves the skin flatly
        flat = np.concatenate([line([0, 0.01, 0.0487], [0.002, 0.01, 0.0487], 5), line([0.0025, 0.01, 0.0492], [0.03, 0.01, 0.07], 20)])
        frames = [frame(1e-3 * k, [out(0.05), out(-0.05), flat], pose=[[0, 0, 0, 1, 0, 0, 0]]) for k in range(3)]
        self.assertEqual(kinds(self.judge(frames, ball)), [])
        whole, dt = line([0, 0, 0], [0.1, 0, 0], 21), 1e-3
        frames = [frame(0, [whole]), frame(dt, [whole[:11], whole[10:]], source=[0, 0]),
                  frame(2 * dt, [whole[:11], whole[10:] - [0, 0, 1e-4]], source=[0, 0])]
        self.assertEqual(kinds(self.judge(frames)), [])


class Clean(unittest.TestCase):
    """Runs with nothing wrong."""

    def clean(self, name, scene):
        path = folder / (name + ".json")
        output = dict(scene.get("output", {}), every="step", contacts=False)
        path.write_text(json.dumps(dict(scene, output=output)))
        run = folder / (name + ".h5")
        subprocess.run([skein, "run", str(path), "-o", str(run), "--overwrite", "-q", "-j1"], check=True)
        one, events, bound = j.judge_run(run, run, skein)
        self.assertEqual(events, [], name)
        said = [v for v in grooms.read_verdicts(run)[0] if v]  # none in a run of an older command
        self.assertEqual([v["flaws"] for v in said if v["flaws"]], [], name)
        self.assertEqual(grooms.unnamed(one, [None] * len(one.times), bound), [], name)
        self.assertGreater(len(one.times), 20)
        self.assertGreaterEqual(bound, 0)
        return one

    def test_a_pendulum(self):
        one = self.clean("pendulum", {"time": {"duration": 0.3, "dt": 0.002},
                                      "rods": [{"length": 0.1, "material": "hair-asian", "root": {"direction": [1, 0, 0.1]}}]})
        self.assertGreater(one.fastest(), 0.5)

    def test_a_rolling_ball(self):
        one = self.clean("ball", {"time": {"duration": 0.4, "dt": 0.005}, "friction": 0.5,
                                  "rods": [{"length": 0.05, "root": {"position": [1, 0, 1]}}],
                                  "bodies": [{"name": "floor", "shape": {"type": "plane"}},
                                             {"name": "ball", "shape": {"type": "sphere", "radius": 0.05}, "density": 500,
                                              "position": [0, 0, 0.05], "velocity": [0.5, 0, 0], "spin": [0, 573, 0]}]})
        self.assertGreater(one.surface, 0.9)

    def test_a_rope_at_rest(self):
        rope = {"name": "rope", "model": "der", "elements": 24, "material": "rope", "length": 0.3,
                "root": {"type": "free", "position": [-0.15, 0, 0.004], "direction": [1, 0, 0]}}
        self.clean("rope", {"time": {"duration": 0.2, "dt": 0.002}, "rods": [rope, dict(rope, name="beside", root=dict(
            rope["root"], position=[-0.15, 0.008, 0.004]))], "bodies": [{"shape": {"type": "plane"}}]})

    def test_a_groom_is_the_same_on_any_machine(self):
        import zlib
        sums = {}
        for name in ("wavy", "needles", "cache"):
            make.make(folder / name, name, 5)
            sums[name] = [zlib.crc32((folder / name / f).read_bytes()) for f in sorted(p.name for p in (folder / name).iterdir())]
            make.make(folder / name, name, 5)
            self.assertEqual(sums[name], [zlib.crc32((folder / name / f).read_bytes())
                                          for f in sorted(p.name for p in (folder / name).iterdir())])
        make.make(folder / "other", "needles", 6)
        self.assertNotEqual((folder / "other" / "scene.json").read_text(), (folder / "needles" / "scene.json").read_text())
        self.assertEqual(len(make.grooms), 16)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
