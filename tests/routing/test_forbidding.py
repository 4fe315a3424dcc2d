"""Routings without some turns."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unknot._base.errors import NetworkError, RelationError
from unknot.network.families import mesh
from unknot.routing import forbidding, fully_adaptive, west_first
from unknot.verify import check, deliver


def turns_of(name: str) -> list[str]:
    network = mesh(3, 3)
    names = [network.router_name(router) for router in range(9)]
    ends = list(zip(network.source.tolist(), network.target.tolist(), strict=True))
    return [f"{names[a]}->{names[b]}->{names[c]}" for a, b in ends for d, c in ends if d == b and c != a]


TURNS = turns_of("mesh(3, 3)")


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sampled_from(TURNS), min_size=1, max_size=6, unique=True))
def test_candidates_are_those_that_reach_home_without_the_turns(turns: list[str]) -> None:
    whole, left = fully_adaptive(mesh(3, 3)), forbidding(mesh(3, 3), turns=turns)
    network, vcs = whole.network, whole.vcs
    gone = {tuple(map(network.router, turn.split("->"))) for turn in turns}

    def offered(at: int, address: int) -> list[int | None]:
        """Candidates that are not forbidden."""
        found = [candidate.vc for candidate in whole.candidates(at, address)]
        if at >= whole.num_vcs:
            return found
        a, b = int(network.source[vcs.channel[at]]), int(network.target[vcs.channel[at]])
        return [vc for vc in found if vc is None or (a, b, int(network.target[vcs.channel[vc]])) not in gone]

    def arrives(at: int, address: int) -> bool:
        return any(vc is None or arrives(vc, address) for vc in offered(at, address))

    for address in range(9):
        for port in range(9):
            at = whole.num_vcs + port
            expected = {vc for vc in offered(at, address) if vc is None or arrives(vc, address)}
            assert {candidate.vc for candidate in left.candidates(at, address)} == expected


def test_west_first_is_a_routing_without_turns_to_the_west() -> None:
    network = mesh(3, 3)
    x = {network.router_name(router): int(network.coordinates[router, 0]) for router in range(9)}  # type: ignore[index]
    west = [turn for turn in TURNS if (t := turn.split("->")) and x[t[2]] < x[t[1]] and x[t[0]] == x[t[1]]]
    made = forbidding(network, turns=west)
    assert check(made).deadlock_free
    assert deliver(made).delivered
    other = west_first(network)
    for address in range(9):
        for port in range(9):
            at = made.num_vcs + port
            vcs = {candidate.vc for candidate in made.candidates(at, address)}
            assert vcs == {candidate.vc for candidate in other.candidates(at, address)}


@pytest.mark.parametrize("turn", ["(0,0)->(1,0)", "", "(0,0)->(1,0)->(2,0)->(2,1)"])
def test_what_is_no_turn_is_refused(turn: str) -> None:
    with pytest.raises(RelationError, match="is no turn"):
        forbidding(mesh(3, 3), turns=[turn])


@pytest.mark.parametrize("turn", ["(0,0)->(2,0)->(2,1)", "(0,0)->(1,0)->(9,9)"])
def test_a_turn_that_is_not_there_is_refused(turn: str) -> None:
    with pytest.raises(NetworkError):
        forbidding(mesh(3, 3), turns=[turn])
