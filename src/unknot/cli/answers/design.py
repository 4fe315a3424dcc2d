"""Forms of rules made to order, and of verdicts for meshes of every size."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from unknot._base.switching import Switching
from unknot.certificates.verdict import Configuration, Message
from unknot.cli.answers.form import Answer, Form, Number, Plain, answer, fill, form_of
from unknot.cli.answers.networks import Natural, Positive
from unknot.cli.answers.verdicts import ConfigurationForm
from unknot.design.decision import Decision
from unknot.design.design import Design
from unknot.design.every_size import EverySize
from unknot.design.impossible import Impossible
from unknot.design.proofs import Proof
from unknot.design.ranking import Level
from unknot.design.requirements import Request
from unknot.design.rule import Rule
from unknot.design.search import Refuted
from unknot.design.space import Space, shown

Counts = Annotated[
    list[tuple[Positive, Positive]], Plain, Field(description="VCs up and down each dimension, as pairs.")
]


@form_of(Level)
class LevelForm(Form):
    """A linear function of the coordinates for each type of VC."""


class EscapeForm(Form):
    """VC of lower rank that a blocked header in a state waits for."""

    held: str = Field(description="Type of the VC that it is in.")
    left: str = Field(description="Signs of what remains.")
    escape: str = Field(description="Type of the VC that ranks lower.")


@form_of(Proof, without=("escapes",))
class ProofForm(Form):
    """Proof that a rule is deadlock-free on every mesh of its dimensions."""

    types: list[str] = Field(description="Types of VCs in the order of the functions of each level.")
    levels: Annotated[list[LevelForm], Plain]
    escapes: list[EscapeForm]


class RowForm(Form):
    """A line of a rule."""

    left: str = Field(description="Signs of what remains, dimension by dimension.")
    held: list[str] = Field(description="Types of VCs, or injection.")
    may_take: list[str] = Field(description="Types of VCs; in parentheses: not waited for.")


class BlockedForm(Form):
    """A blocked message, by numbers of terminals, addresses and VCs on the mesh of its configuration."""

    source: Natural
    address: Natural
    lead: Annotated[list[Natural], Plain]
    held: Annotated[list[Natural], Plain]
    wanted: Annotated[list[Natural], Plain]


class DeadlockForm(Form):
    """A deadlock configuration of a rule of the space."""

    sides: Annotated[list[Positive], Plain] = Field(description="Sides of the mesh.")
    reachability: Literal["injected", "scheduled", "not-established"]
    messages: list[BlockedForm]


class ImpossibleForm(Form):
    """Proof that there is no rule: clauses of deadlocks and of the request contradict each other.

    All that the checker wants: `unknot.cli.answers.design.read_evidence` makes it into an object again.
    """

    counts: Counts
    short: bool = Field(description="For a hypercube.")
    switching: Switching
    adaptive: Literal["states", "paths"]
    least: Natural | None = Field(description="BNRs to be provided at least; null: all.")
    symmetric: list[list[Natural]] = Field(description="Symmetries of the rule: where each type of VC goes.")
    deadlocks: list[DeadlockForm]
    walks: list[list[Natural]] = Field(description="Closed walks of dependencies: types of VCs.")
    paths: list[list[tuple[int, int]]] = Field(description="Shortest paths: dimension and direction of each hop.")
    steps: Annotated[list[tuple[list[int], list[Positive]]], Plain] = Field(
        description="Literals of clauses that follow one from another, each with the clauses by which it follows."
    )


@form_of(Decision, without=("space", "switching", "rule", "proof", "evidence", "request", "symmetry"))
class JudgedForm(Form):
    """Verdict on one distribution of VCs."""

    counts: Counts
    vcs: Positive = Field(description="VCs per router.")
    holds: bool | None = Field(description="Whether the checkers accept proof or evidence; null: there is none.")
    sides: Annotated[list[Positive], Plain] = Field(description="Sides of the largest mesh that rules were tried on.")
    evidence: list[ImpossibleForm]
    seconds: Number


@form_of(Design, without=("request", "decisions", "short"))
class DesignAnswer(Form):
    """JSON answer of `unknot design`."""

    family: str
    switching: Switching
    adaptive: Literal["states", "paths"]
    least: Natural = Field(description="BNRs to be provided at least.")
    conclusion: str
    vcs: Positive | None = Field(description="VCs per router of the rule; null: none was found.")
    fewest: bool = Field(description="Fewer VCs per router are shown to be impossible.")
    lower_bound: Positive = Field(description="Lower bound on the VCs per router of any rule.")
    counts: Counts | None
    rule: list[RowForm] | None
    provided: list[str] | None = Field(description="BNRs that the rule provides: signs of directions.")
    proof: ProofForm | None
    judged: list[JudgedForm]
    seconds: Number


@form_of(EverySize, without=("rule", "read", "decided", "refuted", "refuted_on", "seconds"))
class EverySizeAnswer(Form):
    """JSON answer of `unknot check --all-sizes`."""

    family: str
    switching: Switching
    proof: ProofForm | None
    rule: list[RowForm] | None
    read: Annotated[list[str], Plain]
    decided: list[str] = Field(description="Meshes that were decided one by one.")
    refuted_on: str | None = Field(description="The smallest mesh on which it deadlocks.")
    configuration: ConfigurationForm | None = Field(description="The deadlock on that mesh.")
    holds: bool | None = Field(description="Whether the checker accepts proof or deadlock; null: there is none.")
    seconds: Number


def design_answer(design: Design, **more: Any) -> Answer:
    """The JSON of a design."""
    best = design.best
    rule = None if best is None else best.rule
    decisions = []
    for one in design.decisions:
        evidence = [evidence_form(e) for e in one.evidence]
        decisions.append(fill(JudgedForm, one, counts=list(one.space.counts), vcs=one.space.vcs, evidence=evidence))
    provided = None if rule is None else rule.provided(states=design.request.adaptive == "states")
    fields: dict[str, Any] = {
        "adaptive": design.request.adaptive,
        "least": 2**design.dimensions if design.request.least is None else design.request.least,
        "counts": None if best is None else list(best.space.counts),
        "rule": None if rule is None else rows(rule),
        "provided": None if provided is None else [shown(kind) for kind in provided],
        "proof": None if best is None or rule is None or best.proof is None else proof_form(rule.space, best.proof),
        "judged": decisions,
    }
    return answer(DesignAnswer, design, **fields, **more)


def every_size_answer(verdict: EverySize, **more: Any) -> Answer:
    """The JSON of a verdict for every size."""
    rule, refuted = verdict.rule, verdict.refuted
    fields: dict[str, Any] = {
        "proof": None if rule is None or verdict.proof is None else proof_form(rule.space, verdict.proof),
        "rule": None if rule is None else rows(rule),
        "read": [sides_text(sides) for sides in verdict.read],
        "decided": [sides_text(sides) for sides in verdict.decided],
        "refuted_on": None if verdict.refuted_on is None else sides_text(verdict.refuted_on),
        "configuration": None if refuted is None else refuted.configuration,
    }
    return answer(EverySizeAnswer, verdict, of=verdict.relation, **fields, **more)


def sides_text(sides: tuple[int, ...]) -> str:
    """The sides of a mesh as text."""
    return "x".join(map(str, sides))


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


def evidence_form(evidence: Impossible) -> dict[str, object]:
    """Return the whole evidence as numbers."""
    return {
        "counts": list(evidence.space.counts),
        "short": evidence.space.short,
        "switching": evidence.switching,
        "adaptive": evidence.request.adaptive,
        "least": evidence.request.least,
        "symmetric": evidence.request.symmetric,
        "deadlocks": [
            {
                "sides": one.sides,
                "reachability": one.configuration.reachability,
                "messages": one.configuration.messages,
            }
            for one in evidence.refuted
        ],
        "walks": evidence.walks,
        "paths": evidence.paths,
        "steps": evidence.steps,
    }


def read_evidence(document: dict[str, Any]) -> Impossible:
    """The evidence that stands in the JSON of a design; `unknot.design.accept` checks it.

    Raises
    ------
    pydantic.ValidationError
        If it has not the form of evidence.
    """
    form = ImpossibleForm.model_validate(document)
    refuted = tuple(
        Refuted(
            tuple(one.sides),
            Configuration(
                form.switching,
                1,
                one.reachability,
                tuple(
                    Message(m.source, m.address, len(m.held), tuple(m.lead), tuple(m.held), tuple(m.wanted))
                    for m in one.messages
                ),
            ),
        )
        for one in form.deadlocks
    )
    return Impossible(
        Space(tuple(form.counts), form.short),
        Request(form.adaptive, form.least, tuple(map(tuple, form.symmetric))),
        form.switching,
        refuted,
        tuple(map(tuple, form.paths)),
        tuple(map(tuple, form.walks)),
        tuple((tuple(literals), tuple(hints)) for literals, hints in form.steps),
    )
