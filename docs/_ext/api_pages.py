"""The pages of the API reference: one for each public module, and one for each public name.

Public is what stands in `__all__`. A name that several modules export has its page where users import it from: in
`unknot` if it is there, else in the first module of `MODULES` that exports it.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import types
import typing
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.ext.intersphinx import resolve_reference_detect_inventory
from sphinx.util.inspect import stringify_signature

from unknot._base import quantities

MODULES = (
    "unknot",
    "unknot.flow_control",
    "unknot.network",
    "unknot.network.families",
    "unknot.network.tod",
    "unknot.network.recognised",
    "unknot.fabrics",
    "unknot.fabrics.diagnosis",
    "unknot.routing",
    "unknot.routing.flow_controls",
    "unknot.traffic",
    "unknot_collectives",
    "unknot_collectives.msccl",
    "unknot_collectives.nccl",
    "unknot.certificates",
    "unknot.certificates.plain",
    "unknot.verify",
    "unknot.verify.controllers",
    "unknot.verify.protocols",
    "unknot.verify.testing",
    "unknot.search",
    "unknot.lane_assignment",
    "unknot.remedies",
    "unknot.synthesis",
    "unknot.synthesis.topology",
    "unknot.simulation",
    "unknot.studies",
    "unknot_booksim",
    "unknot.report",
    "unknot_papers.wormhole",
)


def public_names() -> dict[str, list[tuple[str, str]]]:
    """Return, for each module, its public names, each with the module whose page has it."""
    homes: dict[int, str] = {}
    names: dict[str, list[tuple[str, str]]] = {}
    for module in MODULES:
        loaded = import_module(module)
        names[module] = []
        for name in sorted(getattr(loaded, "__all__", ()), key=str.lower):
            member = getattr(loaded, name)
            if isinstance(member, types.ModuleType):
                continue
            key = id(member) if callable(member) else hash((name, repr(member)))
            names[module].append((name, homes.setdefault(key, module)))
    return names


def kind_of(module: str, name: str) -> str:
    """The directive of autodoc for a public name."""
    member = getattr(import_module(module), name)
    if inspect.isclass(member):
        return "exception" if issubclass(member, BaseException) else "class"
    return "function" if callable(member) and typing.get_origin(member) is None else "data"


def _heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n\n"


def _name_page(module: str, name: str) -> str:
    kind = kind_of(module, name)
    page = _heading(f"{module}.{name}", "=") + f".. currentmodule:: {module}\n\n.. auto{kind}:: {name}\n"
    return page + ("   :members:\n" if kind in ("class", "exception") else "")


def _module_page(module: str, names: list[tuple[str, str]]) -> str:
    page = _heading(module, "=") + f".. automodule:: {module}\n\n"
    groups = {"Functions": ("function",), "Classes": ("class",), "Exceptions": ("exception",), "Constants": ("data",)}
    for title, kinds in groups.items():
        lines = [
            f"   {name}" if home == module else f"   ~{home}.{name}"
            for name, home in names
            if kind_of(home, name) in kinds
        ]
        if lines:
            page += _heading(title, "-") + ".. autosummary::\n\n" + "\n".join(lines) + "\n\n"
    own = [f"   {module}.{name}" for name, home in names if home == module]
    return page + (".. toctree::\n   :hidden:\n\n" + "\n".join(own) + "\n" if own else "")


def _annotations(member: Any) -> Iterator[tuple[str, Any]]:
    """All annotations of a function, or of a class and its public members, each as text, with what has it."""
    functions = [member] if not inspect.isclass(member) else [member, member.__init__, *vars(member).values()]
    for function in functions:
        function = getattr(function, "fget", None) or getattr(function, "func", None) or function
        function = inspect.unwrap(getattr(function, "__func__", function))
        if function is member or not getattr(function, "__name__", "_").startswith("_") or function is functions[1]:
            for written in getattr(function, "__annotations__", {}).values():
                yield str(written), function


@cache
def _imported(module: str) -> dict[str, tuple[str, str]]:
    """Names that a module imports anywhere, for type checkers alone too, each with where it comes from."""
    tree = ast.parse(inspect.getsource(import_module(module)))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {name.asname or name.name: (str(node.module), name.name) for node in nodes for name in node.names}


def _classes(name: str, module: str) -> list[Any]:
    """The classes of Unknot that a name stands for in a module: one, or those of a union or list."""
    found = getattr(import_module(module), name, None)
    if found is None and name in _imported(module):
        source, name = _imported(module)[name]
        found = getattr(import_module(source), name, None) if source.startswith("unknot") else None
    reached, classes = [found], []
    while reached:
        one = reached.pop()
        reached += typing.get_args(one)
        if inspect.isclass(one) and one.__module__.startswith("unknot"):
            classes.append(one)
    return classes


def parts() -> list[str]:
    """Return the classes in annotations of public names, and of one another, that have no page of their own."""
    members = [getattr(import_module(home), name) for pairs in public_names().values() for name, home in pairs]
    known = {id(member) for member in members}
    names = []
    while members:
        for written, holder in _annotations(members.pop()):
            for name in re.findall(r"\b[A-Z]\w*", written):
                for part in _classes(name, holder.__module__) if holder.__module__.startswith("unknot") else ():
                    if id(part) not in known:
                        known.add(id(part))
                        members.append(part)
                        names.append(f"{part.__module__}.{part.__qualname__}")
    return sorted(names)


def _parts_page() -> str:
    page = _heading("Parts of answers", "=")
    page += "Attributes of answers, and parts of options. They are made by Unknot: nobody needs to import them.\n\n"
    return page + "\n".join(f".. autoclass:: {name}\n" for name in parts())


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def write_pages(app: Any) -> None:
    """Write the pages into `reference/api`, and remove those of names that are gone."""
    folder = Path(app.srcdir) / "reference" / "api"
    folder.mkdir(parents=True, exist_ok=True)
    pages: dict[str, str] = {}
    for module, names in public_names().items():
        pages[f"{module}.rst"] = _module_page(module, names)
        pages |= {f"{module}.{name}.rst": _name_page(module, name) for name, home in names if home == module}
    pages["parts.rst"] = _parts_page()
    lines = "\n".join(f"   {module}" for module in (*MODULES, "parts"))
    pages["index.rst"] = (
        _heading("Python API", "=")
        + "What is listed here is public: it keeps name and meaning within a version. All else may change.\n\n"
        + f".. toctree::\n   :maxdepth: 1\n\n{lines}\n"
    )
    for path in folder.glob("*.rst"):
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        _write(folder / name, text)


MODULE_ALIASES = {
    "np": "numpy",
    "npt": "numpy.typing",
    "nx": "networkx",
    "numpy._typing": "numpy.typing",
    "numpy._typing._array_like": "numpy.typing",
    "numpy._typing._nested_sequence": "numpy.typing",
    "concurrent.futures._base": "concurrent.futures",
}
"""Modules as annotations name them, and as their projects document them."""
QUANTITIES = {
    name: kind.__origin__.__name__ for name, kind in vars(quantities).items() if hasattr(kind, "__metadata__")
}
NAME_ALIASES = {
    **QUANTITIES,
    **dict.fromkeys(("Ints", "Floats", "Flags", "IntArray", "Values", "Sent", "Addresses"), "numpy.ndarray"),
    **dict.fromkeys(("_Buffer", "_SupportsArray", "_NestedSequence"), "numpy.typing.ArrayLike"),
    "Entry": "tuple",
    "EntryPoint": "importlib.metadata.EntryPoint",
    "Figure": "matplotlib.figure.Figure",
    "Path": "pathlib.Path",
    "Progress": "collections.abc.Callable",
}
"""Short names of types in annotations, and where readers find what they stand for."""


@lru_cache(1)
def _ending(app: Any, _known: int) -> dict[str, dict[str, tuple[str, Any]]]:
    """For each last word of a name, the public names that end so, by their pages; made again when more are known."""
    endings: dict[str, dict[str, tuple[str, Any]]] = {}
    for name, entry in app.env.get_domain("py").objects.items():
        endings.setdefault(name.rsplit(".", 1)[-1], {})[entry.docname] = (name, entry)
    kinds = ("class", "data", "exception")
    return {
        last: {page: one for page, one in found.items() if one[1].objtype in kinds} for last, found in endings.items()
    }


def resolve(app: Any, env: Any, node: Any, contnode: Any) -> nodes.reference | None:
    """Resolve a name of an annotation that is written as its module knows it, when one public name ends so."""
    if node.get("refdomain") != "py":
        return None
    module, _, last = node["reftarget"].rpartition(".")
    if last in NAME_ALIASES or module in MODULE_ALIASES:
        node["reftarget"] = NAME_ALIASES.get(last) or f"{MODULE_ALIASES[module]}.{last}"
        return resolve_reference_detect_inventory(env, node, contnode)
    public = _ending(app, len(env.get_domain("py").objects)).get(last, {})
    if len(public) != 1:
        return None
    from sphinx.util.nodes import make_refnode

    [(name, entry)] = public.values()
    return make_refnode(app.builder, node.get("refdoc", ""), entry.docname, entry.node_id, contnode, name)


def plain_signature(
    app: Any, what: str, name: str, member: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str, str | None] | None:
    """Return a signature without what only Pydantic reads, its limits and its checks, and without factories."""
    if signature and "<factory>" in signature:  # Sphinx reads signatures as Python, and this is none.
        signature = signature.replace("<factory>", "...")
    if not signature or "Annotated[" not in signature:
        return (signature, returned) if signature else None
    fields = getattr(member, "model_fields", None)
    written_types = {key: field.annotation for key, field in fields.items()} if fields else member.__annotations__
    holder = types.SimpleNamespace(__annotations__=written_types, __module__=member.__module__)
    hints = typing.get_type_hints(holder, vars(sys.modules[member.__module__]))
    parameters = [
        p.replace(annotation=hints.get(p.name, p.annotation)) for p in inspect.signature(member).parameters.values()
    ]
    written = stringify_signature(inspect.Signature(parameters), unqualified_typehints=True)
    return written, returned


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before any is read."""
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-signature", plain_signature)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
