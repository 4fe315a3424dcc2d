"""The table of formats: signs, endings, what each carries, and that nothing is lost in silence."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_tables import formats
from tests.fabrics.networks import decorated
from tests.fabrics.texts import ibnetdiscover, ring
from tests.networks import in_parts
from unknot._base.errors import NetworkError, TextError, UnknotError
from unknot.fabrics import FORMATS, read_fabric, read_network, write_network
from unknot.fabrics.format import PARTS
from unknot.fabrics.formats import format_for, kind_by_content, kind_of
from unknot.network import Network, from_edges
from unknot.network.families import torus

WRITTEN = [name for name, form in FORMATS.items() if form.write is not None]
READ_BACK = [name for name in WRITTEN if FORMATS[name].holds != "program" and name not in ("dot", "ibsim")]
WHOLE = [name for name in WRITTEN if FORMATS[name].keeps == set(PARTS) and FORMATS[name].holds == "network"]
SIMPLE = st.from_regex(r"[A-Za-z][A-Za-z0-9_.]{0,5}", fullmatch=True)
ROOT = Path(__file__).parents[2]


def everything() -> Network:
    """A network that every format can write, with every part."""
    grid = torus(3, 3, latency=2)
    return replace(
        grid,
        inject=[0, 0, *range(1, 9)],
        eject=None,
        wires=replace(grid.wires, ports=[[c, c] for c in range(36)]),
        places=replace(
            grid.places,
            router_labels=tuple(f"sw{r}" for r in range(9)),
            terminal_labels=tuple(f"host{t}" for t in range(10)),
        ),
    )


def without(network: Network, parts: list[str]) -> Network:
    """The network with these parts as they are by default."""
    plain: dict[str, dict[str, Any]] = {
        "latencies": {"latency": 1},
        "terminals": {"inject": None, "eject": None},
        "router names": {"router_labels": None},
        "terminal names": {"terminal_labels": None},
        "coordinates": {"coordinates": None, "radices": (), "dimensions": ()},
        "port numbers": {"ports": None},
    }
    changes: dict[str, Any] = {}
    for part in parts:
        changes |= plain[part]
    return replace(network, **in_parts(changes, of=network))


@pytest.mark.parametrize("name", READ_BACK)
def test_what_is_not_dropped_is_read_back(name: str, tmp_path: Path) -> None:
    network = everything()
    path = tmp_path / f"net{FORMATS[name].endings[0]}"
    form, dropped = write_network(network, path)
    assert (form.name, set(dropped)) == (name, set(PARTS) - form.keeps - {"bandwidths"})
    assert same(name, read_network(path), without(network, dropped))
    assert kind_of(path) == name
    assert kind_by_content(path) == (name if FORMATS[name].sign else None)


@pytest.mark.parametrize("name", WHOLE)
@given(network=decorated(names=SIMPLE))
def test_formats_that_carry_everything(name: str, tmp_path_factory: pytest.TempPathFactory, network: Network) -> None:
    path = tmp_path_factory.mktemp("all") / f"net{FORMATS[name].endings[0]}"
    assert write_network(network, path)[1] == []
    assert read_network(path) == network


@given(network=decorated(names=SIMPLE), data=st.data())
def test_nothing_is_lost_in_silence(
    tmp_path_factory: pytest.TempPathFactory, network: Network, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(READ_BACK))
    path = tmp_path_factory.mktemp("some") / f"net{FORMATS[name].endings[0]}"
    try:
        dropped = write_network(network, path)[1]
    except NetworkError:
        assert not path.exists()
        return
    assert same(name, read_network(path), without(network, dropped))


def same(name: str, read: Network, kept: Network) -> bool:
    """Whether a network was kept, if need be with its named routers in another order."""
    if name == "edges" and kept.router_labels is not None:
        return names(read) == names(kept) and sorted(read.router_labels or ()) == sorted(kept.router_labels)
    return read == kept


@settings(max_examples=25)
@given(st.sampled_from([*READ_BACK, "ibsim"]), st.data())
def test_damaged_files_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("damaged") / f"net{FORMATS[name].endings[0]}"
    write_network(everything(), path)
    whole = path.read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(whole)))
        end = data.draw(st.sampled_from([start, start + 1, start + 12, len(whole)]))
        other = data.draw(st.integers(0, len(whole)))
        piece = data.draw(
            st.sampled_from(["", whole[other : other + 9], "-1", "99999999999", '"', "[", "{", "}", "\0", "é"])
        )
        whole = whole[:start] + piece + whole[end:]
    path.write_text(whole, encoding="utf-8")
    for read in (read_network, FORMATS[name].read):
        shown = str(path)
        try:
            read(path)
        except TextError as error:
            shown = str(error)
        assert shown.startswith(str(path))


def names(network: Network) -> list[tuple[str, int]]:
    found = zip(network.source.tolist(), network.target.tolist(), network.latency.tolist(), strict=True)
    called = network.router_labels or tuple(str(r) for r in range(network.num_routers))
    return [(f"{called[u]} {called[v]}", c) for u, v, c in found]


def test_the_ending_decides_and_can_be_overruled(tmp_path: Path) -> None:
    assert format_for("a/b.GV").name == "dot"
    assert write_network(torus(3, 3), tmp_path / "net.txt", "graphml")[0].name == "graphml"
    assert read_network(tmp_path / "net.txt") == torus(3, 3)
    write_network(torus(3, 3), tmp_path / "net.gml", "graphml")
    assert read_network(tmp_path / "net.gml", "graphml") == torus(3, 3)
    with pytest.raises(
        TextError, match=r"net\.gml:1:1: this GML .* is that of GraphML; to read it so: --from graphml"
    ):
        read_network(tmp_path / "net.gml")
    with pytest.raises(UnknotError, match="there is no format 'graphlm'; did you mean graphml"):
        read_network(tmp_path / "net.gml", "graphlm")


@pytest.mark.parametrize(
    ("path", "form", "said"),
    [
        ("net.xyz", None, "no format has the ending '.xyz'; use one of .graphml"),
        ("net", None, "no format has the ending 'of this name'"),
        ("net.dot", "graphlm", "there is no format 'graphlm'; did you mean graphml"),
        ("net.lst", None, "a link list (.lst) can be read, but not written"),
        ("net", "ibnetdiscover", "ibnetdiscover output can be read, but not written"),
    ],
)
def test_formats_that_are_not_there(path: str, form: str | None, said: str, tmp_path: Path) -> None:
    with pytest.raises(UnknotError) as caught:
        write_network(torus(3, 3), tmp_path / path, form)
    assert said in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_other_files_in_the_folder_of_a_fabric(tmp_path: Path) -> None:
    (tmp_path / "fabric").write_text(ibnetdiscover(ring(3)))
    write_network(torus(3, 3), tmp_path / "a.dot")
    write_network(torus(3, 3), tmp_path / "b.dot")
    fabric = read_fabric(tmp_path)
    assert "not used, since not of a fabric: a.dot, b.dot" in fabric.notes
    with pytest.raises(TextError, match="this is a DOT graph"):
        read_fabric(tmp_path / "a.dot")


@pytest.mark.parametrize(
    "head", [" " * 60_000, "/* */ " * 9_000, "a 1 " * 9_000, "<!-- -->" * 8_000, "# x\n" * 15_000]
)
def test_signs_are_looked_for_in_little_time(head: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(head + "grap")
    assert kind_of(tmp_path / "x") is None
    with pytest.raises(TextError, match=r"of what format this file is; name it with --from .*: tod, graphml, gml"):
        read_network(tmp_path / "x")


@pytest.mark.parametrize("text", ["4 5\n2 3\n1 3 4\n1 2 4\n2 3\n", "0 1\n1 2\n", "1\n", "a b\n", "x,y\n1,2\n"])
def test_rows_of_words_are_no_edge_list_for_certain(text: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(TextError, match="neither ending nor content"):
        read_network(tmp_path / "x")
    (tmp_path / "x.edges").write_text(text)
    assert kind_of(tmp_path / "x.edges") == "edges"


def test_an_ending_before_gz_counts(tmp_path: Path) -> None:
    (tmp_path / "n.edges.gz").write_bytes(gzip.compress(b"a b\nb c 2\n"))
    assert read_network(tmp_path / "n.edges.gz") == from_edges([("a", "b"), ("b", "c", 2)])


def test_the_page_has_the_table() -> None:
    shown = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.+?) \|$", formats(), re.M)
    assert [name for name, *_ in shown if name in FORMATS] == list(FORMATS)
    assert {"tod": "everything", "garnet": "latencies, terminals"}.items() <= {
        row[0]: row[3] for row in shown
    }.items()
    assert ("gml", "`.gml`", "read, written", "everything") in shown
    assert "made/formats.md" in (ROOT / "docs/formats.md").read_text(encoding="utf-8")
