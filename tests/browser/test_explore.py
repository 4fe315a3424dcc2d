"""The playground in a browser: knots stepped are replays, names stay text, and questions end when cancelled."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser.conftest import PICTURES, WIDTHS, Browser
from tests.report.examples import HOSTILE_NAME
from unknot.simulation.traces.recording import record
from unknot.verify import check
from unknot_explore.course import course, solved
from unknot_explore.design import Design
from unknot_explore.page import page, started, stored

pytestmark = pytest.mark.browser
SCENES = (
    ("torus(4, 4)", "dimension_order", 1), ("mesh(4, 4)", "west_first", None), ("fat_tree(2, 3)", "nca", None),
    ("dragonfly(4, 2, 2)", "dragonfly_minimal", None), ("hypercube(4)", "duato", None),
    ("ring(8)", "fully_adaptive", None), ("slim_fly(5)", "dfsssp", None), ("petersen()", "up_down", None),
    ("torus(8, 8)", "dimension_order", 2),
    ("complete(6)", "fully_adaptive", None),
)  # fmt: skip


@contextmanager
def served(network: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a page, and the process that serves it."""
    command = [sys.executable, "-c", "from unknot_start import main; main()", "explore", network, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip(), server
        server.terminate()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served("torus(4, 4)") as (where, _):
        yield where


def file_of(design: Design, path: Path, exercise: int | None = None) -> Path:
    path.write_text(
        page(started(design, exercise=exercise) | {"answers": stored(design, exercise)}), encoding="utf-8"
    )
    return path


def verdict(browser: Browser, seconds: float = 60) -> str:
    """The verdict once it is there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        (words,) = browser.texts(".verdict")
        if words and not words.startswith("Asking"):
            return words
        time.sleep(0.1)
    raise AssertionError("no verdict")


def shown(browser: Browser, selector: str, words: str = "", seconds: float = 60) -> str:
    """The first text of a kind that has some words, once it is there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for text in browser.texts(selector):
            if text and words in text:
                return text
        time.sleep(0.1)
    raise AssertionError(f"nothing in {selector} says {words}")


@pytest.mark.parametrize("case", SCENES[:2] + SCENES[5:6], ids=str)
def test_stepping_to_the_end_is_the_replay(
    browser: Browser, tmp_path: Path, case: tuple[str, str, int | None]
) -> None:
    design = Design(network=case[0], routing=case[1], vcs=case[2])
    relation = design.relation()
    configuration = check(relation).configuration
    browser.open(file_of(design, tmp_path / "page.html"))
    verdict(browser)
    if configuration is None:
        assert not browser.run("return unknot.story.story")
        return
    recording = record(relation, configuration)
    for step, frame in enumerate(recording.frames):
        assert browser.texts(".now")[0].startswith(f"Step {step} of {len(recording.frames)}, cycle {frame.cycle}")
        drawn = browser.run(
            "return unknot.view.scene.buffers.map(b => Math.round((b.to - b.from) * unknot.story.story.depth))"
        )
        assert sorted(drawn) == sorted(frame.flits.values())
        browser.run("unknot.story.go(unknot.story.step + 1)")
    assert "It is a deadlock" in browser.texts(".now")[0]
    words = browser.texts(".messages li")
    for (message, waits), text in zip(recording.replay.waits, words, strict=True):
        assert text.startswith(str(message + 1))
        assert all(str(other + 1) in text for other in waits)
    assert browser.complaints() == []


@pytest.mark.parametrize("case", SCENES, ids=str)
def test_scenes_at_each_width_in_both_themes(
    browser: Browser, tmp_path: Path, case: tuple[str, str, int | None]
) -> None:
    design = Design(network=case[0], routing=case[1], vcs=case[2])
    file = file_of(design, tmp_path / "page.html")
    PICTURES.mkdir(parents=True, exist_ok=True)
    for width in WIDTHS:
        for dark in (False, True):
            browser.open(file, width=width, dark=dark)
            verdict(browser)
            time.sleep(0.3)
            assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
            name = (
                f"explore-{re.sub(r'[^a-z0-9]+', '_', case[0]).strip('_')}-{width}-{'dark' if dark else 'light'}.png"
            )
            browser.driver.save_screenshot(str(PICTURES / name))
    assert browser.complaints() == []


def test_the_server_answers_a_change_and_a_click(browser: Browser, address: str) -> None:
    browser.driver.get(address)
    assert "cannot deadlock" in verdict(browser)
    browser.run("unknot.state.set({ routing: 'fully_adaptive' })")
    assert "can deadlock" in verdict(browser)
    browser.run("unknot.view.pick({ router: 5 })")
    assert "can deadlock" in verdict(browser)
    assert browser.run("return unknot.state.design.dead") == ["(1,1)"]
    assert "dead=" in browser.run("return location.hash")
    assert browser.complaints() == []


def test_a_cancelled_run_stops_within_a_second(browser: Browser, address: str) -> None:
    browser.driver.get(address)
    verdict(browser)
    browser.run("unknot.state.set({ network: 'torus(32, 32)', routing: 'dimension_order', vcs: 2 })")
    time.sleep(1)
    browser.run("unknot.state.set({ network: 'ring(4)', routing: 'dimension_order', vcs: 2 })")
    assert "cannot deadlock" in verdict(browser, 15)
    assert browser.texts(".status")[0].startswith("ring(4)")


def test_two_pages_are_answered_at_a_time(browser: Browser, address: str) -> None:
    driver = browser.driver
    driver.get(f"{address}#network=torus(16,+16)&routing=fully_adaptive")
    browser.run("[...document.querySelectorAll('button')].find(b => b.textContent === 'Remedies').click()")
    first = driver.current_window_handle
    driver.switch_to.new_window("tab")
    driver.get(f"{address}#network=ring(5)&routing=dimension_order&vcs=2")
    assert "cannot deadlock" in verdict(browser)
    browser.run("[...document.querySelectorAll('button')].find(b => b.textContent === 'Fewest lanes').click()")
    assert "Routes in 2 lanes" in shown(browser, ".offer")
    driver.close()
    driver.switch_to.window(first)
    assert "can deadlock" in verdict(browser)
    assert not any(browser.texts(".bad:not(.verdict)"))
    browser.run("unknot.state.set({ network: 'ring(5)' })")
    assert "Stopped" in shown(browser, "[aria-live]", "Stopped")


def test_back_forward_and_an_edited_address(browser: Browser, address: str) -> None:
    driver = browser.driver
    driver.get("about:blank")
    driver.get(address)
    verdict(browser)
    steps = [{"vcs": 3}, {"routing": "fully_adaptive"}, {"dead": ["(0,0)--(1,0)"]}]
    hashes = [browser.run("return location.hash")]
    for step in steps:
        browser.press("\ue004")  # Chromium goes back to steps that somebody took, and leaves out others
        browser.run("unknot.state.set(arguments[0])", step)
        verdict(browser)
        hashes.append(browser.run("return location.hash"))
    assert len({*hashes}) == 4
    for back in hashes[-2::-1]:
        driver.back()
        verdict(browser)
        assert browser.run("return location.hash") == back
    assert browser.run("return document.getElementById('unknot-vcs').value") == ""
    assert browser.run("return unknot.state.design.dead") == []
    driver.forward()
    assert "cannot deadlock" in verdict(browser)
    assert browser.run("return document.getElementById('unknot-vcs').value") == "3"
    browser.run("location.hash = arguments[0]", hashes[-1].replace("torus", "mesh"))
    shown(browser, ".status", "mesh(4, 4)")
    assert "deadlock" in verdict(browser)
    wrong = (
        ("netwrok=ring(4)", "has “netwrok”"),
        ("vcs=two", "vcs=two, where a number"),
        ("exercise=2", "no course"),
    )
    for text, why in wrong:
        browser.run("location.hash = arguments[0]", text)
        assert why in shown(browser, ".answer [role=alert]", why)
        assert browser.run("return unknot.state.design.network") == "mesh(4, 4)"
    browser.run("unknot.state.set({ vcs: 2 })")
    assert browser.texts(".answer [role=alert]") == [""]
    driver.get("about:blank")
    driver.get(f"{address}#vcs=two")
    assert "cannot deadlock" in verdict(browser)
    assert "vcs=two, where a number is expected" in browser.texts(".answer [role=alert]")[0]


def test_a_server_that_ended_is_told(browser: Browser) -> None:
    with served("ring(4)") as (where, server):
        browser.driver.get(where)
        verdict(browser)
        server.kill()
        server.wait()
        browser.run("unknot.state.set({ vcs: 2 })")
        assert "its command has ended. Start it again" in verdict(browser)
        assert browser.texts(".copyable code") == ["unknot explore", browser.run("return location.hash")]
    browser.complaints()


def test_hostile_names_stay_text(browser: Browser, tmp_path: Path) -> None:
    browser.complaints()  # of servers that went away
    design = Design(network=f'{{"{HOSTILE_NAME}" -- b, b -- c}}', routing="up_down")
    browser.open(file_of(design, tmp_path / "page.html"))
    verdict(browser)
    assert browser.run(
        "return window.broken === undefined && document.querySelectorAll('#unknot-explore script').length === 0"
    )
    assert browser.complaints() == []


def test_a_file_of_an_exercise_knows_its_solution(browser: Browser, tmp_path: Path) -> None:
    browser.open(file_of(Design.of(course()[1]["design"]), tmp_path / "page.html", exercise=1))
    verdict(browser)
    browser.run("unknot.state.set(arguments[0])", solved(1).model_dump())
    assert "can deadlock" in verdict(browser)
    browser.run("[...document.querySelectorAll('.course button')].find(b => b.textContent === 'Check').click()")
    time.sleep(0.3)
    assert "Solved." in browser.texts(".course p")
