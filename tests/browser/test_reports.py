"""Reports in a real browser: nothing wider than the window, no complaint, at 420 and 1,280 pixels, light and dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Browser
from tests.cli.test_cli import unknot_says

pytestmark = pytest.mark.browser


def test_the_report_of_a_study(browser: Browser, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        'title = "A study"\n[[design]]\nnetwork = "torus(4, 4)"\nrouting = "dimension_order"\nvcs = [1, 2]\n'
        "[simulation]\nloads = [0.1, 0.3]\nwarmup = 100\nmeasure = 300\n",
        encoding="utf-8",
    )
    assert unknot_says("run", str(study), "--out", str(tmp_path)).exit_code in (0, 1)
    browser.looked_at(tmp_path / "study.html", "study")
    assert "A study" in browser.texts("h1")[0]


def test_the_report_of_an_audit(browser: Browser, tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "examples" / "fabrics"
    fabric = next(path for path in sorted(folder.iterdir()) if path.is_dir())
    page = tmp_path / "audit.html"
    assert unknot_says("audit", str(fabric), "--out", str(page)).exit_code in (0, 1)
    browser.looked_at(page, "audit")
    assert browser.texts("h1")


def test_the_report_of_a_lossless_fabric(browser: Browser, tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "examples" / "ethernet"
    fabric = next(path for path in sorted(folder.iterdir()) if path.is_dir())
    page = tmp_path / "ethernet.html"
    assert unknot_says("audit", str(fabric), "--out", str(page)).exit_code in (0, 1)
    browser.looked_at(page, "ethernet")
    assert browser.texts("h1")
