"""What a frame looks like: meshes of the bodies, colours, and one number per point (speed, stick or slide, force)."""
from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy

from . import _lib
from ._lib import lib
from .friction import _names
from .world import Frame, _scene

COLOURS = _names(lib.skein_colour_name, 6)


class LookBody(NamedTuple):
    """A body as triangles, in its own axes (body_pose of a frame takes them to the world); colours are linear RGB."""
    name: str
    group: str
    vertex: numpy.ndarray  # n x 3, float32, m
    normal: numpy.ndarray  # n x 3
    triangle: numpy.ndarray  # k x 3, counter-clockwise from outside
    colour: numpy.ndarray
    endless: bool  # a plane
    moves: bool  # prescribed or dynamic
    deforms: bool  # vertex and normal are those of t = 0: surface() has those of a frame


class Camera(NamedTuple):
    """Of the scene, m; fov in degrees, from the lower to the upper edge."""
    eye: numpy.ndarray
    target: numpy.ndarray
    up: numpy.ndarray
    fov: float


class Colours(NamedTuple):
    """Linear RGB of every point (float32), and the range of a continuous scale."""
    rgb: numpy.ndarray
    low: float
    high: float


class Look(_lib.Owner):
    """How the frames of a scene look. `scene`: a Scene, a dict, a path, or a Run.

    >>> import skein
    >>> strand = {"name": "strand", "length": 0.2, "root": {"type": "clamped", "direction": [1, 0, 0]}}
    >>> scene = skein.Scene.parse({"rods": [strand],
    ...                            "bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": 0.01}}]})
    >>> with skein.World(scene, threads=1) as world, skein.Look(scene) as look:
    ...     before = world.frame()
    ...     steps = world.run(0.05)
    ...     speed = look.values("speed", world.frame(), before)
    ...     look.body(0).vertex.shape[1], bool(speed[-1] > 0)
    (3, True)
    """

    def __init__(self, scene):
        scene = scene.read_scene() if hasattr(scene, "read_scene") else _scene(scene)
        with scene._use() as pointer:
            self._handle = _lib.create(lib.skein_look_create, pointer, destroy=lib.skein_look_destroy)

    # ---- What does not move ----

    @property
    def bodies(self) -> int:
        """How many bodies."""
        with self._use() as look:
            return lib.skein_look_bodies(look)

    def body(self, i: int) -> LookBody:
        """Body i: copies."""
        with self._use() as look:
            b = lib.skein_look_body_at(look, range(lib.skein_look_bodies(look))[i]).contents
            return LookBody((b.name or b"").decode(), (b.group or b"").decode(),
                            _lib.copied(b.vertex, b.vertices, numpy.float32, 3),
                            _lib.copied(b.normal, b.vertices, numpy.float32, 3),
                            _lib.copied(b.triangle, b.triangles, numpy.int32, 3), numpy.array(b.colour, numpy.float32),
                            b.endless, b.moves, b.deforms)

    @property
    def groups(self) -> list[str]:
        """Names of the groups, as rod_group counts them."""
        with self._use() as look:
            return [lib.skein_look_group_name(look, g).decode() for g in range(lib.skein_look_groups(look))]

    @property
    def materials(self) -> list[str]:
        """Names of the materials that rods are made of."""
        with self._use() as look:
            return [lib.skein_look_material_name(look, m).decode() for m in range(lib.skein_look_materials(look))]

    @property
    def camera(self) -> Camera | None:
        """Of the scene; None: it has none."""
        with self._use() as look:
            c = lib.skein_look_camera_of(look)
        return Camera(*(numpy.array(v) for v in (c.eye, c.target, c.up)), c.fov) if c.given else None

    def legend(self, by: str) -> dict[str, numpy.ndarray]:
        """Names and colours of a named scale (material, group, status); empty: a continuous one, or without names."""
        entry, found, index = _lib.LegendEntry(), {}, _lib.choice(by, COLOURS, "by")
        with self._use() as look:
            while lib.skein_look_legend(look, index, len(found), entry):
                found[(entry.name or b"").decode()] = numpy.array(entry.colour, numpy.float32)
        return found

    # ---- What a frame shows ----

    def surface(self, frame: Frame, body: int) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Vertices and normals of a body in a frame, in its axes: those of body(i), unless it deforms."""
        f, arrays = frame._struct()
        with self._use() as look:
            body = range(lib.skein_look_bodies(look))[body]
            vertex = numpy.zeros((lib.skein_look_body_at(look, body).contents.vertices, 3), numpy.float32)
            normal = numpy.zeros_like(vertex)
            lib.skein_look_surface(look, f, body, *(_lib.pointer(a, ctypes.c_float) for a in (vertex, normal)))
        del arrays  # alive until here
        return vertex, normal

    def rod_colour(self, frame: Frame, rod: int) -> numpy.ndarray:
        """Of a rod, by material; linear RGB."""
        (f, arrays), out = frame._struct(), (ctypes.c_float * 3)()
        with self._use() as look:
            lib.skein_look_rod_colour(look, f, range(frame.rods)[rod], out)
        return numpy.array(out, numpy.float32)

    def bounds(self, frame: Frame) -> tuple[numpy.ndarray, numpy.ndarray] | None:
        """The box around rods and bodies, planes left out; None: there are none."""
        f, arrays = frame._struct()
        low, high = (ctypes.c_double * 3)(), (ctypes.c_double * 3)()
        with self._use() as look:
            found = lib.skein_look_bounds(look, f, low, high)
        return (numpy.array(low), numpy.array(high)) if found else None

    def values(self, by: str, frame: Frame, before: Frame | None = None) -> numpy.ndarray:
        """One number per point (float32): `by` is one of skein.COLOURS. "speed" (m/s) is the difference to `before`, an
        earlier frame; "status" 0 none, 1 stick, 2 slide; "force" in N; "island" a number, -1: touches nothing."""
        f, arrays = frame._struct()
        old, more = (None, None) if before is None else before._struct()
        out = numpy.zeros(len(frame.point), numpy.float32)
        with self._use() as look:
            _lib.check(lib.skein_look_values(look, _lib.choice(by, COLOURS, "by"), old, f,
                                             _lib.pointer(out, ctypes.c_float)))
        del arrays, more  # alive until here
        return out

    def colours(self, by: str, frame: Frame, before: Frame | None = None, low: float = 0.0,
                high: float = 0.0) -> Colours:
        """The same as colours. low, high: the range of a continuous scale; equal: taken from the values."""
        f, arrays = frame._struct()
        old, more = (None, None) if before is None else before._struct()
        out = numpy.zeros((len(frame.point), 3), numpy.float32)
        lo, hi = ctypes.c_double(_lib.real(low, "low")), ctypes.c_double(_lib.real(high, "high"))
        with self._use() as look:
            _lib.check(lib.skein_look_colours(look, _lib.choice(by, COLOURS, "by"), old, f, lo, hi,
                                              _lib.pointer(out, ctypes.c_float)))
        del arrays, more
        return Colours(out, lo.value, hi.value)


def colour_ramp(t) -> numpy.ndarray:
    """The continuous scale: linear RGB of numbers t from 0 to 1, three for each.

    >>> import skein
    >>> skein.colour_ramp([0, 0.5, 1]).shape
    (3, 3)
    """
    t = numpy.asarray(t, float)
    if numpy.isnan(t).any():
        raise ValueError("t: expected numbers, not NaN")
    out, one = numpy.empty((t.size, 3), numpy.float32), (ctypes.c_float * 3)()
    for k, value in enumerate(t.ravel()):
        lib.skein_colour_ramp(value, one)
        out[k] = one
    return out.reshape(t.shape + (3,))


def colours_about() -> dict[str, tuple[str, str]]:
    """Of every colour mode: one line about it, and the unit of its scale ("": not continuous)."""
    return {name: (lib.skein_colour_about(k).decode(), lib.skein_colour_unit(k).decode())
            for k, name in enumerate(COLOURS)}
