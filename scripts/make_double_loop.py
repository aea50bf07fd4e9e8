#!/usr/bin/python3
"""make_double_loop.py [FILE]: writes scenes/double-loop.json, two rails that curl through two vertical loops.

The middle line of the track is drawn by its heading: lengths and turns, with the curvature smoothed over a short way. It
only ever bends upwards, so that nothing but gravity lifts the ball off: behind the start it rises, then come a gentle
slope, loop, slope, loop, slope and a ramp. Each loop moves sideways, past itself. The rails stand at both sides."""
import json
import math
import pathlib
import sys

BALL, RAIL, HALF_GAUGE = 0.1, 0.02, 0.07  # radii of ball and rail; rails from the middle line (m)
SPIN = 170  # rad/s
SLOPE = 4  # degrees
STEP, SPACING, SMOOTH = 0.002, 0.125, 0.3  # of the integration, of the points, of the curvature (m)
LOOP = 0.5  # radius (m)
SIDE = 0.34  # sideways per loop (m)

# length (m), turn (degrees), sideways (m)
LEGS = [
    (0.5, 0, 0),
    (0.6, 40, 0),
    (0.8, SLOPE, 0),
    (1.2, 0, 0),
    (2 * math.pi * LOOP, 360, SIDE),
    (0.7, 0, 0),
    (2 * math.pi * LOOP, 360, SIDE),
    (0.8, 0, 0),
    (1.6, 50, 0),
    (2.4, 0, 0),
]


def curvature(s):
    """Turn per length at s, before smoothing."""
    for length, turn, _ in LEGS:
        if s < length:
            return math.radians(turn) / length if s >= 0 else 0
        s -= length
    return 0


def sideways(s):
    y = 0
    for length, _, side in LEGS:
        u = min(max(s / length, 0), 1)
        y += side * (u - math.sin(2 * math.pi * u) / (2 * math.pi))
        s -= length
    return y


def track():
    """Points of the middle line every STEP."""
    half, count = int(SMOOTH / STEP / 2), int(sum(leg[0] for leg in LEGS) / STEP)
    raw = [curvature((k + 0.5) * STEP) for k in range(-half, count + half)]
    heading, x, z, out = -math.radians(40), 0.0, 0.0, []
    for k in range(count + 1):
        out.append((x, sideways(k * STEP), z))
        turn = sum(raw[k: k + 2 * half]) / (2 * half) * STEP
        x += STEP * math.cos(heading + turn / 2)
        z += STEP * math.sin(heading + turn / 2)
        heading += turn
    return out


def rails(line):
    """Both rails and the ball's centre at every point of the line; across: the part of y normal to the tangent."""
    rise = math.sqrt((BALL + RAIL) ** 2 - HALF_GAUGE**2)
    left, right, centre = [], [], []
    for k, (x, y, z) in enumerate(line):
        a, b = line[max(k - 1, 0)], line[min(k + 1, len(line) - 1)]
        t = [b[i] - a[i] for i in range(3)]
        t = [v / math.hypot(*t) for v in t]
        across = [-t[1] * t[0], 1 - t[1] * t[1], -t[1] * t[2]]
        across = [v / math.hypot(*across) for v in across]
        up = [t[1] * across[2] - t[2] * across[1], t[2] * across[0] - t[0] * across[2], t[0] * across[1] - t[1] * across[0]]
        for side, to in ((1, left), (-1, right)):
            to.append([c + side * HALF_GAUGE * d for c, d in zip((x, y, z), across)])
        centre.append([c + rise * d for c, d in zip((x, y, z), up)])
    return left, right, centre


def placed():
    """Rails and the way of the ball's centre, with the lowest place of the start where the ball stands."""
    lines = rails(track())
    x, y, z = min(lines[2][: len(lines[2]) // 4], key=lambda p: p[2])
    return [[[p[0] - x, p[1] - y, p[2] - z + BALL] for p in line] for line in lines]


def thinned(points):
    every = int(SPACING / STEP)
    picked = points[::every] + ([points[-1]] if (len(points) - 1) % every > every // 3 else [])
    return [[round(v, 4) for v in p] for p in picked]


def text():
    def rows(points, indent):
        cells = [json.dumps(p) for p in points]
        return ",\n".join(indent + ", ".join(cells[k: k + 5]) for k in range(0, len(cells), 5))

    left, right = (thinned(line) for line in placed()[:2])
    lines = ["{", '  "$schema": "scene.schema.json",']
    lines += ['  "title": "A ball that spins, at rest, on two rails through two loops: the more friction, the further it rolls",']
    lines += ['  "time": {"duration": 4.4, "dt": 0.011},', '  "friction": 1,', '  "bodies": [']
    for name, points, colour in (("left rail", left, "#8c979c"), ("right rail", right, "#8c979c")):
        lines += [f'    {{"name": "{name}", "group": "rails", "colour": "{colour}", "shape": {{"type": "tube", "radius": {RAIL}, "points": [']
        lines += [rows(points, "      ") + "]}},"]
    lines += [f'    {{"name": "ball", "group": "ball", "shape": {{"type": "sphere", "radius": {BALL}}}, "position": [0, 0, {BALL}],']
    lines += [f'     "density": 800, "spin": [0, {round(math.degrees(SPIN), 3)}, 0], "colour": "#c8452f"}}', "  ],"]
    lines += ['  "solver": {"method": "newton-ac", "tol": 1e-12, "slop": 0, "push": 2, "passive": true},', '  "output": {"fps": 45.45454545454545},']
    lines += ['  "camera": {"eye": [0.6, -4.6, 1.5], "target": [1.7, 0.3, 0.75], "fov": 45}', "}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parent.parent / "scenes/double-loop.json"
    pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else here).write_text(text())
