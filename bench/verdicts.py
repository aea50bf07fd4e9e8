#!/usr/bin/python3
"""What the judge says of every scene of scenes/: verdicts.py SKEIN [--seconds S] [--rods N] [--only NAMES] > verdicts.csv

Heads of hair are run with N rods (default 200; 0: as the scene says), every scene for S seconds of simulated time at most
(default 1.5)."""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

KINDS = ["diverged", "too fast", "missed", "curved", "too deep", "deep", "unbalanced"]


def run(skein, scene, seconds, rods, folder):
    what = json.loads(scene.read_text())
    fps = what.get("output", {}).get("fps", 60)
    duration = min(seconds, what["time"]["duration"])
    path = folder / (scene.stem + ".h5")
    command = [skein, "run", str(scene), "-o", str(path), "-q", "-j", "1", "-n", str(max(1, round(duration * fps)))]
    if "settle" in what["time"] and rods:
        command += ["--set", "rods=%d" % rods]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads(subprocess.run([skein, "stats", str(path), "--json"], check=True, capture_output=True, text=True).stdout)


def row(stats):
    verdict = stats["verdict"]
    columns = {k: v["max"] for k, v in stats["columns"].items()} if "columns" in stats else {}
    out = {"seconds": round(stats["time"], 3), "steps": stats["steps"], "flawed": verdict["flawed"],
           "share of time": round(verdict["seconds"] / stats["time"], 4) if stats["time"] else 0}
    for kind in KINDS:
        found = verdict["flaws"].get(kind, 0)
        out[kind] = found.get("steps", found) if isinstance(found, dict) else found
    out["crossings"] = verdict["crossings"]
    out["made of work"] = "%.2g" % (verdict["made"] / verdict["turnover"]) if verdict["turnover"] else 0
    out["worst error"] = "%.2g" % columns["error"] if "error" in columns else ""
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("skein")
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--rods", type=int, default=200)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    scenes = sorted(pathlib.Path(__file__).resolve().parent.parent.joinpath("scenes").glob("*.json"))
    names = options.only.split(",") if options.only else [s.stem for s in scenes if s.stem != "scene.schema"]
    out = None
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes:
            if scene.stem not in names:
                continue
            found = {"scene": scene.stem, **row(run(options.skein, scene, options.seconds, options.rods, pathlib.Path(folder)))}
            if out is None:
                out = csv.DictWriter(sys.stdout, found)
                out.writeheader()
            out.writerow(found)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
