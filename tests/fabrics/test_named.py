"""Families in plain numbers are made without the grammar, and are what the language makes."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

from unknot._base.errors import UnknotError
from unknot.fabrics import named
from unknot.network import Network, tod
from unknot.network import families as topologies
from unknot.network.graph import digest

FAMILIES = [
    name
    for name in topologies.__all__
    if inspect.isfunction(getattr(topologies, name)) and not name.startswith("from_")
]
SIZES = ["2", "3", "4", "8", "2, 3", "4,4", " 3 , 2 ", "2, 4, 2", "3, 3, 3"]


def made(build: Callable[[], Network]) -> tuple[Network | None, str]:
    """A network, or what is said instead."""
    try:
        return build(), ""
    except UnknotError as error:
        return None, str(error)


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_what_the_language_says(family: str) -> None:
    for sizes in SIZES:
        text = f"{family}({sizes})"
        found = named._family(text)
        wanted, said = made(lambda text=text: tod.network(text))
        again, shown = made(lambda text=text: named.network(text, where="<text>"))
        assert shown == said
        assert (found is None) == (wanted is None) == (again is None)
        if found is not None and wanted is not None:
            assert (found.name, digest(found)) == (wanted.name, digest(wanted))


@pytest.mark.parametrize("text", ["mesh(200, 200)", "mesh(4, 4) ** 2", "mesh(k, 4)", "from_edges(3)", "mesh(04.0)"])
def test_other_texts_are_left_to_the_language(text: str) -> None:
    assert named._family(text) is None
