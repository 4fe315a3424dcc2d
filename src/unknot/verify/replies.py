"""Message-dependent deadlock: requests that wait at a terminal until replies have left it.

A proof of the network takes for granted that terminals take in whatever arrives. Where a terminal takes in a request
only when there is room for its reply, the request depends on the VCs that the reply may take. If the channel
dependency graph has no cycle with these dependencies added, requests and replies cannot deadlock even there (Hansson,
Goossens & Rădulescu 2007).

That is right only where replies have an injection queue of their own. A terminal that sends one message at a time
also keeps a reply back until the request that it is sending has left it: this dependency, of replies on requests, is
not among those added. Two terminals that each send a long request to the other then wait for each other for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unknot._base.deadline import clock
from unknot._base.errors import RelationError, require_known
from unknot._base.shown import Brief
from unknot.network.graph import shortest_cycle
from unknot.routing.relation import EJECT, VC_MASK, Relation
from unknot.routing.taking import takes_relation
from unknot.verify.effort import Effort
from unknot.verify.states import Explorer, dependencies

QUEUES = (
    "replies have an injection queue of their own; terminals that send one message at a time, as those of the "
    "simulator do, were not judged and may deadlock"
)
"""What every answer rests on."""


@dataclass(frozen=True, repr=False)
class RequestReply(Brief):
    """Whether requests and replies are safe where terminals hold requests back, and replies have their own queue.

    Attributes
    ----------
    safe : bool or None
        True is a proof for terminals in which replies have an injection queue of their own, and for no others; False
        says that there is a cycle, not that it must come to a deadlock; None: time ran out.
    network_safe : bool or None
        Whether there is no cycle without terminals either; None if time ran out before one was found.
    cycle : tuple of str
        Names of VCs and terminals, each of which may wait for the next one and the last for the first; empty if safe.

    Examples
    --------
    >>> from unknot.network.families import torus
    >>> from unknot.routing import message_classes
    >>> answer = request_reply(message_classes(torus(4, 4)), {"request": "reply"})
    >>> answer.safe, answer.network_safe
    (False, False)
    """

    safe: bool | None
    network_safe: bool | None
    cycle: tuple[str, ...]

    @property
    def established(self) -> str:
        """Result in words."""
        if self.safe:
            return (
                "no message-dependent deadlock even where a terminal takes in requests only as replies leave it, as "
                f"long as {QUEUES}"
            )
        if self.network_safe is None:
            return "time ran out before all dependencies of the network were known, so nothing is said of replies"
        if not self.network_safe:
            return "the dependencies of the network have a cycle without terminals, so nothing is said of replies"
        return (
            "message-dependent deadlock is possible where a terminal takes in requests only as replies leave it: "
            + " waits for ".join((*self.cycle, self.cycle[0]))
        )


@takes_relation
def request_reply(relation: Relation, answers: Mapping[str, str], *, time_limit: float = 60.0) -> RequestReply:
    """Decide whether requests and replies may wait for each other at terminals.

    Parameters
    ----------
    answers : mapping of str to str
        Message class of the reply to each class of requests.
    time_limit : float
        Seconds for the dependencies of the network.

    Raises
    ------
    RelationError
        If the relation has no such message class.

    Examples
    --------
    >>> from unknot.routing import message_classes
    >>> from unknot.network.families import mesh
    >>> request_reply(message_classes(mesh(3, 3)), {"request": "reply"}).safe
    True
    """
    for name in (*answers, *answers.values()):
        require_known(f"{relation.name}: unknown message class", name, relation.classes, RelationError)
    graph = dependencies(relation, Effort(end=clock() + time_limit))
    if not graph.acyclic:
        return RequestReply(False, False, ())
    if not graph.complete:
        return RequestReply(None, None, ())
    sources, targets = _at_terminals(relation, answers)
    vcs = relation.num_vcs
    tail = np.concatenate([np.repeat(np.arange(vcs), np.diff(graph.first)), sources])
    cycle = shortest_cycle(tail, np.concatenate([graph.target, targets]))
    names = tuple(f"{relation.network.terminal_name(v - vcs)}" if v >= vcs else relation.vcs.name(v) for v in cycle)
    return RequestReply(not cycle, True, names)


def _at_terminals(relation: Relation, answers: Mapping[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """Dependencies VC → terminal where requests leave the network, and terminal → VC where replies enter it."""
    explorer, vcs = Explorer(relation), relation.num_vcs
    block = relation.num_addresses // len(relation.classes)
    edges: set[tuple[int, int]] = set()
    for kind, asks, replies in [(k, True, False) for k in answers] + [(k, False, True) for k in answers.values()]:
        start = relation.classes.index(kind) * block
        for address in range(start, start + block):
            input_vcs, first, value = explorer.visit(address)
            owner = np.repeat(input_vcs, np.diff(first))
            vc = value & VC_MASK
            inside = owner < vcs
            if asks:
                terminal = vcs + int(relation.destination[address])
                edges.update((int(u), terminal) for u in np.unique(owner[inside & (vc == EJECT)]))
            if replies:
                entering = ~inside & (vc != EJECT)
                edges.update(zip(owner[entering].tolist(), vc[entering].tolist(), strict=True))
    pairs = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
