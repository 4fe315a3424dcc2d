"""``unknot repair FABRIC --out DIR``: files that OpenSM loads, for each remedy that can be loaded."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.errors import UnknotError
from unknot.cli.commands.printing import wrote
from unknot.cli.commands.shared import exit_code, write_evidence

if TYPE_CHECKING:
    from unknot.fabrics import Fabric
    from unknot.repair.fabric_remedies import FabricRemedy, FabricSearch
    from unknot.report.repair_pages import WrittenRemedy

FOR_VERDICTS = 0.3
"""Share of the time that is left for the verdict as it is, and for each update to a remedy."""


def repair_fabric(path: str, out: Path, search: FabricSearch, evidence: Path | None = None, *, json: bool) -> int:
    """Write each remedy for a fabric's tables into a folder of its own, and a page that says how to load them.

    Every remedy is read back from its files and judged anew. The folder `out` appears when all is written. Returns
    the exit code: 0 if all of them are safe, 3 if that is open. The evidence is of the verdicts as it is and on each
    remedy, and of the bounds on their loads.

    Raises
    ------
    UnknotError
        If the fabric has no tables, or `out` holds other files.
    """
    from unknot._base.output import write_text, written_folder
    from unknot.certificates.documents import network_of
    from unknot.cli.answers.ethernet import RepairFabricAnswer
    from unknot.cli.commands.audit import audit_parts
    from unknot.cli.commands.display import tell
    from unknot.fabrics import read_fabric
    from unknot.repair.fabric_remedies import fabric_remedies
    from unknot.report.repair_pages import PAGE, WrittenRemedy, repair_page
    from unknot.verify.audit import audit
    from unknot.verify.audit_merged import loads_by_level

    _require_own(out, PAGE)
    fabric = read_fabric(path)
    if fabric.unlisted:
        raise UnknotError(
            f"{fabric.fabric_file} lacks {len(fabric.unlisted)} switches that have tables; no remedy would know them"
        )
    remedies = fabric_remedies(fabric, search)
    audited = audit(fabric, time_limit=search.deadline.part(FOR_VERDICTS))
    before = WrittenRemedy("as it is", audited.lanes, 0, float(loads_by_level(fabric).max(initial=0.0)), audited)
    rows: list[WrittenRemedy] = []
    reasons: list[str] = []
    parts = audit_parts(audited, "as it is, ")
    with written_folder(out) as folder:
        for kind, make in remedies.items():
            search.progress(kind, 0, 0)
            if rows and search.deadline.over:
                reasons.append(f"{kind}: no time was left of {search.deadline.seconds:g} s")
                continue
            try:
                remedy = make()
                row = _write(fabric, kind, remedy, folder, out, search)
            except UnknotError as error:
                reasons.append(f"{kind}: {error}")
                continue
            rows.append(row)
            parts += audit_parts(row.audit, f"{kind}, ")
            if remedy.bound is not None:
                about = {"network": network_of(remedy.hosts), "relation": None, "claims": [remedy.bound.claim]}
                parts.append({"name": f"{kind}, load", **about})
        if not rows:
            raise UnknotError(f"no remedy for {fabric.name} can be loaded; {'; '.join(reasons)}")
        write_text(folder / PAGE, repair_page(before, rows, reasons))
    if evidence is not None:
        write_evidence(evidence, fabric.network, [], parts)
    tell(json, RepairFabricAnswer, fabric=fabric.name, before=before, remedies=rows, refused=reasons)
    wrote(out, f"; how to load it: {out / PAGE}")
    return exit_code(*(row.audit.holds for row in rows))


def _require_own(out: Path, page: str) -> None:
    """Refuse a folder whose files are not those of an earlier repair, since it would be replaced."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    page_there = out / page
    if not page_there.is_file() or not page_there.read_text(errors="replace").startswith("# Repaired tables for "):
        raise UnknotError(f"{out} is there already, and was not written by `unknot repair`; name a new folder")


def _write(
    fabric: Fabric, kind: str, remedy: FabricRemedy, beside: Path, out: Path, search: FabricSearch
) -> WrittenRemedy:
    """Write the files of a remedy, read them back, and judge them and the way there; `beside` will be `out`."""
    from unknot.fabrics import compare_fabrics, read_fabric
    from unknot.fabrics.levels import columns_of_hosts
    from unknot.fabrics.opensm_files import (
        lmc_of,
        write_guid2lid,
        write_lfts,
        write_options,
        write_policy,
        write_slvl,
    )
    from unknot.fabrics.opensm_levels import write_psl
    from unknot.report.repair_pages import LIDS, WrittenRemedy, steps_of, tables_of_steps
    from unknot.verify.audit import audit
    from unknot.verify.audit_merged import loads_by_level
    from unknot.verify.update import update_fabric

    made, lanes = remedy.fabric, remedy.lanes
    assert made.tables is not None
    folder, files = beside / kind, dict[str, Any]()
    folder.mkdir(parents=True, exist_ok=True)
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
    read = read_fabric(fabric.fabric_file, folder / "tables.lfts", **files)
    update = None if files else update_fabric(fabric, read, time_limit=search.deadline.part(FOR_VERDICTS))
    batches = update.order.batches if update is not None and update.order is not None else ()
    tables = np.array(fabric.tables)
    for batch, name in zip(batches[:-1], tables_of_steps(update), strict=False):
        tables[[*batch]] = made.tables[[*batch]]
        write_lfts(replace(made, tables=tables.copy()), folder / name)
    changes, bound = compare_fabrics(fabric, read), remedy.bound
    changed = changes.entries + len(made.tables) * int((made.owner >= 0).sum()) - changes.compared
    load, pairs = loads_by_level(read, lanes), ()
    if read.levels is not None:
        level = read.levels[: read.network.num_terminals, columns_of_hosts(read)]
        pairs = tuple(np.bincount(level[level >= 0], minlength=lanes).tolist())
    return WrittenRemedy(
        kind, lanes, changed, float(load.sum(axis=0).max(initial=0.0)), audit(read), steps_of(update),
        load_bound=None if bound is None else float(bound.least),
        load_bound_holds=None if bound is None else bound.holds(remedy.hosts),
        lane_pairs=pairs, lane_highest=tuple(load.max(axis=1, initial=0.0).tolist()) if pairs else (), lmc=lmc,
    )  # fmt: skip
