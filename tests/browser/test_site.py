"""The site in a real browser, opened from its folder: landing page, search by users' words, a page of the API."""

from __future__ import annotations

import runpy
import time
from pathlib import Path

import pytest

from tests.browser.conftest import Browser

pytestmark = pytest.mark.browser
SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"

TRIED = runpy.run_path(str(SITE.parents[1] / "_ext" / "tried.py"))
"""What the build of the site tries itself: queries in the words of users, and where they must lead."""


@pytest.fixture(scope="module")
def site() -> Path:
    if not (SITE / "index.html").exists():
        pytest.skip("the site is not built: make docs")
    return SITE


def test_the_landing_page_and_a_page_of_the_api(browser: Browser, site: Path) -> None:
    browser.looked_at(site / "index.html", "site")
    assert "Unknot" in browser.texts("h1")[0]
    page = next(iter(sorted((site / "reference" / "api").rglob("*check.html"))))
    browser.looked_at(page, "site-api")
    assert browser.texts("dt.sig")


@pytest.mark.parametrize("query", TRIED["QUERIES"])
def test_the_search_leads_somewhere_from_a_folder(browser: Browser, site: Path, query: str) -> None:
    browser.driver.get((site / "search.html").as_uri() + "?q=" + query.replace(" ", "+").replace("/", "%2F"))
    links: list[str] = []
    for _ in range(100):  # results come one by one
        time.sleep(0.3)
        known, links = (
            links,
            [
                link.get_attribute("href")
                for link in browser.driver.find_elements("css selector", "#search-results li a")
            ],
        )
        if links and links == known:
            break
    assert any(f"{TRIED['QUERIES'][query]}.html" in link for link in links[: TRIED["FIRST"]]), links
    assert browser.complaints() == []
