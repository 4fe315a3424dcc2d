"""Every method of routing a permutation against trying every combination of paths, and against each other."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.papers import script
from tests.reference import multistage as naive
from unknot._base.errors import NetworkError, UnknotError
from unknot.network import Network
from unknot.network.families import baseline, benes, butterfly, clos, extra_stage, extra_stage_cube, mesh, omega
from unknot_papers.multistage import (
    Realisation,
    accept,
    permutation,
    permute,
    random_permutation,
)
from unknot_papers.multistage.looping import rcbn_rows
from unknot_papers.rcbn import composite_banyan, rcbn

EXHAUSTIVE = script("methods.exhaustive")
decide_many, realisable = EXHAUSTIVE.decide_many, EXHAUSTIVE.realisable
EIGHT = np.array(list(itertools.permutations(range(8))))
FOUR = np.array(list(itertools.permutations(range(4))))
NETWORKS = [
    rcbn(8),
    omega(8),
    baseline(8),
    benes(8),
    composite_banyan(8),
    extra_stage(8),
    extra_stage_cube(8),
    butterfly(2, 3),
    clos(2, 2, 4),
    clos(1, 2, 4),
    rcbn(8).without(routers=["s1r0"]),
    rcbn(8).without(channels=[0, 13]),
    benes(8).without(routers=["s2r1"]),
]


def blocked_core(found: Realisation, wanted: Sequence[int]) -> None:
    """The messages named are blocked together and, if it says so, none of them can be left out."""
    core = set(found.blocked)
    keep = [d if m in core else -1 for m, d in enumerate(wanted)]
    assert not naive.realisable(found.network, keep)
    if found.minimal:
        for m in core:
            assert naive.realisable(found.network, [-1 if k == m else d for k, d in enumerate(keep)])


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_answers_agree_with_every_combination_of_paths(network: Network) -> None:
    chosen = EIGHT[:: 40_320 // 12 + 1]
    answers = realisable(network, chosen)
    for wanted, answer in zip(chosen.tolist(), answers.tolist(), strict=True):
        assert naive.realisable(network, wanted) is answer
        found = permute(network, wanted)
        assert found.realised is answer
        accept(found)
        if not answer:
            blocked_core(found, wanted)


@pytest.mark.parametrize("network", [omega(4), extra_stage_cube(4), composite_banyan(4), benes(4)], ids=str)
def test_all_permutations_of_four(network: Network) -> None:
    assert realisable(network, FOUR).tolist() == [naive.realisable(network, wanted) for wanted in FOUR.tolist()]


def test_all_permutations_of_eight() -> None:
    """RCBN(8) and Beneš realise all; a banyan has 2^12 settings of its switches, each another permutation."""
    counts = [int(realisable(network, EIGHT).sum()) for network in (rcbn(8), benes(8), omega(8), baseline(8))]
    assert counts == [40320, 40320, 4096, 4096]
    assert realisable(extra_stage(8), EIGHT).sum() == realisable(extra_stage_cube(8), EIGHT).sum() == 18688
    assert realisable(rcbn(8).without(routers=["s1r0"]), EIGHT).sum() == 23424


@pytest.mark.parametrize("step", [17, pytest.param(1, marks=pytest.mark.campaign)])
def test_looping_routes_every_permutation_of_eight(step: int) -> None:
    """The rows of all 40,320 at once, or of some: no link between two rows is taken twice."""
    some = EIGHT[::step]
    rows = np.stack([rcbn_rows(permutation) for permutation in some])
    assert (rows[:, :, 0] == np.arange(8) // 2).all()
    assert (rows[:, :, 2] == some // 2).all()
    for stage in (0, 1):
        assert np.isin(rows[:, :, stage] ^ rows[:, :, stage + 1], (0, 1, 2)).all()
        links = np.sort(rows[:, :, stage] * 4 + rows[:, :, stage + 1], axis=1)
        assert (np.diff(links, axis=1) > 0).all()


@given(st.integers(3, 8), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_rcbn_and_benes_realise_every_permutation(n: int, seed: int, busy: float) -> None:
    random = np.random.default_rng(seed)
    wanted = np.where(random.random(1 << n) <= busy, random.permutation(1 << n), -1)
    for network in (rcbn(1 << n), benes(1 << n)):
        found = permute(network, wanted)
        assert found.realised
        assert found.method == "looping"
        accept(found)


@pytest.mark.parametrize("network", [rcbn(2048), benes(2048)], ids=lambda network: network.name)
def test_large_permutations(network: Network) -> None:
    found = permute(network, random_permutation(network, 1))
    assert found.realised
    accept(found)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_clos_realises_every_permutation_if_and_only_if_m_is_at_least_n(m: int, n: int, r: int, seed: int) -> None:
    network = clos(m, n, r)
    random = np.random.default_rng(seed)
    found = permute(network, random.permutation(n * r))
    assert found.realised is (m >= n)
    accept(found)
    partial = np.where(random.random(n * r) < 0.6, random.permutation(n * r), -1)
    again = permute(network, partial)
    accept(again)
    crowd = max(np.bincount(network.inject[again.sources], minlength=1).max(initial=0), 0)
    crowd = max(crowd, np.bincount(network.eject[again.destinations], minlength=1).max(initial=0))
    assert again.realised is bool(crowd <= m)


@given(st.integers(0, 2**32 - 1))
def test_two_paths_for_each_message(seed: int) -> None:
    random = np.random.default_rng(seed)
    for network in (extra_stage(16), extra_stage_cube(16)):
        destinations = np.where(random.random(16) < 0.7, random.permutation(16), -1)
        answer = permute(network, destinations)
        accept(answer)
        assert answer.realised is naive.realisable(network, destinations.tolist())


@pytest.mark.parametrize("network", [omega(256), extra_stage(256)], ids=lambda network: network.name)
def test_many_messages_of_few_paths(network: Network) -> None:
    """A shift passes an omega network; a random permutation does not, whichever of two paths each message takes."""
    shift = permute(network, (np.arange(256) + 77) % 256)
    accept(shift)
    assert shift.realised
    assert permute(network, random_permutation(network, 1)).realised is False


@given(st.integers(0, 2**32 - 1), st.integers(0, 6))
def test_sixteen_with_faults_against_every_combination_of_paths(seed: int, dead: int) -> None:
    random = np.random.default_rng(seed)
    network = rcbn(16).without(routers=random.choice(np.arange(8, 32), dead, replace=False).tolist())
    wanted = np.where(random.random(16) < 0.4, random.permutation(16), -1)
    found = permute(network, wanted)
    accept(found)
    assert found.realised is naive.realisable(network, wanted.tolist())
    brief = permute(network, wanted, explain=False)
    assert brief.realised is found.realised
    assert found.realised or (brief.routed.size == 0 and not brief.minimal) or found.method == "reachability"


@given(st.integers(0, 2**32 - 1), st.integers(0, 4))
@settings(max_examples=6)
def test_cp_sat_agrees_with_search(seed: int, dead: int) -> None:
    random = np.random.default_rng(seed)
    whole = (rcbn(16), composite_banyan(16), extra_stage(8, 2))[seed % 3]
    inner = [r for r in range(whole.num_routers) if whole.router_name(r)[:2] in ("s1", "s2")]
    network = whole.without(routers=random.choice(inner, dead, replace=False).tolist())
    wanted = random.permutation(network.num_terminals)
    found = permute(network, wanted)
    accept(found)
    (searched,) = decide_many(network, [wanted]).tolist()  # -1: not decided
    assert searched in (-1, found.realised)


def test_faults() -> None:
    one = rcbn(16).without(routers=["s1r2"])
    assert permute(one, random_permutation(one, 1)).realised
    two = rcbn(16).without(routers=["s1r0", "s1r1"])
    found = permute(two, range(16))
    assert (found.realised, found.method, found.established) == (
        False,
        "cut",
        "16 messages, but no more than 14 can pass, whichever outputs they go to",
    )
    assert found.routed.size == 14
    three = rcbn(16).without(routers=["s1r0", "s1r1", "s1r4"])
    found = permute(three, range(16))
    assert (found.realised, found.method, found.blocked) == (False, "reachability", (0,))
    assert found.established == "there is no path t0→t0, nor t1→t1"


def test_the_answer_to_a_partial_permutation() -> None:
    found = permute(omega(8), "0 - - - 1 - - -")
    assert found.realised is False
    assert (found.method, found.established) == ("cp-sat", "2 of the messages cannot pass together: t0→t0, t4→t1")
    assert permute(omega(8), "0 - - - 4 - - -").realised
    empty = permute(omega(8), [-1] * 8)
    assert empty.realised
    assert empty.sources.size == 0


def test_undecided_where_there_are_too_many_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot_papers.multistage.search.MAX_VARIABLES", 1)
    found = permute(omega(64), range(64))
    assert found.realised is None
    assert found.routed.size == 0


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("0,1,2", r"rcbn\(8\) has 8 inputs, so 8 outputs are needed \(- for an idle input\), but 3 are given"),
        ("0,1,2,3,4,5,6,8", "input 7 asks for output 8, but outputs are numbered 0 to 7"),
        ("0,1,2,3,4,5,6,6", "inputs 6 and 7 ask for the same output 6; nobody asks for output 7"),
        ("0,0,0,3,4,5,6,-", "inputs 0, 1 and 2 ask for the same output 0; nobody asks for outputs 1, 2 and 7"),
        ("0,1,2,3,4,5,6,x", "OUTPUTS:1:15: expected the number of an output, or - for an idle input"),
        ([0, 1, 2, 3, 4, 5, 6, True], "the number of an output is needed, got True"),
        ([0, 1, 2, 3, 4, 5, 6, -2], "input 7 asks for output -2"),
        ("", "but 0 are given"),
    ],
)
def test_what_is_no_permutation(wanted: str | list[int], message: str) -> None:
    with pytest.raises(UnknotError, match=message):
        permutation(rcbn(8), wanted)


def test_other_errors() -> None:
    with pytest.raises(NetworkError, match="no multistage network"):
        permute(mesh(2, 4), range(8))
    with pytest.raises(UnknotError, match="at least 0, got -1"):
        random_permutation(rcbn(8), -1)
    with pytest.raises(UnknotError, match="permutations of its 8 terminals"):
        realisable(rcbn(8), [[0] * 8])
    with pytest.raises(UnknotError, match="the limit is"):
        realisable(rcbn(128), [list(range(128))])


def test_forged_answers_are_refused() -> None:
    found = permute(rcbn(8), range(8))
    twice = found.paths.copy()
    twice[1] = twice[0]
    ends = found.destinations.copy()
    ends[[0, 7]] = ends[[7, 0]]
    broken = found.paths.copy()
    broken[3, 1] = 0
    missing = found.paths.copy()
    missing[2] = -1
    for changed, message in (
        (dataclasses.replace(found, paths=twice), "share"),
        (dataclasses.replace(found, destinations=ends), "the path of t0→t7 ends at"),
        (dataclasses.replace(found, paths=broken), "broken at"),
        (dataclasses.replace(found, paths=missing), "has a path for each"),
        (dataclasses.replace(found, paths=found.paths[:, :1]), "of shape"),
    ):
        with pytest.raises(NetworkError, match=message):
            accept(changed)
