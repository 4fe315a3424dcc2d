"""Docstrings completed by what functions of one kind share."""

from __future__ import annotations

import inspect

from unknot._base.docstrings import below, complete, completed, entries
from unknot.network import families
from unknot.verify import deliver

SHARED = """A kind.

Parameters
----------
k : int
    Ports.
latency : int
    Cycles.

Returns
-------
Network
    The network.
"""


def test_what_a_docstring_says_itself_stays() -> None:
    returned = "\n\nReturns\n-------\nint\n\nRaises\n------\nE"
    own = f"Head.\n\nParameters\n----------\nlatency : list\n    Of each.{returned}"
    assert completed(own, ["k", "latency"], SHARED) == (
        f"Head.\n\nParameters\n----------\nk : int\n    Ports.\nlatency : list\n    Of each.{returned}\n"
    )


def test_only_parameters_of_the_function_are_described() -> None:
    assert "Ports" not in completed("Head.", ["latency"], SHARED)
    assert "Returns" not in completed("Head.\n\nYields\n------\nint", [], SHARED)


def test_names_with_stars_and_several_of_one_entry() -> None:
    def function(*sides: int, a: int, b: int, latency: int) -> None:
        """Head.

        Parameters
        ----------
        a, b : int
            Two.
        """

    complete(function, SHARED + "\nNotes\n-----\nNone.")
    complete(function, "Kind.\n\nParameters\n----------\n*sides : int\n    Sides.")
    assert list(entries(inspect.getdoc(function) or "")) == ["*sides", "a", "b", "latency"]


def test_functions_of_a_kind_are_described_whole() -> None:
    assert list(entries(families.omega.__doc__ or "")) == ["terminals", "k", "latency"]
    assert entries(deliver.__doc__ or "")["relation"][0] == "Relation"


class Described:
    """A class."""

    first: int
    """Text of the
    first."""
    second: int
    third: int = 3
    "Text of the third."


def test_texts_below_attributes() -> None:
    assert below(Described) == {"first": "Text of the first.", "third": "Text of the third."}
    assert below(type("Made", (), {"__module__": __name__})) == {}
