"""Choice between two addresses by the queues of the source router."""

from __future__ import annotations

from dataclasses import dataclass

from unknot._base.errors import RelationError


@dataclass(frozen=True)
class Decision:
    """How a header chooses between its own address and another one in its first router (BookSim 2; UGAL, Singh 2005).

    It compares the flits sent to the output ports where both ways begin whose credits have not come back, and takes
    the other address if its cost is at most that of its own plus `margin`. With look-ahead routing packets choose on
    injection. The other address is the direct one (`Relation.direct`) in the block of its own; without direct
    addresses it is half a block away.

    Parameters
    ----------
    weight : int
        The cost of its own way is its queue times this; 0: both queues count times the hops of their ways.
    margin : int
        In favour of the other address.
    blocks : int
        Blocks of equal length of the addresses (of each message class), in each of which a packet stays.

    Raises
    ------
    RelationError
        If there is no block, or the weight is negative.

    Examples
    --------
    >>> Decision(weight=2, margin=30)
    Decision(weight=2, margin=30, blocks=1)
    """

    weight: int = 0
    margin: int = 0
    blocks: int = 1

    def __post_init__(self) -> None:
        if self.weight < 0 or self.blocks < 1:
            raise RelationError(f"a decision has a weight of at least 0 and at least one block, got {self}")
