"""`unknot faults --evidence`: verdicts after faults, as parts of one document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unknot.cli.commands.printing import notify
from unknot.cli.commands.written import write_evidence

if TYPE_CHECKING:
    from unknot.certificates.documents import Document
    from unknot.network import Network
    from unknot.verify.failures import FaultVerdict


class KeptEvidence:
    """The evidence of the verdicts after faults, until the tables in it are too large."""

    def __init__(self, path: Path, kind: str, network: Network) -> None:
        self.path, self.kind, self.network, self.states = path, kind, network, 0
        self.parts: list[Document] = []

    def __call__(self, after: FaultVerdict) -> None:
        """Keep a verdict."""
        from unknot.certificates.documents import MOST_STATES, part_of
        from unknot.verify.delivery import answer_claims
        from unknot.verify.failures import failed_of

        relation, numbers = after.relation, list(after.numbers)
        if self.states > MOST_STATES:
            return
        claims = answer_claims(relation, [after.verdict], after.delivery)
        if claims:
            routers, channels = failed_of(self.network, self.kind, numbers)
            failed = {"channels": channels, "routers": routers}
            self.parts.append(part_of(", ".join(after.parts), relation, claims, failed))
            self.states += sum(map(len, self.parts[-1]["relation"]["states"]))

    def write(self, tried: int, claims: Sequence[Document] = ()) -> None:
        """Write what was kept, as parts of a document about the network without faults, and claims about sets."""
        write_evidence(self.path, self.network, claims, self.parts)
        at_once = f", and {len(claims)} claims about sets of faults" if claims else ""
        notify(f"it holds the verdicts after {len(self.parts)} of {tried} sets of faults{at_once}")
