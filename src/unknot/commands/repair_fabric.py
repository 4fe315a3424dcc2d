"""``unknot repair FABRIC --out DIR``: files that OpenSM loads, for each remedy that can be loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unknot.commands.outcomes import FAILS, HOLDS
from unknot.errors import UnknotError

if TYPE_CHECKING:
    from unknot.fabrics import Fabric
    from unknot.progress import Progress
    from unknot.synthesis import Lanes
    from unknot.verify.audit import Audit

DATA_LANES = 8
"""Virtual lanes that most switches have for data."""


@dataclass(frozen=True)
class Written:
    """A remedy whose files were written, read back and judged."""

    kind: str
    folder: Path
    lanes: int
    changed: int
    audit: Audit


def repair_fabric(path: str, out: Path, *, time_limit: float, seed: int, progress: Progress) -> int:
    """Write each remedy for a fabric's tables into a folder of its own, and a page that says how to load them.

    Every remedy is read back from its files and judged anew. Returns the exit code: 0 if all of them are safe.

    Raises
    ------
    UnknotError
        If the fabric has no tables.
    """
    from unknot.commands import audit_display
    from unknot.commands.display import console
    from unknot.fabrics import read_fabric
    from unknot.verify.audit import audit

    fabric = read_fabric(path)
    before = audit(fabric, time_limit=time_limit)
    written, reasons = [], []
    remedies = _remedies(fabric, time_limit, seed, progress)
    for kind, make in remedies:
        try:
            written.append(_write(fabric, kind, *make(), out))
        except UnknotError as error:
            reasons.append(f"{kind}: {error}")
    if not written:
        raise UnknotError(f"no remedy for {fabric.name} can be loaded; {'; '.join(reasons)}")
    from unknot.report.repair_page import Remedy, repair_page

    rows = [Remedy(w.kind, w.folder.name, w.lanes, w.changed, w.audit) for w in written]
    from unknot.output import write_text

    write_text(out / "README.md", repair_page(before, rows, reasons))
    audit_display.show_repair(before, rows, reasons)
    console().print(f"files: {out}; how to load them: {out / 'README.md'}")
    return HOLDS if all(w.audit.holds for w in written) else FAILS


def _remedies(
    fabric: Fabric, time_limit: float, seed: int, progress: Progress
) -> Iterator[tuple[str, Callable[[], tuple[Fabric, int]]]]:
    from unknot.routing.forwarding_table import fabric_relation
    from unknot.synthesis import lanes

    bare = replace(fabric, levels=None, levels_file="", lanes=None, lanes_file="")

    def same_routes() -> tuple[Fabric, int]:
        relation = fabric_relation(bare)
        found = lanes(
            bare.network,
            "given",
            routing=relation,
            time_limit=time_limit / 2,
            seed=seed,
            progress=progress,
        )
        return _with_lanes(bare, found), found.count

    def new_tables() -> tuple[Fabric, int]:
        found = lanes(
            bare.network,
            "table",
            flows=_flows(bare),
            time_limit=time_limit / 2,
            seed=seed,
            progress=progress,
        )
        return _with_lanes(_with_tables(bare, found), found), found.count

    yield "same-routes", same_routes
    yield "new-tables", new_tables
    yield "up-down", lambda: (_up_down(bare), 1)


def _flows(fabric: Fabric) -> np.ndarray | None:
    """Flows between the hosts with LIDs, if some host has none."""
    hosts = fabric.network.num_terminals
    talks = np.isin(np.arange(hosts), fabric.owner)
    return None if talks.all() else np.outer(talks, talks) & ~np.eye(hosts, dtype=bool)


def _homes(fabric: Fabric) -> np.ndarray:
    """Switch of each LID; −1 where nobody answers."""
    network = fabric.network
    return np.concatenate([network.eject, np.arange(network.num_routers), [-1]])[fabric.owner]


def _entries(fabric: Fabric, next_channel: np.ndarray) -> np.ndarray:
    """Channels as output ports, with those of hosts and of the switches themselves."""
    from unknot.fabrics import NO_ENTRY
    from unknot.routing.forwarding_table import EJECT_HERE

    ports = np.zeros((0, 2)) if fabric.network.ports is None else fabric.network.ports
    leaving = np.append(ports[:, 0], NO_ENTRY)
    own = np.concatenate([fabric.host_port, np.zeros(fabric.network.num_routers, dtype=np.int32), [NO_ENTRY]])
    found = np.where(next_channel >= 0, leaving[next_channel], NO_ENTRY)
    return np.where(next_channel == EJECT_HERE, own[fabric.owner], found).astype(np.int16)


def _up_down(fabric: Fabric) -> Fabric:
    from unknot.routing.up_down_table import up_down_table

    return replace(fabric, tables=_entries(fabric, up_down_table(fabric.network, _homes(fabric))))


def _with_tables(fabric: Fabric, found: Lanes) -> Fabric:
    """The tables that were found for hosts; LIDs of switches by those of a host there, else by Up*/Down*."""
    from unknot.routing.forwarding_table import EJECT_HERE
    from unknot.routing.up_down_table import up_down_table
    from unknot.synthesis.tables import Table

    assert isinstance(found.routes, Table)
    network, table = fabric.network, found.routes
    next_channel = up_down_table(network, _homes(fabric))
    row_at = {int(home): row for row, home in enumerate(table.home)}
    for column, (home, who) in enumerate(zip(_homes(fabric).tolist(), fabric.owner.tolist(), strict=True)):
        row = int(table.row[who]) if 0 <= who < network.num_terminals else row_at.get(home, -1)
        if who >= 0 and row >= 0:
            chosen = table.next_channel[row]
            kept = np.arange(network.num_routers) == home
            next_channel[:, column] = np.where(
                kept, EJECT_HERE, np.where(chosen >= 0, chosen, next_channel[:, column])
            )
    return replace(fabric, tables=_entries(fabric, next_channel))


def _with_lanes(fabric: Fabric, found: Lanes) -> Fabric:
    """The fabric with the lane of each pair of hosts as its service level."""
    from unknot.fabrics.levels import UNKNOWN
    from unknot.routing.forwarding_table import destinations
    from unknot.synthesis.tables import Table

    if found.count > DATA_LANES:
        raise UnknotError(f"{found.count} lanes are needed, and switches have {DATA_LANES} for data")
    if found.count == 1:
        return fabric
    assert isinstance(found.routes, Table)
    hosts, network = fabric.network.num_terminals, fabric.network
    levels = np.full((hosts + network.num_routers, fabric.lids.size), UNKNOWN, dtype=np.int8)
    sends = np.isin(np.arange(hosts), fabric.owner)
    for number, column in enumerate(destinations(fabric, "host-to-host").tolist()):
        who = int(fabric.owner[column])
        row = found.routes.row[number if found.paths == "given" else who]
        chosen = np.maximum(found.lane[network.inject, row], 0)
        levels[:hosts, column] = np.where(sends & (np.arange(hosts) != who), chosen, UNKNOWN)
    return replace(fabric, levels=levels)


def _write(fabric: Fabric, kind: str, made: Fabric, lanes: int, out: Path) -> Written:
    """Write the files of a remedy, read them back, and judge what was read."""
    from unknot.fabrics import read_fabric
    from unknot.fabrics.opensm_files import write_lfts, write_options, write_policy, write_slvl
    from unknot.fabrics.opensm_psl import write_psl
    from unknot.verify.audit import audit

    folder = out / kind
    folder.mkdir(parents=True, exist_ok=True)
    levels, slvl = None, None
    if made.levels is not None:
        levels, slvl = folder / "paths.psl", folder / "lanes.slvl"
        try:
            write_policy(made, folder / "qos-policy.conf")
        except UnknotError:
            with suppress(OSError):
                folder.rmdir()
            raise
        write_psl(made, levels)
        write_slvl(made, lanes, slvl)
        write_options(lanes, str((folder / "qos-policy.conf").resolve()), folder / "opensm.conf")
    write_lfts(made, folder / "tables.lfts")
    assert made.tables is not None
    assert fabric.tables is not None
    read = read_fabric(fabric.fabric_file, folder / "tables.lfts", levels=levels, lanes=slvl)
    return Written(kind, folder, lanes, int(np.count_nonzero(made.tables != fabric.tables)), audit(read))
