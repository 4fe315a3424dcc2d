"""Adding an algorithm touches one file and one line of `unknot.routing`."""

from __future__ import annotations

import inspect
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from benchmarks.gallery import gallery, gallery_text, rows
from typer.testing import CliRunner

from unknot import routing as room
from unknot._base.errors import RelationError
from unknot.cli.program import app
from unknot.network import Network, grid
from unknot.routing import EJECT, Relation, VirtualChannels
from unknot.routing.named import routings
from unknot.routing.parts import Published
from unknot.verify.testing import ConformanceError, check_routing

MOST_LINES = 170


def downward(network: Network) -> Relation:
    """Down a line of routers, round and round on a ring that goes one way."""
    channel, router, home, n = grid(network).channel, network.target, network.eject, network.num_channels
    if len(network.radices) != 1 or not grid(network).wraps[0]:
        raise RelationError(f"downward needs a ring, not {network.name}")

    def rule(at: int, address: int, out: object) -> int:
        here = router[at] if at < n else at - n
        out[0] = EJECT if here == home[address] else channel[here, 1]  # type: ignore[index]
        return 1

    return Relation(
        network,
        VirtualChannels(network, 1),
        rule,
        name="downward",
        published=Published(source="nobody", claims={"wormhole": True}),
    )


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a file and a line of `__init__` do."""
    monkeypatch.setattr(room, "downward", downward, raising=False)
    monkeypatch.setattr(room, "__all__", [*room.__all__, "downward"])


@pytest.mark.usefixtures("added")
def test_it_is_a_routing_everywhere() -> None:
    assert routings()["downward"] is downward
    run = CliRunner()
    checked = run.invoke(app, ["check", "ring(4)", "--routing", "downward"])
    assert checked.exit_code == 1
    assert "downward" in checked.stdout
    refused = run.invoke(app, ["check", "mesh(3, 3)", "--routing", "downward"])
    assert refused.exit_code == 2
    assert "downward needs a ring" in refused.stderr
    near = run.invoke(app, ["check", "ring(4)", "--routing", "downwards"])
    assert near.exit_code == 2
    assert "did you mean downward" in near.stderr


@pytest.mark.usefixtures("added")
def test_it_is_in_the_gallery_and_its_claim_is_judged() -> None:
    with ThreadPoolExecutor(1) as threads:
        tried = gallery(["downward"], ["ring(4)", "mesh(3, 3)"], executor=threads)
    text = gallery_text(tried)
    assert [row[:5] for row in rows(tried)] == [("`downward`", "nobody", "1", "1", "no")]
    assert "the source (nobody) says that it cannot deadlock under wormhole; it can on ring(4)." in text


def test_the_checks_find_its_false_claim() -> None:
    with pytest.raises(ConformanceError, match="downward on ring"):
        check_routing(downward, ["ring(4)"])


@pytest.mark.parametrize("name", routings())
def test_an_algorithm_is_a_short_file_that_says_what_it_is(name: str) -> None:
    function = routings()[name]
    file = Path(inspect.getfile(function))
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MOST_LINES
    module = inspect.getmodule(function)
    assert module is not None
    assert module.__doc__
    assert function.__doc__
