"""Claims that searches make: fewer lanes, lower loads, fewer changes or smaller deadlocks are impossible."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from unknot._base.switching import switching_named
from unknot.certificates import plain
from unknot.certificates.documents import Document, plain_table, table_of
from unknot.routing.relation import Relation


def lanes_claim(impossible: int, changes: str, flows: list[list[int]] | None, proof: Document) -> Document:
    """The claim that shortest paths in a number of lanes cannot be free of deadlock.

    Parameters
    ----------
    changes : {"none", "shared", "rising", "any"}
        Whether packets keep their lane, which both directions of a pair may have to share, or change it at hops.
    flows : list of [source terminal, destination terminal], optional
        Who sends to whom; None: every terminal sends to every other.
    """
    return {"subject": "lanes", "impossible": impossible, "changes": changes, "sends": flows, "proof": proof}


def load_claim(
    least: Fraction, flows: list[list[Any]] | None, capacity: list[float] | None, proof: Document, **lanes: Any
) -> Document:
    """The claim that some channel has at least a load, whatever shortest paths are taken.

    Parameters
    ----------
    flows : list of [source terminal, destination terminal, amount], optional
        None: every terminal sends 1 to every other.
    capacity : list of float, optional
        Of each channel, by which its flow is divided; None: 1.
    proof : dict
        Weights of channels, or a refutation of lower loads in some lanes.
    lanes : dict
        To what the claim is restricted: the number of `lanes`, their `changes`, and whether routes are by `table`.
    """
    about = {"flows": flows, "capacity": capacity, "least": [least.numerator, least.denominator]}
    return {"subject": "load", **about, **lanes, "proof": proof}


def removals_claim(switching: str, minimal: bool, least: int, proof: Document) -> Document:
    """The claim that at least a number of candidates must be removed for a relation to be safe and to deliver."""
    return {"subject": "removals", "switching": switching, "minimal": minimal, "least": least, "proof": proof}


def changes_claim(kind: str, least: int, proof: Document) -> Document:
    """The claim that at least a number of "pairs" or "entries" change where the routes fit into one lane."""
    return {"subject": "changes", "kind": kind, "least": least, "proof": proof}


def rules_claim(
    counts: Iterable[tuple[int, int]],
    short: bool,
    switching: str,
    adaptive: str,
    least: int,
    symmetric: Iterable[Iterable[int]],
    proof: Document,
) -> Document:
    """The claim that no rule for meshes is as a request of `unknot.design` says."""
    family = {"counts": [list(pair) for pair in counts], "short": short, "switching": switching}
    request = {"adaptive": adaptive, "least": least, "symmetric": [list(image) for image in symmetric]}
    return {"subject": "rules", **family, **request, "proof": proof}


def rule_claim(
    counts: Iterable[tuple[int, int]], short: bool, switching: str, rule: list[list[int]], proof: Document
) -> Document:
    """The claim that a rule for meshes of every size is free of deadlock; `plain.Family.entries` reads its rows."""
    family = {"counts": [list(pair) for pair in counts], "short": short, "switching": switching}
    return {"subject": "rule", **family, "rule": rule, "proof": proof}


def protocol_claim(switching: str, deadlock_free: bool, protocol: Document, proof: Document) -> Document:
    """The claim that messages can, or cannot, wait for each other for ever with the end points of a protocol.

    Parameters
    ----------
    protocol : dict
        As `Ends` of `plain` reads it.
    proof : dict
        Ranks of VCs and queues, or a "run" from the empty network to a deadlock.
    """
    claim = {"subject": "protocol", "switching": switching, "deadlock_free": deadlock_free}
    return {**claim, "protocol": protocol, "proof": proof}


def size_claim(relation: Relation, switching: str, least: int, held: int | None = None) -> Document:
    """The claim that no deadlock has fewer than `least` packets, nor one of `least` packets fewer than `held` VCs.

    It is made weaker where the checker can show less: its `least` is then lower than the one that was given, and
    `held` is missing.

    Parameters
    ----------
    relation : Relation
        The routing; or a network, with its `routing`.
    switching : {"vct", "saf", "wormhole", "wormhole-nonatomic"}
    least : int
        Packets, such as `Smallest.messages_bound`.
    held : int, optional
        VCs, such as `Smallest.held_bound`.

    Returns
    -------
    Document
        The claim, as JSON has it.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.routing import dimension_order
    >>> from unknot.verify import smallest
    >>> relation = dimension_order(ring(4))
    >>> claim = size_claim(relation, "vct", smallest(relation).messages_bound)
    >>> claim["subject"], claim["least"]
    ('size', 4)
    """
    table, switching = plain_table(relation), switching_named(switching)
    claim: Document = {"subject": "size", "switching": switching, "least": least, "proof": {}}
    fewest = plain.fewest_packets(table, switching) or least
    if fewest < least:
        return {**claim, "least": fewest}
    if held is None:
        return claim
    with_held = {**claim, "held": held}
    try:
        plain.check_size(table, with_held, {})
    except plain.Rejected:
        return claim
    return with_held


def routes_claim(relation: Relation, impossible: int, changes: str, proof: Document) -> Document:
    """The claim that the routes of a relation cannot be free of deadlock in a number of lanes; see `lanes_claim`."""
    claim = {"subject": "lanes of routes", "impossible": impossible, "changes": changes, "proof": proof}
    return {**claim, "relation": table_of(relation)}
