"""DOT, the language of Graphviz, for its drawings."""

from __future__ import annotations

from pathlib import Path

from unknot._base.errors import TextError
from unknot._base.output import write_text
from unknot.fabrics.format import EVERYTHING, Format
from unknot.fabrics.graph_files import flat, writable
from unknot.network import Network


def read_dot(path: str | Path) -> Network:
    """Refuse: NetworkX reads DOT by pydot or pygraphviz.

    Raises
    ------
    TextError
        Always.
    """
    raise TextError(
        "DOT is written, not read; NetworkX reads it, and unknot.network.from_networkx takes its graphs", path
    )


def write_dot(network: Network, path: str | Path) -> None:
    """Write every part of a network as a digraph."""
    described = writable(network)
    text = [f"digraph {_quoted(described.graph.pop('name'))} {{"]
    if described.graph:
        text.append(f"  graph{_list(described.graph)};")
    text += [f"  {i}{_list(node)};" for i, node in enumerate(described.nodes)]
    text += [f"  {u} -> {v}{_list(edge)};" for u, v, edge in described.edges]
    write_text(path, "\n".join([*text, "}"]) + "\n")


def _list(row: dict[str, object]) -> str:
    pairs = [f"{key}={value if isinstance(value, int) else _quoted(value)}" for key, value in flat(row).items()]
    return f" [{', '.join(pairs)}]" if pairs else ""


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


FORMAT = Format("dot", "a DOT graph", (".dot", ".gv"), read_dot, write_dot, keeps=EVERYTHING, holds="program")
