"""A whole document."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# Each file enters those who check its subjects.
from unknot.certificates.plain import (  # noqa: F401
    carries,
    collective,
    controllers,
    deadlock,
    delivery,
    failures,
    hops,
    lanes,
    loads,
    phases,
    progress,
    protocol,
    removals,
    rule,
    rules,
    schedule,
    update,
)  # fmt: skip
from unknot.certificates.plain.questions import AskedPart, Part, require_nothing_beside
from unknot.certificates.plain.reading import (
    FORMAT,
    LOOK,
    MOST_BYTES,
    PURSE,
    QUESTION,
    VERSION,
    Purse,
    Rejected,
    Unchecked,
    field,
    numbers,
    pay,
    printable,
)
from unknot.certificates.plain.registry import CLAIMS as CLAIMS
from unknot.certificates.plain.registry import subject_of
from unknot.certificates.plain.tables import Network, Table


def check(network: Network | None, table: Table | None, claim: Any) -> str:
    """Return in words what a claim shows; raise `Rejected` if it does not hold."""
    about, check_claim, _ = CLAIMS[subject_of(claim)]
    proof = field(claim, "proof", dict)
    pay(LOOK * (network.size if network and about else 0))
    if not about:
        return check_claim(claim, proof)
    if network is None:
        raise Rejected("a claim about a network comes without it")
    if about == "network":
        return check_claim(network, claim, proof)
    if "relation" in claim:
        table = Table(network, field(claim, "relation", dict))
    if table is None:
        raise Rejected("a claim about a relation comes without its table")
    pay(LOOK * table.size)
    pairs_sent = sum(len(sources) for sources in table.sources)
    return f"{pairs_sent} pairs of source and address: {check_claim(table, claim, proof)}"


def places(document: Any, form: str) -> dict[str, Any]:
    """A document under the name "", and its parts, each under a name of its own.

    - `format`, `version`: `"unknot evidence"`, 1
    - `network`: `null` for claims about rules; else `name`; `routers`, their number; `source` and `target`, routers
      of each channel; `inject` and `eject`, the router of each terminal
    - `relation`: the routing as a table, or `null`
    - `claims`: claims, each with its `proof`
    - `parts`: optional; each has its own `name`, `relation` and `claims`, about the document's network, a `network`
      of its own, or the network `without` `channels` and `routers`; remaining parts are numbered anew in order
    """
    if not isinstance(document, dict) or (document.get("format"), document.get("version")) != (form, VERSION):
        raise Rejected(f'this is no document of a known form: "format": "{form}", "version": {VERSION} is expected')
    named = {"": document}
    failed: dict[str, str] = {}
    for part in field(document, "parts", list) if "parts" in document else []:
        name = field(part, "name", str)
        if name in named:
            raise Rejected(f"two parts have the name {printable(name)!r}")
        if "network" not in part and "without" in part:
            gone = field(part, "without", dict)
            one = repr([sorted({*numbers(gone, kind, 0, 2**31)}) for kind in ("channels", "routers")])
            if one in failed:
                raise Rejected(f"one failure has two names: {failed[one]!r} and {printable(name)!r}")
            failed[one] = printable(name)
        named[name] = part
    return named


@contextmanager
def paying(document: Any, effort: int = 1) -> Iterator[None]:
    """Let a document pay for work on its content; raise `Rejected` where its form is not as expected."""
    before = PURSE.set(Purse(document, effort))
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Rejected(f"a claim, or its proof, has not the form of its subject: {error!r}") from None
    except (MemoryError, RecursionError):
        raise Unchecked("a claim, or its proof, is nested too deeply, or needs more memory than there is") from None
    finally:
        PURSE.reset(before)


def answers(document: Any, question: Any = None, effort: int = 1) -> tuple[list[str], list[str]]:
    """What the claims of a document show that were asked for, a line each, and a line for each other claim.

    Parameters
    ----------
    document : Any
        The document, as JSON gives it.
    question : Any
        A question: a document of the format `QUESTION`, whose claims have no proofs, and answers only where these
        are asked for. Of a place that is `optional` one claim has to be there, else all. None: every claim of the
        document is checked, and nobody's routing is.
    effort : int
        Factor by which checking may cost more than the document pays for.

    Raises
    ------
    Rejected
        If a claim that was asked for does not hold, is missing, or has another answer; or if a part is about another
        network, or other failures, than the question has under its name. `Unchecked`, a kind of it, if checking costs
        more than the document pays for.
    """
    with paying(document, effort):
        return answered(document, question)


def answered(document: Any, question: Any) -> tuple[list[str], list[str]]:
    """The lines of `answers`."""
    given, asked = places(document, FORMAT), None if question is None else places(question, QUESTION)
    shown: list[str] = []
    others: list[str] = []
    missing = [printable(name) for name in asked or () if name not in given]
    unchecked: Unchecked | None = None
    for name, part in given.items():
        prefix = f"{printable(name)}: " if name else ""
        claims = field(part, "claims", list)
        if asked is not None and name not in asked:
            others += [f"{prefix}{subject_of(claim)}: this part was not asked for" for claim in claims]
            continue
        place, asked_part = Part(document, part, name), None
        if asked is not None:
            purse = PURSE.set(None)  # whoever asks needs not pay
            asked_part = AskedPart(question, asked[name], name)
            PURSE.reset(purse)
            asked_part.require_same(place)
        for claim in claims:
            table = place.table_of(claim)
            bare = claim if table is None else {key: entry for key, entry in claim.items() if key != "relation"}
            if asked_part is not None and (why := asked_part.foreign(place, bare, table)):
                others.append(f"{prefix}{subject_of(claim)}: {why}")
                continue
            try:
                shown.append(f"{prefix}{place.title(bare, table, asked_part)}{check(place.network, table, bare)}")
            except Unchecked as error:
                unchecked = error
        if asked_part is not None:
            missing += [prefix + left for left in asked_part.left]
    why = "".join(f"; {line}" for line in sorted(others, key=lambda line: "nothing of this" in line)[:1])
    if question is not None:
        require_nothing_beside(question)
    if missing:
        raise Rejected(f"asked for, and not claimed: {', '.join(missing[:5])}{why}")
    if unchecked is not None:
        raise unchecked
    if not shown:
        raise Rejected("there are no claims" if question is None else f"nothing that was asked for is claimed{why}")
    return shown, [*dict.fromkeys(others)]


def accept(document: Any, question: Any = None, effort: int = 1) -> list[str]:
    """Return in words what each claim of a document shows; raise `Rejected` if one does not hold.

    Parameters
    ----------
    document : Any
        The document, as JSON gives it.
    question : Any
        What has to be claimed, as `answers` takes it; claims that were not asked for do not count.
    effort : int
        Factor by which checking may cost more than the document pays for.

    Returns
    -------
    list[str]
        What was accepted, a line for each claim.

    Raises
    ------
    Rejected
        With the claim and the place; `Unchecked`, a kind of it, if checking costs more than the document pays for.

    Examples
    --------
    >>> import unknot
    >>> from unknot import certificates
    >>> from unknot.routing import dimension_order
    >>> relation = dimension_order(unknot.network.families.ring(4), vcs=2)
    >>> claim = certificates.verdict_claim(unknot.verify.check(relation))
    >>> evidence = certificates.document(relation.network, relation, [claim])
    >>> print(*accept(evidence), *accept(evidence, certificates.question(relation, [claim])), sep="\\n")
    network f8ed0dd45794276f, relation 57c3e95bc8864ae6, 16 pairs of source and address: free of deadlock under vct
    ring(4), dimension_order with crossing dateline, 16 pairs of source and address: free of deadlock under vct
    >>> evidence["claims"][0]["proof"]["rank"] = [0] * relation.vcs.total
    >>> try:
    ...     accept(evidence)
    ... except certificates.Rejected as error:
    ...     print(error)
    order: address 0: channel 4 (2→3) VC 0 may be followed by channel 6 (3→0) VC 0, no higher
    """
    return answers(document, question, effort)[0]


def read(path: str) -> Any:
    """Read a document; raise `Rejected` if it is too large, too deep, or not JSON."""
    content = bytearray()
    with open(path, "rb") as file:
        while len(content) <= MOST_BYTES and (part := file.read(2**20)):  # at once it would take MOST_BYTES of memory
            content += part
    if len(content) > MOST_BYTES:
        raise Unchecked(f"a file of more than {MOST_BYTES} bytes is not read")
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Rejected(f"this is not JSON: {str(error)[:200]}") from None


def main(words: Sequence[str]) -> int:
    """Check files of evidence.

    Returns
    -------
    int
        0 if all hold, and answer the question; 2 if one cannot be read, or the question is none; else 1 if one does
        not hold, or is no evidence; else 3, if one is not checked.
    """
    options, statuses = {"--effort": "1", "--question": ""}, {0}
    while len(words) > 1 and words[0] in options:
        options[words[0]], words = words[1], words[2:]
    if not words or not options["--effort"].isdecimal():
        print("usage: python plain.py [--effort NUMBER] [--question QUESTION] FILE …", file=sys.stderr)
        return 2
    question = None
    try:
        if options["--question"]:
            places(question := read(options["--question"]), QUESTION)
    except (Rejected, OSError) as error:
        print(f"{options['--question']}: this is no question: {error}")
        return 2
    for path in words:
        try:
            shown, others = answers(read(path), question, int(options["--effort"]))
            print("\n".join(f"{path}: accepted: {line}" for line in shown))
            print("".join(f"{path}: not asked for, does not count: {line}\n" for line in others), end="")
        except Rejected as error:
            print(f"{path}: {error.word}: {error}")
            statuses.add(error.status)
        except OSError as error:
            print(f"{path}: cannot be read: {error.strerror}")
            statuses.add(2)
    return next(status for status in (2, 1, 3, 0) if status in statuses)
