"""Scenes, and the world that they start: rods, bodies, contacts, one step after the other. docs/scene.md is the
reference of scenes."""
from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
from typing import Any, Callable, Iterable, Mapping, NamedTuple

import numpy

from . import _lib, verdict as _verdict
from ._lib import lib
from .friction import Problem, Solution, _solution_copy
from .rods import RodView
from .verdict import Attempt, Verdict


class StepInfo(NamedTuple):
    """What one step did, in SI units; a row of the statistics."""
    time: float  # at the end of the step
    dt: float
    retries: int  # shorter tries before this one
    contacts: int
    islands: int
    rods_asleep: int
    nu: float
    sweeps: int
    error: float  # error_rel over all contacts
    tol: float  # what was asked for
    converged: bool
    stick: int
    slide: int
    open: int
    penetration: float  # largest overlap, in radii
    speed: float  # largest of any point, m/s
    kinetic: float  # J
    elastic: float
    gravity: float
    work: float  # by the forces of the scene in this step
    dissipated: float  # by friction and impacts in this step
    dissipated_friction: float  # of that: by what is tangential
    seconds_rods: float  # wall clock
    seconds_collide: float
    seconds_assemble: float
    seconds_solve: float
    seconds_other: float
    seconds_loop: float  # of seconds_solve: the iterations alone
    memory: float  # MB, the most that the process has had so far
    rods: int = 0  # at its end: objects of the verdict from here on are bodies
    verdict: Verdict = Verdict()
    attempts: tuple[Attempt, ...] = ()  # at this step, the accepted one with them


_PLAIN = StepInfo._fields[:-2]  # with the same name and a number in C


def _dtype(kind):
    """The numpy type of a struct, laid out as in C; an array of them is one with a shape."""
    if issubclass(kind, ctypes.Array):
        return numpy.dtype((_dtype(kind._type_), (kind._length_,)))
    if not issubclass(kind, ctypes.Structure):
        return numpy.dtype(kind)
    names = [name for name, _ in kind._fields_]
    return numpy.dtype({"names": names, "formats": [_dtype(field) for _, field in kind._fields_],
                        "offsets": [getattr(kind, name).offset for name in names], "itemsize": ctypes.sizeof(kind)})


# A row of a structured array of steps: steps["verdict"]["overlap"]["size"], steps["attempt"]["action"][k, :attempts].
STEP_DTYPE = _dtype(_lib.StepInfoStruct)


def _info(source, find) -> StepInfo:
    """From the struct; find: the name of an object."""
    plain = {name: getattr(source, name) for name in _PLAIN}
    return StepInfo(**plain, verdict=_verdict._take(source.verdict, find), attempts=_verdict._take_attempts(source))


class Body(NamedTuple):
    """Where a body is: place (m), quaternion (w x y z), velocity (m/s), spin (rad/s)."""
    place: numpy.ndarray
    quaternion: numpy.ndarray
    velocity: numpy.ndarray
    spin: numpy.ndarray


def steps_array(steps) -> numpy.ndarray:
    """StepInfo records (or rows of Run.steps) as one structured array."""
    steps = steps if isinstance(steps, numpy.ndarray) else list(steps)
    if isinstance(steps, numpy.ndarray):
        if steps.dtype.names != STEP_DTYPE.names or steps.ndim != 1:
            raise ValueError("steps: expected rows with the fields of skein.StepInfo")
        return numpy.ascontiguousarray(steps, STEP_DTYPE)
    rows = numpy.zeros(len(steps), STEP_DTYPE)
    structs = (_lib.StepInfoStruct * len(steps)).from_buffer(rows) if len(steps) else ()
    for k, step in enumerate(steps):
        if isinstance(step, numpy.void):
            rows[k] = step
            continue
        step = StepInfo(*step)
        for name in _PLAIN:
            setattr(structs[k], name, getattr(step, name))
        _verdict._fill(step.verdict, structs[k].verdict)
        _verdict._fill_attempts(step.attempts, structs[k])
    return rows


# ---- Scenes ----

def _sets(sets) -> list[bytes]:
    """"path=value" strings; of a mapping, the values become JSON."""
    if isinstance(sets, Mapping):
        sets = [f"{path}={json.dumps(value)}" for path, value in sets.items()]
    if isinstance(sets, str):
        raise TypeError('sets: expected a dict {path: value} or a list of "path=value"')
    return [_lib.text_bytes(text, "sets") for text in sets]


class Scene(_lib.Owner):
    """What exists, and how it moves: constant once made. Made by `Scene.read` or `Scene.parse`.

    >>> import skein
    >>> scene = skein.Scene.parse({"rods": [{"name": "strand", "length": 0.2}], "time": {"duration": 1}},
    ...                           sets={"time.duration": 0.5})
    >>> scene.duration
    0.5
    """

    def __init__(self, *_):
        raise TypeError("use Scene.read(path) or Scene.parse(text or dict)")

    @classmethod
    def _own(cls, handle, folder):
        self = object.__new__(cls)
        self._handle, self._folder = handle, folder
        return self

    @classmethod
    def read(cls, path, sets: Mapping[str, Any] | Iterable[str] = ()) -> Scene:
        """Reads and checks a scene file. sets: fields to replace, {"time.dt": 1e-3} or ["time.dt=1e-3"]."""
        words = _sets(sets)
        array = (ctypes.c_char_p * max(1, len(words)))(*words)
        handle = _lib.create(lib.skein_scene_read, _lib.path_bytes(path), array, len(words),
                             destroy=lib.skein_scene_destroy)
        return cls._own(handle, os.path.dirname(os.path.abspath(os.fsdecode(path))))

    @classmethod
    def parse(cls, source: str | Mapping, name: str = "scene", folder="", sets: Mapping[str, Any] | Iterable[str] = ()
              ) -> Scene:
        """The same from JSON text or a dict; `name` stands in messages, files are relative to `folder`."""
        text = source if isinstance(source, str) else json.dumps(source, indent=1)
        words = _sets(sets)
        array = (ctypes.c_char_p * max(1, len(words)))(*words)
        handle = _lib.create(lib.skein_scene_parse, _lib.text_bytes(text, "source"), _lib.text_bytes(name, "name"),
                             _lib.path_bytes(folder), array, len(words), destroy=lib.skein_scene_destroy)
        return cls._own(handle, os.path.abspath(os.fsdecode(folder)))

    def _release(self, handle):
        """Worlds may still look at it: the last of them lets go."""

    @property
    def source(self) -> str:
        """The JSON text, with the sets in it."""
        with self._use() as scene:
            return lib.skein_scene_source(scene).decode()

    @property
    def data(self) -> dict:
        """The JSON as a dict: a copy."""
        return json.loads(self.source)

    @property
    def title(self) -> str:
        """Its title."""
        with self._use() as scene:
            return lib.skein_scene_title(scene).decode()

    @property
    def duration(self) -> float:
        """In s."""
        with self._use() as scene:
            return lib.skein_scene_duration(scene)

    @property
    def fps(self) -> float:
        """Frames per second of simulated time."""
        with self._use() as scene:
            return lib.skein_scene_fps(scene)

    @property
    def every_step(self) -> bool:
        """A run has a frame of every step, not of each multiple of 1/fps."""
        with self._use() as scene:
            return lib.skein_scene_every_step(scene)

    @property
    def start(self) -> dict:
        """How the rods got their initial shapes: how far they are from the strands of files (m, shares of the length),
        what was moved out of bodies, and what is inside all the same."""
        with self._use() as scene:
            found = lib.skein_scene_start(scene)
            values = {name: getattr(found, name) for name, _ in found._fields_}
        return {name: value.decode() if isinstance(value, bytes) else value for name, value in values.items()}

    @property
    def warnings(self) -> list[dict]:
        """Values that are allowed but hardly meant: the `field`, its `line`, the `value` and the usual range `low` to
        `high` in the SI `unit`; where the number would be usual in another unit, that is `meant` and the scene would
        say `instead` (else "" and NaN). `text` says it all.

        >>> import skein
        >>> scene = skein.Scene.parse({"rods": [{"length": 0.2, "material": "hair"}],
        ...                            "materials": {"hair": {"preset": "hair-asian", "E": 3.9}}})
        >>> [(w["field"], w["meant"]) for w in scene.warnings]
        [('materials.hair.E', 'GPa')]
        """
        count = ctypes.c_int()
        with self._use() as scene:
            found = lib.skein_scene_warnings(scene, count)
            values = [{name: getattr(found[k], name) for name, _ in found[k]._fields_} for k in range(count.value)]
        return [{name: value.decode() if isinstance(value, bytes) else value for name, value in w.items()} for w in values]

    @property
    def last_frame(self) -> int:
        """The number of the last frame, which is at the end, as `skein run` counts: a duration that is a whole number
        of frames to rounding is that many."""
        return int(math.ceil(self.duration * self.fps * (1 - 1e-12) - 1e-9))

    def __repr__(self):
        return "<skein.Scene, closed>" if self.closed else f"<skein.Scene {self.title!r}: {self.duration:g} s>"


def _scene(source) -> Scene:
    """A Scene, or what makes one: a dict, or a path."""
    if isinstance(source, Scene):
        return source
    return Scene.parse(source) if isinstance(source, Mapping) else Scene.read(source)


# ---- Frames ----

_FRAME_ARRAYS = {  # name: dtype, what counts its rows, columns
    "point_start": (numpy.int32, "rods + 1", 0),
    "point": (numpy.float32, "points", 3),
    "radius": (numpy.float32, "rods", 0),
    "rod_group": (numpy.int32, "rods", 0),
    "rod_source": (numpy.int32, "rods", 0),
    "body_pose": (numpy.float64, "bodies", 7),
    "contact_object": (numpy.int32, "contacts", 2),
    "contact_s": (numpy.float64, "contacts", 2),
    "contact_point": (numpy.float64, "contacts", 3),
    "contact_normal": (numpy.float64, "contacts", 3),
    "contact_impulse": (numpy.float64, "contacts", 3),
    "contact_gap": (numpy.float64, "contacts", 0),
    "contact_status": (numpy.int8, "contacts", 0),
    "surface_body": (numpy.int32, "surfaces", 0),
    "surface_start": (numpy.int32, "surfaces + 1", 0),
    "surface_vertex": (numpy.float32, "surface_vertices", 3),
}
_FRAME_SCALARS = ("index", "time", "dt")


def _frame_rows(counts, counter):
    if counter == "surfaces + 1":  # not there where nothing deforms
        return counts["surfaces"] + 1 if counts["surfaces"] else 0
    return counts["rods"] + 1 if counter == "rods + 1" else counts[counter]


class Frame:
    """What a moment shows, as arrays of one's own.

    index, time, dt    number of the frame; its time, and the last step before it, s (impulse / dt is a force)
    point_start        rods + 1: the points of rod i are point_start[i] .. point_start[i+1] - 1, root to tip
    point, radius      points x 3, and one per rod, m, float32
    rod_group          of each rod
    rod_source         of each rod: which one of the scene it is, or was cut from
    body_pose          bodies x 7: place, quaternion w x y z
    contact_object     contacts x 2: rods first, then bodies (rods + index)
    contact_s          contacts x 2: abscissa on a rod, 0 on a body
    contact_point, contact_normal, contact_impulse
                       contacts x 3, world axes; impulse on the first object, N s
    contact_gap        m
    contact_status     0 open, 1 stick, 2 slide
    surface_body       of each surface that deforms: which body
    surface_start      surfaces + 1 (none: empty): the vertices of surface k are surface_start[k] .. surface_start[k+1] - 1
    surface_vertex     vertices x 3, m, float32, axes of the body, in the order of the mesh's file

    ``Frame(index=0, time=0.0, rods=[array of k x 3, ...], radius=1e-3)`` makes one to be written into a run."""

    def __init__(self, index: int = 0, time: float = 0.0, rods=None, radius=1e-4, *, dt: float = 0.0, **arrays):
        unknown = set(arrays) - set(_FRAME_ARRAYS)
        if unknown:
            raise TypeError(f"a Frame has no {', '.join(sorted(unknown))}")
        if rods is not None:
            if "point" in arrays or "point_start" in arrays:
                raise TypeError("give rods, or point and point_start")
            strands = [_lib.array(rod, numpy.float32, (None, 3), "rods") for rod in rods]
            arrays["point"] = numpy.concatenate([numpy.zeros((0, 3), numpy.float32), *strands])
            arrays["point_start"] = numpy.cumsum([0, *map(len, strands)])
        self.index, self.time = _lib.integer(index, "index", 0), _lib.real(time, "time")
        self.dt = _lib.real(dt, "dt")
        count = len(arrays.setdefault("point_start", [0])) - 1
        arrays["radius"] = numpy.broadcast_to(radius, count) if numpy.ndim(radius) == 0 else radius
        arrays.setdefault("rod_source", numpy.arange(max(count, 0)))
        counts = {"rods": max(count, 0), "points": 0, "bodies": 0, "contacts": len(arrays.get("contact_object", ())),
                  "surfaces": 0, "surface_vertices": 0}
        for name, (dtype, counter, cols) in _FRAME_ARRAYS.items():
            rows = _frame_rows(counts, counter)
            shape = (rows, cols) if cols else (rows,)
            setattr(self, name, numpy.array(arrays[name]) if name in arrays else numpy.zeros(shape, dtype))
        for name, values in zip(_FRAME_ARRAYS, self._struct()[1]):  # shapes agree
            setattr(self, name, values)

    @classmethod
    def _take(cls, source) -> Frame:
        """From the library's struct, which is destroyed."""
        self = object.__new__(cls)
        try:
            for name in _FRAME_SCALARS:
                setattr(self, name, getattr(source, name))
            counts = {name: getattr(source, name) for name in ("rods", "points", "bodies", "contacts", "surfaces",
                                                               "surface_vertices")}
            for name, (dtype, counter, cols) in _FRAME_ARRAYS.items():
                rows = _frame_rows(counts, counter)
                setattr(self, name, _lib.copied(getattr(source, name), rows, dtype, cols))
        finally:
            lib.skein_frame_destroy(source)
        return self

    def _struct(self):
        """The struct, and the arrays that must live as long; shapes agree or ValueError."""
        counts = {"rods": len(self.point_start) - 1, "points": len(self.point), "bodies": len(self.body_pose),
                  "contacts": len(self.contact_object), "surfaces": len(self.surface_body),
                  "surface_vertices": len(self.surface_vertex)}
        if counts["rods"] < 0:
            raise ValueError("point_start: is empty, expected rods + 1 numbers")
        out, arrays = _lib.FrameStruct(**counts), []
        for name in _FRAME_SCALARS:
            setattr(out, name, getattr(self, name))
        for name, (dtype, counter, cols) in _FRAME_ARRAYS.items():
            rows = _frame_rows(counts, counter)
            values = _lib.array(getattr(self, name), dtype, (rows, cols) if cols else (rows,), name)
            arrays.append(values)
            kind = dict(out._fields_)[name]
            setattr(out, name, values.ctypes.data_as(kind))
        self._check(dict(zip(_FRAME_ARRAYS, arrays)), counts)
        return out, arrays

    @staticmethod
    def _check(arrays, counts):
        """What is taken on trust: where rods begin, which objects touch. Other numbers are the library's to judge."""
        start, objects = arrays["point_start"], arrays["contact_object"]
        if start[0] != 0 or start[-1] != counts["points"] or (numpy.diff(start) < 0).any():
            raise ValueError(f"point_start: must rise from 0 to {counts['points']}, the number of points")
        if objects.size and not 0 <= objects.min() <= objects.max() < counts["rods"] + counts["bodies"]:
            raise ValueError(f"contact_object: {objects.min()} to {objects.max()}, expected rods, then bodies")
        start, body = arrays["surface_start"], arrays["surface_body"]
        if body.size and (start[0] != 0 or start[-1] != counts["surface_vertices"] or (numpy.diff(start) < 0).any()):
            raise ValueError(f"surface_start: must rise from 0 to {counts['surface_vertices']}, the number of vertices")
        if body.size and not 0 <= body.min() <= body.max() < counts["bodies"]:
            raise ValueError(f"surface_body: {body.min()} to {body.max()}, expected bodies")
        if arrays["rod_source"].min(initial=0) < 0:
            raise ValueError("rod_source: expected numbers of rods, from 0")

    @property
    def rods(self) -> int:
        """How many rods."""
        return len(self.point_start) - 1

    @property
    def bodies(self) -> int:
        """How many bodies."""
        return len(self.body_pose)

    @property
    def contacts(self) -> int:
        """How many contacts."""
        return len(self.contact_object)

    def rod(self, i: int) -> numpy.ndarray:
        """The points of rod i, root to tip."""
        i = range(self.rods)[i]
        return self.point[self.point_start[i]:self.point_start[i + 1]]

    def surface(self, body: int) -> numpy.ndarray | None:
        """The vertices of a body that deforms, in its axes and in the order of its file; None: it does not deform."""
        body = range(self.bodies)[body]
        for k in numpy.flatnonzero(self.surface_body == body):
            return self.surface_vertex[self.surface_start[k]:self.surface_start[k + 1]]
        return None

    def __repr__(self):
        return (f"<skein.Frame {self.index} at {self.time:g} s: {self.rods} rods, {len(self.point)} points, "
                f"{self.bodies} bodies, {self.contacts} contacts>")


# ---- The world ----

class _WorldRod(RodView):
    """Rod i of a world, looked up anew each time: cuts and loaded states move it."""

    def __init__(self, world, i):
        self._world, self._i = world, i

    @contextlib.contextmanager
    def _use(self):
        with self._world._use() as world:
            if self._i >= lib.skein_world_rods(world):
                raise IndexError(f"the world has no rod {self._i} any more")
            yield lib.skein_world_rod(world, self._i)

    def __repr__(self):
        return f"<rod {self._i} of {self._world!r}>"


class World(_lib.Owner):
    """A scene in motion. `scene`: a Scene, a dict, or the path of a scene file. The bits do not depend on threads.

    >>> import skein
    >>> scene = {"rods": [{"name": "cord", "model": "der", "elements": 10, "length": 0.2,
    ...                    "root": {"type": "free", "position": [-0.1, 0, 0.01], "direction": [1, 0, 0]}}],
    ...          "bodies": [{"name": "floor", "shape": {"type": "plane"}}], "friction": 0.3}
    >>> with skein.World(scene, threads=1) as world:
    ...     steps = world.run(0.1)          # 0.1 s; one StepInfo per step
    ...     low = world.rod(0).points()[:, 2].min()
    >>> steps[-1].converged and steps[-1].contacts > 0, -1e-4 < low < 1e-3
    (True, True)
    """

    def __init__(self, scene, threads: int = 0):
        self.scene = _scene(scene)
        threads = _lib.threads(threads)
        self._process = os.getpid() if threads != 1 else None
        with self.scene._use() as pointer:
            self._handle = _lib.create(lib.skein_world_create, pointer, threads, destroy=lib.skein_world_destroy,
                                       keep=(self.scene._handle,))

    @property
    def time(self) -> float:
        """Simulated time, s."""
        with self._use() as world:
            return lib.skein_world_time(world)

    def step(self, until: float = math.inf) -> StepInfo:
        """One step, as long as the scene allows but not beyond `until` (s). skein.Error when the motion blew up; the
        problem of that step is then what `problem()` returns."""
        out, until = _lib.StepInfoStruct(), _lib.real(until, "until")
        if self._process not in (None, os.getpid()):
            raise RuntimeError("the world was made with several threads before the fork: make it with threads=1")
        with self._use() as world:
            _lib.check(lib.skein_world_step(world, until, out))
            return _info(out, lambda k: lib.skein_world_name(world, k))

    def run(self, until: float, callback: Callable[[World, StepInfo], Any] | None = None) -> list[StepInfo]:
        """Steps to the time `until`. callback(world, info) after each; true stops."""
        until, steps = _lib.real(until, "until"), []
        if not math.isfinite(until):
            raise ValueError(f"until is {until}, expected a time")
        while until - self.time > 1e-9 * max(1e-3, abs(until)):
            steps.append(self.step(until))
            if callback is not None and callback(self, steps[-1]):
                break
        return steps

    @property
    def rods(self) -> int:
        """How many rods; cuts make more of them."""
        with self._use() as world:
            return lib.skein_world_rods(world)

    def rod(self, i: int) -> RodView:
        """Rod i, to look at: points, velocities, energies, jacobian."""
        return _WorldRod(self, range(self.rods)[i])

    @property
    def bodies(self) -> int:
        """How many bodies."""
        with self._use() as world:
            return lib.skein_world_bodies(world)

    def name(self, k: int) -> str:
        """The name of object k in the scene: rods first ("hair[17]"), then bodies."""
        with self._use() as world:
            found = lib.skein_world_name(world, _lib.integer(k, "object"))
        if found is None:
            raise IndexError(f"the world has no object {k}")
        return found.decode(errors="replace")

    def body(self, i: int) -> Body:
        """Where body i is and how it moves: copies."""
        values = [numpy.zeros(size) for size in (3, 4, 3, 3)]
        with self._use() as world:
            i = range(lib.skein_world_bodies(world))[i]
            lib.skein_world_body(world, i, *(_lib.pointer(x, ctypes.c_double) for x in values))
        return Body(*values)

    # ---- By hand, while it runs: between two steps; the state knows it ----

    def pull(self, rod: int, s: float, target, stiffness: float) -> None:
        """Pulls the point at abscissa s (m) of a rod to a target (m) with a critically damped spring (N/m), until set
        again with the same rod and s. target None lets go."""
        place = None if target is None else _lib.array(target, float, (3,), "target")
        with self._use() as world:
            rod = range(lib.skein_world_rods(world))[rod]
            _lib.check(lib.skein_world_set_pull(world, rod, _lib.real(s, "s"), _lib.pointer(place, ctypes.c_double),
                                                _lib.real(stiffness, "stiffness")))

    def _set_vector(self, function, value, name):
        value = _lib.array(value, float, (3,), name)
        with self._use() as world:
            _lib.check(function(world, _lib.pointer(value, ctypes.c_double)))

    @property
    def gravity(self) -> numpy.ndarray:
        """As it is now, m/s^2; may be set."""
        with self._use() as world:
            return numpy.array(lib.skein_world_env(world).gravity)

    @gravity.setter
    def gravity(self, value):
        self._set_vector(lib.skein_world_set_gravity, value, "gravity")

    @property
    def wind(self) -> numpy.ndarray:
        """As it is now, m/s; may be set."""
        with self._use() as world:
            return numpy.array(lib.skein_world_env(world).wind)

    @wind.setter
    def wind(self, value):
        self._set_vector(lib.skein_world_set_wind, value, "wind")

    def mu(self, group_a: int, group_b: int) -> float:
        """Friction of two groups (numbers as in frames); negative: they pass through each other."""
        out = ctypes.c_double()
        with self._use() as world:
            _lib.check(lib.skein_world_mu(world, _lib.integer(group_a, "group"), _lib.integer(group_b, "group"), out))
        return out.value

    def set_mu(self, group_a: int, group_b: int, mu: float) -> None:
        """Changes the friction of two groups."""
        with self._use() as world:
            _lib.check(lib.skein_world_set_mu(world, _lib.integer(group_a, "group"), _lib.integer(group_b, "group"),
                                              _lib.real(mu, "mu")))

    # ---- What is to be seen ----

    def points(self) -> list[numpy.ndarray]:
        """The points of every rod as a frame shows them (float32, root to tip): copies."""
        frame = self.frame()
        return [frame.rod(i) for i in range(frame.rods)]

    def frame(self, index: int = 0) -> Frame:
        """Everything to be seen now: points, bodies, contacts. `index` is the number it gets."""
        out = _lib.FrameStruct()
        with self._use() as world:
            _lib.check(lib.skein_world_frame(world, _lib.integer(index, "index", 0), out))
        return Frame._take(out)

    def problem(self) -> Problem | None:
        """The one-step problem of the last step: a copy. None: it had no contacts."""
        with self._use() as world:
            found = lib.skein_world_problem(world)
            return Problem._copy(found.contents) if found else None

    def solution(self) -> Solution | None:
        """The solution of that problem: a copy."""
        with self._use() as world:
            found, problem = lib.skein_world_solution(world), lib.skein_world_problem(world)
            return _solution_copy(problem.contents, found.contents) if found and problem else None

    def save(self) -> bytes:
        """The whole state, warm starts included."""
        out, size = ctypes.c_void_p(), ctypes.c_size_t()
        with self._use() as world:
            _lib.check(lib.skein_world_save(world, out, size))
        try:
            return ctypes.string_at(out, size.value)
        finally:
            _lib.free(out)

    def load(self, state: bytes) -> None:
        """Back to a state of save(), of a world with the same scene: it goes on with the same bits."""
        state = bytes(memoryview(state))
        with self._use() as world:
            _lib.check(lib.skein_world_load(world, state, len(state)))

    def __repr__(self):
        return "<skein.World, closed>" if self.closed else f"<skein.World at {self.time:g} s: {self.rods} rods>"
