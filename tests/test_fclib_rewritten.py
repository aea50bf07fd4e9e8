#!/usr/bin/python3
"""test_fclib_rewritten.py SKEIN [FILES [SEED]]: sound FCLIB files that h5py and libfclib rewrite, delete from and
repack in random ways are read, and hold the problem that they held; cut ones are refused, spoiled ones never crash."""
import ctypes
import ctypes.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"{missing.name} is not installed: skipped")
    sys.exit(77)

tool = os.path.abspath(sys.argv[1])
files = int(sys.argv[2]) if len(sys.argv) > 2 else 500
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
MATRICES = {"fclib_local": ("W",), "fclib_global": ("M", "H")}


class FclibSolution(ctypes.Structure):
    _fields_ = [(name, ctypes.POINTER(ctypes.c_double)) for name in "vurl"]


def load_fclib():
    name = ctypes.util.find_library("fclib")
    return ctypes.CDLL(name) if name else None


fclib = load_fclib()


# ---- What is rewritten: nothing of it changes the problem ----

def problem_of(f):
    return next(name for name in MATRICES if name in f)


def options(g, data):
    """How a row of numbers is stored: contiguous, chunked, packed, able to grow."""
    if data.ndim == 0 or len(data) == 0 or g.random() < 0.4:
        return {}
    grows = g.random() < 0.5
    made = {"chunks": (g.randint(1, 2 * len(data) + 1 if grows else len(data)),)}
    if g.random() < 0.5:
        made["compression"] = g.randint(0, 9)
    made["shuffle"], made["fletcher32"] = g.random() < 0.3, g.random() < 0.3
    if grows:
        made["maxshape"] = (None,)
    return made


def put(g, parent, name, data):
    kind = data.dtype
    if kind.kind == "i":
        kind = g.choice(["<i4", "<i8", ">i4", ">i8"])
    elif kind.kind == "f":
        kind = g.choice(["<f8", ">f8"])
    parent.create_dataset(name, data=data.astype(kind), **options(g, data))


def numbers_of(f):
    """Every dataset of numbers."""
    found = []
    f.visititems(lambda name, x: found.append(name) if isinstance(x, h5py.Dataset) and x.dtype.kind in "if" else None)
    return sorted(found)


def rewrite_numbers(g, f):
    for name in g.sample(numbers_of(f), 3):
        data = f[name][()]
        del f[name]
        put(g, f, name, data)


def rewrite_group(g, f):
    """A group is deleted and made again in another order."""
    name = g.choice([n for n in ("solution", "guesses", problem_of(f), problem_of(f) + "/vectors") if n in f])
    data = {}
    f[name].visititems(lambda n, x: data.update({n: x[()]}) if isinstance(x, h5py.Dataset) else None)
    del f[name]
    place = f.create_group(name, track_order=g.random() < 0.3)
    for n in g.sample(sorted(data), len(data)):
        if isinstance(data[n], bytes):
            place.create_dataset(n, data=numpy.bytes_(data[n]))
        else:
            put(g, place, n, numpy.asarray(data[n]))


def delete_what_is_not_needed(g, f):
    for name in ("solution", "guesses"):
        if name in f and g.random() < 0.7:
            del f[name]


def add_and_delete(g, f):
    """Things of somebody else, some of which go again; what stays leaves holes and stale records behind."""
    own = [f"notes/{g.randint(0, 5)}/{g.randint(0, 50)}" for _ in range(g.randint(1, 60))]
    for name in set(own):
        f[name] = g.choice([numpy.zeros(g.randint(1, 300)), numpy.bytes_("TREE\0\0\0\0HEAP"), "text", g.randint(0, 9)])
    for name in g.sample(sorted(set(own)), g.randint(0, len(set(own)))):
        del f[name]
    if g.random() < 0.4:
        del f["notes"]
    else:
        f.move("notes", f"moved{g.randint(0, 10 ** 9)}")
    f[problem_of(f)].attrs["by"] = "x" * g.randint(1, 2000)


def give_another_name(g, f):
    """A second name for a dataset, or for a group, even for one that it is in."""
    f[f"again{g.randint(0, 10 ** 9)}"] = f[g.choice(numbers_of(f))]
    if g.random() < 0.5:
        f[problem_of(f)][f"again{g.randint(0, 10 ** 9)}"] = f[problem_of(f)]


def more_room(g, f):
    """nzmax grows, with or without entries that nobody uses."""
    group = problem_of(f)
    A = f[group][g.choice(MATRICES[group])]
    room, nz = int(numpy.ravel(A["nzmax"][()])[0]), int(numpy.ravel(A["nz"][()])[0])
    extra = g.randint(1, 20)
    A["nzmax"][...] = room + extra
    if g.random() < 0.5:
        return
    for name in ("x",) if nz >= 0 else ("i", "x"):
        data = numpy.concatenate([A[name][()], numpy.full(extra, 7).astype(A[name].dtype)])
        if len(data) <= room + extra:
            del A[name]
            put(g, A, name, data)


def entries_of(A):
    """Rows, columns, values."""
    m, n, nz = (int(numpy.ravel(A[k][()])[0]) for k in ("m", "n", "nz"))
    p, i, x = (A[k][()] for k in "pix")
    if nz >= 0:
        return m, n, p[:nz], i[:nz], x[:nz]
    used = p[-1]
    line = numpy.repeat(numpy.arange(len(p) - 1), numpy.diff(p))
    return (m, n, line, i[:used], x[:used]) if nz == -2 else (m, n, i[:used], line, x[:used])


def other_form(g, f):
    """Rows, columns or triplets; of M now and then one triangle."""
    group = problem_of(f)
    name = g.choice(MATRICES[group])
    m, n, row, col, x = entries_of(f[group][name])
    if name == "M" and (row > col).any() and (row < col).any() and g.random() < 0.5:
        keep = row >= col if g.random() < 0.5 else row <= col
        row, col, x = row[keep], col[keep], x[keep]
    order = numpy.lexsort((col, row))
    row, col, x = row[order], col[order], x[order]
    form = g.choice((-2, -1, 0))
    if form == -1:
        order = numpy.argsort(col, kind="stable")
        row, col, x = row[order], col[order], x[order]
    lines = {-2: (row, m), -1: (col, n)}.get(form)
    p = row if form == 0 else numpy.concatenate([[0], numpy.cumsum(numpy.bincount(lines[0], minlength=lines[1]))])
    i = col if form >= -0 or form == -2 else row
    A = f[group][name]
    for k, data in (("p", p), ("i", i), ("x", x), ("nz", [len(x) if form == 0 else form]), ("nzmax", [len(x)])):
        del A[k]
        put(g, A, k, numpy.asarray(data))


def rewrite_solution(g, path):
    """libfclib itself writes what there is not yet."""
    with h5py.File(path, "r") as f:
        global_form = problem_of(f) == "fclib_global"
        if not fclib or "solution" in f or "guesses" in f or f.userblock_size:
            return
        if not all(f[problem_of(f)][A][k].dtype == "<i4" for A in MATRICES[problem_of(f)] for k in ("m", "n")):
            return
        size = len(f[problem_of(f)]["vectors/" + ("w" if global_form else "q")])
        dofs = len(f[problem_of(f)]["vectors/f"]) if global_form else 0
    row = lambda count: (ctypes.c_double * max(count, 1))(*(g.random() for _ in range(count)))
    s = FclibSolution(row(dofs) if global_form else None, row(size), row(size), None)
    child = os.fork()  # it asserts and exits where it does not like a file
    if child == 0:
        os.close(1), os.close(2)
        os._exit(0 if fclib.fclib_write_solution(ctypes.byref(s), str(path).encode()) else 1)
    os.waitpid(child, 0)


def repack(g, path):
    """Everything into a new file."""
    new = path.with_suffix(".new")
    how = {"libver": g.choice(["earliest", "latest", ("earliest", "v108")]), "track_order": g.random() < 0.3}
    if g.random() < 0.2:
        how["userblock_size"] = g.choice([512, 1024, 4096])
    try:
        with h5py.File(path, "r") as old, h5py.File(new, "w", **how) as f:
            for name in g.sample(sorted(old), len(old)):
                old.copy(name, f)
        new.rename(path)
    except RuntimeError:  # an old format cannot hold what is in a new one
        new.unlink()


def rewrite(g, path):
    inside = (rewrite_numbers, rewrite_group, delete_what_is_not_needed, add_and_delete, give_another_name, more_room,
              other_form)
    for _ in range(g.randint(1, 6)):
        kind = g.random()
        if kind < 0.15:
            repack(g, path)
        elif kind < 0.3:
            rewrite_solution(g, path)
        else:
            with h5py.File(path, "r+") as f:
                for _ in range(g.randint(1, 3)):
                    g.choice(inside)(g, f)


# ---- The test ----

def info(paths):
    """Exit code, and what `skein info --json` says of each."""
    done = subprocess.run([tool, "info", "--json", *map(str, paths)], capture_output=True, text=True, timeout=300)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def same(a, b):
    """Sizes as they are; sums may be in another order."""
    for key in ("form", "d", "contacts", "dofs", "islands", "closing", "mu_min", "mu_max", "b_max", "w_mean",
                "diag_max"):
        if a[key] != b[key] and not (isinstance(a[key], float) and abs(a[key] - b[key]) <= 1e-9 * abs(a[key])):
            return f"{key} is {b[key]}, was {a[key]}"
    return None


def spoil(g, path):
    data = bytearray(path.read_bytes())
    for _ in range(g.randint(1, 8)):
        at = g.randrange(len(data))
        data[at:at + 8] = g.choice([bytes(8), b"\xff" * 8, g.randbytes(8)])
    path.write_bytes(data[:path.stat().st_size])


def main():
    g = random.Random(seed)
    failures, triangles = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        seeds = []
        for k, words in enumerate((["hairlike", "--rods", "6", "--contacts", "15"], ["manufactured", "--contacts", "8"],
                                   ["manufactured", "--contacts", "5", "--d", "2"])):
            path = folder / f"seed{k}.hdf5"
            subprocess.run([tool, "gen", *words, "--form", "both", "-o", str(path)], check=True, capture_output=True)
            seeds += [path, folder / f"seed{k}-local.hdf5"]
        for path in seeds[::2]:
            subprocess.run([tool, "solve", "--save", "--tol", "1e-6", str(path)], check=True, capture_output=True)
        origins = dict(zip(seeds, info(seeds)[1]))
        paths, sources = [], []
        for k in range(files):
            sources.append(g.choice(seeds))
            paths.append(folder / f"{k:04d}.hdf5")
            paths[-1].write_bytes(sources[-1].read_bytes())
            rewrite(g, paths[-1])
        done, said = info(paths)
        for line in done.stderr.splitlines():
            print("refused, but sound:", line)
        by_name = {o["file"]: o for o in said}
        for path, source in zip(paths, sources):
            o = by_name.get(str(path))
            why = same(origins[source], o) if o else "not read"
            triangles += bool(o and o.get("M_triangle"))
            if why:
                failures += 1
                print(f"not ok: {path.name}: {why}")
        print(f"{len(said)} of {files} files read, {triangles} of them with one triangle of M")
        refused = 0
        for path in paths[:100]:
            path.write_bytes(path.read_bytes()[:g.randrange(8, path.stat().st_size * 9 // 10)])
            refused += info([path])[0].returncode == 2
        print(f"{refused} of {min(files, 100)} cut files refused")
        failures += refused != min(files, 100)
        for path in paths[100:200]:
            spoil(g, path)
        done, said = info(paths[100:200])
        print(f"{len(said)} of {len(paths[100:200])} spoiled files read, the others refused")
        failures += done.returncode not in (0, 2)
    return failures > 0


sys.exit(main())
