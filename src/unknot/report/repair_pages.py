"""READMEs beside repaired fabrics: what was written, how to load it, and what was not tried; as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unknot._base.quantities import Hops
from unknot.fabrics import Fabric
from unknot.remedies.lossless import HOSTS, RULES, RepairedFabric
from unknot.remedies.route_maps import FILE
from unknot.report.phrases import ANSWERS, CAN_DEADLOCK
from unknot.routing.adaptive_fabric import Member
from unknot.verify.audit import Audit
from unknot.verify.update import Update

PAGE = "README.md"
LIDS = "guid2lid"
"""File of LIDs, as OpenSM calls it."""


@dataclass(frozen=True)
class WrittenRemedy:
    """Files of a remedy, read back and judged; or the tables as they are.

    Attributes
    ----------
    kind : str
        What changes, and the folder.
    lanes : int
        Virtual lanes.
    changed : int
        Entries of tables (switch, LID) that are new or others.
    load : float
        Routes between hosts over the busiest channel, those to the LIDs of a port in equal shares.
    audit : Audit
    steps : tuple of str
        How to get there without a deadlock.
    load_bound : float or None
        No such routes have a lower highest load; None where the routes stay.
    load_bound_holds : bool or None
        Whether the separate checker accepts this bound.
    lane_pairs : tuple of int
        Pairs of host and LID in each lane, where there are several.
    lane_highest : tuple of float
        The highest load of a channel in each lane.
    lmc : int or None
        The LMC for which all LIDs were assigned anew.
    complete : bool
        Whether the search for it ended by itself; else more time may find fewer lanes or changes, or a lower load.
    taken : int
        Ports taken out of groups of adaptive switches.
    taken_words : tuple of str
        These ports by switch and group.
    least : int or None
        Of adaptive switches: fewer ports, or lanes, are not enough; None where nothing is shown.
    least_holds : bool or None
        Whether the separate checker accepts this bound.
    """

    kind: str
    lanes: int
    changed: int
    load: float
    audit: Audit
    steps: tuple[str, ...] = ()
    load_bound: float | None = None
    load_bound_holds: bool | None = None
    lane_pairs: tuple[int, ...] = ()
    lane_highest: tuple[float, ...] = ()
    lmc: int | None = None
    complete: bool = True
    taken: int = 0
    taken_words: tuple[str, ...] = ()
    least: int | None = None
    least_holds: bool | None = None

    @property
    def longest(self) -> Hops | None:
        """Hops of the longest route between hosts."""
        return self.audit.host_to_host.delivery.longest_route

    @property
    def replies_free(self) -> bool | None:
        """Whether replies at the level of the request cannot deadlock; in a single lane, whether requests cannot."""
        answered = self.audit.host_to_host if self.audit.replies is None else self.audit.replies
        return answered.verdict.deadlock_free


GROUPS = "groups.far"
"""File of groups, in the form of ibdiagnet."""
IN_ANY_ORDER = (
    "Take the ports out in any order, while traffic goes on. Until the last is out, packets can deadlock as before.",
)
MEANING = {
    "adaptive-lanes": "tables and groups stay; packets get service levels, and with them lanes",
    "shorter-groups": "the tables stay; switches choose among fewer ports",
    "same-routes": "the tables stay; packets get service levels, and with them lanes",
    "few-entries": "few changed entries, for one lane: no service levels, routes may be longer",
    "new-tables": "new tables of shortest paths, in as few lanes as were found",
    "one-lane": "new tables of low load for one lane: no service levels, routes may be longer",
}

_SAID = {"can_deadlock": CAN_DEADLOCK, "answers": ANSWERS}
_REPLIES = {
    True: "That was judged, too: the levels in `paths.psl` are safe for such replies.",
    False: "SUCH REPLIES CAN DEADLOCK: this remedy is for one-way traffic, as `--one-way` says; `one-lane` has no "
    "such condition.",
    None: "That was not decided in the time given; `one-lane` has no such condition.",
}


def repair_page(before: WrittenRemedy, rows: Sequence[WrittenRemedy], reasons: Sequence[str]) -> str:
    """The page as Markdown."""
    from unknot.report.rendering import page

    values = {"meaning": MEANING, "of_replies": _REPLIES, "times": times, "lids_file": LIDS, "groups_file": GROUPS}
    return page("repair.md", fabric=before.audit.fabric, before=before, rows=rows, reasons=reasons, **values, **_SAID)


def taken_in_words(fabric: Fabric, taken: Sequence[Member]) -> tuple[str, ...]:
    """Return ports that are taken out of groups: by switch and group, each with the neighbour behind it."""
    network, rows = fabric.network, dict[tuple[int, int], list[str]]()
    ports = np.zeros((0, 2)) if network.ports is None else network.ports
    behind = {(int(r), int(p)): int(to) for r, (p, _), to in zip(network.source, ports, network.target, strict=True)}
    for router, group, port in taken:
        rows.setdefault((router, group), []).append(f"{port} (to {network.router_name(behind[router, port])})")
    return tuple(
        f"{network.router_name(router)}: out of group {group} port{'s' * (len(words) > 1)} {', '.join(words)}"
        for (router, group), words in rows.items()
    )


def times(load: float, before: float) -> str:
    """Describe a load against the one before, such as ``345 (× 1.92)``."""
    return f"{load:,.6g} (× {load / before:.2f})" if before else f"{load:,.6g}"


def ethernet_repair_page(repaired: RepairedFabric) -> str:
    """Return the page as Markdown."""
    from unknot.report.rendering import page

    return page("ethernet_repair.md", repaired=repaired, rules=RULES, hosts=HOSTS, file=FILE, **_SAID)


def steps_of(change: Update | None) -> tuple[str, ...]:
    """Return in words how to update routers without a deadlock; None: more than tables is changed."""
    stop = "Stop all traffic, wait until no packet is on its way, load everything, and let traffic begin again"
    if change is None:
        return (f"{stop}: more than the tables of switches changes.",)
    network, order = change.mixture.old.network, change.order
    if change.deadlock_free and not change.lost:
        return ("Load the tables of the switches in any order, while traffic goes on.",)
    if order is None or not order.proofs:
        return (f"{stop}: no other way was proved to be safe.",)
    both, drained = change.mixture, set(order.drained)
    if drained and all(address in drained or not both.sources(address) for address in range(both.old.num_addresses)):
        return (f"{stop}: no order of switches was proved to be safe, nor any while some hosts are left out.",)
    if order.drained:
        names = ", ".join(map(change.mixture.old.address_name, order.drained))
        return (
            f"Send nothing to {names}, and wait until no packet to there is on its way.",
            "Load the tables of the switches in any order, while other traffic goes on.",
            "Wait until all switches have them, and let the traffic begin again.",
        )
    wait = "Wait until the packets have left that were sent before; then load"
    return tuple(
        f"{wait if number else 'Load'} the tables of {', '.join(map(network.router_name, batch))}, in any order, "
        f"`{name}`."
        for number, (batch, name) in enumerate(zip(order.batches, tables_of_steps(change), strict=True))
    )


def tables_of_steps(change: Update | None) -> list[str]:
    """Names of the files with the tables after each batch of an update; the last one has those of all routers."""
    batches = change.order.batches if change is not None and change.order is not None else ()
    return [*(f"step-{number}.lfts" for number in range(1, len(batches))), "tables.lfts"]
