"""The course as a student takes it: each exercise solved on the served page by what the page offers."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.browser.conftest import Browser

pytestmark = pytest.mark.browser
CONTROL, DELETE, TAB = "\ue009", "\ue017", "\ue004"
PLACE = """
const { geometry: g, place, canvas } = unknot.view, box = canvas.getBoundingClientRect();
const ends = [...arguments].map((name) => g.names.indexOf(name));
const middle = (values) => ends.reduce((sum, router) => sum + values[router], 0) / ends.length;
return [box.left + middle(g.x) * place.k + place.x, box.top + middle(g.y) * place.k + place.y];
"""


@contextmanager
def served(number: int) -> Iterator[str]:
    """The address of an exercise."""
    command = [sys.executable, "-c", "from unknot_start import main; main()", "explore", "--exercise", str(number)]
    with subprocess.Popen([*command, "--no-browser"], stdout=subprocess.PIPE, stderr=-3, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


def said(browser: Browser, selector: str) -> str:
    """The last text of a kind, once it is there and no work goes on."""
    time.sleep(0.6)
    end = time.monotonic() + 120
    while time.monotonic() < end:
        text = browser.texts(selector)[-1]
        if text and "…" not in text and "Does every" not in text:
            return text
        time.sleep(0.1)
    raise AssertionError(f"nothing is said in {selector}")


def press(browser: Browser, text: str) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        for button in browser.driver.find_elements("css selector", "button"):
            if button.text == text:
                button.click()
                return
        time.sleep(0.1)
    raise AssertionError(f"there is no button {text}")


def fill(browser: Browser, field: str, value: str) -> None:
    """Type into a field, as with a keyboard."""
    element = browser.driver.find_element("id", f"unknot-{field}")
    element.click()
    element.send_keys(CONTROL, "a")
    element.send_keys(value, TAB)
    said(browser, ".verdict")


def click(browser: Browser, *names: str) -> None:
    """Click a router, or the middle of a straight link between two."""
    browser.run("unknot.view.canvas.scrollIntoView()")
    x, y = browser.run(PLACE, *names)
    for kind in ("mousePressed", "mouseReleased"):
        what = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", what)
    time.sleep(0.3)


def forbid_turns(browser: Browser) -> None:
    for turn in (("(0,0)", "(1,0)", "(1,1)"), ("(1,0)", "(0,0)", "(0,1)")):
        press(browser, "Turn")
        for name in turn:
            click(browser, name)
        press(browser, "Forbid this turn")
        said(browser, ".verdict")


def mend_tree(browser: Browser) -> None:
    press(browser, "Kill")
    click(browser, "(0,0,0)", "(1,0,0)")
    said(browser, ".verdict")
    click(browser, "(0,1,0)", "(1,1,0)")
    fill(browser, "routing", "up_down")


def two_networks(browser: Browser) -> None:
    fill(browser, "routing", "message_classes(base='dimension_order')")
    fill(browser, "vcs", "2")


SOLVED: tuple[Callable[[Browser], None], ...] = (
    lambda browser: press(browser, "Last"),
    lambda browser: fill(browser, "vcs", "1"),
    forbid_turns,
    lambda browser: fill(browser, "vcs", "2"),
    lambda browser: fill(browser, "routing", "duato"),
    lambda browser: fill(browser, "switching", "bubble('localised')"),
    mend_tree,
    two_networks,
)


@pytest.mark.parametrize("number", range(1, 9))
def test_an_exercise_is_solved_by_hand(browser: Browser, number: int) -> None:
    browser.complaints()
    with served(number) as address:
        browser.driver.get(address)
        said(browser, ".verdict")
        press(browser, "Check")
        assert said(browser, ".course p").startswith("Not yet.")
        SOLVED[number - 1](browser)
        press(browser, "Check")
        assert said(browser, ".course p") == "Solved."
        assert browser.complaints() == []
