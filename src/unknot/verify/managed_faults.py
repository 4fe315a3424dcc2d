"""Faults of a fabric whose subnet manager gives new tables after each: the real OpenSM on a simulated fabric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Literal, get_args

import numpy as np

from unknot._base.deadline import NEVER, Deadline, counts_work
from unknot._base.errors import UnknotError
from unknot._base.progress import Progress, with_bar
from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot._base.three_valued import all_hold
from unknot.certificates.verdict import Verdict
from unknot.fabrics import Fabric
from unknot.fabrics.fabric import FabricCable
from unknot.fabrics.levels import columns_of_hosts
from unknot.fabrics.managed.manager import Manager, parts_left, without
from unknot.routing.relation import Relation
from unknot.verify.audit import Audit, audit
from unknot.verify.audit_merged import loads_by_level, mixed_relation
from unknot.verify.check import check
from unknot.verify.failures import Failed, Failures, Parts, Tried, TriedFault, failed_of, sets_of_parts, try_sets
from unknot.verify.table_faults import fabric_parts

Outcome = Literal["deadlock", "between", "undelivered", "undecided", "disconnected", "holds"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""Outcomes of a fault, the worst first."""
NO_STANDBY = "OpenSM runs at a host of this switch, and no standby at another host is simulated"


@dataclass(frozen=True)
class ManagedFault(TriedFault):
    """Parts that fail at once, and the tables that OpenSM gives then.

    Attributes
    ----------
    parts : tuple of str
        Names of the failed cables or switches.
    outcome : str
        `deadlock`: the new tables can deadlock. `between`: the new tables cannot, but packets can block each other
        while switches change from the old ones. `undelivered`: pairs with a way have no route. `undecided`: time or
        files were not enough. `disconnected`: pairs of surviving hosts have no way left. `holds`: none of these.
    undelivered_pairs, severed_pairs : int
        Pairs of surviving hosts without a route: with a way left, and without.
    load : float
        Highest load of a channel by the new tables, as a multiple of that without failures.
    changed : int
        Entries of forwarding tables that changed.
    engine : str
        The engine of OpenSM that routed.
    why : str
        What was established of the worst of both.
    """

    outcome: Outcome
    undelivered_pairs: int
    severed_pairs: int
    load: float
    changed: int
    engine: str
    why: str


@dataclass(frozen=True)
class AfterFault:
    """What was judged after a fault, for evidence: the new tables, and the mixture of old and new ones."""

    parts: tuple[str, ...]
    audited: Audit
    mixed: Relation
    verdict: Verdict

    def __str__(self) -> str:
        return ", ".join(self.parts)


@dataclass(frozen=True, repr=False)
class ManagedFaults(Tried):
    """Outcomes of all faults that were tried.

    Attributes
    ----------
    network : str
    opensm : str
        The program's version and options.
    engine : str
        The engine that routed without failures.
    free_before : bool or None
        Whether the tables without failures cannot deadlock, and deliver.
    kind : {"cables", "links", "routers", "any"}
    faults : int
        Parts that fail at once.
    possible : int
        Sets of that many parts.
    tried : tuple of ManagedFault
        The worst first: deadlocks, then pairs without a route, then load.
    cut_short : bool
        Whether time ran out before all of them were tried.
    """

    network: str
    opensm: str
    engine: str
    free_before: bool | None
    kind: Parts
    faults: int
    possible: int
    tried: tuple[ManagedFault, ...]
    cut_short: bool = False
    outcomes = OUTCOMES
    harmless = frozenset({"holds", "disconnected"})


@with_bar
@counts_work
def managed_faults(
    manager: Manager,
    switching: Switching = DEFAULT_SWITCHING,
    *,
    failures: Failures,
    time_limit: float = 10.0,
    until: Deadline = NEVER,
    progress: Progress | None = None,
    on_verdict: Callable[[AfterFault], None] | None = None,
) -> ManagedFaults:
    """Cut cables of a fabric, let its subnet manager route anew, and judge the new tables and the change to them.

    Parameters
    ----------
    manager : Manager
    switching : str
        Technique for which deadlock is judged.
    failures : Failures
        What fails. A switch loses all of its cables to other switches.
    time_limit : float
        Seconds for each proof.
    until : Deadline
        Sets are tried until then, those over which most routes go first.
    progress : callable, optional
        See `unknot._base.progress`.
    on_verdict : callable, optional
        Called with what was judged after each fault.

    Raises
    ------
    UnknotError
        If single channels shall fail, or OpenSM does not do its part.
    """
    whole, kind = manager.fabric, failures.kind
    if kind == "channels":
        raise UnknotError("faults: OpenSM sees a cable up or down, both ways; use --kind cables or routers")
    parts, loads = fabric_parts(whole, kind), loads_by_level(whole).sum(axis=0)
    chosen = [
        one
        for size in failures.sizes
        for one in sets_of_parts(f"{kind} of {whole.name}", parts, size, failures.most, failures.seed)
    ]
    cables = {one: _cables(whole, kind, one) for one in chosen}
    chosen.sort(key=lambda one: (len(one.names), -sum(loads[cable.channel] for cable in cables[one])))
    highest = float(loads.max(initial=0)) or 1.0
    before = audit(whole, switching=switching, time_limit=time_limit, only_hosts=True)
    engine, tried = manager.engine, list[ManagedFault]()

    def outcome(failed: Failed) -> ManagedFault:
        cut, dead = cables[failed], failed_of(whole.network, kind, failed.numbers)[0]
        if manager.home in dead:
            return ManagedFault(failed.names, "undecided", 0, 0, 1.0, 0, "", NO_STANDBY)
        old, new = without(whole, cut), manager.after(cut)
        audited = audit(new, switching=switching, time_limit=min(time_limit, until.left), only_hosts=True)
        mixed = mixed_relation(old, new)
        verdict = check(mixed, switching, time_limit=min(time_limit, until.left), shorten=False)
        if on_verdict is not None:
            on_verdict(AfterFault(failed.names, audited, mixed, verdict))
        judged = [one for one in (audited.host_to_host, audited.replies) if one is not None]
        free = all_hold(one.verdict.deadlock_free for one in judged)
        apart, severed = _apart(whole, cut, dead)
        undelivered = audited.host_to_host.delivery.undelivered_pairs - apart
        bad: dict[Outcome, bool] = {
            "deadlock": free is False,
            "between": verdict.deadlock_free is False,
            "undelivered": undelivered > 0,
            "undecided": None in (free, verdict.deadlock_free, audited.delivered),
            "disconnected": severed > 0,
            "holds": True,
        }
        name = next(one for one in OUTCOMES if bad[one])
        why = [one.verdict.established for one in judged if one.verdict.deadlock_free is not True]
        why += [f"while switches change their tables: {verdict.established}"] * (not verdict.deadlock_free)
        load = float(loads_by_level(new).sum(axis=0).max(initial=0)) / highest
        assert new.tables is not None
        changed = int(np.count_nonzero(new.tables != whole.tables))
        first = next(iter(why), "")
        return ManagedFault(failed.names, name, undelivered, severed, load, changed, manager.engine, first)

    try_sets(outcome, chosen, tried, until, progress)
    tried.sort(key=lambda one: (OUTCOMES.index(one.outcome), -one.undelivered_pairs, -one.severed_pairs, -one.load))
    return ManagedFaults(
        whole.name, str(manager.opensm), engine, before.holds, kind, failures.at_once,
        sum(comb(len(parts), size) for size in failures.sizes), tuple(tried), len(tried) < len(chosen),
    )  # fmt: skip


def _cables(fabric: Fabric, kind: Parts, failed: Failed) -> list[FabricCable]:
    """The cables between switches that are cut."""
    routers, channels = failed_of(fabric.network, kind, failed.numbers)
    gone = {*routers}
    return [
        cable
        for cable in fabric.cables
        if cable.terminal < 0 and (cable.channel in channels or not gone.isdisjoint(cable.routers))
    ]


def _apart(fabric: Fabric, cut: list[FabricCable], dead: list[int]) -> tuple[int, int]:
    """Pairs of a host and a LID without a way: all, and those of hosts whose switches did not fail."""
    part, owner, at = parts_left(fabric, cut), fabric.owner[columns_of_hosts(fabric)], fabric.network.inject
    apart = part[at][:, None] != part[at[owner]]
    alive = ~np.isin(at, dead)
    return int(apart.sum()), int(apart[alive][:, alive[owner]].sum())
