"""Knots in bounds: packets that wait for each other forbid nothing unless they can all come to where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.reference.exploration import comes_to_block
from tests.strategies import table_relation
from unknot.certificates import Unchecked, document, plain
from unknot.certificates.claims import removals_claim
from unknot.network import Network
from unknot.remedies import escaped
from unknot.routing import EJECT, Relation
from unknot.verify import check

KNOT = [{"source": 0, "address": 1, "length": 2, "lead": [2], "held": [0, 2], "wanted": [0]}]
"""A worm that would have to pass the VC that its own header is in."""
FACT = {"facts": [{"kind": "knot", "messages": KNOT}], "tree": [{"multipliers": [[0, plain.PARTS]]}]}
KNOTS = {"knots": [{"messages": KNOT, "weight": plain.PARTS}]}
CLAIMS = (
    removals_claim("wormhole", False, 1, FACT),
    {"subject": "escapes", "switching": "wormhole", "minimal": False, "least": 1, "proof": KNOTS},
)


def passing() -> Relation:
    """Packets to router 1 go there by one channel, back, and again by any of two."""
    network = Network("passing", 2, [1, 0, 0], [0, 1, 1])
    table = {(0, 0): [EJECT], (4, 0): [0], (0, 1): [1, 2], (1, 1): [EJECT], (2, 1): [0], (3, 1): [1, 2]}
    return table_relation(network, 1, table, may_use=np.array([[False, True], [True, False]]), name="passing")


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim["subject"])
def test_a_forged_bound_of_packets_that_cannot_come_there(claim: dict[str, Any]) -> None:
    """The relation is free of deadlock as it is, and yet candidates would have to go, or VCs to be added."""
    relation = passing()
    assert not comes_to_block(relation, "wormhole")
    assert check(relation, "wormhole").deadlock_free
    assert escaped(relation, switching="wormhole").evidence is None
    with pytest.raises(Unchecked, match="come to where they stand"):
        plain.accept(document(relation.network, relation, [claim]))


def test_packets_of_a_rule_that_would_have_to_pass_each_other() -> None:
    """Of three packets each passes where the next one will stand; if two of them stand straight ahead, they come."""
    ways = [
        ((0, 1, 2), (2, 2, 1), [0, 5, 2]),
        ((0, 2, 1), (1, 1, 3), [4, 3, 0]),
        ((1, 1, 1), (0, 3, 2), [2, 1, 4]),
    ]
    messages = [{"source": [*a], "target": [*b], "way": way, "holds": 1, "wants": 0} for a, b, way in ways]
    family = {"counts": [[1, 1]] * 3, "short": False, "switching": "vct"}
    rules = plain.Rules({**family, "adaptive": "states", "least": 1, "symmetric": []})
    switching = plain.SWITCHINGS["vct"]
    with pytest.raises(Unchecked, match="come to where they stand"):
        rules.deadlock(switching, messages)
    assert rules.deadlock(switching, messages[:2])
    proof = {"paths": [], "symmetries": [], "cycles": [], "deadlocks": [messages], "steps": []}
    claim = {"subject": "rules", **family, "adaptive": "states", "least": 8, "symmetric": [], "proof": proof}
    with pytest.raises(Unchecked, match="come to where they stand"):
        plain.accept(document(None, None, [claim]))
