"""Fewer lanes, and fewer changes of routes, refuted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from functools import lru_cache
from itertools import pairwise
from typing import Any

from unknot.certificates.plain.delivery import route
from unknot.certificates.plain.encoder import KEPT, KINDS, Encoder, lane_clauses
from unknot.certificates.plain.flows import AllPairs, sending_pairs
from unknot.certificates.plain.reading import (
    KEPT_STATE,
    LOOK,
    Pair,
    Rejected,
    around,
    field,
    integers,
    lists,
    pay,
    word,
)
from unknot.certificates.plain.refuted import MOST_CLAUSES, PARTS, check_refutation
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tables import Network, Table


@checks("lanes", "network", "impossible")
def check_shortest(network: Network, claim: Any, proof: Any) -> str:
    """Check that shortest paths cannot be free of deadlock in a number of lanes, nor any paths after each failure.

    Claim: `impossible`, how many; `changes` (`none`, `rising`, `any`); `sends`, pairs of terminals, or `null`
    for all; with `failures`, lists of channels, every pair also keeps any path after each, and the end of a
    pair is router + routers · failure, from 1
    Proof: `kind`: `forced cycle` with `turns` [channel, next, from router, to router]; or `refutation` with
    `pairs`, `cycles` that no lane closes, or `order` for an order of all channels in each, and `steps`
    [literals, hints]
    """
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


@checks("lanes of routes", "relation", "impossible")
def check_routes(table: Table, claim: Any, proof: Any) -> str:
    """Check that the routes of a relation cannot be free of deadlock in a number of lanes.

    Claim: `impossible`, `changes` as for `lanes`; `relation`, if another
    Proof: `turns` [channel, next, source terminal, address]; or a refutation as for `lanes`, its pairs [source
    terminal, address]
    """
    senders = {(source, address) for address, sources in enumerate(table.sources) for source in sources}
    encoder = RouteEncoder(table, field(claim, "impossible", int), field(claim, "changes", str))
    return f"these routes cannot be free of deadlock in {check_lanes(encoder, senders, proof)}"


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


@checks("changes", "relation", "least")
def check_changes(table: Table, claim: Any, proof: Any) -> str:
    """Check that routes in one lane close a cycle of channels after any change of fewer than `least` routes.

    What is changed is the route of a router to an address ("pairs"), or a router's entry for an address ("entries").
    Each cycle [channel, …, weight] has to lose a turn, which all routes that take it then give up. A payment
    [c, e, terminal, address, amount] is for a turn from c to e, by a change of a route that takes it; or by those of
    both entries, of the routers before and behind c, for a route that begins with the turn. If turns are paid
    the weights of their cycles, and no change pays more than 1, the weights together are not more than the changes.

    Claim: `kind` (`pairs`, `entries`), `least`
    Proof: `cycles`, each channels and a weight; `paid`, rows [channel, next, terminal, address, amount]; in
    parts of 10⁹
    """
    kind, least, total = word(claim, "kind", ("pairs", "entries")), field(claim, "least", int), 0
    due, spent = Counter[Pair](), Counter[Pair]()
    for cycle in field(proof, "cycles", list):
        *channels, weight = integers(cycle, "cycles", 0, 2**62) or [0]
        total += weight if channels else 0
        for turn in around(channels):
            due[turn] += weight
    for c, e, source, address, amount in (
        integers(row, "paid", 0, 2**62) for row in lists(proof.get("paid"), "paid", 5)
    ):
        channels = route(table, source, address)
        if (c, e) not in pairwise(channels if kind == "pairs" else channels[:2]):
            raise Rejected(f"changes for terminal {source} and address {address} do not remove the turn {c}, {e}")
        due[c, e] -= amount
        ends = [table.network.inject[source]] if kind == "pairs" else [table.network.source[x] for x in (c, e)]
        for router in ends:
            spent[router, address] += amount
    if max(due.values(), default=0) > 0 or max(spent.values(), default=0) > PARTS:
        raise Rejected("a turn of a cycle is not paid, or a change pays more than 1")
    if -(-total // PARTS) < least:
        raise Rejected(f"the cycles do not add up to {least} changes")
    return f"at least {least} {kind} change where all routes fit into one lane"


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
        """All shortest paths of a pair before a failure, if few; None after a failure."""
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
