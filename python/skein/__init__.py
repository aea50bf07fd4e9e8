"""Skein: exact Coulomb friction for fibres, rigid bodies and finite elements; thin elastic rods; a world of both.

Six parts, from small to large:

- ``skein.solve(W, b, mu)``: a friction problem given as arrays. `Problem`, `solve_one`, `read_fclib`, `make_hairlike`.
- ``skein.Rod(...)``: one elastic rod: step, relax, points, modes.
- ``skein.World(scene)``: a scene in motion: step, frame, problem, save.
- ``skein.Run("RUN.h5")``: a run file as arrays; ``skein.simulate(scene, path)`` makes one.
- ``skein.measure("RUN.h5")``: what it shows: clumps, volume, stick and slip, rest.
- ``skein.Look(scene)``: what a frame looks like: meshes, colours, speed or force at every point.

What the library refuses raises `skein.Error`, with one line that names the field and what was expected; arrays of the
wrong kind raise TypeError or ValueError; objects that are closed raise ValueError. "Not converged" is data
(``info.converged``). Lengths are in m, masses in kg, times in s.

The library is that of the installed tree the module is in, or SKEIN_LIBRARY, or the one ldconfig knows."""
from ._lib import VERSION as __version__
from ._lib import Code, Error, library_path
from ._matrix import CSR
from .friction import (ACCELERATIONS, BALLS, LOCALS, MEASURES, METHODS, OPERATORS, Fclib, Problem, ProblemInfo,
                       Progress, Residual, Solution, SolveInfo, Solver, make_hairlike, make_manufactured, read_fclib,
                       save_solution, solve, solve_batch, solve_one, write_fclib)
from .look import COLOURS, Camera, Colours, Look, LookBody, colour_ramp, colours_about
from .measure import (MEASURE_DTYPE, RUB_DTYPE, Clumps, Measures, Motion, Rest, Volume, clumps, measure, motion, rest,
                      rubs, volume)
from .rods import (ENDS, ROD_MODELS, Hold, Load, Pose, RelaxInfo, Rod, RodEnergy, RodView, default_pose, rod_models,
                   step_rods)
from .run import Run, simulate
from .verdict import ACTIONS, FLAWS, Attempt, Finding, Verdict, flaw_names
from .world import STEP_DTYPE, Body, Frame, Scene, StepInfo, World, steps_array

Error.__module__ = Code.__module__ = __name__  # "skein.Error: ..." at the end of a traceback

_ROOMS = ("friction", "look", "rods", "run", "verdict", "world")  # `measure` is a function, too
__all__ = [name for name in dir() if not name.startswith("_") and name not in _ROOMS]
