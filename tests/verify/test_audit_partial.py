"""Audits of dumps that were cut in many ways, against audits of the whole and a walk of every pair."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.fabrics.folders import EXAMPLES
from tests.fabrics.texts import ibnetdiscover, lfts, ring
from tests.reference.fabric_routes import follow, plain_ibnetdiscover, plain_lst, plain_tables
from unknot.cli.program import app
from unknot.fabrics import Fabric, read_fabric
from unknot.fabrics.fabric import UNKNOWN_PORT
from unknot.verify.audit import Audit, audit

UNSAFE = ["opensm-torus8x8-dor", "opensm-torus8x8-updn", "opensm-random48-lash"]
SAFE = ["opensm-leafspine-degraded-ftree", "opensm-random48-updn-rooted", "ibutils-65sw"]
DUMPS = [(name, dump) for name in UNSAFE + SAFE for dump in ("opensm-lfts.dump", "opensm.fdbs")]
DUMPS.remove(("ibutils-65sw", "opensm-lfts.dump"))
UNFINISHED = re.compile(r"^(?!0x\w{4} \d{3} ?\Z|0x.*(?:yes|!|UNREACHABLE|UNKNOWN)\Z).*\Z", re.M)
"""A last line that says nothing, since it is cut off."""
HEAD = re.compile(r"^(?:Unicast|\w*dump_ucast)", re.M)


def described(name: str) -> Path:
    found = EXAMPLES / name / "fabric.ibnetdiscover"
    return found if found.exists() else EXAMPLES / name / "opensm-subnet.lst"


@cache
def whole(name: str) -> Audit:
    return audit(read_fabric(described(name), EXAMPLES / name / "opensm.fdbs"))


def entries_of_the_knot(found: Audit) -> Iterator[tuple[int, int]]:
    """Switch and position of the LID of each table entry by which the packets of the knot got where they are."""
    assert found.host_to_host.verdict.configuration is not None
    relation = found.host_to_host.relation
    home = relation.network.inject.tolist()
    for message in found.host_to_host.verdict.configuration.messages:
        lid = int(relation.address_name(message.address)[4:10], 16)
        column = found.fabric.lids.tolist().index(lid)
        way = [*message.lead, *message.held, *message.wanted]
        routers = [home[message.source], *relation.network.target[relation.vcs.channel[way]].tolist()]
        yield from ((r, column) for r in routers[:-1])


def tables_of(text: str) -> list[str]:
    heads = [match.start() for match in HEAD.finditer(text)]
    return [text[a:b] for a, b in pairwise([*heads, len(text)])]


def cut(data: st.DataObject, text: str) -> str:
    """A dump without some tables, without some lines, or without its end or beginning."""
    tables, lines = tables_of(text), text.splitlines(keepends=True)
    kind = data.draw(st.sampled_from(["tables", "lines", "end", "beginning"]))
    if kind == "tables":
        gone = data.draw(st.sets(st.integers(0, len(tables) - 1), min_size=1, max_size=len(tables) - 1))
        return "".join(table for i, table in enumerate(tables) if i not in gone)
    if kind == "lines":
        entries = [i for i, line in enumerate(lines) if line.startswith("0x")]
        gone = {entries[i] for i in data.draw(st.lists(st.integers(0, len(entries) - 1), min_size=1, max_size=200))}
        return "".join(line for i, line in enumerate(lines) if i not in gone)
    if kind == "end":
        return text[: data.draw(st.integers(text.index(tables[1]), len(text) - 1))]
    return "".join(lines[data.draw(st.integers(1, len(lines) - len(tables[-1].splitlines()))) :])


def check_a_cut(name: str, dump: str, text: str) -> None:
    full, file = whole(name), described(name)
    with TemporaryDirectory() as folder:
        path = Path(folder) / dump
        path.write_text(text)
        found = audit(read_fabric(file, path))
        plain = plain_ibnetdiscover(file) if file.suffix == ".ibnetdiscover" else plain_lst(file)
        path.write_text(UNFINISHED.sub("", text))
        wanted = follow(plain_tables(plain, path), "host-to-host")
    cyclic = not nx.is_directed_acyclic_graph(wanted.dependencies)
    assert found.deadlock_free is (False if cyclic else None if wanted.unknown else True)
    unknown, delivery = found.host_to_host.unknown, found.host_to_host.delivery
    assert (unknown.unknown_pairs, delivery.pairs) == (wanted.unknown, wanted.pairs)
    lost = wanted.pairs - wanted.delivered - wanted.unknown
    assert (delivery.delivered, delivery.undelivered_pairs) == (
        False if lost else None if wanted.unknown else True, lost,
    )  # fmt: skip
    if full.deadlock_free:
        assert found.deadlock_free is not False
    else:
        assert found.deadlock_free is not True
        tables = np.asarray(found.fabric.tables)
        if all(tables[entry] != UNKNOWN_PORT for entry in entries_of_the_knot(full)):
            assert found.deadlock_free is False


@settings(max_examples=2)
@given(st.sampled_from(DUMPS), st.data())
def test_cuts(dump_of: tuple[str, str], data: st.DataObject) -> None:
    name, dump = dump_of
    check_a_cut(name, dump, cut(data, (EXAMPLES / name / dump).read_text()))


@pytest.mark.parametrize("dump", ["opensm-lfts.dump", "opensm.fdbs"])
def test_a_dump_may_begin_at_the_title_of_its_first_table(dump: str) -> None:
    name = "opensm-torus8x8-dor"
    _, _, text = (EXAMPLES / name / dump).read_text().partition("\n")
    check_a_cut(name, dump, text)


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "dump"), DUMPS)
@settings(max_examples=60)
@given(data=st.data())
def test_many_cuts(name: str, dump: str, data: st.DataObject) -> None:
    check_a_cut(name, dump, cut(data, (EXAMPLES / name / dump).read_text()))


def without_tables(name: str, switches: set[str]) -> str:
    tables = tables_of((EXAMPLES / name / "opensm-lfts.dump").read_text())
    return "".join(table for table in tables if table.split("('")[1].split("'")[0] not in switches)


def test_a_ring_that_is_known_is_enough_for_a_deadlock(tmp_path: Path) -> None:
    """Of the torus, one row or column of eight switches and no other tables."""
    name, loop = "opensm-torus8x8-dor", set(whole("opensm-torus8x8-dor").loop)
    others = {f"S{x}_{y}" for x in range(8) for y in range(8)} - loop
    (tmp_path / "tables").write_text(without_tables(name, others))
    found = audit(read_fabric(described(name), tmp_path / "tables"))
    assert found.deadlock_free is False
    assert set(found.loop) == loop
    (tmp_path / "tables").write_text(without_tables(name, {*others, min(loop)}))
    assert audit(read_fabric(described(name), tmp_path / "tables")).deadlock_free is None


def test_what_a_user_sees(tmp_path: Path) -> None:
    (tmp_path / "tables").write_text(without_tables("opensm-random48-updn-rooted", {"S7"}))
    words = ["audit", str(described("opensm-random48-updn-rooted")), "--tables", str(tmp_path / "tables")]
    shown = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "page.html")])
    assert shown.exit_code == 3
    said = " ".join(shown.output.split())
    sentence = r"what is known is free; (\d+) of 2,256 pairs are unknown: S7 has no known entry for 48 LIDs"
    found = re.search(sentence, said)
    assert found is not None
    assert f"pairs 2,256 unknown pairs {found[1]}" in said
    answer = json.loads(CliRunner().invoke(app, [*words, "--json"]).output)
    assert (answer["deadlock_free"], answer["delivered"], answer["holds"]) == (None, None, None)
    assert answer["unknown_pairs"] == int(found[1])
    assert "S7 has no known entry" in answer["unknown_because"][0]
    page = (tmp_path / "page.html").read_text()
    assert f"{found[1]} of 2,256 pairs are unknown" in page
    assert "What is unknown of host-to-host traffic" in page


def read_without(tmp_path: Path, name: str, routers: tuple[int, ...], *, mentions: bool) -> Fabric:
    """A fabric without the blocks of some switches; without `mentions`, also without their hosts and cables."""
    full = whole(name).fabric
    gone = [f"switchguid=0x{int(full.switch_guid[r]):x}" for r in routers]
    far = [f'"S-{int(full.switch_guid[r]):016x}"' for r in routers]
    if not mentions:
        hosts = np.flatnonzero(np.isin(full.network.inject, routers)).tolist()
        gone += [f"caguid=0x{int(full.node_guid[host]):x}" for host in hosts]
    blocks = described(name).read_text().split("\n\n")
    kept = [block for block in blocks if not any(re.search(rf"{word}\b", block) for word in gone)]
    lines = [line for line in "\n\n".join(kept).splitlines() if mentions or not any(key in line for key in far)]
    (tmp_path / "fabric").write_text("\n".join(lines) + "\n")
    return read_fabric(tmp_path / "fabric", EXAMPLES / name / "opensm-lfts.dump")


@pytest.mark.parametrize("name", ["opensm-torus8x8-dor", "opensm-random48-updn-rooted"])
def test_a_switch_without_a_block_is_known_from_its_neighbours(name: str, tmp_path: Path) -> None:
    fabric = read_without(tmp_path, name, (9,), mentions=True)
    assert fabric.restored == (9,)
    found, full = audit(fabric), whole(name)
    assert (found.deadlock_free, found.delivered) == (full.deadlock_free, True)
    assert found.host_to_host.delivery.pairs == full.host_to_host.delivery.pairs


def test_a_cable_between_two_switches_without_blocks_is_unknown(tmp_path: Path) -> None:
    full = whole("opensm-random48-updn-rooted").fabric.network
    ends = int(full.source[0]), int(full.target[0])
    found = audit(read_without(tmp_path, "opensm-random48-updn-rooted", ends, mentions=True))
    assert set(found.fabric.restored) == set(ends)
    assert (found.deadlock_free, found.delivered) == (None, None)
    assert found.host_to_host.unknown.unknown_pairs > 0


@pytest.mark.parametrize(("name", "free"), [("opensm-torus8x8-dor", False), ("opensm-random48-updn-rooted", None)])
def test_switches_that_only_the_tables_know(name: str, free: bool | None, tmp_path: Path) -> None:
    fabric = read_without(tmp_path, name, (9,), mentions=False)
    assert len(fabric.unlisted) == 1
    found = audit(fabric)
    assert found.deadlock_free is free
    assert found.delivered is None
    assert any("is not in" in cause for cause in found.host_to_host.unknown.unknown_because)


def test_a_host_without_a_route_is_cut_off(tmp_path: Path) -> None:
    """OpenSM writes no line for a LID without a route; where the block is whole, its hosts are not delivered to."""
    layout = ring(3)
    for name in ("S0", "S1"):
        del layout.tables[name][3]
    (tmp_path / "fabric.ibnetdiscover").write_text(ibnetdiscover(layout))
    (tmp_path / "tables.lfts").write_text(lfts(layout))
    shown = CliRunner().invoke(app, ["audit", str(tmp_path)])
    said = " ".join(shown.output.split())
    assert shown.exit_code == 1
    assert "delivers NO lost S0 has no entry for LID 0x0003 (H2)" in said
    assert "undelivered pairs 2 of 6 pairs" in said
    (tmp_path / "tables.lfts").write_text(re.sub(r"(?m)^6 lids dumped\n", "", lfts(layout)))
    shown = CliRunner().invoke(app, ["audit", str(tmp_path)])
    assert shown.exit_code == 3
    assert "the table of S0 (line 1), S1 (line" in " ".join(shown.output.split())
