"""What runs show: clumps, volume, motion, stick and slip, rest. docs/measures.md has the definitions."""
from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy

from . import _lib
from ._lib import lib
from .run import Run
from .world import Frame, steps_array

RUB_DTYPE = numpy.dtype(_lib.RubStruct)
MEASURE_DTYPE = numpy.dtype(_lib.MeasureRowStruct)


class Clumps(NamedTuple):
    """Connected components of rods that move as one; `clump` has the first rod of each rod's clump, -1: single."""
    clumps: int  # of two rods or more
    singles: int
    largest: int  # rods
    pairs: int
    mean: float  # rods per clump
    of_rod: float  # size of the clump that a rod is in, mean over the rods
    clump: numpy.ndarray


class Volume(NamedTuple):
    """Of the cells that rods pass through, of those that they enclose (m^3), and their spread (m)."""
    occupied: float
    envelope: float
    spread: float


class Motion(NamedTuple):
    """Between two frames: speeds (m/s) and the longest way (m)."""
    root_speed: float
    speed: float
    fastest: float
    shift: float


class Rest(NamedTuple):
    """The largest values over the end of a run."""
    start: float
    end: float
    speed: float
    kinetic: float
    speed_end: float
    contacts_changed: float


class Measures(NamedTuple):
    """Of a run: `rows`, one per frame (rows["time"], rows["clumps"]["largest"]), and how the rod `strand` rubs."""
    rows: numpy.ndarray
    strand: int  # -1: no rod both sticks and slides on a body
    rub: numpy.ndarray
    rest: Rest
    shift: float


def _definition(options) -> _lib.MeasureDef:
    out = lib.skein_default_measure_def()
    for name, value in options.items():
        if name not in ("reach", "share", "hold", "slip", "cell", "outer"):
            raise TypeError(f"no option {name!r}, expected reach, share, hold, slip, cell or outer")
        setattr(out, name, _lib.real(value, name))
    return out


def _fields(struct) -> tuple:
    return tuple(getattr(struct, name) for name, _ in struct._fields_)


def clumps(frame: Frame, before: Frame | None = None, **options) -> Clumps:
    """Rods that run side by side and, where `before` is given, have moved as one since. Options: reach, share, slip.

    >>> import numpy, skein
    >>> line = numpy.linspace([0, 0, 0], [0, 0, 1], 5)
    >>> frame = skein.Frame(rods=[line, line + [0.003, 0, 0], line + [0.1, 0, 0]], radius=1e-3)
    >>> skein.clumps(frame).clump.tolist()
    [0, 0, -1]
    """
    now, arrays = frame._struct()
    then, others = before._struct() if before is not None else (None, None)
    out, clump = _lib.ClumpsStruct(), numpy.zeros(len(frame.radius), numpy.int32)
    _lib.check(lib.skein_measure_clumps(then, now, _definition(options),
                                        clump.ctypes.data_as(_lib.c_int_p), out))
    del arrays, others  # alive until here
    return Clumps(*_fields(out), clump)


def volume(frame: Frame, cell: float = 0.01) -> Volume:
    """The space that rods take, by cells of an edge of `cell` (m)."""
    source, arrays = frame._struct()
    out = _lib.VolumeStruct()
    _lib.check(lib.skein_measure_volume(source, _lib.real(cell, "cell"), out))
    del arrays
    return Volume(*_fields(out))


def motion(before: Frame, frame: Frame) -> Motion:
    """What moved between two frames of the same rods."""
    (then, others), (now, arrays) = before._struct(), frame._struct()
    out = _lib.MotionStruct()
    _lib.check(lib.skein_measure_motion(then, now, out))
    del arrays, others
    return Motion(*_fields(out))


def rubs(before: Frame, frame: Frame, outer: float = 0.5) -> numpy.ndarray:
    """How each rod rubs on bodies with its outer part: contacts, status (-1: none), slip (m), force (N)."""
    (then, others), (now, arrays) = before._struct(), frame._struct()
    out = numpy.zeros(len(frame.radius), RUB_DTYPE)
    _lib.check(lib.skein_measure_rubs(then, now, _lib.real(outer, "outer"),
                                      out.ctypes.data_as(ctypes.POINTER(_lib.RubStruct))))
    del arrays, others
    return out


def rest(steps, window: float = 2.0) -> Rest:
    """The largest speed and kinetic energy over the last `window` s of the steps."""
    rows = steps_array(steps)
    pointer = rows.ctypes.data_as(ctypes.POINTER(_lib.StepInfoStruct))
    return Rest(*_fields(lib.skein_measure_rest(pointer, len(rows), _lib.real(window, "window"))))


def measure(run, **options) -> Measures:
    """All measures of a run (a Run or its path). Options: reach, share, hold, slip, cell, outer."""
    if not isinstance(run, Run):
        with Run(run) as opened:
            return measure(opened, **options)
    out, definition = _lib.MeasuresStruct(), _definition(options)
    with run._use() as handle, _lib.hdf5:
        _lib.check(lib.skein_measure_run(handle, definition, out))
    try:
        return Measures(_lib.copied(out.row, out.frames, MEASURE_DTYPE), out.strand,
                        _lib.copied(out.rub, out.frames, RUB_DTYPE), Rest(*_fields(out.rest)), out.shift)
    finally:
        lib.skein_measures_destroy(out)
