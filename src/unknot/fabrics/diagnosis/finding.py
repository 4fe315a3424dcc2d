"""What is wrong with a fabric, and what it costs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from unknot._base.shown import Brief
from unknot._base.three_valued import ThreeValued
from unknot.network import Network
from unknot.network.recognised import Structure

Fault = Literal[
    "no route", "errors", "missing switch", "missing cable", "swapped cables", "misplaced cable", "extra cable",
    "slow cable", "uneven bundles", "host on a spine", "single-homed host", "host on another rail",
]  # fmt: skip
"""Kinds of findings, the worst first."""
ORDER = {kind: rank for rank, kind in enumerate(Fault.__args__)}  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Finding:
    """A fault.

    Attributes
    ----------
    fault : str
        Its kind.
    words : str
        The fault in words, with names of switches and ports.
    cables : tuple of str
        Names of the cables that are there and are wrong; of several that come into question all.
    switches : tuple of str
        Switches at the ends of what is missing or wrong.
    count : int
        Cables, hosts or pairs.
    bisection : float or None
        Share of the cables between the same two levels, groups or positions that is lost: of the capacity there
        between two halves of the fabric; None where nothing is lost there.
    load : float or None
        How many times as high the highest load is by this fault alone, uniform traffic being spread over all shortest
        paths; None where the fabric is too large for one figure each, or the fault has none.
    routed_load : float or None
        Of slow cables, the same on the forwarding tables; None without tables.
    errors_per_hour : float or None
        Errors at both ends of the cable; None without counters.

    Examples
    --------
    >>> Finding("extra cable", "a cable too many between S0 and S5: S0[4] – S5[4]", ("S0[4] – S5[4]",)).count
    1
    """

    fault: Fault
    words: str
    cables: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    count: int = 1
    bisection: float | None = None
    load: float | None = None
    routed_load: float | None = None
    errors_per_hour: float | None = None


@dataclass(frozen=True)
class EngineSafety(ThreeValued, asks="safe"):
    """Whether the tables of a routing engine of OpenSM, or a remedy, can deadlock on a fabric in one virtual lane.

    Attributes
    ----------
    engine : str
        Name for OpenSM's ``-R``, or a command of Unknot.
    safe : bool or None
        None: it depends on what the engine picks, or was not looked at.
    because : str
        Reason.

    Examples
    --------
    >>> EngineSafety("updn", True, "up and then down closes no loop").safe
    True
    """

    engine: str
    safe: bool | None
    because: str


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(ThreeValued, Brief, asks="holds"):
    """Recognised structure and faults of a fabric.

    Attributes
    ----------
    fabric : str
    structure : Structure
        What was recognised.
    intended_by : str
        The plan that the cables were compared with; empty: the recognised structure.
    findings : tuple of Finding
        The worst first.
    cables : int
        Cables between switches.
    intended : Network
        The fabric with the cables that were meant.
    load : float or None
        How many times as high the highest load is as that of the intended fabric; None where the fabric is too large,
        or hosts are cut off.
    remarks : tuple of str
        What is odd about the whole, and what was not looked at.
    engines : tuple of EngineSafety
        Which routing engines are safe on the fabric; empty where nobody asked.

    Examples
    --------
    >>> from unknot.fabrics import read_fabric
    >>> from unknot.fabrics.diagnosis import diagnose
    >>> found = diagnose(read_fabric("examples/fabrics/opensm-torus8x8-dor"))
    >>> found.structure.words, found.holds
    ('torus of 8 × 8; 1 cable a pair', True)
    """

    fabric: str
    structure: Structure
    intended_by: str
    findings: tuple[Finding, ...]
    cables: int
    intended: Network
    load: float | None = None
    remarks: tuple[str, ...] = ()
    engines: tuple[EngineSafety, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether nothing is wrong; None where there is neither a known structure nor a plan to compare with."""
        if self.findings:
            return False
        return True if self.structure.is_known or self.intended_by else None

    @property
    def counts(self) -> dict[str, int]:
        """Findings of each kind, the worst first."""
        return dict(Counter(one.fault for one in self.findings))
