"""All sets of dead switches, one by one and all at once; random ones."""

from __future__ import annotations

import itertools

import pytest

from unknot._base.errors import UnknotError
from unknot.network import Network
from unknot.network.families import benes, clos, omega
from unknot_papers.multistage import Marks, unreachable_pairs
from unknot_papers.multistage.fault_sweeps import fewest_that_block_all, sample_faults, worst_faults
from unknot_papers.multistage.faults import interior
from unknot_papers.rcbn import rcbn


@pytest.mark.parametrize("network", [rcbn(8), omega(8), clos(3, 2, 2)], ids=lambda network: network.name)
@pytest.mark.parametrize("per_stage", [0, 1, 2])
def test_the_worst_of_one_stage_by_trying_all(network: Network, per_stage: int) -> None:
    inner = interior(network).tolist()
    sets = [dead for size in range(per_stage + 1) for dead in itertools.combinations(inner, size)]
    lost = [unreachable_pairs(network, Marks(switches=dead)) for dead in sets]
    found = worst_faults(network, per_stage)
    assert (found.unreachable, found.harmless, found.tried) == (max(lost), lost.count(0), len(sets))
    assert unreachable_pairs(network, found.marks) == found.unreachable


def test_the_worst_of_several_stages() -> None:
    """One dead switch in each stage of RCBN(16): the first and the third stage cut off one pair of switches."""
    found = worst_faults(rcbn(16), 1)
    assert found.tried == 9**3
    assert unreachable_pairs(rcbn(16), found.marks) == found.unreachable > 0
    pairs = itertools.product(range(8, 16), range(16, 32))
    by_hand = [unreachable_pairs(rcbn(16), Marks(switches=pair)) for pair in pairs]
    assert max(by_hand) <= found.unreachable
    assert worst_faults(benes(8), 1).unreachable > 0
    with pytest.raises(UnknotError, match="too many to try"):
        worst_faults(rcbn(32), 3)


def test_fewest_that_block_all_permutations() -> None:
    found = fewest_that_block_all(rcbn(16))
    assert found is not None
    assert found.names(rcbn(16)) == ["s1r0", "s1r1"]
    assert fewest_that_block_all(rcbn(16), most=1) is None
    single = fewest_that_block_all(omega(8), most=1)
    assert single is not None


def test_random_sets() -> None:
    found = sample_faults(rcbn(16), 1, 12, seed=3)
    assert (found.sets, found.permutations, found.undecided) == (12, 12, 0)
    assert found.realised <= found.sets
    assert found.whole < 12
    assert found == sample_faults(rcbn(16), 1, 12, seed=3)
    none = sample_faults(rcbn(32), 0, 3, permutations=False)
    assert (none.whole, none.unreachable, none.permutations) == (3, 0.0, 0)
