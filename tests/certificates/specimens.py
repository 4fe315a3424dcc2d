"""Good evidence of every kind, as documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np

from tests.lane_assignment.test_exact import effort, one_way_ring
from tests.strategies import table_relation
from tests.verify.constructions import FREE_THREE_WIDE, by_signs
from unknot._base.switching import SWITCHINGS
from unknot.certificates import delivery_claim, document, plain, size_claim, verdict_claim
from unknot.certificates.documents import part_of
from unknot.lane_assignment import ForcedCycle, Refutation, RouteCycle, lanes
from unknot.lane_assignment.agreed import refute
from unknot.lane_assignment.evidence import Evidence, bound_claim
from unknot.lane_assignment.served_pairs import shortest_pairs
from unknot.network import Network
from unknot.network.families import line, mesh, ring
from unknot.remedies import repair
from unknot.remedies.pruned import Pruned, Unprunable, pruned
from unknot.routing import (
    EJECT,
    NO_WAIT,
    Relation,
    dimension_order,
    duato,
    fully_adaptive,
    in_classes,
    shortest_paths,
    up_down,
)
from unknot.synthesis import every_size
from unknot.synthesis.topology import designed, requested, throughput_of
from unknot.verify import check, deliver, update
from unknot.verify.delivery import answer_claims
from unknot.verify.protocols import check_protocol, protocol
from unknot.verify.protocols.evidence import claims as protocol_claims
from unknot_collectives.bounds import bound
from unknot_collectives.operation import Operation
from unknot_collectives.optimal import optimal
from unknot_collectives.platform import Channel, Platform, platform_of
from unknot_collectives.textbook import textbook
from unknot_collectives.timing import steady

Document = dict[str, Any]


def _verdicts(relation: Relation, *switchings: str) -> Document:
    claims = [verdict_claim(check(relation, switching)) for switching in switchings]
    return document(relation.network, relation, claims)


def lost() -> Relation:
    """Packets from router 0 to 2 go round between the routers 0 and 1 for ever; those from 1 go there."""
    network = Network("lost", 3, [0, 1, 1, 2], [1, 0, 2, 1])
    table = {(4, 2): [0], (0, 2): [1], (1, 2): [0 + NO_WAIT, 0], (5, 2): [2], (2, 2): [EJECT], (6, 2): []}
    may_use = np.zeros((3, 3), dtype=bool)
    may_use[:, 2] = True
    return table_relation(network, 1, table, may_use=may_use, name="lost")


def committed() -> Relation:
    """A ring in which every header chooses once, marked candidates among others."""
    network = ring(4)
    table: dict[tuple[int, int], list[int]] = {}
    for address in range(4):
        for at in range(8 + 4):
            here = int(network.target[at]) if at < 8 else at - 8
            leaving = np.flatnonzero(network.source == here).tolist()
            table[at, address] = [EJECT] if here == address else [leaving[0] + NO_WAIT, leaving[1]]
    return table_relation(network, 1, table, commits=True, name="committed")


def _lanes(network: Network, evidence: Evidence | None, sends: Any = None, given: Relation | None = None) -> Document:
    assert evidence is not None
    return document(network, None, [bound_claim(evidence, sends, given)])


def _refuted(network: Network, count: int, changes: str) -> Document:
    refutation = refute(shortest_pairs(network, None), count, effort(), conflicts=10_000, changes=changes)
    assert isinstance(refutation, Refutation)
    return _lanes(network, refutation)


def _removed(relation: Relation, switching: str, minimal: bool = False) -> Document:
    removal = pruned(relation, effort(), switching=switching, minimal=minimal)
    assert isinstance(removal, (Pruned, Unprunable))
    assert removal.evidence is not None
    return document(relation.network, relation, [removal.evidence.claim])


def _changed() -> Document:
    relation = shortest_paths(ring(5))
    changed = next(remedy for remedy in repair(relation, time_limit=600) if remedy.kind == "few changed routes")
    return document(relation.network, relation, changed.bound_claims)


def _hops() -> Document:
    wanted = requested(mesh(2, 3), ports=2, reach=1.5, both_ways=False, keep=False)
    return document(None, None, [designed(wanted, "hops", moves=1000).evidence.claim])


def _carries() -> Document:
    network = ring(4)
    carried = throughput_of(network, image=np.array([[0, 1, 2, 3], [2, 3, 0, 1]]))
    assert carried.flows is not None
    return document(network, None, [carried.flows.claim])


def _left(network: Network) -> Document:
    """A part about what is left of a network."""
    relation = up_down(network.without(channels=[0, 3]))
    claims = answer_claims(relation, [check(relation, "vct")], None)
    return part_of("two channels fail", relation, claims, {"channels": [0, 3], "routers": []})


def _cuts(network: Network) -> Document:
    """Of the routes around a ring of five, each channel has three; two pass each router; four begin there."""
    leaving = np.flatnonzero(network.source == 0).tolist()
    faults = [
        {"channels": [0], "routers": [], "lost": 3, "severed": 0},
        {"channels": [], "routers": [1], "lost": 2, "severed": 0},
        {"channels": leaving, "routers": [], "lost": 6, "severed": 4},
        {"channels": leaving, "routers": [0], "lost": 2, "severed": 0},
    ]
    return {"subject": "cuts", "faults": faults, "proof": {}}


def _updated(old: Relation, new: Relation) -> Document:
    return document(old.network, None, update(old, new).claims)


def _collective(kind: str, root: int | None = None) -> Document:
    platform = platform_of(ring(5))
    return bound(platform, Operation(kind, platform.members, Fraction(64, 3), root)).claim()


def _by_states() -> Document:
    relation = dimension_order(mesh(2))
    verdict = check_protocol(relation, protocol("request_reply(depth=1, outstanding=1)"))
    return document(relation.network, relation, protocol_claims(verdict))


def _three() -> Platform:
    nodes = range(3)
    channels = [Channel(a, b, Fraction(a + 1, 2), Fraction(b, 3)) for a in nodes for b in nodes if a != b]
    return Platform("three", 3, tuple(channels), tuple(nodes))


def _rounds() -> Document:
    """A bound by messages that cost, of a broadcast of a flit."""
    platform = platform_of(ring(3), overhead=Fraction(50))
    return bound(platform, Operation("broadcast", platform.members, Fraction(1), 5)).claim()


def _schedule(kind: str, algorithm: str) -> Document:
    platform = _three()
    return textbook(platform, Operation(kind, platform.members, Fraction(8)), algorithm).pipelined(2).claim()


def _at_rates() -> Document:
    platform = _three()
    return steady(optimal(platform, Operation("all_gather", platform.members, Fraction(4))), 2).exact().claim()


def _cuts_in_time() -> Document:
    """A direct way, and one past a switch, whose bytes come later."""
    ends = {(0, 1): (4, 2), (0, 2): (1, 1), (1, 2): (2, 0)}
    both = [(*pair, *kind) for pair, kind in ends.items()] + [(b, a, *kind) for (a, b), kind in ends.items()]
    channels = [Channel(a, b, Fraction(rate), Fraction(late)) for a, b, rate, late in both]
    platform = Platform("two ways", 3, tuple(channels), (1, 2))
    made = bound(platform, Operation("scatter", platform.members, Fraction(8), 1), in_time=True)
    assert made.in_time
    return made.claim()


def _with_terminals() -> Document:
    relation = in_classes(dimension_order(mesh(2)))
    separate, shared = (
        check_protocol(relation, protocol(f"request_reply(queues={queues!r})")) for queues in ("separate", "shared")
    )
    return document(relation.network, relation, [*protocol_claims(separate), *protocol_claims(shared)])


def _lanes_of_ring(routers: int) -> Document:
    routes = lanes(one_way_ring(routers))
    assert isinstance(routes.evidence, ForcedCycle if routers == 3 else Refutation)
    return _lanes(one_way_ring(routers), routes.evidence)


def _routes() -> Document:
    of_routes = lanes(FIVE.network, "given", routing=FIVE)
    assert isinstance(of_routes.evidence, RouteCycle)
    return _lanes(FIVE.network, of_routes.evidence, given=FIVE)


def _about(relation: Relation, *claims: Document) -> Document:
    return document(relation.network, relation, list(claims))


FIVE = dimension_order(ring(5), 1, dateline="none")
MAKE: dict[str, Callable[[], Document]] = {
    "order": lambda: _verdicts(dimension_order(mesh(2, 2), 1), *SWITCHINGS),
    "escape and drain": lambda: _verdicts(duato(mesh(2, 2), 2), "saf", "wormhole"),
    "core": lambda: _verdicts(by_signs(mesh(3, 3), FREE_THREE_WIDE), "wormhole"),
    "deadlock": lambda: _verdicts(fully_adaptive(mesh(2, 2), vcs=1), *SWITCHINGS),
    "deadlock of headers that commit": lambda: _verdicts(committed(), *SWITCHINGS),
    "delivered": lambda: _about(FIVE, delivery_claim(FIVE, True)),
    "lengths": lambda: _about(FIVE, *answer_claims(FIVE, [], deliver(FIVE))[1:]),
    "lost": lambda: _about(lost(), *answer_claims(lost(), [], deliver(lost()))),
    "forced": lambda: _lanes_of_ring(3),
    "routes": _routes,
    "lanes": lambda: _lanes_of_ring(5),
    "removed": lambda: _removed(fully_adaptive(mesh(2, 2), vcs=1), "wormhole"),
    "minimal": lambda: _removed(fully_adaptive(mesh(2, 2), vcs=1), "vct", minimal=True),
    "changed": _changed,
    "size": lambda: _about(FIVE, size_claim(FIVE, "vct", 5)),
    "cuts": lambda: _about(FIVE, _cuts(FIVE.network)),
    "rule": lambda: document(None, None, [every_size("mesh(1)", "duato", "wormhole").claim]),
    "all-gather": lambda: document(None, None, [_collective("all_gather")]),
    "all-to-all": lambda: document(None, None, [_collective("all_to_all")]),
    "broadcast": lambda: document(None, None, [_collective("broadcast", 5)]),
    "schedule": lambda: document(None, None, [_schedule("all_reduce", "ring")]),
    "rounds of messages": lambda: document(None, None, [_rounds()]),
    "schedule at rates": lambda: document(None, None, [_at_rates()]),
    "cuts in time": lambda: document(None, None, [_cuts_in_time()]),
    "schedule of pairs": lambda: document(None, None, [_schedule("all_to_all", "bruck")]),
    "parts": lambda: document(FIVE.network, FIVE, [delivery_claim(FIVE, True)], [_left(FIVE.network)]),
    "update": lambda: _updated(dimension_order(mesh(2, 2)), dimension_order(mesh(2, 2), order=[1, 0])),
    "update in any order": lambda: _updated(dimension_order(line(4)), up_down(line(4), root=1)),
    "hops": _hops,
    "carries": _carries,
    "end points": _with_terminals,
    "end points by states": _by_states,
    "not saved": lambda: _removed(fully_adaptive(ring(5), vcs=1), "vct"),
    **{f"lanes that are {how}": partial(_refuted, ring(5), 1, how) for how in ("shared", "rising", "any")},
}


@cache
def _text(name: str) -> str:
    return json.dumps(MAKE[name]())


def question_for(content: Document) -> Document:
    """The question that a document answers: all that it says but its proofs."""
    asked = json.loads(json.dumps(content))
    for part in (asked, *asked.get("parts", ())):
        for claim in part["claims"]:
            del claim["proof"]
    return {**asked, "format": plain.QUESTION}


def specimen(name: str) -> Document:
    """A fresh copy of one."""
    return json.loads(_text(name))  # type: ignore[no-any-return]
