"""Evidence for answers about state tables."""

from __future__ import annotations

import json
from dataclasses import asdict

from unknot._base.errors import UnknotError
from unknot.certificates import plain
from unknot.certificates.documents import Document
from unknot.verify.controllers.decision import TableVerdict
from unknot.verify.controllers.table import StateTable


def asked(
    table: StateTable, caches: int, answer: bool | None, addresses: int = 2, *, carried: bool = False
) -> Document:
    """A claim about a table without its proof; `carried` by a network in whose channels messages may wait.

    Raises
    ------
    UnknotError
        If not all of the table was understood.
    """
    if table.unknown:
        raise UnknotError(f"{table.name}: not all was understood, {table.unknown[0]} first; nothing shows an answer")
    parts = {key: one for key, one in asdict(table).items() if key not in ("unknown", "merged", "inside")}
    claim = {"subject": "controllers", "deadlock_free": answer, "caches": caches, **parts}
    claim |= {"addresses": addresses} if table.sized else {}
    claim |= {"carried": True} if carried else {}
    plainly: Document = json.loads(json.dumps(claim))
    return plainly


def claims(verdict: TableVerdict) -> list[Document]:
    """The claim that shows the answer; none where it is open.

    A free table is explored anew by the checker; a run to a deadlock is replayed.

    Examples
    --------
    >>> from unknot.verify.controllers import check_table, load_table
    >>> claims(check_table(load_table("examples/hangs/mi-stalls.toml")))[0]["proof"]["run"][0]
    [1, 0, 'store', -1]
    """
    if verdict.deadlock_free is None:
        return []
    found = verdict.deadlock
    claim = asked(
        verdict.table, verdict.caches, verdict.deadlock_free, verdict.addresses or 2, carried=verdict.carried
    )
    if verdict.deadlock_free or found is None:
        return [{**claim, "proof": {"kind": "states"}}]
    run = [
        [move.address, move.step.node, move.step.event, -1 if move.step.channel is None else move.step.channel.source]
        for move in found.moves
    ]
    return [{**claim, "proof": {"kind": "run", "homes": found.homes > 1, "run": run}}]


def holds(verdict: TableVerdict) -> bool | None:
    """Whether the checker accepts the evidence; None where there is none, or too much of it."""
    for claim in claims(verdict):
        document = {"format": plain.FORMAT, "version": plain.VERSION, "network": None, "claims": [claim]}
        try:
            plain.answers(document)
        except plain.Unchecked:
            return None
        except plain.Rejected:
            return False
        return True
    return None
