"""Faults are planted where they are said to be, in functions of every kind, and noticed by a test that fails."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mutation.__main__ import EXPLAINED, ROOT
from tests.mutation.runner import _plant
from tests.mutation.sites import _short, mutants

SAMPLE = '''
from functools import cached_property
from numba import njit

@njit
def kernel(a):
    return a + 1

def plain(a):
    """Says 1."""
    if a < 3:
        raise ValueError(f"{a - 7} is less than {3}")
    def inner(b):
        return b - 2
    return inner(a)

class Shape:
    @cached_property
    def wide(self):
        return 5 * 7

    @property
    def high(self):
        return 9

    @staticmethod
    def flat():
        odd = False
        return odd or list(zip([1], [2], strict=True)) == []
'''


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "faulty_sample.py"
    path.write_text(SAMPLE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "faulty_sample", raising=False)
    return path


def test_every_function_gets_faults_and_texts_none(sample: Path) -> None:
    planted = list(mutants(sample.parent, sample))
    assert {mutant.function for mutant in planted} == {"kernel", "plain", "Shape.wide", "Shape.high", "Shape.flat"}
    keys = [mutant.key for mutant in planted]
    assert "faulty_sample.py::kernel: return a + 1 => return a - 1" in keys
    assert "faulty_sample.py::plain: if a < 3: => if a <= 3:" in keys
    assert "faulty_sample.py::plain: return b - 2 => return b + 2" in keys
    assert not any("XX" in key or "Says" in key or "raise" in key for key in keys)
    assert sum("odd = " in key for key in keys) == 1
    assert all("strict=True" in key or "zip(" not in key for key in (k.partition("=>")[2] for k in keys))


@pytest.mark.parametrize(
    ("change", "expression"),
    [
        ("return a + 1 => return a - 1", "module.kernel.py_func(4) == 5"),
        ("return b - 2 => return b + 2", "module.plain(4) == 2"),
        ("return 5 * 7 => return 5 / 7", "module.Shape().wide == 35"),
        ("return 9 => return 10", "module.Shape().high == 9"),
        ("odd = False => odd = True", "not module.Shape.flat()"),
    ],
)
def test_a_planted_fault_takes_effect(sample: Path, change: str, expression: str) -> None:
    module = importlib.import_module("faulty_sample")
    assert eval(expression, {"module": module})
    _plant(next(mutant for mutant in mutants(sample.parent, sample) if mutant.key.endswith(f": {change}")))
    assert not eval(expression, {"module": module})


def test_what_is_explained_is_still_there() -> None:
    """Every entry names a line of a function; who changes the line mends what is said of it."""
    lines: dict[str, str] = {}
    for entry in EXPLAINED.read_text(encoding="utf-8").splitlines():
        place, _, change = entry.partition(": ")
        path = place.partition("::")[0]
        if path not in lines:
            text = (ROOT / path).read_text(encoding="utf-8")
            lines.update((f"{path}::{name}", _short(part)) for name, part in functions(text))
            lines[path] = ""
        assert change.partition(" => ")[0] in lines.get(place, ""), entry


def functions(text: str) -> Iterator[tuple[str, str]]:
    """The functions and methods of a module, by name, and their text."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(inner, ast.FunctionDef):
                name = f"{node.name}.{inner.name}" if isinstance(node, ast.ClassDef) else inner.name
                yield name, "\n".join(lines[inner.lineno - 1 : inner.end_lineno])
