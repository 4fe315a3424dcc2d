"""The page of a counterexample: what it shows at the end is what the replay says, message for message."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def drawn_flits(browser: Browser) -> list[tuple[int, str]]:
    """Flits of the lines that are drawn and their colours."""
    script = "return [...document.querySelectorAll('#worms path')].map(p => "
    return [
        (int(dashes.split()[0]), colour)
        for dashes, colour in browser.run(script + "[p.getAttribute('stroke-dasharray'), p.getAttribute('stroke')])")
    ]


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_stepping_to_the_end_is_the_replay(browser: Browser, tmp_path: Path, case: tuple[str, str, str]) -> None:
    relation, configuration = knot_of(*case)
    page = tmp_path / "knot.html"
    write_knot_page(relation, configuration, page)
    recording = record(relation, configuration)
    assert page.stat().st_size < 300_000
    browser.open(page)
    for step, frame in enumerate(recording.frames):
        now = browser.texts("#now")[0]
        assert now.startswith(f"Step {step} of {len(recording.frames)}, cycle {frame.cycle}")
        assert sorted(flits for flits, _ in drawn_flits(browser)) == sorted(frame.flits.values())
        browser.press(RIGHT)
    assert "It is a deadlock" in browser.texts("#now")[0]
    for (m, waits), text in zip(recording.replay.waits, browser.texts(".message .under"), strict=True):
        message = configuration.messages[m]
        assert f"Blocked for ever in {relation.vcs.name(message.held[-1])}:" in text
        assert all(relation.vcs.name(vc) in text for vc in message.wanted)
        holders = " and ".join(str(other + 1) for other in waits)
        assert text.endswith(f"held by message{'s' if len(waits) > 1 else ''} {holders}.")
    browser.press(RIGHT, LEFT)
    assert browser.texts("#now")[0].startswith(f"Step {len(recording.frames) - 1} ")
    browser.press(HOME)
    assert "the network is empty" in browser.texts("#now")[0]
    assert drawn_flits(browser) == []
    browser.press(END)
    assert "It is a deadlock" in browser.texts("#now")[0]
    assert browser.complaints() == []


def test_buttons_slider_and_space_bar(browser: Browser, tmp_path: Path) -> None:
    relation, configuration = knot_of(*CASES[1])
    page = tmp_path / "knot.html"
    write_knot_page(relation, configuration, page)
    frames = len(record(relation, configuration).frames)
    browser.open(page)
    for button, step in (("next", 1), ("next", 2), ("back", 1), ("last", frames), ("first", 0)):
        browser.driver.find_element("id", button).click()
        assert browser.texts("#now")[0].startswith(f"Step {step} ")
    browser.driver.find_element("id", "at").send_keys(RIGHT, RIGHT)
    assert browser.texts("#now")[0].startswith("Step 2 ")
    browser.open(page)
    browser.press(" ")
    assert browser.texts("#play") == ["❚❚ Pause"]
    browser.press(" ")
    assert browser.texts("#play") == ["▶▶ Play"]
    assert browser.complaints() == []


def test_the_page_is_looked_at(browser: Browser, tmp_path: Path) -> None:
    relation, configuration = knot_of(*CASES[1])
    page = tmp_path / "knot.html"
    write_knot_page(relation, configuration, page)
    browser.looked_at(page, "knot")


def test_hostile_names_stay_text(browser: Browser, tmp_path: Path) -> None:
    relation, configuration = hostile_knot()
    page = tmp_path / "knot.html"
    write_knot_page(relation, configuration, page)
    browser.open(page)
    browser.press(END)
    assert browser.run("return window.broken") is None
    assert any(HOSTILE_NAME in text for text in browser.texts(".message .under"))
    assert browser.complaints() == []
