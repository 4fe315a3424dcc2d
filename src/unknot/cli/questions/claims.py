"""Claims that a question may ask for, a function each; docs/evidence.md lists them. None of them searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError, require_known
from unknot.certificates.documents import Document
from unknot.cli.questions.about import About, claim

if TYPE_CHECKING:
    from unknot.network import Network


def deadlock_free(about: About, answer: bool | None = True, bubble: str | None = None) -> Document:
    """No deadlock is possible, or one is; perhaps with a flow control of the routing."""
    from unknot.certificates.flow_words import technique_words
    from unknot.cli.commands.flows import flow_of
    from unknot.routing.flow_controls.named import is_technique

    if bubble is None and is_technique(about.switching):
        return claim("deadlock", switching=about.switching, deadlock_free=answer)
    control = flow_of(about.relation, about.switching, bubble)
    return claim("deadlock", **technique_words(*control), deadlock_free=answer)


def delivered(about: About, answer: bool | None = True) -> Document:
    """Every packet can always be ejected, or one cannot."""
    return claim("delivery", delivered=answer)


def lengths(about: About, longest: int | None = None, minimal: bool | None = None) -> Document:
    """The hops of the longest route, and whether all are shortest paths."""
    return claim("lengths", longest=longest, minimal=minimal)


def size(about: About, least: int | None = None, held: int | None = None) -> Document:
    """No deadlock has fewer packets, nor one of as few packets fewer VCs."""
    return claim("size", switching=about.technique, least=least, held=held)


def progress(
    about: About, arbiter: str = "fair", arrives: bool = True, bound: int | None = None, packets: int = 1
) -> Document:
    """Every packet arrives under an arbiter, or one may not."""
    under: dict[str, object] = {"switching": about.technique} if arbiter == "fair" else {}
    under |= {"packets": packets} if arbiter in ("round_robin", "oldest_first") else {}
    return claim("progress", arbiter=arbiter, arrives=arrives, bound=bound, **under)


def protocol(about: About, name: str, answer: bool | None = True) -> Document:
    """No deadlock is possible with the end points of a protocol, or one is."""
    from unknot.verify.protocols import protocol as protocol_named
    from unknot.verify.protocols.evidence import plainly
    from unknot.verify.protocols.system import System

    described = plainly(System(about.relation, protocol_named(name, "--claim")))
    return claim("protocol", switching=about.technique, deadlock_free=answer, protocol=described)


def lanes(about: About, impossible: int | None = None, changes: str = "none", survive: str | None = None) -> Document:
    """Shortest paths cannot be free of deadlock in a number of lanes; or any paths after each failure."""
    from unknot.lane_assignment.served_pairs import plain_flows

    sends = None if about.matrix is None else plain_flows(about.matrix > 0)
    failures = None if survive is None else [*_gone(about.network, survive)]
    return claim("lanes", impossible=impossible, changes=changes, sends=sends, failures=failures)


def _gone(network: Network, kind: Any) -> Iterator[list[int]]:
    """The channels that are gone after each failure that leaves the network connected."""
    from unknot.verify.failures import PARTS, left_after, parts_of

    require_known("--claim: unknown kind", kind, PARTS)
    for _, numbers in parts_of(network, kind):
        left = left_after(network, kind, numbers)
        if not isinstance(left, str) and left.origin is not None:
            yield sorted({*range(network.num_channels)} - {*left.origin.channels.tolist()})


def lanes_of_routes(about: About, impossible: int | None = None, changes: str = "none") -> Document:
    """The routes cannot be free of deadlock in a number of lanes."""
    return claim("lanes of routes", impossible=impossible, changes=changes)


def load(
    about: About,
    least: str | None = None,
    paths: str | None = None,
    pieces: int | None = None,
    lanes: int | None = None,
    changes: str = "none",
    table: bool = False,
) -> Document:
    """Some channel has a load on all shortest paths, on any paths, or on those in some lanes."""
    matrix, bandwidth = about.matrix, about.network.bandwidth
    pairs = [] if matrix is None else zip(*(ends.tolist() for ends in matrix.nonzero()), strict=True)
    return claim(
        "load", paths=paths, pieces=pieces, lanes=lanes,
        least=None if least is None else Fraction(least).as_integer_ratio(),
        flows=None if matrix is None else [[s, t, float(matrix[s, t])] for s, t in pairs],
        capacity=None if (bandwidth == 1).all() else bandwidth.tolist(),
        **({} if lanes is None else {"changes": changes, "table": table}),
    )  # fmt: skip


def removals(about: About, least: int | None = None, minimal: bool = False) -> Document:
    """Fewer removed candidates never make the routing safe and delivering."""
    return claim("removals", switching=about.technique, minimal=minimal, least=least)


def escapes(about: About, least: int | None = None, minimal: bool = False) -> Document:
    """Fewer added VCs never make the routing safe."""
    return claim("escapes", switching=about.technique, minimal=minimal, least=least)


def changes(about: About, least: int | None = None, kind: str = "pairs") -> Document:
    """Fewer changed routes, or entries, never make all fit into one lane."""
    return claim("changes", kind=kind, least=least)


def update(about: About, to: str, how: str = "any order", drained: Sequence[int] = ()) -> Document:
    """Routers can be updated to another routing in any order, or in batches; or a deadlock is possible meanwhile."""
    from unknot.verify.mixture import mixture
    from unknot.verify.update import plainly

    both = plainly(mixture(about.relation, replace(about, routing=to).relation))
    return claim("update", switching=about.technique, relation=both, how=how, drained=drained or None)


def cuts(about: About, kind: str = "links", at_once: int = 1, budget: int | None = None, seed: int = 1) -> Document:
    """How many routes of a folder's tables each failure cuts."""
    from unknot.fabrics import read_fabric
    from unknot.verify.failures import Failures
    from unknot.verify.table_faults import table_faults

    tries: Any = {"kind": kind, "at_once": at_once, "budget": budget, "seed": seed}
    faults = table_faults(read_fabric(about.place), failures=Failures(**tries))
    about.tables = faults.relation
    return faults.claim


def failures(
    about: About,
    more: int | None = 1,
    kind: str = "links",
    answer: bool | None = True,
    failed: Sequence[str] = (),
    kept: Sequence[str] = (),
) -> Document:
    """On routes of bgp or ospf buffers wait in no cycle after some failures and up to `more` others; None: any."""
    from unknot.verify.ethernet_faults import FailureSets, fabric_of

    named: Any = (about.network, about.routing, kind)
    fabric = None if about.routing is None else fabric_of(*named)
    if fabric is None:
        raise UnknotError("accept: the claim failures is about --routing bgp or ospf, and no single channels")
    numbers = {name: number for number, (name, _) in enumerate(fabric.parts)}
    for name in (*failed, *kept):
        require_known("--claim: there is no part", name, numbers)
    one, other = ([numbers[name] for name in names] for names in (failed, kept))
    sets = None if more is None else FailureSets(tuple(one), frozenset(other), more)
    said = fabric.claim({}, sets)
    return claim(**said | {"deadlock_free": answer})


def phases(
    about: About,
    shape: Sequence[int],
    chunks: int,
    slots: int = 1,
    phases: Sequence[int] = (),
    together: bool = False,
    fixed_order: bool = False,
    answer: bool | None = True,
) -> Document:
    """Chunks of a collective operation cannot wait for each other for ever on a grid, or can."""
    from unknot.verify.phases import PhasedChunks

    system = PhasedChunks(tuple(shape), chunks, slots, tuple(phases), together, fixed_order)
    return claim("phases", deadlock_free=answer, **asdict(system))


def controllers(
    about: About,
    file: str,
    caches: int = 3,
    answer: bool | None = True,
    addresses: int = 2,
    carried: bool = False,
    idle: Sequence[str] = (),
) -> Document:
    """Controllers of a state table cannot wait for each other for ever, or can; `addresses` count with rooms.

    `carried` by the routing, without the cores of kinds that are `idle`.
    """
    from unknot.cli.commands.controllers import table_in
    from unknot.verify.controllers.evidence import asked
    from unknot.verify.controllers.network import as_carried

    table = table_in(file)
    if table is None:
        raise UnknotError(f"--claim: {file} has no state tables; a protocol of message classes is protocol(…)")
    table = table.idle(idle)
    if carried:
        table = as_carried(table, about.relation, caches, addresses)
    channels = bool(carried and answer and not table.rooms)
    return claim(**asked(table, caches, answer, addresses, carried=channels))


def rule(about: About, family: str) -> Document:
    """The routing is a rule that cannot deadlock on meshes of every size."""
    from unknot.synthesis.design import family_of
    from unknot.synthesis.ranking import rule_claimed
    from unknot.synthesis.rule_reading import meshes_to_read, rule_of

    if about.routing is None:
        raise UnknotError("accept: the claim rule is about a routing; name it with --routing")
    found = rule_of(about.routing, tuple(meshes_to_read(family_of(family)[0])))
    return rule_claimed(found.space, found.offers, about.technique, found.waits)


def rules(about: About, family: str, vcs: str, by: str = "states", least: int | None = None) -> Document:
    """No rule for meshes of every size, with some VCs, is free of deadlock and adaptive."""
    from unknot.cli.commands.design_routing import counts_of
    from unknot.synthesis.design import family_of
    from unknot.synthesis.requirements import Request
    from unknot.synthesis.space import Space

    space, kind = Space(counts_of(vcs), family_of(family)[1]), by
    adaptive: Any = kind
    bnrs = Request(adaptive, least).bnrs(space)
    about_space = {"counts": space.counts, "short": space.short, "switching": about.technique}
    return claim("rules", adaptive=by, least=bnrs, symmetric=[], **about_space)


KINDS = {
    made.__name__: made
    for made in (
        changes, controllers, cuts, deadlock_free, delivered, escapes, failures, lanes, lanes_of_routes, lengths,
        load, phases, progress, protocol, removals, rule, rules, size, update,
    )
}  # fmt: skip
"""Claims by their names in --claim."""
