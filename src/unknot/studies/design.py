"""Networks and routings from the text in which a person names them."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from unknot.calls import apply, chosen, parse_call
from unknot.errors import NetworkError, RelationError, TextError, UnknotError, near
from unknot.network import Network, components, distances_from
from unknot.routing.relation import Relation

_FILE_NAME = re.compile(r"\s*[\w.~-]*[./\\][\w./\\~-]*\s*")
"""What can only be meant as the name of a file: one word with a dot or a slash."""


def routings() -> dict[str, Callable[..., Relation]]:
    """The public functions of `unknot.routing` that need a network and nothing else, by name."""
    from unknot import routing as room

    found: dict[str, Callable[..., Relation]] = {}
    for name in room.__all__:
        function = getattr(room, name)
        if inspect.isfunction(function):
            parameters = list(inspect.signature(function).parameters.values())
            needed = [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
            if needed == ["network"] and parameters[0].name == "network":
                found[name] = function
    return found


def network(text: str, *, folder: str | Path = ".", where: str = "<network>") -> Network:
    """The network that the path of a file, or a text in the topology language such as ``torus(8, 8)``, names.

    Parameters
    ----------
    folder : path
        Where relative paths start.
    where : str
        Where the text came from, for messages.

    Raises
    ------
    UnknotError
        If there is no such file, the text is not in the language, or the network cannot be built or read.
    """
    path = Path(folder) / text.strip()
    if text.strip() and _exists(path):
        from unknot import fabrics

        return fabrics.read_fabric(path).network if path.is_dir() else fabrics.read_network(path)
    if _FILE_NAME.fullmatch(text):
        raise _missing(text, path, where)
    from unknot import tod

    return tod.network(text, where=where, folders=[folder])


def routing(network: Network, text: str, vcs: int | None = None, *, where: str = "<routing>") -> Relation:
    """The relation that a routing name or call, such as ``dimension_order(dateline="none")``, makes on a network.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel; by default what the algorithm takes by itself.

    Raises
    ------
    UnknotError
        If there is no such routing, or it cannot be used on this network or with so many VCs.
    """
    function = routing_named(text, where)
    call = parse_call(text, where)
    more: dict[str, int] = {}
    if vcs is not None:
        if vcs < 1:
            raise RelationError(f"{call.name}: every channel needs at least 1 VC, got {vcs}")
        if "vcs" not in inspect.signature(function).parameters:
            raise RelationError(f"{call.name} has its own number of VCs; it cannot use {vcs}")
        more["vcs"] = vcs
    try:
        return apply(call, function, network, **more)
    except UnknotError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise RelationError(f"{text.strip()} on {network.name}: {error}") from error


def routing_named(text: str, where: str = "<routing>") -> Callable[..., Relation]:
    """The routing function a text names, its options apart."""
    return chosen(parse_call(text, where), routings(), "routing")


def require_connected(network: Network) -> None:
    """Refuse a network in which some terminal has no way to another.

    Raises
    ------
    NetworkError
        Names two routers without a way between them.
    """
    if network.num_terminals == 0:
        raise NetworkError(f"network {network.name!r} has no terminals, so there is nothing to route")
    if components(network)[1] == 1:
        return
    for start in np.unique(network.inject).tolist():
        missed = np.flatnonzero(distances_from(network, start)[network.eject] < 0)
        if missed.size:
            end = int(network.eject[missed[0]])
            raise NetworkError(
                f"network {network.name!r} is not connected: there is no way from router "
                f"{network.router_name(start)} to router {network.router_name(end)}"
            )


def digest(network: Network) -> str:
    """A hash of everything that makes up a network, its names included."""
    found = hashlib.sha256()
    for key in ("source", "target", "latency", "inject", "eject", "coordinates", "ports"):
        array = getattr(network, key)
        found.update(f"{key} {None if array is None else array.shape}".encode())
        if array is not None:
            found.update(np.ascontiguousarray(array, dtype="<i4").tobytes())
    for key in ("num_routers", "radices", "dimensions", "router_labels", "terminal_labels"):
        found.update(repr((key, getattr(network, key))).encode())
    return found.hexdigest()


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _missing(text: str, path: Path, where: str) -> TextError:
    """No such file: say which names are near."""
    names: list[str] = []
    with contextlib.suppress(OSError, ValueError):
        names = [entry.name for entry in path.parent.iterdir() if entry.name[0] != "."]
    hint = f"; {near(path.name, names)}" if names else ""
    return TextError(f"there is no file {text.strip()!r}{hint}", where, 1, 1, text)
