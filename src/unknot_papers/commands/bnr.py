"""`unknot bnr`."""

from __future__ import annotations

from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.cli.commands.options import MINUTE, Json, NetworkText, TimeLimit
from unknot.cli.commands.shared import exit_code, relation_of
from unknot.cli.commands.written import draw


def bnr(
    network: NetworkText,
    routing: str,
    vcs: int | None = None,
    switching: Switching = DEFAULT_SWITCHING,
    deadline: TimeLimit = MINUTE,
    json: Json = False,
) -> int:
    """Show whether a routing is minimal, deadlock-free and fully adaptive, or which paths the routing forbids.

    On a mesh or torus the table has a row for each choice of a direction in every dimension. The row says whether
    messages in these directions may take every shortest path (whether the routing provides their best network for
    routing, BNR). On any other network all messages are one class.

    Exit code 0: the routing is minimal, deadlock-free and fully adaptive; 1: a property fails; 3: undecided in time.

    Parameters
    ----------
    out : svg|png|pdf
        pictures of the choices

    Examples
    --------
    >>> import unknot
    >>> unknot.bnr("mesh(3, 3)", "west_first").holds
    False
    """
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.cli.commands.shared import proved
    from unknot_papers.bnr.answer import BnrAnswer
    from unknot_papers.bnr.drawing import draw_bnr
    from unknot_papers.bnr.table import bnr as table_of
    from unknot_papers.bnr.table import conclude

    relation = relation_of(network, routing, vcs, proved=True)
    with activity.working("bnr") as progress:
        table = table_of(relation, progress=progress)
    with activity.working("proving"):
        proof = proved(relation, deadline, switching)
        conclusion = conclude(proof.verdict, proof.delivery, table)
    draw(lambda: draw_bnr(relation, table, conclusion.reasons))
    sources = (conclusion, conclusion.verdict, conclusion.delivery)
    tell(json, BnrAnswer, *sources, of=relation, bnrs=conclusion.table, certificate_holds=proof.holds)
    return exit_code(conclusion.holds)
