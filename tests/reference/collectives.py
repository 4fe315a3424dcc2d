"""What each member of a collective operation has at the end, by following the transfers of its chunks."""

from __future__ import annotations

from unknot._base.errors import NetworkError
from unknot_collectives import Schedule


def holdings(schedule: Schedule) -> dict[int, dict[int, frozenset[int]]]:
    """For each member its chunks, and whose contributions are in each, all transfers done in order.

    Raises
    ------
    NetworkError
        If a chunk is sent by a member that does not have it, or a contribution would be added twice.
    """
    members = schedule.operation.members
    held: dict[int, dict[int, frozenset[int]]] = {member: {} for member in members}
    for number, chunk in enumerate(schedule.chunks):
        for member in members if chunk.source is None else (chunk.source,):
            held[member][number] = frozenset([member])
    for sent in schedule.transfers:
        if sent.chunk not in held[sent.source]:
            raise NetworkError(f"in step {sent.step} {sent.source} sends chunk {sent.chunk}, which it does not have")
        there, own = held[sent.source][sent.chunk], held[sent.target].get(sent.chunk, frozenset())
        if sent.reduces and there & own:
            raise NetworkError(f"contributions of {sorted(there & own)} to chunk {sent.chunk} would be added twice")
        held[sent.target][sent.chunk] = there | own if sent.reduces else there
    return held
