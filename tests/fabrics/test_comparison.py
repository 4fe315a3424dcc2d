"""What changed between two readings: planted changes are found, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_cli import answer, unknot_says
from tests.fabrics.folders import EXAMPLES, ROUTED
from tests.fabrics.test_levels import written
from tests.fabrics.texts import Layout, ring
from unknot.fabrics import compare_fabrics, read_fabric
from unknot.verify import update_fabric


@pytest.mark.parametrize("folder", ROUTED, ids=lambda f: f.name)
def test_a_fabric_is_as_it_is(folder: Path) -> None:
    fabric = read_fabric(folder)
    found = compare_fabrics(fabric, fabric)
    assert found.none
    assert found.compared == fabric.network.num_routers * int((fabric.owner >= 0).sum())


def test_every_planted_change_is_found(tmp_path: Path) -> None:
    old = ring(5)
    new = ring(5)
    new.links = [link for link in new.links if link != (("S1", 1), ("S2", 2))]
    new.links.append((("S1", 7), ("S2", 8)))
    new.tables["S3"] |= {1: 2, 2: 2}
    new.tables["S4"] |= {1: 2}
    found = compare_fabrics(
        read_fabric(written(tmp_path / "old", old)), read_fabric(written(tmp_path / "new", same_guids(new, old)))
    )
    assert found.lost_cables == ("S1[1] – S2[2]",)
    assert found.new_cables == ("S1[7] – S2[8]",)
    assert found.lids == ()
    assert (found.entries, found.compared) == (3, 50)
    assert found.switches == (("S3", 2), ("S4", 1))


class SameGuids(Layout):
    """A layout whose nodes have the GUIDs of another."""

    original: Layout

    def guid(self, node: str) -> int:
        return self.original.guid(node)


def same_guids(layout: Layout, original: Layout) -> Layout:
    made = SameGuids(layout.links, layout.lids, layout.tables)
    made.original = original
    return made


def test_a_renumbered_lid_is_no_changed_route(tmp_path: Path) -> None:
    old = ring(4)
    new = ring(4)
    new.lids["H0", 1], new.lids["H1", 1] = (2, 0), (1, 0)
    for table in new.tables.values():
        table[1], table[2] = table[2], table[1]
    found = compare_fabrics(read_fabric(written(tmp_path / "old", old)), read_fabric(written(tmp_path / "new", new)))
    assert found.lids == ("H0: LID 1 → LID 2", "H1: LID 2 → LID 1")
    assert (found.entries, found.lost_cables, found.new_cables) == (0, (), ())


@pytest.mark.long
def test_the_command_says_what_changed() -> None:
    old, new = EXAMPLES / "opensm-torus8x8-dor", EXAMPLES / "opensm-torus8x8-updn-rooted"
    result = unknot_says("audit", "--compare", str(old), str(new))
    assert result.exit_code == 0
    said = " ".join(result.output.split())
    assert "traffic host-to-host deadlock-free yes" in said
    assert "changes deadlock-free before NO" in said
    changes = compare_fabrics(read_fabric(old), read_fabric(new))
    assert f"changes entries {changes.entries:,} changes compared {changes.compared:,}" in said
    assert (changes.lost_cables, changes.new_cables) == ((), ())


@pytest.mark.long
def test_the_command_says_whether_switches_can_be_updated(tmp_path: Path) -> None:
    old, new = EXAMPLES / "opensm-torus8x8-updn-rooted", EXAMPLES / "opensm-torus8x8-dor"
    shown = answer(unknot_says("audit", str(new), "--compare", str(old), "--json"))["changes"]
    assert shown["deadlock_free_before"] is True
    assert (shown["lost_cables"], shown["new_cables"]) == ([], [])
    change = shown["update"]
    assert change["deadlock_free"] is False
    assert "opensm-torus8x8-dor alone can deadlock" in change["established"]
    same = answer(unknot_says("audit", str(old), "--compare", str(old), "--json"))["changes"]["update"]
    assert same["deadlock_free"] is True


def test_tables_of_other_cables_are_no_update(tmp_path: Path) -> None:
    old, new = ring(4), ring(5)
    folders = [written(tmp_path / name, folder) for name, folder in (("old", old), ("new", new))]
    assert update_fabric(*map(read_fabric, folders)) is None
