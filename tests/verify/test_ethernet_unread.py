"""What the files of lossless Ethernet say of ports without rows, and what is found in them and not read."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.verify.test_ethernet_order import DOWN, EXAMPLES, some_ports_without_pfc
from unknot._base.errors import TextError, UnknotError
from unknot.fabrics.ethernet.batfish import read_batfish_routes
from unknot.fabrics.ethernet.config_db import read_config_db
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.remedies.lossless import repair_lossless
from unknot.verify.audit_ethernet import EthernetAudit, audit_ethernet

SAFE = "dual-tor-two-queues"
Change = Callable[[dict[str, Any]], object]


def edited(folder: Path, change: Change, pattern: str = "*config_db.json") -> EthernetAudit:
    """The audit of a folder after a change of its files."""
    for path in folder.rglob(pattern):
        content = json.loads(path.read_text(encoding="utf-8"))
        change(content)
        path.write_text(json.dumps(content), encoding="utf-8")
    return audit_ethernet(read_ethernet(folder))


def rows_of(content: dict[str, Any]) -> Any:
    """The rows of ports."""
    return content["PORT_QOS_MAP"]


def test_a_port_without_a_row_has_no_pfc_and_the_default_of_the_switch(tmp_path: Path) -> None:
    path = tmp_path / "config_db.json"
    maps = {"DSCP_TO_TC_MAP": {"AZURE": {"5": "3"}}, "PORT": {"Ethernet0": {}, "Ethernet4": {"admin_status": "down"}}}
    row = {"dscp_to_tc_map": "AZURE", "pfc_enable": "3"}
    path.write_text(json.dumps({**maps, "PORT_QOS_MAP": {"Ethernet8": {"pfc_enable": "4"}, "global": row}}))
    qos = read_config_db(path)
    assert {*qos.ports} == {"Ethernet0", "Ethernet8"}
    for name, enabled in (("Ethernet0", ()), ("Ethernet4", ()), ("Ethernet8", (4,))):
        port = qos.port(name)
        assert (port.dscp_to_tc[5], port.dscp_to_tc[4], tuple(port.enabled), tuple(port.lossless)) == (
            3,
            0,
            enabled,
            enabled,
        )


def test_two_rows_of_a_port_that_differ_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "config_db.json"
    path.write_text('{"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3"},\n"Ethernet4,Ethernet0": {}}}')
    with pytest.raises(TextError, match=r":2: Ethernet0 has two rows that differ"):
        read_config_db(path)


def test_hosts_at_a_port_with_pfc_fill_the_circle_whatever_another_port_does(tmp_path: Path) -> None:
    folder = some_ports_without_pfc(tmp_path / "down")
    assert audit_ethernet(read_ethernet(folder)).deadlock_free is False
    # Ethernet1 has no row: the switch's default makes DSCP 3 lossless from the next switch on.
    assert edited(folder, lambda content: rows_of(content).pop("hosts")).deadlock_free is False
    assert edited(folder, lambda content: content["PORT"].pop("Ethernet1")).holds


def test_repair_leaves_ports_of_hosts_without_pfc_as_they_are(tmp_path: Path) -> None:
    folder = some_ports_without_pfc(tmp_path / "down")
    repaired = repair_lossless(read_ethernet(folder), tmp_path / "out")
    assert repaired.after is not None
    assert repaired.after.holds
    ports = json.loads((tmp_path / "out" / "leaf0.config_db.json").read_text(encoding="utf-8"))["PORT_QOS_MAP"]
    assert {name for name, row in ports.items() if "pfc_enable" in row} == {"hosts", "to-spine0", "to-spine1"}


def test_packets_that_become_lossless_by_remarking_are_followed(tmp_path: Path) -> None:
    """What hosts send with DSCP 3 or 4 leaves with 0, and DSCP 0 with 3: so the cycle is one of DSCP 0."""

    def swap(content: dict[str, Any]) -> None:
        rows, maps = rows_of(content), content["DSCP_TO_TC_MAP"]
        maps["EDGE"] |= {"0": "5", "3": "6", "4": "6"}
        content["TC_TO_DSCP_MAP"]["WASH"] |= {"5": "3", "6": "0"}
        rows["hosts"]["dscp_to_tc_map"] = "EDGE"
        content["PORT"].pop("Ethernet1")

    audit = edited(some_ports_without_pfc(tmp_path / "down"), swap)
    assert audit.deadlock_free is False
    assert all("(DSCP 0)" in flow for flow in audit.flows)


UNREAD: dict[str, Change] = {
    "dot1p_to_tc_map beside dscp_to_tc_map: classes by DSCP are assumed": lambda c: rows_of(c)["Ethernet48"].update(
        dot1p_to_tc_map="AZURE"
    ),
    "dscp_to_fc_map of PORT_QOS_MAP": lambda c: rows_of(c).update({"global": {"dscp_to_fc_map": "AZURE"}}),
    "tc_to_queue_map, which rows of PORT_QOS_MAP leave out": lambda c: rows_of(c)["Ethernet48"].pop(
        "tc_to_queue_map"
    ),
    "routes of VRF Vrf_red": lambda c: c.update(INTERFACE={"Ethernet0": {"vrf_name": "Vrf_red"}}),
    "SRv6": lambda c: c.update(SRV6_MY_SIDS={"loc|fc00::/48": {"action": "uN"}}),
    "VXLAN": lambda c: c.update(VXLAN_TUNNEL_MAP={"vtep|map_100_Vlan100": {"vni": "100"}}),
    "ACL_RULE with redirection": lambda c: c.update(ACL_RULE={"A|R": {"PACKET_ACTION": "REDIRECT:Ethernet0"}}),
    "TUNNEL other": lambda c: c.setdefault("TUNNEL", {"MuxTunnel0": {}}).update(other={"tunnel_type": "IPINIP"}),
    "dscp_mode, which TUNNEL MuxTunnel0 leaves out: pipe is assumed": lambda c: c["TUNNEL"]["MuxTunnel0"].pop(
        "dscp_mode"
    ),
    "port Ethernet48, which has a cable and is not in config_db.json": lambda c: rows_of(c).pop("Ethernet48"),
}


@pytest.mark.parametrize("what", UNREAD)
def test_what_is_found_and_not_read_is_said_and_is_no_yes(what: str, tmp_path: Path) -> None:
    folder = tmp_path / SAFE
    shutil.copytree(EXAMPLES / SAFE, folder)
    audit = edited(folder, UNREAD[what], "tor-a/config_db.json")
    assert any(line.startswith(f"{what} (tor-a") for line in audit.fabric.unread)
    assert what in audit.established
    assert audit.verdict.deadlock_free
    assert (audit.deadlock_free, audit.cyclic_dependency) == (None, None)
    assert audit.holds in ((None,) if what[:4] != "port" else (None, False))


def test_a_deadlock_of_what_is_read_stays_one(tmp_path: Path) -> None:
    folder = some_ports_without_pfc(tmp_path / "down")
    audit = edited(folder, lambda c: c.update(PORT={"hosts": {"pfc_asym": "on"}}))
    assert (audit.deadlock_free, audit.cyclic_dependency, audit.holds) == (False, True, False)


@pytest.mark.parametrize(
    ("hop", "words"),
    [
        ({"seg6local": {"action": "uA"}}, "SRv6"),
        ({"interfaceName": "to-spine0", "seg6": {"segs": "fc00::1"}}, "SRv6"),
        ({"interfaceName": "to-spine0", "labels": [16]}, "MPLS labels"),
        ({"interfaceName": "to-spine0", "vrf": "red"}, "routes that lead from VRF default into VRF red"),
    ],
)
def test_other_headers_and_tables_of_routes_are_said(hop: dict[str, Any], words: str, tmp_path: Path) -> None:
    folder = tmp_path / "up"
    shutil.copytree(EXAMPLES / "frr-all-links-up", folder)
    entry = {"protocol": "isis", "selected": True, "nexthops": [{"fib": True, "active": True, **hop}]}
    prefix = "10.1.1.0/24" if "interfaceName" in hop else "fc00::/128"
    audit = edited(folder, lambda c: c.update({prefix: [entry]}), "leaf0.route.json")
    assert audit.fabric.unread == (f"{words} (leaf0)",)
    assert audit.holds is None


def test_routes_of_other_tables_are_said_but_for_the_management_network(tmp_path: Path) -> None:
    folder = tmp_path / "up"
    shutil.copytree(EXAMPLES / "frr-all-links-up", folder)

    def add(name: str) -> Change:
        hop = {"fib": True, "interfaceName": "to-spine0"}
        return lambda c: c.update({"10.9.0.0/24": [{"selected": True, "vrfName": name, "nexthops": [hop]}]})

    assert edited(folder, add("mgmt"), "leaf0.route.json").holds
    unread = edited(folder, add("red"), "leaf0.route.json").fabric.unread
    assert unread == ("the VRF of to-leaf0, where packets of VRF red arrive (spine0)",)


def test_pfc_is_said_not_to_be_in_use_only_where_it_is_not(tmp_path: Path) -> None:
    folder = some_ports_without_pfc(tmp_path / "down")
    zeros = {str(d): "0" for d in range(64)}
    with pytest.raises(UnknotError, match="although PFC is on at leaf0 hosts: "):
        edited(folder, lambda c: c["DSCP_TO_TC_MAP"].update(AZURE=zeros))
    with pytest.raises(UnknotError, match="but not all is read: dot1p_to_tc_map beside dscp_to_tc_map"):
        edited(folder, lambda c: [row.update(dot1p_to_tc_map="AZURE") for row in rows_of(c).values()])
    with pytest.raises(UnknotError, match="no port has PFC: it is not in use"):
        edited(
            folder,
            lambda c: [[row.pop(f, 0) for f in ("pfc_enable", "dot1p_to_tc_map")] for row in rows_of(c).values()],
        )


def test_the_longest_prefix_leads_to_a_next_hop_of_batfish(tmp_path: Path) -> None:
    path = tmp_path / "routes.csv"
    rows = [
        "a,default,10.0.0.0/8,AUTO/NONE(-1l),wide,connected",
        "a,default,10.0.0.0/31,AUTO/NONE(-1l),near,connected",
        "a,default,10.9.0.0/24,10.0.0.1,dynamic,bgp",
        "a,blue,10.9.0.0/24,10.0.0.1,far,bgp",
    ]
    for some in (rows, rows[::-1]):
        path.write_text("\n".join(["Node,VRF,Network,Next_Hop_IP,Next_Hop_Interface,Protocol", *some]))
        tables = read_batfish_routes(path)["a"]
        assert {*tables} == {"default", "blue"}
        routes = tables["default"].routes
        assert [route.interfaces for prefix, route in routes.items() if str(prefix) == "10.9.0.0/24"] == [("near",)]
    path.write_text(path.read_text() + "\na,default,10.0.0.0/31,AUTO/NONE(-1l),other,connected\n")
    with pytest.raises(TextError, match="several connected interfaces lead to next hop"):
        read_batfish_routes(path)


def test_the_example_without_tables_is_no_less_sure() -> None:
    assert read_ethernet(DOWN).unread == ()


def test_a_switch_without_maps_among_others_is_no_yes(tmp_path: Path) -> None:
    folder = some_ports_without_pfc(tmp_path / "down")
    (folder / "spine0.config_db.json").unlink()
    audit = edited(folder, lambda content: [row.pop("pfc_enable", 0) for row in rows_of(content).values()])
    assert audit.fabric.unread[0].startswith("QoS maps, for want of config_db.json")
    assert audit.deadlock_free is None


def test_a_family_without_routes_is_said_not_to_be_judged() -> None:
    assert read_ethernet(DOWN).notes[0] == "no route6.json: packets of IPv6 are not judged"


def test_servers_by_their_other_address_are_tunnelled_too(tmp_path: Path) -> None:
    path, state = tmp_path / "config_db.json", {"server_ipv4": "10.0.0.2/32", "server_ipv6": "fc00::2/128"}
    path.write_text(json.dumps({"MUX_CABLE": {"Ethernet0": {**state, "state": "standby"}}}))
    assert read_config_db(path).mux == {"10.0.0.2": True, "fc00::2": True}
