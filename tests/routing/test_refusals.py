"""Whatever is asked of a routing, it answers with a relation or says in words what is wrong."""

from __future__ import annotations

import contextlib
import inspect
import tracemalloc

import pytest
from typer.testing import CliRunner

from tests.networks import CATALOGUE
from unknot._base.errors import UnknotError
from unknot.cli.program import app
from unknot.network import Network, tod
from unknot.routing import Relation
from unknot.routing.named import routing, routings
from unknot.verify.testing import attempt

JUNK = ("'nonsense'", "''", "-1", "0", "3", "1000000000", "True", "1.5", "None", "[]", "[1, 0, 0]", "['x']")
ODD = ("{0 -> 1}", "{a -- a}", "{0 -- 1, 0 -- 1}", "mesh(1)", "ring(2)", "ring(1)", "torus(2, 2)", "hypercube(0)")
"""Networks smaller or stranger than those of the catalogue."""


BUILT = sorted(map(tod.network, CATALOGUE), key=lambda network: network.num_channels)


def smallest(name: str) -> Network:
    return next(network for network in BUILT if attempt(routings()[name], network) is not None)


@pytest.mark.parametrize("name", routings())
def test_any_value_of_any_option_is_used_or_refused(name: str) -> None:
    network = smallest(name)
    for option in list(inspect.signature(routings()[name]).parameters)[1:]:
        for value in JUNK:
            with contextlib.suppress(UnknotError):
                assert isinstance(routing(network, f"{name}({option}={value})"), Relation)


def test_too_many_deroutes_are_refused_before_memory_is_taken() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(UnknotError, match="virtual channels"):
            routing(tod.network("hypercube(2)"), "hyperx_omniwar(deroutes=10000000)")
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("text", ODD)
def test_strange_networks_are_routed_or_refused(text: str) -> None:
    network = tod.network(text)
    for function in routings().values():
        attempt(function, network)


@pytest.mark.parametrize(
    ("network", "words", "said"),
    [
        ("torus(4, 4)", ["west_first"], "west_first needs a mesh; of torus(4, 4), dimension 0 is a ring"),
        ("complete(5)", ["dimension_order"], "has no coordinates"),
        ("mesh(3, 3, 3)", ["odd_even"], "a mesh of 2 dimensions"),
        ("mesh(3, 3)", ["p_cube"], "p_cube needs a hypercube"),
        ("mesh(3, 3)", ["dragonfly_ugal"], "it needs a dragonfly"),
        ("ring(4, directed=true)", ["up_down"], "it needs links that go both ways"),
        ("mesh(3, 3)", ["duato", "--vcs", "1"], "at least one adaptive VC"),
        ("mesh(3, 3)", ["o1turn", "--vcs", "3"], "3 cannot be halved"),
        ("mesh(3, 3)", ["schwiebert", "--vcs", "4"], "schwiebert fixes its virtual channels, 1 to 2 per channel"),
        ("mesh(3, 3)", ["hop_number", "--vcs", "3"], "4 VCs per channel or a multiple of it"),
        ("mesh(3, 3)", ["dimension_order", "--vcs", "1000000000"], "the limit is 134217728"),
        (
            "ring(64)",
            ["dimension_order", "--vcs", "1000000"],
            "128000000 virtual channels on ring(64) would take",
        ),
        ("mesh(3, 3)", ["up_down(root='9,9')"], "has no router called '9,9'"),
        ("mesh(3, 3)", ["up_down(levels='bsf')"], "did you mean bfs"),
        ("mesh(3, 3)", ["overlay(over=[1])"], "over is a text or a list of texts, not (1,)"),
        ("mesh(3, 3)", ["overlay(base='o1turn')"], "one address for each terminal"),
        ("{0 -- 1, 2 -- 3}", ["hop_number"], "not connected"),
    ],
)
def test_the_command_line_says_what_is_wrong(network: str, words: list[str], said: str) -> None:
    result = CliRunner().invoke(app, ["check", network, "--routing", *words])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert said in " ".join(result.stderr.split())
