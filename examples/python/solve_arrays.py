"""A friction problem from one's own arrays: three blocks in a pile, the lowest on the ground, the top one pushed.

Global form: M v = f + H' r, u = H v + u_f. Block k moves in x, y, z; contact k is between block k and what is under it,
with the normal first (z), then the two tangents (x, y)."""
import numpy
import skein

mass, dt, gravity, push, mu = 2.0, 0.01, 9.81, 12.0, 0.4
blocks = 3

M = mass * numpy.eye(3 * blocks)
H = numpy.zeros((3 * blocks, 3 * blocks))
axes = numpy.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])  # normal, tangent, tangent
for k in range(blocks):
    H[3 * k:3 * k + 3, 3 * k:3 * k + 3] = axes
    if k:
        H[3 * k:3 * k + 3, 3 * k - 3:3 * k] = -axes
f = dt * numpy.tile([0, 0, -mass * gravity], blocks)  # impulses of the outer forces; the blocks are at rest
f[-3] = dt * push

problem = skein.Problem(M=M, H=H, f=f, u_f=numpy.zeros(3 * blocks), mu=mu)
r, u, v, info = problem.solve(tol=1e-10)

print(f"{problem}: {'converged' if info.converged else 'not converged'}, error {info.error.rel:.1e}, by {info.method}")
print("contact  normal force   friction    limit  sliding speed")
for k in range(blocks):
    normal, friction = r[k, 0] / dt, abs(r[k, 1]) / dt
    print(f"{k:7d}  {normal:10.2f} N {friction:8.2f} N {mu * normal:6.2f} N {abs(u[k, 1]):10.4f} m/s")

W = problem.reduce()  # the same without the blocks: u = W r + b
again = skein.solve(W.W, W.b, W.mu, guess=r)
assert info.converged and abs(again.r - r).max() < 1e-6
assert abs(r[0, 0] - blocks * mass * gravity * dt) < 1e-8, "the ground carries the weight"
