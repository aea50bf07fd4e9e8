#!/usr/bin/python3
"""test_python_world.py SKEIN LIBRARY ROOT: worlds, runs and looks of the module python/skein: the bits of the command,
files written and read, lifetimes, misuse; the examples."""
import gc
import json
import math
import os
import subprocess
import sys
import threading

from python_support import CORD, Folder, main, root, tool  # first: it finds module and library
import numpy
import skein


class Worlds(Folder):
    def test_the_bits_of_the_command(self):
        scene, run = self.folder / "cord.json", self.folder / "tool.h5"
        scene.write_text(json.dumps(CORD))
        subprocess.run([tool, "run", str(scene), "-o", str(run), "--quiet"], check=True)
        skein.simulate(scene, self.folder / "mine.h5")
        with skein.Run(run) as theirs, skein.Run(self.folder / "mine.h5") as mine:
            self.assertEqual((len(mine), mine.fps, mine.version), (len(theirs), theirs.fps, skein.__version__))
            self.assertEqual(mine.scene, CORD)
            self.assertEqual(mine.folder, theirs.folder)
            for a, b in zip(mine, theirs):
                for name in skein.world._FRAME_ARRAYS:
                    self.assertEqual(getattr(a, name).tobytes(), getattr(b, name).tobytes(), name)
            a, b = mine.steps(), theirs.steps()
            for name in a.dtype.names:
                if not name.startswith(("seconds", "memory")) and name != "attempt":
                    self.assertEqual(a[name].tobytes(), b[name].tobytes(), name)
            for name in a["attempt"].dtype.names:
                if name != "seconds":
                    self.assertEqual(a["attempt"][name].tobytes(), b["attempt"][name].tobytes(), name)
            self.assertGreater(mine[-1].contacts, 0)
            self.assertEqual(mine.state()[0], theirs.state()[0])

    def test_measures(self):
        path = self.folder / "measured.h5"
        skein.simulate(CORD, path)
        m = skein.measure(path, cell=0.005)
        with skein.Run(path) as run:
            self.assertEqual(len(m.rows), len(run))
            self.assertEqual(m.rows["time"].tolist(), [frame.time for frame in run])
            self.assertEqual(skein.volume(run[-1], 0.005).occupied, m.rows["volume"]["occupied"][-1])
            self.assertEqual(skein.motion(run[1], run[2]).fastest, m.rows["motion"]["fastest"][2])
            self.assertAlmostEqual(m.rows["friction"].sum(), run.steps()["dissipated_friction"].sum())
            self.assertEqual(skein.rest(run.steps()), m.rest)
            self.assertEqual(skein.rubs(run[-2], run[-1], 0).dtype, skein.RUB_DTYPE)
            self.assertEqual(skein.clumps(run[-1], run[-2]).singles, 1)
        with self.assertRaisesRegex(skein.Error, "cell is 0"):
            skein.measure(path, cell=0)
        with self.assertRaisesRegex(TypeError, "no option 'size'"):
            skein.measure(path, size=1)

    def test_step_save_load(self):
        with skein.World(CORD, threads=1) as world:
            world.run(0.05)
            state = world.save()
            first = [world.step() for _ in range(5)]
            end = world.frame().point.tobytes()
            world.load(state)
            world.load(bytearray(state))
            second = [world.step() for _ in range(5)]
            self.assertEqual(world.frame().point.tobytes(), end)
            self.assertEqual([s[:15] for s in first], [s[:15] for s in second])
            problem, solution = world.problem(), world.solution()
            self.assertEqual(problem.contacts, first[-1].contacts)
            self.assertLess(problem.error(solution.r).rel, 1e-3)
            self.assertTrue(problem.solve(guess=solution.r).converged)
            self.assertEqual(world.bodies, 2)
            numpy.testing.assert_allclose(world.body(-1).place, [0.3, 0, 0.1])
            self.assertEqual([p.shape[1] for p in world.points()], [3])
            rod = world.rod(0)
            numpy.testing.assert_allclose(rod.points(0), world.points()[0][0], atol=1e-7)
            with self.assertRaises(AttributeError):
                rod.step()
            for act in (lambda: world.rod(1), lambda: world.body(2), lambda: world.body(-3)):
                with self.assertRaises(IndexError):
                    act()
            for bad in (b"", b"x" * 100, state[:-1], state + b"x"):
                with self.assertRaises(skein.Error):
                    world.load(bad)
            self.assertEqual(world.frame().point.tobytes(), end)
            with self.assertRaises(skein.Error):
                world.step(0.0)
            with self.assertRaises(skein.Error):
                world.step(math.nan)
            with self.assertRaises(ValueError):
                world.run(math.inf)
            with self.assertRaises(TypeError):
                world.load("text")
        for act in (world.step, world.frame, world.save, world.problem, rod.points, lambda: world.time):
            with self.assertRaises(ValueError):
                act()

    def test_one_step(self):
        bodies, rods = dict(CORD), dict(CORD)
        del bodies["rods"], rods["bodies"]
        for scene in CORD, bodies, rods:
            scene = dict(scene, time={"duration": 0.1, "dt": 0.002})
            with skein.World(scene, threads=1) as world, skein.World(scene, threads=1) as other:
                for k in range(5):
                    info = world.step()
                    self.assertAlmostEqual(info.dt, 0.002, places=12)
                    self.assertAlmostEqual(world.time, 0.002 * (k + 1), places=12)
                    other.step(1e9)
                self.assertEqual(world.save(), other.save())

    def test_by_hand(self):
        with skein.World(CORD, threads=1) as world:
            world.gravity = [0, 0, 0]
            world.wind = (1, 0, 0)
            self.assertEqual((world.gravity.tolist(), world.wind.tolist()), ([0, 0, 0], [1, 0, 0]))
            before = world.rod(0).points(0.2)
            world.pull(0, 0.2, before + [0, 0, 0.05], 1e-3)
            world.run(0.05)
            self.assertGreater(world.rod(0).points(0.2)[2], before[2] + 0.001)
            world.pull(0, 0.2, None, 0)
            group = int(world.frame().rod_group[0])
            world.set_mu(group, group, 0.7)
            self.assertEqual(world.mu(group, group), 0.7)
            for error, act in ((IndexError, lambda: world.pull(1, 0, [0, 0, 0], 1)),
                               (skein.Error, lambda: world.pull(0, math.nan, [0, 0, 0], 1)),
                               (ValueError, lambda: world.pull(0, 0, [0, 0], 1)),
                               (skein.Error, lambda: world.mu(0, 99)), (skein.Error, lambda: world.set_mu(-1, 0, 1)),
                               (skein.Error, lambda: world.set_mu(group, group, math.nan)),
                               (skein.Error, lambda: setattr(world, "gravity", [0, 0, math.nan]))):
                with self.assertRaises(error):
                    act()

    def test_scenes(self):
        scene = skein.Scene.parse(CORD, sets={"time.duration": 0.2, "rods.cord.elements": 5})
        self.assertEqual((scene.duration, scene.data["rods"][0]["elements"]), (0.2, 5))
        self.assertEqual(skein.Scene.parse(scene.source, sets=["friction=0.5"]).data["friction"], 0.5)
        self.assertEqual(scene.last_frame, 10)
        self.assertEqual(skein.Scene.parse(CORD, sets={"time.duration": 0.05, "output.fps": 50}).last_frame, 3)
        self.assertEqual(scene.warnings, [])
        odd = skein.Scene.parse(CORD, sets={"friction": 30}).warnings
        self.assertEqual([(w["field"], w["value"], w["instead"]) for w in odd], [("friction", 30, 0.3)])
        with self.assertRaises(skein.Error) as caught:
            skein.Scene.parse('{"rods": [{"lenght": 1}]}', name="mine")
        self.assertIn("lenght", str(caught.exception))
        for error, act in ((skein.Error, lambda: skein.Scene.read("/nowhere.json")), (TypeError, lambda: skein.Scene()),
                           (TypeError, lambda: skein.Scene.parse(CORD, sets="a=b")),
                           (TypeError, lambda: skein.World(3)),
                           (skein.Error, lambda: skein.Scene.parse(CORD, sets=["no.such.field=1"])),
                           (ValueError, lambda: skein.Scene.parse("{}\0")),
                           (skein.Error, lambda: skein.World(CORD, -1))):
            with self.assertRaises(error):
                act()

    def test_a_scene_outlives_its_name(self):
        scene = skein.Scene.parse(CORD)
        world = skein.World(scene, threads=1)
        scene.close()
        with self.assertRaises(ValueError):
            scene.title
        with self.assertRaises(ValueError):
            skein.World(scene)
        del scene
        gc.collect()
        world.step()
        rod = world.rod(0)
        del world
        gc.collect()
        self.assertEqual(rod.points().shape, (11, 3))

    def test_a_forked_child(self):
        world, alone = skein.World(CORD, threads=2), skein.World(CORD, threads=1)
        world.run(0.05)
        skein.make_hairlike(rods=200, contacts=2500).solve(threads=2, max_sweeps=5)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                skein.make_hairlike(rods=200, contacts=2500).solve(threads=2, max_sweeps=5)
                alone.step()
                try:
                    world.step()
                except RuntimeError:
                    code = 0
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        world.step()

    def test_two_threads_on_one_world(self):
        world, failed = skein.World(CORD, threads=1), []

        def work():
            try:
                for _ in range(20):
                    world.step()
                    world.frame()
            except Exception as error:
                failed.append(error)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])


class Verdicts(Folder):
    SCENE = {"rods": [{"name": "hair", "length": 0.1, "bundle": {"count": 2, "spacing": 0.02}}],
             "bodies": [{"name": "floor", "shape": {"type": "plane"}, "position": [0, 0, -1]}]}

    def test_of_a_world(self):
        with skein.World(self.SCENE, threads=1) as world:
            info = world.step(1e-3)
            self.assertEqual((info.verdict.flaws, info.rods), ((), 2))
            self.assertTrue(all(0 <= a.dt and a.action in skein.ACTIONS for a in info.attempts))
            self.assertEqual([world.name(k) for k in range(3)], ["hair[0]", "hair[1]", "floor"])
            for k in (-1, 3):
                self.assertRaises(IndexError, world.name, k)

    def test_of_a_run(self):
        deep = skein.Verdict(("too deep", "unbalanced"), overlap=skein.Finding(1.3, 0, 1), made=2e-6, turnover=1e-3,
                             crossed=skein.Finding(2, 1, 2), balance=skein.Finding(float("inf"), 2))
        attempts = (skein.Attempt(1e-3, ("missed",), "halve", 40, 1e-4), skein.Attempt(5e-4, (), "accept flawed", 9, 1e-4))
        zeros, path = [0] * 29, self.folder / "deep.h5"
        with skein.Run.create(path, skein.Scene.parse(self.SCENE)) as run:
            run.append(skein.Frame(0, rods=[[[0, 0, 0], [1, 0, 0]]] * 2),
                       [skein.StepInfo(*zeros, rods=2, verdict=deep, attempts=attempts),
                        skein.StepInfo(*zeros, verdict=skein.Verdict(None))])
            infos, rows = run.infos(), run.steps()
            self.assertRaises(skein.Error, run.append, skein.Frame(1), [skein.StepInfo(*zeros, rods=-1)])
            for wrong in (skein.Verdict(("deepest",)), skein.Verdict(("deep", "Deep"))):
                self.assertRaises(ValueError, run.append, skein.Frame(1), [skein.StepInfo(*zeros, verdict=wrong)])
            self.assertRaises(ValueError, run.append, skein.Frame(1), [skein.StepInfo(*zeros, attempts=attempts * 13)])
        found = infos[0].verdict
        self.assertEqual(found.flaws, deep.flaws)
        self.assertEqual(found.overlap, (1.3, 0, 1, ("hair[0]", "hair[1]")))
        self.assertEqual(found.crossed, (2, 1, 2, ("hair[1]", "floor")))
        self.assertEqual(found.balance, (float("inf"), 2, -1, ("floor",)))
        self.assertEqual((found.reach, found.made, found.turnover), (skein.Finding(), 2e-6, 1e-3))
        self.assertEqual(infos[0].attempts, attempts)
        self.assertIsNone(infos[1].verdict.flaws)
        self.assertEqual(rows["verdict"]["overlap"]["size"].tolist(), [1.3, 0])
        self.assertEqual([skein.flaw_names(bits) for bits in rows["verdict"]["flaws"]], [deep.flaws, None])
        self.assertEqual(rows["attempts"].tolist(), [2, 0])
        self.assertEqual(rows["attempt"]["sweeps"][0, :3].tolist(), [40, 9, 0])
        numpy.testing.assert_array_equal(skein.steps_array(infos), rows)
        numpy.testing.assert_array_equal(skein.steps_array(list(rows)), rows)


class Runs(Folder):
    def test_written_from_python(self):
        path, scene = self.folder / "mine.h5", skein.Scene.parse(CORD)
        line = numpy.linspace([0, 0, 0], [1, 0, 0], 5)
        with skein.Run.create(path, scene) as run:
            for k in range(3):
                run.append(skein.Frame(k, k / 50, rods=[line + k, line[:2]], radius=[0.01, 0.02], rod_group=[0, 1],
                                       contact_object=[[0, 1]], contact_status=[2]),
                           [skein.StepInfo(*[k] * 29)])
            run.checkpoint(b"state", run.steps()[:1])
        with skein.Run(path) as run:  # not finished: frames are in the folder
            self.assertEqual(len(run), 3)
        with skein.Run(path, write=True) as run:
            run.finish()
        self.assertFalse((self.folder / "mine.h5.d").exists())
        with skein.Run(path) as run:
            self.assertEqual((run.title, run.fps), (scene.title, 50.0))
            numpy.testing.assert_array_equal(run[1].rod(0), (line + 1).astype("f4"))
            self.assertEqual(run[-1].rod(-1).shape, (2, 3))
            self.assertEqual(run[2].contact_status.tolist(), [2])
            self.assertEqual(run.steps()["dt"].tolist(), [0, 1, 2])
            self.assertEqual(run.state()[0], b"state")
            self.assertEqual(run.read_scene().duration, 0.1)
            for error, act in ((IndexError, lambda: run[3]), (IndexError, lambda: run[-4]),
                               (TypeError, lambda: run["a"]),
                               (skein.Error, lambda: run.append(skein.Frame(3))), (skein.Error, run.finish),
                               (skein.Error, lambda: run.checkpoint(b"x"))):
                with self.assertRaises(error):
                    act()
        for act in (lambda: run.frames, lambda: run[0], run.steps, run.state, run.finish, lambda: run.title,
                    lambda: list(run)):
            with self.assertRaises(ValueError):
                act()

    def test_frames_are_checked(self):
        line = numpy.zeros((4, 3))
        for error, options in ((ValueError, {"rods": [[1, 2, 3]]}), (ValueError, {"rods": [line], "radius": [1, 2]}),
                               (ValueError, {"point_start": []}), (TypeError, {"speed": 3}),
                               (ValueError, {"rods": [line], "contact_object": [[0, 0]], "contact_gap": [1, 2]}),
                               (TypeError, {"rods": [line], "point": line}), (ValueError, {"index": -1}),
                               (TypeError, {"rods": ["text"]}), (ValueError, {"rods": [line], "body_pose": [[1, 2]]})):
            with self.assertRaises(error, msg=options):
                skein.Frame(**options)
        with skein.Run.create(self.folder / "bad.h5", CORD) as run:
            frame = skein.Frame(rods=[line])
            for name, value, error in (("point", line[:2], ValueError),
                                       ("point_start", numpy.array([0, 9]), ValueError),
                                       ("point", line * math.nan, skein.Error), ("radius", [], ValueError),
                                       ("point_start", [], ValueError), ("contact_object", [[5, 6]], ValueError),
                                       ("rod_source", [-1], ValueError)):
                old = getattr(frame, name)
                setattr(frame, name, value)
                with self.assertRaises(error, msg=name):
                    run.append(frame)
                setattr(frame, name, old)
            with self.assertRaises(skein.Error):
                run.append(skein.Frame(5))
            with self.assertRaises((TypeError, ValueError)):
                run.append(frame, [(1, 2)])
            run.append(frame)
            self.assertEqual(run.state()[0], b"")

    def test_files_that_are_no_runs(self):
        (self.folder / "text.h5").write_text("no")
        for path in (self.folder / "text.h5", self.folder / "none.h5", self.folder):
            with self.assertRaises(skein.Error):
                skein.Run(path)
        with skein.Run.create("/nowhere/a.h5", CORD) as run, self.assertRaises(skein.Error):
            run.append(skein.Frame())
        with self.assertRaises(skein.Error):
            skein.Run.create(self.folder / "text.h5", CORD)  # not a run: not replaced
        with self.assertRaises(TypeError):
            skein.Run(3.5)
        with self.assertRaises(ValueError):
            skein.Run("a\0b")

    def test_stopped_and_resumed(self):
        whole, part = self.folder / "whole.h5", self.folder / "part.h5"
        skein.simulate(CORD, whole, threads=1)
        skein.simulate(CORD, part, threads=1, callback=lambda world, info: world.time > 0.05)
        with skein.Run(part) as run:
            self.assertEqual(len(run), 3)
            self.assertGreater(len(run.state()[1]), 0)
        subprocess.run([tool, "run", "--resume", str(part), "--quiet"], check=True)
        with skein.Run(whole) as a, skein.Run(part) as b:
            self.assertEqual(len(a), len(b))
            self.assertEqual(a[-1].point.tobytes(), b[-1].point.tobytes())


class Looks(Folder):
    def test_values(self):
        scene = {**CORD, "camera": {"eye": [1, 0, 0], "target": [0, 0, 0]}}
        with skein.World(scene, threads=1) as world, skein.Look(scene) as look:
            before = world.frame()
            world.run(0.1)
            frame = world.frame(1)
            self.assertEqual(look.bodies, 2)
            ball = look.body(1)
            self.assertEqual((ball.name, ball.endless, look.body(0).endless), ("ball", False, True))
            numpy.testing.assert_allclose(numpy.linalg.norm(ball.vertex, axis=1), 0.02, rtol=1e-5)
            self.assertLess(ball.triangle.max(), len(ball.vertex))
            numpy.testing.assert_allclose(look.camera.eye, [1, 0, 0])
            for by in skein.COLOURS:
                values = look.values(by, frame, before)
                self.assertEqual(values.shape, (len(frame.point),))
                self.assertTrue(numpy.isfinite(values).all(), by)
                rgb, low, high = look.colours(by, frame, before)
                self.assertTrue((rgb >= 0).all() and (rgb <= 1).all() and low < high, by)
            self.assertGreater(look.values("force", frame).max(), 0)
            self.assertEqual(len(look.legend("status")), 3)
            self.assertEqual(look.legend("speed"), {})
            self.assertEqual(len(look.legend("material")), len(look.materials))
            low, high = look.bounds(frame)
            self.assertTrue((low <= frame.point.min(axis=0) + 1e-6).all())
            self.assertTrue((high >= frame.point.max(axis=0) - 1e-6).all())
            self.assertEqual(look.rod_colour(frame, 0).shape, (3,))
            self.assertEqual(set(skein.colours_about()), set(skein.COLOURS))
            strange = skein.Frame(rods=[numpy.zeros((2, 3))] * 3, rod_source=[0, 99, 2**31 - 1],
                                  rod_group=[-5, 7, 2**30], contact_object=[[0, 2]], contact_status=[1],
                                  contact_s=[[math.inf, -1e300]])
            for by in skein.COLOURS:
                look.colours(by, strange, frame)
                look.colours(by, frame, strange)
            with self.assertRaises(ValueError):
                look.values("magic", frame)
            with self.assertRaises(IndexError):
                look.body(2)
            with self.assertRaises(IndexError):
                look.rod_colour(frame, 1)
            with self.assertRaises(ValueError):
                skein.colour_ramp(math.nan)
            frame.contact_object = frame.contact_object + 10
            with self.assertRaises(ValueError):
                look.values("island", frame)
        with self.assertRaises(ValueError):
            look.bodies

    def test_of_a_run(self):
        path = skein.simulate(CORD, self.folder / "cord.h5", threads=1)
        with skein.Run(path) as run, skein.Look(run) as look:
            self.assertGreater(look.values("speed", run[2], run[1]).max(), 0)
            self.assertGreater(run[-1].dt, 0)
            self.assertEqual(run[-1].rod_source.tolist(), [0])


class Examples(Folder):
    def test_examples(self):
        env = {**os.environ, "PYTHONPATH": str(root / "python"), "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"}
        examples = sorted((root / "examples/python").glob("*.py"))
        self.assertGreaterEqual(len(examples), 4)
        for path in examples:
            done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=env, cwd=self.folder)
            self.assertEqual(done.returncode, 0, f"{path.name}: {done.stderr}")
            self.assertTrue(done.stdout.strip(), path.name)


if __name__ == "__main__":
    main()
