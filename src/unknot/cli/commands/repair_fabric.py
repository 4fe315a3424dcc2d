"""``unknot repair FABRIC --out DIR``: files that OpenSM loads, for each remedy that can be loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.errors import UnknotError
from unknot.cli.commands.shared import exit_code, write_evidence

if TYPE_CHECKING:
    from rich.text import Text

    from unknot._base.deadline import Deadline
    from unknot._base.progress import Progress
    from unknot.fabrics import Fabric
    from unknot.lanes import Lanes
    from unknot.lanes.tables import Table
    from unknot.network import Network
    from unknot.report.repair_pages import WrittenRemedy
    from unknot.verify.audit import Audit

DATA_LANES = 8
"""Virtual lanes that most switches have for data."""
EACH = 0.3
"""Share of the time that is left for the verdict as it is, and for the search for each remedy."""
MOST_WORK = 50_000_000
"""Most LIDs × channels for which each LID has a tree of its own: some 10 s."""
PAGE = "README.md"
"""File of the page that says how to load the remedies."""


@dataclass(frozen=True)
class SearchLimits:
    """Limits of the search for remedies, and whether two directions share a level."""

    deadline: Deadline
    seed: int
    both_ways: bool
    progress: Progress


def repair_fabric(path: str, out: Path, search: SearchLimits, evidence: Path | None = None) -> int:
    """Write each remedy for a fabric's tables into a folder of its own, and a page that says how to load them.

    Every remedy is read back from its files and judged anew. The folder `out` appears when all is written. Returns
    the exit code: 0 if all of them are safe, 3 if that is open. The evidence is of the verdicts as it is and on each
    remedy.

    Raises
    ------
    UnknotError
        If the fabric has no tables, or `out` holds other files.
    """
    from unknot._base.output import write_text, written_folder
    from unknot.cli.commands.audit import audit_parts
    from unknot.cli.commands.display import console
    from unknot.fabrics import read_fabric
    from unknot.report.repair_pages import repair_page
    from unknot.verify.audit import audit
    from unknot.verify.audit_merged import highest_load

    _require_own(out)
    fabric = read_fabric(path)
    if fabric.unlisted:
        raise UnknotError(
            f"{fabric.fabric_file} lacks {len(fabric.unlisted)} switches that have tables; no remedy would know them"
        )
    before = audit(fabric, time_limit=search.deadline.part(EACH))
    load = highest_load(fabric)
    rows: list[WrittenRemedy] = []
    reasons: list[str] = []
    with written_folder(out) as folder:
        for kind, make in _remedies(fabric, search):
            search.progress(kind, 0, 0)
            if rows and search.deadline.over:
                reasons.append(f"{kind}: no time was left of {search.deadline.seconds:g} s")
                continue
            try:
                rows.append(_write(fabric, kind, *make(), folder, out, search.deadline.part(EACH)))
            except UnknotError as error:
                reasons.append(f"{kind}: {error}")
        if not rows:
            raise UnknotError(f"no remedy for {fabric.name} can be loaded; {'; '.join(reasons)}")
        write_text(folder / PAGE, repair_page(before, load, rows, reasons))
    if evidence is not None:
        parts = [part for row in rows for part in audit_parts(row.audit, f"{row.kind}, ")]
        write_evidence(evidence, fabric.network, None, [], [*audit_parts(before, "as it is, "), *parts])
    _show(before, load, rows, reasons)
    console().print(f"files: {out}; how to load them: {out / PAGE}")
    return exit_code(*(row.audit.holds for row in rows))


def _require_own(out: Path) -> None:
    """Refuse a folder whose files are not those of an earlier repair, since it would be replaced."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    page = out / PAGE
    if not page.is_file() or not page.read_text(errors="replace").startswith("# Repaired tables for "):
        raise UnknotError(f"{out} is there already, and was not written by `unknot repair`; name a new folder")


def _remedies(fabric: Fabric, search: SearchLimits) -> Iterator[tuple[str, Callable[[], tuple[Fabric, int]]]]:
    """Kinds of remedies, and what makes each; one terminal stands for the hosts of a switch."""
    from unknot.fabrics.fabric import UNKNOWN_PORT
    from unknot.lanes import lanes
    from unknot.routing.switchboard import switchboard
    from unknot.verify.audit_merged import merged_relation

    bare = replace(
        fabric, levels=None, levels_file="", more_levels=fabric.more_levels[:0], lanes=None, lanes_file="",
        multicast=None,
    )  # fmt: skip
    limits: dict[str, Any] = {
        "seed": search.seed, "progress": search.progress, "both_ways": search.both_ways, "limit": DATA_LANES,
    }  # fmt: skip

    def same_routes() -> tuple[Fabric, int]:
        if np.any(bare.tables == UNKNOWN_PORT):
            raise UnknotError("some entries of the tables as they are are unknown")
        merged = merged_relation(bare, switchboard(bare), "host-to-host")
        assert merged is not None  # without levels hosts of a switch are alike
        routes = lanes(merged[0].network, "given", routing=merged[0], time_limit=search.deadline.part(EACH), **limits)
        return _with_lanes(bare, routes), routes.count

    def new_tables() -> tuple[Fabric, int]:
        network, lmc = _with_lids(bare)
        routes = lanes(network, "table", lmc=lmc, time_limit=search.deadline.part(EACH), **limits)
        return _with_lanes(_with_tables(bare, routes), routes), routes.count

    yield "same-routes", same_routes
    yield "new-tables", new_tables
    yield "one-lane", lambda: (_one_lane(bare, search), 1)


def _with_lids(fabric: Fabric) -> tuple[Network, int]:
    """The network with those host ports alone that have LIDs, and the LMC of most of them."""
    network, talking = fabric.network, _talking(fabric)
    names = tuple(network.terminal_name(host) for host in talking.tolist())
    most = np.unique(fabric.owner, return_counts=True)
    lmc = int(most[1][np.isin(most[0], talking)].max()).bit_length() - 1
    at = network.inject[talking]
    return replace(network, inject=at, eject=at, terminal_labels=names), lmc


def _talking(fabric: Fabric) -> np.ndarray:
    """Hosts that have a LID."""
    from unknot.fabrics.levels import columns_of_hosts

    return np.unique(fabric.owner[columns_of_hosts(fabric)])


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
    leaving_ports = np.where(next_channel >= 0, leaving[next_channel], NO_ENTRY)
    return np.where(next_channel == EJECT_HERE, own[fabric.owner], leaving_ports).astype(np.int16)


def _one_lane(fabric: Fabric, search: SearchLimits) -> Fabric:
    """Tables in one lane, with a tree for each LID, or in large fabrics for all LIDs of a switch."""
    from unknot.lanes.effort import SearchEffort
    from unknot.lanes.one_lane import trees
    from unknot.routing.forwarding_table import DROP, EJECT_HERE

    network, homes = fabric.network, _homes(fabric)
    answering = np.flatnonzero(homes >= 0)
    hosts = np.bincount(network.inject[_talking(fabric)], minlength=network.num_routers).astype(float)
    ends, tree = homes[answering].astype(np.int64), np.arange(answering.size)
    many = (fabric.owner[answering] < network.num_terminals).astype(float)
    if answering.size * network.num_channels > MOST_WORK:
        ends, tree = np.unique(ends, return_inverse=True)
        many = np.bincount(tree, many)
    effort = SearchEffort(search.deadline.part(EACH).end, search.seed, search.progress)
    step, _ = trees(network, ends, np.outer(many, hosts), effort)
    next_channel = np.full((network.num_routers, homes.size), DROP)
    next_channel[:, answering] = np.where(step < 0, EJECT_HERE, step)[tree].T
    return replace(fabric, tables=_entries(fabric, next_channel))


def _with_tables(fabric: Fabric, routes: Lanes) -> Fabric:
    """The tables that were found for LIDs of hosts; those of switches by a host there, else by Up*/Down*."""
    from unknot.lanes.tables import Table
    from unknot.routing.forwarding_table import EJECT_HERE
    from unknot.routing.up_down import up_down_table

    assert isinstance(routes.routes, Table)
    network, table = fabric.network, routes.routes
    next_channel = up_down_table(network, _homes(fabric))
    rows = _rows(fabric, table)
    own = rows >= 0
    chosen = table.next_channel[rows[own]].T
    next_channel[:, own] = np.where(chosen >= 0, chosen, next_channel[:, own])
    next_channel[_homes(fabric)[own], own] = EJECT_HERE
    return replace(fabric, tables=_entries(fabric, next_channel))


def _rows(fabric: Fabric, table: Table) -> np.ndarray:
    """The row of each LID: its own, or of a switch that of a host there; −1: no host with a LID is there."""
    row_at = {int(home): row for row, home in enumerate(table.home)}
    rows = np.array([row_at.get(home, -1) for home in _homes(fabric).tolist()])
    for number, host in enumerate(_talking(fabric).tolist()):
        own = np.flatnonzero(fabric.owner == host)
        rows[own] = table.addresses.row[table.addresses.destination == number][: own.size]
    return rows


def _with_lanes(fabric: Fabric, routes: Lanes) -> Fabric:
    """The fabric with the lane of each pair of hosts as its service level."""
    from unknot.fabrics.levels import UNKNOWN
    from unknot.lanes.tables import Table
    from unknot.routing.switchboard import destinations

    if routes.count == 1:
        return fabric
    assert isinstance(routes.routes, Table)
    network, table = fabric.network, routes.routes
    columns = destinations(fabric, "host-to-host")
    rows = table.addresses.row if routes.paths == "given" else _rows(fabric, table)[columns]
    hosts = network.num_terminals
    levels = np.full((hosts + network.num_routers, fabric.lids.size), UNKNOWN, dtype=np.int8)
    sends = np.isin(np.arange(hosts), fabric.owner)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        who = int(fabric.owner[column])
        chosen = np.maximum(routes.lane[:, row], 0)[network.inject]
        levels[:hosts, column] = np.where(sends, chosen, UNKNOWN)
        levels[who, column] = UNKNOWN
    return replace(fabric, levels=levels)


def _write(
    fabric: Fabric, kind: str, made: Fabric, lanes: int, beside: Path, out: Path, deadline: Deadline
) -> WrittenRemedy:
    """Write the files of a remedy, read them back, and judge them and the way there; `beside` will be `out`."""
    from unknot.fabrics import read_fabric
    from unknot.fabrics.opensm_files import write_lfts, write_options, write_policy, write_slvl
    from unknot.fabrics.opensm_psl import write_psl
    from unknot.report.repair_pages import WrittenRemedy, steps_of
    from unknot.verify.audit import audit
    from unknot.verify.audit_merged import highest_load
    from unknot.verify.update import update_fabric

    folder = beside / kind
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
        write_psl(made, levels, by_switch=True)
        write_slvl(made, lanes, slvl)
        write_options(lanes, str((out / kind / "qos-policy.conf").resolve()), folder / "opensm.conf")
    write_lfts(made, folder / "tables.lfts")
    assert made.tables is not None
    assert fabric.tables is not None
    read = read_fabric(fabric.fabric_file, folder / "tables.lfts", levels=levels, lanes=slvl)
    changed = int(np.count_nonzero(made.tables != fabric.tables))
    steps = steps_of(None if made.levels is not None else update_fabric(fabric, read, time_limit=deadline))
    return WrittenRemedy(kind, kind, lanes, changed, highest_load(read), audit(read), steps)


def _show(before: Audit, load: int, rows: Sequence[WrittenRemedy], reasons: Sequence[str]) -> None:
    """Remedies for a fabric that were written; `load` is the highest before."""
    from unknot.cli.commands.display import console, print_table, yes
    from unknot.report.repair_pages import times

    def line(name: str, audit: Audit, lanes: int, changed: str, longest: int | None, load: str) -> list[str | Text]:
        # on one lane replies at the level of the request are what requests are
        replies = (audit.replies or audit.host_to_host).verdict.deadlock_free
        answers = map(yes, (audit.deadlock_free, replies, audit.delivered))
        return [name, str(lanes), changed, *answers, "endless" if longest is None else f"{longest} hops", load]

    headings = "remedy", "lanes", "entries changed", "deadlock-free", "and replies", "delivers", "longest route"
    longest = before.host_to_host.delivery.longest_route
    print_table(
        (*headings, "highest load"),
        [
            line("as it is", before, before.lanes, "", longest, f"{load:,}"),
            *(line(r.folder, r.audit, r.lanes, str(r.changed), r.longest, times(r.load, load)) for r in rows),
        ],
    )
    for reason in reasons:
        console().print(f"not written: {reason}")
