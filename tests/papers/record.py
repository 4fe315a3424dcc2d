"""Record of a whole run of the scripts of papers: the answer to each claim, and a digest of what claims are about.

`python -m tests.papers.record` asks anew, whole, what has changed (``--all``: all), some 100 s of processor time.

A digest covers a script, the scripts beside it, and what they import, directly or not, of algorithms, topologies and
papers (`SUBJECT`), without comments and docstrings: what claims are about. The machinery that answers (prover,
simulator, solver) is left out: it has twins of its own, changes often, and `make test` asks each claim of it in its
small form, whatever the record says: quick ones every time, of those that take long a share, and the campaign all.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from tests.papers import FOLDER, script

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("record.json")
COMMAND = "python -m tests.papers.record"
SCRIPTS = ("bnr_algorithms", "bnr", "itm", "wormhole_cost", "wormhole", "tod", "rcbn")
SUBJECT = ("unknot.routing", "unknot.network", "unknot_papers")
"""Rooms of what claims are about."""
SMALLER: dict[str, dict[str, Any]] = {
    "throughput": {"NETWORKS": range(1, 4)},
    "conclusion_1_for_minimal": {"SIDES": {2: (3, 3)}},
    "pbfaa_is_safe": {"SIDES": {2: (4, 4), 3: (2, 2, 2)}},
}
"""What the small form of a claim has in place of constants of its script; that of all others is the whole."""
WORDS = {True: "yes", False: "no", None: "open"}

Ask = Callable[[], tuple[bool | str | None, str]]


def claims(name: str) -> list[tuple[str, Ask]]:
    """The claims of a script, each with its question."""
    return list(script(name).CLAIMS)


def answer(name: str, ask: Ask, *, small: bool = False) -> tuple[str, list[str]]:
    """The answer to a claim, as pages have it, and the names of its pictures, which are gone afterwards."""
    module, before = script(name), dict(vars(script(name)))
    changed = SMALLER.get(getattr(ask, "__name__", ""), {}) if small else {}
    with tempfile.TemporaryDirectory() as folder:
        pictures = {key: Path(folder) for key in ("REPORTS", "PICTURES") if key in before}
        vars(module).update(changed | pictures)
        try:
            given = ask()[0]
        finally:
            vars(module).update({key: before[key] for key in {**changed, **pictures}})
        drawn = sorted(path.name for path in Path(folder).iterdir())
    return given if isinstance(given, str) else WORDS[given], drawn


@cache
def bare(path: Path) -> str:
    """The text of a file without comment lines, docstrings and blank lines: the same on every Python."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", [])
        for inner in body if isinstance(body, list) else []:
            if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant):
                lines[inner.lineno - 1 : inner.end_lineno] = [""] * (inner.end_lineno - inner.lineno + 1)  # type: ignore[operator]
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def named(path: Path) -> Iterator[str]:
    """Modules that a file imports, and those where what it takes from packages is defined."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            for one in node.names if node.module.startswith(SUBJECT) else ():
                thing = getattr(importlib.import_module(node.module), one.name, None)
                yield str(getattr(thing, "__module__", None) or getattr(thing, "__name__", ""))


def file_of(module: str) -> Path | None:
    """The file of a module that digests cover; None of packages, whose names lead to modules, and of all others."""
    parts = module.split(".")
    for top in (FOLDER / "papers", ROOT / "src") if not module.startswith(SUBJECT) else (ROOT / "src",):
        path = top.joinpath(*parts).with_suffix(".py")
        if path.is_file() and (top.name == "papers" or module.startswith(SUBJECT)):
            return path
    return None


def covered(name: str) -> list[Path]:
    """The files on which the answers of a script depend, as far as a digest covers them."""
    todo = [FOLDER / "papers" / f"{name}.py"]
    for path in todo:
        todo += {found for module in named(path) if (found := file_of(module)) is not None} - set(todo)
    return sorted(todo)


def digest(name: str) -> str:
    """A digest of what the claims of a script are about."""
    script(name)
    texts = (f"{path.relative_to(ROOT).as_posix()}\n{bare(path)}" for path in covered(name))
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def record() -> dict[str, dict[str, Any]]:
    """The record: by script a date, a digest and the answers."""
    kept: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    return kept


def main(*, every: bool) -> None:
    """Ask anew what has changed, and write the record after each script."""
    kept = record()
    for name in SCRIPTS:
        now = digest(name)
        if not every and kept.get(name, {}).get("digest") == now:
            print(f"{name}: nothing has changed since {kept[name]['date']}")
            continue
        with contextlib.redirect_stdout(sys.stderr):
            answers = {claim: answer(name, ask)[0] for claim, ask in claims(name)}
        kept[name] = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "digest": now, "answers": answers}
        FILE.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print(f"{name}: {len(answers)} claims asked", flush=True)


if __name__ == "__main__":
    main(every="--all" in sys.argv)
