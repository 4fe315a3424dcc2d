"""States on some VCs, as a counterexample is chosen anew from them, against the definition."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing import draw_until
from tests.reference.brute_force import states_of
from tests.strategies import networks, relations
from unknot._base.switching import SWITCHINGS
from unknot.routing import Relation
from unknot.verify.remainder import Remainder, among

Named = tuple[int, int]


def named(part: Remainder) -> tuple[dict[Named, tuple[set[Named], bool]], Counter[tuple[Named, frozenset[int]]]]:
    """Steps and entry of each state, and all heads, by (VC, address)."""
    states = list(zip(part.input_vc.tolist(), part.owner.tolist(), strict=True))
    steps = {
        state: ({states[t] for t in row}, bool(enters))
        for state, row, enters in zip(states, part.onward.lists(), part.enters, strict=True)
    }
    heads = Counter(
        (states[owner], frozenset(row)) for owner, row in zip(part.head_owner, part.waits.lists(), strict=True)
    )
    return steps, heads


def expected(
    relation: Relation, vcs: set[int], switching: str
) -> tuple[dict[Named, tuple[set[Named], bool]], set[Any]]:
    """The same by asking the rule, state by state."""
    states: dict[Named, tuple[set[Named], bool]] = {}
    heads: set[tuple[Named, frozenset[int | None]]] = set()
    for address, reached in enumerate(states_of(relation)):
        entered = {vc for at, answer in reached.items() if at >= relation.num_vcs for vc in answer.may}
        for at in reached.keys() & vcs:
            found = relation.candidates(at, address)
            steps = {(c.vc, address) for c in found if c.vc in vcs and c.vc is not None}
            states[at, address] = set() if switching in ("saf", "vct") else steps, at in entered
            choices = [{c.vc for c in found if c.waits}]
            if switching == "wormhole-nonatomic":
                choices = [{c.vc} for c in found]
            elif relation.commits:
                choices = [{c.vc} for c in found if c.waits]
            heads |= {((at, address), frozenset(choice)) for choice in choices if choice and choice <= vcs}
    return states, heads


@pytest.mark.parametrize("commits", [False, True])
def test_states_steps_and_heads_on_some_vcs(commits: bool) -> None:
    """Where headers commit, there is a head for each choice."""
    seen = 0

    @settings(max_examples=10)
    @given(st.data())
    def compare(data: st.DataObject) -> None:
        nonlocal seen
        relation = data.draw(relations(networks(max_routers=4, loops=True), commits=commits))
        kept = data.draw(st.lists(st.booleans(), min_size=relation.num_vcs, max_size=relation.num_vcs))
        vcs = {vc for vc, inside in enumerate(kept) if inside}
        for switching in SWITCHINGS:
            part = among(relation, vcs, switching)
            assert part is not None
            steps, heads = named(part)
            states, waiting = expected(relation, vcs, switching)
            assert steps == states
            assert set(heads) == waiting
            fewer = data.draw(st.sets(st.sampled_from(sorted(vcs)))) if vcs else set()
            inner, heads_inside = named(part.cut(part.on(np.array(sorted(fewer), dtype=np.int64))))
            assert (inner, set(heads_inside)) == expected(relation, fewer, switching)
            seen += len(heads)
            if states:
                assert among(relation, vcs, switching, limit=len(states) - 1) is None
                assert among(relation, vcs, switching, limit=len(states)) is not None

    draw_until(lambda: seen > 5, compare)
