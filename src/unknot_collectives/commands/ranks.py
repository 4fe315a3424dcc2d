"""Members of an operation in the order of their ranks, from an option or a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.calls import Piece
from unknot._base.errors import NetworkError, TextError
from unknot.cli.commands.shared import numbers_of

if TYPE_CHECKING:
    from unknot.network import Network

ENDINGS = (".csv", ".txt")
"""Endings of files of ranks."""


def in_file(members: str | None) -> bool:
    """Whether the text of --members is the name of a file."""
    return members is not None and Path(members).suffix in ENDINGS


def terminals_of(members: str | None, network: Network) -> list[tuple[int, ...]]:
    """Return the terminals of each group, by rank; all in one group where nothing is said.

    A file has the number or name of a terminal in each line, that of rank 0 first; blank lines part groups, and what
    follows a # is left out.

    Raises
    ------
    TextError
        At the place of what is no terminal, or one for the second time.
    """
    if in_file(members):
        return _in_file(Path(str(members)), network)
    texts = ["all"] if members is None else members.split(";")
    lists = [tuple(map(network.terminal, numbers_of(text, "--members"))) for text in texts if text != "all"]
    return lists or [tuple(range(network.num_terminals))]


def _in_file(file: Path, network: Network) -> list[tuple[int, ...]]:
    from unknot._base.input import read_text

    groups, seen = [list[int]()], dict[int, int]()
    for number, line in enumerate(read_text(file).splitlines(), 1):
        text = line.split("#")[0]
        piece = Piece(text.strip(), file, len(text) - len(text.lstrip()) + 1, line, number)
        if not piece.text:
            groups += [[]] if groups[-1] and not line.strip() else []
            continue
        try:
            terminal = network.terminal(piece.text)
        except NetworkError as error:
            raise piece.error(f"{error}; a line has one terminal, by number or name") from None
        if terminal in seen:
            name = network.terminal_name(terminal)
            raise piece.error(f"terminal {name} has a rank already, in line {seen[terminal]}; leave one of them out")
        seen[terminal] = number
        groups[-1].append(terminal)
    if not seen:
        raise TextError("there is no terminal in it; a line names the terminal of each rank", file)
    return [tuple(group) for group in groups if group]
