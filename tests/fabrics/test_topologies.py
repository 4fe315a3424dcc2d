"""Cables by topologies of containerlab and netlab: shapes beside a list of cables, and places of what is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from unknot._base.errors import TextError, UnknotError
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.ethernet.routes import Port, read_cable_list
from unknot.fabrics.ethernet.topologies import read_topology

DOWN = Path(__file__).parents[2] / "examples/ethernet/frr-two-links-down"
CABLES = read_cable_list(DOWN / "cables.txt")


def brief() -> str:
    """A topology as people write it, with a host, a bridge and the management network."""
    lines = ["name: lab", "topology:", "  nodes:", "    leaf0:", "    h1: {kind: linux}", "  links:"]
    lines += [f'    - endpoints: ["{a.switch}:{a.name}", "{b.switch}:{b.name}"]' for a, b in CABLES]
    lines += ["    - endpoints: [h1:eth1, leaf0:hosts]", "    - type: mgmt-net", "      host-interface: x"]
    return "\n".join([*lines, "      endpoint:", "        node: leaf0", "        interface: eth9"])


def extended() -> str:
    """Links with a node and an interface apart."""
    ends = [[{"node": one.switch, "interface": one.name} for one in pair] for pair in CABLES]
    return json.dumps({"topology": {"links": [{"type": "veth", "endpoints": pair} for pair in ends]}}, indent=1)


def deployed() -> str:
    """What containerlab writes beside a lab that runs."""
    ends = [
        {k: {"node": one.switch, "interface": one.name} for k, one in zip("az", pair, strict=True)} for pair in CABLES
    ]
    return json.dumps({"name": "lab", "nodes": {}, "links": [*ends[:3], *({"endpoints": one} for one in ends[3:])]})


def transformed() -> str:
    """What `netlab inspect` prints, with a loopback."""
    links = [{"interfaces": [{"node": one.switch, "ifname": one.name} for one in pair]} for pair in CABLES]
    return json.dumps({"links": [*links, {"interfaces": [{"node": "leaf0", "ifname": "lo1"}]}]}, indent=1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lab.clab.yml", brief()),
        ("lab.clab.yaml", extended()),
        ("topology-data.json", deployed()),
        ("netlab.json", transformed()),
    ],
)
def test_every_shape_is_the_same_fabric(name: str, text: str, tmp_path: Path) -> None:
    folder = tmp_path / DOWN.name
    shutil.copytree(DOWN, folder)
    (folder / "cables.txt").unlink()
    (folder / name).write_text(text)
    one, other = read_ethernet(folder), read_ethernet(DOWN)
    assert (one.network, one.ends, one.destinations) == (other.network, other.ends, other.destinations)
    assert ("1 neighbours without routes are taken for hosts, the first h1" in one.notes) is (name == "lab.clab.yml")
    (folder / "clab.yml").write_text(text)
    with pytest.raises(UnknotError, match=r"all tell cables; leave one of them, or give cables\.txt"):
        read_ethernet(folder)


def test_ports_have_the_names_of_the_system_and_switches_those_of_containers(tmp_path: Path) -> None:
    path = tmp_path / "x.clab.yml"
    path.write_text("""
name: x
topology:
  defaults: {kind: sonic-vs}
  groups:
    spines: {kind: arista_ceos}
  nodes:
    s: {group: spines}
    t: {kind: nokia_srlinux}
    u:
  links:
    - endpoints: ["s:eth1_1", "t:e1-2"]
    - endpoints: ["t:ethernet-1/3", "u:eth2"]
    - endpoints: ["s:et3", "u:Ethernet0"]
""")
    cables, _ = read_topology(path, ("clab-x-s", "t", "u"))
    assert cables == [
        (Port("clab-x-s", "Ethernet1/1"), Port("t", "ethernet-1/2")),
        (Port("t", "ethernet-1/3"), Port("u", "Ethernet4")),
        (Port("clab-x-s", "Ethernet3"), Port("u", "Ethernet0")),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("topology: {nodes: {}}", ":1:1: there are no links"),
        ("links:\n- endpoints: [a:1, b]", ":2:20: NODE:INTERFACE is needed, got 'b'"),
        ("links:\n- endpoints: [a:1, b:2]\n- endpoints: [a:1, c:1]", ":3:15: a 1 has a cable by line 2 already"),
        ("links:\n- endpoints: [a:1, b:2, c:3]", ":2:3: 3 switches share this link"),
        ("links:\n- endpoints: [a:1, 'b:${x}']", ":2:20: a variable is not filled in"),
        ("links:\n- endpoints: [a:1, {node: b}]", ":2:20: node and interface are needed"),
        ("links: {a: 1}", ":1:8: a list is needed, not a mapping"),
        ("links: [a, [b", r":1:14: this is not YAML"),
        ("links: \x01", "this is not YAML"),
        ("# nothing", "this file is empty"),
        ("[" * 3000, "this is not YAML"),
    ],
)
def test_what_is_wrong_names_its_place(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "lab.clab.yml"
    path.write_text(text)
    with pytest.raises(TextError, match=words):
        read_topology(path, ("a", "b", "c"))


def test_a_topology_of_other_switches_names_its_nodes(tmp_path: Path) -> None:
    folder = tmp_path / "other"
    shutil.copytree(DOWN, folder)
    (folder / "cables.txt").unlink()
    (folder / "clab.yml").write_text("links:\n- endpoints: [a:1, b:2]\n")
    with pytest.raises(UnknotError, match=r"clab\.yml: no cable between leaf0, .*; its nodes are a, b"):
        read_ethernet(folder)
