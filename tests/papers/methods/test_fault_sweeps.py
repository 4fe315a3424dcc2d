"""All sets of dead switches, one by one and all at once; random ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.papers import script
from unknot._base.errors import NetworkError, UnknotError
from unknot.network import Network
from unknot.network.families import benes, clos, extra_stage_cube, omega
from unknot.network.stages import stages
from unknot_papers.multistage import Marks
from unknot_papers.rcbn import rcbn

SWEEPS = script("methods.fault_sweeps")
fewest_that_block_all, sample_faults, worst_faults = (
    SWEEPS.fewest_that_block_all,
    SWEEPS.sample_faults,
    SWEEPS.worst_faults,
)
interior, random_faults, single_faults = SWEEPS.interior, SWEEPS.random_faults, SWEEPS.single_faults
unreachable_pairs = SWEEPS.unreachable_pairs


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


def test_reachability_under_all_single_faults() -> None:
    """No dead interior switch and no dead link cuts a pair of an RCBN off; in an omega network every one does."""
    for network in (rcbn(8), rcbn(16), benes(8), extra_stage_cube(8)):
        lost = [unreachable_pairs(network, marks) for marks in single_faults(network)]
        inner = interior(network).size
        assert len(lost) == inner + network.num_channels
        assert set(lost[:inner]) == {0}
    assert {unreachable_pairs(rcbn(16), marks) for marks in single_faults(rcbn(16))} == {0}
    assert [unreachable_pairs(omega(8), marks) for marks in single_faults(omega(8))] == [16] * 4 + [8] * 16


def test_random_faults() -> None:
    network = rcbn(32)
    marks = random_faults(network, 5, np.random.default_rng(0))
    assert np.bincount(stages(network).stage[list(marks.switches)], minlength=7).tolist() == [0, 5, 5, 5, 5, 5, 0]
    with pytest.raises(NetworkError, match="17 dead switches in stage 1, which has 16"):
        random_faults(network, 17, np.random.default_rng(0))
