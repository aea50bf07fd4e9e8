"""Runs of a groom for those who judge it: a frame of every step, and the same without contacts."""
import copy
import json
import os
import pathlib
import resource
import signal
import subprocess

import make


def merged(scene, settings):
    """The scene with settings over it, field by field; of a whole scene only its solver block."""
    if "rods" in settings:
        settings = {"solver": settings["solver"]}
    out = copy.deepcopy(scene)
    for key, value in settings.items():
        out[key] = merged(out.get(key, {}), value) if isinstance(value, dict) else value
    return out


def groups(scene):
    found = {r.get("group", "rods") for r in scene.get("rods", [])} | {b.get("group", "bodies") for b in scene.get("bodies", [])}
    return sorted(found)


def without_contacts(scene):
    names = groups(scene)
    return dict(scene, pairs=[{"groups": [a, b], "contacts": False} for k, a in enumerate(names) for b in names[k:]])


def of_every_step(scene):
    return dict(scene, output=dict(scene.get("output", {}), every="step", contacts=False, checkpoint_every=100000))


def play(skein, scene, run, seconds, options=()):
    """Simulates with one thread and at most so many seconds of CPU. {"end", "cpu", "said"}: "end" is done, out of time, blew
    up, or the exit code."""
    command = [skein, "run", str(scene), "-o", str(run), "--overwrite", "-q", "-j1", *options]
    with open(str(run) + ".log", "w+") as log:
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        child = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, preexec_fn=limit, cwd=scene.parent,
                                 env=dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"))
        _, status, used = os.wait4(child.pid, 0)
        log.seek(0)
        said = log.read().strip()[-300:]
    child.returncode = os.waitstatus_to_exitcode(status)
    end = {0: "done", -signal.SIGXCPU: "out of time", -signal.SIGKILL: "out of time"}.get(child.returncode)
    if child.returncode == 3 and "blew up" in said:
        end = "blew up"
    return {"end": end or "exit %d" % child.returncode, "cpu": used.ru_utime + used.ru_stime, "said": said}


def groom(skein, folder, name, seed, settings, seconds):
    """FOLDER/run.h5, and FOLDER/free.h5 without contacts, which settings do not change; what is there already stays. How
    both ended."""
    folder = pathlib.Path(folder)
    scene, ends = make.make(folder, name, seed), {}
    for kind, which in (("free", without_contacts(scene)), ("run", merged(scene, settings))):
        known, path = folder / (kind + ".end"), folder / (kind + ".json")
        if not known.exists():
            path.write_text(json.dumps(of_every_step(which), indent=1) + "\n")
            known.write_text(json.dumps(play(skein, path, folder / (kind + ".h5"), seconds)))
        ends[kind] = json.loads(known.read_text())
    return ends
