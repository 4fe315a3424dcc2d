"""What holds of every analysis of any relation: its size, what it says on its way, and which arguments it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.brute_force import states_of
from tests.strategies import networks, relations
from unknot._base.errors import RelationError
from unknot.certificates.verdict import Size
from unknot.network.families import mesh
from unknot.routing import Relation, duato, fully_adaptive
from unknot.verify import adaptivity, check, check_all, deliver, loads, smallest
from unknot.verify.properties import properties
from unknot_papers.bnr import bnr

REPORTING = [check, check_all, deliver, loads, adaptivity, bnr, properties]


@given(relations(networks(strongly_connected=None)))
def test_the_size_of_the_question(relation: Relation) -> None:
    """Counted by following every packet; the same under every technique."""
    answers = states_of(relation)
    graph = nx.DiGraph(
        [(at, vc) for row in answers for at, a in row.items() if at < relation.num_vcs for vc in a.may]
    )
    cyclic = {vc for part in nx.strongly_connected_components(graph) if len(part) > 1 for vc in part}
    cyclic |= {vc for vc in graph if graph.has_edge(vc, vc)}
    states = sum(len(row) for row in answers)
    size = Size(relation.num_addresses, states, relation.num_vcs, graph.number_of_edges(), len(cyclic))
    for verdict in check_all(relation).values():
        assert verdict.size == size
        assert verdict.established
        assert verdict.method
        assert f"{states:,}" in verdict.scope


@pytest.mark.parametrize("analysis", REPORTING)
@settings(max_examples=5)
@given(relation=relations(), threads=st.integers(1, 2))
def test_stages_have_names_and_come_to_their_end(
    analysis: Callable[..., Any], relation: Relation, threads: int
) -> None:
    """A stage starts again, for another technique, after it came to its end."""
    heard: list[tuple[str, int, int]] = []
    options = {"threads": threads} if analysis in (check, check_all, deliver) else {}
    try:
        analysis(relation, progress=lambda *news: heard.append(news), **options)
    except RelationError:  # some have no loads, since packets go round
        return
    furthest: dict[str, int] = {}
    for stage, done, total in heard:
        assert stage or done == total
        assert furthest.get(stage, 0) <= done <= total
        furthest[stage] = done if done < total else 0
    assert all(isinstance(stage, str) for stage in furthest)
    assert heard[-1][1] == heard[-1][2]


@pytest.mark.parametrize("analysis", [check, check_all, smallest])
@pytest.mark.parametrize("depth", [0, -1, 2.5, "2", True, None])
def test_no_buffer_depth(analysis: Callable[..., Any], depth: Any) -> None:
    with pytest.raises(RelationError, match="buffer depth must be a whole number of flits of at least 1"):
        analysis(duato(mesh(2, 2), 2), buffer_depth=depth)


@pytest.mark.parametrize("analysis", [check, check_all, smallest])
def test_the_buffer_depth_is_that_of_the_messages(analysis: Callable[..., Any]) -> None:
    for depth in (1, 3):
        found = analysis(fully_adaptive(mesh(2, 2), 1), "wormhole", buffer_depth=depth)
        for configuration in (v.configuration for v in (found.values() if isinstance(found, dict) else [found])):
            assert configuration.buffer_depth == depth
            assert all(m.length == depth * len(m.held) for m in configuration.messages)
