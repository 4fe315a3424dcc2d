"""``unknot repair FABRIC --out DIR``: files that OpenSM loads, for each remedy that can be loaded."""

from __future__ import annotations

import shutil
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.deadline import NoAnswerError
from unknot._base.errors import UnknotError
from unknot._base.work import measuring_time, work_done
from unknot.cli.commands.printing import notify, wrote
from unknot.cli.commands.shared import exit_code
from unknot.cli.commands.written import write_evidence

if TYPE_CHECKING:
    from unknot.certificates.documents import Document
    from unknot.fabrics import Fabric
    from unknot.network import Network
    from unknot.remedies.fabric_remedies import FabricRemedy, FabricSearch
    from unknot.report.repair_pages import WrittenRemedy
    from unknot.routing.relation import Relation
    from unknot.search.bound import Bound
    from unknot.verify.audit import Audit
    from unknot.verify.update import Update

FOR_UPDATES, AN_UPDATE = 0.3, 20.0
"""Share of the time that is left for each update to a remedy; seconds where work is counted: the way to load a remedy
depends on it, and no verdict."""


def repair_fabric(
    fabric: Fabric, out: Path, search: FabricSearch, evidence: Path | None = None, *, json: bool
) -> int:
    """Write each remedy for a fabric's tables into a folder of its own, and a page that says how to load them.

    Every remedy is read back from its files and judged anew. What is not finished at the deadline is left out and
    named; the rest is written then. For a fabric without fault nothing is sought or written. Returns the exit code: 0
    if all remedies are safe, 3 if that is open or none was finished. The evidence is of the verdicts as it is and on
    each remedy, and of the bounds on their loads.

    Raises
    ------
    UnknotError
        If the fabric has no tables, no remedy can be loaded, or `out` holds other files.
    """
    from unknot._base.output import write_text, written_folder
    from unknot.cli.answers.ethernet import RepairFabricAnswer
    from unknot.cli.commands.audit import audit_parts
    from unknot.cli.commands.display import tell
    from unknot.fabrics.opensm_files import lmc_of
    from unknot.remedies.fabric_remedies import fabric_remedies
    from unknot.report.repair_pages import PAGE, WrittenRemedy, repair_page
    from unknot.verify.audit_merged import loads_by_level

    _require_own(out, PAGE)
    if fabric.unlisted:
        raise UnknotError(
            f"{fabric.fabric_file} lacks {len(fabric.unlisted)} switches that have tables; no remedy would know them"
        )
    if fabric.lid_planes.any():
        raise UnknotError(f"{fabric.fabric_file}: planes share LIDs; repair each plane by itself")
    remedies, deadline = fabric_remedies(fabric, search), search.deadline
    audited = deadline.unless_over(lambda: _judged(fabric, search))
    if audited is None:
        notify(f"{fabric.name}: {deadline.seconds:g} s were too few for a verdict on the tables as they are")
        return exit_code(None)
    load = float(loads_by_level(fabric).max(initial=0.0))
    before = WrittenRemedy("as it is", audited.lanes, 0, load, audited)
    parts = [] if evidence is None else audit_parts(audited, "as it is, ")
    if audited.holds and search.lmc in (None, lmc_of(fabric)):
        remedies = {}
    rows: list[WrittenRemedy] = []
    reasons: list[str] = []
    late = False
    with suppress(NoAnswerError), ExitStack() as writing:
        folder = writing.enter_context(written_folder(out)) if remedies else out
        for kind, make in remedies.items():
            search.progress(kind, 0, 0)
            try:
                remedy = deadline.within(make)
                row = _written(fabric, kind, remedy, folder, out, search)
            except NoAnswerError:
                reasons.append(f"{kind}: not finished within {deadline.seconds:g} s")
                late = True
                continue
            except UnknotError as error:
                reasons.append(f"{kind}: {error}")
                continue
            rows.append(row)
            if evidence is not None:
                parts += audit_parts(row.audit, f"{kind}, ")
            if evidence is not None and remedy.bound is not None:
                parts.append(_bound_part(kind, remedy.bound, remedy.about))
        if remedies and not rows and not late:
            raise UnknotError(f"no remedy for {fabric.name} can be loaded; {'; '.join(reasons)}")
        if remedies and not rows:
            raise NoAnswerError  # so that no folder is made
        if remedies:
            write_text(folder / PAGE, repair_page(before, rows, reasons))
    if evidence is not None:
        write_evidence(evidence, fabric.network, [], parts)
    tell(json, RepairFabricAnswer, fabric=fabric.name, before=before, remedies=rows, refused=reasons)
    if remedies and not rows:
        notify(f"{out} was not written: {'; '.join(reasons)}")
        return exit_code(None)
    if remedies:
        wrote(out, f"; how to load it: {out / PAGE}")
        return exit_code(*(row.audit.holds for row in rows))
    notify(f"{fabric.name} has no fault: its tables cannot deadlock, and deliver; nothing was sought, nor written")
    return exit_code(True)


def _bound_part(kind: str, bound: Bound, about: Network | Relation) -> Document:
    """The bound of a remedy as a part of a document."""
    from unknot.certificates.documents import network_of, part_of
    from unknot.network import Network

    if not isinstance(about, Network):
        return part_of(f"{kind}, fewest", about, [bound.claim], of_its_own=True)
    what = "load" if bound.kind == "load" else "fewest"
    return {"name": f"{kind}, {what}", "network": network_of(about), "relation": None, "claims": [bound.claim]}


def _shown_bound(bound: Bound | None, about: Network | Relation) -> dict[str, Any]:
    """What the bound of a remedy shows, as fields of `WrittenRemedy`."""
    if bound is None:
        return {}
    kind, least = ("load_bound", float(bound.least)) if bound.kind == "load" else ("least", int(bound.least))
    return {kind: least, f"{kind}_holds": bound.evidence_holds(about)}


def _require_own(out: Path, page: str) -> None:
    """Refuse a folder with files not written by an earlier repair, because the folder would be replaced."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    page_there = out / page
    if not page_there.is_file() or not page_there.read_text(errors="replace").startswith("# Repaired tables for "):
        raise UnknotError(f"{out} is there already, and was not written by `unknot repair`; name a new folder")


def _judged(fabric: Fabric, search: FabricSearch) -> Audit:
    """The verdict on traffic between hosts; where work is counted, with a count of its own."""
    from unknot.verify.audit import audit

    return audit(fabric, time_limit=search.deadline.proving, only_hosts=True)


def _update(fabric: Fabric, made: Fabric, search: FabricSearch) -> Update | None:
    from unknot.verify.update import update_fabric

    limit = search.deadline.part(FOR_UPDATES)
    if work_done() is None:
        return update_fabric(fabric, made, time_limit=limit)
    with measuring_time():
        return update_fabric(fabric, made, time_limit=AN_UPDATE)


def _written(
    fabric: Fabric, kind: str, remedy: FabricRemedy, beside: Path, out: Path, search: FabricSearch
) -> WrittenRemedy:
    """Write the files of a remedy, read them back, and judge tables and updates; `beside` is renamed to
    `out` later.

    Raises
    ------
    NoAnswerError
        If the deadline came first; then nothing stays of it.
    """
    from unknot.fabrics.opensm_files import (
        lmc_of,
        write_guid2lid,
        write_lfts,
        write_options,
        write_policy,
        write_slvl,
    )
    from unknot.fabrics.opensm_levels import write_psl
    from unknot.report.repair_pages import LIDS, tables_of_steps

    made, lanes = remedy.fabric, remedy.lanes
    assert made.tables is not None
    folder, files = beside / kind, dict[str, Any]()
    folder.mkdir(parents=True, exist_ok=True)
    if remedy.taken:
        return _groups_written(fabric, kind, remedy, folder, search)
    if made.levels is not None:
        files = {"levels": folder / "paths.psl", "lanes": folder / "lanes.slvl"}
        try:
            write_policy(made, folder / "qos-policy.conf")
        except UnknotError:
            with suppress(OSError):
                folder.rmdir()
            raise
        write_psl(made, files["levels"], by_switch=True)
        write_slvl(made, lanes, files["lanes"])
        write_options(lanes, str((out / kind / "qos-policy.conf").resolve()), folder / "opensm.conf")
    lmc = None if np.array_equal(made.lids, fabric.lids) else lmc_of(made)
    if lmc is not None:
        files["lids"] = folder / LIDS
        write_guid2lid(made, files["lids"])
    write_lfts(made, folder / "tables.lfts")
    try:
        row, update = search.deadline.within(lambda: _read_back(fabric, kind, remedy, folder, files, search, lmc))
    except NoAnswerError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    batches = update.order.batches if update is not None and update.order is not None else ()
    tables = np.array(fabric.tables)
    for batch, name in zip(batches[:-1], tables_of_steps(update), strict=False):
        tables[[*batch]] = made.tables[[*batch]]
        write_lfts(replace(made, tables=tables.copy()), folder / name)
    return row


def _groups_written(
    fabric: Fabric, kind: str, remedy: FabricRemedy, folder: Path, search: FabricSearch
) -> WrittenRemedy:
    """Write groups of adaptive switches without some ports, read them back, and judge them.

    Raises
    ------
    NoAnswerError
        If the deadline came first; then nothing stays of it.
    """
    from unknot.fabrics.adaptive_groups import read_far, with_groups, write_far
    from unknot.report.repair_pages import GROUPS, IN_ANY_ORDER, WrittenRemedy, taken_in_words
    from unknot.verify.audit_merged import loads_by_level

    write_far(remedy.fabric, folder / GROUPS)
    read = with_groups(fabric, read_far(folder / GROUPS))
    try:
        audited = search.deadline.within(lambda: _judged(read, search))
    except NoAnswerError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return WrittenRemedy(
        kind, audited.lanes, 0, float(loads_by_level(read).max(initial=0.0)), audited, IN_ANY_ORDER,
        complete=remedy.complete, taken=len(remedy.taken), taken_words=taken_in_words(read, remedy.taken),
        **_shown_bound(remedy.bound, remedy.about),
    )  # fmt: skip


def _read_back(
    fabric: Fabric,
    kind: str,
    remedy: FabricRemedy,
    folder: Path,
    files: dict[str, Any],
    search: FabricSearch,
    lmc: int | None,
) -> tuple[WrittenRemedy, Update | None]:
    """Judge what the files of a remedy say, and the update to it; signs of adaptive routing are the fabric's."""
    from unknot.fabrics import compare_fabrics, read_fabric
    from unknot.fabrics.levels import columns_of_hosts
    from unknot.report.repair_pages import WrittenRemedy, steps_of
    from unknot.verify.audit_merged import loads_by_level

    lanes, bound = remedy.lanes, remedy.bound
    read = read_fabric(fabric.fabric_file, folder / "tables.lfts", **files)
    read = replace(read, adaptive=fabric.adaptive, groups=fabric.groups)
    audited = _judged(read, search)
    update = None if files else _update(fabric, read, search)
    changes = compare_fabrics(fabric, read)
    entries = 0 if read.tables is None else len(read.tables) * int((read.owner >= 0).sum())
    load, pairs = loads_by_level(read, lanes), ()
    if read.levels is not None:
        level = read.levels[: read.network.num_terminals, columns_of_hosts(read)]
        pairs = tuple(np.bincount(level[level >= 0], minlength=lanes).tolist())
    return WrittenRemedy(
        kind, lanes, changes.entries + entries - changes.compared, float(load.sum(axis=0).max(initial=0.0)), audited,
        steps_of(update), complete=remedy.complete,
        **_shown_bound(bound, remedy.about),
        lane_pairs=pairs, lane_highest=tuple(load.max(axis=1, initial=0.0).tolist()) if pairs else (), lmc=lmc,
    ), update  # fmt: skip
