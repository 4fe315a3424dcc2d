"""Diagnosis of the cables of a fabric: what it was built as, and where it differs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from unknot.fabrics.diagnosis.cabling_faults import CablingFault, RouterPair, cabling_faults
from unknot.fabrics.diagnosis.costs import MOST_WORK, Bundles
from unknot.fabrics.diagnosis.counters import Port, errors_of_cables
from unknot.fabrics.diagnosis.finding import ORDER, Diagnosis, Finding
from unknot.fabrics.diagnosis.hosts import hosts_on_spines, hosts_with_fewer_ports, rails
from unknot.fabrics.diagnosis.named import Cables
from unknot.fabrics.diagnosis.plan import read_plan
from unknot.fabrics.diagnosis.planned import planned_faults
from unknot.fabrics.diagnosis.slow import slow_cables, slow_hosts
from unknot.fabrics.fabric import Fabric
from unknot.network import Network
from unknot.network.parts import Wires
from unknot.network.recognised import Structure, recognised


def diagnose(
    fabric: Fabric,
    *,
    intended: str | Path | None = None,
    errors: Counter[Port] | None = None,
    hours: float | None = None,
) -> Diagnosis:
    """Say what a fabric was built as, and what is wrong with its cables and hosts.

    Parameters
    ----------
    fabric : Fabric
        Tables are not needed.
    intended : str or Path, optional
        A plan to compare with in place of what is recognised: cables as CSV, UFM's topoconfig, or an older
        description of the fabric.
    errors : Counter, optional
        Errors of each port, by node GUID and number; see `read_errors`.
    hours : float, optional
        Time in which these were counted.

    Returns
    -------
    Diagnosis
        Findings, the worst first.

    Raises
    ------
    TextError
        If the plan is none.

    Examples
    --------
    >>> from unknot.fabrics import read_fabric
    >>> found = diagnose(read_fabric("examples/fabrics/opensm-leafspine-degraded-ftree"))
    >>> found.structure.words
    'fat tree of 2 levels: 12 and 6 switches from the leaves up; 1 cable a pair in one block of 12 × 6'
    >>> len(found.findings), found.findings[0].fault
    (5, 'missing cable')
    """
    cables = Cables(fabric)
    structure = recognised(fabric.network)
    remarks = [*structure.remarks]
    if intended is None:
        faults, by = cabling_faults(cables, structure), ""
        if not structure.is_known:
            remarks.append("without a known structure missing and wrong cables are told by a plan alone (--intended)")
    else:
        plan = read_plan(Path(intended))
        faults, said = planned_faults(fabric, plan)
        remarks, by = [*remarks, *said], plan.where
    slow = slow_cables(cables, structure)
    words, strangers = rails(fabric)
    remarks += [words] * bool(words)
    if errors is not None and hours is None and errors:
        remarks.append("errors are those since the counters were cleared; --hours tells how long that is")
    meant = _meant(fabric.network, faults, slow)
    found = [
        *_costed(fabric.network, meant, faults, slow),
        *slow_hosts(fabric),
        *_with_errors(fabric, errors or Counter(), hours),
        *_uneven(cables, structure),
        *hosts_on_spines(fabric, structure),
        *hosts_with_fewer_ports(fabric),
        *strangers,
    ]
    now = Bundles.of(fabric.network) if faults or slow else meant
    load, told = _load_of_all(now, meant)
    return Diagnosis(
        fabric.name, structure, by, tuple(in_order(found)), len(cables.forward),
        _intended(fabric.network, meant), load, (*remarks, *told),
    )  # fmt: skip


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings with the worst first: by kind, and within it by errors, load and share of the bisection."""
    return sorted(
        findings,
        key=lambda one: (
            ORDER[one.fault], -(one.errors_per_hour or 0), -(one.load or 0), -(one.bisection or 0), -one.count
        ),
    )  # fmt: skip


Slow = list[tuple[Finding, int]]


def _costed(network: Network, meant: Bundles, faults: list[CablingFault], slow: Slow) -> list[Finding]:
    """Findings with the highest load by each alone, where the fabric is small enough for so many figures."""
    alone = [fault.finding for fault in faults] + [finding for finding, _ in slow]
    if not alone or meant.work * (len(alone) + 1) > MOST_WORK or not (best := meant.highest_load):
        return alone
    wirings = [
        meant.changed(_bundles(fault.beside), _bundles(fault.lost)) for fault in faults
    ]  # the intended fabric with one fault
    for _, channel in slow:
        (u, v), rate = network.ends_of(channel), float(network.bandwidth[channel])
        wirings.append(meant.changed([(u, v, rate)], [(u, v, 1.0)]))
    loads = [wiring.highest_load for wiring in wirings]
    return [replace(one, load=load and round(load / best, 4)) for one, load in zip(alone, loads, strict=True)]


def _bundles(pairs: Iterable[RouterPair]) -> list[tuple[int, int, float]]:
    """Cables at the usual rate."""
    return [(u, v, 1.0) for u, v in pairs]


def _meant(network: Network, faults: list[CablingFault], slow: Slow) -> Bundles:
    """The wiring as intended: with missing cables, without superfluous ones, none slow."""
    more = _bundles(pair for fault in faults for pair in fault.lost)
    fewer = _bundles(pair for fault in faults for pair in fault.beside)
    for _, channel in slow:
        ends = network.ends_of(channel)
        more.append((*ends, 1.0))
        fewer.append((*ends, float(network.bandwidth[channel])))
    return Bundles.of(network).changed(more, fewer)


def _load_of_all(now: Bundles, meant: Bundles) -> tuple[float | None, list[str]]:
    """The highest load of the fabric over that of the intended fabric, and remarks where there is none."""
    if now.work > MOST_WORK:
        return None, ["loads are not computed, since the fabric is too large"]
    before, after = meant.highest_load, now.highest_load
    if after is None:
        return None, ["some hosts have no path to others"]
    return (round(after / before, 4) if before else None), []


def _intended(network: Network, meant: Bundles) -> Network:
    """The fabric as it was meant, for drawings and routings: without ports, since a missing cable has none."""
    bundles = sorted(meant.bundles.items())
    count = [cables for _, cables in bundles]
    rows = np.repeat(np.array([bundle for bundle, _ in bundles]).reshape(-1, 3), count, axis=0)
    return replace(
        network, name=f"{network.name} as intended", source=rows[:, 0].astype(np.int32),
        target=rows[:, 1].astype(np.int32), wires=Wires(bandwidth=rows[:, 2]),
        places=replace(network.places, origin=None),
    )  # fmt: skip


def _uneven(cables: Cables, structure: Structure) -> list[Finding]:
    """Switches whose bundles to the level above differ by two cables and more, where no number is the usual one."""
    if structure.level is None:
        return []
    told = {router for one in structure.differences for router in (*one.near, *one.far)}
    above: dict[int, list[int]] = defaultdict(list)
    for pair, channels in cables.between.items():
        low, high = sorted(pair, key=lambda router: int(structure.level[router]))  # type: ignore[index]
        if structure.level[low] < structure.level[high]:
            above[low].append(len(channels))
    return [
        Finding(
            "uneven bundles",
            f"{cables.switch(router)} has {min(counts)} to {max(counts)} cables to switches of the level above",
            (),
            (cables.switch(router),),
            max(counts) - min(counts),
        )
        for router, counts in above.items()
        if router not in told and max(counts) - min(counts) > 1
    ]


def _with_errors(fabric: Fabric, errors: Counter[Port], hours: float | None) -> list[Finding]:
    """Cables with errors."""
    found = []
    for cable, count in errors_of_cables(fabric, errors):
        rate = count / hours if hours else None
        often = f"{count:,} errors" + (f", {rate:,.3g} an hour" if rate is not None else "")
        switches = tuple(fabric.network.router_name(router) for router in cable.routers)
        found.append(
            Finding("errors", f"{cable.name} has {often}", (cable.name,), switches, count, errors_per_hour=rate)
        )
    return found
