"""Faults of channels, links or routers: each fault is made, and the routing rebuilt and judged."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from unknot._base.errors import RelationError, UnknotError, require_known
from unknot._base.memory import require
from unknot._base.progress import Progress, reported, with_bar
from unknot._base.shown import Brief
from unknot._base.switching import DEFAULT_SWITCHING, Switching, switching_named
from unknot._base.three_valued import all_hold
from unknot.certificates.verdict import Verdict
from unknot.network import Network, components, distances_from
from unknot.routing.designed import is_file, restricted
from unknot.routing.named import routing as routing_of
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network
from unknot.verify.check import check
from unknot.verify.delivery import Delivery, deliver

Parts = Literal["channels", "links", "routers"]
PARTS: tuple[Parts, ...] = get_args(Parts)
Outcome = Literal["deadlock", "undelivered", "refused", "undecided", "disconnected", "holds"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""Outcomes of a fault, the worst first."""

SET, PART = 200, 40
"""Bytes of a set of failed parts in a list of them, and of each part."""


@dataclass(frozen=True)
class TriedFault:
    """Names of parts that failed together, and the outcome."""

    parts: tuple[str, ...]
    outcome: str

    def __str__(self) -> str:
        return f"{', '.join(self.parts)}: {self.outcome}"


@dataclass(frozen=True)
class Fault(TriedFault):
    """One set of failed parts and what it does.

    Attributes
    ----------
    parts : tuple of str
        Names of the failed channels, links or routers.
    outcome : str
        `deadlock`: it can deadlock. `undelivered`: it cannot, but pairs may not be delivered. `refused`: the
        algorithm does not take the network that is left. `undecided`: the proof ran out of time, or packets would
        block each other where no way is known to lead. `disconnected`: some surviving terminals have no way to one
        another. `holds`: deadlock-free and everything delivered.
    undelivered_pairs, pairs : int
        Pairs of surviving terminals, undelivered and all; 0 where the routing could not be judged.
    why : str
        The message of a refusal, the first input VC where packets are lost, or what the verdict established.
    """

    outcome: Outcome
    undelivered_pairs: int
    pairs: int
    why: str


@dataclass(frozen=True)
class FaultVerdict:
    """The routing after one fault, and what is known of it.

    Attributes
    ----------
    parts : tuple of str
        Names of the failed channels, links or routers.
    numbers : tuple of int
        The channels, or the routers.
    relation : Relation
    verdict : Verdict
    delivery : Delivery
    """

    parts: tuple[str, ...]
    numbers: tuple[int, ...]
    relation: Relation
    verdict: Verdict
    delivery: Delivery


class Tried:
    """What sweeps over faults have in common."""

    tried: tuple[TriedFault, ...]
    outcomes: ClassVar[tuple[str, ...]]
    """Outcomes of a fault, the worst first."""
    harmless: ClassVar[frozenset[str]]

    @property
    def survives(self) -> bool | None:
        """Whether every fault that was tried has a harmless outcome; None where some are undecided, no others bad."""
        return all_hold(
            None if fault.outcome == "undecided" else fault.outcome in self.harmless for fault in self.tried
        )

    @property
    def counts(self) -> dict[Any, int]:
        """Number of faults with each outcome, the worst first; outcomes that do not occur are left out."""
        numbers = Counter(fault.outcome for fault in self.tried)
        return {outcome: numbers[outcome] for outcome in self.outcomes if numbers[outcome]}


@dataclass(frozen=True, repr=False)
class FaultSweep(Tried, Brief):
    """Outcomes of all faults that were tried.

    Attributes
    ----------
    network, routing : str
    switching : str
    kind : {"channels", "links", "routers"}
    faults : int
        Parts that fail at once.
    possible : int
        Sets of that many parts.
    sampled : bool
        Whether only some of them were tried.
    tried : tuple of Fault
        The worst first: by outcome, then by undelivered pairs, then as they come.

    Examples
    --------
    >>> sweep = fault_sweep("mesh(3, 3)", routing="up_down")
    >>> sweep.kind, sweep.possible, sweep.tried[0].outcome
    ('links', 12, 'holds')
    """

    network: str
    routing: str
    switching: Switching
    kind: Parts
    faults: int
    possible: int
    sampled: bool
    tried: tuple[Fault, ...]
    outcomes = OUTCOMES
    harmless = frozenset({"holds", "disconnected"})


@takes_network
@with_bar
def fault_sweep(
    network: Network,
    routing: str | Callable[[Network], Relation],
    switching: str = DEFAULT_SWITCHING,
    *,
    vcs: int | None = None,
    kind: Parts = "links",
    faults: int = 1,
    budget: int = 1000,
    seed: int = 1,
    time_limit: float = 10.0,
    progress: Progress | None = None,
    on_verdict: Callable[[FaultVerdict], None] | None = None,
) -> FaultSweep:
    """Let every part of a network fail, alone or several at once, and judge the routing on what is left.

    Parameters
    ----------
    network : Network
    routing : str or callable
        Name of a routing, with options if wanted, or a function of a network that makes one; rebuilt for each fault.
        Routes of a file stay as they are: those over what has failed end there.
    switching : str
        Technique for which deadlock is judged.
    vcs : int, optional
        VCs per channel, for a routing given by name.
    kind : {"channels", "links", "routers"}
        What fails: single directed channels, all channels between two routers, or routers with their terminals.
    faults : int
        How many fail at once.
    budget : int
        Most sets of parts to try; of more, that number is drawn at random.
    seed : int
        Seeds that draw.
    time_limit : float
        Seconds for each proof.
    progress : callable, optional
        Called with what was found last and the faults done, see `unknot._base.progress`.
    on_verdict : callable, optional
        Called with the `FaultVerdict` of each fault after which there was a routing to judge.

    Raises
    ------
    RelationError
        If an argument makes no sense, or the routing cannot be used on the whole network.
    SizeError
        If the list of the sets to try does not fit the memory.

    Examples
    --------
    >>> sweep = fault_sweep("ring(4)", routing="up_down", kind="routers")
    >>> fault = sweep.tried[0]
    >>> len(sweep.tried), fault.parts, fault.outcome
    (4, ('(0)',), 'holds')
    """
    technique = switching_named(switching)
    check_faults("fault_sweep", kind, faults, budget)
    build = routing if callable(routing) else lambda left: routing_of(left, routing, vcs)
    whole = build(network)
    if isinstance(routing, str) and is_file(routing):
        build = partial(restricted, whole)
    parts = list(parts_of(network, kind))
    chosen, possible = sets_of_parts(f"{kind} of {network.name}", parts, faults, budget, seed)

    def outcome(names: tuple[str, ...], numbers: tuple[int, ...]) -> Fault:
        left = left_after(network, kind, numbers)
        if isinstance(left, str):
            return Fault(names, "disconnected", 0, 0, left)
        try:
            relation = build(left)
            verdict = check(relation, technique, time_limit=time_limit)
            delivery = deliver(relation)
        except UnknotError as error:
            return Fault(names, "refused", 0, 0, str(error))
        if on_verdict is not None:
            on_verdict(FaultVerdict(names, numbers, relation, verdict, delivery))
        free, delivered = verdict.deadlock_free, delivery.delivered
        name: Outcome = (
            "deadlock" if free is False else "undelivered" if not delivered else "holds" if free else "undecided"
        )
        why = _lost(relation, delivery) if name == "undelivered" else verdict.established
        return Fault(names, name, delivery.undelivered_pairs, delivery.pairs, why)

    tried = [*reported((outcome(*parts) for parts in chosen), len(chosen), progress, str)]
    tried.sort(key=lambda fault: (OUTCOMES.index(fault.outcome), -fault.undelivered_pairs))
    return FaultSweep(
        network.name, whole.name, technique, kind, faults, possible, len(chosen) < possible, tuple(tried)
    )


def parts_of(network: Network, kind: Parts) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the parts that may fail: a name, and the channels or the router."""
    if kind == "routers":
        for router in range(network.num_routers):
            yield network.router_name(router), (router,)
    elif kind == "channels":
        for channel in range(network.num_channels):
            yield network.channel_name(channel), (channel,)
    else:
        links: dict[tuple[int, int], list[int]] = {}
        for channel, ends in enumerate(zip(network.source.tolist(), network.target.tolist(), strict=True)):
            links.setdefault((min(ends), max(ends)), []).append(channel)
        for (a, b), channels in links.items():
            yield f"{network.router_name(a)}–{network.router_name(b)}", tuple(channels)


def check_faults(function: str, kind: str, faults: int, budget: int) -> None:
    """Refuse arguments that make no sense; RelationError."""
    require_known(f"{function}: unknown kind", kind, PARTS, RelationError)
    if faults < 1 or budget < 1:
        raise RelationError(
            f"{function} wants at least 1 fault and a budget of at least 1, got {faults} and {budget}"
        )


def sets_of_parts(
    what: str, parts: Sequence[tuple[str, tuple[int, ...]]], faults: int, budget: int, seed: int
) -> tuple[list[tuple[tuple[str, ...], tuple[int, ...]]], int]:
    """Return all sets of `faults` parts, or up to `budget` drawn at random without repeats, and how many there are.

    A set is the names of its parts, and their channels or routers.

    Raises
    ------
    RelationError
        If there are not so many parts (`what`: such as ``links of mesh(2, 2)``); SizeError if the list does not fit.
    """
    possible = comb(len(parts), faults)
    if not possible:
        raise RelationError(f"faults: {faults} of {len(parts)} {what} cannot fail at once")
    sets = min(possible, budget)
    require(f"a list of {sets} sets of failed {what}", sets * (SET + PART * faults))
    draw, drawn = np.random.default_rng(seed), set[tuple[int, ...]]()
    if possible <= budget:
        drawn = {*itertools.combinations(range(len(parts)), faults)}
    while len(drawn) < sets:
        drawn.add(tuple(sorted(draw.choice(len(parts), faults, replace=False).tolist())))
    chosen = [[parts[n] for n in numbers] for numbers in sorted(drawn)]
    return [
        (tuple(name for name, _ in some), tuple(n for _, members in some for n in members)) for some in chosen
    ], possible


def left_after(network: Network, kind: str, numbers: tuple[int, ...]) -> Network | str:
    """What failed channels or routers leave of a network, or in words what they cut off."""
    try:
        left = network.without(routers=numbers) if kind == "routers" else network.without(channels=numbers)
    except UnknotError as error:
        return str(error)
    return cut_of(left) or left


def _lost(relation: Relation, delivery: Delivery) -> str:
    """The first dead end or loop, by names."""
    name = relation.vcs.name
    for at, address in delivery.dead_ends[:1]:
        return f"bound for {relation.address_name(address)}, no way on from {name(at)}"
    for input_vcs, address in delivery.loops[:1]:
        return f"bound for {relation.address_name(address)}, round for ever by {', '.join(map(name, input_vcs))}"
    return ""


def cut_of(network: Network) -> str:
    """Two terminals without a way between them, in words; nothing when there are none."""
    if not network.num_terminals:
        return "no terminal is left"
    part, _ = components(network)
    if np.unique(part[[*network.inject, *network.eject]]).size == 1:
        return ""
    for start in np.unique(network.inject).tolist():
        missed = np.flatnonzero(distances_from(network, start)[network.eject] < 0)
        if missed.size:
            end = int(network.eject[missed[0]])
            return f"there is no way from router {network.router_name(start)} to router {network.router_name(end)}"
    return ""
