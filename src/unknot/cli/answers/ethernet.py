"""Forms of audits of lossless Ethernet."""

from __future__ import annotations

from typing import Annotated

from unknot.cli.answers.filling import Answer, answer
from unknot.cli.answers.form import CIRCLE, form_of, key
from unknot.cli.answers.networks import NetworkForm
from unknot.cli.answers.verdicts import VerdictForm
from unknot.verify.audit_ethernet import EthernetAudit


@form_of(EthernetAudit, without=("fabric", "relation", "verdict", "standstill"))
class EthernetAuditAnswer(VerdictForm):
    """JSON answer of `unknot audit` for lossless Ethernet."""

    table = (
        "fabric", "deadlock_free", "established", "certificate_holds", "loop", "flows", "delivered",
        "forwarding_loops", "lost", "losses", "findings", "assumption", "network.routers", "destinations", "notes",
    )  # fmt: skip

    fabric: str
    holds: bool | None
    deadlock_free: bool | None
    established: str
    loop: Annotated[list[str], CIRCLE]
    cyclic_dependency: bool | None = key("Whether buffers depend on one another in a circle; null: undecided.")
    replay_seed: int | None = key("Seed of the replay in which the flows stand still for ever; null: there is none.")
    network: NetworkForm
    destinations: int = key("Groups of prefixes that all switches treat alike.")
    notes: list[str] = key("Noticed on reading.")


def ethernet_answer(audit: EthernetAudit) -> Answer:
    """Return an audit as plain values."""
    fabric, free, stuck = audit.fabric, audit.verdict.deadlock_free, audit.standstill
    return answer(
        EthernetAuditAnswer,
        audit,
        audit.verdict,
        of=audit.relation,
        fabric=fabric.name,
        cyclic_dependency=None if free is None else not free,
        replay_seed=None if stuck is None else stuck.seed,
        network=fabric.network,
        destinations=len(fabric.destinations),
        notes=fabric.notes,
    )
