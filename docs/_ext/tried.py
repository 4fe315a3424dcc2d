"""What readers look for is found by one query, and no link of the built pages is dead: ``python tried.py FOLDER``."""

from __future__ import annotations

import json
import re
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from sphinx.search.en import SearchEnglish

QUERIES = {
    "credit loop": "reference/glossary",
    "latency curve": "tutorials/latency-curve",
    "PFC deadlock": "tutorials/roce",
    "alltoall": "tutorials/all-reduce",
    "up/down": "reference/glossary",
    "dateline": "tutorials/hang",
    "fewest VLs": "how-to/fewest-vcs",
    "turn model": "reference/glossary",
    "own routing": "tutorials/own-routing",
    "anynet": "coming-from/booksim",
    "deadlock": "verdicts",
    "virtual channel": "model",
    "BookSim": "booksim",
    "InfiniBand": "fabrics",
    "OpenSM": "coming-from/opensm",
    "PFC": "ethernet",
    "RoCE": "tutorials/roce",
    "dragonfly": "topologies",
    "fat tree": "topologies",
    "torus": "topologies",
    "escape channel": "routing",
    "bubble": "flow-control",
    "UGAL": "routing",
    "saturation": "simulator",
    "latency": "simulator",
    "throughput": "throughput",
    "credit": "flow-control",
    "flow control": "flow-control",
    "wormhole": "verdicts",
    "collective": "collectives",
    "all-reduce": "tutorials/all-reduce",
    "NCCL": "collectives",
    "MSCCL": "collectives",
    "AXI": "why-does-it-hang",
    "cache coherence": "why-does-it-hang",
    "protocol": "protocols",
    "faults": "reference/commands/faults",
    "SARIF": "how-to/pull-requests",
    "plug-in": "how-to/plug-in",
    "notebook": "notebooks",
}
"""The words of users, and a page that they must lead to, among the first three results."""
FIRST = 3


def ranking(index: dict, query: str) -> list[str]:
    """Return the pages that have all words of a query, the best first, scored as the search of the page does."""
    language = SearchEnglish({})
    names = index["docnames"]
    scores: dict[int, float] = {}
    pages: set[int] | None = None
    for word in set(re.findall(r"\w+", query.lower())) - set(language.stopwords):
        stem = language.stem(word)
        with_word: dict[int, float] = {}
        for table, points in (("terms", 5), ("titleterms", 15)):
            listed = index[table].get(stem, [])
            for page in [listed] if isinstance(listed, int) else listed:
                with_word[page] = max(points, with_word.get(page, 0))
        pages = set(with_word) if pages is None else pages & set(with_word)
        for page, points in with_word.items():
            scores[page] = scores.get(page, 0) + points
    for title, places in index["alltitles"].items():
        if query.lower() in title.lower() and len(query) >= len(title) / 2:
            for page, anchor in places:
                pages = (pages or set()) | {page}
                scores[page] = scores.get(page, 0) + (15 if anchor is None else 7) * len(query) / len(title) * 10
    for entry, places in index["indexentries"].items():
        if query.lower() in entry.lower() and len(query) >= len(entry) / 2:
            for page, *_ in places:
                pages = (pages or set()) | {page}
                scores[page] = scores.get(page, 0) + 100 * len(query) / len(entry)
    return [names[page] for page in sorted(pages or (), key=lambda page: -scores[page])]


def dead_links(folder: Path) -> list[str]:
    """Return the links of all pages that lead to no file or to no place within a page."""
    pages = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.html") if "_static" not in path.parts}
    places = {path: set(map(unescape, re.findall(r'\b(?:id|name)="([^"]+)"', text))) for path, text in pages.items()}
    dead = []
    for path, text in pages.items():
        for link in set(map(unescape, re.findall(r'(?:href|src)="([^"]*)"', text))):
            if re.match(r"\w+:|//", link) or link in ("", "#"):
                continue
            name, _, anchor = link.partition("#")
            target = (path.parent / unquote(name.partition("?")[0])).resolve() if name else path
            if not target.exists() or (anchor and target in places and unquote(anchor) not in places[target]):
                dead.append(f"{path.relative_to(folder)}: {link}")
    return dead


def main(folder: Path) -> int:
    """Print what is wrong, and return whether anything is."""
    text = (folder / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    problems = [f"dead link: {link}" for link in dead_links(folder)]
    for query, page in QUERIES.items():
        best = ranking(index, query)[:FIRST]
        if page not in best:
            problems.append(f"search for {query!r} finds {', '.join(best) or 'nothing'} and not {page}")
    print(
        "\n".join(problems)
        or f"{len(list(folder.rglob('*.html')))} pages: no dead link, {len(QUERIES)} searches lead"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
