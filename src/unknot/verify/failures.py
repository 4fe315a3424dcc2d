"""Parts of a network that may fail, sets of them, and what becomes of a routing after each."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar, Literal, TypeVar, get_args

import numpy as np

from unknot._base.deadline import Deadline
from unknot._base.errors import RelationError, UnknotError, require_known
from unknot._base.memory import require
from unknot._base.progress import Progress, found, reported
from unknot._base.three_valued import ThreeValued, all_hold
from unknot.certificates.verdict import Verdict
from unknot.network import Network
from unknot.routing.ethernet import path_vector
from unknot.routing.named import routing as routing_of
from unknot.routing.paths import cut_of
from unknot.routing.relation import Relation
from unknot.verify.delivery import Delivery

Parts = Literal["channels", "cables", "links", "routers", "any"]
PARTS: tuple[Parts, ...] = get_args(Parts)
Outcome = Literal["deadlock", "undelivered", "refused", "between", "undecided", "disconnected", "holds"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""Outcomes of a fault, the worst first."""

Part = tuple[str, tuple[int, ...]]
"""Name of a part, and its channels or its router; see `failed_of`."""


@dataclass(frozen=True)
class Failed:
    """Parts that fail at once: their names, their numbers (see `failed_of`), and how many sets are alike."""

    names: tuple[str, ...]
    numbers: tuple[int, ...]
    alike: int = 1

    @classmethod
    def of(cls, parts: Sequence[Part], alike: int = 1) -> Failed:
        """Return the set of some parts."""
        return cls(tuple(name for name, _ in parts), tuple(n for _, numbers in parts for n in numbers), alike)


@dataclass(frozen=True)
class Failures:
    """What fails.

    Parameters
    ----------
    kind : {"channels", "cables", "links", "routers", "any"}
        Single directed channels, pairs of opposite channels, all channels between two routers, routers with their
        terminals, or any mixture of links and routers.
    at_once : int
        How many fail at once.
    fewer : bool
        Whether fewer that fail at once are tried too.
    budget : int, optional
        Most sets of parts of each size to try; of more, that number is drawn at random. By default 1000.
    seed : int
        Seeds the draws.

    Raises
    ------
    RelationError
        If the kind is unknown, or nothing fails or is tried.

    Examples
    --------
    >>> Failures("routers", at_once=2).budget is None
    True
    """

    kind: Parts = "links"
    at_once: int = 1
    fewer: bool = False
    budget: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        require_known("failures: unknown kind", self.kind, PARTS, RelationError)
        if self.at_once < 1 or self.most < 1:
            raise RelationError(
                f"failures need at least 1 fault and a budget of at least 1, got {self.at_once} and {self.most}"
            )

    @property
    def most(self) -> int:
        """Most sets of each size to try."""
        return 1000 if self.budget is None else self.budget

    @property
    def sizes(self) -> range:
        """How many fail at once."""
        return range(1 if self.fewer else self.at_once, self.at_once + 1)


EACH_LINK = Failures()

SET, PART = 200, 40
"""Bytes of a set of failed parts in a list of them, and of each part."""


@dataclass(frozen=True)
class TriedFault:
    """Names of parts that failed together, and the outcome."""

    parts: tuple[str, ...]
    outcome: str

    def __str__(self) -> str:
        return f"{', '.join(self.parts)}: {self.outcome}"


AnyFault = TypeVar("AnyFault", bound=TriedFault)


@dataclass(frozen=True)
class FailureCase(TriedFault):
    """A set of failed parts and its effect.

    Attributes
    ----------
    parts : tuple of str
        Names of the failed channels, links or routers.
    outcome : str
        `deadlock`: it can deadlock. `undelivered`: it cannot, but pairs may not be delivered. `refused`: the
        algorithm does not take the network that is left. `undecided`: the proof ran out of time, or packets would
        block each other where no way is known to lead. `disconnected`: some surviving terminals have no way to one
        another. `between`: it cannot deadlock after them, but while routers learn of them. `holds`: deadlock-free and
        everything delivered.
    undelivered_pairs, pairs : int
        Pairs of surviving terminals, undelivered and all; 0 where the routing could not be judged.
    why : str
        The message of a refusal, the first input VC where packets are lost, or what the verdict established.
    alike : int
        Sets of parts that have this outcome too, itself included: those that automorphisms of the network and its
        routing turn it into, or its group.
    spraying_free, adaptive_free : bool or None
        After a deadlock: whether none is possible if each packet is put into the queue of some next hop, or goes by
        any next hop that is not paused; False: a replay shows one.
    """

    outcome: Outcome
    undelivered_pairs: int
    pairs: int
    why: str
    alike: int = 1
    spraying_free: bool | None = None
    adaptive_free: bool | None = None


@dataclass(frozen=True)
class FaultVerdict(ThreeValued, asks="holds"):
    """The routing after a fault, and the results about it.

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

    @property
    def holds(self) -> bool | None:
        """Whether it is deadlock-free, and every pair is delivered; None: open."""
        return all_hold((self.verdict.deadlock_free, self.delivery.delivered))


class Tried(ThreeValued, asks="survives"):
    """What sweeps over faults have in common."""

    tried: tuple[TriedFault, ...]
    outcomes: ClassVar[tuple[str, ...]]
    """Outcomes of a fault, the worst first."""
    harmless: ClassVar[frozenset[str]]
    cut_short: bool = False

    @property
    def survives(self) -> bool | None:
        """Whether every outcome is harmless; None: some faults are undecided or left out, and none is bad."""
        known = [None if fault.outcome == "undecided" else fault.outcome in self.harmless for fault in self.tried]
        return all_hold([*known, None] if self.cut_short else known)

    @property
    def counts(self) -> dict[Any, int]:
        """Number of faults with each outcome, the worst first; outcomes that do not occur are left out."""
        numbers = Counter[str]()
        for fault in self.tried:
            numbers[fault.outcome] += getattr(fault, "alike", 1)
        return {outcome: numbers[outcome] for outcome in self.outcomes if numbers[outcome]}


def parts_of(network: Network, kind: Parts) -> Iterator[Part]:
    """Yield the parts that may fail: a name, and the channels or the router; see `failed_of`."""
    if kind in ("routers", "any"):
        for router in range(network.num_routers):
            yield network.router_name(router), (router + (network.num_channels if kind == "any" else 0),)
    if kind == "routers":
        return
    if kind == "channels":
        for channel in range(network.num_channels):
            yield network.channel_name(channel), (channel,)
    else:
        links: dict[tuple[int, int], list[int]] = {}
        for channel, ends in enumerate(network.ends):
            links.setdefault((min(ends), max(ends)), []).append(channel)
        for (a, b), channels in links.items():
            here, there = network.router_name(a), network.router_name(b)
            cables = _cables(network, channels) if kind == "cables" else {}
            if len(cables) < 2:
                yield f"{here}–{there}", tuple(channels)
                continue
            for number, (ports, cable) in enumerate(cables.items()):
                by_ports = f"{here}[{ports[0]}]–{there}[{ports[1]}]"
                yield by_ports if network.ports is not None else f"{here}–{there}#{number}", tuple(cable)


def _cables(network: Network, channels: list[int]) -> dict[tuple[int, int], list[int]]:
    """Divide the channels between two routers into cables: by ports, else the first one way with the first back."""
    cables: dict[tuple[int, int], list[int]] = {}
    number = [0, 0]
    for channel in channels:
        back = int(network.source[channel] > network.target[channel])
        ports = (number[back],) * 2 if network.ports is None else network.ports[channel].tolist()
        number[back] += 1
        cables.setdefault((ports[back], ports[1 - back]), []).append(channel)
    return cables


def rerouting(network: Network, routing: str, vcs: int | None = None) -> Callable[[Network], Relation]:
    """Return a function that routes what failures leave of a network; `bgp` keeps the AS plan of the whole."""
    vector = path_vector(network, routing) if vcs is None else None
    if vector is not None:
        return lambda left: vector.after_failures(left).relation()
    return lambda left: routing_of(left, routing, vcs)


def failed_of(network: Network, kind: str, numbers: Sequence[int]) -> tuple[list[int], list[int]]:
    """Split numbers of failed parts: of kind `routers` they are routers, else channels, and after these routers."""
    if kind == "routers":
        return [*numbers], []
    channels = network.num_channels
    return [n - channels for n in numbers if n >= channels], [n for n in numbers if n < channels]


def sets_of_parts(what: str, parts: Sequence[Part], faults: int, budget: int, seed: int) -> list[Failed]:
    """Return all sets of `faults` parts, or up to `budget` of them, drawn at random without repeats.

    Raises
    ------
    RelationError
        If there are fewer parts (`what`: such as ``links of mesh(2, 2)``); SizeError if the list does not fit.
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
    return [Failed.of([parts[n] for n in numbers]) for numbers in sorted(drawn)]


def try_sets(
    outcome: Callable[[Failed], AnyFault],
    chosen: Sequence[Failed],
    tried: list[AnyFault],
    until: Deadline,
    progress: Progress | None,
) -> None:
    """Append the outcomes of sets to those tried before, until a deadline; tell how many there are of each."""
    in_time = itertools.takewhile(lambda _: not until.over, chosen)
    for one in reported(map(outcome, in_time), len(chosen), progress, str):
        tried.append(one)
        counts = Counter(fault.outcome for fault in tried)
        found(", ".join(f"{name} {count}" for name, count in counts.items()))


def left_after(network: Network, kind: str, numbers: tuple[int, ...]) -> Network | str:
    """The network left by failed channels or routers, or a text about the terminals cut off."""
    routers, channels = failed_of(network, kind, numbers)
    try:
        left = network.without(routers=routers, channels=channels)
    except UnknotError as error:
        return str(error)
    return cut_of(left) or left
