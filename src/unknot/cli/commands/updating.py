"""`unknot check --to`: the update from one routing to another."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import UnknotError
from unknot._base.switching import Switching
from unknot._base.three_valued import all_hold
from unknot.cli.commands.shared import exit_code, relation_of, write_evidence, write_knot

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline


def check_update(
    network: str,
    routing: str,
    to: str,
    vcs: int | None,
    switching: Switching,
    deadline: Deadline,
    flows: Path | None,
    evidence: Path | None,
    out: Path | None,
    *,
    json: bool,
) -> int:
    """Decide whether routers can be updated from one routing to another, print it, and return the exit code."""
    from unknot.cli.answers.updates import UpdateAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import describe, tell
    from unknot.verify import update
    from unknot.verify.update_evidence import update_claims

    if evidence is not None and evidence.suffix == ".v":
        raise UnknotError(f"{evidence}: files for Coq are about one routing; with --to, --evidence is a FILE.json")
    old, new = (relation_of(network, name, vcs, flows=flows) for name in (routing, to))
    began = time.monotonic()
    with activity.working("following packets of both routings") as progress:
        change = update(old, new, switching, time_limit=deadline, progress=progress)
        holds = deadline.closing.closing.unless_over(lambda: change.evidence_holds)
    if out is not None:
        write_knot(out, change.relation, change.configuration)
    if evidence is not None:
        write_evidence(evidence, old.network, None, update_claims(change))
    tell(
        json, UpdateAnswer, change, of=change.relation, routing=routing, to=to, evidence_holds=holds,
        seconds=time.monotonic() - began,
    )  # fmt: skip
    if not json:
        describe(change.relation, change.configuration)
    return exit_code(all_hold([change.deadlock_free, not change.lost]))
