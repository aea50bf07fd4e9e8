"""Every global solver and some local ones on one hair-like problem: sweeps, time, and the error that was reached."""
import skein

problem = skein.make_hairlike(rods=25, contacts=200, mu=0.3, seed=3)
about = problem.describe()
print(f"{about.contacts} contacts, {about.dofs} dofs, nu = {about.nu:.2f}, {about.islands} islands")
print(f"{'method':12}{'local':12}{'iterations':>11}{'seconds':>9}{'error_rel':>11}")


def row(method, local="secular", **options):
    info = problem.solve(method=method, local=local, max_seconds=1, threads=1, **options).info
    verdict = "" if info.converged else "  not converged"
    print(f"{method:12}{local:12}{info.iterations:11d}{info.seconds:9.3f}{info.error.rel:11.1e}{verdict}")
    return info


for method in skein.METHODS:
    row(method)
for local in ("mfb+enum", "pac+enum", "enum"):  # plain Gauss-Seidel, as published in 2011
    row("gs", local, accelerate="none")
assert row("auto", tol=1e-8).converged
