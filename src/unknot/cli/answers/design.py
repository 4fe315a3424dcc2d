"""Forms of rules made to order, and of verdicts for meshes of every size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from unknot._base.switching import Switching
from unknot.cli.answers.configuration_file import ConfigurationForm
from unknot.cli.answers.filling import answer
from unknot.cli.answers.form import CHECKED, By, Form, Natural, Number, Positive, Words, form_of, key
from unknot.design.decision import Decision
from unknot.design.design import Design
from unknot.design.every_size import EverySize
from unknot.design.proofs import Proof
from unknot.design.ranking import Level
from unknot.design.rule import Rule
from unknot.design.space import Space, letter, shown
from unknot.report.phrases import count

if TYPE_CHECKING:
    from unknot.cli.commands.design_carrying import Carrying


def _by_direction(counts: Any, _: Any) -> str:
    pairs = (f"{letter(i)}+ {up}, {letter(i)}- {down}" for i, (up, down) in enumerate(counts or ()))
    return ", ".join(pairs)


Counts = list[tuple[Positive, Positive]]
PAIRS = "VCs up and down each dimension, as pairs."


@form_of(Level)
class LevelForm(Form):
    """A linear function of the coordinates for each type of VC."""


class EscapeForm(Form):
    """VC of lower rank that a blocked header in a state waits for."""

    held: str = key("Type of the VC that it is in.")
    left: str = key("Signs of what remains.")
    escape: str = key("Type of the VC that ranks lower.")


@form_of(Proof, without=("escapes",))
class ProofForm(Form):
    """Proof that a rule is deadlock-free on every mesh of its dimensions."""

    types: list[str] = key("Types of VCs in the order of the functions of each level.")
    levels: list[LevelForm]
    escapes: list[EscapeForm]


def _ranking(proof: Any, _: Any) -> str:
    levels = proof and count(len(proof["levels"]), "linear function")
    return proof and f"on every mesh: a ranking by {levels} of the coordinates, compared in order ({proof['kind']})"


RankedForm = Annotated[ProofForm | None, Words(_ranking)]


class RowForm(Form):
    """A line of a rule."""

    left: str = key("Signs of what remains, dimension by dimension.")
    held: list[str] = key("Types of VCs, or injection.")
    may_take: list[str] = key("Types of VCs; in parentheses: not waited for.")


@form_of(Decision, without=("space", "switching", "rule", "proof", "evidence", "request", "symmetry"))
class JudgedForm(Form):
    """Verdict on one distribution of VCs."""

    table = ("counts", "vcs", "outcome", "holds", "rounds", "evidence")

    counts: Annotated[Counts, Words(_by_direction)] = key(PAIRS)
    vcs: Positive = key("VCs per router.")
    holds: bool | None = key("Whether the checkers accept proof or evidence; null: there is none.")
    sides: list[Positive] = key("Sides of the largest mesh that rules were tried on.")
    evidence: list[dict[str, Any]] = key(
        "Claims that there is no rule, as in files of evidence, each with its proof."
    )
    seconds: Number


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
    highest: Number = key("Highest channel load, with candidates taken equally often.")
    accepted: Number = key("Flits per terminal and cycle that arrive.")
    first: Number = key("The same with the rule that was found first, in one run.")


class CarryingForm(Form):
    """Comparison of rules with as many VCs by what they carry."""

    network: str
    rules: Positive = key("Rules that were compared.")
    every: bool = key("These are all with a proof for every size, up to symmetry.")
    carried: list[CarriedForm]


@form_of(Design, without=("request", "decisions", "short"))
class DesignAnswer(Form):
    """JSON answer of `unknot design`."""

    table = (
        "conclusion",
        "vcs",
        "counts",
        "provided",
        "symmetry",
        "proof",
        "carrying",
        "complete",
        "seconds",
        "rule",
        "judged",
    )

    family: str
    switching: Switching
    adaptive: Literal["states", "paths"]
    least: Natural = key("BNRs to be provided at least.")
    conclusion: str
    vcs: Positive | None = key("VCs per router of the rule; null: none was found.")
    fewest: bool = key("Fewer VCs per router are shown to be impossible.")
    lower_bound: Positive = key("Lower bound on the VCs per router of any rule.")
    counts: Annotated[Counts | None, Words(_by_direction)] = key(PAIRS)
    rule: list[RowForm] | None
    provided: list[str] | None = key("BNRs that the rule provides: signs of directions.")
    proof: RankedForm
    carrying: Annotated[CarryingForm | None, Words(_carried)] = key("What the rule carries, with --carry.")
    judged: list[JudgedForm]
    seconds: Number


Sides = Annotated[str, By(lambda sides, _: "x".join(map(str, sides)))]


@form_of(EverySize, without=("rule", "refuted", "seconds"))
class EverySizeAnswer(Form):
    """JSON answer of `unknot check --all-sizes`."""

    table = (
        "family", "routing", "switching", "deadlock_free", "read", "uniform", "proof", "holds", "reason", "decided",
        "refuted_on", "established", "seconds", "rule",
    )  # fmt: skip

    family: str
    switching: Switching
    proof: RankedForm
    rule: list[RowForm] | None
    read: list[Sides]
    decided: list[Sides] = key("Meshes that were decided one by one.")
    refuted_on: Sides | None = key("The smallest mesh on which it deadlocks.")
    established: str = key("What is shown there; empty without one.")
    configuration: ConfigurationForm | None = key("The deadlock on that mesh.")
    holds: Annotated[bool | None, CHECKED] = key(
        "Whether the checker accepts proof or deadlock; null: there is none."
    )
    seconds: Number


def design_keys(design: Design, carrying: Carrying | None = None) -> dict[str, Any]:
    """What the answer about a design says otherwise than the design."""
    best = design.best
    rule = None if best is None else best.rule
    decisions = []
    for one in design.decisions:
        evidence = [impossible.claim for impossible in one.evidence]
        decisions.append(answer(JudgedForm, one, counts=list(one.space.counts), vcs=one.space.vcs, evidence=evidence))
    provided = None if rule is None else rule.provided(states=design.request.adaptive == "states")
    return {
        "adaptive": design.request.adaptive,
        "least": 2**design.dimensions if design.request.least is None else design.request.least,
        "counts": None if best is None else list(best.space.counts),
        "rule": None if rule is None else rows(rule),
        "provided": None if provided is None else [shown(kind) for kind in provided],
        "proof": None if best is None or rule is None or best.proof is None else proof_form(rule.space, best.proof),
        "carrying": None if carrying is None else _carrying(carrying),
        "judged": decisions,
    }


def _carrying(carrying: Carrying) -> dict[str, Any]:
    assert carrying.first is not None
    figures = (
        carrying.patterns,
        carrying.highest.tolist(),
        carrying.accepted.mean(axis=0).tolist(),
        carrying.first.tolist(),
    )
    names = ("pattern", "highest", "accepted", "first")
    carried = [dict(zip(names, one, strict=True)) for one in zip(*figures, strict=True)]
    return {"network": carrying.network, "rules": carrying.rules, "every": carrying.every, "carried": carried}


def every_size_keys(verdict: EverySize) -> dict[str, Any]:
    """What the answer about every size says otherwise than the verdict."""
    rule, refuted = verdict.rule, verdict.refuted
    return {
        "proof": None if rule is None or verdict.proof is None else proof_form(rule.space, verdict.proof),
        "rule": None if rule is None else rows(rule),
        "established": "" if refuted is None else refuted.established,
        "configuration": None if refuted is None else refuted.configuration,
    }


def rows(rule: Rule) -> list[dict[str, object]]:
    """The lines of a rule."""
    return [
        {"left": shown(signs), "held": held.split(), "may_take": choice.split()}
        for signs, held, choice in rule.rows()
    ]


def proof_form(space: Space, proof: Proof) -> dict[str, object]:
    """A proof with names of types."""
    return {
        "kind": proof.kind,
        "types": [space.name(kind) for kind in range(space.injection)],
        "levels": proof.levels,
        "escapes": [
            {"held": space.name(held), "left": shown(signs), "escape": space.name(out)}
            for (held, signs), out in proof.escapes
        ],
    }
