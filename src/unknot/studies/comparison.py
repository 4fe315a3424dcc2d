"""Designs side by side: what they cost, how much they can carry, and whether their routing is safe."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from unknot._base.manifest import code_digest
from unknot._base.quantities import Load, WholeCycles
from unknot._base.three_valued import ThreeValued, all_hold
from unknot.fabrics.named import network as network_named
from unknot.network import Network
from unknot.network.floor_plan import Bill, Prices, bill
from unknot.network.graph import digest
from unknot.routing import Relation
from unknot.routing.own import is_code, is_file
from unknot.simulation.energy.account import PerBit
from unknot.simulation.energy.option import Energy
from unknot.simulation.run.driver import simulate
from unknot.simulation.run.limits import saturation
from unknot.studies.adversaries import Adversaries, hard_for, most_throughput
from unknot.studies.carried import decisions, of_worst_permutation
from unknot.studies.exchanges import BY_MODEL, FLITS, by_model, by_run
from unknot.studies.failed_links import routing_of_rest
from unknot.studies.fitting import expanded
from unknot.studies.packed_results import decode, plain
from unknot.studies.store import Store
from unknot.traffic import pattern
from unknot.traffic.patterns import require_matrix
from unknot.verify import check
from unknot.verify.delivery import deliver
from unknot.verify.loads import loads

CUSTOMARY = "customary routing; name another: NETWORK by ROUTING"
"""Note on a design without a routing."""
MOST_SIMULATED = 300
"""Terminals up to which whole collective operations are simulated: their messages grow with the square."""
JUDGED, FOLLOWED = 5e-3, 5e-7
"""Seconds of a processor for each terminal of a design, and for each of its terminals times channels."""
PER_TERMINAL, PER_MESSAGE = 0.03, 1e-4
"""The same for the saturation of a design, and for each message of its collective operations."""


@dataclass(frozen=True)
class Compared(ThreeValued, asks="holds"):
    """A design beside others.

    Attributes
    ----------
    design : str
        Network, and the routing it was to have.
    failed : float
        Share of links that have failed.
    routing : str
        Routing in use; lanes where that of the design does not take, or not deliver on, what is left after failures.
    terminals : int
    bill : Bill
        Of the whole network, failed links included.
    bisection_lower, bisection_upper : int or None
        Channels both ways; None: not computed.
    vcs : int
        Most VCs of a channel.
    deadlock_free, delivered : bool or None
        None: undecided.
    uniform, adversarial : float
        Flits per terminal and cycle that the routing carries, its choices taken equally often, if all send to all
        others, and by its worst permutation (`worst_permutation`). UGAL carries what its direct ways do, or its
        choices taken equally often, whichever is more.
    vc_pairs : tuple of float
        Pairs of terminals whose packets begin in VC 0, in VC 1, …, of each channel; a pair with a choice in parts.
    vc_highest : tuple of float
        Highest load of VC 0, of VC 1, …, of a channel if all send to all others, in routes from terminal to terminal.
    uniform_bound, adversarial_bound : float
        The same of any routing: by channels that flits take at least, and by the splits of the bisection before and
        after failures. They never rise when links fail; figures of the routing may, as it is computed anew.
    note : str
        That the design names no routing, that the worst permutation is one of a few, or that a model took the place
        of runs; else empty.
    saturation : float or None
        The highest load of uniform traffic that was stable flit by flit; None: not simulated.
    all_to_all, all_reduce : int or None
        Cycles of an exchange of blocks of `FLITS` in pairs, and of an all-reduce of as large blocks around a ring of
        the terminals in their order; None: not simulated. With more than `MOST_SIMULATED` terminals by a model: as
        long as the busiest channel takes, and as often as there are steps the time of the first one flit by flit.
    pj_per_bit : float or None
        Energy for each delivered bit, static power included, of uniform traffic at half of `saturation`; None:
        without a technology.
    """

    design: str
    failed: float
    routing: str
    terminals: int
    bill: Bill
    bisection_lower: int | None
    bisection_upper: int | None
    vcs: int
    deadlock_free: bool | None
    delivered: bool | None
    vc_pairs: tuple[float, ...]
    vc_highest: tuple[float, ...]
    uniform: Load
    uniform_bound: Load
    adversarial: Load
    adversarial_bound: Load
    note: str = ""
    saturation: Load | None = None
    all_to_all: WholeCycles | None = None
    all_reduce: WholeCycles | None = None
    pj_per_bit: PerBit | None = None

    @property
    def cost_per_host(self) -> float:
        """Dollars for each terminal."""
        return self.bill.cost / self.terminals

    @property
    def holds(self) -> bool | None:
        """Whether the design is deadlock-free and delivers; None: open."""
        return all_hold((self.deadlock_free, self.delivered))


def compared(
    designs: Sequence[str],
    failed: Sequence[float] = (0.0,),
    *,
    prices: Prices | None = None,
    seed: int = 1,
    simulated: bool = False,
    energy: Energy | None = None,
    store: str | Path | None = None,
) -> Iterator[Compared]:
    """Compare designs, whole and with failed links, one after the other.

    Parameters
    ----------
    designs : sequence of str
        Networks, as ``"torus(4, 4)"``, or networks with their routing, as ``"torus(4, 4) by duato"``; by the
        customary one (`unknot.routing.customary`) where there is none. ``"hosts(1024, ports=64)"`` stands for the
        networks of `unknot.studies.fitting.fitting`.
    failed : sequence of float
        Shares of links, from 0 to below 1, drawn by `seed` so that the rest is connected.
    prices : Prices, optional
    seed : int
        Draws failed links and runs.
    simulated : bool
        Whether to run each design flit by flit.
    energy : Energy, optional
        Technology and widths by which runs get `Compared.pj_per_bit`.
    store : path, optional
        File that keeps each row as soon as it is known; those that it has are not computed again. Rows of a routing
        that a file has, as code or as routes, are never kept.

    Raises
    ------
    UnknotError
        If a network or routing cannot be made, the failed links take the network apart in every draw, or `energy`
        lacks a number.

    Examples
    --------
    >>> (row,) = compared(["torus(4, 4) by duato"])
    >>> row.deadlock_free, row.vcs, row.bisection_upper
    (True, 3, 16)
    """
    made = [(design, *_named(design)) for design in expanded(designs)]
    for design, whole, _ in made:
        require_matrix(design, whole.num_terminals)
        if energy is not None:
            energy.require(whole)
    with Store(store) as kept:
        for design, whole, named in made:
            costs, in_file = bill(whole, prices), is_code(named) or is_file(named)
            hard = hard_for(whole)
            for share in failed:
                what = [code_digest(), design, digest(whole), share, costs, seed, simulated, repr(energy)]
                point = json.dumps(what, default=plain)
                key = hashlib.sha256(point.encode()).hexdigest()
                if not in_file and (row := _kept(kept, key, point, (design, share, whole))) is not None:
                    yield row
                    continue
                relation = routing_of_rest(whole, named, share, seed)
                row = _row(design, share, relation, costs, hard)
                row = _simulated(row, relation, seed, energy) if simulated else row
                if not in_file:
                    kept.put(key, point, json.dumps(row, default=plain))
                yield row


def _kept(store: Store, key: str, point: str, of: tuple[str, float, Network]) -> Compared | None:
    """Stored row of a design, if readable and of the same design."""
    text = store.get(key, point)
    if text is None:
        return None
    try:
        row = decode(Compared, json.loads(text))
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
        store.drop(key, f"it cannot be read: {type(error).__name__}")
        return None
    design, share, whole = of
    if (row.design, row.failed, row.terminals) != (design, share, whole.num_terminals):
        store.drop(key, "it is of another design")
        return None
    return row


def _named(design: str) -> tuple[Network, str]:
    """Network of a design, and the name of its routing; empty: the customary one."""
    text, separator, named = design.rpartition(" by ")
    text, named = (text, named.strip()) if separator else (design, "")
    return network_named(text.strip(), where="DESIGN"), named


def estimated_seconds(designs: Sequence[str], failed: Sequence[float] = (0.0,), *, simulated: bool = False) -> float:
    """Return about how long `compared` takes, in seconds of a processor.

    Examples
    --------
    >>> estimated_seconds(["torus(4, 4) by duato"], (0.0, 0.05)) < 10
    True
    """
    sizes = [(one.num_terminals, one.num_channels) for one, _ in map(_named, expanded(designs))]
    seconds = sum(count * (JUDGED + FOLLOWED * channels) for count, channels in sizes)
    if simulated:
        messages = sum(2 * count**2 for count, _ in sizes if count <= MOST_SIMULATED)
        seconds += PER_TERMINAL * sum(count for count, _ in sizes) + PER_MESSAGE * messages
    return len(failed) * seconds


def _row(design: str, share: float, relation: Relation, costs: Bill, hard: Adversaries) -> Compared:
    network = relation.network
    hard = hard.and_for(network)
    halves, uniform = hard.halves[-1] if hard.halves else None, pattern(network, "uniform_others")
    (split, *direct), others = [loads(one, uniform) for one in decisions(relation)], network.num_terminals - 1
    adversarial, of_few = of_worst_permutation(relation, hard)
    return Compared(
        design=design,
        failed=share,
        routing=relation.name,
        terminals=network.num_terminals,
        bill=costs,
        bisection_lower=None if halves is None else halves.lower,
        bisection_upper=None if halves is None else halves.upper,
        vcs=int(np.bincount(relation.vcs.channel).max()),
        deadlock_free=check(relation).deadlock_free,
        delivered=deliver(relation).delivered,
        vc_pairs=tuple(round(sent * others, 6) for sent in split.vc_sent),
        vc_highest=tuple(round(load * others, 6) for load in split.vc_highest),
        uniform=max(one.throughput for one in (split, *direct)),
        uniform_bound=most_throughput(network, uniform, *hard.halves),
        adversarial=adversarial,
        adversarial_bound=min(most_throughput(network, traffic, *hard.halves) for traffic in hard.traffic),
        note="; ".join(filter(None, [CUSTOMARY * (" by " not in design), of_few])),
    )


def _simulated(row: Compared, relation: Relation, seed: int, energy: Energy | None) -> Compared:
    """Add what runs flit by flit show, where every pair is delivered."""
    if not row.delivered:
        return row
    usual: dict[str, Any] = {
        "traffic": "uniform_others", "packet_length": FLITS, "warmup": 1000, "measure": 2000, "seed": seed,
    }  # fmt: skip
    point = saturation(relation, tolerance=0.03, **usual)
    spent = None if energy is None else simulate(relation, point.load / 2, energy=energy, **usual).energy
    modelled = row.terminals > MOST_SIMULATED
    times = by_model(relation, row.uniform) if modelled else by_run(relation)
    loads = ", ".join(f"{load:.3g}" for load in point.unsure)
    short = f"runs at load {loads} were too short to tell, so the saturation may be higher" if loads else ""
    note = "; ".join(filter(None, [row.note, short, BY_MODEL if modelled else ""]))
    return replace(
        row,
        saturation=point.load,
        all_to_all=times[0],
        all_reduce=times[1],
        pj_per_bit=None if spent is None else spent.pj_per_bit,
        note=note,
    )
