"""Progress of every packet under named arbiters: bounds on its way, or a schedule that starves one.

docs/progress.md has the proofs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import permutations
from typing import Literal, cast, get_args

from unknot._base.errors import RelationError, require_known
from unknot._base.numbers import require_whole
from unknot._base.quantities import WholeCycles
from unknot._base.three_valued import ThreeValued
from unknot.certificates.documents import Document
from unknot.network.graph import path_to, reached_from
from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK, Relation
from unknot.routing.taking import takes_relation
from unknot.verify.delivery import deliver
from unknot.verify.explorer import Explorer

Arbiter = Literal["fair", "round_robin", "oldest_first", "fixed"]
ARBITERS: tuple[Arbiter, ...] = get_args(Arbiter)
"""What each grants: any input, and in the end every one that keeps requesting; inputs in turn; the packet that was
injected first; always one input before another."""


@dataclass(frozen=True)
class Waiter:
    """A waiting packet and the VCs on its path; it waits in the last VC, or without VCs at its terminal."""

    source: int
    address: int
    path: tuple[int, ...]


@dataclass(frozen=True)
class Starved:
    """A stream of packets that is granted each time, and a packet that never is.

    Attributes
    ----------
    granted : int
        The output VC; −1 − t: to leave at terminal t.
    stream, other : Waiter
    """

    granted: int
    stream: Waiter
    other: Waiter


@dataclass(frozen=True)
class Progress(ThreeValued, asks="arrives"):
    """Whether each packet arrives under an arbiter.

    Attributes
    ----------
    arbiter : str
    arrives : bool or None
        None: undecided.
    bound : int or None
        Most hop times until a packet arrives: from when it is first in its source queue, of `oldest_first` from its
        injection. A hop time is what may pass from a grant until the packet has left and its room is free again.
    reason : str
        One sentence.
    packets : int
        Packets of the greatest length that a VC holds.
    starved : Starved or None
        The schedule that keeps a packet waiting for ever.
    """

    arbiter: Arbiter
    arrives: bool | None
    bound: WholeCycles | None
    reason: str
    packets: int = 1
    starved: Starved | None = None


@takes_relation
def progress(relation: Relation, arbiter: str, *, packets: int = 1, livelock_free: bool | None = None) -> Progress:
    """Say whether every packet arrives, and in which time, on a relation that is free of deadlock.

    Time and memory are linear in the reachable transitions; of `oldest_first` in pairs of VCs.

    Parameters
    ----------
    arbiter : {"fair", "round_robin", "oldest_first", "fixed"}
    packets : int
        Packets of the greatest length that a VC holds, under saf and vct.
    livelock_free : bool, optional
        `Delivery.livelock_free`, where routes have been followed; else they are followed.

    Examples
    --------
    >>> progress("line(3)", "round_robin", routing="dimension_order").bound
    23
    >>> progress("line(3)", "fixed", routing="dimension_order").arrives
    False
    """
    require_known("unknown arbiter", arbiter, ARBITERS, RelationError)
    kind = cast(Arbiter, arbiter)
    require_whole("packets", packets, 1, error=RelationError)
    if not (deliver(relation).livelock_free if livelock_free is None else livelock_free):
        return Progress(kind, None, None, "a packet may go round for ever, whatever arbiters do")
    if kind == "fair":
        return Progress(
            kind, True, None, "a header that requests again and again is granted some time, and routes end"
        )
    waits = _Waits(relation)
    if kind == "fixed":
        starved = next(waits.starved(), None)
        if starved is None and max(map(len, waits.contenders.values()), default=0) > 1:
            return Progress(
                kind, None, None, "no schedule was found in which one stream of packets starves another one"
            )
        words = "no output is requested from two places" if starved is None else waits.in_words(starved)
        return Progress(kind, starved is None, None, words, packets, starved)
    if waits.adaptive is not None:
        at, address = waits.adaptive
        place = relation.vcs.name(at) if at < relation.num_vcs else "its terminal"
        words = f"a packet for {relation.address_name(address)} at {place} waits for one of several VCs"
        return Progress(kind, None, None, f"{words}, so turns of one give no bound; with fair arbiters it arrives")
    try:
        bound = waits.bound(kind, packets)
    except CycleError:
        return Progress(kind, None, None, "waits form cycles that never close; no bound is computed for these")
    return Progress(kind, True, bound, f"every packet arrives after at most {bound:,} hop times", packets)


def progress_claims(outcome: Progress, free: Document) -> list[Document]:
    """The claim that packets arrive, within a bound or at some time, or of a starving schedule; empty
    without evidence.

    Parameters
    ----------
    free : dict
        The claim that the relation is free of deadlock. That packets arrive some time rests on its proof.
    """
    claim = {"subject": "progress", "arbiter": outcome.arbiter, "arrives": outcome.arrives}
    if outcome.arrives and outcome.arbiter == "fair":
        return [claim | {"switching": free["switching"], "proof": free["proof"]}]
    if outcome.bound is not None:
        return [claim | {"bound": outcome.bound, "packets": outcome.packets, "proof": {}}]
    if outcome.starved is None:
        return []
    stream, other = (
        {"source": packet.source, "address": packet.address, "way": list(packet.path)}
        for packet in (outcome.starved.stream, outcome.starved.other)
    )
    return [claim | {"proof": {"granted": outcome.starved.granted, "stream": stream, "other": other}}]


class _Waits:
    """What headers in each VC and at each port may take, over all addresses; −1 − t is to leave at terminal t."""

    def __init__(self, relation: Relation) -> None:
        self.relation, self.explorer = relation, Explorer(relation)
        self.takes: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self.contenders: defaultdict[int, list[int]] = defaultdict(list)
        self.adaptive: tuple[int, int] | None = None
        for address, visit in self.explorer.visits():
            leaves = -1 - int(relation.destination[address])
            for at, entries in visit.headers():
                waited = {v & VC_MASK for v in entries if not v & NO_WAIT}
                if len(waited) > 1 and not relation.commits:
                    self.adaptive = self.adaptive or (at, address)
                for v in entries:
                    to = leaves if v & VC_MASK == EJECT else v & VC_MASK
                    if self.takes[at].setdefault(to, address) == address:
                        self.contenders[to].append(at)

    def bound(self, arbiter: Arbiter, packets: int) -> int:
        """Most hop times of a packet until it arrives.

        Raises
        ------
        CycleError
            If VCs depend on each other.
        """
        vcs = self.relation.num_vcs
        onward = {at: [to for to in row if to >= 0] for at, row in self.takes.items()}
        order = list(TopologicalSorter(onward).static_order())
        turns = {to: len(self.contenders[to]) for to in self.contenders}
        if arbiter == "oldest_first":
            behind: defaultdict[int, set[int]] = defaultdict(set)
            for at in reversed(order):
                for to in self.takes[at]:
                    behind[to] |= behind[at] | ({at} if at < vcs else set())
            turns = {to: 1 + packets * len(behind[to]) for to in self.contenders}
        wait: dict[int, int] = {}
        rest: dict[int, int] = {}
        for at in order:
            # Until room is free again: a packet comes, waits, and leaves.
            wait[at] = max((turns[to] * (2 + wait[to] if to >= 0 else 1) for to in self.takes[at]), default=0)
            own = (packets if at < vcs else 1) * (wait[at] + 1)
            rest[at] = own + max((rest[to] for to in onward[at]), default=0)
        ports = [at for at in self.takes if at >= vcs]
        if arbiter == "oldest_first":
            return max((rest[to] for at in ports for to in onward[at]), default=0)
        return max((rest[at] for at in ports), default=0)

    def starved(self) -> Iterator[Starved]:
        """Schedules in which a stream of packets keeps another one waiting for ever."""
        for to, places in sorted(self.contenders.items(), reverse=True):
            for one, other in permutations(places, 2):
                stream = self._sent(one, to, without=other)
                waiter = stream and self._sent(other, to, without=one)
                if stream and waiter:
                    yield Starved(to, stream, waiter)

    def in_words(self, starved: Starved) -> str:
        """A schedule in a sentence."""
        network, name, vcs = self.relation.network, self.relation.address_name, self.relation.vcs
        to, stream, other = starved.granted, starved.stream, starved.other
        granted = vcs.name(to) if to >= 0 else f"to leave at {network.terminal_name(-1 - to)}"
        waits = vcs.name(other.path[-1]) if other.path else "its terminal"
        return (
            f"packets of {network.terminal_name(stream.source)} for {name(stream.address)}, sent without a break, "
            f"are granted {granted} each time, and one of {network.terminal_name(other.source)} for "
            f"{name(other.address)} at {waits} never"
        )

    def _sent(self, at: int, to: int, without: int) -> Waiter | None:
        """A packet that waits for a VC alone at a place, and does not come by another one."""
        relation, address = self.relation, self.takes[at][to]
        if len({v.vc for v in relation.candidates(at, address) if v.waits}) != 1 and not relation.commits:
            return None
        steps = self.explorer.steps(address)
        ports = [relation.num_vcs + source for source in relation.sources(address).tolist()]
        before = reached_from(
            [port for port in ports if port != without], lambda v: [w for w in steps[v] if w != without]
        )
        if at not in before:
            return None
        port, *path = path_to(at, before)
        return Waiter(port - relation.num_vcs, address, tuple(path))
