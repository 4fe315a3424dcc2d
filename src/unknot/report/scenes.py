"""Scenes of answers: deadlocks, protocols, failures, and loops of fabrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from markupsafe import Markup

from unknot._base.phrases import capital, count
from unknot.certificates.verdict import Configuration, Verdict
from unknot.network import Network
from unknot.report.configuration_drawing import MAX_WHOLE, draw_configuration, drawn_vcs, excerpt
from unknot.report.configuration_text import reached, replayed
from unknot.report.placement import MAX_DRAWN
from unknot.report.scene import Scene
from unknot.report.story import Numbers, coloured, lane, order, story
from unknot.routing.relation import Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.simulation.traces.recording import record
from unknot.verify.failures import Part, Tried, failed_of
from unknot.verify.protocols.evidence import awaited, knot, named, told
from unknot.verify.protocols.machine_state import MachineMessage, State
from unknot.verify.protocols.system import System
from unknot.verify.protocols.verdict import ProtocolVerdict

HELD = (
    "Until all messages are in place each header is held where it will wait. That is a legal timing: a header may "
    "need any time to go on, and a routing that is free of deadlock stays so whatever it needs. Then every header "
    "may go, and none can."
)
ORDER = (
    "Channels are coloured by their place in the proof's order, faint first: the packets of a channel wait only for "
    "channels on one side of their own, so nobody waits in a circle."
)
MOST_CASES = 5_000
"""Most failures of a page, the worst first."""
MOST_STEPS = 2_000
"""Most steps of a protocol's hang on a page; of more the last."""
MOST_SLOTS = 8
"""Most places of a queue that are told apart in a picture."""
IDENTITY = 5
"""Fields of a message that stay as they are on its way: class, sender, address, and the transaction."""


def knot_scene(relation: Relation, configuration: Configuration) -> Scene:
    """The replay of a deadlock in steps; of a large network the part concerned."""
    recording, name = record(relation, configuration), f"{relation.name} on {relation.network.name}"
    network, channels = concerned(relation.network, relation.vcs.channel[drawn_vcs(configuration)].tolist())
    return Scene(
        title=f"Why {name} deadlocks",
        words=f"{count(len(configuration.messages), 'message')} under {configuration.switching}, step by step.",
        network=network,
        views={"story": story(relation, configuration, recording, channels)},
        paragraphs=(reached(configuration), *replayed(recording.replay), HELD),
        still=Markup(draw_configuration(relation, configuration, legend=False)),
    )


def order_scene(relation: Relation, verdict: Verdict) -> Scene:
    """The order of a proof as colours of channels; without a proof the network alone."""
    network, proof = relation.network, verdict.certificate
    ranked = proof is not None and proof.rank.size
    return Scene(
        title=f"{relation.name} on {network.name}",
        words=f"{capital(verdict.established)}.",
        network=network,
        views=order(relation.vcs, proof, range(network.num_channels)) if proof is not None and ranked else {},
        paragraphs=(ORDER,) if ranked else (),
    )


def concerned(network: Network, channels: Sequence[int]) -> tuple[Network | None, Numbers]:
    """The network, or of a large one the part with some channels, and their numbers in the part; None: too large."""
    if network.num_routers <= MAX_WHOLE or not channels:
        return network, None
    part, numbers = excerpt(network, sorted({*channels}))
    return (part if part.num_routers <= MAX_DRAWN else None), numbers


def protocol_scene(verdict: ProtocolVerdict) -> Scene:
    """Terminals and queues of a protocol, and the run to the hang move by move; without a hang the system alone."""
    relation, configuration = knot(verdict)
    base, network = verdict.system.relation, relation.network
    return Scene(
        title=f"{verdict.system.protocol.name} with {base.name} on {base.network.name}",
        words=f"{capital(verdict.established)}.",
        network=network,
        views={} if verdict.run is None else {"story": _protocol_story(relation.vcs, verdict)},
        paragraphs=(
            "Each terminal is a router of its own, and its queues are channels between it and its router: to it what "
            "was received, from it what is to be sent.",
        ),
        still=Markup(draw_configuration(relation, configuration)) if configuration is not None else "",
    )


def _protocol_story(vcs: VirtualChannels, verdict: ProtocolVerdict) -> dict[str, Any]:
    """The moves of a run, the messages in each VC and queue after each, and who waits for whom in the end."""
    system, moves = verdict.system, [("the system is empty", State()), *told(verdict)][-MOST_STEPS:]
    numbers: dict[tuple[Any, ...], int] = {}
    messages: list[dict[str, Any]] = []
    steps: list[list[Any]] = []
    for words, state in moves:
        buffers = []
        for place, message in _standing(state):
            number = numbers.setdefault(message[:IDENTITY], len(numbers))
            if number == len(messages):
                messages.append(_protocol_message(system, message, number))
            places, path = [at % system.places for at in (*message.tail, place)], messages[number]["path"]
            path += [vc for vc in places if vc not in path]
            buffers += [[number, vc, 1] for vc in places]
        steps.append([len(steps), buffers, words])
    holders = {vc: number for number, vc, _ in reversed(steps[-1][1])}
    for message, wanted in _waiting(system, moves[-1][1]):
        others = {holders[at % system.places] for at in wanted if at % system.places in holders}
        names = {"wanted": [*map(system.place_name, wanted)], "waits": sorted(others)}
        messages[numbers[message[:IDENTITY]]] |= names
    lanes = {vc: lane(vcs, vc) | {"name": system.place_name(vc)} for one in messages for vc in one["path"]}
    depth = max((system.depth(vc) for vc in lanes), default=1)
    return {
        "depth": min(depth, MOST_SLOTS), "stuck": True, "until": len(moves) - 1, "moves": True,
        "lanes": lanes, "messages": messages, "steps": steps,
    }  # fmt: skip


def _standing(state: State) -> Iterator[tuple[int, MachineMessage]]:
    """Places of a state with their messages."""
    return ((place, message) for place, messages in state.items() for message in messages)


def _waiting(system: System, state: State) -> Iterator[tuple[MachineMessage, list[int]]]:
    """Messages of a state, and the places for which each waits."""
    for place, messages in state.items():
        for position, message in enumerate(messages):
            yield message, awaited(system, state, place, position)


def _protocol_message(system: System, message: MachineMessage, number: int) -> dict[str, Any]:
    port = system.relation.network.terminal_name(message.source)
    words = {"name": named(system, message), "port": port, "length": 1}
    return {**words, "path": [], "wanted": [], "waits": [], **coloured(number)}


def faults_scene(network: Network, kind: str, tried: Tried, named_parts: Iterable[Part], asked: str) -> Scene:
    """Failures to switch on and off, with the outcome of each set that was tried.

    Parameters
    ----------
    kind : str
        Kind of failing parts.
    named_parts : iterable of Part
        All parts of the kind.
    asked : str
        The routing in words.
    """
    numbers = dict(named_parts)
    worst = sorted(tried.tried, key=lambda one: tried.outcomes.index(one.outcome))[:MOST_CASES]
    used = [*dict.fromkeys(name for one in worst for name in one.parts)]
    number = {name: i for i, name in enumerate(used)}
    parts = []
    for name in used:
        routers, channels = failed_of(network, kind, numbers[name])
        parts.append({"name": name, "routers": routers, "channels": channels})
    rows = [
        {
            "parts": sorted(number[name] for name in one.parts),
            "words": ": ".join(filter(None, (one.outcome, getattr(one, "why", "")))),
            "holds": None if one.outcome == "undecided" else one.outcome in tried.harmless,
        }
        for one in worst
    ]
    left_out = len(tried.tried) - len(worst)
    outcomes = ", ".join(f"{outcome} {many:,}" for outcome, many in tried.counts.items())
    return Scene(
        title=f"{asked} on {network.name} after failures",
        words=f"Outcomes of {count(sum(tried.counts.values()), 'set')} of failures: {outcomes}.",
        network=network,
        views={"cases": {"parts": parts, "rows": rows}},
        paragraphs=(f"{left_out:,} less harmful ones are left out.",) if left_out else (),
    )


def loop_scene(
    network: Network, circle: Sequence[int], paths: Sequence[Sequence[int]], flows: Sequence[str]
) -> Scene:
    """A loop of channels on a fabric, and flows that fill the loop."""
    shown, numbers = concerned(network, [*circle, *(c for path in paths for c in path)])
    here = numbers or range(network.num_channels)
    told_flows = [
        {"words": words, "channels": [here[c] for c in path], **coloured(i)}
        for i, (words, path) in enumerate(zip(flows, paths, strict=True))
    ]
    return Scene("", "", shown, {"loop": {"ring": [here[c] for c in circle], "flows": told_flows}})
