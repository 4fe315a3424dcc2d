"""Forms of rules made to order, and of verdicts for meshes of every size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from unknot._base.phrases import count
from unknot._base.quantities import By
from unknot.cli.answers.form import Form, Natural, Number, Positive, Words, of
from unknot.cli.answers.words import CHECKED
from unknot.synthesis.decision import Decision
from unknot.synthesis.design import Design
from unknot.synthesis.every_size import EverySize
from unknot.synthesis.ranking import Proof
from unknot.synthesis.rule import Rule
from unknot.synthesis.space import letter, shown

if TYPE_CHECKING:
    from unknot.cli.commands.design_carrying import Carrying


def _by_direction(counts: Any, _: Any) -> str:
    pairs = (f"{letter(i)}+ {up}, {letter(i)}- {down}" for i, (up, down) in enumerate(counts or ()))
    return ", ".join(pairs)


Counts = list[tuple[Positive, Positive]]


class EscapeForm(Form):
    """VC of lower rank that a blocked header in a state waits for."""

    held: str
    """Type of the VC that it is in."""
    left: str
    """Signs of what remains."""
    escape: str
    """Type of the VC that ranks lower."""


def _ranking(proof: Any, _: Any) -> str:
    levels = proof and count(len(proof["levels"]), "linear function")
    return proof and f"on every mesh: a ranking by {levels} of the coordinates, compared in order ({proof['kind']})"


class ProofForm(Form, of=Proof, without="space escapes", said=_ranking):
    """Proof that a rule is deadlock-free on every mesh of its dimensions."""

    types: list[str] = of("space.names")
    """Types of VCs in the order of the functions of each level."""
    escapes: list[EscapeForm] = of("named_escapes")
    """The escape of each reachable state; none are needed for `order`."""


class RowForm(Form):
    """A line of a rule."""

    left: str
    """Signs of what remains, dimension by dimension."""
    held: list[str]
    """Types of VCs, or injection."""
    may_take: list[str]
    """Types of VCs; in parentheses: not waited for."""


def _rows(rule: Rule | None, _: Any) -> list[dict[str, object]] | None:
    if rule is None:
        return None
    return [{"left": left, "held": held.split(), "may_take": choice.split()} for left, held, choice in rule.rows()]


Rows = Annotated[list[RowForm] | None, By(_rows)]


class JudgedForm(
    Form, of=Decision, without="space switching rule proof evidence request", also="vcs=space.vcs holds"
):
    """Verdict on one distribution of VCs."""

    table = "counts vcs outcome holds rounds evidence"

    counts: Annotated[Counts, Words(_by_direction)] = of("space.counts")
    """VCs up and down each dimension, as pairs."""
    evidence: Annotated[list[dict[str, Any]], By(lambda evidence, _: [evidence.claim] if evidence else [])]
    """Claims that there is no rule, as in files of evidence, each with its proof."""


def _carried(carrying: Any, _: Any) -> str:
    if not carrying:
        return ""
    each = (
        f"{one['pattern']} {one['accepted']:.3f} flits per cycle ({one['first']:.3f} with the first rule), "
        f"highest channel load {one['highest']:.3f}"
        for one in carrying["carried"]
    )
    which = "all" if carrying["every"] else "the"
    return (
        f"most of {which} {count(carrying['rules'], 'rule')} on {carrying['network']} at full load: {'; '.join(each)}"
    )


class CarriedForm(Form):
    """What a rule carries under a pattern when terminals send all they can."""

    pattern: str
    highest: Number
    """Highest channel load, with candidates taken equally often."""
    accepted: Number
    """Flits per terminal and cycle that arrive."""
    first: Number
    """The same with the rule that was found first, in one run."""


class CarryingForm(Form):
    """Comparison of rules with as many VCs by what they carry."""

    network: str
    rules: Positive
    """Rules that were compared."""
    every: bool
    """These are all with a proof for every size, up to symmetry."""
    carried: list[CarriedForm]


class DesignAnswer(
    Form,
    of=Design,
    without="request decisions short",
    also="adaptive=request.adaptive switching vcs fewest lower_bound proof=best.proof judged=decisions",
):
    """JSON answer of `unknot design routing`."""

    table = "conclusion vcs counts provided proof carrying complete seconds rule judged"

    family: str
    least: Natural
    """BNRs to be provided at least."""
    conclusion: str
    counts: Annotated[Counts | None, Words(_by_direction)] = of("best.space.counts")
    """VCs up and down each dimension, as pairs."""
    rule: Rows = of("best.rule")
    provided: list[str] | None
    """BNRs that the rule provides: signs of directions."""
    carrying: Annotated[CarryingForm | None, Words(_carried)]
    """What the rule carries, with --carry."""
    seconds: Number


Sides = Annotated[str, By(lambda sides, _: "x".join(map(str, sides)))]


class EverySizeAnswer(Form, of=EverySize, without="rule refuted", also="configuration=refuted.configuration"):
    """JSON answer of `unknot every-size`."""

    table = """
        family routing switching deadlock_free read uniform proof holds reason decided refuted_on
        established seconds rule
    """

    family: str
    rule: Rows
    read: list[Sides]
    decided: list[Sides]
    """Meshes that were decided one by one."""
    refuted_on: Sides | None
    """The smallest mesh on which it deadlocks."""
    established: Annotated[str, By(lambda words, _: words or "")] = of("refuted.established")
    """What is shown there; empty without one."""
    holds: Annotated[bool | None, CHECKED]
    """Whether the checker accepts proof or deadlock; null: there is none."""


def design_keys(design: Design, carrying: Carrying | None = None) -> dict[str, Any]:
    """What the answer about a design says otherwise than the design."""
    best = design.best
    rule = None if best is None else best.rule
    provided = None if rule is None else rule.provided(states=design.request.adaptive == "states")
    return {
        "least": 2**design.dimensions if design.request.least is None else design.request.least,
        "provided": None if provided is None else [shown(kind) for kind in provided],
        "carrying": carrying,
    }
