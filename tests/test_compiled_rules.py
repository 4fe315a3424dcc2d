"""Rules share their compiled code if, and only if, they are equal in all that decides it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.compiled_rules import UnknownError, content, keep_compiled
from unknot.routing import dimension_order, duato, odd_even
from unknot.topologies import mesh, ring


def rule_of(held: object) -> Callable[[], object]:
    def inner() -> object:
        return held

    return lambda: inner()


def test_equal_rules_have_equal_content() -> None:
    for make in (dimension_order, duato, odd_even):
        assert content(make(mesh(3, 3)).rule) == content(make(mesh(3, 3)).rule)
        assert content(make(mesh(3, 3)).rule) != content(make(mesh(3, 4)).rule)
    assert content(dimension_order(ring(5), 2).rule) != content(dimension_order(ring(5), 2, dateline="none").rule)


def test_whatever_a_rule_holds_is_compared() -> None:
    values = [
        1, 2, 1.0, -0.0, 0.0, True, None, "1", (1, 2), (1, 2.0), np.int64(1), np.int32(1), np.arange(4), np.arange(5),
        np.arange(4.0), np.arange(4).reshape(2, 2), np.arange(8)[::2], rule_of(1), rule_of(2), lambda: 1, np, int,
    ]  # fmt: skip
    found = [content(rule_of(value)) for value in values]
    assert len(set(found)) == len(values)
    assert found[:18] == [content(rule_of(value)) for value in values[:18]]
    assert content(rule_of(rule_of(1))) == content(rule_of(rule_of(1)))


def test_what_is_not_compared_is_compiled_each_time() -> None:
    with pytest.raises(UnknownError):
        content(rule_of([1]))
    made: list[object] = []
    kept = keep_compiled(lambda rule, size: made.append(rule) or len(made))
    one, other = rule_of(1), rule_of([1])
    assert [kept(one, 4), kept(rule_of(1), 4), kept(one, 5), kept(other, 4), kept(other, 4)] == [1, 1, 2, 3, 4]
