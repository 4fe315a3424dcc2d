"""Pages of answers: knots stepped are replays, failures are switched on and off, hangs and schedules are played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import unknot
from tests.browser.conftest import Browser
from tests.report.examples import HOSTILE_NAME, hostile_knot
from unknot import Relation
from unknot.certificates import Configuration
from unknot.report import write_knot_page
from unknot.routing.named import routing
from unknot.simulation.traces.recording import record
from unknot.verify import check

pytestmark = pytest.mark.browser
HOME, END, LEFT, RIGHT = "\ue011", "\ue010", "\ue012", "\ue014"
FABRICS = Path(__file__).parents[2] / "examples"

CASES = (
    ("torus(8, 8)", "dimension_order", "vct"),
    ("mesh(3, 3)", "lcfaa", "wormhole"),
    ("torus(4, 4)", "duato", "wormhole-nonatomic"),
)


def knot_of(network: str, name: str, technique: str) -> tuple[Relation, Configuration]:
    from unknot.fabrics.named import network as network_named

    relation = routing(network_named(network), name)
    configuration = check(relation, technique).configuration  # type: ignore[arg-type]
    assert configuration is not None
    return relation, configuration


def drawn_flits(browser: Browser) -> list[int]:
    """Flits of the buffers that are drawn."""
    script = (
        "const s = unknot.story; return s.view.scene.buffers.map(b => Math.round((b.to - b.from) * s.story.depth))"
    )
    return sorted(browser.run(script))


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_stepping_to_the_end_is_the_replay(browser: Browser, tmp_path: Path, case: tuple[str, str, str]) -> None:
    relation, configuration = knot_of(*case)
    page = tmp_path / "knot.html"
    write_knot_page(relation, configuration, page)
    recording = record(relation, configuration)
    assert page.stat().st_size < 300_000
    browser.open(page)
    for step, frame in enumerate(recording.frames):
        assert browser.texts(".now")[0].startswith(f"Step {step} of {len(recording.frames)}, cycle {frame.cycle}")
        assert drawn_flits(browser) == sorted(frame.flits.values())
        browser.press(RIGHT)
    assert "It is a deadlock" in browser.texts(".now")[0]
    for (m, waits), text in zip(recording.replay.waits, browser.texts(".messages li"), strict=True):
        message = configuration.messages[m]
        assert f"Blocked for ever in {relation.vcs.name(message.held[-1])}:" in text
        assert all(relation.vcs.name(vc) in text for vc in message.wanted)
        holders = " and ".join(str(other + 1) for other in waits)
        assert text.endswith(f"held by message{'s' if len(waits) > 1 else ''} {holders}.")
    browser.press(RIGHT, LEFT)
    assert browser.texts(".now")[0].startswith(f"Step {len(recording.frames) - 1} ")
    browser.press(HOME)
    assert "the network is empty" in browser.texts(".now")[0]
    assert drawn_flits(browser) == []
    browser.press(END)
    assert "It is a deadlock" in browser.texts(".now")[0]
    assert browser.complaints() == []


def test_buttons_slider_and_space_bar(browser: Browser, tmp_path: Path) -> None:
    relation, configuration = knot_of(*CASES[1])
    page = tmp_path / "knot.html"
    write_knot_page(relation, configuration, page)
    frames = len(record(relation, configuration).frames)
    browser.open(page)
    for button, step in (("step", 1), ("step", 2), ("back", 1), ("last", frames), ("first", 0)):
        browser.driver.find_element("css selector", f"button.{button}").click()
        assert browser.texts(".now")[0].startswith(f"Step {step} ")
    browser.driver.find_element("css selector", "input[type=range]").send_keys(RIGHT, RIGHT)
    assert browser.texts(".now")[0].startswith("Step 2 ")
    browser.open(page)
    browser.press(" ")
    assert browser.texts("button.play") == ["Pause"]
    browser.press(" ")
    assert browser.texts("button.play") == ["Play"]
    assert browser.complaints() == []


def test_hostile_names_stay_text(browser: Browser, tmp_path: Path) -> None:
    relation, configuration = hostile_knot()
    page = tmp_path / "knot.html"
    write_knot_page(relation, configuration, page)
    browser.open(page)
    browser.press(END)
    assert browser.run("return window.broken") is None
    assert any(HOSTILE_NAME in text for text in browser.texts(".messages li"))
    assert browser.complaints() == []


def test_failures_are_switched_on_and_off(browser: Browser, tmp_path: Path) -> None:
    answer = unknot.faults("mesh(3, 3)", routing="west_first", kind="any", out=[tmp_path / "faults.html"])
    outcomes = {one.parts: one.outcome for one in answer.tried}
    browser.looked_at(tmp_path / "faults.html", "faults")
    browser.run("unknot.view.pick({ router: 4 })")
    assert browser.texts(".verdict")[0].startswith(f"Without (1,1): {outcomes['(1,1)',]}")
    browser.run("unknot.view.pick({ router: 4 }); unknot.view.pick({ link: unknot.view.geometry.links[0] })")
    (parts,) = browser.run("return [unknot.view.geometry.linkName(unknot.view.geometry.links[0])]")
    assert browser.texts(".verdict")[0].startswith(f"Without {parts.replace('--', '–')}: ")
    browser.run("unknot.view.pick({ router: 0 })")
    assert "was not tried" in browser.texts(".verdict")[0]


def test_the_hang_of_a_protocol_is_stepped(browser: Browser, tmp_path: Path) -> None:
    words: dict[str, Any] = {"network": "mesh(2, 2)", "routing": "dimension_order", "vcs": 1}
    answer = unknot.protocol("request_reply", **words, out=[tmp_path / "hang.html"])
    browser.looked_at(tmp_path / "hang.html", "protocol")
    for said in answer.steps:
        browser.press(RIGHT)
        assert browser.texts(".now")[0].endswith(f": {said}.")
    browser.press(RIGHT)
    assert "no message can move" in browser.texts(".now")[0]
    shown = browser.texts(".messages li")
    assert len(shown) == len(answer.blocked)
    for one in answer.blocked:
        assert any(one.place in text and one.waits_for.split(" ")[0] in text for text in shown)


def test_channels_of_a_schedule_over_time(browser: Browser, tmp_path: Path) -> None:
    answer = unknot.collective("ring(4)", operation="all_gather", algorithm="ring", out=[tmp_path / "busy.html"])
    assert answer.holds
    browser.looked_at(tmp_path / "busy.html", "collective")
    assert browser.run("return unknot.view.scene.shares.filter(([, share]) => share > 0).length") == 4


def test_pages_of_audits(browser: Browser, tmp_path: Path) -> None:
    unknot.audit(FABRICS / "fabrics/opensm-torus8x8-dor", out=[tmp_path / "audit.html"])
    browser.looked_at(tmp_path / "audit.html", "audit-scene")
    browser.press(END)
    assert "It is a deadlock" in browser.texts(".now")[0]
    unknot.audit(FABRICS / "ethernet/frr-two-links-down", out=[tmp_path / "ethernet.html"])
    browser.looked_at(tmp_path / "ethernet.html", "ethernet-scene")
    ring = browser.run("return unknot.view.scene.ring ?? []")
    if ring:
        browser.driver.find_element("css selector", ".messages button").click()
        assert browser.run("return unknot.view.scene.ways.length") > 0
