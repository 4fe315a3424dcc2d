"""Fabrics whose switches choose ports, beside a search of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verify.adaptive_fabrics import beside, drawn
from unknot.certificates import evidence_holds
from unknot.fabrics import read_fabric
from unknot.verify.audit import audit

KINDS = ("fat tree", "dragonfly+", "torus")


@pytest.mark.sampled(1 / 5)
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", KINDS)
def test_verdicts_beside_a_search(kind: str, seed: int, tmp_path: Path) -> None:
    one = drawn(kind, seed)
    fabric = read_fabric(one.write(tmp_path / "fabric"))
    judged = audit(fabric, only_hosts=True)
    given, free = one.decided()
    if judged.adaptive is None:
        assert not any(group for rows in one.tables.values() for _, group in rows.values()) or not any(
            one.enabled.values()
        )
        return
    assert (judged.adaptive.given_port, judged.adaptive.free_port) == (not given, not free)
    expected = False if free else None if given else True
    assert judged.deadlock_free is expected
    if judged.replies is not None:
        given, free = one.decided(replies=True)
        assert judged.replies.verdict.deadlock_free is (False if free else None if given else True)
    assert judged.delivered is True
    hosts = judged.host_to_host
    if expected is not None:
        assert evidence_holds(hosts.relation, hosts.verdict) is not False
    alone = audit(read_fabric(tmp_path / "fabric", assume="static"), only_hosts=True)
    assert alone.deadlock_free is judged.adaptive.static


@pytest.mark.sampled(1 / 4)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", KINDS)
def test_multicast_beside_ports_that_are_chosen(kind: str, seed: int, tmp_path: Path) -> None:
    one = drawn(kind, seed)
    one.with_tree()
    judged = audit(read_fabric(one.write(tmp_path / "fabric")), only_hosts=True)
    assert judged.multicast is not None
    assert judged.multicast.groups == 1
    if judged.adaptive is not None:
        assert judged.multicast.deadlock_free is (None if one.decided()[0] else True)
        assert judged.multicast.certificate_holds is not False


@pytest.mark.sampled(1 / 18)
@pytest.mark.parametrize("shift", [0, 300])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_planes_of_switches_that_choose(kind: str, seed: int, shift: int, tmp_path: Path) -> None:
    """Each plane as if it were alone, and both together."""
    planes = [drawn(kind, seed), drawn("fat tree", seed + 100)]
    for one in planes:
        one.layout.levels = {}
    fabric = read_fabric(beside(*planes, shift).write(tmp_path / "both"))
    assert bool(fabric.lid_planes.any()) is (shift == 0)
    judged = audit(fabric, only_hosts=True)
    assert judged.delivered is True
    assert len(judged.planes) == 2
    alone = [audit(read_fabric(one.write(tmp_path / f"{i}")), only_hosts=True) for i, one in enumerate(planes)]
    assert [one.deadlock_free for one in judged.planes] == [one.deadlock_free for one in alone]
    assert [one.pairs for one in judged.planes] == [one.host_to_host.delivery.pairs for one in alone]
    assert [one.undelivered_pairs for one in judged.planes] == [0, 0]
    free = [one.deadlock_free for one in alone]
    assert judged.deadlock_free is (False if False in free else None if None in free else True)
