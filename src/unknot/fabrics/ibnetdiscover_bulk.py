"""Whole `ibnetdiscover` files at once: several times as fast as line by line, where nothing is odd.

Lines are found by regular expressions over the whole text and counted, so that none is passed over. Whatever is not
as it should be, from an unknown line to a LID that two ports have, is left to the reader by lines, which finds its
place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.fabrics.cabling import MOST_PORTS, NO_LIDS, labelled
from unknot.fabrics.fabric import LAST_UNICAST, Fabric
from unknot.network import Network

Ints = npt.NDArray[np.int64]
_BLANK = r"[^\S\n]"
_LETTER = {"Switch": "S", "Ca": "H", "Rt": "R"}
_PLACES = MOST_PORTS + 1
"""Ports of a node, by which a port of the fabric has one number."""


def read_in_bulk(text: str, path: str | Path, guid: str, node: str, port: str) -> Fabric | None:
    """Read a file in which nothing is odd; None if something is.

    Parameters
    ----------
    text : str
        The whole file.
    guid, node, port : str
        Patterns of lines.
    """
    text = f"\n{text.rstrip()}\n"
    if not text.isascii() or "\r" in text:
        return None
    opening = "".join(rf"\n{word}=0x[0-9a-f]+{_BLANK}*(?:#.*)?" for word in ("vendid", "devid", "sysimgguid"))
    heads = [(m.start(), *m.groups()) for m in re.finditer(opening + _inside(guid) + _inside(node), text)]
    rows = re.findall(_inside(port), text)
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    ends = np.flatnonzero(data[:-1] == ord("\n"))
    first = data[ends + 1]
    starts = ends[first == ord("[")]
    without = int(np.isin(first, (ord("\n"), ord("#"))).sum())
    if not heads or not rows or len(rows) != starts.size or 5 * len(heads) + len(rows) + without != ends.size:
        return None
    begin = np.array([head[0] for head in heads])
    if starts[0] < begin[0]:
        return None
    return _fabric(heads, rows, np.searchsorted(begin, starts) - 1, path)


def _inside(line: str) -> str:
    """A pattern for a line as one for a line within a text, with the line end before it."""
    return r"\n" + line.removeprefix("^").removesuffix("$").replace(r"\s", _BLANK) + r"(?=\n)"


def _fabric(
    heads: Sequence[Sequence[Any]], rows: Sequence[Sequence[str]], head: Ints, path: str | Path
) -> Fabric | None:
    """The fabric of the groups of node lines and of port lines, and the number of the node of each port line."""
    heads_of = sorted(range(len(heads)), key=lambda i: int(heads[i][2], 16))
    nodes = [heads[i] for i in heads_of]
    kind, guid_text, management, word, num_ports, key, name, lid_text, lmc_text = list(zip(*nodes, strict=True))[1:]
    guid = [int(g, 16) for g in guid_text]
    index = {k: i for i, k in enumerate(key)}
    for k, g, w, n, i in zip(kind, guid, word, key, lid_text, strict=True):
        if k != w.lower() or g != int(n[2:], 16) or n[0] != _LETTER[w] or (w == "Switch") != (i is not None):
            return None
    switch = np.array([w == "Switch" for w in word])
    ports, base = _numbers(num_ports), _lids(lid_text)
    lmc = _numbers(lmc_text)
    if len(set(guid)) < len(guid) or ports.max() > MOST_PORTS or not switch.any():
        return None

    port_text, own_guid, far_key, far_port_text, far_guid, own_lid, own_lmc, far_lid = zip(*rows, strict=True)
    rank = np.empty(len(heads), dtype=np.int64)
    rank[heads_of] = np.arange(len(heads))
    near, far = rank[head], np.array([index.get(k, -1) for k in far_key])
    port, far_port = _numbers(port_text), _numbers(far_port_text)
    out = switch[near]
    place, other = near * _PLACES + port, far * _PLACES + far_port
    order = np.argsort(place, kind="stable")
    at = np.minimum(np.searchsorted(place[order], other), place.size - 1)
    back = order[at]
    row_base, row_lid = _lids(own_lid), _lids(far_lid)
    host = ~switch[far]
    expected = np.where(host, row_base[back], base[far])
    if (
        any(np.any(wrong) for wrong in (
            far < 0, port < 1, port > ports[near], far_port > MOST_PORTS,
            np.diff(place[order]) == 0, place[back] != other, other[back] != place,
            np.bincount(near, minlength=len(nodes)) == 0,
            out != np.array([not text for text in own_lid]), out != np.array([not text for text in own_guid]),
            ~out & host, row_lid != expected, row_lid > LAST_UNICAST, row_base > LAST_UNICAST, base > LAST_UNICAST,
        ))
        or any(far_guid[i] and far_guid[i] != own_guid[back[i]] for i in np.flatnonzero(host).tolist())
    ):  # fmt: skip
        return None

    hosts = order[~out[order]]
    cables = order[(out & ~host)[order]]
    answer_base = np.concatenate([row_base[hosts], base[switch]])
    answer_size = 1 << np.concatenate([_numbers(own_lmc)[hosts], lmc[switch]])
    if np.any(answer_base % answer_size) or np.any(answer_base + answer_size > LAST_UNICAST + 1):
        return None
    has = np.flatnonzero(answer_base)
    owner = np.repeat(has, answer_size[has])
    first = np.repeat(np.cumsum(answer_size[has]) - answer_size[has], answer_size[has])
    lids = answer_base[owner] + np.arange(owner.size) - first
    by_lid = np.argsort(lids, kind="stable")
    if np.any(np.diff(lids[by_lid]) == 0):
        return None
    labels, notes = labelled([str(n).strip() for n in name], guid)
    router = np.cumsum(switch) - 1
    many = np.bincount(near[hosts], minlength=len(nodes)) > 1
    host_nodes, host_ports = near[hosts].tolist(), port[hosts].tolist()
    network = Network(
        name=Path(path).name,
        num_routers=int(switch.sum()),
        source=router[near[cables]],
        target=router[far[cables]],
        inject=router[far[hosts]],
        router_labels=tuple(labels[i] for i in np.flatnonzero(switch).tolist()),
        terminal_labels=tuple(
            labels[n] + (f"[{p}]" if many[n] else "") for n, p in zip(host_nodes, host_ports, strict=True)
        ),
        ports=np.stack([port[cables], far_port[cables]], axis=1).astype(np.int32),
    )
    own = [int(own_guid[i], 16) for i in hosts.tolist()]
    own += [int(management[i], 16) if management[i] else guid[i] for i in np.flatnonzero(switch).tolist()]
    return Fabric(
        name=network.name,
        network=network,
        switch_guid=np.array(guid, dtype=np.uint64)[switch],
        port_guid=np.array(own, dtype=np.uint64),
        node_guid=np.array(guid, dtype=np.uint64)[near[hosts]],
        switch_ports=ports[switch].astype(np.int32),
        host_port=far_port[hosts].astype(np.int32),
        lids=lids[by_lid].astype(np.int32),
        owner=owner[by_lid].astype(np.int32),
        fabric_file=str(path),
        notes=tuple(notes),
    )


def _numbers(texts: Sequence[str | None]) -> Ints:
    """Decimal numbers, 0 for what is missing."""
    return np.array([int(text) if text else 0 for text in texts], dtype=np.int64)


def _lids(texts: Sequence[str | None]) -> Ints:
    """LIDs, 0 for those that mean none."""
    lids = _numbers(texts)
    lids[np.isin(lids, NO_LIDS)] = 0
    return lids
