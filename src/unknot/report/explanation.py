"""A verdict explained as a tutorial would, with the names and numbers of the network at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unknot._base.switching import Switching
from unknot.certificates.verdict import Certificate, Configuration, Message, Verdict
from unknot.report.configuration_text import REACHED, circle, journey
from unknot.report.phrases import count, listed
from unknot.routing.relation import Relation
from unknot.verify.delivery import Delivery
from unknot.verify.nonatomic import queued_cycle
from unknot.verify.states import dependencies

if TYPE_CHECKING:
    from unknot.simulation.traces.replay import Replay

MOST_CYCLIC = 100_000
"""VCs on cycles up to which a cycle is looked for to be shown."""
MOST_STEPS = 12
"""Most messages, or steps of a route, that are described one by one."""

HOLDS: dict[Switching, str] = {
    "saf": (
        "Under store-and-forward, a packet moves on only when it is in its VC as a whole. So a blocked packet holds "
        "one VC, and waits until one of the VCs that it may take next has room for all of it."
    ),
    "vct": (
        "Under virtual cut-through, a packet is let into a VC only if that has room for all of it. So a blocked "
        "packet holds one VC, and waits until one of the VCs that it may take next has room."
    ),
    "wormhole": (
        "Under wormhole switching with atomic allocation, a packet may stretch over several VCs like a worm, and "
        "each VC holds flits of one packet at a time. A blocked packet keeps every VC that it stretches over, and "
        "waits until one of those that it may take next is empty."
    ),
    "wormhole-nonatomic": (
        "Under wormhole switching with non-atomic allocation, packets queue in a VC: a header may be granted a VC in "
        "which another packet still is. It has then committed to that one VC, and no other way out helps it any more."
    ),
}


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
    argument = _Argument(relation, verdict, delivery)
    parts = [argument.question(), argument.dependencies()]
    if verdict.configuration is not None:
        parts += argument.counterexample(verdict.configuration, replay)
        if verdict.deadlock_free is None:
            parts.append(Section("Why the question is open", (_sentence(verdict.established),)))
    elif verdict.certificate is not None:
        parts.append(argument.proof(verdict.certificate))
    else:
        parts.append(Section("How far it got", (f"{_sentence(verdict.established)} Give it more time.",)))
    parts.append(argument.trust(holds))
    return tuple(parts)


class _Argument:
    def __init__(self, relation: Relation, verdict: Verdict, delivery: Delivery) -> None:
        self.relation, self.verdict, self.delivery = relation, verdict, delivery
        self.name = relation.vcs.name

    def question(self) -> Section:
        relation, network = self.relation, self.relation.network
        return Section(
            "The question",
            (
                f"On {network.name}, {relation.name} has {count(relation.num_vcs, 'virtual channel')} (VCs) on "
                f"{count(network.num_channels, 'channel')}. A VC is a buffer at the end of a channel, in which "
                "packets wait until they can go on. Can packets come to wait for one another so that none of "
                "them ever moves?",
                HOLDS[self.verdict.switching],
                "The answer is to hold whatever happens: an adversary chooses who sends what and when, how long "
                "packets are, who goes first, and which of several free VCs a packet takes.",
            ),
        )

    def dependencies(self) -> Section:
        size, sentences = self.verdict.size, []
        address, route = self.route()
        if len(route) > 1:
            sentences.append(
                f"Take a packet for {self.relation.address_name(address)} that stands in {self.name(route[0])}. It "
                f"may go on to {self.name(route[1])}. So {self.name(route[0])} depends on {self.name(route[1])}: "
                "what stands in the first may have to wait for the second."
            )
        if size is not None:
            cyclic = "none of them lies" if size.cyclic_vcs == 0 else f"{size.cyclic_vcs:,} of them lie"
            sentences.append(
                f"Following the packets for each of {count(size.addresses, 'address')} "
                f"from every terminal that may send them leads to {count(size.states, 'state')}, that is, pairs of a "
                f"place and an address. In them, {count(size.vcs, 'VC')} have "
                f"{count(size.dependencies, 'dependency')}; "
                f"{cyclic} on a cycle of dependencies."
            )
            if size.cyclic_vcs:
                sentences.append(
                    "A VC on no cycle cannot be part of a deadlock: sooner or later all that its packets wait for "
                    "has drained. A cycle, on the other hand, is no deadlock yet: the packets have to be able to "
                    "stand so, all at once, and to have nowhere else to go."
                )
                sentences += self.cycle(size.cyclic_vcs)
        return Section("Who depends on whom", tuple(sentences))

    def cycle(self, cyclic: int) -> list[str]:
        """A cycle in words, when that is quickly found and the counterexample does not show one anyway."""
        if self.verdict.configuration is not None or cyclic > MOST_CYCLIC:
            return []
        self.example = queued_cycle(dependencies(self.relation), 1)
        around = sorted(self.example.messages, key=lambda m: m.held)[:1]
        after = {message.held[0]: message for message in self.example.messages}
        while len(around) < len(after):
            around.append(after[around[-1].wanted[0]])
        shown = [
            f"{self.name(m.held[0])} → {self.name(m.wanted[0])} (for {self.relation.address_name(m.address)})"
            for m in around[:MOST_STEPS]
        ]
        more = f", and {len(around) - MOST_STEPS} more" if len(around) > MOST_STEPS else ""
        return [f"A cycle is, for example: {', '.join(shown)}{more}."]

    def proof(self, certificate: Certificate) -> Section:
        explain = {"order": self.order, "escape": self.escape, "drain": self.drain, "exhausted": self.exhausted}
        return Section("Why it cannot deadlock", tuple(explain[certificate.kind](certificate)))

    def order(self, certificate: Certificate) -> list[str]:
        rank, (address, route) = certificate.rank, self.route()
        sentences = [
            "Since nothing goes round in a circle, the VCs can be numbered so that every packet, wherever it stands "
            "and whichever VC it takes next, takes one with a higher number."
        ]
        if len(route) > 1:
            steps = [f"{self.name(vc)} (number {rank[vc]})" for vc in route[:MOST_STEPS]]
            more = f", and {len(route) - MOST_STEPS} more" if len(route) > MOST_STEPS else ""
            sentences.append(
                f"A packet for {self.relation.address_name(address)} climbs like this: {', '.join(steps)}{more}."
            )
        sentences.append(
            "Now suppose that there were a deadlock, and look at the VC with the highest number in it. The packet in "
            "front of it waits for VCs with higher numbers still. But those are not part of the deadlock, so they "
            "drain and the packet moves: a contradiction. This holds for every switching technique, length of "
            "packets and depth of buffers (Dally & Seitz 1987)."
        )
        return sentences

    def escape(self, certificate: Certificate) -> list[str]:
        sentences = [
            "A packet that waits for several VCs needs only one of them. So strike out VCs one after the other: one "
            "may be struck out when every packet that can stand in it waits, among others, for a VC that has been "
            "struck out before, or may leave the network. In this way all VCs could be struck out; number them "
            "in that order."
        ]
        sentences += self.way_out(certificate)
        sentences.append(
            "Now suppose that there were a deadlock, and look at the VC in it that was struck out first. The packet "
            "in it waits, among others, for a VC struck out earlier still, which is therefore not part of the "
            "deadlock: it has room sooner or later, and the packet moves. A contradiction."
        )
        return sentences

    def drain(self, certificate: Certificate) -> list[str]:
        sentences = [
            "A worm may hold just the VC that others would escape to. So it takes a stronger argument than for "
            "packets that sit in one VC. Strike out VCs one after the other: one may be struck out when every worm "
            "whose tail is in it, however far it stretches over VCs that are still there, waits with its header, "
            "among others, for a VC that has been struck out before. In this way all VCs could be struck out; "
            "number them in that order."
        ]
        sentences += self.way_out(certificate)
        sentences.append(
            "Now suppose that there were a deadlock, and look at the VC in it that was struck out first. The worm "
            "that holds it, from there to its header, stretches over VCs of the deadlock, which were all there when "
            "it was struck out. So its header waits, among others, for a VC struck out earlier, which nobody in the "
            "deadlock holds. The worm moves: a contradiction."
        )
        return sentences

    def exhausted(self, certificate: Certificate) -> list[str]:
        core = [] if certificate.core is None else certificate.core.nonzero()[0].tolist()
        names = [self.name(vc) for vc in core[:6]]
        more = f" and {len(core) - 6} more" if len(core) > 6 else ""
        return [
            *self.drain(certificate)[:1],
            f"Here, {count(len(core), 'VC')} were left over, and all others drain: {', '.join(names)}{more}. A "
            "deadlock would have to contain one that holds VCs of these only.",
            "Whether worms can lie on these VCs so that each waits only for VCs that others hold is a finite "
            "question: each VC is held by one worm at most, each worm follows its route, and all that its header "
            "waits for is held. A constraint solver went through all possibilities. There is none.",
            f"What there is to check again has {count(len(certificate.windows), 'step')}. Each names some of these "
            "VCs and a window around them, and says that no worms can hold them for what can be seen in the window, "
            "once the VCs of earlier steps are struck out. In the end none is left.",
        ]

    def way_out(self, certificate: Certificate) -> list[str]:
        """An example of a packet on a cycle and its way out."""
        example: Configuration | None = getattr(self, "example", None)
        if example is None:
            return []
        rank, relation = certificate.rank, self.relation
        for message in example.messages:
            at = message.held[0]
            waits = [c.vc for c in relation.candidates(at, message.address) if c.waits]
            lower = [vc for vc in waits if vc is not None and rank[vc] < rank[at]]
            if not lower:
                continue
            offered = listed([f"{self.name(vc)} (number {rank[vc]})" for vc in waits if vc is not None], "or")
            return [
                f"On the cycle above: a packet for {relation.address_name(message.address)} in {self.name(at)} "
                f"(number {rank[at]}) waits for {offered}. {self.name(lower[0])} is its way out."
            ]
        return []

    def counterexample(self, configuration: Configuration, replay: Replay | None) -> list[Section]:
        messages = configuration.messages
        steps = []
        for i, message in enumerate(messages[:MOST_STEPS]):
            way = listed([self.name(vc) for vc in (*message.lead, *message.held)])
            fills = "which it fills" if len(message.held) == 1 else f"of which it fills the last {len(message.held)}"
            if not message.lead and len(message.held) > 1:
                fills = "which it fills"
            steps.append(
                f"Message {i + 1}, {journey(self.relation, message)}, {count(message.length, 'flit')}: it takes "
                f"{way}, "
                f"{fills}."
            )
        if len(messages) > MOST_STEPS:
            steps.append(f"And {len(messages) - MOST_STEPS} more messages in the same manner.")
        coming = Section("How it comes about", (*steps, REACHED[configuration.reachability]))
        holder = configuration.holder
        blocked = [self.blocked(i, message, holder) for i, message in enumerate(messages[:MOST_STEPS])]
        ring = circle(configuration)
        if ring:
            knot = ", ".join(f"{a + 1} waits for {b + 1}" for a, b in zip(ring, [*ring[1:], ring[0]], strict=True))
            blocked.append(f"So message {knot}: the circle is closed.")
        if replay is not None:
            how = "injected at the terminals" if replay.injected else "placed in the buffers"
            what = "nothing moved any more" if replay.stuck else "something still MOVED"
            blocked.append(f"In the simulator: {how}, {what} until cycle {replay.cycles:,}.")
        return [coming, Section("Why nothing moves any more", tuple(blocked))]

    def blocked(self, index: int, message: Message, holder: dict[int, int]) -> str:
        relation, at = self.relation, message.held[-1]
        offered = relation.candidates(at, message.address)
        chosen = relation.commits or self.verdict.switching == "wormhole-nonatomic"
        others = [c.vc for c in offered if c.vc not in message.wanted]
        held = listed(
            [
                f"{self.name(vc)}, held by {'itself' if holder[vc] == index else f'message {holder[vc] + 1}'}"
                for vc in message.wanted
            ],
            "and",
        )
        stands = f"The header of message {index + 1} stands in {self.name(at)}."
        if chosen:
            left = [f"it might have {'left' if vc is None else 'taken ' + self.name(vc)}" for vc in others[:2]]
            instead = f" ({listed(left, 'or')}, but it has committed)" if left else ""
            return f"{stands} It has been granted {held}{instead}."
        spare = [self.name(vc) for vc in others if vc is not None]
        never = f" (It may take {listed(spare, 'or')}, but does not wait for it.)" if spare else ""
        return f"{stands} The routing lets it wait for {held}, and for nothing else.{never}"

    def trust(self, holds: bool | None) -> Section:
        says = {
            True: "accepted it",
            False: "REJECTED it: please report this",
            None: "could not go through it again",
        }[holds]
        proof = "counterexample" if self.verdict.configuration is not None else "proof"
        sentences = []
        if self.verdict.certificate is not None or self.verdict.configuration is not None:
            sentences.append(
                f"A separate checker of a few pages, which shares nothing with the prover, took the {proof} and "
                f"asked the routing again, state by state: it {says}."
            )
        sentences.append(f"Covered: {self.verdict.scope}.")
        sentences.append(
            "Not covered: waiting that arises outside the network, such as a terminal that takes no request before "
            "it has sent a reply. Terminals are taken to accept every flit that reaches them."
        )
        if not self.delivery.delivered:
            sentences.append(
                f"Apart from deadlock, {self.delivery.undelivered_pairs:,} of {count(self.delivery.pairs, 'pair')} "
                "are not delivered, so the routing is not fit for use."
            )
        return Section("How far to trust this", tuple(sentences))

    def route(self) -> tuple[int, list[int]]:
        """An address and the VCs of a long route for it, as far as it goes without coming back."""
        relation = self.relation
        pair = self.delivery.longest_pair
        if pair is None:
            pairs = ((int(t), a) for a in range(relation.num_addresses) for t in relation.sources(a))
            pair = next((p for p in pairs if p[0] != relation.destination[p[1]]), None)
        if pair is None:
            return 0, []
        terminal, address = pair
        at, route = relation.num_vcs + terminal, list[int]()
        while True:
            candidates = [c for c in relation.candidates(at, address) if c.waits]
            onward = [c.vc for c in candidates if c.vc is not None and c.vc not in route]
            if not onward or any(c.vc is None for c in candidates):
                return address, route
            at = onward[0]
            route.append(at)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
