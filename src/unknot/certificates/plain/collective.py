"""Collective operations, and bounds of their time."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from unknot.certificates.plain.amounts import added, fraction, nearest, paid
from unknot.certificates.plain.reading import (
    KEPT_STATE,
    LOOK,
    N,
    Rejected,
    field,
    integers,
    lists,
    numbers,
    pay,
    word,
)
from unknot.certificates.plain.registry import checks

OPERATIONS = {
    "broadcast": ("root", "all"),
    "reduce": ("all", "root"),
    "scatter": ("root", "each"),
    "gather": ("each", "root"),
    "all_gather": ("each", "all"),
    "reduce_scatter": ("all", "each"),
    "all_reduce": ("all", "all"),
    "barrier": ("all", "all"),
    "all_to_all": ("each", "each"),
}
"""From where to where each block goes in a collective operation; from all: added up."""


class Collective:
    """A collective operation and its platform, as stated in claims.

    `due` has the size of each block by its source, target and group; None: from, or to, all members of the group.
    """

    def __init__(self, claim: Any) -> None:
        """Read a claim whose channels are lists of six numbers: two nodes, bandwidth and latency."""
        self.kind, nodes = word(claim, "kind", OPERATIONS), field(claim, "nodes", int)
        self.rooted = "root" in OPERATIONS[self.kind]
        self.members = numbers(claim, "members", 0, nodes)
        if len({*self.members}) < max(2, len(self.members)):
            raise Rejected("members: two or more are expected, each once")
        self.root = field(claim, "root", int) if self.rooted else None
        if claim.get("root", 0) != self.root or (self.rooted and self.root not in self.members):
            raise Rejected(f"{self.kind}: the root is not what it should be")
        self.size, self.time = fraction(claim.get("size"), "size"), fraction(claim.get("time"), "time")
        self.overhead = fraction(claim["overhead"], "overhead", 0) if "overhead" in claim else Fraction(0)
        self.grouped = "groups" in claim
        groups = field(claim, "groups", list) if self.grouped else [self.members]
        self.parts = [integers(part, "groups", 0, nodes) for part in groups]
        if sorted(m for part in self.parts for m in part) != sorted(self.members) or min(map(len, self.parts)) < 2:
            raise Rejected("groups: each member is expected in one of them, with another one")
        if (self.rooted and self.grouped) or ("blocks" in claim and (self.kind != "all_to_all" or self.grouped)):
            raise Rejected(f"{self.kind}: groups and blocks are for other operations")
        self.due = dict[tuple[int | None, int | None, int], Fraction]()
        for group, part in enumerate(self.parts):
            ends: dict[str, list[Any]] = {"root": [self.root], "each": part, "all": [None]}
            sources, targets = (ends[end] for end in OPERATIONS[self.kind])
            pay(2 * KEPT_STATE * len(sources) * len(targets))
            both = ((a, b) for a in sources for b in targets if a is None or a != b)
            self.due.update(((a, b, group), self.size) for a, b in both)
        if "blocks" in claim:
            self.read_blocks(claim["blocks"])
        self.channels: list[tuple[int, int, Fraction]] = []
        self.latency: list[Fraction] = []
        for source, target, *more in lists(claim.get("channels"), "channels", 6):
            integers([source, target], "nodes of a channel", 0, nodes)
            self.channels.append((source, target, fraction(more[:2], "bandwidth")))
            self.latency.append(fraction(more[2:], "latency", 0))
        shown = f" in {len(self.parts)} groups" if self.grouped else ""
        self.shown = f"{self.kind}{shown} of {len(self.members)} members, size {self.size}"

    def read_blocks(self, matrix: Any) -> None:
        """Read the size of each block as a fraction of the size of the operation."""
        what = "blocks: a row and a column for each member"
        if len(lists(matrix, what, len(self.members))) != len(self.members):
            raise Rejected(f"{what} are expected")
        for a, row in zip(self.members, matrix, strict=True):
            for b, share in zip(self.members, row, strict=True):
                if a != b:
                    self.due[a, b, 0] = paid(self.due[a, b, 0] * fraction(share, "a block", 0))
        self.due = {ends: size for ends, size in self.due.items() if size}

    def nearest(self, starts: Iterable[Any], lengths: Sequence[N], *, back: bool = False) -> dict[int, N]:
        """The least sums of lengths from some nodes to each other one, along channels or against them."""
        steps: dict[int, list[tuple[int, N]]] = {}
        pay(LOOK * KEPT_STATE * len(self.channels))
        for (source, target, _), length in zip(self.channels, lengths, strict=True):
            one, other = (target, source) if back else (source, target)
            steps.setdefault(one, []).append((other, length))
        return nearest(starts, lambda node: steps.get(node, ()))


@checks("collective", "", "time")
def check_collective(claim: Any, proof: Any) -> str:
    """Check that no schedule of a collective operation takes less than a time, by what channels must carry.

    Channels count by a length each, or by 1 if they leave a cut, or begin or end at members. A channel is of use from
    when a byte can have come to it until a byte over it can still arrive where it is needed in time.

    Claim: `kind`, `nodes`, `channels` as [source, target, numerator, denominator of the bandwidth], `members`,
    `root` or `null`, `size` and `time` as [numerator, denominator]: no schedule takes less; `overhead` if messages
    cost time, which channels do not carry in
    Proof: `cut`, nodes whose data cannot leave sooner; for `all_to_all` `lengths` of channels, whole numbers;
    for `all_reduce` also `ends`, `sources` or `targets`: what members send or receive, over the bandwidth of
    their channels; or `cuts` in time, each a list of its weight, the only source and target of blocks that count, or
    `null`, and for each node the time from which it is reached, or `null`; or `rounds`, with `overhead`: `source` or
    `target`, from or to which messages of no size follow each other
    """
    operation = Collective(claim)
    kind, time, channels = operation.kind, operation.time, operation.channels
    shown = f"{operation.shown}: not below {time}"
    if "rounds" in proof:
        if (least := by_rounds(operation, word(proof, "rounds", ("source", "target")))) < time:
            raise Rejected(f"{kind}: messages that cost {operation.overhead} may be done in {least}, before {time}")
        return shown
    # Nothing passes a channel before the first message has cost its overhead.
    operation.time = time = paid(time - operation.overhead)
    if "cuts" in proof:
        check_time_cuts(operation, claim["nodes"], lists(proof["cuts"], "cuts", 4))
        return shown
    begins, ends = ({operation.root} if end == "root" else {*operation.members} for end in OPERATIONS[kind])
    if "lengths" in proof and not operation.rooted:
        weights = numbers(proof, "lengths", 0, 10**12, len(channels))
        sent = carried_over(operation, weights)
        shown += "" if kind == "all_to_all" else ", if members alone copy and add up"
    else:
        cut = {*numbers(proof, "cut", 0, claim["nodes"])}
        only = [proof.get(end) for end in ("source", "target")]
        if not {type(end) for end in only} <= {int, type(None)}:
            raise Rejected("source and target: a member each, or none, are expected")
        begins = (begins if only[0] is None else begins & {only[0]}) & cut
        ends = (ends if only[1] is None else ends & {only[1]}) - cut
        weights = [int(a in cut and b not in cut) for a, b, _ in channels]
        leaves = [not begins.isdisjoint(part) for part in operation.parts]
        comes = [not ends.isdisjoint(part) for part in operation.parts]
        sent = Fraction(0)
        for (a, b, group), size in operation.due.items():
            if (leaves[group] if a is None else a in begins) and (comes[group] if b is None else b in ends):
                sent = paid(sent + size)
    if not sent:
        raise Rejected(f"{kind}: nothing must leave the cut")
    before = operation.nearest(begins, operation.latency)
    after = operation.nearest(ends, operation.latency, back=True)
    carried = Fraction(0)
    for weight, (a, b, bandwidth), latency in zip(weights, channels, operation.latency, strict=True):
        if weight and a in before and b in after:
            left = paid(paid(time - before[a]) - paid(latency + after[b]))
            carried = paid(carried + paid(weight * bandwidth * max(left, Fraction(0))))
    if carried > sent:
        raise Rejected(f"{kind}: channels carry {carried} in {time}, and {sent} must be: it may take less")
    return shown


def carried_over(operation: Collective, lengths: list[int]) -> Fraction:
    """Return a lower bound on the bytes over each channel times its length, summed over all channels.

    Each block of `all_to_all` takes a shortest path. What every member of a group must have spreads over a tree of
    the members, at least as long as the shortest one with the shorter direction between two members. In an all-reduce
    one such tree leads to the member that first has the sum, and another from there to all others.
    """
    of_blocks = operation.kind == "all_to_all"  # they come source by source
    distances = lru_cache(1 if of_blocks else None)(lambda member: operation.nearest([member], lengths))

    def far(a: Any, b: Any) -> int:
        if b not in distances(a):
            raise Rejected(f"no channels lead from member {a} to member {b}")
        return distances(a)[b]

    if of_blocks:
        return added(size * far(a, b) for (a, b, _), size in operation.due.items())
    total = 0
    for part in operation.parts:
        left, last = dict.fromkeys(part[1:], 10**30), part[0]
        trees = len(part) if "each" in OPERATIONS[operation.kind] else 2
        while left:
            pay(4 * len(left))
            for member in left:
                left[member] = min(left[member], far(last, member), far(member, last))
            last = min(left, key=left.__getitem__)
            total += trees * left.pop(last)
    return operation.size * total


def by_rounds(operation: Collective, end: str) -> Fraction:
    """Return when messages can have brought the data of a source to all in need, or to a target, at the earliest.

    Each is at least the overhead on its way, and takes of all channels of its sender (at a target, receiver) what the
    slowest channel of all carries in that time; a member sends when it has the data, and each message reaches one.
    """
    members, partners = {*operation.members}, dict[Any, set[Any]]()
    for a, b, group in operation.due:
        near, far = (a, b) if end == "source" else (b, a)
        part = operation.parts[group]
        member = part[0] if near is None else near  # of all members, the first one's data
        others = part if far is None else [far]
        pay(KEPT_STATE * len(others))
        partners.setdefault(member, {member}).update(others)
    wide, least = dict.fromkeys(members, Fraction(0)), dict[tuple[bool, bool], Fraction]()
    for (a, b, bandwidth), latency in zip(operation.channels, operation.latency, strict=True):
        kind, member = (a in members, b in members), a if end == "source" else b
        least[kind] = min(latency, least.get(kind, latency))
        if member in members:
            wide[member] = paid(wide[member] + bandwidth)
    ways = [least[True, True]] if (True, True) in least else []
    if (True, False) in least and (False, True) in least:
        ways.append(least[True, False] + least[False, True])
    if not ways or not max(wide.values()):
        raise Rejected("rounds: no channels lead from members to members")
    slot = operation.overhead * min(rate for _, _, rate in operation.channels) / max(wide.values())
    arrived, messages = Fraction(0), list[tuple[Fraction, Fraction, int]]()
    following = [(arrived, 1)]  # since when members have the data, and which message of each is the next
    for _ in range(max(map(len, partners.values())) - 1):
        for since, number in following:
            pay(KEPT_STATE)
            taken = max(operation.overhead, paid(number * slot))
            heapq.heappush(messages, (paid(since + taken + min(ways)), since, number))
        arrived, since, number = heapq.heappop(messages)
        following = [(since, number + 1), (arrived, 1)]
    return arrived


def check_time_cuts(operation: Collective, nodes: int, cuts: list[Any]) -> None:
    """Check that channels cannot carry in time what must pass some cuts, by weight.

    A byte passes a cut on a channel if the node where the channel begins is reached when the byte enters, and that
    where the channel ends is not when the byte comes. A byte that begins at a node reached from 0, and ends in time
    at a node never reached, passes once at least. What a channel carries at a time is of one end named by cuts, so
    the largest sum of weights of an end counts.
    """
    labels, sent = set[tuple[Any, Any]](), Fraction(0)
    read = list[tuple[Fraction, tuple[Any, Any], list[Fraction | None]]]()
    for parts, source, target, times in cuts:
        weight, label = fraction(parts, "weight of a cut"), (source, target)
        if {type(end) for end in label} != {int, type(None)} or type(times) is not list or len(times) != nodes:
            raise Rejected("cuts: a source or a target, and a time or null for each node, are expected")
        reached = [None if at is None else fraction(at, "a time", 0) for at in times]
        labels.add(label)
        read.append((weight, label, reached))
        for (a, b, group), size in operation.due.items():
            part = operation.parts[group]
            pay(2 * len(part))
            begins, ends = (part if end is None else [end] for end in (a, b))
            begins = [m for m in begins if source in (None, m) and reached[m] == 0]
            ends = [m for m in ends if target in (None, m) and reached[m] is None]
            if begins and ends:
                sent = paid(sent + weight * size)
    if len({source is None for source, _ in labels}) > 1:
        raise Rejected("cuts: either all name a source or all a target")
    by_target = any(source is None for source, _ in labels)
    if len(labels) > 1 and any((b if by_target else a) is None for a, b, _ in operation.due):
        raise Rejected("cuts: bytes of one block would count for several members")
    carried = Fraction(0)
    for (u, v, bandwidth), latency in zip(operation.channels, operation.latency, strict=True):
        windows = list[tuple[Fraction, Fraction, Any, Fraction]]()
        for weight, label, reached in read:
            since, too_late = reached[u], reached[v]
            if since is not None:
                until = (operation.time if too_late is None else min(too_late, operation.time)) - latency
                windows += [(since, until, label, weight)] * (since < until)
        times_seen = sorted({at for since, until, *_ in windows for at in (since, until)})
        for begin, end in pairwise(times_seen):
            sums = dict[Any, Fraction]()
            for since, until, label, weight in windows:
                pay(1)
                if since <= begin and end <= until:
                    sums[label] = paid(sums.get(label, Fraction(0)) + weight)
            carried = paid(carried + paid(bandwidth * (end - begin)) * max(sums.values(), default=Fraction(0)))
    if not sent > carried:
        raise Rejected(f"{operation.kind}: channels carry {carried} through the cuts, and {sent} must be: it may end")
