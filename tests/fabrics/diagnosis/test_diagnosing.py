"""Diagnoses of small fabrics: plans, counters, rails, rates, and fabrics without structure."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.fabrics.diagnosis.drawn_families import Drawn
from tests.fabrics.diagnosis.planted import text
from unknot._base.errors import TextError
from unknot.cli.program import app
from unknot.fabrics import Fabric, read_fabric
from unknot.fabrics.diagnosis import diagnose, read_errors
from unknot.fabrics.diagnosis.pairing import joined
from unknot.fabrics.diagnosis.plan import cables_by_guid, read_plan

EXAMPLES = Path(__file__).parents[3] / "examples/fabrics"
LEAVES, SPINES = [f"S1{i}" for i in range(6)], [f"S2{i}" for i in range(4)]


def leaf_spine(hosts: int = 3, name: str = "H{leaf}_{host}") -> Drawn:
    fabric = Drawn("fat tree", spines=SPINES)
    for leaf in LEAVES:
        for spine in SPINES:
            fabric.join(leaf, spine)
    for i, leaf in enumerate(LEAVES):
        for host in range(hosts):
            fabric.host(name.format(leaf=i, host=host), leaf)
    return fabric


def read(fabric: Drawn, folder: Path) -> Fabric:
    file = folder / "fabric.ibnetdiscover"
    file.write_text(text(fabric))
    return read_fabric(file)


def test_a_whole_fabric_has_no_findings(tmp_path: Path) -> None:
    found = diagnose(read(leaf_spine(), tmp_path))
    assert (found.holds, found.findings, found.load) == (True, (), 1.0)


def test_costs_of_a_missing_cable(tmp_path: Path) -> None:
    fabric = leaf_spine()
    fabric.cables = [cable for cable in fabric.cables if cable.nodes != {"S10", "S20"}]
    (one,) = diagnose(read(fabric, tmp_path)).findings
    assert one.words.startswith("a cable is missing between S")
    assert set(one.switches) == {"S10", "S20"}
    assert one.bisection == pytest.approx(1 / 24)
    # Leaf S10 sends and receives over three spines in place of four, and is the busiest.
    assert one.load == pytest.approx(4 / 3, abs=1e-3)


def test_a_plan_as_csv_names_what_differs_port_by_port(tmp_path: Path) -> None:
    fabric = leaf_spine()
    rows = ["source,source port,target,target port"]
    rows += [f"{cable.a[0]},{cable.a[1]},{cable.b[0]},{cable.b[1]}" for cable in fabric.cables]
    plan = tmp_path / "plan.csv"
    plan.write_text("\n".join(rows))
    assert diagnose(read(fabric, tmp_path), intended=plan).holds is True
    first, second = fabric.cables[0], fabric.cables[5]
    first.b, second.b = second.b, first.b
    gone = fabric.cables.pop(10)
    found = diagnose(read(fabric, tmp_path), intended=plan)
    assert [one.fault for one in found.findings] == ["missing cable", "swapped cables"]
    assert {frozenset(found.findings[1].cables[0].split(" – "))} <= {
        frozenset(name.split(" – ")) for cable in (first, second) for name in cable.names
    }
    assert all(f"{node}[{port}]" in found.findings[0].words for node, port in (gone.a, gone.b))
    assert found.intended_by == str(plan)


def test_topoconfig_and_an_older_dump_are_plans(tmp_path: Path) -> None:
    whole = read(leaf_spine(), tmp_path)
    older = tmp_path / "older.ibnetdiscover"
    older.write_text((tmp_path / "fabric.ibnetdiscover").read_text())
    lines = [
        ",".join(f"{name},{port or 1}" for name, port in sorted(cable)) + ",Any,Active"
        for cable in cables_by_guid(whole)
    ]
    topoconfig = tmp_path / "topoconfig.conf"
    topoconfig.write_text("\n".join(lines) + "\n")
    damaged = leaf_spine()
    damaged.cables.pop(3)
    now = replace(read(damaged, tmp_path))
    for plan in (older, topoconfig):
        assert len(read_plan(plan).cables) == len(lines)
    assert [one.fault for one in diagnose(now, intended=older).findings] == ["missing cable"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "empty"),
        ("a,b\n1,2\n", "has a heading with node and port of both ends"),
        ("node,port,peer node,peer port\nS1,1,S2\n", "4 cells are needed, not 3"),
        ("node,port,peer node,peer port\nS1,one,S2,2\n", "not 'S1' and 'one'"),
        ("node,port,peer node,peer port\nS1,1,S1,1\n", "to itself"),
        ("node,port,peer node,peer port\nS1,1,S2,1\nS1,1,S3,1\n", "second cable"),
        ("0x1,1,0x2,1,Any,Active\n0x1,2,0x2\n", "GUID, port, GUID and port"),
    ],
)
def test_plans_that_are_none_say_where(content: str, words: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.csv"
    plan.write_text(content)
    with pytest.raises(TextError, match=words):
        read_plan(plan)


def test_errors_stand_before_missing_cables_by_the_hour(tmp_path: Path) -> None:
    fabric = leaf_spine()
    fabric.cables.pop(0)
    whole = read(fabric, tmp_path)
    guid = int(whole.switch_guid[0])
    port = int(whole.network.ports[whole.network.source == 0][0, 0])
    counters = tmp_path / "ibdiagnet2.db_csv"
    counters.write_text(
        "START_PM_INFO\nNodeGUID,PortGUID,PortNumber,SymbolErrorCounter,SymbolErrorCounterExt,PortXmitWait\n"
        f"0x{guid:x},0x{guid:x},{port},0xf,120,99999\nEND_PM_INFO\n"
    )
    errors = read_errors(counters)
    assert errors == Counter({(guid, port): 120})
    found = diagnose(whole, errors=errors, hours=24.0)
    assert [one.fault for one in found.findings] == ["errors", "missing cable"]
    assert found.findings[0].errors_per_hour == 5


def test_crossed_adapters_are_on_another_rail(tmp_path: Path) -> None:
    fabric = Drawn("fat tree", spines=SPINES)
    for leaf in LEAVES:
        for spine in SPINES:
            fabric.join(leaf, spine)
    for host in range(12):
        for rail in (0, 1):
            leaf = LEAVES[rail if host != 3 else 1 - rail]
            fabric.host(f"H{host} HCA-{rail + 1}", leaf)
    for leaf in LEAVES[2:]:
        for host in range(2):
            fabric.host(f"H{leaf}{host}", leaf)
    found = diagnose(read(fabric, tmp_path))
    assert [one.fault for one in found.findings] == ["host on another rail"] * 2
    assert "2 rails by the names of adapters: HCA-1, HCA-2" in found.remarks


def test_hosts_with_one_port_among_hosts_with_two(tmp_path: Path) -> None:
    fabric = leaf_spine(hosts=0)
    for i in range(12):
        fabric.host(f"H{i}", *LEAVES[i % 6 :][:1], *([LEAVES[(i + 1) % 6]] if i != 4 else []))
    found = diagnose(read(fabric, tmp_path))
    assert [one.fault for one in found.findings] == ["single-homed host"]
    assert "H4 has 1 port" in found.findings[0].words


def test_a_slow_cable_of_a_host(tmp_path: Path) -> None:
    fabric = leaf_spine(hosts=4)
    fabric.cables[-1].rate = "1xNDR"
    (one,) = diagnose(read(fabric, tmp_path)).findings
    assert (one.fault, one.words.partition(" runs ")[2]) == (
        "slow cable", "at 100 Gb/s (1xNDR), those beside it at 400 Gb/s"
    )  # fmt: skip


def test_without_structure_and_plan_the_answer_is_open() -> None:
    found = diagnose(read_fabric("examples/fabrics/opensm-random48-lash"))
    assert found.holds is None
    assert "--intended" in found.remarks[-1]


PAIRS = st.tuples(st.integers(0, 5), st.integers(6, 11))


@given(st.dictionaries(PAIRS, st.integers(1, 3)), st.dictionaries(PAIRS, st.integers(1, 3)))
def test_joining_loses_no_cable(strays: dict[tuple[int, int], int], lacks: dict[tuple[int, int], int]) -> None:
    lacks = {pair: count for pair, count in lacks.items() if pair not in strays}
    told_strays, told_lacks = Counter[object](), Counter[object]()
    for fault in joined(Counter(strays), Counter(lacks)):
        told_strays.update(dict.fromkeys(fault.strays, fault.count))
        told_lacks.update(dict.fromkeys(fault.lacks, fault.count))
    assert (told_strays, told_lacks) == (Counter(strays), Counter(lacks))


def test_the_table_of_no_findings_has_its_header(tmp_path: Path) -> None:
    """It was an empty file."""
    read(leaf_spine(), tmp_path)
    rows = []
    for name in (tmp_path / "fabric.ibnetdiscover", EXAMPLES / "opensm-leafspine-degraded-ftree"):
        done = CliRunner().invoke(app, ["diagnose", str(name), "--out", str(tmp_path / "found.csv")])
        assert done.exit_code in (0, 1, 3), done.output
        rows.append((tmp_path / "found.csv").read_text().splitlines())
    assert len(rows[0]) == 1
    assert rows[0][0] == rows[1][0]


def test_traffic_without_any_rate_is_refused(tmp_path: Path) -> None:
    """The answer was the full line rate."""
    (tmp_path / "rates.csv").write_text(("0," * 11 + "0\n") * 12)
    fabric = str(EXAMPLES / "opensm-ring12-lash")
    done = CliRunner().invoke(app, ["diagnose", fabric, "--traffic", str(tmp_path / "rates.csv")])
    assert done.exit_code == 2
    assert "all rates are 0, so no host sends" in done.output


def test_a_multicast_level_that_there_is_not_is_refused_before_reading() -> None:
    done = CliRunner().invoke(app, ["audit", "nowhere", "--multicast-sl", "99"])
    assert done.exit_code == 2
    assert "--multicast-sl 99: service levels are 0 to 15" in done.output


def test_rows_of_structure_and_capacity_read_as_english() -> None:
    shown = CliRunner().invoke(app, ["diagnose", str(EXAMPLES / "opensm-ring12-lash")]).output
    assert re.search(r"structure +ring of 12; 1 cable a pair", shown)
    assert re.search(r"capacity per host +4\.19 Gb/s", shown)
