"""Evidence of a verdict with end points, as `unknot.certificates` reads it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from unknot.certificates.documents import Document, document
from unknot.certificates.plain import Unchecked, accept
from unknot.verify.protocols.decision import CYCLES, ProtocolVerdict
from unknot.verify.protocols.machine import TAILS, Event
from unknot.verify.protocols.system import System

MOST_ADDRESSES, MOST_STATES = 300, 5_000
"""Addresses, and states of a search, up to which the plain checker is asked before a verdict is shown."""


def claims(verdict: ProtocolVerdict) -> list[Document]:
    """The claim of a verdict; none where it is open, or free although not every state can be emptied."""
    system = verdict.system
    proof: Document
    if verdict.run is not None:
        proof = {"worms" if system.worms else "run": [_move(system, event) for event in verdict.run]}
        proof |= {"smallest": True} if verdict.smallest else {}
    elif verdict.certificate is not None:
        certificate = verdict.certificate
        proof = {"kind": certificate.kind, "rank": certificate.rank.tolist(), "ample": list(verdict.ample)}
        if certificate.core is not None:
            proof["core"] = np.flatnonzero(certificate.core).tolist()
            proof["windows"] = [[np.asarray(part).tolist() for part in step] for step in certificate.windows]
    elif verdict.empties and not system.relation.commits:
        proof = {"kind": "states"}
    elif verdict.deadlock_free and verdict.method == CYCLES:
        proof = {"kind": "cycles"}
    else:
        return []
    about = {"switching": verdict.switching, "deadlock_free": bool(verdict.deadlock_free)}
    return [{"subject": "protocol", **about, "protocol": _plainly(system), "proof": proof}]


def holds(verdict: ProtocolVerdict) -> bool | None:
    """Whether the plain checker accepts the evidence; None: there is none, or it is too large for it."""
    made = claims(verdict)
    relation = verdict.system.relation
    if not made or relation.num_addresses > MOST_ADDRESSES or (verdict.empties and verdict.states > MOST_STATES):
        return None
    try:
        accept(document(relation.network, relation, made))
    except Unchecked:
        return None
    return True


def _plainly(system: System) -> Document:
    protocol = system.protocol
    classes: Document = {}
    for one in protocol.classes:
        content: dict[str, Any] = asdict(one)
        content["follows"] = [{"class": f.message, "to": f.to, "count": f.count} for f in one.follows]
        classes[content.pop("name")] = content
    return {
        "name": protocol.name,
        "networks": list(system.relation.classes),
        "classes": classes,
        "begins": [list(group) for group in protocol.begins],
        "outstanding": protocol.outstanding,
        "send": {name: {"depth": protocol.send_depth(name)} for name in protocol.send_queues},
        "receive": {name: asdict(protocol.room(name)) for name in protocol.receive_queues},
    }


def _move(system: System, event: Event) -> list[Any]:
    """A move with names of queues and classes; the second place of a queue is its stage 2."""
    sends = [[system.classes[kind].name, address] for kind, address in event.sends]
    if event.act == "begin":
        return ["begin", event.place, sends]
    where, stage = system.described(event.place), 1 + event.place // system.places
    if event.act == "consume":
        return ["consume", *where[1:], stage if system.worms else event.position, sends]
    if event.act == "choose":
        return ["choose", *where, stage, event.to]
    return ["move", *where, *([stage, event.to, TAILS.index(event.tail)] if system.worms else [event.to])]
