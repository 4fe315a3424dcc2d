"""The gallery: what it judges, what it is refused, and that it says what the parts say by themselves."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from unknot import check, deliver
from unknot._base.errors import UnknotError
from unknot._base.switching import SWITCHINGS
from unknot.routing.named import routing, routing_named
from unknot.studies.design import network
from unknot.studies.gallery import MORE, VARIANTS, Gallery, gallery
from unknot.verify.adaptivity import adaptivity
from unknot.verify.testing import NETWORKS

ROUTINGS = ("lcfaa", "nca", 'up_down(choice="any")')
PLACES = ("mesh(3, 3)", "fat_tree(2, 3)", "ring(4, directed=true)")


@pytest.fixture(scope="module")
def found() -> Gallery:
    with ThreadPoolExecutor(1) as threads:
        return gallery(ROUTINGS, PLACES, executor=threads)


def test_every_pair_is_an_exhibit_or_a_refusal(found: Gallery) -> None:
    shown = [(exhibit.routing, exhibit.network) for exhibit in found.exhibits]
    assert shown == [
        ("lcfaa", "mesh(3, 3)"),
        ("nca", "fat_tree(2, 3)"),
        ('up_down(choice="any")', "mesh(3, 3)"),
        ('up_down(choice="any")', "fat_tree(2, 3)"),
    ]
    assert set(found.refusals) == {(r, n) for r in ROUTINGS for n in PLACES} - set(shown)
    assert list(found.routings) == list(ROUTINGS)


def test_refusals_say_why(found: Gallery) -> None:
    assert "wants a fat tree" in found.refusals["nca", "mesh(3, 3)"]
    assert "links that go both ways" in found.refusals['up_down(choice="any")', "ring(4, directed=true)"]
    assert "is a ring" in found.refusals["lcfaa", "ring(4, directed=true)"]


def test_exhibits_say_what_the_parts_say(found: Gallery) -> None:
    for exhibit in found.exhibits:
        relation = routing(network(exhibit.network), exhibit.routing)
        assert exhibit.relation.name == relation.name
        assert exhibit.delivery == deliver(relation)
        assert exhibit.adaptivity == adaptivity(relation)
        for switching in SWITCHINGS:
            verdict = check(relation, switching)
            result = exhibit.result(switching)
            assert result.verdict.deadlock_free == verdict.deadlock_free
            assert result.certificate_holds
            claim = relation.claims.get(switching)
            assert exhibit.agrees(switching) == (None if claim is None else claim == verdict.deadlock_free)


def test_a_refuted_claim_comes_with_a_configuration_that_sticks(found: Gallery) -> None:
    (exhibit,) = found.routings["lcfaa"]
    assert [exhibit.agrees(s) for s in SWITCHINGS] == [True, True, False, None]
    result = exhibit.result("wormhole")
    assert result.verdict.configuration is not None
    assert result.replay is not None
    assert result.replay.stuck


def test_a_store_keeps_the_results(tmp_path: Path) -> None:
    printed: list[str] = []
    with ThreadPoolExecutor(1) as threads:
        for _ in range(2):
            again = gallery(
                ["west_first"],
                ["mesh(2, 2)"],
                switchings=("vct",),
                store=tmp_path / "kept.sqlite",
                executor=threads,
                progress=lambda what, done, total: printed.append(f"{done}/{total} {what}"),
            )
    what = "1/1 west_first on mesh(2, 2), vct, proof"
    assert printed == [f"{what}: done", f"{what}: kept from before"]
    assert again.switchings == ("vct",)


@pytest.mark.parametrize(
    ("routings", "networks", "said"),
    [
        (["west"], ["mesh(3, 3)"], "unknown routing 'west'; did you mean west_first"),
        (["west_first"], ["mesh(3, 3"], "NETWORK:1:5: this ( is never closed"),
        (
            ["west_first"],
            ["ring(4)", "complete(3)"],
            "none of these routings takes any of these networks; west_first",
        ),
        (["west_first", "nca(upp=1)"], ["mesh(3, 3)"], "nca has no option 'upp'; did you mean up"),
        (["west_first(vcs=0)"], ["mesh(3, 3)"], "at least 1"),
    ],
)
def test_bad_input(routings: list[str], networks: list[str], said: str) -> None:
    with pytest.raises(UnknotError) as caught:
        gallery(routings, networks)
    assert said in str(caught.value)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_proof_needs_time(seconds: float) -> None:
    with pytest.raises(UnknotError, match="a positive number of seconds"):
        gallery(["west_first"], ["mesh(3, 3)"], time_limit=seconds)


def test_variants_and_networks_by_default_are_ones_that_can_be_built() -> None:
    places = {text: network(text) for text in (*NETWORKS, *MORE)}
    for text in VARIANTS:
        assert "(" in text
        routing_named(text)
        taken = 0
        for place in places.values():
            try:
                routing(place, text)
            except UnknotError:
                continue
            taken += 1
        assert taken, text
