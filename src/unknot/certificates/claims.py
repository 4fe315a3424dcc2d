"""Claims that searches make: something smaller is impossible; and tables and rules of claims beside a relation."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from unknot._base.switching import switching_named
from unknot.certificates import plain
from unknot.certificates.documents import Document, plain_table
from unknot.routing.relation import Relation


def load_claim(
    least: Fraction, flows: list[list[Any]] | None, capacity: list[float] | None, proof: Document, **about: Any
) -> Document:
    """The claim that some channel has at least a load, whatever paths are taken, by default shortest ones.

    Parameters
    ----------
    flows : list of [source terminal, destination terminal, amount], optional
        None: every terminal sends 1 to every other.
    capacity : list of float, optional
        Of each channel, by which its flow is divided; None: 1.
    proof : dict
        Weights of channels, or a refutation of lower loads in some lanes.
    about : dict
        `paths`, where they may be "any"; `pieces` of each flow, with a path each; or to which lanes the claim is
        restricted: the number of `lanes`, their `changes`, and whether routes are by `table`.
    """
    sent = {"flows": flows, "capacity": capacity, "least": [least.numerator, least.denominator]}
    return {"subject": "load", **sent, **about, "proof": proof}


def removals_claim(
    switching: str, minimal: bool, least: int, proof: Document, together: list[list[tuple[int, ...]]] | None = None
) -> Document:
    """The claim that at least a number of candidates must be removed for a relation to be safe and to deliver.

    Or, with candidates that go `together`, of such sets; other candidates then stay.
    """
    claim = {"subject": "removals", "switching": switching, "minimal": minimal, "least": least, "proof": proof}
    sets = None if together is None else [[[*map(int, entry)] for entry in several] for several in together]
    return claim if sets is None else {**claim, "together": sets}


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
    table, name = plain_table(relation), switching_named(switching)
    claim: Document = {"subject": "size", "switching": name, "least": least, "proof": {}}
    fewest = plain.fewest_packets(table, plain.SWITCHINGS[name]) or least
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


def rule_difference(claim: Document, relation: Relation) -> str:
    """What differs between the rule of a claim and a relation on a mesh or hypercube, in words; empty if nothing.

    Every reachable state of the relation is compared with the row of the rule for its type of VC and the signs of
    what remains. O(reachable states) questions to the plain rule.

    Raises
    ------
    Rejected
        If the claim makes no sense.
    """
    family, network = plain.Family(claim), relation.network
    rule = family.entries(claim.get("rule"), "rule")
    at = np.asarray(network.coordinates, dtype=np.int64).reshape(network.num_routers, -1)
    if relation.commits:
        return "headers of the relation commit to one candidate, and those of the rule do not"
    if at.shape[1] != family.sides:
        return f"the network has {at.shape[1]} dimensions, and the rule is for {family.sides}"
    step = at[network.target] - at[network.source]
    if (abs(step).sum(axis=1) != 1).any() or (family.short and max(network.radices) > 2):
        return "the rule is for hypercubes" if family.short else "the network is no mesh: it has other channels"
    table = plain_table(relation)
    kind = {each: number for number, each in enumerate(family.types)}
    types: list[int] = []
    for vc, channel in enumerate(table.channel):
        side = int(abs(step[channel]).argmax())
        index = vc - int(relation.vcs.first[channel])
        types.append(kind.get((side, int(step[channel, side]), index), -1))
    if -1 in types or len({*zip(table.tail, types, strict=True)}) < table.vcs:
        return f"its channels have other VCs than {family.name}"
    for address, rows in enumerate(table.may):
        home = at[network.eject[relation.destination[address]]]
        for place, candidates in rows.items():
            signs = tuple(np.sign(home - at[table.router[place]]).tolist())
            waits = table.waits[address][place]
            answers = {v if v == plain.EJECT else types[v] if v in waits else -types[v] - 2 for v in candidates}
            state = (types[place] if place < table.vcs else -1, signs)
            expected = {*rule.get(state, ())} if any(signs) else answers & {plain.EJECT}
            if answers != expected:
                return f"candidates at {table.name(place)} for address {address} differ"
    return ""
