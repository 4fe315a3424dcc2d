"""Files for OpenSM: tables are read back equal, and a policy answers every query as the levels say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fabrics.folders import EXAMPLES, ROUTED, same
from tests.fabrics.test_levels import with_all, written
from tests.fabrics.texts import psl, ring
from unknot._base.errors import UnknotError
from unknot.fabrics import Fabric, read_fabric
from unknot.fabrics.opensm_files import write_lfts, write_options, write_policy, write_slvl


@pytest.mark.parametrize("folder", ROUTED, ids=lambda f: f.name)
def test_written_tables_are_read_back(folder: Path, tmp_path: Path) -> None:
    fabric = read_fabric(folder)
    write_lfts(fabric, tmp_path / "tables.lfts")
    again = read_fabric(
        fabric.fabric_file,
        tmp_path / "tables.lfts",
        levels=fabric.levels_file or None,
        lanes=fabric.lanes_file or None,
    )
    assert np.array_equal(again.tables, fabric.tables)  # type: ignore[arg-type]
    if (folder / "opensm-lfts.dump").exists():
        assert (tmp_path / "tables.lfts").read_text() == (folder / "opensm-lfts.dump").read_text()
    assert same(again, fabric) or folder.name.startswith("ibutils")


def test_nothing_to_write_is_refused(tmp_path: Path) -> None:
    bare = read_fabric(EXAMPLES / "ibutils-rhino512")
    with pytest.raises(UnknotError, match="no forwarding tables to write"):
        write_lfts(bare, tmp_path / "x")
    with pytest.raises(UnknotError, match="no service levels to write"):
        write_policy(bare, tmp_path / "x")


def answered(policy: str, source: int, destination: int) -> int:
    """The level that the first rule of a policy that matches gives, by two port GUIDs."""
    groups: dict[str, set[int]] = {}
    levels: dict[str, int] = {}
    name = ""
    rule: dict[str, str] = {}
    for line in policy.splitlines():
        key, _, value = line.strip().partition(": ")
        if key == "name":
            name = value
            groups.setdefault(name, set())
        elif key == "port-guid":
            groups[name].add(int(value, 16))
        elif key == "sl":
            levels[name] = int(value)
        elif key in ("source", "destination", "qos-level-name"):
            rule[key] = value
        elif (
            key == "end-qos-match-rule"
            and source in groups[rule["source"]]
            and any(destination in groups[name] for name in rule["destination"].split(", "))
        ):
            return levels[rule["qos-level-name"]]
    return levels["DEFAULT"]


@given(levels=st.lists(st.integers(0, 15), min_size=1, max_size=20))
def test_a_policy_says_the_levels(tmp_path_factory: pytest.TempPathFactory, levels: list[int]) -> None:
    folder = tmp_path_factory.mktemp("policy")
    layout = with_all(ring(5), levels, [0])
    fabric = read_fabric(written(folder, layout, levels=psl(layout)))
    write_policy(fabric, folder / "qos-policy.conf")
    policy = (folder / "qos-policy.conf").read_text()
    for (source, lid), level in layout.levels.items():
        to = next(end for end, (base, _) in layout.lids.items() if base == lid)
        assert answered(policy, layout.port_guid(source), layout.port_guid(to)) == level


def test_lids_of_a_port_with_different_levels_are_refused(tmp_path: Path) -> None:
    layout = ring(3, lmc=1)
    lids = [(f"H{i}", base + k) for i in range(3) for base in [layout.lids[f"H{i}", 1][0]] for k in (0, 1)]
    layout.levels = {((f"H{s}", 1), lid): lid % 2 for s in range(3) for who, lid in lids if who != f"H{s}"}
    fabric: Fabric = read_fabric(written(tmp_path, layout, levels=psl(layout)))
    with pytest.raises(UnknotError, match="have different service levels; a QoS policy knows ports"):
        write_policy(fabric, tmp_path / "qos-policy.conf")


def test_lanes_and_options(tmp_path: Path) -> None:
    fabric = read_fabric(EXAMPLES / "opensm-ring12-lash")
    write_slvl(fabric, 3, tmp_path / "lanes.slvl")
    again = read_fabric(EXAMPLES / "opensm-ring12-lash", lanes=tmp_path / "lanes.slvl")
    assert again.lanes is not None
    assert np.array_equal(again.lanes[:, :, 1:], np.broadcast_to(np.arange(16) % 3, again.lanes[:, :, 1:].shape))
    write_options(3, "/etc/qos.conf", tmp_path / "opensm.conf")
    assert "qos_sl2vl 0,1,2,0,1,2,0,1,2,0,1,2,0,1,2,0\n" in (tmp_path / "opensm.conf").read_text()
