"""Single faults in the functions of a file, by the operators of mutmut; texts are left as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import CodeType

import libcst as cst


@dataclass(frozen=True)
class Mutant:
    """One fault: where it is, the first line that it changes, and the whole file with it."""

    path: str
    function: str
    number: int
    before: str
    after: str
    source: str

    @property
    def key(self) -> str:
        """What a list of explained mutants knows it by; no line numbers, so that it outlives other changes."""
        return f"{self.path}::{self.function}: {_short(self.before)} => {_short(self.after)}"

    def code(self) -> CodeType:
        """The function's compiled code."""
        found = _within(compile(self.source, self.path, "exec"), self.function.split("."))
        assert found is not None, self.key
        return found


class _Bare(cst.CSTTransformer):
    """Takes decorators away: mutmut leaves decorated functions alone, and only their code is wanted."""

    def leave_FunctionDef(  # noqa: N802
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        return updated_node.with_changes(decorators=())


def mutants(root: Path, path: Path) -> Iterator[Mutant]:
    """All single faults in the functions and methods of a file."""
    from mutmut.mutation.file_mutation import create_mutations  # takes a second to import

    bare = cst.parse_module(path.read_text()).visit(_Bare())
    module, found, _, _ = create_mutations(str(path), bare.code)
    names = {id(node): name for name, node in _functions(module)}
    for number, mutation in enumerate(found):
        owner = mutation.contained_by_top_level_function
        text = isinstance(mutation.original_node, (cst.BaseString, cst.FormattedString))
        if owner is None or id(owner) not in names or text:
            continue
        changed = module.deep_replace(mutation.original_node, mutation.mutated_node)  # type: ignore[arg-type]
        before, after = next(
            (old, new)
            for old, new in zip_longest(module.code.splitlines(), changed.code.splitlines(), fillvalue="")
            if old != new
        )
        if "XX" in after and "XX" not in before:
            continue
        yield Mutant(
            path.relative_to(root).as_posix(),
            names[id(owner)],
            number,
            before,
            after,
            changed.code,  # type: ignore[attr-defined]
        )


def _functions(module: cst.Module) -> Iterator[tuple[str, cst.FunctionDef]]:
    for node in module.body:
        if isinstance(node, cst.FunctionDef):
            yield node.name.value, node
        elif isinstance(node, cst.ClassDef):
            for inner in node.body.body:
                if isinstance(inner, cst.FunctionDef):
                    yield f"{node.name.value}.{inner.name.value}", inner


def _within(code: CodeType, names: list[str]) -> CodeType | None:
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and constant.co_name == names[0]:
            return constant if len(names) == 1 else _within(constant, names[1:])
    return None


def _short(text: str) -> str:
    return " ".join(text.split())
