"""Numbers of the ends of buffers in their routers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulation.relations import random_relation
from unknot.network.families import mesh
from unknot.routing import dimension_order
from unknot.simulation.engine.ends import ends_of_buffers
from unknot.simulation.engine.router import Router


@pytest.mark.parametrize("terminals_first", [False, True])
def test_which_inputs_share_a_part_of_output_ports(terminals_first: bool) -> None:
    """Inputs are numbered as the outputs to the same neighbours, whatever channels they come by."""
    network = mesh(3, 3)
    relation = dimension_order(network, 2)
    ends = ends_of_buffers(relation, 4, Router(output_speedup=2, terminals_first=terminals_first))
    for r in range(network.num_routers):
        neighbours = [int(network.target[c]) for c in np.flatnonzero(network.source == r)]
        numbers = {n: k + terminals_first for k, n in enumerate(neighbours)}
        for vc in np.flatnonzero(network.target[relation.vcs.channel] == r):
            part = ends["inputs"]["out_part"][ends["in_row"][vc]]
            assert part == numbers[int(network.source[relation.vcs.channel[vc]])] % 2


@pytest.mark.parametrize("seed", range(8))
def test_the_ends_of_a_channel_follow_from_those_of_its_first_vc(seed: int) -> None:
    """VCs of a port have rows in a row at both ends, whatever the order of ports and the parts of them."""
    relation = random_relation(seed)
    parts = min(1 + seed % 2, relation.vcs.widest)
    ends = ends_of_buffers(relation, 4, Router(input_speedup=parts, terminals_first=seed % 3 == 0))
    words, first = ends["words"], ends["first_word"]

    def cell(rows: str, row: int) -> int:
        before = words[f"first_{rows}"][first[:-1]]
        router = int(np.searchsorted(before, row, side="right")) - 1
        return 64 * int(first[router]) + row - int(before[router])

    for row, end in zip(ends["in_row"].tolist(), ends["out_row"].tolist(), strict=True):
        port, into = int(ends["outputs"]["port"][end]), int(ends["inputs"]["port"][row])
        assert ends["out_ports"]["reader"][port] + end - port == row
        assert ends["out_ports"]["flit_bit"][port] + end - port == cell("input", row)
        assert ends["in_ports"]["credit_bit"][into] + row - into == cell("output", end)
        assert ends["in_ports"]["first"][into] <= into <= row
