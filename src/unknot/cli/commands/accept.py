"""`unknot accept`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from unknot.cli.commands.options import Json
from unknot.cli.commands.printing import show_json

Effort = Annotated[
    int, typer.Option(help="Factor by which checking may cost more than a file of its size pays for.", min=1)
]


def accept(
    files: list[Path],
    network: str | None = None,
    routing: str | None = None,
    vcs: int | None = None,
    effort: Effort = 1,
    json: Json = False,
) -> None:
    """Check evidence with a program that shares nothing with those that found it.

    The checker is one file of plain Python without dependencies, unknot/certificates/plain.py, which may be run by
    itself. With --network and --routing it is also shown that the evidence is about them.
    Exit code 0: all evidence holds; 1: some does not; 3: some takes too much to be checked.

    Parameters
    ----------
    files : argument FILE…
        Evidence that --evidence wrote.
    network : NETWORK
        The evidence must be about this network.
    routing : NAME
        Its table must be this routing on --network; or the rule of a proof for every size must answer as it does.
    """
    from unknot._base.errors import UnknotError
    from unknot.certificates import plain
    from unknot.cli.answers.filling import answer
    from unknot.cli.answers.verdicts import AcceptAnswer
    from unknot.cli.commands.shared import exit_code

    if routing is not None and network is None:
        raise UnknotError("accept: --routing is about a network; name it with --network")
    answers: list[dict[str, Any]] = []
    for path in files:
        try:
            document = plain.read(str(path))
            says, word = plain.accept(document, effort), "accepted: "
            accepted: bool | None = True
            if network is not None:
                says += _same(document, network, routing, vcs)
        except plain.Rejected as error:
            says, word = [str(error)], f"{error.word}: "
            accepted = None if isinstance(error, plain.Unchecked) else False
        except OSError as error:
            raise UnknotError(f"{path}: it cannot be read: {error.strerror}") from error
        answers.append({"file": str(path), "accepted": accepted, "says": says})
        if not json:
            print("\n".join(f"{path}: {word}{shown}" for shown in says))
    if json:
        show_json(answer(AcceptAnswer, files=answers))
    raise typer.Exit(exit_code(*(file["accepted"] for file in answers)))


def _same(document: Any, network: str, routing: str | None, vcs: int | None) -> list[str]:
    """Say that a document is about a network, and has the table of a routing; raise `Rejected` unless it is so.

    A rule for meshes of every size is compared with the routing on this network.
    """
    from unknot.certificates import plain
    from unknot.certificates.claims import rule_difference, table_difference
    from unknot.certificates.documents import network_of, table_of
    from unknot.cli.commands.shared import relation_of
    from unknot.fabrics.named import network as named

    relation = None if routing is None else relation_of(network, routing, vcs)
    graph = named(network, where="--network") if relation is None else relation.network
    if document.get("network") is None:
        rules = [claim for claim in document["claims"] if claim["subject"] == "rule"]
        if not rules or relation is None:
            raise plain.Rejected(f"this is about no network: only a rule is compared with a --routing on {network}")
        for claim in rules:
            if difference := rule_difference(claim, relation):
                raise plain.Rejected(f"its rule is not {routing} on {network}: {difference}")
        return [f"{routing} on {graph.name} is this rule: all its reachable states were compared"]
    about = plain.Network(plain.field(document, "network", dict))
    if about.digest != plain.Network(network_of(graph)).digest:
        raise plain.Rejected(f"this is about {about.name}, another network than {network}")
    if relation is None:
        return [f"the network is {graph.name}"]
    table = plain.Table(about, plain.field(document, "relation", dict))
    difference = table_difference(table, plain.Table(about, table_of(relation)))
    if difference:
        raise plain.Rejected(f"its table is not {routing} on {network}: {difference}")
    return [f"its table is {routing} on {graph.name}"]
