"""Lower bounds of searches, each with its evidence: a claim for the separate checker."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from unknot._base.shown import Brief
from unknot.certificates import plain
from unknot.certificates.documents import Document, network_of, plain_table
from unknot.certificates.verdict_checker import holds
from unknot.network import Network
from unknot.routing.relation import Relation


@dataclass(frozen=True, eq=False, repr=False)
class Bound(Brief):
    """Lower bound on a load, on lanes, or on the cost of a repair.

    Attributes
    ----------
    claim : dict
        The bound as a claim of a document, with its proof.

    Examples
    --------
    >>> from unknot.lane_assignment import lanes
    >>> routes = lanes("ring(6)")
    >>> bound = routes.load_evidence
    >>> bound.kind, bound.least, bound.evidence_holds(routes.relation.network)
    ('load', Fraction(5, 1), True)
    """

    claim: Document

    @property
    def kind(self) -> str:
        """Subject of the claim: "load", "lanes", "lanes of routes", "changes", "removals" or "escapes"."""
        return str(self.claim["subject"])

    @property
    def least(self) -> Fraction:
        """Number that the claim calls the least possible; of lanes 1 more than are impossible."""
        least = self.claim["least"] if "least" in self.claim else self.claim["impossible"] + 1
        return Fraction(*least) if isinstance(least, list) else Fraction(least)

    def accept(self, about: Network | Relation) -> None:
        """Return quietly if the separate checker accepts the bound.

        Parameters
        ----------
        about : Network or Relation
            The network or the routing that the claim is about.

        Raises
        ------
        Rejected
            If the bound does not hold; `Unchecked`, if the proof is too large.
        """
        table = plain_table(about) if isinstance(about, Relation) else None
        network = plain.Network(network_of(about)) if isinstance(about, Network) else None
        plain.check(table.network if table else network, table, self.claim)

    def evidence_holds(self, about: Network | Relation) -> bool | None:
        """Whether `accept` accepts the bound; None: the proof is too large to be checked."""
        return holds(lambda: self.accept(about))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Bounded(Brief):
    """Repair of a routing, with a lower bound on its cost.

    Attributes
    ----------
    original : Relation
        The relation that was to be repaired.
    evidence : Bound or None
        Why less is not enough; None: nothing is shown.
    """

    original: Relation
    evidence: Bound | None

    @property
    def lower_bound(self) -> int:
        """Lower bound, shown by the evidence, on the cost of any repair of this kind."""
        return 0 if self.evidence is None else int(self.evidence.least)

    @property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts the lower bound; None: there is none, or too much to check."""
        return None if self.evidence is None else self.evidence.evidence_holds(self.original)
