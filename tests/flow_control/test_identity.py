"""Nobody outside the room branches on a technique's name: properties of the record decide."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.architecture import PACKAGE, SOURCES, nodes
from unknot.flow_control.techniques import TECHNIQUES

BRANCHES = (ast.Compare, ast.MatchValue)


WORDS = {*TECHNIQUES, "wormhole-", "wormh", "nonatomic", "-nonatomic", "atomic"}
"""Names of techniques, and parts of names that a source may look for."""


def operands(node: ast.AST) -> list[ast.expr]:
    """What a comparison compares, a pattern matches, a dictionary is keyed by, or a method of texts is given."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return [inner for side in sides for inner in getattr(side, "elts", [side])]
    if isinstance(node, ast.MatchValue):
        return [node.value]
    if isinstance(node, ast.Dict):
        return [key for key in node.keys if key is not None]
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("startswith", "endswith"):
        return [inner for side in node.args for inner in getattr(side, "elts", [side])]
    return []


def named(node: ast.AST) -> bool:
    """Whether a node compares, matches, looks up or takes apart the name of a technique."""
    texts = {side.value for side in operands(node) if isinstance(side, ast.Constant)}
    return bool(texts & WORDS)


def branches(path: Path) -> list[int]:
    """Lines of a source at which it branches on the name of a technique; a file without such a word is not parsed."""
    text = path.read_text(encoding="utf-8")
    if not any(word in text for word in WORDS):
        return []
    return [getattr(node, "lineno", 0) for node in nodes(path) if named(node)]


ALLOWED = {
    "unknot.certificates.coq",  # names of definitions in Coq
    "unknot.flow_control.techniques",  # the values
    "unknot.routing.contract",  # claims of routings, by the technique that each is about
    "unknot.routing.adaptive_meshes",  # the same
}


def test_no_source_branches_on_the_name_of_a_technique() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}:{line}"
        for module, path in SOURCES.items()
        if module not in ALLOWED
        for line in branches(path)
    }
    assert not found


def test_exceptions_are_needed() -> None:
    assert all(branches(SOURCES[module]) for module in ALLOWED)


def test_few_files_know_bubbles() -> None:
    """Builder and its room's list, door of the option in commands and questions, readers of old files."""
    word = re.compile(r"(?i)bubble(?![-_]sort)")
    knowing = [module for module, path in SOURCES.items() if word.search(path.read_text("utf-8"))]
    assert len(knowing) <= 8, knowing


def test_a_branch_is_found(tmp_path: Path) -> None:
    for text in ('x == "vct"', 'x in ("saf", "vct")', 'x.startswith("wormhole")', 'd = {"wormhole": 1}'):
        file = tmp_path / f"{len(text)}.py"
        file.write_text(text)
        assert branches(file), text
