"""Random tiny systems: a relation on two or three routers, and the protocol of their terminals."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from unknot.network import Network
from unknot.network.families import line, ring
from unknot.routing import EJECT, Relation, in_classes
from unknot.verify.protocols import Follow, MessageClass, Protocol, ProtocolError, Queue
from unknot.verify.protocols.protocol import RECIPIENTS, Recipient

NETWORKS = (
    line(2),
    line(2),
    line(3),
    ring(3),
    Network("pair with two channels", 2, [0, 0, 1, 1], [1, 1, 0, 0]),
    Network("one way round", 3, [0, 1, 2], [1, 2, 0]),
)
PAIRS = tuple(network for network in NETWORKS if network.num_routers == 2)


def random_relation(chance: random.Random, networks: Sequence[Network] = NETWORKS) -> Relation:
    """Shortest paths, all or some of them, on one or two VCs; few terminals, to keep the states few."""
    network = chance.choice(networks)
    vcs = chance.choice((1, 1, 2))
    hops = [[len(_path(network, u, v)) for v in range(network.num_routers)] for u in range(network.num_routers)]
    adaptive = chance.random() < 0.5
    first = np.arange(network.num_channels + 1) * vcs
    table: dict[tuple[int, int], list[int]] = {}
    for at in range(int(first[-1]) + network.num_routers):
        here = int(network.target[at // vcs]) if at < first[-1] else at - int(first[-1])
        for to in range(network.num_routers):
            near = [
                int(first[c]) + v
                for c in range(network.num_channels)
                for v in range(vcs)
                if network.source[c] == here and hops[int(network.target[c])][to] < hops[here][to]
            ]
            if here == to:
                table[at, to] = [EJECT]
            else:
                table[at, to] = chance.sample(near, chance.randint(1, len(near)) if adaptive else 1)

    def rule(at: int, address: int, out: np.ndarray) -> int:
        row = table[at, address]
        out[: len(row)] = row
        return len(row)

    return Relation(network, vcs, rule, commits=chance.random() < 0.1)


def _path(network: Network, start: int, end: int) -> list[int]:
    level, seen = [[start]], {start}
    for path in level:
        if path[-1] == end:
            return path
        for c in np.flatnonzero(network.source == path[-1]):
            if int(network.target[c]) not in seen:
                seen.add(int(network.target[c]))
                level.append([*path, int(network.target[c])])
    raise AssertionError(end)


def random_protocol(chance: random.Random, recipients: Sequence[Recipient] = RECIPIENTS) -> Protocol:
    """Chains of up to three classes, with every kind of rule now and then."""
    while True:
        names = ["a", "b", "c"][: chance.choice((2, 2, 2, 2, 2, 3))]
        limit = chance.choice((None, None, None, None, 1, 2))
        shared = chance.random() < 0.7
        pair = len(names) > 1 and chance.random() < 0.25
        classes = []
        for i, name in enumerate(names):
            follows = ()
            if i + 1 < len(names) and not (pair and i == 0) and chance.random() < 0.95:
                follows = (Follow(names[i + 1], chance.choice(recipients), chance.choice((1, 1, 1, 2))),)
            if pair and i == 0 and len(names) > 2:
                follows = (Follow(names[2]),)
            own = {"send": "all"} if shared else {}
            own |= {"receive": "all"} if chance.random() < 0.75 else {}
            extra = {"together": "b"} if pair and i == 0 else {}
            if pair and i == 0 and chance.random() < 0.6:
                extra["carries"] = "b"
            if pair and i < 2:
                own["network"] = "a"
                follows = follows if i == 0 else ()
            last = not follows and not pair
            classes.append(
                MessageClass(
                    name,
                    follows=follows,
                    at_once=chance.random() < 0.6,
                    **own,
                    **extra,
                    reserved=last and limit is not None and chance.random() < 0.3,
                )
            )
        begins = [("a",) if not pair or classes[0].carries else ("a", "b")]
        if not pair and len(names) > 1 and chance.random() < 0.2:
            begins.append((names[-1],))
        send = {one.send: chance.choice((1, 1, 2)) for one in classes}
        receive = {one.receive: Queue(chance.choice((1, 1, 2)), chance.random() < 0.7) for one in classes}
        try:
            return Protocol("random", tuple(classes), tuple(begins), send, receive, limit)
        except ProtocolError:
            continue


def random_system(chance: random.Random, networks: Sequence[Network] = NETWORKS) -> tuple[Relation, Protocol]:
    """A relation with classes of its own for what the protocol keeps apart, or without, and the protocol."""
    # Of two terminals there is no other one, to which a message to "any" could go.
    recipients = RECIPIENTS if networks is NETWORKS else RECIPIENTS[:2]
    relation, protocol = random_relation(chance, networks), random_protocol(chance, recipients)
    if chance.random() < 0.06:
        relation = in_classes(relation, protocol.networks)
    if chance.random() < 0.7:  # few flows
        use = np.zeros((relation.network.num_terminals, relation.num_addresses), dtype=bool)
        some = chance.sample(range(relation.network.num_terminals), 2)
        for s in some:
            use[s] = np.isin(relation.destination, some)
        from dataclasses import replace

        relation = replace(relation, addresses=replace(relation.addresses, may_use=use))
    return relation, protocol
