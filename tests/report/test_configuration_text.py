"""A configuration in sentences names every message and channel, and who waits for whom."""

from __future__ import annotations

from tests.report.examples import cycle_knot, ring_knot
from unknot._base.phrases import count, listed
from unknot.certificates.verdict import Configuration, Message
from unknot.network import Network, Places
from unknot.network.families import mesh, torus
from unknot.report import describe
from unknot.report.configuration_text import circle, waits
from unknot.routing import Relation


def test_a_ring_of_eight() -> None:
    shown = describe(*ring_knot(torus(8, 8), row=3))
    assert len(shown) == 1 + 8 + 2
    assert shown[0].startswith("8 messages on 8 virtual channels can never move again.")
    assert shown[1] == (
        "Message 1: t24 at (0,3) → t26 at (2,3), 8 flits, holds (0,3)→(1,3); "
        "waits for (1,3)→(2,3) (held by message 2)."
    )
    assert shown[9] == "Messages wait for each other in a cycle: message 1 → 2 → 3 → 4 → 5 → 6 → 7 → 8 → 1."
    assert shown[10].startswith("Every message reaches back")


def test_every_virtual_channel_is_named() -> None:
    relation, configuration = cycle_knot(mesh(4, 4), [5, 6, 10, 9], vcs=2)
    shown = describe(relation, configuration)
    for i, message in enumerate(configuration.messages):
        assert shown[i + 1].startswith(f"Message {i + 1}: ")
        assert all(relation.vcs.name(vc) in shown[i + 1] for vc in (*message.held, *message.wanted))
    assert "or (2,1)→(2,2) VC 1 (held by message 4)" in shown[1]
    assert shown[-1].startswith("Each message by itself")


def test_names_of_terminals_stand_alone() -> None:
    network = Network("named", 2, [0, 1], [1, 0], places=Places(terminal_labels=("H0", "H1")))
    relation = Relation(network, 1, lambda at, address, out: 0)
    messages = (Message(0, 1, 8, (), (0,), (1,)), Message(1, 0, 8, (), (1,), (0,)))
    shown = describe(relation, Configuration("vct", 8, "scheduled", messages))
    assert shown[1] == "Message 1: H0 → H1, 8 flits, holds r0→r1; waits for r1→r0 (held by message 2)."
    assert shown[-1].startswith("Injecting the messages in order")


def test_the_circle_is_a_shortest_one() -> None:
    network = mesh(6)
    relation = Relation(network, 1, lambda at, address, out: 0)
    wanted = {0: (1,), 1: (2,), 2: (3,), 3: (0, 2)}
    messages = tuple(Message(0, 1, 8, (), (vc,), wanted[vc]) for vc in range(4))
    configuration = Configuration("vct", 8, "not-established", messages)
    assert waits(configuration) == [(1,), (2,), (3,), (0, 2)]
    assert circle(configuration) == [2, 3]
    assert "message 3 → 4 → 3." in describe(relation, configuration)[5]


def test_a_message_that_waits_for_itself() -> None:
    configuration = Configuration("wormhole", 8, "injected", (Message(0, 1, 16, (), (0, 2), (0,)),))
    shown = describe(Relation(mesh(3), 1, lambda at, address, out: 0), configuration)
    assert "held by itself" in shown[1]
    assert "message 1 → 1." in shown[2]


def test_a_message_behind_another_one_in_a_virtual_channel() -> None:
    """Its number was said to wait for nobody beside the drawing of a deadlock under bubble flow control."""
    first, second = Message(0, 1, 8, (), (0,), (1,)), Message(0, 1, 8, (), (0,), ())
    last = Message(1, 0, 8, (), (1,), (0,))
    configuration = Configuration("vct", 16, "scheduled", (first, second, last, Message(0, 1, 8, (), (), ())))
    assert waits(configuration) == [(2,), (0,), (0,), ()]


def test_numbers_and_lists_in_words() -> None:
    assert count(1, "channel") == "1 channel"
    assert count(4032, "pair") == "4,032 pairs"
    assert count(5, "switch") == "5 switches"
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
