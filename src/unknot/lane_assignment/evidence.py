"""Evidence that fewer lanes are impossible: its check by `unknot.certificates`, and files for other checkers.

For these it is clauses in DIMACS form, and the proof as DRAT and LRAT take it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unknot._base.errors import RelationError
from unknot._base.output import write_text
from unknot.certificates import plain
from unknot.certificates.documents import table_of as entries_of
from unknot.lane_assignment.forced import ForcedCycle, RouteCycle
from unknot.lane_assignment.lane_refutation import Refutation, RouteRefutation
from unknot.lane_assignment.path_set import Flags
from unknot.lane_assignment.second_opinion import encoder_of
from unknot.lane_assignment.served_pairs import given_pairs, plain_flows, shortest_pairs, surviving_pairs
from unknot.lane_assignment.tables import table_of
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network, takes_relation
from unknot.search.bound import Bound

Evidence = ForcedCycle | Refutation | RouteCycle


@takes_network
def accept(network: Network, evidence: ForcedCycle | Refutation, sends: Flags | None = None) -> int:
    """The number of lanes that the evidence shows to be impossible; raise `Rejected` if it does not hold.

    Parameters
    ----------
    evidence : ForcedCycle or Refutation
        The evidence.
    sends : bool array, shape (terminals, terminals), optional
        Who sends to whom; by default every terminal sends to every other.

    Returns
    -------
    int
        The bound that holds.

    Examples
    --------
    >>> from unknot import Network
    >>> from unknot.lane_assignment import lanes
    >>> ring = Network("one-way ring", 5, range(5), [1, 2, 3, 4, 0])
    >>> accept(ring, lanes(ring).evidence)
    2
    """
    Bound(bound_claim(evidence, sends, None)).accept(network)
    return evidence.lanes


@takes_relation
def accept_routes(relation: Relation, evidence: RouteCycle | RouteRefutation) -> int:
    """The number of lanes that evidence shows to be impossible for the routes; raise `Rejected` if it does not.

    Parameters
    ----------
    evidence : RouteCycle or RouteRefutation
        The evidence.

    Returns
    -------
    int
        The bound that holds.

    Examples
    --------
    >>> from unknot.lane_assignment import lanes
    >>> from unknot.network.families import torus
    >>> from unknot.routing import dimension_order
    >>> relation = dimension_order(torus(4, 4))
    >>> routes = lanes(relation.network, "given", routing=relation)
    >>> routes.count, accept_routes(relation, routes.evidence)
    (2, 1)
    """
    Bound(bound_claim(evidence, None, relation)).accept(relation.network)
    return evidence.lanes


def shows(
    network: Network,
    evidence: Evidence | None,
    lower_bound: int,
    *,
    sends: Flags | None = None,
    relation: Relation | None = None,
    changes: str = "none",
) -> bool | None:
    """Whether evidence shows that fewer lanes than a bound are impossible; None: there is none, or too much to check.

    Parameters
    ----------
    relation : Relation, optional
        The relation whose routes `RouteCycle` or `RouteRefutation` is about.
    changes : {"none", "shared", "rising", "any", "ports"}
        How packets may change lanes. Lanes that change less are refuted with those that change more, and those that
        both directions of a pair share ("shared") with all others.
    """
    if evidence is None:
        return None
    if relation is None and isinstance(evidence, (RouteCycle, RouteRefutation)):
        return False
    about, impossible = evidence.changes, evidence.lanes
    implied = changes == "shared" or about in (changes, "any") or (changes == "none" and about != "shared")
    if impossible != lower_bound - 1 or not (impossible == 1 or implied):
        return False
    return Bound(bound_claim(evidence, sends, relation)).evidence_holds(network)


def bound_claim(evidence: Evidence, sends: Flags | None, relation: Relation | None) -> dict[str, Any]:
    """The evidence of a lower bound as a claim of a document."""
    about: dict[str, Any] = {"impossible": evidence.lanes, "changes": evidence.changes}
    if isinstance(evidence, (RouteCycle, RouteRefutation)):
        assert relation is not None
        return {"subject": "lanes of routes", **about, "proof": evidence.proof, "relation": entries_of(relation)}
    about |= {"failures": list(map(list, evidence.failures))} if evidence.failures else {}
    return {"subject": "lanes", **about, "sends": plain_flows(sends), "proof": evidence.proof}


@dataclass(frozen=True)
class RefutationFiles:
    """Files of a refutation.

    Attributes
    ----------
    clauses : Path
        The clauses, FILE.cnf in DIMACS form.
    drat : Path
        The proof for drat-trim and the like, FILE.drat.
    lrat : Path
        The proof with hints for lrat-check, cake_lpr and the like, FILE.lrat.
    """

    clauses: Path
    drat: Path
    lrat: Path


@takes_network
def write_refutation(
    network: Network,
    evidence: Refutation,
    path: str | Path,
    *,
    sends: Flags | None = None,
    given: Relation | None = None,
) -> RefutationFiles:
    """Write the clauses, and the proof in two forms, for checkers that are not ours.

    Clauses are built from the network, as our own checker does, so the files are about this network. Each step of the
    proof is a clause that follows by unit propagation, and the last is the empty clause.

    Parameters
    ----------
    evidence : Refutation
        The evidence.
    path : str or Path
        The file.
    sends : bool array, shape (terminals, terminals), optional
        Who sends to whom; by default every terminal sends to every other.
    given : Relation, optional
        The relation whose routes the refutation is about.

    Returns
    -------
    RefutationFiles
        The files that were written.

    Raises
    ------
    RelationError
        If the evidence is about given routes, and comes without them.
    Rejected
        If the evidence makes no sense for this network. The proof itself is not checked.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from unknot import Network
    >>> from unknot.lane_assignment import lanes, write_refutation
    >>> ring = Network("one-way ring", 5, range(5), [1, 2, 3, 4, 0])
    >>> with TemporaryDirectory() as folder:
    ...     files = write_refutation(ring, lanes(ring).evidence, f"{folder}/ring.cnf")
    ...     print(files.clauses.read_text().splitlines()[2], files.drat.read_text().splitlines()[-1])
    p cnf 47 93 0
    """
    if given is not None:
        served = given_pairs(given, table_of(given))
    elif evidence.failures:
        served = surviving_pairs(network, sends, evidence.failures)
    else:
        served = shortest_pairs(network, sends)
    if (served.given is not None) != isinstance(evidence, RouteRefutation):
        raise RelationError(
            "a refutation is about given routes, and comes with their relation, or about shortest paths"
        )
    encoder = encoder_of(served, evidence.lanes, evidence.changes)
    plain.lane_clauses(encoder, {*served.pairs, *(evidence.pairs if served.given else ())}, evidence.proof)
    what = "shortest paths" if given is None else f"the routes of {given.name}"
    files = RefutationFiles(*(Path(path).with_suffix(ending) for ending in (".cnf", ".drat", ".lrat")))
    head = [
        f"c {evidence.lanes} lanes are not enough for {what} on {network.name}: no assignment fulfils all",
        f"c changes of lanes: {evidence.changes}; {len(evidence.pairs)} pairs, {len(evidence.cycles)} cycles",
        f"p cnf {len(encoder.number)} {len(encoder.clauses)}",
    ]
    write_text(files.clauses, "\n".join([*head, *_lines(encoder.clauses)]) + "\n")
    write_text(files.drat, "\n".join(_lines(literals for literals, _ in evidence.steps)) + "\n")
    numbered = enumerate(evidence.steps, start=len(encoder.clauses) + 1)
    write_text(files.lrat, "\n".join(_lines((n, *literals, 0, *hints) for n, (literals, hints) in numbered)) + "\n")
    return files


def _lines(clauses: Iterable[Sequence[int]]) -> Iterable[str]:
    for clause in clauses:
        yield " ".join(map(str, [*clause, 0]))
