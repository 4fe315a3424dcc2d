"""LID matrices: what is read, what is refused, and what an audit finds in them."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.test_cli import answer, unknot_says
from tests.fabrics.folders import EXAMPLES, refused
from tests.fabrics.texts import PORTS, Layout, ibnetdiscover, lfts, lid_matrix, ring
from unknot._base.errors import TextError
from unknot.fabrics import Fabric, read_fabric
from unknot.verify.audit import audit
from unknot.verify.audit_hops import HopAudit

TORUS = EXAMPLES / "opensm-torus4x4-updn-multicast"
NO_WAY = 255
Hops = dict[tuple[str, str], list[int]]


def hops_of(layout: Layout) -> Hops:
    """The hop counts that the cables allow."""
    graph = nx.Graph((a[0], b[0]) for a, b in layout.links if a[0][0] == b[0][0] == "S")
    away = dict(nx.all_pairs_shortest_path_length(graph))
    found: Hops = {}
    for node in graph:
        for to in graph:
            row = [NO_WAY] * (PORTS + 1)
            for port, far in layout.ends(node):
                if far[0][0] == "S":
                    row[port] = 1 + away[far[0]][to]
            row[0] = 0 if node == to else min(row[1:])
            found[node, to] = row
    return found


def read(folder: Path, layout: Layout, text: str) -> Fabric:
    (folder / "fabric").write_text(ibnetdiscover(layout))
    (folder / "tables").write_text(lfts(layout))
    (folder / "matrix.dump").write_text(text)
    return read_fabric(folder)


def judged(folder: Path, layout: Layout, hops: Hops) -> HopAudit:
    found = audit(read(folder, layout, lid_matrix(layout, hops))).hops
    assert found is not None
    return found


def test_routes_longer_than_the_least_hops(tmp_path: Path) -> None:
    """A ring of five routed clockwise: two of four destinations are nearer the other way round."""
    found = judged(tmp_path, ring(5), hops_of(ring(5)))
    assert (found.longer_pairs, found.extra_hops) == (10, 3)
    assert found.longest_example.endswith("4 hops, where the matrix has 1")
    assert (found.detours, found.contradictions, found.wrong, found.forbidden_pairs) == (0, 0, (), 0)


def test_an_engine_may_forbid_ways(tmp_path: Path) -> None:
    hops = hops_of(ring(5))
    for to in range(5):
        for at in range(5):
            row = hops[f"S{at}", f"S{to}"]
            row[2] = NO_WAY
            row[1] = (to - at - 1) % 5 + 1
            row[0] = 0 if at == to else row[1]
    found = judged(tmp_path, ring(5), hops)
    assert (found.longer_pairs, found.contradictions, found.detours) == (0, 0, 10)
    hops["S0", "S1"][:2] = [NO_WAY, NO_WAY]
    assert judged(tmp_path, ring(5), hops).forbidden_pairs == 1


def test_numbers_that_the_cables_rule_out(tmp_path: Path) -> None:
    hops = hops_of(ring(5))
    hops["S0", "S2"][1] = 1
    hops["S3", "S4"][4] = 7
    found = judged(tmp_path, ring(5), hops)
    assert found.contradictions == 3
    assert found.wrong == (
        "S0 has 1 hops to S2 by port 1; the cables give 2 or more",
        "S0 has 2 hops at least to S2, but its ports 1 hops",
        "S3 has 7 hops to S4 by port 4, where no switch is",
    )


@settings(max_examples=20)
@given(data=st.data())
def test_any_number_below_the_cables_is_found(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    layout, hops = ring(4), hops_of(ring(4))
    at, to = data.draw(st.sampled_from(sorted(hops)))
    port = data.draw(st.integers(0, PORTS))
    old = hops[at, to][port]
    new = data.draw(st.integers(0, 254).filter(lambda n: n != old))
    hops[at, to][port] = new
    found = judged(tmp_path_factory.mktemp("x"), layout, hops)
    right = port in (1, 2) and new > old and (at == to or old > hops[at, to][0] or hops[at, to][3 - port] == old)
    assert (found.contradictions == 0) == right


def test_real_dumps_agree_with_cables_and_routes() -> None:
    fabric = read_fabric(TORUS)
    found = audit(fabric).hops
    assert found == HopAudit(0, 0, "", 0, 0, 0, ())
    assert fabric.hops is not None
    assert np.array_equal(fabric.hops[:, :, 0], fabric.hops[:, :, 0].T)


def test_numbers_of_nue_are_no_hop_counts(tmp_path: Path) -> None:
    """It names one port for each LID, with numbers that may be less than the cables allow."""
    layout = ring(4)
    hops = hops_of(layout)
    assert read(tmp_path, layout, lid_matrix(layout, hops)).hops is not None
    for (at, to), row in hops.items():
        row[1:] = [NO_WAY] * PORTS
        if at != to:
            row[1] = row[0] = 1
    fabric = read(tmp_path, layout, lid_matrix(layout, hops))
    assert fabric.hops is None
    assert any("one port for each LID with numbers that are no hop counts, as Nue" in note for note in fabric.notes)
    assert audit(fabric).hops is None


def test_an_engine_that_keeps_no_hop_counts(tmp_path: Path) -> None:
    fabric = read(tmp_path, ring(3), lid_matrix(ring(3), {}))
    assert fabric.hops is None
    assert any("no row of hop counts" in note for note in fabric.notes)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("Switch: guid 0x0000000000200000\n", "", 1, "a row outside a matrix"),
        ("0x0005: ", "0x0004: ", 3, "a second row of LID 0x0004; line 2 was the first"),
        ("0x0004: 00", "0x0004: 0", 2, "no such line"),
        ("0x0004: 00 ", "0x0004: ", 2, "S0 has ports 0 to 12, but the row has 12 numbers"),
        ("0x0004: ", "0x0099: ", 2, "no port in .* has LID 0x0099"),
        ("portguid 0x0000000000200000", "portguid 0x0000000000200020", 2, "LID 0x0004 is S0"),
        ("Switch: guid 0x0000000000200020\n", "Switch: guid 0x0000000000200010\n", 9, "a second matrix of switch"),
        (
            "Switch: guid 0x0000000000200020\n",
            "Switch: guid 0x0000000000200077\n",
            10,
            "has no switch 0x0000000000200077",
        ),
    ],
)
def test_broken_files_are_refused_at_their_line(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    whole = lid_matrix(ring(3), hops_of(ring(3)))
    assert refused(lambda text: read(tmp_path, ring(3), text), whole, (old, new), said) == line


def test_a_matrix_that_is_cut_off(tmp_path: Path) -> None:
    whole = lid_matrix(ring(3), hops_of(ring(3)))
    with pytest.raises(TextError, match="no row of S2 for S2; is this file cut off"):
        read(tmp_path, ring(3), "".join(whole.splitlines(keepends=True)[:-1]))
    with pytest.raises(TextError, match="no LID matrix"):
        read_fabric(tmp_path / "fabric", hops=_file(tmp_path, "empty.lidmatrix", "# nothing\n"))


def _file(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_the_command() -> None:
    files = ("audit", f"{TORUS}/fabric.ibnetdiscover", "--tables", f"{TORUS}/opensm-lfts.dump")
    found = unknot_says(*files, "--lid-matrix", f"{TORUS}/opensm-lid-matrix.dump")
    assert found.exit_code == 0
    assert "none is longer than the least hops of the matrix" in found.output
    found = answer(unknot_says(*files, "--lid-matrix", f"{TORUS}/opensm-lid-matrix.dump", "--json"))
    assert found["hops"]["contradictions"] == 0
    wrong = unknot_says(*files, "--lid-matrix", f"{TORUS}/opensm.fdbs")
    assert wrong.exit_code == 2
    assert "hop counts (opensm-lid-matrix.dump) are wanted" in wrong.output
