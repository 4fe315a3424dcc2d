"""Techniques and flow controls in the vocabulary of evidence."""

from __future__ import annotations

from dataclasses import fields

from unknot._base.switching import Switching
from unknot.flow_control.model import FlowControl
from unknot.flow_control.pools import Pool

Document = dict[str, object]


def technique_words(switching: Switching, flow: FlowControl | None = None) -> Document:
    """The technique of a claim: a name, or the properties of the flow control of a relation."""
    return {"switching": switching} if flow is None else {"flow": flow_words(flow)}


def flow_words(flow: FlowControl) -> Document:
    """Flow control in the vocabulary of evidence."""
    said: Document = {name: getattr(flow, name) for name in ("name", "holds", "enters", "packets")}
    said |= {"cell": flow.cell} if flow.cell > 1 else {}
    return said | {"may_change": not flow.keeps, "pools": [pool_words(pool) for pool in flow.pools]}


def pool_words(pool: Pool) -> Document:
    """A pool of slots, by all fields: the checker does not judge a pool with a word that is not known there."""
    return {field.name: _listed(getattr(pool, field.name)) for field in fields(pool)}


def _listed(value: object) -> object:
    """Tuples as lists, and sets as sorted ones."""
    if not isinstance(value, (tuple, frozenset)):
        return value
    return [*map(_listed, sorted(value) if isinstance(value, frozenset) else value)]
