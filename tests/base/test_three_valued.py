"""Answers with three values have no truth value, and say "yes", "no" or "open"."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import unknot
import unknot_papers
from unknot import deliver
from unknot._base.errors import UnknotError
from unknot._base.three_valued import ThreeValued
from unknot.lane_assignment import lanes
from unknot.simulation import simulate
from unknot.verify import check
from unknot.verify.delivery import NOT_FOLLOWED

QUESTIONS = {"deadlock_free", "holds", "delivered", "safe", "free", "survives", "realised", "found", "arrives"}
"""Names of what a class of answers is asked."""


def _heirs(kind: type[ThreeValued]) -> set[type[ThreeValued]]:
    return {kind}.union(*(_heirs(heir) for heir in kind.__subclasses__()))


def _all_answers() -> dict[str, type[ThreeValued]]:
    for package in (unknot, unknot_papers):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    return {heir.__name__: heir for heir in _heirs(ThreeValued) - {ThreeValued}}


def test_no_answer_has_a_truth_value() -> None:
    answers = _all_answers()
    assert len(answers) > 25
    for name, kind in answers.items():
        assert kind.__bool__ is ThreeValued.__bool__, name
        empty = object.__new__(kind)
        for use in (bool, lambda x: not x, lambda x: x and 1, lambda x: [1 for _ in [0] if x]):
            with pytest.raises(UnknotError, match=rf'a {name} can be open.*`answer` with "yes", "no" or "open"'):
                use(empty)
        with pytest.raises(TypeError):
            bool(empty)
        question = kind._asks
        assert question in dir(kind) or question in kind.__dataclass_fields__, (name, question)  # type: ignore[attr-defined]


def test_every_class_that_asks_such_a_question_is_one_of_them() -> None:
    """A class with `deadlock_free: bool | None` or the like that anybody could write `if` before."""
    answers, others = _all_answers(), []
    root = Path(unknot.__file__).parents[1]
    for path in sorted(root.glob("unknot*/**/*.py")):
        if "cli" in path.parts:  # forms of JSON, and records of options
            continue
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "bool | None" in text else ():
            if isinstance(node, ast.ClassDef) and node.name not in answers:
                for part in node.body:
                    kind = part.annotation if isinstance(part, ast.AnnAssign) else getattr(part, "returns", None)
                    name = getattr(part, "name", ast.unparse(getattr(part, "target", ast.Name(""))))
                    if name in QUESTIONS and kind is not None and ast.unparse(kind) == "bool | None":
                        others.append(f"{node.name}.{name}")
    # Forms of the answers to `run` and `permute`, for JSON alone.
    assert others == ["RunBooksimAnswer.deadlock_free", "RunBooksimAnswer.delivered", "PermuteAnswer.realised"]


def test_the_words() -> None:
    assert check("ring(4)", routing="dimension_order").answer == "no"
    assert check("mesh(3, 3)", routing="dimension_order").answer == "yes"
    assert deliver("mesh(3, 3)", routing="dimension_order").answer == "yes"
    assert NOT_FOLLOWED.answer == "open"
    carried = simulate("mesh(3, 3)", 0.1, routing="dimension_order", warmup=200, measure=1000)
    stuck = simulate("ring(4)", 1.0, routing="dimension_order", warmup=200, measure=2000)
    assert (carried.answer, stuck.answer) == ("yes", "no")
    found = lanes("ring(5)")
    assert (found.fewest, found.answer) == (True, "yes")
