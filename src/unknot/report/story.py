"""The replay of a deadlock as plain data, for pages that step through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unknot.certificates.verdict import Certificate, Configuration
from unknot.report.configuration_drawing import drawn_vcs
from unknot.report.sheet import COLOURS, ON_COLOUR
from unknot.routing.relation import Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.simulation.traces.recording import Recording

Numbers = Sequence[int] | Mapping[int, int] | None
"""Numbers of channels in the network that is shown, by their numbers in the network of a routing."""


def story(
    relation: Relation, configuration: Configuration, recording: Recording, channels: Numbers = None
) -> dict[str, Any]:
    """VCs by name, messages with who waits for whom, and the flits in each buffer, step by step."""
    name, waits = relation.vcs.name, dict(recording.replay.waits)
    messages = [
        {
            "length": m.length,
            "path": [*m.lead, *m.held],
            "wanted": [name(vc) for vc in m.wanted],
            "waits": waits[i],
            "port": relation.network.terminal_name(m.source),
            **coloured(i),
        }
        for i, m in enumerate(configuration.messages)
    ]
    return {
        "depth": configuration.buffer_depth,
        "stuck": recording.replay.stuck,
        "until": recording.replay.cycles,
        "lanes": {vc: lane(relation.vcs, vc, channels) for vc in sorted(set(drawn_vcs(configuration)))},
        "messages": messages,
        "steps": [[f.cycle, [[m, vc, flits] for (m, vc), flits in f.flits.items()]] for f in recording.frames],
    }


def order(vcs: VirtualChannels, certificate: Certificate, channels: Sequence[int]) -> dict[str, Any]:
    """The order of a proof as a share for each channel, of that of its first VC: 0 is first, 1 last."""
    ranks = np.argsort(np.argsort(certificate.rank, kind="stable"), kind="stable")
    least = np.full(len(channels), ranks.size)
    np.minimum.at(least, vcs.channel, ranks)
    return {"order": [[*channels], np.round(least / max(ranks.size - 1, 1), 4).tolist()], "kind": certificate.kind}


def coloured(number: int) -> dict[str, str]:
    """Colours of a message by its number: of its line, and of letters on the line."""
    return {"colour": COLOURS[number % len(COLOURS)], "on": ON_COLOUR[number % len(ON_COLOUR)]}


def lane(vcs: VirtualChannels, vc: int, channels: Numbers = None) -> dict[str, Any]:
    """Where the buffer of a VC is shown: its channel, its index, and how many VCs the channel has."""
    channel, index, of = int(vcs.channel[vc]), int(vcs.index[vc]), int(vcs.counts[vcs.channel[vc]])
    return {"name": vcs.name(vc), "channel": channels[channel] if channels else channel, "index": index, "of": of}
