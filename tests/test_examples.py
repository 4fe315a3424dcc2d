"""Docstrings of public names: all have examples that run, and algorithms and families name their source."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import unknot

ROOT = Path(__file__).parents[1]
SOURCES = [path for path in sorted((ROOT / "src").rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]
MODULES = [".".join(path.relative_to(ROOT / "src").with_suffix("").parts) for path in SOURCES]
ROOMS = ["", *unknot._ROOMS, "network.families", "traffic.collectives"]
OWN = {
    "composed",
    *("complete", "line", "ring", "irregular", "from_edges", "fully_adaptive", "shortest_paths"),
    *("in_classes", "in_ranges", "message_classes", "forwarding_table"),
}
"""Families and routings without a paper of their own."""


def public() -> Iterator[tuple[str, Any]]:
    """Public functions and classes with their names; exceptions show themselves where they are raised."""
    for room in ROOMS:
        package = import_module(f"unknot.{room}".rstrip("."))
        for name in package.__all__:
            one = getattr(package, name)
            if inspect.isfunction(one) or (inspect.isclass(one) and not issubclass(one, Exception)):
                yield f"{room}.{name}", one


PUBLIC = dict(public())
ALGORITHMS: dict[str, Callable[..., Any]] = {
    name: one
    for name, one in PUBLIC.items()
    if name.startswith(("routing.", "network.families.")) and inspect.isfunction(one)
}


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # of some examples the files lie in `examples`
    outcome = doctest.testmod(import_module(module))
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_public_names_have_an_example() -> None:
    texts = {name: inspect.getdoc(one) or "" for name, one in PUBLIC.items()}
    assert not [name for name, text in texts.items() if "Examples\n--------\n>>> " not in text]
    assert not [name for name, text in texts.items() if max(map(len, text.splitlines())) > 114]


def test_algorithms_and_families_name_their_source() -> None:
    texts = {name: inspect.getdoc(one) or "" for name, one in ALGORITHMS.items() if name.split(".")[-1] not in OWN}
    sources = ("References\n----------\n", "reference as for `")
    assert not [name for name, text in texts.items() if not any(words in text for words in sources)]


def test_first_lines_are_short_and_speak_of_nobody() -> None:
    for name, function in ALGORITHMS.items():
        first = (inspect.getdoc(function) or "").splitlines()[0]
        assert first.endswith("."), name
        assert not {"told", "tells", "asked"} & set(first.replace(",", " ").replace(".", " ").split()), name
