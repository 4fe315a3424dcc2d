"""Designs of the playground: what the page sends is checked, and each is also a command and a line of Python."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from unknot._base.errors import UnknotError
from unknot.cli.program import app
from unknot_explore.command import ExploreOptions, designed
from unknot_explore.design import Design

NETWORKS = (
    "mesh(3, 3)",
    "torus(3, 3)",
    "ring(5)",
    "fat_tree(2, 2)",
    "hypercube(3)",
    "petersen()",
    "dragonfly(2, 4, 2)",
)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(NETWORKS), st.data())
def test_what_failed_is_gone_from_the_text(name: str, data: st.DataObject) -> None:
    whole = Design(network=name).whole()
    names = [whole.router_name(router) for router in range(whole.num_routers)]
    channel = data.draw(st.integers(0, whole.num_channels - 1))
    a, b = int(whole.source[channel]), int(whole.target[channel])
    left = Design(network=name, dead=(f"{names[a]}--{names[b]}",)).built()
    gone = len(whole.between(a, b)) + len(whole.between(b, a))
    assert left.num_channels == whole.num_channels - gone
    alone = Design(network=name, dead=(names[a],)).built()
    assert alone.num_routers == whole.num_routers - 1
    assert alone.num_channels == whole.num_channels - int(((whole.source == a) | (whole.target == a)).sum())


def test_the_command_asks_the_same() -> None:
    design = Design(
        network="mesh(3, 3)", routing="fully_adaptive", dead=("(0,0)--(1,0)",), turns=("(1,1)->(1,2)->(0,2)",)
    )
    words = shlex.split(design.command("check", design.network_text(design.whole())))
    result = CliRunner().invoke(app, words[1:])
    assert result.exit_code == 1, result.output
    assert design.relation().name in result.output


@pytest.mark.parametrize(("vcs", "routing"), [(None, "duato"), (3, "duato"), (2, "dfsssp")])
def test_the_customary_routing_takes_the_vcs_asked_for(vcs: int | None, routing: str) -> None:
    design = designed(ExploreOptions(network="torus(4, 4)", vcs=vcs))
    assert design.routing == routing
    assert vcs is None or design.relation().num_vcs == vcs * design.relation().network.num_channels


@pytest.mark.parametrize(
    ("given", "named"),
    [({"vcs": 0}, "vcs"), ({"network": 5}, "network"), ({"load": 2}, "load"), ({"network": "x" * 3000}, "network"),
     ({"nonsense": 1}, "nonsense"), ({"dead": ["a"] * 300}, "dead")],
)  # fmt: skip
def test_a_wrong_part_is_named(given: dict[str, object], named: str) -> None:
    with pytest.raises(UnknotError, match=named):
        Design.of(given)
