"""Tables of evidence, and rules of proofs for every size, compared with a relation."""

from __future__ import annotations

import numpy as np

from unknot.certificates import plain
from unknot.certificates.documents import Document, plain_table
from unknot.routing.relation import Relation


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


def table_difference(one: plain.Table, other: plain.Table) -> str:
    """What differs between two tables of the same network, in words; empty if they are the same relation."""
    if one.channel != other.channel or one.commits != other.commits:
        return "VCs or commitment differ"
    if one.destination != other.destination or one.sources != other.sources:
        return "addresses, or who sends to them, differ"
    for address in range(one.addresses):
        for at, candidates in one.may[address].items():
            same = {*candidates} == {*other.may[address].get(at, [None])}
            if not same or {*one.waits[address][at]} != {*other.waits[address][at]}:
                return f"candidates at {one.name(at)} for address {address} differ"
    return ""
