"""Settings of a switch by its configuration: SONiC's, that of Cumulus Linux, or port channels of Arista EOS."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from unknot._base.errors import TextError
from unknot.fabrics.ethernet.config_db import read_config_db
from unknot.fabrics.ethernet.document import Document
from unknot.fabrics.ethernet.qos import CLASSES, PortQos, SwitchQos
from unknot.fabrics.ethernet.unread import OWN, vrf

ROCE = PortQos(
    dscp_to_tc=tuple(dscp // 8 for dscp in range(64)),
    tc_to_queue=tuple(number if number in (3, 6) else 0 for number in range(CLASSES)),
)
"""RoCE of Cumulus Linux: switch priority 3 pauses; 3 and 6 have queues of their own, the rest is in queue 0."""
LOSSY = replace(ROCE, enabled=frozenset(), lossless=frozenset())
OFF = ("off", "disabled", False)
OF_ROCE = ("enable", "state", "mode", "cable-length")
RANGE = re.compile(r"([A-Za-z_]+)(\d{1,4})-(\d{1,4})")


def settings_of(kinds: Mapping[str, Path]) -> SwitchQos:
    """Return the settings of a switch by its files; without any, one lossless class.

    Raises
    ------
    TextError
        With the line, for what is broken, or if two systems tell settings.
    """
    qos = SwitchQos()
    if "config_db.json" in kinds:
        if "nvue.json" in kinds:
            raise TextError("config_db.json and nvue.json are of different systems; leave one", kinds["nvue.json"])
        qos = read_config_db(kinds["config_db.json"], kinds.get("mux.json"))
    elif "nvue.json" in kinds:
        qos = read_nvue(kinds["nvue.json"])
    if "port_channels.json" in kinds:
        qos = replace(qos, members={**qos.members, **read_port_channels(kinds["port_channels.json"])})
    return qos


def read_port_channels(path: str | Path) -> dict[str, tuple[str, ...]]:
    """Read the active ports of each port channel: `show port-channel | json` of Arista EOS.

    Raises
    ------
    TextError
        With the line, for what is not such output.
    """
    document = Document.read(Path(path))
    rows = document.table(document.content).get("portChannels")
    return {
        name: tuple(document.table(document.table(row, name).get("activePorts"), name, "activePorts"))
        for name, row in document.table(rows, "portChannels").items()
    }


def read_nvue(path: str | Path) -> SwitchQos:
    """Read RoCE and bonds of a switch from `nv config show -o json`.

    RoCE in mode lossless (the default) gives switch priority 3 (DSCP 24 to 31) PFC at all ports; mode lossy and no
    RoCE give none (NVIDIA, Cumulus Linux User Guide, RDMA over Converged Ethernet). Beside other, unread settings of
    classes and pauses one lossless class is assumed.

    Raises
    ------
    TextError
        With the line, for what is not such output.
    """
    document = Document.read(Path(path))
    parts = document.content if isinstance(document.content, list) else [document.content]
    tree: dict[str, Any] = {}
    for part in document.rows(parts):
        tree |= document.table(part.get("set", {} if "header" in part else part), "set")

    def below(*keys: str) -> dict[str, Any]:
        inner: Any = tree
        for depth, key in enumerate(keys):
            inner = document.table(inner, *keys[:depth]).get(key, {})
        return document.table(inner, *keys)

    qos, roce = below("qos"), below("qos", "roce")
    lossless = "roce" in qos and roce.get("enable", roce.get("state", "on")) not in OFF
    ports = ROCE if lossless and roce.get("mode", "lossless") != "lossy" else LOSSY
    unread = [f"qos roce {key}" for key in roce if key not in OF_ROCE]
    others = [f"qos {key}" for key in qos if key != "roce"]
    members = dict[str, tuple[str, ...]]()
    for name in below("interface"):
        others += [f"qos of interface {name}"] * ("qos" in below("interface", name))
        if bond := below("interface", name, "bond"):
            rows = document.table(bond.get("member", {}), "interface", name, "bond", "member")
            members[name] = tuple(port for text in rows for port in _names(text))
        own = below("interface", name, "ip").get("vrf")
        if isinstance(own, str) and own not in OWN:
            unread.append(vrf(own))
    unread += others
    unread += [what for key, what in (("nve", "VXLAN"), ("mlag", "MLAG")) if _is_on(below(key))]
    unread += ["policy-based routing"] * bool(below("router", "pbr"))
    if _is_on(below("router", "adaptive-routing")):
        unread.append("adaptive routing, which is on: adaptive_free is about such packets")
    return SwitchQos(
        unknown=PortQos() if others else ports, members=members, configured=True, unread=tuple(dict.fromkeys(unread))
    )


def _is_on(row: dict[str, Any]) -> bool:
    return bool(row) and row.get("enable", row.get("state", "on")) not in OFF


def _names(text: str) -> Iterator[str]:
    """Ports of a list of ranges, as swp1-3,swp7."""
    for part in text.split(","):
        if found := RANGE.fullmatch(part):
            yield from (f"{found[1]}{number}" for number in range(int(found[2]), int(found[3]) + 1))
        else:
            yield part
