"""Routers that are updated."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from unknot.certificates.plain.deadlock import fewest_packets
from unknot.certificates.plain.flow import Technique, choices, technique
from unknot.certificates.plain.free import check_free
from unknot.certificates.plain.packets import check_reachability, packets_of, require_blocked
from unknot.certificates.plain.reading import (
    EJECT,
    KEPT_STATE,
    LOOK,
    MOST_VCS,
    Rejected,
    field,
    found,
    integers,
    lists,
    numbers,
    pay,
)
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tables import Network, Table


class Mixed:
    """Two routings of one network: what each answers wherever packets can come while routers follow either.

    A router follows the old routing until it is updated, at one moment. A header waits for candidates of the routing
    that its router follows at present; packets that are in the network may have gone by the other one.
    """

    def __init__(self, network: Network, claim: Any) -> None:
        self.network, self.relation = network, field(claim, "relation", dict)
        self.commits = field(self.relation, "commits", bool)
        self.router = [network.target[c] for c in network.vcs(self.relation)] + network.inject
        self.answers: list[dict[int, tuple[list[int], list[int]]]] = []
        for listed in field(self.relation, "states", list):
            answers: dict[int, tuple[list[int], list[int]]] = {}
            for at, *entries in lists(listed, "states: a place, old and new entries", 3):
                integers([at], "state", 0, len(self.router))
                if at in answers:
                    raise Rejected(f"states: place {at} is there twice")
                old, new = (integers(row, "state", -MOST_VCS, MOST_VCS) for row in entries)
                answers[at] = old, new
            self.answers.append(answers)
        self.changed = {
            self.router[at] for answers in self.answers for at, (old, new) in answers.items() if old != new
        }
        self.either = self.table(set(), {*range(network.routers)}, set(), set())

    def table(self, updated: set[int], updating: set[int], passed: set[int], drained: set[int]) -> Table:
        """What packets may do when some routers have been updated.

        Parameters
        ----------
        updated, updating : set of int
            Routers that follow the new routing, and those that follow either, so that a header may wait for any
            single candidate. All others follow the old one.
        passed : set of int
            Updated routers that packets in the network may have passed before.
        drained : set of int
            Addresses to which nothing is sent before all routers are updated, nor on its way by the old routing.
        """
        states: list[list[list[int]]] = []
        for address, answers in enumerate(self.answers):
            states.append([])
            for at, (old, new) in answers.items():
                pay(KEPT_STATE + LOOK * (len(old) + len(new)))
                router, entries = self.router[at], old
                if address in drained:
                    entries = new
                elif router in updating:
                    entries = joined(old, new)
                elif router in updated:
                    gone = [min(v, -v - 2) for v in old if v != EJECT] if new else old
                    entries = joined(new, gone) if router in passed else new
                states[-1].append([at, *entries])
        return Table(self.network, {**self.relation, "commits": self.commits or bool(updating), "states": states})


def joined(entries: list[int], others: list[int]) -> list[int]:
    """Entries, and the other entries whose VCs are different."""
    known = {max(v, -v - 2) for v in entries}
    return entries + [v for v in others if max(v, -v - 2) not in known]


@checks("update", "network")
def check_update(network: Network, claim: Any, proof: Any) -> str:
    """Check that no packets block each other while routers are updated, in any order or in batches; or that some do.

    `moments` show it for any order if one of them leaves open which routing each router follows, or if there is one
    for each set of updated routers. They show it for batches if each begins where the one before has ended, and is of
    one router, or leaves open which routing its routers follow.

    Claim: `switching`; `relation`, both routings as one table without `name`: rows [`at`, old candidates, new
    candidates] for all states that packets can come to; `how`: `any order`, `batches` or `deadlock`; perhaps
    `drained`: addresses without packets during the update
    Proof: `moments`, each with the routers `updated`, those `updating` (either routing), those updated that
    packets may have `passed` before, and the `proof` that this moment is free; or the routers `updated`, and
    `messages` as for `deadlock`, without `length`, in the order in which they go to where they stand
    """
    mixed, switching, how = Mixed(network, claim), technique(claim), field(claim, "how", str)
    if how == "deadlock":
        check_update_deadlock(mixed, switching, proof)
        packets, fewest = len(proof["messages"]), ""
        if "smallest" in proof and field(proof, "smallest", bool):
            fewest = f", none of fewer than {packets} packets"
            if (fewest_packets(mixed.either, switching) or packets) < packets:
                raise Rejected(f"fewer than {packets} packets may wait for each other")
        return f"deadlock under {switching} while routers are updated{fewest}"
    drained = {*integers(claim.get("drained", []), "drained", 0, len(mixed.answers))}
    done, batches, began, open_to_all, sets = set[int](), 0, False, False, set[frozenset[int]]()
    for moment in field(proof, "moments", list):
        updated, updating, passed = (
            mixed.changed.intersection(numbers(moment, name, 0, network.routers))
            for name in ("updated", "updating", "passed")
        )
        check_free(mixed.table(updated, updating, passed, drained), switching, field(moment, "proof", dict))
        open_to_all |= updating == mixed.changed
        if passed == updated and not updating:
            sets.add(frozenset(updated))
        if how == "batches":
            if updated - passed != done or (updating and passed) or len(passed) > 1 or drained:
                raise Rejected("a batch begins where the one before has ended, and is of one router, or of any order")
            if passed and not began:
                raise Rejected("the first moment is before any router is updated, or leaves all of its batch open")
            batches += bool(updating or passed)
            began, done = True, done | updating | passed
    stopped = f", if no packet to {len(drained)} addresses is sent or on its way" if drained else ""
    if how == "any order" and (open_to_all or len(sets) == 2 ** len(mixed.changed)):
        return f"free of deadlock under {switching} in whatever order routers are updated{stopped}"
    if how == "batches" and done == mixed.changed:
        return (
            f"free of deadlock under {switching} while routers are updated in {batches} batches, if the packets of "
            "before have left the network when a batch begins"
        )
    raise Rejected(f"the moments do not show {how!r}")


def check_update_deadlock(mixed: Mixed, switching: Technique, proof: Any) -> None:
    """Check the order in which packets reach a state of mutual blocking, past updated routers."""
    table, updated = mixed.either, {*numbers(proof, "updated", 0, mixed.network.routers)}
    packets = packets_of(table, switching, proof)
    check_reachability("scheduled", packets)
    last_old: dict[int, int] = {}
    first_new: dict[int, int] = {}
    hops = [
        (packet.address, *hop) for packet in packets for hop in pairwise([table.vcs + packet.source, *packet.way])
    ]
    for moment, (address, at, v) in enumerate(hops):
        old, new = (found(v, entries) or found(-v - 2, entries) for entries in mixed.answers[address][at])
        if not new:
            last_old[mixed.router[at]] = moment
        elif not old:
            first_new.setdefault(mixed.router[at], moment)
    if any(router not in updated or moment < last_old.get(router, 0) for router, moment in first_new.items()):
        raise Rejected("a packet takes a way that its router has not got yet, or no longer has")
    targets: list[int] = []
    for i, packet in enumerate(packets, start=1):
        entries = mixed.answers[packet.address][packet.at][mixed.router[packet.at] in updated]
        pay(LOOK * len(entries))
        targets += packet.waited_for(i, choices(entries, mixed.commits, switching))
    require_blocked(switching, packets, targets)
