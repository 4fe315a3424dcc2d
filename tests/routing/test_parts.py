"""Parts of a relation, and keywords of before they were parts."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from unknot._base.errors import RelationError
from unknot.network.families import line
from unknot.routing import EJECT, Addressing, Preference, Published, Relation
from unknot.routing.contract import Out


def across(at: int, address: int, out: Out) -> int:
    """The ends of both VCs, then the routers of both injection ports."""
    router = (1, 0, 0, 1)[at]
    out[0] = EJECT if router == address else router
    return 1


NETWORK = line(2)
PARTS = {
    "addresses": Addressing([0, 1], [[0, 1], [1, 0]], ("a", "b")),
    "published": Published({"vct": True}, claims_minimal=True, source="here"),
    "preference": Preference(selection="random"),
}


def test_what_parts_say_is_said_of_the_relation() -> None:
    relation = Relation(NETWORK, 1, across, "across", **PARTS)  # type: ignore[arg-type]
    assert relation.destination.tolist() == [0, 1]
    assert relation.may_use is not None
    assert relation.may_use.tolist() == [[False, True], [True, False]]
    assert (relation.address_labels, relation.classes) == (("a", "b"), ())
    assert (relation.claims, relation.claims_minimal, relation.source) == ({"vct": True}, True, "here")
    assert (relation.selection, relation.direct, relation.hops) == ("random", None, None)
    for array in (relation.destination, relation.may_use):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    again = pickle.loads(pickle.dumps(relation))
    assert (again.name, again.source, again.selection) == ("across", "here", "random")
    np.testing.assert_array_equal(again.may_use, relation.may_use)


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("addresses", "destination", [1, 0]),
        ("published", "claims", {"saf": True}),
        ("preference", "direct", [[-1, 1], [0, -1]]),
    ],
)
def test_keywords_of_before_answer_alike_and_name_the_part(part: str, key: str, value: object) -> None:
    said = rf"Relation\({key}=…\) is now {part}={type(PARTS[part]).__name__}\({key}=…\)"
    with pytest.warns(DeprecationWarning, match=said):
        old = Relation(NETWORK, 1, across, **{key: value})  # type: ignore[arg-type]
    made = type(PARTS[part])(**{key: value})
    new = Relation(NETWORK, 1, across, **{part: made})  # type: ignore[arg-type]
    np.testing.assert_array_equal(getattr(old, key), getattr(new, key))
    whole = Relation(NETWORK, 1, across, **PARTS)  # type: ignore[arg-type]
    with pytest.warns(DeprecationWarning, match=said):
        changed = replace(whole, **{key: value})
    np.testing.assert_array_equal(getattr(changed, key), getattr(new, key))
    assert (changed.address_labels, changed.source, changed.selection) == (("a", "b"), whole.source, "random")


def test_an_array_in_the_place_of_addresses_is_named() -> None:
    with pytest.raises(RelationError, match=r"across: expected Addressing\(…\), got \[0, 1\]"):
        Relation(NETWORK, 1, across, "across", [0, 1])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="claim"):
        Relation(NETWORK, 1, across, claim={})  # type: ignore[call-arg]
