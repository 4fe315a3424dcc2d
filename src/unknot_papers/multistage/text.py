"""Messages through a multistage network, as lines of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.stages import stages
from unknot_papers.multistage.paths import routers_of
from unknot_papers.multistage.realisation import Realisation
from unknot_papers.rcbn.topology import size_of_rcbn, tags_of_rows


def tags_of(realisation: Realisation) -> list[str | None]:
    """The tag of each message, None for one without a path.

    In an RCBN the digits 0, 1 and 1̄ of its link stages; in every other network the output port taken at each switch,
    the one to the terminal included, which in a delta network are the digits of the destination.
    """
    network = realisation.network
    through = set(realisation.routed.tolist())
    try:
        size_of_rcbn(network)
    except NetworkError:
        return [_ports(realisation, m) if m in through else None for m in range(realisation.sources.size)]
    texts: list[str | None] = []
    row = stages(network).row
    for m in range(realisation.sources.size):
        passed = routers_of(network, int(realisation.sources[m]), realisation.paths[m])
        texts.append(tags_of_rows(row[passed]).texts()[0] if m in through else None)
    return texts


def _ports(realisation: Realisation, m: int) -> str:
    network = realisation.network
    first, path = network.outgoing[0], realisation.paths[m].tolist()
    ports = [int(np.searchsorted(_leaving(network, int(network.source[c])), c)) for c in path]
    last = int(network.eject[realisation.destinations[m]])
    mates = np.flatnonzero(network.eject == last)
    ports.append(int(np.searchsorted(mates, realisation.destinations[m])))
    joint = "" if int(np.diff(first).max(initial=0)) <= 10 and max(ports) < 10 else "."
    return joint.join(map(str, ports))


def _leaving(network: Network, router: int) -> Any:
    first, channels = network.outgoing
    return channels[first[router] : first[router + 1]]
