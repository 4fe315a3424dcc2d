"""Documents that a hostile hand wrote: no crash, and memory in proportion to what was read."""

from __future__ import annotations

import contextlib
import copy
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.certificates.specimens import MAKE, specimen
from tests.certificates.standalone import standalone
from tests.certificates.test_hostile import damaged
from unknot.certificates import Rejected, plain

Document = dict[str, Any]

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
sys.path.insert(0, sys.argv[1])
import plain
sys.exit(plain.main(sys.argv[2:]))
"""
"""The checker in 1 GiB of memory."""


def line(routers: int, *, terminals: bool = False) -> Document:
    """A network in a row, one way, with terminals everywhere or at its ends."""
    ports = list(range(routers)) if terminals else [0, routers - 1]
    return {
        "name": "line", "routers": routers, "source": list(range(routers - 1)), "target": list(range(1, routers)),
        "inject": ports, "eject": ports,
    }  # fmt: skip


def whole(network: Document | None, claim: Document, relation: Document | None = None) -> Document:
    head = {"format": plain.FORMAT, "version": plain.VERSION}
    return {**head, "network": network, "relation": relation, "claims": [claim]}


def many_vcs() -> Document:
    relation = {"vcs": [2**20 - 1] * 9_999, "commits": False, "destination": [], "sources": None, "states": []}
    return whole(line(10_000), {"subject": "delivery", "delivered": True, "proof": {}}, relation)


def many_pairs() -> Document:
    """Each of 30,000 terminals sends to all."""
    proof = {"kind": "forced cycle", "turns": [[0, 0, 0, 0]]}
    return whole(line(30_000, terminals=True), lanes(proof))


def lanes(proof: Document, impossible: int = 1) -> Document:
    return {"subject": "lanes", "impossible": impossible, "changes": "none", "sends": None, "proof": proof}


def long_paths() -> Document:
    """Two channels at each of the first nine hops, then 40,000 hops: 512 shortest paths."""
    network = line(40_000)
    network["source"] += range(9)
    network["target"] += range(1, 10)
    return whole(network, lanes({"kind": "refutation", "pairs": [[0, 39_999]], "cycles": [], "steps": []}, 64))


def many_destinations() -> Document:
    """The distances to each of 6,000 routers."""
    network = line(6_000, terminals=True)
    proof = {"kind": "refutation", "pairs": [[r, r + 1] for r in range(5_999)], "cycles": [], "steps": []}
    return whole(network, lanes(proof))


def many_removals() -> Document:
    network = line(3_000)
    relation = {
        "vcs": [1] * 2_999, "commits": False, "destination": [1], "sources": [[0]],
        "states": [[[2_999, 0], *([at, at + 1] for at in range(2_998)), [2_998, -1]]],
    }  # fmt: skip
    fact = {"kind": "trap", "address": 0, "way": [2_999, *range(2_998)], "input_vcs": list(range(2_998))}
    way = [{"entry": [at, 0, at + 1]} for at in range(2_997)]
    tree = [*way, *[{"multipliers": [[0, 1]] * 2_000}] * (len(way) + 1)]
    claim = {"subject": "removals", "switching": "vct", "minimal": False, "least": 2_000}
    return whole(network, {**claim, "proof": {"facts": [fact], "tree": tree}}, relation)


def rules(**proof: Any) -> Document:
    more: Document = {"paths": [], "symmetries": [], "deadlocks": [], "cycles": [], "steps": [], **proof}
    claim = {"subject": "rules", "counts": [[60, 60]], "short": False, "switching": "wormhole-nonatomic"}
    return whole(None, {**claim, "adaptive": "paths", "least": 2, "symmetric": [], "proof": more})


def many_types_on_a_path() -> Document:
    return rules(paths=[[[0, 1]] * 900])


def many_symmetries() -> Document:
    return rules(symmetries=[list(range(120))] * 4_000, cycles=[[0, 60] * 4_000])


def many_worms() -> Document:
    """A complete network whose packets go round for ever: worms without number."""
    size = 12
    ends = [(u, v) for u in range(size) for v in range(size) if u != v]
    routers = list(range(size))
    network = {
        "name": "complete", "routers": size, "source": [u for u, _ in ends], "target": [v for _, v in ends],
        "inject": routers, "eject": routers,
    }  # fmt: skip
    leaving = [[c for c, (u, v) in enumerate(ends) if u == r and v] for r in range(size)]
    rows = [[len(ends) + r, *leaving[r]] for r in range(1, size)]
    rows += [[c, *(leaving[v] if v else [-1])] for c, (_, v) in enumerate(ends)] + [[len(ends), -1]]
    relation = {
        "vcs": [1] * len(ends), "commits": False, "destination": [0], "sources": [routers], "states": [rows],
    }  # fmt: skip
    core = [c for c, (_, v) in enumerate(ends) if v]
    proof = {"kind": "exhausted", "rank": [0] * len(ends), "core": core, "windows": [[core, core]]}
    return whole(
        network, {"subject": "deadlock", "switching": "wormhole", "deadlock_free": True, "proof": proof}, relation
    )


QUICK: list[Any] = [many_vcs, many_pairs, long_paths, many_symmetries]
SLOW: list[Any] = [many_destinations, many_removals, many_types_on_a_path, many_worms]


@pytest.mark.sampled(1 / 4)
@pytest.mark.parametrize("make", [*QUICK, *(pytest.param(make, marks=pytest.mark.campaign) for make in SLOW)])
def test_a_gibibyte_is_enough(make: Callable[[], Document], tmp_path: Path) -> None:
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(make()), encoding="utf-8")
    assert path.stat().st_size < 11_000_000
    words = [sys.executable, "-I", "-c", LIMITED, str(standalone().parent), str(path)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    assert ran.stderr == ""
    assert ran.returncode == (3 if "not checked" in ran.stdout else 1)


@pytest.mark.parametrize("place", ["rank", "switching", "deadlock_free", "proof", "parts", "network", "format"])
def test_depth(place: str, tmp_path: Path) -> None:
    """Lists in lists, as deep as JSON is read and deeper: what is wrong is said without going down there."""
    path = tmp_path / "deep.json"
    good = specimen("deadlock" if place == "deadlock_free" else "order")
    claim = good["claims"][0]
    above = next((part for part in (claim, claim["proof"], good) if place in part), good)
    above[place] = "HERE"
    text = json.dumps(good)
    for depth in (*range(850, 1010, 2), 5_000, 100_000):
        path.write_text(text.replace('"HERE"', "[" * depth + "]" * depth), encoding="utf-8")
        with pytest.raises(Rejected):
            plain.accept(plain.read(str(path)))


def test_what_is_said_is_short() -> None:
    content = specimen("order")
    content["claims"][0]["subject"] = "x" * 10**6
    with pytest.raises(Rejected) as caught:
        plain.accept(content)
    assert len(str(caught.value)) < 1_100


def bent(text: bytes, draw: random.Random) -> bytes:
    """A text some of whose bytes are lost, changed, or there twice."""
    wrong = bytearray(text)
    for _ in range(draw.randint(1, 4)):
        start = draw.randrange(len(wrong) + 1)
        stop = min(len(wrong), start + draw.choice([0, 1, 1, 2, 5, 40]))
        wrong[start:stop] = draw.choice([b"", bytes([draw.randrange(256)]), wrong[start:stop] * 2, b"9", b"-", b"[]"])
    return bytes(wrong)


def feed(count: int, seed: int, folder: Path) -> tuple[int, int]:
    """Damaged documents, as data and as files; the number that was still accepted, and that was rejected.

    Whatever else is raised fails the test.
    """
    draw, path = random.Random(seed), folder / "damaged.json"
    good = [specimen(name) for name in MAKE]
    tally = [0, 0]
    for number in range(count):
        content = copy.deepcopy(draw.choice(good))
        if number % 2:
            path.write_bytes(bent(json.dumps(content).encode(), draw))
        else:
            for _ in range(draw.randint(1, 3)):
                damaged(content, draw)
        accepted = False
        with contextlib.suppress(Rejected):
            plain.accept(plain.read(str(path)) if number % 2 else content)
            accepted = True
        tally[not accepted] += 1
    return tally[0], tally[1]


def test_damaged_documents(tmp_path: Path) -> None:
    assert feed(200, random.randrange(2**32), tmp_path)[1] > 100


@pytest.mark.campaign
def test_five_thousand_damaged_documents(tmp_path: Path) -> None:
    accepted, rejected = feed(5_000, random.randrange(2**32), tmp_path)
    print(f"{accepted} of 5,000 damaged documents still accepted, {rejected} rejected, none with another error")
