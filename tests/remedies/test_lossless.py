"""Fewest queues of Ethernet fabrics as QoS maps of SONiC, read back and judged again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unknot._base.errors import UnknotError
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.remedies.lossless import RULES, repair_lossless
from unknot.verify.audit_ethernet import audit_ethernet

EXAMPLES = Path(__file__).parents[2] / "examples" / "ethernet"


@pytest.mark.parametrize(
    ("example", "priorities"), [("frr-two-links-down", "2,3"), ("dual-tor-one-queue", "2,3,4,6")]
)
def test_maps_that_are_written_cannot_deadlock(example: str, priorities: str, tmp_path: Path) -> None:
    repaired = repair_lossless(read_ethernet(EXAMPLES / example), tmp_path / "out")
    assert repaired.before.deadlock_free is False
    assert (repaired.queues.count, repaired.queues.lower_bound, repaired.queues.evidence_holds) == (2, 2, True)
    assert repaired.after is not None
    assert repaired.after.holds
    assert repaired.after.certificate_holds
    path = next(iter(sorted((tmp_path / "out").rglob("*config_db.json"))))
    ports = json.loads(path.read_text(encoding="utf-8"))["PORT_QOS_MAP"].values()
    assert {port["pfc_enable"] for port in ports} == {priorities}
    assert "tag 1" in (tmp_path / "out" / RULES).read_text(encoding="utf-8")


def test_maps_without_the_rewriting_of_tags_deadlock_again(tmp_path: Path) -> None:
    repair_lossless(read_ethernet(EXAMPLES / "frr-two-links-down"), tmp_path / "out")
    for path in (tmp_path / "out").rglob("*config_db.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        for port in content["PORT_QOS_MAP"].values():
            port.pop("tc_to_dscp_map", None)
            port["tc_to_queue_map"] = port["tc_to_pg_map"] = "SAME"
        content["TC_TO_QUEUE_MAP"] = content["TC_TO_PRIORITY_GROUP_MAP"] = {
            "SAME": {str(n): str(n) for n in range(8)}
        }
        path.write_text(json.dumps(content), encoding="utf-8")
    audit = audit_ethernet(read_ethernet(tmp_path / "out"))
    assert audit.holds is False


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UnknotError, match="name a new folder"):
        repair_lossless(read_ethernet(EXAMPLES / "frr-two-links-down"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_fabric_that_is_free_needs_one_queue() -> None:
    repaired = repair_lossless(read_ethernet(EXAMPLES / "frr-all-links-up"))
    assert repaired.before.deadlock_free
    assert (repaired.queues.count, repaired.queues.entries) == (1, [])
