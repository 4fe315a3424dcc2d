"""The fewest ports out of groups: against all choices on drawn fabrics, files read back, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from math import comb
from pathlib import Path

import pytest

from tests.cli.test_cli import answer, refused, unknot_says
from tests.verify.adaptive_fabrics import Drawn, drawn
from unknot._base.deadline import clock
from unknot._base.errors import UnknotError
from unknot.certificates import evidence_holds, plain
from unknot.certificates.documents import network_of, table_of
from unknot.fabrics import Fabric, read_fabric
from unknot.fabrics.adaptive_groups import read_far, with_groups
from unknot.remedies import shorter_groups as room
from unknot.remedies.shorter_groups import ShorterGroups, shortened, shorter_groups
from unknot.search.effort import SearchEffort
from unknot.verify.audit import audit

KINDS = ("fat tree", "dragonfly+", "torus")
SECONDS = 10.0
MOST = 20_000
"""Choices of ports that are all tried."""
Taken = tuple[str, tuple[int, ...], int]
"""Switch, ports of a group, and the port that is taken out of it."""


def members(one: Drawn) -> list[Taken]:
    """All ports of groups."""
    rows = {(node, group) for (node, _), table in one.tables.items() for _, group in table.values()}
    return sorted((node, group, port) for node, group in rows for port in group)


def without(one: Drawn, taken: Iterable[Taken]) -> Drawn:
    gone = {*taken}

    def kept(node: str, group: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(port for port in group if (node, group, port) not in gone)

    tables = {
        (node, number): {lid: (port, kept(node, group)) for lid, (port, group) in rows.items()}
        for (node, number), rows in one.tables.items()
    }
    return replace(one, tables=tables)


def safe(one: Drawn, less: Drawn) -> bool:
    """Whether packets cannot deadlock, and none is turned back that had another port before; requests and replies."""
    replies = bool(one.layout.levels)
    if less.decided(replies=replies)[0]:
        return False
    seen = set(less.starts(replies=replies))
    waiting = list(seen)
    for state in waiting:  # grows
        node, came, lane, level, _ = state
        leaves, entered = less.onward(state)
        back = less.far[node, came]
        if (
            lane >= 0
            and not leaves
            and {place[:2] for place in entered} == {back} != {place[:2] for place in one.onward(state)[1]}
        ):
            return False
        for place in entered:
            new = (*place, level, state[4])
            if new not in seen:
                seen.add(new)
                waiting.append(new)
    return True


def named(fabric: Fabric, found: ShorterGroups) -> list[Taken]:
    """What was taken, as the drawn fabric names groups."""
    switches = {fabric.router_of[guid]: switch for guid, switch in (fabric.groups or {}).items()}
    name = fabric.network.router_name
    return [(name(router), switches[router].members(group), port) for router, group, port in found.taken]


def fewest(kind: str, seed: int, folder: Path) -> str:
    """Compare one drawn fabric, whose word says what it was."""
    one = drawn(kind, seed)
    if not one.decided(replies=bool(one.layout.levels))[0]:
        return "safe"
    fabric, every = read_fabric(one.write(folder / f"{kind} {seed}")), members(one)
    if not safe(one, without(one, every)):
        with pytest.raises(UnknotError, match="those of static routing close a loop"):
            shorter_groups(fabric, SearchEffort(clock() + 60))
        return "impossible"
    found = shorter_groups(fabric, SearchEffort(clock() + SECONDS))
    least, change = len(found.taken), found.change
    assert change.evidence_holds is not False
    assert change.lower_bound in ((0, least) if change.complete else range(least + 1))
    judged = audit(found.fabric, only_hosts=True)
    assert judged.holds
    assert evidence_holds(judged.host_to_host.relation, judged.host_to_host.verdict)
    taken = named(fabric, found)
    assert {*taken} <= {*every}
    assert safe(one, without(one, taken))
    if not change.complete:
        return "open"
    if sum(comb(len(every), size) for size in range(least)) > MOST:
        return "large"
    assert not any(safe(one, without(one, few)) for size in range(least) for few in combinations(every, size))
    return "fewest"


@pytest.mark.sampled(1 / 100)
@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("kind", KINDS)
def test_no_fewer_ports_of_groups_are_enough(kind: str, seed: int, tmp_path: Path) -> None:
    fewest(kind, seed, tmp_path)


def stuck(folder: Path) -> Path:
    """A fabric with two ports too many in its groups."""
    return drawn("fat tree", 11).write(folder / "stuck")


def test_groups_are_written_read_back_and_proved(tmp_path: Path) -> None:
    folder, out, evidence = stuck(tmp_path), tmp_path / "out", tmp_path / "evidence.json"
    told = answer(unknot_says("repair", str(folder), "--out", str(out), "--evidence", str(evidence), "--json"))
    (row,) = told["remedies"]
    assert told["before"]["deadlock_free"] is False
    assert (row["kind"], row["taken"], row["least"], row["least_holds"]) == ("shorter-groups", 2, 2, True)
    assert (row["deadlock_free"], row["delivered"], row["entries_changed"], row["complete"]) == (True, True, 0, True)
    page = (out / "README.md").read_text()
    assert all(f"- {words}\n" in page for words in row["taken_words"])
    assert "and no fewer ports are enough" in page
    written = out / "shorter-groups" / "groups.far"
    assert audit(with_groups(read_fabric(folder), read_far(written)), only_hosts=True).deadlock_free
    (folder / "ibdiagnet2.far").write_bytes(written.read_bytes())
    assert audit(read_fabric(folder), only_hosts=True).deadlock_free
    assert unknot_says("accept", str(evidence)).exit_code == 0
    again = answer(unknot_says("repair", str(folder), "--out", str(tmp_path / "none"), "--json"))
    assert again["remedies"] == []


def test_what_cannot_be_shortened_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = stuck(tmp_path)
    assert "leave out --lmc" in refused("repair", str(folder), "--out", str(tmp_path / "out"), "--lmc", "1")
    monkeypatch.setattr(room, "MOST_STATES", 10)
    with pytest.raises(UnknotError, match="up to 10 of both, and this one would take about 0 GB"):
        shorter_groups(read_fabric(folder), SearchEffort(clock() + 5))


def test_the_checker_adds_up_sets_of_candidates(tmp_path: Path) -> None:
    found = shorter_groups(read_fabric(stuck(tmp_path)), SearchEffort(clock() + 60))
    bound, relation = found.change.evidence, found.change.original
    assert bound is not None
    table = plain.Table(plain.Network(network_of(relation.network)), table_of(relation))
    sets = bound.claim["together"]
    plain.check(table.network, table, bound.claim)
    for together, said in (
        ([*sets, sets[0]], "is in two sets"),
        ([[entry] for several in sets for entry in several] + [[[0, 0, "x"]]], "together"),
        ("all", "together"),
    ):
        with pytest.raises(plain.Rejected, match=said):
            plain.check(table.network, table, {**bound.claim, "together": together})
    with pytest.raises(plain.Rejected, match="do not add up to 3"):
        plain.check(table.network, table, {**bound.claim, "least": 3})
    alone = [[entry] for several in sets for entry in several]
    plain.check(table.network, table, {**bound.claim, "together": alone})


def test_ports_are_taken_out_of_all_parts_of_a_group(tmp_path: Path) -> None:
    fabric = read_fabric(stuck(tmp_path))
    guid, switch = next((guid, one) for guid, one in (fabric.groups or {}).items() if one.groups)
    (group, _), ports = next(iter(switch.groups.items()))
    less = (shortened(fabric, [(fabric.router_of[guid], group, ports[0])]).groups or {})[guid]
    assert less.members(group) == tuple(port for port in switch.members(group) if port != ports[0])
    assert less.tables is switch.tables
