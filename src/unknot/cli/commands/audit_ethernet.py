"""`unknot audit` and `unknot repair` of lossless Ethernet."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from unknot._base.deadline import Deadline


def audit_switches(
    folder: Path, deadline: float | Deadline, out: Path | None, evidence: Path | None, *, json: bool
) -> int:
    """Check a folder of what switches printed, and return the exit code."""
    from unknot.certificates.documents import part_of
    from unknot.cli.answers.ethernet import EthernetAuditAnswer, ethernet_answer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import put
    from unknot.cli.commands.printing import notify
    from unknot.cli.commands.shared import exit_code, write_evidence
    from unknot.fabrics.ethernet.folder import read_ethernet
    from unknot.verify.audit_ethernet import audit_ethernet
    from unknot.verify.delivery import answer_claims

    fabric = read_ethernet(folder)
    with activity.working("auditing"):
        audited = audit_ethernet(fabric, time_limit=deadline)
    if out is not None:
        from unknot.report.audit_report import write_ethernet_report

        write_ethernet_report(audited, out)
        notify(f"report: {out}")
    if evidence is not None:
        claims = answer_claims(audited.relation, [audited.verdict], None)
        parts = [part_of("buffers", audited.relation, claims, of_its_own=True)] if claims else []
        write_evidence(evidence, fabric.network, None, [], parts)
    put(json, EthernetAuditAnswer, ethernet_answer(audited))
    return exit_code(audited.holds)


def repair_switches(
    folder: Path, deadline: float | Deadline, out: Path | None, evidence: Path | None, *, json: bool
) -> int:
    """Find the fewest lossless queues for a folder of what switches printed; return the exit code.

    The folder `out` appears when all is written.
    """
    from unknot._base.errors import UnknotError
    from unknot._base.output import write_text, written_folder
    from unknot.cli.answers.ethernet import EthernetRepairAnswer, ethernet_repair_answer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import put
    from unknot.cli.commands.printing import wrote
    from unknot.cli.commands.shared import exit_code, write_evidence
    from unknot.fabrics.ethernet.folder import read_ethernet
    from unknot.repair.lossless import repair_lossless
    from unknot.report.repair_pages import PAGE, ethernet_repair_page

    if out is not None and out.exists():
        raise UnknotError(f"{out} exists; name a new folder")
    fabric = read_ethernet(folder)
    with activity.working("looking for the fewest queues"), ExitStack() as writing:
        made = None if out is None else writing.enter_context(written_folder(out))
        repaired = repair_lossless(fabric, made, time_limit=deadline)
        if made is not None:
            write_text(made / PAGE, ethernet_repair_page(repaired))
    claim, after = repaired.queues.claim, repaired.after
    if evidence is not None:
        write_evidence(evidence, fabric.network, None, [] if claim is None else [claim])
    put(json, EthernetRepairAnswer, ethernet_repair_answer(repaired))
    if out is not None:
        wrote(out, f"; how to load it: {out / PAGE}")
    return exit_code(not repaired.refused if after is None else after.holds)
