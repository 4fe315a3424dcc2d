"""A refutation as files for other checkers: clauses in DIMACS form, and the proof as DRAT and LRAT take it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from unknot._base.errors import RelationError
from unknot._base.output import write_text
from unknot.certificates import plain
from unknot.lanes.lane_refutation import Refutation, RouteRefutation
from unknot.lanes.path_set import Flags
from unknot.lanes.served_pairs import given_pairs, shortest_pairs
from unknot.lanes.tables import table_of
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network


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
    >>> from unknot.lanes import lanes, write_refutation
    >>> ring = Network("one-way ring", 5, range(5), [1, 2, 3, 4, 0])
    >>> with TemporaryDirectory() as folder:
    ...     files = write_refutation(ring, lanes(ring).evidence, f"{folder}/ring.cnf")
    ...     print(files.clauses.read_text().splitlines()[2], files.drat.read_text().splitlines()[-1])
    p cnf 27 45 0
    """
    served = shortest_pairs(network, sends) if given is None else given_pairs(given, table_of(given))
    if served.given != isinstance(evidence, RouteRefutation):
        raise RelationError(
            "a refutation is about given routes, and comes with their relation, or about shortest paths"
        )
    encoder = served.encoder(evidence.lanes, evidence.changes)
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
