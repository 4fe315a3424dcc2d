"""Cables between switches: neighbours by LLDP, or a list."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unknot._base.errors import TextError, near
from unknot._base.input import read_lines
from unknot.fabrics.ethernet.document import Document


@dataclass(frozen=True, order=True)
class Port:
    """A port of a switch, by their names."""

    switch: str
    name: str

    def __str__(self) -> str:
        return f"{self.switch} {self.name}"


def read_cable_list(path: str | Path, switches: Collection[str] | None = None) -> list[tuple[Port, Port]]:
    """Read a list of cables: in each line switch, interface, switch, interface; ``#`` begins a remark.

    Raises
    ------
    TextError
        With the line, if there are not four words in it, a port has two cables, or none of `switches` has it.
    """
    cables: list[tuple[Port, Port]] = []
    line_of: dict[Port, int] = {}
    for number, line in enumerate(read_lines(path), 1):
        words = line.split("#")[0].split()
        if words and len(words) != 4:
            raise TextError(f"4 words are needed: switch, interface, switch, interface; got {len(words)}",
                            path, number, text=line)  # fmt: skip
        if words:
            ends = Port(*words[:2]), Port(*words[2:])
            for end in ends:
                if end in line_of or ends[0] == ends[1]:
                    first = line_of.get(end, number)
                    raise TextError(f"{end} has a cable by line {first} already", path, number, text=line)
                if switches is not None and end.switch not in switches:
                    message = (
                        f"{end.switch} has cables but no routes in this folder: add them, or mend the line (switch, "
                        f"interface, switch, interface); {near(end.switch, switches)}"
                    )
                    raise TextError(message, path, number, text=line)
            line_of |= dict.fromkeys(ends, number)
            cables.append(ends)
    return cables


def read_lldp(path: str | Path, switch: str) -> list[tuple[Port, tuple[Port, ...]]]:
    """Read the neighbours of a switch: output of `lldpcli -f json` or `-f json0`, `show neighbors`.

    Returns
    -------
    list of (Port, tuple of Port)
        A port of this switch, and names of the port at the far end: its ID and its description.

    Raises
    ------
    TextError
        With the line, for what is not such output.
    """
    document = Document.read(Path(path))
    top = document.table(document.content).get("lldp")
    neighbours = []
    for name, interface in _interfaces(document, top):
        if interface.get("via", "LLDP") != "LLDP":
            continue
        chassis = _only(document, interface.get("chassis"), name)
        far = next((key for key, inner in chassis.items() if isinstance(inner, dict)), None)
        far = _word(chassis.get("name")) if "name" in chassis else None if far == "id" else far
        port = _only(document, interface.get("port"), name)
        words = (_word(_only(document, port.get("id"), name).get("value")), _word(port.get("descr")))
        ends = tuple(Port(far, word) for word in words if word) if far else ()
        if ends:
            neighbours.append((Port(switch, name), ends))
    return neighbours


def _interfaces(document: Document, top: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and facts of each interface, in whichever of the three shapes."""
    for part in document.rows(top if isinstance(top, list) else [top], "lldp"):
        listed = part.get("interface", [])
        for row in document.rows(listed if isinstance(listed, list) else [listed], "interface"):
            if isinstance(row.get("name"), str):
                yield row["name"], row
            else:
                for name, facts in row.items():
                    yield name, document.table(facts, "interface", name)


def _only(document: Document, content: Any, name: str) -> dict[str, Any]:
    """An object, or the first of a list of objects."""
    first = content[0] if isinstance(content, list) and content else content
    return document.table(first, "interface", name)


def _word(content: Any) -> str | None:
    """A text, or that in the first of a list of objects."""
    if isinstance(content, list) and content and isinstance(content[0], dict):
        content = content[0].get("value")
    return content if isinstance(content, str) else None
