"""Questions for evidence: what a file has to claim, derived from network, routing and the words of --claim."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from unknot._base.calls import apply, chosen, parse_call
from unknot._base.errors import UnknotError
from unknot._base.extensions import Catalogue
from unknot._base.switching import SWITCHINGS
from unknot.certificates import plain
from unknot.certificates.documents import Document, question
from unknot.cli.questions.about import About
from unknot.cli.questions.claims import KINDS
from unknot.cli.questions.parts import PARTS, audit

EVERYWHERE = (
    "deadlock_free",
    "size",
    "removals",
    "removals(minimal=True)",
    "escapes",
    "escapes(minimal=True)",
    "progress",
)
"""Claims about each technique that a question without claims asks for."""
ELSEWHERE = (
    "delivered", "lengths", "load", "load(paths='any')", "changes", "changes(kind='entries')",
    *(f"{name}(changes='{kind}')" for name in ("lanes", "lanes_of_routes") for kind in plain.KINDS),
    *(f"progress('{arbiter}', arrives={arbiter != 'fixed'})" for arbiter in ("round_robin", "oldest_first", "fixed")),
)  # fmt: skip
"""Claims about none that it asks for."""


def question_of(about: About, claims: Sequence[str]) -> Document:
    """Claims required of a document; without `claims` any claim about the network, routing and flows.

    Raises
    ------
    UnknotError
        If there is no such claim, or the network or routing that it is about was not named.
    """
    if not claims and about.routing is None and about.text is not None and _has_tables(about.text):
        audit(about, None)
        return _plainly(question(about.network, (), about.parts))
    own = [] if about.switching in SWITCHINGS else ["deadlock_free"]
    asked = [_made(about, text) for text in claims] or [
        *(_open(_made(about, text)) for text in own),
        *(_open(_made(about, text)) for text in ELSEWHERE),
        *(_open(_made(replace(about, switching=one), text)) for one in SWITCHINGS for text in EVERYWHERE),
    ]
    made = [one for one in asked if one is not None]
    needs = {plain.CLAIMS[one["subject"]].about for one in made}
    routed = about.routing is not None or about.tables is not None
    if "relation" in needs and not routed and about.text is not None and _has_tables(about.text):
        raise UnknotError(
            f"accept: {' and '.join(claims)} is about a routing, and {about.text} is a folder of tables: ask for "
            "--claim audit, what `unknot audit` says of these, or name a --routing"
        )
    of: Any = about.relation if "relation" in needs and routed else None
    carried = about.text is not None and any(one["subject"] == "controllers" for one in made)
    if of is None and (needs != {""} or about.parts or carried):
        of = about.network
    beside = {"open": about.open, "fails": about.fails}
    return _plainly({**question(of, made, about.parts, optional=not claims), **beside})


def claims() -> Catalogue[Callable[..., Document | None]]:
    """Claims by their names in --claim, and those of extensions."""
    return Catalogue("claims", {**KINDS, **PARTS})


def _made(about: About, text: str) -> Document | None:
    call = parse_call(text, "--claim")
    return apply(call, chosen(call, claims(), "claim"), about)


def _open(claim: Document | None) -> Document:
    """A claim whose answers are open."""
    assert claim is not None
    return {key: entry for key, entry in claim.items() if key not in plain.CLAIMS[claim["subject"]].answers}


def _plainly(content: Document) -> Document:
    return json.loads(json.dumps(content))  # type: ignore[no-any-return]


def _has_tables(text: str) -> bool:
    """Whether a text names a folder, whose tables are audited."""
    from unknot.fabrics.reading import split_form

    return Path(split_form(text)[1]).is_dir()
