"""Design a routing, with proof that nothing less will do."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from unknot._base.calls import Piece
from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.cli.commands.guard import SPARED, keeping_the_best
from unknot.cli.commands.options import MINUTE, Json, TimeLimit
from unknot.cli.commands.printing import notify, wrote
from unknot.cli.commands.shared import left_open
from unknot.cli.commands.unread import name_idle
from unknot.cli.commands.written import draw, write_evidence
from unknot.cli.exit_codes import FAILS, HOLDS

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot.synthesis import Decision, Design


SEARCHING = 0.75
"""Share of the time for the search; the rest is for the check of its evidence."""


def design_routing(
    family: str,
    switching: Switching = DEFAULT_SWITCHING,
    adaptive: str = "full",
    by: Literal["states", "paths"] = "states",
    vcs: str | None = None,
    every: bool = False,
    carry: bool = False,
    deadline: TimeLimit = MINUTE,
    export: Path | None = None,
    evidence: Path | None = None,
    json: Json = False,
) -> int:
    """Find a deadlock-free adaptive routing with the fewest virtual channels, and refute fewer.

    The search covers all minimal rules that depend on the header's type of virtual channel and on the remaining
    directions. Ctrl-C ends the search and keeps the results so far.

    --evidence writes why fewer VCs are impossible, and the proof of the rule, or a verdict for one mesh.

    Exit code 0: the rule is proved; 1: no such rule exists; 3: the question is open in time; 130: Ctrl-C ended the
    search, and the question is open.

    Parameters
    ----------
    family : argument FAMILY
        Family: mesh(3), all meshes of three dimensions, or hypercube(3).
    adaptive : full|K
        Degree of adaptivity: full, or at least K of the 2^n BNRs.
    by
        Meaning of fully adaptive: states, every direction offered in every state; paths, every path with some VCs.
    vcs : '1/1 1/2'
        Distribution of VCs to decide alone: up/down in each dimension.
    every
        Decide every distribution of the fewest VCs.
    carry
        Take the rule of highest throughput among all rules with as many VCs: by channel loads, then simulated.
    export : FILE.py
        File of the rule as your own routing.
    out : svg|png|pdf
        pictures of the rule

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.design_routing("mesh(2)", switching="vct")
    >>> answer.vcs, answer.fewest, answer.holds
    (5, True, True)
    """
    from unknot.cli.answers.design import DesignAnswer, design_keys
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.lane_assignment.figures import disagreement
    from unknot.synthesis import design as find

    least = None if adaptive == "full" else _number(adaptive)
    counts = None if vcs is None else counts_of(vcs)
    began = time.monotonic()
    with keeping_the_best(), activity.working("designing") as progress:
        outcome = find(
            family, switching, adaptive=by, least=least, counts=counts, every=every,
            time_limit=deadline.part(SEARCHING), progress=progress,
        )  # fmt: skip
    with activity.working("checking the evidence"):
        checked = [_checked(one, deadline.proving.closing) for one in outcome.decisions]
        outcome = replace(
            outcome, decisions=tuple(checked), complete=outcome.complete and checked == list(outcome.decisions)
        )
    best, carrying = outcome.best, None
    if carry and best is not None and best.proof is not None and not SPARED.is_set():
        from unknot.cli.commands.design_carrying import most_carrying

        with activity.working("comparing rules") as progress:
            carrying = most_carrying(best, deadline, progress)
        decisions = tuple(carrying.decision if one is best else one for one in outcome.decisions)
        outcome = replace(outcome, decisions=decisions)
        best = outcome.best
    seconds = time.monotonic() - began
    rule = None if best is None else best.rule
    if rule is None and export is not None:
        notify(f"{export} was not written: no rule was found")
    if rule is not None:
        from unknot.report import draw_rule

        draw(partial(draw_rule, rule))
    if rule is not None and export is not None:
        from unknot._base.output import write_text
        from unknot.report.rule_files import python_file

        write_text(export, python_file(rule, conclusion(outcome, family)))
        wrote(export)
    if evidence is not None:
        _write_evidence(evidence, outcome, deadline.proving.closing)
    differ = [one.space.text for one in outcome.decisions if one.disagree]
    keys = {
        "conclusion": conclusion(outcome, family) + disagreement(differ),
        "seconds": seconds,
        **design_keys(outcome, carrying),
    }
    tell(json, DesignAnswer, outcome, family=family, **keys)
    name_idle(carry=carry and carrying is None, every=every and counts is not None)
    holds = all(one.holds is not False for one in outcome.decisions)
    if not holds:
        return FAILS
    if best is not None:
        return HOLDS if best.proof is not None and not differ else left_open()
    return FAILS if outcome.found is False else left_open()


def _write_evidence(path: Path, outcome: Design, deadline: Deadline) -> None:
    """Write why fewer VCs are impossible, and the proof of the rule, or its verdict on the largest mesh."""
    best, relation = outcome.best, None
    refusals = {id(one.evidence): one.evidence.claim for one in outcome.decisions if one.evidence is not None}
    claims = list(refusals.values())
    if best is not None and best.rule is not None and best.proof is not None:
        claims.append(best.proof.claim(best.rule.offers, outcome.switching))
    elif best is not None and best.rule is not None:
        from unknot.cli.commands.shared import proved

        relation = best.rule.on(best.sides)
        claims += proved(relation, deadline, outcome.switching).claims()
    write_evidence(path, relation, claims)


def _checked(one: Decision, ending: Deadline) -> Decision:
    """The decision on a distribution; open if time ran out before its evidence of impossibility was checked."""
    if one.outcome == "impossible" and ending.unless_over(lambda: one.holds) is None:
        return replace(one, outcome="open", evidence=None)
    return one


def _number(text: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", text):
        raise Piece(text, "<adaptive>").error("expected full, or a number of BNRs")
    return int(text)


def counts_of(text: str) -> tuple[tuple[int, int], ...]:
    """VCs up and down each dimension, from a text such as 1/1 1/2."""
    counts = []
    whole = Piece(text, "<vcs>")
    for piece in list(whole.split(" ")) or [whole]:
        pair = re.fullmatch(r"([0-9]{1,3})/([0-9]{1,3})", piece.text)
        if pair is None:
            raise piece.error("expected VCs up/down each dimension, such as 1/1 1/2")
        counts.append((int(pair[1]), int(pair[2])))
    return tuple(counts)


def conclusion(outcome: Design, family: str) -> str:
    """Return the conclusion in a sentence or two."""
    least, best = outcome.request.least, outcome.best
    what = "fully adaptive" if least is None else f"adaptive in {least} of {2**outcome.dimensions} BNRs"
    request = f"{what} on {family} under {outcome.switching}"
    if best is None:
        if outcome.found is False:
            return f"No rule with {outcome.decisions[-1].space.text} is {request}."
        return f"Open: no rule with fewer than {outcome.lower_bound} VCs per router is {request}."
    enough = f"{best.space.vcs} VCs per router are enough for routing that is {request}."
    if best.proof is None:
        enough += f" There is no proof for every size: the rule was decided up to {'×'.join(map(str, best.sides))}."
    if outcome.fewest:
        return f"{enough} Fewer are impossible."
    if len(outcome.decisions) == 1:
        return enough
    return f"{enough} Fewer than {outcome.lower_bound} are impossible; in between it is open."
