"""Reads a run file as arrays:  read_run.py [RUN.h5]  (without one, makes a small one first)."""
import sys

import numpy
import skein

scene = {"title": "A cord falls across another",
         "materials": {"cord": {"preset": "rope", "radius": 0.002, "E": 1e6}},
         "rods": [{"name": "lower", "model": "der", "elements": 10, "material": "cord", "length": 0.1,
                   "root": {"type": "free", "position": [-0.05, 0, 0.002], "direction": [1, 0, 0]}},
                  {"name": "upper", "model": "der", "elements": 10, "material": "cord", "length": 0.1,
                   "root": {"type": "free", "position": [0, -0.05, 0.03], "direction": [0, 1, 0]}}],
         "bodies": [{"name": "floor", "shape": {"type": "plane"}}],
         "friction": 0.3, "time": {"duration": 0.2}, "output": {"fps": 40}}

path = sys.argv[1] if len(sys.argv) > 1 else skein.simulate(scene, "cords.h5")

with skein.Run(path) as run:
    print(f"{run.title or path}: {run.frames} frames at {run.fps:g} per second, written by version {run.version}")
    print("frame    time   rods  contacts  largest impulse  lowest point")
    for frame in run:
        impulse = numpy.linalg.norm(frame.contact_impulse, axis=1).max(initial=0)
        lowest = f"{frame.point[:, 2].min():.4f} m" if len(frame.point) else "none"
        print(f"{frame.index:5d} {frame.time:5.3f} s {frame.rods:6d} {frame.contacts:9d} {impulse:12.3g} N s"
              f"  {lowest:>12}")
    steps = run.steps()
    print(f"{len(steps)} steps, {100 * steps['converged'].mean():.1f} % converged,"
          f" median dt {numpy.median(steps['dt']):g} s, friction took {steps['dissipated'].sum():.3g} J")
