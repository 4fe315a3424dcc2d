"""Claims that were asked for."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from unknot.certificates.plain.flow import NAMED, RINGS, flow_of
from unknot.certificates.plain.reading import LOOK, Rejected, Unchecked, digest, field, pay, printable
from unknot.certificates.plain.registry import CLAIMS, subject_of
from unknot.certificates.plain.tables import Network, Table

SETS = {"drained", "failures", "faults", "flows", "sends", "unless"}
"""Lists whose order says nothing."""


def alike(entry: Any, depth: int = 20) -> Any:
    """Plain data in a form in which numbers are equal whatever their type, but True is no 1."""
    if not depth:
        raise Rejected("a claim is nested more deeply than any that is known")
    if isinstance(entry, dict):
        return {key: alike(value, depth - 1) for key, value in entry.items()}
    if isinstance(entry, list):
        return [alike(value, depth - 1) for value in entry]
    return (entry,) if isinstance(entry, bool) else entry


def about(claim: Any) -> dict[str, Any]:
    """Subject matter of a claim: all entries but proof, answers and the table of its relation."""
    subject = subject_of(claim)
    others = {"proof", *CLAIMS[subject].answers, *["relation"] * (CLAIMS[subject].about == "relation")}
    said = {key: alike(entry) for key, entry in claim.items() if key not in others and entry is not None}
    if said.keys() & {"flow", RINGS}:
        with suppress(Unchecked):  # else words that nobody understands are compared as they stand
            flow = flow_of(claim)
            said = {key: entry for key, entry in said.items() if key not in (RINGS, "flow", "switching")}
            words = [flow.words, flow.packets, flow.pools, flow.cell]
            said |= {"switching": flow.name} if flow in NAMED else {"flow": words}
    for name in SETS & said.keys():
        entries = said[name] if isinstance(said[name], list) else [said[name]]
        if name == "faults":  # how many routes each cuts is the answer
            entries = [[field(one, key, list) for key in ("channels", "routers")] for one in entries]
        said[name] = sorted(entries, key=repr)
    return said


def require_nothing_beside(question: Any) -> None:
    """Refuse a question of which something fails, or is open, that no evidence can be about."""
    for entry, words, error in (("fails", "fails", Rejected), ("open", "is open", Unchecked)):
        named = [*map(printable, question.get(entry, []))]
        if named:
            more = f" and {len(named) - 5} more" if len(named) > 5 else ""
            raise error(f"beside what evidence can show, this {words}: {'; '.join(named[:5])}{more}")


def unlike(one: Table, other: Table) -> str:
    """What differs between two tables of the same network, in words; empty if they are the same relation."""
    pay(2 * LOOK * one.size)
    if one.channel != other.channel or one.commits != other.commits:
        return "VCs or commitment differ"
    if one.destination != other.destination or [*map(set, one.sources)] != [*map(set, other.sources)]:
        return "addresses, or who sends to them, differ"
    for address, rows in enumerate(one.may):
        for at, candidates in rows.items():
            same = {*candidates} == {*other.may[address].get(at, [None])}
            if not same or {*one.waits[address][at]} != {*other.waits[address][at]}:
                return f"candidates at {one.name(at)} for address {address} differ"
    return ""


class Part:
    """A part of a document, or the whole: the network of its claims, failures in that network, and the table."""

    def __init__(self, document: Any, part: Any, name: str) -> None:
        self.part, self.label = part, f"part {printable(name)!r}" if name else "the document"
        own = part if part.get("network") is not None else document
        self.network = None if own.get("network") is None else Network(field(own, "network", dict))
        self.failed = None
        if "without" in part and self.network is not None:
            self.failed = self.network.parts(field(part, "without", dict))
            self.network = self.network.without(part["without"])
        self.table = None
        if part.get("relation") is not None:
            if self.network is None:
                raise Rejected("a relation comes without its network")
            self.table = Table(self.network, field(part, "relation", dict))

    def table_of(self, claim: Any) -> Table | None:
        """The table that a claim is about: of a relation of its own, or of the place."""
        if CLAIMS[subject_of(claim)].about != "relation" or self.network is None:
            return None
        return Table(self.network, field(claim, "relation", dict)) if "relation" in claim else self.table

    def title(self, claim: Any, table: Table | None, asked: Part | None) -> str:
        """The network and the relation of a claim: by their names in a question, else by digests, as nobody's."""
        names = list[str]()
        if self.network is not None:
            names.append(f"network {self.network.digest[:16]}" if asked is None else self.network.name)
        if table is not None and asked is not None and asked.table is not None:
            names.append(asked.routing)
        elif table is not None or "relation" in claim:
            names.append(f"relation {(digest(alike(claim['relation'])) if table is None else table.digest)[:16]}")
        return "".join(f"{name}, " for name in names)

    @property
    def routing(self) -> str:
        """The name of the relation."""
        return printable(str(self.part["relation"].get("name", "the relation that was asked for")))


class AskedPart(Part):
    """A part of a question, with the claims asked for; claims found are marked."""

    def __init__(self, document: Any, part: Any, name: str) -> None:
        super().__init__(document, part, name)
        self.optional = "optional" in part and field(part, "optional", bool)
        self.asked = [(asked, subject_of(asked), about(asked)) for asked in field(part, "claims", list)]
        self.found: dict[int, list[Any]] = {}
        self.differs = ""

    def require_same(self, place: Part) -> None:
        """Raise `Rejected` where a place of this name is about another network or other failures; compare tables."""
        if place.failed != self.failed:
            raise Rejected(f"{place.label} is about other failures than those that were asked for under this name")
        one, other = place.network, self.network
        if (one is None) != (other is None):
            raise Rejected(f"{place.label} is about {'no' if one is None else 'a'} network, unlike the question")
        if one is not None and other is not None:
            if one.digest != other.digest:
                raise Rejected(f"{place.label} is about {one.name}, another network than {other.name}")
            if other.name and one.name != other.name:
                raise Rejected(f"{place.label} calls its network {one.name}, and {other.name} was asked for")
        if place.table is not None and self.table is not None:
            self.differs = unlike(place.table, self.table)

    @property
    def left(self) -> list[str]:
        """What was asked for and was not found, in words."""
        if self.optional:
            return [] if self.found else [f"any of {len(self.asked)} usual claims"]
        return [subject for number, (_, subject, _) in enumerate(self.asked) if number not in self.found]

    def foreign(self, place: Part, claim: Any, table: Table | None) -> str:
        """Why a claim was not asked for; empty if it was, and then it is marked as found.

        Raises
        ------
        Rejected
            If it has another answer than the question, or than a claim that was found before.
        """
        if table is not None and self.table is not None and table is not place.table:
            difference = unlike(table, self.table)
        else:
            difference = self.differs if table is not None else ""
        if difference:
            return f"its table is not {self.routing}: {difference}"
        pay(len(self.asked))
        subject, says, why, same = subject_of(claim), about(claim), "nothing of this subject", False
        for number, (asked, kind, wants) in enumerate(self.asked):
            if kind != subject:
                continue
            if differ := sorted(key for key in wants.keys() | says.keys() if wants.get(key) != says.get(key)):
                why = f"something else by {', '.join(map(printable, differ))}"
                continue
            for answer in CLAIMS[subject].answers:
                if answer in asked and alike(asked[answer]) != alike(claim.get(answer, "")):
                    claims = f"{answer} {claim.get(answer)!r:.40}"
                    raise Rejected(f"{place.label}: {subject}: it claims {claims}, and not {asked[answer]!r:.40}")
            said = [alike(claim.get(answer)) for answer in CLAIMS[subject].answers]
            if self.found.setdefault(number, said) != said:
                raise Rejected(f"{place.label}: {subject}: what was asked for is claimed with two answers")
            same = True
        return "" if same else f"{why} was asked for"
