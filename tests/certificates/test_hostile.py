"""Evidence that is not what it should be: every place of a document has its type and range, and must be there."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certificates.specimens import MAKE, question_for, specimen
from unknot._base.switching import SWITCHINGS
from unknot.certificates import Rejected, plain

Place = tuple[Any, ...]
"""Keys and numbers that lead to a part of a document."""
UNREAD = {("relation", "name"), ("claims", 0, "relation", "name"), ("parts", 0, "relation", "name")}
"""Places that no claim rests on."""


def places(content: Any, above: Place = ()) -> Iterator[Place]:
    """All places of a document, those of parts before those of what they hold."""
    for key in content if isinstance(content, dict) else range(len(content)):
        yield (*above, key)
        if isinstance(content[key], (dict, list)):
            yield from places(content[key], (*above, key))


def at(content: Any, place: Place) -> Any:
    for key in place:
        content = content[key]
    return content


def rejected(content: Any) -> bool:
    try:
        plain.accept(content)
    except Rejected:
        return True
    return False


NAMES = list(MAKE)
ODD: tuple[Any, ...] = (None, True, 1.5, "x", [], {}, -(10**30))


def of_another_type(content: Any, place: Place) -> list[Any]:
    """Odd entries of other types than the one that is there."""
    # A transfer without a rate has that of its slowest channel.
    entry, optional = at(content, place), place[-1] in ("sources", "sends", "relation") or place[-2:-1] == ("rates",)
    odd = [other for other in ODD if type(other) is not type(entry) and not (other is None and optional)]
    return [other for other in odd if not (place == ("version",) and other is True)]


def limits(content: Any, place: Place) -> list[int]:
    """Numbers just out of the range of those that may be in a place; none if any other number may be true."""
    network = content["network"] or {"inject": [], "routers": 0}
    about = content["parts"][0] if place[0] == "parts" else content
    relation = about["relation"] or content["claims"][0].get("relation") or {"vcs": [], "destination": []}
    vcs, terminals = sum(relation["vcs"]), len(network["inject"])
    name = next(key for key in reversed(place) if isinstance(key, str))
    if place[0] == "network" and len(place) > 2:
        return [-1, network["routers"]]
    highest = {
        "destination": terminals, "sources": terminals, "vcs": 2**20, "core": vcs, "windows": vcs, "lead": vcs,
        "held": vcs, "wanted": vcs, "path": vcs, "way": vcs + terminals, "input_vcs": vcs + terminals,
        "source": terminals, "address": len(relation["destination"]), "pairs": network["routers"], "rank": 2**60,
        "turns": 2**31, "entry": 2**62, "multipliers": 2**62, "steps": 10**9, "cycles": 10**6,
    }  # fmt: skip
    if name == "states":
        return [-1, vcs + terminals] if place[-4] == "states" and place[-1] == 0 else [-vcs - 2, vcs, vcs + terminals]
    if name == "multipliers" and place[-1] == 0:
        return [-1, len(content["claims"][0]["proof"]["facts"])]
    if "without" in place:
        return [-1, len(network["source"])]
    if name == "rule" or (name == "cycles" and place[-1] == len(at(content, place[:-1])) - 1):
        return [-(10**9), 10**9] if name == "rule" else []  # or a weight
    if name == "least" and place[-1] == 1:
        return []  # a denominator: with a higher one less is claimed
    if name in ("impossible", "least"):
        candidates = sum(c != -1 for rows in relation.get("states", ()) for row in rows for c in row[1:])
        hopeless = "tree" in content["claims"][0]["proof"] and at(content, place) > candidates
        return [at(content, place) + 1] * (not hopeless) + [0] * (name == "impossible")
    lowest = {"rank": -(2**60), "steps": -(10**9)}
    return [lowest.get(name, 0) - 1, highest[name]] if name in highest else []


def unread(content: Any, place: Place) -> bool:
    """Whether nothing rests on a place: names of relations, and how long messages of knots are."""
    subject = content["claims"][0]["subject"]
    of_knot = subject == "removals" and (place[-1] == "length" or "wanted" in place)
    return place in UNREAD or of_knot or (subject == "lanes of routes" and place[-1] == "kind")


@pytest.mark.sampled(1 / 8)
@pytest.mark.parametrize("name", NAMES)
def test_every_place_has_its_type_and_its_range(name: str) -> None:
    content = specimen(name)
    every = [place for place in places(content) if not unread(content, place)]
    # A cut without a source or target, or with none, is one for all members; without allowed links all are.
    ends = {"collective": {"source", "target"}, "hops": {"allowed"}}.get(content["claims"][0]["subject"], set())
    for place in random.sample(every, min(60, len(every))):
        above, entry = at(content, place[:-1]), at(content, place)
        wrong = [other for other in of_another_type(content, place) if other is not None or place[-1] not in ends]
        if type(entry) is int:
            wrong += limits(content, place)
        for other in wrong:
            above[place[-1]] = other
            assert rejected(content), (place, other)
        above[place[-1]] = entry
        # Without the entries of "routes": one lane; without "smallest": a deadlock that may be larger than others;
        # without "carried": a claim about hops alone.
        optional = (
            ends
            | {"sources", "sends", "parts", "smallest", "carried"}
            | ({"impossible", "changes"} if name == "routes" else set())
        )
        if isinstance(above, dict) and place[-1] not in optional and entry is not None:
            kept = dict(above)
            del above[place[-1]]
            assert rejected(content), place
            above.clear()
            above.update(kept)  # in the order as before: classes of a protocol are counted in it
    assert not rejected(content)


FIXED = {"source", "target", "inject", "eject", "vcs", "destination", "states", "rank", "turns", "offset"}
"""Lists that are not what they were where an entry is left out or there twice."""
ROWS = {"states", "turns", "multipliers", "paid", "channels", "windows", "counts", "chunks", "gradient"}
"""Lists of lists for which that holds."""


@pytest.mark.parametrize("name", NAMES)
def test_lists_have_their_length(name: str) -> None:
    content = specimen(name)
    for place in places(content):
        entries = at(content, place)
        whole = place[-1] in FIXED or not ROWS.isdisjoint(place[-2:-1])
        if not isinstance(entries, list) or not whole or name.startswith("lanes"):
            continue
        for other in (entries[1:], [*entries, copy.deepcopy(entries[-1])]) if entries else ():
            at(content, place[:-1])[place[-1]] = other
            assert rejected(content), place
        at(content, place[:-1])[place[-1]] = entries


SAYS = {
    "size": ["25 pairs of source and address: no deadlock under vct has fewer than 5 packets"],
    "order": [f"16 pairs of source and address: free of deadlock under {switching}" for switching in SWITCHINGS],
    "escape and drain": [
        f"16 pairs of source and address: free of deadlock under {switching}" for switching in ("saf", "wormhole")
    ],
    "core": ["81 pairs of source and address: free of deadlock under wormhole"],
    "deadlock": [
        f"16 pairs of source and address: deadlock under {switching}, reachability injected"
        for switching in SWITCHINGS
    ],
    "delivered": ["25 pairs of source and address: every packet can always be ejected"],
    "lost": [
        "3 pairs of source and address: a packet can never be ejected",
        "3 pairs of source and address: packets may go round for ever",
    ],
    "update": [
        "deadlock under vct while routers are updated, none of fewer than 4 packets",
        "free of deadlock under vct while routers are updated in 2 batches, if the packets of before have left the "
        "network when a batch begins",
    ],
    "end points": [
        "8 pairs of source and address: with request_reply (separate queues) free of deadlock under vct",
        "8 pairs of source and address: with request_reply (shared queues) deadlock under vct: "
        "a run after which 6 messages can never move; none of fewer than 6 transactions",
    ],
    "end points by states": [
        "4 pairs of source and address: with request_reply (separate queues) free of deadlock under vct: "
        "from each of 47 states all messages can leave",
    ],
    "update in any order": ["free of deadlock under vct in whatever order routers are updated"],
    "lengths": ["25 pairs of source and address: the longest route has 2 hops, and all are shortest paths"],
    "forced": ["shortest paths: 1 lane that packets keep cannot be free of deadlock"],
    "routes": ["25 pairs of source and address: these routes cannot be free of deadlock in 1 lane that packets keep"],
    "lanes": ["shortest paths: 2 lanes that packets keep cannot be free of deadlock"],
    "lanes that are shared": [
        "shortest paths: 1 lane that both directions of a pair keep cannot be free of deadlock"
    ],
    "lanes that are rising": ["shortest paths: 1 lane that rise at hops cannot be free of deadlock"],
    "lanes that are any": ["shortest paths: 1 lane that change at hops cannot be free of deadlock"],
    "removed": [
        "16 pairs of source and address: not safe under wormhole and delivering with fewer than 2 candidates removed"
    ],
    "minimal": [
        "16 pairs of source and address: not safe under vct and delivering on shortest paths with fewer than 2 "
        "candidates removed"
    ],
}


@pytest.mark.parametrize("name", SAYS)
def test_what_is_shown(name: str) -> None:
    content = specimen(name)
    network = content["network"]
    arrays = [network[key] for key in ("routers", "source", "target", "inject", "eject")]
    digest = hashlib.sha256(json.dumps(arrays, separators=(",", ":")).encode()).hexdigest()
    said = plain.accept(content)
    assert [line.partition(", ")[0] for line in said] == [f"network {digest[:16]}"] * len(SAYS[name])
    assert [re.sub(r"^network \w+, (relation \w+, )?", "", line) for line in said] == SAYS[name]
    asked = plain.accept(content, question_for(content))
    assert all(line.startswith(f"{network['name']}, ") for line in asked)
    assert all(line.endswith(shown) for line, shown in zip(asked, SAYS[name], strict=True))


def test_what_parts_show() -> None:
    whole, left = plain.accept(specimen("parts"))
    assert whole.endswith("every packet can always be ejected")
    assert left.startswith("two channels fail: network ")
    assert left.endswith("25 pairs of source and address: free of deadlock under vct")


def test_a_wrong_step_of_a_schedule_is_named() -> None:
    content = specimen("schedule")
    for number, step in enumerate(content["claims"][0]["proof"]["steps"]):
        step.append([0, 0, 0, False, []])
        with pytest.raises(Rejected, match=f"step {number}: channels .* do not lead from 0 to 0"):
            plain.accept(content)
        step.pop()


def test_names_are_printed_as_what_they_are() -> None:
    content = specimen("order")
    content["network"]["name"] = "a\x1b[2Jb\n" + 100 * "c"
    assert plain.accept(content, question_for(content))[0].startswith("a?[2Jb?" + 73 * "c" + ", ")


def test_files_of_all_kinds(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    """The worst status counts: 2 for what cannot be read, 1 for what is rejected, 3 for what is not checked."""
    good, bad, none = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "none.json"
    content = specimen("core")
    good.write_text(json.dumps(content))
    bad.write_text("[")
    assert plain.main([str(good), str(good)]) == 0
    assert capsys.readouterr().out.count(f"{good}: accepted: network ") == 2
    assert plain.main([str(bad), str(good)]) == 1
    assert capsys.readouterr().out.startswith(f"{bad}: REJECTED: this is not JSON: ")
    assert plain.main([str(none), str(bad), str(good)]) == 2
    assert capsys.readouterr().out.startswith(f"{none}: cannot be read: No such file")
    monkeypatch.setattr("unknot.certificates.plain.worms.SEARCH_STEPS", 20)
    assert plain.main([str(good)]) == 3
    assert capsys.readouterr().out.startswith(f"{good}: not checked: what takes more than 20 steps")
    assert plain.main([str(bad), str(good)]) == 1
    capsys.readouterr()
    monkeypatch.setattr("unknot.certificates.plain.documents.MOST_BYTES", good.stat().st_size - 1)
    assert plain.main([str(good)]) == 3
    assert capsys.readouterr().out.startswith(f"{good}: not checked: a file of more than")
    monkeypatch.undo()
    monkeypatch.setattr("unknot.certificates.plain.documents.MOST_BYTES", good.stat().st_size)
    assert plain.main([str(good)]) == 0


def damaged(content: Any, draw: random.Random) -> None:
    """Change one place of a document, at any depth."""
    here = content
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not keys:
            return
        key = draw.choice(keys)
        if not isinstance(here[key], (dict, list)) or draw.random() < 0.15:
            break
        here = here[key]
    odd: list[Any] = [None, -1, 10**30, 1.5, "x", [], {}, True, [[]], -7, 3]
    if draw.random() < 0.2 and isinstance(here, list):
        here.append(copy.deepcopy(here[key]))
    elif draw.random() < 0.2:
        del here[key]
    else:
        here[key] = draw.choice(odd)


@given(st.sampled_from(NAMES), st.randoms(use_true_random=False))
def test_damaged_documents_are_rejected_or_harmless(name: str, draw: random.Random) -> None:
    content = specimen(name)
    for _ in range(draw.randint(1, 3)):
        damaged(content, draw)
    with contextlib.suppress(Rejected):
        plain.accept(content)
