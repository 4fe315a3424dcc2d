"""No documented capability is lost without a line of the list that goes with it."""

from __future__ import annotations

import pytest

from tests.capabilities import Capabilities, capabilities, kept, lost, written


@pytest.fixture(scope="module")
def now() -> Capabilities:
    return capabilities()


def test_nothing_documented_is_lost(now: Capabilities) -> None:
    """Who takes something away on purpose takes its words out of tests/capabilities.txt."""
    assert lost(kept(), now) == []


def test_what_is_new_is_in_the_list(now: Capabilities) -> None:
    """`python -m tests.capabilities` adds it."""
    assert lost(now, kept()) == []


def test_what_is_lost_is_named() -> None:
    before = {"commands": {"check", "show"}, "unknot show": {"--json"}, "pattern uniform": set[str]()}
    assert lost(before, before) == []
    assert lost(before, {"commands": {"check"}}) == [
        "commands: show",
        "pattern uniform",
        "unknot show: --json",
    ]


def test_the_list_is_in_order() -> None:
    """So that two changes seldom meet in one line."""
    from tests.capabilities import LIST

    assert written(kept()) == LIST.read_text(encoding="utf-8")
