"""Switches of other makers than SONiC: routes, neighbours and settings of NVUE and EOS, and refusals by name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from unknot._base.errors import TextError, UnknotError
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.ethernet.routes import Port, read_lldp, read_routes
from unknot.fabrics.ethernet.settings import read_nvue, read_port_channels
from unknot.remedies.lossless import repair_lossless
from unknot.verify.audit_ethernet import audit_ethernet

EXAMPLES = Path(__file__).parents[2] / "examples/ethernet"
Table = dict[str, Any]


def nvue(table: Table, *, old: bool = False) -> Table:
    """A table of FRR as NVUE prints the same routes, in the newer or the older of its two shapes."""
    rows: Table = {}
    for text, entries in table.items():
        rows[text] = {"protocol": {}} if old else {"route-entry": {}}
        for number, entry in enumerate(entries, 1):
            vias = {}
            for hop in entry["nexthops"]:
                flags = {word: {} for word, key in (("active", "active"), ("installed", "fib")) if hop.get(key)}
                kind = "ip-address" if "ip" in hop else "interface"
                name = hop.get("ip", hop["interfaceName"])
                vias[f"{name}"] = {"type": kind, "interface": hop["interfaceName"], "flags": flags}
            flags = {word: {} for word in ("selected", "installed") if entry.get(word)}
            protocol = entry["protocol"]
            if old:
                one = {"flags": flags, "via": vias}
                rows[text]["protocol"].setdefault(protocol, {"entry-index": {}})["entry-index"][str(number)] = one
            else:
                rows[text]["route-entry"][str(number)] = {"protocol": protocol, "flags": flags, "via-entry": vias}
    return rows


def eos(table: Table) -> Table:
    """A table of FRR as EOS prints the same routes: the selected ones."""
    routes: Table = {}
    for text, entries in table.items():
        for entry in (entry for entry in entries if entry.get("selected")):
            vias = [
                {"interface": hop["interfaceName"]} | ({"nexthopAddr": hop["ip"]} if "ip" in hop else {})
                for hop in entry["nexthops"]
            ]
            kind = "connected" if entry["protocol"] == "connected" else "eBGP"
            routes[text] = {"routeType": kind, "routeAction": "forward", "vias": vias}
    return {"vrfs": {"default": {"routes": routes}}}


def folder_of(tmp_path: Path, example: str, shape: Any) -> Path:
    folder = tmp_path / "fabric"
    shutil.copytree(EXAMPLES / example, folder)
    for file in folder.glob("*.route.json"):
        file.write_text(json.dumps(shape(json.loads(file.read_text()))))
    return folder


@pytest.mark.parametrize("example", ["frr-all-links-up", "frr-two-links-down"])
@pytest.mark.parametrize(
    "shape",
    [nvue, lambda table: nvue(table, old=True), lambda table: {"route": nvue(table)}, eos],
    ids=["nvue", "nvue by protocol", "nvue below route", "eos"],
)
def test_the_same_routes_are_read_in_each_shape(example: str, shape: Any, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, example, shape)
    theirs, ours = read_ethernet(folder), read_ethernet(EXAMPLES / example)
    assert (theirs.destinations, theirs.unread) == (ours.destinations, ours.unread)
    assert audit_ethernet(theirs).deadlock_free is audit_ethernet(ours).deadlock_free


def test_next_hops_of_nvue_that_are_odd(tmp_path: Path) -> None:
    def entry(**via: Any) -> Table:
        return {"route-entry": {"1": {"protocol": "bgp", "flags": {"selected": {}}, "via-entry": via}}}

    inner = {"10.0.0.1": {"type": "ip-address", "interface": "swp1", "flags": ["active", "installed"]}}
    table = {
        "10.1.0.0/24": entry(a={"type": "ip-address", "flags": {"recursive": {}}, "resolved-via": inner}),
        "10.2.0.0/24": entry(blackhole={"type": "blackhole"}),
        "10.3.0.0/24": entry(b={"interface": "swp2", "flags": {"duplicate": {}}}, c={"interface": "swp3"}),
        "10.4.0.0/24": entry(d={"interface": "swp2", "label": "16/17"}),
        "10.5.0.0/24": {"route-entry": {"1": {"protocol": "bgp", "flags": {}, "via-entry": {}}}},
        "10.6.0.0/24": entry(swp7={"type": "interface"}),
    }
    path, unread = tmp_path / "a.route.json", list[str]()
    path.write_text(json.dumps(table))
    routes = read_routes(path, unread.append)["default"].routes
    assert {str(prefix)[3]: route.interfaces for prefix, route in routes.items()} == {
        "1": ("swp1",), "2": (), "3": ("swp3",), "4": ("swp2",), "6": ("swp7",)
    }  # fmt: skip
    assert unread == ["MPLS labels"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"10.0.0.0/8":\n{}}', ":1: .*no `route-entry`; `nv show vrf default"),
        ('{"10.0.0.0/8": {"route-entry":\n[]}}', ":1: 10.0.0.0/8 / route-entry: an object"),
        ('{"10.0.0.0/8": {"route-entry": {"1":\n{"flags": "*Si"}}}}', ":2: .*words of `flags` are needed"),
        ('{"route-information":\n[]}', ":1: routes of Junos, which are not read: FRR .* Batfish"),
        ('{"TABLE_vrf": {"ROW_vrf": {}}}', "routes of Cisco NX-OS"),
        ('{"instance": [{"ip route": []}]}', "routes of Nokia SR Linux"),
        ('{"srl_nokia-network-instance:network-instance": []}', "routes of Nokia SR Linux"),
        ('{"openconfig-network-instance:afts": {}}', "routes of OpenConfig"),
        ('[{"dst": "default", "gateway": "10.0.0.1", "dev": "eth0"}]', "routes of `ip -j route` of Linux"),
    ],
)
def test_refusals_name_system_and_line(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.route.json"
    path.write_text(text)
    with pytest.raises(TextError, match=words):
        read_routes(path)


@pytest.mark.parametrize("shape", [lambda table: {"default": table, "red": {}}, eos], ids=["VRFs", "eos"])
def test_route_maps_are_written_beside_routes_in_each_shape(shape: Any, tmp_path: Path) -> None:
    """Repair reads the addresses of neighbours in the routes again, and takes them in every shape."""
    folder, plain = folder_of(tmp_path, "frr-two-links-down", shape), tmp_path / "plain"
    repair_lossless(read_ethernet(folder), tmp_path / "out")
    repair_lossless(read_ethernet(EXAMPLES / "frr-two-links-down"), plain)
    for file in plain.glob("*.frr-route-maps.conf"):
        assert (tmp_path / "out" / file.name).read_text() == file.read_text()


def config(**more: Any) -> Table:
    tree = {"interface": {"swp1-4": {}, "bond1": {"type": "bond", "bond": {"member": {"swp1-2": {}, "swp9": {}}}}}}
    return [{"header": {"model": "vx"}}, {"set": {**tree, **more}}]  # type: ignore[return-value]


def test_settings_of_cumulus(tmp_path: Path) -> None:
    path = tmp_path / "a.nvue.json"
    path.write_text(json.dumps(config(qos={"roce": {"enable": "on", "mode": "lossless"}})))
    one = read_nvue(path)
    assert one.members == {"bond1": ("swp1", "swp2", "swp9")}
    port = one.port("swp3")
    assert [dscp for dscp in range(64) if port.dscp_to_tc[dscp] in port.lossless] == [*range(24, 32)]
    assert [port.tc_to_queue[tc] for tc in range(8)] == [0, 0, 0, 3, 0, 0, 6, 0]
    for qos in ({}, {"roce": {"mode": "lossy"}}, {"roce": {"enable": "off"}}):
        path.write_text(json.dumps(config(qos=qos)))
        assert not read_nvue(path).port("swp1").enabled
    more = {"router": {"adaptive-routing": {"enable": "on"}, "pbr": {"map": {}}}, "nve": {"vxlan": {"enable": "on"}}}
    path.write_text(json.dumps(config(qos={"pfc": {"my": {}}, "roce": {"prio": 4}}, **more)))
    assert [words.split(",")[0] for words in read_nvue(path).unread] == [
        "qos roce prio", "qos pfc", "VXLAN", "policy-based routing", "adaptive routing"
    ]  # fmt: skip
    for text, words in (('[{"set":\n[]}]', ":1: set: an object"), ('{"qos":\n3}', ":1: qos: an object")):
        path.write_text(text)
        with pytest.raises(TextError, match=words):
            read_nvue(path)


def test_a_folder_of_cumulus_is_judged_by_its_settings(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "frr-two-links-down", nvue)
    switches = [file.name.removesuffix(".route.json") for file in folder.glob("*.route.json")]
    for switch in switches:
        (folder / f"{switch}.nvue.json").write_text(json.dumps(config(qos={"roce": {}})))
    audit = audit_ethernet(read_ethernet(folder))
    assert (audit.deadlock_free, audit.fabric.unread) == (False, ())
    assert "DSCP 24" in audit.assumption
    assert audit_ethernet(read_ethernet(folder), dscps=(24,)).deadlock_free is False
    repaired = repair_lossless(read_ethernet(folder), tmp_path / "out")
    assert repaired.queues.count == 2
    assert "Cumulus Linux takes no maps of SONiC" in repaired.refused
    (folder / "leaf0.config_db.json").write_text("{}")
    with pytest.raises(TextError, match="different systems"):
        read_ethernet(folder)


def test_port_channels_and_neighbours_of_eos(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "frr-all-links-up", eos)
    text = (folder / "leaf0.route.json").read_text()
    assert '"to-spine0"' in text
    (folder / "leaf0.route.json").write_text(text.replace('"to-spine0"', '"Port-Channel1"'))
    with pytest.raises(UnknotError, match=r"leaf0 Port-Channel1 has no cable.* the ports of a port channel"):
        read_ethernet(folder)
    path = folder / "leaf0.port_channels.json"
    rows = {"activePorts": {"to-spine0": {"protocol": "lacp"}}, "inactivePorts": {"Ethernet9": {}}}
    path.write_text(json.dumps({"portChannels": {"Port-Channel1": rows}}))
    assert read_port_channels(path) == {"Port-Channel1": ("to-spine0",)}
    theirs, ours = read_ethernet(folder), read_ethernet(EXAMPLES / "frr-all-links-up")
    assert (theirs.destinations, theirs.unread) == (ours.destinations, ())
    path.write_text('{"portChannels":\n{"a": []}}')
    with pytest.raises(TextError, match=":2: a: an object"):
        read_port_channels(path)
    lldp = tmp_path / "a.lldp.json"
    row = {"port": "Ethernet1", "neighborDevice": "spine1", "neighborPort": "Ethernet7", "ttl": 120}
    lldp.write_text(json.dumps({"lldpNeighbors": [row, {"port": "Ethernet2"}]}))
    assert read_lldp(lldp, "leaf0") == [(Port("leaf0", "Ethernet1"), (Port("spine1", "Ethernet7"),))]
