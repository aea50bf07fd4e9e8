"""What a step is worth: its flaws, how large the worst of each kind was and between whom, and the attempts at it.
docs/runs.md says what each flaw means."""
from __future__ import annotations

from typing import Callable, NamedTuple

from . import _lib
from ._lib import lib


def _names(function, count):
    return tuple(function(k).decode() for k in range(count))


FLAWS = _names(lib.skein_flaw_name, 8)
ACTIONS = _names(lib.skein_action_name, 8)
UNKNOWN = 1 << 30  # SKEIN_FLAWS_UNKNOWN
FINDINGS = ("overlap", "deeper", "curved", "balance", "reach", "speed", "crossed")


class Finding(NamedTuple):
    """The worst of its kind in a step. a, b: objects, rods first, then bodies (rods + index), -1: none; names: of those
    that there are, as the scene has them."""
    size: float = 0.0
    a: int = -1
    b: int = -1
    names: tuple[str, ...] = ()


class Verdict(NamedTuple):
    """What a step is worth. flaws: names out of `skein.FLAWS`; (): solved; None: never judged, in a run made before
    verdicts. Lengths are in contact lengths: collision radii of the thinner rod, of two bodies fiftieths of the smaller
    one."""
    flaws: tuple[str, ...] | None = ()
    overlap: Finding = Finding()  # at the end of the step
    deeper: Finding = Finding()  # by how much one grew
    curved: Finding = Finding()  # largest way of a contact beside what the linear problem had
    balance: Finding = Finding()  # energy of nothing of an object, over its energy scale
    reach: Finding = Finding()  # largest motion over what was searched
    speed: Finding = Finding()  # largest speed over its bound
    crossed: Finding = Finding()  # the first pair that went through each other; size: how many pairs did
    made: float = 0.0  # J of nothing, all objects
    turnover: float = 0.0  # J of work, by size: what `made` is measured by


class Attempt(NamedTuple):
    """One try at a step: flaws as in Verdict, action out of `skein.ACTIONS`: what followed."""
    dt: float
    flaws: tuple[str, ...]
    action: str
    sweeps: int
    seconds: float  # wall clock


def flaw_names(bits: int) -> tuple[str, ...] | None:
    """The flaws of a set as rows of Run.steps() have it (``row["verdict"]["flaws"]``); None: never judged."""
    bits = int(bits)
    return None if bits & UNKNOWN else tuple(name for k, name in enumerate(FLAWS) if bits >> k & 1)


def _flaw_bits(names) -> int:
    return UNKNOWN if names is None else sum(1 << _lib.choice(name, FLAWS, "flaws") for name in set(names))


def _take(source, find: Callable[[int], bytes | None]) -> Verdict:
    """From a struct; find: the name of an object."""
    findings = {}
    for name in FINDINGS:
        found = getattr(source, name)
        names = tuple((find(k) or f"object {k}".encode()).decode(errors="replace") for k in (found.a, found.b) if k >= 0)
        findings[name] = Finding(found.size, found.a, found.b, names)
    return Verdict(flaw_names(source.flaws), **findings, made=source.made, turnover=source.turnover)


def _fill(verdict: Verdict, out) -> None:
    """Into a struct."""
    out.flaws, out.made, out.turnover = _flaw_bits(verdict.flaws), verdict.made, verdict.turnover
    for name in FINDINGS:
        size, a, b = getattr(verdict, name)[:3]
        setattr(out, name, _lib.FindingStruct(size, a, b))


def _take_attempts(source) -> tuple[Attempt, ...]:
    return tuple(Attempt(a.dt, flaw_names(a.flaws), ACTIONS[a.action], a.sweeps, a.seconds)
                 for a in source.attempt[:source.attempts])


def _fill_attempts(attempts, out) -> None:
    if len(attempts) > len(out.attempt):
        raise ValueError(f"attempts: are {len(attempts)}, expected at most {len(out.attempt)}")
    out.attempts = len(attempts)
    for k, (dt, flaws, action, sweeps, seconds) in enumerate(attempts):
        out.attempt[k] = _lib.AttemptStruct(dt, _flaw_bits(flaws), _lib.choice(action, ACTIONS, "action"), sweeps, seconds)
