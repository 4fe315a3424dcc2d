"""Collective operations by recursive halving of an order of the terminals.

The holder of the data of a part of the order sends them to the middle of the part; then both halves go on by
themselves (McKinley et al. 1994; for the circular order of a triangular mesh Liu et al. 2002). On the order of
dimensions of a hypercube this is the binomial tree. Gathering and adding up run the same tree backwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from unknot._base.errors import NetworkError, require_known
from unknot.network import Network
from unknot.routing.taking import takes_network
from unknot.traffic.collectives.orders import order_of
from unknot.traffic.collectives.schedule import Schedule, Send, terminals_named


@takes_network
def broadcast(network: Network, root: int = 0, *, order: str = "auto") -> Schedule:
    """One message from a terminal to all others, in ⌈log2 terminals⌉ steps.

    Parameters
    ----------
    network : Network
        The network.
    root : int
        The terminal that has, or receives, everything.
    order : str
        Order of the terminals: a name, or ``"auto"``.

    Returns
    -------
    Schedule
        The schedule.

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

    Parameters
    ----------
    network : Network
        The network.
    root : int
        The terminal that has, or receives, everything.
    destinations : Sequence[int] | None
        Terminals that receive; all others where it is None.
    order : str
        Order of the terminals: a name, or ``"auto"``.

    Returns
    -------
    Schedule
        The schedule.

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

    Parameters
    ----------
    network : Network
        The network.
    root : int
        The terminal that has, or receives, everything.
    members : Sequence[int] | None
        Terminals that take part; all where it is None.
    order : str
        Order of the terminals: a name, or ``"auto"``.

    Returns
    -------
    Schedule
        The schedule.

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

    Parameters
    ----------
    network : Network
        The network.
    root : int
        The terminal that has, or receives, everything.
    members : Sequence[int] | None
        Terminals that take part; all where it is None.
    order : str
        Order of the terminals: a name, or ``"auto"``.

    Returns
    -------
    Schedule
        The schedule.

    Examples
    --------
    >>> [(send.source, send.destination, send.blocks) for send in gather("mesh(2, 2)").sends]
    [(3, 1, (3,)), (2, 0, (2,)), (1, 0, (1, 3))]
    """
    return _backwards("gather", scatter(network, root, members, order=order), adds=False)


@takes_network
def reduce(network: Network, root: int = 0, members: Sequence[int] | None = None, *, order: str = "auto") -> Schedule:
    """The sum of a block of each member, at one terminal; it is added up on the way.

    Parameters
    ----------
    network : Network
        The network.
    root : int
        The terminal that has, or receives, everything.
    members : Sequence[int] | None
        Terminals that take part; all where it is None.
    order : str
        Order of the terminals: a name, or ``"auto"``.

    Returns
    -------
    Schedule
        The schedule.

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
    """The blocks of all members at every member, gathered at the root and then sent out.

    `textbook` has algorithms without a root.

    Parameters
    ----------
    network : Network
        The network.
    root : int
        The terminal that has, or receives, everything.
    members : Sequence[int] | None
        Terminals that take part; all where it is None.
    order : str
        Order of the terminals: a name, or ``"auto"``.

    Returns
    -------
    Schedule
        The schedule.

    Raises
    ------
    NetworkError
        If there is no such order or terminal.

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

    Parameters
    ----------
    network : Network
        The network.
    root : int
        The terminal that has, or receives, everything.
    members : Sequence[int] | None
        Terminals that take part; all where it is None.
    order : str
        Order of the terminals: a name, or ``"auto"``.

    Returns
    -------
    Schedule
        The schedule.

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
    operation: str,
    network: Network,
    root: int = 0,
    members: Sequence[int] | None = None,
    *,
    order: str = "auto",
) -> Schedule:
    """A collective operation by its name.

    Parameters
    ----------
    operation : str
        One of `OPERATIONS`.
    network : Network
        The network.
    root : int
        Terminal that sends to the others, or at which their blocks meet.
    members : sequence of int, optional
        Terminals that take part besides; by default all.
    order : str
        As `order_of` reads it.

    Returns
    -------
    Schedule
        The schedule.

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
    ordered = order_of(network, order, root)
    row = [terminal for terminal in ordered.terminals if terminal in chosen]
    start = row.index(root) if ordered.circular else 0
    return row[start:] + row[:start]


def halves(count: int, root: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Recursive halving: step, sender, receiver and the part the receiver serves, by position, steps ascending."""
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
    for step, sender, receiver, low, high in halves(len(row), root):
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
