"""What an escape layer along a triangular mesh would be on a network: whether there is one, its cost, its gain."""

from __future__ import annotations

from dataclasses import dataclass

from unknot.errors import UnknotError
from unknot.itm.recognise import chordal, recognise
from unknot.itm.spanning import Spanning, spanning
from unknot.network import Network
from unknot.routing import fully_adaptive, itm_escape, up_down
from unknot.routing.relation import Relation
from unknot.switching import SWITCHINGS
from unknot.verify.adaptivity import adaptivity
from unknot.verify.check import check
from unknot.verify.delivery import deliver
from unknot.verify.loads import loads


@dataclass(frozen=True)
class Routes:
    """Figures of one routing under uniform traffic.

    Attributes
    ----------
    routing : str
    longest : int or None
        Hops of the longest route; None if routes may be endless.
    mean_hops : float
    adaptivity : float
        Permitted minimal paths over all minimal paths, mean over pairs.
    throughput : float
        Flits per terminal and cycle at which the busiest channel, or a terminal, is full, without contention.
    """

    routing: str
    longest: int | None
    mean_hops: float
    adaptivity: float
    throughput: float


@dataclass(frozen=True, eq=False)
class EscapeLayer:
    """The answer of `escape_layer`.

    Attributes
    ----------
    network : Network
    kind : {"exterior", "general"}
        That was looked for.
    itself : str
        The kind of the network if it is a triangular mesh; empty if it is none.
    why_not : str
        Why it is none.
    chordal : bool
        Whether any shortest-path routing is deadlock-free on it with one VC.
    spanning : Spanning
    added_vcs : int
        Virtual channels that the layer adds: one for each channel of the mesh.
    verdicts : dict of str to bool or None
        Whether the two layers are deadlock-free, for each switching technique, when a header that has escaped stays.
    routes : tuple of Routes
        Up*/down* routing from its best root, deterministic and adaptive; the two layers.
    """

    network: Network
    kind: str
    itself: str
    why_not: str
    chordal: bool
    spanning: Spanning
    added_vcs: int
    verdicts: dict[str, bool | None]
    routes: tuple[Routes, ...]


def escape_layer(network: Network, kind: str = "exterior", *, time_limit: float = 60.0) -> EscapeLayer:
    """Look for a spanning triangular mesh and compare the escape layer along it with up*/down* routing.

    Raises
    ------
    UnknotError
        If an argument makes no sense, or the network is too large for the tables of the routings.
    """
    known = recognise(network)
    found = spanning(network, kind, time_limit=time_limit)
    verdicts: dict[str, bool | None] = {}
    routes: list[Routes] = []
    added = 0
    if found.mesh is not None:
        layers = itm_escape(network, kind=kind, time_limit=time_limit)
        added = layers.num_vcs - network.num_channels
        for switching in SWITCHINGS:
            verdicts[switching] = check(layers, switching, time_limit=time_limit).deadlock_free
        routes.append(_figures("two layers", layers))
    for name, choice in (("up*/down*, one path", "first"), ("up*/down*, adaptive", "shortest")):
        try:
            routes.append(_figures(name, up_down(network, choice=choice)))
        except UnknotError:
            continue  # links that go one way
    routes.append(_figures("all shortest paths", fully_adaptive(network)))
    return EscapeLayer(
        network=network,
        kind=kind,
        itself=known.mesh.kind if known.mesh is not None else "",
        why_not=known.reason,
        chordal=chordal(network).order is not None,
        spanning=found,
        added_vcs=added,
        verdicts=verdicts,
        routes=tuple(routes),
    )


def _figures(name: str, relation: Relation) -> Routes:
    load = loads(relation)
    return Routes(name, deliver(relation).longest_route, load.mean_hops, adaptivity(relation).mean, load.throughput)
