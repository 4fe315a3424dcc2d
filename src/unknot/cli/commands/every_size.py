"""`unknot every-size`."""

from __future__ import annotations

from pathlib import Path

from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.cli.commands.answered import Answered, give
from unknot.cli.commands.options import MINUTE, Json, TimeLimit


def every_size(
    family: str,
    routing: str,
    switching: Switching = DEFAULT_SWITCHING,
    deadline: TimeLimit = MINUTE,
    evidence: Path | None = None,
    json: Json = False,
) -> int:
    """Prove a routing free of deadlock on every mesh of a family, or find a mesh with a deadlock.

    Exit code 0: the routing is proved for every size; 1: the routing is refuted; 3: the question is undecided in
    time.

    Parameters
    ----------
    family : argument FAMILY
        Family: mesh(3), all meshes of three dimensions, or hypercube(3).

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.every_size("mesh(2)", "west_first")
    >>> answer.holds, answer.deadlock_free
    (True, True)
    """
    from unknot.cli.answers.design import EverySizeAnswer
    from unknot.cli.commands import activity
    from unknot.synthesis import every_size as decide

    with activity.working("looking for a proof"):
        verdict = decide(family, routing, switching, time_limit=deadline)
        holds = deadline.closing.closing.unless_over(lambda: verdict.holds)
    answered = Answered(
        EverySizeAnswer,
        (verdict,),
        {"family": family, "holds": holds},
        holds=(verdict.deadlock_free,),
        claims=lambda: verdict.claims,
        relation=verdict.relation,
    )
    return give(answered, evidence, json)
