"""Files that several commands write: pictures, counterexamples, rows and evidence."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unknot.cli.commands.asking import current
from unknot.cli.commands.printing import notify, wrote

if TYPE_CHECKING:
    from unknot.certificates import Configuration
    from unknot.certificates.documents import Document
    from unknot.network import Network
    from unknot.report.picture import Drawing
    from unknot.report.scene import Scene
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


def draw(picture: Callable[[], Drawing] | None, scene: Callable[[], Scene] | None = None) -> None:
    """Leave picture and page of the answer to files and callers in Python, before the answer is printed."""
    if (kept := current()) is not None:
        kept.picture, kept.scene = picture, scene


def write_knot(
    relation: Relation, configuration: Configuration | None, own: Callable[[], Scene] | None = None
) -> None:
    """Draw a counterexample, with a page of its steps; without a counterexample draw the network."""

    def picture() -> Drawing:
        from unknot.report import draw_configuration, draw_network

        return draw_configuration(relation, configuration) if configuration else draw_network(relation.network)

    def scene() -> Scene:
        from unknot.report.scenes import knot_scene

        assert configuration is not None
        return knot_scene(relation, configuration)

    draw(picture, own or (scene if configuration is not None else None))


def write_evidence(
    path: Path,
    of: Relation | Network | None,
    claims: Sequence[Document],
    parts: Sequence[Document] = (),
    *,
    more: bool = False,
) -> None:
    """Write claims of a routing, of a network alone or of neither as a document, and say so, or that there are none.

    A file that ends with .v is for Coq, and holds the first claim alone; `more` says that the checker left off.
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
        wrote(path, f"; `unknot accept{' --effort 10' * more}` checks it{', or needs a greater effort' * more}")
        return
    try:
        write_text(path, coq_file(content, claims[0] if claims else {"proof": {}}))
    except Rejected as error:
        notify(f"{path} was not written: {error}")
        return
    wrote(path, f"; `coqc {path}` checks it")
