"""Evidence of updates, for `unknot.certificates`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unknot.certificates import plain
from unknot.certificates.documents import Document, document, message_of, verdict_claim
from unknot.routing.contract import EJECT, NO_WAIT, VC_MASK
from unknot.verify.mixture import Mixture
from unknot.verify.update_order import MomentProof

if TYPE_CHECKING:
    from unknot.verify.update import Update


def update_claims(update: Update) -> list[Document]:
    """The claims of an update: that any order is safe or a deadlock; and the order or the drained addresses."""
    claim = {"subject": "update", "switching": update.switching, "relation": _answers(update.mixture)}
    claims: list[Document] = []
    if update.proofs:
        claims.append({**claim, "how": "any order", "proof": _moments(update.proofs)})
    if update.configuration is not None:
        messages = [message_of(message) for message in update.configuration.messages]
        for message in messages:
            del message["length"]  # nothing rests on it
        proof = {"updated": list(update.updated), "messages": messages}
        claims.append({**claim, "how": "deadlock", "proof": proof})
    order = update.order
    if order is not None and order.proofs:
        how: Document = {"how": "batches"} if order.batches else {"how": "any order", "drained": list(order.drained)}
        claims.append({**claim, **how, "proof": _moments(order.proofs)})
    return claims


def update_holds(update: Update) -> bool | None:
    """Whether the separate checker accepts all claims of an update; None: there are none, or they are too large."""
    claims = update_claims(update)
    if not claims:
        return None
    try:
        plain.accept(document(update.mixture.old.network, None, claims))
    except plain.Unchecked:
        return None
    except plain.Rejected:
        return False
    return True


def _answers(both: Mixture) -> Document:
    """Both routings as plain data, with the entries of the old one and of the new one in each state."""
    old = both.old
    return {
        "vcs": old.vcs.counts.tolist(),
        "commits": bool(old.commits),
        "destination": old.destination.tolist(),
        "sources": [both.sources(address) for address in range(old.num_addresses)],
        "states": [
            [[at, *(_entries(answer, old.commits) for answer in answers)] for at, answers in sorted(rows.items())]
            for rows in both.answers
        ],
    }


def _entries(answer: tuple[int, ...], commits: bool) -> list[int]:
    """The entries of a rule as plain data; marks have no effect where headers commit."""
    plain_entries: dict[int, Any] = {}
    for entry in answer:
        vc = entry & VC_MASK
        marked = entry & NO_WAIT and not commits
        plain_entries.setdefault(plain.EJECT if vc == EJECT else -vc - 2 if marked else vc)
    return [*plain_entries]


def _moments(proofs: tuple[MomentProof, ...]) -> Document:
    names = "updated", "updating", "passed"
    return {
        "moments": [
            {name: sorted(getattr(proof.moment, name)) for name in names}
            | {"proof": verdict_claim(proof.verdict)["proof"]}
            for proof in proofs
        ]
    }
