#!/usr/bin/python3
"""test_deform.py SKEIN LIBRARY ROOT: meshes that deform as vertex caches say (PC2, MDD, numbered OBJ files, written by
mesh_files.py): what they carry, what they hold, the same bits again, files that are wrong."""
import json
import math
import random
import re
import subprocess

from python_support import Folder, main, root, tool  # first: it finds module and library
import numpy
import skein
from mesh_files import ball, sheet, write_mdd, write_obj, write_pc2


def turn(degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return numpy.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def ease(u):
    u = min(max(u, 0), 1)
    return u * u * (3 - 2 * u)


class Deform(Folder):
    def scene(self, animation, **more):
        shape = {"type": "mesh", "file": str(self.folder / "mesh.obj")}
        if animation:
            shape["animation"] = dict(animation, file=str(self.folder / animation["file"]))
        scene = {"bodies": [dict({"name": "head", "shape": shape}, **more.pop("body", {}))],
                 "friction": 0.5, "time": {"duration": 1, "dt": 0.002}}
        return dict(scene, **more)

    def write(self, v, t, place, fps, seconds):
        """mesh.obj, mesh.pc2, mesh.mdd, mesh_0001.obj...: vertices place(v, time)."""
        frames = [place(v, i / fps) for i in range(round(seconds * fps) + 1)]
        write_obj(self.folder / "mesh.obj", v, t)
        write_pc2(self.folder / "mesh.pc2", frames)
        write_mdd(self.folder / "mesh.mdd", frames, [i / fps for i in range(len(frames))])
        for i, f in enumerate(frames):
            write_obj(self.folder / ("mesh_%04d.obj" % (i + 1)), f, t)
        return [{"file": "mesh.pc2", "fps": fps}, {"file": "mesh.mdd"},
                {"file": "mesh_%04d.obj", "fps": fps, "last": len(frames)}]


class Motion(Deform):
    def test_a_turn_by_cache_is_the_turn_by_keys(self):
        caches = self.write(*ball(0.1), lambda v, t: v @ turn(60 * ease(t / 0.5)).T, 120, 0.5)
        p = numpy.array([0.6, 0, 0.8])
        hair = {"name": "hair", "length": 0.15, "root": {"position": list(0.1 * p), "direction": list(p), "body": "head"},
                "tip": {"type": "pinned", "body": "head"}, "initial": {"curvature": [0, 8]}}
        more = {"rods": [hair, dict(hair, name="free", tip={"type": "free"})],
                "pairs": [{"groups": [a, "rods"], "contacts": False} for a in ("rods", "bodies")]}
        keys = [{"time": 0, "rotation": {"axis": [0, 0, 1], "angle": 0}},
                {"time": 0.5, "rotation": {"axis": [0, 0, 1], "angle": 60}}]

        def play(animation, **body):
            with skein.World(self.scene(animation, body=body, **more), threads=1) as world:
                points = []
                for k in range(1, 7):
                    world.run(0.1 * k)
                    points.append([world.rod(i).points(numpy.linspace(0, 0.15, 16)) for i in range(2)])
                return numpy.array(points)

        exact = play(None, motion={"keys": keys})
        moved = numpy.linalg.norm(exact[-1] - exact[0], axis=-1).max()
        for cache in caches:
            error = numpy.linalg.norm(play(cache) - exact, axis=-1)
            self.assertLess(error.max(), 2e-3 * moved, cache["file"])
            self.assertLess(error[:, :, 0].max(), 1e-6, cache["file"])
        # half of it by the cache, half by the body
        self.write(*ball(0.1), lambda v, t: v @ turn(30 * ease(t / 0.5)).T, 120, 0.5)
        half = [dict(k, rotation={"axis": [0, 0, 1], "angle": 0.5 * k["rotation"]["angle"]}) for k in keys]
        error = numpy.linalg.norm(play(caches[0], motion={"keys": half}) - exact, axis=-1)
        self.assertLess(error.max(), 2e-3 * moved)

    def rod_on(self, animation, **more):
        rod = {"name": "rod", "model": "der", "elements": 10, "length": 0.06, "material": "rope",
               "root": {"type": "free", "position": [-0.03, 0, 0.004], "direction": [1, 0.1, 0]}}
        return self.scene(animation, rods=[rod], **more)

    def test_a_surface_that_moves_carries_a_rod(self):
        caches = self.write(*sheet(0.3, 16), lambda v, t: v + [t * t, 0, 0.5 * t * t], 60, 0.5)  # 2 m/s^2 < mu g
        for cache in caches:
            with skein.World(self.rod_on(cache), threads=1) as world:
                worst = 0
                while world.time < 0.45:
                    worst = max(worst, world.step(0.45).penetration)
                    self.assertGreater(world.points()[0][:, 2].min(), 0.5 * world.time ** 2 + 0.004 * 0.9)
                middle = world.points()[0].mean(axis=0)
                self.assertLess(worst, 0.1)
                self.assertLess(abs(middle[0] - world.time ** 2), 5e-4)
                self.assertLess(abs(middle[2] - 0.5 * world.time ** 2 - 0.004), 3e-4)

    def test_a_rod_goes_with_its_own_triangle(self):
        # each triangle at a speed of its own: that of another one would carry the rod elsewhere, or through the sheet
        def shear(v, t):
            y = v[:, 1] / 0.1
            return v + t * numpy.stack([0.5 * numpy.sin(numpy.pi / 2 * y), 0 * y, 0.2 * y * y], axis=1)
        for model in "super-helix", "der":
            for place in 0.1, -0.1:
                cache = self.write(*sheet(0.3, 16), shear, 60, 0.1)[0]
                scene = self.rod_on(cache)
                scene["friction"], scene["gravity"] = 2, [0, 0, -20]
                scene["rods"][0].update(model=model, elements=4 if model == "super-helix" else 10)
                scene["rods"][0]["root"].update(position=[-0.03, place, 0.004], direction=[1, 0, 0])
                with skein.World(scene, threads=1) as world:
                    worst = 0
                    while world.time < 0.1:
                        worst = max(worst, world.step(0.1).penetration)
                    x, y, z = world.points()[0].T
                    self.assertLess(worst, 0.1, model)
                    self.assertLess(abs(x.mean() - 0.05 * place / 0.1), 4e-3, model)
                    self.assertLess(abs(z - 0.004 - 0.02).max(), 2e-3, model)

    def test_a_bump_lifts_a_rod_and_passes(self):
        def bump(v, t):
            z = 0.01 * numpy.exp(-((v[:, 0] + 0.1 - 0.3 * t) / 0.02) ** 2)
            return v + numpy.stack([0 * z, 0 * z, z], axis=1)
        v, t = sheet(0.3, 40)
        caches = self.write(v, t, bump, 60, 0.7)
        with skein.World(self.rod_on(caches[1]), threads=1) as world:
            worst = highest = 0
            while world.time < 0.7:
                worst = max(worst, world.step(0.7).penetration)
                highest = max(highest, world.points()[0][:, 2].max())
            self.assertLess(worst, 0.1)
            self.assertGreater(highest, 0.012)
            self.assertLess(world.points()[0][:, 2].max(), 0.006)

    def test_what_sleeps_wakes_when_its_ground_moves(self):
        caches = self.write(*sheet(0.2, 4), lambda v, t: v + [0, 0, 0.02 * ease((t - 1) / 0.3)], 50, 1.5)
        with skein.World(self.rod_on(caches[0]), threads=1) as world:
            world.run(0.9)
            self.assertEqual(world.step(0.95).rods_asleep, 1)
            still = world.points()[0]
            world.run(1.4)
            numpy.testing.assert_allclose(world.points()[0][:, 2] - still[:, 2], 0.02, atol=2e-4)
            self.assertEqual(world.points()[0].shape, still.shape)

    def test_same_bits_for_threads_and_after_a_state(self):
        v, t = ball(0.1)
        caches = self.write(v, t, lambda v, t: v * (1 + 0.1 * math.sin(9 * t) * v[:, 2:] / 0.1) @ turn(90 * t).T, 60, 0.5)
        rods = [{"name": "hair", "length": 0.12, "root": {"position": [0.02, 0, 0.098], "direction": [0.3, 0, 1],
                                                          "body": "head"},
                 "bundle": {"count": 40, "spacing": 0.004, "jitter": 0.5}}]
        scene = self.scene(caches[0], rods=rods)

        def end(threads, state=None):
            with skein.World(scene, threads=threads) as world:
                if state:
                    world.load(state)
                else:
                    world.run(0.1)
                    state = world.save()
                world.run(0.2)
                return state, world.save()

        middle, one = end(1)
        self.assertEqual(end(3), (middle, one))
        self.assertEqual(end(1, middle)[1], one)


class Files(Deform):
    def setUp(self):
        super().setUp()
        self.v, self.t = ball(0.1, 4, 6)
        self.caches = self.write(self.v, self.t, lambda v, t: v * (1 + t), 10, 0.5)

    def refused(self, cache, **more):
        with self.assertRaises(skein.Error) as caught:
            skein.World(self.scene(dict(cache, **more)), threads=1)
        message = str(caught.exception)
        self.assertNotIn("\n", message)
        return message

    def test_fields(self):
        pc2, mdd, obj = self.caches
        self.assertIn("'fps' is missing, which a .pc2 needs", self.refused({"file": "mesh.pc2"}))
        self.assertIn("fps: is for .pc2 and .obj", self.refused(mdd, fps=24))
        self.assertIn("first: is for numbered .obj files", self.refused(mdd, first=1))
        self.assertIn("'last' is missing", self.refused({"file": "mesh_%04d.obj", "fps": 24}))
        self.assertIn("last: is 2, expected at least 3, the first", self.refused(obj, first=3, last=2))
        self.assertIn("ends with .pc2, .mdd, .obj, .abc or .usda", self.refused({"file": "mesh.fbx"}))
        self.assertIn("one number in its name", self.refused(dict(obj, file="mesh_%s.obj")))
        self.assertIn("one number in its name", self.refused(dict(obj, file="mesh_%d%n.obj")))
        self.assertIn("one number in its name", self.refused(dict(obj, file="mesh.obj")))
        self.assertIn("unknown field", self.refused(pc2, speed=2))
        for axes in ("xy", "xxy", "xyzx", "x-y-", "XYZ"):
            self.assertIn("expected x, y and z once each", self.refused(pc2, axes=axes))
        with self.assertRaisesRegex(skein.Error, "animation: is for prescribed bodies, this one is static"):
            skein.World(self.scene(pc2, body={"mode": "static"}))
        with self.assertRaisesRegex(skein.Error, "expected no mesh with an animation"):
            skein.World(self.scene(pc2, solver={"rigid": "newton"}))

    def test_axes(self):
        write_mdd(self.folder / "mesh.mdd", [self.v[:, [2, 0, 1]] * [1, 1, -1]], [0])
        with skein.World(self.scene({"file": "mesh.mdd", "axes": "y-zx"}), threads=1) as world:
            numpy.testing.assert_allclose(world.frame().surface(0), self.v, atol=1e-8)

    def test_files(self):
        pc2, mdd, obj = self.caches
        frames = [self.v, 2 * self.v]
        one, two = self.folder / "mesh.pc2", self.folder / "mesh.mdd"
        n = len(self.v)
        write_pc2(one, [f[1:] for f in frames])
        self.assertIn("has %d vertices, expected %d" % (n - 1, n), self.refused(pc2))
        write_mdd(two, frames, [0, 0.1])
        two.write_bytes(two.read_bytes()[:-1])
        self.assertIn("has %d bytes, expected %d for 2 frames" % (15 + 24 * n, 16 + 24 * n), self.refused(mdd))
        write_mdd(two, frames, [0.1, 0.1])
        self.assertIn("expected ascending times", self.refused(mdd))
        write_mdd(two, [self.v, self.v * math.nan], [0, 0.1])
        self.assertIn("frame 1: vertex 0 has coordinate nan", self.refused(mdd))
        two.write_bytes(b"".join(bytes(x[::-1]) for x in ([0, 0, 0, 2], [0, 0, 0, n])) + two.read_bytes()[8:])
        self.assertIn("its bytes are in the other order", self.refused(mdd))
        one.write_bytes(b"POINTCACHE3" + one.read_bytes()[11:])
        self.assertIn("does not start with POINTCACHE2", self.refused(pc2))
        one.write_bytes(b"PO")
        self.assertIn("shorter than the head", self.refused(pc2))
        one.unlink()
        self.assertIn("cannot open", self.refused(pc2))
        (self.folder / "mesh_0003.obj").unlink()
        self.assertIn("mesh_0003.obj: cannot open", self.refused(obj))
        write_obj(self.folder / "mesh_0003.obj", self.v, self.t[:, ::-1])
        self.assertIn("mesh_0003.obj: has other faces", self.refused(obj))
        write_obj(self.folder / "mesh_0003.obj", self.v, self.t[1:])
        self.assertIn("mesh_0003.obj: has %d vertices and" % n, self.refused(obj))

    def test_bytes_at_random(self):
        random.seed(1)
        for cache in self.caches[:2]:
            path = self.folder / cache["file"]
            good = path.read_bytes()
            for _ in range(150):
                bad = bytearray(good)
                for _ in range(random.choice((1, 3, 40))):
                    bad[random.randrange(random.choice((32, len(bad))))] = random.choice((0, 1, 127, 128, 255))
                path.write_bytes(bad[:random.choice((len(bad), len(bad), random.randrange(len(bad))))])
                try:
                    with skein.World(self.scene(cache), threads=1) as world:
                        world.step()
                except skein.Error as error:
                    self.assertNotIn("\n", str(error))


class Output(Deform):
    """What runs keep and show: the vertices of the cache at each frame."""

    def setUp(self):
        super().setUp()
        self.v, self.t = ball(0.1, 6, 8)
        self.place = lambda v, t: v * (1 + t) + [0.2 * t, 0, 0]
        cache = self.write(self.v, self.t, self.place, 30, 0.3)[0]
        scene = self.scene(cache, units={"length": "cm"})
        scene["bodies"][0]["shape"]["scale"] = 100
        scene["bodies"][0]["position"] = [0, 0, 5]
        hair = {"length": 5, "root": {"position": [0, 0, 15], "direction": [0, 0, 1], "body": "head"}}
        scene.update(rods=[hair], time={"duration": 0.3}, output={"fps": 10})
        (self.folder / "scene.json").write_text(json.dumps(scene))
        self.run_file = self.folder / "run.h5"
        self.skein("run", self.folder / "scene.json", "-o", self.run_file, "--quiet")

    def skein(self, *words):
        done = subprocess.run([tool, *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_frames(self):
        with skein.Run(self.run_file) as run:
            self.assertEqual(len(run), 4)
            look = skein.Look(run)
            self.assertTrue(look.body(0).deforms and look.body(0).moves)
            triangles = look.body(0).triangle
            for frame in run:
                expected = self.place(self.v, frame.time)
                numpy.testing.assert_allclose(frame.surface(0), expected, atol=1e-7)
                root = [0.2 * frame.time, 0, 0.05 + 0.1 * (1 + frame.time)]
                numpy.testing.assert_allclose(frame.rod(0)[0], root, atol=1e-6)
                vertex, normal = look.surface(frame, 0)
                self.assertEqual({tuple(p) for p in vertex}, {tuple(p) for p in frame.surface(0)})
                out = vertex - [0.2 * frame.time, 0, 0]
                self.assertGreater((out * normal).sum(axis=1).min(), 0.8 * 0.1)
                numpy.testing.assert_allclose(numpy.linalg.norm(normal, axis=1), 1, atol=1e-6)
                low, high = look.bounds(frame)
                numpy.testing.assert_allclose(low, expected.min(axis=0) + [0, 0, 0.05], atol=1e-6)
            self.assertEqual(triangles.shape, self.t.shape)
            again = skein.Run.create(self.folder / "again.h5", run.read_scene())
            for frame in run:
                again.append(frame)
            self.assertEqual(again[2].surface_vertex.tobytes(), run[2].surface_vertex.tobytes())
            bad = run[2]
            bad.surface_start[-1] += 1
            with self.assertRaisesRegex(ValueError, "surface_start"):
                look.surface(bad, 0)

    def test_resume(self):
        half = self.folder / "half.h5"
        self.skein("run", self.folder / "scene.json", "-o", half, "--quiet", "--frames", 2)
        self.skein("run", "--resume", half, "--quiet")
        with skein.Run(half) as a, skein.Run(self.run_file) as b:
            self.assertEqual(len(a), len(b))
            for x, y in zip(a, b):
                self.assertEqual((x.surface_vertex.tobytes(), x.point.tobytes()),
                                 (y.surface_vertex.tobytes(), y.point.tobytes()))
            self.assertEqual(a.state()[0], b.state()[0])

    def test_exports(self):
        ends = self.place(self.v, 0.3) + [0, 0, 0.05]
        self.skein("export", self.run_file, "-o", self.folder / "out_%d.obj", "--unit", "m")
        text = (self.folder / "out_3.obj").read_text()
        places = numpy.array([list(map(float, p)) for p in re.findall(r"^v (\S+) (\S+) (\S+)$", text, re.M)])
        for p in ends:
            self.assertLess(numpy.abs(places - p).sum(axis=1).min(), 1e-6)
        self.skein("export", self.run_file, "-o", self.folder / "out.usda", "--unit", "m")
        usda = (self.folder / "out.usda").read_text()
        mesh = usda[usda.index('def Mesh "head"'):]
        points = mesh[mesh.index("point3f[] points.timeSamples"):]
        sample = re.search(r"\b3: \[(.*?)\],?\n", points).group(1)
        places = numpy.array([list(map(float, p.split(", "))) for p in re.findall(r"\((.*?)\)", sample)])
        self.assertLess(numpy.abs(places.max(axis=0) - self.place(self.v, 0.3).max(axis=0)).max(), 1e-6)
        for name in ("extent", "normals"):
            self.assertIn(name + ".timeSamples", mesh)
        self.skein("export", self.run_file, "-o", self.folder / "out.pvd")
        self.skein("export", self.run_file, "-o", self.folder / "out_%d.ply", "--bodies")

    def test_page(self):
        page = self.folder / "run.html"
        self.skein("view", self.run_file, "-o", page)
        script = """
            import fs from "fs";
            const { readChunk } = await import(process.argv[1]);
            const page = fs.readFileSync(process.argv[2], "utf8");
            const chunks = [...page.matchAll(/<script type="text\\/plain" id="skein-chunk-\\d+">([^<]*)</g)];
            const head = JSON.parse(page.match(/id="skein-head">(.*?)<\\/script>/s)[1]);
            const out = [];
            for (let c = 0; c < chunks.length; c++)
              for (const f of await readChunk(chunks[c][1], head.chunks[c])) {
                const n = f.surface.length / 3, box = f.surfaceBox;
                const x = (i, k) => box[k] + box[3] * f.surface[k * n + i];
                out.push({ flags: f.flags, time: f.time, cell: box[3],
                           surface: Array.from({ length: n }, (_, i) => [0, 1, 2].map((k) => x(i, k))) });
              }
            console.log(JSON.stringify({ deforms: head.bodies[0].deforms, frames: out }));"""
        done = subprocess.run(["node", "--input-type=module", "-e", script, str(root / "viewer/src/format.js"), str(page)],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        self.assertTrue(seen["deforms"])
        self.assertEqual([f["flags"] for f in seen["frames"]][:2], [1, 6])
        with skein.Run(self.run_file) as run, skein.Look(run) as look:
            for frame, shown in zip(run, seen["frames"], strict=True):
                numpy.testing.assert_allclose(shown["surface"], look.surface(frame, 0)[0], atol=0.51 * shown["cell"])
                self.assertLess(shown["cell"], 2e-5)

    def test_picture_with_blur(self):
        for blur in (0, 1):
            self.skein("render", self.run_file, "-o", self.folder / f"{blur}.png", "--frame", 3, "--size", "160x120",
                       "--samples", 4, "--blur", blur)
        self.assertNotEqual((self.folder / "0.png").read_bytes(), (self.folder / "1.png").read_bytes())


if __name__ == "__main__":
    main()
