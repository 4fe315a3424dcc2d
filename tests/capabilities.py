"""All documented capabilities, read from the program; `python -m tests.capabilities` adds new ones to the list."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from unknot._base import extensions
from unknot._base.switching import SWITCHINGS
from unknot.certificates import plain
from unknot.cli.answers.schemas import FORMS
from unknot.cli.program import ALL, command_named, questions
from unknot.cli.questions import claims
from unknot.fabrics.formats import FORMATS
from unknot.network.tod.functions import FUNCTIONS, foreign, signature
from unknot.routing.flow_controls.named import builders
from unknot.routing.named import routings
from unknot.simulation.engine.codes import WORDS
from unknot.simulation.engine.router import Router
from unknot.traffic.patterns import patterns
from unknot.verify.protocols.named import PROTOCOLS

DOCS = Path(__file__).parents[1] / "docs"
LIST = Path(__file__).with_suffix(".txt")
Capabilities = dict[str, set[str]]
"""Words by what has them, as the options of a command or the parameters of a function."""


def capabilities() -> Capabilities:
    """Return what the program can do now, and what only files of the documentation say."""
    found = dict(_words())
    for module in documented_modules():
        found |= dict(_api(module))
    return found


def documented_modules() -> list[str]:
    """Return the modules that have a page of the API, and those that the list names already."""
    from api_pages import MODULES

    listed = [key.removeprefix("module ") for key in kept() if key.startswith("module ")] if LIST.exists() else []
    return sorted({*MODULES, *listed})


def _words() -> Iterator[tuple[str, set[str]]]:
    yield "commands", set(ALL)
    for name in questions():
        yield f"unknot {name}", {word for parameter in command_named(name).params for word in _spoken(parameter)}
    yield "formats", {*FORMATS}
    for name, form in FORMATS.items():
        can = {"read" if form.read else "", "write" if form.write else "", *form.endings, *form.keeps}
        yield f"format {name}", {word.replace(" ", "-") for word in can if word}
    for kind, named in (("routing", routings()), ("flow control", builders()), ("pattern", patterns())):
        yield f"{kind}s", {*named}
        for name, function in named.items():
            yield f"{kind} {name}", _parameters(function)
    yield "families", {*FUNCTIONS, *foreign()}
    for name in (*FUNCTIONS, *foreign()):
        yield f"family {name}", {*signature(name).parameters}
    yield "techniques", {*SWITCHINGS}
    yield "claims", {*claims()}
    for name, made in claims().items():
        yield f"claim {name}", _parameters(made)
    yield "subjects of the checker", {subject.replace(" ", "-") for subject in plain.CLAIMS}
    yield "protocols", {*PROTOCOLS}
    yield "router", _parameters(Router)
    for option, words in WORDS.items():
        yield f"router {option}", {*words}
    yield "forms of answers", {*FORMS}
    yield "kinds of entry points", {*extensions.KINDS}
    yield "designed routings", {*extensions.DESIGNERS}
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    yield "pages", {page for page in pages if not page.startswith(WRITTEN)}
    yield from _plugged()


def _spoken(parameter: Any) -> list[str]:
    """An argument in capitals, or the names of an option and its settings if they are words."""
    if parameter.param_type_name == "argument":
        return [parameter.name.upper()]
    settings = [f"{parameter.opts[0]}={setting}" for setting in getattr(parameter.type, "choices", ())]
    return [*parameter.opts, *parameter.secondary_opts, *settings]


WRITTEN = ("_build", "reference/api", "reference/booksim-keys", "reference/commands", "schemas", "made/")
"""Pages that the documentation writes for itself."""


def _plugged() -> Iterator[tuple[str, set[str]]]:
    """What stands beside the core: orders and algorithms of collectives, keys of BookSim."""
    from unknot_booksim import KEYS
    from unknot_booksim.patterns import PATTERNS
    from unknot_booksim.routings import ROUTINGS
    from unknot_collectives.orders import ORDERS
    from unknot_collectives.textbook import TREES, algorithms

    yield "orders", {*ORDERS}
    for operation in TREES:
        yield f"collective {operation}", {*algorithms(operation)}
    yield "keys of BookSim", {*KEYS}
    yield "patterns of BookSim", {*PATTERNS}
    yield "routings of BookSim", {"_".join(name) if isinstance(name, tuple) else str(name) for name in ROUTINGS}


def _parameters(function: Callable[..., Any]) -> set[str]:
    parameters = inspect.signature(function).parameters
    names = {*parameters}
    for name, one in parameters.items():
        if one.kind == one.VAR_KEYWORD and str(one.annotation).startswith("Unpack["):
            options = vars(sys.modules[function.__module__])[one.annotation.removeprefix("Unpack[").rstrip("]")]
            names = names - {name} | {*options.__annotations__}
    return names


def _api(module: str) -> Iterator[tuple[str, set[str]]]:
    """Public names of a module, the parameters of functions, and the members of classes."""
    loaded = import_module(module)
    plugged = [name.rpartition(".") for name in extensions._installed("names")]
    names = {last for before, _, last in plugged if f"unknot.{before}".rstrip(".") == module}
    public = {name: getattr(loaded, name) for name in {*getattr(loaded, "__all__", ()), *names}}
    yield f"module {module}", {*public}
    for name, member in public.items():
        if inspect.isclass(member):
            yield f"class {module}.{name}", {one for one in _members(member) if not one.startswith("_")}
        elif callable(member) and not isinstance(member, ModuleType):
            yield f"function {module}.{name}", _parameters(member)


def _members(kind: type) -> set[str]:
    foreign_members = set(dir(object)) | set(dir(BaseException) if issubclass(kind, BaseException) else ())
    if hasattr(kind, "model_fields"):
        foreign_members |= {name for base in kind.__mro__ if not _ours(base) for name in vars(base)}
    return {
        *dir(kind),
        *getattr(kind, "__dataclass_fields__", ()),
        *(name for base in kind.__mro__ if _ours(base) for name in vars(base).get("__annotations__", ())),
        *getattr(kind, "model_fields", ()),
    } - foreign_members


def _ours(kind: type) -> bool:
    return kind.__module__.startswith("unknot")


def kept() -> Capabilities:
    """Return the list."""
    lines = re.sub(r"\n  +", " ", LIST.read_text(encoding="utf-8")).splitlines()
    return {key: set(words.split()) for key, _, words in (line.partition(":") for line in lines if line)}


def written(found: Mapping[str, set[str]]) -> str:
    """Return a list as text, wrapped."""
    lines = [f"{key}: {' '.join(sorted(words))}".strip() for key, words in sorted(found.items())]
    wrap = {"width": 118, "subsequent_indent": "    ", "break_long_words": False, "break_on_hyphens": False}
    return "\n".join(textwrap.fill(line, **wrap) for line in lines) + "\n"  # type: ignore[arg-type]


def lost(before: Mapping[str, set[str]], now: Mapping[str, set[str]]) -> list[str]:
    """Return what a list has and another has not."""
    return sorted(
        f"{key}: {word}".rstrip(": ")
        for key, words in before.items()
        for word in (words - now.get(key, set()) if key in now else words or {""})
    )


if __name__ == "__main__":
    sys.path.append(str(DOCS / "_ext"))
    old, new = kept() if LIST.exists() else {}, capabilities()
    merged = {key: old.get(key, set()) | new.get(key, set()) for key in {*old, *new}}
    LIST.write_text(written(merged), encoding="utf-8")
