"""Cores that are searched: both checkers say the same of what is whole and of what is changed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.certificates.corruption import corrupted
from tests.certificates.test_plain import holds
from tests.verify.constructions import FREE_THREE_WIDE, by_signs
from unknot.certificates import table_of, verdict_claim
from unknot.checker import evidence_holds
from unknot.network import Network
from unknot.topologies import mesh
from unknot.verify import check


@pytest.mark.parametrize(("network", "changes"), [(mesh(3, 3), 40), (mesh(3, 4), 10)])
def test_cores(network: Network, changes: int) -> None:
    relation = by_signs(network, FREE_THREE_WIDE)
    verdict = check(relation, "wormhole")
    assert verdict.certificate is not None
    assert verdict.certificate.kind == "exhausted"
    rows, random = table_of(relation), np.random.default_rng()
    assert holds(relation, verdict_claim(verdict), rows)
    accepted = []
    for _ in range(changes):
        wrong = corrupted(verdict, random)
        accepted.append(holds(relation, verdict_claim(wrong), rows))
        assert accepted[-1] == evidence_holds(relation, wrong), wrong.certificate
    assert not all(accepted)
