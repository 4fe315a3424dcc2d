"""Parts that several pages share, and the page of a deadlock's replay."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from unknot._base.phrases import count
from unknot.certificates.verdict import Configuration
from unknot.network import Network, measure
from unknot.report.configuration_drawing import draw_configuration
from unknot.report.configuration_text import describe
from unknot.report.drawing import draw_network
from unknot.report.rendering import page, write
from unknot.report.scene import Scene
from unknot.report.scenes import knot_scene
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.verify.delivery import Delivery


@dataclass(frozen=True)
class DrawnKnot:
    """A configuration drawn on its network, and the text beside it."""

    drawing: Markup
    introduction: str
    messages: tuple[str, ...]
    remarks: tuple[str, ...]


def knot(relation: Relation, configuration: Configuration, *more: str, packet_length: int | None = None) -> DrawnKnot:
    """Draw a configuration and describe it; see `describe` for `packet_length`."""
    first, *sentences = describe(relation, configuration, packet_length=packet_length)
    size = len(configuration.messages)
    messages = tuple(sentence.split(": ", 1)[1] for sentence in sentences[:size])
    drawing = Markup(draw_configuration(relation, configuration, legend=False))
    return DrawnKnot(drawing, first, messages, (*sentences[size:], *more))


def lost(relation: Relation, delivery: Delivery) -> dict[str, str | list[str]]:
    """The pairs that are not delivered, and the first input VCs where their packets end."""
    name = relation.vcs.name
    ends = [
        f"{name(input_vc)}, bound for {relation.address_name(address)}: no way on from here"
        for input_vc, address in delivery.dead_ends
    ]
    ends += [
        f"bound for {relation.address_name(address)}, round and round: {' ⟶ '.join(map(name, loop))}"
        for loop, address in delivery.loops
    ]
    pairs = f"{delivery.undelivered_pairs:,} of {count(delivery.pairs, 'pair')} may not be delivered."
    return {"pairs": f"{pairs} The first:" if ends else pairs, "ends": ends}


def topology(network: Network, *, routers: str = "router") -> dict[str, str]:
    """A network drawn, with its figures."""
    metrics = measure(network)
    facts = [
        f"{count(metrics.routers, routers)}, {count(metrics.channels, 'channel')} ({count(metrics.links, 'link')})",
        count(metrics.terminals, "terminal"),
        f"{metrics.degree_min} to {metrics.degree_max} channels leave a {routers}"
        if metrics.degree_min != metrics.degree_max
        else f"{metrics.degree_min} channels leave each {routers}",
    ]
    if metrics.diameter is not None and metrics.mean_distance is not None:
        facts.append(f"diameter {metrics.diameter}, mean distance {metrics.mean_distance:.3g} hops")
    return {"drawing": Markup(draw_network(network)), "caption": f"{network.name}: {'; '.join(facts)}."}


@takes_relation
def write_knot_page(relation: Relation, configuration: Configuration, path: str | Path) -> None:
    """Write a page that steps through the replay of a deadlock, forwards and backwards.

    It is one HTML file that needs nothing else: the network drawn, the flits in every buffer cycle by cycle as the
    simulator had them, and who waits for whom in words. Arrow keys, Home, End and the space bar work.

    Parameters
    ----------
    configuration : Configuration
        The packets that block each other.
    path : str or Path
        The file.

    Raises
    ------
    RelationError
        If the configuration is not one of this relation.
    WriteError
        If the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from unknot.verify import check
    >>> configuration = check("ring(4)", routing="dimension_order").configuration
    >>> page = Path(mkdtemp()) / "knot.html"
    >>> write_knot_page("ring(4)", configuration, page, routing="dimension_order")
    >>> page.read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    write_scene(knot_scene(relation, configuration), path)


def write_scene(scene: Scene, path: str | Path) -> None:
    """Write a scene as one HTML file that needs nothing else; the same scene gives the same bytes."""
    write(page("scene.html", title=scene.title, lead=scene.words, scene=scene), path)
