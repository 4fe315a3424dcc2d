"""Claims of deadlock and of delivery."""

from __future__ import annotations

from functools import partial

import numpy as np

from unknot._base.errors import UnknotError
from unknot.certificates import plain
from unknot.certificates.documents import Document, plain_table
from unknot.certificates.flow_words import technique_words
from unknot.certificates.verdict import Certificate, Message, Verdict
from unknot.network.graph import path_to, reached_from
from unknot.routing.relation import Relation


def verdict_claim(verdict: Verdict) -> Document:
    """The claim of a verdict, with its evidence.

    Parameters
    ----------
    verdict : Verdict
        The verdict.

    Returns
    -------
    Document
        The claim, as JSON has it.

    Raises
    ------
    UnknotError
        If the verdict is open.

    Examples
    --------
    >>> from unknot.verify import check
    >>> claim = verdict_claim(check("ring(4)", routing="dimension_order"))
    >>> claim["subject"], claim["deadlock_free"], len(claim["proof"]["messages"])
    ('deadlock', False, 4)
    """
    certificate, configuration = verdict.certificate, verdict.configuration
    proof: Document
    if certificate is not None:
        proof = reason_of(certificate)
    elif configuration is not None:
        proof = {
            "buffer_depth": configuration.buffer_depth,
            "reachability": configuration.reachability,
            "messages": [message_of(message) for message in configuration.messages],
            **({"order": [*configuration.order]} if configuration.order else {}),
        }
    else:
        raise UnknotError("an open question has no evidence to write")
    about = technique_words(verdict.switching, verdict.flow)
    return {"subject": "deadlock", **about, "deadlock_free": verdict.deadlock_free, "proof": proof}


def reason_of(certificate: Certificate) -> Document:
    """A certificate as plain data."""
    reason: Document = {"kind": certificate.kind, "rank": certificate.rank.tolist()}
    if certificate.core is not None:
        reason["core"] = np.flatnonzero(certificate.core).tolist()
        reason["windows"] = [[np.asarray(part).tolist() for part in step] for step in certificate.windows]
    return reason


def message_of(message: Message) -> Document:
    """A message of a configuration as plain data."""
    content: Document = {name: int(getattr(message, name)) for name in ("source", "address", "length")}
    return content | {part: [int(vc) for vc in getattr(message, part)] for part in ("lead", "held", "wanted")}


def delivery_claim(relation: Relation, delivered: bool) -> Document:
    """The claim of delivery to every terminal, or the claim of a lost packet with its path.

    Parameters
    ----------
    relation : Relation
        The routing; or a network, with its `routing`.
    delivered : bool
        Whether every packet is delivered.

    Returns
    -------
    Document
        The claim, as JSON has it.

    Raises
    ------
    RuntimeError
        If every packet can be ejected although `delivered` is false.

    Examples
    --------
    >>> from unknot import certificates, deliver
    >>> from unknot.network.families import ring
    >>> from unknot.routing import dimension_order
    >>> relation = dimension_order(ring(4))
    >>> claim = delivery_claim(relation, deliver(relation).delivered)
    >>> document = certificates.document
    >>> certificates.accept(document(relation.network, relation, [claim]))[0].partition(": ")[2]
    'every packet can always be ejected'
    """
    claim = {"subject": "delivery", "delivered": delivered}
    if delivered:
        return {**claim, "proof": {}}
    table = plain_table(relation)
    for address in range(table.addresses):
        arriving = plain.arriving(table, address)
        for source in table.sources[address]:
            before = reached_from([table.vcs + source], partial(_onward, table, address))
            for at in before:
                if at not in arriving:
                    path = path_to(at, before)[1:]
                    return {**claim, "proof": {"source": source, "address": address, "path": path}}
    raise RuntimeError(f"{relation.name}: every packet can be ejected, although delivery was denied")


def _onward(table: plain.Table, address: int, at: int) -> list[int]:
    return [v for v in table.may[address][at] if v != plain.EJECT]
