"""Honest documents of every subject made hostile: few bytes that ask for much work."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from tests.certificates.specimens import MAKE, specimen

Document = dict[str, Any]
Place = tuple[Any, ...]

MOST_BYTES = 1_000_000
LARGE: tuple[Any, ...] = (
    30, 1000, 65_537, 2**20 - 1, 2**31 - 1, 2**53, 2**60 - 1, 10**18, 10**300, 10**4200, -(2**59), -1, 0, 1,
    float("inf"), float("nan"), 1e308, 5e-324, -0.0, True, "1", "x" * 5000, None, [], {},
)  # fmt: skip
"""What may stand in the place of a number."""


def places(content: Any, above: Place = ()) -> Iterator[Place]:
    """Every place of a document."""
    for key in content if isinstance(content, dict) else range(len(content)):
        yield (*above, key)
        if isinstance(content[key], (dict, list)):
            yield from places(content[key], (*above, key))


def at(content: Any, place: Place) -> Any:
    for key in place:
        content = content[key]
    return content


def some_place(content: Any, draw: random.Random, kind: type | tuple[type, ...]) -> Place | None:
    """A place of a type; those of claims and proofs as often as all others."""
    every = [place for place in places(content) if isinstance(at(content, place), kind)]
    inner = [place for place in every if "claims" in place]
    chosen = inner if inner and draw.random() < 0.6 else every
    return draw.choice(chosen) if chosen else None


def enlarged(content: Document, draw: random.Random) -> None:
    """Put large or odd numbers in the place of one, or of all under its name."""
    place = some_place(content, draw, (int, float))
    if place is None:
        return
    value = draw.choice(LARGE)
    name = next((key for key in reversed(place) if isinstance(key, str)), None)
    same = [place]
    if draw.random() < 0.3:
        same = [p for p in places(content) if p[-1] == name and isinstance(at(content, p), int)] or same
    for one in same:
        at(content, one[:-1])[one[-1]] = value


def repeated(content: Document, draw: random.Random) -> None:
    """Repeat the entries of a list until the document is as long as it may be, or shorter."""
    place = some_place(content, draw, list)
    if place is None or not at(content, place):
        return
    entries = at(content, place)
    times = (MOST_BYTES - len(json.dumps(content)) - 1000) // (len(json.dumps(entries)) + 2)
    if draw.random() < 0.3:
        entries[:] = [draw.choice(entries)] * max(1, min(times, draw.choice([100, 10_000, 10**6])))
    else:
        entries *= max(1, min(times, draw.choice([2, 30, 1000, 10**6])))
    entries[:] = json.loads(json.dumps(entries))  # apart from each other: a later change is to grow one of them


def counted(content: Document, draw: random.Random) -> None:
    """Put a list of all numbers up to one in the place of a list."""
    place = some_place(content, draw, list)
    if place is not None:
        at(content, place[:-1])[place[-1]] = [*range(draw.choice([10, 1000, 60_000]))]


def nested(content: Document, draw: random.Random) -> None:
    """Put lists in lists, or objects in objects, in some place."""
    place = some_place(content, draw, (int, float, str, bool, list, dict))
    if place is None:
        return
    depth, inner = draw.choice([10, 400, 900]), at(content, place)
    for _ in range(depth):
        inner = {"subject": inner} if draw.random() < 0.1 else [inner]
    at(content, place[:-1])[place[-1]] = inner


def exchanged(content: Document, draw: random.Random) -> None:
    """Put one part of a document in the place of another."""
    one, other = (some_place(content, draw, (list, dict)) for _ in range(2))
    if one is not None and other is not None and one[: len(other)] != other and other[: len(one)] != one:
        at(content, one[:-1])[one[-1]] = at(content, other)


def chained(content: Document, draw: random.Random) -> None:
    """Let the classes of a protocol follow each other, in a row or each by several, in large queues or small ones."""
    for claim in content["claims"]:
        protocol = claim.get("protocol")
        if not isinstance(protocol, dict) or not protocol.get("classes"):
            continue
        one = draw.choice([*protocol["classes"].values()])
        names = [f"c{number}" for number in range(draw.choice([5, 40, 1000]))]
        to, count = draw.choice(["any", "sender", "origin"]), draw.choice([1, 1, 3, 1000])
        follow = {"to": to, "count": count}
        onward = [*zip(names, names[1:] + names[: draw.random() < 0.2], strict=False)]
        classes = {name: {**one, "follows": []} for name in names}
        for name, after in onward:
            classes[name]["follows"] = [{**follow, "class": after}] * draw.choice([1, 1, 2, 5])
        protocol |= {"classes": classes, "begins": [[names[0]]] * draw.choice([1, 3])}
        for queues in (protocol["send"], protocol["receive"]):
            for room in queues.values() if isinstance(queues, dict) else ():
                if isinstance(room, dict):
                    room["depth"] = draw.choice([1, 2, 10**9, 10**200])
        if draw.random() < 0.7:
            claim |= {"deadlock_free": True, "proof": {"kind": draw.choice(["cycles", "states"])}}


def grown(content: Document, draw: random.Random) -> None:
    """Let a relation offer everything: many channels beside each other, and all of them as candidates everywhere."""
    network = content.get("network")
    about = [content, *content.get("claims", ())]
    relations = [one["relation"] for one in about if isinstance(one, dict) and isinstance(one.get("relation"), dict)]
    if not isinstance(network, dict) or not relations or not network.get("source"):
        return
    wide, hosts = draw.choice([(3, 2), (30, 10), (120, 40)]), draw.choice([1, 2])
    many, terminals = wide
    ends = [(u, v) for u in range(2) for v in range(2) if u != v for _ in range(many)]
    network |= {
        "routers": 2, "source": [u for u, _ in ends], "target": [v for _, v in ends],
        "inject": [0] * terminals + [1] * hosts, "eject": [0] * terminals + [1] * hosts,
    }  # fmt: skip
    addresses = [*range(terminals + hosts)]
    inject, vcs = network["inject"], 2 * many
    leaving = [[c for c, (u, _) in enumerate(ends) if u == router] for router in range(2)]
    here = [v for _, v in ends] + inject
    states = [
        [[at, *([-1] if here[at] == inject[a] else []), *leaving[here[at]]] for at in range(vcs + len(inject))]
        for a in addresses
    ]
    for relation in relations:
        shape = {"vcs": [1] * vcs, "destination": addresses, "sources": None}
        relation |= {**shape, "states": states[: max(1, 200_000 // len(json.dumps(states)) * len(states))]}
        kept = len(relation["states"])
        relation["destination"] = addresses[:kept]
    for claim in content["claims"]:
        proof = claim.get("proof") if isinstance(claim, dict) else None
        if isinstance(proof, dict) and "rank" in proof:
            proof["rank"] = [0] * vcs
            if draw.random() < 0.6:
                proof |= {"kind": "exhausted", "core": [*range(vcs)], "windows": [[[*range(vcs)]] * 2] * 3}
                claim["switching"] = "wormhole"


CHANGES: tuple[Callable[[Document, random.Random], None], ...] = (
    enlarged, enlarged, enlarged, repeated, repeated, counted, nested, exchanged, chained, grown,
)  # fmt: skip


def hostile(draw: random.Random) -> tuple[str, str]:
    """A hostile document as text, of at most `MOST_BYTES`, and the name of the honest one that it was."""
    while True:
        name = draw.choice([*MAKE])
        content = specimen(name)
        for _ in range(draw.choice([1, 1, 2, 3])):
            with contextlib.suppress(
                AttributeError, LookupError, RecursionError, TypeError, ValueError
            ):  # it is no document any more
                draw.choice(CHANGES)(content, draw)
        try:
            text = json.dumps(content, separators=(",", ":"))
        except (RecursionError, ValueError):
            continue
        if draw.random() < 0.05:  # deeper than JSON is read
            text = text.replace("[]", "[" * 20_000 + "]" * 20_000, 1)
        if len(text.encode()) <= MOST_BYTES:
            return name, text
