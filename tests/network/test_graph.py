"""Cycles of graphs, against every simple cycle."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from unknot.network.graph import light_cycles


@given(st.dictionaries(st.tuples(st.integers(0, 6), st.integers(0, 6)), st.floats(0, 1), max_size=20))
def test_light_cycles_are_the_lightest_through_each_node(weight: dict[tuple[int, int], float]) -> None:
    graph = nx.DiGraph([turn for turn in weight if turn[0] != turn[1]])
    every = {tuple(cycle): sum(weight[t] for t in pairwise([*cycle, cycle[0]])) for cycle in nx.simple_cycles(graph)}
    cycles = light_cycles({turn: w for turn, w in weight.items() if turn[0] != turn[1]})
    for cycle in cycles:
        assert sum(weight[turn] for turn in pairwise([*cycle, cycle[0]])) < 1
    light = [cycle for cycle, total in every.items() if total < 1 - 1e-4]
    assert {node for cycle in light for node in cycle} <= {node for cycle in cycles for node in cycle}
