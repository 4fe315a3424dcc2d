"""Headers that commit wait for what they have chosen, whatever its mark, wherever the checker asks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.strategies import table_relation
from unknot import deliver
from unknot.certificates import Rejected, document, plain
from unknot.network.families import ring
from unknot.remedies.prune_space import Offers
from unknot.routing import EJECT, NO_WAIT, Relation
from unknot.routing.contract import NO_WAIT as MARK
from unknot.routing.waiting import effective, keeps_choice
from unknot.verify import check

Document = dict[str, Any]


def round_or_in_line() -> Relation:
    """Around a ring in VC 0, which deadlocks; or, with a mark that has no effect, along the line of it in VC 1."""
    network = ring(4)
    step = {(int(u), int(v)): 2 * c for c, (u, v) in enumerate(zip(network.source, network.target, strict=True))}
    table: dict[tuple[int, int], list[int]] = {}
    for address in range(4):
        for at in range(16 + 4):
            here = int(network.target[at // 2]) if at < 16 else at - 16
            along = step[here, here + (1 if address > here else -1)] + 1 if address != here else 0
            table[at, address] = [EJECT] if here == address else [step[here, (here + 1) % 4], along + NO_WAIT]
    return table_relation(network, 2, table, commits=True, name="round or in line")


def unmarked(content: Document) -> Document:
    """The table as a hostile hand writes it: with the marks that have no effect."""
    for rows in content["relation"]["states"]:
        for row in rows:
            row[1:] = [v if v < 0 or v % 2 == 0 else -v - 2 for v in row[1:]]
    return content


def of_a_thousand(relation: Relation) -> Document:
    """A claim of 1,000 removals: four packets block each other, and none of what they take can be removed."""
    round_ = [2 * c for c in range(8) if (int(relation.network.target[c]) - int(relation.network.source[c])) % 4 == 1]
    round_.sort(key=lambda vc: int(relation.network.source[vc // 2]))
    packets = [(t, (t + 2) % 4, 16 + t, round_[t], round_[(t + 1) % 4]) for t in range(4)]
    messages = [
        {"source": t, "address": a, "length": 8, "lead": [], "held": [vc], "wanted": [then]}
        for t, a, _, vc, then in packets
    ]
    facts: list[Document] = [{"kind": "knot", "messages": messages}]
    facts += [{"kind": "stop", "address": a, "way": [port, vc], "falling": []} for _, a, port, vc, _ in packets]
    facts += [{"kind": "stop", "address": a, "way": [port], "falling": []} for _, a, port, _, _ in packets]
    many = 1000 * plain.PARTS
    multipliers = [[0, many], *([n, many] for n in range(1, 5)), *([n, 2 * many] for n in range(5, 9))]
    claim = {"subject": "removals", "switching": "vct", "minimal": False, "least": 1000}
    proof = {"facts": facts, "tree": [{"multipliers": multipliers}]}
    return unmarked(document(relation.network, relation, [{**claim, "proof": proof}]))


def test_a_thousand_removals_where_few_do() -> None:
    relation = round_or_in_line()
    offers = Offers(relation, "vct", minimal=False)
    rows = [(at, address, vc) for address, states in enumerate(offers.after) for at in states for vc, _ in states[at]]
    around = frozenset(entry for entry in rows if entry[2] >= 0 and entry[2] % 2 == 0)
    assert len(around) < 100
    left = offers.without(around)
    assert check(left, "vct").deadlock_free
    assert deliver(left).delivered
    with pytest.raises(Rejected, match="do not add up to 1000"):
        plain.accept(of_a_thousand(relation))


def test_a_table_of_marks_alone_is_one_where_headers_commit() -> None:
    content = document(ring(4), round_or_in_line(), [{"subject": "delivery", "delivered": True, "proof": {}}])
    for rows in content["relation"]["states"]:
        for row in rows:
            row[1:] = [v if v < 0 else -v - 2 for v in row[1:]]
    assert "always be ejected" in plain.accept(content)[0]
    content["relation"]["commits"] = False
    with pytest.raises(Rejected, match="would wait for nothing"):
        plain.accept(content)


@pytest.mark.parametrize("commits", [False, True])
@pytest.mark.parametrize("switching", plain.SWITCHINGS)
def test_sets_for_which_headers_wait(commits: bool, switching: str) -> None:
    alone, made = commits or switching == "wormhole-nonatomic", plain.SWITCHINGS[switching]
    assert plain.keeps_choice(commits, made) == keeps_choice(commits, switching) == alone
    assert plain.choices([1, -4, 3], commits, made) == ([[1], [2], [3]] if alone else [[1, 3]])
    assert plain.choices([-4], commits, made) == ([[2]] if alone else [])
    assert plain.choices([], commits, made) == []
    assert plain.choices([plain.EJECT], commits, made) == [[plain.EJECT]]


def test_marks_that_have_an_effect() -> None:
    entries = np.array([1, 2 + MARK], dtype=np.int64)
    assert effective(entries, True).tolist() == [1, 2]
    assert effective(entries, False).tolist() == entries.tolist()
    assert (effective(2 + MARK, True), effective(2 + MARK, False)) == (2, 2 + MARK)
