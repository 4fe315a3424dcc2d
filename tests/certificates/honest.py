"""Honest evidence of every kind about small networks, some of one size and name but wired otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from tests.certificates.specimens import _removed
from tests.verify.controllers.drawn import table as drawn_table
from unknot.certificates import delivery_claim, document, size_claim, verdict_claim
from unknot.certificates.documents import part_of
from unknot.flow_control import technique
from unknot.flow_control.pools import Keeps, Pool
from unknot.lane_assignment import lanes
from unknot.lane_assignment.evidence import bound_claim
from unknot.network import Network
from unknot.network.families import line, ring
from unknot.remedies import repair
from unknot.remedies.escape import escaped
from unknot.routing import Relation, dimension_order, fully_adaptive, shortest_paths, up_down
from unknot.synthesis import Request, decide, every_size
from unknot.verify import Failures, check, deliver, fault_sweep, update
from unknot.verify.controllers import check_table
from unknot.verify.controllers.evidence import claims as table_claims
from unknot.verify.delivery import answer_claims
from unknot.verify.phases import PhasedChunks, check_phases
from unknot.verify.progress import progress, progress_claims
from unknot.verify.protocols import check_protocol, protocol
from unknot.verify.protocols.evidence import claims as protocol_claims
from unknot_collectives.bounds import bound
from unknot_collectives.operation import Operation
from unknot_collectives.platform import platform_of
from unknot_collectives.textbook import textbook

Document = dict[str, Any]


def twin(number: int) -> Network:
    """A ring of five, its routers numbered in another order."""
    order = np.random.default_rng(number).permutation(5)
    base = ring(5)
    return Network("five", 5, order[base.source].tolist(), order[base.target].tolist())


def network(number: int) -> Network:
    """Networks 0 to 3 have one size and name."""
    return twin(number) if number < TWINS else [ring(4), ring(6), line(4), ring(7)][number - TWINS]


TWINS, NETWORKS = 4, 8


def routes(n: Network, variant: int) -> Relation:
    return up_down(n, root=0) if variant == 0 else up_down(n, root=2) if variant == 1 else shortest_paths(n)


def _about(relation: Relation, *claims: Document) -> Document:
    return document(relation.network, relation, claims)


def _verdicts(n: Network, v: int) -> Document:
    relation = routes(n, v)
    return _about(relation, *(verdict_claim(check(relation, switching)) for switching in ("saf", "vct", "wormhole")))


def _delivery(n: Network, v: int) -> Document:
    relation = routes(n, v)
    return _about(relation, delivery_claim(relation, True), *answer_claims(relation, [], deliver(relation))[1:])


def closed_lines(n: Network) -> list[tuple[int, ...]]:
    """Channels around a ring in both directions; none on a line."""
    lines = []
    for first in np.flatnonzero(n.source == 0).tolist():
        line, here = [first], int(n.target[first])
        while here != 0:
            onward = np.flatnonzero((n.source == here) & (n.target != n.source[line[-1]])).tolist()
            line += onward[:1]
            here = int(n.target[line[-1]]) if onward else 0
        lines += [tuple(line)] * bool(n.target[line[-1]] == 0)
    return lines


def _pools(n: Network, v: int) -> Document:
    """Rings of two kinds, one of which has a way in that is not guarded; and buffers that routers share."""
    relation, pools = shortest_paths(n), []
    keeps: Keeps = "slot of the pool" if v == 0 else "marked slot"
    for around in closed_lines(n) if v < 2 else ():
        pools.append(Pool(around, 2 * len(around), 0, keeps, frozenset(pairwise((*around, around[0])))))
    if pools and v == 0:
        pools[0] = replace(pools[0], unguarded=frozenset(pools[0].vcs[-1:]))
    for router in range(0 if pools else n.num_routers):
        entering = tuple(np.flatnonzero(n.target == router).tolist())
        pools.append(Pool(entering, 1, 1))
    flow = replace(technique("vct"), packets=2, pools=tuple(pools))
    verdict = check(relation, flow=flow)
    return _about(relation, *([] if verdict.deadlock_free is None else [verdict_claim(verdict)]))


def _size(n: Network, v: int) -> Document:
    relation = fully_adaptive(n, vcs=1) if v == 1 else routes(n, 2 - v)
    return _about(relation, size_claim(relation, "wormhole" if v == 2 else "vct", 3))


def _progress(n: Network, v: int) -> Document:
    relation = routes(n, v % 2)
    free = verdict_claim(check(relation))
    arbiters = ("fair", "round_robin", "oldest_first", "fixed")
    return _about(
        relation, *(one for arbiter in arbiters for one in progress_claims(progress(relation, arbiter), free))
    )


def _protocol(n: Network, v: int) -> Document:
    relation = routes(n, v % 2)
    kind = f"request_reply(depth={1 + v % 2}, queues='separate')"
    return _about(relation, *protocol_claims(check_protocol(relation, protocol(kind))))


def _cuts(n: Network, v: int) -> Document:
    """Channels that fail alone: the routes over them, none of which is severed on a ring."""
    relation, over = routes(n, 2), dict.fromkeys(range(n.num_channels), 0)
    for address in range(n.num_terminals):
        for source in range(n.num_terminals):
            at = relation.num_vcs + source
            while source != address and (vc := relation.candidates(at, address)[0].vc) is not None:
                over[int(relation.vcs.channel[vc])] += 1
                at = vc
    on_ring = not n.name.startswith("line")
    faults = [
        {"channels": [c], "routers": [], "lost": many, "severed": 0 if on_ring else many}
        for c, many in over.items() if c % 3 != v % 3
    ]  # fmt: skip
    return _about(relation, {"subject": "cuts", "faults": faults, "proof": {}})


def _repair(n: Network, v: int) -> Document:
    """The verdict on routes, why cheaper repairs are impossible, and the remedies."""
    relation = shortest_paths(n)
    remedies = [one for one in repair(relation, time_limit=600) if one.cost is not None] if v == 0 else []
    claims = [verdict_claim(check(relation)), *(claim for one in remedies for claim in one.bound_claims)]
    parts = [part_of(one.kind, one.relation, [verdict_claim(check(one.relation))]) for one in remedies]
    return document(n, relation, claims, parts)


def _escapes(n: Network, v: int) -> Document:
    relation = fully_adaptive(n, vcs=1)
    evidence = escaped(relation, minimal=bool(v)).evidence
    return _about(relation, *([evidence.claim] if evidence else []))


def _removals(n: Network, v: int) -> Document:
    relation = fully_adaptive(n, vcs=1)
    return _about(relation) if n.name.startswith("line") else _removed(relation, ("vct", "wormhole", "saf")[v])


def _lanes(n: Network, v: int) -> Document:
    sends = None if v == 0 else np.ones((n.num_terminals, n.num_terminals))
    if sends is not None:
        sends[v, :] = sends[:, v] = 0.0
    found = lanes(n, flows=sends, survive="links" if v == 0 and n.num_routers == 5 else None)
    bounds = [] if found.evidence is None else [bound_claim(found.evidence, found.sends, None)]
    return document(n, None, [*bounds, *([found.load_evidence.claim] if found.load_evidence else [])])


def _routes(n: Network, v: int) -> Document:
    relation = (
        shortest_paths(n)
        if v == 0
        else dimension_order(n, 1, dateline="none")
        if n.coordinates is not None
        else shortest_paths(n)
    )
    found = lanes(n, "given", routing=relation)
    return document(n, relation, [] if found.evidence is None else [bound_claim(found.evidence, None, relation)])


def _update(n: Network, v: int) -> Document:
    return document(n, None, update(up_down(n, root=0), up_down(n, root=1 + v)).claims)


def _failures(n: Network, v: int) -> Document:
    """On trees, where no failures close a cycle."""
    cut = n.without(
        channels=[
            c
            for c in range(n.num_channels)
            if {int(n.source[c]), int(n.target[c])} == {0, int(n.target[n.source == 0][0])}
        ]
    )
    n = Network(n.name, n.num_routers, cut.source, cut.target)
    tries = Failures(("links", "any", "routers")[v], budget=1)
    return document(n, None, fault_sweep(n, "ospf", failures=tries).claims)


def _faults(n: Network, v: int) -> Document:
    """The verdict after each failure of a link."""
    parts = []
    for a, b in {(min(ends), max(ends)) for ends in zip(n.source.tolist(), n.target.tolist(), strict=True)}:
        failed = [c for c in range(n.num_channels) if {int(n.source[c]), int(n.target[c])} == {a, b}]
        if n.name.startswith("line"):
            continue
        left = routes(n.without(channels=failed), v % 2)
        claims = [verdict_claim(check(left)), delivery_claim(left, True)]
        parts.append(part_of(f"({a})–({b})", left, claims, {"channels": failed, "routers": []}))
    return document(n, None, [], parts)


def _audit(n: Network, v: int) -> Document:
    """Kinds of traffic, each with a network of its own, as audits have them."""
    kinds = {"host-to-host": routes(n, v), "replies": routes(n, 1 - v % 2), "all": shortest_paths(n)}
    parts = [
        part_of(kind, one, answer_claims(one, [check(one)], deliver(one)), of_its_own=True)
        for kind, one in kinds.items()
    ]
    return document(n, None, [], parts)


def _collective(n: Network, v: int) -> Document:
    platform = platform_of(n)
    kind = ("all_reduce", "all_to_all", "broadcast")[v]
    whole = Operation(kind, platform.members, Fraction(64 + v, 3), platform.members[0] if v == 2 else None)
    return document(None, None, [bound(platform, whole).claim()])


def _schedule(n: Network, v: int) -> Document:
    platform = platform_of(n)
    kind, algorithm = (("all_reduce", "ring"), ("all_to_all", "bruck"), ("all_gather", "ring"))[v]
    return document(
        None, None, [textbook(platform, Operation(kind, platform.members, Fraction(8 + v)), algorithm).claim()]
    )


def _phases(number: int, v: int) -> Document:
    shape = (2, 2) if number < TWINS else (2, 3)
    system = PhasedChunks(shape, 2 + number % TWINS, 2 + (number + v) % TWINS, together=bool(v))
    verdict = check_phases(system)
    return document(None, None, [] if verdict.deadlock_free is None else [verdict.claim(system)])


def _rule(number: int, v: int) -> Document:
    family = "mesh(2)" if number < TWINS else "mesh(1)"
    routing = ("duato", "west_first", "dimension_order", "negative_first")[number % TWINS]
    if family == "mesh(1)":
        routing = ("duato", "dimension_order")[number % 2]
    found = every_size(family, routing, ("vct", "wormhole", "saf")[v])
    return document(None, None, [] if found.proof is None else [found.claim])


def _rules(number: int, v: int) -> Document:
    counts = ((1, 1), (1, 1)) if number < TWINS else ((1, 1), (1, 1), (1, 1))[: 2 + number % 2]
    request = Request("paths" if v == 2 else "states", None if number % 2 else 3)
    found = decide(counts, ("vct", "saf", "wormhole", "vct")[(number + v) % 4], request=request)
    return document(None, None, [] if found.evidence is None else [found.evidence.claim])


ON_NETWORKS: dict[str, Callable[[Network, int], Document]] = {
    "deadlock": _verdicts, "pools": _pools, "delivery and lengths": _delivery, "size": _size, "progress": _progress,
    "protocol": _protocol, "cuts": _cuts, "changes and remedies": _repair, "escapes": _escapes,
    "removals": _removals,
    "lanes and load": _lanes, "lanes of routes": _routes, "update": _update, "failures": _failures,
    "faults": _faults, "audits": _audit, "collective": _collective, "schedule": _schedule,
}  # fmt: skip


def _controllers(number: int, v: int) -> Document:
    return document(None, None, table_claims(check_table(drawn_table(7 * number + v), caches=2)))


ALONE: dict[str, Callable[[int, int], Document]] = {
    "controllers": _controllers, "phases": _phases, "rule": _rule, "rules": _rules,
}  # fmt: skip
KINDS = [*ON_NETWORKS, *ALONE]


@cache
def honest(kind: str, number: int, variant: int) -> str:
    """Evidence of a kind, as JSON; without claims where there is nothing to claim."""
    made = ALONE[kind](number, variant) if kind in ALONE else ON_NETWORKS[kind](network(number), variant)
    return json.dumps(made)
