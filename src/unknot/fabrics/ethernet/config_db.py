"""SONiC's `config_db.json`: QoS maps and tunnels of a switch, and the state of its mux ports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from unknot.fabrics.ethernet.buffers import Span, buffers_of
from unknot.fabrics.ethernet.document import Document
from unknot.fabrics.ethernet.qos import CLASSES, IDENTITY, Map, PortQos, SwitchQos, Tunnel
from unknot.fabrics.ethernet.unread import unread_config

MUX_TUNNEL = "MuxTunnel0"
"""SONiC's name of the tunnel between two ToRs."""
BUFFERS = {"BUFFER_PG": 8, "BUFFER_QUEUE": 20}
"""Tables of buffers, and how many groups or queues a port has."""


class _Reader:
    """Tables of one `config_db.json`."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.tables = document.table(document.content)

    def rows(self, table: str) -> dict[str, dict[str, Any]]:
        """The rows of a table."""
        listed = self.document.table(self.tables.get(table, {}), table)
        return {key: self.document.table(row, table, key) for key, row in listed.items()}

    def number(self, text: Any, limit: int, *keys: str) -> int:
        number = int(text) if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 4 else text
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < limit:
            raise self.document.error(f"a number from 0 to {limit - 1} is needed, got {text!r}", *keys)
        return number

    def map(self, row: dict[str, Any], field: str, table: str, limits: tuple[int, int], *keys: str) -> Map | None:
        """The map named by a field, as ``[TABLE|NAME]`` or a bare name; missing entries go to 0."""
        reference = row.get(field)
        if reference is None:
            return None
        name = str(reference).strip("[]").split("|")[-1]
        rows = self.rows(table)
        if name not in rows:
            raise self.document.error(f"{field} is {reference}, but there is no {table}|{name}", *keys, field)
        numbers = (
            [-1 if field == "tc_to_dscp_map" else 0] * limits[0]
            if table != "MAP_PFC_PRIORITY_TO_QUEUE"
            else list(IDENTITY)
        )
        for key, to in rows[name].items():
            numbers[self.number(key, limits[0], table, name, key)] = self.number(to, limits[1], table, name, key)
        return tuple(numbers)

    def spans(self, table: str) -> Iterator[Span]:
        """Yield ports, numbers of groups or queues, and the profile of each row of a table of buffers."""
        profiles = self.rows("BUFFER_PROFILE")
        for key, row in self.rows(table).items():
            ports, _, span = key.rpartition("|")
            low, _, high = span.partition("-")
            if not ports or (high and low > high):
                raise self.document.error(f"{key}: PORT|NUMBER or PORT|FIRST-LAST is needed", table, key)
            first, last = (self.number(part, BUFFERS[table], table, key) for part in (low, high or low))
            profile = str(row.get("profile", "NULL")).strip("[]").split("|")[-1]
            if profile != "NULL" and profile not in profiles:
                raise self.document.error(f"there is no BUFFER_PROFILE|{profile}", table, key)
            yield Span(ports.split(","), range(first, last + 1), profile)

    def groups(self) -> dict[str, frozenset[int]] | None:
        """Lossless priority groups of each port; None without a table of them."""
        if "BUFFER_PG" not in self.tables:
            return None
        profiles = self.rows("BUFFER_PROFILE")
        lossless: dict[str, frozenset[int]] = {}
        for ports, numbers, profile in self.spans("BUFFER_PG"):
            if profile == "NULL" or "xoff" in profiles[profile]:
                for port in ports:
                    lossless[port] = lossless.get(port, frozenset()) | frozenset(numbers)
        return lossless


def read_config_db(path: str | Path, mux_file: str | Path | None = None) -> SwitchQos:
    """Read the QoS tables of a switch and, from `show muxcable status --json`, for which servers it is on standby.

    Raises
    ------
    TextError
        With the line, for a reference to nowhere, a number out of range, or what is not such a file.
    """
    reader = _Reader(Document.read(Path(path)))
    lossless, rows = reader.groups(), reader.rows("PORT_QOS_MAP")
    default = {"dscp_to_tc_map": rows.pop("global", {}).get("dscp_to_tc_map")}
    bare = _port(reader, "global", default)
    configured: dict[str, PortQos] = {}
    for key, row in rows.items():
        # A port that tells classes by 802.1p does not look at the DSCP.
        qos = _port(reader, key, row if "dot1p_to_tc_map" in row else default | row)
        for name in key.split(","):
            of = qos if lossless is None else replace(qos, lossless=lossless.get(name, frozenset()))
            if configured.setdefault(name, of) != of:
                raise reader.document.error(f"{name} has two rows that differ", "PORT_QOS_MAP", key)
    ports = reader.rows("PORT")
    up = [name for name, row in ports.items() if row.get("admin_status") != "down"]
    of_ports = {**dict.fromkeys(up, bare), **configured}
    for name in sorted({name for name, row in ports.items() if row.get("pfc_asym") == "on"} & {*of_ports}):
        of_ports[name] = replace(of_ports[name], asymmetric=True)
    members: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    for key in reader.rows("PORTCHANNEL_MEMBER"):
        channel, _, member = key.partition("|")
        members[channel] += (member,)
    peers = {
        name: _address(reader.document, row.get("address_ipv4"), "PEER_SWITCH", name, "address_ipv4")
        for name, row in reader.rows("PEER_SWITCH").items()
    }
    if len({*peers.values()}) > 1:
        raise reader.document.error("there are several peers, which differ", "PEER_SWITCH")
    tunnels = reader.rows("TUNNEL")
    mux, nameless = _mux(reader, mux_file)
    name = MUX_TUNNEL if MUX_TUNNEL in tunnels or len(tunnels) != 1 else next(iter(tunnels))
    buffers = buffers_of(reader.rows, reader.spans)
    without = {
        queue
        for name, port in of_ports.items()
        if port.enabled and (known := buffers.ports.get(name)) is not None and known.queues
        for queue in port.queues_of(lossless=True) - {*known.queues}
    }
    return SwitchQos(
        ports=of_ports,
        unknown=bare,
        tunnel=_tunnel(reader, name, tunnels.pop(name)) if name in tunnels else Tunnel(),
        aliases={str(row["alias"]): name for name, row in ports.items() if "alias" in row},
        members=members,
        peer=next(iter(peers.values()), None),
        mux=mux,
        configured=True,
        buffers=buffers,
        unread=tuple(
            dict.fromkeys(
                [
                    *unread_config(reader.rows),
                    *nameless,
                    *(f"TUNNEL {name}" for name in tunnels),
                    *(
                        f"queue {queue} of lossless packets, which BUFFER_QUEUE leaves out"
                        for queue in sorted(without)
                    ),
                ]
            )
        ),
    )


def _port(reader: _Reader, key: str, row: dict[str, Any]) -> PortQos:
    """Maps of ports with this row; their groups with PFC are taken to have headroom."""
    where, plain = ("PORT_QOS_MAP", key), PortQos()
    words = [word.strip() for word in str(row.get("pfc_enable", "")).split(",") if word.strip()]
    if any(not word.isdigit() for word in words):
        message = f'priorities such as "3,4" are needed, got {row["pfc_enable"]!r}'
        raise reader.document.error(message, *where, "pfc_enable")
    enabled = frozenset(reader.number(word, 8, *where, "pfc_enable") for word in words)
    groups = reader.map(row, "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", (8, 8), *where)
    priorities = list(IDENTITY)
    for priority, group in enumerate(groups or ()):
        priorities[group] = priority
    return PortQos(
        reader.map(row, "dscp_to_tc_map", "DSCP_TO_TC_MAP", (64, CLASSES), *where) or (0,) * 64,
        reader.map(row, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", (CLASSES, 8), *where) or plain.tc_to_group,
        reader.map(row, "tc_to_queue_map", "TC_TO_QUEUE_MAP", (CLASSES, 10), *where) or plain.tc_to_queue,
        reader.map(row, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", (8, 10), *where) or plain.priority_to_queue,
        tuple(priorities),
        enabled,
        enabled,
        reader.map(row, "tc_to_dscp_map", "TC_TO_DSCP_MAP", (CLASSES, 64), *where),
        None
        if "dscp_to_tc_map" in row
        else reader.map(row, "dot1p_to_tc_map", "DOT1P_TO_TC_MAP", (8, CLASSES), *where),
    )


def _tunnel(reader: _Reader, name: str, row: dict[str, Any]) -> Tunnel:
    where = ("TUNNEL", name)
    dscp = "encap_tc_to_dscp_map" if "encap_tc_to_dscp_map" in row else "encap_tc_color_to_dscp_map"
    return Tunnel(
        reader.map(row, "decap_dscp_to_tc_map", "DSCP_TO_TC_MAP", (64, CLASSES), *where),
        reader.map(row, "decap_tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", (CLASSES, 8), *where),
        reader.map(row, "encap_tc_to_queue_map", "TC_TO_QUEUE_MAP", (CLASSES, 10), *where),
        reader.map(row, dscp, "TC_TO_DSCP_MAP", (CLASSES, 64), *where),
        row.get("dscp_mode") == "uniform",
    )


def _address(document: Document, text: Any, *keys: str) -> str:
    """The text of an address, without the length of its prefix."""
    try:
        return str(ip_address(str(text).partition("/")[0]))
    except ValueError:
        raise document.error(f"an address is needed, got {text!r}", *keys) from None


def _mux(reader: _Reader, file: str | Path | None) -> tuple[dict[str, bool], list[str]]:
    """For each server whether the ToR is on standby: by the state of its port, else by the configuration.

    Beside that, in words, states of ports whose servers nothing names.
    """
    state_of: dict[str, Any] = {}
    if file is not None:
        document = Document.read(Path(file))
        state = document.table(document.table(document.content).get("MUX_CABLE", {}), "MUX_CABLE")
        for port, row in state.items():
            row = document.table(row, "MUX_CABLE", port)
            state_of[port] = row.get("STATUS", row.get("status"))
    standby, rows = {}, reader.rows("MUX_CABLE")
    nameless = [*dict.fromkeys([*state_of, *rows])]
    for port, row in rows.items():
        word = str(state_of.get(port, row.get("state", "auto"))).lower()
        if word not in ("active", "standby"):
            raise reader.document.error(
                f"{port} is {word!r}, neither active nor standby; put the output of `show muxcable status --json` "
                "beside this file as mux.json", "MUX_CABLE", port,
            )  # fmt: skip
        for key in sorted({"server_ipv4", "server_ipv6"} & {*row}):
            standby[_address(reader.document, row[key], "MUX_CABLE", port, key)] = word == "standby"
            nameless = [name for name in nameless if name != port]
    unread = [f"the mux of {port}, whose server MUX_CABLE does not name" for port in nameless]
    return standby, unread + ["MUX_CABLE, which is missing beside PEER_SWITCH"] * (
        not rows and bool(reader.rows("PEER_SWITCH"))
    )
