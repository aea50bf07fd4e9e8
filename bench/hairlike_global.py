#!/usr/bin/python3
"""Writes one hair-like problem twice, as FCLIB local and as FCLIB global files.

The shared generator gen_hairlike.py draws rods, contacts and the reduced problem W, b and writes the local file. From
what it leaves behind (Minv, H, vf, mu) the global problem is written beside it:

    M v = H' r + f,  u = H v + w      M = Minv^-1 by rods,  f = M vf,  w = 0

FCLIB stores H transposed, as dofs x 3n. At the end W = H M^-1 H' and b = H M^-1 f are rebuilt from the global file and
compared with the local file.

Needs numpy, scipy and h5py. Example:
    hairlike_global.py --tools SHARED/tools --rods 60 --contacts 1000 --seed 1 hair-60-1000
writes hair-60-1000-local.hdf5 and hair-60-1000-global.hdf5.
"""
import argparse
import os
import runpy
import sys

import h5py
import numpy as np
import scipy.sparse as sp


def parse_arguments():
    text = __doc__.split("\n\n")
    parser = argparse.ArgumentParser(description=text[0], epilog="\n\n".join(text[1:]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default=os.environ.get("SKEIN_SHARED_TOOLS"),
                        help="folder of gen_hairlike.py (default: the environment's SKEIN_SHARED_TOOLS)")
    parser.add_argument("--rods", type=int, default=60)
    parser.add_argument("--contacts", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mu", type=float, default=0.3)
    parser.add_argument("out", help="beginning of the two file names")
    arguments = parser.parse_args()
    if not arguments.tools:
        parser.error("give --tools or set SKEIN_SHARED_TOOLS")
    return arguments


def run_generator(arguments, path):
    """The generator is a script that reads sys.argv: run as it is, its variables returned."""
    script = os.path.join(arguments.tools, "gen_hairlike.py")
    saved = sys.argv, list(sys.path)
    sys.argv = [script] + [str(x) for x in (arguments.rods, arguments.contacts, arguments.seed, path, arguments.mu)]
    try:
        return runpy.run_path(script)
    finally:
        sys.argv, sys.path[:] = saved


def write_matrix(group, A):
    """Compressed columns (nz = -1), as libfclib lays them out."""
    A = sp.csc_matrix(A)
    A.sum_duplicates()
    A.sort_indices()
    for name, value in (("nzmax", A.nnz), ("m", A.shape[0]), ("n", A.shape[1]), ("nz", -1)):
        group.create_dataset(name, data=np.array([value], dtype="i4"))
    group.create_dataset("p", data=A.indptr.astype("i4"))
    group.create_dataset("i", data=A.indices.astype("i4"))
    group.create_dataset("x", data=A.data.astype("f8"))


def write_global(path, M, H, f, mu, title, description, math_info):
    """H is ours, 3n x dofs; w = 0."""
    with h5py.File(path, "w") as file:
        g = file.create_group("fclib_global")
        g.create_dataset("spacedim", data=np.array([3], dtype="i4"))
        write_matrix(g.create_group("M"), M)
        write_matrix(g.create_group("H"), H.T)
        vectors = g.create_group("vectors")
        for name, value in (("f", f), ("w", np.zeros(H.shape[0])), ("mu", mu)):
            vectors.create_dataset(name, data=np.asarray(value, dtype="f8"))
        info = g.create_group("info")
        for name, text in (("title", title), ("description", description), ("math_info", math_info)):
            info.create_dataset(name, data=np.array(text.encode(), dtype="S%d" % (len(text) + 1)))


def read_matrix(group):
    shape, nz = (int(group["m"][0]), int(group["n"][0])), int(group["nz"][0])
    kind = {-1: sp.csc_matrix, -2: sp.csr_matrix}[nz]
    return kind((group["x"][:], group["i"][:], group["p"][:]), shape=shape)


def reduce_global(path, dofs_per_rod):
    """W = H M^-1 H', b = H M^-1 f + w from the file alone; M is inverted rod by rod."""
    with h5py.File(path, "r") as file:
        g = file["fclib_global"]
        M, H = read_matrix(g["M"]).tocsr(), read_matrix(g["H"]).T.tocsr()
        f, w = g["vectors/f"][:], g["vectors/w"][:]
    starts = range(0, M.shape[0], dofs_per_rod)
    Minv = sp.block_diag([np.linalg.inv(M[s:s + dofs_per_rod, s:s + dofs_per_rod].toarray()) for s in starts]).tocsr()
    return H @ Minv @ H.T, H @ (Minv @ f) + w


def read_local(path):
    with h5py.File(path, "r") as file:
        g = file["fclib_local"]
        return read_matrix(g["W"]), g["vectors/q"][:]


def main():
    arguments = parse_arguments()
    local, path = arguments.out + "-local.hdf5", arguments.out + "-global.hdf5"
    made = run_generator(arguments, local)
    Minv, vf = made["Minv"], made["vf"]
    blocks = np.linalg.inv(Minv)
    blocks = 0.5 * (blocks + blocks.transpose(0, 2, 1))
    f = np.einsum("ikl,il->ik", blocks, vf).ravel()
    rods, dofs = Minv.shape[:2]
    write_global(path, sp.block_diag(list(blocks), format="csc"), made["H"], f, made["mu"],
                 "hairlike N=%d n=%d" % (rods, len(made["mu"])),
                 "synthetic rods %d dofs, seed %d, global form" % (dofs, arguments.seed),
                 "3n/m=%.2f" % (3 * len(made["mu"]) / (rods * dofs)))

    W, b = reduce_global(path, dofs)
    W_local, b_local = read_local(local)
    error_W = abs(W - W_local).max() / abs(W_local).max()
    error_b = abs(b - b_local).max() / abs(b_local).max()
    print("%s, %s: W agrees to %.1e, b to %.1e" % (local, path, error_W, error_b))
    if not max(error_W, error_b) < 1e-9:
        sys.exit("hairlike_global.py: the global file is not the same problem as the local file")


if __name__ == "__main__":
    main()
