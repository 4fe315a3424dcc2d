"""Service levels of paths, and the virtual lanes that switches map them to, joined to the fabric they belong to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.arrays import Flags, Ints
from unknot.fabrics.fabric import UNKNOWN_PORT, Fabric
from unknot.fabrics.format import FabricText

LEVELS = 16
"""Service levels: 0 to 15."""
DROPPED = 15
"""The VL of management packets; an SL that is mapped to it is dropped."""
UNKNOWN = -1
"""Code of a service level or lane that was not given."""


@dataclass
class LevelFile(FabricText):
    """Path records of one file.

    Attributes
    ----------
    rows : list of tuple of int
        For each record the GUID of the source's node or port and its LID, −1 where the record does not give it; the
        destination LID, the service level, and the line of the file.
    by_switch : dict
        Service level and line of all paths from the hosts of one switch to those of another, by node GUIDs.
    """

    rows: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    by_switch: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)

    def record_of_switches(self, source: int, destination: int, level: int, line: int) -> None:
        """Add a record of all hosts of two switches; TextError if it contradicts another."""
        known, first = self.by_switch.setdefault((source, destination), (level, line))
        if level >= LEVELS or known != level:
            raise self.error(
                f"SL {level} between these switches, but SL {known} in line {first}; levels are 0 to {LEVELS - 1}",
                line,
            )

    def record(self, guid: int, slid: int, dlid: int, level: int, line: int) -> None:
        """Add a record; TextError if there is no such service level."""
        if level >= LEVELS:
            raise self.error(f"service levels are 0 to {LEVELS - 1}, not {level}", line)
        self.rows.append((guid, slid, dlid, level, line))


@dataclass
class LaneFile(FabricText):
    """Rows of SL to VL tables of one file: (GUID or −1, LID or −1, input port, output port, VL of each SL, line)."""

    rows: list[tuple[int, int, int, int, tuple[int, ...], int]] = field(default_factory=list)


def with_levels(fabric: Fabric, file: LevelFile) -> Fabric:
    """The fabric with the service levels of its paths.

    A record of a node counts for all its ports. A pair may have several levels, as with DFSSSP, which draws one anew
    at each query; all of them are kept.

    Raises
    ------
    TextError
        If a source or destination is not in the fabric, or GUID and LID of a source disagree.
    """
    network = fabric.network
    if fabric.lid_planes.any():
        raise file.error(f"path records name LIDs, which planes of {fabric.fabric_file} share; give one plane", 1)
    ports = network.num_terminals + network.num_routers
    memory.require(f"the service levels of {ports} ports and {fabric.lids.size} LIDs", 2 * ports * fabric.lids.size)
    level = np.full((ports, fabric.lids.size), UNKNOWN, dtype=np.int8)
    column = fabric.column_of
    nodes: dict[int, list[int]] = {}
    for port, guid in enumerate([*fabric.node_guid.tolist(), *fabric.switch_guid.tolist()]):
        nodes.setdefault(guid, []).append(port)
    for port, guid in enumerate(fabric.port_guid.tolist()):
        nodes.setdefault(guid, [port])
    known: dict[tuple[int, int], list[int]] = {}
    more: dict[tuple[int, int, int], None] = {}
    where = fabric.fabric_file
    together = "do fabric and path records belong together?"
    _set_by_switch(fabric, file, level)
    for guid, slid, dlid, sl, line in file.rows:
        senders = known.get((guid, slid))
        if senders is None:
            senders = nodes.get(guid, [])
            if guid >= 0 and not senders:
                raise file.error(f"{where} has no node or port 0x{guid:016x}; {together}", line)
            if slid >= 0:
                if slid not in column:
                    raise file.error(f"no port in {where} has LID 0x{slid:04x}; {together}", line)
                owner = int(fabric.owner[column[slid]])
                if guid >= 0 and owner >= 0 and owner not in senders:
                    raise file.error(f"by {where}, LID 0x{slid:04x} is {fabric.owner_name(owner)}; {together}", line)
                senders = [owner] if owner >= 0 else []
            known[guid, slid] = senders
        to = column.get(dlid)
        if to is None:
            raise file.error(f"no port in {where} has LID 0x{dlid:04x}; {together}", line)
        for sender in senders:
            if level[sender, to] in (UNKNOWN, sl):
                level[sender, to] = sl
            else:
                more[sender, to, sl] = None
    columns = columns_of_hosts(fabric)
    sending = np.unique(fabric.owner[columns])
    pairs = fabric.pairs(sending, fabric.owner[columns])
    open_ = (level[np.ix_(sending, columns)] == UNKNOWN) & pairs
    notes = [*fabric.notes, *file.notes]
    if open_.any():
        s, to = np.argwhere(open_)[0].tolist()
        first = f"{network.terminal_name(int(sending[s]))} to {fabric.lid_name(int(columns[to]))}"
        notes.append(
            f"{np.count_nonzero(open_):,} of {np.count_nonzero(pairs):,} pairs "
            f"of hosts have no path record, the first {first}"
        )
    if more:
        first = f"{fabric.owner_name(next(iter(more))[0])} to {fabric.lid_name(next(iter(more))[1])}"
        notes.append(
            f"{len({row[:2] for row in more}):,} pairs have several service levels, the first {first}; all are judged"
        )
    several = np.array(sorted(more), dtype=np.int32).reshape(-1, 3)
    return replace(
        fabric, levels=level, more_levels=several, levels_file=str(file.where), notes=tuple(notes)
    )  # fmt: skip


def _set_by_switch(fabric: Fabric, file: LevelFile, level: npt.NDArray[np.int8]) -> None:
    """Write the levels between hosts that their switches decide."""
    if not file.by_switch:
        return
    between = np.full((fabric.network.num_routers,) * 2, UNKNOWN, dtype=np.int8)
    for ends, (sl, line) in file.by_switch.items():
        source, target = (file.switch(fabric, guid, "path records", line) for guid in ends)
        between[source, target] = sl
    home, column = fabric.network.inject, columns_of_hosts(fabric)
    for sender in range(fabric.network.num_terminals):
        level[sender, column] = between[home[sender], home[fabric.owner[column]]]
    level[fabric.owner[column], column] = UNKNOWN


def columns_of_hosts(fabric: Fabric) -> Ints:
    """Positions in `lids` of the LIDs of hosts."""
    return np.flatnonzero((fabric.owner >= 0) & (fabric.owner < fabric.network.num_terminals))


def levels_by_switch(fabric: Fabric) -> npt.NDArray[np.int8] | None:
    """Service level between the hosts of each two switches, −1: none; None where it is not decided by switches."""
    if fabric.levels is None or fabric.more_levels.size:
        return None
    hosts, home, column = fabric.network.num_terminals, fabric.network.inject, columns_of_hosts(fabric)
    owner, routers = fabric.owner[column], fabric.network.num_routers
    if (fabric.levels[hosts:] != UNKNOWN).any() or (np.delete(fabric.levels, column, axis=1) != UNKNOWN).any():
        return None
    between = np.full((routers, routers), UNKNOWN, dtype=np.int8)
    for sender in range(hosts):
        other = owner != sender
        between[home[sender], home[owner[other]]] = fabric.levels[sender, column[other]]
    for sender in range(hosts):
        other = owner != sender
        if (between[home[sender], home[owner[other]]] != fabric.levels[sender, column[other]]).any():
            return None
    return between


def with_lanes(fabric: Fabric, file: LaneFile) -> Fabric:
    """The fabric with the SL to VL tables of its switches; rows of hosts are not used.

    A switch without a row for two of its cabled ports counts as one whose forwarding table is unknown.

    Raises
    ------
    TextError
        If a row belongs to no node of the fabric or to a port that is not there, or two rows contradict each other.
    """
    network, size = fabric.network, int(fabric.switch_ports.max(initial=0)) + 1
    memory.require(
        f"the SL to VL tables of {network.num_routers} switches", 2 * network.num_routers * size**2 * LEVELS
    )
    repeated = 0
    table = np.full((network.num_routers, size, size, LEVELS), UNKNOWN, dtype=np.int8)
    router = fabric.router_of
    column = fabric.column_of
    others = {int(guid) for guid in (*fabric.node_guid, *fabric.port_guid)}
    together = "do fabric and SL to VL tables belong together?"
    for guid, lid, came, out, lanes, line in file.rows:
        r = router.get(guid)
        if guid >= 0 and r is None and guid not in others:
            raise file.error(f"{fabric.fabric_file} has no node 0x{guid:016x}; {together}", line)
        if lid >= 0:
            if r is None and fabric.lid_planes.any():
                if guid >= 0:
                    continue  # of a host
                raise file.error(f"planes of {fabric.fabric_file} share LIDs, so rows need GUIDs of nodes", line)
            own = lid + (0 if r is None else int(fabric.lid_planes[r]))
            if own not in column:
                raise file.error(f"no port in {fabric.fabric_file} has LID {lid}; {together}", line)
            which = int(fabric.owner[column[own]]) - network.num_terminals
            if guid >= 0 and (which if which >= 0 else None) != r:
                raise file.error(f"LID {lid} does not belong to node 0x{guid:016x}; {together}", line)
            r = which if which >= 0 else None
        if r is None:
            continue
        file.require_port(fabric, r, max(came, out), line)
        row = table[r, came, out]
        repeated += bool(row[0] != UNKNOWN)
        if row[0] != UNKNOWN and tuple(row.tolist()) != lanes:
            raise file.error(f"{network.router_name(r)} had another row for input {came} and output {out}", line)
        table[r, came, out] = lanes
    notes = [*fabric.notes, *file.notes]
    partial = _partial(fabric, table)
    if partial.size:
        notes.append(
            f"{file.where} lacks rows of {partial.size} switches, the first {network.router_name(int(partial[0]))}; "
            "their forwarding tables count as unknown"
        )
    ports = None if fabric.tables is None else fabric.tables.copy()
    if ports is not None:
        ports[partial] = UNKNOWN_PORT
    if repeated:
        notes.append(
            f"{repeated} rows of {file.where} are there twice: are these two outputs in one file? They agree"
        )
    return replace(fabric, tables=ports, lanes=table, lanes_file=str(file.where), notes=tuple(notes))


def _partial(fabric: Fabric, table: npt.NDArray[np.int8]) -> Ints:
    """Switches of which a row is missing that packets may need."""
    partial = []
    for r, ports in enumerate(fabric.cabled):
        cabled = np.flatnonzero(ports)[1:]  # port 0 is the switch itself
        missing = (table[r][np.ix_(cabled, cabled)][:, :, 0] == UNKNOWN) & ~np.eye(cabled.size, dtype=bool)
        if missing.any():
            partial.append(r)
    return np.array(partial, dtype=np.int64)


def unrecorded(fabric: Fabric, lids: Ints) -> Flags:
    """Mask of the pairs of a host that has a LID and some LIDs of other hosts, by position, without a path record."""
    hosts, owner = fabric.network.num_terminals, fabric.owner[lids]
    if fabric.levels is None:
        return np.zeros((hosts, lids.size), dtype=bool)
    port = np.arange(hosts)
    used = np.isin(port, fabric.owner)[:, None] & ((owner >= 0) & (owner < hosts)) & fabric.pairs(port, owner)
    return np.asarray(used & (fabric.levels[:hosts, lids] == UNKNOWN))
