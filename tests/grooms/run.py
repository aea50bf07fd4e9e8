#!/usr/bin/python3
"""run.py --skein SKEIN: simulates the grooms of make.py with a frame of every step, asks the independent judge, and prints one
table. Exit code 1: the judge saw what the verdicts of Skein do not name, or a run ended as none should.

A groom has so many seconds of CPU (--seconds), settling and frames of every step with them; after that it is "out of time" and
what it has is judged. Columns:
    flaws      steps of which Skein says so, by kind
    deepest    largest overlap that Skein says, in radii (without verdicts: of its contacts)
    crossed    pairs of axes that Skein says went through each other
    speed      largest over Skein's bound
    made       energy made of nothing over the work there was
    cpu/s      seconds of CPU per simulated second, settling with it
    seen       by the independent judge: deepest overlap; pairs deeper than half a contact length, crossings, spikes (and the
               largest speed over 1.5 times that without contacts and the fastest surface's), blow-ups
    unnamed    of these that Skein's verdict of the step does not name"""
import argparse
import csv
import json
import math
import pathlib
import secrets
import shutil
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed

import h5py
import numpy as np

import judge as independent
import make
import simulate

FLAWS = ["diverged", "woken", "too fast", "missed", "curved", "too deep", "deep", "unbalanced"]
UNSURE = 0.3  # contact lengths: two polylines miss their curves by an eighth of a radius each
COLUMNS = ["groom", "seed", "end", "simulated", "steps", "flaws", "deepest", "crossed", "speed", "made", "cpu/s", "seen deepest",
           "seen overlaps", "seen crossings", "seen spikes", "seen speed", "seen blow-ups", "unnamed"]


# ---- What Skein says ----

def verdict_of(steps, k):
    """The verdict of a step as {name: value}, findings as (size, {objects}); None: the run has none."""
    if "verdict" not in steps:
        return None
    v = steps["verdict"]
    flaws = int(v["flaws"][k])
    if flaws < 0:
        return None
    found = {"flaws": {FLAWS[i] for i in range(len(FLAWS)) if flaws >> i & 1}}
    for name in ("overlap", "deeper", "curved", "balance", "reach", "speed", "crossed"):
        found[name] = (float(v[name][k]), tuple(int(x) for x in v[name + "_of"][k]))
    found["made"], found["turnover"] = float(v["made"][k]), float(v["turnover"][k])
    return found


def read_verdicts(path):
    """Of every frame but the first: its verdict, and the overlap of its contacts."""
    with h5py.File(path, "r") as run:
        steps = [run["frames/%06d/steps" % k] for k in range(1, int(run.attrs["frames"]))]
        return [verdict_of(s, -1) for s in steps], [float(s["penetration"][-1]) for s in steps]


def frames_in(path):
    if not path.exists():
        return 0
    with h5py.File(path, "r") as run:
        return int(run.attrs["frames"])


# ---- Both ----

def overlap_is_named(seen, said):
    worst = max(seen.values())
    if said is None:
        return False
    size, pair = said["overlap"]
    return abs(size - worst) <= UNSURE and seen.get(tuple(sorted(pair)), independent.DEEP / 2) >= worst - UNSURE


def crossing_is_named(seen, said):
    return said is not None and said["crossed"][0] >= len(seen) and tuple(sorted(said["crossed"][1])) in seen


def spike_is_named(rods, said):
    if said is None:
        return False
    over = [said[name][1] for name, most in (("speed", 1), ("balance", 0.02), ("reach", 1)) if not said[name][0] <= most]
    return any(k in rods for pair in over for k in pair)


def unnamed(one, verdicts, bound):
    """What the judge saw in a step that the step's verdict does not name: (time, kind, what)."""
    found = []
    for k in range(1, len(one.times)):
        time, said = one.times[k], verdicts[k - 1]
        deep = {p: x for p, x in one.overlaps[k].items()}
        if deep and max(deep.values()) > independent.DEEP and not overlap_is_named(deep, said):
            pair = max(deep, key=deep.get)
            found.append((time, "overlap", pair, round(deep[pair], 3), said and said["overlap"]))
        if one.crossings[k] and not crossing_is_named(one.crossings[k], said):
            found.append((time, "crossing", sorted(one.crossings[k]), len(one.crossings[k]), said and said["crossed"]))
        fast = {int(i) for i in np.flatnonzero(one.speeds[k] > bound)}
        if fast and not spike_is_named(fast, said):
            found.append((time, "spike", sorted(fast), round(float(one.speeds[k].max() / bound), 3), said and said["speed"]))
        if one.mean[k] > bound and not (said and said["flaws"] & {"diverged", "unbalanced"}):
            found.append((time, "blow-up", (), round(one.mean[k] / bound, 3), said and said["balance"]))
    return found


def sum_up(row, one, events, bound, verdicts, penetration):
    kinds = {kind: [e for e in events if e["kind"] == kind] for kind in ("overlap", "crossing", "spike", "blow-up")}
    said = [v for v in verdicts if v]
    counts = {name: sum(name in v["flaws"] for v in said) for name in FLAWS}
    row["flaws"] = "; ".join("%s %d" % (n, c) for n, c in counts.items() if c) or ("none" if said else "-")
    row["deepest"] = max((v["overlap"][0] for v in said), default=max(penetration, default=0.0))
    row["crossed"] = sum(int(v["crossed"][0]) for v in said) if said else "-"
    row["speed"] = max((v["speed"][0] for v in said), default="-")
    turnover = sum(v["turnover"] for v in said)
    row["made"] = sum(v["made"] for v in said) / turnover if turnover > 0 else "-"
    row["seen deepest"] = max((max(o.values()) for o in one.overlaps if o), default=0.0)
    row["seen overlaps"] = len({tuple(e["objects"]) for e in kinds["overlap"]})
    row["seen crossings"], row["seen spikes"], row["seen blow-ups"] = (len(kinds[k]) for k in ("crossing", "spike", "blow-up"))
    row["seen speed"] = one.fastest() / bound if bound > 0 else 0.0


def one_groom(skein, keep, name, seed, settings, seconds, patience):
    """A row of the table, and what Skein did not name."""
    folder = pathlib.Path(keep or tempfile.mkdtemp(prefix="skein-groom-")) / ("%s-%d" % (name, seed))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        ends = simulate.groom(skein, folder, name, seed, settings, seconds)
        row = dict.fromkeys(COLUMNS, "-")
        row.update({"groom": name, "seed": seed, "end": ends["run"]["end"], "unnamed": 0, "simulated": 0.0, "steps": 0})
        settle = json.loads((folder / "run.json").read_text())["time"].get("settle", 0)
        row["cpu/s"] = ends["run"]["cpu"] / settle if settle else math.inf  # at least
        missing = []
        path, free = folder / "run.h5", folder / "free.h5"
        frames = frames_in(path)
        if frames == 0:
            row["end"] += " in settling" if settle and ends["run"]["end"] == "out of time" else ""
            return row, missing, ends["run"]["said"]
        one, events, bound = independent.judge_run(path, free, skein, patience)
        verdicts, penetration = read_verdicts(path)
        with h5py.File(path, "r") as run:
            row["simulated"] = float(run["frames/%06d" % (frames - 1)].attrs["time"])
        took = row["simulated"] + settle
        row["steps"], row["cpu/s"] = frames - 1, ends["run"]["cpu"] / took if took > 0 else math.inf
        if len(one.times) < frames:
            row["end"] += ", judged to %.3g s" % one.times[-1]
        sum_up(row, one, events, bound, verdicts, penetration)
        missing = unnamed(one, verdicts, bound)
        row["unnamed"] = len(missing)
        (folder / "events.json").write_text(json.dumps({"bound": bound, "events": events, "unnamed": missing}, indent=1))
        return row, missing, ends["run"]["said"]
    finally:
        if not keep:
            shutil.rmtree(folder.parent)


# ---- The table ----

def text(value):
    return "%.3g" % value if isinstance(value, float) else str(value)


def show(rows, out=sys.stdout):
    cells = [[text(r[c]) for c in COLUMNS] for r in rows]
    width = [max(len(x) for x in column) for column in zip(COLUMNS, *cells)]
    for line in [COLUMNS] + cells:
        print("  ".join(x.ljust(w) for x, w in zip(line, width)).rstrip(), file=out)


def seeds_of(words):
    found = []
    for word in words.split(","):
        found.append(secrets.randbelow(1000000) if word == "drawn" else int(word))
        if word == "drawn":
            print("the drawn seed is %d" % found[-1])
    return found


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skein", required=True, help="the command")
    parser.add_argument("--only", default=",".join(make.grooms), help="names of grooms, with commas; also few and sticks")
    parser.add_argument("--seeds", default="1,2,3,drawn", help="numbers, or 'drawn'")
    parser.add_argument("--settings", help="JSON that goes over each scene; of a whole scene its solver block")
    parser.add_argument("--seconds", type=int, default=60, help="of CPU, for a groom")
    parser.add_argument("--patience", type=int, default=300, help="seconds of CPU that the judge looks at a groom")
    parser.add_argument("--jobs", type=int, default=2, help="grooms at a time, each with one thread")
    parser.add_argument("--csv", help="the table as a file")
    parser.add_argument("--keep", help="a folder for scenes, runs and events; what is there is not simulated again")
    return parser.parse_args()


def main():
    options = read_options()
    settings = json.loads(pathlib.Path(options.settings).read_text()) if options.settings else {}
    skein = str(pathlib.Path(options.skein).resolve())
    work = [(name, seed) for seed in seeds_of(options.seeds) for name in options.only.split(",")]
    rows, bad = {}, False
    with ProcessPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(one_groom, skein, options.keep, *w, settings, options.seconds, options.patience): w for w in work}
        for job in as_completed(jobs):
            row, missing, said = job.result()
            rows[jobs[job]] = row
            print("%s %d: %s" % (*jobs[job], row["end"]), file=sys.stderr, flush=True)
            if row["end"].startswith("exit"):
                bad = True
                print(said, file=sys.stderr)
            for time, kind, who, size, verdict in missing[:5]:
                bad = True
                print("  t = %.9g s: %s of %s, size %g: the verdict says %s" % (time, kind, who, size, verdict), file=sys.stderr)
    table = [rows[w] for w in work]
    show(table)
    if options.csv:
        with open(options.csv, "w", newline="") as out:
            writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows({c: text(r[c]) for c in COLUMNS} for r in table)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
