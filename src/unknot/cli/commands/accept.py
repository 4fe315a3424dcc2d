"""`unknot accept`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unknot._base.errors import UnknotError
from unknot._base.switching import DEFAULT_SWITCHING
from unknot.cli.commands.options import Json, Options, refuse_beside
from unknot.cli.commands.printing import notify, show_json, wrote

if TYPE_CHECKING:
    from unknot.certificates.documents import Document
    from unknot.cli.questions.about import About


Effort = Annotated[int, typer.Option(help="Factor for the work that checking a file may cost.", min=1)]


@dataclass(frozen=True)
class QuestionOptions(Options):
    """Networks, routings and claims that the evidence has to contain.

    Attributes
    ----------
    network : NETWORK
        Network of the question, or a fabric's folder; without --claim the question about a folder is its audit.
    routing : NAME
        Routing of the question, whose table the file must have; or the rule of a proof for every size.
    switching : NAME
        Switching technique: saf, vct, wormhole or wormhole-nonatomic; or, for deadlock_free, a flow control:
        "damq()".
    claim : CLAIM
        Claim that the file must contain, repeatable: deadlock_free, delivered, 'faults(kind="routers")', …; by
        default a usual claim about network and routing, with any answer.
    question : FILE.json
        Question file, as written by --export and read by `python plain.py --question`, in place of the other options.
    export : FILE.json
        File of the question.
    """

    heading = "The question"
    network: str | None = None
    routing: str | None = None
    vcs: int | None = None
    switching: str = DEFAULT_SWITCHING
    flows: Path | None = None
    claim: list[str] | None = None
    question: Path | None = None
    export: Path | None = None

    @property
    def about(self) -> About | None:
        """What is asked about; None if nothing is named."""
        from unknot.cli.questions.about import About

        named = self.some("network", "routing", "vcs", "flows", "claim")
        if self.question is not None:
            refuse_beside("--question", "is in the question", **named)
        if not any(named.values()):
            return None
        if self.routing is not None and self.network is None and not self.claim:
            raise UnknotError("accept: --routing is about a network; name it with --network")
        return About(self.network, self.routing, self.vcs, self.switching, self.flows)


def accept(
    options: QuestionOptions,
    files: list[Path] | None = None,
    effort: Effort = 1,
    standalone: Path | None = None,
    json: Json = False,
) -> int:
    """Check evidence with a program that shares no code with the search.

    The checker is plain Python without dependencies; --standalone writes the checker as one file. The command
    derives the claims in question from --network, --routing and --claim, and compares each claim, part, network,
    table, set of failures and number in the file with the derived claims. Other claims of the file are named and do
    not count. Without these options the answer names networks and routings by their digests.

    Exit code 0: the file has all claims in question, and the claims hold; 1: a claim is missing or does not hold;
    3: some evidence is too large to check.

    Parameters
    ----------
    files : argument FILE…
        Files written by --evidence.
    standalone : FILE.py
        File of the checker, which Python runs without Unknot: python -I FILE.py EVIDENCE.
    """
    from unknot._base.output import write_text
    from unknot.certificates import plain
    from unknot.certificates.documents import write_document
    from unknot.cli.answers.filling import answer
    from unknot.cli.answers.verdicts import AcceptAnswer
    from unknot.cli.commands.display import keep
    from unknot.cli.commands.shared import exit_code
    from unknot.cli.questions import question_of

    about, question = options.about, None
    if options.question is not None:
        question = _read(options.question)
    elif about is not None:
        question = question_of(about, options.claim or ())
    if options.export is not None:
        if question is None:
            raise UnknotError("accept: --export writes a question; name a --network or a --claim")
        write_document(question, options.export)
        wrote(options.export)
    if standalone is not None:
        from unknot.certificates.joining import joined

        write_text(standalone, joined())
        wrote(standalone)
    if not files and options.export is None and standalone is None:
        raise UnknotError("accept: name a FILE of evidence to check, or --standalone FILE.py for the checker")
    answers: list[dict[str, Any]] = []
    for path in files or ():
        accepted: bool | None = True
        word, others = "accepted", list[str]()
        try:
            document = _read(path)
            if about is not None and not options.claim and document.get("network", 0) is None:
                says, others = _rules(document, about, effort)
            else:
                says, others = plain.answers(document, question, effort)
        except plain.Rejected as error:
            says, word = [str(error)], error.word
            accepted = None if isinstance(error, plain.Unchecked) else False
        answers.append({"file": str(path), "accepted": accepted, "says": says, "not_asked": others})
        if not json:
            print("\n".join(f"{path}: {word}: {line}" for line in says))
            print("".join(f"{path}: not asked for, does not count: {line}\n" for line in others), end="")
    if about is not None and not options.claim and about.open and not json:
        notify(f"the audit of {about.text} is open beside what evidence shows: {'; '.join(about.open[:3])}")
    if question is None and files and not json:
        notify("networks and routings were not compared: --network, --routing and --claim name them")
    filled = answer(AcceptAnswer, files=answers)
    if not keep(filled) and json:
        show_json(filled)
    return exit_code(*(file["accepted"] for file in answers))


def _read(path: Path) -> Any:
    from unknot.certificates import plain

    try:
        return plain.read(str(path))
    except OSError as error:
        raise UnknotError(f"{path}: it cannot be read: {error.strerror}") from error


def _rules(document: Document, about: About, effort: int) -> tuple[list[str], list[str]]:
    """Check rules for meshes of every size, and compare them with the routing on the network."""
    from unknot.certificates import plain
    from unknot.certificates.claims import rule_difference

    claims = plain.field(document, "claims", list)
    rules = [claim for claim in claims if plain.subject_of(claim) == "rule"]
    if not rules or about.routing is None:
        raise plain.Rejected(f"this is about no network: only a rule is compared with a --routing on {about.text}")
    for claim in rules:
        if difference := rule_difference(claim, about.relation):
            raise plain.Rejected(f"its rule is not {about.routing} on {about.text}: {difference}")
    says = plain.accept({**document, "claims": rules, "parts": []}, effort=effort)
    says.append(f"{about.routing} on {about.network.name} is this rule: all its reachable states were compared")
    return says, [f"{plain.subject_of(claim)}: only a rule was asked for" for claim in claims if claim not in rules]
