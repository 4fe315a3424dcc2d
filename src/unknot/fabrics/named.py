"""Networks from what a person gives: a file, a description such as ``torus(8, 8)``, or an object."""

from __future__ import annotations

import contextlib
import re
import sys
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

from unknot._base.errors import NetworkError, TextError, UnknotError, near
from unknot._base.lent import lent
from unknot._base.manifest import met
from unknot._base.packed import is_member
from unknot.network import Network
from unknot.network.graph import digest

_PREFIX = re.compile(r"\s*[a-z0-9]+:")
_PLAIN = re.compile(r"\s*([a-z_]+)\(\s*(\d{1,4}(?:\s*,\s*\d{1,4})*)\s*\)\s*")
MOST_PLAIN = 10_000
"""Largest product of the numbers of a family that is made without the language, which knows sizes beforehand."""
_FILE_NAME = re.compile(r"\s*[\w.~-]*[./\\][\w./\\~-]*\s*")
"""Text that can only be the name of a file: one word with a dot or a slash."""


def network(text: Any, *, folder: str | Path = ".", where: str = "<network>", confined: bool = False) -> Network:
    """The network that the path of a file, or a text in the topology language such as ``torus(8, 8)``, names.

    ``FORMAT:PATH`` names the format of the file, as in ``edges:grid.txt``.

    Parameters
    ----------
    text : str, Path, Network or networkx.Graph
    folder : path
        Where relative paths start.
    where : str
        Where the text came from, for messages.
    confined : bool
        Whether the text was found in a file that need not be trusted: then files outside `folder` are not read, and
        messages quote nothing from files inside it.

    Raises
    ------
    UnknotError
        If there is no such file, the text is not in the language, or the network cannot be built or read.
    """
    own = lent("network", text) if isinstance(text, str) else None if isinstance(text, Path) else _of_object(text)
    if own is not None:
        return _met(own)
    text = str(text)
    form, named = None, text
    if _PREFIX.match(text):
        from unknot.fabrics.reading import split_form

        form, named = split_form(text)
    path = Path(folder) / named.strip()
    exists = bool(named.strip()) and _exists(path)
    is_file = exists or form is not None or _FILE_NAME.fullmatch(text) is not None
    if confined and is_file and not path.resolve().is_relative_to(Path(folder).resolve()):
        raise TextError(
            f"{named.strip()!r} is outside the folder of this file; allow it with --outside-files", where, 1, 1, text
        )
    if is_file and not exists:
        raise _missing(named, path, where)
    try:
        if not is_file:
            family = _family(text)
            if family is None:
                from unknot.network import tod

                family = tod.network(text, where=where, folders=[folder])
            return _met(family)
        from unknot import fabrics

        return _met(fabrics.read_network(path, form))
    except UnknotError as error:
        elsewhere = error.where if isinstance(error, TextError) and error.where != where else ""
        if confined and (is_file or elsewhere):
            place = elsewhere or str(path)
            raise TextError(
                f"{place} cannot be read as a network; `unknot show {place}` says why", where, 1, 1, text
            ) from None
        raise


def _of_object(given: Any) -> Network:
    """The network that an object is, or a graph of NetworkX describes."""
    if isinstance(given, Network):
        return given
    graphs = sys.modules.get("networkx")
    if graphs is None or not isinstance(given, graphs.Graph):
        raise NetworkError(
            "a Network is needed, a text such as 'torus(8, 8)', the name of a file or a graph of NetworkX; "
            f"got {type(given).__name__}"
        )
    from unknot.network import from_networkx

    return from_networkx(given)


def _met(network: Network) -> Network:
    met(network.name, partial(digest, network))
    return network


def _family(text: str) -> Network | None:
    """The network of one family with small whole numbers, such as ``mesh(8, 8)``, made without reading the language.

    None of any other text, and of what cannot be made: the language then says why. Its grammar takes a tenth of a
    second.
    """
    match = _PLAIN.fullmatch(text)
    if match is None:
        return None
    from unknot.network import families as topologies

    sizes = [int(number) for number in match[2].split(",")]
    if match[1] not in topologies.__all__ or match[1].startswith("from_") or prod(sizes) > MOST_PLAIN:
        return None
    with contextlib.suppress(UnknotError, TypeError, ValueError):
        made: Network = getattr(topologies, match[1])(*sizes)
        return replace(made, name=" ".join(text.split()))
    return None


def _exists(path: Path) -> bool:
    try:
        return path.exists() or is_member(path)
    except (OSError, ValueError):
        return False


def _missing(text: str, path: Path, where: str) -> TextError:
    """Return the error for a file that does not exist, with similar names in its folder."""
    names: list[str] = []
    with contextlib.suppress(OSError, ValueError):
        names = [entry.name for entry in path.parent.iterdir() if entry.name[0] != "."]
    phrase = near(path.name, names)
    hint = f"; {phrase}" if phrase.startswith("did") else ""  # a folder may hold thousands of others
    return TextError(f"there is no file {text.strip()!r}{hint}", where, 1, 1, text)
