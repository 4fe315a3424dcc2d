"""Form of a permutation routed through a multistage network, and how it is filled."""

from __future__ import annotations

from typing import Any

import numpy as np

from unknot._base.errors import NetworkError
from unknot.cli.answers.filling import Answer, answer
from unknot.cli.answers.form import Form, Natural
from unknot.network.stages import stages
from unknot_papers.multistage.realisation import Realisation
from unknot_papers.multistage.search import routers_of
from unknot_papers.rcbn.topology import size_of_rcbn, tags_of_rows


class PassageForm(Form):
    """One message; channels are numbered as in the network without faults."""

    table = "source destination tag switches blocked"

    source: str
    destination: str
    tag: str | None
    switches: list[str] | None
    """Switches it passes; null: it has no path."""
    channels: list[Natural] | None
    blocked: bool
    """It is one of a set that cannot pass at once."""


class PermuteAnswer(Form):
    """JSON answer of `unknot permute`."""

    network: str
    dead: list[str]
    """Switches and links that are dead."""
    realised: bool | None
    """null: undecided."""
    method: str
    established: str
    routed: Natural
    """Messages that have a path."""
    minimal: bool | None
    """Whether no fewer messages are blocked; null unless it is blocked."""
    messages: list[PassageForm]


def permute_answer(realisation: Realisation) -> Answer:
    """Return a realisation as plain values."""
    through = set(realisation.routed.tolist())
    return answer(
        PermuteAnswer,
        realisation,
        network=realisation.network.name,
        dead=realisation.marks.names(realisation.network),
        routed=len(through),
        minimal=realisation.minimal if realisation.realised is False else None,
        messages=_messages(realisation, through),
    )


def _messages(realisation: Realisation, through: set[int]) -> list[dict[str, Any]]:
    network, tags = realisation.network, tags_of(realisation)
    messages = []
    for m, (s, d) in enumerate(zip(realisation.sources.tolist(), realisation.destinations.tolist(), strict=True)):
        passed = routers_of(network, s, realisation.paths[m]).tolist() if m in through else None
        messages.append(
            {
                "source": network.terminal_name(s),
                "destination": network.terminal_name(d),
                "tag": tags[m],
                "switches": passed and [network.router_name(r) for r in passed],
                "channels": realisation.paths[m].tolist() if m in through else None,
                "blocked": m in realisation.blocked,
            }
        )
    return messages


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
    rows = stages(network).row[routers_of(network, realisation.sources, realisation.paths)]
    return [text if m in through else None for m, text in enumerate(tags_of_rows(rows).texts())]


def _ports(realisation: Realisation, m: int) -> str:
    network = realisation.network
    path = realisation.paths[m].tolist()
    at = network.source[path].tolist()
    ports = [int(np.searchsorted(network.outgoing.of(r), c)) for r, c in zip(at, path, strict=True)]
    last = int(network.eject[realisation.destinations[m]])
    mates = np.flatnonzero(network.eject == last)
    ports.append(int(np.searchsorted(mates, realisation.destinations[m])))
    joint = "" if int(network.outgoing.width.max(initial=0)) <= 10 and max(ports) < 10 else "."
    return joint.join(map(str, ports))
