"""Two figures of each room that may fall and not rise: its size, and its docstrings that point elsewhere.

``python -m tests.ratchets`` compares the rooms with `ratchets.toml`, as `make lint` does. A rise is an error until
the file has its reason: ``python -m tests.ratchets --raise ROOM "reason"``. After a fall, ``--lower`` writes the new
figures.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = Path(__file__).with_name("ratchets.toml")
HEADER = """# Figures of each room that may fall and not rise without a reason: see tests/ratchets.py.
# reasons: why figures rose since the last release; earlier reasons are in this file's history.
# nodes: nodes of syntax; pointing: docstrings whose first paragraph has three or more words that point elsewhere.
"""
SLACK = 0.01
"""Share by which a room may lie below its figures until these must be lowered."""
POINTING = re.compile(r"\b(it|that|those|these|them|one|what|which|whose|such|others|this|they|here|there)\b")
NO_NODES = (ast.expr_context, ast.boolop, ast.Import, ast.ImportFrom, ast.alias, ast.Module)
OTHER_LOGIC = {".js", ".lark", ".v", ".html", ".css", ".toml"}


@dataclass(frozen=True)
class Figures:
    """Size and prose of a room.

    Attributes
    ----------
    nodes : int
        Nodes of syntax; a text counts one for each 20 characters begun, other files one for each 5 characters.
    pointing : int
        Docstrings whose first paragraph has three or more words of `POINTING`.
    """

    nodes: int
    pointing: int


def nodes_of(node: ast.AST) -> int:
    """Nodes of syntax below and with a node, without docstrings and imports."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return 0
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
        return 1 + len(node.value) // 20
    docstrings = [
        child for child in ast.iter_child_nodes(node) if isinstance(child, ast.Expr) and is_text(child.value)
    ]
    children = [child for child in ast.iter_child_nodes(node) if child not in docstrings]
    return sum(nodes_of(child) for child in children) + (not isinstance(node, NO_NODES))


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def points_elsewhere(node: ast.AST) -> bool:
    """Whether the docstring of a function or class begins with three or more pointing words."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    first = (ast.get_docstring(node) or "").split("\n\n")[0]
    return len(POINTING.findall(first.lower())) >= 3


def figures_of(folder: Path) -> Figures:
    """Figures of a room, a folder with sources."""
    nodes = pointing = 0
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            nodes += nodes_of(tree)
            pointing += sum(points_elsewhere(node) for node in ast.walk(tree))
        elif path.suffix in OTHER_LOGIC:
            nodes += sum(not c.isspace() for c in path.read_text(encoding="utf-8")) // 5
    return Figures(nodes, pointing)


def rooms() -> dict[str, Path]:
    """Folders of the core by name, and the packages beside the core."""
    core = ROOT / "src" / "unknot"
    inner = {path.name: path for path in sorted(core.iterdir()) if (path / "__init__.py").exists()}
    beside = {path.name: path for path in sorted(core.parent.iterdir()) if path != core and path.is_dir()}
    return inner | {name: path for name, path in beside.items() if (path / "__init__.py").exists()}


def kept() -> tuple[dict[str, Figures], list[str]]:
    """Figures in the file, and its lines of reasons."""
    table = tomllib.loads(KEPT.read_text(encoding="utf-8"))
    return {name: Figures(**row) for name, row in table["rooms"].items()}, table["reasons"]


def write(figures: dict[str, Figures], reasons: list[str]) -> None:
    rows = "".join(
        f"{name} = {{ nodes = {row.nodes}, pointing = {row.pointing} }}\n" for name, row in figures.items()
    )
    lines = "".join(f'    "{reason}",\n' for reason in reasons)
    KEPT.write_text(f"{HEADER}reasons = [\n{lines}]\n\n[rooms]\n{rows}", encoding="utf-8")


def complaints(now: dict[str, Figures], before: dict[str, Figures]) -> Iterator[str]:
    """Sentences on rooms whose figures rose, or fell without being written."""
    for name in sorted(now.keys() - before.keys()):
        yield f'{name}: a new room; write its figures: python -m tests.ratchets --raise {name} "reason"'
    for name in sorted(before.keys() - now.keys()):
        yield f"{name}: the room is gone; python -m tests.ratchets --lower takes its figures away"
    for name in sorted(now.keys() & before.keys()):
        for kind in ("nodes", "pointing"):
            new, old = getattr(now[name], kind), getattr(before[name], kind)
            if new > old:
                yield (
                    f"{name}: {kind} rose from {old} to {new}; tell each idea once, name things, or give the reason: "
                    f'python -m tests.ratchets --raise {name} "reason"'
                )
            elif new < old - max(2, SLACK * old):
                yield f"{name}: {kind} fell from {old} to {new}; keep that: python -m tests.ratchets --lower"


def main() -> int:
    """Compare, lower or raise the figures; 0 where nothing is left to say."""
    parser = argparse.ArgumentParser(prog="python -m tests.ratchets", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lower", action="store_true", help="write the figures that fell")
    parser.add_argument("--raise", dest="risen", nargs=2, metavar=("ROOM", "REASON"), help="write a room's figures")
    options = parser.parse_args()
    now = {name: figures_of(folder) for name, folder in rooms().items()}
    before, reasons = kept()
    if options.lower:
        before = {
            name: Figures(*map(min, astuple(row), astuple(now[name]))) for name, row in before.items() if name in now
        }
        write(before, reasons)
    if options.risen:
        name, reason = options.risen
        write(dict(sorted({**before, name: now[name]}.items())), [*reasons, f"{name}: {reason}"])
        before, _ = kept()
    left = list(complaints(now, before))
    print(*left, sep="\n", end="\n" if left else "")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
