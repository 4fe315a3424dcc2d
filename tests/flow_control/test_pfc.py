"""The pause of (port, priority) is a value of flow control, by which lossless fabrics are judged and claimed."""

from __future__ import annotations

from pathlib import Path

import pytest

from unknot.certificates import accept, document, verdict_claim
from unknot.certificates.plain import about
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.flow_control.techniques import PFC, technique, technique_of
from unknot.verify import check
from unknot.verify.audit_ethernet import audit_ethernet

EXAMPLES = Path(__file__).parents[2] / "examples" / "ethernet"


@pytest.mark.parametrize(("name", "free"), [("dual-tor-two-queues", True), ("frr-two-links-down", False)])
def test_fabrics_are_judged_under_pauses(name: str, free: bool) -> None:
    audit = audit_ethernet(read_ethernet(EXAMPLES / name))
    verdict = audit.verdict
    assert (verdict.deadlock_free, verdict.flow) == (free, PFC)
    assert verdict.deadlock_free is check(audit.relation, technique_of(PFC)).deadlock_free
    if verdict.configuration is not None:
        assert verdict.configuration.flow == PFC
    claim = verdict_claim(verdict)
    accept(document(audit.relation.network, audit.relation, [claim]))
    said = claim["flow"]
    assert isinstance(said, dict)
    assert said["name"] == "pfc"


def test_claims_in_words_are_those_by_name() -> None:
    """Evidence of fabrics that names a technique answers a question about pauses, and the other way round."""
    words = {"name": "pfc", "holds": "buffer", "enters": "packet", "may_change": True, "packets": 0, "pools": []}
    asked = {"subject": "deadlock", "deadlock_free": True}
    assert about({**asked, "flow": words}) == about({**asked, "switching": "vct"})
    assert about({**asked, "flow": words}) != about({**asked, "switching": "wormhole"})
    cells = {**asked, "flow": {**words, "cell": 4}}
    assert about(cells) != about({**asked, "switching": "vct"})
    assert PFC.waiting == technique("vct").waiting
