"""JSON form of `unknot bnr`."""

from __future__ import annotations

from typing import Annotated, Any

from unknot.cli.answers.analyses import ForbiddenPathForm
from unknot.cli.answers.form import Form, Words
from unknot.cli.answers.networks import RelationForm
from unknot.cli.answers.verdicts import DeliveryForm, VerdictForm
from unknot_papers.bnr.table import Bnr, Conclusion, Refusal


def _refusal_words(refusal: Any, bnr: Any) -> str:
    if refusal is None or bnr["forbidden"] is not None:
        return ""
    after = f" after {', '.join(refusal['walk'])}" if refusal["walk"] else ""
    return f"{refusal['source']} to {refusal['address']}{after}: {refusal['channel']} is not offered"


class BnrForm(Form, of=Bnr):
    """One class of messages and its best network for routing."""

    table = "name provided full_pairs pairs forbidden refusal"
    forbidden: ForbiddenPathForm | None
    """A shortest path that is not permitted, as short as may be."""
    refusal: Annotated[Refusal | None, Words(_refusal_words)]
    name: str


class BnrAnswer(VerdictForm, DeliveryForm, RelationForm, of=Conclusion, without="verdict delivery table"):
    """JSON answer of `unknot bnr`."""

    table = """
        network.name routing vcs switching deadlock_free established certificate_holds minimal delivered
        holds reasons bnrs
    """

    bnrs: list[BnrForm]
