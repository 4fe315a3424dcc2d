"""Conformance check for routing algorithms on a catalogue of small networks; run it on your own.

def test_my_algorithm():
    assert "mesh(3, 3)" in check_routing(my_algorithm)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from unknot._base.errors import UnknotError
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.verify.testing.catalogue import NETWORKS
from unknot.verify.testing.conformance import ConformanceError, check_relation, same_answers


def check_routing(
    function: Callable[[Network], Relation], networks: Iterable[str | Network] = NETWORKS, *, time_limit: float = 60.0
) -> tuple[str, ...]:
    """Try a routing algorithm on networks, each of which it must route correctly or refuse.

    To refuse is to raise an `UnknotError`. Where it does not, it must give a relation of the network, twice the same
    when it is asked twice, that passes `check_relation`: legal and repeatable answers, all pairs delivered, and every
    claim of the relation agreed to by the prover.

    Parameters
    ----------
    function : callable
        Makes a `Relation` from a `Network`.
    networks : iterable of str or Network
        Networks, or texts of the topology language; by default `unknot.verify.testing.NETWORKS`.
    time_limit : float
        Seconds for each proof.

    Returns
    -------
    tuple of str
        The networks it did not refuse.

    Raises
    ------
    ConformanceError
        With the network and what does not hold there, or if every network was refused.
    """
    taken = []
    name = getattr(function, "__name__", "the routing")
    for each in networks:
        network, text = _network(each)
        relation = attempt(function, network)
        if relation is None:
            continue
        try:
            same_answers(relation, function(network))
            check_relation(relation, time_limit=time_limit)
        except UnknotError as error:
            raise ConformanceError(f"{name} on {text}: {error}") from error
        taken.append(text)
    if not taken:
        raise ConformanceError(f"{name} refuses every network it was tried on")
    return tuple(taken)


def attempt(function: Callable[[Network], Relation], network: Network) -> Relation | None:
    """The relation that an algorithm makes on a network; None if it refuses it.

    Raises
    ------
    ConformanceError
        If it fails otherwise than by an `UnknotError`, or what it makes is no relation of the network.
    """
    name = getattr(function, "__name__", "the routing")
    try:
        relation = function(network)
    except UnknotError:
        return None
    except Exception as error:
        raise ConformanceError(
            f"{name} on {network.name}: a network that it cannot route must be refused by an UnknotError that says "
            f"why; it raised {type(error).__name__}: {error}"
        ) from error
    if not isinstance(relation, Relation) or relation.network is not network:
        raise ConformanceError(f"{name} on {network.name}: it returned {relation!r}, not a relation of that network")
    return relation


def _network(source: str | Network) -> tuple[Network, str]:
    if isinstance(source, Network):
        return source, source.name
    from unknot.network import tod

    return tod.network(source), source
