"""Readers of lossless Ethernet: real output of FRR and lldpd, and what is wrong with damaged files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from unknot._base.errors import TextError, UnknotError
from unknot.fabrics import read_network
from unknot.fabrics.ethernet.batfish import read_batfish_routes
from unknot.fabrics.ethernet.config_db import read_config_db
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.folder import is_ethernet, read_ethernet
from unknot.fabrics.ethernet.routes import (
    Port,
    prefix_of,
    read_cable_list,
    read_lldp,
    read_routes,
)

EXAMPLES = Path(__file__).parents[2] / "examples" / "ethernet"
UP, DOWN = EXAMPLES / "frr-all-links-up", EXAMPLES / "frr-two-links-down"
DUAL = EXAMPLES / "dual-tor-two-queues" / "tor-a"
LLDP = Path(__file__).parent / "ethernet_lldp"


def test_routes_of_frr_with_equal_cost_paths() -> None:
    routes = read_routes(UP / "leaf0.route.json")["default"].routes
    assert set(routes[prefix_of("10.1.1.0/24")].interfaces) == {"to-spine0", "to-spine1"}
    down = read_routes(DOWN / "leaf0.route.json")["default"].routes
    assert down[prefix_of("10.1.1.0/24")].interfaces == ("to-spine1",)


@pytest.mark.parametrize(("kind", "net"), [("route", "10.{}.0.0/24"), ("route6", "fd0{}::/64")])
def test_recursive_and_dropping_routes_of_frr(kind: str, net: str) -> None:
    routes = read_routes(Path(__file__).parent / "ethernet_routes" / f"static.{kind}.json")["default"].routes
    for number, interfaces in ((9, {"d1", "d2"}), (8, {"d1", "d2"}), (7, set())):
        route = routes[prefix_of(net.format(number))]
        assert set(route.interfaces) == interfaces
        assert not route.local


def test_folder_of_frr_has_a_destination_for_each_leaf() -> None:
    fabric = read_ethernet(UP)
    assert fabric.network.num_routers == 6
    assert fabric.network.num_channels == 16
    name = fabric.network.router_name
    assert [(one.name, *map(name, one.owners)) for one in fabric.destinations] == [
        (f"10.1.{leaf}.0/24", f"leaf{leaf}") for leaf in range(4)
    ]
    assert [len(hops) for hops in (one.next_hops[0] for one in fabric.destinations[1:])] == [2, 2, 2]


def test_folder_for_each_switch_is_the_same(tmp_path: Path) -> None:
    for path in DOWN.glob("*.route.json"):
        folder = tmp_path / "frr-two-links-down" / path.name.partition(".")[0]
        folder.mkdir(parents=True)
        shutil.copy(path, folder / "route.json")
    shutil.copy(DOWN / "cables.txt", tmp_path / "frr-two-links-down")
    one, other = read_ethernet(DOWN), read_ethernet(tmp_path / "frr-two-links-down")
    assert one.destinations == other.destinations
    assert one.network == other.network
    assert is_ethernet(DOWN)
    assert not is_ethernet(LLDP)


@pytest.mark.parametrize("name", ["one.json", "two.json", "one.json0"])
def test_lldp_in_each_of_its_shapes(name: str) -> None:
    both = [(Port("leaf-a", f"eth-b{i}"), Port("leaf-b", f"eth-a{i}")) for i in ("", "2")]
    expected = both if name.startswith("two") else both[:1]
    assert [(near, far[0]) for near, far in read_lldp(LLDP / name, "leaf-a")] == expected


def test_cables_by_lldp_with_hosts_and_aliases(tmp_path: Path) -> None:
    for switch, port, far, far_port in (("a", "Ethernet0", "b", "etp1"), ("b", "Ethernet4", "a", "Ethernet0")):
        folder = tmp_path / switch
        folder.mkdir()
        neighbour = {"via": "LLDP", "chassis": {far: {}}, "port": {"id": {"type": "local", "value": far_port}}}
        host = {"via": "LLDP", "chassis": {"host": {}}, "port": {"id": {"type": "mac", "value": "00:11"}}}
        (folder / "lldp.json").write_text(json.dumps({"lldp": {"interface": [{port: neighbour}, {"eth9": host}]}}))
        local = [{"selected": True, "protocol": "connected", "nexthops": [{"fib": True, "interfaceName": "Vlan1"}]}]
        away = [{"selected": True, "protocol": "bgp", "nexthops": [{"fib": True, "interfaceName": port}]}]
        routes = {"10.0.0.0/24": local, "10.0.1.0/24": away}
        if switch == "b":
            routes = {"10.0.0.0/24": away, "10.0.1.0/24": local}
        (folder / "route.json").write_text(json.dumps(routes))
    (tmp_path / "b" / "config_db.json").write_text(json.dumps({"PORT": {"Ethernet4": {"alias": "etp1"}}}))
    fabric = read_ethernet(tmp_path)
    assert [tuple(map(str, ends)) for ends in fabric.ends] == [
        ("a Ethernet0", "b Ethernet4"),
        ("b Ethernet4", "a Ethernet0"),
    ]
    assert any("1 neighbours without routes" in note for note in fabric.notes)


def frame(folder: Path) -> str:
    """Routes of an example as Batfish writes them, its next hops by address alone."""
    rows = [",Node,VRF,Network,Next_Hop,Next_Hop_IP,Next_Hop_Interface,Protocol,Metric"]
    number: dict[tuple[str, str], str] = {}
    for i, cable in enumerate(read_cable_list(folder / "cables.txt")):
        for j, port in enumerate(cable):
            number[port.switch, port.name] = f"172.16.{i}.{2 - j}"
            rows.append(f",{port.switch},default,172.16.{i}.0/24,,AUTO/NONE(-1l),{port.name},connected,0")
    for path in sorted(folder.glob("*.route.json")):
        switch = path.name.partition(".")[0]
        for prefix, route in read_routes(path)["default"].routes.items():
            rows += [f",{switch},default,{prefix},,{number[switch, name]},dynamic,bgp,0" for name in route.interfaces]
    return "\n".join(rows) + "\n"


def test_frame_with_a_carriage_return_in_its_head_is_refused(tmp_path: Path) -> None:
    (tmp_path / "routes.csv").write_bytes(b"Node,VRF,Net\rwork,Next_Hop_IP\n")
    with pytest.raises(TextError, match=r"routes\.csv"):
        read_batfish_routes(tmp_path / "routes.csv")


def test_frame_of_batfish_is_the_same_fabric(tmp_path: Path) -> None:
    shutil.copy(DOWN / "cables.txt", tmp_path)
    (tmp_path / "routes.csv").write_text(frame(DOWN))
    one, other = read_ethernet(DOWN), read_ethernet(tmp_path)
    assert is_ethernet(tmp_path)
    assert {port for ends in one.ends for port in ends} == {port for ends in other.ends for port in ends}

    def routes(fabric: EthernetFabric) -> set[tuple[str, str, frozenset[str]]]:
        name = fabric.network.router_name
        return {
            (to.name, name(router), frozenset(str(fabric.ends[c]) for c in hops))
            for to in fabric.destinations
            for router, hops in to.next_hops.items()
        }

    assert routes(one) == routes(other)
    path = tmp_path / "routes.csv"
    path.write_text(path.read_text() + ",leaf0,default,10.9.0.0/24,,9.9.9.9,dynamic,bgp,0\n")
    with pytest.raises(TextError, match=r"routes.csv:\d+: leaf0: no connected interface"):
        read_ethernet(tmp_path)
    path.write_text("Node,Network\n")
    with pytest.raises(TextError, match="no column Next_Hop_IP"):
        read_ethernet(tmp_path)


def test_port_channels_are_choices_among_their_members(tmp_path: Path) -> None:
    folder = tmp_path / "dual"
    shutil.copytree(DUAL.parent, folder)
    config, routes = folder / "tor-c" / "config_db.json", folder / "tor-c" / "route.json"
    members: dict[str, object] = {f"PortChannel1|Ethernet{port}": {} for port in (48, 52)}
    config.write_text(json.dumps({**json.loads(config.read_text()), "PORTCHANNEL_MEMBER": members}))
    one = {"selected": True, "protocol": "bgp", "nexthops": [{"fib": True, "interfaceName": "PortChannel1"}]}
    routes.write_text(json.dumps({**json.loads(routes.read_text()), "192.168.0.0/24": [one]}))
    assert [d.next_hops for d in read_ethernet(folder).destinations] == [
        d.next_hops for d in read_ethernet(DUAL.parent).destinations
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "an object"),
        ('{\n"10.0.0.0/33": []}', "2: '10.0.0.0/33' is not a prefix"),
        ('{\n"10.0.0.0/8":\n[3]}', "an object"),
        ("{", "not JSON"),
    ],
)
def test_broken_routes_name_their_line(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.route.json"
    path.write_text(text)
    with pytest.raises(TextError, match=words):
        read_routes(path)


def test_broken_cables_and_folders(tmp_path: Path) -> None:
    (tmp_path / "cables.txt").write_text("a 1 b 1\n# none\na 1 c 1\n")
    with pytest.raises(TextError, match=r"cables.txt:3: a 1 has a cable by line 1 already"):
        read_cable_list(tmp_path / "cables.txt")
    with pytest.raises(UnknotError, match="no routes"):
        read_ethernet(tmp_path)
    shutil.copy(UP / "leaf0.route.json", tmp_path)
    shutil.copy(UP / "cables.txt", tmp_path)
    with pytest.raises(TextError, match=r"cables.txt:\d+: \w+ has cables but no routes"):
        read_ethernet(tmp_path)
    (tmp_path / "leaf0.route.json").rename(tmp_path / "Leaf0.route.json")
    with pytest.raises(TextError, match=r"did you mean Leaf0\?"):
        read_ethernet(tmp_path)
    (tmp_path / "Leaf0.route.json").write_text("")
    with pytest.raises(TextError, match="is empty; the JSON of `vtysh -c 'show ip route vrf all json'` belongs here"):
        read_routes(tmp_path / "Leaf0.route.json")


def test_names_by_lldp_with_a_domain_are_no_hosts(tmp_path: Path) -> None:
    shutil.copy(UP / "leaf0.route.json", tmp_path)
    shutil.copy(UP / "spine0.route.json", tmp_path)
    port = {"id": {"type": "ifname", "value": "to-leaf0"}}
    neighbour = {"chassis": {"spine0.example.com": {}}, "port": port}
    (tmp_path / "leaf0.lldp.json").write_text(json.dumps({"lldp": {"interface": [{"to-spine0": neighbour}]}}))
    with pytest.raises(UnknotError, match=r"called spine0\.example\.com by LLDP, and a switch here spine0; give"):
        read_ethernet(tmp_path)


def test_a_link_that_leads_nowhere_is_no_missing_switch(tmp_path: Path) -> None:
    folder = tmp_path / "up"
    shutil.copytree(EXAMPLES / "frr-all-links-up", folder)
    (folder / "leaf0.route.json").unlink()
    (folder / "leaf0.route.json").symlink_to("nowhere")
    with pytest.raises(TextError, match=r"leaf0\.route\.json: this is no file"):
        read_ethernet(folder)


def test_missing_switch_is_not_taken_for_hosts(tmp_path: Path) -> None:
    folder = tmp_path / "dual"
    shutil.copytree(DUAL.parent, folder)
    shutil.rmtree(folder / "t1-1")
    cables = (folder / "cables.txt").read_text().splitlines()
    (folder / "cables.txt").write_text("\n".join(line for line in cables if "t1-1" not in line))
    with pytest.raises(UnknotError, match=r"tor-\w Ethernet52 has no cable, .* routes of a switch missing"):
        read_ethernet(folder)


def test_default_route_to_management_counts_for_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "frr-two-links-down"
    shutil.copytree(DOWN, folder)
    out = {"selected": True, "protocol": "kernel", "nexthops": [{"fib": True, "interfaceName": "eth0"}]}
    for path in folder.glob("*.route.json"):
        path.write_text(json.dumps({**json.loads(path.read_text()), "0.0.0.0/0": [out]}))
    assert read_ethernet(folder).destinations == read_ethernet(DOWN).destinations


def test_network_of_a_folder() -> None:
    network = read_network(DOWN)
    assert network == read_ethernet(DOWN).hosted
    assert [network.terminal_name(terminal) for terminal in range(4)] == ["leaf0", "leaf1", "leaf2", "leaf3"]


def test_references_to_nowhere_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "config_db.json"
    path.write_text('{"PORT_QOS_MAP": {\n"Ethernet0": {"tc_to_pg_map": "[TC_TO_PRIORITY_GROUP_MAP|AZURE]"}}}')
    with pytest.raises(TextError, match=r":2: .*no TC_TO_PRIORITY_GROUP_MAP\|AZURE"):
        read_config_db(path)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('"DSCP_TO_TC_MAP": {"AZURE": {\n"3": true}}', ":2: .*a number from 0 to 15 is needed, got True"),
        ('"BUFFER_PG": {\n"Ethernet0|6-2": {"profile": "NULL"}}', r":2: .*Ethernet0\|6-2: PORT\|NUMBER or"),
        ('"BUFFER_PG": {\n"Ethernet0": {"profile": "NULL"}}', ":2: .*Ethernet0: PORT"),
    ],
)
def test_numbers_that_are_none_and_groups_the_wrong_way_round_are_refused(
    table: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "config_db.json"
    path.write_text('{"PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "AZURE"}}, ' + table + "}")
    with pytest.raises(TextError, match=words):
        read_config_db(path)


def less(tmp_path: Path, of: Path, switch: str, file: str, *keys: str) -> Path:
    """A copy of a folder in which a table, or a row, of a file of a switch is gone; or the whole file."""
    folder = tmp_path / of.name
    shutil.copytree(of, folder)
    path = folder / switch / file if (folder / switch).is_dir() else folder / f"{switch}.{file}"
    if not keys:
        path.unlink()
        return folder
    content = json.loads(path.read_text())
    table = content
    for key in keys[:-1]:
        table = table[key]
    del table[keys[-1]]
    path.write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize(
    ("of", "gone", "word"),
    [
        (
            "dual-tor-two-queues",
            ("tor-a", "config_db.json", "MUX_CABLE"),
            "the mux of Ethernet0, whose server MUX_CABLE",
        ),
        (
            "dual-tor-two-queues",
            ("tor-a", "config_db.json", "MUX_CABLE", "Ethernet4"),
            "the mux of 192.168.0.3, which",
        ),
        (
            "dual-tor-two-queues",
            ("tor-a", "config_db.json", "MUX_CABLE", "Ethernet0", "server_ipv4"),
            "the mux of Ethernet0, whose server",
        ),
        ("dual-tor-two-queues", ("tor-a", "config_db.json"), "QoS maps, for want of config_db.json"),
        (
            "frr-two-links-down",
            ("spine1", "route.json", "10.1.1.0/24"),
            "the route to 10.1.1.0/24, to which others send",
        ),
        (
            "dual-tor-two-queues",
            ("tor-a", "route.json", "192.168.0.0/24"),
            "the route to 192.168.0.0/24, to which others",
        ),
    ],
)
def test_less_knowledge_is_named(tmp_path: Path, of: str, gone: tuple[str, ...], word: str) -> None:
    """Whoever takes a row away takes no question away: the answer names what is missing."""
    fabric = read_ethernet(less(tmp_path, EXAMPLES / of, *gone))
    assert any(word in line for line in fabric.unread), fabric.unread


def test_muxes_without_any_configuration_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "muxes"
    shutil.copytree(EXAMPLES / "dual-tor-two-queues", folder)
    for file in folder.glob("*/config_db.json"):
        file.unlink()
    assert "mux.json, for want of the servers in config_db.json (tor-a, tor-b)" in read_ethernet(folder).unread


def test_ends_that_are_taken_for_owners_are_named() -> None:
    notes = read_ethernet(UP).notes
    assert any("taken to end where no route goes on: 10.1.0.0/24 at leaf0 and 3 more" in note for note in notes)
