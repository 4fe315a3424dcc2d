"""Traffic patterns that only forks of BookSim have, and sources that a key of a fork leaves out."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from unknot._base.input import read_text
from unknot.traffic import Pattern
from unknot_booksim.configuration import split
from unknot_booksim.named_pattern import NamedPattern


def busiest(pattern: Pattern) -> float:
    """Packets that the busiest terminal sends where `injection_rate` is 1: less than 1 in graphs of tasks alone."""
    return float(pattern.weight.sum(axis=1).max()) if pattern.name == "custom" and pattern.weight is not None else 1.0


def of_sources(call: NamedPattern, sent: Pattern) -> Pattern:
    """Return a pattern without the terminals that a fork's `class_source` leaves out."""
    if not call.configuration.text("class_source"):
        return sent
    call.configuration.warn("class_source", "a list of sources for each class is of a fork of BookSim")
    senders = np.zeros(call.nodes, dtype=bool)
    senders[NamedPattern(call.configuration, call.built, "class_source").nodes_of()] = True
    if sent.destination is not None:
        return replace(sent, destination=np.where(senders, sent.destination, -1).astype(np.int32))
    weight = np.full((call.nodes, call.nodes), 1 / call.nodes) if sent.weight is None else sent.weight
    return Pattern(sent.name, weight=weight * senders[:, None])


def matrix(call: NamedPattern) -> Pattern:
    """Rows of a file, a source each; a source with rates of 0 sends to itself, as in forks of BookSim."""
    name = call.values[0] if call.values else ""
    texts = [line.split("#")[0].split() for line in read_text(call.configuration.file("traffic", name)).splitlines()]
    try:
        numbers = np.array([float(text) for row in texts for text in row])
    except ValueError:
        raise call.error(f"{name} has rates that are no numbers") from None
    if numbers.size != call.nodes**2 or not np.isfinite(numbers).all() or numbers.min(initial=0) < 0:
        raise call.error(f"{name} has {numbers.size} rates; {call.nodes} × {call.nodes} are needed, none below 0")
    call.configuration.warn("traffic", "matrix is of forks of BookSim")
    weight = numbers.reshape(call.nodes, call.nodes)
    silent = np.flatnonzero(weight.sum(axis=1) == 0)
    weight[silent, silent] = 1
    return Pattern(call.text, weight=weight / weight.sum(axis=1, keepdims=True))


def schedule(call: NamedPattern) -> Pattern:
    """Messages of a list: each source draws one of its own for each packet, as in the fork that has the key."""
    weight = np.zeros((call.nodes, call.nodes))
    for text in split(call.configuration.one("traffic_schedule")):
        numbers = split(text)
        if len(numbers) != 3 or not all(re.fullmatch(r"\d{1,9}", number) for number in numbers):
            words = f"source, destination and length in braces are needed, not {text[:40]}"
            raise call.configuration.error("traffic_schedule", words)
        source, target, _ = map(int, numbers)
        if max(source, target) >= call.nodes:
            words = f"there are nodes 0 to {call.nodes - 1}, not {max(source, target)}"
            raise call.configuration.error("traffic_schedule", words)
        weight[source, target] += 1
    if not weight.any():
        raise call.configuration.error("traffic_schedule", "traffic illusion takes a list of messages")
    if len(split(call.configuration.one("packet_size"))) > 1:
        raise call.configuration.error("packet_size", "traffic illusion takes one size; others are by message")
    call.configuration.warn("traffic", "illusion is of a fork of BookSim: packets go to destinations of the schedule")
    return Pattern(call.text, weight=weight / np.maximum(weight.sum(axis=1, keepdims=True), 1))


def tasks(call: NamedPattern) -> Pattern:
    """A graph of tasks, each at the node that a mapping says, as in the fork that has both keys.

    A node draws a destination by its rates, and then sends by the rate to this one as part of the highest of all.
    """
    settings = call.configuration
    words = read_text(settings.file("traffic_file")).split()
    rows = read_text(settings.file("mapping_file")).splitlines()
    places = [int(word) - 1 for word in (rows[0].split() if rows else [])[1:] if word.isdecimal()][: call.nodes]
    many = int(words[0]) if words and words[0].isdecimal() and len(words[0]) < 5 else 0
    if sorted(places) != list(range(call.nodes)) or not 0 < many <= call.nodes or len(words) < 1 + many**2:
        raise call.error(
            f"a graph of up to {call.nodes} tasks, and a mapping of them to {call.nodes} nodes are needed"
        )
    try:
        numbers = [0.0 if word == "INF" else float(word) for word in words[1 : 1 + many**2]]
    except ValueError:
        raise settings.error("traffic_file", "rates are numbers or INF") from None
    graph = np.zeros((call.nodes, call.nodes))
    graph[:many, :many] = np.reshape(numbers, (many, many))
    if not (np.isfinite(graph).all() and graph.min() >= 0 and graph.any()):
        raise settings.error("traffic_file", "rates are at least 0, and some are above")
    if len(rows) > 1:
        settings.warn("mapping_file", f"its fork runs each of {len(rows)} mappings; here the first one runs")
    settings.warn("traffic", "custom is of a fork of BookSim: a graph of tasks on nodes")
    drawn = graph / np.maximum(graph.sum(axis=1, keepdims=True), 1e-300)
    weight = drawn * graph / graph.max()
    return Pattern("custom", weight=weight[np.ix_(places, places)])
