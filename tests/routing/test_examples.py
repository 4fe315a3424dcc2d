"""Docstrings of public routings and families: their examples run, and they say where they come from."""

from __future__ import annotations

import doctest
import inspect
import sys
from collections.abc import Callable
from typing import Any

import pytest

from unknot import routing
from unknot.network import families as topologies

OWN = {
    "complete",
    "line",
    "ring",
    "irregular",
    "from_edges",
    "in_classes",
    "in_ranges",
    "message_classes",
    "forwarding_table",
}
"""Families and routings without a paper of their own."""
OWN |= {"forwarding_table", "fully_adaptive", "shortest_paths"}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{room.__name__.split('.')[-1]}.{name}": getattr(room, name)
    for room in (routing, topologies)
    for name in room.__all__
    if inspect.isfunction(getattr(room, name))
}
MODULES = sorted({function.__module__ for name, function in FUNCTIONS.items() if "from_edges" not in name})


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str) -> None:
    result = doctest.testmod(sys.modules[module])
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "from_edges" not in name])
def test_docstrings_have_an_example_and_a_source(name: str) -> None:
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    assert "Examples\n--------\n>>> " in text
    assert name.split(".")[1] in OWN or "References\n----------\n" in text or "reference as for `" in text
    assert not [line for line in text.splitlines() if len(line) > 114]


def test_first_lines_are_short_and_speak_of_nobody() -> None:
    for name, function in FUNCTIONS.items():
        first = (inspect.getdoc(function) or "").splitlines()[0]
        assert first.endswith("."), name
        assert not {"told", "tells", "asked"} & set(first.replace(",", " ").replace(".", " ").split()), name
