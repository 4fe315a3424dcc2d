"""Hosts with several ports: found by names, written as one host where a format can, and named where it cannot."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.fabric_loop.fabrics import dual_port_hosts
from unknot._base.errors import NetworkError
from unknot.cli.program import app
from unknot.fabrics import read_network
from unknot.fabrics.ibsim import hosts_of, with_several_ports, write_ibsim
from unknot.network import Places, from_edges


def test_ports_of_a_ring_are_those_of_its_hosts(tmp_path: Path) -> None:
    (tmp_path / "a.net").write_text(dual_port_hosts(6))
    network = read_network(tmp_path / "a.net")
    assert network.num_terminals == 12
    assert with_several_ports(network) == {f"H{s}": [1, 2] for s in range(6)}
    write_ibsim(network, tmp_path / "b.net")
    assert (tmp_path / "b.net").read_text().count("Hca 2 ") == 6
    assert read_network(tmp_path / "b.net") == network


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("a[1]", "b"), [("a[1]", 1), ("b", 1)]),
        (("a[2]", "a[1]"), [("a", 2), ("a", 1)]),
        (("r0[1]", "r0[2]"), [("r0[1]", 1), ("r0[2]", 1)]),
        (("a[1]", "a[1]"), [("a[1]", 1), ("a[1]", 1)]),
        (("a[01]", "a[2]"), [("a[01]", 1), ("a[2]", 1)]),
        (None, [("H0", 1), ("H1", 1)]),
    ],
)
def test_names_that_make_hosts(names: tuple[str, ...] | None, found: list[tuple[str, int]]) -> None:
    plain = from_edges([("r0", "r1")])
    network = replace(plain, places=replace(plain.places, terminal_labels=names))
    assert hosts_of(network) == found


def test_a_host_that_a_terminal_is_called_as_is_another(tmp_path: Path) -> None:
    network = replace(from_edges([(0, 1), (1, 2)]), places=Places(terminal_labels=("a[1]", "a", "a[2]")))
    write_ibsim(network, tmp_path / "n.net")
    assert read_network(tmp_path / "n.net").terminal_labels == ("a[1]", "a", "a[2]")
    twice = replace(network, places=replace(network.places, terminal_labels=("a", "b", "a")))
    with pytest.raises(NetworkError, match="two nodes are called 'a'"):
        write_ibsim(twice, tmp_path / "m.net")


def test_convert_names_them_where_ports_become_terminals(tmp_path: Path) -> None:
    (tmp_path / "a.net").write_text(dual_port_hosts(10))
    said = {}
    for ending in ("graphml", "net", "edges"):
        words = ["convert", str(tmp_path / "a.net"), str(tmp_path / f"b.{ending}")]
        said[ending] = " ".join(CliRunner().invoke(app, words).stdout.split())
        notes = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)["notes"]
        assert all(said[ending].endswith(note) for note in notes)
        assert len(notes) == (ending != "net")
    assert said["graphml"].endswith(
        "10 hosts have several ports, each written as a terminal of its own: H0 (1, 2), H1 (1, 2), H2 (1, 2), "
        "H3 (1, 2), H4 (1, 2), H5 (1, 2), H6 (1, 2), H7 (1, 2), …"
    )
    assert "several ports" not in said["net"]
    assert read_network(tmp_path / "b.graphml") == read_network(tmp_path / "a.net")
