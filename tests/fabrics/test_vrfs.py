"""Routes in VRFs: shapes of FRR's output, verdicts beside a graph of NetworkX, VRFs that differ at a cable."""

from __future__ import annotations

import json
import re
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from unknot._base.errors import TextError, UnknotError
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.ethernet.routes import read_routes
from unknot.routing.routes_read import routes_read
from unknot.verify.audit_ethernet import audit_ethernet

DOWN = Path(__file__).parents[2] / "examples/ethernet/frr-two-links-down"
Table = dict[str, list[dict[str, Any]]]


def entry(protocol: str, name: str, vrf: str) -> list[dict[str, Any]]:
    """A selected route by one interface."""
    hop = {"fib": True, "interfaceName": name, "active": True}
    return [{"protocol": protocol, "vrfName": vrf, "selected": True, "nexthops": [hop]}]


def tables() -> dict[str, Table]:
    """Routes of the example by switch, each leaf's own prefix among them."""
    found = {path.name.partition(".")[0]: json.loads(path.read_text()) for path in sorted(DOWN.glob("*.route.json"))}
    for i in range(4):
        found[f"leaf{i}"][f"10.1.{i}.0/24"] = entry("connected", "hosts", "default")
    return found


def in_vrfs(folder: Path, vrf_of: dict[str, str]) -> EthernetFabric:
    """The example, each prefix in a VRF, and a subinterface of each port in each VRF."""
    shutil.copytree(DOWN, folder)
    for switch, table in tables().items():
        parts: dict[str, Table] = {vrf: {} for vrf in vrf_of.values()}
        for prefix, entries in table.items():
            if prefix in vrf_of:
                vrf = vrf_of[prefix]
                parts[vrf][prefix] = [{**one, "vrfName": vrf} for one in entries]
        text = json.dumps(table)
        ports = [
            f"to-{far}" for far in (*(f"leaf{i}" for i in range(4)), "spine0", "spine1") if f'"to-{far}"' in text
        ]
        for n, (vrf, part) in enumerate(parts.items(), 1):
            for i, port in enumerate(ports):
                part[f"172.31.{n}.{2 * i}/31"] = entry("connected", port, vrf)
            parts[vrf] = json.loads(re.sub(r'"(to-\w+)"', rf'"\1.{n}"', json.dumps(part)))
        (folder / f"{switch}.route.json").write_text("\n".join(map(json.dumps, parts.values())))
    return read_ethernet(folder)


def circular(vrf_of: dict[str, str]) -> bool:
    """Whether cables depend on one another in a cycle on the way of packets between leaves of one VRF."""
    graph: nx.DiGraph[tuple[str, str]] = nx.DiGraph()
    routes = tables()

    def hops(switch: str, prefix: str) -> set[str]:
        entries = routes[switch].get(prefix, [])
        names = {hop["interfaceName"] for one in entries if one.get("selected") for hop in one["nexthops"]}
        return {name.removeprefix("to-") for name in names - {"hosts"}}

    for prefix, vrf in vrf_of.items():
        left, seen = [f"leaf{p.split('.')[2]}" for p in vrf_of if vrf_of[p] == vrf and p != prefix], set[str]()
        while left:
            switch = left.pop()
            for to in hops(switch, prefix) if switch not in seen else ():
                graph.add_edges_from(((switch, to), (to, then)) for then in hops(to, prefix))
                left.append(to)
            seen.add(switch)
    return not nx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize("names", [("default", "red"), ("blue", "red")])
def test_verdicts_in_two_vrfs_are_those_of_a_graph(names: tuple[str, str], tmp_path: Path) -> None:
    answers = set()
    for number, chosen in enumerate(product((0, 1), repeat=3)):
        vrf_of = {f"10.1.{i}.0/24": names[one] for i, one in enumerate((0, *chosen))}
        fabric = in_vrfs(tmp_path / str(number), vrf_of)
        assert fabric.unread == ()
        assert {one.vrf for one in fabric.destinations if one.hosts} <= {*names}
        if any(len(edges) > 1 for edges in fabric.edges_of.values()):
            audit = audit_ethernet(fabric)
            assert audit.verdict.deadlock_free is not circular(vrf_of)
            assert audit.delivered
            answers.add(audit.verdict.deadlock_free)
    assert answers == {True, False}


def test_flows_are_named_by_their_vrf_and_routings_take_one(tmp_path: Path) -> None:
    fabric = in_vrfs(tmp_path / "red", {f"10.1.{i}.0/24": "red" for i in range(4)})
    audit = audit_ethernet(fabric)
    assert audit.deadlock_free is False
    assert all(" in VRF red (DSCP 0)" in flow for flow in audit.flows)
    assert fabric.one_vrf.unread == ()
    both = in_vrfs(tmp_path / "both", {f"10.1.{i}.0/24": ("default", "red")[i // 2] for i in range(4)})
    assert both.one_vrf.edges == both.edges_of["default"]
    assert both.one_vrf.unread == ("routes of VRF red: routes of VRF default alone are taken here",)
    assert routes_read(both.one_vrf).network == both.one_vrf.hosted


def test_shapes_of_old_and_new_versions_are_the_same(tmp_path: Path) -> None:
    parts = {vrf: {"10.0.0.0/24": entry("connected", f"e-{vrf}", vrf)} for vrf in ("default", "red", "mgmt")}
    old, new = tmp_path / "old.route.json", tmp_path / "new.route.json"
    old.write_text("\n".join(json.dumps(part, indent=2) for part in parts.values()))
    new.write_text(json.dumps(parts))
    assert read_routes(old) == read_routes(new)
    assert {name: one.ports for name, one in read_routes(old).items()} == {
        "default": {"e-default"}, "red": {"e-red"}, "mgmt": {"e-mgmt"},
    }  # fmt: skip
    assert not read_routes(old)["mgmt"].routes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{}\n{"red": {\n"10.0.0.0/33": []}}', r":3: '10.0.0.0/33' is not a prefix"),
        ('{}\n{"10.0.0.0/8": []', ":2:18: this is not JSON"),
        ('{}\n[]', ":1: this file: an object"),
    ],
)  # fmt: skip
def test_a_broken_table_after_a_good_one_names_its_line(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.route.json"
    path.write_text(text)
    with pytest.raises(TextError, match=words):
        read_routes(path)


def test_a_vrf_whose_packets_arrive_in_another_is_named_and_no_yes(tmp_path: Path) -> None:
    folder = tmp_path / "crossing"
    in_vrfs(folder, {f"10.1.{i}.0/24": ("default", "red")[i // 2] for i in range(4)})
    path = folder / "spine1.route.json"
    path.write_text(path.read_text().replace('"red"', '"blue"'))
    fabric = read_ethernet(folder)
    assert {one.vrf for one in fabric.destinations} == {"default"}
    assert any(re.match(r"routes of VRF red, whose packets arrive at spine1 .* in VRF blue \(leaf", line)
               for line in fabric.unread)  # fmt: skip
    assert audit_ethernet(fabric).holds is None
    for switch in ("leaf0", "leaf1"):
        (folder / f"{switch}.route.json").write_text((folder / "leaf2.route.json").read_text())
    for file in folder.glob("*.route.json"):
        file.write_text(
            file.read_text().replace('"default"', '"red"' if file.name == "spine0.route.json" else '"default"')
        )
    with pytest.raises(UnknotError, match=r"no prefix is announced .*; left out: routes of VRF"):
        read_ethernet(folder)


def eos(kind: str, *vias: dict[str, object], **more: object) -> dict[str, Any]:
    """A route as EOS prints one."""
    return {"kernelProgrammed": True, "routeType": kind, "routeAction": "forward", "vias": [*vias], **more}


def test_routes_of_eos_are_read_by_vrf(tmp_path: Path) -> None:
    routes = {
        "10.10.40.0/24": eos(
            "eBGP", {"interface": "Ethernet1", "nexthopAddr": "10.1.1.1"}, {"nexthopAddr": "10.9.0.7"}
        ),
        "10.9.0.0/24": eos("connected", {"interface": "Ethernet2"}, directlyConnected=True),
        "10.8.0.0/16": eos("static", routeAction="drop"),
        "10.7.0.0/16": eos("eBGP", {"vtepAddr": "10.0.0.2", "vni": 9}),
        "10.6.0.0/16": eos("eBGP", {"interface": "Ethernet1"}, routeLeaked=True),
    }
    path, unread = tmp_path / "a.route.json", list[str]()
    path.write_text(
        json.dumps({"vrfs": {"default": {"routes": routes, "routingDisabled": False}, "red": {"routes": {}}}})
    )
    table = read_routes(path, unread.append)["default"]
    ways = {str(prefix): (route.local, route.interfaces) for prefix, route in table.routes.items()}
    assert ways == {
        "10.10.40.0/24": (False, ("Ethernet1", "Ethernet2")), "10.9.0.0/24": (True, ("Ethernet2",)),
        "10.8.0.0/16": (False, ()), "10.6.0.0/16": (False, ("Ethernet1",)),
    }  # fmt: skip
    assert table.ports == {"Ethernet2"}
    assert unread == ["VXLAN", "routes that lead from VRF default into VRF another"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"vrfs":\n[]}', ":1: vrfs: an object"),
        ('{"vrfs": {"red":\n{"routes": {"10.0.0.0/8": []}}}}', ":2: red / 10.0.0.0/8: an object"),
        ('{"vrfs": {"red":\n{"routes": {"10.0.0.0/8": {"vias": 3}}}}}', ":2: .*vias: a list"),
        ('{"vrfs": {"red":\n{"routes": {"x": {}}}}}', ":2: 'x' is not a prefix"),
    ],
)
def test_broken_routes_of_eos_name_their_line(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.route.json"
    path.write_text(text)
    with pytest.raises(TextError, match=words):
        read_routes(path)
