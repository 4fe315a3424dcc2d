"""`unknot faults --opensm`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import TextError
from unknot.cli.commands.options import refuse_beside
from unknot.cli.commands.printing import notify
from unknot.cli.commands.written import write_evidence

if TYPE_CHECKING:
    from unknot.certificates.documents import Document
    from unknot.cli.commands.faults import FaultOptions
    from unknot.verify.managed_faults import AfterFault


def of_opensm(options: FaultOptions) -> bool | None:
    """Let OpenSM route the fabric after each fault."""
    from unknot._base.deadline import NEVER
    from unknot.certificates.documents import part_of
    from unknot.cli.answers.analyses import FaultsManagedAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.audit import audit_parts
    from unknot.cli.commands.display import tell
    from unknot.fabrics import read_fabric
    from unknot.fabrics.managed.manager import managed
    from unknot.fabrics.managed.simulated import OpenSM
    from unknot.fabrics.named import network as network_named
    from unknot.fabrics.reading import split_form
    from unknot.verify.delivery import answer_claims
    from unknot.verify.managed_faults import managed_faults
    from unknot.verify.table_faults import fabric_parts

    others = ("routing", "tables", "pairs", "assume", "repair", "between", "vcs", "within", "beforehand")
    refuse_beside("--opensm", "is not for the tables of OpenSM", **options.some(*others))
    opensm, fabric = OpenSM.of(options.opensm or ""), None
    if Path(split_form(options.network)[1]).exists():
        with suppress(TextError):  # the file of a network alone
            fabric = read_fabric(options.network)
    network = network_named(options.network, where="NETWORK") if fabric is None else fabric.network
    parts: list[Document] = []

    def keep(after: AfterFault) -> None:
        claims = answer_claims(after.mixed, [after.verdict], None)
        new = part_of(f"{after}, old and new tables", after.mixed, claims, of_its_own=True)
        parts.extend([*audit_parts(after.audited, f"{after}, new tables, "), *[new] * bool(claims)])

    with activity.working("faults") as progress, managed(network, opensm, fabric) as manager:
        notify(f"{opensm} discovered all of {network.name}; {manager.engine} routed it")
        faults = managed_faults(
            manager, options.switching, failures=options.failures, time_limit=options.proof_limit,
            until=options.deadline or NEVER, progress=progress, on_verdict=None if options.evidence is None else keep,
        )  # fmt: skip
        whole = manager.fabric
    if options.evidence is not None:
        write_evidence(options.evidence, whole.network, [], parts)
    options.show_failures(whole.network, faults, fabric_parts(whole, options.kind), f"{opensm} after each fault")
    tell(options.json, FaultsManagedAnswer, faults, max_rows=options.show)
    return faults.survives
