"""Run files (RUN.h5): reading them as arrays, writing them. docs/runs.md is the reference of the format."""
from __future__ import annotations

import ctypes
import json
import os
from typing import Any, Callable, Iterator

import numpy

from . import _lib
from ._lib import lib
from .world import STEP_DTYPE, Frame, Scene, StepInfo, World, _info, _scene, steps_array


def _steps_struct(steps):
    """Pointer, count, and the array that must live as long."""
    rows = steps_array(steps)
    return rows.ctypes.data_as(ctypes.POINTER(_lib.StepInfoStruct)), len(rows), rows


def _steps_take(address, count) -> numpy.ndarray:
    """The library's rows as an array; they are freed."""
    try:
        return _lib.copied(address, count, STEP_DTYPE)
    finally:
        if address:
            _lib.free(address)


class Run(_lib.Owner):
    """A run file, open. ``Run(path)`` reads, ``Run(path, write=True)`` goes on with one, ``Run.create`` begins one.

    frames are read one at a time: ``run[k]``, ``run[-1]``, ``for frame in run``; ``run.steps()`` is a table.

    >>> import os, skein, tempfile
    >>> scene = {"rods": [{"name": "strand", "length": 0.1}], "time": {"duration": 0.1}, "output": {"fps": 50}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = skein.simulate(scene, os.path.join(folder, "strand.h5"), threads=1)
    ...     with skein.Run(path) as run:
    ...         len(run), run.fps, run[-1].time, run[0].rod(0).shape[1], float(run.steps()["time"][-1])
    (6, 50.0, 0.1, 3, 0.1)
    """

    def __init__(self, path, write: bool = False):
        with _lib.hdf5:
            self._handle = _lib.create(lib.skein_run_open, _lib.path_bytes(path), bool(write), destroy=_close)
        self.path = os.fsdecode(path)

    @classmethod
    def create(cls, path, scene) -> Run:
        """A new run of a scene (a Scene, a dict, or a path); an existing file is replaced at the first frame.

        While it is written, frames are in the folder PATH.d; finish() makes one file of it."""
        scene, self = _scene(scene), object.__new__(cls)
        with scene._use() as pointer, _lib.hdf5:
            manifest = lib.skein_scene_manifest(pointer)
            manifest.folder = _lib.path_bytes(scene._folder)
            self._handle = _lib.create(lib.skein_run_create, _lib.path_bytes(path), ctypes.byref(manifest),
                                       destroy=_close)
            self.path = os.fsdecode(path)
        return self

    # ---- What it is ----

    @property
    def frames(self) -> int:
        """How many frames."""
        with self._use() as run:
            return lib.skein_run_frames(run)

    def __len__(self) -> int:
        return self.frames

    @property
    def fps(self) -> float:
        """Frames per second of simulated time."""
        with self._use() as run:
            return lib.skein_run_fps(run)

    def _text(self, function) -> str:
        with self._use() as run:
            return (function(run) or b"").decode(errors="replace")

    @property
    def title(self) -> str:
        """Of the scene."""
        return self._text(lib.skein_run_title)

    @property
    def source(self) -> str:
        """The scene's JSON text."""
        return self._text(lib.skein_run_source)

    @property
    def scene(self) -> dict:
        """The scene as a dict."""
        return json.loads(self.source)

    @property
    def version(self) -> str:
        """Of the library that wrote it."""
        return self._text(lib.skein_run_version)

    @property
    def folder(self) -> str:
        """Where the files that the scene names are."""
        return self._text(lib.skein_run_folder)

    def read_scene(self) -> Scene:
        """The scene, checked: for a World that goes on."""
        return Scene.parse(self.source, self.path, self.folder)

    # ---- Reading ----

    def frame(self, k: int) -> Frame:
        """Frame k as arrays; -1 is the last."""
        out = _lib.FrameStruct()
        with self._use() as run, _lib.hdf5:
            k = range(lib.skein_run_frames(run))[_lib.integer(k, "frame")]
            _lib.check(lib.skein_run_frame(run, k, out))
        return Frame._take(out)

    def __getitem__(self, k: int) -> Frame:
        return self.frame(k)

    def __iter__(self) -> Iterator[Frame]:
        return (self.frame(k) for k in range(self.frames))

    def steps(self) -> numpy.ndarray:
        """Every step of the frames, a structured array laid out as in C: run.steps()["contacts"],
        run.steps()["verdict"]["overlap"]["size"]; `skein.flaw_names` says which flaws a set of bits has."""
        out, count = ctypes.POINTER(_lib.StepInfoStruct)(), ctypes.c_int()
        with self._use() as run, _lib.hdf5:
            status = lib.skein_run_steps(run, out, count)
            rows = _steps_take(out, count.value if status.code == _lib.Code.OK else 0)
        _lib.check(status)
        return rows

    def infos(self) -> list[StepInfo]:
        """The same as StepInfo records, whose verdicts have names of flaws, rods and bodies."""
        rows = numpy.ascontiguousarray(self.steps())
        structs = (_lib.StepInfoStruct * len(rows)).from_buffer(rows) if len(rows) else ()
        with self._use() as run:
            return [_info(s, lambda k, rods=s.rods: lib.skein_run_name(run, rods, k)) for s in structs]

    def state(self) -> tuple[bytes, numpy.ndarray]:
        """The last state of the world (b"": none) and the steps since the last frame."""
        out, size = ctypes.c_void_p(), ctypes.c_size_t()
        steps, count = ctypes.POINTER(_lib.StepInfoStruct)(), ctypes.c_int()
        with self._use() as run, _lib.hdf5:
            _lib.check(lib.skein_run_state(run, out, size, steps, count))
        try:
            return (ctypes.string_at(out, size.value) if size.value else b""), _steps_take(steps, count.value)
        finally:
            _lib.free(out)

    # ---- Writing ----

    def append(self, frame: Frame, steps=(), state: bytes | None = None) -> None:
        """Appends the next frame, the steps that led to it, and the state of the world after it. When it fails (full
        disk), the file is as before."""
        out, arrays = frame._struct()
        rows, count, table = _steps_struct(steps)
        state = None if state is None else bytes(memoryview(state))
        with self._use() as run, _lib.hdf5:
            _lib.check(lib.skein_run_append(run, out, rows, count, state, len(state or b"")))
        del arrays, table  # alive until here

    def checkpoint(self, state: bytes, steps=()) -> None:
        """The state between two frames, with the steps since the last one: where a stopped run goes on."""
        rows, count, table = _steps_struct(steps)
        state = bytes(memoryview(state))
        with self._use() as run, _lib.hdf5:
            _lib.check(lib.skein_run_checkpoint(run, rows, count, state, len(state)))
        del table

    def finish(self) -> None:
        """Makes one file of it."""
        with self._use() as run, _lib.hdf5:
            _lib.check(lib.skein_run_finish(run))

    def __repr__(self):
        return "<skein.Run, closed>" if self.closed else f"<skein.Run {self.path!r}: {self.frames} frames>"


def _close(run):
    with _lib.hdf5:
        lib.skein_run_close(run)


def simulate(scene, path, *, frames: int | None = None, threads: int = 0,
             callback: Callable[[World, StepInfo], Any] | None = None) -> str:
    """Runs a scene (a Scene, a dict, or a path) to its end, or to frame `frames`, and writes RUN.h5, as `skein run`
    does: frame by frame (with output.every "step": of each step; `frames` counts multiples of 1/fps all the same), with
    the same bits. callback(world, info) after each step; true stops early. Returns path.

    Whatever stops it, the file opens with every finished frame."""
    scene = _scene(scene)
    last = scene.last_frame if frames is None else _lib.integer(frames, "frames", 0)
    with World(scene, threads) as world, Run.create(path, scene) as run:
        run.append(world.frame(0), (), world.save())
        stopped = False
        for k in range(1, last + 1):
            until, steps = k / scene.fps, []
            if frames is None:  # the last frame is at the end
                until = min(until, scene.duration)
            while not stopped and until - world.time > 1e-9 / scene.fps:
                steps.append(world.step(until))
                stopped = bool(callback is not None and callback(world, steps[-1]))
                if scene.every_step:
                    run.append(world.frame(run.frames), steps, world.save())
                    steps = []
            if stopped:
                run.checkpoint(world.save(), steps)
                break
            if not scene.every_step:
                run.append(world.frame(k), steps, world.save())
        run.finish()
    return os.fsdecode(path)
