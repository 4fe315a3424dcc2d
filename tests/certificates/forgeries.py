"""Forged evidence: parts of honest documents exchanged, renamed, borrowed, doubled, weakened or in other units.

`python -m tests.certificates.forgeries COUNT` prints how many of each kind there are, and what becomes of them.
"""

from __future__ import annotations

import contextlib
import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.certificates.honest import KINDS, NETWORKS, TWINS, Document, honest
from tests.certificates.specimens import question_for
from tests.reference.asked import untrue
from unknot.certificates import Rejected, plain

VARIANTS = 3


@dataclass(frozen=True)
class Forgery:
    """A forged document, what was asked, how it was made, and why a naive reader finds it false or foreign.

    `twins`: whether all that it was made of is about networks of one size and name.
    """

    document: Document
    question: Document
    way: str
    why: str
    twins: bool


def pool(kind: str, numbers: range) -> list[Document]:
    """The honest documents of a kind that claim something."""
    made = [json.loads(honest(kind, number, variant)) for number in numbers for variant in range(VARIANTS)]
    return [one for one in made if one["claims"] or one.get("parts")]


def forgeries(kind: str, count: int, seed: int = 1, variants: int = 2 * TWINS) -> Iterator[Forgery]:
    """Yield different forgeries of a kind, half of them about networks of one size and name."""
    draw, seen = random.Random(f"{kind} {seed}"), set[str]()
    pools = pool(kind, range(min(TWINS, variants))), pool(kind, range(TWINS, min(NETWORKS, TWINS + variants)))
    for number in range(count):
        twins, tries = number % 2 == 0, 0
        while True:
            tries += 1
            assert tries < 20_000, f"{kind}: no more forgeries are found"
            mine = pools[0] if twins else [*pools[0], *pools[1]]
            victim, donor = copy.deepcopy(draw.choice(mine)), copy.deepcopy(draw.choice(mine))
            way = draw.choice(sorted(WAYS))
            forged = copy.deepcopy(victim)
            with contextlib.suppress(LookupError, TypeError, ValueError):
                forged = WAYS[way](forged, donor, draw) or forged
            text, question = json.dumps(forged), question_for(victim)
            if text in seen or not _parsed(forged) or not (why := untrue(forged, question)):
                continue
            seen.add(text)
            yield Forgery(json.loads(text), question, way, why, twins)
            break


def _parsed(document: Document) -> bool:
    """Whether the checker reads networks, tables and claims, whatever it thinks of the proofs."""
    try:
        for name, part in ((name, part) for name, part in _parts(document)):
            read = plain.Part(document, part, name)
            for claim in part["claims"]:
                read.table_of(claim)
                plain.about(claim)
                plain.field(claim, "proof", dict)
    except (Rejected, KeyError, TypeError):
        return False
    return True


def _parts(document: Document) -> list[tuple[str, Document]]:
    return [("", document), *((part["name"], part) for part in document.get("parts", ()))]


def _claims(document: Document) -> list[tuple[Document, int]]:
    return [(part, number) for _, part in _parts(document) for number in range(len(part["claims"]))]


def swap(forged: Document, donor: Document, draw: random.Random) -> Document | None:
    """Another document under this name; or its claims, its relation or its proofs here."""
    how = draw.randrange(4)
    if how == 0:
        if donor["network"] is not None:
            donor["network"]["name"] = forged["network"]["name"]
        return donor
    part = draw.choice(_parts(forged))[1]
    other = draw.choice(_parts(donor))[1]
    if how == 1:
        part["claims"] = other["claims"]
    elif how == 2:
        part["relation"] = other["relation"]
    else:
        place, number = draw.choice(_claims(forged))
        source, index = draw.choice(_claims(donor))
        place["claims"][number] = source["claims"][index]
    return None


def rename(forged: Document, donor: Document, draw: random.Random) -> None:
    """A name of another network, of a part, or of a subject or word."""
    parts = forged.get("parts", [])
    if parts and draw.random() < 0.6:
        one, other = draw.choice(parts), draw.choice(parts)
        if draw.random() < 0.5:
            one["name"], other["name"] = other["name"], one["name"]
        else:
            one["name"] += draw.choice(["'", " ", str(draw.randint(2, 99))])
    elif forged["network"] is not None and draw.random() < 0.5:
        forged["network"]["name"] += draw.choice(["'", f"({draw.randint(2, 99)})", " with faults"])
    else:
        words = {
            "saf",
            "vct",
            "wormhole",
            "wormhole-nonatomic",
            "none",
            "shared",
            "rising",
            "any",
            "pairs",
            "entries",
        }
        words |= {
            "all_reduce",
            "all_to_all",
            "all_gather",
            "round_robin",
            "oldest_first",
            "links",
            "cables",
            "states",
        }
        place, number = draw.choice(_claims(forged))
        claim = place["claims"][number]
        keys = [key for key, entry in claim.items() if isinstance(entry, str) and entry in words]
        claim[draw.choice(keys)] = draw.choice(sorted(words))


def borrow(forged: Document, donor: Document, draw: random.Random) -> None:
    """A relation or a network of a claim's or a part's own, or what failed, from elsewhere."""
    place, number = draw.choice(_claims(forged))
    other, index = draw.choice(_claims(donor))
    how = draw.randrange(4)
    if how == 0:
        place["claims"][number] = {**other["claims"][index], "relation": other["relation"] or donor["relation"]}
    elif how == 1:
        place["claims"][number]["relation"] = other["relation"] or donor["relation"]
    elif how == 2 and forged.get("parts"):
        part, from_part = draw.choice(forged["parts"]), draw.choice([*donor["parts"], *forged["parts"]])
        kept = part["name"]
        part.clear()
        part.update(copy.deepcopy(from_part) | {"name": kept})
    elif forged.get("parts"):
        part = draw.choice(forged["parts"])
        part["network"] = draw.choice([donor["network"], forged["network"]])


def duplicate(forged: Document, donor: Document, draw: random.Random) -> None:
    """A part twice, under a name of its own or another's; or a claim in place of another, or with another answer."""
    parts = forged.get("parts", [])
    if parts and draw.random() < 0.7:
        one = copy.deepcopy(draw.choice(parts))
        if draw.random() < 0.5:
            at = draw.randrange(len(parts))
            parts[at] = one | {"name": parts[at]["name"]}
        else:
            parts.append(one | {"name": one["name"] + draw.choice(["", "'", " again"])})
        return
    place, number = draw.choice(_claims(forged))
    again = copy.deepcopy(place["claims"][number])
    _change(again, draw)
    place["claims"].insert(draw.randrange(len(place["claims"]) + 1), again)
    if draw.random() < 0.5:
        del place["claims"][draw.randrange(len(place["claims"]))]


def weaken(forged: Document, donor: Document, draw: random.Random) -> None:
    """A claim, a part, a sender, a candidate or an entry less, or another number or truth."""
    how = draw.randrange(5)
    place, number = draw.choice(_claims(forged))
    if how == 0:
        del place["claims"][number]
    elif how == 1 and forged.get("parts"):
        del forged["parts"][draw.randrange(len(forged["parts"]))]
    elif how == 2 and place.get("relation"):
        relation = place["relation"]
        address = draw.randrange(len(relation["states"]))
        if draw.random() < 0.4:
            every = range(len(forged["network"]["inject"]))
            relation["sources"] = relation["sources"] or [list(every) for _ in relation["destination"]]
            relation["sources"][address].remove(draw.choice(relation["sources"][address]))
        elif draw.random() < 0.5:
            relation["commits"] = not relation["commits"]
        else:
            row = draw.choice([row for row in relation["states"][address] if len(row) > 2])
            del row[draw.randrange(1, len(row))]
    else:
        _change(place["claims"][number], draw)


def _change(claim: Document, draw: random.Random) -> None:
    """Change a number, a truth, or a list of a claim, not of its proof."""
    here: Any = {key: entry for key, entry in claim.items() if key not in ("proof", "subject")}
    top = True
    while True:
        key = draw.choice(sorted(here) if isinstance(here, dict) else range(len(here)))
        inner = here[key]
        if isinstance(inner, (dict, list)) and inner and draw.random() < 0.8:
            here, top = inner, False
            continue
        changed: Any = inner
        if isinstance(inner, bool):
            changed = not inner
        elif isinstance(inner, (int, float)):
            changed = max(0, inner + draw.choice([-1, 1]) * draw.randint(1, 9))
        elif isinstance(inner, list) and inner:
            changed = inner[1:] if draw.random() < 0.7 else [*inner, inner[0]]
        elif inner is None:
            changed = draw.choice([1, [], [[0, 1]]])
        (claim if top else here)[key] = changed
        return


def unit(forged: Document, donor: Document, draw: random.Random) -> None:
    """Sizes, times, flows, bandwidths, limits or bounds in another unit."""
    place, number = draw.choice(_claims(forged))
    claim, factor = place["claims"][number], draw.randint(2, 1000)
    scaled = [key for key in SCALED if claim.get(key) is not None]
    some = draw.sample(scaled, draw.randint(1, len(scaled)))
    for key in some:
        claim[key] = _scaled(claim[key], factor, draw.random() < 0.5)


SCALED = (
    "size", "time", "flows", "capacity", "least", "channels", "bound", "packets", "held", "longest", "more", "limit",
    "impossible", "chunks", "slots", "counts", "blocks", "protocol", "faults", "lanes",
)  # fmt: skip
"""Keys of claims that are numbers, or hold some."""


def _scaled(entry: Any, factor: int, below: bool) -> Any:
    if isinstance(entry, bool) or entry is None or isinstance(entry, str):
        return entry
    if isinstance(entry, (int, float)):
        return entry * factor
    if isinstance(entry, dict):
        return {key: _scaled(inner, factor, below) for key, inner in entry.items()}
    if len(entry) == 2 and all(isinstance(part, int) for part in entry):  # a fraction
        return [entry[0], entry[1] * factor] if below else [entry[0] * factor, entry[1]]
    if entry and isinstance(entry[0], list):
        return [_scaled(inner, factor, below) for inner in entry]
    return [*entry[:2], *(part * factor if isinstance(part, (int, float)) else part for part in entry[2:])]


def loosen(forged: Document, donor: Document, draw: random.Random) -> None:
    """Pools with a slot more, with less kept free, or with more ways in; or the pools of another claim."""
    place, number = draw.choice(_claims(forged))
    flow = place["claims"][number]["flow"]
    if draw.random() < 0.2:
        other, index = draw.choice(_claims(donor))
        flow["pools"] = other["claims"][index]["flow"]["pools"]
        return
    pool, how = draw.choice(flow["pools"]), draw.randrange(7)
    if how == 0:
        pool["slots"] += 1
    elif how == 1:
        pool["own"] = pool.get("own", 0) + 1
    elif how == 2:
        pool["unguarded"] = [*pool.get("unguarded", []), draw.choice(pool["vcs"])]
    elif how == 3:
        pool["hops"] = [*pool.get("hops", []), [draw.choice(pool["vcs"]), draw.choice(pool["vcs"])]]
    elif how == 4:
        pool["keeps"] = draw.choice(["nothing", "slot of the buffer", "slot of the pool", "marked slot"])
    elif how == 5:
        pool["vcs"] = draw.sample(pool["vcs"], len(pool["vcs"]))
    else:
        flow["packets"] += 1


WAYS = {way.__name__: way for way in (swap, rename, borrow, duplicate, weaken, unit, loosen)}
"""Ways to forge, each a function of a document to change, another one, and what draws."""


def outcome(forgery: Forgery) -> str:
    """What becomes of a forgery: accepted, rejected or not checked."""
    try:
        plain.accept(forgery.document, forgery.question)
    except Rejected as error:
        return error.word
    return "accepted"


def main(count: int) -> None:
    """Print what becomes of the forgeries of each kind, and how many of the first 100 hold if nothing is asked."""
    for kind in KINDS:
        seen = Counter[str]()
        for number, forgery in enumerate(forgeries(kind, count)):
            seen.update([outcome(forgery), forgery.way, *["twins"] * forgery.twins])
            with contextlib.suppress(Rejected):
                seen["of 100 hold without a question"] += number < 100 and bool(plain.accept(forgery.document))
        print(f"{kind}: {count} forgeries,", ", ".join(f"{n} {word}" for word, n in sorted(seen.items())), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
