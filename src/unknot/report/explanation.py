"""A verdict explained as a tutorial would, with the names and numbers of the network at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unknot._base.phrases import capital, count, listed
from unknot.certificates.verdict import Certificate, Configuration, Message, Verdict
from unknot.flow_control.techniques import technique
from unknot.network.graph import hops_around
from unknot.report.configuration_text import circle, describe_message, journey, reached, replayed
from unknot.routing.relation import Relation
from unknot.verify.delivery import Delivery
from unknot.verify.queued_cycle import queued_cycle
from unknot.verify.states import dependencies

if TYPE_CHECKING:
    from unknot.simulation.traces.replay import Replay

MOST_CYCLIC = 100_000
"""VCs on cycles up to which a cycle is looked for to be shown."""
MOST_STEPS = 12
"""Most messages that are described one by one."""

QUESTION = (
    "On {network}, {routing} has {vcs} virtual channels (VCs) on {channels} channels. A VC is a buffer at the end of "
    "a channel, in which packets wait until they can go on. Can packets block one another so that no packet ever "
    "moves?"
)
ADVERSARY = (
    "The answer holds whatever happens: an adversary chooses who sends what and when, how long packets are, who goes "
    "first, and which of several free VCs a packet takes."
)
CYCLES = (
    "A VC on no cycle cannot be part of a deadlock: sooner or later all VCs awaited by its packets have drained. A "
    "cycle is no deadlock yet: all packets of a deadlock have to be in place at once, with nowhere else to go."
)
STRIKE_WORMS = (
    "Strike out VCs, one after the other. A VC is struck out if every worm with its tail in the VC, however far the "
    "worm stretches over remaining VCs, has a header that also waits for a VC struck out before. {outcome}"
)
ARGUMENTS = {
    "order": (
        "The VCs can be numbered so that every packet, wherever it stands, takes only VCs with higher numbers.",
        "Suppose a deadlock, and take its VC with the highest number. The packet in front of the VC waits for VCs "
        "with higher numbers still, outside the deadlock. Such VCs drain, and the packet moves: a contradiction, "
        "under every switching technique (Dally & Seitz 1987).",
    ),
    "escape": (
        "A packet that waits for several VCs needs a single one. Strike out VCs, one after the other. A VC is struck "
        "out if every possible packet in the VC also waits for a VC struck out before, or may leave the network. All "
        "VCs could be struck out; number the VCs in the order of striking.",
        "Suppose a deadlock, and take its VC struck out first. The packet in the VC also waits for a VC struck out "
        "earlier, outside the deadlock. The earlier VC has room sooner or later, and the packet moves: a "
        "contradiction.",
    ),
    "drain": (
        STRIKE_WORMS.format(outcome="All VCs could be struck out; number the VCs in the order of striking."),
        "Suppose a deadlock, and take its VC struck out first. The worm in the VC stretches over VCs of the "
        "deadlock, and its header also waits for a VC struck out earlier, held by no worm of the deadlock. The worm "
        "moves: a contradiction.",
    ),
    "exhausted": (
        STRIKE_WORMS.format(
            outcome="Only these could not be struck out: {core}. A deadlock would hold some of these VCs."
        ),
        "In a deadlock each VC is held by one worm at most, each worm follows its route, and all VCs awaited by its "
        "header are held. A constraint solver tried all placements of worms on the VCs; none is a deadlock. "
        "The evidence has {steps}, each of which strikes out VCs within a window around them.",
    ),
}
"""By kind of certificate: what was found, and why it rules out deadlock."""
NOT_COVERED = (
    "Not covered: waiting outside the network, as in a terminal that takes no request before sending a reply. "
    "Terminals are assumed to accept every arriving flit."
)


@dataclass(frozen=True)
class Section:
    """A heading and the paragraphs below it."""

    title: str
    paragraphs: tuple[str, ...]


def explain(
    relation: Relation,
    verdict: Verdict,
    delivery: Delivery,
    *,
    holds: bool | None = None,
    replay: Replay | None = None,
) -> tuple[Section, ...]:
    """The whole argument of a verdict: question, dependencies, proof or counterexample, and how it was checked.

    Parameters
    ----------
    holds : bool or None
        What the checker said of the evidence.
    replay : Replay, optional
        What became of the counterexample in the simulator.
    """
    network, established = relation.network, f"{capital(verdict.established)}."
    question = QUESTION.format(
        network=network.name, routing=relation.name, vcs=f"{relation.num_vcs:,}", channels=f"{network.num_channels:,}"
    )
    cycle = _cycle(relation, verdict)
    sections = [
        Section("The question", (question, technique(verdict.switching).holding, ADVERSARY)),
        Section("Who depends on whom", tuple(_dependencies(relation, verdict, cycle))),
    ]
    if verdict.configuration is not None:
        sections += _counterexample(relation, verdict.configuration, replay)
        if verdict.deadlock_free is None:
            sections.append(Section("Why the question is open", (established,)))
    elif verdict.certificate is not None:
        sections.append(Section("Why it cannot deadlock", tuple(_proof(relation, verdict.certificate, cycle))))
    else:
        sections.append(Section("How far it got", (f"{established} Give it more time.",)))
    return (*sections, Section("How far to trust this", tuple(_trust(verdict, delivery, holds))))


def _cycle(relation: Relation, verdict: Verdict) -> list[Message]:
    """A cycle of dependencies, a message for each; none if there is a counterexample, or it takes long to find."""
    if verdict.size is None or verdict.configuration is not None or not 0 < verdict.size.cyclic_vcs <= MOST_CYCLIC:
        return []
    after = {message.held[0]: message for message in queued_cycle(dependencies(relation), 1).messages}
    around = [after[min(after)]]
    while len(around) < len(after):
        around.append(after[around[-1].wanted[0]])
    return around


def _dependencies(relation: Relation, verdict: Verdict, cycle: list[Message]) -> list[str]:
    size, name = verdict.size, relation.vcs.name
    if size is None:
        return []
    cyclic = "none of the VCs lies" if size.cyclic_vcs == 0 else f"{size.cyclic_vcs:,} of the VCs lie"
    sentences = [
        "A VC depends on another if a packet in the first may have to wait for the second. Following the packets for "
        f"each of {count(size.addresses, 'address')} from every terminal leads to {count(size.states, 'state')}, "
        f"pairs of a place and an address. In these states {count(size.vcs, 'VC')} have "
        f"{count(size.dependencies, 'dependency')}; {cyclic} on a cycle of dependencies."
    ]
    if size.cyclic_vcs:
        sentences.append(CYCLES)
    if cycle:
        arrows = [f"{name(m.held[0])} → {name(m.wanted[0])}" for m in cycle[:MOST_STEPS]]
        more = f", and {len(cycle) - MOST_STEPS} more" if len(cycle) > MOST_STEPS else ""
        sentences.append(f"A cycle is, for example: {', '.join(arrows)}{more}.")
    return sentences


def _proof(relation: Relation, certificate: Certificate, cycle: list[Message]) -> list[str]:
    name = relation.vcs.name
    core = [] if certificate.core is None else certificate.core.nonzero()[0].tolist()
    more = f" and {len(core) - MOST_STEPS} more" if len(core) > MOST_STEPS else ""
    words = {
        "core": f"{', '.join(map(name, core[:MOST_STEPS]))}{more}",
        "steps": count(len(certificate.windows), "step"),
    }
    first, last = (text.format(**words) for text in ARGUMENTS[certificate.kind])
    return [first, *(_way_out(relation, certificate, cycle) if certificate.kind in ("escape", "drain") else []), last]


def _way_out(relation: Relation, certificate: Certificate, cycle: list[Message]) -> list[str]:
    """An example of a packet on a cycle and its way out."""
    rank, name = certificate.rank, relation.vcs.name
    for message in cycle:
        at = message.held[0]
        waits = [c.vc for c in relation.candidates(at, message.address) if c.waits and c.vc is not None]
        earlier = [vc for vc in waits if rank[vc] < rank[at]]
        if earlier:
            offered = listed([f"{name(vc)} (number {rank[vc]})" for vc in waits], "or")
            return [
                f"On the cycle above: a packet for {relation.address_name(message.address)} in {name(at)} (number "
                f"{rank[at]}) waits for {offered}. {name(earlier[0])} is the packet's way out."
            ]
    return []


def _counterexample(relation: Relation, configuration: Configuration, replay: Replay | None) -> list[Section]:
    messages, ring = configuration.messages[:MOST_STEPS], circle(configuration)
    coming, blocked = [], []
    for i, message in enumerate(messages):
        way = listed([relation.vcs.name(vc) for vc in (*message.lead, *message.held)])
        flits = count(message.length, "flit")
        coming.append(f"Message {i + 1}, {journey(relation, message)}, {flits}, takes {way}.")
        blocked.append(f"Message {i + 1}: {describe_message(relation, message, i, configuration.holder)}")
    if len(configuration.messages) > MOST_STEPS:
        coming.append(f"And {len(configuration.messages) - MOST_STEPS} more messages in the same manner.")
    if ring:
        knot = ", ".join(f"{a + 1} waits for {b + 1}" for a, b in hops_around(ring))
        blocked.append(f"So message {knot}: the cycle is closed.")
    blocked += replayed(replay)
    return [
        Section("How it comes about", (*coming, reached(configuration))),
        Section("Why nothing moves any more", tuple(blocked)),
    ]


def _trust(verdict: Verdict, delivery: Delivery, holds: bool | None) -> list[str]:
    evidence = "counterexample" if verdict.configuration is not None else "proof"
    said = {
        True: f"accepted the {evidence}",
        False: f"REJECTED the {evidence}: please report this",
        None: f"could not repeat the {evidence}",
    }[holds]
    sentences = [f"Covered: {verdict.scope}.", NOT_COVERED]
    if verdict.certificate is not None or verdict.configuration is not None:
        sentences.insert(
            0,
            f"A separate checker of a few pages, which shares no code with the prover, compared the {evidence} with "
            f"the routing, state by state, and {said}.",
        )
    if not delivery.delivered:
        sentences.append(
            f"Apart from deadlock, {delivery.undelivered_pairs:,} of {count(delivery.pairs, 'pair')} are not "
            "delivered, so the routing is not fit for use."
        )
    return sentences
