"""A refutation as files for other checkers: clauses in DIMACS form, and the proof as DRAT and LRAT take it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from unknot._base.output import write_text
from unknot.certificates import network_of, plain
from unknot.lanes.lane_refutation import Refutation, plain_flows
from unknot.lanes.ways import Flags
from unknot.network import Network
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
    network: Network, evidence: Refutation, path: str | Path, *, sends: Flags | None = None
) -> RefutationFiles:
    """Write the clauses, and the proof in two forms, for checkers that are not ours.

    Clauses are built from the network, as our own checker does, so the files are about this network. Each step of the
    proof is a clause that follows by unit propagation, and the last is the empty clause.

    Raises
    ------
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
    p cnf 40 67 0
    """
    graph = plain.Network(network_of(network))
    pairs = plain.sending_pairs(graph, plain_flows(sends))
    encoder = plain.lane_clauses(graph, pairs, evidence.lanes, evidence.changes, evidence.proof)
    files = RefutationFiles(*(Path(path).with_suffix(ending) for ending in (".cnf", ".drat", ".lrat")))
    head = [
        f"c {evidence.lanes} lanes are not enough for shortest paths on {network.name}: no assignment fulfils all",
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
