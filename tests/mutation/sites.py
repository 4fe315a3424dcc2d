"""Single faults in the functions of a file, by the operators of mutmut.

Texts, default values, what is raised and zip's check of lengths stay as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from types import CodeType

import libcst as cst
import libcst.matchers as m

TEXTS = (cst.BaseString, cst.FormattedString, cst.ConcatenatedString)
STRICT = m.Arg(keyword=m.Name("strict"))
SET_TO_FALSE = m.OneOf(m.Assign(value=m.Name("False")), m.AnnAssign(value=m.Name("False")))


@dataclass(frozen=True)
class Function:
    """A function of a file, alone in a module: a fault is written there, in a moment, however long the file is.

    Attributes
    ----------
    before : int
        Lines of the file that stand before those of the module.
    """

    path: str
    name: str
    module: cst.Module
    before: int

    @cached_property
    def text(self) -> str:
        return self.module.code

    @cached_property
    def statements(self) -> list[ast.stmt]:
        return [node for node in ast.walk(ast.parse(self.text)) if isinstance(node, ast.stmt)]


@dataclass(frozen=True)
class Mutant:
    """One fault: the function in which it is, and the nodes without and with it. Code is made when asked for."""

    within: Function
    old: cst.CSTNode
    new: cst.CSTNode

    @property
    def path(self) -> str:
        return self.within.path

    @property
    def function(self) -> str:
        return self.within.name

    @cached_property
    def source(self) -> str:
        """The function with the fault; lines keep their numbers up to the fault."""
        changed = self.within.module.deep_replace(self.old, self.new)
        assert isinstance(changed, cst.Module)
        return changed.code

    @cached_property
    def change(self) -> tuple[int, str, str]:
        """Number of the function's first line that changes, the line before and after."""
        pairs = zip_longest(self.within.text.splitlines(), self.source.splitlines(), fillvalue="")
        return next((number, old, new) for number, (old, new) in enumerate(pairs, start=1) if old != new)

    @property
    def key(self) -> str:
        """What a list of explained mutants knows it by; no line numbers, so that it outlives other changes."""
        _, before, after = self.change
        return f"{self.path}::{self.function}: {_short(before)} => {_short(after)}"

    def lines(self) -> list[set[int]]:
        """Lines that show whether a test runs it: those of the statement, then of the inner functions around it."""
        number, spans = self.change[0], []
        for node in self.within.statements:
            if node.lineno <= number <= (node.end_lineno or 0):
                body = getattr(node, "body", None)
                end = body[0].lineno - 1 if body else node.end_lineno or 0
                spans.append((node.lineno, end, isinstance(node, (ast.FunctionDef, ast.ClassDef))))
        inner = [{first} for first, _, function in spans if function][self.function.count(".") + 1 :]
        first, end, _ = spans[-1]
        statements = [set(range(first, max(end, number) + 1)), *reversed(inner)]
        return [{line + self.within.before for line in lines} for lines in statements]

    def code(self) -> CodeType:
        """The function's compiled code; annotations stay texts, as in all files, since they do in this one."""
        code = _within(compile(self.source, self.path, "exec"), self.function.split("."))
        assert code is not None, self.key
        return code


class _Bare(cst.CSTTransformer):
    """Puts empty lines for decorators: mutmut leaves decorated functions alone, and only their code is needed."""

    def leave_FunctionDef(  # noqa: N802
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        lines = sum(cst.Module([]).code_for_node(decorator).count("\n") for decorator in original_node.decorators)
        lines += len(original_node.lines_after_decorators)
        empty = [cst.EmptyLine(indent=False)] * lines
        return updated_node.with_changes(
            decorators=(), lines_after_decorators=(), leading_lines=(*updated_node.leading_lines, *empty)
        )


def mutants(root: Path, path: Path) -> list[Mutant]:
    """All single faults in the functions and methods of a file."""
    from mutmut.mutation.file_mutation import create_mutations  # takes a second to import

    bare = cst.parse_module(path.read_text()).visit(_Bare())
    module, mutations, _, _ = create_mutations(str(path), bare.code)
    functions = {id(inner): function for inner, function in _functions(path.relative_to(root).as_posix(), module)}
    left_alone = {id(node) for node in _left_alone(module)}
    return [
        Mutant(functions[id(mutation.contained_by_top_level_function)], old, new)
        for mutation in mutations
        for old, new in [(mutation.original_node, mutation.mutated_node)]
        if id(mutation.contained_by_top_level_function) in functions
        and id(old) not in left_alone
        and not _idle(old, new)
    ]


def _left_alone(node: cst.CSTNode) -> list[cst.CSTNode]:
    """Nodes of default values, of texts, of what is raised, and of zip's check."""
    if isinstance(node, (cst.Parameters, cst.Raise, *TEXTS)) or m.matches(node, STRICT):
        return _below(node)
    return [one for child in node.children for one in _left_alone(child)]


def _below(node: cst.CSTNode) -> list[cst.CSTNode]:
    return [node, *(one for child in node.children for one in _below(child))]


def _idle(old: cst.CSTNode, new: cst.CSTNode) -> bool:
    """Whether a text or zip's check changes or is left out of a call, or None stands for False."""
    if isinstance(old, TEXTS) or m.matches(old, SET_TO_FALSE):
        return True
    if not isinstance(old, cst.Call) or not isinstance(new, cst.Call):
        return False
    kept = {id(argument.value) for argument in new.args}
    names = {argument.keyword.value for argument in new.args if argument.keyword}
    return any(
        (isinstance(a.value, TEXTS) or m.matches(a, STRICT)) and id(a.value) not in kept for a in old.args
    ) or any(a.keyword and a.keyword.value not in names and id(a.value) in kept for a in old.args)


def _functions(path: str, module: cst.Module) -> Iterator[tuple[cst.FunctionDef, Function]]:
    """The functions and methods of a module; methods stand in their class, without the others."""
    numbers = iter(_numbers(module))
    for node in module.body:
        if isinstance(node, cst.FunctionDef):
            alone = cst.Module([node])
            yield node, Function(path, node.name.value, alone, next(numbers) - _numbers(alone)[0])
        elif isinstance(node, cst.ClassDef):
            for inner in node.body.body:
                if isinstance(inner, cst.FunctionDef):
                    alone = cst.Module([node.with_changes(body=node.body.with_changes(body=[inner]))])
                    name = f"{node.name.value}.{inner.name.value}"
                    yield inner, Function(path, name, alone, next(numbers) - _numbers(alone)[0])


def _numbers(module: cst.Module) -> list[int]:
    """The lines in which its functions and methods begin."""
    bodies = [node.body if isinstance(node, ast.ClassDef) else [node] for node in ast.parse(module.code).body]
    return [node.lineno for body in bodies for node in body if isinstance(node, ast.FunctionDef)]


def _within(code: CodeType, names: list[str]) -> CodeType | None:
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and constant.co_name == names[0]:
            return constant if len(names) == 1 else _within(constant, names[1:])
    return None


def _short(text: str) -> str:
    return " ".join(text.split())
