"""A refutation as files for other checkers: clauses in DIMACS form, and the proof as DRAT takes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from unknot.network import Network
from unknot.output import write_text
from unknot.routing.taking import takes_network
from unknot.synthesis.evidence import Refutation, clauses_of
from unknot.synthesis.ways import Flags


@takes_network
def write_refutation(
    network: Network, evidence: Refutation, path: str | Path, *, sends: Flags | None = None
) -> tuple[Path, Path]:
    """Write the clauses as FILE.cnf and the proof as FILE.drat, for drat-trim and the like; return both paths.

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
    >>> from unknot.synthesis import lanes, write_refutation
    >>> ring = Network("one-way ring", 5, range(5), [1, 2, 3, 4, 0])
    >>> with TemporaryDirectory() as folder:
    ...     clauses, proof = write_refutation(ring, lanes(ring).evidence, f"{folder}/ring.cnf")
    ...     print(clauses.read_text().splitlines()[2], proof.read_text().splitlines()[-1])
    p cnf 40 67 0
    """
    given, variables = clauses_of(network, evidence, sends)
    out = Path(path).with_suffix(".cnf")
    head = [
        f"c {evidence.lanes} lanes are not enough for shortest paths on {network.name}: no assignment fulfils all",
        f"c changes of lanes: {evidence.changes}; {len(evidence.cycles)} cycles of channels are forbidden",
        f"p cnf {variables} {len(given)}",
    ]
    write_text(out, "\n".join([*head, *_lines(given)]) + "\n")
    parts = np.split(evidence.learnt, np.flatnonzero(evidence.learnt == 0))
    steps = [part[part != 0].tolist() for part in parts]
    proof = out.with_suffix(".drat")
    write_text(proof, "\n".join(_lines([*filter(None, steps), []])) + "\n")
    return out, proof


def _lines(clauses: Iterable[Sequence[int]]) -> Iterable[str]:
    for clause in clauses:
        yield " ".join(map(str, [*clause, 0]))
