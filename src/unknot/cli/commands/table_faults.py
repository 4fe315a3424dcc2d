"""``unknot faults FABRIC``: what is cut off while the forwarding tables stay as they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import UnknotError
from unknot.cli.commands.printing import show_json
from unknot.cli.commands.shared import exit_code, write_evidence, write_rows
from unknot.verify.fault_sweep import Parts

if TYPE_CHECKING:
    from rich.text import Text

    from unknot.verify.table_faults import TableFaults

ROW = 400
"""Bytes of a row about a pair, until it is written."""


def table_faults(
    network: str,
    tables: Path | None,
    *,
    kind: Parts,
    at_once: int,
    budget: int | None,
    seed: int,
    show: int,
    json: bool,
    csv: Path | None,
    evidence: Path | None,
) -> int:
    """Let parts of a fabric fail, print what that cuts off, and return the exit code.

    Raises
    ------
    UnknotError
        If it is no fabric with tables.
    """
    from unknot._base.memory import require
    from unknot.cli.commands import activity
    from unknot.fabrics import read_fabric
    from unknot.fabrics.reading import split_form
    from unknot.verify.table_faults import table_faults as sweep

    if not Path(split_form(network)[1]).exists():
        raise UnknotError(
            f"{network}: name a --routing, which each fault is judged with, or a fabric with forwarding tables (a "
            "folder, or a file and --tables)"
        )
    fabric = read_fabric(network, tables)
    with activity.working("faults", tenths=True) as progress:
        faults = sweep(fabric, kind=kind, faults=at_once, budget=budget, seed=seed, progress=progress)
    if csv is not None:
        lost = sum(fault.lost_pairs for fault in faults.tried[:show])
        require(f"{lost:,} rows of pairs", ROW * lost)
        write_rows(list(faults.rows(show)), csv)
    if evidence is not None:
        write_evidence(evidence, fabric.network, faults.relation, [faults.claim])
    if json:
        from unknot.cli.answers.analyses import TableFaultsAnswer
        from unknot.cli.answers.form import answer

        show_json(answer(TableFaultsAnswer, faults, fabric=fabric.name, tables_file=fabric.tables_file))
    else:
        _show(faults, show)
    return exit_code(faults.survives)


def _show(faults: TableFaults, show: int) -> None:
    from unknot.cli.commands import display
    from unknot.report.phrases import count, sets_tried

    kind = "cables" if faults.kind == "links" else "switches" if faults.kind == "routers" else faults.kind
    counts = [fault.lost_pairs for fault in faults.tried]
    before = f"; {faults.undelivered_before} have no route even without faults" if faults.undelivered_before else ""
    rows: list[tuple[str, str | Text]] = [
        ("fabric", faults.fabric.name),
        ("routing", f"the tables of {faults.fabric.tables_file}, as they are"),
        ("faults", sets_tried(len(faults.tried), faults.possible, faults.faults, kind)),
        ("pairs", f"{faults.pairs} of a host port and the LID of another{before}"),
        ("lost pairs", f"{sum(counts) / len(counts):.1f} in the mean, {max(counts)} at most"),
        *((outcome, str(count)) for outcome, count in faults.counts.items()),
        ("survives", display.answer(faults.survives)),
    ]
    display.print_rows(rows)
    lines = []
    for fault in [fault for fault in faults.tried if fault.lost_pairs][:show]:
        lost = f"{fault.lost_pairs} of {fault.pairs}"
        dead = f" (and {count(fault.dead_hosts, 'host port')})" if fault.dead_hosts else ""
        severed = str(fault.severed_pairs or "")
        lines.append((", ".join(fault.parts) + dead, fault.outcome, lost, severed, fault.example))
    display.print_table(("worst faults", "outcome", "lost pairs", "no way left", "such as"), lines)
