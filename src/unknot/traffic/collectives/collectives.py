"""Collective operations by recursive halving of an order of the terminals.

The holder of the data of a part of the order sends them to the middle of the part; then both halves go on by
themselves (McKinley et al. 1994; for the circular order of a triangular mesh Liu et al. 2002). On the order of
dimensions of a hypercube this is the binomial tree. Gathering and adding up run the same tree backwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unknot._base.errors import NetworkError, require_known
from unknot._base.extensions import Catalogue
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.taking import takes_network
from unknot.traffic.collectives.schedule import Schedule, Send, terminals_named


@takes_network
def broadcast(network: Network, root: int = 0, *, order: str = "auto") -> Schedule:
    """One message from a terminal to all others, in ⌈log2 terminals⌉ steps.

    Examples
    --------
    >>> [(send.source, send.destination) for send in broadcast("mesh(2, 2)", root=3).sends]
    [(3, 2), (3, 1), (2, 0)]
    """
    return replace(multicast(network, root, order=order), operation="broadcast")


@takes_network
def multicast(
    network: Network, root: int = 0, destinations: Sequence[int] | None = None, *, order: str = "auto"
) -> Schedule:
    """One message from a terminal to some others.

    Examples
    --------
    >>> [(send.source, send.destination) for send in multicast("mesh(3, 3)", 0, [4, 8]).sends]
    [(0, 8), (0, 4)]
    """
    members = _members(network, root, destinations, order)
    sends = _spread(members, members.index(root), lambda part: ((root,), 1))
    return Schedule("multicast", network, root, tuple(members), tuple(sends))


@takes_network
def scatter(
    network: Network, root: int = 0, members: Sequence[int] | None = None, *, order: str = "auto"
) -> Schedule:
    """A block of its own from a terminal to each member.

    Examples
    --------
    >>> [(send.destination, send.blocks) for send in scatter("mesh(2, 2)").sends]
    [(1, (1, 3)), (2, (2,)), (3, (3,))]
    """
    row = _members(network, root, members, order)
    sends = _spread(row, row.index(root), lambda part: (tuple(part), len(part)))
    return Schedule("scatter", network, root, tuple(row), tuple(sends))


@takes_network
def gather(network: Network, root: int = 0, members: Sequence[int] | None = None, *, order: str = "auto") -> Schedule:
    """A block from each member to one terminal: a scatter backwards.

    Examples
    --------
    >>> [(send.source, send.destination, send.blocks) for send in gather("mesh(2, 2)").sends]
    [(3, 1, (3,)), (2, 0, (2,)), (1, 0, (1, 3))]
    """
    return _backwards("gather", scatter(network, root, members, order=order), adds=False)


@takes_network
def reduce(network: Network, root: int = 0, members: Sequence[int] | None = None, *, order: str = "auto") -> Schedule:
    """The sum of a block of each member, at one terminal; it is added up on the way.

    Examples
    --------
    >>> [(send.source, send.destination) for send in reduce("mesh(2, 2)").sends]
    [(3, 1), (2, 0), (1, 0)]
    """
    return _backwards("reduce", scatter(network, root, members, order=order), adds=True)


@takes_network
def all_gather(
    network: Network, root: int = 0, members: Sequence[int] | None = None, *, order: str = "auto"
) -> Schedule:
    """The blocks of all members at every member: gathered at one terminal, then sent out.

    Examples
    --------
    >>> len(all_gather("mesh(2, 2)").sends)
    6
    """
    return _there_and_back("all_gather", gather(network, root, members, order=order))


@takes_network
def all_reduce(
    network: Network, root: int = 0, members: Sequence[int] | None = None, *, order: str = "auto"
) -> Schedule:
    """The sum of the blocks of all members at every member: added up at one terminal, then sent out.

    Examples
    --------
    >>> len(all_reduce("mesh(2, 2)").sends)
    6
    """
    return _there_and_back("all_reduce", reduce(network, root, members, order=order))


OPERATIONS: dict[str, Callable[..., Schedule]] = {
    function.__name__: function
    for function in (broadcast, multicast, scatter, gather, reduce, all_gather, all_reduce)
}


def collective(
    operation: str, network: Network, root: int = 0, members: Sequence[int] | None = None, *, order: str = "auto"
) -> Schedule:
    """A collective operation by its name.

    Parameters
    ----------
    operation : str
        One of `OPERATIONS`.
    root : int
        Terminal that sends to the others, or at which their blocks meet.
    members : sequence of int, optional
        Terminals that take part besides; by default all.
    order : str
        As `order_of` reads it.

    Raises
    ------
    NetworkError
        If there is no such operation, order or terminal, or it takes all terminals and some are named.

    Examples
    --------
    >>> collective("scatter", "mesh(2, 2)", members=[1, 3]).operation
    'scatter'
    """
    require_known("unknown operation", operation, OPERATIONS, NetworkError)
    if operation == "broadcast":
        if members is not None:
            raise NetworkError("a broadcast goes to all terminals; a multicast to some")
        return broadcast(network, root, order=order)
    return OPERATIONS[operation](network, root, members, order=order)


def _members(network: Network, root: int, others: Sequence[int] | None, order: str) -> list[int]:
    """Root and others in the order; a circle is opened so that the root comes first."""
    terminals_named(network, [root])
    chosen = {root, *terminals_named(network, others)}
    ordered: Order = order_of(network, order, root)
    row = [terminal for terminal in ordered.terminals if terminal in chosen]
    start = row.index(root) if ordered.circular else 0
    return row[start:] + row[:start]


def _halves(count: int, root: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Step, sender, receiver and the part the receiver serves, by position, steps ascending."""
    parts = [(0, count, root)]
    step = 0
    while any(high - low > 1 for low, high, _ in parts):
        halves = []
        for low, high, holder in parts:
            if high - low < 2:
                halves.append((low, high, holder))
                continue
            middle = low + (high - low + 1) // 2
            ahead = holder < middle
            receiver = middle if ahead else middle - 1
            part = (middle, high) if ahead else (low, middle)
            yield step, holder, receiver, *part
            halves += sorted([(*part, receiver), ((low, middle) if ahead else (middle, high)) + (holder,)])
        parts = halves
        step += 1


def _spread(row: list[int], root: int, carried: Callable[[list[int]], tuple[tuple[int, ...], int]]) -> list[Send]:
    sends: list[Send] = []
    got: dict[int, int] = {}
    for step, sender, receiver, low, high in _halves(len(row), root):
        blocks, size = carried(row[low:high])
        needs = (got[sender],) if sender in got else ()
        got[receiver] = len(sends)
        sends.append(Send(step, row[sender], row[receiver], blocks, size, needs))
    return sends


def _backwards(operation: str, scattered: Schedule, *, adds: bool) -> Schedule:
    last = scattered.steps - 1
    sends: list[Send] = []
    arriving: dict[int, list[int]] = {}
    for i, send in enumerate(reversed(scattered.sends)):
        needs = tuple(arriving.get(send.destination, ()))
        arriving.setdefault(send.source, []).append(i)
        sends.append(
            Send(last - send.step, send.destination, send.source, send.blocks, 1 if adds else send.size, needs)
        )
    return Schedule(operation, scattered.network, scattered.root, scattered.members, tuple(sends))


def _there_and_back(operation: str, met: Schedule) -> Schedule:
    """Return the schedule that gathers all data at the root and then sends them to all members."""
    row, count = list(met.members), len(met.sends)
    every = tuple(sorted(row))
    size = 1 if operation == "all_reduce" else len(row)
    arrived = tuple(i for i, send in enumerate(met.sends) if send.destination == met.root)
    out = _spread(row, row.index(met.root), lambda part: (every, size))
    later = [
        replace(
            send,
            step=send.step + met.steps,
            needs=tuple(i + count for i in send.needs) if send.needs else arrived,
        )
        for send in out
    ]
    return Schedule(operation, met.network, met.root, met.members, (*met.sends, *later))


ORDERS: Catalogue[Callable[[Network], IntArray] | None] = Catalogue(
    "orders", dict.fromkeys(("auto", "dimensions", "numbers"))
)
"""Orders of the core, and those of extensions: functions that return the routers of a network along a circle."""


@dataclass(frozen=True)
class Order:
    """Terminals in a row, or in a circle.

    Attributes
    ----------
    name : str
        ``dimensions``, ``numbers``, or that of an extension, as ``circle``.
    terminals : tuple of int
    circular : bool
        Whether any terminal may come first.

    Examples
    --------
    >>> order = order_of("mesh(2, 3)")
    >>> order.name, order.terminals, order.circular
    ('dimensions', (0, 2, 4, 1, 3, 5), False)
    """

    name: str
    terminals: tuple[int, ...]
    circular: bool = False


@takes_network
def order_of(network: Network, name: str = "auto", root: int = 0) -> Order:
    """An order of the terminals of a network.

    Parameters
    ----------
    name : str
        `circle`: along the exterior edges of an incremental triangular mesh (Liu et al. 2002); or a circle of another
        extension. `dimensions`: by coordinates, the first dimension first (the chain of McKinley et al. 1994 for
        dimension-order routing); on a hypercube relative to the root's. `numbers`: as they are numbered. `auto`: the
        first of these that the network has.
    root : int
        Terminal from which data spread.

    Raises
    ------
    NetworkError
        If the network has no such order.

    Examples
    --------
    >>> order_of("mesh(2, 2)", "numbers", root=2).terminals
    (0, 1, 2, 3)
    """
    require_known("unknown order", name, ORDERS, NetworkError)
    for extension, circle_of in ORDERS.usable() if name == "auto" else [(name, ORDERS[name])]:
        if circle_of is not None:
            try:
                place = np.empty(network.num_routers, dtype=np.int64)
                place[circle_of(network)] = np.arange(network.num_routers)
                return Order(extension, _sorted(network, place), circular=True)
            except NetworkError as error:
                if name != "auto":
                    raise NetworkError(f"{network.name} has no circular order: {error}") from None
    if name != "numbers" and network.coordinates is not None:
        places = network.coordinates
        if places.size and places.min() == 0 and places.max() == 1:
            places = places ^ places[network.inject[root]]
        place = np.empty(network.num_routers, dtype=np.int64)
        place[np.lexsort(places[:, ::-1].T)] = np.arange(network.num_routers)
        return Order("dimensions", _sorted(network, place))
    if name == "dimensions":
        raise NetworkError(f"{network.name} has no coordinates to order its terminals by")
    return Order("numbers", tuple(range(network.num_terminals)))


def _sorted(network: Network, place: np.ndarray[tuple[int], np.dtype[np.int64]]) -> tuple[int, ...]:
    """Terminals by the place of the router they inject at."""
    return tuple(int(t) for t in np.argsort(place[network.inject], kind="stable"))
