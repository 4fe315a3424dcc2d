"""A folder of what switches printed: a folder for each, or files named by them."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from pathlib import Path

from unknot._base.errors import UnknotError
from unknot.fabrics.ethernet.batfish import read_batfish_routes
from unknot.fabrics.ethernet.cables import cables_of
from unknot.fabrics.ethernet.destinations import muxes_of_others
from unknot.fabrics.ethernet.document import ROUTES, files_of
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.routes import Port, VrfTable, read_routes
from unknot.fabrics.ethernet.settings import settings_of
from unknot.fabrics.ethernet.switch_tables import SwitchTables
from unknot.fabrics.ethernet.unread import DEFAULT, in_words, vrf
from unknot.fabrics.ethernet.vrfs import NONE, destinations_by_vrf
from unknot.network import Network, Places

BATFISH = "routes.csv"


def is_ethernet(folder: Path) -> bool:
    """Whether a folder holds routes of switches."""
    return folder.is_dir() and (
        (folder / BATFISH).is_file() or any(kind in kinds for kinds in files_of(folder).values() for kind in ROUTES)
    )


def read_ethernet(folder: str | Path) -> EthernetFabric:
    """Read a lossless Ethernet fabric from a folder.

    Raises
    ------
    UnknotError
        If there are no routes or no cables, or routes contradict one another.
    TextError
        With file and line, when a file is broken.

    Examples
    --------
    >>> read_ethernet("examples/ethernet/frr-all-links-up")
    <EthernetFabric frr-all-links-up: 6 switches, 8 cables, 4 destinations>
    """
    folder = Path(folder)
    files, unread = files_of(folder), defaultdict[str, list[str]](list)

    def note(switch: str, what: str) -> None:
        """Keep what the files of a switch hold and is left out."""
        if switch not in unread[what]:
            unread[what].append(switch)

    computed = read_batfish_routes(folder / BATFISH) if (folder / BATFISH).is_file() else {}
    files |= {switch: {} for switch in computed if switch not in files}
    switches = [s for s, kinds in sorted(files.items()) if s in computed or any(kind in kinds for kind in ROUTES)]
    if not switches:
        raise UnknotError(f"{folder}: no routes; SWITCH/route.json or SWITCH.route.json of each switch are needed")
    notes = [f"{switch} has no routes and is left out" for switch in sorted({*files} - {*switches})]
    qos = [settings_of(files[switch]) for switch in switches]
    if any(one.configured for one in qos):
        for switch, one in zip(switches, qos, strict=True):
            if not one.configured:
                note(switch, "QoS maps, for want of config_db.json or nvue.json: one lossless class is assumed")
    for switch in switches:
        if "mux.json" in files[switch] and "config_db.json" not in files[switch]:
            note(switch, "mux.json, for want of the servers in config_db.json")
    for kind, family in zip(ROUTES, ("IPv4", "IPv6"), strict=True):
        if not computed and not any(kind in files[switch] for switch in switches):
            notes.append(f"no {kind}: packets of {family} are not judged")
    cables = cables_of(folder, files, switches, qos, notes)
    number = {switch: router for router, switch in enumerate(switches)}
    ends = tuple(sorted(end for cable in cables for end in (cable, cable[::-1])))
    source, target = ([number[end.switch] for end in column] for column in zip(*ends, strict=True))
    names = tuple(switches)
    network = Network(
        folder.resolve().name, len(names), source, target, places=Places(router_labels=names, terminal_labels=names)
    )
    channels: defaultdict[Port, tuple[int, ...]] = defaultdict(tuple)
    for channel, (near, _) in enumerate(ends):
        channels[near] += (channel,)
    by_vrf = [{**computed.get(switch, {})} for switch in switches]
    for switch, its, one in zip(switches, by_vrf, qos, strict=True):
        for kind in (kind for kind in ROUTES if kind in files[switch]):
            for name, table in read_routes(files[switch][kind], partial(note, switch)).items():
                known = its.get(name, NONE)
                its[name] = VrfTable(known.routes | table.routes, known.ports | table.ports)
        for what in {*one.unread} - {*map(vrf, its)}:
            note(switch, what)
    for end, _ in ends:
        own = qos[number[end.switch]]
        if own.ports and end.name not in own.ports:
            note(end.switch, f"port {end.name}, which has a cable and is not in config_db.json")
    tables = SwitchTables(network, [one.get(DEFAULT, NONE).routes for one in by_vrf], dict(channels), switches, qos)
    for switch, what in muxes_of_others(tables):
        note(switch, what)
    return EthernetFabric(
        network.name, network, ends, tuple(qos), destinations_by_vrf(tables, by_vrf, ends, notes, note), str(folder),
        tuple(notes), in_words(unread),
    )  # fmt: skip
