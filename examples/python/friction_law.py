"""Coulomb's law, swept: a block on the ground, pulled sideways more and more, for four coefficients of friction.

One contact: u = W r + b with W = 1/m. It sticks while the pull is below mu times the weight, then slides with what is
left."""
import numpy
import skein

mass, dt, weight = 1.0, 0.01, 9.81
W = numpy.eye(3) / mass
pulls = numpy.arange(0.0, 1.25, 0.25)  # in weights

print("pull / weight   " + "".join(f"mu = {mu:<11g}" for mu in (0, 0.3, 0.6, 0.9)))
for pull in pulls:
    cells = []
    for mu in (0, 0.3, 0.6, 0.9):
        b = numpy.array([-weight, pull * weight, 0]) * dt / mass
        r, converged = skein.solve_one(W, b, mu)
        u = W @ r + b
        assert converged and abs(u[1] - max(0, pull - mu) * weight * dt / mass) < 1e-9
        cells.append("sticks" if abs(u[1]) < 1e-9 else f"{u[1] / dt:.2f} m/s2")
    print(f"{pull:13.2f}   " + "".join(f"{cell:<16}" for cell in cells))
