"""The fewest lanes under adaptive routing: against all assignments on drawn fabrics, and files read back."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from tests.cli.test_cli import answer, unknot_says
from tests.verify.adaptive_fabrics import Drawn, drawn
from unknot._base.deadline import clock
from unknot._base.errors import UnknotError
from unknot.fabrics import read_fabric
from unknot.remedies import adaptive_lanes as room
from unknot.remedies.adaptive_lanes import adaptive_lanes
from unknot.remedies.fabric_remedies import _with_levels
from unknot.remedies.shorter_groups import shorter_groups
from unknot.routing.switchboard import destinations
from unknot.search.effort import SearchEffort
from unknot.verify.audit import audit

KINDS = ("fat tree", "torus")
LANES = 15
MOST = 2_000
"""Assignments that are all tried."""
Pairs = list[tuple[str, str]]


def plain(one: Drawn) -> Drawn:
    """Without levels, and with adaptive routing at all; each level has the lane of its number."""
    layout = replace(one.layout, levels={})
    layout.lanes = {place: [*range(16)] for place in layout.lanes}
    return replace(one, layout=layout, enabled=dict.fromkeys(one.enabled, 0xFFFF))


def pairs_of(one: Drawn) -> Pairs:
    """Pairs of switches with hosts; the second may be the first."""
    homes = sorted({one.far[end][0] for end in one.layout.lids if end[0][0] == "H"})
    return [(a, b) for a in homes for b in homes if a < b]


def stuck(one: Drawn, lane: dict[tuple[str, str], int]) -> bool:
    """Whether packets with these lanes can deadlock while they wait for the port they were given."""
    hosts = {end: lid for end, (lid, _) in one.layout.lids.items() if end[0][0] == "H"}
    levels = {}
    for end in hosts:
        for to, lid in hosts.items():
            low, high = sorted((one.far[end][0], one.far[to][0]))
            levels[end, lid] = lane.get((low, high), 0)
    return replace(one, layout=replace(one.layout, levels=levels)).decided()[0]


def fewest(kind: str, seed: int, folder: Path) -> str:
    """Compare one drawn fabric, whose word says what it was."""
    one = plain(drawn(kind, seed))
    pairs = pairs_of(one)
    if not stuck(one, {}):
        return "one lane"
    fabric = read_fabric(one.write(folder / f"{kind} {seed}"))
    bare = replace(fabric, lanes=None, lanes_file="")
    apart = len(pairs) < LANES and stuck(one, {pair: lane for lane, pair in enumerate(pairs)})
    with pytest.raises(UnknotError, match=r"alone close a loop|round in circles") if apart else nullcontext():
        found = adaptive_lanes(bare, 8, SearchEffort(clock() + 10))
    if apart:
        return "impossible"
    judged = audit(_with_levels(bare, found.lane), only_hosts=True)
    assert (judged.holds, judged.lanes) == (True, found.count)
    assert found.bound.evidence_holds(found.network)
    routers = {fabric.network.router_name(r): r for r in range(fabric.network.num_routers)}
    home = fabric.network.eject[fabric.owner[destinations(fabric, "host-to-host")]].tolist()
    lane = {(a, b): int(found.lane[routers[a], home.index(routers[b])]) for a, b in pairs}
    assert not stuck(one, lane)
    if not found.complete or (found.count - 1) ** len(pairs) > MOST:
        return "large"
    assert all(
        stuck(one, dict(zip(pairs, lane, strict=True))) for lane in product(range(found.count - 1), repeat=len(pairs))
    )
    return f"{found.count} lanes"


@pytest.mark.sampled(1 / 80)
@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("kind", KINDS)
def test_no_fewer_lanes_are_enough(kind: str, seed: int, tmp_path: Path) -> None:
    fewest(kind, seed, tmp_path)


def test_levels_are_written_read_back_and_proved(tmp_path: Path) -> None:
    folder, out, evidence = drawn("torus", 6).write(tmp_path / "stuck"), tmp_path / "out", tmp_path / "evidence.json"
    told = answer(unknot_says("repair", str(folder), "--out", str(out), "--evidence", str(evidence), "--json"))
    rows = {row["kind"]: row for row in told["remedies"]}
    assert [*rows] == ["adaptive-lanes", "shorter-groups"]
    row, made = rows["adaptive-lanes"], out / "adaptive-lanes"
    assert (row["lanes"], row["least"], row["least_holds"], row["complete"]) == (2, 2, True, True)
    assert (row["deadlock_free"], row["replies_free"], row["delivered"], row["entries_changed"]) == (
        True,
        True,
        True,
        0,
    )
    assert "fewer lanes are not enough: put the lines of `opensm.conf`" in (out / "README.md").read_text()
    words = ("--sl", str(made / "paths.psl"), "--sl2vl", str(made / "lanes.slvl"))
    judged = answer(unknot_says("audit", str(folder), *words, "--json"))
    assert (judged["deadlock_free"], judged["adaptive"]["given_port"]) == (True, True)
    assert unknot_says("accept", str(evidence)).exit_code == 0


def test_levels_that_choose_tables_tell_no_lanes(tmp_path: Path) -> None:
    fabric = read_fabric(drawn("dragonfly+", 2).write(tmp_path / "fabric"))
    with pytest.raises(UnknotError, match="levels or lanes choose what switches choose from"):
        adaptive_lanes(replace(fabric, levels=None), 8, SearchEffort(clock() + 5))


def test_without_a_deadlock_there_is_no_remedy(tmp_path: Path) -> None:
    fabric = read_fabric(drawn("fat tree", 1).write(tmp_path / "fabric"))
    assert audit(fabric, only_hosts=True).holds
    with pytest.raises(UnknotError, match="close no loop in one lane"):
        adaptive_lanes(replace(fabric, lanes=None), 8, SearchEffort(clock() + 5))
    with pytest.raises(UnknotError, match="so no port is taken out"):
        shorter_groups(fabric, SearchEffort(clock() + 5))


def test_too_many_ways_or_lanes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = replace(read_fabric(drawn("torus", 6).write(tmp_path / "fabric")), lanes=None)
    with pytest.raises(UnknotError, match="no 1 lanes were found"):
        adaptive_lanes(bare, 1, SearchEffort(clock() + 5))
    monkeypatch.setattr(room, "MOST_PATHS", 3)
    with pytest.raises(UnknotError, match="more than 3 ways"):
        adaptive_lanes(bare, 8, SearchEffort(clock() + 5))
