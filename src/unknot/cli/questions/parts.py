"""Parts that a question may ask for: after failures, of each kind of traffic, of remedies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from unknot.certificates.documents import Document, part_of
from unknot.cli.questions.about import About, claim
from unknot.cli.questions.claims import delivered


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
    build, wishes = rerouting(network, about.routing or "", about.vcs), [_free(about, answer)]
    wishes.append(delivered(about, answer))
    for count in every.sizes:
        parts = list(parts_of(network, every.kind))
        for one in sets_of_parts(f"{kind} of {network.name}", parts, count, every.most, seed):
            left = left_after(network, kind, one.numbers)
            if isinstance(left, str):
                continue
            routers, channels = failed_of(network, kind, one.numbers)
            part = {"name": ", ".join(one.names), "claims": wishes} if repaired else part_of(
                ", ".join(one.names), build(left), wishes
            )  # fmt: skip
            about.parts.append({**part, "without": {"channels": channels, "routers": routers}})


def audit(
    about: About, answer: bool | None = True, traffic: str | None = None, named: str = "", folder: str | None = None
) -> None:
    """Each kind of traffic on the tables of a folder is free of deadlock and delivered.

    With a folder that `unknot repair` wrote, `named` is the kind of the remedy, before the names of its parts.
    """
    from unknot.fabrics import read_fabric
    from unknot.fabrics.ethernet.folder import is_ethernet, read_ethernet
    from unknot.verify.audit import audit as audited
    from unknot.verify.audit_ethernet import audit_ethernet

    path, wish = Path(folder or about.place), _free(about, answer)
    if is_ethernet(path):
        switches = read_ethernet(path)
        kinds = [("buffers", audit_ethernet(switches).relation, [wish])]
        about.network = about.network if folder else switches.network
    else:
        read = audited(read_fabric(path), switching=about.technique)
        kinds = [(one.traffic, one.relation, [wish, delivered(about, answer)]) for one in read.rows]
        kinds += [] if read.multicast is None else [("multicast", read.multicast.relation, [wish])]
    about.parts += [
        part_of(named + kind, relation, wishes, of_its_own=True)
        for kind, relation, wishes in kinds if traffic in (None, kind)
    ]  # fmt: skip


def remedy(about: About, name: str, routing: str, answer: bool | None = True) -> None:
    """A remedy is free of deadlock and delivers: the routing in a file that `unknot repair` wrote."""
    relation = replace(about, routing=routing, tables=None).relation
    about.parts.append(part_of(name, relation, [_free(about, answer), delivered(about, answer)]))


PARTS = {made.__name__: made for made in (audit, faults, remedy)}
"""Parts by their names in --claim."""
