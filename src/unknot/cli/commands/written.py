"""Files that several commands write: pictures, counterexamples, rows and evidence."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unknot.cli.commands.asking import asked
from unknot.cli.commands.options import PAGE
from unknot.cli.commands.printing import notify, wrote

if TYPE_CHECKING:
    from unknot._base.frames import Row
    from unknot._base.units import Units
    from unknot.certificates import Configuration
    from unknot.certificates.documents import Document
    from unknot.network import Network
    from unknot.report.picture import Drawing
    from unknot.routing.relation import Relation
from unknot.cli.commands.shared import is_path

COQ = ".v"
"""Ending of files for Coq."""


def write_counterexample(
    relation: Relation, configuration: Configuration | None, file: Path, network: str, routing: str, vcs: int | None
) -> None:
    """Write a deadlock configuration, if there is one, for `unknot replay`."""
    from unknot.cli.answers.configuration_file import write_configuration

    if configuration is None:
        notify(f"no deadlock, so no counterexample, and {file} was not written")
        return
    texts = {"network": _text_for(file, network), "routing": _text_for(file, routing)}
    write_configuration(relation, configuration, file, vcs=vcs, **texts)
    wrote(file)


def _text_for(file: Path, network: str) -> str:
    """The text of a network or routing as a file may keep it: a path starts where the file is."""
    return os.path.relpath(network.strip(), file.parent) if is_path(network) else network


def write(path: Path, drawing: Drawing) -> None:
    from unknot.report.picture import write_picture

    write_picture(drawing, path)
    wrote(path)


def draw(path: Path | None, picture: Callable[[], Drawing]) -> None:
    """Write a picture into a named file, and leave drawing to a caller in Python."""
    if (kept := asked()) is not None:
        kept.picture = picture
    if path is not None:
        write(path, picture())


def write_knot(path: Path | None, relation: Relation, configuration: Configuration | None) -> None:
    """Write a counterexample as a drawing or as a page of its steps; without a counterexample draw the network."""

    def picture() -> Drawing:
        from unknot.report import draw_configuration, draw_network

        return draw_configuration(relation, configuration) if configuration else draw_network(relation.network)

    if path is None or path.suffix.lower() != PAGE:
        draw(path, picture)
    elif configuration is None:
        notify(f"{path} was not written: there is no counterexample to step through")
    else:
        from unknot.report import write_knot_page

        write_knot_page(relation, configuration, path)
        wrote(path)


def write_rows(
    rows: Sequence[Row], csv: Path | None, parquet: Path | None = None, *, units: Units | None = None
) -> None:
    """Write rows of results into the files that were asked for, with units in ns and GB/s too."""
    from unknot._base.frames import columns_of, write_csv, write_parquet

    if units is not None:
        rows = [units.of_row(row) for row in rows]
    for path, written in ((csv, write_csv), (parquet, write_parquet)):
        if path is not None:
            written(columns_of(rows), path)
            wrote(path)


def write_evidence(
    path: Path, of: Relation | Network | None, claims: Sequence[Document], parts: Sequence[Document] = ()
) -> None:
    """Write claims of a routing, of a network alone or of neither as a document, and say so, or that there are none.

    A file that ends with .v is for Coq, and holds the first claim alone.
    """
    from unknot._base.output import write_text
    from unknot.certificates import Rejected, coq_file, document, write_document
    from unknot.routing.relation import Relation

    network, relation = (of.network, of) if isinstance(of, Relation) else (of, None)
    coq = path.suffix == COQ
    if not (claims or parts or coq):
        notify(f"{path} was not written: nothing was settled, so there is no evidence")
        return
    content = document(network, relation, claims[:1] if coq else claims, () if coq else parts)
    if not coq:
        write_document(content, path)
        wrote(path, "; `unknot accept` checks it")
        return
    try:
        write_text(path, coq_file(content, claims[0] if claims else {"proof": {}}))
    except Rejected as error:
        notify(f"{path} was not written: {error}")
        return
    wrote(path, f"; `coqc {path}` checks it")
