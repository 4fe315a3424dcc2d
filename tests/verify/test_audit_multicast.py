"""Multicast trees together with the routes between hosts, against packets followed copy by copy."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.cli.test_cli import answer, unknot_says
from tests.fabrics.folders import EXAMPLES
from tests.fabrics.texts import Layout, ibnetdiscover, lfts, mcfdbs, psl, ring, sl2vl
from tests.reference.fabric_routes import follow, plain_ibnetdiscover, plain_lanes, plain_levels, plain_tables
from tests.reference.multicast_copies import copy_packets, plain_mcfdbs
from tests.verify.test_audit_lanes import laned
from unknot._base.errors import UnknotError
from unknot.certificates import accept_verdict
from unknot.fabrics import read_fabric
from unknot.report import write_audit_report
from unknot.verify.audit import audit
from unknot.verify.audit_multicast import MulticastAudit

TORUS = EXAMPLES / "opensm-torus4x4-updn-multicast"


def judged(layout: Layout, level: int = 0, switching: str = "vct") -> MulticastAudit:
    """What is found, after a comparison with copies followed one by one."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        texts = {"fabric": ibnetdiscover(layout), "tables": lfts(layout), "groups.mcfdbs": mcfdbs(layout)}
        texts |= {"levels.psl": psl(layout)} if layout.levels else {}
        texts |= {"lanes.sl2vl": sl2vl(layout)} if layout.lanes else {}
        for file, text in texts.items():
            (folder / file).write_text(text)
        lanes = 2 if layout.levels and not layout.lanes and level % 2 else None
        found = audit(read_fabric(folder), multicast_level=level, switching=switching, lanes=lanes).multicast
        plain = plain_tables(plain_ibnetdiscover(folder / "fabric"), folder / "tables")
        plain.lanes = lanes or (16 if layout.levels else 1)
        if layout.levels:
            plain_levels(plain, folder / "levels.psl")
        if layout.lanes:
            plain_lanes(plain, folder / "lanes.sl2vl")
        groups = plain_mcfdbs(folder / "groups.mcfdbs")
    assert found is not None
    copied = copy_packets(plain, groups, level)
    both = nx.compose(follow(plain, "host-to-host").dependencies, copied.dependencies)
    free = nx.is_directed_acyclic_graph(both)
    if found.deadlock_free is None:
        assert copied.circling == set()
    else:
        assert found.deadlock_free is free
    accept_verdict(found.relation, found.verdict)
    assert lanes is None or set(found.relation.vcs.counts.tolist()) <= {lanes}
    assert found.groups == len(groups)
    assert bool(found.circling) == bool(copied.circling)
    wanted = [(mlid, a, b) for mlid, some in copied.members.items() for a in some for b in some if a != b]
    missed = [pair for pair in wanted if pair not in copied.heard]
    assert (found.pairs, found.undelivered_pairs) == (len(wanted), len(missed))
    assert found.delivered is (False if missed else None if found.open_ends else True)
    return found


def copies(layout: Layout, mlid: int, nodes: list[str]) -> dict[tuple[int, str], list[int]]:
    """Rows of a tree that spans some switches and the hosts there."""
    graph = nx.Graph((a[0], b[0]) for a, b in layout.links if a[0] in nodes and b[0] in nodes)
    graph.add_nodes_from(nodes)
    tree = nx.bfs_tree(graph, nodes[0]).to_undirected()
    rows: dict[tuple[int, str], list[int]] = {}
    for node in tree.nodes:
        rows[mlid, node] = sorted(port for port, far in layout.ends(node) if far[0][0] == "H")
    for a, b in tree.edges:
        both = [*layout.links, *((y, x) for x, y in layout.links)]
        near, far = next((x, y) for x, y in both if (x[0], y[0]) == (a, b))
        rows[mlid, a].append(near[1])
        rows[mlid, b].append(far[1])
    return {key: sorted(ports) for key, ports in rows.items()}


@st.composite
def with_groups(draw: st.DrawFn) -> tuple[Layout, int]:
    """Any tables, levels and lanes, with trees of some switches, whole or with other ports here and there."""
    layout = draw(laned())
    switches = [node for node in layout.nodes if node[0] == "S"]
    for mlid in range(0xC000, 0xC000 + draw(st.integers(1, 3))):
        nodes = draw(st.lists(st.sampled_from(switches), min_size=1, unique=True))
        layout.copies |= copies(layout, mlid, nodes)
    if draw(st.booleans()):
        for key, ports in layout.copies.items():
            some = [0, 11, *(port for port, _ in layout.ends(key[1]))]
            if draw(st.integers(0, 3)) == 0:
                ports[:] = sorted({*ports, draw(st.sampled_from(some))})
            if draw(st.integers(0, 3)) == 0:
                ports[:] = ports[1:]
    assume(any(layout.copies.values()))
    return layout, draw(st.integers(0, 3))


@settings(max_examples=4)
@given(drawn=with_groups())
def test_any_groups(drawn: tuple[Layout, int]) -> None:
    judged(*drawn)


@pytest.mark.campaign
@settings(max_examples=300)
@given(drawn=with_groups())
def test_many_groups(drawn: tuple[Layout, int]) -> None:
    judged(*drawn)


def line(switches: int) -> Layout:
    """A line of switches, a host on port 3 of each; port 1 leads on, port 2 back."""
    whole = ring(switches)
    whole.links = [link for link in whole.links if link[0] != (f"S{switches - 1}", 1)]
    for s in range(switches):
        for lid, port in whole.tables[f"S{s}"].items():
            home = lid - 1 if lid <= switches else lid - switches - 1
            whole.tables[f"S{s}"][lid] = port if port != 1 else 1 if home > s else 2
    return whole


def test_a_tree_on_a_line_is_safe_and_everyone_hears_everyone() -> None:
    layout = line(4)
    layout.copies = copies(layout, 0xC000, ["S0", "S1", "S2", "S3"])
    found = judged(layout)
    assert (found.holds, found.pairs, found.lost) == (True, 12, ())


def test_a_tree_closes_a_loop_that_the_routes_alone_do_not() -> None:
    """Routes go over the far cable in one direction; the tree turns where they do not."""
    with TemporaryDirectory() as folder:
        alone = audit(read_fabric(TORUS / "fabric.ibnetdiscover", TORUS / "opensm-lfts.dump"))
        assert (alone.holds, alone.multicast) == (True, None)
        together = audit(read_fabric(TORUS))
        assert (together.host_to_host.holds, together.holds) == (True, False)
        found = together.multicast
        assert found is not None
        assert (found.deadlock_free, found.groups, found.delivered, found.loop[:2]) == (False, 2, True, ("S1", "S2"))
        accept_verdict(found.relation, found.verdict)
        plain = plain_tables(plain_ibnetdiscover(TORUS / "fabric.ibnetdiscover"), TORUS / "opensm.fdbs")
        plain.lanes = 1
        copied = copy_packets(plain, plain_mcfdbs(TORUS / "opensm.mcfdbs"), 0)
        routes = follow(plain, "host-to-host").dependencies
        assert nx.is_directed_acyclic_graph(routes)
        assert nx.is_directed_acyclic_graph(copied.dependencies)
        assert not nx.is_directed_acyclic_graph(nx.compose(routes, copied.dependencies))
        page = Path(folder) / "page.html"
        write_audit_report(together, page)
        assert "Together with multicast they can." in page.read_text()
        assert "opensm.mcfdbs" in page.read_text()


def test_copies_that_go_round_for_ever() -> None:
    layout = ring(3)
    layout.copies = {(0xC001, f"S{s}"): [1, 2, 3] for s in range(3)}
    found = judged(layout)
    assert found.circling == ("MLID 0xc001 is copied round for ever: S0 → S1 → S2 → S0",)
    assert found.deadlock_free is False


def test_ports_that_lead_nowhere_and_members_who_are_not_reached() -> None:
    layout = line(3)
    layout.copies = {(0xC000, "S0"): [1, 3], (0xC000, "S2"): [2, 3, 11]}
    found = judged(layout)
    assert found.lost == (
        "S2 copies MLID 0xc000 to port 11, which leads nowhere",
        "S0 copies MLID 0xc000 to S1, which has no row for it",
        "S2 copies MLID 0xc000 to S1, which has no row for it",
        "2 of 2 pairs of members of MLID 0xc000 do not reach one another, the first H0 to H2",
    )
    assert (found.deadlock_free, found.delivered, found.holds) == (None, False, False)


def test_a_switch_without_a_row_leaves_its_groups_open() -> None:
    """Behind it there may be members, and a loop: of a dump that lacks a switch nobody knows."""
    layout = line(3)
    layout.copies = copies(layout, 0xC000, ["S0", "S1", "S2"])
    assert judged(layout).open_ends == 0
    layout.copies = {place: ports for place, ports in layout.copies.items() if place[1] != "S2"}
    found = judged(layout)
    assert (found.open_ends, found.deadlock_free, found.delivered, found.holds) == (1, None, None, None)
    assert any("which has no row for it" in line for line in found.lost)


def test_what_is_cut_from_the_tables_of_an_example_makes_no_yes(tmp_path: Path) -> None:
    """Neither a range of lines, nor the whole file without a word."""
    folder = tmp_path / "fabric"
    shutil.copytree(TORUS, folder)
    lines = (TORUS / "opensm.mcfdbs").read_text().splitlines(keepends=True)
    for begin, end in ((31, 66), (19, 70)):
        (folder / "opensm.mcfdbs").write_text("".join(lines[:begin] + lines[end:]))
        assert audit(read_fabric(folder), only_hosts=True).holds is None
    (folder / "opensm.mcfdbs").unlink()
    alone = audit(read_fabric(folder), only_hosts=True)
    assert (alone.holds, "multicast is not judged" in alone.assumption) == (True, True)
    assert "multicast is not judged" not in audit(read_fabric(TORUS), only_hosts=True).assumption


def test_copies_without_a_lane_are_dropped() -> None:
    """From the first switch nothing goes past the second; the other way everything does."""
    layout = line(3)
    layout.copies = copies(layout, 0xC000, ["S0", "S1", "S2"])
    layout.lanes = {(f"S{s}", came, out): [0] * 16 for s in range(3) for came in range(4) for out in range(1, 4)}
    assert judged(layout).delivered
    layout.lanes["S1", 2, 1] = [0, 15, *[0] * 14]
    assert judged(layout).delivered
    found = judged(layout, level=1)
    assert (found.pairs, found.undelivered_pairs) == (6, 1)


def test_a_circle_of_cables_without_endless_copies_is_left_open() -> None:
    layout = line(2)
    layout.links.append((("S0", 4), ("S1", 4)))
    layout.copies = {(0xC000, "S0"): [1, 3, 4], (0xC000, "S1"): [3]}
    found = judged(layout)
    assert found.deadlock_free is None
    assert "the cables of MLID 0xc000 form a cycle, so that packets may arrive twice" in found.lost


def test_the_level_of_multicast_chooses_its_lane(tmp_path: Path) -> None:
    """On a lane of its own, a tree closes no loop with routes."""
    levels = tmp_path / "paths.psl"
    fabric = read_fabric(TORUS)
    hosts = fabric.network.num_terminals
    levels.write_text(
        "".join(
            f"0x{int(guid):016x} {lid} 0\n"
            for i, guid in enumerate(fabric.node_guid)
            for lid, owner in zip(fabric.lids, fabric.owner, strict=True)
            if owner < hosts and owner != i
        )
    )
    with_levels = read_fabric(TORUS, levels=levels)
    for level, free in ((0, False), (1, True)):
        found = audit(with_levels, multicast_level=level).multicast
        assert found is not None
        assert (found.deadlock_free, found.certificate_holds, found.level) == (free, True, level)
    with pytest.raises(UnknotError, match="service levels are 0 to 15, not 16"):
        audit(with_levels, multicast_level=16)


def test_the_command() -> None:
    found = unknot_says("audit", str(TORUS))
    assert found.exit_code == 1
    assert "S1 → S2 → S6 → S10 → S9 → S13 → S1" in found.output
    assert "MLID 0xc000 towards" in found.output
    files = (f"{TORUS}/fabric.ibnetdiscover", "--tables", f"{TORUS}/opensm-lfts.dump")
    assert unknot_says("audit", *files).exit_code == 0
    found = answer(unknot_says("audit", *files, "--mcfdbs", f"{TORUS}/opensm.mcfdbs", "--json"))
    assert found["deadlock_free"] is True
    assert (found["multicast"]["deadlock_free"], found["multicast"]["pairs"]) == (False, 260)
