#!/usr/bin/python3
"""How fast a run becomes Alembic, and how large: 10,000 strands of 25 points in 100 frames; beside it the same as USD.
    bench/export.py PATH_OF_SKEIN [STRANDS]        prints CSV; needs room for 2 GB in the folder for temporary files
`raw` are the numbers that change, as float32: points and velocities, 24 bytes per point and frame."""
import json
import os
import subprocess
import sys
import tempfile
import time

skein, strands = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10000
side, points, frames = int(strands ** 0.5), 25, 100
scene = {"title": "a lawn in the wind", "time": {"duration": (frames - 1) / 25, "dt": 0.04},
         "materials": {"blade": {"preset": "rope", "radius": 0.001, "E": 1e6}},
         "rods": [{"model": "mass-spring", "elements": 3, "length": 0.1, "material": "blade", "group": "lawn",
                   "root": {"position": [0, 0, 0], "direction": [0.2, 0, 1]},
                   "grid": {"count": [side, strands // side, 1], "spacing": 0.02}}],
         "output": {"fps": 25, "points": points}, "pairs": [{"groups": ["lawn", "lawn"], "contacts": False}]}
print("format,strands,points,frames,seconds,bytes,raw,ratio")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    json.dump(scene, open("scene.json", "w"))
    subprocess.run([skein, "run", "scene.json", "-o", "run.h5", "-q"], check=True, stdout=subprocess.DEVNULL)
    for name in ("abc", "usda"):
        start = time.monotonic()
        subprocess.run([skein, "export", "run.h5", "-o", "out." + name, "-q"], check=True, stdout=subprocess.DEVNULL)
        seconds, size, raw = time.monotonic() - start, os.path.getsize("out." + name), side * (strands // side) * points * frames * 24
        print(f"{name},{side * (strands // side)},{points},{frames},{seconds:.2f},{size},{raw},{size / raw:.3f}", flush=True)
    os.chdir("/")
