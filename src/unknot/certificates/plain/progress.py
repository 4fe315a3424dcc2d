"""Arbiters under which every packet arrives."""

from __future__ import annotations

from typing import Any

from unknot.certificates.plain.amounts import paid
from unknot.certificates.plain.flow import technique
from unknot.certificates.plain.free import check_free
from unknot.certificates.plain.packets import way_of
from unknot.certificates.plain.reading import EJECT, KEPT_STATE, Rejected, field, pay
from unknot.certificates.plain.registry import checks
from unknot.certificates.plain.tables import Table, backwards, ends_first


@checks("progress", "relation", "arrives", "bound")
def check_progress(table: Table, claim: Any, proof: Any) -> str:
    """Check whether every packet arrives under an arbiter, within a bound if the claim has one, or one may starve.

    A fair arbiter grants in the end every header that keeps requesting a VC which becomes free again and again. Where
    routes end, a packet that never arrives stands still in the end, behind a header whose candidates are all held by
    packets that stand still too. That is a deadlock.

    Claim: `arbiter`, `arrives`; `bound` and `packets` for which a VC has room; of `fair` `switching`
    Proof: with a bound nothing; of `fair` as for `deadlock`; else `granted`, a VC or -1 - terminal, and
    `stream` and `other`, each `source`, `address` and `way`, the VCs to where it waits
    """
    arbiter = field(claim, "arbiter", str)
    if arbiter == "fair" and field(claim, "arrives", bool):
        check_free(table, technique(claim), proof)
        for address, candidates in enumerate(table.may):
            if ends_first(candidates) is None:
                raise Rejected(f"address {address}: packets may go round for ever")
            own = table.vcs + table.destination[address]
            for at in (at for at, row in candidates.items() if not row and at != own):
                raise Rejected(f"address {address} comes to its end at {table.name(at)}")
        return "every packet arrives under arbiters that are fair in the end"
    if field(claim, "arrives", bool):
        bound = hop_times(table, arbiter, field(claim, "packets", int))
        if field(claim, "bound", int) < bound:
            raise Rejected(f"a packet may take {bound} hop times, not at most {claim['bound']}")
        return f"every packet arrives within {claim['bound']} hop times under {arbiter}"
    if arbiter != "fixed":
        raise Rejected(f"{arbiter}: only an arbiter that is fixed is shown to starve a packet")
    to = field(proof, "granted", int)
    stream, other = (sent_to(table, field(proof, name, dict), to) for name in ("stream", "other"))
    if stream[-1] in other or other[-1] in stream:
        raise Rejected("one of the packets comes by the place where the other one waits")
    return "one packet never moves on where another stream of packets comes first under a fixed order of inputs"


def sent_to(table: Table, packet: Any, to: int) -> list[int]:
    """The places of a packet; in the last it waits for VC `to` alone, or -1 - t, to leave at terminal t."""
    address, places = way_of(table, packet, "way")
    choices = table.choices(places[-1], address)
    if [max(to, EJECT)] not in choices or (to < 0 and table.destination[address] != -1 - to):
        raise Rejected(f"a packet at {table.name(places[-1])} does not wait for what is granted, or not alone")
    return places


def hop_times(table: Table, arbiter: str, packets: int) -> int:
    """Most hop times until a packet arrives, where headers wait for one VC each and VCs in no cycle."""
    if arbiter not in ("round_robin", "oldest_first") or packets < 1:
        raise Rejected(f"no bound is computed for {arbiter} with {packets} packets in a VC")
    onward: dict[int, set[int]] = {}
    for address, rows in enumerate(table.may):
        for at, row in rows.items():
            if len({*table.waits[address][at]}) > 1 and not table.commits:
                raise Rejected(f"address {address} waits at {table.name(at)} for one of several VCs")
            for v in row:
                onward.setdefault(at, set()).add(-1 - table.destination[address] if v == EJECT else v)
    requests = backwards(onward)
    order = ends_first({at: {to for to in row if to >= 0} for at, row in onward.items()})
    if order is None:
        raise Rejected("VCs depend on each other in a cycle")
    before: dict[int, set[int]] = {to: set() for to in requests}  # VCs from which one may be reached
    for at in reversed(order):
        for to in onward.get(at, ()):
            pay(KEPT_STATE + 2 * len(before.get(at, ())))
            before[to] |= before.get(at, set()) | ({at} if at < table.vcs else set())
    ahead = {to: len(requests[to]) if arbiter == "round_robin" else 1 + packets * len(before[to]) for to in requests}
    wait: dict[int, int] = {}
    whole: dict[int, int] = {}
    for at in order:
        outs = onward.get(at, set())
        wait[at] = max((paid(ahead[to] * (1 if to < 0 else 2 + wait[to])) for to in outs), default=0)
        stay = (1 if at >= table.vcs else packets) * (1 + wait[at])
        whole[at] = paid(stay + max((whole[to] for to in outs if to >= 0), default=0))
    ports = [at for at in onward if at >= table.vcs]
    begin = [to for at in ports for to in onward[at] if to >= 0] if arbiter == "oldest_first" else ports
    return max((whole[at] for at in begin), default=0)
