"""Routings from the text in which a person names them."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from unknot.calls import apply, chosen, parse_call
from unknot.errors import RelationError, UnknotError
from unknot.network import Network
from unknot.routing.relation import Relation


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


def routing(network: Network, text: str, vcs: int | None = None, *, where: str = "<routing>") -> Relation:
    """The relation that a routing name or call, such as ``dimension_order(dateline="none")``, makes on a network.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel; by default what the algorithm takes by itself.

    Raises
    ------
    UnknotError
        If there is no such routing, or it cannot be used on this network or with that number of VCs.
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
        made = apply(call, function, network, **more)
        made.__dict__["_made_by"] = (text, vcs)
        return made
    except UnknotError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise RelationError(f"{text.strip()} on {network.name}: {error}") from error


def routing_named(text: str, where: str = "<routing>") -> Callable[..., Relation]:
    """The routing function a text names, its options apart."""
    return chosen(parse_call(text, where), routings(), "routing")
