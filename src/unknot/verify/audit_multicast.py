"""Multicast on a fabric: do its trees, together with the routes between hosts, close a credit loop?

A switch copies a multicast packet to all ports of its row but the one it came in by, and the packet waits there for
the buffers of all its copies. So its dependencies are those of unicast packets, one for each branch, from the sender
to the end of that branch. Each end of a tree becomes an address, and the prover and the separate checker see routes
alone. Any host at a switch of a tree may send.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.errors import UnknotError
from unknot._base.memory import require
from unknot._base.switching import Switching
from unknot._base.three_valued import ThreeValued, all_hold
from unknot.certificates import evidence_holds
from unknot.certificates.verdict import Verdict
from unknot.fabrics import Fabric
from unknot.fabrics.levels import LEVELS
from unknot.routing.adaptive_fabric import AdaptiveRouting
from unknot.routing.fabric_relation import laned_table
from unknot.routing.forwarding_table import DROP, EJECT_HERE, forwarding_table
from unknot.routing.relation import Relation
from unknot.routing.switchboard import destinations, lane_table, levels_of, senders, switchboard
from unknot.verify.audit_findings import SHOWN, loop_of
from unknot.verify.audit_merged import one_sender_each, pairs_by_switch
from unknot.verify.check import check
from unknot.verify.multicast_trees import MulticastTree, Wiring, trees_of


@dataclass(frozen=True, eq=False)
class MulticastAudit(ThreeValued, asks="holds"):
    """Verdict and delivery for multicast groups and the routes between hosts together.

    Attributes
    ----------
    groups : int
        Multicast LIDs.
    level : int
        Service level of all multicast packets.
    deadlock_free : bool or None
        Whether both kinds of packets together are deadlock-free; None where that is open.
    relation : Relation
        Routes between hosts, and from each host to each end of the trees that it may send into.
    verdict : Verdict
        Verdict on that relation.
    certificate_holds : bool or None
    loop : tuple of str
        Switches on a loop of packets that wait for one another.
    circling : tuple of str
        Groups whose packets are copied for ever, with the switches on the way.
    undelivered_pairs, pairs : int
        Pairs of sender and receiver in a group whose packets do not arrive, and all such pairs.
    open_ends : int
        Groups that are copied to a switch without a row of theirs: where that copies to, the tables do not tell.
    lost : tuple of str
        Losses and packets that arrive twice, in words.
    """

    groups: int
    level: int
    deadlock_free: bool | None
    relation: Relation
    verdict: Verdict
    certificate_holds: bool | None
    loop: tuple[str, ...]
    circling: tuple[str, ...]
    undelivered_pairs: int
    pairs: int
    open_ends: int
    lost: tuple[str, ...]

    @property
    def delivered(self) -> bool | None:
        """Every member gets the packets of every other; None where there may be members that no row names."""
        return False if self.undelivered_pairs else None if self.open_ends else True

    @property
    def holds(self) -> bool | None:
        """Whether nothing can deadlock or circle, and every member gets the packets of every other; None: open."""
        return all_hold((self.deadlock_free, self.delivered))


@counts_work
def audit_multicast(
    fabric: Fabric,
    technique: Switching,
    *,
    level: int = 0,
    lanes: int | None = None,
    time_limit: float | Deadline = MINUTE,
    known: bool = True,
    adaptive: AdaptiveRouting | None = None,
) -> MulticastAudit | None:
    """Judge the multicast tables of a fabric together with its routes between hosts; None if it has no groups.

    Parameters
    ----------
    level : int
        Service level of the groups, as their member records say; OpenSM's default partition has 0.
    lanes : int, optional
        As for `audit`.
    known : bool
        Whether all routes between hosts are known; otherwise "free" is open.
    adaptive : AdaptiveRouting, optional
        Routes between hosts where switches choose ports. A deadlock is then open: switches may choose anew.

    Raises
    ------
    UnknotError
        If there is no such service level, or the fabric has no forwarding tables.
    """
    if not 0 <= level < LEVELS:
        raise UnknotError(f"multicast: service levels are 0 to {LEVELS - 1}, not {level}")
    if fabric.multicast is None or not fabric.multicast.size:
        return None
    laned = fabric.levels is not None or fabric.lanes is not None
    lane = lane_table(fabric, lanes, also=level) if laned else None
    trees = trees_of(fabric, Wiring(fabric, None if lane is None else lane[0][:, :, :, level]))
    relation = _together(fabric, trees, level, lane, adaptive)
    verdict = check(relation, technique, time_limit=time_limit)
    circling = tuple(tree.circling for tree in trees if tree.circling)
    free = verdict.deadlock_free
    ordered = verdict.certificate is not None and verdict.certificate.kind == "order"
    # Where the ports of a group form no tree, or a row is missing, its dependencies are not all among the routes.
    if free and not (ordered and known and all(tree.is_tree and not tree.open_end for tree in trees)):
        free = None
    if free is False and adaptive is not None:
        free = None
    lost = dict.fromkeys(line for tree in trees for line in tree.lost)
    return MulticastAudit(
        groups=sum(len(tree.mlids) for tree in trees),
        level=level,
        deadlock_free=False if circling else free,
        relation=relation,
        verdict=verdict,
        certificate_holds=evidence_holds(relation, verdict),
        loop=loop_of(relation, verdict.configuration),
        circling=circling,
        undelivered_pairs=sum(len(tree.mlids) * tree.undelivered for tree in trees),
        pairs=sum(len(tree.mlids) * tree.pairs for tree in trees),
        open_ends=sum(len(tree.mlids) for tree in trees if tree.open_end),
        lost=tuple(lost)[:SHOWN],
    )


def _together(
    fabric: Fabric, trees: list[MulticastTree], level: int, lane: tuple[npt.NDArray[np.int8], int] | None,
    adaptive: AdaptiveRouting | None,
) -> Relation:  # fmt: skip
    """Routes between hosts and along the trees, as one relation; in lanes every host sends for itself."""
    board, lids = switchboard(fabric), destinations(fabric, "host-to-host")
    hosts, routers = fabric.network.num_terminals, fabric.network.num_routers
    ends = [(tree, end, path) for tree in trees for end, path in tree.ends.items()]
    require(f"the {len(ends):,} ends of multicast trees of {fabric.name}", (8 * routers + hosts) * len(ends))
    towards = np.full((routers, len(ends)), DROP, dtype=np.int32)
    sends = np.zeros((routers, len(ends)), dtype=bool)
    for column, (_, end, path) in enumerate(ends):
        towards[list(path), column] = list(path.values())
        towards[end, column] = EJECT_HERE
        sends[list(path), column] = True
    homes = np.array([end for _, end, _ in ends], dtype=np.int32)
    labels = [f"{tree.name} towards {fabric.network.router_name(end)}" for tree, end, _ in ends]
    if adaptive is not None:
        return adaptive.beside(towards, homes.astype(np.int64), labels, level)
    next_channel = np.concatenate([board.next_channel[:, lids], towards], axis=1)
    labels = [*(fabric.lid_name(int(i)) for i in lids), *labels]
    name = f"multicast and host-to-host on the tables of {fabric.name}"
    if lane is None:
        destination, counts = pairs_by_switch(fabric, board, "host-to-host")
        at = fabric.network.terminals_at > 0
        return forwarding_table(
            one_sender_each(board.network), next_channel, destination=np.concatenate([destination, homes]),
            address_labels=labels, name=name, may_use=np.concatenate([counts > 0, sends & at[:, None]], axis=1),
        )  # fmt: skip
    network = board.network
    owner = np.concatenate([fabric.owner[lids], hosts + homes])
    terminals = np.arange(network.num_terminals, dtype=np.int32)
    to_hosts = senders(fabric, "host-to-host")[:, None] & (terminals[:, None] != owner[: lids.size])
    to_ends = sends[network.inject]
    levels = [levels_of(fabric, terminals, lids), np.full(to_ends.shape, 1 << level, dtype=np.uint16)]
    return laned_table(
        network, next_channel, np.concatenate([fabric.host_port, np.zeros(routers, dtype=np.int32)]),
        np.concatenate(levels, axis=1),
        np.concatenate([to_hosts, to_ends & (terminals < hosts)[:, None]], axis=1),
        *lane, owner, labels, name,
    )  # fmt: skip
