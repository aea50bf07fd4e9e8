"""Exact Coulomb friction: problems as arrays, their solution, their error, FCLIB files, problems to try it on.

The one-step problem, for n contacts of dimension d (2 or 3, normal first) and m degrees of freedom, is either
``u = W r + b`` (reduced) or ``M v = f + H' r, u = H v + u_f`` (global), with Coulomb's law between r and u at every
contact. Letters are those of docs/notation.md."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, NamedTuple, Sequence

import numpy

from . import _lib
from ._lib import lib
from ._matrix import CSR, csr, csr_copy, csr_struct

FORMS = ("reduced", "global")
OPERATORS = ("auto", "explicit", "factored")
ACCELERATIONS = ("none", "anderson", "relax")
BALLS = ("augmented", "plain")
MEASURES = ("rel", "fb")


def _names(name_of, count):
    """The words of an enum of `count`, in its order."""
    return tuple(name_of(k).decode() for k in range(count))


METHODS = _names(lib.skein_method_name, 6)
LOCALS = _names(lib.skein_local_name, 8)


# ---- Records ----

class Residual(NamedTuple):
    """The complementarity error over all contacts: `fb` in the problem's units, `rel` free of units, `worst` the
    contact with the largest (-1: there are none)."""
    fb: float
    rel: float
    worst: int


class Progress(NamedTuple):
    """What a progress callback is told. Only the measure that is solved for is known, the other is NaN."""
    iteration: int
    seconds: float
    error: Residual
    method: str


class SolveInfo(NamedTuple):
    """How a solve went. Not converged is data, never an exception."""
    converged: bool
    error: Residual  # over all contacts, full operator
    iterations: int  # largest over islands
    islands: int
    seconds: float  # wall clock, operator included
    seconds_setup: float
    threads: int
    method: str  # what solved the largest island
    operator_form: str
    local_solves: int
    local_alternates: int
    local_failures: int
    stick: int
    slide: int
    open: int


class ProblemInfo(NamedTuple):
    """What one sees of a problem without solving it (`skein info`)."""
    contacts: int
    dofs: int
    d: int
    objects: int  # diagonal blocks of M; 0 when reduced
    islands: int
    largest_island: int
    blocks: int  # non-zero d x d blocks of W
    nu: float  # d n / m; 0 when m is unknown
    mu_min: float
    mu_max: float
    diag_min: float
    diag_max: float
    asymmetry: float
    local_cond: float
    b_max: float
    w_mean: float
    closing: int


class Solution(NamedTuple):
    """Impulses r and relative velocities u (n x d each, normal first), velocities v (m, global form), and how it was
    found. What is not known is None."""
    r: numpy.ndarray | None
    u: numpy.ndarray | None = None
    v: numpy.ndarray | None = None
    info: SolveInfo | None = None

    @property
    def converged(self) -> bool:
        """Whether the solver reached its tolerance."""
        return self.info is not None and self.info.converged


class Fclib(NamedTuple):
    """The content of an FCLIB file."""
    problem: "Problem"
    solution: Solution | None
    guesses: list[Solution]
    title: str | None
    description: str | None
    math_info: str | None


# ---- The problem ----

def _per_contact(value, n, d, name):
    """d numbers per contact as n x d; flat is fine, None is zero."""
    if value is None:
        return numpy.zeros((n, d))
    value = numpy.asarray(value)
    return _lib.array(value.reshape(n, d) if value.shape == (n * d,) else value, numpy.float64, (n, d), name)


def _dimension(d, vector, mu, size, name):
    """d as given; else from an n x d vector, or from the length of mu, or 3."""
    if d is None:
        if numpy.ndim(vector) == 2:
            d = numpy.shape(vector)[1]
        elif numpy.ndim(mu) == 1 and len(mu) and size % len(mu) == 0:
            d = size // len(mu)
        else:
            d = 3
    d = _lib.integer(d, "d")
    if d not in (2, 3):
        raise ValueError(f"d is {d}, expected 2 or 3")
    if size % d:
        raise ValueError(f"{name}: {size} numbers are no whole number of contacts of dimension {d}")
    return d


def _check_order(W, b):
    """W and b were not given in each other's place."""
    shape = getattr(b, "shape", None) or numpy.shape(b) if not isinstance(b, (tuple, CSR)) else getattr(b, "shape", ())
    size = numpy.size(W) if not isinstance(W, (tuple, CSR)) and not hasattr(W, "tocsr") else 0
    if len(shape) == 2 and shape[0] == shape[1] == size:
        raise ValueError(f"W has {size} numbers as b should, b is {shape[0]} x {shape[1]} as W should: "
                         "expected W, then b")


class Problem:
    """The one-step friction problem in one of its two forms; constant once made.

    ``Problem(W, b, mu)`` is the reduced form, ``Problem(M=M, H=H, f=f, u_f=u_f, mu=mu)`` the global one. Matrices may
    be dense, `skein.CSR`, anything like scipy's sparse matrices (BSR, CSR, COO, or with ``tocsr()``), or tuples as for
    scipy's constructors: ``(values, columns, start)`` by rows or with 3-D blocks, ``(values, (rows, columns))``.
    Vectors over contacts are n x d or flat, normal component first. mu is one number or one per contact.
    d, where it is not given, follows from the shape of b (or u_f) or from the length of mu, and is 3 otherwise.

    >>> import skein
    >>> p = skein.Problem([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[-1, 0.2, 0]], 0.5)  # a particle that hits the ground
    >>> p.contacts, p.form
    (1, 'reduced')
    >>> r = p.solve().r  # stops it, and holds it
    >>> abs(r - [[1, -0.2, 0]]).max() < 1e-9
    True
    """
    __slots__ = ("form", "d", "contacts", "dofs", "mu", "W", "b", "M", "H", "f", "u_f")
    form: str
    d: int
    contacts: int
    dofs: int
    mu: numpy.ndarray
    W: CSR | None
    b: numpy.ndarray | None
    M: CSR | None
    H: CSR | None
    f: numpy.ndarray | None
    u_f: numpy.ndarray | None

    def __init__(self, W=None, b=None, mu=None, *, M=None, H=None, f=None, u_f=None, d: int | None = None,
                 dofs: int = 0):
        if (W is None) == (M is None and H is None):
            raise TypeError("expected W and b (reduced form) or M, H, f and u_f (global form)")
        if W is not None and b is not None:
            _check_order(W, b)
        if mu is None:
            raise TypeError("mu is missing: one number, or one per contact")
        fields: dict[str, Any] = dict.fromkeys(self.__slots__)
        fields.update(self._reduced(W, b, mu, d, dofs, f, u_f) if W is not None else
                      self._global(M, H, f, u_f, mu, d, b))
        n = fields["contacts"]
        fields["mu"] = _lib.array(numpy.broadcast_to(mu, (n,)) if numpy.ndim(mu) == 0 else mu, float, (n,), "mu")
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        self.check()

    @staticmethod
    def _reduced(W, b, mu, d, dofs, f, u_f):
        if b is None or f is not None or u_f is not None:
            raise TypeError("the reduced form is W, b and mu")
        size = numpy.size(b)
        d = _dimension(d, b, mu, size, "b")
        n = size // d
        return {"form": "reduced", "d": d, "contacts": n, "dofs": _lib.integer(dofs, "dofs", 0),
                "W": csr(W, (size, size), "W"), "b": _per_contact(b, n, d, "b")}

    @staticmethod
    def _global(M, H, f, u_f, mu, d, b):
        if M is None or H is None or b is not None:
            raise TypeError("the global form is M, H, f, u_f and mu")
        m = numpy.size(f) if f is not None else csr(M, None, "M").shape[0]
        M = csr(M, (m, m), "M")
        if u_f is not None:
            H = csr(H, (numpy.size(u_f), m), "H")
        else:
            H = csr(H, None, "H")
        size = H.shape[0]
        d = _dimension(d, u_f, mu, size, "H")
        n = size // d
        return {"form": "global", "d": d, "contacts": n, "dofs": m, "M": M, "H": csr(H, (size, m), "H"),
                "f": numpy.zeros(m) if f is None else _lib.array(f, float, (m,), "f"),
                "u_f": _per_contact(u_f, n, d, "u_f")}

    def __setattr__(self, name, value):
        raise AttributeError("a Problem is constant: make another one")

    def __repr__(self):
        return f"<skein.Problem {self.form}: {self.contacts} contacts of dimension {self.d}, {self.dofs} dofs>"

    def __getstate__(self):
        return {name: getattr(self, name) for name in self.__slots__}

    def __setstate__(self, state):
        for name in self.__slots__:
            object.__setattr__(self, name, state[name])

    @classmethod
    def _copy(cls, source) -> Problem:
        """From the library's struct, which stays with whoever has it."""
        self = object.__new__(cls)
        n, d, m = source.contacts, source.d, source.dofs
        fields: dict[str, Any] = dict.fromkeys(cls.__slots__)
        fields.update(form=FORMS[source.form], d=d, contacts=n, dofs=m, mu=_lib.copied(source.mu, n, float))
        if fields["form"] == "global":
            fields.update(M=csr_copy(source.M), H=csr_copy(source.H), f=_lib.copied(source.f, m, float),
                          u_f=_lib.copied(source.u_f, n, float, d))
        else:
            fields.update(W=csr_copy(source.W), b=_lib.copied(source.b, n, float, d))
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        return self

    @classmethod
    def _take(cls, source) -> Problem:
        """The same, and the library's struct is destroyed."""
        try:
            return cls._copy(source)
        finally:
            lib.skein_problem_destroy(source)

    def _struct(self):
        """As the library sees it: pointers into our arrays, valid while self is."""
        vector = {name: _lib.pointer(getattr(self, name), ctypes.c_double) for name in ("mu", "b", "f", "u_f")}
        matrix = {name: csr_struct(getattr(self, name)) for name in ("W", "M", "H")}
        return _lib.ProblemStruct(form=FORMS.index(self.form), d=self.d, contacts=self.contacts, dofs=self.dofs,
                                  **vector, **matrix)

    def check(self) -> None:
        """Sizes agree, every number is finite, mu >= 0, M is symmetric: or skein.Error that names the field."""
        _lib.check(lib.skein_problem_check(self._struct()))

    def reduce(self) -> Problem:
        """The reduced form of a global problem: W = H M^-1 H', b = u_f + H M^-1 f."""
        if self.form == "reduced":
            return self
        out = _lib.ProblemStruct()
        _lib.check(lib.skein_problem_reduce(self._struct(), out))
        return Problem._take(out)

    def describe(self) -> ProblemInfo:
        """What one sees of it without solving it: islands, blocks, nu, conditions."""
        out = _lib.ProblemInfoStruct()
        _lib.check(lib.skein_problem_describe(self._struct(), out))
        return _lib.record(ProblemInfo, out)

    def _evaluate(self, r):
        r = _per_contact(r, self.contacts, self.d, "r")
        out, u = _lib.ErrorStruct(), numpy.zeros((self.contacts, self.d))
        v = numpy.zeros(self.dofs) if self.form == "global" else None
        _lib.check(lib.skein_problem_error(self._struct(), _lib.pointer(r, ctypes.c_double), out,
                                           _lib.pointer(u, ctypes.c_double), _lib.pointer(v, ctypes.c_double)))
        return _lib.record(Residual, out), u, v

    def error(self, r) -> Residual:
        """The complementarity error of the impulses r over all contacts, by the one function that knows no solver."""
        return self._evaluate(r)[0]

    def velocities(self, r) -> tuple[numpy.ndarray, numpy.ndarray | None]:
        """u (n x d) of the impulses r, and v (m) where the problem is global."""
        return self._evaluate(r)[1:]

    def solve(self, **options) -> Solution:
        """Solves it; the options are those of skein.solve."""
        return solve(self, **options)

    def write(self, path, solution: Solution | None = None, **texts) -> None:
        """Writes it as an FCLIB file; see skein.write_fclib."""
        write_fclib(path, self, solution, **texts)


# ---- The solver ----

def _local(name, failsafe):
    """A local solver and its fail-safe: "mfb+enum" is "mfb" with failsafe, as on the command line."""
    if isinstance(name, str) and name.endswith("+enum"):
        name, failsafe = name[:-len("+enum")], True
    return _lib.choice(name, LOCALS, "local"), bool(failsafe)


def _watch(progress: Callable[[Progress], Any] | None, raised: list):
    """The C callback of a Python one. An exception stops the solve and is raised after it."""
    if progress is None:
        return _lib.ProgressFn()
    if not callable(progress):
        raise TypeError("progress: expected something to call")

    def tell(_, pointer):
        try:
            p = pointer.contents
            return bool(progress(Progress(p.iteration, p.seconds, _lib.record(Residual, p.error), p.method.decode())))
        except BaseException as error:  # it must not cross the library
            raised.append(error)
            return True

    return _lib.ProgressFn(tell)


def _solve_info(out) -> SolveInfo:
    values = {name: getattr(out, name) for name in SolveInfo._fields}
    values.update(error=_lib.record(Residual, out.error), method=METHODS[out.method],
                  operator_form=OPERATORS[out.operator_form])
    return SolveInfo(**values)


def solve(W=None, b=None, mu=None, *, M=None, H=None, f=None, u_f=None, d: int | None = None, guess=None,
          method: str = "auto", local: str = "secular", failsafe: bool = False, tol: float = 1e-6, measure: str = "rel",
          local_tol: float = 1e-10, max_sweeps: int = 100000, max_seconds: float = 0.0, threads: int = 0,
          operator_form: str = "auto", accelerate: str = "anderson", ball: str = "augmented",
          freeze: bool = True, look: int = 0, progress: Callable[[Progress], Any] | None = None) -> Solution:
    """Solves a friction problem: Coulomb's law at every contact, exactly.

    The problem is a `skein.Problem`, or its arrays: ``solve(W, b, mu)`` or ``solve(M=M, H=H, f=f, u_f=u_f, mu=mu)``;
    `skein.Problem` says what they may be. Returns a `Solution` (r, u, v, info); unpack it or use the names.
    Not converged is reported in ``info.converged``, with the best iterate; bad input raises `skein.Error`.

    guess         impulses to start from (a warm start); None: zero
    method        one of skein.METHODS; "auto" looks at the problem and at its own progress
    local         one of skein.LOCALS, for Gauss-Seidel; with "+enum": failsafe too
    failsafe      enumeration when the local solver missed its tolerance
    tol           on the measure: "rel" (free of units) or "fb" (the problem's units)
    local_tol     the same for one contact
    max_sweeps    sweeps or Newton iterations, per island
    max_seconds   0: no limit
    threads       0: all cores; the bits of the answer do not depend on it
    operator_form "explicit" keeps W by blocks, "factored" goes through the objects, "auto" counts
    accelerate    "anderson", "relax" (over-relaxation) or "none"
    ball          on which "newton-ac", "pac" and "dac" project: "augmented", mu max(r_N - rho u_N, 0), or "plain",
                  mu max(r_N, 0)
    freeze        contacts at rest are visited less often (not with "anderson")
    look          sweeps of Gauss-Seidel between two calls of progress; 0: when the solver looks at the error itself
    progress      called with a `Progress` of the guess and after every look at the error; true stops the solve. It
                  comes from any thread, one at a time; with one, Ctrl-C works too. It changes no bit of the answer

    A block on the ground, pushed sideways harder than friction can hold:

    >>> import numpy, skein
    >>> r, u, v, info = skein.solve(numpy.eye(3), [-1, 0.8, 0], 0.5)
    >>> info.converged, info.slide
    (True, 1)
    >>> abs(r - [[1, -0.5, 0]]).max() < 1e-9 and abs(u - [[0, 0.3, 0]]).max() < 1e-9
    True

    A tangle of hair, by the interior-point method, watched:

    >>> p = skein.make_hairlike(rods=20, contacts=100)
    >>> errors = []
    >>> s = skein.solve(p, method="ipm", progress=lambda now: errors.append(now.error.rel))
    >>> s.converged and errors[-1] <= 1e-6
    True
    """
    if isinstance(W, Problem):
        if not all(x is None for x in (b, mu, M, H, f, u_f, d)):
            raise TypeError("a Problem has its own arrays: give it alone")
        problem = W
    else:
        problem = Problem(W, b, mu, M=M, H=H, f=f, u_f=u_f, d=d)
    raised: list[BaseException] = []
    definition = _definition(raised, guess is not None, method=method, local=local, failsafe=failsafe, tol=tol,
                             measure=measure, local_tol=local_tol, max_sweeps=max_sweeps, max_seconds=max_seconds,
                             threads=threads, operator_form=operator_form, accelerate=accelerate, ball=ball,
                             freeze=freeze, look=look, progress=progress)
    return _run(lib.skein_solve, problem, guess, definition, raised)


def _definition(raised, warm_start, **options):
    """A skein_solve_def of the options of solve(), those that are given."""
    words = {"method": METHODS, "measure": MEASURES, "operator_form": OPERATORS, "accelerate": ACCELERATIONS,
             "ball": BALLS}
    kinds = {"tol": _lib.real, "local_tol": _lib.real, "max_seconds": _lib.real, "max_sweeps": _lib.integer,
             "look": _lib.integer, "freeze": lambda value, _: bool(value),
             "threads": lambda value, _: _lib.threads(value), "progress": lambda value, _: _watch(value, raised)}
    definition = lib.skein_default_solve_def()
    definition.warm_start = warm_start
    local, failsafe = options.pop("local", "secular"), options.pop("failsafe", False)
    definition.local, definition.failsafe = _local(local, failsafe)
    for name, value in options.items():
        if name in words:
            value = _lib.choice(value, words[name], name)
        elif name in kinds:
            value = kinds[name](value, name)
        else:
            raise TypeError(f"'{name}' is no option of solve()")
        setattr(definition, name, value)
    return definition


def _room(problem, guess):
    """Arrays for a solution, r the guess."""
    r = numpy.array(_per_contact(guess, problem.contacts, problem.d, "guess"))
    return r, numpy.zeros_like(r), numpy.zeros(problem.dofs) if problem.form == "global" else None


def _where(arrays):
    return _lib.SolutionStruct(*(_lib.pointer(x, ctypes.c_double) for x in arrays))


def _run(function, problem, guess, definition, raised) -> Solution:
    """Calls a function that solves one problem."""
    arrays, out = _room(problem, guess), _lib.SolveInfoStruct()
    status = function(problem._struct(), definition, _where(arrays), out)
    if raised:
        raise raised.pop()
    _lib.check(status)
    return Solution(*arrays, _solve_info(out))


class Solver(_lib.Owner):
    """Solves one problem after another with the same options, those of `solve`, in memory that it keeps. The answers
    are those of `solve`, to the last bit.

    >>> import numpy, skein
    >>> with skein.Solver(tol=1e-8, threads=1) as solver:
    ...     r = None
    ...     for push in (0.1, 0.2, 0.3):
    ...         problem = skein.Problem(numpy.eye(3), [-1, push, 0], 0.5)
    ...         r = solver.solve(problem, guess=r).r
    >>> r.round(6) + 0
    array([[ 1. , -0.3,  0. ]])
    """

    def __init__(self, **options):
        self._raised: list[BaseException] = []
        self._definition = _definition(self._raised, False, **options)
        self._handle = _lib.Handle(lib.skein_solver_create(), lib.skein_solver_destroy, ())

    def solve(self, problem: Problem, guess=None) -> Solution:
        """Solves it, from the guess unless that is None."""
        with self._use() as solver:
            self._definition.warm_start = guess is not None
            return _run(lambda *rest: lib.skein_solver_solve(solver, *rest), problem, guess, self._definition,
                        self._raised)


def solve_batch(problems, guesses=None, **options) -> list[Solution]:
    """Solves many problems side by side, each on one thread: for many small ones. The options are those of `solve`;
    guesses: one for each, or None. The answers are those of `solve`, to the last bit.

    >>> import numpy, skein
    >>> problems = [skein.Problem(numpy.eye(3), [-1, 0.1 * k, 0], 0.5) for k in range(100)]
    >>> len([s for s in skein.solve_batch(problems) if s.converged])
    100
    """
    problems, raised = list(problems), []
    definition = _definition(raised, guesses is not None, **options)
    guesses = [None] * len(problems) if guesses is None else list(guesses)
    if len(guesses) != len(problems):
        raise ValueError(f"guesses: has {len(guesses)} entries, expected {len(problems)}")
    arrays = [_room(p, g) for p, g in zip(problems, guesses)]
    count = len(problems)
    structs, where = (_lib.ProblemStruct * max(1, count))(), (_lib.SolutionStruct * max(1, count))()
    out = (_lib.SolveInfoStruct * max(1, count))()
    for k, (p, a) in enumerate(zip(problems, arrays)):
        structs[k], where[k] = p._struct(), _where(a)
    status = lib.skein_solve_batch(count, structs, definition, where, out)
    if raised:
        raise raised[0]
    _lib.check(status)
    return [Solution(*a, _solve_info(out[k])) for k, a in enumerate(arrays)]


def solve_one(W, b, mu: float, *, local: str = "secular", failsafe: bool = False, tol: float = 1e-10,
              guess=None) -> tuple[numpy.ndarray, bool]:
    """One contact by itself: W is d x d, b has d numbers. Returns r and whether the local error is within tol.

    >>> import skein
    >>> r, converged = skein.solve_one([[2, 0], [0, 1]], [-1, 0.1], 0.5, local="mfb+enum")
    >>> r.round(6), converged
    (array([ 0.5, -0.1]), True)
    """
    b = _lib.array(b, float, (None,), "b")
    d = len(b)
    if d not in (2, 3):
        raise ValueError(f"b: has {d} numbers, expected 2 or 3")
    W = _lib.array(W, float, (d, d), "W")
    r = numpy.zeros(d) if guess is None else numpy.array(_lib.array(guess, float, (d,), "guess"))
    local_index, failsafe = _local(local, failsafe)
    converged = ctypes.c_bool()
    _lib.check(lib.skein_solve_one(d, _lib.pointer(W, ctypes.c_double), _lib.pointer(b, ctypes.c_double),
                                   _lib.real(mu, "mu"), local_index, failsafe, _lib.real(tol, "tol"),
                                   _lib.pointer(r, ctypes.c_double), converged))
    return r, converged.value


# ---- FCLIB files ----

def _solution_copy(problem: Problem, source) -> Solution | None:
    """None where no array is known."""
    def take(address, rows, cols):
        return _lib.copied(address, rows, float, cols) if address else None
    n, d = problem.contacts, problem.d
    r, u, v = take(source.r, n, d), take(source.u, n, d), take(source.v, problem.dofs, 0)
    return None if r is None and u is None and v is None else Solution(r, u, v)


def _solution_struct(problem: Problem, s: Solution | None):
    """The struct, and the arrays that must live as long."""
    if s is None:
        return _lib.SolutionStruct(), ()
    n, d = problem.contacts, problem.d
    arrays = (None if s.r is None else _per_contact(s.r, n, d, "solution.r"),
              None if s.u is None else _per_contact(s.u, n, d, "solution.u"),
              None if s.v is None else _lib.array(s.v, float, (problem.dofs,), "solution.v"))
    return _lib.SolutionStruct(*(_lib.pointer(x, ctypes.c_double) for x in arrays)), arrays


def read_fclib(path) -> Fclib:
    """Reads an FCLIB file: one problem, guesses and a solution where it has them."""
    out = _lib.FclibStruct()
    with _lib.hdf5:
        _lib.check(lib.skein_fclib_read(_lib.path_bytes(path), out))
    try:
        problem = Problem._copy(out.problem)
        guesses = [_solution_copy(problem, out.guess[k]) or Solution(None) for k in range(out.guesses)]
        texts = (x.decode(errors="replace") if x is not None else None
                 for x in (out.title, out.description, out.math_info))
        return Fclib(problem, _solution_copy(problem, out.solution), guesses, *texts)
    finally:
        lib.skein_fclib_destroy(out)


def write_fclib(path, problem: Problem, solution: Solution | None = None, *, guesses: Sequence[Solution] = (),
                title: str | None = None, description: str | None = None, math_info: str | None = None) -> None:
    """Writes an FCLIB file; path is the old file or the whole new one, never half."""
    pairs = [_solution_struct(problem, g) for g in guesses]
    own, arrays = _solution_struct(problem, solution)
    array = (_lib.SolutionStruct * max(1, len(pairs)))(*(pair[0] for pair in pairs))
    texts = {name: None if text is None else _lib.text_bytes(text, name)
             for name, text in (("title", title), ("description", description), ("math_info", math_info))}
    file = _lib.FclibStruct(problem=problem._struct(), guesses=len(pairs), guess=array if pairs else None, solution=own,
                            **texts)
    with _lib.hdf5:
        _lib.check(lib.skein_fclib_write(_lib.path_bytes(path), file))
    del pairs, arrays  # alive until here


def save_solution(path, problem: Problem, solution: Solution) -> None:
    """Puts a solution into an FCLIB file that exists; everything else in it is kept."""
    own, arrays = _solution_struct(problem, solution)
    with _lib.hdf5:
        _lib.check(lib.skein_fclib_save_solution(_lib.path_bytes(path), problem._struct(), own))
    del arrays


# ---- Problems to try it on ----

def make_hairlike(rods: int = 1000, contacts: int = 12800, dofs_per_rod: int = 16, mu: float = 0.3,
                  seed: int = 1) -> Problem:
    """Dense rods on a lattice in contact with their neighbours, over-constrained as dense hair is. Global form."""
    definition = _lib.HairlikeDef(_lib.integer(rods, "rods"), _lib.integer(contacts, "contacts"),
                                  _lib.integer(dofs_per_rod, "dofs_per_rod"), _lib.real(mu, "mu"),
                                  _lib.integer(seed, "seed", 0, 2**64 - 1))
    out = _lib.ProblemStruct()
    _lib.check(lib.skein_make_hairlike(definition, out))
    return Problem._take(out)


def make_manufactured(d: int = 3, objects: int = 100, contacts: int = 100, dofs_per_object: int = 6, mu: float = 0.5,
                      open: float = 0.3, stick: float = 0.4, seed: int = 1) -> tuple[Problem, Solution]:
    """A problem whose solution was chosen first (shares of open and sticking contacts), and that solution."""
    definition = _lib.ManufacturedDef(_lib.integer(d, "d"), _lib.integer(objects, "objects"),
                                      _lib.integer(contacts, "contacts"),
                                      _lib.integer(dofs_per_object, "dofs_per_object"), _lib.real(mu, "mu"),
                                      _lib.real(open, "open"), _lib.real(stick, "stick"),
                                      _lib.integer(seed, "seed", 0, 2**64 - 1))
    out, answer = _lib.ProblemStruct(), _lib.SolutionStruct()
    _lib.check(lib.skein_make_manufactured(definition, out, answer))
    try:
        problem = Problem._take(out)
        return problem, _solution_copy(problem, answer)
    finally:
        lib.skein_solution_destroy(answer)
