"""Hops of a network, and the fewest of all networks with such ports and links."""

from __future__ import annotations

from typing import Any

from unknot.certificates.plain.amounts import fraction
from unknot.certificates.plain.hop_program import LinkRequest, bound_shown, hops_from
from unknot.certificates.plain.reading import Rejected, at_most, field, integers, lists, number, pay
from unknot.certificates.plain.registry import checks

MOST_NODES = 4096


@checks("hops", "", "links", "hops", "least")
def check_hops(claim: Any, proof: Any) -> str:
    """Check that links fulfil a request and have some hops in all, and that no links of the request have fewer.

    Claim: `nodes`; `allowed`, nodes to which links may lead from each node, or `null` for all; `leaving` and
    `entering`, most links of each node; `both_ways`, whether each link is there in both directions; `required` and
    `links`, each [from, to]; `budgets`, if given, each the most that links take, and [from, to, what the link takes];
    `diameter`, most hops of a pair; `survives`, whether links connect all nodes if any one is dead; `hops` of all
    pairs of nodes with these links; `least`, a bound for all links;
    `carried`, if given, numerator and denominator: flits per node and cycle that no routes carry on links of 1 flit
    per cycle, if each node sends as much to all others
    Proof: `levels`, hop counts of rows, 0 to count nodes alone; `rows`, each a condition that all links fulfil with
    its multiplier: [kind, nodes or hop count and nodes, multiplier]
    """
    nodes = number(claim, "nodes", 2)
    at_most(nodes, MOST_NODES, "nodes")
    pay(nodes * nodes)
    wanted = wanted_of(claim, nodes)
    check_links(wanted, claim, nodes)
    least, shown = number(claim, "least", 0), bound_shown(wanted, proof)
    if shown < least:
        raise Rejected(f"the proof shows at least {shown} hops, and not {least}")
    text = f"{claim['hops']} hops between {nodes} nodes, and no such links have fewer than {least}"
    if "carried" not in claim:
        return text
    carried = fraction(claim["carried"], "carried", 0)
    # A flit takes a link for a cycle at each of its hops.
    if carried * least < min(sum(wanted.leaving), sum(wanted.entering)) * (nodes - 1):
        raise Rejected(f"carried: so many hops leave room for more than {carried}")
    return f"{text}, nor carry more than {carried} flits per node and cycle"


def wanted_of(claim: Any, nodes: int) -> LinkRequest:
    """The request of a claim."""
    if claim.get("allowed") is None:
        ahead: list[list[int]] = [[v for v in range(nodes) if v != u] for u in range(nodes)]
    else:
        ahead = [integers(row, "allowed", 0, nodes) for row in field(claim, "allowed", list)]
        if len(ahead) != nodes or any(u in row or len(set(row)) < len(row) for u, row in enumerate(ahead)):
            raise Rejected("allowed: a list of other nodes is expected for each node")
    leaving, entering = (integers(claim.get(way), way, 0, nodes, nodes) for way in ("leaving", "entering"))
    required = pairs_of(claim, "required", nodes)
    both = field(claim, "both_ways", bool)
    budgets = []
    for entry in lists(claim.get("budgets", []), "budgets", 2):
        [most] = integers(entry[:1], "budgets", 0, 2**62, 1)
        takes = [integers(row, "budgets", 0, 2**62, 3) for row in lists(entry[1], "budgets", 3)]
        if len({(u, v) for u, v, _ in takes}) < len(takes):
            raise Rejected("budgets: a link stands there twice")
        budgets.append((most, takes))
    diameter = None if claim.get("diameter") is None else number(claim, "diameter", 1)
    survives = "survives" in claim and field(claim, "survives", bool)
    return LinkRequest(ahead, leaving, entering, both, required, budgets, diameter, survives)


def pairs_of(claim: Any, name: str, nodes: int) -> set[tuple[int, int]]:
    """Links of a claim, each once."""
    entries = lists(field(claim, name, list), name, 2)
    pairs = {(u, v) for u, v in (integers(one, name, 0, nodes) for one in entries)}
    if len(pairs) < len(entries):
        raise Rejected(f"{name}: a link stands there twice")
    return pairs


def check_links(wanted: LinkRequest, claim: Any, nodes: int) -> None:
    """Check that the links of a claim fulfil its request and have its hops."""
    links = pairs_of(claim, "links", nodes)
    allowed = {(u, v) for u, row in enumerate(wanted.ahead) for v in row}
    if links - allowed:
        raise Rejected(f"links: {min(links - allowed)} is not allowed")
    if wanted.required - links:
        raise Rejected(f"links: {min(wanted.required - links)} is required and missing")
    if wanted.both and any((v, u) not in links for u, v in links):
        raise Rejected("links: a link is there in one direction alone")
    ahead: list[list[int]] = [[] for _ in range(nodes)]
    entering = [0] * nodes
    for u, v in links:
        ahead[u].append(v)
        entering[v] += 1
    for u in range(nodes):
        if len(ahead[u]) > wanted.leaving[u] or entering[u] > wanted.entering[u]:
            raise Rejected(f"links: node {u} has more links than ports")
    for most, takes in wanted.budgets:
        pay(len(takes))
        taken = sum(part for u, v, part in takes if (u, v) in links)
        if taken > most:
            raise Rejected(f"links: they take {taken} of a budget of {most}")
    far = [hops_from(ahead, u) for u in range(nodes)]
    if wanted.diameter is not None and max(map(max, far)) > wanted.diameter:
        raise Rejected(f"links: some nodes are more than {wanted.diameter} hops apart")
    for u, v in links if wanted.survives else ():
        others = [[w for w in row if (s, w) != (u, v)] for s, row in enumerate(ahead)]
        pay(len(links))
        if hops_from(others, u)[v] == nodes:
            raise Rejected(f"links: no other way leads from {u} to {v}")
    total = sum(map(sum, far))
    if total != number(claim, "hops", 0):
        raise Rejected(f"links: they have {total} hops, and not {claim['hops']}")
