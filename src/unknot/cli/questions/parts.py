"""Parts that a question may ask for: after failures, of each kind of traffic, of remedies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot.certificates.documents import Document, part_of
from unknot.cli.questions.about import About, claim
from unknot.cli.questions.claims import delivered

if TYPE_CHECKING:
    from unknot.routing.relation import Relation


def _free(about: About, answer: bool | None) -> Document:
    """No deadlock is possible under a technique: a flow control would be one of another routing."""
    return claim("deadlock", switching=about.technique, deadlock_free=answer)


def faults(
    about: About,
    kind: str = "links",
    at_once: int = 1,
    fewer: bool = False,
    budget: int | None = None,
    seed: int = 1,
    answer: bool | None = True,
    repaired: bool = False,
) -> None:
    """The routing is free of deadlock and delivers after each failure; repaired: whatever routing is left."""
    from unknot.verify.failures import Failures, failed_of, left_after, parts_of, rerouting, sets_of_parts

    tries: Any = {"kind": kind, "at_once": at_once, "fewer": fewer, "budget": budget, "seed": seed}
    every, network = Failures(**tries), about.network
    build, asked = rerouting(network, about.routing or "", about.vcs), [_free(about, answer)]
    asked.append(delivered(about, answer))
    for count in every.sizes:
        parts = list(parts_of(network, every.kind))
        for one in sets_of_parts(f"{kind} of {network.name}", parts, count, every.most, seed):
            left = left_after(network, kind, one.numbers)
            if isinstance(left, str):
                continue
            routers, channels = failed_of(network, kind, one.numbers)
            part = {"name": ", ".join(one.names), "claims": asked} if repaired else part_of(
                ", ".join(one.names), build(left), asked
            )  # fmt: skip
            about.parts.append({**part, "without": {"channels": channels, "routers": routers}})


def audit(
    about: About,
    answer: bool | None = True,
    traffic: str | None = None,
    named: str = "",
    folder: str | None = None,
    assume: str | None = None,
) -> None:
    """The tables of a folder are free of deadlock and deliver, as `unknot audit` judges them.

    With a folder that `unknot repair` wrote, `named` is the kind of the remedy, before the names of its parts.
    """
    from unknot.fabrics.ethernet.folder import is_ethernet

    path = Path(folder or about.place)
    kinds = _of_switches(about, path, folder) if is_ethernet(path) else _of_traffics(about, path, traffic, assume)
    asked = {"buffers": [_free(about, answer)], "multicast": [_free(about, answer)]}
    both = [_free(about, answer), delivered(about, answer)]
    about.parts += [
        part_of(named + kind, relation, asked.get(kind, both), of_its_own=True)
        for kind, relation in kinds if traffic in (None, kind)
    ]  # fmt: skip


def _of_switches(about: About, path: Path, folder: str | None) -> list[tuple[str, Relation]]:
    """Buffers of Ethernet switches; note what is not read, and packets that are lost."""
    from unknot.fabrics.ethernet.folder import read_ethernet
    from unknot.verify.audit_ethernet import audit_ethernet

    switches = read_ethernet(path)
    judged = audit_ethernet(switches)
    about.network = about.network if folder else switches.network
    about.open += [f"not read: {one}" for one in switches.unread]
    about.fails += [*judged.forwarding_loops, *judged.lost, *judged.losses]
    return [("buffers", judged.relation)]


def _of_traffics(about: About, path: Path, traffic: str | None, assume: Any) -> list[tuple[str, Relation]]:
    """Kinds of traffic by InfiniBand tables, those of the audit's answer and the named kind."""
    from unknot.fabrics import read_fabric
    from unknot.verify.audit import audit as audited

    fabric = read_fabric(path, assume=assume)
    read = audited(fabric, switching=about.technique)
    rows = [one for one in read.rows if one in (read.host_to_host, read.replies) or one.traffic == traffic]
    about.open += [f"adaptive routing: {sign}" for sign in fabric.adaptive]
    about.open += dict.fromkeys(why for one in rows for why in one.unknown.unknown_because)
    trees = [] if read.multicast is None else [("multicast", read.multicast.relation)]
    return [(one.traffic, one.relation) for one in rows] + trees


def remedy(about: About, name: str, routing: str, answer: bool | None = True) -> None:
    """A remedy is free of deadlock and delivers: the routing in a file that `unknot repair` wrote."""
    relation = replace(about, routing=routing, tables=None).relation
    about.parts.append(part_of(name, relation, [_free(about, answer), delivered(about, answer)]))


PARTS = {made.__name__: made for made in (audit, faults, remedy)}
"""Parts by their names in --claim."""
