"""Meshes that move, and the files of other programs with them, written from the formats' descriptions: OBJ, PC2, MDD."""
import struct

import numpy


def ball(radius, rings=12, around=24):
    """A closed ball: vertices, triangles (from 0) that look out."""
    v = [(0, 0, radius)]
    for i in range(1, rings):
        a = numpy.pi * i / rings
        for k in range(around):
            b = 2 * numpy.pi * k / around
            v.append((radius * numpy.sin(a) * numpy.cos(b), radius * numpy.sin(a) * numpy.sin(b),
                      radius * numpy.cos(a)))
    v.append((0, 0, -radius))
    t = []
    for k in range(around):
        n = (k + 1) % around
        t.append((0, 1 + k, 1 + n))
        for i in range(rings - 2):
            up, down = 1 + i * around, 1 + (i + 1) * around
            t += [(up + k, down + k, down + n), (up + k, down + n, up + n)]
        last = 1 + (rings - 2) * around
        t.append((last + k, len(v) - 1, last + n))
    return numpy.array(v), numpy.array(t)


def sheet(size, cells):
    """An open square in the plane z = 0 that looks up."""
    x = numpy.linspace(-size / 2, size / 2, cells + 1)
    v = numpy.array([(a, b, 0) for b in x for a in x])
    t = []
    for j in range(cells):
        for i in range(cells):
            p = j * (cells + 1) + i
            t += [(p, p + 1, p + cells + 2), (p, p + cells + 2, p + cells + 1)]
    return v, numpy.array(t)


def write_obj(path, v, t):
    lines = ["v %.9g %.9g %.9g" % tuple(p) for p in v] + ["f %d %d %d" % tuple(f + 1) for f in t]
    path.write_text("\n".join(lines) + "\n")


def write_pc2(path, frames, start=0.0, sampling=1.0):
    head = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(frames[0]), start, sampling, len(frames))
    path.write_bytes(head + b"".join(numpy.asarray(f, "<f4").tobytes() for f in frames))


def write_mdd(path, frames, times):
    head = struct.pack(">ii%df" % len(times), len(frames), len(frames[0]), *times)
    path.write_bytes(head + b"".join(numpy.asarray(f, ">f4").tobytes() for f in frames))
