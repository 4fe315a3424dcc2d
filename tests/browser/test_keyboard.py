"""The playground without a pointer: the course, routers and links by keys alone, and a focus that stays in sight."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.browser.conftest import Browser
from tests.browser.test_course import served
from tests.browser.test_explore import file_of, shown, verdict
from unknot_explore.design import Design

pytestmark = pytest.mark.browser
CONTROL, TAB, ENTER, ESCAPE, HOME, END = "\ue009", "\ue004", "\ue007", "\ue00c", "\ue011", "\ue010"
PAGE_DOWN, RIGHT, SHIFT = "\ue00f", "\ue014", "\ue008"
FOCUS = """
const at = document.activeElement;
return at.id || at.getAttribute("aria-label") || at.placeholder || at.textContent;
"""
MOST_TABS = 150


class Keyboard:
    """Hands on a keyboard."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def press(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        for key in keys:
            ActionChains(self.browser.driver).send_keys(key).perform()

    def focus(self) -> str:
        return str(self.browser.run(FOCUS))

    def tab_to(self, name: str) -> None:
        """Press Tab until a control has the focus; its name is what is read out."""
        for _ in range(MOST_TABS):
            if self.focus() == name:
                return
            self.press(TAB)
        raise AssertionError(f"Tab does not lead to {name}")

    def button(self, name: str) -> None:
        self.tab_to(name)
        self.press(ENTER)

    def type(self, field: str, value: str) -> None:
        """Replace what a field has, and leave the field."""
        from selenium.webdriver.common.action_chains import ActionChains

        self.tab_to(field)
        ActionChains(self.browser.driver).key_down(CONTROL).send_keys("a").key_up(CONTROL).perform()
        self.press(value, TAB)
        time.sleep(0.2)
        verdict(self.browser)

    def choose(self, *names: str) -> None:
        """Choose routers or links by name, and press Enter on each."""
        for name in names:
            self.tab_to("a router, or a link a--b")
            self.press(name, ENTER, ENTER)


def forbid_turns(keys: Keyboard) -> None:
    keys.button("Turn")
    for turn in (("(0,0)", "(1,0)", "(1,1)"), ("(1,0)", "(0,0)", "(0,1)")):
        keys.choose(*turn)
        shown(keys.browser, "button", "Forbid this turn")
        keys.button("Forbid this turn")
        verdict(keys.browser)
        assert "mesh(2, 2)" in keys.focus()  # the picture has the focus, and the next turn can be chosen


def mend_tree(keys: Keyboard) -> None:
    keys.button("Kill")
    keys.choose("(0,0,0)--(1,0,0)")
    verdict(keys.browser)
    keys.tab_to("a router, or a link a--b")
    keys.press("(0,1,0)", ENTER)
    keys.button("Link (0,1,0)--(1,1,0)")
    assert "no way up and then down" in verdict(keys.browser)
    assert keys.focus() == "Link (0,1,0)--(1,1,0)"
    keys.type("unknot-routing", "up_down")


def two_networks(keys: Keyboard) -> None:
    keys.type("unknot-routing", "message_classes(base='dimension_order')")
    keys.type("unknot-vcs", "2")


SOLVED = (
    lambda keys: keys.button("Last"),
    lambda keys: keys.type("unknot-vcs", "1"),
    forbid_turns,
    lambda keys: keys.type("unknot-vcs", "2"),
    lambda keys: keys.type("unknot-routing", "duato"),
    lambda keys: keys.type("unknot-switching", "bubble('localised')"),
    mend_tree,
    two_networks,
)


def test_the_course_is_solved_by_keys_alone(browser: Browser) -> None:
    keys = Keyboard(browser)
    with served(1) as address:
        browser.driver.get(address)
        for number, solve in enumerate(SOLVED, 1):
            shown(browser, ".course h2", f"Exercise {number} of 8")
            time.sleep(0.3)
            verdict(browser)
            keys.button("Check")
            shown(browser, ".course > p", "Not yet.")
            solve(keys)
            keys.button("Check")
            shown(browser, ".course > p", "Solved.")
            assert keys.focus() == "Check"
            if number < len(SOLVED):
                keys.button("Next")
                assert keys.focus() == "Next"
        assert "exercise=8" in browser.run("return location.hash")
        assert browser.complaints() == []


@pytest.mark.parametrize("network", ["slim_fly(5)", "dragonfly(4, 2, 2)", "petersen()"])
def test_each_router_is_reached_by_keys(browser: Browser, tmp_path: Path, network: str) -> None:
    browser.open(file_of(Design(network=network, routing="up_down"), tmp_path / "page.html"))
    verdict(browser)
    keys, names = Keyboard(browser), browser.run("return unknot.view.geometry.names")
    keys.tab_to(browser.run("return unknot.view.canvas.getAttribute('aria-label')"))
    for key, name in ((HOME, names[0]), (END, names[-1]), (HOME, names[0])):
        keys.press(key)
        assert browser.texts(".status")[0].startswith(f"Router {name}, ")
    for name in names[1:]:
        keys.press(PAGE_DOWN)
        assert browser.texts(".status")[0].startswith(f"Router {name}, ")
    by_arrows = browser.run(
        """
        const { geometry: g } = unknot.view, reached = new Set([0]);
        for (const router of reached) {
          for (const way of [[1, 0], [-1, 0], [0, 1], [0, -1]]) reached.add(g.neighbour(router, ...way));
        }
        return reached.size - reached.has(-1);
        """
    )
    assert by_arrows >= 0.9 * len(names)


def test_a_choice_stays_until_escape(browser: Browser) -> None:
    keys = Keyboard(browser)
    with served(7) as address:
        browser.driver.get(address)
        verdict(browser)
        keys.tab_to(browser.run("return unknot.view.canvas.getAttribute('aria-label')"))
        assert browser.run("return unknot.view.canvas.getAttribute('role')") == "application"
        keys.press(RIGHT, "l", ENTER)
        verdict(browser)
        assert browser.run("return [unknot.view.scene.focus, unknot.state.design.dead.length]") == [0, 1]
        assert "failed" in shown(browser, ".status", "Link")
        keys.press(ENTER)
        verdict(browser)
        assert browser.run("return unknot.state.design.dead") == []
        keys.press(ESCAPE)
        assert browser.texts(".status")[0].startswith("Router (0,0,0), 1 of 12")
        keys.press(ESCAPE)
        assert browser.texts(".status") == ["Nothing is chosen."]
        keys.press(HOME, ENTER)
        verdict(browser)
        keys.button("Take back: failed: (0,0,0)")
        verdict(browser)
        assert "fat_tree(2, 3)" in keys.focus()
        assert browser.run("return unknot.state.design.dead") == []
