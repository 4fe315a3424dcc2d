"""Routings from what a person gives: a name, a file, a function or a relation."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.calls import Call, apply, chosen, parse_call
from unknot._base.errors import NetworkError, RelationError, UnknotError
from unknot._base.extensions import DESIGNERS, Catalogue
from unknot._base.later import Later
from unknot._base.lent import lent
from unknot.network import Network
from unknot.routing.own import is_file, own_function, rooted
from unknot.routing.paths import cut_of
from unknot.routing.relation import Relation
from unknot.routing.routes_file import read_routes

room = Later[Any]("unknot.routing")
"""The package `unknot.routing`: it imports this file, as all algorithms do."""


def routings() -> Catalogue[Callable[..., Relation]]:
    """The public functions of `unknot.routing` that need a network and nothing else, and those of extensions."""
    return Catalogue("routings", {name: known for name in room().__all__ if (known := _algorithm(name))})


def _algorithm(name: str) -> Callable[..., Relation] | None:
    """The public function of that name that needs a network and nothing else."""
    public = getattr(room(), name) if name in room().__all__ else None
    return public if inspect.isfunction(public) and _needs_a_network_alone(public) else None


@lru_cache
def _needs_a_network_alone(function: Callable[..., object]) -> bool:
    parameters = list(inspect.signature(function).parameters.values())
    needed = [p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    return needed == ["network"] and parameters[0].name == "network"


def routing(
    network: Network,
    text: str | Given,
    vcs: int | None = None,
    *,
    flows: npt.ArrayLike | None = None,
    where: str = "<routing>",
) -> Relation:
    """The relation that a routing name or call, such as ``dimension_order(dateline="none")``, makes on a network.

    ``my_routing.py:greedy`` runs a Python file and calls its function with the network, and ``routes.json`` reads
    routes from a file; see `unknot.routing.own`. ``lanes`` searches for the fewest lanes.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel; by default what the algorithm takes by itself.
    flows : array_like of float, shape (terminals, terminals), optional
        What terminals send to one another, for routings that are designed for it (`lanes`); others ignore it.

    Raises
    ------
    UnknotError
        If there is no such routing, or it cannot be used on this network or with that number of VCs.
    """
    return routing_named(text, where).on(network, vcs, flows)


Given = Relation | Callable[..., Any]
"""A routing of a caller: a relation, a function of a network that returns one, or a rule."""


@dataclass(frozen=True)
class NamedRouting:
    """The function named by the text of a routing, and the call that makes a relation on a network.

    Attributes
    ----------
    text : str
    function : callable
    call : Call
    named : bool
        Whether another process finds the function by the text.
    """

    text: str
    function: Callable[..., Relation]
    call: Call
    named: bool = True

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.function).parameters

    @property
    def takes_vcs(self) -> bool:
        """Whether a number of VCs may be given beside the text."""
        return "vcs" in self.parameters and "vcs" not in self.call.options

    def on(self, network: Network, vcs: int | None = None, flows: npt.ArrayLike | None = None) -> Relation:
        """Return the relation that the call makes on a network."""
        text, call, more = self.text, self.call, dict[str, Any]()
        if flows is not None and "flows" in self.parameters:
            more["flows"] = flows
        if vcs is not None:
            if not isinstance(vcs, (int, np.integer)) or vcs < 1:
                raise RelationError(f"{call.name}: every channel needs at least 1 VC, got {vcs!r}")
            if "vcs" not in self.parameters:
                made = self.on(network, flows=flows)
                own = made.vcs.counts
                if (own == vcs).all():
                    return made
                most = int(own.max(initial=1))
                many = " to ".join(map(str, sorted({int(own.min(initial=most)), most})))
                raise RelationError(
                    f"{call.name} fixes its virtual channels, {many} per channel of {network.name}, and cannot use "
                    f"{vcs}: leave the number out"
                )
            more["vcs"] = vcs
        try:
            made = apply(call, self.function, network, **more)
            if not isinstance(made, Relation):
                raise RelationError(
                    f"{text.strip()}: a function that returns a Relation is needed, got {type(made).__name__}"
                )
            if self.named:
                made.__dict__["_made_by"] = (rooted(text, "."), vcs)
            return made
        except UnknotError:
            raise
        except (TypeError, ValueError, OverflowError) as error:
            raise RelationError(f"{text.strip()} on {network.name}: {error}") from error


def routing_named(text: str | Given, where: str = "<routing>") -> NamedRouting:
    """Find the function named by a text: of a Python file, of a file of routes, or of `unknot.routing`.

    A relation, and a function of a network or of a rule's arguments, stand for themselves.
    """
    own = lent("routing", text) if isinstance(text, str) else text
    if own is not None:
        name = own.name if isinstance(own, Relation) else getattr(own, "__name__", type(own).__name__)
        return NamedRouting(name, _maker(own, name), Call(name), named=False)
    assert isinstance(text, str)
    if named := own_function(text, where):
        return NamedRouting(text, *named)
    if is_file(text):
        return NamedRouting(text, partial(read_routes, path=text.strip()), Call(text.strip()))
    call = parse_call(text, where)
    if call.name in DESIGNERS:
        return NamedRouting(text, DESIGNERS[call.name](), call)
    function = _algorithm(call.name) or chosen(call, routings(), "routing", also=DESIGNERS)
    return NamedRouting(text, function, call)


def _maker(given: Given, name: str) -> Callable[..., Relation]:
    """Return the function of a network that makes the relation of a caller's routing."""
    if not isinstance(given, Relation):
        parameters = inspect.signature(given).parameters.values()
        needed = [one for one in parameters if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD]
        return partial(_of_rule, rule=given, name=name) if len(needed) == RULE else given
    made = given

    def same(network: Network) -> Relation:
        if network != made.network:
            raise RelationError(
                f"{name} is a relation on {made.network.name}; name the routing, or give its function, to route "
                f"{network.name}"
            )
        return made

    return same


def _of_rule(network: Network, vcs: int = 1, *, rule: Any, name: str) -> Relation:
    return Relation(network, vcs, rule, name=name)


RULE = 3
"""Arguments of a rule: input VC, address, and the array for its candidates."""
ENOUGH_VCS = 4
"""VCs of a channel in a simulation for which no number was given, where the routing can use them."""
MOST_TRIED = 8


def routing_to_simulate(
    network: Network,
    text: str | Given,
    vcs: int | None = None,
    *,
    flows: npt.ArrayLike | None = None,
    where: str = "<routing>",
) -> Relation:
    """Make a relation as `routing` does; without `vcs` with at least `ENOUGH_VCS` VCs if the routing can use them.

    A VC is idle between a packet and the next, so that routers need several to keep a channel busy; a proof needs no
    more than the routing takes by itself.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> routing_to_simulate(mesh(4, 4), "dimension_order").vcs.widest
    4
    """
    named = routing_named(text, where)
    make = partial(named.on, network, flows=flows)
    if vcs is not None or not named.takes_vcs:
        return make(vcs)
    own, parameter = None, named.parameters["vcs"]
    if not isinstance(parameter.default, int) or parameter.default >= ENOUGH_VCS:
        own = make()
        if int(own.vcs.counts.min(initial=ENOUGH_VCS)) >= ENOUGH_VCS:
            return own
    for number in range(ENOUGH_VCS, MOST_TRIED + 1):
        with contextlib.suppress(UnknotError):
            more = make(number)
            if own is None or (more.vcs.counts >= own.vcs.counts).all():
                return more
    return own or make()


def relation_of(
    subject: Any,
    routing_text: str | Given | None,
    vcs: int | None,
    *,
    what: str,
    simulated: bool = False,
) -> Relation:
    """The relation that a relation, or a network (an object, a description or a file) with a routing, stands for.

    Parameters
    ----------
    what : str
        The function that was called, for messages.
    simulated : bool
        Whether it is to be simulated: `routing_to_simulate` makes it then.

    Raises
    ------
    UnknotError
        If the network or the routing cannot be made; RelationError if `subject` is none of these, if a network comes
        without a routing, or if a relation comes with one.

    Examples
    --------
    >>> relation_of("ring(4)", "dimension_order", 2, what="check")
    <Relation dimension_order with crossing dateline on ring(4), 16 VCs>
    """
    if isinstance(subject, Relation):
        if routing_text is not None or vcs is not None:
            raise RelationError(f"{what}: {subject.name} is a routing already; leave out `routing` and `vcs`")
        return subject
    from unknot.fabrics.named import network as network_named

    try:
        network = network_named(subject)
    except NetworkError as error:
        if isinstance(subject, (str, Network)):
            raise
        raise RelationError(
            f"{what}: a Relation is needed, or a network with a routing, as in "
            f'{what}("torus(8, 8)", routing="duato"): {error}'
        ) from None
    if not isinstance(routing_text, (str, Relation)) and not callable(routing_text):
        raise RelationError(
            f"{what}: {network.name} is a network; name its routing as well, by keyword: routing='dimension_order'"
        )
    return (routing_to_simulate if simulated else routing)(network, routing_text, vcs)


def require_connected(network: Network) -> None:
    """Refuse a network in which some terminal has no way to another.

    Raises
    ------
    NetworkError
        Names two routers without a way between them.
    """
    if network.num_terminals == 0:
        raise NetworkError(f"network {network.name!r} has no terminals, so there is nothing to route")
    if cut := cut_of(network):
        raise NetworkError(f"network {network.name!r} is not connected: {cut}")
