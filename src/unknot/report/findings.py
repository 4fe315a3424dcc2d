"""Pieces that reports of studies and of audits share: a counterexample, routes that do not arrive, a network."""

from __future__ import annotations

from unknot.network import Network, measure
from unknot.report.drawing import draw_configuration, draw_network
from unknot.report.page import Html, answer, element, figure, items
from unknot.report.sheet import COLOURS, ON_COLOUR
from unknot.report.words import count, tell
from unknot.routing.relation import Relation
from unknot.simulation.replay import Replay
from unknot.verify.delivery import Delivery
from unknot.verify.verdict import Configuration, Verdict

READING = (
    "Each message is a coloured line along the virtual channels it holds, from its tail to the numbered disc where "
    "its header stands. The dashed arrow leads to what the header waits for."
)


def counterexample(relation: Relation, configuration: Configuration, *more: str) -> Html:
    """The configuration of a verdict drawn on its network, with what it says and how it is reached beside it."""
    return knot(relation, configuration, *more)


def knot(relation: Relation, configuration: Configuration, *more: str, packet_length: int | None = None) -> Html:
    """A configuration drawn on its network, with what it says beside it; see `tell` for `packet_length`."""
    told = tell(relation, configuration, packet_length=packet_length)
    messages = len(configuration.messages)
    chips = [element("li", _chip(i), sentence.split(": ", 1)[1]) for i, sentence in enumerate(told[1 : messages + 1])]
    words = element(
        "div",
        element("p", told[0]),
        element("ol", *chips, class_="told long" if messages > 14 else "told"),
        *(element("p", sentence) for sentence in told[messages + 1 :]),
        *(element("p", text) for text in more),
    )
    drawing = figure(draw_configuration(relation, configuration, legend=False), READING)
    return element("div", drawing, words, class_="beside")


def evidence(verdict: Verdict, holds: bool | None) -> Html:
    """Whether the separate checker accepts what a verdict rests on; a dash where nothing was decided."""
    return Html("–") if verdict.deadlock_free is None else answer(holds, "checked", "rejected", "too large")


def replayed(replay: Replay | None) -> list[str]:
    """What the simulator made of a configuration, in a sentence."""
    if replay is None:
        return []
    how = "injected at the terminals" if replay.injected else "placed in the buffers"
    if replay.stuck:
        return [f"In the simulator: {how}, no message had moved after {count(replay.cycles, 'cycle')}; it sticks."]
    return [f"In the simulator: {how}, the messages did not stay blocked within {count(replay.cycles, 'cycle')}."]


def lost(relation: Relation, delivery: Delivery) -> list[Html]:
    """The pairs that are not delivered, and where their packets end; nothing when all arrive."""
    if delivery.delivered:
        return []
    places = relation.vcs
    lines = [
        f"{places.name(place)}, bound for {relation.address_name(address)}: no way on from here"
        for place, address in delivery.dead_ends
    ]
    lines += [
        f"bound for {relation.address_name(address)}, round and round: {' ⟶ '.join(places.name(p) for p in loop)}"
        for loop, address in delivery.loops
    ]
    pairs = (
        f"{delivery.undelivered_pairs:,} of {count(delivery.pairs, 'pair')} may not be delivered. The first places:"
    )
    return [element("p", pairs), items(lines)] if lines else [element("p", pairs.removesuffix(" The first places:"))]


def longest(relation: Relation, delivery: Delivery) -> Html:
    """The longest route and a pair that has it."""
    if delivery.longest_route is None:
        return Html("endless")
    hops = element("span", count(delivery.longest_route, "hop"))
    if delivery.longest_pair is None:
        return hops
    source, address = delivery.longest_pair
    pair = f"{relation.network.terminal_name(source)} → {relation.address_name(address)}"
    return Html(f"{hops} {element('span', pair, class_='note')}")


def topology(network: Network, *, routers: str = "router") -> Html:
    """A network drawn, with its figures."""
    found = measure(network)
    facts = [
        f"{count(found.routers, routers)}, {count(found.channels, 'channel')} ({count(found.links, 'link')})",
        count(found.terminals, "terminal"),
        f"{found.degree_min} to {found.degree_max} channels leave a {routers}"
        if found.degree_min != found.degree_max
        else f"{found.degree_min} channels leave each {routers}",
    ]
    if found.diameter is not None and found.mean_distance is not None:
        facts.append(f"diameter {found.diameter}, mean distance {found.mean_distance:.3g} hops")
    return figure(draw_network(network), f"{network.name}: {'; '.join(facts)}.")


def _chip(index: int) -> Html:
    colour, on = COLOURS[index % len(COLOURS)], ON_COLOUR[index % len(COLOURS)]
    return element("span", str(index + 1), class_="chip", style=f"background:{colour};color:{on}")
