"""Topologies of a machine as TACCL reads them: GPUs, with latency and time for a chunk of each link between them.

A cycle is a thousandth of the file's unit of time and a flit one of its chunk, so that a link with beta b passes 1/b
flits per cycle: with microseconds and chunks of 1 MB those are ns and kB. The NICs to other machines are left out.

A. Shah et al.: TACCL: Guiding Collective Algorithm Synthesis using Communication Sketches. NSDI 2023.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

from unknot._base.errors import NetworkError
from unknot._base.input import read_json
from unknot.fabrics.format import Format
from unknot.fabrics.graph_files import errors_of
from unknot.network import Network
from unknot.network.bandwidth import rounded

NDV2 = ("01221000", "10210200", "22010010", "21100002", "10000122", "02001021", "00102201", "00022110")
"""Links of an NDv2: a row for each receiver, a column for each sender; 0 no link, else which of two betas."""
MOST_GPUS = 1000


def read_taccl(path: str | Path) -> Network:
    """Read a topology: with matrices of links, or with one beta (all pairs are linked), or two (an NDv2 of 8 GPUs).

    Raises
    ------
    TextError
        With line and column for what is not JSON; for a number or matrix that is missing or of another kind.
    """
    document = read_json(path)
    with errors_of(path, "JSON"):
        return _network(document, Path(path).name)


def _network(document: Any, name: str) -> Network:
    if not isinstance(document, dict):
        raise NetworkError("an object is needed")
    count, alpha = _number(document, "gpus_per_node"), _number(document, "alpha")
    if count.denominator != 1 or not 2 <= count <= MOST_GPUS:
        raise NetworkError(f'"gpus_per_node" is a whole number from 2 to {MOST_GPUS}; got {float(count):g}')
    betas = _betas(document, int(count))
    ends = [(a, b) for a in range(int(count)) for b in range(int(count)) if a != b and betas[b][a]]
    labels = tuple(f"gpu{i}" for i in range(int(count)))
    return Network(
        name, int(count), [a for a, _ in ends], [b for _, b in ends], latency=max(1, round(alpha * 1000)),
        bandwidth=[rounded(1 / betas[b][a]) for a, b in ends], router_labels=labels, terminal_labels=labels,
    )  # fmt: skip


def _betas(document: dict[str, Any], count: int) -> list[list[Fraction]]:
    """Time for a chunk from each sender (column) to each receiver (row); 0: no link."""
    if "links" in document:
        links, betas = (_matrix(document, key, count) for key in ("links", "betas"))
        return [
            [beta * bool(link) for beta, link in zip(*rows, strict=True)] for rows in zip(betas, links, strict=True)
        ]
    listed = document.get("node_betas_list")
    if not isinstance(listed, list) or len(listed) not in (1, 2):
        raise NetworkError('there must be matrices "links" and "betas", or one or two numbers "node_betas_list"')
    rates = [Fraction(0), *(_exact(beta, f"node_betas_list[{i}]") for i, beta in enumerate(listed))]
    if len(listed) == 1:
        return [[rates[a != b] for a in range(count)] for b in range(count)]
    if count != len(NDV2):
        raise NetworkError(f"two betas are those of an NDv2, which has 8 GPUs, not {count}; give links")
    return [[rates[int(kind)] for kind in row] for row in NDV2]


def _matrix(document: dict[str, Any], key: str, count: int) -> list[list[Fraction]]:
    rows = document.get(key)
    if not isinstance(rows, list) or {len(rows), *(len(r) if isinstance(r, list) else -1 for r in rows)} != {count}:
        raise NetworkError(f'"{key}" must have {count} rows of {count} numbers')
    return [[_exact(entry, f"{key}[{b}][{a}]", least=0) for a, entry in enumerate(row)] for b, row in enumerate(rows)]


def _number(document: dict[str, Any], key: str) -> Fraction:
    if key not in document:
        raise NetworkError(f'"{key}" is missing')
    return _exact(document[key], key, least=0)


def _exact(stated: Any, where: str, least: float = 1e-9) -> Fraction:
    if isinstance(stated, bool) or not isinstance(stated, (int, float)) or not least <= stated < 1e9:
        raise NetworkError(f"{where} must be a number{' above 0' if least else ''}; got {stated!r:.40}")
    return Fraction(str(stated))


FORMAT = Format(
    "taccl", "a topology of TACCL", (".taccl",), read_taccl, None, re.compile(r'"gpus_per_node"\s*:').search,
    frozenset({"latencies", "bandwidths", "terminal names", "router names"}),
)  # fmt: skip
