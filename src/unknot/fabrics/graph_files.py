"""Shared parts of GraphML, GML, DOT and node-link JSON: what is written for a network, and errors with the file."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unknot._base.errors import NetworkError, TextError, UnknotError
from unknot.network import Network
from unknot.network.graph import Description, describe

_PLACE = re.compile(r" at \(([0-9]+), ([0-9]+)\)$")


@contextmanager
def errors_of(path: str | Path, form: str, lines: Sequence[str] = ()) -> Iterator[None]:
    """Turn whatever a library raises while it reads a file into an error that names the file.

    Raises
    ------
    TextError
        With line and column where the message of the library ends with them.
    """
    try:
        yield
    except NetworkError as error:
        raise TextError(str(error), path) from error
    except (UnknotError, MemoryError):
        raise
    except RecursionError as error:
        raise TextError(f"this {form} is nested too deeply", path) from error
    except Exception as error:
        words = str(error)
        if isinstance(error, (AttributeError, TypeError, LookupError)) or not words:
            words = "something in it is not of the kind that is wanted there"
        place = _PLACE.search(words)
        line, column = (int(place[1]), int(place[2])) if place else (0, 0)
        words = words[: place.start()] if place else words
        short = words if len(words) <= 160 else f"{words[:100]} … {words[-59:]}"
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        raise TextError(f"this {form} cannot be read: {short}", path, line, column, text) from error


def writable(network: Network) -> Description:
    """Attributes of a network that differ from their defaults, as texts that the formats can hold.

    Raises
    ------
    NetworkError
        For a name with a control character.
    """
    for name in (*(network.router_labels or ()), *(network.terminal_labels or ()), *network.dimensions):
        if any(unicodedata.category(c) in ("Cc", "Cs") or _no_character(ord(c)) for c in name):
            raise NetworkError(f"the name {name!r} has a control character and cannot stand in this format")
    described = describe(network)
    graph = described.graph
    graph["name"] = "".join(c if c.isprintable() else " " for c in network.name)
    if graph["eject"] == graph["inject"]:
        del graph["eject"]
        if graph["inject"] == list(range(network.num_routers)):
            del graph["inject"]
    if not network.radices:
        del graph["radices"], graph["dimensions"]
        for node in described.nodes:
            node.pop("coordinates", None)
    return described


def flat(row: dict[str, Any]) -> dict[str, str | int]:
    """Attributes for a format without lists."""
    return {key: _scalar(value) for key, value in row.items()}


def _scalar(value: Any) -> str | int:
    if not isinstance(value, (list, tuple)):
        return value if isinstance(value, int) else str(value)
    if value and isinstance(value[0], str):
        return json.dumps(value, ensure_ascii=False)
    return " ".join(str(item) for item in value)


def _no_character(code: int) -> bool:
    """Whether this is one of the code points that Unicode keeps from being characters."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
