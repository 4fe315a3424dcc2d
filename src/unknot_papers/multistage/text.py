"""Messages through a multistage network, as lines of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import stages
from unknot.report.phrases import count
from unknot_papers.multistage.faults import Marks
from unknot_papers.multistage.paths import routers_of
from unknot_papers.multistage.realisation import Realisation, channels_in
from unknot_papers.rcbn.topology import size_of_rcbn, tags_of_rows


def describe_realisation(realisation: Realisation, whole: Network, marks: Marks) -> list[str]:
    """Describe a realisation: the verdict, then for each message its tag and the switches it passes."""
    network = realisation.network
    word = {True: "yes", False: "NO: blocked", None: "undecided"}[realisation.realised]
    rows = [("network", whole.name)]
    if marks.switches or marks.links:
        rows.append(("dead", ", ".join(marks.names(whole))))
    rows += [("realised", word), ("method", realisation.method), ("established", realisation.established)]
    if realisation.realised is False:
        rest = realisation.sources.size - realisation.routed.size
        rows.append(("at once", f"{count(realisation.routed.size, 'message')} can pass, {rest} cannot, as drawn"))
    lines = [f"{key:<12} {value}" for key, value in rows]
    if realisation.realised is None:
        return lines
    tags = tags_of(realisation, whole)
    names = [
        (network.terminal_name(s), network.terminal_name(d))
        for s, d in zip(realisation.sources.tolist(), realisation.destinations.tolist(), strict=True)
    ]
    wide = max((len(a) for a, _ in names), default=0), max((len(b) for _, b in names), default=0)
    lines.append("")
    for m, (a, b) in enumerate(names):
        start = f"{a:>{wide[0]}} → {b:<{wide[1]}}  "
        if tags[m] is None:
            lines.append(start + ("no path, and in the blocked set" if m in realisation.blocked else "no path"))
        else:
            passed = routers_of(network, int(realisation.sources[m]), realisation.paths[m]).tolist()
            lines.append(f"{start}{tags[m]}  {' '.join(network.router_name(r) for r in passed)}")
    return lines


def tags_of(realisation: Realisation, whole: Network) -> list[str | None]:
    """The tag of each message, None for one without a path.

    In an RCBN the digits 0, 1 and 1̄ of its link stages; in every other network the output port taken at each switch,
    the one to the terminal included, which in a delta network are the digits of the destination.
    """
    network = realisation.network
    through = set(realisation.routed.tolist())
    try:
        size_of_rcbn(whole)
    except NetworkError:
        channels = channels_in(realisation, whole)
        return [
            _ports(realisation, whole, m, channels[m]) if m in through else None
            for m in range(realisation.sources.size)
        ]
    texts: list[str | None] = []
    row = stages(network).row
    for m in range(realisation.sources.size):
        passed = routers_of(network, int(realisation.sources[m]), realisation.paths[m])
        texts.append(tags_of_rows(row[passed]).texts()[0] if m in through else None)
    return texts


def _ports(realisation: Realisation, whole: Network, m: int, channels: IntArray) -> str:
    network = realisation.network
    first = whole.outgoing[0]
    ports = [int(np.searchsorted(_leaving(whole, int(whole.source[c])), c)) for c in channels.tolist()]
    last = int(network.eject[realisation.destinations[m]])
    mates = np.flatnonzero(network.eject == last)
    ports.append(int(np.searchsorted(mates, realisation.destinations[m])))
    joint = "" if int(np.diff(first).max(initial=0)) <= 10 and max(ports) < 10 else "."
    return joint.join(map(str, ports))


def _leaving(network: Network, router: int) -> Any:
    first, channels = network.outgoing
    return channels[first[router] : first[router + 1]]
