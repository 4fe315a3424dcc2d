"""`unknot check --all-sizes`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from unknot._base.errors import RelationError
from unknot.cli.commands.outcomes import FAILS, HOLDS, UNDECIDED
from unknot.cli.commands.shared import print_json

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot._base.switching import Switching
    from unknot.design import EverySize


def check_every_size(
    family: str,
    routing: str,
    vcs: int | None,
    technique: Switching,
    deadline: Deadline,
    evidence: Path | None,
    *,
    json: bool,
) -> NoReturn:
    """Decide for all meshes of a family, print it, and end."""
    from unknot.certificates import verdict_claim
    from unknot.cli.commands import activity
    from unknot.design import every_size

    if vcs is not None:
        raise RelationError(f"--all-sizes: give VCs as an option of the routing, such as {routing}(vcs={vcs})")
    with activity.busy("looking for a proof"):
        found = every_size(family, routing, technique, time_limit=deadline)
        holds = deadline.closing.closing.unless_over(lambda: found.holds)
    if evidence is not None:
        from unknot.cli.commands.accept import write_evidence

        if found.proof is not None:
            write_evidence(evidence, None, None, [found.claim])
        else:
            relation = found.relation
            refuted = [] if found.refuted is None else [verdict_claim(found.refuted)]
            write_evidence(evidence, None if relation is None else relation.network, relation, refuted)
    if json:
        from unknot.cli.answers.design import every_size_answer

        print_json(every_size_answer(found, family=family, holds=holds))
    else:
        _show(found, family, holds)
    raise typer.Exit({True: HOLDS, False: FAILS, None: UNDECIDED}[found.deadlock_free])


def _show(found: EverySize, family: str, holds: bool | None) -> None:
    from unknot.cli.commands import display
    from unknot.cli.commands.design import proof_text

    rows: list[tuple[str, Any]] = [
        ("family", f"{family}: all meshes of {found.dimensions} dimension{'s' * (found.dimensions > 1)}"),
        ("routing", found.routing if found.rule is None else f"{found.routing}, {found.rule.space.text}"),
        ("property", f"no deadlock under {found.switching} switching, on any of them"),
        ("deadlock-free", display.answer(found.deadlock_free)),
    ]
    read = ", ".join("×".join(map(str, sides)) for sides in found.read)
    if found.rule is not None:
        rows.append(("scope", f"its permissions, read from the meshes {read}: they depend on no position there"))
    if found.proof is not None:
        rows.append(("evidence", f"{proof_text(found.proof)}; the separate checker {display.accepts(holds)}"))
    if found.reason:
        rows.append(("no proof", found.reason))
    if found.decided:
        rows.append(("decided", f"free on {'×'.join(map(str, found.decided[-1]))} and smaller equal sides"))
    if found.refuted_on is not None and found.refuted is not None:
        larger = ", and so on every larger one" if found.uniform else ""
        on = "×".join(map(str, found.refuted_on))
        rows.append(("refuted", f"on {on}{larger}: {found.refuted.established}"))
        rows.append(("evidence", f"counterexample; the separate checker {display.accepts(holds)}"))
    rows.append(("time", f"{found.seconds:.2f} s"))
    display.print_rows(rows)
