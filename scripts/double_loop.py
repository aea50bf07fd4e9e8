#!/usr/bin/python3
"""double_loop.py SKEIN [MU...]: how far the ball of scenes/double-loop.json rolls against mu, as CSV.

distance: the farthest place along the way of the ball's centre (m); drop_J: the least energy that the contacts of a step
took (negative: gave). The last line is a ball on straight rails against theory: it rolls from
v = w0 R_e k / (1 + k) on, k = 2 R^2 / (5 R_e^2), R_e the distance of the contacts from the axis of the spin."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import make_double_loop as track

SCENE = pathlib.Path(__file__).resolve().parent.parent / "scenes/double-loop.json"


def run(skein, scene, *sets):
    """Places of the last body in every frame, and the columns of the steps."""
    with tempfile.TemporaryDirectory() as folder:
        out = folder + "/run.h5"
        subprocess.run([skein, "run", str(scene), "-o", out, "--overwrite", "-q", "-j", "1", *sum((["--set", s] for s in sets), [])], check=True)
        with h5py.File(out) as f:
            frames = [f["frames"][k] for k in sorted(f["frames"])]
            names = ("contacts", "sweeps", "retries", "converged", "dissipated", "stick", "slide", "dt")
            steps = {n: np.concatenate([g["steps"][n][:] for g in frames]) for n in names}
            return np.array([g["body_pose"][-1][:3] for g in frames]), [g.attrs["time"] for g in frames], steps


def farthest(places, way):
    """The largest arc length: the nearest place of the way, looked for not far from the last one."""
    at = int(np.argmin(np.linalg.norm(way[: len(way) // 5] - places[0], axis=1)))
    start = most = at
    for p in places:
        lo = max(at - 150, 0)
        near = np.linalg.norm(way[lo: at + 150] - p, axis=1)
        if near.min() > 2 * track.BALL:
            break  # it flew off
        at = lo + int(np.argmin(near))
        most = max(most, at)
    steps = np.linalg.norm(np.diff(way, axis=0), axis=1)
    return steps[start:most].sum()


def flat(skein):
    """Speed of rolling on straight rails: run, theory."""
    w0, mu, r, rail, half = 60.0, 0.5, track.BALL, track.RAIL, track.HALF_GAUGE
    rise = math.sqrt((r + rail) ** 2 - half**2)
    bodies = [{"group": "rails", "shape": {"type": "tube", "radius": rail, "points": [[-1, y, 0], [9, y, 0]]}} for y in (half, -half)]
    bodies.append({"group": "ball", "shape": {"type": "sphere", "radius": r}, "position": [0, 0, rise], "density": 800,
                   "spin": [0, math.degrees(w0), 0]})
    scene = {"time": {"duration": 2, "dt": 0.001}, "friction": mu, "bodies": bodies, "solver": {"tol": 1e-10, "slop": 0}, "output": {"fps": 50}}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(scene, f)
        f.flush()
        places, times, _ = run(skein, f.name)
    arm = r * rise / (r + rail)
    k = 0.4 * r * r / arm**2
    return (places[-1][0] - places[-11][0]) / (times[-1] - times[-11]), w0 * arm * k / (1 + k)


def main():
    skein = sys.argv[1]
    way = np.array(track.placed()[2])
    print("mu,distance,steps,contacts_most,newton_most,newton_above_5,newton_mean,shortened,missed,drop_J,stick_share", flush=True)
    for mu in sys.argv[2:] or ("0", "0.05", "0.1", "0.2", "0.3", "0.5", "0.8", "1"):
        places, _, s = run(skein, SCENE, f"friction={mu}")
        touching = s["contacts"] > 0
        closed = s["stick"].sum() + s["slide"].sum()
        print(f"{mu},{farthest(places, way):.3f},{len(touching)},{s['contacts'].max()},{s['sweeps'].max()},{(s['sweeps'] > 5).sum()},"
              f"{s['sweeps'][touching].mean():.2f},{(s['retries'] > 0).sum()},{(s['converged'] == 0).sum()},"
              f"{s['dissipated'].min():.2g},{s['stick'].sum() / max(closed, 1):.2f}", flush=True)
    print("# straight rails: rolls with %.4f m/s, theory %.4f m/s" % flat(skein))


if __name__ == "__main__":
    main()
