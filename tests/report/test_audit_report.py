"""The report of an audit names the switches of the loop and what does not arrive."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fabrics import texts
from tests.report.test_study_report import read
from unknot.fabrics import read_fabric
from unknot.report import write_audit_report
from unknot.verify.audit import Audit, audit


def judged(folder: Path, layout: texts.Layout) -> Audit:
    (folder / "fabric.ibnetdiscover").write_text(texts.ibnetdiscover(layout))
    (folder / "opensm-lfts.dump").write_text(texts.lfts(layout))
    return audit(read_fabric(folder))


def report(audit: Audit, folder: Path) -> str:
    write_audit_report(audit, folder / "audit.html")
    return (folder / "audit.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> tuple[Audit, str]:
    folder = tmp_path_factory.mktemp("ring")
    found = judged(folder, texts.ring(5))
    return found, report(found, folder)


def test_a_ring_that_can_deadlock(ring: tuple[Audit, str]) -> None:
    found, page = ring
    text = " ".join(read(page).text)
    assert "These forwarding tables can deadlock, on a loop of 5 switches. Every host reaches every other." in text
    assert " → ".join([*found.loop, found.loop[0]]) in text
    assert "How host-to-host traffic deadlocks" in text
    assert "one virtual lane" in text
    for kind in found.traffics:
        assert kind.traffic in text
    assert found.host_to_host.longer_pairs > 0
    assert f"{found.host_to_host.longer_pairs:,} longer, by up to" in text


def test_it_names_the_files(ring: tuple[Audit, str]) -> None:
    found, page = ring
    text = " ".join(read(page).text)
    assert found.fabric.fabric_file in text
    assert found.fabric.tables_file in text
    assert "5 switches, 5 host ports, 10 LIDs" in text


def test_every_message_is_described_and_drawn(ring: tuple[Audit, str]) -> None:
    found, page = ring
    text = " ".join(read(page).text)
    configuration = found.host_to_host.verdict.configuration
    assert configuration is not None
    for i, message in enumerate(configuration.messages):
        assert f"Message {i + 1}: " in text
        assert all(found.host_to_host.relation.vcs.name(vc) in text for vc in (*message.held, *message.wanted))


def test_the_same_audit_gives_the_same_bytes(ring: tuple[Audit, str], tmp_path: Path) -> None:
    found, page = ring
    assert report(found, tmp_path) == page


def test_pairs_that_are_lost_are_reported(tmp_path: Path) -> None:
    layout = texts.ring(5)
    layout.tables["S2"][1] = 255
    found = judged(tmp_path, layout)
    text = " ".join(read(report(found, tmp_path)).text)
    lost = found.host_to_host.delivery
    assert lost.undelivered_pairs > 0
    assert f"{lost.undelivered_pairs:,} of {lost.pairs} pairs are not delivered." in text
    assert "Where host-to-host traffic does not arrive" in text
    assert all(line in text for line in found.host_to_host.lost)
