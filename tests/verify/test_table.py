"""Small relations are judged from a table: as the compiled rule would be, and nothing stays behind."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing import draw_until
from tests.strategies import networks, relations
from unknot._base.errors import RelationError
from unknot._base.switching import SWITCHINGS
from unknot.certificates import Verdict, evidence_holds
from unknot.network.families import mesh, ring
from unknot.routing import Relation, dimension_order, duato, tabulate
from unknot.routing.relation import EJECT, Rule
from unknot.verify import adaptivity, check, deliver, vc_use

ANY = st.one_of(relations(networks(loops=True, strongly_connected=None)), relations(networks(max_routers=5)))


def without_table(relation: Relation) -> Relation:
    """The same relation, asked through its function pointer."""
    other = replace(relation)
    other.__dict__["table"] = None
    return other


def same(one: Verdict, other: Verdict) -> None:
    """Compare two verdicts whole, arrays of certificates included."""
    assert {**vars(one), "certificate": None} == {**vars(other), "certificate": None}
    if one.certificate is not None:
        assert other.certificate is not None
        assert one.certificate.kind == other.certificate.kind
        np.testing.assert_array_equal(one.certificate.rank, other.certificate.rank)
        np.testing.assert_array_equal(one.certificate.core, other.certificate.core)
        assert repr(one.certificate.windows) == repr(other.certificate.windows)


def test_the_table_and_the_function_lead_to_the_same_verdicts() -> None:
    seen: Counter[Any] = Counter()

    @settings(max_examples=5)
    @given(ANY)
    def compare(relation: Relation) -> None:
        pointer = without_table(relation)
        for switching in SWITCHINGS:
            verdict = check(relation, switching, buffer_depth=2)
            same(verdict, check(pointer, switching, buffer_depth=2))
            seen[verdict.deadlock_free] += 1
        assert deliver(relation) == deliver(pointer)
        assert "compiled" not in relation.__dict__

    draw_until(lambda: min(seen[True], seen[False]) > 4, compare)


@pytest.mark.parametrize("relation", [duato(ring(4)), dimension_order(ring(5))])
def test_the_table_and_the_compiled_rule_lead_to_the_same_verdicts(relation: Relation) -> None:
    compiled = without_table(relation)
    for switching in SWITCHINGS:
        verdict = check(relation, switching)
        same(verdict, check(compiled, switching))
        same(check(relation, switching, shorten=False), check(compiled, switching, shorten=False))
        assert evidence_holds(relation, verdict)
    assert adaptivity(relation).mean == adaptivity(compiled).mean
    assert repr(vc_use(relation)) == repr(vc_use(compiled))
    assert "compiled" in compiled.__dict__
    assert "compiled" not in relation.__dict__


def broken(kind: str) -> Rule:
    good = dimension_order(mesh(3, 2)).rule

    def rule(at: int, address: int, out: Any) -> int:
        count = good(at, address, out)
        if address == 3 and at == 5:
            if kind == "raises":
                raise ValueError("no way")
            out[0] = {"none": 10**6, "elsewhere": at, "ejects": EJECT, "many": 1}[kind]
            return 99 if kind == "many" else 1
        return count

    return rule


@pytest.mark.parametrize("kind", ["raises", "none", "elsewhere", "ejects", "many"])
def test_a_broken_rule_is_named_as_by_the_function(kind: str) -> None:
    relation = Relation(mesh(3, 2), 1, broken(kind), name="broken")
    messages = set()
    for asked in (relation, without_table(relation)):
        with pytest.raises(RelationError, match=r"broken at .* for t3: ") as error:
            check(replace(asked) if asked is relation else asked)
        messages.add(str(error.value))
    assert len(messages) == 1


def test_large_and_slow_rules_are_not_tabulated(monkeypatch: pytest.MonkeyPatch) -> None:
    relation = dimension_order(mesh(3, 3))
    pairs = relation.vcs.router.size * relation.num_addresses
    monkeypatch.setattr(tabulate, "FEW", pairs - 1)
    assert replace(relation).table is None
    monkeypatch.setattr(tabulate, "FEW", pairs)
    assert replace(relation).table is not None
    monkeypatch.setattr(tabulate, "SECONDS", -1.0)
    assert replace(relation).table is None


# In a process of its own, since threads of other tests take and give back memory meanwhile.
MANY_CHECKS = """
import gc
from pathlib import Path
from unknot._base.switching import SWITCHINGS
from unknot.network.families import mesh, ring
from unknot.routing import dimension_order, duato
from unknot.verify import check

def memory():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

def some(many):
    for i in range(many):
        relation = (dimension_order(ring(6), 2), duato(mesh(3, 2)), dimension_order(ring(6)))[i % 3]
        for switching in SWITCHINGS:
            check(relation, switching, shorten=False, threads=1)

some(9)
before = memory()
some(18)
print(memory() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_nothing_stays_behind() -> None:
    """Compiled, each of these relations would leave some 3 MB."""
    done = subprocess.run([sys.executable, "-c", MANY_CHECKS], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 10e6
