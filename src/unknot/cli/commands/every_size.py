"""`unknot check --all-sizes`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from unknot._base.errors import RelationError
from unknot.cli.commands.printing import show_json
from unknot.cli.commands.shared import exit_code, write_evidence

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot._base.switching import Switching
    from unknot.design import EverySize


def check_every_size(
    family: str,
    routing: str,
    vcs: int | None,
    switching: Switching,
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
    with activity.working("looking for a proof"):
        verdict = every_size(family, routing, switching, time_limit=deadline)
        holds = deadline.closing.closing.unless_over(lambda: verdict.holds)
    if evidence is not None:
        if verdict.proof is not None:
            write_evidence(evidence, None, None, [verdict.claim])
        else:
            relation = verdict.relation
            refuted = [] if verdict.refuted is None else [verdict_claim(verdict.refuted)]
            write_evidence(evidence, None if relation is None else relation.network, relation, refuted)
    if json:
        from unknot.cli.answers.design import every_size_answer

        show_json(every_size_answer(verdict, family=family, holds=holds))
    else:
        _show(verdict, family, holds)
    raise typer.Exit(exit_code(verdict.deadlock_free))


def _show(verdict: EverySize, family: str, holds: bool | None) -> None:
    from unknot.cli.commands import display
    from unknot.cli.commands.design import proof_text

    rows: list[tuple[str, Any]] = [
        ("family", f"{family}: all meshes of {verdict.dimensions} dimension{'s' * (verdict.dimensions > 1)}"),
        ("routing", verdict.routing if verdict.rule is None else f"{verdict.routing}, {verdict.rule.space.text}"),
        ("property", f"no deadlock under {verdict.switching} switching, on any of them"),
        ("deadlock-free", display.answer(verdict.deadlock_free)),
    ]
    read = ", ".join("×".join(map(str, sides)) for sides in verdict.read)
    if verdict.rule is not None:
        rows.append(("scope", f"its permissions, read from the meshes {read}: they depend on no position there"))
    if verdict.proof is not None:
        rows.append(("evidence", f"{proof_text(verdict.proof)}; the separate checker {display.accepts(holds)}"))
    rows.append(("no proof", verdict.reason))
    if verdict.decided:
        rows.append(("decided", f"free on {'×'.join(map(str, verdict.decided[-1]))} and smaller equal sides"))
    if verdict.refuted_on is not None and verdict.refuted is not None:
        larger = ", and so on every larger one" if verdict.uniform else ""
        on = "×".join(map(str, verdict.refuted_on))
        rows.append(("refuted", f"on {on}{larger}: {verdict.refuted.established}"))
        rows.append(("evidence", f"counterexample; the separate checker {display.accepts(holds)}"))
    rows.append(("time", f"{verdict.seconds:.2f} s"))
    display.print_rows(rows)
