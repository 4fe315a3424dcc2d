"""The pages of the API reference: one for each public module, and one for each public name.

Public is what stands in `__all__`. A name that several modules export has its page where users import it from: in
`unknot` if it is there, else in the first module of `MODULES` that exports it.
"""

from __future__ import annotations

import inspect
import sys
import types
import typing
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.ext.intersphinx import resolve_reference_detect_inventory
from sphinx.util.inspect import stringify_signature

MODULES = (
    "unknot",
    "unknot.network",
    "unknot.network.families",
    "unknot.network.tod",
    "unknot.fabrics",
    "unknot.routing",
    "unknot.traffic",
    "unknot.traffic.collectives",
    "unknot.traffic.collectives.msccl",
    "unknot.certificates",
    "unknot.certificates.plain",
    "unknot.verify",
    "unknot.verify.protocols",
    "unknot.verify.testing",
    "unknot.verify.exact",
    "unknot.lanes",
    "unknot.repair",
    "unknot.design",
    "unknot.simulation",
    "unknot.studies",
    "unknot.studies.booksim",
    "unknot.report",
)

PARTS = (
    "unknot._base.deadline.Deadline",
    "unknot._base.extensions.Catalogue",
    "unknot.certificates.verdict.Size",
    "unknot.design.ranking.Level",
    "unknot.design.search.Refuted",
    "unknot.design.space.VcType",
    "unknot.lanes.dimacs.RefutationFiles",
    "unknot.lanes.effort.SearchEffort",
    "unknot.lanes.forced.ForcedTurn",
    "unknot.lanes.forced.RouteTurn",
    "unknot.lanes.laned.Routes",
    "unknot.lanes.load_bounds.LoadBound",
    "unknot.lanes.tables.Table",
    "unknot.network.faults.Origin",
    "unknot.repair.facts.Detour",
    "unknot.repair.facts.Knot",
    "unknot.repair.facts.Trap",
    "unknot.report.curves.Point",
    "unknot.report.picture.Drawing",
    "unknot.routing.bubble.Bubble",
    "unknot.routing.pointer.Compiled",
    "unknot.routing.pointer.Pointer",
    "unknot.simulation.traces.replay.Recording",
    "unknot.studies.booksim.networks.Built",
    "unknot.studies.booksim.parse.Assignment",
    "unknot.studies.booksim.setup.Batches",
    "unknot.studies.study.Ramp",
    "unknot.traffic.collectives.chunks.Chunk",
    "unknot.traffic.collectives.chunks.Transfer",
    "unknot.traffic.collectives.platform.Channel",
    "unknot.verify.audit.Audit",
    "unknot.verify.audit_lost.Unknown",
    "unknot.verify.audit_multicast.MulticastAudit",
    "unknot.verify.audit_traffic.TrafficAudit",
    "unknot.verify.effort.Effort",
    "unknot.verify.failures.Fault",
    "unknot.verify.failures.FaultVerdict",
    "unknot.verify.minimal_paths.ForbiddenPath",
    "unknot.verify.mixture.Mixture",
    "unknot.verify.protocols.machine.Event",
    "unknot.verify.protocols.system.System",
    "unknot.verify.remainder.Remainder",
)
"""Classes that are parts of what public functions take or return, and that nobody needs to import."""


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


def _parts_page() -> str:
    page = _heading("Parts of answers", "=")
    page += "Attributes of answers, and parts of options. They are made by Unknot: nobody needs to import them.\n\n"
    return page + "\n".join(f".. autoclass:: {name}\n" for name in PARTS)


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
NAME_ALIASES = {
    **dict.fromkeys(("Ints", "Floats", "Flags", "IntArray", "Values", "Sent", "Addresses"), "numpy.ndarray"),
    **dict.fromkeys(("_Buffer", "_SupportsArray", "_NestedSequence"), "numpy.typing.ArrayLike"),
    "Entry": "tuple",
    "EntryPoint": "importlib.metadata.EntryPoint",
    "Figure": "matplotlib.figure.Figure",
    "Path": "pathlib.Path",
    "Progress": "collections.abc.Callable",
}
"""Short names of types in annotations, and where readers find what they stand for."""


def resolve(app: Any, env: Any, node: Any, contnode: Any) -> nodes.reference | None:
    """Resolve a name of an annotation that is written as its module knows it, when one public name ends so."""
    if node.get("refdomain") != "py":
        return None
    module, _, last = node["reftarget"].rpartition(".")
    if last in NAME_ALIASES or module in MODULE_ALIASES:
        node["reftarget"] = NAME_ALIASES.get(last) or f"{MODULE_ALIASES[module]}.{last}"
        return resolve_reference_detect_inventory(env, node, contnode)
    domain = env.get_domain("py")
    found = {
        entry.docname: (name, entry) for name, entry in domain.objects.items() if name.rsplit(".", 1)[-1] == last
    }
    public = [(name, entry) for name, entry in found.values() if entry.objtype in ("class", "data", "exception")]
    if len(public) != 1:
        return None
    from sphinx.util.nodes import make_refnode

    name, entry = public[0]
    return make_refnode(app.builder, node.get("refdoc", ""), entry.docname, entry.node_id, contnode, name)


def plain_signature(
    app: Any, what: str, name: str, member: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str, str | None] | None:
    """Return a signature without what only Pydantic reads: its limits and its checks."""
    if not signature or "Annotated[" not in signature:
        return None
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
