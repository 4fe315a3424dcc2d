"""The tests nearest to a change, within a budget of processor time; `make test CHANGED=1`.

A test file reaches a change where a chain of imports leads from the file to a changed module. Commands are imported
by name, so tests that give a command's name as a word reach it too. Nearest files run first: the file that mirrors a
changed module, then files with short chains; in a file, the tests that were quickest when they last ran. The run ends
with the first file that fails. Files beyond the budget are counted; `make test` runs everything.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from tests.architecture import PACKAGE, ROOT, imports_of, module_of
from tests.durations import seconds_of_tests

GRACE = 3.0
"""Processor seconds beyond the budget after which a test that still runs is broken off."""
KEPT = ROOT / ".pytest_cache" / "imports.json"
EXPORTED = re.compile(r"^    from (\S+) import (\w+) as \2$", re.M)
"""A public name, as `unknot/__init__.py` imports names for type checkers alone."""


def changed_files(base: str) -> list[Path]:
    """Files that differ from a revision, and files that git does not know yet."""
    listed = ["git", "diff", "--name-only", base], ["git", "ls-files", "--others", "--exclude-standard"]
    texts = [subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout for words in listed]
    return sorted({ROOT / line for text in texts for line in text.splitlines()})


def imports_of_all(known: dict[str, Path]) -> dict[str, list[str]]:
    """Imports of each module; kept on disk by the time at which a file was written, as parsing all takes seconds."""
    kept: Any = {}
    with contextlib.suppress(OSError, ValueError):
        kept = json.loads(KEPT.read_text(encoding="utf-8"))
    rows = {}
    for module, path in known.items():
        key = [str(path), path.stat().st_mtime_ns]
        old = kept.get(module) if isinstance(kept, dict) else None
        rows[module] = old if old and old[:2] == key else [*key, sorted(imports_of(path, known))]
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(rows), encoding="utf-8")
    return {module: names for module, (_, _, names) in rows.items()}


def graph_with_tests() -> nx.DiGraph:
    """Arrows from modules of the package and files of tests to the modules that each imports."""
    homes = {name: source for source, name in EXPORTED.findall((PACKAGE / "__init__.py").read_text(encoding="utf-8"))}
    sources = [path for folder in ("src", "tests", "docs/_ext") for path in sorted((ROOT / folder).rglob("*.py"))]
    known = {module_of(path): path for path in sources}
    graph = nx.DiGraph()
    for module, names in imports_of_all(known).items():
        graph.add_node(module, path=known[module])
        for name in names:
            public = name.removeprefix("unknot.")
            target = homes.get(public, name) if name.startswith("unknot.") else name
            while target and target not in known:
                target = target.rpartition(".")[0]
            # All of Unknot imports its package; a chain through the package says nothing.
            if target and target not in (module, "unknot"):
                graph.add_edge(module, target)
    return graph


def mirrors(test: Path, source: Path) -> bool:
    """Whether a test file has the name of a source, or of the source's folder."""
    names = {source.stem, source.stem.removesuffix("_kernel"), *(source.parent.name,) * (source.stem == "__init__")}
    return test.stem.removeprefix("test_") in names


def calling(command: str) -> list[Path]:
    """Test files that give the name of a command as a word, those with the name in theirs first."""
    called = re.compile(rf"""["']{command.replace("_", "-")}["' ]""")
    every = (path for path in sorted((ROOT / "tests").rglob("test_*.py")) if called.search(path.read_text("utf-8")))
    return sorted(every, key=lambda path: command not in path.stem)


def nearest(changed: list[Path], graph: nx.DiGraph) -> list[Path]:
    """Test files that reach a change, nearest first; of equally near ones first those that import little."""
    far: dict[Path, tuple[int, int]] = {}
    back = graph.reverse(copy=False)
    for path in changed:
        module = module_of(path) if path.suffix == ".py" and path.is_relative_to(ROOT / "src") else ""
        if path.name.startswith("test_") and path.suffix == ".py":
            far[path] = (-1, 0)
        elif path.suffix == ".py" and path.is_relative_to(ROOT / "tests"):
            module = module_of(path)
        elif not module:
            named = [test for test in sorted((ROOT / "tests").rglob("test_*.py")) if mentions(test, path)]
            far |= {test: min(far.get(test, (9, 0)), (1, 0)) for test in named}
        if path.parent.name == "commands" and module:
            far |= {test: min(far.get(test, (9, 0)), (1, n)) for n, test in enumerate(calling(path.stem))}
        for name, steps in nx.single_source_shortest_path_length(back, module).items() if module in graph else ():
            test = graph.nodes[name]["path"]
            if test.name.startswith("test_"):
                place = (0 if mirrors(test, path) else steps, graph.out_degree(name))
                far[test] = min(far.get(test, place), place)
    return sorted((test for test in far if test.exists()), key=lambda test: (far[test], test))


def mentions(test: Path, path: Path) -> bool:
    """Whether a test file names a file that is no Python, or its folder."""
    text = test.read_text(encoding="utf-8")
    top = path.relative_to(ROOT).parts[0]
    return path.name in text or (top != path.name and f'"{top}"' in text)


class Budget:
    """A plugin that runs quick tests first, once each, and ends a run of them when its processor time is spent.

    Attributes
    ----------
    until : float
        Processor seconds of this process at which the current run ends.
    """

    def __init__(self, seconds: float, took: dict[str, float]) -> None:
        self.seconds, self.took = seconds, took
        self.until = seconds
        self.ran: set[str] = set()
        self.failed = 0
        self.cut = False

    @property
    def left(self) -> float:
        """What is left of the budget, for this process and the processes that ended."""
        return self.seconds - sum(os.times()[:4])

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        fits = [item for item in items if item.nodeid not in self.ran and self.took.get(item.nodeid, 0) < self.left]
        self.cut = len(fits) < len(items)
        items[:] = sorted(fits, key=lambda item: self.took.get(item.nodeid, 0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran.add(report.nodeid)
        self.failed += report.failed

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.failed += report.failed

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        if nextitem is not None and self.seconds - self.left > self.until:
            self.cut = True
            item.session.shouldstop = "the budget is spent"


def run(files: list[Path], budget: Budget) -> int:
    """Run files in turn until one fails, and return how many had a turn.

    A file may take half of what is left; those that were cut short go on when all had their turn.
    """
    tried: set[Path] = set()
    for share in (0.5, 1.0):
        cut = []
        for file in files:
            if budget.left <= 0 or budget.failed:
                return len(tried)
            tried.add(file)
            budget.until = budget.seconds - budget.left * (1 - share)
            pytest.main(["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider", str(file)], [budget])
            if budget.cut:
                cut.append(file)
        files = cut
    return len(tried)


def main() -> int:
    """Run the nearest tests; 0 where none failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.changed", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--base", default="HEAD", help="revision to compare with")
    parser.add_argument("--seconds", type=float, default=25.0, help="budget of processor time")
    parser.add_argument("--list", action="store_true", help="print the test files, nearest first, and run none")
    options = parser.parse_args()
    changed = changed_files(options.base)
    files = nearest(changed, graph_with_tests())
    if options.list or not files:
        print(*(file.relative_to(ROOT) for file in files) if files else ["no test reaches a change"], sep="\n")
        return 0
    budget, began = Budget(options.seconds, seconds_of_tests(ROOT)), time.monotonic()
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.signal(signal.SIGPROF, lambda *_: pytest.exit("the budget is spent within a test"))
        signal.setitimer(signal.ITIMER_PROF, budget.left + GRACE)
    done = run(files, budget)
    print(
        f"{budget.failed} failed: {len(budget.ran)} tests in the {done} nearest of {len(files)} files that reach "
        f"{len(changed)} changed files; {budget.seconds - budget.left:.0f} s of processor time, "
        f"{time.monotonic() - began:.0f} s by the clock; `make test` runs the rest"
    )
    return 1 if budget.failed else 0


if __name__ == "__main__":
    sys.exit(main())
