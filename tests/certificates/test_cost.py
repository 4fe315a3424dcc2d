"""Few bytes that ask for much work: the check ends, and says that it was not made."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.certificates.hostility import hostile
from tests.certificates.specimens import specimen
from tests.certificates.standalone import standalone
from unknot.certificates import Rejected, Unchecked, plain
from unknot.certificates.plain import reading

Document = dict[str, Any]

LIMITED = """
import contextlib, io, json, resource, sys
sys.path.insert(0, sys.argv[1])
import plain

def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime

resource.setrlimit(resource.RLIMIT_AS, (500_000_000, 500_000_000))
for path in sys.argv[2:]:
    before, said = used(), io.StringIO()
    resource.setrlimit(resource.RLIMIT_CPU, (int(before) + 10, resource.RLIM_INFINITY))
    with contextlib.redirect_stdout(said):
        status = plain.main([path])
    said.getvalue().encode()
    print(json.dumps([path, status, used() - before, said.getvalue()[len(path) + 2 :][:200]]), flush=True)
"""
"""The checker in 500 MB of memory and 10 s of processor time for each file; a line for each that came to its end."""
ENDS = {0: "accepted", 1: "REJECTED", 3: "not checked"}


class Check(NamedTuple):
    """How the check of a file ended: processor seconds, and the beginning of what it said."""

    path: str
    status: int
    seconds: float
    says: str

    @property
    def ended(self) -> bool:
        """Whether it ended in one of three ways, without asking for memory that it could not have."""
        return self.says.startswith(ENDS.get(self.status, "none")) and "more memory" not in self.says


def checks(paths: list[Path]) -> list[Check]:
    """Check files one after the other within limits; what does not come to its end is tried alone once more."""
    done: list[Check] = []
    while len(done) < len(paths):
        left = [*map(str, paths[len(done) :])]
        words = [sys.executable, "-I", "-c", LIMITED, str(standalone().parent), *left]
        ran = subprocess.run(words, capture_output=True, text=True, check=False)
        some = [Check(*json.loads(line)) for line in ran.stdout.splitlines()]
        if len(some) < len(left):
            some.append(Check(left[len(some)], ran.returncode, 10, ran.stderr[-300:]))
        first = next((i for i, check in enumerate(some) if not check.ended), len(some))
        if 0 < first < len(some):  # what came before may have filled the memory
            some = some[:first]
        done += some[: first + 1]
    return done


def large_network() -> Document:
    network = {"name": "x", "routers": 2**31 - 1, "source": [], "target": [], "inject": [], "eject": []}
    claim = {"subject": "load", "flows": None, "capacity": None, "least": [0, 1], "proof": {"weights": []}}
    return {"format": plain.FORMAT, "version": 1, "network": network, "relation": None, "claims": [claim]}


def classes_in_a_row(count: int, follows: int) -> Document:
    """Each class is followed by the next, twice or more: 2 to the power of their number."""
    content = specimen("end points by states")
    (claim,) = content["claims"]
    protocol = claim["protocol"]
    one = {**protocol["classes"]["request"], "together": "", "carries": ""}
    names = [f"c{number}" for number in range(count)]
    protocol["classes"] = {
        name: {**one, "follows": [{"class": after, "to": "any", "count": 1}] * follows}
        for name, after in itertools.pairwise(names)
    } | {names[-1]: {**one, "follows": []}}
    protocol |= {"begins": [["c0"]], "outstanding": None}
    claim["proof"] = {"kind": "cycles"}
    return content


def test_few_bytes_that_ask_for_much(tmp_path: Path) -> None:
    paths = []
    for number, content in enumerate((large_network(), classes_in_a_row(30, 2), classes_in_a_row(1500, 1))):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(content), encoding="utf-8")
    assert all(check.ended for check in checks(paths))


def campaign(count: int, seed: int, folder: Path) -> list[Check]:
    """Check documents that a hostile hand made of honest ones; the seed names all of them."""
    draw = random.Random(seed)
    paths = []
    for number in range(count):
        name, text = hostile(draw)
        paths.append(folder / f"{number:04d} {name}.json")
        paths[-1].write_text(text, encoding="utf-8")
    ran = checks(paths)
    worst = sorted(ran, key=lambda check: -check.seconds)[:5]
    ways = Counter(ENDS.get(check.status, "none") for check in ran)
    print(f"seed {seed}: {dict(ways)}")
    print("\n".join(f"{check.seconds:.1f} s {check.path}: {check.says}" for check in worst))
    return ran


@pytest.mark.long
def test_hostile_documents_end(tmp_path: Path, seed: int) -> None:
    ran = campaign(20, seed, tmp_path)
    assert [check for check in ran if not check.ended] == []


@pytest.mark.campaign
def test_a_thousand_hostile_documents_end(tmp_path: Path, seed: int) -> None:
    ran = campaign(1_200, seed, tmp_path)
    assert [check for check in ran if not check.ended] == []


def test_effort_allows_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "ALLOWANCE", plain.ALLOWANCE // 100)
    network = {"name": "x", "routers": 30_000, "source": [], "target": [], "inject": [], "eject": []}
    claim = {"subject": "load", "least": [0, 1], "proof": {"weights": []}}
    content = {"format": plain.FORMAT, "version": 1, "network": network, "relation": None, "claims": [claim]}
    with pytest.raises(Unchecked, match="--effort"):
        plain.accept(content)
    assert plain.accept(content, effort=10)[0].endswith("some channel has a load of at least 0")


def test_an_honest_document_pays_for_itself() -> None:
    """Twice the table pays for twice the work: a proof of any length is checked."""
    purse = plain.Purse(specimen("order"), 1)
    assert purse.whole == plain.ALLOWANCE + plain.EACH * plain.entries_of(specimen("order"))
    assert plain.entries_of([[1, 2], {"a": [3]}, "text", 4]) == 8


@pytest.mark.parametrize("place", ["proof", "protocol"])
def test_what_has_no_form_is_rejected(place: str) -> None:
    content = specimen("end points by states")
    content["claims"][0][place] = {}
    with pytest.raises(Rejected):
        plain.accept(content)
