"""The tests nearest to a change, within a budget of processor time; `make test CHANGED=1`.

A test file reaches a change where a chain of imports leads from the file to a changed module. Commands are imported
by name, so tests that give a command's name as a word reach it too. Nearest files run first: the file that mirrors a
changed module, those of its room with a word of its name, those that name what changed, then files with short
chains; in a file, the tests that were quickest when they last ran. The run ends with the first file
that fails. Files beyond the budget are counted; `make test` runs everything.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from tests.architecture import ROOT, imports_of, module_of
from tests.durations import seconds_of_tests

GRACE = 3.0
"""Processor seconds beyond the budget after which a test that still runs is broken off."""
ALIKE = 1e-6
"""Distance of a test file of the room whose name has a word of the source's name."""
ELSEWHERE = 10
"""So many times as far are tests of other rooms that have a name of the change, maybe as a word of prose."""
LONG = 5.0
"""Seconds expected of a test that is marked as long, where none are known, as in a fresh clone."""
KEPT = ROOT / ".pytest_cache" / "imported.json"
EXPORTED = re.compile(r"^    from (\S+) import (\w+) as \2$", re.M)
"""A public name, as packages import names for type checkers alone."""
KERNEL = re.compile(r"""["'.]((?:\w+\.)?\w+_kernel)\.\w+["']""")
"""A kernel, as `simulation/engine/kernels.py` names those that it links."""
LATER = re.compile(r"""["'](unknot\w*(?:\.\w+)+)(?::\w+)?["']""")
"""A module that is loaded by its name."""


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
        key = [str(path), path.stat().st_mtime_ns + Path(__file__).stat().st_mtime_ns]
        old = kept.get(module) if isinstance(kept, dict) else None
        rows[module] = (
            old if old and old[:2] == key else [*key, sorted(imports_of(path, known) | named_in_texts(path, known))]
        )
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(rows), encoding="utf-8")
    return {module: names for module, (_, _, names) in rows.items()}


def named_in_texts(path: Path, known: dict[str, Path]) -> set[str]:
    """Modules that a module names by texts: kernels beside it or below, which are linked, and what is loaded late."""
    text, package = path.read_text(encoding="utf-8"), module_of(path.with_name("__init__.py"))
    found = {f"{package}.{name}" for name in KERNEL.findall(text)}
    return {name for name in found | {*LATER.findall(text)} if name in known}


def homes_of_names(known: dict[str, Path]) -> dict[str, str]:
    """Modules of what packages export, by its name in the package, which imports it when it is asked for."""
    packages = [(module, path) for module, path in known.items() if path.name == "__init__.py"]
    return {
        f"{module}.{name}": f"{source}.{name}" if f"{source}.{name}" in known else source
        for module, path in packages
        for source, name in EXPORTED.findall(path.read_text(encoding="utf-8"))
    }


def graph_with_tests() -> nx.DiGraph:
    """Arrows from modules of the package and files of tests to the modules that each imports."""
    sources = [path for folder in ("src", "tests", "docs/_ext") for path in sorted((ROOT / folder).rglob("*.py"))]
    known = {module_of(path): path for path in sources}
    homes = homes_of_names(known)
    graph = nx.DiGraph()
    for module, names in imports_of_all(known).items():
        graph.add_node(module, path=known[module])
        for name in names:
            target, last = name, name.rpartition(".")[2]
            while (target if target in homes else f"{target}.{last}") in homes and target not in known:
                target = homes[target if target in homes else f"{target}.{last}"]
            while target and target not in known:
                target = target.rpartition(".")[0]
            # All of Unknot imports its package; a chain through the package says nothing.
            if target and target not in (module, "unknot"):
                graph.add_edge(module, target)
    for name, home in homes.items():
        package = name.rpartition(".")[0]
        if package != "unknot" and home in known:
            graph.add_edge(package, home)
    return graph


def likeness(test: Path, source: Path) -> float | None:
    """How near a test file of a source's room is by its name: that of the source or its folder, or a word alike."""
    name, tested = source.stem.removesuffix("_kernel"), test.stem.removeprefix("test_")
    if not test.is_relative_to(room_of(source)):
        return None
    if tested in (source.stem, source.parent.name if source.stem == "__init__" else name):
        return 0.0
    pairs = [
        (word, other) for word in name.split("_") for other in tested.split("_") if min(len(word), len(other)) > 3
    ]
    return ALIKE if any(word.startswith(other) or other.startswith(word) for word, other in pairs) else None


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def calling(command: str) -> list[Path]:
    """Test files that give the name of a command as a word, those with the name in theirs first."""
    called = re.compile(rf"""["']{command.replace("_", "-")}["' ]""")
    every = (path for path in sorted((ROOT / "tests").rglob("test_*.py")) if called.search(text_of(path)))
    return sorted(every, key=lambda path: command not in path.stem)


@cache
def room_of(source: Path) -> Path:
    """The folder of tests that mirrors a source's, or the nearest above it that is there."""
    package, *inner = source.parent.relative_to(ROOT / "src").parts
    folder = ROOT.joinpath("tests", *(() if package == "unknot" else (package.removeprefix("unknot_"),)), *inner)
    while not folder.is_dir():
        folder = folder.parent
    return folder


def nearest(changed: list[Path], graph: nx.DiGraph, base: str = "HEAD") -> list[Path]:
    """Test files that reach a change, nearest first; of equally near ones first those that import little."""
    far: dict[Path, tuple[float, int]] = {}
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
        steps = nx.single_source_shortest_path_length(back, module) if module in graph else {}
        tests = {
            name: graph.nodes[name]["path"] for name in steps if graph.nodes[name]["path"].name.startswith("test_")
        }
        shares = (
            naming([*tests.values()], named_by(path, changed_lines(path, base))) if tests and path.exists() else {}
        )
        for name in steps:
            if graph.nodes[name]["path"].parent.name == "commands":
                called = calling(graph.nodes[name]["path"].stem)
                far |= {test: min(far.get(test, (9, 0)), (1 + steps[name], n)) for n, test in enumerate(called)}
        if module and not tests:
            far |= {test: min(far.get(test, (9, 0)), (2, 0)) for test in sorted(room_of(path).rglob("test_*.py"))}
        within = path.is_relative_to(ROOT / "src")
        for name, test in tests.items():
            near = likeness(test, path) if within else None
            if near is None and test in shares:
                near = shares[test] * (1 if not within or test.is_relative_to(room_of(path)) else ELSEWHERE)
            near = steps[name] if near is None else near
            place = (near, graph.out_degree(name))
            far[test] = min(far.get(test, place), place)
    return sorted((test for test in far if test.exists()), key=lambda test: (far[test], test))


def changed_lines(path: Path, base: str) -> list[range]:
    """Lines of a file that differ from a revision; of a file that git does not know, none."""
    words = ["git", "diff", "--unified=0", base, "--", str(path)]
    text = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    hunks = re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", text, re.M)
    return [range(int(first), int(first) + max(1, int(count or 1))) for first, count in hunks]


def named_by(path: Path, lines: list[range]) -> set[str]:
    """Names of what stands on some lines of a module, and of all in it that refers to these, directly or not."""
    parts: dict[str, set[str]] = {}
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names = {node.name}
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and not node.col_offset:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {target.id for target in targets if isinstance(target, ast.Name)}
        else:
            continue
        inner = {part.id if isinstance(part, ast.Name) else part.attr for part in ast.walk(node)
                 if isinstance(part, (ast.Name, ast.Attribute))}  # fmt: skip
        for name in names:
            parts[name] = parts.get(name, set()) | inner
        if any(line in range(node.lineno, (node.end_lineno or 0) + 1) for span in lines for line in span):
            found |= names
    fresh = found
    while fresh:
        fresh = {name for name, inner in parts.items() if inner & fresh} - found
        found |= fresh
    return {name for name in found if not name.startswith("__")}


def naming(tests: list[Path], names: set[str]) -> dict[Path, float]:
    """Test files that have some of the names as words, with the share of files that have the rarest of these."""
    word = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names)))})\b")
    found = {test: {*word.findall(text_of(test))} for test in tests} if names else {}
    counts = Counter(name for some in found.values() for name in some)
    return {test: min(counts[name] for name in some) / len(tests) for test, some in found.items() if some}


def mentions(test: Path, path: Path) -> bool:
    """Whether a test file names a file that is no Python, or its folder."""
    text = text_of(test)
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

    def expected(self, item: pytest.Item) -> float:
        """Seconds that a test took; of a test that never ran here a guess by its mark."""
        return self.took.get(item.nodeid, LONG if item.get_closest_marker("long") else 0.0)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        fits = [item for item in items if item.nodeid not in self.ran and self.expected(item) < self.left]
        self.cut = len(fits) < len(items)
        items[:] = sorted(fits, key=self.expected)

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
    files = nearest(changed, graph_with_tests(), options.base)
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
