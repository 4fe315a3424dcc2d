"""Numbers of the ends of buffers in their routers."""

from __future__ import annotations

import numpy as np
import pytest

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
