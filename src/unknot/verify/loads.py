"""Channel loads under a traffic matrix, and the throughput they allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from unknot._base.arrays import Flags, Floats
from unknot._base.errors import RelationError
from unknot._base.progress import Progress, reported, with_bar
from unknot._base.quantities import ChannelNumber, Load, MeanHops
from unknot._base.shown import Brief
from unknot.routing.relation import EJECT, Relation
from unknot.routing.taking import takes_relation
from unknot.traffic import Pattern, PatternLike, pattern
from unknot.verify.explorer import Explorer, Visit
from unknot.verify.walks import add_visits, lowest


def rates(relation: Relation, traffic: PatternLike = "uniform") -> Callable[[int], Floats]:
    """Flits per cycle at full load towards a destination.

    Parameters
    ----------
    traffic : str, sequence of int, array, callable or Pattern
        As `unknot.traffic.pattern` reads it. Uniform traffic goes equally to all terminals that the source has an
        address for, itself included where the rule offers such a message a candidate.

    Returns
    -------
    callable
        From a destination terminal to a float64 array over the sources.

    Raises
    ------
    TrafficError
        If the traffic does not fit the network; `TextError` if no pattern is named so.
    """
    meant = pattern(relation.network, traffic)
    destination, weight = meant.destination, meant.weight
    if destination is not None:
        return lambda home: (destination == home).astype(np.float64)
    if weight is not None:
        return lambda home: np.ascontiguousarray(weight[:, home])
    return _uniform(relation, meant)


def _uniform(relation: Relation, meant: Pattern) -> Callable[[int], Floats]:
    terminals = relation.network.num_terminals
    served = np.zeros(terminals, dtype=np.int64)
    homes = [np.flatnonzero(relation.destination == t) for t in range(terminals)]

    def column(home: int) -> Flags:
        usable = relation.usable(homes[home])
        sends = np.asarray(usable.any(axis=1))
        own = homes[home][usable[home]].tolist()
        sends[home] = meant.itself and any(relation.candidates(relation.num_vcs + home, a) for a in own)
        return sends

    for home in range(terminals):
        served += column(home)
    return lambda home: column(home) / np.maximum(served, 1)


@dataclass(frozen=True, eq=False, repr=False)
class Loads(Brief):
    """Load of each channel when the terminals send the given traffic.

    Attributes
    ----------
    channel : float64 array, shape (channels,)
        Flits per cycle.
    highest : float
        Load of the busiest channel over its bandwidth.
    busiest : int or None
        The busiest channel; None when no channel carries anything.
    throughput : float
        Ideal throughput: the greatest factor by which all rates may be multiplied before a channel, or a terminal
        that sends or receives, has more than its flits per cycle. With uniform traffic or a permutation that is flits
        per terminal and cycle.
    mean_hops : float
        Channels a flit takes on average; 0.0 without traffic.
    forced : bool
        The relation leaves no choice of channels to any message of this traffic, so the loads are exact whatever is
        selected.
    method : {"routes", "equal", "best"}
        Split of the traffic: none, with one route each; equal among the candidates of the lowest tier; or the one
        with the least load of the busiest channel.
    vc_highest : tuple of float
        For each number of a VC the highest load of such a VC over the bandwidth of its channel.
    vc_sent : tuple of float
        For each number of a VC the flits per cycle that terminals send first into such VCs; of equal splits only.

    Examples
    --------
    >>> split = loads("mesh(4, 4)", routing="dimension_order", traffic="transpose")
    >>> split.highest, split.mean_hops, split.forced
    (3.0, 2.5, True)
    """

    channel: Floats
    highest: float
    busiest: ChannelNumber | None
    throughput: Load
    mean_hops: MeanHops
    forced: bool
    method: str
    vc_highest: tuple[float, ...] = ()
    vc_sent: tuple[float, ...] = ()


@takes_relation
@with_bar
def loads(relation: Relation, traffic: PatternLike = "uniform", *, progress: Progress | None = None) -> Loads:
    """Channel loads when every header takes each candidate of the lowest tier equally often.

    Exact for routings that leave no choice. For adaptive ones it is the load without contention: a header that finds
    all candidates free picks one of the lowest tier at random. Sources divide what they send to a terminal with
    several addresses equally among those they may use. Walks that may go round for ever are summed up by solving a
    linear system. Time is linear in the transitions otherwise.

    Parameters
    ----------
    traffic : "uniform", sequence of int, or array
        See `unknot.traffic.pattern`.
    progress : callable, optional
        Called with the addresses done, see `unknot._base.progress`.

    Returns
    -------
    Loads
        The load of each channel, and the throughput that follows.

    Raises
    ------
    RelationError
        If the traffic makes no sense, or some of it runs into a dead end or may never leave the network.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> split = loads(mesh(4, 4), routing="dimension_order", traffic="transpose")
    >>> round(split.throughput, 3), split.channel.shape
    (0.333, (48,))
    """
    return each_load(relation, [traffic], progress)[0]


def each_load(relation: Relation, traffic: Sequence[PatternLike], progress: Progress | None = None) -> list[Loads]:
    """Return the loads of several kinds of traffic; the states of an address are visited once for all.

    Raises
    ------
    RelationError
        As of `loads`.
    """
    splits = [_EqualSplit(relation, one) for one in traffic]
    for address, states, injected in visited([split.offered for split in splits], progress):
        for split, here in zip(splits, injected, strict=True):
            if here.any():
                split.add(address, states, here)
    return [split.made() for split in splits]


class _EqualSplit:
    """Traffic whose headers take each candidate of the lowest tier equally often, added up address by address."""

    def __init__(self, relation: Relation, traffic: PatternLike) -> None:
        self.relation, self.offered = relation, TrafficStates(relation, traffic)
        self.load, self.sent = np.zeros(relation.vcs.total), np.zeros(relation.vcs.widest)
        self.slot = np.empty(relation.vcs.router.size, dtype=np.int64)
        self.chosen, self.forced = False, True

    def add(self, address: int, states: Visit, injected: Floats) -> None:
        """Add the loads of flits injected into some states of an address."""
        from unknot.verify.loads_kernel import one_route, spread

        relation, vcs, slot = self.relation, self.relation.vcs, self.slot
        choice = spread(*states, vcs.channel, injected, slot, self.load)
        if choice == -1:
            add_visits(relation, states, injected, address, self.load)
        elif choice < 0:
            raise RelationError(
                f"{relation.name}: traffic bound for {relation.address_name(address)} runs into a dead end at "
                f"{vcs.name(int(states.order[-2 - choice]))}; loads are those of a routing that delivers"
            )
        begins = np.flatnonzero(injected)
        tail, vc = lowest(states, begins)
        share = (injected[begins] / np.bincount(tail, minlength=begins.size))[tail]
        inner = vc != EJECT
        self.sent += np.bincount(vcs.index[vc[inner]], share[inner], minlength=self.sent.size)
        self.chosen = self.chosen or choice != 0
        self.forced = self.forced and not choice and bool(one_route(*states, vcs.channel, injected, slot))

    def made(self) -> Loads:
        split = self.offered.loads(self.load, self.forced, "equal" if self.chosen else "routes")
        return replace(split, vc_sent=tuple(self.sent.tolist()))


def visited(
    offered: Sequence[TrafficStates], progress: Progress | None = None
) -> Iterator[tuple[int, Visit, list[Floats]]]:
    """Yield each address with traffic, its states as by `Explorer.visit`, and the flits of each kind injected there.

    Raises
    ------
    RelationError
        If the traffic makes no sense, or a source has no address for it.
    """
    relation = offered[0].relation
    explorer, vcs = Explorer(relation), relation.num_vcs
    shares = zip(*(one.shares() for one in offered), strict=True)
    for parts in reported(shares, relation.num_addresses, progress, lambda _: "addresses"):
        if any(share.any() for _, share in parts):
            address = parts[0][0]
            visit = explorer.visit(address)
            at_terminal = np.flatnonzero(visit.order >= vcs)
            injected = np.zeros((len(parts), visit.order.size))
            injected[:, at_terminal] = [share[visit.order[at_terminal] - vcs] for _, share in parts]
            yield address, visit, list(injected)


class TrafficStates:
    """Traffic on a relation: the states of its addresses, and the rates sent and received by terminals."""

    def __init__(self, relation: Relation, traffic: PatternLike) -> None:
        self.relation, self.rates = relation, rates(relation, traffic)
        self.sent, self.received = np.zeros((2, relation.network.num_terminals))

    def visits(self) -> Iterator[tuple[int, Visit, Floats]]:
        """Yield each address with this traffic alone, as `visited` does."""
        return ((address, visit, injected) for address, visit, (injected,) in visited([self]))

    def shares(self) -> Iterator[tuple[int, Floats]]:
        """Yield each address with the traffic of every terminal to it."""
        relation = self.relation
        for home in range(relation.network.num_terminals):
            rate = self.rates(home)
            mine = np.flatnonzero(relation.destination == home)
            usable = relation.usable(mine)
            addresses = usable.sum(axis=1)
            for terminal in np.flatnonzero((rate > 0) & (addresses == 0))[:1].tolist():
                name = relation.network.terminal_name
                raise RelationError(
                    f"{relation.name}: {name(terminal)} is to send to {name(home)}, but has no address for it"
                )
            self.sent += rate
            self.received[home] = rate.sum()
            yield from zip(mine.tolist(), usable.T * (rate / np.maximum(addresses, 1)), strict=True)

    def loads(self, load: Floats, forced: bool, method: str) -> Loads:
        """Loads of channels by those of VCs."""
        channel = np.zeros(self.relation.network.num_channels)
        np.add.at(channel, self.relation.vcs.channel, load)
        channel.setflags(write=False)
        bandwidth, vcs = self.relation.network.bandwidth, self.relation.vcs
        share = channel / bandwidth
        by_number = np.zeros(vcs.widest)
        np.maximum.at(by_number, vcs.index, load / bandwidth[vcs.channel])
        highest = float(share.max(initial=0.0))
        most = max(highest, float(self.sent.max(initial=0.0)), float(self.received.max(initial=0.0)))
        total = float(self.sent.sum())
        return Loads(
            channel=channel,
            highest=highest,
            busiest=int(np.argmax(share)) if highest > 0 else None,
            throughput=1.0 / most if most > 0 else inf,
            mean_hops=float(channel.sum()) / total if total > 0 else 0.0,
            forced=forced,
            method=method,
            vc_highest=tuple(by_number.tolist()),
        )
