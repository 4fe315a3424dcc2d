"""Trees by recursive halving of an order of the terminals.

The holder of the data of a part of the order sends them to the middle of the part; then both halves go on by
themselves (McKinley et al. 1994; for the circular order of a triangular mesh Liu et al. 2002). On the order of
dimensions of a hypercube this is the binomial tree. Gathering and adding up run the same tree backwards."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from unknot._base.errors import NetworkError, require_known
from unknot._base.numbers import require_whole
from unknot.network import Network
from unknot.routing.taking import takes_network
from unknot_collectives.operation import KINDS, ROOTED, Operation
from unknot_collectives.orders import group_of
from unknot_collectives.platform import platform_of
from unknot_collectives.schedule import Schedule
from unknot_collectives.textbook import TREES, textbook


@takes_network
def collective(
    network: Network,
    operation: str = "broadcast",
    root: int = 0,
    members: Sequence[int] | None = None,
    *,
    block: int = 1,
    order: str = "auto",
) -> Schedule:
    """Return an operation by binomial trees on the terminals of a network, in ⌈log2 members⌉ steps each way.

    `textbook` and `candidates` have other algorithms.

    Parameters
    ----------
    network : Network
        The network.
    operation : str
        `broadcast`, `scatter`, `gather`, `reduce`, `all_gather` or `all_reduce`; the last two gather at the root.
    root : int
        Terminal that sends to the others, or at which their blocks meet.
    members : sequence of int, optional
        Terminals that take part besides; by default all.
    block : int
        Flits of a block.
    order : str
        As `order_of` reads it.

    Returns
    -------
    Schedule
        The schedule.

    Raises
    ------
    NetworkError
        If there is no such operation, order or terminal, or one is named twice.

    Examples
    --------
    >>> from unknot_collectives import messages_of
    >>> schedule = collective("mesh(3, 3)", members=[4, 8])
    >>> [(message.source, message.destination) for message in messages_of("mesh(3, 3)", schedule)]
    [(0, 8), (0, 4)]
    """
    require_known("unknown operation", operation, [kind for kind in KINDS if "binomial" in TREES[kind]], NetworkError)
    require_whole("block", block, 1, error=NetworkError)
    first = network.num_routers
    others = [first + network.terminal(one) for one in (range(network.num_terminals) if members is None else members)]
    if len(set(others)) < len(others):
        twice = next(t for i, t in enumerate(others) if t in others[:i])
        raise NetworkError(f"terminal {network.terminal_name(twice - first)} is named twice")
    start = first + network.terminal(root)
    rooted = Operation("broadcast", tuple(dict.fromkeys([start, *others])), Fraction(block), start)
    group = group_of(network, rooted, order)
    whole = Operation(operation, group.row, Fraction(block), start if operation in ROOTED else None)
    return textbook(platform_of(network), whole, "binomial", group=group)
