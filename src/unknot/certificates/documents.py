"""Evidence as documents: a claim, the network and the relation that it is about, and its proof, as plain JSON.

`unknot.certificates.plain` is the checker that reads them; docs/evidence.md describes the form.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from unknot._base.output import write_text
from unknot.certificates import plain
from unknot.network import Network
from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK, Relation
from unknot.routing.tabulate import tabulate

Document = dict[str, Any]
"""Plain data, as `json` reads it."""
MOST_STATES = 5_000_000
"""Reachable states up to which a relation is written as a table; about 20 bytes each."""


def document(
    network: Network | None, relation: Relation | None, claims: Iterable[Document], parts: Iterable[Document] = ()
) -> Document:
    """A document of claims about a network, if there is one, and about a relation; parts are about other relations.

    The rule of the relation becomes a table over all reachable states.

    Parameters
    ----------
    network : Network or None
        The network.
    relation : Relation or None
        The routing; or a network, with its `routing`.
    claims : Iterable[Document]
        Claims, each with its evidence.
    parts : Iterable[Document]
        Documents of parts.

    Returns
    -------
    Document
        The claim, as JSON has it.

    Raises
    ------
    UnknotError
        If the relation has more than `MOST_STATES` reachable states.

    Examples
    --------
    >>> import unknot
    >>> from unknot import certificates
    >>> from unknot.routing import dimension_order
    >>> relation = dimension_order(unknot.network.families.torus(4, 4), vcs=2)
    >>> claim = certificates.verdict_claim(unknot.verify.check(relation))
    >>> evidence = certificates.document(relation.network, relation, [claim])
    >>> print(*certificates.accept(evidence))
    network 80455e17ac66230f, relation ac9b6cab4ce0e310, 256 pairs of source and address: free of deadlock under vct
    """
    head: Document = {"format": plain.FORMAT, "version": plain.VERSION}
    about = None if network is None else network_of(network)
    table = None if relation is None else table_of(relation)
    content = {**head, "network": about, "relation": table, "claims": [*claims]}
    return {**content, "parts": [*parts]} if parts else content


def question(
    of: Relation | Network | None,
    claims: Iterable[Document],
    parts: Iterable[Document] = (),
    *,
    optional: bool = False,
) -> Document:
    """What a document has to claim of a relation, of a network alone, or of neither.

    Parameters
    ----------
    of : Relation, Network or None
        What the claims are about.
    claims : Iterable[Document]
        What is asked for, without proofs. Answers that are left out are open, such as `deadlock_free`.
    parts : Iterable[Document]
        Questions about parts.
    optional : bool
        Whether one of the claims is enough.

    Returns
    -------
    Document
        The question, as `accept` takes it.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.routing import dimension_order
    >>> relation = dimension_order(ring(4), vcs=2)
    >>> question(relation, [{"subject": "deadlock", "switching": "vct", "deadlock_free": True}])["format"]
    'unknot question'
    """
    network, relation = (of.network, of) if isinstance(of, Relation) else (of, None)
    asked = [{key: entry for key, entry in claim.items() if key != "proof"} for claim in claims]
    return {**document(network, relation, asked, parts), "format": plain.QUESTION, "optional": optional}


def part_of(
    name: str,
    relation: Relation,
    claims: Iterable[Document],
    without: dict[str, list[int]] | None = None,
    *,
    of_its_own: bool = False,
) -> Document:
    """A part of a document: claims about a relation on its network, on the network after failures, or on another
    network.

    Parameters
    ----------
    without : dict, optional
        The "channels" and the "routers" that failed.
    of_its_own : bool
        Whether the network of the relation is another than that of the document.
    """
    content = {"name": name, "relation": table_of(relation), "claims": [*claims]}
    if of_its_own:
        content["network"] = network_of(relation.network)
    return content if without is None else {**content, "without": without}


def network_of(network: Network) -> Document:
    """A network as plain data."""
    return {
        "name": network.name,
        "routers": network.num_routers,
        "source": network.source.tolist(),
        "target": network.target.tolist(),
        "inject": network.inject.tolist(),
        "eject": network.eject.tolist(),
    }


def table_of(relation: Relation) -> Document:
    """A relation as plain data: the candidates of every reachable state, without their tiers.

    O(reachable states) questions to the plain rule.
    """
    table = tabulate(relation, limit=MOST_STATES, purpose="evidence with the candidates of each state")
    vc = table.value & VC_MASK
    marked = np.where(relation.commits, 0, table.value & NO_WAIT)
    entry = np.where(vc == EJECT, -1, np.where(marked, -vc - 2, vc)).tolist()
    start, at, first = table.start.tolist(), table.input_vc.tolist(), table.first.tolist()
    sources = None
    if relation.may_use is not None:
        sources = [relation.sources(address).tolist() for address in range(relation.num_addresses)]
    return {
        "name": relation.name,
        "vcs": relation.vcs.counts.tolist(),
        "commits": bool(relation.commits),
        "destination": relation.destination.tolist(),
        "sources": sources,
        "states": [
            [[at[row], *dict.fromkeys(entry[start[row] : start[row + 1]])] for row in range(low, high)]
            for low, high in pairwise(first)
        ],
    }


def plain_table(relation: Relation) -> plain.Table:
    """A relation as the checker reads it."""
    return plain.Table(plain.Network(network_of(relation.network)), table_of(relation))


def write_document(evidence: Document, path: str | Path) -> None:
    """Write a document as JSON.

    Parameters
    ----------
    evidence : Document
        The evidence.
    path : str or Path
        The file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from unknot.verify import check
    >>> from unknot.certificates import accept
    >>> from unknot.certificates.verdict_claims import verdict_claim
    >>> from unknot.network.families import ring
    >>> from unknot.routing import dimension_order
    >>> relation = dimension_order(ring(4))
    >>> evidence = document(relation.network, relation, [verdict_claim(check(relation))])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "evidence.json"
    ...     write_document(evidence, path)
    ...     len(accept(json.loads(path.read_text(encoding="utf-8"))))
    ...
    1
    """
    write_text(path, json.dumps(evidence, separators=(",", ":"), ensure_ascii=False) + "\n")
