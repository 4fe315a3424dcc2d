"""Files that several commands write: pictures, counterexamples, rows and evidence."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unknot.cli.commands.answer_files import PAGE
from unknot.cli.commands.asking import current, taken
from unknot.cli.commands.printing import notify, wrote

if TYPE_CHECKING:
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


def draw(picture: Callable[[], Drawing]) -> None:
    """Leave the picture of the answer to files and callers in Python; an answer is drawn before it is printed."""
    if (kept := current()) is not None:
        kept.picture = picture


def write_knot(relation: Relation, configuration: Configuration | None) -> None:
    """Draw a counterexample, and write the pages of its steps; without a counterexample draw the network."""

    def picture() -> Drawing:
        from unknot.report import draw_configuration, draw_network

        return draw_configuration(relation, configuration) if configuration else draw_network(relation.network)

    draw(picture)
    for page in taken(PAGE):
        if configuration is None:
            notify(f"{page} was not written: there is no counterexample to step through")
            continue
        from unknot.report import write_knot_page

        write_knot_page(relation, configuration, page)
        wrote(page)


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
