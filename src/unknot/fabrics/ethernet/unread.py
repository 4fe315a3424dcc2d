"""What files of Ethernet switches hold and the model leaves out, in words: beside such facts no answer is "yes"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from unknot._base.phrases import few

Rows = Mapping[str, Mapping[str, Any]]
MAPS = ("dscp_to_tc_map", "tc_to_pg_map", "tc_to_queue_map", "pfc_to_queue_map")
"""Fields of `PORT_QOS_MAP` without which what a port with PFC does depends on the platform."""
KNOWN = {
    *MAPS,
    "dot1p_to_tc_map",
    "pfc_enable",
    "pfc_to_pg_map",
    "tc_to_dscp_map",
    "pfcwd_sw_enable",
    "scheduler",
    "tc_to_dot1p_map",
}
"""Fields of `PORT_QOS_MAP` that are read, and three that change no buffer by themselves."""
BOUND = ("INTERFACE", "PORTCHANNEL_INTERFACE", "VLAN_INTERFACE", "VLAN_SUB_INTERFACE", "LOOPBACK_INTERFACE")
"""Tables of interfaces, which may belong to a VRF."""
HEADERS = {"SRV6_MY_SIDS": "SRv6", "SRV6_MY_LOCATORS": "SRv6", "VXLAN_TUNNEL_MAP": "VXLAN"}
"""Tables by which packets get other headers."""
MODES = ("pipe", "uniform")
"""What becomes of the inner DSCP at the end of a tunnel; without a word for one the platform decides."""
OF_HOPS = {
    "seg6": "SRv6", "seg6local": "SRv6", "labels": "MPLS labels", "vtepAddr": "VXLAN", "tunnelDescriptor": "tunnels",
}  # fmt: skip
"""Fields of a next hop by which packets get other headers."""
DEFAULT, MANAGEMENT = "default", "mgmt"
"""The VRF of what names none, and that of the management network, which is not judged."""
OWN = (None, DEFAULT, MANAGEMENT)


def unread_config(rows: Callable[[str], Rows]) -> Iterator[str]:
    """Yield what the tables of `config_db.json` hold beside what is read.

    Parameters
    ----------
    rows : callable
        The rows of a table by its name.
    """
    maps = rows("PORT_QOS_MAP")
    default = {*maps.get("global", {})}
    for row in maps.values():
        yield from (f"{field} of PORT_QOS_MAP" for field in row if field not in KNOWN)
        if {"dscp_to_tc_map", "dot1p_to_tc_map"} <= {*row}:
            yield "dot1p_to_tc_map beside dscp_to_tc_map: classes by DSCP are assumed"
        elif "dot1p_to_tc_map" in row:
            yield "what becomes of 802.1p priorities from hop to hop: packets are assumed to keep them"
        given = {*default, *row, *(["dscp_to_tc_map"] if "dot1p_to_tc_map" in row else [])}
        if row.get("pfc_enable"):
            yield from (f"{field}, which rows of PORT_QOS_MAP leave out" for field in MAPS if field not in given)
    for table in BOUND:
        yield from (vrf(row["vrf_name"]) for row in rows(table).values() if row.get("vrf_name") not in OWN)
    for name, row in rows("TUNNEL").items():
        if row.get("dscp_mode") not in MODES:
            yield f"dscp_mode, which TUNNEL {name} leaves out: pipe is assumed"
    yield from (word for table, word in HEADERS.items() if rows(table))
    if any("REDIRECT" in str(row.get("PACKET_ACTION", "")).upper() for row in rows("ACL_RULE").values()):
        yield "ACL_RULE with redirection"


def unread_hops(hops: Sequence[Mapping[str, Any]], own: str) -> Iterator[str]:
    """Yield what next hops of a VRF hold beside their interfaces."""
    for hop in hops:
        yield from (word for field, word in OF_HOPS.items() if field in hop)
        if hop.get("vrf") not in (None, own, MANAGEMENT):
            yield f"routes that lead from VRF {own} into VRF {hop['vrf']}"


def vrf(name: object) -> str:
    """The routes of a VRF, in words."""
    return f"routes of VRF {name}"


def in_words(unread: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Names of unread content, each with the switches whose files hold that content."""
    return tuple(f"{what} ({few(sorted(switches))})" for what, switches in sorted(unread.items()))
