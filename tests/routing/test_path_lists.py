"""Lists of paths: every packet follows a path of the file, and what does not fit is named with its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from unknot import deliver
from unknot._base.errors import RelationError, TextError
from unknot.cli.program import app
from unknot.network import Network, Places, tod
from unknot.network.families import mesh, ring
from unknot.routing import Relation, dimension_order
from unknot.routing.named import routing
from unknot.routing.path_lists import read_paths
from unknot.verify import check

Listed = dict[tuple[int, int], list[list[tuple[int, int]]]]
"""The paths of each pair, a channel and a VC for each hop."""


def written(network: Network, listed: Listed, folder: Path) -> Path:
    """A file with a line for each path."""
    lines = ["# source destination routers"]
    for (source, destination), paths in listed.items():
        for path in paths:
            hops = [str(network.inject[source])]
            for channel, vc in path:
                ends = int(network.source[channel]), int(network.target[channel])
                hops.append(f"{ends[1]}#{network.between(*ends).index(channel)}@{vc}")
            lines.append(f"{source} {destination}  {' '.join(hops)}")
    file = folder / "some.paths"
    file.write_text("\n".join(lines) + "\n")
    return file


def followed(relation: Relation) -> Listed:
    """All ways of all packets, by walking candidate after candidate."""
    found: Listed = {}
    vcs, terminals = relation.vcs, range(relation.network.num_terminals)
    for source in terminals:
        for address in np.flatnonzero(relation.may_use[source]).tolist():
            at, path = relation.num_vcs + source, list[tuple[int, int]]()
            while candidates := relation.candidates(at, address):
                (one,) = candidates
                if one.vc is None:
                    found.setdefault((source, int(relation.destination[address])), []).append(path)
                    break
                at = one.vc
                path.append((int(vcs.channel[at]), int(vcs.index[at])))
    return found


def simple_path(draw: st.DrawFn, network: Network, source: int, destination: int) -> list[tuple[int, int]]:
    """A walk that takes no channel twice, drawn hop by hop, or nothing where it got lost."""
    here, path, first = int(network.inject[source]), list[tuple[int, int]](), network.outgoing[0]
    for _ in range(8):
        if here == network.eject[destination] and (path or draw(st.booleans())):
            return path
        leaving = network.outgoing[1][first[here] : first[here + 1]].tolist()
        left = [c for c in leaving if c not in {channel for channel, _ in path}]
        if not left:
            break
        path.append((int(draw(st.sampled_from(left))), draw(st.integers(0, 1))))
        here = int(network.target[path[-1][0]])
    return path if here == network.eject[destination] else []


@st.composite
def lists(draw: st.DrawFn) -> tuple[Network, Listed]:
    network = draw(st.sampled_from([ring(4), mesh(3, 2), tod.network("{0 -- 1, 0 -- 1, 1 -- 2}")]))
    listed: Listed = {}
    terminals = st.integers(0, network.num_terminals - 1)
    for source, destination in draw(st.lists(st.tuples(terminals, terminals), min_size=1, max_size=8, unique=True)):
        if source != destination and (path := simple_path(draw, network, source, destination)):
            listed.setdefault((source, destination), []).append(path)
    return network, listed


@given(lists())
def test_packets_follow_their_paths_and_no_others(tmp_path_factory: pytest.TempPathFactory, drawn: object) -> None:
    network, listed = drawn  # type: ignore[misc]
    if not listed:
        return
    relation = read_paths(network, written(network, listed, tmp_path_factory.mktemp("paths")))
    assert followed(relation) == listed
    every = {(s, d) for s in range(network.num_terminals) for d in range(network.num_terminals) if s != d}
    assert deliver(relation).delivered is (set(listed) == every)


@pytest.mark.parametrize("text", ["mesh(3, 3)", "torus(4, 3)", "hypercube(3)"])
def test_tables_come_out_as_tables(text: str, tmp_path: Path) -> None:
    relation = dimension_order(tod.network(text))
    listed = {pair: paths for pair, paths in followed_all(relation).items() if pair[0] != pair[1]}
    again = read_paths(relation.network, written(relation.network, listed, tmp_path))
    assert again.num_addresses == relation.network.num_terminals
    assert followed(again) == listed
    assert check(again).answer == check(relation).answer


def followed_all(relation: Relation) -> Listed:
    """The ways of a relation whose sources use all addresses."""
    found: Listed = {}
    for source in range(relation.network.num_terminals):
        for address in range(relation.num_addresses):
            at, path = relation.num_vcs + source, list[tuple[int, int]]()
            while (one := relation.candidates(at, address)[0]).vc is not None:
                at = one.vc
                path.append((int(relation.vcs.channel[at]), int(relation.vcs.index[at])))
            found[source, int(relation.destination[address])] = [path]
    return found


def test_several_paths_of_a_pair_are_a_choice_at_its_source(tmp_path: Path) -> None:
    file = tmp_path / "two.paths"
    file.write_text("0 2  0 1 2\n0 2  0 3 2\n")
    relation = read_paths(ring(4), file)
    assert followed(relation) == {(0, 2): [[(0, 0), (2, 0)], [(7, 0), (5, 0)]]} or len(followed(relation)[0, 2]) == 2
    assert relation.address_labels[:2] == ("t2", "t2 (paths 2)")


def test_pairs_without_a_path_are_not_delivered(tmp_path: Path) -> None:
    file = tmp_path / "one.paths"
    file.write_text("0 1  0 1\n")
    said = CliRunner().invoke(app, ["check", "line(2)", "--routing", str(file)])
    assert said.exit_code == 1
    assert "1 of 2 pairs" in said.stdout
    assert "t0 (no path)" in said.stdout


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("0 1", 4, "expected SOURCE DESTINATION ROUTER"),
        ("0 9  0 1", 3, "no terminal 9"),
        ("0 1  1 2", 6, "t0 injects at router .0., not here"),
        ("0 1  0 7", 8, "no router 7"),
        ("0 2  0 2", 8, "there is no channel from .0. to .2."),
        ("0 2  0 1", 8, "the path ends here, but t2 ejects at router .2."),
        ("0 1  0 1#1", 8, "from .0. to .1. the last channel is #0"),
        ("0 1  0 1 0 1", 12, "a second time"),
        ('0 1  0 "1"2', 8, "expected a router"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(tmp_path: Path, line: str, column: int, message: str) -> None:
    file = tmp_path / "wrong.paths"
    file.write_text(f"# a comment\n{line}\n")
    with pytest.raises(TextError, match=message) as caught:
        read_paths(ring(4), file)
    assert (caught.value.line, caught.value.column) == (2, column)


def test_names_with_spaces_and_quotes(tmp_path: Path) -> None:
    network = Network(
        "two", 2, [0, 1], [1, 0], places=Places(router_labels=("left one", "right"), terminal_labels=("a b", "c"))
    )
    file = tmp_path / "names.paths"
    file.write_text('"a b" c  "left one" right@1\nc "a b" right "left one"@0\n')
    relation = routing(network, str(file))
    assert followed(relation) == {(0, 1): [[(0, 1)]], (1, 0): [[(1, 0)]]}


def test_a_file_without_paths_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "none.paths"
    file.write_text("# nothing\n")
    with pytest.raises(RelationError, match="no paths"):
        read_paths(ring(4), file)
