"""Drawings and words about messages through multistage networks."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.families import benes, clos, omega
from unknot.report.picture import Drawing, rendered
from unknot_papers.multistage import Marks, accept, permute, permute_with_faults, random_permutation
from unknot_papers.multistage.answer import permute_answer
from unknot_papers.multistage.drawing import CONFLICT, draw_realisation
from unknot_papers.rcbn import composite_banyan, rcbn

FAMILIES = [rcbn(16), omega(8), benes(8), clos(3, 2, 4), composite_banyan(16), benes(2)]


def titles(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")]


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("network", FAMILIES, ids=lambda network: network.name)
def test_every_message_and_switch_is_drawn(network: Network) -> None:
    found = permute(network, random_permutation(network, 1))
    drawn = draw_realisation(found).text
    assert drawn == draw_realisation(found).text
    shown = titles(drawn)
    for s, d in zip(found.sources.tolist(), found.destinations.tolist(), strict=True):
        assert f"t{s} → t{d}" in shown
    assert set(network.router_labels or ()) <= set(shown)
    assert (CONFLICT in drawn) == (found.realised is False)
    assert rendered(Drawing(drawn), "png").startswith(b"\x89PNG")


def test_dead_switches_and_conflicts_are_shown() -> None:
    network = rcbn(8)
    marks = Marks.of(network, ["s1r0", "s0r3-s1r3"])
    found = permute_with_faults(network, [2, 3, 0, 1, 4, 5, 6, 7], marks)
    drawn = draw_realisation(found).text
    assert "s1r0 is dead" in titles(drawn)
    assert "rcbn(8): blocked" in drawn
    assert 'stroke-dasharray="2 4"' in drawn
    assert 'stroke-width="7"' in drawn
    assert rendered(Drawing(drawn), "png").startswith(b"\x89PNG")


def test_messages_without_any_path_end_at_their_switch() -> None:
    network = omega(8)
    marks = Marks.of(network, ["s1r0"])
    found = permute_with_faults(network, range(8), marks)
    assert found.method == "reachability"
    assert "t0 → t0" in titles(draw_realisation(found).text)


def test_undecided_and_large_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["unknot_papers.multistage.search"], "MAX_VARIABLES", 1)
    assert "undecided (cp-sat)" in draw_realisation(permute(omega(16), range(16))).text
    large = permute(rcbn(1024), range(1024))
    assert "Too large to draw" in draw_realisation(large).text


def test_tags_in_words() -> None:
    network = rcbn(16)
    found = permute(network, [15, *(-1,) * 15])
    answer = permute_answer(found)
    assert answer["realised"] is True
    assert answer["messages"][0]["switches"][0] == "s0r0"
    assert answer["messages"][0]["switches"][-1] == "s4r7"
    assert (answer["network"], answer["method"]) == ("rcbn(16)", "looping")


def test_ports_are_the_digits_of_the_destination_in_a_delta_network() -> None:
    network = omega(8)
    for d in range(8):
        found = permute(network, [d, *(-1,) * 7])
        assert permute_answer(found)["messages"][0]["tag"] == f"{d:03b}"
    wide = clos(12, 2, 2)
    (message,) = permute_answer(permute(wide, [1, -1, -1, -1]))["messages"]
    assert message["tag"] == "0.0.1"


def test_a_blocked_set_in_words() -> None:
    network = omega(8)
    found = permute(network, "0 - - - 1 - - -")
    answer = permute_answer(found)
    assert (answer["realised"], answer["routed"]) == (False, 1)
    assert [message["blocked"] for message in answer["messages"]] == [True, True]
    assert answer["minimal"] is True
    assert {message["channels"] is None for message in answer["messages"]} == {True, False}


def test_channels_are_numbered_as_without_faults() -> None:
    network = rcbn(8)
    marks = Marks.of(network, ["s1r0"])
    found = permute_with_faults(network, [-1, -1, 2, -1, -1, -1, -1, -1], marks)
    (message,) = permute_answer(found)["messages"]
    names = [network.router_name(int(network.target[c])) for c in message["channels"]]
    assert message["switches"][1:] == names


def test_faults_upon_faults() -> None:
    """Of a network that was faulty already, channels have its own numbers."""
    whole = rcbn(8).without(channels=[0, 7])
    marks = Marks.of(whole, ["s1r0"])
    found = permute_with_faults(whole, [-1, -1, 2, -1, -1, 5, -1, -1], marks)
    for message in permute_answer(found)["messages"]:
        names = [whole.router_name(int(whole.target[c])) for c in message["channels"]]
        assert message["switches"][1:] == names
    assert "t5 → t5" in titles(draw_realisation(found).text)
    with pytest.raises(NetworkError, match="a path takes the dead s"):
        accept(replace(found, marks=Marks(links=(int(found.paths[0, 0]),))))
