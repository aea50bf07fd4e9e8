#!/usr/bin/python3
"""test_python.py SKEIN LIBRARY ROOT: the module python/skein against the header and the command; friction and rods,
known answers and misuse."""
import doctest
import importlib
import inspect
import math
import os
import pickle
import subprocess
import sys

from python_support import Folder, main, root, tool  # first: it finds module and library
import numpy
import python_layout
import skein
from skein import _lib


class Mirror(Folder):
    header = python_layout.front_door(root / "include")

    def test_structs(self):
        wrong = python_layout.compare_structs(self.header, _lib.STRUCTS, str(root / "include"), str(self.folder))
        self.assertEqual(wrong, [])

    def test_functions(self):
        self.assertEqual(python_layout.compare_functions(self.header, _lib.FUNCTIONS), [])

    def test_the_comparison_sees_a_difference(self):
        for a, b in (("double time, dt;", "double time; float dt;"), ("int worst;", "int worst; int more;")):
            changed = self.header.replace(a, b)
            self.assertNotEqual(changed, self.header)
            (self.folder / "skein").mkdir(exist_ok=True)
            (self.folder / "skein/skein.h").write_text(changed)
            self.assertTrue(python_layout.compare_structs(changed, _lib.STRUCTS, str(self.folder), str(self.folder)))
        changed = self.header.replace("step(skein_world *world, double until", "step(skein_world *world, int until")
        self.assertTrue(python_layout.compare_functions(changed, _lib.FUNCTIONS))

    def test_defaults(self):
        def agree(function, definition, names):
            given = {name: p.default for name, p in inspect.signature(function).parameters.items()}
            for field, _ in definition._fields_:
                if field in given and field not in ("progress", "warm_start", "pose", "natural", "initial", "alignment",
                                                    "twist_locked"):
                    value = getattr(definition, field)
                    value = names[field][value] if field in names else value
                    self.assertEqual(given[field], value, field)
        words = {"method": skein.METHODS, "local": skein.LOCALS, "measure": skein.MEASURES, "model": skein.ROD_MODELS,
                 "operator_form": skein.OPERATORS, "accelerate": skein.ACCELERATIONS, "ball": skein.BALLS,
                 "root": skein.ENDS, "tip": skein.ENDS}
        agree(skein.solve, _lib.lib.skein_default_solve_def(), words)
        agree(skein.make_hairlike, _lib.lib.skein_default_hairlike_def(), words)
        agree(skein.make_manufactured, _lib.lib.skein_default_manufactured_def(), words)
        agree(skein.Rod.__init__, _lib.lib.skein_default_rod_def(), words)
        agree(skein.Rod.relax, _lib.lib.skein_default_relax_def(), words)
        agree(skein.step_rods, _lib.lib.skein_default_rod_step_def(), words)
        env = _lib.lib.skein_default_env()
        self.assertEqual((tuple(env.gravity), tuple(env.wind)), (skein.rods.GRAVITY, skein.rods.CALM))
        with skein.Rod() as rod:
            self.assertEqual(rod.dofs, 16)

    def test_version(self):
        for path, text in (("CMakeLists.txt", f"project(skein VERSION {skein.__version__} "),
                           ("CITATION.cff", f"version: {skein.__version__}\n"),
                           ("docs/cite.md", f"version = {{{skein.__version__}}}")):
            self.assertIn(text, (root / path).read_text(), path)

    def test_names(self):
        for enum, names in (("skein_method", skein.METHODS), ("skein_local", skein.LOCALS),
                            ("skein_rod_model", skein.ROD_MODELS), ("skein_rod_end", skein.ENDS),
                            ("skein_operator", skein.OPERATORS), ("skein_accelerate", skein.ACCELERATIONS),
                            ("skein_ball", skein.BALLS),
                            ("skein_measure", skein.MEASURES), ("skein_form", skein.friction.FORMS),
                            ("skein_colour", skein.COLOURS), ("skein_flaw", skein.FLAWS), ("skein_action", skein.ACTIONS)):
            body = python_layout.bare(self.header).split(f"typedef enum {enum} {{")[1].split("}")[0]
            words = [w.split("=")[0].strip() for w in body.split(",") if w.strip()]
            self.assertEqual(len([w for w in words if not w.endswith("_COUNT")]), len(names), enum)

    def test_docstrings(self):
        for name in ("friction", "rods", "world", "run", "look", "verdict"):
            if (root / f"python/skein/{name}.py").exists():
                self.assertEqual(doctest.testmod(importlib.import_module(f"skein.{name}")).failed, 0, name)
        for name in skein.__all__:
            thing = getattr(skein, name)
            if callable(thing):
                self.assertTrue(inspect.getdoc(thing), name)
                for member, value in vars(thing).items() if inspect.isclass(thing) else ():
                    if callable(value) and not member.startswith("_"):
                        self.assertTrue(inspect.getdoc(value), f"{name}.{member}")


class Import(Folder):
    def run_import(self, **env):
        clean = {key: value for key, value in os.environ.items() if key not in ("SKEIN_LIBRARY", "LD_PRELOAD")}
        return subprocess.run([sys.executable, "-c", "import skein"], capture_output=True, text=True,
                              env={**clean, "PYTHONPATH": str(root / "python"), **env})

    def test_no_library(self):
        done = self.run_import(SKEIN_LIBRARY="/nowhere/libskein.so")
        self.assertIn("ImportError: libskein is not found: set SKEIN_LIBRARY", done.stderr)

    def test_another_version(self):
        source, shared = self.folder / "other.c", self.folder / "other.so"
        source.write_text('const char *skein_version(void) { return "9.9.9"; }\n')
        clean = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(shared)], check=True, env=clean)
        done = self.run_import(SKEIN_LIBRARY=str(shared))
        self.assertIn("is version 9.9.9, the module is of version", done.stderr)

    def test_not_a_skein(self):
        self.assertIn("ImportError: libm.so.6: is not the libskein", self.run_import(SKEIN_LIBRARY="libm.so.6").stderr)


class Friction(Folder):
    def test_the_bits_of_the_command(self):
        path = str(self.folder / "hair.hdf5")
        subprocess.run([tool, "gen", "hairlike", "--rods", "40", "--contacts", "400", "--seed", "7", "-o", path],
                       check=True, capture_output=True)
        subprocess.run([tool, "solve", path, "--save", "--threads", "2"], check=True, capture_output=True)
        file = skein.read_fclib(path)
        made = skein.make_hairlike(rods=40, contacts=400, seed=7)
        for name in ("f", "mu"):
            self.assertEqual(getattr(file.problem, name).tobytes(), getattr(made, name).tobytes())
        mine = skein.solve(file.problem, threads=1)
        self.assertTrue(mine.converged)
        self.assertEqual(mine.r.tobytes(), file.solution.r.tobytes())
        self.assertEqual(mine.u.tobytes(), file.solution.u.tobytes())
        self.assertLess(abs(mine.r - skein.solve(made).r).max(), 1e-4)  # entries come in another order from a file

    def test_forms_and_formats(self):
        problem, answer = skein.make_manufactured(objects=12, contacts=10)
        reduced = problem.reduce()
        W, n = reduced.W.toarray(), reduced.contacts
        blocks = W.reshape(n, 3, n, 3).transpose(0, 2, 1, 3).reshape(-1, 3, 3)
        rows, cols = numpy.nonzero(W)
        order = numpy.random.default_rng(1).permutation(len(rows))
        rows, cols = rows[order], cols[order]
        A = reduced.W
        shapes = [W, A, (A.val, A.col, A.start), (W[rows, cols], (rows, cols)), numpy.asfortranarray(W), W.tolist(),
                  (blocks, numpy.tile(numpy.arange(n), n), n * numpy.arange(n + 1))]
        try:
            from scipy import sparse
            shapes += [sparse.bsr_matrix(W, blocksize=(3, 3)), sparse.csr_matrix(W), sparse.coo_matrix(W),
                       sparse.csc_matrix(W), sparse.csr_array(W)]
        except ImportError:
            pass
        for given in shapes:
            for b in (reduced.b, reduced.b.ravel(), reduced.b.astype(">f8"), reduced.b.tolist()):
                p = skein.Problem(given, b, reduced.mu)
                numpy.testing.assert_allclose(p.W.toarray(), W)
            self.assertLess(abs(skein.solve(given, reduced.b, reduced.mu, tol=1e-10).r - answer.r).max(), 1e-6)
        s = skein.solve(M=problem.M.toarray(), H=problem.H.toarray(), f=problem.f, u_f=problem.u_f, mu=0.5, tol=1e-10)
        self.assertLess(abs(s.r - answer.r).max(), 1e-6)
        self.assertLess(abs(s.v - answer.v).max(), 1e-6)
        self.assertLess(problem.error(answer.r).rel, 1e-10)
        u, v = problem.velocities(answer.r)
        self.assertLess(abs(u - answer.u).max(), 1e-10)
        self.assertLess(abs(problem.H @ v + problem.u_f.ravel() - u.ravel()).max(), 1e-10)

    def test_dimensions(self):
        problem, answer = skein.make_manufactured(d=2, objects=12, contacts=10)
        reduced = problem.reduce()
        self.assertEqual(skein.Problem(reduced.W, reduced.b, 0.5).d, 2)
        self.assertEqual(skein.Problem(reduced.W, reduced.b.ravel(), [0.5] * 10).d, 2)
        self.assertEqual(skein.Problem(reduced.W, reduced.b.ravel(), 0.5, d=2).contacts, 10)
        self.assertEqual(reduced.describe().d, 2)
        empty = skein.solve(numpy.zeros((0, 0)), numpy.zeros((0, 3)), 0.5)
        self.assertEqual(empty.r.shape, (0, 3))
        self.assertTrue(empty.converged)

    def test_options(self):
        p = skein.make_hairlike(rods=20, contacts=60)
        for method in skein.METHODS:
            s = p.solve(method=method, max_seconds=5)
            self.assertLess(p.error(s.r).rel, 1e-5, method)
        for local in skein.LOCALS:
            s = p.solve(method="gs", local=local + "+enum", accelerate="none", freeze=False, max_sweeps=50)
            self.assertEqual(s.info.method, "gs")
        s = p.solve(measure="fb", tol=1e-9, operator_form="explicit", look=3)
        self.assertLess(s.info.error.fb, 1e-9)
        self.assertEqual(s.info.operator_form, "explicit")
        again = p.solve(measure="fb", tol=1e-9, guess=s.r)
        self.assertLess(again.info.iterations, s.info.iterations)
        self.assertFalse(p.solve(max_sweeps=1, method="gs").converged)
        self.assertEqual(p.contacts, s.info.stick + s.info.slide + s.info.open)

    def test_progress(self):
        p, seen = skein.make_hairlike(rods=30, contacts=300), []
        s = p.solve(method="gs", progress=seen.append, look=5)
        self.assertGreater(len(seen), 2)
        self.assertTrue(seen[-1].method == "gs" and seen[-1].error.rel <= 1e-6 and math.isnan(seen[-1].error.fb))
        self.assertTrue(s.converged)
        self.assertFalse(p.solve(method="gs", progress=lambda now: now.iteration >= 5, look=1).converged)
        with self.assertRaises(ZeroDivisionError):
            p.solve(progress=lambda now: 1 / 0)
        with self.assertRaises(KeyboardInterrupt):
            p.solve(progress=lambda now: (_ for _ in ()).throw(KeyboardInterrupt))

    def test_islands_call_back_from_their_threads(self):
        many, _ = skein.make_manufactured(objects=400, contacts=300)
        calls = []
        self.assertTrue(many.solve(threads=4, progress=lambda now: calls.append(now) and None).converged)
        self.assertGreater(len(calls), 10)

    def test_files(self):
        path = self.folder / "p.hdf5"
        problem, answer = skein.make_manufactured(objects=12, contacts=10)
        guesses = [skein.Solution(answer.r * k, answer.u, answer.v) for k in (0.0, 0.5)]
        problem.write(path, answer, title="a title", description="words", math_info="numbers", guesses=guesses)
        file = skein.read_fclib(path)
        self.assertEqual((file.title, file.description, file.math_info), ("a title", "words", "numbers"))
        self.assertEqual(file.solution.r.tobytes(), answer.r.tobytes())
        self.assertEqual([g.r.tobytes() for g in file.guesses], [g.r.tobytes() for g in guesses])
        skein.save_solution(path, problem, skein.Solution(2 * answer.r, answer.u, answer.v))
        self.assertEqual(skein.read_fclib(path).solution.r.tobytes(), (2 * answer.r).tobytes())
        with self.assertRaises(skein.Error) as caught:
            skein.read_fclib(self.folder / "none.hdf5")
        self.assertIn("none.hdf5", caught.exception.message)
        with self.assertRaises(skein.Error) as caught:
            problem.write(self.folder / "no" / "folder.hdf5")
        self.assertEqual(caught.exception.code, skein.Code.IO_FAILURE)
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).code, skein.Code.IO_FAILURE)
        self.assertEqual(pickle.loads(pickle.dumps(problem)).solve().r.tobytes(), problem.solve().r.tobytes())

    def test_swapped(self):
        W, b = numpy.eye(6), -numpy.ones(6)
        for first in (b, b.reshape(2, 3), list(b)):
            with self.assertRaisesRegex(ValueError, "W has 6 numbers as b should, b is 6 x 6 as W should"):
                skein.solve(first, W, 0.5)
        self.assertTrue(skein.solve(W, b, 0.5).converged)

    def test_misuse(self):
        I, b = numpy.eye(3), numpy.array([-1.0, 0, 0])
        for error, arguments, options in (
                (TypeError, (), {}), (TypeError, (I,), {}), (TypeError, (I, b), {}), (TypeError, (I, b, "rough"), {}),
                (ValueError, (I, b[:2], 0.5), {}), (ValueError, (numpy.eye(4), b, 0.5), {}),
                (ValueError, (I, b, [0.5, 0.5]), {}), (ValueError, (I, b, 0.5), {"d": 4}),
                (TypeError, (I * 1j, b, 0.5), {}), (TypeError, ("W", b, 0.5), {}),
                (ValueError, (I.ravel(), b, 0.5), {}),
                (TypeError, (I, b, 0.5), {"f": b}), (ValueError, (I, b, 0.5), {"method": "magic"}),
                (ValueError, (I, b, 0.5), {"local": "+enum"}), (TypeError, (I, b, 0.5), {"max_sweeps": 1.5}),
                (ValueError, (I, b, 0.5), {"max_sweeps": 2**40}), (TypeError, (I, b, 0.5), {"tol": None}),
                (ValueError, (I, b, 0.5), {"guess": [1, 2]}), (TypeError, (I, b, 0.5), {"progress": 3}),
                (TypeError, (), {"M": I, "f": b, "mu": 0.5}),
                (ValueError, (), {"M": I, "H": numpy.ones((3, 2)), "mu": 0.1}),
                (ValueError, (skein.CSR([0, 1, 2, 9], [0, 1, 2], [1, 1, 1], (3, 3)), b, 0.5), {}),
                (ValueError, (skein.CSR([0, 1, 3], [0, 1, 2], [1, 1, 1], (3, 3)), b, 0.5), {}),
                (TypeError, (([1.0] * 3, [0.5, 1, 2], [0, 1, 2, 3]), b, 0.5), {}),
                (ValueError, (([1.0], ([7], [0])), b, 0.5), {}), (ValueError, (([1.0], ([-1], [0])), b, 0.5), {}),
                (ValueError, (([1.0] * 3, [0, 1, 2**40], [0, 1, 2, 3]), b, 0.5), {}),
                (skein.Error, (([1.0] * 3, [0, 1, 5], [0, 1, 2, 3]), b, 0.5), {}),
                (skein.Error, (([1.0] * 3, [0, 1, 2], [0, 3, 2, 3]), b, 0.5), {}),
                (skein.Error, (I, b * math.nan, 0.5), {}), (skein.Error, (I, b, -1), {}),
                (skein.Error, (I, b, 0.5), {"tol": math.nan}), (skein.Error, (I, b, 0.5), {"threads": -1}),
                (skein.Error, (), {"M": -I, "H": I, "mu": 0.5})):
            with self.assertRaises(error, msg=(arguments, options)):
                skein.solve(*arguments, **options)
        with self.assertRaises(TypeError):
            skein.solve(skein.Problem(I, b, 0.5), b)
        with self.assertRaises(AttributeError):
            skein.Problem(I, b, 0.5).mu = numpy.zeros(0)
        for arguments in ((I, b[:1], 0.5), (I[:2], b, 0.5)):
            with self.assertRaises(ValueError):
                skein.solve_one(*arguments)
        with self.assertRaises(skein.Error):
            skein.solve_one(I, b, math.inf)
        with self.assertRaises(skein.Error):
            skein.make_hairlike(rods=-1)
        with self.assertRaises(ValueError):
            skein.make_hairlike(seed=-1)


class Rods(Folder):
    across = skein.Pose([0, 0, 0], [[0, 1, 0], [0, 0, 1], [1, 0, 0]])

    def test_cantilever(self):
        E, radius, length, density = 1e9, 1e-3, 0.1, 1000.0
        exact = density * math.pi * radius**2 * 9.81 * length**4 / (8 * E * math.pi * radius**4 / 4)
        for model in ("super-helix", "der"):
            with skein.Rod(model, elements=40, length=length, radius=radius, E=E, G=E / 3, density=density,
                           pose=self.across) as rod:
                info = rod.relax()
                self.assertTrue(info.converged and info.stable)
                self.assertLess(abs(-rod.points(length)[2] / exact - 1), 0.02, model)
                omega2, shapes = rod.modes(2)
                beam = 1.8751**4 * E * radius**2 / (4 * density * length**4)
                self.assertLess(abs(omega2[0] / beam - 1), 0.02, model)
                self.assertEqual(shapes.shape, (2, rod.dofs))

    def test_every_model_steps(self):
        for model, about in skein.rod_models().items():
            with skein.Rod(model, elements=8, radius=1e-3, E=1e6, G=4e5, pose=self.across) as rod:
                for _ in range(5):
                    rod.step(1e-5, wind=[0, 1, 0])
                x, v = rod.state()
                J, drift = rod.jacobian(0.07)
                numpy.testing.assert_allclose(J @ v + drift, rod.velocities(0.07), atol=1e-9)
                self.assertLess(rod.velocities(rod.length)[2], 0)
                before = rod.points()
                rod.set_state(x, 0 * v)
                self.assertEqual(rod.points().tobytes(), before.tobytes())
                self.assertEqual(rod.energies().kinetic, 0)
                rod.displace(numpy.zeros(rod.dofs))
                self.assertEqual(rod.spin_jacobian(0.05).shape, (3, rod.dofs))
                self.assertTrue(about)

    def test_loads_holds_drive(self):
        with skein.Rod("der", elements=20, radius=1e-3, E=1e7, G=4e6, pose=self.across) as rod:
            rod.set_loads(skein.Load(rod.length, force=[0, 0.001, 0]))
            rod.relax(gravity=[0, 0, 0])
            self.assertGreater(rod.points(rod.length)[1], 1e-4)
            rod.set_loads()
            rod.set_holds(skein.Hold(rod.length, skein.Pose([0.09, 0, 0.03], self.across.d), [1e3, 1e3, 1e3]))
            rod.relax(gravity=[0, 0, 0])
            self.assertLess(abs(rod.points(rod.length) - [0.09, 0, 0.03]).max(), 1e-3)
            rod.drive(root=skein.Pose([0, 0.001, 0], self.across.d))
            rod.step(1e-3)
            self.assertAlmostEqual(rod.pose(0).r[1], 0.001)

    def test_threads_keep_the_bits(self):
        results = []
        for threads in (1, 4):
            rods = [skein.Rod(natural=[[10.0 * k, 0, 5]]) for k in range(8)]
            for _ in range(20):
                skein.step_rods(rods, 1e-3, threads=threads)
            results.append(b"".join(rod.state()[0].tobytes() for rod in rods))
        self.assertEqual(*results)

    def test_misuse(self):
        for error, options in ((ValueError, {"model": "spaghetti"}), (ValueError, {"natural": [1, 2, 3]}),
                               (ValueError, {"root": "glued"}), (TypeError, {"elements": 2.5}),
                               (skein.Error, {"elements": 0}), (skein.Error, {"length": math.nan}),
                               (skein.Error, {"natural": [[math.inf, 0, 0]]}), (TypeError, {"length": "long"}),
                               (skein.Error, {"pose": skein.Pose([0, 0, 0], numpy.ones((3, 3)))}),
                               (TypeError, {"pose": 3})):
            with self.assertRaises(error, msg=options):
                skein.Rod(**options)
        rod = skein.Rod()
        for error, act in ((ValueError, lambda: rod.points(math.nan)), (ValueError, lambda: rod.set_state([1, 2])),
                           (ValueError, lambda: rod.modes(0)), (ValueError, lambda: rod.modes(10**6)),
                           (ValueError, lambda: rod.displace(numpy.zeros(3))), (skein.Error, lambda: rod.step(-1)),
                           (ValueError, lambda: rod.step(1e-3, gravity=[1, 2])),
                           (skein.Error, lambda: rod.relax(tol=0)),
                           (ValueError, lambda: skein.step_rods([rod, rod])), (TypeError, lambda: skein.step_rods([1])),
                           (skein.Error, lambda: rod.set_loads(skein.Load(0.1, [math.nan, 0, 0]))),
                           (skein.Error, lambda: rod.set_state(numpy.full(len(rod.state()[0]), math.nan)))):
            with self.assertRaises(error):
                act()
        skein.step_rods([])
        rod.close()
        rod.close()
        self.assertTrue(rod.closed)
        for act in (rod.points, rod.step, rod.state, rod.relax, rod.__enter__, lambda: rod.dofs, rod.set_loads):
            with self.assertRaises(ValueError):
                act()


if __name__ == "__main__":
    main()
