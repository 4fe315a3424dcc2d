"""Headless Chromium, driven by selenium; tests are skipped with a word where either is missing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SWITCHES = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
WIDTHS = (420, 1280)
"""Widths in pixels of the screenshots: a telephone, a desk."""
PICTURES = Path(__file__).parents[2] / "reports" / "browser"


@dataclass(frozen=True)
class Browser:
    """A browser with a page."""

    driver: Any

    def open(self, page: Path, *, width: int = 1280, dark: bool = False) -> None:
        """Show a file in a window of some width."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get(page.as_uri())

    def press(self, *keys: str) -> None:
        """Type keys into the page."""
        self.driver.find_element("tag name", "body").send_keys(*keys)

    def run(self, script: str, *arguments: object) -> Any:
        """Return what a script of the page returns."""
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector: str) -> list[str]:
        """The visible texts of elements."""
        return [element.text for element in self.driver.find_elements("css selector", selector)]

    def complaints(self) -> list[str]:
        """Errors and warnings that the page gave since it was asked last."""
        return [
            entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")
        ]

    def looked_at(self, page: Path, name: str) -> None:
        """Take pictures at each width, and require that nothing reaches beyond the window and nothing complains."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        for width in WIDTHS:
            for dark in (False, True):
                self.open(page, width=width, dark=dark)
                self.driver.save_screenshot(str(PICTURES / f"{name}-{width}{'-dark' if dark else ''}.png"))
                wide = self.run("return document.documentElement.scrollWidth")
                assert wide <= width, f"{name} is {wide} pixels wide in a window of {width}"
                assert self.complaints() == []


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install '.[dev]'")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("Chromium is missing: Debian's packages chromium and chromium-driver have it")
    options = webdriver.ChromeOptions()
    for switch in SWITCHES:
        options.add_argument(switch)
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    os.environ.setdefault("SE_OFFLINE", "true")
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield Browser(opened)
    opened.quit()
