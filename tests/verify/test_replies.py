"""Requests that wait for replies at terminals."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import pytest

from unknot._base.errors import RelationError
from unknot.network.families import mesh, torus
from unknot.routing import Relation, dimension_order, in_classes, in_ranges, message_classes, shortest_paths
from unknot.verify import check, dependencies
from unknot.verify.replies import request_reply

NET = mesh(3, 3)


def with_terminals(relation: Relation, ask: str, tell: str) -> nx.DiGraph[str]:
    """Dependencies by name; those at terminals from a walk with every packet."""
    graph, name, network = nx.DiGraph(), relation.vcs.name, relation.network
    found = dependencies(relation)
    for vc in range(relation.num_vcs):
        graph.add_edges_from((name(vc), name(int(w))) for w in found.target[found.first[vc] : found.first[vc + 1]])
    block = relation.num_addresses // len(relation.classes)
    for address, to in enumerate(relation.destination.tolist()):
        kind = relation.classes[address // block]
        for source in set(range(network.num_terminals)) - {to}:
            todo = [relation.num_vcs + source]
            for at in todo:
                steps = [c.vc for c in relation.candidates(at, address)]
                todo += [vc for vc in steps if vc is not None]
                if kind == ask and None in steps:
                    graph.add_edge(name(at), network.terminal_name(to))
            if kind == tell:
                first = [c.vc for c in relation.candidates(todo[0], address)]
                graph.add_edges_from((network.terminal_name(source), name(vc)) for vc in first if vc is not None)
    return graph


def test_classes_on_the_same_vcs_wait_for_each_other() -> None:
    for low, safe in ((0, False), (1, False), (2, True)):
        relation = in_ranges(NET, 4, [("ask", 0, dimension_order(NET, 2)), ("tell", low, dimension_order(NET, 2))])
        assert check(relation, "wormhole-nonatomic").deadlock_free
        found = request_reply(relation, {"ask": "tell"})
        assert found.network_safe
        assert found.safe == safe
        assert bool(found.cycle) != safe
        graph = with_terminals(relation, "ask", "tell")
        assert nx.is_directed_acyclic_graph(graph) == safe
        assert all(graph.has_edge(*pair) for pair in zip(found.cycle, found.cycle[1:] + found.cycle[:1], strict=True))
        if not safe:
            assert {name for name in found.cycle if name.startswith("t")}
            assert "message-dependent deadlock is possible" in found.established
    # Without a class that answers nobody waits at a terminal.
    assert request_reply(relation, {}).safe


def test_a_network_with_cycles_of_its_own() -> None:
    net = torus(4, 4)
    relation = in_classes(shortest_paths(net, 1))
    found = request_reply(relation, {"request": "reply"})
    assert (found.safe, found.network_safe, found.cycle) == (False, False, ())
    assert "nothing is said of replies" in found.established


def test_without_time_nothing_is_said() -> None:
    found = request_reply(in_classes(dimension_order(NET)), {"request": "reply"}, time_limit=1e-9)
    assert (found.safe, found.network_safe, found.cycle) == (None, None, ())
    assert "time ran out" in found.established


def test_unknown_classes_are_refused() -> None:
    with pytest.raises(RelationError, match="unknown message class"):
        request_reply(in_classes(dimension_order(NET)), {"request": "answer"})


Side = tuple[int, int, int]
"""Of a terminal of two: flits of its request that it has sent, flits of it taken in by the other, and flits of the
reply that it sends."""


def stuck_states(queues: int, length: int = 2, depth: int = 1) -> tuple[int, int]:
    """States of two terminals that send each other requests of `length` flits, and how many of them are for ever.

    Requests and replies have buffers of their own between them, of `depth` flits. A terminal takes in a request when
    the port that its reply needs is free: with one queue it is not, before its own request has left.
    """
    empty: tuple[Side, Side] = ((0, 0, 0), (0, 0, 0))
    seen, todo, stuck = {empty}, [empty], 0
    while todo:
        state = todo.pop()
        after = list(moves(state, queues, length, depth))
        stuck += not after and state != ((length, length, length),) * 2
        for other in after:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return len(seen), stuck


def moves(state: tuple[Side, Side], queues: int, length: int, depth: int) -> Iterator[tuple[Side, Side]]:
    for i in (0, 1):
        (sent, taken, told), (their_sent, their_taken, their_told) = state[i], state[1 - i]
        sends_reply = 0 < told < length
        sides = []
        if sent < length and sent - taken < depth and (queues == 2 or not sends_reply):
            sides.append(((sent + 1, taken, told), state[1 - i]))
        port_is_free = queues == 2 or (not 0 < their_sent < length and not 0 < their_told < length)
        if taken < sent and (taken or port_is_free):
            sides.append(((sent, taken + 1, told), state[1 - i]))
        if told < length and their_taken == length and (queues == 2 or sent in (0, length)):
            sides.append(((sent, taken, told + 1), state[1 - i]))
        for mine, other in sides:
            yield (mine, other) if i == 0 else (other, mine)


def test_a_safe_answer_says_on_what_it_rests() -> None:
    """Terminals that send one message at a time deadlock in a relation that is called safe; two queues do not."""
    found = request_reply(message_classes(mesh(2)), {"request": "reply"})
    assert found.safe
    assert "as long as replies have an injection queue of their own" in found.established
    assert "send one message at a time" in found.established
    assert stuck_states(queues=2)[1] == 0
    assert stuck_states(queues=1)[1] > 0
