"""Thin elastic rods without contact: shape, motion, statics, modes. docs/rods.md says what each model can do."""
from __future__ import annotations

import contextlib
import ctypes
from typing import NamedTuple, Sequence

import numpy

from . import _lib
from ._lib import lib
from .friction import _names

ROD_MODELS = _names(lib.skein_rod_model_name, 6)
ENDS = ("free", "pinned", "clamped")


class Pose(NamedTuple):
    """A point (m) and its material frame: rows d[0] and d[1] span the section, d[2] is the tangent, in world axes."""
    r: numpy.ndarray
    d: numpy.ndarray


class Load(NamedTuple):
    """A dead force (N) and torque (N m), world axes, at abscissa s (m from the root)."""
    s: float
    force: Sequence[float] = (0, 0, 0)
    torque: Sequence[float] = (0, 0, 0)


class Hold(NamedTuple):
    """A spring from the point at s to the target: stiffness along the world axes (N/m), torsion (N m/rad) towards the
    axes of the target."""
    s: float
    target: Pose
    stiffness: Sequence[float] = (0, 0, 0)
    torsion: float = 0.0


class RodEnergy(NamedTuple):
    """In J; gravity is zero at the origin, `held` is that of the holds minus the work of the dead forces."""
    kinetic: float
    elastic: float
    gravity: float
    held: float


class RelaxInfo(NamedTuple):
    """How statics went. `stable`: a minimum of the energy, not a saddle."""
    converged: bool
    stable: bool
    iterations: int
    load_steps: int
    decrement: float


def _vector(value, name):
    return (ctypes.c_double * 3)(*_lib.array(value, float, (3,), name))


def _pose_struct(value, name):
    """A Pose, or (r, d); a bare point gets the default frame."""
    out = lib.skein_default_pose()
    try:
        if len(value) == 3:
            out.r = _vector(value, name)
            return out
        r, d = value
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a skein.Pose or a point") from None
    out.r = _vector(r, f"{name}.r")
    for k, axis in enumerate(_lib.array(d, float, (3, 3), f"{name}.d")):
        out.d[k] = (ctypes.c_double * 3)(*axis)
    return out


def _pose_copy(source) -> Pose:
    return Pose(numpy.array(source.r), numpy.array([list(axis) for axis in source.d]))


def default_pose() -> Pose:
    """At the origin, section in x and y, tangent along z."""
    return _pose_copy(lib.skein_default_pose())


def _env(gravity, wind):
    return _lib.EnvStruct(_vector(gravity, "gravity"), _vector(wind, "wind"))


GRAVITY = (0.0, 0.0, -9.81)
CALM = (0.0, 0.0, 0.0)


class RodView:
    """What one can look at in a rod, one's own or one in a World. Abscissae s go from 0 to `length`; beyond, the
    nearest end answers."""

    def _use(self):
        raise NotImplementedError

    def _definition(self):
        with self._use() as rod:
            return lib.skein_rod_definition(rod)

    @property
    def dofs(self) -> int:
        """Degrees of freedom."""
        with self._use() as rod:
            return lib.skein_rod_dofs(rod)

    @property
    def model(self) -> str:
        """One of skein.ROD_MODELS."""
        return ROD_MODELS[self._definition().model]

    @property
    def elements(self) -> int:
        """Elements, all of the same length."""
        return self._definition().elements

    @property
    def length(self) -> float:
        """Length at rest, m."""
        return self._definition().length

    def state(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """The whole state x (poses of the ends included) and the velocities v, one per dof: copies."""
        with self._use() as rod:
            x, v = numpy.empty(lib.skein_rod_state_size(rod)), numpy.empty(lib.skein_rod_dofs(rod))
            lib.skein_rod_state(rod, _lib.pointer(x, ctypes.c_double), _lib.pointer(v, ctypes.c_double))
        return x, v

    def _abscissae(self, s):
        """As an array; None: both ends of every element."""
        if s is None:
            definition = self._definition()
            return numpy.linspace(0, definition.length, definition.elements + 1)
        values = numpy.asarray(s, float)
        if not numpy.isfinite(values).all():
            raise ValueError("s: expected finite numbers")
        return values

    def pose(self, s: float) -> Pose:
        """Point and frame at abscissa s."""
        out = _lib.PoseStruct()
        s = float(self._abscissae(s))
        with self._use() as rod:
            lib.skein_rod_point(rod, s, out)
        return _pose_copy(out)

    def points(self, s=None) -> numpy.ndarray:
        """Points at the abscissae s (a number: 3 numbers; an array: one row each; None: both ends of every element)."""
        s = self._abscissae(s)
        out, pose = numpy.empty((s.size, 3)), _lib.PoseStruct()
        with self._use() as rod:
            for k, value in enumerate(s.ravel()):
                lib.skein_rod_point(rod, value, pose)
                out[k] = pose.r
        return out.reshape(s.shape + (3,))

    def velocities(self, s=None) -> numpy.ndarray:
        """Velocities (m/s) at the abscissae s, as for points."""
        s = self._abscissae(s)
        out, velocity = numpy.empty((s.size, 3)), (ctypes.c_double * 3)()
        with self._use() as rod:
            for k, value in enumerate(s.ravel()):
                lib.skein_rod_velocity(rod, value, velocity)
                out[k] = velocity
        return out.reshape(s.shape + (3,))

    def jacobian(self, s: float) -> tuple[numpy.ndarray, numpy.ndarray]:
        """J (3 x dofs) and drift with velocity = J v + drift."""
        s = float(self._abscissae(s))
        with self._use() as rod:
            J, drift = numpy.zeros((3, lib.skein_rod_dofs(rod))), numpy.zeros(3)
            lib.skein_rod_jacobian(rod, s, _lib.pointer(J, ctypes.c_double), _lib.pointer(drift, ctypes.c_double))
        return J, drift

    def spin_jacobian(self, s: float) -> numpy.ndarray:
        """The same for the angular velocity of the frame, without its drift."""
        s = float(self._abscissae(s))
        with self._use() as rod:
            J = numpy.zeros((3, lib.skein_rod_dofs(rod)))
            lib.skein_rod_spin_jacobian(rod, s, _lib.pointer(J, ctypes.c_double))
        return J

    def energies(self, gravity=GRAVITY, wind=CALM) -> RodEnergy:
        """Kinetic, elastic, of gravity, of what holds and pulls it."""
        out, env = _lib.RodEnergyStruct(), _env(gravity, wind)
        with self._use() as rod:
            _lib.check(lib.skein_rod_energies(rod, env, out))
        return _lib.record(RodEnergy, out)

    def modes(self, count: int, gravity=GRAVITY, wind=CALM) -> tuple[numpy.ndarray, numpy.ndarray]:
        """The `count` lowest eigenvalues omega^2 (ascending; negative: not stable) and shapes (count x dofs)."""
        env = _env(gravity, wind)
        with self._use() as rod:
            dofs = lib.skein_rod_dofs(rod)
            count = _lib.integer(count, "count", 1, dofs)
            omega2, shapes = numpy.zeros(count), numpy.zeros((count, dofs))
            _lib.check(lib.skein_rod_modes(rod, env, count, _lib.pointer(omega2, ctypes.c_double),
                                           _lib.pointer(shapes, ctypes.c_double)))
        return omega2, shapes


class Rod(_lib.Owner, RodView):
    """One elastic rod. The defaults are one hair: 0.1 m, 16 dofs, clamped at the root, straight.

    model         one of skein.ROD_MODELS
    elements      N >= 1, all of length / N
    twist_locked  super-helix: elements at the tip that keep their natural twist
    radius        m, of a round section: sets radius1 and radius2, the semi-axes along d1 and d2
    E, G          Pa, independent of each other; density kg/m^3
    damping       s, internal forces -damping K v; drag kg/(m s), force per length drag (wind - v)
    natural       k x 3: curvatures about d1 and d2 and twist (1/m) in k cells of equal length; None: straight
    initial       the same for the shape at the start; None: the natural one
    root, tip     "free", "pinned" or "clamped"
    pose          of the root at the start: a skein.Pose, or a point
    alignment     N, CoRdE: keeps frames along the centreline; None: chosen by the model
    tip_factor    super-helix: a held tip is a spring of this many times EI / L^3

    >>> import skein
    >>> with skein.Rod("der", elements=20, length=0.3, radius=1e-3, E=1e7, G=4e6, density=1000,
    ...                pose=skein.Pose([0, 0, 0], [[0, 1, 0], [0, 0, 1], [1, 0, 0]])) as rod:
    ...     info = rod.relax()            # hangs down from its clamp
    ...     tip = rod.points(rod.length)
    >>> info.converged, bool(tip[2] < -0.01)
    (True, True)
    """

    def __init__(self, model: str = "super-helix", *, elements: int = 6, twist_locked: int | None = None,
                 length: float = 0.1, radius: float | None = None, radius1: float = 42.8e-6, radius2: float = 30.3e-6,
                 E: float = 3.89e9, G: float = 0.89e9, density: float = 1320.0, damping: float = 1e-3,
                 drag: float = 0.0, natural=None, initial=None, root: str = "clamped", tip: str = "free",
                 pose=None, alignment: float | None = None, tip_factor: float = 1e5):
        definition = lib.skein_default_rod_def()
        definition.model = _lib.choice(model, ROD_MODELS, "model")
        definition.elements = _lib.integer(elements, "elements")
        if twist_locked is None:
            twist_locked = definition.twist_locked if model == "super-helix" and elements == 6 else 0
        definition.twist_locked = _lib.integer(twist_locked, "twist_locked")
        if radius is not None:
            radius1 = radius2 = radius
        numbers = {"length": length, "radius1": radius1, "radius2": radius2, "E": E, "G": G, "density": density,
                   "damping": damping, "drag": drag, "alignment": alignment, "tip_factor": tip_factor}
        for name, value in numbers.items():
            if value is not None:
                setattr(definition, name, _lib.real(value, name))
        shapes = {name: None if value is None else _lib.array(value, float, (None, 3), name)
                  for name, value in (("natural", natural), ("initial", initial))}
        definition.natural, definition.naturals = _cells(shapes["natural"])
        definition.initial, definition.initials = _cells(shapes["initial"])
        definition.root, definition.tip = _lib.choice(root, ENDS, "root"), _lib.choice(tip, ENDS, "tip")
        if pose is not None:
            definition.pose = _pose_struct(pose, "pose")
        self._handle = _lib.create(lib.skein_rod_create, definition, destroy=lib.skein_rod_destroy)

    def __repr__(self):
        return "<skein.Rod, closed>" if self.closed else f"<skein.Rod {self.model}: {self.elements} elements>"

    def set_state(self, x=None, v=None) -> None:
        """Puts back what state() gave; each may be None."""
        with self._use() as rod:
            x = None if x is None else _lib.array(x, float, (lib.skein_rod_state_size(rod),), "x")
            v = None if v is None else _lib.array(v, float, (lib.skein_rod_dofs(rod),), "v")
            _lib.check(lib.skein_rod_set_state(rod, _lib.pointer(x, ctypes.c_double), _lib.pointer(v, ctypes.c_double)))

    def displace(self, dq) -> None:
        """Moves the state along dq, one number per dof: a velocity times a time."""
        with self._use() as rod:
            dq = _lib.array(dq, float, (lib.skein_rod_dofs(rod),), "dq")
            _lib.check(lib.skein_rod_displace(rod, _lib.pointer(dq, ctypes.c_double)))

    def set_loads(self, *loads: Load) -> None:
        """Dead forces and torques, instead of those before; they stay until set again."""
        array = (_lib.RodLoad * max(1, len(loads)))()
        for k, load in enumerate(loads):
            s, force, torque = Load(*load)
            array[k] = _lib.RodLoad(_lib.real(s, "s"), _vector(force, "force"), _vector(torque, "torque"))
        with self._use() as rod:
            _lib.check(lib.skein_rod_set_loads(rod, array, len(loads)))

    def set_holds(self, *holds: Hold) -> None:
        """Springs, instead of those before; they stay until set again."""
        array = (_lib.RodHold * max(1, len(holds)))()
        for k, hold in enumerate(holds):
            s, target, stiffness, torsion = Hold(*hold)
            array[k] = _lib.RodHold(_lib.real(s, "s"), _pose_struct(target, "target"), _vector(stiffness, "stiffness"),
                                    _lib.real(torsion, "torsion"))
        with self._use() as rod:
            _lib.check(lib.skein_rod_set_holds(rod, array, len(holds)))

    def drive(self, root: Pose | None = None, tip: Pose | None = None) -> None:
        """Where the held ends are to be at the end of the next step (or relaxation)."""
        root, tip = (None if p is None else _pose_struct(p, name) for p, name in ((root, "root"), (tip, "tip")))
        with self._use() as rod:
            _lib.check(lib.skein_rod_drive(rod, root, tip))

    def step(self, dt: float = 1e-3, *, gravity=GRAVITY, wind=CALM, theta: float = 1.0) -> None:
        """One step in time; see step_rods."""
        step_rods([self], dt, gravity=gravity, wind=wind, theta=theta, threads=1)

    def relax(self, *, gravity=GRAVITY, wind=CALM, tol: float = 1e-9, max_iterations: int = 100,
              load_steps: int = 10) -> RelaxInfo:
        """Statics: a minimum of the energy near the present state; velocities become zero. Loads come on in
        `load_steps` steps."""
        definition = _lib.RelaxDef(_lib.real(tol, "tol"), _lib.integer(max_iterations, "max_iterations"),
                                   _lib.integer(load_steps, "load_steps"))
        out, env = _lib.RelaxInfoStruct(), _env(gravity, wind)
        with self._use() as rod:
            _lib.check(lib.skein_rod_relax(rod, env, definition, out))
        return _lib.record(RelaxInfo, out)


def _cells(values):
    return (None, 0) if values is None else (_lib.pointer(values, ctypes.c_double), len(values))


def step_rods(rods: Sequence[Rod], dt: float = 1e-3, *, gravity=GRAVITY, wind=CALM, theta: float = 1.0,
              threads: int = 0) -> None:
    """One step of dt seconds of every rod, in parallel, with the same bits for any number of threads.

    theta 1 is implicit Euler, 1/2 the midpoint rule (second order, keeps energy). When one fails skein.Error names it
    and it keeps its state; the others have moved."""
    rods = list(rods)
    if not all(isinstance(rod, Rod) for rod in rods):
        raise TypeError("rods: expected skein.Rod only")
    if len(set(map(id, rods))) != len(rods):
        raise ValueError("rods: one is there twice")
    definition = _lib.RodStepDef(_lib.real(dt, "dt"), _lib.real(theta, "theta"), _lib.threads(threads))
    env = _env(gravity, wind)
    with contextlib.ExitStack() as stack:
        pointers = {}
        for rod in sorted(rods, key=id):  # always in the same order: two threads cannot lock each other out
            pointers[id(rod)] = stack.enter_context(rod._use())
        array = (ctypes.c_void_p * max(1, len(rods)))(*(pointers[id(rod)] for rod in rods))
        _lib.check(lib.skein_rods_step(array, len(rods), env, definition))


def rod_models() -> dict[str, str]:
    """Every model and one line about it."""
    return {name: lib.skein_rod_model_about(k).decode() for k, name in enumerate(ROD_MODELS)}
