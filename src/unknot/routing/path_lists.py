"""Plain lists of paths, a line each, with a VC for each hop: what any simulator or router can write.

    # source  destination  router where it begins, then each router that follows, with the VC of the channel there
    0 3  0 1@0 2@0 3@1

Sources and destinations are terminals, by name or number, as routers are. Without ``@VC`` a hop takes VC 0. Where
several channels lead to the next router, ``2#1@0`` is the second of them. Names with spaces stand in quotes. Several
lines for a pair are several paths, of which a packet takes one from the beginning. Two terminals without a line have
no path: their packets are not delivered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from unknot._base.errors import RelationError, TextError, UnknotError
from unknot._base.input import read_lines
from unknot.network import Network
from unknot.routing.parts import Addressing
from unknot.routing.relation import EJECT, Relation
from unknot.routing.table import Table, lookup
from unknot.routing.virtual_channels import VirtualChannels

ENDING = ".paths"
_TOKEN = re.compile(r'"[^"]*"\S*|\S+')
_HOP = re.compile(r'(?:"(?P<quoted>[^"]*)"|(?P<name>[^"]+?))(?:#(?P<channel>\d{1,6}))?(?:@(?P<vc>\d{1,6}))?')


@dataclass(frozen=True)
class ListedPath:
    """A path as its line says: terminals, and the VC of each channel."""

    source: int
    destination: int
    channels: tuple[int, ...]
    vcs: tuple[int, ...]


def read_paths(network: Network, path: str | Path) -> Relation:
    """Read the paths of a file as a relation in which every packet follows a path to its end.

    Paths to a terminal that agree on what comes next wherever they meet share an address, so that tables of routers
    come out as such; others have addresses of their own.

    Parameters
    ----------
    network : Network
        The network that the paths are for.
    path : str or Path
        The file.

    Returns
    -------
    Relation
        Of a pair of terminals without a line packets have no candidate where they are injected.

    Raises
    ------
    TextError
        With line, column and a caret, for a name that the network does not have, a hop without a channel, a VC twice
        on a path, or ends that do not fit.
    RelationError
        If there is no path at all.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from unknot.verify import check
    >>> from unknot.network.families import ring
    >>> lines = [f"{a} {(a + 2) % 4}  {a} {(a + 1) % 4} {(a + 2) % 4}" for a in range(4)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "clockwise.paths")
    ...     _ = file.write_text("\\n".join(lines))
    ...     relation = read_paths(ring(4), file)
    >>> check(relation).answer
    'no'
    """
    listed = [*_paths(network, path)]
    if not listed:
        raise RelationError(f"{path}: there are no paths in this file")
    most = np.ones(network.num_channels, dtype=np.int64)
    for one in listed:
        np.maximum.at(most, list(one.channels), np.array(one.vcs, dtype=np.int64) + 1)
    vcs = VirtualChannels(network, most)
    answers, destination, senders = _addresses(listed, vcs)
    paired = np.eye(network.num_terminals, dtype=bool)
    paired[[one.source for one in listed], [one.destination for one in listed]] = True
    for terminal in np.flatnonzero(~paired.all(axis=0)).tolist():
        answers.append({})
        destination.append(terminal)
        senders.append(np.flatnonzero(~paired[:, terminal]).tolist())
    may_use = np.zeros((network.num_terminals, len(answers)), dtype=bool)
    for address, terminals in enumerate(senders):
        may_use[terminals, address] = True
    return Relation(
        network,
        vcs,
        lookup(Table.of({at: [then] for at, then in row.items()} for row in answers)),
        name=Path(path).name,
        addresses=Addressing(
            destination=np.array(destination, dtype=np.int32),
            may_use=may_use,
            address_labels=_labels(network, destination, [bool(row) for row in answers]),
        ),
    )


def _addresses(
    listed: list[ListedPath], vcs: VirtualChannels
) -> tuple[list[dict[int, int]], list[int], list[list[int]]]:
    """Return what follows each input VC by address, the destination of each address, and who sends by it."""
    answers, destination, senders = list[dict[int, int]](), list[int](), list[list[int]]()
    known: dict[int, list[int]] = {}
    for one in listed:
        places = [int(vcs.first[c]) + v for c, v in zip(one.channels, one.vcs, strict=True)]
        steps = dict(zip([vcs.total + one.source, *places], [*places, EJECT], strict=True))
        for address in known.setdefault(one.destination, []):
            if all(answers[address].get(at, then) == then for at, then in steps.items()):
                break
        else:
            address = len(answers)
            known[one.destination].append(address)
            answers.append({})
            destination.append(one.destination)
            senders.append([])
        answers[address] |= steps
        senders[address].append(one.source)
    return answers, destination, senders


def _labels(network: Network, destination: list[int], listed: list[bool]) -> tuple[str, ...]:
    """Return the names of addresses: those of the terminals, with a number where a terminal has several."""
    times, labels = dict[int, int](), list[str]()
    for terminal, has_paths in zip(destination, listed, strict=True):
        times[terminal] = number = times.get(terminal, 0) + 1
        which = "" if number == 1 else f" (paths {number})"
        labels.append(network.terminal_name(terminal) + (which if has_paths else " (no path)"))
    return tuple(labels)


def _paths(network: Network, path: str | Path) -> Iterator[ListedPath]:
    """Read the lines of a file; what a token means is found once for all lines."""
    line_of = _LineReader(cache(partial(_terminal, network)), cache(partial(_hop, network)), network)
    for number, line in enumerate(read_lines(path, growth=60), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                yield line_of.path(line)
            except UnknotError as error:
                raise TextError(str(error), path, number, line_of.column + 1, line) from None


@dataclass
class _LineReader:
    """What reads lines, and the column where it is."""

    terminal: Callable[[str], int]
    hop: Callable[[int, str], tuple[int, int, int]]
    network: Network
    column: int = 0

    def path(self, line: str) -> ListedPath:
        """Return the path of a line."""
        network, tokens = self.network, [(match[0], match.start()) for match in _TOKEN.finditer(line)]
        if len(tokens) < 3:
            self.column = len(line.rstrip())
            raise RelationError("expected SOURCE DESTINATION ROUTER ROUTER@VC …")
        ends, steps, here = list[int](), dict[tuple[int, int], None](), -1
        for token, self.column in tokens[:2]:
            ends.append(self.terminal(token))
        source, destination = ends
        for token, self.column in tokens[2:]:
            begins = here < 0
            here, channel, vc = self.hop(here, token)
            if begins and here != network.inject[source]:
                home = network.router_name(int(network.inject[source]))
                raise RelationError(f"{network.terminal_name(source)} injects at router {home}, not here")
            if (channel, vc) in steps:
                raise RelationError(f"the path takes {network.channel_name(channel)} VC {vc} a second time")
            if not begins:
                steps[channel, vc] = None
        if here != network.eject[destination]:
            home = network.router_name(int(network.eject[destination]))
            raise RelationError(
                f"the path ends here, but {network.terminal_name(destination)} ejects at router {home}"
            )
        return ListedPath(source, destination, tuple(c for c, _ in steps), tuple(v for _, v in steps))


def _terminal(network: Network, token: str) -> int:
    return network.terminal(token.strip('"'))


def _hop(network: Network, here: int, token: str) -> tuple[int, int, int]:
    """Return the router named by a token, and the channel and VC that lead to it; −1 at the start of a path."""
    match = _HOP.fullmatch(token)
    if match is None:
        raise RelationError('expected a router such as 3, 3@1, 3#0@1 or "name"@1')
    then, vc = network.router(match["name"] if match["quoted"] is None else match["quoted"]), int(match["vc"] or 0)
    if here < 0:
        return then, -1, vc
    between, which = network.between(here, then), int(match["channel"] or 0)
    names = f"{network.router_name(here)} to {network.router_name(then)}"
    if not between:
        raise RelationError(f"there is no channel from {names}")
    if match["channel"] is None and len(between) > 1:
        raise RelationError(f"{len(between)} channels lead from {names}: name one, as #0")
    if which >= len(between):
        raise RelationError(f"from {names} the last channel is #{len(between) - 1}")
    return then, int(between[which]), vc
