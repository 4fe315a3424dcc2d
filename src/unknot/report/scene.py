"""Scenes: a network on a page, which a reader turns and steps, with views of an answer on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from unknot._base.errors import UnknotError
from unknot._base.phrases import count
from unknot.network import Network
from unknot.report.placement import in_a_circle, placement, scattered

MOST = 20_000
"""Most routers of a network that is shown."""
MOST_BY_SPRINGS = 2_000
"""Most routers without coordinates whose places are searched for; more stand on a circle."""
TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True, eq=False)
class Scene:
    """An answer on its network.

    Attributes
    ----------
    title, words : str
        Heading of a page, and the answer in a sentence.
    network : Network or None
        None: too large to show.
    views : dict
        Data of views by name, each shown by the file of the front end with the name: `story` (a deadlock in
        steps), `cases` (failures), `loop` (channels in a circle, and flows), `busy` (channels over time).
    paragraphs : tuple of str
        What stands below.
    still : str
        Drawing for readers without scripts.
    """

    title: str
    words: str
    network: Network | None
    views: dict[str, Any]
    paragraphs: tuple[str, ...] = ()
    still: str = field(default="", repr=False)

    @property
    def data(self) -> dict[str, Any]:
        """The scene as the front end takes it."""
        fits = self.network is not None and self.network.num_routers <= MOST
        return {"network": on_paper(self.network) if self.network is not None and fits else None, **self.views}


def on_paper(network: Network) -> dict[str, Any]:
    """A network as the front end draws it: places and names of routers, and ends of channels."""
    free = network.coordinates is None or scattered(network)
    by_hand = free and network.num_routers > MOST_BY_SPRINGS
    places = in_a_circle(np.arange(network.num_routers), network.num_routers) if by_hand else placement(network)
    sizes = (
        count(network.num_routers, "router"),
        count(network.num_channels, "channel"),
        count(network.num_terminals, "terminal"),
    )
    return {
        "name": network.name,
        "x": np.round(places.real, 3).tolist(),
        "y": np.round(places.imag, 3).tolist(),
        "names": [network.router_name(router) for router in range(network.num_routers)],
        "terminals": network.terminals_at.tolist(),
        "source": network.source.tolist(),
        "target": network.target.tolist(),
        "dead": [],
        "summary": ", ".join(sizes),
    }


@cache
def front_end(name: str) -> Markup:
    """A file of the built front end: in a wheel beside the templates, in a checkout in `frontend/dist`.

    Raises
    ------
    UnknotError
        If the front end was not built.
    """
    for folder in (TEMPLATES, Path(__file__).parents[3] / "frontend" / "dist"):
        if (folder / name).exists():
            return Markup((folder / name).read_text(encoding="utf-8"))
    raise UnknotError(f"{name} is not installed: in a checkout `make frontend` builds it")
