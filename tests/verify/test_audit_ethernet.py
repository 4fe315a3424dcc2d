"""Audits of lossless Ethernet."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path

import networkx
import numpy as np
import pytest

from unknot._base.errors import UnknotError
from unknot._base.memory import SizeError
from unknot.fabrics.ethernet.fabric import Destination, EthernetFabric
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.ethernet.qos import SwitchQos
from unknot.fabrics.ethernet.routes import Port
from unknot.network import Network, distances_from
from unknot.report.audit_report import LOOP, write_ethernet_report
from unknot.routing import lossless_classes
from unknot.routing.lossless import PfcModel, Walk
from unknot.routing.lossless_classes import ClassWalk, lossless_relation
from unknot.verify.audit_ethernet import audit_ethernet
from unknot.verify.check import check

EXAMPLES = Path(__file__).parents[2] / "examples" / "ethernet"


def cyclic_by_brute_force(fabric: EthernetFabric) -> bool:
    """Whether some walks of packets depend on one another in a cycle, one class assumed."""
    graph = networkx.DiGraph()
    for one in fabric.destinations:
        left = [(c, c) for edge in fabric.edges if edge not in one.owners for c in one.next_hops.get(edge, ())]
        seen = set(left)
        while left:
            _, channel = left.pop()
            for after in one.next_hops.get(int(fabric.network.target[channel]), ()):
                graph.add_edge(channel, after)
                if (channel, after) not in seen:
                    seen.add((channel, after))
                    left.append((channel, after))
    return not networkx.is_directed_acyclic_graph(graph)


def test_frr_with_all_links_is_free() -> None:
    fabric = read_ethernet(EXAMPLES / "frr-all-links-up")
    audit = audit_ethernet(fabric)
    assert audit.deadlock_free is True
    assert audit.certificate_holds
    assert audit.holds
    assert audit.delivered
    assert not cyclic_by_brute_force(fabric)


def test_frr_with_two_links_down_deadlocks_in_a_replay() -> None:
    fabric = read_ethernet(EXAMPLES / "frr-two-links-down")
    audit = audit_ethernet(fabric)
    assert audit.deadlock_free is False
    assert audit.certificate_holds
    assert audit.holds is False
    assert cyclic_by_brute_force(fabric)
    assert len(audit.loop) == 4
    assert audit.replay_seed is not None
    assert audit.delivered
    assert any("leaf1 → spine0 → leaf3 → spine1 → leaf0" in flow for flow in audit.flows)


@pytest.mark.parametrize("dscp", [3, 4])
def test_dual_tor_with_one_queue_for_a_class_deadlocks(dscp: int) -> None:
    audit = audit_ethernet(read_ethernet(EXAMPLES / "dual-tor-one-queue"), dscps=(dscp,))
    assert audit.deadlock_free is False
    assert audit.replay_seed is not None
    assert audit.certificate_holds
    assert len(audit.loop) == 4
    assert all(f"priority group {dscp}" in place for place in audit.loop)
    assert not audit.losses


def test_dual_tor_with_two_queues_for_each_class_is_free() -> None:
    audit = audit_ethernet(read_ethernet(EXAMPLES / "dual-tor-two-queues"))
    assert audit.deadlock_free is True
    assert audit.certificate_holds
    assert audit.holds


def test_remap_without_the_maps_of_t1_is_refused() -> None:
    audit = audit_ethernet(read_ethernet(EXAMPLES / "dual-tor-remap-without-t1"))
    assert audit.holds is False
    assert all("a lossy group" in loss and "remap" in loss for loss in audit.losses)
    assert {loss.split(" leave ")[1].split()[0] for loss in audit.losses} == {"tor-a", "tor-b"}
    assert any("PFC for priority 2, 6 is on at tor-a Ethernet48 and off at t1-0" in text for text in audit.findings)


def changed(tmp_path: Path, example: str, file: str, *keys: str, to: object) -> EthernetFabric:
    """An example with something else at these keys of a file."""
    folder = tmp_path / example
    shutil.copytree(EXAMPLES / example, folder)
    content = json.loads((folder / file).read_text())
    part = content
    for key in keys[:-1]:
        part = part[key]
    part[keys[-1]] = to
    (folder / file).write_text(json.dumps(content))
    return read_ethernet(folder)


def test_encapsulation_back_into_the_old_queue_deadlocks_again(tmp_path: Path) -> None:
    """With one ToR that does not remap there is no cycle; with two there is, although neither decapsulates so."""
    folder = tmp_path / "dual-tor-two-queues"
    shutil.copytree(EXAMPLES / folder.name, folder)
    for tor, cyclic in (("tor-a", False), ("tor-b", True)):
        path = folder / tor / "config_db.json"
        content = json.loads(path.read_text())
        for field in ("encap_tc_to_queue_map", "encap_tc_color_to_dscp_map", "decap_tc_to_pg_map"):
            del content["TUNNEL"]["MuxTunnel0"][field]
        path.write_text(json.dumps(content))
        audit = audit_ethernet(read_ethernet(folder), dscps=(3,))
        assert audit.verdict.deadlock_free is not cyclic


def test_packets_to_an_aggregate_are_followed_to_where_it_drops_them(tmp_path: Path) -> None:
    folder = tmp_path / "up"
    shutil.copytree(EXAMPLES / "frr-all-links-up", folder)
    for name, interfaces in (("leaf0", ["to-spine0"]), ("leaf1", ["to-spine0"]), ("spine0", [])):
        path = folder / f"{name}.route.json"
        hops = [{"fib": True, "active": True, "interfaceName": one} for one in interfaces]
        entry = {"protocol": "bgp", "selected": True, "nexthops": hops or [{"blackhole": True, "active": True}]}
        path.write_text(json.dumps({**json.loads(path.read_text()), "10.8.0.0/16": [entry]}))
    fabric = read_ethernet(folder)
    aggregate = next(one for one in fabric.destinations if one.name == "10.8.0.0/16")
    assert (aggregate.owners, aggregate.dropped, set(aggregate.next_hops)) == ((4,), True, {0, 1})
    assert fabric.edges == (0, 1, 2, 3)
    audit = audit_ethernet(fabric)
    assert audit.deadlock_free
    assert any(
        place.header.destination == fabric.destinations.index(aggregate) for place in Walk(PfcModel(fabric)).steps
    )


@pytest.mark.parametrize("prefix", ["10.9.0.0/24", "0.0.0.0/0"])
def test_a_prefix_that_ends_nowhere_is_a_forwarding_loop(prefix: str, tmp_path: Path) -> None:
    folder = tmp_path / "up"
    shutil.copytree(EXAMPLES / "frr-all-links-up", folder)
    for name, interface in (("leaf0", "to-spine0"), ("spine0", "to-leaf0")):
        path = folder / f"{name}.route.json"
        hop = {"fib": True, "active": True, "interfaceName": interface}
        entry = {"protocol": "static", "selected": True, "nexthops": [hop]}
        hosts = {"fib": True, "active": True, "interfaceName": "Vlan1000"}
        own = {"10.1.0.0/24": [{"protocol": "connected", "selected": True, "nexthops": [hosts]}]}
        path.write_text(
            json.dumps({**json.loads(path.read_text()), **(own if name == "leaf0" else {}), prefix: [entry]})
        )
    audit = audit_ethernet(read_ethernet(folder))
    assert audit.delivered is False
    assert any(prefix in text and "leaf0" in text and "spine0" in text for text in audit.forwarding_loops)
    assert audit.deadlock_free is False


def test_both_tors_on_standby_make_a_forwarding_loop(tmp_path: Path) -> None:
    state = {"Ethernet0": {"STATUS": "standby"}, "Ethernet4": {"STATUS": "standby"}}
    fabric = changed(tmp_path, "dual-tor-two-queues", "tor-a/mux.json", "MUX_CABLE", to=state)
    audit = audit_ethernet(fabric)
    assert not audit.delivered
    assert any("192.168.0.2" in loop and "tor-a" in loop for loop in audit.forwarding_loops)
    assert "TTL" in audit.established


def test_priority_map_that_pauses_another_queue_loses_packets(tmp_path: Path) -> None:
    keys = ("MAP_PFC_PRIORITY_TO_QUEUE", "AZURE", "3")
    fabric = changed(tmp_path, "dual-tor-two-queues", "t1-0/config_db.json", *keys, to="4")
    audit = audit_ethernet(fabric)
    assert any("a group that pauses queue 4 instead" in loss for loss in audit.losses)
    assert any("maps of t1-0" in text or "maps of t1-1" in text for text in audit.findings)


def test_route_that_is_missing_at_a_spine_is_told(tmp_path: Path) -> None:
    fabric = changed(tmp_path, "dual-tor-two-queues", "t1-0/route.json", "192.168.2.0/24", to=[])
    audit = audit_ethernet(fabric)
    assert not audit.delivered
    assert audit.lost == ("t1-0 has no way to 192.168.2.0/24",)


def test_report_names_loop_flows_and_remedy(tmp_path: Path) -> None:
    fabric = read_ethernet(EXAMPLES / "dual-tor-one-queue")
    audit = audit_ethernet(fabric)
    write_ethernet_report(audit, tmp_path / "audit.html")
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert all(place in page for place in audit.loop)
    assert all(flow in page for flow in audit.flows)
    assert "stand still for ever" in page
    assert "on both tiers" in page
    assert page.count('<svg xmlns="http://www.w3.org/2000/svg" class="unknot"') == 2
    drawing = page[page.index("<svg") : page.index("</svg>")]
    assert drawing.count(LOOP) == 2 * len(audit.circle)
    assert all(f"flow {number + 1}<" in drawing for number in range(len(audit.flows)))
    assert [int(fabric.network.target[c]) for c in audit.circle] == [
        int(fabric.network.source[c]) for c in (*audit.circle[1:], audit.circle[0])
    ]
    assert str(EXAMPLES / "dual-tor-one-queue") in page


def clos(random: np.random.Generator) -> EthernetFabric:
    """Shortest paths on a Clos of 2 tiers with links down and some next hops forgotten, as routes that lag behind."""
    spines, leaves = int(random.integers(2, 4)), int(random.integers(3, 6))
    pairs = [(leaf, leaves + spine) for leaf in range(leaves) for spine in range(spines) if random.random() < 0.75]
    ends = [(Port(f"r{a}", f"p{b}"), Port(f"r{b}", f"p{a}")) for u, v in pairs for a, b in ((u, v), (v, u))]
    source, target = ([int(end.switch[1:]) for end in column] for column in zip(*ends, strict=True))
    network = Network("clos", leaves + spines, source, target)
    distance = np.array([distances_from(network, router) for router in range(leaves + spines)])
    destinations = []
    for leaf in range(leaves):
        hops: dict[int, tuple[int, ...]] = {}
        for router in range(leaves + spines):
            near = [c for c in range(len(ends)) if source[c] == router and distance[target[c], leaf] >= 0]
            best = [c for c in near if distance[target[c], leaf] == distance[router, leaf] - 1]
            if router != leaf and best:
                hops[router] = tuple(best if random.random() < 0.9 else near)
        destinations.append(Destination(f"d{leaf}", (leaf,), hops, {}, True))
    qos = (SwitchQos(),) * network.num_routers
    return EthernetFabric("clos", network, tuple(ends), qos, tuple(destinations))


def test_circles_on_random_clos_networks_equal_brute_force() -> None:
    cyclic = []
    for seed in range(60):
        fabric = clos(np.random.default_rng(seed))
        walk = Walk(PfcModel(fabric))
        found = check(lossless_relation(ClassWalk(walk.model))).deadlock_free is False
        assert found is cyclic_by_brute_force(fabric), seed
        cyclic.append(found)
    assert 10 < sum(cyclic) < 50


def damaged_folders(folder: Path, count: int) -> None:
    """Folders with one damaged file, read and audited: an answer or an error in words."""
    random = np.random.default_rng(3)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for _ in range(count):
        path = files[int(random.integers(len(files)))]
        good = path.read_bytes()
        at = int(random.integers(len(good)))
        width = int(random.integers(1, 12))
        path.write_bytes(
            good[:at] + good[at + width :] if random.random() < 0.5 else good[:at] + b"7" + good[at + 1 :]
        )
        with contextlib.suppress(UnknotError):
            audit_ethernet(read_ethernet(folder))
        path.write_bytes(good)


def test_damaged_folders_are_judged_or_refused(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "dual-tor-two-queues", tmp_path / "dual")
    damaged_folders(tmp_path / "dual", 25)


@pytest.mark.campaign
def test_many_damaged_folders_are_judged_or_refused(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "dual-tor-two-queues", tmp_path / "dual")
    damaged_folders(tmp_path / "dual", 3000)


def test_an_audit_that_does_not_fit_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lossless_classes, "PLACE", 10**12)
    with pytest.raises(SizeError, match="frr-all-links-up: up to 16 places of packets"):
        audit_ethernet(read_ethernet(EXAMPLES / "frr-all-links-up"))
