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


def relation_of(given: Relation | Network | str, routing_text: str | None, vcs: int | None, *, what: str) -> Relation:
    """The relation that a relation, or a network (an object, a description or a file) with a routing, stands for.

    Parameters
    ----------
    what : str
        The function that was called, for messages.

    Raises
    ------
    UnknotError
        If the network or the routing cannot be made; RelationError if `given` is none of these, if a network comes
        without a routing, or if a relation comes with one.

    Examples
    --------
    >>> relation_of("ring(4)", "dimension_order", 2, what="check")
    <Relation dimension_order on ring(4), 16 VCs>
    """
    if isinstance(given, Relation):
        if routing_text is not None or vcs is not None:
            raise RelationError(f"{what}: {given.name} is a routing already; leave out `routing` and `vcs`")
        return given
    if isinstance(given, str):
        from unknot.fabrics.named import network as network_named

        given = network_named(given)
    if not isinstance(given, Network):
        raise RelationError(
            f"{what}: a Relation is wanted, or a network with a routing, as in "
            f'{what}("torus(8, 8)", routing="duato"); got {type(given).__name__}'
        )
    if not isinstance(routing_text, str):
        raise RelationError(
            f"{what}: {given.name} is a network; name its routing as well, such as routing='dimension_order'"
        )
    return routing(given, routing_text, vcs)


def routing_named(text: str, where: str = "<routing>") -> Callable[..., Relation]:
    """The routing function a text names, its options apart."""
    return chosen(parse_call(text, where), routings(), "routing")
