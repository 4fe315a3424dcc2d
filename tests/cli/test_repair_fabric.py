"""``unknot repair FABRIC --out DIR``: what is written is safe when it is read back."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.test_cli import answer, refused, unknot_says
from tests.cli.test_schemas import schema
from tests.fabrics.folders import EXAMPLES
from tests.fabrics.test_levels import written
from tests.fabrics.texts import ring
from unknot._base import deadline
from unknot._base.work import counting_work
from unknot.fabrics import Fabric, read_fabric
from unknot.remedies import fabric_remedies
from unknot.remedies.fabric_remedies import FabricRemedy, FabricSearch
from unknot.verify.audit import audit


@pytest.mark.long
@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize(("hosts", "lmc"), [(1, 0), (3, 0), (1, 1)])
def test_a_ring_that_can_deadlock_is_repaired(hosts: int, lmc: int, tmp_path: Path) -> None:
    """With hosts of their own numbers behind each switch, and of several LIDs each, too."""
    folder = written(tmp_path / "ring", ring(6, hosts=hosts, lmc=lmc))
    assert audit(read_fabric(folder)).deadlock_free is False
    out = tmp_path / "out"
    result = unknot_says("repair", str(folder), "--out", str(out), "--time-limit", "600")
    assert result.exit_code == 0
    page = (out / "README.md").read_text()
    assert page.count("Without a deadlock on the way:") == 4
    assert "1. Stop all traffic" in page
    assert "The loop: S0 → S1 → S2 → S3 → S4 → S5 → S0." in page
    for kind in ("same-routes", "few-entries", "new-tables", "one-lane"):
        made = out / kind
        several = (made / "paths.psl").exists()
        assert several is (kind in ("same-routes", "new-tables"))
        found = audit(
            read_fabric(
                folder / "fabric.ibnetdiscover",
                made / "tables.lfts",
                levels=made / "paths.psl" if several else None,
                lanes=made / "lanes.slvl" if several else None,
            )
        )
        assert (found.holds, found.lanes > 1) == (True, several)
        assert found.host_to_host.delivery.pairs == (6 * hosts) * (6 * hosts - 1) << lmc
        if lmc and kind == "new-tables":  # the LIDs of a host have routes of their own
            table, owner = found.fabric.tables, found.fabric.owner
            assert table is not None
            assert any((np.diff(table[:, owner == host]) != 0).any() for host in range(6 * hosts))
        assert f"-U {kind}/tables.lfts" in page
    assert read_fabric(folder).tables is not None
    same = read_fabric(folder / "fabric.ibnetdiscover", out / "same-routes" / "tables.lfts")
    assert (same.tables == read_fabric(folder).tables).all()  # type: ignore[union-attr]


@pytest.mark.campaign
def test_the_tables_after_each_batch_are_written_and_safe(tmp_path: Path) -> None:
    """A batch is loaded from a file of its own: OpenSM loads whole files."""
    folder, out = EXAMPLES / "opensm-torus4x4-updn-multicast", tmp_path / "out"
    unknot_says("repair", str(folder), "--out", str(out), "--time-limit", "20")
    steps = sorted((out / "one-lane").glob("step-*.lfts"))
    page = (out / "README.md").read_text()
    assert len(steps) > 1
    assert all(f"`{step.name}`" in page for step in steps)
    every = [folder / "opensm-lfts.dump", *steps, out / "one-lane" / "tables.lfts"]
    fabrics = [read_fabric(folder / "fabric.ibnetdiscover", tables) for tables in every]
    assert all(audit(fabric).holds for fabric in fabrics)
    tables = np.array([fabric.tables for fabric in fabrics])
    changed = (tables[1:] != tables[:-1]).any(axis=2)
    assert changed.any(axis=1).all()
    assert (changed.sum(axis=0) <= 1).all()


def test_lids_are_assigned_anew_for_another_lmc(tmp_path: Path) -> None:
    """Each LID has a route, the loads are those of equal shares, and the bound is counted by the checker alone."""
    folder, out, evidence = written(tmp_path / "ring", ring(6)), tmp_path / "out", tmp_path / "evidence.json"
    words = ("--lmc", "1", "--time-limit", "600", "--evidence", str(evidence), "--json")
    told = answer(unknot_says("repair", str(folder), "--out", str(out), *words))
    schema("repair-fabric").validate(told)
    assert [row["kind"] for row in told["remedies"]] == ["new-tables", "one-lane"]
    assert told["before"]["deadlock_free"] is False
    page = (out / "README.md").read_text()
    assert "LIDs are assigned anew, 2^1 for each host port." in page
    for row in told["remedies"]:
        made, several = out / row["kind"], row["lanes"] > 1
        assert (row["lmc"], row["deadlock_free"], row["delivered"], row["load_bound_holds"]) == (1, True, True, True)
        assert row["highest_load"] >= row["load_bound"] > 0
        assert (sum(row["lane_pairs"]), max(row["lane_highest"], default=0) <= row["highest_load"]) == (
            60 if several else 0, True,
        )  # fmt: skip
        files = {"levels": made / "paths.psl", "lanes": made / "lanes.slvl"} if several else {}
        fabric = read_fabric(folder / "fabric.ibnetdiscover", made / "tables.lfts", lids=made / "guid2lid", **files)
        assert fabric.lids.tolist() == [*range(2, 20)]
        load = highest_by_a_walk(fabric)
        assert load == row["highest_load"]
        beside = [f"--{name}={path}" for name, path in zip(("sl", "sl2vl"), files.values(), strict=False)]
        words = ("--lids", str(made / "guid2lid"), "--tables", str(made / "tables.lfts"), *beside)
        assert unknot_says("audit", str(folder / "fabric.ibnetdiscover"), *words).exit_code == 0
    assert unknot_says("accept", str(evidence)).exit_code == 0
    refused_words = refused("repair", str(folder), "--out", str(tmp_path / "other"), "--lmc", "8")
    assert "LMC" in refused_words


def highest_by_a_walk(fabric: Fabric) -> float:
    """The highest load, walking every pair of host and LID."""
    network, owner = fabric.network, fabric.owner.tolist()
    assert fabric.tables is not None
    assert network.ports is not None
    leaving = {(u, p): c for c, (u, p) in enumerate(zip(network.source, network.ports[:, 0], strict=True))}
    load = np.zeros(network.num_channels)
    for column, to in enumerate(owner):
        for host in range(network.num_terminals if to < network.num_terminals else 0):
            at = int(network.inject[host])
            while host != to and at != network.eject[to]:
                channel = leaving[at, fabric.tables[at, column]]
                load[channel] += 1 / owner.count(to)
                at = int(network.target[channel])
    return float(load.max())


@pytest.mark.long
def test_the_lmc_is_of_files_for_a_fabric(tmp_path: Path) -> None:
    folder = written(tmp_path / "ring", ring(6, lmc=1))
    assert "--lmc is for --out DIR" in refused("repair", "ring(4)", "--routing", "shortest_paths", "--lmc", "1")
    same = answer(unknot_says("repair", str(folder), "--out", str(tmp_path / "out"), "--lmc", "1", "--json"))
    assert [row["kind"] for row in same["remedies"]] == ["same-routes", "few-entries", "new-tables", "one-lane"]
    changed = {row["kind"]: row["entries_changed"] for row in same["remedies"]}
    assert changed["same-routes"] < changed["few-entries"] < changed["one-lane"]
    assert {row["lmc"] for row in same["remedies"]} == {None}


@pytest.mark.long
def test_levels_are_the_same_both_ways_unless_said_otherwise(tmp_path: Path) -> None:
    """LASH on a ring of 12: 2 lanes do for each direction by itself, but then replies can deadlock."""
    folder = tmp_path / "in-one-lane"
    folder.mkdir()
    for name in ("fabric.ibnetdiscover", "opensm-lfts.dump"):
        shutil.copy(EXAMPLES / "opensm-ring12-lash" / name, folder)
    for option, safe in ((), True), (("--one-way",), False):
        result = unknot_says("repair", str(folder), "--out", str(tmp_path / "out"), "--time-limit", "40", *option)
        assert result.exit_code == (0 if safe else 1)
        made = tmp_path / "out" / "same-routes"
        fabric = read_fabric(
            folder / "fabric.ibnetdiscover",
            made / "tables.lfts",
            levels=made / "paths.psl",
            lanes=made / "lanes.slvl",
        )
        assert fabric.levels is not None
        between = fabric.levels[:12, np.argsort(fabric.owner)[:12]]
        assert bool((between == between.T).all()) is safe
        found = audit(fabric)
        assert found.replies is not None
        assert (found.deadlock_free, found.replies.verdict.deadlock_free) == (True, safe)
        page = (tmp_path / "out" / "README.md").read_text()
        assert ("SUCH REPLIES CAN DEADLOCK" in page) is not safe
        assert "in equal shares; it was 21 before." in page
        assert "| 21 (× 1.00) |" in page
        assert "unknot audit FABRIC --tables same-routes/tables.lfts --sl same-routes/paths.psl --sl2vl" in page
        assert len((made / "paths.psl").read_text().splitlines()) == 12 * 11 + 1


def test_files_of_others_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "README.md").write_text("mine")
    said = refused("repair", str(EXAMPLES / "opensm-torus8x8-dor"), "--out", str(tmp_path / "out"))
    assert "out is there already, and was not written by `unknot repair`; name a new folder" in said
    assert (tmp_path / "out" / "README.md").read_text() == "mine"


@pytest.mark.parametrize("more", [["--routing", "lash"]])
def test_files_are_of_fabrics_alone(more: list[str], tmp_path: Path) -> None:
    assert "a folder is for the tables of a fabric" in refused(
        "repair", str(written(tmp_path / "ring", ring(3))), "--out", str(tmp_path / "out"), *more
    )


def test_a_fabric_without_fault_is_told_so(tmp_path: Path) -> None:
    folder, out = EXAMPLES / "opensm-leafspine-degraded-ftree", tmp_path / "out"
    result = unknot_says("repair", str(folder), "--out", str(out), "--evidence", str(tmp_path / "e.json"), "--json")
    assert result.exit_code == 0
    assert "opensm-leafspine-degraded-ftree has no fault" in result.stderr
    told = answer(result)
    schema("repair-fabric").validate(told)
    assert (told["remedies"], told["refused"], told["before"]["deadlock_free"]) == ([], [], True)
    assert not out.exists()
    again = unknot_says("repair", str(folder))
    assert again.exit_code == 0
    assert "deliver every pair and cannot deadlock, so no remedy was sought" in again.stderr


Make = Callable[[], FabricRemedy]


@pytest.fixture
def unfinished(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Remedies, and some that are never finished, for which the last moment of the limit is left."""
    clock, later, ended = deadline.clock, 0.0, threading.Event()

    class Remedies(dict[str, Make]):
        search: FabricSearch

        def items(self) -> Any:
            nonlocal later
            for kind, make in super().items():
                if make == ended.wait:
                    later = max(later, self.search.deadline.end - clock() - 0.3)
                yield kind, make

    def with_endless(search: FabricSearch, remedies: dict[str, Make], *kinds: str) -> Remedies:
        made = Remedies(remedies | dict.fromkeys(kinds, ended.wait))
        made.search = search
        return made

    monkeypatch.setattr(deadline, "clock", lambda: clock() + later)
    yield with_endless
    ended.set()


def test_what_was_finished_is_written_and_the_rest_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unfinished: Callable[..., Any]
) -> None:
    """One search never ends, and one is ended by its limit."""

    def made(fabric: Fabric, search: FabricSearch) -> FabricRemedy:
        with counting_work():
            few = replace(search, deadline=deadline.Deadline.after(2))
            return replace(one_lane(fabric, few), complete=False)

    one_lane = fabric_remedies._one_lane
    monkeypatch.setattr(
        fabric_remedies,
        "fabric_remedies",
        lambda fabric, search: unfinished(
            search, {"one-lane": lambda: made(fabric, search)}, "few-entries", "new-tables"
        ),
    )
    folder, out = written(tmp_path / "ring", ring(6)), tmp_path / "out"
    result = unknot_says("repair", str(folder), "--out", str(out), "--time-limit", "3600", "--json")
    assert result.exit_code == 0
    told = answer(result)
    assert [(row["kind"], row["complete"]) for row in told["remedies"]] == [("one-lane", False)]
    assert told["refused"] == [f"{kind}: not finished within 3600 s" for kind in ("few-entries", "new-tables")]
    assert sorted(path.name for path in out.iterdir()) == ["README.md", "one-lane"]
    page = (out / "README.md").read_text()
    assert "| yes | ended by its limit |" in page
    assert "- new-tables: not finished within 3600 s" in page


def test_nothing_finished_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unfinished: Callable[..., Any]
) -> None:
    monkeypatch.setattr(fabric_remedies, "fabric_remedies", lambda _, search: unfinished(search, {}, "one-lane"))
    folder, out = written(tmp_path / "ring", ring(6)), tmp_path / "out"
    result = unknot_says("repair", str(folder), "--out", str(out), "--time-limit", "3600")
    assert result.exit_code == 3
    assert "one-lane: not finished within 3600 s" in result.stdout
    assert f"{out} was not written: one-lane: not finished within 3600 s" in result.stderr
    assert "how to load it" not in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ring"]


def test_no_evidence_is_made_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds tables of rules, which those of large fabrics are too large for."""
    from unknot.cli.commands import audit as module

    monkeypatch.setattr(module, "audit_parts", lambda *_: pytest.fail("nobody asked for evidence"))
    folder = written(tmp_path / "ring", ring(6))
    assert unknot_says("repair", str(folder), "--out", str(tmp_path / "out")).exit_code == 0


@pytest.mark.long
def test_remedies_beside_adaptive_routing_are_open(tmp_path: Path) -> None:
    folder = written(tmp_path / "ring", ring(6))
    (folder / "opensm.conf").write_text("routing_engine ar_updn")
    result = unknot_says("repair", str(folder), "--out", str(tmp_path / "out"))
    assert result.exit_code == 3
    page = (tmp_path / "out" / "README.md").read_text()
    assert "Adaptive routing is there, by opensm.conf (the engine ar_updn): these tables hold once it is off" in page
    alone = unknot_says("repair", str(folder), "--out", str(tmp_path / "alone"), "--assume", "static")
    assert alone.exit_code == 0
    assert "Adaptive routing is there" not in (tmp_path / "alone" / "README.md").read_text()
