"""Cables between the switches of a folder: by a list, the topology of a lab, or what LLDP tells of neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

from unknot._base.errors import UnknotError
from unknot._base.packed import inside
from unknot._base.phrases import few
from unknot.fabrics.ethernet.qos import SwitchQos
from unknot.fabrics.ethernet.routes import Port, read_cable_list, read_lldp
from unknot.fabrics.ethernet.topologies import NAMES as TOPOLOGIES
from unknot.fabrics.ethernet.topologies import read_topology

CABLES = "cables.txt"


def cables_of(
    folder: Path, files: dict[str, dict[str, Path]], switches: list[str], qos: list[SwitchQos], notes: list[str]
) -> list[tuple[Port, Port]]:
    """Cables between the switches: by the list, the topology of a lab, or LLDP, where one end is enough."""
    alias = {switch: one.aliases for switch, one in zip(switches, qos, strict=True)}
    if (folder / CABLES).is_file():
        return [(min(cable), max(cable)) for cable in read_cable_list(folder / CABLES, switches)]
    labs = [path for path in inside(folder) if any(fnmatch(path.name, name) for name in TOPOLOGIES)]
    if len(labs) > 1:
        raise UnknotError(
            f"{folder}: {few([path.name for path in labs])} all tell cables; leave one of them, or give {CABLES}"
        )
    if labs:
        found, hosts = read_topology(labs[0], switches)
        if not found:
            raise UnknotError(f"{labs[0]}: no cable between {few(switches)}; its nodes are {few(hosts) or 'none'}")
        return _sorted(found, set(hosts), notes)
    neighbours: list[tuple[Port, tuple[Port, ...]]] = []
    for switch in switches:
        if "lldp.json" in files[switch]:
            neighbours += read_lldp(files[switch]["lldp.json"], switch)
    cables, seen = set[tuple[Port, Port]](), {near for near, _ in neighbours}
    for near, names in neighbours:
        far = names[0].switch
        if far in alias:
            ports = [Port(far, alias[far].get(name.name, name.name)) for name in names]
            known = [port for port in ports if port in seen or port.name in alias[far].values()]
            port = (known or ports)[0]
            cables.add((min(near, port), max(near, port)))
    for end, count in Counter(end for cable in sorted(cables) for end in cable).items():
        if count > 1:
            raise UnknotError(f"{folder}: by LLDP {end} has several cables; give {CABLES}")
    strangers = {name.switch for _, names in neighbours for name in names} - set(switches)
    plain = {switch.partition(".")[0].lower(): switch for switch in switches}
    for stranger in sorted(strangers):
        if (alike := plain.get(stranger.partition(".")[0].lower())) is not None:
            raise UnknotError(
                f"{folder}: a neighbour is called {stranger} by LLDP, and a switch here {alike}; give both one name"
            )
    if not cables:
        wanted = f"{CABLES}, a topology of containerlab or netlab, or SWITCH/lldp.json of each switch"
        raise UnknotError(f"{folder}: no cables; give {wanted}")
    return _sorted(cables, strangers, notes)


def _sorted(cables: Iterable[tuple[Port, Port]], hosts: set[str], notes: list[str]) -> list[tuple[Port, Port]]:
    """Sort cables; note neighbours without routes."""
    if hosts:
        notes.append(f"{len(hosts)} neighbours without routes are taken for hosts, the first {min(hosts)}")
    return sorted(cables)
