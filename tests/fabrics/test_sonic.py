"""Settings of SONiC and FRR as their own files have them: 802.1p, asymmetric PFC, sessions of BGP, bare next hops."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unknot._base.errors import UnknotError
from unknot.fabrics.ethernet.bgp import read_bgp
from unknot.fabrics.ethernet.config_db import read_config_db
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.ethernet.routes import prefix_of, read_routes
from unknot.remedies.lossless import repair_lossless
from unknot.routing.ethernet import path_vector
from unknot.routing.lossless import PfcModel
from unknot.verify.audit_ethernet import audit_ethernet

EXAMPLES = Path(__file__).parents[2] / "examples" / "ethernet"
UP = EXAMPLES / "frr-all-links-up"


def changed(tmp_path: Path, change: Callable[[dict[str, Any]], object], example: str) -> EthernetFabric:
    """An example with other configurations."""
    folder = tmp_path / example
    shutil.copytree(EXAMPLES / example, folder)
    for path in folder.rglob("*config_db.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        change(content)
        path.write_text(json.dumps(content), encoding="utf-8")
    return read_ethernet(folder)


def by_priority(content: dict[str, Any]) -> None:
    """Classes by 802.1p at every port."""
    content["DOT1P_TO_TC_MAP"] = {"D": {"5": "3"}}
    content["PORT_QOS_MAP"].pop("global", None)
    for row in content["PORT_QOS_MAP"].values():
        del row["dscp_to_tc_map"]
        row["dot1p_to_tc_map"] = "D"


def test_classes_by_802_1p_decide_and_keep_their_priority(tmp_path: Path) -> None:
    fabric = changed(tmp_path, by_priority, "dual-tor-one-queue")
    assert [str(mark) for mark in PfcModel(fabric).marks] == ["0 with 802.1p priority 5"]
    audit = audit_ethernet(fabric)
    assert audit.deadlock_free is False
    assert all("802.1p priority 5" in flow for flow in audit.flows)
    assert any(line.startswith("what becomes of 802.1p priorities") for line in fabric.unread)
    with pytest.raises(UnknotError, match=r"tells classes by 802\.1p, but tags of a repair are DSCPs"):
        repair_lossless(fabric, tmp_path / "out")


def test_traffic_classes_to_15_are_read(tmp_path: Path) -> None:
    path = tmp_path / "config_db.json"
    groups = {"T": {"8": "2", "15": "4"}}
    maps = {"DSCP_TO_TC_MAP": {"T": {"33": "8", "34": "15"}}, "TC_TO_PRIORITY_GROUP_MAP": groups}
    row = {"dscp_to_tc_map": "T", "tc_to_pg_map": "T", "pfc_enable": "2,4"}
    path.write_text(json.dumps({**maps, "PORT_QOS_MAP": {"Ethernet0": row}}), encoding="utf-8")
    port = read_config_db(path).ports["Ethernet0"]
    assert [port.tc_to_group[port.traffic_class(dscp, 0)] for dscp in (33, 34)] == [2, 4]


def test_asymmetric_pfc_obeys_all_priorities_and_sends_its_own(tmp_path: Path) -> None:
    def one_end(content: dict[str, Any]) -> None:
        content["PORT"] = {"Ethernet48": {"pfc_asym": "on"}}
        if "Ethernet48" in content["PORT_QOS_MAP"]:
            content["PORT_QOS_MAP"]["Ethernet48"]["pfc_enable"] = ""

    fabric = changed(tmp_path, one_end, "dual-tor-one-queue")
    rows = dict(zip(map(str, (near for near, _ in fabric.ends)), PfcModel(fabric).pauses, strict=True))
    assert rows["tor-a Ethernet48"] == {3: 3, 4: 4}
    assert rows["t1-0 Ethernet0"] == {}


def test_addresses_of_next_hops_lead_to_connected_interfaces(tmp_path: Path) -> None:
    path = tmp_path / "route.json"

    def entry(protocol: str, **hop: object) -> list[dict[str, object]]:
        return [{"protocol": protocol, "selected": True, "nexthops": [{"active": True, **hop}]}]

    table = {
        "11.1.4.0/30": entry("connected", interfaceName="eth4"),
        "11.1.0.0/16": entry("connected", interfaceName="eth9"),
        "198.10.1.1/32": entry("bgp", ip="11.1.4.2"),
        "2005::/64": entry("static", directlyConnected=True, seg6=["2001::7"]),
        "2006::/64": entry("static", directlyConnected=True),
        "10.0.0.0/8": entry("static", blackhole=True),
    }
    path.write_text(json.dumps(table), encoding="utf-8")
    unread: list[str] = []
    routes = read_routes(path, unread.append)["default"].routes
    assert routes[prefix_of("198.10.1.1/32")].interfaces == ("eth4",)
    assert routes[prefix_of("10.0.0.0/8")].interfaces == ()
    assert prefix_of("2005::/64") not in routes
    assert unread == ["SRv6", "next hops without an interface"]


def sessions(own: int, count: int = 0) -> dict[str, Any]:
    """Output of `show bgp neighbors json` with one session to spine1."""
    family = {"ipv4Unicast": {"allowAsInCount": count} if count else {}}
    return {"to-spine1": {"localAs": own, "remoteAs": 65001, "hostname": "spine1", "addressFamilyInfo": family}}


def test_sessions_and_neighbours_tell_the_plan(tmp_path: Path) -> None:
    folder = tmp_path / "up"
    shutil.copytree(UP, folder)
    for i in range(4):
        (folder / f"leaf{i}.bgp_neighbors.json").write_text(json.dumps(sessions(65100 + i, 1)), encoding="utf-8")
    assert read_bgp(read_ethernet(folder)).plan is None
    neighbour = {"BGP_NEIGHBOR": {"10.0.0.1": {"asn": "65000", "name": "spine0"}}}
    (folder / "leaf0.config_db.json").write_text(json.dumps(neighbour), encoding="utf-8")
    told = read_bgp(read_ethernet(folder))
    assert told.plan == (65100, 65101, 65102, 65103, 65000, 65001)
    fabric = read_ethernet(folder)
    sent = [*zip(fabric.ends, told.options["allowas_in"], strict=True)]
    assert {(near.switch[:4], far.switch): most for (near, far), most in sent} == {
        ("leaf", "spine0"): 0, ("leaf", "spine1"): 1, **{("spin", f"leaf{i}"): 0 for i in range(4)},
    }  # fmt: skip
    assert path_vector(fabric.hosted, f"bgp(allowas_in={told.options['allowas_in']})") is not None
    assert told.unread == (
        "how often their own AS is accepted by leaf0 from spine0, leaf1 from spine0, leaf2 from spine0 and 9 more: "
        "no file tells, so 0 is assumed; frr.conf does",
    )
    (folder / "leaf3.bgp_neighbors.json").write_text(json.dumps(sessions(65103)), encoding="utf-8")
    told = read_bgp(read_ethernet(folder))
    assert sum(told.options["allowas_in"]) == 3
    for key in ("allowAsInOrigin", "allowAsInRouteMap"):
        row = sessions(65102)
        row["to-spine1"]["addressFamilyInfo"] = {"ipv4Unicast": {key: True}}
        (folder / "leaf2.bgp_neighbors.json").write_text(json.dumps(row), encoding="utf-8")
        assert f"{key} of leaf2" in read_bgp(read_ethernet(folder)).unread


QUEUE = {"0-2": "lossy", "5-9": "lossy", "3-4": "lossless"}
TAIL = "is that of queue 0 of lossy packets"


@pytest.mark.parametrize(
    ("threshold", "queues", "words"),
    [
        ({"dynamic_th": "3"}, QUEUE, ""),
        ({"dynamic_th": "3"}, {**QUEUE, "3-4": "lossy"}, TAIL),
        ({"dynamic_th": "-1"}, {**QUEUE, "4": "lossy"}, TAIL),
        ({"dynamic_th": "7"}, {**QUEUE, "3-4": "lossy"}, ""),
        ({"static_th": "999"}, {**QUEUE, "3-4": "lossy"}, TAIL),
        ({"static_th": "1000"}, {**QUEUE, "3-4": "lossy"}, ""),
        ({"dynamic_th": "3"}, {"0-3": "lossless"}, "unread"),
    ],
)
def test_queues_with_a_buffer_of_lossy_packets_lose_lossless_ones(
    threshold: dict[str, str], queues: dict[str, str], words: str, tmp_path: Path
) -> None:
    def with_queues(content: dict[str, Any]) -> None:
        content["BUFFER_POOL"] = {"egress": {"type": "egress", "mode": "dynamic", "size": "1000"}}
        profiles = {"lossy": threshold, "lossless": {"static_th": "1000"}}
        content["BUFFER_PROFILE"] |= {name: {"pool": "[BUFFER_POOL|egress]", **row} for name, row in profiles.items()}
        ports = ",".join(content["PORT_QOS_MAP"])
        content["BUFFER_QUEUE"] = {f"{ports}|{span}": {"profile": name} for span, name in queues.items()}
        content.setdefault("PORT", {}).update({name: {} for name in content["PORT_QOS_MAP"]})

    fabric = changed(tmp_path, with_queues, "dual-tor-one-queue")
    losses = audit_ethernet(fabric).losses
    assert bool(losses) is (words == TAIL)
    assert all(line.endswith(words) for line in losses)
    left = [line.partition(" (")[0] for line in fabric.unread]
    assert left == ["queue 4 of lossless packets, which BUFFER_QUEUE leaves out"] * (words == "unread")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ('{"3-4": {}}', r":2: 3-4: PORT\|NUMBER or"),
        ('{"Ethernet0|4-3": {}}', r":2: Ethernet0\|4-3: PORT\|NUMBER or"),
        ('{"Ethernet0|20": {}}', ":2: a number from 0 to 19 is needed, got '20'"),
        ('{"Ethernet0|3": {"profile": "none"}}', r":2: there is no BUFFER_PROFILE\|none"),
    ],
)
def test_rows_of_queues_that_are_wrong_name_their_line(rows: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "config_db.json"
    path.write_text('{"PORT": {"Ethernet0": {}}, "BUFFER_QUEUE":\n' + rows + "}")
    with pytest.raises(UnknotError, match=words):
        read_config_db(path)
