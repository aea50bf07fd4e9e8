"""Steps a world with a callback: a box slides down a slope; the callback stops it when it has gone half a metre.

The acceleration must be g (sin a - mu cos a). The problem of the last step is solved once more by another method."""
import math

import numpy
import skein

angle, mu = math.radians(25), 0.2
scene = {
    "bodies": [
        {"name": "slope", "shape": {"type": "plane", "normal": [math.sin(angle), 0, math.cos(angle)]}},
        {"name": "box", "shape": {"type": "box", "size": [0.1, 0.1, 0.04]}, "density": 500,
         "position": [0.02 * math.sin(angle), 0, 0.02 * math.cos(angle)],
         "rotation": {"axis": [0, 1, 0], "angle": math.degrees(angle)}}],
    "friction": mu, "time": {"duration": 2, "dt": 0.005}}


def watch(world, info):
    if not info.converged:
        print(f"step at {info.time:.3f} s: error {info.error:.1e}")
    return numpy.linalg.norm(world.body(1).place) > 0.5  # true stops


with skein.World(scene) as world:
    steps = world.run(2.0, watch)
    speed = numpy.linalg.norm(world.body(1).velocity)
    problem, solution = world.problem(), world.solution()
    time = world.time

expected = 9.81 * (math.sin(angle) - mu * math.cos(angle))
print(f"{len(steps)} steps, {time:.3f} s: {speed:.3f} m/s, acceleration {speed / time:.3f} m/s2, theory {expected:.3f}")
again = problem.solve(method="ipm", tol=1e-9)
print(f"the last problem has {problem.contacts} contacts; another method gives velocities within "
      f"{abs(problem.velocities(again.r)[1] - solution.v).max():.1e}")
assert abs(speed / time / expected - 1) < 0.02
