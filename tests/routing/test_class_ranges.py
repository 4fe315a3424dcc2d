"""Message classes on ranges of VCs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unknot._base.errors import RelationError
from unknot.network.families import mesh
from unknot.routing import dimension_order, in_classes, in_ranges, o1turn, ugal
from unknot.verify import deliver

NET = mesh(3, 3)


@settings(max_examples=5)
@given(st.data())
def test_each_class_is_its_routing_on_its_vcs(data: st.DataObject) -> None:
    vcs = data.draw(st.integers(1, 4))
    made = []
    for k in range(data.draw(st.integers(1, 3))):
        wide = data.draw(st.integers(1, vcs))
        made.append((f"c{k}", data.draw(st.integers(0, vcs - wide)), dimension_order(NET, wide)))
    relation = in_ranges(NET, vcs, made)
    virtual = relation.vcs
    for k, (_, low, base) in enumerate(made):
        for address in range(base.num_addresses):
            for terminal in range(NET.num_terminals):
                wanted = base.candidates(base.num_vcs + terminal, address)
                found = relation.candidates(virtual.total + terminal, k * base.num_addresses + address)
                for a, b in zip(wanted, found, strict=True):
                    assert (a.vc is None) == (b.vc is None)
                    if a.vc is not None and b.vc is not None:
                        assert virtual.channel[b.vc] == base.vcs.channel[a.vc]
                        assert virtual.index[b.vc] == base.vcs.index[a.vc] + low
    assert deliver(relation).delivered


def test_ranges_apart_are_classes_with_vcs_of_their_own() -> None:
    base = o1turn(NET, 2)
    one, two = in_classes(base), in_ranges(NET, 4, [("request", 0, base), ("reply", 2, base)])
    for at in range(one.num_vcs + NET.num_terminals):
        for address in (0, 5, base.num_addresses + 3):
            assert one.candidates(at, address) == two.candidates(at, address)


def test_what_is_no_range() -> None:
    two = dimension_order(NET, 2)
    for ranges, words in (
        ([], "at least one"),
        ([("a", 0, two), ("a", 1, two)], "no two alike"),
        ([("a", 2, two)], "2 VCs from VC 2 on"),
        ([("a", 0, two), ("b", 0, o1turn(NET, 2))], "other addresses"),
        ([("a", 0, ugal(NET))], "compares two ways"),
        ([("a", 0, dimension_order(mesh(3, 3), 2))], "another network"),
    ):
        with pytest.raises(RelationError, match=words):
            in_ranges(NET, 3, ranges)
