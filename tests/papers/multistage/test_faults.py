"""Dead switches and links: against enumeration over what is left, and against the counting argument of the paper."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.papers import script
from tests.reference import multistage as naive
from unknot._base.errors import NetworkError, UnknotError
from unknot.network.families import benes
from unknot.network.stages import stages
from unknot_papers.multistage import Marks, accept, marked, permute_with_faults
from unknot_papers.multistage.search import cut
from unknot_papers.rcbn import rcbn

TAGS = script("methods.tags")
alternate_tags = TAGS.alternate_tags
primary_tags = TAGS.primary_tags
rows_of = TAGS.rows_of
tags_avoiding = TAGS.tags_avoiding
unreachable_pairs = script("methods.fault_sweeps").unreachable_pairs


def test_marks_have_names() -> None:
    network = rcbn(8)
    marks = Marks.of(network, ["s1r2", "s0r0-s1r1", "s0r0→s1r1", "s1r2"])
    assert marks == Marks(switches=(6,), links=(2,))
    assert marks.names(network) == ["s1r2", "s0r0→s1r1"]
    for names, message in (
        (["s9r9"], "no router called 's9r9'"),
        (["s0r0-s1r3"], "has no link from s0r0 to s1r3"),
        (["a-b-c"], "neither a switch such as s2r5 nor a link"),
    ):
        with pytest.raises(NetworkError, match=message):
            Marks.of(network, names)


def test_terminals_keep_their_numbers() -> None:
    network = rcbn(8)
    left = marked(network, Marks(switches=(6,)))
    assert (left.num_terminals, left.num_routers, left.num_channels) == (8, 12, 18)
    assert marked(network, Marks()) is network


@given(st.data(), st.integers(3, 5), st.integers(0, 3))
def test_tags_go_round_what_is_dead(data: st.DataObject, n: int, dead: int) -> None:
    network = rcbn(1 << n)
    view = stages(network)
    inner = st.sampled_from(np.flatnonzero((view.stage > 0) & (view.stage < view.count - 1)).tolist())
    switches = tuple(sorted(data.draw(st.sets(inner, max_size=dead))))
    links = tuple(sorted(data.draw(st.sets(st.integers(0, network.num_channels - 1), max_size=dead))))
    marks = Marks(switches, links)
    s = np.array(data.draw(st.lists(st.integers(0, 2**n - 1), min_size=1, max_size=6)))
    d = np.array(data.draw(st.lists(st.integers(0, 2**n - 1), min_size=s.size, max_size=s.size)))
    found, tags = tags_avoiding(network, marks, s, d)
    left = marked(network, marks)
    for i in range(s.size):
        assert bool(found[i]) == bool(naive.paths(left, int(s[i]), int(d[i])))
        rows = rows_of(s[i] >> 1, tags)[i].tolist()
        assert rows[-1] == d[i] >> 1
        if found[i]:
            passed = [int(view.router[stage, row]) for stage, row in enumerate(rows)]
            assert all(left.between(a, b) for a, b in itertools.pairwise(passed))
        else:
            assert tags.texts()[i] == primary_tags(s[i], d[i], n).texts()[0]


def test_the_nearest_tag_is_taken() -> None:
    """From 0 to 0 in RCBN(8) through s1r0, when that is dead through s1r1 or s1r2: two digits change."""
    network = rcbn(8)
    found, tags = tags_avoiding(network, Marks.of(network, ["s1r0"]), [0, 0], [0, 2])
    assert found.all()
    assert tags.texts()[0] in {"11̄", "1̄1"}
    assert tags.texts()[1] == "1̄0"
    found, tags = tags_avoiding(network, Marks(), [0, 5], [0, 2])
    assert tags.texts() == primary_tags([0, 5], [0, 2], 3).texts()
    everything = Marks.of(network, ["s1r0", "s1r1", "s1r2"])
    assert tags_avoiding(network, everything, 0, 0)[0].tolist() == [False]


def test_more_than_a_sixth_of_a_stage_blocks_every_permutation() -> None:
    """Each dead switch takes 3 of the 3 N / 2 links on either side; N are needed."""
    network = rcbn(16)
    rows, ends = stages(network).router, np.arange(16, dtype=np.int32)
    for stage in (1, 2, 3):
        for chosen in itertools.combinations(rows[stage].tolist(), 3):
            most = cut(marked(network, Marks(switches=chosen)), ends, ends)
            assert most is not None
            assert most <= 15
    found = permute_with_faults(network, range(16), Marks.of(network, ["s1r0", "s1r1", "s1r7"]))
    assert found.realised is False
    accept(found)


def test_two_neighbours_dead_block_every_permutation_of_sixteen() -> None:
    """Fewer than N / 6 in a stage, yet switch 0 has one way out for two messages."""
    network = rcbn(16)
    marks = Marks.of(network, ["s1r0", "s1r1"])
    assert len(marks.switches) < 16 / 6
    assert unreachable_pairs(network, marks) == 0
    random = np.random.default_rng(3)
    for _ in range(10):
        assert permute_with_faults(network, random.permutation(16), marks).realised is False


def test_one_dead_switch_blocks_a_permutation_of_eight() -> None:
    network = rcbn(8)
    marks = Marks.of(network, ["s1r0"])
    wanted = [2, 3, -1, -1, -1, -1, -1, -1]
    found = permute_with_faults(network, wanted, marks)
    assert (found.realised, found.blocked) == (False, (0, 1))
    assert not naive.realisable(marked(network, marks), wanted)


def test_single_stage() -> None:
    with pytest.raises(UnknotError, match="one stage only"):
        permute_with_faults(benes(2), [0, 1], Marks(switches=(0,)))


def test_alternate_tags_without_faults_are_all_alive() -> None:
    found, _ = tags_avoiding(rcbn(16), Marks(), np.arange(16)[:, None], np.arange(16))
    assert found.all()
    assert alternate_tags(0, 0, 4)[1].texts()[0] == "0000"
