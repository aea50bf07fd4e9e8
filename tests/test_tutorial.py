#!/usr/bin/python3
"""test_tutorial.py SKEIN ROOT: does docs/tutorial.md from top to bottom, as its reader would, in an empty folder. Each block of
commands (and of Python) must succeed, and what it prints must be what the block of text behind it says: words as they are,
numbers to 30 % (progress left out); "..." in a line stands for anything, a line of "..." for any lines."""
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NEAR = 0.3
PROGRESS = re.compile(r"^ *-?[\d.]+ s  frame |^settling |^frame \d+ of ")  # comes by the clock
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?$")


def same_word(wanted, found):
    if wanted == found:
        return True
    wanted, found = wanted.strip(",;:%()"), found.strip(",;:%()")
    if not (NUMBER.match(wanted) and NUMBER.match(found)):
        return wanted == found
    a, b = float(wanted), float(found)
    return math.isclose(a, b, rel_tol=NEAR, abs_tol=1e-12)


def same_line(wanted, found):
    """Words of a line; a word with "..." inside stands for what begins and ends so, "..." alone for any words."""
    if not wanted:
        return not found
    if wanted[0] == "...":
        return any(same_line(wanted[1:], found[k:]) for k in range(len(found) + 1))
    if not found:
        return False
    if "..." in wanted[0]:
        head, _, tail = wanted[0].partition("...")
        fits = found[0].startswith(head) and found[0].endswith(tail)
    else:
        fits = same_word(wanted[0], found[0])
    return fits and same_line(wanted[1:], found[1:])


def same_text(wanted, found):
    if not wanted:
        return not found
    if wanted[0].strip() == "...":
        return any(same_text(wanted[1:], found[k:]) for k in range(len(found) + 1))
    return bool(found) and same_line(wanted[0].split(), found[0].split()) and same_text(wanted[1:], found[1:])


def environment(folder, tool, root):
    """skein, Debian's Python with the module, and a pkg-config for the library as it was built."""
    build = tool.parent
    programs = folder / "bin"
    programs.mkdir()
    library = build / "libskein.so"
    asan = next((line.split()[2] for line in subprocess.run(["ldd", library], capture_output=True, text=True).stdout.splitlines()
                 if "libasan" in line), "")
    (programs / "python3").write_text(f'#!/bin/sh\nexec env LD_PRELOAD="{asan}" ASAN_OPTIONS=detect_leaks=0 /usr/bin/python3 "$@"\n')
    (programs / "pkg-config").write_text(f"#!/bin/sh\necho -I{root}/include -L{build} -Wl,-rpath,{build} -lskein"
                                         f"{' -fsanitize=address,undefined' if asan else ''}\n")
    for program in programs.iterdir():
        program.chmod(0o755)
    return dict(os.environ, PATH=f"{programs}:{build}:{os.environ['PATH']}", SKEIN_LIBRARY=str(library),
                PYTHONPATH=str(root / "python"), PYTHONDONTWRITEBYTECODE="1", OMP_WAIT_POLICY="passive")


def main():
    tool, root = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    page = (root / "docs/tutorial.md").read_text()
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", page, re.M | re.S)
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        work = folder / "work"
        work.mkdir()
        env = environment(folder, tool, root)
        for k, (language, text) in enumerate(blocks):
            if language not in ("sh", "python"):
                continue
            command = ["bash", "-euo", "pipefail", "-c", text] if language == "sh" else ["python3", "-c", text]
            done = subprocess.run(command, cwd=work, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            first = next(line for line in reversed(text.splitlines()) if line.strip())
            wanted = blocks[k + 1][1] if k + 1 < len(blocks) and blocks[k + 1][0] == "text" else None
            said = [line for line in done.stdout.splitlines() if not PROGRESS.match(line)]
            good = done.returncode == 0 and (wanted is None or same_text(wanted.splitlines(), said))
            print("ok" if good else "not ok", first[:100])
            if not good:
                failures += 1
                print(f"  exit code {done.returncode}; it printed:\n{done.stdout[-2000:]}  expected:\n{wanted}")
                break
    return 1 if failures else 0


sys.exit(main())
