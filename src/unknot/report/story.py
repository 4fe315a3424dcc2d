"""The replay of a deadlock as plain data, for pages that step through it."""

from __future__ import annotations

from typing import Any

from unknot.certificates.verdict import Configuration
from unknot.report.configuration_drawing import drawn_vcs
from unknot.report.sheet import COLOURS, ON_COLOUR
from unknot.routing.relation import Relation
from unknot.simulation.traces.recording import Recording


def story(relation: Relation, configuration: Configuration, recording: Recording) -> dict[str, Any]:
    """VCs by name, messages with who waits for whom, and the flits in each buffer, step by step."""
    name, waits = relation.vcs.name, dict(recording.replay.waits)
    messages = [
        {
            "length": m.length,
            "path": [*m.lead, *m.held],
            "wanted": [name(vc) for vc in m.wanted],
            "waits": waits[i],
            "port": relation.network.terminal_name(m.source),
            "colour": COLOURS[i % len(COLOURS)],
            "on": ON_COLOUR[i % len(ON_COLOUR)],
        }
        for i, m in enumerate(configuration.messages)
    ]
    return {
        "depth": configuration.buffer_depth,
        "stuck": recording.replay.stuck,
        "until": recording.replay.cycles,
        "lanes": {vc: {"name": name(vc)} for vc in sorted(set(drawn_vcs(configuration)))},
        "messages": messages,
        "steps": [[f.cycle, [[m, vc, flits] for (m, vc), flits in f.flits.items()]] for f in recording.frames],
    }
