"""Hop numbers with several VCs for each hop."""

from __future__ import annotations

import pytest

from unknot.network.families import mesh, petersen, slim_fly
from unknot.routing import hop_number
from unknot.routing.relation import EJECT
from unknot.routing.tabulate import tabulate
from unknot.verify import check, deliver


@pytest.mark.parametrize("network", [mesh(3, 3), petersen(), slim_fly(5, 1)], ids=lambda network: network.name)
@pytest.mark.parametrize("share", [1, 2, 3])
def test_each_hop_has_its_share_of_the_virtual_channels(network, share) -> None:
    hops = hop_number(network).vcs.widest
    relation = hop_number(network, share * hops)
    found = tabulate(relation)
    index, climbs = relation.vcs.index, 0
    for state in range(found.input_vc.size):
        at = int(found.input_vc[state])
        for value in found.value[found.start[state] : found.start[state + 1]].tolist():
            if at < relation.num_vcs and value != EJECT:
                assert index[value] // share == index[at] // share + 1
                climbs += 1
    assert climbs > 0
    assert check(relation).deadlock_free
    assert deliver(relation).minimal
