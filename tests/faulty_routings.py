"""Routing algorithms with a single fault: a wrong virtual channel or direction, a candidate lost or added."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from unknot._base.errors import UnknotError
from unknot.fabrics.named import network as named
from unknot.routing.named import routing, routings
from unknot.routing.parts import Addressing
from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK, Relation
from unknot.verify.testing import NETWORKS

KINDS = ("vc", "direction", "drop", "add", "no wait")
SCOPES = ("state", "place", "address", "router")


@dataclass(frozen=True)
class Fault:
    """What is changed, and at which places and for which addresses (None: all)."""

    kind: str
    virtual: frozenset[int] | None
    addresses: frozenset[int] | None
    seed: int

    def applies(self, at: int, address: int) -> bool:
        return (self.virtual is None or at in self.virtual) and (self.addresses is None or address in self.addresses)


def faults(relation: Relation, count: int, seed: int) -> Iterator[Fault]:
    """Faults of every kind and scope, at random."""
    random = Random(seed)
    for i in range(count):
        at = random.randrange(relation.num_vcs + relation.network.num_terminals)
        address = random.randrange(relation.num_addresses)
        router = relation.vcs.router[at]
        here = frozenset(np.flatnonzero(relation.vcs.router == router).tolist())
        virtual, addresses = {
            "state": (frozenset({at}), frozenset({address})),
            "place": (frozenset({at}), None),
            "address": (None, frozenset({address})),
            "router": (here, None),
        }[random.choice(SCOPES)]
        yield Fault(KINDS[i % len(KINDS)], virtual, addresses, random.randrange(1 << 30))


def planted(relation: Relation, fault: Fault) -> Relation:
    """The relation with a fault, asked in plain Python."""
    known: dict[tuple[int, int], list[int]] = {}
    width = relation.max_candidates

    def rule(at: int, address: int, out: Any) -> int:
        if (at, address) not in known:
            room = np.zeros(width, dtype=np.int64)
            answer = room[: relation.rule(at, address, room)].tolist()
            known[at, address] = changed(relation, at, answer, fault) if fault.applies(at, address) else answer
        answer = known[at, address]
        out[: len(answer)] = answer
        return len(answer)

    return Relation(
        relation.network,
        relation.vcs,
        rule,
        name=f"{relation.name}, {fault.kind}",
        commits=relation.commits,
        addresses=Addressing(relation.destination, may_use=relation.may_use),
    )


def changed(relation: Relation, at: int, answer: list[int], fault: Fault) -> list[int]:
    """An answer after the fault; as it was where the fault cannot be."""
    random = Random(fault.seed)
    virtual, network = relation.vcs, relation.network
    vcs = [i for i, value in enumerate(answer) if value & VC_MASK != EJECT]
    leaving = np.flatnonzero(network.source[virtual.channel] == virtual.router[at]).tolist()
    pick = random.choice(vcs) if vcs else -1
    if fault.kind == "add":
        spare = [vc for vc in leaving if vc not in {value & VC_MASK for value in answer}]
        return [*answer, random.choice(spare)] if spare else answer
    if not vcs:
        return answer
    old = answer[pick] & VC_MASK
    rest = answer[:pick] + answer[pick + 1 :]
    if fault.kind == "drop":
        return rest if any(not value & NO_WAIT for value in rest) else answer
    if fault.kind == "no wait":
        return [*rest, answer[pick] | NO_WAIT] if any(not value & NO_WAIT for value in rest) else answer
    same = fault.kind == "vc"
    others = [vc for vc in leaving if vc != old and (virtual.channel[vc] == virtual.channel[old]) == same]
    return [*rest, answer[pick] - old + random.choice(others)] if others else answer


def correct_algorithms(most_places: int, each: int) -> Iterator[tuple[str, Relation]]:
    """Every routing of the package on the smallest networks of the catalogue that it takes."""
    networks = [named(text) for text in NETWORKS]
    for name in sorted(routings()):
        taken: list[Relation] = []
        for network in networks:
            try:
                relation = routing(network, name)
            except UnknotError:
                continue
            if relation.num_vcs <= most_places:
                taken.append(relation)
        for relation in sorted(taken, key=lambda r: r.num_vcs * r.num_addresses)[:each]:
            yield name, relation
