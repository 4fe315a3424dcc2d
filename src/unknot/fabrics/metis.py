"""Graphs of METIS: a line with the numbers of routers and links, then a line of neighbours for each router.

Routers are counted from 1; ``%`` begins a comment. The optional third number of the first line says which weights the
other lines have; weights are passed over. Format: G. Karypis, "METIS: a software package for partitioning
unstructured graphs", manual of version 5.1.0, University of Minnesota, 2013, section 4.1.
"""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import numpy as np

from unknot._base.errors import NetworkError, TextError
from unknot._base.input import read_text
from unknot._base.output import write_text
from unknot.fabrics.format import Format
from unknot.network import Network

_WORD = re.compile(r"\S+")
_NUMBER = re.compile(r"[0-9]{1,9}")
_HEAD = re.compile(r"\s*([0-9]{1,9})\s+([0-9]{1,9})(?:\s+([01]{1,3})(?:\s+([0-9]{1,3}))?)?\s*")
_GROWTH = 100
"""Bytes of memory for a byte of text at the peak of reading."""


def read_metis(path: str | Path) -> Network:
    """Read a METIS graph. Channels are in the order of the neighbours in the file.

    Raises
    ------
    TextError
        With file, line and column: a word that is no number, a neighbour that does not exist, is named twice or does
        not name the router in turn, and counts that differ from those of the first line.
    """
    text = read_text(path, growth=_GROWTH).removesuffix("\n")
    rows = [(i, line) for i, line in enumerate(text.split("\n"), start=1) if not line.startswith("%")]
    while rows and not rows[0][1].strip():
        rows.pop(0)
    head = _HEAD.fullmatch(rows[0][1]) if rows else None
    if head is None or int(head[1]) < 1:
        line, shown = rows[0] if rows else (0, "")
        raise TextError(
            "the first line must be: routers (at least one), links, and which weights there are", path, line, 1, shown
        )
    routers, links = int(head[1]), int(head[2])
    code = (head[3] or "").zfill(3)
    skipped = (code[0] == "1") + int(head[4] or 1) * (code[1] == "1")
    while len(rows) > routers + 1 and not rows[-1][1].strip():
        rows.pop()
    if len(rows) != routers + 1:
        words = f"the first line says {routers} routers, but {len(rows) - 1} lines follow; is the file cut off?"
        raise TextError(words, path, rows[0][0], 1, rows[0][1])
    neighbours: list[dict[int, int]] = []
    for router, (line, shown) in enumerate(rows[1:]):
        cells = [(match.group(), match.start() + 1) for match in _WORD.finditer(shown)][skipped:]
        column_of: dict[int, int] = {}
        for word, column in cells[:: 2 if code[2] == "1" else 1]:
            other = int(word) - 1 if _NUMBER.fullmatch(word) else -1
            if not 0 <= other < routers or other == router or other in column_of:
                what = f"a router from 1 to {routers}, not this one ({router + 1}) and none twice, is wanted here"
                raise TextError(what, path, line, column, shown)
            column_of[other] = column
        neighbours.append(column_of)
    for router, others in enumerate(neighbours):
        for other, column in others.items():
            if router not in neighbours[other]:
                line, shown = rows[router + 1]
                what = f"router {other + 1} is a neighbour of {router + 1}, but {router + 1} is none of {other + 1}"
                raise TextError(what, path, line, column, shown)
    target = list(chain.from_iterable(neighbours))
    if len(target) != 2 * links:
        words = f"the first line says {links} links, but there are {len(target) // 2}"
        raise TextError(words, path, rows[0][0], 1, rows[0][1])
    source = np.repeat(np.arange(routers), [len(others) for others in neighbours])
    return Network(Path(path).name, routers, source, np.array(target, dtype=np.int64))


def write_metis(network: Network, path: str | Path) -> None:
    """Write a METIS graph. `read_metis` reads the channels back in the order of their sources.

    Raises
    ------
    NetworkError
        For parallel channels, channels back to their own router, and a channel without an opposite.
    """
    pairs = list(zip(network.source.tolist(), network.target.tolist(), strict=True))
    known = set(pairs)
    if len(known) < len(pairs):
        raise NetworkError(f"network {network.name!r} has parallel channels, which a METIS graph has not")
    neighbours: list[list[str]] = [[] for _ in range(network.num_routers)]
    for u, v in pairs:
        if u == v or (v, u) not in known:
            what = "leads back to itself" if u == v else "has none that leads back"
            raise NetworkError(f"channel {network.router_name(u)}→{network.router_name(v)} {what}; METIS takes links")
        neighbours[u].append(str(v + 1))
    rows = [f"{network.num_routers} {len(pairs) // 2}", *(" ".join(row) for row in neighbours)]
    write_text(path, "\n".join(rows) + "\n")


def _sign(text: str) -> bool:
    """Whether a whole file is a METIS graph without weights whose counts fit."""
    rows = [line for line in text.removesuffix("\n").split("\n") if not line.startswith("%")]
    head = _HEAD.fullmatch(rows[0]) if rows else None
    if head is None or len(text) >= 1 << 16 or int(head[3] or 0) or len(rows) != int(head[1]) + 1:
        return False
    words = [row.split() for row in rows[1:]]
    if not all(_NUMBER.fullmatch(word) for row in words for word in row):
        return False
    pairs = {(u, int(word)) for u, row in enumerate(words, start=1) for word in row}
    return len(pairs) == 2 * int(head[2]) and all((v, u) in pairs for u, v in pairs)


FORMAT = Format("metis", "a METIS graph", (".graph", ".metis"), read_metis, write_metis, _sign)
