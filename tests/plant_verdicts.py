#!/usr/bin/python3
"""plant_verdicts.py RUN.h5 PLAN: writes verdicts into the steps of a finished run, for tests of what is said of them.

PLAN is JSON: {"steps": {"12": {"flaws": ["too deep"], "overlap": [1.3, 0, 2], "made": 1e-6, ...}}, "turnover": 1e-3,
"attempts": {"12": [[["too deep"], "halve"], [[], "accept"]]}, "unjudged": bool}. Numbers are those of steps in the run;
findings are [size, a, b]. unjudged: the run becomes one of a version without verdicts."""
import json
import sys

import h5py
import numpy

FLAWS = ["diverged", "woken", "too fast", "missed", "curved", "too deep", "deep", "unbalanced"]
ACTIONS = ["accept", "accept flawed", "wake", "search further", "solve on", "ask less", "halve", "give up"]
FINDINGS = ["overlap", "deeper", "curved", "balance", "reach", "speed", "crossed"]


def bits(names):
    return sum(1 << FLAWS.index(name) for name in names)


def plant(steps, first, plan):
    count = len(steps["time"])
    verdict, attempts = steps["verdict"], []
    clean = {name: numpy.zeros(count) for name in [*FINDINGS, "made"]}
    for name in FINDINGS:
        clean[name + "_of"] = numpy.full((count, 2), -1, "i4")
    clean["flaws"], clean["turnover"] = numpy.zeros(count, "i4"), numpy.full(count, plan.get("turnover", 1e-3))
    steps["converged"][...] = 1
    for k in range(count):
        for name, value in plan.get("steps", {}).get(str(first + k), {}).items():
            if name in FINDINGS:
                clean[name][k], clean[name + "_of"][k] = value[0], value[1:]
            else:
                clean[name][k] = bits(value) if name == "flaws" else value
        attempts.append(plan.get("attempts", {}).get(str(first + k), [[[], "accept"]]))
    for name, values in clean.items():
        verdict[name][...] = values
    steps["attempts"][...] = [len(a) for a in attempts]
    if "attempt" in steps:
        del steps["attempt"]
    rows = [row for a in attempts for row in a]
    group = steps.create_group("attempt")
    group["dt"], group["seconds"] = numpy.full(len(rows), 1e-3), numpy.full(len(rows), 1e-4)
    group["flaws"] = numpy.array([bits(flaws) for flaws, _ in rows], "i4")
    group["action"] = numpy.array([ACTIONS.index(action) for _, action in rows], "i4")
    group["sweeps"] = numpy.full(len(rows), 3, "i4")


def main(path, plan):
    with h5py.File(path, "r+", libver="latest") as run:
        if plan.get("unjudged"):
            del run["names"]
        first = 0
        for frame in run["frames"].values():
            steps = frame["steps"]
            if plan.get("unjudged"):
                for name in ("verdict", "attempt", "attempts", "rods"):
                    del steps[name]
            else:
                plant(steps, first, plan)
            first += len(steps["time"])


main(sys.argv[1], json.loads(sys.argv[2]))
