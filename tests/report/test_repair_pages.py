"""The page beside a repaired Ethernet fabric says what was proved of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.remedies.lossless import RepairedFabric, repair_lossless
from unknot.report.repair_pages import PAGE, ethernet_repair_page
from unknot.verify.audit_ethernet import audit_ethernet

EXAMPLES = Path(__file__).parents[2] / "examples" / "ethernet"


@pytest.fixture(scope="module")
def repaired() -> RepairedFabric:
    return repair_lossless(read_ethernet(EXAMPLES / "frr-two-links-down"))


def test_the_command_writes_it_where_it_disturbs_no_audit(tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = CliRunner().invoke(app, ["repair", str(EXAMPLES / "frr-two-links-down"), "--out", str(out)])
    assert outcome.exit_code == 0
    assert f"how to load it: {out / PAGE}" in outcome.stderr
    assert "cut 2 of 12 ordered pairs" in (out / PAGE).read_text(encoding="utf-8")
    assert audit_ethernet(read_ethernet(out)).holds


def test_it_says_what_was_proved_and_what_the_route_maps_cost(repaired: RepairedFabric) -> None:
    text = ethernet_repair_page(repaired)
    assert (
        "can deadlock under priority flow control. 2 queues for each lossless class will do; fewer are impos" in text
    )
    assert "## QoS maps of SONiC\n\nFree of deadlock: yes.\n" in text
    assert "cut 2 of 12 ordered pairs" in text


def test_maps_that_cannot_be_written_and_open_answers_are_not_called_proved(repaired: RepairedFabric) -> None:
    assert repaired.after is not None
    refused = ethernet_repair_page(replace(repaired, after=None, refused="too many classes"))
    assert "QoS maps are not written: too many classes" in refused
    assert "QoS maps of SONiC" not in refused
    assert repaired.maps is not None
    useless = ethernet_repair_page(replace(repaired, maps=replace(repaired.maps, free=False)))
    assert "are no remedy here" in useless
    assert "vtysh" not in useless
    lossy = replace(repaired, after=replace(repaired.after, deadlock_free=None, losses=("tor-a Ethernet0",)))
    assert "Free of deadlock: undecided, with 1 place where lossless packets can be dropped." in ethernet_repair_page(
        lossy
    )
