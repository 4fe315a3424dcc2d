"""Few bytes that ask for much work: the check ends, and says that it was not made."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.certificates.specimens import specimen
from unknot.certificates import Rejected, Unchecked, plain

Document = dict[str, Any]

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (500_000_000, 500_000_000))
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
sys.path.insert(0, sys.argv[1])
import plain
sys.exit(plain.main(sys.argv[2:]))
"""
"""The checker in 500 MB of memory and 10 s of processor time."""
ENDS = {0: "accepted", 1: "REJECTED", 3: "not checked"}


def checked_within_limits(*paths: Path) -> str:
    """What the checker alone prints of files, all of which must end in one of three ways."""
    words = [sys.executable, "-I", "-c", LIMITED, str(Path(plain.__file__).parent), *map(str, paths)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    assert ran.stderr == ""
    assert ENDS[ran.returncode] in ran.stdout
    return ran.stdout


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
    assert checked_within_limits(*paths).count(str(tmp_path)) == 3


def test_effort_allows_for_more() -> None:
    network = {"name": "x", "routers": 3_000_000, "source": [], "target": [], "inject": [], "eject": []}
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
