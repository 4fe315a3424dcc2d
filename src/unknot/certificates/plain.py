"""A checker of evidence in one file of plain Python, without dependencies: `python plain.py FILE …`.

It trusts nothing but the definitions below, and shares no code with the programs that search. Whoever reads this file
need not read anything else of Unknot. The form of a file of evidence is described in docs/evidence.md.

Definitions
-----------
A packet carries an address. The table of a relation says where its header may go: a state is an input virtual channel
(VC), or the injection port of a terminal, together with an address; its candidates are output VCs or ejection. A
blocked header waits for all its candidates but those marked "taken when free, never waited for". A header of a
relation that commits chooses one candidate on arrival, whatever its mark, and waits for that one.

A deadlock is a legal, non-empty filling of VCs by packets of which none can ever move: each header waits, and all
that it waits for is held. Flow control says what a packet `holds`, a `buffer` or a `row` of them; when it `enters` a
VC: with room for the whole `packet`, if the VC is `empty`, with one or the other (`empty or packet`), or behind the
`tail` of another packet; and whether its header `may_change` its choice. `saf` and `vct` hold a buffer, and enter
with room. Under `wormhole` packets hold rows, and enter what is empty; under `wormhole-nonatomic` they follow tails,
and keep their choice. A packet takes whole cells of a buffer, of one flit unless a `cell` has more.

Where a VC is a queue with room for a number of `packets`, some VCs may share slots, in `pools`. A pool has a number
of `slots`, beside those that each VC has as its `own` and takes first. A packet needs a slot in each pool of the VC
that it goes to, and gives back the slots that it had then. Where it comes in by another move than the `hops` of the
pool, to a VC that is not `unguarded`, it leaves free what the pool `keeps`: `nothing`; a `slot of the buffer`, room
for another packet in the VC; a `slot of the pool`, another one; or the `marked slot`, which is in the first VC of the
pool at the beginning. When a packet comes by one of the hops to the last slot of the VC with the mark, the mark goes
back to the VC that it leaves. Here a deadlock is a state, reached from the empty network, in which no packet can move
and none is sent any more.

Contents
--------
Of a claim one reads the first three sections, the one that names its subject, and the last.

- what checking may cost
- reading a document
- what can be reached, how far it is, and in which order
- free of deadlock: `deadlock`
- a deadlock, and its size: `size`
- pools of slots
- delivery, lengths and arbiters: `delivery`, `lengths`, `cuts`, `progress`
- load of the busiest channel: `load`
- fewer lanes, refuted: `lanes`, `lanes of routes`, `changes`
- fewer removed candidates or added VCs, refuted: `removals`, `escapes`
- rules for meshes of every size, refuted: `rules`
- rules for meshes of every size, free of deadlock: `rule`
- routers that are updated: `update`
- routes after failures: `failures`
- end points of a protocol: `protocol`
- schedules and bounds of collective operations: `schedule`, `collective`
- phases of collective operations: `phases`
- a whole document
"""

from __future__ import annotations

import hashlib
import heapq
import json
import sys
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from fractions import Fraction
from functools import cached_property, lru_cache
from graphlib import CycleError, TopologicalSorter
from itertools import accumulate, combinations, pairwise, product
from math import ceil, comb, gcd, isfinite, lcm, prod
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
N = TypeVar("N", int, Fraction)

FORMAT, QUESTION, VERSION = "unknot evidence", "unknot question", 1
EJECT = -1
"""The candidate "leave the network here"."""
MOST_BYTES = 2**30
"""Largest file that is read."""
MOST_PATHS = 1000
"""Shortest paths of a pair of routers up to which each has a variable of its own."""
KINDS = {
    "none": "that packets keep",
    "shared": "that both directions of a pair keep",
    "rising": "that rise at hops",
    "any": "that change at hops",
}
"""Kinds of lanes by whether packets change them."""
KEPT = ("none", "shared")
"""Lanes that packets do not change: each direction of a pair has its own, or both share one."""
MOST_LANES = 64
"""Lanes up to which a refutation is checked."""
PARTS = 10**9
"""Denominator of the multipliers of facts about removed candidates, and of what changes of routes pay."""
CANDIDATE, TURN = 3, 2
"""Numbers of a candidate that can be removed, and of a turn."""
MOST_FOLLOWERS = 1000
"""Messages of a class that follow one message."""
FOLLOWS, STAYS, SPLITS = range(3)
"""What becomes of the tail of a worm that moves; `SPLITS`: the second message of its packet stays behind."""
ACTS = ("begin", "move", "choose", "consume")
"""Kinds of moves of a run, each a method of `Play`."""
MOST_FOLLOWED = 40
"""Terminals up to which it is followed who sends the messages of a protocol to whom."""
MOST_STATES = 20_000
"""States of a system with end points that are explored; about half a minute."""
MOST_ROWS = 200_000
"""Rows of places, each with a message that waits for the next, up to which they are followed."""
MOST_CLAUSES = 3_000_000
"""Clauses up to which a refutation is checked."""
MOST_VCS = 2**22
"""VCs of a relation that is read."""
SEARCH_STEPS = 10_000_000
"""Steps after which a search for worms gives up: about a minute."""
ALLOWANCE, EACH = 8_000_000, 20
"""Units that checking a document may cost: the first number, and the second for each of its entries.

A unit is about a third of a microsecond, or 25 bytes kept. Files of 1 MB so end within about 6 s and 400 MB.
"""
LOOK = 2
"""Units for a look at one entry of a network or a table, which every claim about them pays."""
KEPT_STATE = 5
"""Units for something that is remembered while others are visited."""
MOST_NAME = 1000
"""Characters of a name in a protocol."""


class Rejected(Exception):  # noqa: N818
    """The evidence does not show what it claims; the text says where, with the beginning of what was read."""

    word, status = "REJECTED", 1

    def __init__(self, text: str) -> None:
        super().__init__(printable(text, 1000))


class Unchecked(Rejected):
    """The evidence is too large to be checked here."""

    word, status = "not checked", 3


# --------------------------------------------------------------------------------------------- what checking may cost


class Purse:
    """What is left of the units that a document pays for."""

    def __init__(self, document: Any, effort: int) -> None:
        self.entries = entries_of(document)
        self.whole = self.left = effort * (ALLOWANCE + EACH * self.entries)


PURSE: ContextVar[Purse | None] = ContextVar("PURSE", default=None)
"""The purse of the document that is checked; None where functions of this file are called for themselves."""


def entries_of(document: Any) -> int:
    """The number of entries of all lists and objects of a document."""
    count, left = 0, [document]
    while left:
        part = left.pop()
        if isinstance(part, (dict, list)):
            count += len(part)
            left += [
                inner for inner in (part.values() if isinstance(part, dict) else part)
                if isinstance(inner, (dict, list))
            ]  # fmt: skip
    return count


def pay(cost: int) -> None:
    """Pay for work before it is done; `Unchecked` where the document does not pay for so much.

    The size of work follows from numbers that a hostile hand wrote. So whatever takes more than a look at each entry
    of a claim pays: visits, searches in lists, copies, and what is kept.
    """
    purse = PURSE.get()
    if purse is not None:
        purse.left -= cost
        if purse.left < 0:
            raise Unchecked(
                f"a document of {purse.entries} entries pays for {purse.whole} units of work, and this takes more "
                "(--effort allows for more)"
            )


def paid(value: N) -> N:
    """Pay for arithmetic by the length of its result: fractions added up grow with their denominators."""
    bits = value.numerator.bit_length() + value.denominator.bit_length()
    pay(8 + (bits * bits >> 16))
    return value


# ------------------------------------------------------------------------------------------------- reading a document


def field(document: Any, name: str, kind: type) -> Any:
    """The entry of a JSON object, of one type; `Rejected` if it is missing or of another."""
    if not isinstance(document, dict) or name not in document:
        raise Rejected(f"{name!r} is missing")
    entry = document[name]
    if not isinstance(entry, kind) or (kind is int and isinstance(entry, bool)):
        raise Rejected(f"{name!r} is {type(entry).__name__}, where {kind.__name__} is expected")
    return entry


def integers(entries: Any, what: str, low: int, high: int, length: int | None = None) -> list[int]:
    """Check a list of whole numbers from `low` up to, and without, `high`."""
    if not isinstance(entries, list) or (length is not None and len(entries) != length):
        raise Rejected(f"{what}: a list{'' if length is None else f' of {length}'} whole numbers is expected")
    for entry in entries:
        if type(entry) is not int or not low <= entry < high:
            shown = str(entry)[:40] if type(entry) is int else f"a {type(entry).__name__}"
            raise Rejected(f"{what}: {shown} is no whole number from {low} to {high - 1}")
    return entries


def numbers(document: Any, name: str, low: int, high: int, length: int | None = None) -> list[int]:
    """The entry of a JSON object that is a list of whole numbers."""
    return integers(field(document, name, list), name, low, high, length)


def number(document: Any, name: str, low: int, high: int = 2**1000) -> int:
    """The entry of a JSON object that is a whole number from `low` up to, and without, `high`."""
    return integers([field(document, name, int)], name, low, high)[0]


def exact(entries: Any, what: str, length: int | None = None) -> list[Fraction]:
    """A list of positive numbers, exactly."""
    if not isinstance(entries, list) or (length is not None and len(entries) != length):
        raise Rejected(f"{what}: a list of {'' if length is None else f'{length} '}numbers is expected")
    for entry in entries:
        if isinstance(entry, bool) or not isinstance(entry, (int, float)) or not entry > 0 or not isfinite(entry):
            raise Rejected(f"{what}: positive numbers are expected, not {entry!r:.40}")
    return [Fraction(entry) for entry in entries]


def fraction(parts: Any, what: str, least: int = 1) -> Fraction:
    """A fraction from a list: a numerator from `least` on and a positive denominator."""
    above, below = integers(parts, what, least, 2**1000, 2)
    return Fraction(above, *integers([below], what, 1, 2**1000))


def lists(entries: Any, what: str, width: int) -> list[list[Any]]:
    """Check a list of lists of one length."""
    if not isinstance(entries, list) or any(not isinstance(one, list) or len(one) != width for one in entries):
        raise Rejected(f"{what}: lists of {width} entries are expected")
    return entries


def word(document: Any, name: str, words: Collection[str]) -> str:
    """The entry of a JSON object that is one of some words."""
    entry: str = field(document, name, str)
    if entry not in words:
        raise Rejected(f"{name}: {entry!r:.40} is none of {', '.join(words)}")
    return entry


def at_most(count: int, most: int, what: str) -> None:
    """Raise `Unchecked` where there is too much to be checked here."""
    if count > most:
        shown = count if count < 2**64 else "more than 10¹⁹"
        raise Unchecked(f"{shown} {what} are more than the {most} that are checked here")


def printable(text: str, most: int = 80) -> str:
    """The beginning of a text, without what a terminal would obey."""
    return "".join(c if c.isprintable() else "?" for c in text[:most])


def found(entry: Any, entries: Sequence[Any]) -> bool:
    """Whether a list has an entry, one after the other of which is compared."""
    pay(1 + (len(entries) >> 3))
    return entry in entries


def digest(data: Any) -> str:
    """SHA-256 of plain data."""
    return hashlib.sha256(json.dumps(data, separators=(",", ":")).encode()).hexdigest()


NOTHING, BUFFER, POOL, MARK = KEEPS = ("nothing", "slot of the buffer", "slot of the pool", "marked slot")
"""What a packet that comes in leaves free."""


class Pool(NamedTuple):
    """A pool of slots, with its lists in order: equal if it says the same. `first` has the mark, or is −1."""

    vcs: tuple[int, ...]
    slots: int
    own: int
    keeps: str
    hops: tuple[tuple[int, int], ...]
    unguarded: tuple[int, ...]
    first: int


class Technique(NamedTuple):
    """Flow control in the closed vocabulary of claims."""

    holds: str
    enters: str
    may_change: bool
    name: str
    packets: int = 0
    pools: tuple[Pool, ...] = ()
    cell: int = 1

    def __str__(self) -> str:
        shared = f", {len(self.pools)} pools" if self.pools else ""
        many = f"{self.packets} packet{'s' * (self.packets > 1)}"
        cells = f", cells of {self.cell} flits" * (self.cell > 1)
        return self.name + f" with room for {many} per VC{shared}" * (self.packets > 0) + cells

    def taken(self, length: int) -> int:
        """Flits of a buffer that a packet takes: whole cells."""
        return -(-length // self.cell) * self.cell

    @property
    def words(self) -> tuple[str, str, bool]:
        """Buffers that a packet holds, when it enters one, and whether it may choose again."""
        return self[:3]

    @property
    def alone(self) -> bool:
        """Whether a packet is in one VC."""
        return self.holds == "buffer"

    @property
    def queues(self) -> bool:
        """Whether headers queue behind tails."""
        return self.enters == "tail"

    @property
    def proofs(self) -> tuple[str, ...]:
        """Kinds of proofs that no deadlock is possible."""
        if self.pools:
            return "pools", "states"
        if self.alone or self.queues:
            return ("order", "escape")[: 1 + self.alone]
        # Where packets fit in behind others, worms may come to where they cannot in empty VCs.
        return ("order", "drain", "exhausted", "states")[: 3 + (self.enters == "empty")]


NAMED = (
    Technique("buffer", "packet", True, "saf"),
    Technique("buffer", "packet", True, "vct"),
    Technique("row", "empty", True, "wormhole"),
    Technique("row", "tail", False, "wormhole-nonatomic"),
)
SWITCHINGS = {one.name: one for one in NAMED}
"""The techniques that have names."""
FITTING = Technique("row", "empty or packet", True, "wormhole for packets that fit behind others")
UNDERSTOOD = {one.words: one for one in (*NAMED, FITTING)}
"""Techniques of which something is shown, by their words.

A packet that enters a VC behind another one has room for all of itself there, so it stays in this VC alone. Of a
deadlock, the first packets of all VCs then hold rows of their own, as under `wormhole`, and wait for each other.
"""


def flow_of(claim: Any) -> Technique:
    """The flow control that a claim is about, by its name or in words; `Unchecked` if nothing is known of these."""
    if "bubble" not in claim and claim.get("flow") is None:
        return SWITCHINGS[word(claim, "switching", SWITCHINGS)]
    known = {
        "holds": "buffer",
        "enters": "packet",
        "may_change": True,
        "packets": 0,
        "pools": [],
        "cell": 1,
        "name": "",
    }
    said = in_words(of_rings(claim) if "bubble" in claim else field(claim, "flow", dict), known)
    words = field(said, "holds", str), field(said, "enters", str), field(said, "may_change", bool)
    pools = tuple(sorted(map(pool_of, field(said, "pools", list))))
    packets = number(said, "packets", min(1, len(pools)))
    if words not in UNDERSTOOD or (packets and not UNDERSTOOD[words].alone):
        raise Unchecked(f"nothing is known of packets that hold a {words[0]}, and enter by {words[1]!r}"[:200])
    if "switching" in claim and SWITCHINGS[word(claim, "switching", SWITCHINGS)].words != words:
        raise Rejected(f"what the claim says of its flow control is not {claim['switching']}")
    return UNDERSTOOD[words]._replace(packets=packets, pools=pools, cell=number(said, "cell", 1))


def in_words(said: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Known words as they are said, or else as they are taken; `Unchecked` if another word is there."""
    if others := said.keys() - known:
        raise Unchecked(f"{printable(min(map(str, others)))!r} is no word of flow control that is known here")
    return known | said


def pool_of(document: Any) -> Pool:
    """A pool of a claim."""
    known: dict[str, Any] = {"vcs": None, "slots": None, "own": 0, "keeps": NOTHING, "hops": [], "unguarded": []}
    said = in_words(field({"pool": document}, "pool", dict), known)
    vcs, keeps, own = numbers(said, "vcs", 0, MOST_VCS), field(said, "keeps", str), number(said, "own", 0)
    hops = {(u, v) for u, v in (integers(hop, "hops", 0, MOST_VCS, 2) for hop in field(said, "hops", list))}
    unguarded = {*vcs}.intersection(numbers(said, "unguarded", 0, MOST_VCS)) if keeps != NOTHING else ()
    if not len({*vcs}) == len(vcs) > 0 or any({*hop}.difference(vcs) for hop in hops):
        raise Rejected("a pool has VCs, each of them once, and hops between these")
    if keeps not in KEEPS or (own and hops):
        raise Unchecked("nothing is known of a pool that keeps something else, or has both own slots and hops")
    row = tuple(sorted(vcs)), number(said, "slots", 0), own, keeps, tuple(sorted(hops)), tuple(sorted(unguarded))
    return Pool(*row, first=vcs[0] if keeps == MARK else -1)


def of_rings(claim: Any) -> dict[str, Any]:
    """The words of a claim of before, about rings with a rule: `localised`, `global` or `critical`."""
    said, rules = field(claim, "bubble", dict), dict(zip(("localised", "global", "critical"), KEEPS[1:], strict=True))
    rule, packets, rings = word(said, "rule", rules), number(said, "packets", 1), field(said, "rings", list)
    if not rings or any(len(integers(ring, "rings", 0, MOST_VCS)) < 2 for ring in rings):
        raise Rejected("rings are VCs, two or more")
    more = {"keeps": rules[rule], "unguarded": field(said, "unguarded", list)}
    pools = [
        {"vcs": ring, "slots": len(ring) * packets, "hops": [*map(list, around(ring))], **more} for ring in rings
    ]
    return {"packets": packets, "pools": pools}


def technique(claim: Any) -> Technique:
    """The technique of a claim about something else than deadlock alone: one that has a name."""
    made = flow_of(claim)
    if made.packets or made.cell > 1 or made.name not in SWITCHINGS:
        raise Unchecked(f"nothing but deadlock is known of {made}")
    return made


class Network:
    """Routers, directed channels, and the routers at which each terminal injects and ejects."""

    def __init__(self, document: Any) -> None:
        self.name = printable(field(document, "name", str))
        self.routers = number(document, "routers", 0, 2**31)
        pay(LOOK * self.routers)
        self.source = numbers(document, "source", 0, self.routers)
        self.channels = len(self.source)
        self.target = numbers(document, "target", 0, self.routers, self.channels)
        self.inject = numbers(document, "inject", 0, self.routers)
        self.terminals = len(self.inject)
        self.eject = numbers(document, "eject", 0, self.routers, self.terminals)
        self.size = self.routers + 2 * (self.channels + self.terminals)
        pay(LOOK * self.size)
        self.leaving = backwards({c: [u] for c, u in enumerate(self.source)})
        self.entering = backwards({c: [v] for c, v in enumerate(self.target)})

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the arrays, by which a network is recognised whatever its name."""
        return digest([self.routers, self.source, self.target, self.inject, self.eject])

    def parts(self, named: Any) -> tuple[set[int], set[int]]:
        """The channels and the routers that a JSON object names."""
        return {*numbers(named, "channels", 0, self.channels)}, {*numbers(named, "routers", 0, self.routers)}

    def vcs(self, relation: Any) -> list[int]:
        """The channel of each VC of a relation, which has a number of VCs for each channel."""
        counts = numbers(relation, "vcs", 0, 2**20, self.channels)
        at_most(sum(counts), MOST_VCS, "VCs")
        pay(LOOK * (self.channels + sum(counts)))
        return [c for c, count in enumerate(counts) for _ in range(count)]

    def without(self, failed: Any) -> Network:
        """The network of the survivors, in their order, when channels and routers with all that they have failed."""
        channels, dead = self.parts(failed)
        pay(LOOK * self.size)
        links = [ends for c, ends in enumerate(zip(self.source, self.target, strict=True)) if c not in channels]
        ports = [*zip(self.inject, self.eject, strict=True)]
        order = sorted(dead)
        survivors: dict[str, Any] = {"name": f"{self.name} with faults", "routers": self.routers - len(dead)}
        for names, pairs in ((("source", "target"), links), (("inject", "eject"), ports)):
            left = [pair for pair in pairs if dead.isdisjoint(pair)]
            survivors |= {name: [pair[i] - bisect(order, pair[i]) for pair in left] for i, name in enumerate(names)}
        return Network(survivors)

    def hops_to(self, router: int, entering: Mapping[int, Collection[int]] | None = None) -> dict[int, int]:
        """Hops from every router from which `router` can be reached, by all channels or those entering each."""
        hops = {router: 0}
        before: Mapping[int, Collection[int]] = self.entering if entering is None else entering
        for v in (queue := [router]):
            channels = before.get(v, ())
            pay(KEPT_STATE + len(channels))
            for channel in channels:
                u = self.source[channel]
                if u not in hops:
                    hops[u] = hops[v] + 1
                    queue.append(u)
        return hops


class Table:
    """The relation as a table: the candidates of every reachable state.

    A state is a pair (at, address): `at` is a VC, or VCs + terminal for an injection port. `may` has all candidates
    of a state, `waits` those that are not marked "never waited for".
    """

    def __init__(self, network: Network, document: Any) -> None:
        self.network = network
        self.commits = field(document, "commits", bool)
        self.channel = network.vcs(document)
        self.vcs = len(self.channel)
        self.tail = [network.source[c] for c in self.channel]
        self.router = [network.target[c] for c in self.channel] + network.inject
        self.destination = numbers(document, "destination", 0, network.terminals)
        self.addresses = len(self.destination)
        self.sources = [[*range(network.terminals)]] * self.addresses
        if document.get("sources") is not None:
            senders = field(document, "sources", list)
            self.sources = [integers(one, "sources", 0, network.terminals) for one in senders]
        states = field(document, "states", list)
        if not len(self.sources) == len(states) == self.addresses:
            raise Rejected(f"sources and states: a list for each of {self.addresses} addresses is expected")
        self.may: list[dict[int, list[int]]] = []
        self.waits: list[dict[int, list[int]]] = []
        for address, listed in enumerate(states):
            self._read(address, listed)
        self.size = self.vcs + sum(1 + len(row) for rows in self.may for row in rows.values())
        self.size += sum(1 + len(sources) for sources in self.sources)

    def _read(self, address: int, listed: Any) -> None:
        """Read rows [at, candidate, …] of an address; −v − 2 is VC v, taken when free but never waited for."""
        may: dict[int, list[int]] = {}
        waits: dict[int, list[int]] = {}
        home = self.network.eject[self.destination[address]]
        for row in listed if isinstance(listed, list) else [listed]:
            at, *entries = integers(row, "state", -self.vcs - 1, len(self.router)) or [-1]
            pay(LOOK * len(entries))
            if at < 0 or at in may:
                raise Rejected(f"address {address} has a state that does not exist, or one twice: {row}"[:200])
            may[at] = [entry if entry >= EJECT else -entry - 2 for entry in entries]
            waits[at] = [v for choice in choices(entries, self.commits) for v in choice]
            for candidate in may[at]:
                leaves = home if candidate == EJECT else self.tail[candidate] if candidate < self.vcs else -1
                if leaves != self.router[at]:
                    raise Rejected(
                        f"address {address}: {self.name(at)} has a candidate {candidate} of another router"
                    )
            if entries and not waits[at]:
                raise Rejected(f"address {address}: a blocked header at {self.name(at)} would wait for nothing")
        pay(LOOK * len(self.sources[address]))
        starts = [self.vcs + s for s in self.sources[address]]
        for at in (*starts, *(v for row in may.values() for v in row if v != EJECT)):
            if at not in may:
                raise Rejected(f"address {address} can come to {self.name(at)}, which is not in the table")
        # What cannot be reached is left out, since claims are about reachable states.
        reachable = closure(starts, lambda at: (v for v in may[at] if v != EJECT))
        self.may.append({at: may[at] for at in reachable})
        self.waits.append({at: waits[at] for at in reachable})

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the relation, by which it is recognised whatever its name."""
        pay(2 * LOOK * self.size)
        states = [
            sorted([at, sorted(row), sorted(waits[at])] for at, row in may.items())
            for may, waits in zip(self.may, self.waits, strict=True)
        ]
        sources = [sorted({*senders}) for senders in self.sources]
        return digest([self.channel, self.commits, self.destination, sources, states])

    def name(self, at: int) -> str:
        """Name of a VC or an injection port, or of leaving the network."""
        if at == EJECT:
            return "ejection"
        if at >= self.vcs:
            return f"the injection port of terminal {at - self.vcs}"
        c = self.channel[at]
        index = at - self.channel.index(c)
        return f"channel {c} ({self.network.source[c]}→{self.network.target[c]}) VC {index}"

    def choices(self, at: int, address: int, switching: Technique | None = None) -> list[list[int]]:
        """The sets of candidates for which a blocked header may wait, as `choices` has them."""
        entries = (self.may if self.chosen(switching) else self.waits)[address][at]
        pay(len(entries))
        return choices(entries, self.commits, switching)

    def chosen(self, switching: Technique | None) -> bool:
        """Whether a blocked header waits for one candidate alone, which it has chosen."""
        return keeps_choice(self.commits, switching)


def keeps_choice(commits: bool, switching: Technique | None = None) -> bool:
    """Whether a blocked header waits for its chosen candidate alone, marked or not.

    A header of a relation that commits has chosen on arrival. One that may not change its choice, such as one that
    queues behind a tail, has chosen too, whether the relation commits or not. All that is said about waiting rests on
    this and on `choices`.
    """
    return commits or (switching is not None and not switching.may_change)


def choices(entries: Sequence[int], commits: bool, switching: Technique | None = None) -> list[list[int]]:
    """The sets of candidates for which a blocked header may wait: each alone if it keeps its choice, or all of a set.

    −v − 2 is VC v with the mark "taken when free, never waited for", which has an effect only where headers choose
    anew. Without a technique: what headers wait for by the relation.
    """
    if keeps_choice(commits, switching):
        return [[max(entry, -entry - 2)] for entry in entries]
    waited = [entry for entry in entries if entry >= EJECT]
    return [waited] if waited else []


# ------------------------------------------------------------- what can be reached, how far it is, and in which order


def closure(starts: Iterable[T], after: Callable[[T], Iterable[T]], most: float = float("inf")) -> list[T]:
    """Everything that can be reached, starts included; `Unchecked` if that is too much."""
    order = list(dict.fromkeys(starts))
    seen = set(order)
    for at in order:
        visited = 0
        for other in after(at):
            visited += 1
            if other not in seen:
                seen.add(other)
                order.append(other)
        pay(KEPT_STATE + visited)
        if len(order) > most:
            raise Unchecked(f"more than {most} states are not explored here")
    return order


def around(circle: Sequence[T]) -> list[tuple[T, T]]:
    """Each entry of a circle with the next one, the last with the first."""
    return [*pairwise([*circle, *circle[:1]])]


def ends_first(after: Mapping[int, Iterable[int]]) -> list[int] | None:
    """Everything, each after all that may follow it; None if something follows itself."""
    try:
        return [*TopologicalSorter(after).static_order()]
    except CycleError:
        return None


def backwards(after: Mapping[T, Iterable[T]]) -> dict[T, list[T]]:
    """The keys under which each entry stands."""
    before: dict[T, list[T]] = {}
    for at, onward in after.items():
        for v in onward:
            before.setdefault(v, []).append(at)
    return before


def nearest(starts: Iterable[Any], steps: Callable[[int], Iterable[tuple[int, N]]]) -> dict[int, N]:
    """The least sums of lengths from some starts to each other node, by steps to a node over a length: Dijkstra's."""
    least: dict[int, N] = {}
    heap: list[tuple[Any, int]] = [(0, start) for start in starts]
    while heap:
        length, node = heapq.heappop(heap)
        pay(1)
        if node not in least:
            least[node] = paid(length)
            for other, more in steps(node):
                pay(1)
                if other not in least:
                    pay(KEPT_STATE)
                    heapq.heappush(heap, (length + more, other))
    return least


class Steps:
    """The steps of a search, which are limited."""

    def __init__(self) -> None:
        self.left = SEARCH_STEPS

    def take(self, count: int = 1) -> None:
        """Count some steps."""
        pay(EACH_STEP * count)
        self.left -= count
        if self.left < 0:
            raise Unchecked(f"what takes more than {SEARCH_STEPS} steps is too large to be searched here")


EACH_STEP = 8
"""Units for a step of a search."""
KEEPING = 4
"""Steps that count for each worm that is kept, since memory is limited too: to about 1 GiB."""


# --------------------------------------------------------------------------------------------------- free of deadlock


def check_verdict(table: Table, claim: Any, proof: Any) -> str:
    """Check that a relation is free of deadlock under a technique, or not, or that packets would block each other."""
    switching, free = flow_of(claim), claim.get("deadlock_free", "missing")
    if free is True:
        check_free(table, switching, proof)
        return f"free of deadlock under {switching}"
    check_deadlock(table, switching, proof)
    reachability = proof["reachability"]
    if free is not (None if reachability == "not-established" else False):
        raise Rejected(f"packets whose reachability is {reachability} are no evidence for this answer")
    if free is None:
        return f"open under {switching}; packets would block each other, but no way there was shown"
    return f"deadlock under {switching}, reachability {reachability}"


def check_free(table: Table, switching: Technique, proof: Any) -> None:
    """Check a proof that no deadlock is possible; raise `Rejected` if it shows nothing.

    `order`: every candidate ranks higher than the VC that it follows, so no cycle of VCs waits for itself.

    `escape`: in each state the header waits for something that ranks lower than where it stands; ejection ranks
    lowest. Of a deadlock, the packet on the VC of lowest rank would wait for a lower VC, which nobody there holds.

    `drain`: from a VC no header comes, over ranks as high as its own, to wait for such ranks only. Of a deadlock,
    take the held VC of lowest rank: the worm that holds it goes on over ranks as high to its header, which would have
    to wait for VCs of the deadlock only, so for ranks as high.

    `exhausted`: the same from VCs outside a core; what `check_core` says inside.

    `pools`, once called `bubble`: what `check_drained` says. `states`: `check_pool_states` or, of worms,
    `check_worm_states` visits all that VCs may hold.
    """
    kind = require_kind(switching, proof)
    if kind == "states":
        if switching.pools:
            check_pool_states(table, Pools(table, switching))
        else:
            check_worm_states(table)
        return
    rank = numbers(proof, "rank", -(2**60), 2**60, table.vcs)
    if kind == "pools":
        check_drained(table, Pools(table, switching), rank)
        return
    core = {*numbers(proof, "core", 0, table.vcs)} if kind == "exhausted" else set[int]()
    for address, candidates in enumerate(table.may):
        pay(len(core))
        if kind == "order":
            require_climbing(f"order: address {address}", rank, candidates.items(), table.name)
            continue
        about = table, address, rank
        for at, level in waited_ranks(*about) if kind == "escape" else drain_levels(*about).items():
            if at < table.vcs and at not in core and level >= rank[at]:
                raise Rejected(
                    f"{kind}: address {address} comes from {table.name(at)} to wait for nothing that ranks lower"
                )
        if any(rank[v] > rank[at] for at in core & candidates.keys() for v in candidates[at] if v != EJECT):
            raise Rejected(f"core: address {address} may go to a higher rank")
    if kind == "exhausted":
        check_core(table, rank, core, lists(proof.get("windows"), "windows", 2))


def require_kind(switching: Technique, proof: Any) -> str:
    """The kind of a proof that no deadlock is possible; `Rejected` if it shows nothing of a technique."""
    kind: str = field(proof, "kind", str).replace("bubble", "pools")
    if kind not in switching.proofs:
        raise Rejected(f"a proof of kind {kind!r:.40} shows nothing about {switching}")
    return kind


def require_climbing(
    what: str,
    rank: list[int],
    after: Iterable[tuple[int, Iterable[int]]],
    name: Callable[[int], str] = "channel {}".format,
) -> None:
    """Check that ranks rise from each VC, or channel, to all that follow it: then none depends on itself."""
    for at, onward in after:
        for v in onward if at < len(rank) else ():
            if v != EJECT and rank[v] <= rank[at]:
                raise Rejected(f"{what}: {name(at)} may be followed by {name(v)}, no higher")


def waited_ranks(table: Table, address: int, rank: list[int]) -> list[tuple[int, int]]:
    """Each state with the lowest rank of those that a header may wait for there, if ejection is not among them."""
    return [
        (at, min(map(rank.__getitem__, choice)))
        for at in table.may[address]
        for choice in table.choices(at, address)
        if EJECT not in choice
    ]


def drain_levels(table: Table, address: int, rank: list[int]) -> dict[int, int]:
    """For each state the greatest r for which its header can come, over ranks ≥ r, to wait for ranks ≥ r only.

    States are settled from the highest level down; those that are missing never come to wait.
    """
    level: dict[int, int] = {}
    before = backwards(table.may[address])
    heap = [(-low, at) for at, low in waited_ranks(table, address, rank)]
    heapq.heapify(heap)
    while heap:
        low, at = heapq.heappop(heap)
        if at in level:
            continue
        level[at] = -low
        for earlier in before.get(at, ()) if at < table.vcs else ():
            if earlier not in level:
                heapq.heappush(heap, (-min(rank[at], -low), earlier))
    return level


def check_core(table: Table, rank: list[int], core: set[int], windows: list[Any]) -> None:
    """Show step by step that no VC of the core can be held in a deadlock.

    From a VC of the core, candidates rank no higher. So the worms on the lowest rank of a deadlock go on, and wait,
    on that rank alone; worms of one rank are what is searched for. A step (VCs, window) shows that these VCs cannot
    be held: inside the window worms would have to share a VC, or wait for one that nobody can hold.
    """
    if not core:
        raise Rejected("an empty core needs no search")
    steps, left = Steps(), core
    states = waiting_states(table, SWITCHINGS["wormhole"], lambda at, v: {at, v} <= core and rank[at] == rank[v])
    for step in [[[], []], *windows]:
        struck, window = (left & {*integers(part, "windows", 0, table.vcs)} for part in step)
        if not struck <= window:
            raise Rejected("a step strikes out VCs outside its window")
        worms = worms_inside(states, left, window, steps)
        for v in sorted(struck):
            if holdable(v, worms, steps):
                raise Rejected(f"core: {table.name(v)} can be held, for all that its window shows")
        left = still_holdable(states, left - struck)
    if left:
        raise Rejected(f"{len(left)} VCs of the core are not struck out")


States = dict[int, tuple[set[int], list[set[int]]]]
"""For each VC: the VCs that a worm may go on to, and the sets of VCs that its header may wait for."""


def waiting_states(table: Table, switching: Technique, within: Callable[[int, int], bool]) -> list[States]:
    """How packets of each address go on or wait from VCs `at` with within(at, at), over VCs v with within(at, v)."""
    states: list[States] = [{} for _ in table.may]
    for address, candidates in enumerate(table.may):
        for at in (at for at in candidates if at < table.vcs and within(at, at)):
            pay(KEPT_STATE * (2 + len(candidates[at])))
            onward = {v for v in candidates[at] if v != EJECT and within(at, v)}
            choices = [{*choice} for choice in table.choices(at, address, switching) if onward.issuperset(choice)]
            states[address][at] = set() if switching.alone else onward, choices
    return states


def heads(states: States, left: set[int]) -> set[int]:
    """VCs from which a worm of an address can go on, within `left`, to a header that waits for VCs of `left` only."""
    pay(sum(KEPT_STATE + len(follows) + sum(map(len, choices)) for follows, choices in states.values()))
    good = {at for at, (_, choices) in states.items() if at in left and any(choice <= left for choice in choices)}
    before = backwards({at: follows for at, (follows, _) in states.items() if at in left})
    return {*closure(good, lambda v: before.get(v, ()))} & left


def still_holdable(states: list[States], left: set[int]) -> set[int]:
    """Strike out, until nothing changes, VCs from which no header of any address comes to wait for what is left."""
    while True:
        kept = {v for of_address in states for v in heads(of_address, left)}
        if kept == left:
            return left
        left = kept


Worm = tuple[frozenset[int], frozenset[int]]
"""The VCs of a window that a worm holds, and those that its header waits for."""


def worms_inside(
    states: list[States], left: set[int], window: set[int], steps: Steps, longest: int = MOST_VCS
) -> dict[int, set[Worm]]:
    """The worms by each VC of the window that they hold; a worm that goes on outside waits for nothing inside."""
    worms: dict[int, set[Worm]] = {v: set() for v in window}
    for of_address in states:
        alive = heads(of_address, left)
        paths: list[tuple[int, ...]] = [(v,) for v in sorted(alive & window)]
        while paths:
            path = paths.pop()
            follows, choices = of_address[path[-1]]
            pay(len(path) * (1 + len(follows)) + sum(map(len, choices)))
            ends = {frozenset(choice & window) for choice in choices if choice <= left}
            if follows & alive - window:
                ends.add(frozenset())
            steps.take(1 + KEEPING * len(path) * len(ends))
            held = frozenset(path)
            for v in path:
                worms[v] |= {(held, end) for end in ends}
            if len(path) < longest:
                paths += [(*path, v) for v in follows & alive & window if v not in path]
    return worms


def holdable(goal: int, worms: dict[int, set[Worm]], steps: Steps) -> bool:
    """Whether worms that share no VC, and hold all that they wait for, can hold a VC of the window."""
    first = frozenset[int](), frozenset({goal})
    stack, seen = [first], {first}
    while stack:
        steps.take()
        held, missing = stack.pop()
        if not missing:
            return True
        pay(len(missing))
        for path, waited in min((worms[v] for v in missing), key=len):
            pay(1 + (len(held) + len(missing) + len(path) + len(waited) >> 1))
            after = held | path, (missing | waited) - held - path
            if not path & held and after not in seen:
                steps.take(KEEPING)
                seen.add(after)
                stack.append(after)
    return False


Held = tuple[int, tuple[int, ...]]
"""The address of a worm, and the VCs that it holds, its tail first."""


def check_worm_states(table: Table) -> None:
    """Visit all that worms may hold together; nowhere do some of them wait for each other for good.

    A deadlock loses nothing where each of its worms reaches back just to a VC that one of them waits for, enters all
    at once when it last could, and no others are sent: what holds less is in nobody's way. So worms here come in
    whole, go on by a VC each time, and never leave.
    """

    def moved(worm: Held, tail: int) -> list[Held]:
        address, path = worm
        pay(len(path))
        return [(address, (*path[tail:], v)) for v in table.may[address][path[-1]] if v != EJECT and v not in path]

    doors = {
        (a, v) for a, row in enumerate(table.may) for at in row if at >= table.vcs for v in row[at] if v != EJECT
    }
    entered: list[Held] = closure([(a, (v,)) for a, v in doors], lambda worm: moved(worm, 0), MOST_STATES)
    after = {worm: moved(worm, 1) for worm in closure(entered, lambda worm: moved(worm, 1), MOST_STATES)}
    ends = {(a, path): [{*c} for c in table.choices(path[-1], a) if EJECT not in c] for a, path in after}
    many = -1
    while many != len(ends):
        many, held = len(ends), {v for _, path in ends for v in path}
        waited = {v for sets in ends.values() for choice in sets for v in choice}
        pay(sum(len(path) + sum(map(len, sets)) for (_, path), sets in ends.items()))
        ends = {
            (a, path): sets for (a, path), sets in ends.items()
            if path[0] in waited and any(choice <= held for choice in sets)
        }  # fmt: skip
    before = backwards(after)
    useful = {*closure(ends, lambda worm: before.get(worm, ()))}
    enters = [worm for worm in entered if worm in useful]

    def moves(state: frozenset[Held]) -> Iterator[frozenset[Held]]:
        held = {v for _, path in state for v in path}
        pay(len(held) + sum(len(path) for _, path in enters))
        blocked, before = {*state}, -1
        while len(blocked) != before:
            before, kept = len(blocked), {v for _, path in blocked for v in path}
            blocked = {worm for worm in blocked if any(choice <= kept for choice in ends.get(worm, ()))}
        if blocked:
            raise Rejected("states: worms may come to wait for each other")
        yield from (state | {worm} for worm in enters if held.isdisjoint(worm[1]))
        for worm in state:
            yield from (state - {worm} | {on} for on in after[worm] if on in useful and on[1][-1] not in held)

    closure([frozenset[Held]()], moves, MOST_STATES)


# ------------------------------------------------------------------------------------------- a deadlock, and its size


class Packet:
    """A packet of a deadlock: the way from its terminal, with the VCs that it holds at the end, and its header.

    Without a technique packets queue: one holds the last VC of its way, or none if it has left, or is at its port.
    """

    def __init__(self, table: Table, switching: Technique | None, message: Any) -> None:
        self.table, self.message = table, message
        self.source, self.address = field(message, "source", int), field(message, "address", int)
        self.lead, self.held = (numbers(message, part, 0, table.vcs) for part in ("lead", "held"))
        if switching is not None and (not self.held or (switching.alone and len(self.held) > 1)):
            raise Rejected(f"a packet holds {len(self.held)} VCs under {switching}")
        self.way = [*self.lead, *(self.held or [EJECT] * min(1, len(self.lead)))]
        self.taken = taken(table, self.address, [table.vcs + self.source, *self.way])
        self.at = self.way[-1] if self.way else table.vcs + self.source

    def waited_for(self, i: int, choices: list[list[int]]) -> list[int]:
        """The VCs for which packet i says that its header waits; `Rejected` if they are none of its choices."""
        wants = numbers(self.message, "wanted", 0, self.table.vcs)
        if not 0 < len(wants) == len({*wants}) or {*wants} not in map(set, choices):
            raise Rejected(f"packet {i} does not wait at {self.table.name(self.at)} for what it says")
        return wants


Entry = tuple[int, ...]
"""A candidate: the place that offers it, the address, the VC. Or a turn: the place and the VC."""


def taken(table: Table, address: int, way: list[int]) -> set[Entry]:
    """The candidates that a way from an injection port takes."""
    if not 0 <= address < table.addresses or not way or not found(way[0] - table.vcs, table.sources[address]):
        raise Rejected("a way begins at a terminal that sends to its address")
    for at, v in pairwise(way):
        if not found(v, table.may[address].get(at, ())):
            raise Rejected(f"a packet for address {address} cannot go from {table.name(at)} to {table.name(v)}")
    return {(at, address, v) for at, v in pairwise(way)}


def check_deadlock(table: Table, switching: Technique, proof: Any) -> None:
    """Check a filling of VCs by packets that can never move; raise `Rejected` if it is none."""
    depth = number(proof, "buffer_depth", 1)
    if proof.get("order") and switching.queues:
        raise Rejected(f"no order of moves is followed under {switching}")
    if switching.packets or ("order" in proof and switching.alone):
        longest = max((field(message, "length", int) for message in field(proof, "messages", list)), default=depth)
        room = switching.packets or depth // max(1, switching.taken(longest))
        check_queued_deadlock(table, Pools(table, switching._replace(packets=room)), proof)
        return
    reachability = word(proof, "reachability", ("injected", "scheduled", "not-established"))
    packets = [Packet(table, switching, message) for message in field(proof, "messages", list)]
    targets: list[int] = []
    for i, packet in enumerate(packets, start=1):
        if field(packet.message, "length", int) != depth * len(packet.held) or switching.taken(depth) != depth:
            raise Rejected(f"packet {i} does not fill its VCs exactly")
        targets += packet.waited_for(i, table.choices(packet.at, packet.address, switching))
    require_blocked(switching, packets, targets)
    if proof.get("order"):
        check_order(reachability, packets, numbers(proof, "order", 0, len(packets)))
    else:
        check_reachability(reachability, packets)


def check_order(reachability: str, packets: list[Packet], order: list[int]) -> None:
    """Let headers go on in an order, each by a VC that is empty; tails follow once all of a packet has come in."""
    if reachability != "scheduled" or sorted(order) != [i for i, packet in enumerate(packets) for _ in packet.way]:
        raise Rejected("an order names each packet of a schedule once for each VC of its way")
    hops, occupied = Counter[int](), set[int]()
    for i in order:
        hops[i] += 1
        packet, hop = packets[i], hops[i]
        # The port is held until all of a packet has left it.
        way = [packet.table.vcs + packet.source, *packet.way]
        enters = way[0 if hop == 1 else hop : hop + 1]
        if not occupied.isdisjoint(enters):
            raise Rejected(f"packet {i + 1} cannot go on to {packet.table.name(way[hop])}, or not yet be sent")
        occupied.update(enters)
        if hop >= len(packet.held):
            occupied.remove(way[hop - len(packet.held)])


def require_blocked(switching: Technique, packets: list[Packet], targets: list[int]) -> None:
    """Raise `Rejected` unless packets hold VCs of their own, and all that their headers wait for."""
    held = [v for packet in packets for v in packet.held]
    if not held or len({*held}) != len(held):
        raise Rejected("two packets hold the same VC, or there are none")
    if switching.queues:
        # Each header queues for a VC whose last flit is a tail, and one header alone can be next behind it.
        if len({*targets}) != len(targets) or not {*targets} <= {packet.held[0] for packet in packets}:
            raise Rejected("headers queue for VCs that do not end with a tail, or two for the same")
    elif not {*targets} <= {*held}:
        raise Rejected("a packet waits for a VC that nobody holds")


def check_reachability(reachability: str, packets: list[Packet]) -> None:
    """`injected`: packets reach back to terminals of their own. `scheduled`: each gets there past those before it."""
    ports = {packet.source for packet in packets}
    if reachability == "injected" and (any(packet.lead for packet in packets) or len(ports) < len(packets)):
        raise Rejected("packets do not reach back to terminals of their own")
    standing: set[int] = set()
    for number, packet in enumerate(packets, start=1):
        if reachability != "not-established" and (len({*packet.way}) < len(packet.way) or standing & {*packet.way}):
            raise Rejected(f"packet {number} would have to pass itself, or one that stands before it")
        standing |= {*packet.held}


def require_order(ways: Sequence[tuple[Sequence[Any], Sequence[Any]]]) -> None:
    """Check that packets, each with its way and the VCs that it holds then, can come there one after the other.

    A packet that passes where another one will stand comes before it, and none passes itself.
    """
    holder = {v: i for i, (_, held) in enumerate(ways) for v in held}
    pay(KEPT_STATE * len(holder) + sum(len(lead) for lead, _ in ways))
    later = {i: {holder[v] for v in lead if v in holder} for i, (lead, _) in enumerate(ways)}
    if ends_first(later) is None or any(len({*lead}) < len(lead) for lead, _ in ways):
        raise Unchecked("no order is shown in which the packets of a knot come to where they stand")


def check_size(table: Table, claim: Any, proof: Any) -> str:
    """Check that no deadlock has fewer packets than `least`, nor, with just as many, fewer VCs than `held`."""
    switching, least = technique(claim), field(claim, "least", int)
    held = field({"held": least, **claim}, "held", int)
    if held < least:
        raise Rejected(f"{least} packets hold {least} VCs at least, and not {held}")
    fewest = fewest_packets(table, switching)
    if fewest is not None and fewest < least:
        raise Rejected(f"{fewest} packets may wait for each other, and not {least} at least")
    if fewest == least < held and may_hold(table, switching, least, held - 1):
        raise Rejected(f"{least} packets may wait for each other on {held - 1} VCs or fewer")
    more = f", nor one of {least} packets fewer than {held} VCs" if held > least else ""
    return f"no deadlock under {switching} has fewer than {least} packets{more}"


def holdable_states(table: Table, switching: Technique) -> tuple[list[States], set[int]]:
    """How packets of each address go on from each VC, and wait; and the VCs that can be held in a deadlock."""
    states = waiting_states(table, switching, lambda at, v: True)
    return states, still_holdable(states, {*range(table.vcs)})


def fewest_packets(table: Table, switching: Technique) -> int | None:
    """A number than which no deadlock has fewer packets; None: no VC can be held in a deadlock.

    From a VC that a packet holds, go on to its header, and to a VC that it waits for, which another packet holds.
    Some packets come back to the first: a closed walk with at most as many steps as there are packets.
    """
    states, left = holdable_states(table, switching)
    after: dict[int, set[int]] = {v: set() for v in left}
    steps = Steps()
    for of_address in states:
        onward_from = {at: of_address[at][0] & left for at in of_address.keys() & left}
        waits = {at: [v for choice in of_address[at][1] if choice <= left for v in choice] for at in onward_from}
        for v in onward_from:
            for at in closure([v], onward_from.__getitem__):
                steps.take(1 + len(waits[at]))
                after[v].update(waits[at])
    fewest = len(left) + 1
    for v in left:
        reached, ends, length = set[int](), {v}, 0
        while ends and v not in reached and length + 1 < fewest:
            pay(sum(1 + len(after[at]) for at in ends))
            ends = set[int]().union(*(after[at] for at in ends)) - reached
            reached |= ends
            length += 1
        fewest = length if v in reached else fewest
    return fewest if left else None


def may_hold(table: Table, switching: Technique, packets: int, most: int) -> bool:
    """Whether as many packets as a shortest closed walk has steps may hold all that they wait for, on `most` VCs.

    The closed walk meets every packet, where the one before waits for it. It is followed from its lowest VC on, from
    worm to worm, while what is held and waited for, and what is held and the shortest way back, are no more VCs.
    """
    states, left = holdable_states(table, switching)
    steps = Steps()
    worms = worms_inside(states, left, left, steps, most - packets + 1)
    before: dict[int, dict[int, int]] = {v: {} for v in left}
    for v in left:
        for size, w in ((len(path), w) for path, end in worms[v] for w in end):
            before[w][v] = min(size, before[w].get(v, most))
    for goal in sorted(left):
        back = [{goal: 0}]
        for _ in range(packets):
            farther: dict[int, int] = {}
            for w, way in back[-1].items():
                steps.take(len(before[w]))
                for v, length in before[w].items():
                    if v >= goal and way + length <= most:
                        farther[v] = min(way + length, farther.get(v, most))
            back.append(farther)
        walks = {(goal, frozenset[int](), frozenset[int]())}
        for to_go in reversed(range(packets)):
            longer = set()
            for v, held, waited in walks:
                steps.take(len(worms[v]))
                for path, end in worms[v]:
                    pay(1 + (len(held) + len(path) + len(waited) + len(end) >> 1))
                    holds, waits = held | path, waited | end
                    if not held & path and len(holds | waits) <= most:
                        longer |= {(w, holds, waits) for w in end if len(holds) + back[to_go].get(w, most) <= most}
            steps.take(KEEPING * len(longer))
            walks = longer
        if any(waited <= held for _, held, waited in walks):
            return True
    return False


# ----------------------------------------------------------------------------------------------------- pools of slots


class Pools:
    """What VCs hold where each is a queue with room for a number of packets: queues, and VCs with marked slots."""

    def __init__(self, table: Table, switching: Technique) -> None:
        self.switching, self.packets, self.pools = switching, switching.packets, switching.pools
        if any(pool.vcs[-1] >= table.vcs for pool in self.pools):
            raise Rejected(f"a pool has VCs of another relation, which has {table.vcs}")
        self.queues: dict[int, list[int]] = {v: [] for v in range(table.vcs)}
        self.marked = [pool.first for pool in self.pools]
        self.through = backwards({number: pool.vcs for number, pool in enumerate(self.pools)})
        self.hops = [{*pool.hops} for pool in self.pools]

    def entered(self, at: int, v: int) -> list[int]:
        """The pools in which a packet that goes from a place to VC v has to leave something free."""
        through = self.through.get(v, ())
        pay(1 + sum(1 + len(self.pools[p].unguarded) for p in through))
        return [
            p for p in through
            if self.pools[p].keeps != NOTHING and v not in self.pools[p].unguarded and (at, v) not in self.hops[p]
        ]  # fmt: skip

    def kept(self, entered: list[int]) -> int:
        """Slots of the VC that a packet leaves free, besides those with a mark."""
        return int(any(self.pools[p].keeps == BUFFER for p in entered))

    def asked(self, p: int, at: int, v: int, entered: list[int]) -> int:
        """Slots of a pool that must be free for a packet; 0 if a VC with room, or the packet itself, has one."""
        pool = self.pools[p]
        more = pool.keeps == POOL and p in entered
        ample = pool.slots >= len(pool.vcs) * (self.packets - pool.own)
        none = (at, v) in self.hops[p] or len(self.queues[v]) < pool.own or (ample and not more)
        return 0 if none else 1 + more

    def room(self, at: int, v: int) -> bool:
        """Whether a packet can move from a place to VC v now; what it had is free only then."""
        entered = self.entered(at, v)
        if len(self.queues[v]) + self.kept(entered) + sum(self.marked[p] == v for p in entered) >= self.packets:
            return False
        for p in self.through.get(v, ()):
            pool, asked = self.pools[p], self.asked(p, at, v, entered)
            pay(len(pool.vcs) if asked else 1)
            if asked and pool.slots - sum(max(0, len(self.queues[u]) - pool.own) for u in pool.vcs) < asked:
                return False
        return True

    def move(self, packet: int, at: int, v: int) -> None:
        """Move a packet, the first of its queue, to VC v or out of the network."""
        if at in self.queues:
            pay(len(self.queues[at]) >> 3)
            self.queues[at].pop(0)
        if v == EJECT:
            return
        self.queues[v].append(packet)
        pay(len(self.through.get(v, ())))
        for p in self.through.get(v, ()):
            if self.marked[p] == v and (at, v) in self.hops[p] and len(self.queues[v]) == self.packets:
                self.marked[p] = at

    def never_full(self, p: int) -> bool:
        """Whether a pool is a ring with room for a packet at all times, into which the packet behind may go.

        Each hop leads to the next VC, and takes and gives back a slot of each pool that the VC has. So a packet moves
        on unless the next VC is full, and all VCs never are: there are fewer slots; or packets that come in leave one
        free, which hops move at most.
        """
        pool = self.pools[p]
        onward, whole = dict(pool.hops), len(pool.vcs) * self.packets
        pay(LOOK * len(pool.hops))
        round_it = closure(pool.vcs[:1], lambda v: [onward[v]] if v in onward else [])
        ring = len(round_it) == len(pool.vcs) == len(pool.hops) == len({*onward.values()})
        alone = all(hop in self.hops[other] for hop in pool.hops for other in self.through[hop[1]])
        guarded = pool.keeps != NOTHING and not pool.unguarded
        most = pool.slots - (guarded and pool.keeps == POOL)
        return ring and alone and (most < whole or (guarded and pool.keeps != POOL))


def check_drained(table: Table, pools: Pools, rank: list[int]) -> None:
    """Check that all VCs drain in the order of their ranks when nothing is sent any more.

    Of a state in which nothing can move, take a packet on the lowest rank that has any, or one at a port. All below
    is empty: a candidate there could be entered, if pools have a slot left however full other VCs are. So all packets
    on that rank wait, in a ring of this rank alone, for its next VC, which is full; then the whole ring is, and it
    never is.
    """
    along = {
        hop for p, pool in enumerate(pools.pools)
        if len({rank[v] for v in pool.vcs}) == 1 and pools.never_full(p) for hop in pool.hops
    }  # fmt: skip
    made = {(at, v) for rows in table.may for at, row in rows.items() for v in row}
    # A mark goes back over hops that packets make.
    marked = [{*came_from(first, pools.hops[p] & made)} for p, first in enumerate(pools.marked)]

    @lru_cache(None)
    def drains(at: int, v: int) -> bool:
        if v == EJECT or (at, v) in along:
            return True
        low, entered = 2**60 if at >= table.vcs else rank[at], pools.entered(at, v)
        if rank[v] >= low or pools.kept(entered) + sum(v in marked[p] for p in entered) >= pools.packets:
            return False  # all slots of an empty VC may be marked ones
        for p in pools.through.get(v, ()):
            pool, asked = pools.pools[p], pools.asked(p, at, v, entered)
            pay(len(pool.vcs) if asked else 1)
            if asked and pool.slots - pools.packets * sum(rank[u] >= low for u in pool.vcs) < asked:
                return False
        return True

    for address in range(table.addresses):
        for at in table.may[address]:
            for choice in table.choices(at, address):
                if not any(drains(at, v) for v in choice):
                    raise Rejected(f"pools: address {address} waits at {table.name(at)} for nothing that drains")


def came_from(end: int, hops: Collection[tuple[int, int]]) -> list[int]:
    """All VCs from which hops lead to one, itself included."""
    before: dict[int, list[int]] = {}
    for u, v in hops:
        before.setdefault(v, []).append(u)
    return closure([end], lambda v: before.get(v, ()))


PoolState = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]
"""Kinds of the packets in each VC, and the VCs of marked slots."""


def kinds_of_states(table: Table) -> dict[tuple[int, int], int]:
    """Number pairs (place, address): those with one number go on and wait alike, on all of their way."""
    rows = [(at, a) for a, row in enumerate(table.may) for at in row]
    label, many = dict.fromkeys(rows, 0), 0
    while True:
        pay(sum(map(len, table.may)))
        kinds: dict[Any, int] = {}
        signs = [
            (at, frozenset((v, label.get((v, a), -1)) for v in table.may[a][at]), str(table.choices(at, a)))
            for at, a in rows
        ]
        label = {pair: kinds.setdefault(sign, len(kinds)) for pair, sign in zip(rows, signs, strict=True)}
        if len(kinds) == many:
            return label
        many = len(kinds)


def check_pool_states(table: Table, pools: Pools) -> None:
    """Visit all that VCs of pools may hold, whatever other VCs hold at the time; nowhere do packets wait for good.

    Of a deadlock, the packets that never move wait for each other also where all others have left, since a packet
    that leaves gives back slots alone. Those in pools are there as in a state that is visited, since whatever can
    come into a pool comes at any time here. A packet at a port waits for good if it is not let in where all is empty.
    """
    pooled = {*pools.through}
    label, pair = kinds_of_states(table), dict[int, tuple[int, int]]()
    enters, beyond = set[tuple[int, int]](), dict[int, list[list[int]]]()
    for (at, a), kind in label.items():
        pair.setdefault(kind, (at, a))
        if at not in pooled:
            enters |= {(v, label[v, a]) for v in table.may[a][at] if v in pooled}
            beyond.setdefault(at, []).extend(table.choices(at, a))
    ports = {at: beyond.pop(at) for at in [*beyond] if at >= table.vcs}

    def hold(state: PoolState, kept: Container[int]) -> None:
        pools.queues = {v: [*queue] if v in kept else [] for v, queue in enumerate(state[0])}
        pools.marked = [*state[1]]

    def closed(at: int, choices: list[list[int]], kept: Container[int]) -> bool:
        """Whether a header may wait only for what stays full, or occupied, for good."""
        open_to = [
            any(v == EJECT or (pools.room(at, v) if v in pooled else v not in kept) for v in c) for c in choices
        ]
        return not all(open_to)

    def require_moving(state: PoolState) -> None:
        waits = {v: table.choices(*pair[queue[0]]) for v, queue in enumerate(state[0]) if queue} | beyond
        kept, before = {*waits}, {-1}
        while kept != before:
            hold(state, kept)
            kept, before = {at for at in kept if closed(at, waits[at], kept)}, kept
        if kept or any(closed(at, choices, kept) for at, choices in ports.items()):
            raise Rejected("states: packets may come to wait for each other in the pools")

    def after(state: PoolState) -> Iterator[PoolState]:
        pay(table.vcs)
        require_moving(state)
        moves = [(table.vcs, v, kind) for v, kind in enters]
        for at, a in ((at, pair[queue[0]][1]) for at, queue in enumerate(state[0]) if queue):
            moves += [(at, v, label[v, a] if v in pooled else -1) for v in table.may[a][at] or [EJECT]]
        for at, v, kind in moves:
            hold(state, range(table.vcs))
            if kind >= 0 and not pools.room(at, v):
                continue
            pools.move(kind, at, v if kind >= 0 else EJECT)
            yield tuple(map(tuple, pools.queues.values())), tuple(pools.marked)

    start: PoolState = ((),) * table.vcs, tuple(pools.marked)
    closure([start], after, MOST_STATES)


def check_queued_deadlock(table: Table, pools: Pools, proof: Any) -> None:
    """Send packets in an order of their moves, by default one after the other; in the end none can move.

    A packet that holds no VC in the end, and has come over some, has left the network from there, by one move more.
    """
    packets = [Packet(table, None, message) for message in field(proof, "messages", list)]
    if field(proof, "reachability", str) != "scheduled" or all(packet.at == EJECT for packet in packets):
        raise Rejected("a deadlock of queues of packets is a schedule, after which some are left")
    depth = field(proof, "buffer_depth", int)
    for number, packet in enumerate(packets, start=1):
        if not 0 < pools.switching.taken(field(packet.message, "length", int)) * pools.packets <= depth:
            raise Rejected(f"buffers of {depth} flits have no room for {pools.packets} packets like {number}")
    order = [number for number, packet in enumerate(packets) for _ in packet.way]
    if "order" in proof:
        given = numbers(proof, "order", 0, len(packets))
        if sorted(given) != order:
            raise Rejected("an order names each packet once for each VC of its way, and once more if it leaves")
        order = given
    steps = [pairwise([table.vcs + packet.source, *packet.way]) for packet in packets]
    for number in order:
        at, v = next(steps[number])
        first = at >= table.vcs or pools.queues[at][0] == number
        if not first or (v != EJECT and not pools.room(at, v)):
            raise Rejected(f"packet {number + 1} cannot go from {table.name(at)} to {table.name(v)}")
        pools.move(number, at, v)
    for number, packet in enumerate(packets):
        if packet.at == EJECT or (packet.at < table.vcs and pools.queues[packet.at][0] != number):
            continue
        wants = packet.waited_for(number + 1, table.choices(packet.at, packet.address))
        if any(pools.room(packet.at, v) for v in wants):
            raise Rejected(f"packet {number + 1} can move from {table.name(packet.at)}")


# ------------------------------------------------------------------------------------- delivery, lengths and arbiters


def check_delivery(table: Table, claim: Any, proof: Any) -> str:
    """Check that ejection can be reached from every reachable state, or that a packet can come where it cannot.

    A packet of a terminal to itself that has no candidates is not sent.
    """
    if field(claim, "delivered", bool):
        for address in range(table.addresses):
            lost = {*table.may[address]} - arriving(table, address)
            if lost:
                raise Rejected(f"address {address} cannot be ejected any more from {table.name(min(lost))}")
        return "every packet can always be ejected"
    source, address = field(proof, "source", int), field(proof, "address", int)
    way = [table.vcs + source, *numbers(proof, "path", 0, table.vcs)]
    taken(table, address, way)
    if way[-1] in arriving(table, address):
        raise Rejected(f"the packet can still be ejected from {table.name(way[-1])}")
    return "a packet can never be ejected"


def arriving(table: Table, address: int) -> set[int]:
    """States from which an address can be ejected; the port of its terminal too, if that sends itself nothing."""
    before, own = backwards(table.may[address]), table.vcs + table.destination[address]
    unsent = [own] if table.may[address].get(own) == [] else []
    return {*closure([*before.get(EJECT, ()), *unsent], lambda at: before.get(at, ()))}


def check_lengths(table: Table, claim: Any, proof: Any) -> str:
    """Check how many hops the longest route has, and whether all hops are on shortest paths.

    Routes without an end have no longest one and no length, so both are None.
    """
    kinds = {"longest": int, "minimal": bool}
    claimed = [field(claim, name, kind) if claim.get(name, 0) is not None else None for name, kind in kinds.items()]
    most, shortest = 0, True
    for address, candidates in enumerate(table.may):
        order = ends_first(candidates)
        if order is None and claimed != [None, None]:
            raise Rejected(f"address {address}: packets may go round for ever")
        if order is None:
            return "packets may go round for ever"
        hops = table.network.hops_to(table.network.eject[table.destination[address]])
        length: dict[int, int] = {}
        for at in order:
            length[at] = max((length[v] + (v != EJECT) for v in candidates.get(at, ())), default=0)
        steps = ((table.router[at], table.router[v]) for at, row in candidates.items() for v in row if v != EJECT)
        shortest &= all(hops.get(there, -2) + 1 == hops.get(here) for here, there in steps)
        most = max(most, *length.values(), 0)
    shown = f"the longest route has {most} hops, and {'all' if shortest else 'not all'} are shortest paths"
    if claimed != [most, shortest]:
        raise Rejected(shown)
    return shown


def check_cuts(table: Table, claim: Any, proof: Any) -> str:
    """Check how many routes sets of faults cut where the table stays, and for how many of these no way is left.

    Routes from and to terminals at routers that failed are not counted.
    """
    network, faults = table.network, field(claim, "faults", list)
    ends: dict[Pair, Pair] = {}
    over: list[set[Pair]] = [set() for _ in network.source]
    for address, sources in enumerate(table.sources):
        home = network.eject[table.destination[address]]
        for source in {*sources} - {table.destination[address]}:
            ends[source, address] = network.inject[source], home
            channels = route(table, source, address)
            if home != (network.target[channels[-1]] if channels else network.inject[source]):
                raise Rejected(f"there is no route from terminal {source} to address {address}")
            for c in channels:
                over[c].add((source, address))
    for fault in faults:
        failed, dead = network.parts(fault)
        failed.update(*(at.get(router, ()) for router in dead for at in (network.leaving, network.entering)))
        left = network.without({"channels": [*failed], "routers": []})
        pay(LOOK * sum(len(over[c]) for c in failed))
        cut = [ends[pair] for pair in set[Pair]().union(*(over[c] for c in failed))]
        cut = [pair for pair in cut if dead.isdisjoint(pair)]
        hops = {home: left.hops_to(home) for home in {home for _, home in cut}}
        lost, severed = len(cut), sum(router not in hops[home] for router, home in cut)
        if (lost, severed) != (field(fault, "lost", int), field(fault, "severed", int)):
            raise Rejected(f"a fault cuts {lost} routes, and leaves no way for {severed} of these")
    worst = max((fault["lost"] for fault in faults), default=0)
    return f"each of {len(faults)} sets of faults cuts at most {worst} routes, while the table stays as it is"


def check_progress(table: Table, claim: Any, proof: Any) -> str:
    """Check that every packet arrives under an arbiter, some time or in a number of hop times, or that one may not.

    A fair arbiter grants in the end every header that keeps requesting a VC which becomes free again and again. Where
    routes end, a packet that never arrives stands still in the end, behind a header whose candidates are all held by
    packets that stand still too. That is a deadlock.
    """
    arbiter = field(claim, "arbiter", str)
    if arbiter == "fair" and field(claim, "arrives", bool):
        check_free(table, technique(claim), proof)
        for address, candidates in enumerate(table.may):
            if ends_first(candidates) is None:
                raise Rejected(f"address {address}: packets may go round for ever")
            own = table.vcs + table.destination[address]
            for at in (at for at, row in candidates.items() if not row and at != own):
                raise Rejected(f"address {address} comes to its end at {table.name(at)}")
        return "every packet arrives under arbiters that are fair in the end"
    if field(claim, "arrives", bool):
        bound = hop_times(table, arbiter, field(claim, "packets", int))
        if field(claim, "bound", int) < bound:
            raise Rejected(f"a packet may take {bound} hop times, not at most {claim['bound']}")
        return f"every packet arrives within {claim['bound']} hop times under {arbiter}"
    if arbiter != "fixed":
        raise Rejected(f"{arbiter}: only an arbiter that is fixed is shown to starve a packet")
    to = field(proof, "granted", int)
    stream, other = (sent_to(table, field(proof, name, dict), to) for name in ("stream", "other"))
    if stream[-1] in other or other[-1] in stream:
        raise Rejected("one of the packets comes by the place where the other one waits")
    return "one packet never moves on where another stream of packets comes first under a fixed order of inputs"


def sent_to(table: Table, packet: Any, to: int) -> list[int]:
    """The places of a packet; in the last it waits for VC `to` alone, or −1 − t, to leave at terminal t."""
    source, address = field(packet, "source", int), field(packet, "address", int)
    places = [table.vcs + source, *numbers(packet, "way", 0, table.vcs)]
    taken(table, address, places)
    choices = table.choices(places[-1], address)
    if [max(to, EJECT)] not in choices or (to < 0 and table.destination[address] != -1 - to):
        raise Rejected(f"a packet at {table.name(places[-1])} does not wait for what is granted, or not alone")
    return places


def hop_times(table: Table, arbiter: str, packets: int) -> int:
    """Most hop times until a packet arrives, where headers wait for one VC each and VCs in no circle."""
    if arbiter not in ("round_robin", "oldest_first") or packets < 1:
        raise Rejected(f"no bound is computed for {arbiter} with {packets} packets in a VC")
    onward: dict[int, set[int]] = {}
    requests: dict[int, set[int]] = {}
    for address, rows in enumerate(table.may):
        for at, row in rows.items():
            if len({*table.waits[address][at]}) > 1 and not table.commits:
                raise Rejected(f"address {address} waits at {table.name(at)} for one of several VCs")
            for v in row:
                to = -1 - table.destination[address] if v == EJECT else v
                onward.setdefault(at, set()).add(to)
                requests.setdefault(to, set()).add(at)
    order = ends_first({at: {to for to in row if to >= 0} for at, row in onward.items()})
    if order is None:
        raise Rejected("VCs depend on each other in a circle")
    before: dict[int, set[int]] = {to: set() for to in requests}  # VCs from which one may be reached
    for at in reversed(order):
        for to in onward.get(at, ()):
            pay(KEPT_STATE + 2 * len(before.get(at, ())))
            before[to] |= before.get(at, set()) | ({at} if at < table.vcs else set())
    ahead = {to: len(requests[to]) if arbiter == "round_robin" else 1 + packets * len(before[to]) for to in requests}
    wait: dict[int, int] = {}
    whole: dict[int, int] = {}
    for at in order:
        outs = onward.get(at, set())
        wait[at] = max((paid(ahead[to] * (1 if to < 0 else 2 + wait[to])) for to in outs), default=0)
        stay = (1 if at >= table.vcs else packets) * (1 + wait[at])
        whole[at] = paid(stay + max((whole[to] for to in outs if to >= 0), default=0))
    ports = [at for at in onward if at >= table.vcs]
    begin = [to for at in ports for to in onward[at] if to >= 0] if arbiter == "oldest_first" else ports
    return max((whole[at] for at in begin), default=0)


# ---------------------------------------------------------------------------------------- load of the busiest channel


class AllPairs:
    """The pairs of routers between whose terminals something is sent, if each terminal sends to all others."""

    def __init__(self, network: Network) -> None:
        self.inject, self.eject = Counter(network.inject), Counter(network.eject)
        self.own = Counter(zip(network.inject, network.eject, strict=True))

    def flows(self, u: int, v: int) -> int:
        """How many pairs of different terminals send from one router to the other."""
        return self.inject[u] * self.eject[v] - self.own[u, v]

    def __contains__(self, pair: object) -> bool:
        u, v = pair if isinstance(pair, tuple) and len(pair) == 2 else (-1, -1)
        return bool(u != v and self.flows(u, v))


def listed_flows(network: Network, flows: Any) -> list[tuple[int, int, Fraction]]:
    """Flows [source terminal, destination terminal, amount]; null: every terminal sends 1 to every other."""
    if flows is None:
        pay(3 * KEPT_STATE * network.terminals**2)
        return [(s, t, Fraction(1)) for s, t in product(range(network.terminals), repeat=2) if s != t]
    ends = [integers(flow[:2], "flows", 0, network.terminals) for flow in lists(flows, "flows", 3)]
    amounts = exact([flow[2] for flow in flows], "flows")
    return [(s, t, amount) for (s, t), amount in zip(ends, amounts, strict=True)]


def flow_amounts(network: Network, flows: Any) -> tuple[list[dict[int, int]], int, int, int]:
    """What each router gets from each other in parts of a unit; parts per unit; what divides flows; the largest."""
    sent: list[dict[int, int]] = [{} for _ in range(network.routers)]
    if flows is None:
        every = AllPairs(network)
        pay(KEPT_STATE * len(every.inject) * len(every.eject))
        for u, v in product(every.inject, every.eject):
            if (u, v) in every:
                sent[v][u] = every.flows(u, v)
        return sent, 1, int(any(sent)), int(any(sent))
    listed = [(network.inject[s], network.eject[t], amount) for s, t, amount in listed_flows(network, flows)]
    parts = lcm(*(amount.denominator for _, _, amount in listed))
    flows = [(u, v, int(amount * parts)) for u, v, amount in listed if u != v]
    for u, v, amount in flows:
        sent[v][u] = sent[v].get(u, 0) + amount
    amounts = [amount for _, _, amount in flows]
    return sent, parts, gcd(*amounts), max(amounts, default=0)


def capacities(network: Network, capacity: Any) -> list[Fraction]:
    """The capacity of each channel; null: 1."""
    return [Fraction(1)] * network.channels if capacity is None else exact(capacity, "capacity", network.channels)


def lightest_to(network: Network, v: int, weights: Sequence[int], shortest: bool) -> dict[int, int]:
    """The weight of the lightest path from every router to one: of paths with the fewest hops, or of all."""
    if not shortest:
        return nearest([v], lambda u: ((network.source[c], weights[c]) for c in network.entering.get(u, ())))
    hops, lightest = network.hops_to(v), {v: 0}
    for u in [*hops][1:]:  # by hops
        pay(LOOK * len(network.leaving[u]))
        onward = (c for c in network.leaving[u] if hops.get(network.target[c]) == hops[u] - 1)
        lightest[u] = min(weights[c] + lightest[network.target[c]] for c in onward)
    return lightest


def load_shown(
    network: Network, flows: Any, capacity: Any, weights: Any, *, shortest: bool = True, pieces: int = 1
) -> Fraction:
    """The load, flow over capacity, that some channel has at least, however each piece of a flow takes one path.

    The weighted mean of the loads is at least what the flows add up to on their lightest paths. Where all capacities
    are 1, a load is a sum of whole pieces: a multiple of what divides all of them. And some channel has the largest
    piece.
    """
    weights = integers(weights, "weights", 0, 2**63, network.channels)
    limits = capacities(network, capacity)
    room = sum((weight * limit for weight, limit in zip(weights, limits, strict=True)), Fraction(0))
    sent, parts, whole, largest = flow_amounts(network, flows)
    total = 0
    for v, amounts in enumerate(sent):
        if not amounts:
            continue
        pay(LOOK * len(amounts))
        lightest = lightest_to(network, v, weights, shortest)
        if amounts.keys() - lightest.keys():
            raise Rejected(f"there is no way to router {v} for something that is sent there")
        total += sum(amount * lightest[u] for u, amount in amounts.items())
    if largest == 0:
        return Fraction(0)
    alone = Fraction(largest, parts * pieces) / max(limits)
    if room == 0:
        return alone
    if capacity is None:
        return max(alone, Fraction(-(-total * pieces // (int(room) * whole)) * whole, parts * pieces))
    return max(alone, Fraction(total) / (room * parts))


def check_load(network: Network, claim: Any, proof: Any) -> str:
    """Check that some channel has at least a load: on any paths, shortest ones, or those that some lanes can have."""
    least = fraction(claim.get("least"), "least", 0)
    if "lanes" in claim:
        if claim.keys() & {"paths", "pieces"}:
            raise Rejected("in some lanes each flow takes one shortest path: neither paths nor pieces are expected")
        encoder = LoadEncoder(network, claim)
        lane_clauses(encoder, encoder.amounts, proof)
        check_refutation(encoder.clauses, len(encoder.number), field(proof, "steps", list))
        routes = f"shortest paths{' by tables' * encoder.table} in {encoder.lanes} lane{'s' * (encoder.lanes > 1)}"
        return f"{routes} {KINDS[encoder.changes]}: some channel has a load of at least {least}"
    claim = {"paths": "shortest", "pieces": 1, "flows": None, "capacity": None, **claim}
    paths, pieces = word(claim, "paths", ("any", "shortest")), number(claim, "pieces", 1, 2**20)
    about = network, claim["flows"], claim["capacity"], field(proof, "weights", list)
    shown = load_shown(*about, shortest=paths == "shortest", pieces=pieces)
    if shown < least:
        raise Rejected(f"the weights show a load of {shown}, and not of {least}")
    split = f", each flow in {pieces} equal pieces" * (pieces > 1)
    return f"{paths} paths{split}: some channel has a load of at least {least}"


# ----------------------------------------------------------------------------------------------- fewer lanes, refuted

Pair = tuple[int, int]
"""A router that sends, and the router to which it sends."""
Clause = tuple[int, ...]
"""Literals: a variable, or its negative for "not"."""


def check_shortest(network: Network, claim: Any, proof: Any) -> str:
    """Check that shortest paths cannot be free of deadlock in a number of lanes, nor any paths after each failure."""
    impossible, changes, sends = field(claim, "impossible", int), field(claim, "changes", str), claim.get("sends")
    if "failures" not in claim:
        pairs: Container[Pair] = AllPairs(network) if sends is None else sending_pairs(network, sends)
        shown = check_lanes(Encoder(network, impossible, changes), pairs, proof)
        return f"shortest paths: {shown} cannot be free of deadlock"
    if changes != "none":
        raise Rejected("failures are survived by lanes that packets keep")
    surviving = SurvivingEncoder(network, impossible, field(claim, "failures", list))
    failures, ends = range(len(surviving.failed)), sending_pairs(network, sends)
    pay(2 * KEPT_STATE * len(failures) * len(ends))
    shown = check_lanes(surviving, {(u, v + network.routers * f) for u, v in ends for f in failures}, proof)
    return f"shortest paths, and any after each of {len(failures) - 1} failures: {shown} cannot have them"


def check_routes(table: Table, claim: Any, proof: Any) -> str:
    """Check that the routes of a relation cannot be free of deadlock in a number of lanes."""
    senders = {(source, address) for address, sources in enumerate(table.sources) for source in sources}
    encoder = RouteEncoder(table, field(claim, "impossible", int), field(claim, "changes", str))
    return f"these routes cannot be free of deadlock in {check_lanes(encoder, senders, proof)}"


def sending_pairs(network: Network, sends: Any) -> set[Pair]:
    """Pairs of different routers between whose terminals something is sent; null: each terminal sends to all."""
    if sends is None:
        every = AllPairs(network)
        pay(KEPT_STATE * len(every.inject) * len(every.eject))
        return {pair for pair in product(every.inject, every.eject) if pair in every}
    flows = [integers(flow, "sends", 0, network.terminals) for flow in lists(sends, "sends", 2)]
    pairs = {(network.inject[s], network.eject[t]) for s, t in flows if s != t}
    return {(u, v) for u, v in pairs if u != v}


def check_lanes(encoder: Encoder, pairs: Container[Pair], proof: Any) -> str:
    """Check that the paths of an encoder cannot serve all pairs without deadlock in its number of lanes.

    A lane is a VC of each channel. A packet keeps its lane (changes "none"), which may have to be that of packets
    back ("shared"), may change it for a higher one at each hop ("rising"), or for any ("any"). The dependencies
    between VCs, those of each route from a VC to the next, are acyclic: otherwise VCs could wait for each other in a
    cycle. For one lane a cycle of turns is enough, each taken by all paths of its pair.
    """
    kind = field(proof, "kind", str)
    if kind == "refutation":
        lane_clauses(encoder, pairs, proof)
        check_refutation(encoder.clauses, len(encoder.number), field(proof, "steps", list))
    elif kind not in ("forced cycle", "route cycle") or encoder.impossible != 1:
        raise Rejected(f"{kind!r} is no proof that {encoder.impossible} lanes are too few")
    else:
        check_turns(encoder, pairs, field(proof, "turns", list))
    return f"{encoder.impossible} lane{'s' * (encoder.impossible > 1)} {KINDS[encoder.changes]}"


def check_turns(encoder: Encoder, pairs: Container[Pair], turns: list[Any]) -> None:
    """Check turns [channel, next channel, two numbers of a pair], each taken by all paths of its pair, that close."""
    closed = [integers(turn, "turns", 0, 2**31) for turn in lists(turns, "turns", 4)]
    if not closed:
        raise Rejected("a cycle has at least one turn")
    for (c, e, *pair), after in around(closed):
        if tuple(pair) not in pairs or e != after[0]:
            raise Rejected(f"turn {[c, e, *pair]} is of a pair that does not send, or the next begins elsewhere")
        if encoder.can_avoid((pair[0], pair[1]), (c, e)):
            raise Rejected(f"a path of the pair {pair} does not take channel {c} and then {e}")


def route(table: Table, source: int, address: int) -> list[int]:
    """The channels of the route from a terminal to an address, whatever the VCs."""
    if address >= table.addresses or not found(source, table.sources[address]):
        raise Rejected(f"terminal {source} does not send to address {address}")
    channels: list[int] = []
    at = table.vcs + source
    while onward := [v for v in table.may[address][at] if v != EJECT]:
        pay(KEPT_STATE + len(onward))
        if len({table.channel[v] for v in onward}) != 1 or len(channels) > table.vcs:
            raise Rejected(f"terminal {source} has no single route to address {address}")
        at = onward[0]
        channels.append(table.channel[at])
    return channels


def check_changes(table: Table, claim: Any, proof: Any) -> str:
    """Check that routes in one lane close a cycle of channels, however fewer than `least` of them are changed.

    What is changed is the route of a router to an address ("pairs"), or a router's entry for an address ("entries").
    Each cycle [channel, …, weight] has to lose a turn, which all routes that take it then give up. A payment
    [c, e, terminal, address, amount] is for a turn from c to e, by a change of a route that takes it; or by those of
    both entries, of the routers before and behind c, for a route that begins with the turn. If turns are paid
    the weights of their cycles, and no change pays more than 1, the weights together are not more than the changes.
    """
    kind, least, total = word(claim, "kind", ("pairs", "entries")), field(claim, "least", int), 0
    due: dict[tuple[int, int], int] = {}
    spent: dict[tuple[int, int], int] = {}
    for cycle in field(proof, "cycles", list):
        *channels, weight = integers(cycle, "cycles", 0, 2**62) or [0]
        total += weight if channels else 0
        for turn in around(channels):
            due[turn] = due.get(turn, 0) + weight
    for c, e, source, address, amount in (
        integers(row, "paid", 0, 2**62) for row in lists(proof.get("paid"), "paid", 5)
    ):
        channels = route(table, source, address)
        if (c, e) not in pairwise(channels if kind == "pairs" else channels[:2]):
            raise Rejected(f"changes for terminal {source} and address {address} do not remove the turn {c}, {e}")
        due[c, e] = due.get((c, e), 0) - amount
        ends = [table.network.inject[source]] if kind == "pairs" else [table.network.source[x] for x in (c, e)]
        for router in ends:
            spent[router, address] = spent.get((router, address), 0) + amount
    if max(due.values(), default=0) > 0 or max(spent.values(), default=0) > PARTS:
        raise Rejected("a turn of a cycle is not paid, or a change pays more than 1")
    if -(-total // PARTS) < least:
        raise Rejected(f"the cycles do not add up to {least} changes")
    return f"at least {least} {kind} change where all routes fit into one lane"


class Encoder:
    """Clauses that hold if some routing along shortest paths serves a set of pairs without deadlock in some lanes.

    Here paths are all shortest ones between two routers; `RouteEncoder` has given routes.

    Where packets change lanes, the clauses are of one lane in the network of VCs: VC k of channel c is channel
    c · lanes + k. Variables are numbered from 1 as they are met:

    - ("lane", pair, k): the pair uses lane k. Of lanes that both directions share, the pair is written in order.
    - ("path", pair, j): it uses its j-th shortest path, if it has at most `MOST_PATHS`.
    - ("uses", pair, c) and ("then", pair, c, e), if it has more: its path has channel c, and goes on by e.
    - ("turn", k, c, e): some route in lane k goes from c to e.
    - ("before", k, c, e), if channels are ordered: in lane k c stands before e, a later channel by number.
    """

    def __init__(self, network: Network, lanes: int, changes: str = "none") -> None:
        if lanes < 1 or changes not in KINDS:
            raise Rejected(f"at least one lane is impossible, and lanes are {', '.join(KINDS.values())}")
        at_most(lanes, MOST_LANES, "lanes")
        self.impossible, self.changes = lanes, changes
        self.levels = lanes if changes == "rising" else 1
        if changes not in KEPT:
            network, lanes = copied(network, lanes), 1
        self.shared = changes == "shared"
        self.network = network
        pay(LOOK * network.size)
        self.lanes = lanes
        self.number: dict[tuple[Any, ...], int] = {}
        self.clauses: list[Clause] = []
        self.hops_to = lru_cache(MOST_CLAUSES // (network.routers + 1))(network.hops_to)

    def can_avoid(self, pair: Pair, turn: tuple[int, int]) -> bool:
        """Whether a path of a pair does not take a turn from one channel to the next."""
        self.reach(pair)
        reached = closure(self.begin(pair), lambda c: (e for e in self.after(pair, c) if (c, e) != turn))
        return any(not self.after(pair, c) for c in reached)

    def variable(self, *meaning: Any) -> int:
        """Number of a variable."""
        pay(2 if meaning in self.number else 12)
        return self.number.setdefault(meaning, len(self.number) + 1)

    def lane(self, pair: Pair, k: int) -> int:
        """Variable of a pair in a lane."""
        return self.variable("lane", self.ends(pair) if self.shared else pair, k)

    def home(self, pair: Pair) -> int:
        """The router where the paths of a pair end."""
        return pair[1]

    def ends(self, pair: Pair) -> Pair:
        """The routers of a pair, in order."""
        return min(pair[0], self.home(pair)), max(pair[0], self.home(pair))

    def serve(self, pair: Pair, first_lanes: int) -> None:
        """Add the clauses of a pair, which is in one of the first lanes."""
        self.reach(pair)
        lanes = range(min(first_lanes, self.lanes))
        self.clauses.append(tuple(self.lane(pair, k) for k in lanes))
        paths = self.paths(pair)
        if paths is not None:
            self.clauses.append(tuple(self.variable("path", pair, j) for j in range(len(paths))))
            for j, path in enumerate(paths):
                for c, e in pairwise(path):
                    self._turn(("path", pair, j), pair, lanes, c, e)
            return
        first = self.begin(pair)
        self.clauses.append(tuple(self.variable("uses", pair, c) for c in first))
        for c in closure(first, lambda c: self.after(pair, c)):
            onward = self.after(pair, c)
            if not onward:
                continue
            self.clauses.append(
                (-self.variable("uses", pair, c), *(self.variable("then", pair, c, e) for e in onward))
            )
            for e in onward:
                self.clauses.append((-self.variable("then", pair, c, e), self.variable("uses", pair, e)))
                self._turn(("then", pair, c, e), pair, lanes, c, e)

    def reach(self, pair: Pair) -> None:
        """Work out what `begin` and `after` need; raise `Rejected` if the pair has no path."""
        if pair[0] not in self.hops_to(self.home(pair)):
            raise Rejected(f"router {pair[0]} has no way to router {self.home(pair)}")

    def begin(self, pair: Pair) -> list[int]:
        """Channels with which the paths of a pair begin."""
        hops, target = self.hops_to(self.home(pair)), self.network.target
        pay(2 + len(self.network.leaving[pair[0]]))
        return [c for c in self.network.leaving[pair[0]] if hops.get(target[c]) == hops[pair[0]] - 1]

    def after(self, pair: Pair, c: int) -> list[int]:
        """Channels that may follow a channel on paths of a pair; none if they end there."""
        here = self.network.target[c]
        onward = self.begin((here, pair[1])) if here != self.home(pair) else []
        return [e for e in onward if c % self.levels <= e % self.levels]

    def paths(self, pair: Pair) -> list[list[int]] | None:
        """All paths of a pair, which have the same length; None if there are more than `MOST_PATHS`."""
        paths, longer = list[list[int]](), [[c] for c in self.begin(pair)]
        while longer:
            paths, longer = longer, []
            for path in paths:
                onward = self.after(pair, path[-1])
                pay((KEPT_STATE + len(path)) * len(onward))
                longer += [[*path, e] for e in onward]
            if len(longer) > MOST_PATHS or len(longer) * len(paths[0]) * self.lanes > MOST_CLAUSES:
                return None
        return paths

    def _turn(self, step: tuple[Any, ...], pair: Pair, lanes: range, c: int, e: int) -> None:
        """Add for each lane: if the pair takes a step, and is in the lane, the lane has its turn."""
        for k in lanes:
            self.clauses.append((-self.variable(*step), -self.lane(pair, k), self.variable("turn", k, c, e)))

    def limit(self) -> None:
        """Add what clauses say about all served pairs together: nothing here."""

    def forbid(self, cycle: Sequence[int]) -> None:
        """Add for each lane the clause that it does not have all turns of a cycle of channels."""
        turns = around(cycle)
        for k in range(self.lanes):
            pay(LOOK * len(turns))
            if all(("turn", k, *turn) in self.number for turn in turns):
                self.clauses.append(tuple(-self.variable("turn", k, *turn) for turn in turns))

    def order(self, after: int = 0) -> None:
        """Add for each lane that its turns go to later channels of an order, for variables numbered after one."""
        if not after:
            for k in range(self.lanes):
                for c, d, e in combinations(range(self.network.channels), 3):
                    circle = (self._before(k, c, d), self._before(k, d, e), self._before(k, e, c))
                    self.clauses += [circle, tuple(-x for x in circle)]
                at_most(len(self.clauses), MOST_CLAUSES, "clauses")
        for meaning, variable in list(self.number.items())[after:]:
            if meaning[0] == "turn":
                self.clauses.append((-variable, self._before(*meaning[1:])))

    def _before(self, k: int, c: int, e: int) -> int:
        """Literal of an order of a lane."""
        return self.variable("before", k, c, e) if c < e else -self.variable("before", k, e, c)


class SurvivingEncoder(Encoder):
    """Clauses that hold if lanes serve pairs by shortest paths, and after each of some failures by any path left.

    Pair (u, v + routers · f) goes from u to v after failure f, counted from 1; if f is 0, by a shortest path and
    before any. Each failure is a list of channels.
    """

    def __init__(self, network: Network, lanes: int, failures: list[Any]) -> None:
        super().__init__(network, lanes)
        self.failed = [set[int](), *({*integers(one, "failures", 0, network.channels)} for one in failures)]
        self.left = lru_cache(MOST_CLAUSES // (network.routers + 1))(self._left)

    def home(self, pair: Pair) -> int:
        """The router where the paths of a pair end."""
        routers: int = self.network.routers
        return pair[1] % routers

    def _left(self, end: int) -> dict[int, int]:
        """Hops from every router to a pair's end over the channels that its failure leaves."""
        failure, home = divmod(end, self.network.routers)
        pay(LOOK * self.network.size)
        return self.network.hops_to(
            home, {v: [c for c in cs if c not in self.failed[failure]] for v, cs in self.network.entering.items()}
        )

    def reach(self, pair: Pair) -> None:
        """Raise `Rejected` if the failure leaves no path of the pair."""
        if pair[0] not in self.left(pair[1]):
            raise Rejected(f"router {pair[0]} has no way to router {self.home(pair)}")

    def begin(self, pair: Pair) -> list[int]:
        """Channels with which the paths of a pair begin."""
        if pair[1] < self.network.routers:
            return super().begin(pair)
        failed, left = self.failed[pair[1] // self.network.routers], self.left(pair[1])
        pay(2 + len(self.network.leaving[pair[0]]))
        return [c for c in self.network.leaving[pair[0]] if c not in failed and self.network.target[c] in left]

    def paths(self, pair: Pair) -> list[list[int]] | None:
        """All shortest paths before a failure, if they are few; after it there are too many."""
        return super().paths(pair) if pair[1] < self.network.routers else None


class RouteEncoder(Encoder):
    """Clauses that hold if the routes of a relation are free of deadlock in some lanes.

    A pair is a source terminal and an address. Where both directions share a lane, all routes between two routers do.
    """

    def __init__(self, table: Table, lanes: int, changes: str = "none") -> None:
        super().__init__(table.network, lanes, changes)
        self.table = table
        self.copies = 1 if changes in KEPT else lanes
        self.onward: dict[Pair, dict[int, int]] = {}

    def ends(self, pair: Pair) -> Pair:
        """The routers of a pair, in order."""
        network = self.table.network
        s, t = network.inject[pair[0]], network.eject[self.table.destination[pair[1]]]
        return min(s, t), max(s, t)

    def can_avoid(self, pair: Pair, turn: tuple[int, int]) -> bool:
        """Whether the route of a pair does not take a turn from one channel to the next."""
        return turn not in pairwise(route(self.table, *pair))

    def reach(self, pair: Pair) -> None:
        """Follow the route of a pair."""
        channels = route(self.table, *pair)
        if not channels or len({*channels}) < len(channels):
            raise Rejected(f"the route from terminal {pair[0]} to address {pair[1]} has no channel, or one twice")
        self.onward[pair] = dict(pairwise([-1, *channels]))

    def begin(self, pair: Pair) -> list[int]:
        """The first channel of the route, in all lanes that packets may change to."""
        return self._copies(self.onward[pair][-1])

    def after(self, pair: Pair, c: int) -> list[int]:
        """The channel of the route that follows a channel, in all lanes that packets may change to."""
        following = self.onward[pair].get(c // self.copies)
        return [] if following is None else [e for e in self._copies(following) if c % self.levels <= e % self.levels]

    def _copies(self, channel: int) -> list[int]:
        return [*range(channel * self.copies, (channel + 1) * self.copies)]


class LoadEncoder(Encoder):
    """Clauses that hold if routes along shortest paths in some lanes load each channel less than a claim says.

    A pair is a router and a terminal: all that goes from one to the other takes one path in one lane. What follows a
    channel depends on the lane and the terminal; by tables what a router takes depends on the terminal alone. Further
    variables are:

    - ("next", where, terminal, e): packets to a terminal go on by channel e, from a router, or a channel in a lane.
    - ("load", c, i, n): of the first i pairs that need not take channel c, those that take it send at least n parts.
    """

    def __init__(self, network: Network, claim: Any) -> None:
        super().__init__(network, field(claim, "lanes", int), field(claim, "changes", str))
        if self.changes not in KEPT:
            raise Rejected("loads are of lanes that packets keep")
        self.table = field(claim, "table", bool)
        flows: dict[Pair, Fraction] = {}
        for s, t, amount in listed_flows(network, claim.get("flows")):
            if network.inject[s] != network.eject[t]:
                flows[network.inject[s], t] = flows.get((network.inject[s], t), Fraction(0)) + amount
        parts = lcm(*(amount.denominator for amount in flows.values()))
        self.amounts = {pair: int(amount * parts) for pair, amount in flows.items()}
        limit = fraction(claim.get("least"), "least", 0) * parts
        self.most = [ceil(limit * wide) - 1 for wide in capacities(network, claim.get("capacity"))]
        self.takers: list[dict[Pair, list[int]]] = [{} for _ in self.most]
        self.forced = [0 for _ in self.most]

    def home(self, pair: Pair) -> int:
        """The router of the terminal."""
        return self.network.eject[pair[1]]

    def serve(self, pair: Pair, first_lanes: int) -> None:
        """Add the clauses of a pair, and note by which variables it takes which channels."""
        super().serve(pair, first_lanes)
        paths = self.paths(pair)
        if paths is None:
            taken = [
                (c, self.variable("uses", pair, c)) for c in closure(self.begin(pair), lambda c: self.after(pair, c))
            ]
        else:
            taken = [(c, self.variable("path", pair, j)) for j, path in enumerate(paths) for c in path]
        for c, variable in taken:
            self.takers[c].setdefault(pair, []).append(variable)
            if self.table:
                self.clauses.append((-variable, self.variable("next", self.network.source[c], pair[1], c)))
        for c in {c for path in paths or () for c in path}:
            if paths is not None and len(self.takers[c][pair]) == len(paths):
                self.forced[c] += self.amounts[pair]
                del self.takers[c][pair]

    def _turn(self, step: tuple[Any, ...], pair: Pair, lanes: range, c: int, e: int) -> None:
        """Add for each lane that it has the turn, and that packets to the terminal go on so."""
        super()._turn(step, pair, lanes, c, e)
        if not self.table and len(self.after(pair, c)) > 1:
            for k in lanes:
                onward = self.variable("next", (k, c), pair[1], e)
                self.clauses.append((-self.variable(*step), -self.lane(pair, k), onward))

    def limit(self) -> None:
        """Add that packets to a terminal go on by one channel only, and that no channel has more than its most."""
        onward: dict[Any, list[int]] = {}
        for meaning, variable in self.number.items():
            if meaning[0] == "next":
                onward.setdefault(meaning[1:3], []).append(variable)
        pay(KEPT_STATE * sum(comb(len(variables), 2) for variables in onward.values()))
        self.clauses += [(-a, -b) for variables in onward.values() for a, b in combinations(variables, 2)]
        for c, takers in enumerate(self.takers):
            room = self.most[c] - self.forced[c]
            rest = sum(self.amounts[pair] for pair in takers)
            sums = {0: self.variable("load", c, 0, 0)}
            self.clauses.append((sums[0],))
            if room < 0:
                self.clauses.append((-sums[0],))
            for i, (pair, variables) in enumerate(takers.items(), start=1):
                rest -= self.amounts[pair]
                longer: dict[int, int] = {}
                for before, known in sums.items():
                    pay(2 * KEPT_STATE * (1 + len(variables)))
                    for taken in ((), *((-variable,) for variable in variables)):
                        total = before + self.amounts[pair] * len(taken)
                        if total > room:
                            self.clauses.append((-known, *taken))
                        elif total + rest > room:
                            longer[total] = self.variable("load", c, i, total)
                            self.clauses.append((-known, *taken, longer[total]))
                sums = longer
                at_most(len(self.clauses), MOST_CLAUSES, "clauses")


def copied(network: Network, lanes: int) -> Network:
    """The network of VCs: channel c becomes channels c · lanes, c · lanes + 1, …"""
    copies = {name: [v for v in getattr(network, name) for _ in range(lanes)] for name in ("source", "target")}
    same = {name: getattr(network, name) for name in ("name", "routers", "inject", "eject")}
    return Network({**same, **copies})


def lane_clauses(encoder: Encoder, pairs: Container[Pair], proof: Any) -> None:
    """Add the clauses of the pairs and cycles that a refutation names, and if it says so of an order of channels.

    Fewer pairs make weaker clauses, so whatever refutes them refutes all pairs. Lanes that packets keep are alike:
    the first of the pairs may be said to use the first lane, the second one of the first two, and so on.
    """
    named = [tuple(integers(pair, "pairs", 0, 2**31)) for pair in field(proof, "pairs", list)]
    if len({*named}) < len(named) or any(pair not in pairs for pair in named):
        raise Rejected("pairs: different pairs of routers that send are expected")
    for position, (s, t) in enumerate(named):
        encoder.serve((s, t), position + 1)
        at_most(len(encoder.clauses), MOST_CLAUSES, "clauses")
    encoder.limit()
    network = encoder.network
    for entries in field(proof, "cycles", list):
        cycle = integers(entries, "cycles", 0, network.channels)
        if not cycle or any(network.target[c] != network.source[e] for c, e in around(cycle)):
            raise Rejected(f"{cycle[:20]} is no cycle of channels, each beginning where the one before ends")
        encoder.forbid(cycle)
    if "order" in proof and field(proof, "order", bool):
        encoder.order()


def check_refutation(clauses: list[Clause], variables: int, steps: Any) -> None:
    """Check steps [literals, hints] as LRAT has them: clauses 1, 2, … are given, each step adds the next.

    A step follows if its opposite contradicts the clauses that its hints name, in their order: each has one literal
    left, which must then hold, and the last has none. The last step is the empty clause. Time is linear in the steps.
    """
    known: list[Clause] = list(clauses)
    for step, (added, named) in enumerate(lists(steps, "steps", 2), start=1):
        literals = integers(added, "literals", -variables, variables + 1)
        hints = integers(named, "hints", 1, len(known) + 1)
        if 0 in literals:
            raise Rejected(f"step {step}: 0 is no literal")
        if not contradicted(known, literals, hints):
            raise Rejected(f"step {step} does not follow from its hints")
        if not literals:
            return
        known.append(tuple(literals))
    raise Rejected("the steps do not come to a contradiction")


def contradicted(known: list[Clause], literals: list[int], hints: list[int]) -> bool:
    """Whether the hints, one after the other, contradict the opposite of some literals."""
    false = {*literals}
    for hint in hints:
        pay(1 + (len(known[hint - 1]) >> 1))
        left = {x for x in known[hint - 1] if x not in false}
        if not left:
            return True
        if len(left) > 1:
            return False
        false.add(-left.pop())
    return False


# --------------------------------------------------------------------- fewer removed candidates or added VCs, refuted


def check_removals(table: Table, claim: Any, proof: Any) -> str:
    """Check that a relation is not safe and delivering, however fewer than `least` of its candidates are removed.

    Safe: free of deadlock under a technique. Delivering: ejection can be reached from every state that is left, and a
    blocked header waits for something. Minimal: on shortest paths only. Then VCs have an order in which every header
    waits for one that is lower than its own, or where headers keep their choice all candidates are lower: VCs without
    such an order hold packets, each in one VC, that wait for each other. Each fact is a clause about the candidates
    that are removed, and the turns that do not fall in the order. In each leaf of a tree of choices, facts are added
    up by whole multipliers.
    """
    switching, minimal, least = technique(claim), field(claim, "minimal", bool), field(claim, "least", int)
    facts = [removal_clause(table, switching, minimal, fact) for fact in field(proof, "facts", list)]
    if removals_shown(facts, field(proof, "tree", list)) < least:
        raise Rejected(f"the facts do not add up to {least} removed candidates in every leaf")
    paths = " on shortest paths" if minimal else ""
    return f"not safe under {switching} and delivering{paths} with fewer than {least} candidates removed"


def removals_shown(facts: list[tuple[set[Entry], set[Entry]]], tree: list[Any]) -> int:
    """The removed candidates that facts show to be needed: the fewest of all leaves of a tree.

    The tree is a list, each node before its branches. A candidate divides a node: first it is removed, then kept; or
    a turn does: first it does not fall, then it falls.
    """
    branches: list[dict[Entry, bool]] = [{}]
    shown, steps = [], Steps()
    for node in tree:
        if not branches:
            raise Rejected("the tree goes on after its last leaf")
        fixed = branches.pop()
        steps.take(1 + KEEPING * len(fixed))
        if isinstance(node, dict) and "entry" in node:
            entry = (*integers(node["entry"], "entry", 0, 2**62),)
            if len(entry) not in (TURN, CANDIDATE):
                raise Rejected("an entry is a candidate, of three numbers, or a turn, of two")
            branches += [{**fixed, entry: False}, {**fixed, entry: True}]
        else:
            shown.append(leaf_shown(facts, fixed, field(node, "multipliers", list), steps))
    if branches:
        raise Rejected("the tree ends before its last leaf")
    return min(shown)


def leaf_shown(
    facts: list[tuple[set[Entry], set[Entry]]], fixed: dict[Entry, bool], multipliers: list[Any], steps: Steps
) -> int:
    """The removed candidates that facts show, added up in parts of `PARTS`, where some of them are fixed.

    With x = 1 for a removed candidate, or a turn that does not fall, a fact is: the x of some, minus those of others,
    are at least 1 minus the number of the others. Candidates cost `PARTS`, turns 0. So for any x from 0 to 1:
    Σ cost · x ≥ Σ multiplier · (1 − others) + Σ (cost − slope) · x, and where x is not fixed the last sum is least if
    x is 1 where its factor is negative, else 0.
    """
    total = 0
    slope = Counter[Entry](dict.fromkeys(fixed, 0))
    for pair in lists(multipliers, "multipliers", 2):
        fact, multiplier = integers(pair, "multipliers", 0, 2**62)
        if fact >= len(facts):
            raise Rejected(f"there is no fact {fact}")
        removed, kept = facts[fact]
        steps.take(1 + len(removed) + len(kept))
        total += multiplier * (1 - len(kept))
        slope.update(dict.fromkeys(removed, multiplier))
        slope.subtract(dict.fromkeys(kept, multiplier))
    for entry, part in slope.items():
        cost = PARTS if len(entry) == CANDIDATE else 0
        total += cost - part if fixed.get(entry, part > cost) else 0
    return max(0, -(-total // PARTS))


def removal_clause(table: Table, switching: Technique, minimal: bool, fact: Any) -> tuple[set[Entry], set[Entry]]:
    """The clause of a fact: one of the first entries is removed, or one of the second is kept; of turns, falls."""
    kind = word(fact, "kind", ("knot", "cycle", "stop", "rise", "detour"))
    if kind == "knot":
        return knot_clause(table, switching, field(fact, "messages", list))
    if kind == "cycle":
        vcs = numbers(fact, "around", 0, table.vcs)
        if not vcs:
            raise Rejected("a cycle has VCs")
        return {*around(vcs)}, set()
    address = field(fact, "address", int)
    way = numbers(fact, "way", 0, len(table.router))
    removed = taken(table, address, way)
    if kind == "stop":
        waits = table.waits[address][way[-1]]
        pay(KEPT_STATE * len(waits))
        falling = {*numbers(fact, "falling", 0, table.vcs)}
        if EJECT in waits:
            raise Rejected(f"ejection cannot be removed at {table.name(way[-1])}")
        return removed, {(way[-1], v) if v in falling else (way[-1], address, v) for v in waits}
    if len(way) < 2:
        raise Rejected(f"{kind!r} is of a way that has no step")
    if kind == "rise" and table.chosen(switching):
        return removed, {(way[-2], way[-1])}
    hops = table.network.hops_to(table.network.eject[table.destination[address]])
    here, there = table.router[way[-2]], table.router[way[-1]]
    if kind != "detour" or not minimal or here not in hops or hops.get(there) == hops[here] - 1:
        raise Rejected(f"the step to {table.name(way[-1])} need not fall, and is no detour from shortest paths")
    return removed, set()


def knot_clause(table: Table, switching: Technique, messages: list[Any]) -> tuple[set[Entry], set[Entry]]:
    """Packets come there and stay, unless a candidate on a way is removed, or one that nobody holds is kept."""
    packets = [Packet(table, switching, message) for message in messages]
    held = {v for packet in packets for v in packet.held}
    removed: set[Entry] = set()
    kept: set[Entry] = set()
    chosen: list[int] = []
    for packet in packets:
        removed |= packet.taken
        pay(KEPT_STATE * len(table.may[packet.address][packet.at]))
        waits, state = table.waits[packet.address][packet.at], (packet.at, packet.address)
        if table.chosen(switching):
            wants = numbers(packet.message, "wanted", 0, table.vcs, 1)
            if wants[0] not in table.may[packet.address][packet.at]:
                raise Rejected("a header that keeps its choice waits for one of its candidates")
            chosen += wants
            removed.add((*state, wants[0]))
        elif EJECT in waits:
            raise Rejected("a header may leave the network")
        else:
            kept |= {(*state, v) for v in waits if v not in held}
    require_blocked(switching, packets, chosen)
    require_order([(packet.lead, packet.held) for packet in packets])
    return removed, kept


def check_escapes(table: Table, claim: Any, proof: Any) -> str:
    """Check that a relation can deadlock whichever VCs, fewer than `least`, are added for blocked headers to turn to.

    It keeps its candidates, so a knot stands still unless a header in it may turn to an added VC: of a channel that
    leaves its router and, where that is asked for, leads nearer to the destination. Knots have weights, in parts of
    `PARTS`. Those that one added VC can mend weigh 1 at most, so there are no fewer added VCs than knots weigh.
    """
    switching, minimal, least = technique(claim), field(claim, "minimal", bool), field(claim, "least", int)
    if table.chosen(switching):
        raise Rejected("a header that keeps its choice turns to no other VC")
    total, mended, target = 0, Counter[int](), table.network.target
    for knot in field(proof, "knots", list):
        messages, weight = field(knot, "messages", list), number(knot, "weight", 0)
        _, kept = knot_clause(table, switching, messages)
        if kept:
            raise Rejected("a header waits for a VC that nobody holds")
        channels = set[int]()
        for packet in (Packet(table, switching, message) for message in messages):
            hops = table.network.hops_to(table.network.eject[table.destination[packet.address]])
            here = table.router[packet.at]
            away = hops.get(here, 0)
            pay(KEPT_STATE * len(table.network.leaving[here]))
            channels |= {c for c in table.network.leaving[here] if not minimal or hops.get(target[c], away) < away}
        total += weight
        mended.update(dict.fromkeys(channels, weight))
    if max(mended.values(), default=0) > PARTS or total <= PARTS * (least - 1):
        raise Rejected(f"the knots do not weigh more than {least - 1} added VCs can mend")
    nearer = " that lead nearer" if minimal else ""
    return f"can deadlock under {switching} with fewer than {least} added VCs{nearer} to turn to"


# ---------------------------------------------------------------------------- rules for meshes of every size, refuted

Signs = tuple[int, ...]
Hop = tuple[int, Signs, int]
"""The type of the VC that a header is in, or −1 at its injection port; the signs of what remains; the next type."""


class Family:
    """The VCs of the meshes of all sizes in some dimensions, or of hypercubes, and where a rule for them may lead.

    VCs are of types: the one with an index on channels that lead up, or down, a dimension. A rule says which hops
    there are, by the type that a header is in and the signs of what remains; each leads towards the destination.
    """

    def __init__(self, claim: Any) -> None:
        counts = [integers(pair, "counts", 1, 65) for pair in lists(claim.get("counts"), "counts", 2)]
        self.types = [(i, sign, k) for i, pair in enumerate(counts) for sign, n in zip((1, -1), pair, strict=True)
                      for k in range(n)]  # fmt: skip
        self.sides, self.short = len(counts), field(claim, "short", bool)
        if not counts:
            raise Rejected("counts: a dimension at least is expected")
        at_most(self.sides, MOST_LANES, "dimensions")
        at_most(len(self.types) ** 2 * 3**self.sides, MOST_CLAUSES, "hops of a rule")
        pay(KEPT_STATE * 3**self.sides)
        self.name = f"{'hypercubes' if self.short else 'meshes of all sizes'}, VCs {counts}"
        self.starts = [(-1, signs) for signs in product((1, 0, -1), repeat=self.sides) if any(signs)]

    def outs(self, held: int, signs: Signs) -> list[int]:
        """Types that lead towards the destination."""
        pay(1 + (len(self.types) >> 1))
        return [out for out, (i, sign, _) in enumerate(self.types) if signs[i] == sign]

    def comes(self, hop: Hop) -> list[tuple[int, Signs]]:
        """States after a hop in which something remains: as much, or nothing in its dimension."""
        i = self.types[hop[2]][0]
        done = (*hop[1][:i], 0, *hop[1][i + 1 :])
        return [(hop[2], signs) for signs in ((done,) if self.short else (hop[1], done)) if any(signs)]

    def entries(self, rows: Any, what: str) -> dict[tuple[int, Signs], list[int]]:
        """Read rows [type or −1 for injection, a sign for each dimension, type, …]; −t − 2 is t, never waited for."""
        read: dict[tuple[int, Signs], list[int]] = {}
        for row in rows if isinstance(rows, list) else [rows]:
            held, *rest = integers(row, what, -len(self.types) - 1, len(self.types)) or [-2]
            at, chosen = (held, tuple(rest[: self.sides])), rest[self.sides :]
            if held < -1 or len(at[1]) < self.sides or at in read:
                raise Rejected(f"{what}: {row} is of no state, or there twice"[:200])
            if not {max(out, -out - 2) for out in chosen} <= {*self.outs(*at)}:
                raise Rejected(f"{what}: {row} has a type that leads elsewhere"[:200])
            read[at] = chosen
        return read


class Rules(Family):
    """Clauses that hold if a rule serves all packets on meshes of every size, adaptively, and without deadlock.

    Of a rule only hops that packets take are counted, so wherever a hop leads, packets come. A class of packets is
    written as a sign in each dimension: they need no other direction, and what a packet need not move counts as up.
    Variables are numbered from 1 as they are met:

    - ("hop", hop), ("of", class, hop): some packet takes the hop; some packet of the class does.
    - ("all", class): packets of the class may take all directions that lead on, or all paths.
    - ("on", path, k, type): a path that has to be possible takes the type with its k-th hop.
    - ("after", a, b): some packet goes from a VC of type a to one of type b.
    """

    def __init__(self, claim: Any) -> None:
        super().__init__(claim)
        self.adaptive = word(claim, "adaptive", ("states", "paths"))
        least = number(claim, "least", 0, 2**self.sides + 1)
        self.number: dict[tuple[Any, ...], int] = {}
        self.clauses: list[Clause] = []
        self.paths: dict[tuple[Pair, ...], int] = {}
        self.full = least == 2**self.sides
        count = 2**self.sides - least + 1  # classes of which one is to be adaptive
        pay((KEPT_STATE + count) * comb(2**self.sides, count) * (least < 2**self.sides))
        self.hops = [(*at, out) for at in closure(self.starts, self._after) for out in self.outs(*at)]
        for image in field(claim, "symmetric", list):
            self._symmetry(image)
            pay(len(image) * len(self.hops))
            self.clauses += [(-self("hop", hop), self("hop", self.moved(image, hop))) for hop in self.hops]
        for at in self.starts:
            self._leave(at, (), None)
        for hop in self.hops:
            for at in self.comes(hop):
                self._leave(at, (-self("hop", hop),), None)
        if not self.full:
            classes = [*product((1, -1), repeat=self.sides)]
            for kind in classes if self.adaptive == "states" else ():
                self._class(kind, [at for at in self.starts if class_of(at[1]) == kind])
            self.clauses += combinations([self("all", kind) for kind in classes], count)

    def __call__(self, *meaning: Any) -> int:
        """Number of a variable."""
        pay(5 if meaning in self.number else 20)
        return self.number.setdefault(meaning, len(self.number) + 1)

    def _after(self, at: tuple[int, Signs]) -> list[tuple[int, Signs]]:
        return [then for out in self.outs(*at) for then in self.comes((*at, out))]

    def _leave(self, at: tuple[int, Signs], unless: Clause, kind: Signs | None) -> None:
        """Add that packets go on from a state; if they are adaptive there, in all dimensions that remain."""
        onward: dict[int, list[int]] = {}
        for out in self.outs(*at):
            every = self.adaptive == "states" and (self.full or kind is not None)
            onward.setdefault(self.types[out][0] if every else 0, []).append(self("hop", (*at, out)))
        self.clauses += [(*unless, *way) for way in onward.values()]

    def _class(self, kind: Signs, starts: list[tuple[int, Signs]]) -> None:
        """Add which hops packets of a class take, and that they are adaptive if the class is to be."""
        for at in starts:
            self._leave(at, (-self("all", kind),), kind)
            self.clauses += [(-self("hop", (*at, out)), self("of", kind, (*at, out))) for out in self.outs(*at)]
        for at in closure(starts, self._after):
            for hop in [(*at, out) for out in self.outs(*at)]:
                taken = -self("of", kind, hop)
                for then in self.comes(hop):
                    self._leave(then, (-self("all", kind), taken), kind)
                    for onward in [(*then, out) for out in self.outs(*then)]:
                        self.clauses.append((taken, -self("hop", onward), self("of", kind, onward)))

    def path(self, entries: Any) -> None:
        """Add that a shortest path, hops [dimension, sign], is possible."""
        hops = lists(entries, "paths", 2)
        path = [(i, sign) for i, sign in (integers(hop, "paths", -1, max(2, self.sides)) for hop in hops)]
        at_most(len(path), MOST_PATHS, "hops of a path")
        if self.adaptive != "paths" or not path or (self.short and len({*path}) < len(path)):
            raise Rejected(f"{path[:20]} is no path that has to be possible")
        if any(not 0 <= i < self.sides or sign not in (1, -1) or (i, -sign) in path for i, sign in path):
            raise Rejected(f"{path[:20]} is no shortest path of a mesh")
        ahead = [path[k:] for k in range(len(path))]
        left = [tuple(((i, 1) in onward) - ((i, -1) in onward) for i in range(self.sides)) for onward in ahead]
        unless = () if self.full else (-self("all", class_of(left[0])),)
        before = [-1]
        key = self.paths.setdefault(tuple(path), len(self.paths))
        for k, hop in enumerate(path):
            at_most(len(self.clauses), MOST_CLAUSES, "clauses")
            here = [out for out, kind in enumerate(self.types) if kind[:2] == hop]
            self.clauses.append((*unless, *(self("on", key, k, out) for out in here)))
            for held, out in product(before, here):
                earlier = () if k == 0 else (-self("on", key, k - 1, held),)
                self.clauses.append((*earlier, -self("on", key, k, out), self("hop", (held, left[k], out))))
            before = here

    def cycle(self, entries: Any) -> Clause:
        """The clause that types do not follow one another back to the router where they began."""
        types = integers(entries, "cycles", 0, len(self.types))
        pay(len(types) * self.sides)
        moved = [sum(self.types[t][1] for t in types if self.types[t][0] == i) for i in range(self.sides)]
        if not types or any(moved) or self.short:
            raise Rejected(f"types {types[:20]} do not lead back to where they began")
        return tuple(sorted({-self("after", a, b) for a, b in around(types)}))

    def deadlock(self, switching: Technique, messages: list[Any]) -> set[tuple[bool, Hop]]:
        """The literals of packets that block each other, unless a hop of theirs is missing, or one leads past them.

        Each has its `source` and `target`, as coordinates, its `way` of types, and holds the last `holds` of these.
        A header that queues behind tails has committed to a type that it `wants`.
        """
        literals: set[tuple[bool, Hop]] = set()
        ways: list[tuple[list[Any], list[tuple[Signs, int]]]] = []
        heads: list[tuple[Signs, int, Signs]] = []
        for message in messages:
            ends = [numbers(message, end, 0, 2 if self.short else 2**31, self.sides)
                    for end in ("source", "target")]  # fmt: skip
            way = numbers(message, "way", 0, len(self.types))
            holds = field(message, "holds", int)
            if not 1 <= holds <= (1 if switching.alone else len(way)) or holds > len(way):
                raise Rejected(f"a packet that comes over {len(way)} VCs holds {holds} under {switching}")
            at, target = ends
            before, places = -1, []
            for out in way:
                pay(2 * KEPT_STATE * (2 + self.sides))
                hop = before, _towards(at, target), out
                if out not in self.outs(*hop[:2]):
                    raise Rejected(f"type {out} does not lead from {at} to {target}")
                literals.add((False, hop))
                places.append((tuple(at), out))
                i, sign, _ = self.types[out]
                at = [x + sign * (i == j) for j, x in enumerate(at)]
                before = out
            ways.append((places[:-holds], places[-holds:]))
            heads.append((tuple(at), before, _towards(at, target)))
        held = [place for _, places in ways for place in places]
        if not held or len({*held}) < len(held) or any(not any(signs) for *_, signs in heads):
            raise Rejected("packets of a deadlock hold VCs of their own, and none has arrived")
        require_order(ways)
        if switching.queues:
            wants = [(*head, field(message, "wants", int)) for head, message in zip(heads, messages, strict=True)]
            if {(at, out) for at, *_, out in wants} != {places[0] for _, places in ways}:
                raise Rejected("each header queues for a VC that ends with a tail, no two for the same")
            return literals | {(False, (kind, signs, out)) for _, kind, signs, out in wants}
        taken = {*held}
        for here, kind, signs in heads:
            literals |= {(True, (kind, signs, out)) for out in self.outs(kind, signs) if (here, out) not in taken}
        return literals

    def _symmetry(self, image: Any) -> None:
        """Check a map of types that exchanges dimensions and directions as wholes."""
        integers(image, "symmetry", 0, len(self.types), len(self.types))
        turned = {(self.types[t][0], self.types[t][1] * s, self.types[u][0], self.types[u][1] * s)
                  for t, u in enumerate(image) for s in (1, -1)}  # fmt: skip
        if len({*image}) < len(image) or len(turned) != 2 * self.sides:
            raise Rejected(f"{image[:40]} is no symmetry")

    def moved(self, image: list[int], hop: Hop) -> Hop:
        """A hop under a symmetry."""
        pay(len(image))
        signs = [0] * self.sides
        for t, u in enumerate(image):
            signs[self.types[u][0]] = hop[1][self.types[t][0]] * self.types[t][1] * self.types[u][1]
        return -1 if hop[0] < 0 else image[hop[0]], tuple(signs), image[hop[2]]


def class_of(signs: Signs) -> Signs:
    """The class of packets with this to go."""
    return tuple(sign or 1 for sign in signs)


def _towards(here: Sequence[int], there: Sequence[int]) -> Signs:
    """The signs of what remains."""
    return tuple((b > a) - (b < a) for a, b in zip(here, there, strict=True))


def rule_clauses(claim: Any, proof: Any) -> Rules:
    """The clauses of a claim and of the deadlocks, cycles and paths that a proof names, each under its symmetries."""
    rules, switching = Rules(claim), technique(claim)
    for path in field(proof, "paths", list):
        rules.path(path)
    symmetries, cycles = field(proof, "symmetries", list), field(proof, "cycles", list)
    for image in symmetries:
        rules._symmetry(image)
    deadlocks = field(proof, "deadlocks", list)
    if cycles and not switching.queues:
        raise Rejected(f"cycles do not block packets under {switching}")
    for hop in rules.hops if cycles else ():
        if hop[0] >= 0:
            rules.clauses.append((-rules("hop", hop), rules("after", hop[0], hop[2])))
    added: dict[Clause, None] = {}
    work = Steps()  # each symmetry writes all literals again
    for cycle in cycles:
        rules.cycle(cycle)
        work.take(len(cycle) * len(symmetries))
        added |= dict.fromkeys(rules.cycle([image[t] for t in cycle]) for image in symmetries)
    for messages in deadlocks:
        literals = sorted(rules.deadlock(switching, messages))
        work.take(len(literals) * len(symmetries))
        for image in symmetries:
            moved = (rules("hop", rules.moved(image, hop)) * (1 if offered else -1) for offered, hop in literals)
            added[tuple(sorted(moved))] = None
    rules.clauses += added
    return rules


def check_rules(claim: Any, proof: Any) -> str:
    """Check that no rule for meshes of every size does what a claim says, by clauses that contradict each other."""
    rules = rule_clauses(claim, proof)
    check_refutation(rules.clauses, len(rules.number), field(proof, "steps", list))
    return (
        f"{rules.name}: no {'symmetric ' * bool(claim['symmetric'])}rule is free of deadlock under "
        f"{claim['switching']} and adaptive in {rules.adaptive} of at least {claim['least']} classes"
    )


# ------------------------------------------------------------------- rules for meshes of every size, free of deadlock


class Ranks:
    """Ranks of VCs on meshes of every size: levels, each with linear functions of the coordinates, a type each.

    The first level on which two VCs differ decides; where their functions are no parallels, nothing is decided.
    """

    def __init__(self, family: Family, levels: list[Any]) -> None:
        self.family, kinds = family, len(family.types)
        self.levels = [
            ([integers(row, "gradient", -(2**60), 2**60, family.sides) for row in field(level, "gradient", list)],
             numbers(level, "offset", -(2**60), 2**60, kinds))
            for level in levels
        ]  # fmt: skip
        if any(len(gradient) != kinds for gradient, _ in self.levels):
            raise Rejected(f"a level has a function for each of {kinds} types")

    def rises(self, a: Sequence[int], b: Sequence[int], *, strict: bool) -> bool:
        """Whether a VC may rank higher than another, or if `strict` as high.

        The types that packets take one after the other, from the same router, lead to each of the two.
        """
        pay(self.family.sides * (4 + len(self.levels)))
        ends = [[sum(self.family.types[t][1] for t in way if self.family.types[t][0] == i)
                 for i in range(self.family.sides)] for way in (a, b)]  # fmt: skip
        for gradient, offset in self.levels:
            if gradient[a[-1]] != gradient[b[-1]]:
                return True
            far = sum(g * (x - y) for g, x, y in zip(gradient[a[-1]], *ends, strict=True))
            difference = far + offset[a[-1]] - offset[b[-1]]
            if difference:
                return bool(difference > 0)
        return strict


def check_rule(claim: Any, proof: Any) -> str:
    """Check that a rule for meshes of every size cannot deadlock, and brings packets home on shortest paths.

    `order`: every hop leads to a lower rank. `escape`: in each state a blocked header waits for one VC, its escape,
    that ranks lower than the one it is in. `drain`: besides, after every hop this VC, or the next escape, ranks no
    higher than the escape did; so a worm waits for a VC that ranks lower than all that it holds. Of a deadlock, the
    lowest VC would be held by a packet that waits for a lower one.
    """
    family, switching = Family(claim), technique(claim)
    kind = require_kind(switching, proof)
    if kind not in ("order", "escape", "drain"):
        raise Rejected(f"a proof of kind {kind!r} shows nothing about rules")
    ranks = Ranks(family, field(proof, "levels", list))
    rule, escapes = family.entries(claim.get("rule"), "rule"), family.entries(proof.get("escapes"), "escapes")

    if any(len(chosen) != 1 or chosen[0] < 0 for chosen in escapes.values()):
        raise Rejected("an escape is one type, for which packets wait")

    def after(at: tuple[int, Signs]) -> list[tuple[int, Signs]]:
        if max(rule.get(at, []), default=-1) < 0:
            raise Rejected(f"packets may come to {at}, where they wait for nothing")
        return [then for out in rule[at] for then in family.comes((*at, max(out, -out - 2)))]

    for at in closure(family.starts, after):
        if at[0] < 0:
            continue
        held, offered = at[0], [max(out, -out - 2) for out in rule[at]]
        if kind == "order":
            if any(ranks.rises((held, out), (held,), strict=True) for out in offered):
                raise Rejected(f"order: a hop at {at} leads to no lower rank")
            continue
        escape = escapes.get(at)
        if escape is None or escape[0] not in rule[at] or ranks.rises((held, *escape), (held,), strict=True):
            raise Rejected(f"escape: packets at {at} do not wait for an escape that ranks lower")
        for out in offered if kind == "drain" else ():
            if ranks.rises((held, out), (held, *escape), strict=False):
                for then in family.comes((*at, out)):
                    if ranks.rises((held, out, *escapes.get(then, [held])), (held, *escape), strict=False):
                        raise Rejected(f"drain: the escape rises after the hop {out} at {at}")
    return f"{family.name}: this rule of {len(rule)} states is free of deadlock under {switching}"


# ------------------------------------------------------------------------------------------- routers that are updated


class Mixed:
    """Two routings of one network: what each answers wherever packets can come while routers follow either.

    A router follows the old routing until it is updated, at one moment. A header waits for candidates of the routing
    that its router follows at present; packets that are in the network may have gone by the other one.
    """

    def __init__(self, network: Network, claim: Any) -> None:
        self.network, self.relation = network, field(claim, "relation", dict)
        self.commits = field(self.relation, "commits", bool)
        self.router = [network.target[c] for c in network.vcs(self.relation)] + network.inject
        self.answers: list[dict[int, tuple[list[int], list[int]]]] = []
        for listed in field(self.relation, "states", list):
            answers: dict[int, tuple[list[int], list[int]]] = {}
            for at, *entries in lists(listed, "states: a place, old and new entries", 3):
                integers([at], "state", 0, len(self.router))
                if at in answers:
                    raise Rejected(f"states: place {at} is there twice")
                old, new = (integers(row, "state", -MOST_VCS, MOST_VCS) for row in entries)
                answers[at] = old, new
            self.answers.append(answers)
        self.changed = {
            self.router[at] for answers in self.answers for at, (old, new) in answers.items() if old != new
        }
        self.either = self.table(set(), {*range(network.routers)}, set(), set())

    def table(self, updated: set[int], updating: set[int], passed: set[int], drained: set[int]) -> Table:
        """What packets may do when some routers have been updated.

        Parameters
        ----------
        updated, updating : set of int
            Routers that follow the new routing, and those that follow either, so that a header may wait for any
            single candidate. All others follow the old one.
        passed : set of int
            Updated routers that packets in the network may have passed before.
        drained : set of int
            Addresses to which nothing is sent before all routers are updated, nor on its way by the old routing.
        """
        states: list[list[list[int]]] = []
        for address, answers in enumerate(self.answers):
            states.append([])
            for at, (old, new) in answers.items():
                pay(KEPT_STATE + LOOK * (len(old) + len(new)))
                router, entries = self.router[at], old
                if address in drained:
                    entries = new
                elif router in updating:
                    entries = joined(old, new)
                elif router in updated:
                    gone = [min(v, -v - 2) for v in old if v != EJECT] if new else old
                    entries = joined(new, gone) if router in passed else new
                states[-1].append([at, *entries])
        return Table(self.network, {**self.relation, "commits": self.commits or bool(updating), "states": states})


def joined(entries: list[int], others: list[int]) -> list[int]:
    """Entries, and those of others that are of other VCs."""
    known = {max(v, -v - 2) for v in entries}
    return entries + [v for v in others if max(v, -v - 2) not in known]


def check_update(network: Network, claim: Any, proof: Any) -> str:
    """Check that no packets block each other while routers are updated, in any order or in batches; or that some do.

    `moments` show it for any order if one of them leaves open which routing each router follows, or if there is one
    for each set of updated routers. They show it for batches if each begins where the one before has ended, and is of
    one router, or leaves open which routing its routers follow.
    """
    mixed, switching, how = Mixed(network, claim), technique(claim), field(claim, "how", str)
    if how == "deadlock":
        check_update_deadlock(mixed, switching, proof)
        packets, fewest = len(proof["messages"]), ""
        if "smallest" in proof and field(proof, "smallest", bool):
            fewest = f", none of fewer than {packets} packets"
            if (fewest_packets(mixed.either, switching) or packets) < packets:
                raise Rejected(f"fewer than {packets} packets may wait for each other")
        return f"deadlock under {switching} while routers are updated{fewest}"
    drained = {*integers(claim.get("drained", []), "drained", 0, len(mixed.answers))}
    done, batches, began, open_to_all, sets = set[int](), 0, False, False, set[frozenset[int]]()
    for moment in field(proof, "moments", list):
        updated, updating, passed = (
            mixed.changed.intersection(numbers(moment, name, 0, network.routers))
            for name in ("updated", "updating", "passed")
        )
        check_free(mixed.table(updated, updating, passed, drained), switching, field(moment, "proof", dict))
        open_to_all |= updating == mixed.changed
        if passed == updated and not updating:
            sets.add(frozenset(updated))
        if how == "batches":
            if updated - passed != done or (updating and passed) or len(passed) > 1 or drained:
                raise Rejected("a batch begins where the one before has ended, and is of one router, or of any order")
            if passed and not began:
                raise Rejected("the first moment is before any router is updated, or leaves all of its batch open")
            batches += bool(updating or passed)
            began, done = True, done | updating | passed
    stopped = f", if no packet to {len(drained)} addresses is sent or on its way" if drained else ""
    if how == "any order" and (open_to_all or len(sets) == 2 ** len(mixed.changed)):
        return f"free of deadlock under {switching} in whatever order routers are updated{stopped}"
    if how == "batches" and done == mixed.changed:
        return (
            f"free of deadlock under {switching} while routers are updated in {batches} batches, if the packets of "
            "before have left the network when a batch begins"
        )
    raise Rejected(f"the moments do not show {how!r}")


def check_update_deadlock(mixed: Mixed, switching: Technique, proof: Any) -> None:
    """Check that packets go one after the other to where they block each other, past routers that are updated."""
    table, updated = mixed.either, {*numbers(proof, "updated", 0, mixed.network.routers)}
    packets = [Packet(table, switching, message) for message in field(proof, "messages", list)]
    check_reachability("scheduled", packets)
    last_old: dict[int, int] = {}
    first_new: dict[int, int] = {}
    hops = [
        (packet.address, *hop) for packet in packets for hop in pairwise([table.vcs + packet.source, *packet.way])
    ]
    for moment, (address, at, v) in enumerate(hops):
        old, new = (found(v, entries) or found(-v - 2, entries) for entries in mixed.answers[address][at])
        if not new:
            last_old[mixed.router[at]] = moment
        elif not old:
            first_new.setdefault(mixed.router[at], moment)
    if any(router not in updated or moment < last_old.get(router, 0) for router, moment in first_new.items()):
        raise Rejected("a packet takes a way that its router has not got yet, or no longer has")
    targets: list[int] = []
    for i, packet in enumerate(packets, start=1):
        entries = mixed.answers[packet.address][packet.at][mixed.router[packet.at] in updated]
        pay(LOOK * len(entries))
        targets += packet.waited_for(i, choices(entries, mixed.commits, switching))
    require_blocked(switching, packets, targets)


# ---------------------------------------------------------------------------------------------- routes after failures


class Failures:
    """Routes that path vectors announce after some parts of a network failed, and up to `more` others.

    A router of some AS takes no path in which its own is more often than `limit` says. Paths are as many hops as
    there are ASes in them, and all of the shortest are used. `unless` has sets of parts that do not all fail.
    """

    def __init__(self, network: Network, claim: Any) -> None:
        self.network, self.kind = network, word(claim, "kind", ("links", "cables", "routers", "any"))
        self.system = numbers(claim, "systems", 0, 2**32, network.routers)
        self.limit = field(claim, "limit", int)
        self.more = None if claim.get("more", 0) is None else number(claim, "more", 0)
        ends, cables = [*zip(network.source, network.target, strict=True)], [0] * network.channels
        if self.kind == "cables":
            cables = numbers(claim, "cables", 0, 2**31, network.channels)
        self.links = [(min(pair), max(pair), cable) for pair, cable in zip(ends, cables, strict=True)]
        gone, dead = network.parts(field(claim, "failed", dict))
        self.kept = self._parts(field(claim, "kept", dict))
        self.unless = [self._parts(one) for one in field(claim, "unless", list)]
        links, routers = self.kind != "routers", self.kind in ("routers", "any")
        self.of_channel: list[Any] = [link if links and link not in self.kept else None for link in self.links]
        self.of_router: list[Any] = [r if routers and r not in self.kept else None for r in range(network.routers)]
        self.after: dict[int, list[int]] = {
            r: [c for c in network.leaving.get(r, ()) if c not in gone and network.target[c] not in dead
                and self.system[ends[c][0]] != self.system[ends[c][1]]]
            for r in range(network.routers) if r not in dead
        }  # fmt: skip
        self.before = backwards({c: [network.target[c]] for onward in self.after.values() for c in onward})
        self.hosts = sorted({*network.inject, *network.eject} - dead)
        self.shared = len({*self.system}) < network.routers

    def _parts(self, named: Any) -> set[Any]:
        """A link by its ends, a cable by its number too, both directions being one part; a router by its number."""
        channels, routers = self.network.parts(named)
        return {*(self.links[c] for c in channels), *routers}

    def shortest(self, home: int) -> dict[int, list[int]]:
        """Channels of shortest paths from hosts, by router; nobody must be able to refuse one.

        If all routers of an AS on them are as far, none is behind another.
        """
        hops = self.network.hops_to(home, self.before)
        onward: dict[int, list[int]] = {start: [] for start in self.hosts if start in hops}
        for router in sorted(hops, key=lambda r: -hops[r]):
            pay(1 + (len(self.after[router]) if router in onward else 0))
            for c in self.after[router] if router in onward else ():
                to = self.network.target[c]
                if hops.get(to) == hops[router] - 1:
                    onward[router].append(c)
                    onward.setdefault(to, [])
        far: dict[int, int] = {}
        if self.shared and any(far.setdefault(self.system[r], hops[r]) != hops[r] for r in onward):
            raise Rejected(f"paths to router {home} may be refused, and longer ones taken")
        return onward

    def path(self, start: int, home: int, onward: dict[int, list[int]], failed: Set[Any]) -> list[int] | None:
        """A shortest path on which nothing failed, as channels; None if there is none."""
        came, choices, way = {start: -1}, [iter(onward[start])], list[int]()
        while choices and home not in came:
            pay(2)
            c = next(choices[-1], None)
            if c is None:
                choices.pop()
                continue
            to = self.network.target[c]
            free = to not in came and self.of_channel[c] not in failed
            if free and (to == home or self.of_router[to] not in failed):
                came[to] = c
                choices.append(iter(onward[to]))
        if home not in came:
            return None
        while home != start:
            pay(KEPT_STATE)
            way.append(came[home])
            home = self.network.source[way[-1]]
        return way[::-1]

    def inner(self, way: list[int]) -> set[Any]:
        """The parts of a path that can fail, without its ends."""
        routers = (self.of_router[self.network.target[c]] for c in way[:-1])
        return {*(self.of_channel[c] for c in way), *routers} - {None}

    def require_near(self, start: int, home: int, onward: dict[int, list[int]]) -> None:
        """Check that a shortest path is left: of more of them than failures, without common parts, one is."""
        more, used, apart = self.more or 0, set[Any](), 0
        while apart <= more and (way := self.path(start, home, onward, used)) is not None:
            parts = self.inner(way)
            used |= parts
            apart = apart + 1 if parts else more + 1
        if apart > more:
            return

        def worse(failed: frozenset[Any]) -> Iterator[frozenset[Any]]:
            """Failures of one part more that may break all paths; one of each path must fail."""
            pay(LOOK * (len(failed) + len(self.unless)))
            if any(parts <= failed for parts in self.unless):
                return
            way = self.path(start, home, onward, failed)
            if way is None:
                raise Rejected(f"{len(failed)} failures break all shortest paths from router {start} to {home}")
            pay((KEPT_STATE + len(failed)) * len(way))
            yield from (failed | {part} for part in self.inner(way) if len(failed) < more)

        closure([frozenset[Any]()], worse)

    def require_order(self, home: int, rank: list[int]) -> None:
        """Check that channels climb on all routes to a router."""
        onward = self.shortest(home)
        for start in self.hosts:
            if start not in onward:
                raise Rejected(f"no path leads from router {start} to {home}")
            self.require_near(start, home, onward)
        lowest = {router: min(channels, key=rank.__getitem__) for router, channels in onward.items() if channels}
        for c in (c for channels in onward.values() for c in channels):
            e = lowest.get(self.network.target[c])
            if e is not None and rank[e] <= rank[c]:
                raise Rejected(f"after some failures: channel {c} may be followed by channel {e}, no higher")

    def following(self, c: int) -> Iterator[int]:
        """Channels by which a path may go on from one: not back, and not to an AS that it has been in."""
        here, systems = self.network.target[c], self.system
        been = () if self.limit else (systems[self.network.source[c]], systems[here])
        pay(1 + len(self.after[here]))
        for e in self.after[here]:
            there = self.network.target[e]
            if there != self.network.source[c] and systems[there] not in been:
                yield e

    def require_waiting(self, c: int, e: int, path: Any) -> None:
        """Check that a shortest path takes one channel after another, and that none of its parts fails."""
        way, network = integers(path, "path", 0, self.network.channels), self.network
        if (c, e) not in pairwise(way):
            raise Rejected(f"a path does not take channel {c} and then {e}")
        start, home = network.source[way[0]], network.target[way[-1]]
        onward = self.shortest(home)
        routers = [start, *(network.target[channel] for channel in way)]
        if home not in self.hosts or start not in self.hosts:
            raise Rejected(f"the path from router {start} to {home} is not one between hosts")
        if not all(channel in onward.get(router, ()) for router, channel in zip(routers, way, strict=False)):
            raise Rejected(f"the path from router {start} to {home} is no shortest one")
        parts = {*map(self.of_channel.__getitem__, way), *map(self.of_router.__getitem__, routers)} - {None}
        if self.more and not all(found({part}, self.unless) for part in parts):
            raise Rejected(f"the path from router {start} to {home} may fail")


def check_failures(network: Network, claim: Any, proof: Any) -> str:
    """Check that buffers wait in no circle, or in one, on routes after any of some failures."""
    failures, free = Failures(network, claim), field(claim, "deadlock_free", bool)
    kept = f" of all but {len(failures.kept)}" if failures.kept else ""
    unless = f", but for {len(failures.unless)} sets and those that contain one," if failures.unless else ""
    lost = [f"{network.source[c]}→{network.target[c]}" for c in claim["failed"]["channels"]]
    lost += map(str, claim["failed"]["routers"])
    conditions = [f"after failures of {', '.join(lost)}"] * bool(lost)
    if failures.more or not lost:
        conditions.append(f"when up to {failures.more}{kept} {failures.kind} more fail{unless}")
    when = ", ".join(conditions)
    if not free:
        circle = numbers(proof, "circle", 0, network.channels)
        if failures.more is None or not circle:
            raise Rejected("a circle of no channels, or one after whatever fails")
        paths = field(proof, "paths", list)
        if len(paths) != len(circle):
            raise Rejected(f"{len(paths)} paths for a circle of {len(circle)} channels")
        for (c, e), path in zip(around(circle), paths, strict=True):
            failures.require_waiting(c, e, path)
        return f"{when} buffers wait in a circle"
    rank = numbers(proof, "rank", 0, 2**31, network.channels)
    if failures.more is None:
        left = (c for onward in failures.after.values() for c in onward)
        require_climbing("after some failures", rank, ((c, failures.following(c)) for c in left))
        return "whatever fails, no routes let buffers wait in a circle"
    for home in failures.hosts:
        failures.require_order(home, rank)
    return f"{when} no routes let buffers wait in a circle"


# ------------------------------------------------------------------------------------------- end points of a protocol


def check_protocol(table: Table, claim: Any, proof: Any) -> str:
    """Check that messages of a protocol can never wait for each other for ever, or a run after which they do."""
    switching, free = technique(claim), field(claim, "deadlock_free", bool)
    try:
        ends = Ends(table, field(claim, "protocol", dict))
        name = printable(field(claim["protocol"], "name", str))
        kind, shown = field(proof, "kind", str) if free else "", ""
        if not free:
            run = "worms" if "worms" in proof else "run"
            play = Play(ends, field(proof, run, list), switching, run == "worms")
            shown = f": a run after which {play.require_stuck()} messages can never move"
            if "smallest" in proof and field(proof, "smallest", bool):
                if play.begun > 1:
                    Circles(ends, switching).require_none(play.begun - 1)
                shown += f"; none of fewer than {play.begun} transactions"
        elif kind == "states":
            shown = f": from each of {emptied(ends, switching)} states all messages can leave"
        elif kind == "cycles":
            Circles(ends, switching).require_none()
            shown = ": too few transactions for a circle of messages"
        else:
            stages = 1 if switching.alone else 2
            check_free(extended(ends, stages, field(proof, "ample", list)), switching, proof)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError) as error:
        raise Rejected(f"this is no protocol, or no proof: {error!r}") from None
    return f"with {name} {'free of deadlock' if free else 'deadlock'} under {switching}{shown}"


Place = int | tuple[str, int, str, int]
"""Where a message stands: a VC; or side, terminal, name and stage of a queue: 2, or of worms that come into it 1."""


class Ends:
    """Message classes of a protocol, the queues of every terminal, and the places in which messages stand.

    A place is a VC, which has room for one message unless the protocol says for how many, or a queue, ("send" or
    "receive", terminal, name, 2). Of worms, which may hold several places, each place has room for one, and a queue
    is two places in a row, stages 1 and 2.
    """

    def __init__(self, table: Table, document: Any) -> None:
        self.table = table
        self.classes = field(document, "classes", dict)
        parts = field(document, "networks", list)
        if not self.classes or table.addresses % max(1, len(parts)):
            raise Rejected("a protocol has message classes, and the relation addresses for each of its networks")
        self.block = table.addresses // max(1, len(parts))
        at_most(max(map(len, (*self.classes, *map(str, parts)))), MOST_NAME, "characters of a name")
        self.begins = field(document, "begins", list)
        self.room = number({"room": 1, **document}, "room", 1)
        self.limit = None if document.get("outstanding") is None else number(document, "outstanding", 1)
        self.depths = {side: field(document, side, dict) for side in ("send", "receive")}
        self.first: dict[str, int] = {}
        for name, one in self.classes.items():
            for key in ("together", "carries", "at_once", "reserved"):
                field(one, key, str if key in ("together", "carries") else bool)
            for follow in field(one, "follows", list):
                word(follow, "class", self.classes)
                word(follow, "to", ("sender", "origin", "any"))
                number(follow, "count", 1, MOST_FOLLOWERS + 1)
            for side, queues in self.depths.items():
                number(field(queues, field(one, side, str), dict), "depth", 1)
            field(self.depths["receive"][one["receive"]], "ordered", bool)
            network = word(one, "network", parts or [one.get("network")])
            self.first[name] = parts.index(network) * self.block if parts else 0
        for group in self.begins:
            if not isinstance(group, list) or not group or not all(name in self.classes for name in group):
                raise Rejected("a transaction begins with a list of message classes")
        self.starting = {name for group in self.begins for name in group}
        self.partners = {one["together"]: name for name, one in reversed(self.classes.items()) if one["together"]}
        self.by_source: dict[tuple[int, int], list[int]] = {}
        for first in {*self.first.values()}:
            for a in range(first, first + self.block):
                for source in table.sources[a]:
                    if source != table.destination[a]:
                        self.by_source.setdefault((first, source), []).append(a)

    def depth(self, place: Place) -> int:
        """Messages that a place holds, if they are no worms."""
        return self.room if isinstance(place, int) else int(self.depths[place[0]][place[2]]["depth"])

    def ordered(self, place: Place) -> bool:
        """Whether the first message of a place alone may leave it."""
        return isinstance(place, int) or self.depths[place[0]][place[2]].get("ordered", True) is not False

    def sends(self, name: str, source: int) -> list[int]:
        """The addresses by which a terminal sends messages of a class to other ones."""
        return self.by_source.get((self.first[name], source), [])

    def partner(self, name: str) -> str:
        """The class with which alone a message is consumed, whichever of the two says so; empty: none."""
        together: str = self.classes[name]["together"]
        return together or self.partners.get(name, "")

    def receivers(self, to: str, source: int, origin: int) -> set[int]:
        """Terminals to which what follows goes: the sender, the origin of the transaction, or any but the origin."""
        one = {"sender": {source}, "origin": {origin}}
        pay(2 if to in one else 2 + self.table.network.terminals)
        return one.get(to) or {*range(self.table.network.terminals)} - {origin}

    def slots(self, message: Sent) -> list[tuple[str, list[int]]]:
        """Class of each message that follows one, and to which addresses it may go."""
        terminal, listed = self.table.destination[message.address], []
        for follow in self.classes[message.kind]["follows"]:
            to = self.receivers(follow["to"], message.source, message.origin)
            pay(follow["count"] + len(self.sends(follow["class"], terminal)))
            addresses = [a for a in self.sends(follow["class"], terminal) if self.table.destination[a] in to]
            listed += [(follow["class"], addresses)] * (follow["count"] if addresses else 0)
        return listed

    def most(self) -> dict[tuple[str, str], float]:
        """Most messages in each queue of a terminal, by its side and name, as outstanding transactions allow."""
        many = dict.fromkeys(self.classes, 0.0)
        parents: dict[str, list[tuple[str, str, int]]] = {name: [] for name in self.classes}
        for name, one in self.classes.items():
            for follow in one["follows"]:
                parents[follow["class"]].append((name, follow["to"], follow["count"]))
            if one["carries"]:
                parents[one["carries"]].append((name, "any", 1))
        pay(len(many) * sum(map(len, self.begins)) >> 3)
        begun = {name: max((group.count(name) for group in self.begins), default=0) for name in many}
        before: dict[str, float] = {}
        for _ in range(len(many) + 1):
            if many == before:
                break
            pay(LOOK * sum(1 + len(ways) for ways in parents.values()))
            before = many
            many = {name: begun[name] + sum(before[up] * n for up, _, n in parents[name]) for name in many}
        if many != before:
            many = dict.fromkeys(many, float("inf"))
        everyone, held = self.table.network.terminals, dict[tuple[str, str], float]()
        for name, one in self.classes.items():
            answers = name not in self.starting and all(
                to == "origin" or (to == "sender" and not parents[up]) for up, to, _ in parents[name]
            )
            for side, alone in (("send", not parents[name]), ("receive", answers)):
                most = many[name] * (self.limit or float("inf")) * (1 if alone else everyone)
                held[side, one[side]] = held.get((side, one[side]), 0) + (most if many[name] else 0)
        return held

    def travels(self) -> set[tuple[str, int, int, int]]:
        """Class, source and home of every message that can be sent, and who began its transaction.

        Of many terminals, all messages that have addresses, begun by anybody.
        """
        everyone = range(self.table.network.terminals)
        pay(4 * KEPT_STATE * len(self.classes) * (len(everyone) + sum(map(len, self.by_source.values()))))
        each = [(name, source, a) for name in self.classes for source in everyone for a in self.sends(name, source)]
        pairs = {(name, source, self.table.destination[a]) for name, source, a in each}
        if len(everyone) > MOST_FOLLOWED:
            return {(*pair, 0) for pair in pairs}

        def after(one: tuple[str, int, int, int]) -> Iterable[tuple[str, int, int, int]]:
            name, source, home, origin = one
            if self.classes[name]["carries"]:
                yield self.classes[name]["carries"], source, home, origin
            for follow in self.classes[name]["follows"]:
                for t in self.receivers(follow["to"], source, origin):
                    if (follow["class"], home, t) in pairs:
                        yield follow["class"], home, t, origin

        return set(closure([(*pair, pair[1]) for pair in pairs if pair[0] in self.starting], after))

    def waits(self, name: str, ample: set[str], stages: int) -> list[str]:
        """Send queues without room in which a message of a class may stay in its receive queue for ever."""
        one, other = self.classes[name], self.partner(name)
        pay(len(self.classes))
        rules = [one] if not other or one["together"] else [self.classes[other]]
        if one["together"]:
            room = self.depths["receive"][one["receive"]]
            if not (
                one["carries"] == other
                and one["receive"] != self.classes[other]["receive"]
                and (room["depth"] == stages == 1 or room.get("ordered", True) is False)
            ):
                raise Rejected(f"ranks show nothing of {name}, which waits for a {other} on a way of its own")
            rules += [rule for rule in self.classes.values() if rule["receive"] == self.classes[other]["receive"]]
        queues = [self.classes[follow["class"]]["send"] for rule in rules for follow in rule["follows"]]
        return [queue for queue in dict.fromkeys(queues) if f"send {queue}" not in ample]


def extended(ends: Ends, stages: int, ample: list[Any]) -> Table:
    """The relation in which the queues of terminals are VCs: `stages` in a row each, and one that is never kept.

    A message that waits for one of several full queues stands for as many addresses. VCs of the network come first,
    then the send queues of all terminals, stage by stage, then the receive queues and, of each terminal, room that
    is reserved or `ample`.
    """
    table, network = ends.table, ends.table.network
    most = ends.most()
    for name in ample:
        side, _, queue = str(name).partition(" ")
        if most.get((side, queue), float("inf")) > field(field(ends.depths.get(side, {}), queue, dict), "depth", int):
            raise Rejected(f"the {side} queue {queue!r} may be filled")
    queues = {side: list(dict.fromkeys(one[side] for one in ends.classes.values())) for side in ("send", "receive")}
    sends, receives, terminals = len(queues["send"]), len(queues["receive"]) + 1, network.terminals
    node = [network.routers + t for t in range(terminals)]
    between = [[network.routers + k * terminals + t for t in range(terminals)] for k in range(1, 2 * stages - 1)]
    out = [node, *between[: stages - 1], network.inject]
    back = [network.eject, *between[stages - 1 :], node]
    if (terminals**2) * len(ends.classes) > MOST_VCS * 4:
        raise Unchecked(f"{len(ends.classes)} classes of {terminals} terminals are more than are checked here")
    first_receive = table.vcs + stages * terminals * sends
    total = first_receive + stages * terminals * receives
    counts = Counter(table.channel)
    rows: list[list[list[int]]] = []
    destination: list[int] = []
    sources: list[list[int]] = []
    travels = {one[:3] for one in ends.travels()}

    def lead(states: dict[int, list[int]], first: int, width: int, t: int, which: int, onward: list[int]) -> int:
        """Lead through the stages of a queue of a terminal, and then on; return where that begins."""
        queue = [first + (k * terminals + t) * width + which for k in range(stages)]
        states.update({here: [then] for here, then in pairwise(queue)})
        states[queue[-1]] = onward
        return queue[0]

    for name, one in ends.classes.items():
        send, receive = queues["send"].index(one["send"]), queues["receive"].index(one["receive"])
        safe = one["reserved"] or f"receive {one['receive']}" in ample
        waits: list[int | None] = [queues["send"].index(w) for w in ends.waits(name, {str(n) for n in ample}, stages)]
        for wait in waits or [None]:
            for address in range(ends.first[name], ends.first[name] + ends.block):
                home = table.destination[address]
                rooms = first_receive + home * receives
                enter = [rooms + receives - 1, -rooms - receive - 2] if safe else [rooms + receive]
                states: dict[int, list[int]] = {}
                for at, may in table.may[address].items():
                    waited = {*table.waits[address][at]}
                    pay(KEPT_STATE * (2 + len(may)))
                    onward = [w for v in may for w in (enter if v == EJECT else [v if v in waited else -v - 2])]
                    t = at - table.vcs
                    if t < 0:
                        states[at] = onward
                    else:
                        states[total + t] = [lead(states, table.vcs, sends, t, send, onward if t != home else [])]
                last = EJECT  # or the queue that it waits for, where this address ends
                if wait is not None:
                    last = lead(states, table.vcs, sends, home, wait, [])
                for kept in (receive, receives - 1) if safe else (receive,):
                    lead(states, first_receive, receives, home, kept, [last if kept == receive else EJECT])
                pay(KEPT_STATE * len(states) + LOOK * len(table.sources[address]))
                rows.append([[at, *onward] for at, onward in states.items()])
                destination.append(home)
                sources.append([t for t in table.sources[address] if (name, t, home) in travels])
    document = {
        "name": network.name,
        "routers": network.routers + terminals * (2 * stages - 1),
        "source": network.source + [v for part in (*out[:-1], *back[:-1]) for v in part],
        "target": network.target + [v for part in (*out[1:], *back[1:]) for v in part],
        "inject": node,
        "eject": node,
    }
    width = [counts[c] for c in range(network.channels)]
    width += [sends] * (stages * terminals) + [receives] * (stages * terminals)
    about = {"vcs": width, "commits": table.commits, "destination": destination, "sources": sources, "states": rows}
    return Table(Network(document), about)


class Sent:
    """A message under way: class, sender, address, who began its transaction, and its number there.

    Then follow-ups already sent, the places that it holds behind its header, tail first, and whether its tail has
    left its terminal: until then it holds all places that it came through, and from then on as many as it does then.
    Under wormhole-nonatomic, the place that its header has chosen while that was full.
    """

    def __init__(
        self, kind: str, source: int, address: int, origin: int, transaction: int, done: int = 0,
        behind: tuple[Place, ...] = (), whole: bool = True, chosen: Place | None = None,
    ) -> None:  # fmt: skip
        self.kind, self.source, self.address = kind, source, address
        self.origin, self.transaction, self.done = origin, transaction, done
        self.behind, self.whole, self.chosen = behind, whole, chosen


State = tuple[tuple[Place, tuple[tuple[Any, ...], ...]], ...]
"""Places with the messages whose headers are there, each as a message under way is made."""


class Play:
    """The system after a run from the empty one, each move of which is checked; `held` has messages by header."""

    def __init__(self, ends: Ends, moves: list[Any], switching: Technique, worms: bool) -> None:
        self.ends, self.table, self.switching, self.worms = ends, ends.table, switching, worms
        if worms and switching.alone:
            raise Rejected("worms are those of wormhole")
        self.held: dict[Place, list[Sent]] = {}
        # Where headers have not chosen on arrival, they choose at moves of their own.
        self.chooses = worms and not ends.table.commits and not switching.may_change
        self.begun = 0
        for number, move in enumerate(moves):
            try:
                self.act(move)
            except (KeyError, TypeError, IndexError, ValueError, AttributeError):
                raise Rejected(f"move {number} is none: {str(move)[:100]}") from None
            except Rejected as error:
                raise Rejected(f"move {number}: {error}") from None

    def act(self, move: Any) -> None:
        parts = [part for part in move if type(part) is not list]
        parts += [part for sends in move if type(sends) is list for pair in sends for part in pair]
        if any(type(part) not in (int, str) for part in parts) or move[0] not in ACTS:
            raise TypeError
        getattr(self, move[0])(*move[1:])

    def place(self, terminal: int, side: str, name: str, *, front: bool = False) -> Place:
        """Where messages of a class come into a queue, or what is in front of that."""
        return side, terminal, self.ends.classes[name][side], 2 if front or not self.worms else 1

    def depth(self, place: Place) -> int:
        """Messages that a place holds."""
        return 1 if self.worms else self.ends.depth(place)

    def room(self, place: Place) -> int:
        behind = sum(found(place, message.behind) for message in self.under_way()) if self.worms else 0
        return self.depth(place) - len(self.held.get(place, ())) - behind

    def fit(self, places: list[Place]) -> bool:
        """Whether messages can enter these places, one each."""
        return all(self.room(place) >= count for place, count in Counter(places).items())

    def entries(self, terminal: int, names: list[str]) -> list[Place]:
        """Places that messages take which enter send queues at once; of worms the first of a queue is in front."""
        pay(KEPT_STATE * len(names))
        queues = [self.ends.classes[name]["send"] for name in names]
        last = {queue: i for i, queue in enumerate(queues)}
        fronts = [i < last[queue] for i, queue in enumerate(queues)]
        return [self.place(terminal, "send", name, front=front) for name, front in zip(names, fronts, strict=True)]

    def enter(self, terminal: int, sends: list[Any], origin: int, transaction: int) -> None:
        places = self.entries(terminal, [name for name, _ in sends])
        if not self.fit(places):
            raise Rejected(f"terminal {terminal} has no room in a send queue")
        for place, (name, address) in zip(places, sends, strict=True):
            pay(KEPT_STATE)
            if not found(address, self.ends.sends(name, terminal)):
                raise Rejected(f"terminal {terminal} sends no {name} with address {address}")
            message = Sent(name, terminal, address, origin, transaction, whole=not self.worms)
            self.held.setdefault(place, []).append(message)

    def under_way(self) -> list[Sent]:
        messages = [message for messages in self.held.values() for message in messages]
        pay(1 + len(self.held) + len(messages))
        return messages

    def begin(self, terminal: int, sends: list[Any]) -> None:
        homes = {self.table.destination[a] for _, a in sends}
        if not found([name for name, _ in sends], self.ends.begins) or len(homes) != 1:
            raise Rejected("no transaction begins so")
        live = {m.transaction for m in self.under_way() if m.origin == terminal}
        if self.ends.limit is not None and len(live) >= self.ends.limit:
            raise Rejected(f"terminal {terminal} has {len(live)} transactions outstanding")
        self.begun += 1
        self.enter(terminal, sends, terminal, self.begun)

    def move(self, side: str | int, terminal: int, queue: str, *rest: int) -> None:
        stage, to, tail = rest if self.worms else (1, *rest, FOLLOWS)
        place = self.named(side, terminal, queue, stage)
        message, ahead = self.held[place][0], self.ahead(place)
        if to not in ahead:
            raise Rejected("no header may go there")
        target, held = ahead[to], (*message.behind, place)
        pay(KEPT_STATE + len(held))
        in_two = (target is None or self.received(target)) and self.in_two(place, message)
        if not self.worms:
            tail = SPLITS if in_two else FOLLOWS
        alone = side == "receive" or (tail == FOLLOWS and not message.behind)
        if in_two != (tail == SPLITS) and (alone or not in_two):
            raise Rejected("this packet does not part so")
        if target is not None and (self.room(target) < 1 or (tail == STAYS and message.whole)):
            raise Rejected("there is no room, or the tail has left its terminal")
        if message.chosen not in (None, target) or (message.chosen is None and self.is_chosen(target)):
            raise Rejected("this header, or another one, has chosen otherwise")
        del self.held[place][0]
        if in_two and tail == SPLITS:
            self.part(place, message)
        parted: tuple[Place, ...] = (place,) if side == "receive" else ()
        message.behind = {FOLLOWS: held[1:], STAYS: held, SPLITS: parted}[tail]
        message.whole, message.chosen = tail != STAYS, None
        if target is not None:
            self.held.setdefault(target, []).append(message)

    def choose(self, side: str | int, terminal: int, queue: str, stage: int, to: int) -> None:
        """Let a header wait for a full candidate alone: one that the tail of the worm there has come into.

        A header with one candidate, or for which there is room, gains nothing by choosing before it moves.
        """
        place = self.named(side, terminal, queue, stage)
        message, ahead = self.held[place][0], self.ahead(place)
        tails = [(*m.behind, at)[0] for at, messages in self.held.items() for m in messages if m.whole]
        if not self.chooses:
            raise Rejected("headers choose where they go under wormhole-nonatomic")
        if to not in ahead or message.chosen is not None or ahead[to] not in tails or self.is_chosen(ahead[to]):
            raise Rejected("this is not to be chosen")
        message.chosen = ahead[to]

    def is_chosen(self, place: Place | None) -> bool:
        """Whether a header that is not there yet has chosen a place."""
        return place is not None and any(message.chosen == place for message in self.under_way())

    def in_two(self, place: Place, message: Sent) -> bool:
        """Whether the packet of a message, whose header is in a place, holds another one behind it."""
        inside = self.received(place)
        end = message.behind[-1] if message.behind and inside else place
        return bool(self.ends.classes[message.kind]["carries"]) and not self.received(end)

    def received(self, place: Place) -> bool:
        return not isinstance(place, int) and place[0] == "receive"

    def part(self, place: Place, message: Sent) -> None:
        """Leave the second message of a packet where it stands once the first is received to its end."""
        held = message.behind if self.received(place) else (*message.behind, place)
        rest = Sent(
            self.ends.classes[message.kind]["carries"], message.source, message.address, message.origin,
            message.transaction, 0, held[:-1], message.whole,
        )  # fmt: skip
        self.held.setdefault(held[-1], []).insert(0, rest)

    def named(self, side: str | int, terminal: int, queue: str, stage: int) -> Place:
        """The place that a move names; stages are those of worms."""
        if side == "vc" and (queue != "" or stage != 1):
            raise Rejected("a VC has no queues")
        return terminal if side == "vc" else (str(side), terminal, queue, stage if self.worms else 2)

    def ahead(self, place: Place) -> dict[int, Place | None]:
        """Places to which the first header of a place may go, by candidate; None: room was reserved."""
        message = self.held[place][0]
        if not isinstance(place, int) and place[3] == 1:
            return {EJECT: (*place[:3], 2)}
        if not isinstance(place, int) and place[0] == "receive":
            return {}
        at = place if isinstance(place, int) else self.table.vcs + place[1]
        home, reserved = self.table.destination[message.address], self.ends.classes[message.kind]["reserved"]
        end = None if reserved else self.place(home, "receive", message.kind)
        pay(KEPT_STATE * (1 + len(self.table.may[message.address][at])))
        return {to: end if to == EJECT else to for to in self.table.may[message.address][at]}

    def other(self, message: Sent) -> tuple[Place, int] | None:
        """Where the message stands with which alone one is consumed."""
        name = self.ends.partner(message.kind)
        pay(LOOK * sum(1 + len(messages) for messages in self.held.values()))
        for place, messages in self.held.items():
            for position, m in enumerate(messages):
                same = (m.origin, m.transaction, m.source) == (message.origin, message.transaction, message.source)
                if m.kind == name and same:
                    return place, position
        return None

    def first(self, place: Place, position: int) -> bool:
        """Whether a message can be consumed where it stands: first in a receive queue, or anywhere without order."""
        if isinstance(place, int) or place[0] != "receive":
            return False
        return not self.ends.ordered(place) or (place[3] == 2 and position == 0)

    def consume(self, terminal: int, queue: str, where: int, sends: list[Any]) -> None:
        """Consume the message at a position, of worms that with its header at a stage."""
        place, position = self.named("receive", terminal, queue, where), 0 if self.worms else where
        message = self.held[place][position]
        partner, other = self.ends.partner(message.kind), self.other(message)
        taken_along = partner and not self.ends.classes[message.kind]["together"]
        if not self.first(place, position) or position < 0 or taken_along:
            raise Rejected("this message is not to be consumed")
        if partner and not (other and self.first(*other)):
            raise Rejected("what it is consumed with is not at hand")
        due = self.due(message)
        if [name for name, _ in sends] != [name for name, _ in due]:
            raise Rejected("something else follows")
        if any(a not in legal for (_, a), (_, legal) in zip(sends, due, strict=True)):
            raise Rejected("what follows goes elsewhere")
        self.enter(terminal, sends, message.origin, message.transaction)
        message.done += len(due)
        if message.done >= len(self.ends.slots(message)):
            gone = [(place, message)] + ([(other[0], self.held[other[0]][other[1]])] if other else [])
            for there, one in gone:
                self.held[there] = [m for m in self.held[there] if m is not one]
            if self.in_two(place, message):
                self.part(place, message)

    def due(self, message: Sent) -> list[tuple[str, list[int]]]:
        """What is sent next when a message is consumed, or sends one more of what follows it."""
        slots = self.ends.slots(message)
        return slots if self.ends.classes[message.kind]["at_once"] else slots[message.done : message.done + 1]

    def require_stuck(self) -> int:
        """Return how many messages can never move; `Rejected` if some may, of which others are not kept.

        Every message is in the set that is shown: each waits for room in places that are full of the set.
        """
        if not self.under_way():
            raise Rejected("after the run there is no message left")
        for place, messages in self.held.items():
            for message in messages[: 1 if self.ends.ordered(place) else None]:
                self.require_waits(place, message)
        return len(self.under_way())

    def choices(self, place: Place, message: Sent, ahead: dict[int, Place | None]) -> list[list[int]]:
        """Sets of candidates each of which a header may be waiting for."""
        if isinstance(place, int) or place[3] != 1:
            at = place if isinstance(place, int) else self.table.vcs + place[1]
            return self.table.choices(at, message.address, self.switching) if ahead else []
        return [[EJECT]]

    def require_waits(self, place: Place, message: Sent) -> None:
        ahead = self.ahead(place)
        if ahead:
            choices = self.choices(place, message, ahead)
            if self.chooses:
                choices = [[to for to, target in ahead.items() if message.chosen in (None, target)]]
            full = {to for to, target in ahead.items() if target is not None and self.room(target) < 1}
            if not any(full.issuperset(choice) for choice in choices):
                raise Rejected(f"a {message.kind} can move on from {place}")
        if isinstance(place, int) or not self.first(place, 0):
            return
        taken = message
        if self.ends.partner(message.kind):
            other = self.other(message)
            if other is None or not self.first(*other):
                return
            if not self.ends.classes[message.kind]["together"]:
                taken = self.held[other[0]][other[1]]
        if self.fit(self.entries(place[1], [name for name, _ in self.due(taken)])):
            raise Rejected(f"a {message.kind} can be consumed at {place}")

    def state(self, counted: bool) -> State:
        """What is held; transactions are numbered anew, and alike where nothing depends on them."""
        numbers: dict[tuple[int, int], int] = {}
        rows = []
        pay(2 * KEPT_STATE * sum(1 + len(messages) for messages in self.held.values()))
        for place in sorted((p for p, messages in self.held.items() if messages), key=repr):
            row = []
            for m in self.held[place]:
                number = numbers.setdefault((m.origin, m.transaction), len(numbers)) if counted else 0
                row.append((m.kind, m.source, m.address, m.origin, number, m.done, m.behind, m.whole, m.chosen))
            rows.append((place, tuple(row)))
        return tuple(rows)

    def restore(self, state: State) -> None:
        """Hold what a state does."""
        self.held = {}
        for place, row in state:
            pay(KEPT_STATE * (1 + len(row)))
            self.held[place] = [Sent(*parts) for parts in row]
        self.begun = sum(map(len, self.held.values()))

    def moves(self) -> Iterator[list[Any]]:
        """Iterate over moves and consumptions, impossible ones among them."""
        for place, messages in self.held.items():
            *where, stage = ["vc", place, "", 1] if isinstance(place, int) else place
            for to in self.ahead(place):
                if self.worms:
                    if self.switching.queues and len(self.ahead(place)) > 1:
                        yield ["choose", *where, stage, to]
                    yield from (["move", *where, stage, to, tail] for tail in (FOLLOWS, STAYS, SPLITS))
                else:
                    yield ["move", *where, to]
            for position, message in enumerate(messages):
                if self.first(place, position):
                    due = [[[name, a] for a in addresses] for name, addresses in self.due(message)]
                    for sends in every_choice(due):
                        yield ["consume", *where[1:], stage if self.worms else position, list(sends)]


def every_choice(slots: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """Iterate over all ways to take one of each slot, as many as the product of their lengths."""
    pay(sum(map(len, slots)))
    pay((KEPT_STATE + len(slots)) * prod(map(len, slots)))
    return product(*slots)


def emptied(ends: Ends, switching: Technique) -> int:
    """Return how many states can be reached; `Rejected` if there is one from which not all messages can leave.

    Where the empty state can be reached from every state, no message can be in a place for ever.
    """
    if ends.table.commits:
        raise Rejected("states show nothing of headers that commit to a candidate")
    counted = ends.limit is not None or any(map(ends.partner, ends.classes))
    everyone, homes = range(ends.table.network.terminals), ends.table.destination
    pay(LOOK * len(everyone) ** 2 * len(ends.begins))
    begins = [
        ["begin", t, list(sends)]
        for t, home, group in product(everyone, everyone, ends.begins)
        for sends in every_choice([[[name, a] for a in ends.sends(name, t) if homes[a] == home] for name in group])
    ]
    before: dict[State, list[State]] = {(): []}
    play = Play(ends, [], switching, not switching.alone)

    def after(here: State) -> Iterable[State]:
        play.restore(here)
        for move in [*begins, *play.moves()]:
            pay(50)
            play.restore(here)
            try:
                play.act(move)
            except Rejected:
                continue
            there = play.state(counted)
            pay(50)
            before.setdefault(there, []).append(here)
            yield there

    empty: list[State] = [()]
    states = closure(empty, after, MOST_STATES)
    if len(closure(empty, lambda here: before[here])) < len(states):
        raise Rejected("there is a state from which not all messages can leave")
    return len(states)


class Circles:
    """Places in a circle, each with a message that waits for the next one, and who may have begun their transactions.

    In a deadlock the first message of a full place waits for another full place, and so on round.
    """

    def __init__(self, ends: Ends, switching: Technique) -> None:
        if any(one["together"] or one["carries"] for one in ends.classes.values()):
            raise Rejected("circles of places show nothing of messages taken together, or that come in one packet")
        if ends.limit is not None and ends.table.network.terminals > MOST_FOLLOWED:
            raise Unchecked(f"it is not followed what more than {MOST_FOLLOWED} terminals send, with a limit")
        self.ends, self.steps = ends, 0
        self.play = Play(ends, [], switching, not switching.alone)
        self.edges: dict[Place, dict[Place, set[int]]] = {}
        self.inside: dict[Place, set[int]] = {}
        at_once = self.at_once()
        self.most = max(sum(at_once[name] for name in group) for group in ends.begins)
        for name, source, home, origin in ends.travels():
            for a in ends.sends(name, source):
                if ends.table.destination[a] == home:
                    self.follow(Sent(name, source, a, origin, 0))
        self.number = {place: i for i, place in enumerate(self.edges)}
        at_once_sent = [one["follows"] for one in ends.classes.values() if one["at_once"]]
        self.several = max([1, *(sum(int(follow["count"]) for follow in follows) for follows in at_once_sent)])

    def at_once(self) -> dict[str, float]:
        """Most messages at once that one of each class leads to; infinitely many where classes follow in a circle."""
        most = dict.fromkeys(self.ends.classes, float("inf"))
        follows = {name: [follow["class"] for follow in one["follows"]] for name, one in self.ends.classes.items()}
        before: dict[str, list[str]] = {}
        for name, onward in follows.items():
            for other in onward:
                before.setdefault(other, []).append(name)
        waiting = {name: len(onward) for name, onward in follows.items()}
        settled = [name for name, count in waiting.items() if not count]
        for name in settled:
            rule = self.ends.classes[name]
            sent = sum(int(follow["count"]) * most[follow["class"]] for follow in rule["follows"])
            most[name] = max(1.0, sent + (not rule["at_once"]))
            for earlier in before.get(name, ()):
                waiting[earlier] -= 1
                if not waiting[earlier]:
                    settled.append(earlier)
        return most

    def follow(self, message: Sent) -> None:
        onward: dict[Place, list[Place]] = {}
        waits: dict[Place, list[Place]] = {}

        def after(place: Place) -> list[Place]:
            self.play.held = {place: [message]}
            ahead, waits[place] = self.play.ahead(place), []
            for choice in self.play.choices(place, message, ahead):
                targets = [ahead[to] for to in choice]
                waits[place] += [] if None in targets else [target for target in targets if target is not None]
            if not isinstance(place, int) and self.play.first(place, 0):
                follow = [name for name, _ in self.ends.slots(message)]
                at_once = self.ends.classes[message.kind]["at_once"]
                waits[place] += self.play.entries(place[1], follow if at_once else list(dict.fromkeys(follow)))
            onward[place] = [to for to in ahead.values() if to is not None]
            return onward[place]

        for held in closure([self.play.place(message.source, "send", message.kind)], after):
            self.inside.setdefault(held, set()).add(message.origin)
            for place in closure([held], onward.__getitem__) if self.play.worms else [held]:
                pay(2 * KEPT_STATE * (1 + len(waits[place])))
                for to in waits[place]:
                    self.edges.setdefault(held, {}).setdefault(to, set()).add(message.origin)

    def need(self, place: Place) -> int:
        """Messages that a place holds at least while one waits for it."""
        sends = not isinstance(place, int) and place[0] == "send"
        return max(1, self.play.depth(place) - (self.several - 1) * sends)

    def closes(self, start: Place, fewer: float) -> bool:
        """Whether some places, the first of which is given, are a circle of fewer messages than a number."""
        rows: list[tuple[tuple[Place, ...], list[set[int]]]] = [((start,), [])]
        while rows:
            path, began = rows.pop()
            self.steps += 1
            if self.steps > MOST_ROWS:
                raise Unchecked(f"more than {MOST_ROWS} rows of places are not followed here")
            need, many = self.need(path[-1]), len(began)
            for to, origins in self.edges.get(path[-1], {}).items():
                if found(to, path[1:]) or self.number.get(to, -1) < self.number[start] or many + need >= fewer:
                    continue
                pay(KEPT_STATE + len(path) + many + need)
                more = [*began, origins, *[self.inside[path[-1]]] * (need - 1)]
                if self.may_be_begun(more):
                    if to == start:
                        return True
                    rows.append(((*path, to), more))
        return False

    def may_be_begun(self, messages: list[set[int]]) -> bool:
        """Whether terminals may have begun the transactions of these messages, within their limit."""
        capacity = self.most * (self.ends.limit or float("inf"))
        began: dict[int, list[int]] = {}

        def put(message: int, seen: set[int]) -> bool:
            for origin in messages[message] - seen:
                seen.add(origin)
                pay(KEPT_STATE + len(messages[message]))
                mine = began.setdefault(origin, [])
                if len(mine) < capacity:
                    mine.append(message)
                    return True
                for i, other in enumerate(mine):
                    pay(1)
                    if put(other, seen):
                        mine[i] = message
                        return True
            return False

        return capacity == float("inf") or all(put(message, set()) for message in range(len(messages)))

    def require_none(self, transactions: float = float("inf")) -> None:
        """Reject a circle of as many messages as a number of transactions may have."""
        if any(self.closes(place, transactions * self.most + 1) for place in self.edges):
            raise Rejected("messages may wait for each other in a circle of places")


# ---------------------------------------------------------------------- schedules and bounds of collective operations

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


def added(values: Iterable[Fraction]) -> Fraction:
    """The sum of some fractions, paid for one by one."""
    total = Fraction(0)
    for value in values:
        total = paid(total + value)
    return total


class Collective:
    """A collective operation and what it runs on, as claims state them.

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


TRANSFER = "chunk, source, target, reduces and path"
"""Entries of a transfer in a document."""


class Transfer:
    """A chunk that goes from node to node, over channels that follow each other, from a time to another."""

    def __init__(self, operation: Collective, sizes: list[Fraction], send: list[Any], where: str) -> None:
        self.chunk, self.source, self.target = integers(send[:3], where, 0, 2**40)
        self.reduces, self.path = send[3], integers(send[4], where, 0, len(operation.channels))
        over = [operation.channels[channel] for channel in self.path]
        ends = [self.source, *(target for _, target, _ in over)]
        if not over or ends[:-1] != [source for source, _, _ in over] or ends[-1] != self.target:
            raise Rejected(f"{where}: channels {self.path} do not lead from {self.source} to {self.target}")
        if type(self.reduces) is not bool:
            raise Rejected(f"{where}: {TRANSFER} are expected, the fourth true or false")
        if self.chunk >= len(sizes):
            raise Rejected(f"{where}: there is no chunk {self.chunk}")
        self.where, self.size, self.rate = where, sizes[self.chunk], min(rate for _, _, rate in over)
        self.latency = added(operation.latency[channel] for channel in self.path)
        self.begins = self.ends = Fraction(0)


def check_schedule(claim: Any, proof: Any) -> str:
    """Replay a schedule chunk by chunk: who has what after each transfer, and how long all take.

    A chunk has a size, the member that has it at first (none: each member has its own, to be added up), the one
    that must have it at the end (none: each), and where there are groups the number of its own.
    """
    operation = Collective(claim)
    amounts = dict.fromkeys(operation.due, Fraction(0))
    wide = 1 + (len(operation.members) >> 8)  # units for bits of all members
    pay(len(operation.members) * wide)
    place = {member: 1 << bit for bit, member in enumerate(operation.members)}
    sizes: list[Fraction] = []
    holds: dict[tuple[int, int], int] = {}
    expected: list[tuple[tuple[int, int], int]] = []
    for number, chunk in enumerate(lists(proof.get("chunks"), "chunks", 4 + operation.grouped)):
        source, target, group = ends = (*chunk[2:], 0)[:3]
        if not {type(end) for end in ends} <= {int, type(None)} or ends not in amounts:
            raise Rejected(f"chunk {number}: a size, and a source and a target of {operation.kind}, are expected")
        sizes.append(fraction(chunk[:2], "size of a chunk"))
        amounts[ends] = paid(amounts[ends] + sizes[-1])
        sources, targets = (operation.parts[group] if end is None else [end] for end in (source, target))
        pay((KEPT_STATE + wide) * (len(sources) + len(targets)))
        holds.update({(number, member): place[member] for member in sources})
        expected += product([(number, member) for member in targets], [sum(map(place.__getitem__, sources))])
    for ends, amount in amounts.items():
        if amount != operation.due[ends]:
            raise Rejected(
                f"chunks from {ends[0]} to {ends[1]} have {amount} bytes together, not {operation.due[ends]}"
            )
    if "sends" in proof:
        transfers = by_starts(operation, sizes, proof["sends"])
    else:
        transfers = by_steps(operation, sizes, field(proof, "steps", list))
    replay(operation, transfers, holds)
    for (number, member), whole in expected:
        if holds.get((number, member), 0) != whole:
            raise Rejected(f"member {member} does not end with all of chunk {number}")
    time = max((transfer.ends for transfer in transfers), default=Fraction(0))
    if time != operation.time:
        raise Rejected(f"the transfers take {time}, not {operation.time}")
    return f"{operation.shown}: done in {time}"


def by_steps(operation: Collective, sizes: list[Fraction], steps: list[Any]) -> list[Transfer]:
    """Transfers of steps, in each of which all begin at once, with what was there when the step began.

    A step takes the longest latency of its paths, and what its busiest channel carries over the bandwidth of that.
    """
    transfers, time = list[Transfer](), Fraction(0)
    for number, sends in enumerate(steps):
        where = f"step {number}"
        step = [Transfer(operation, sizes, send, where) for send in lists(sends, f"{where}: {TRANSFER}", 5)]
        loads = dict[int, Fraction]()
        for transfer in step:
            transfer.begins = time
            for channel in transfer.path:
                loads[channel] = paid(loads.get(channel, Fraction(0)) + transfer.size)
        rates = operation.channels
        busiest = max((paid(load / rates[channel][2]) for channel, load in loads.items()), default=Fraction(0))
        time = paid(time + busiest) + max((transfer.latency for transfer in step), default=Fraction(0))
        for transfer in step:
            transfer.ends = time
        transfers += step
    return transfers


def by_starts(operation: Collective, sizes: list[Fraction], sends: Any) -> list[Transfer]:
    """Transfers with a start each, which send what is there at their start, what arrives then included.

    One passes all channels of its path at the rate of the slowest, each from when the first byte has come; what
    passes a channel at a time has no larger rate together than its bandwidth.
    """
    transfers = list[Transfer]()
    busy: dict[int, list[tuple[Fraction, Fraction]]] = {}
    for number, send in enumerate(lists(sends, f"{TRANSFER}, and a start", 7)):
        transfer = Transfer(operation, sizes, send, f"transfer {number}")
        at, lasts = fraction(send[5:], "start", 0), transfer.size / transfer.rate
        transfer.begins, transfer.ends = at, paid(paid(at + transfer.latency) + paid(lasts))
        for channel in transfer.path:
            busy.setdefault(channel, []).extend(((at, transfer.rate), (paid(at + lasts), -transfer.rate)))
            at = paid(at + operation.latency[channel])
        transfers.append(transfer)
    for channel, changes in busy.items():
        # Each number is compared with about as many others as the number of them has digits.
        for at, _ in changes * len(changes).bit_length():
            paid(at)
        changes.sort()  # what ends comes before what begins at the same time
        rates = accumulate((change for _, change in changes), lambda a, b: paid(a + b))
        if max(rates) > operation.channels[channel][2]:
            raise Rejected(f"channel {channel} carries more at a time than its bandwidth")
    return transfers


def replay(operation: Collective, transfers: list[Transfer], holds: dict[tuple[int, int], int]) -> None:
    """Follow who holds what: of each chunk and node the bits of the members whose parts it has.

    Parts are added to what is there, none twice but in a barrier; or take its place, and then none may be lost.
    """
    sent, members = dict[int, int](), {*operation.members}
    wide = 1 + (len(members) >> 7)  # units for bits of all members, which are kept
    for transfer in transfers * (2 * len(transfers)).bit_length():
        paid(transfer.begins)
        paid(transfer.ends)
    events = [(transfer.begins, True, number) for number, transfer in enumerate(transfers)]
    events += [(transfer.ends, False, number) for number, transfer in enumerate(transfers)]
    for _, begins, number in sorted(events):  # what arrives comes before what begins at the same time
        one = transfers[number]
        pay(KEPT_STATE + wide)
        if begins:
            if one.target not in members or (one.chunk, one.source) not in holds:
                raise Rejected(f"{one.where}: node {one.source} cannot send chunk {one.chunk} to node {one.target}")
            sent[number] = holds[one.chunk, one.source]
            continue
        there = holds.get((one.chunk, one.target), 0)
        if (there & sent[number] and operation.kind != "barrier") if one.reduces else (there & ~sent[number]):
            verb = "add" if one.reduces else "lose"
            raise Rejected(f"{one.where}: node {one.target} would {verb} a part of chunk {one.chunk}")
        holds[one.chunk, one.target] = there | sent[number]


def check_collective(claim: Any, proof: Any) -> str:
    """Check that no schedule of a collective operation takes less than a time, by what channels must carry.

    Channels count by a length each, or by 1 if they leave a cut, or begin or end at members. A channel is of use from
    when a byte can have come to it until a byte over it can still arrive where it is needed in time.
    """
    operation = Collective(claim)
    kind, time, channels = operation.kind, operation.time, operation.channels
    shown = f"{operation.shown}: not below {time}"
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


# ------------------------------------------------------------------------------------ phases of collective operations

Advanced = tuple[tuple[tuple[int, ...], ...], tuple[tuple[tuple[int, ...], ...], ...]]
"""Phase of each chunk by node, −1 before it is issued; and by node and dimension the chunks that came, in order."""


class Phased:
    """Nodes of a grid that take chunks through phases, each a collective operation of a line of nodes.

    A node runs the first chunks of the queue of each dimension, as many as it has slots. A chunk ends a phase at a
    node once all nodes of the line have begun that phase, and joins the queue of the next one.
    """

    def __init__(self, claim: Any) -> None:
        shape = numbers(claim, "shape", 1, 1000)
        at_most(len(shape), MOST_LANES, "dimensions")
        self.phases = numbers(claim, "phases", 0, len(shape))
        counts = [field(claim, "chunks", int), field(claim, "slots", int)]
        self.chunks, self.slots = integers(counts, "chunks and slots", 1, 1000)
        self.together, self.in_order = field(claim, "together", bool), field(claim, "fixed_order", bool)
        if not self.phases:
            raise Rejected("phases: there is none")
        at_most(prod(shape) * self.chunks, MOST_STATES, "chunks of all nodes")
        pay(prod(shape) * len(shape) * (sum(shape) + KEPT_STATE))
        self.nodes, self.dimensions = list(product(*map(range, shape))), len(shape)
        which = {node: number for number, node in enumerate(self.nodes)}
        self.lines = [
            [[which[(*node[:d], x, *node[d + 1 :])] for x in range(size)] for d, size in enumerate(shape)]
            for node in self.nodes
        ]

    def start(self) -> Advanced:
        queue = tuple(range(self.chunks)) if self.together else ()
        queues = tuple(queue if d == self.phases[0] else () for d in range(self.dimensions))
        return ((self.together - 1,) * self.chunks,) * len(self.nodes), (queues,) * len(self.nodes)

    def began(self, state: Advanced, node: int, chunk: int, phase: int) -> bool:
        at, queues = state
        pay(2 + (self.slots >> 3))
        running = queues[node][self.phases[phase]][: self.slots]
        return at[node][chunk] > phase or (at[node][chunk] == phase and chunk in running)

    def after(self, state: Advanced, node: int, chunk: int) -> Advanced | None:
        """The state after a node issues a chunk or ends its phase; None where that is not possible."""
        at, queues = state
        pay(2)
        phase = at[node][chunk]
        if phase == len(self.phases) or (phase < 0 and chunk and at[node][chunk - 1] < 0):
            return None
        mine = list(queues[node])
        if phase >= 0:
            dimension = self.phases[phase]
            if not all(self.began(state, other, chunk, phase) for other in self.lines[node][dimension]):
                return None
            mine[dimension] = tuple(other for other in mine[dimension] if other != chunk)
        if phase + 1 < len(self.phases):
            mine[self.phases[phase + 1]] += (chunk,)
        pay(8 + len(at) + 2 * self.chunks)
        changed = (*at[node][:chunk], phase + 1, *at[node][chunk + 1 :])
        return (*at[:node], changed, *at[node + 1 :]), (*queues[:node], tuple(mine), *queues[node + 1 :])

    def onward(self, state: Advanced) -> list[Advanced]:
        every = (self.after(state, node, chunk) for node in range(len(self.nodes)) for chunk in range(self.chunks))
        states = [after for after in every if after is not None]
        pay(len(states) * len(self.nodes) * (1 + (self.chunks + self.dimensions >> 2)))  # each is hashed whole
        return states

    def done(self, state: Advanced) -> bool:
        return all(phase == len(self.phases) for row in state[0] for phase in row)


def check_phases(claim: Any, proof: Any) -> str:
    """Check that nodes which take chunks through phases can, or cannot, wait for each other for ever.

    With a slot for every chunk each chunk runs where it has come to, so one in the earliest phase ends it. In one
    order, by phase and then by chunk, the first phase of a chunk that has not ended everywhere can begin everywhere.
    """
    system, free, kind = Phased(claim), field(claim, "deadlock_free", bool), field(proof, "kind", str)
    shown = f"{len(system.nodes)} nodes, {system.chunks} chunks, {system.slots} at a time in each dimension:"
    if not free:
        if system.in_order or kind != "run":
            raise Rejected("a deadlock of phases is shown by a run of nodes that begin them by arrival")
        state = system.start()
        for step in field(proof, "run", list):
            node, chunk = integers(step, "a step", 0, max(len(system.nodes), system.chunks), 2)
            if node >= len(system.nodes) or chunk >= system.chunks:
                raise Rejected(f"step {step}: there is no such node, or no such chunk")
            after = system.after(state, node, chunk)
            if after is None:
                raise Rejected(f"node {node} cannot advance chunk {chunk} here")
            state = after
        if system.done(state) or system.onward(state):
            raise Rejected("after the run something moves, or everything is done")
        return f"{shown} after {len(proof['run'])} steps nothing can move"
    if kind == "slots" and system.slots >= system.chunks:
        return f"{shown} free of deadlock, there is a slot for each chunk"
    if kind == "order" and system.in_order:
        return f"{shown} free of deadlock in one order for all"
    if kind != "states" or system.in_order:
        raise Rejected(f"{kind}: no proof that these chunks cannot deadlock")

    def onward(state: Advanced) -> list[Advanced]:
        after = system.onward(state)
        if not after and not system.done(state):
            raise Rejected("a state is reached in which nothing can move")
        return after

    states = closure([system.start()], onward, MOST_STATES)
    return f"{shown} free of deadlock, in each of {len(states)} states something moves or all is done"


# --------------------------------------------------------------------------------------------------- a whole document

CLAIMS: dict[str, tuple[str, Callable[..., str]]] = {
    "changes": ("relation", check_changes),
    "collective": ("", check_collective),
    "cuts": ("relation", check_cuts),
    "deadlock": ("relation", check_verdict),
    "delivery": ("relation", check_delivery),
    "escapes": ("relation", check_escapes),
    "failures": ("network", check_failures),
    "lanes": ("network", check_shortest),
    "lanes of routes": ("relation", check_routes),
    "lengths": ("relation", check_lengths),
    "load": ("network", check_load),
    "phases": ("", check_phases),
    "progress": ("relation", check_progress),
    "protocol": ("relation", check_protocol),
    "removals": ("relation", check_removals),
    "rule": ("", check_rule),
    "rules": ("", check_rules),
    "schedule": ("", check_schedule),
    "size": ("relation", check_size),
    "update": ("network", check_update),
}
"""By the subject of a claim: whether it is about a network, or a relation on it, and the function that checks it."""


def check(network: Network | None, table: Table | None, claim: Any) -> str:
    """Return in words what a claim shows; raise `Rejected` if it does not hold."""
    about, check_claim = CLAIMS[word(claim, "subject", CLAIMS)]
    proof = field(claim, "proof", dict)
    pay(LOOK * (network.size if network and about else 0))
    if not about:
        return check_claim(claim, proof)
    if network is None:
        raise Rejected("a claim about a network comes without it")
    if about == "network":
        return check_claim(network, claim, proof)
    if "relation" in claim:
        table = Table(network, field(claim, "relation", dict))
    if table is None:
        raise Rejected("a claim about a relation comes without its table")
    pay(LOOK * table.size)
    pairs_sent = sum(len(sources) for sources in table.sources)
    return f"{pairs_sent} pairs of source and address: {check_claim(table, claim, proof)}"


ANSWERS: dict[str, tuple[str, ...]] = {
    "changes": ("least",),
    "collective": ("time",),
    "deadlock": ("deadlock_free",),
    "delivery": ("delivered",),
    "escapes": ("least",),
    "failures": ("deadlock_free",),
    "lanes": ("impossible",),
    "lanes of routes": ("impossible",),
    "lengths": ("longest", "minimal"),
    "load": ("least",),
    "phases": ("deadlock_free",),
    "progress": ("arrives", "bound"),
    "protocol": ("deadlock_free",),
    "removals": ("least",),
    "schedule": ("time",),
    "size": ("least", "held"),
}
"""By the subject of a claim: its answers, which a question may leave open. All else is what the claim is about."""
SETS = {"drained", "failures", "faults", "flows", "sends", "unless"}
"""Lists whose order says nothing."""


def alike(entry: Any, depth: int = 20) -> Any:
    """Plain data in a form in which numbers are equal whatever their type, but True is no 1."""
    if not depth:
        raise Rejected("a claim is nested more deeply than any that is known")
    if isinstance(entry, dict):
        return {key: alike(value, depth - 1) for key, value in entry.items()}
    if isinstance(entry, list):
        return [alike(value, depth - 1) for value in entry]
    return (entry,) if isinstance(entry, bool) else entry


def subject_of(claim: Any) -> str:
    """The subject of a claim, one that is known."""
    return word(claim, "subject", CLAIMS)


def about(claim: Any) -> dict[str, Any]:
    """Subject matter of a claim: all entries but proof, answers and the table of its relation."""
    subject = subject_of(claim)
    others = {"proof", *ANSWERS.get(subject, ())} | ({"relation"} if CLAIMS[subject][0] == "relation" else set[str]())
    said = {key: alike(entry) for key, entry in claim.items() if key not in others and entry is not None}
    if said.keys() & {"flow", "bubble"}:
        with suppress(Unchecked):  # else words that nobody understands are compared as they stand
            flow = flow_of(claim)
            said = {key: entry for key, entry in said.items() if key not in ("bubble", "flow", "switching")}
            words = [flow.words, flow.packets, flow.pools, flow.cell]
            said |= {"switching": flow.name} if flow in NAMED else {"flow": words}
    for name in SETS & said.keys():
        entries = said[name] if isinstance(said[name], list) else [said[name]]
        if name == "faults":  # how many routes each cuts is the answer
            entries = [[field(one, key, list) for key in ("channels", "routers")] for one in entries]
        said[name] = sorted(entries, key=repr)
    return said


def unlike(one: Table, other: Table) -> str:
    """What differs between two tables of the same network, in words; empty if they are the same relation."""
    pay(2 * LOOK * one.size)
    if one.channel != other.channel or one.commits != other.commits:
        return "VCs or commitment differ"
    if one.destination != other.destination or [*map(set, one.sources)] != [*map(set, other.sources)]:
        return "addresses, or who sends to them, differ"
    for address, rows in enumerate(one.may):
        for at, candidates in rows.items():
            same = {*candidates} == {*other.may[address].get(at, [None])}
            if not same or {*one.waits[address][at]} != {*other.waits[address][at]}:
                return f"candidates at {one.name(at)} for address {address} differ"
    return ""


class Part:
    """A part of a document, or the whole: the network of its claims, failures in that network, and the table."""

    def __init__(self, document: Any, part: Any, name: str) -> None:
        self.part, self.label = part, f"part {printable(name)!r}" if name else "the document"
        own = part if part.get("network") is not None else document
        self.network = None if own.get("network") is None else Network(field(own, "network", dict))
        self.failed = None
        if "without" in part and self.network is not None:
            self.failed = self.network.parts(field(part, "without", dict))
            self.network = self.network.without(part["without"])
        self.table = None
        if part.get("relation") is not None:
            if self.network is None:
                raise Rejected("a relation comes without its network")
            self.table = Table(self.network, field(part, "relation", dict))

    def table_of(self, claim: Any) -> Table | None:
        """The table that a claim is about: of a relation of its own, or of the place."""
        if CLAIMS[subject_of(claim)][0] != "relation" or self.network is None:
            return None
        return Table(self.network, field(claim, "relation", dict)) if "relation" in claim else self.table

    def title(self, claim: Any, table: Table | None, asked: Part | None) -> str:
        """The network and the relation of a claim: by their names in a question, else by digests, as nobody's."""
        names = list[str]()
        if self.network is not None:
            names.append(f"network {self.network.digest[:16]}" if asked is None else self.network.name)
        if table is not None and asked is not None and asked.table is not None:
            names.append(asked.routing)
        elif table is not None or "relation" in claim:
            names.append(f"relation {(digest(alike(claim['relation'])) if table is None else table.digest)[:16]}")
        return "".join(f"{name}, " for name in names)

    @property
    def routing(self) -> str:
        """The name of the relation."""
        return printable(str(self.part["relation"].get("name", "the relation that was asked for")))


class Wishes(Part):
    """A part of a question, with the claims asked for; claims found are marked."""

    def __init__(self, document: Any, part: Any, name: str) -> None:
        super().__init__(document, part, name)
        self.optional = "optional" in part and field(part, "optional", bool)
        self.wishes = [(wish, subject_of(wish), about(wish)) for wish in field(part, "claims", list)]
        self.found: dict[int, list[Any]] = {}
        self.differs = ""

    def require_same(self, place: Part) -> None:
        """Raise `Rejected` where a place of this name is about another network or other failures; compare tables."""
        if place.failed != self.failed:
            raise Rejected(f"{place.label} is about other failures than those that were asked for under this name")
        one, other = place.network, self.network
        if (one is None) != (other is None):
            raise Rejected(f"{place.label} is about {'no' if one is None else 'a'} network, unlike the question")
        if one is not None and other is not None:
            if one.digest != other.digest:
                raise Rejected(f"{place.label} is about {one.name}, another network than {other.name}")
            if other.name and one.name != other.name:
                raise Rejected(f"{place.label} calls its network {one.name}, and {other.name} was asked for")
        if place.table is not None and self.table is not None:
            self.differs = unlike(place.table, self.table)

    @property
    def left(self) -> list[str]:
        """What was asked for and was not found, in words."""
        if self.optional:
            return [] if self.found else [f"any of {len(self.wishes)} usual claims"]
        return [subject for number, (_, subject, _) in enumerate(self.wishes) if number not in self.found]

    def foreign(self, place: Part, claim: Any, table: Table | None) -> str:
        """Why a claim was not asked for; empty if it was, and then it is marked as found.

        Raises
        ------
        Rejected
            If it has another answer than the question, or than a claim that was found before.
        """
        if table is not None and self.table is not None and table is not place.table:
            difference = unlike(table, self.table)
        else:
            difference = self.differs if table is not None else ""
        if difference:
            return f"its table is not {self.routing}: {difference}"
        pay(len(self.wishes))
        subject, says, why, same = subject_of(claim), about(claim), "nothing of this subject", False
        for number, (wish, kind, wants) in enumerate(self.wishes):
            if kind != subject:
                continue
            if differ := sorted(key for key in wants.keys() | says.keys() if wants.get(key) != says.get(key)):
                why = f"something else by {', '.join(map(printable, differ))}"
                continue
            for answer in ANSWERS.get(subject, ()):
                if answer in wish and alike(wish[answer]) != alike(claim.get(answer, "")):
                    claims = f"{answer} {claim.get(answer)!r:.40}"
                    raise Rejected(f"{place.label}: {subject}: it claims {claims}, and not {wish[answer]!r:.40}")
            said = [alike(claim.get(answer)) for answer in ANSWERS.get(subject, ())]
            if self.found.setdefault(number, said) != said:
                raise Rejected(f"{place.label}: {subject}: what was asked for is claimed with two answers")
            same = True
        return "" if same else f"{why} was asked for"


def places(document: Any, form: str) -> dict[str, Any]:
    """A document under the name "", and its parts, each under a name of its own."""
    if not isinstance(document, dict) or (document.get("format"), document.get("version")) != (form, VERSION):
        raise Rejected(f'this is no document of a known form: "format": "{form}", "version": {VERSION} is expected')
    named = {"": document}
    failed: dict[str, str] = {}
    for part in field(document, "parts", list) if "parts" in document else []:
        name = field(part, "name", str)
        if name in named:
            raise Rejected(f"two parts have the name {printable(name)!r}")
        if "network" not in part and "without" in part:
            gone = field(part, "without", dict)
            one = repr([sorted({*numbers(gone, kind, 0, 2**31)}) for kind in ("channels", "routers")])
            if one in failed:
                raise Rejected(f"one failure has two names: {failed[one]!r} and {printable(name)!r}")
            failed[one] = printable(name)
        named[name] = part
    return named


@contextmanager
def paying(document: Any, effort: int = 1) -> Iterator[None]:
    """Let a document pay for work on its content; raise `Rejected` where its form is not as expected."""
    before = PURSE.set(Purse(document, effort))
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Rejected(f"a claim, or its proof, has not the form of its subject: {error!r}") from None
    except (MemoryError, RecursionError):
        raise Unchecked("a claim, or its proof, is nested too deeply, or needs more memory than there is") from None
    finally:
        PURSE.reset(before)


def answers(document: Any, question: Any = None, effort: int = 1) -> tuple[list[str], list[str]]:
    """What the claims of a document show that were asked for, a line each, and a line for each other claim.

    Parameters
    ----------
    document : Any
        The document, as JSON gives it.
    question : Any
        A question: a document of the format `QUESTION`, whose claims have no proofs, and answers only where these
        are asked for. Of a place that is `optional` one claim has to be there, else all. None: every claim of the
        document is checked, and nobody's routing is.
    effort : int
        Factor by which checking may cost more than the document pays for.

    Raises
    ------
    Rejected
        If a claim that was asked for does not hold, is missing, or has another answer; or if a part is about another
        network, or other failures, than the question has under its name. `Unchecked`, a kind of it, if checking costs
        more than the document pays for.
    """
    with paying(document, effort):
        return answered(document, question)


def answered(document: Any, question: Any) -> tuple[list[str], list[str]]:
    """The lines of `answers`."""
    given, asked = places(document, FORMAT), None if question is None else places(question, QUESTION)
    shown: list[str] = []
    others: list[str] = []
    missing = [printable(name) for name in asked or () if name not in given]
    unchecked: Unchecked | None = None
    for name, part in given.items():
        prefix = f"{printable(name)}: " if name else ""
        claims = field(part, "claims", list)
        if asked is not None and name not in asked:
            others += [f"{prefix}{subject_of(claim)}: this part was not asked for" for claim in claims]
            continue
        place, wishes = Part(document, part, name), None
        if asked is not None:
            purse = PURSE.set(None)  # whoever asks needs not pay
            wishes = Wishes(question, asked[name], name)
            PURSE.reset(purse)
            wishes.require_same(place)
        for claim in claims:
            table = place.table_of(claim)
            bare = claim if table is None else {key: entry for key, entry in claim.items() if key != "relation"}
            if wishes is not None and (why := wishes.foreign(place, bare, table)):
                others.append(f"{prefix}{subject_of(claim)}: {why}")
                continue
            try:
                shown.append(f"{prefix}{place.title(bare, table, wishes)}{check(place.network, table, bare)}")
            except Unchecked as error:
                unchecked = error
        if wishes is not None:
            missing += [prefix + left for left in wishes.left]
    why = "".join(f"; {line}" for line in sorted(others, key=lambda line: "nothing of this" in line)[:1])
    if missing:
        raise Rejected(f"asked for, and not claimed: {', '.join(missing[:5])}{why}")
    if unchecked is not None:
        raise unchecked
    if not shown:
        raise Rejected("there are no claims" if question is None else f"nothing that was asked for is claimed{why}")
    return shown, [*dict.fromkeys(others)]


def accept(document: Any, question: Any = None, effort: int = 1) -> list[str]:
    """Return in words what each claim of a document shows; raise `Rejected` if one does not hold.

    Parameters
    ----------
    document : Any
        The document, as JSON gives it.
    question : Any
        What has to be claimed, as `answers` takes it; claims that were not asked for do not count.
    effort : int
        Factor by which checking may cost more than the document pays for.

    Returns
    -------
    list[str]
        What was accepted, a line for each claim.

    Raises
    ------
    Rejected
        With the claim and the place; `Unchecked`, a kind of it, if checking costs more than the document pays for.

    Examples
    --------
    >>> import unknot
    >>> from unknot import certificates
    >>> from unknot.routing import dimension_order
    >>> relation = dimension_order(unknot.network.families.ring(4), vcs=2)
    >>> claim = certificates.verdict_claim(unknot.check(relation))
    >>> evidence = certificates.document(relation.network, relation, [claim])
    >>> print(*accept(evidence), *accept(evidence, certificates.question(relation, [claim])), sep="\\n")
    network f8ed0dd45794276f, relation 57c3e95bc8864ae6, 16 pairs of source and address: free of deadlock under vct
    ring(4), dimension_order with crossing dateline, 16 pairs of source and address: free of deadlock under vct
    >>> evidence["claims"][0]["proof"]["rank"] = [0] * relation.vcs.total
    >>> try:
    ...     accept(evidence)
    ... except certificates.Rejected as error:
    ...     print(error)
    order: address 0: channel 4 (2→3) VC 0 may be followed by channel 6 (3→0) VC 0, no higher
    """
    return answers(document, question, effort)[0]


def read(path: str) -> Any:
    """Read a document; raise `Rejected` if it is too large, too deep, or not JSON."""
    content = bytearray()
    with open(path, "rb") as file:
        while len(content) <= MOST_BYTES and (part := file.read(2**20)):  # at once it would take MOST_BYTES of memory
            content += part
    if len(content) > MOST_BYTES:
        raise Unchecked(f"a file of more than {MOST_BYTES} bytes is not read")
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Rejected(f"this is not JSON: {str(error)[:200]}") from None


def main(words: Sequence[str]) -> int:
    """Check files of evidence.

    Returns
    -------
    int
        0 if all hold, and answer the question; 2 if one cannot be read, or the question is none; else 1 if one does
        not hold, or is no evidence; else 3, if one is not checked.
    """
    options, statuses = {"--effort": "1", "--question": ""}, {0}
    while len(words) > 1 and words[0] in options:
        options[words[0]], words = words[1], words[2:]
    if not words or not options["--effort"].isdecimal():
        print("usage: python plain.py [--effort NUMBER] [--question QUESTION] FILE …", file=sys.stderr)
        return 2
    question = None
    try:
        if options["--question"]:
            places(question := read(options["--question"]), QUESTION)
    except (Rejected, OSError) as error:
        print(f"{options['--question']}: this is no question: {error}")
        return 2
    for path in words:
        try:
            shown, others = answers(read(path), question, int(options["--effort"]))
            print("\n".join(f"{path}: accepted: {line}" for line in shown))
            print("".join(f"{path}: not asked for, does not count: {line}\n" for line in others), end="")
        except Rejected as error:
            print(f"{path}: {error.word}: {error}")
            statuses.add(error.status)
        except OSError as error:
            print(f"{path}: cannot be read: {error.strerror}")
            statuses.add(2)
    return next(status for status in (2, 1, 3, 0) if status in statuses)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
