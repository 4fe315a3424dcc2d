"""`unknot explore`."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import NetworkError, RelationError, UnknotError
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING
from unknot.cli.commands.options import NetworkText, Options
from unknot.cli.commands.printing import notify

if TYPE_CHECKING:
    from unknot.network import Network
    from unknot_explore.design import Design


@dataclass(frozen=True)
class ExploreOptions(Options):
    """What the page shows first, and where.

    Attributes
    ----------
    routing
        Routing; by default the customary one of the network.
    switching : NAME
        Switching technique, or a flow control, as for `check`.
    exercise : NUMBER
        Exercise of the course with which to begin, from 1 to 8.
    port
        Port of the page; 0: a free one.
    no_browser
        Print the address alone, and open no browser.
    out : FILE.html
        File of the page with what was computed, in place of a server.
    """

    heading = "Page"
    network: NetworkText = "mesh(4, 4)"
    routing: str | None = None
    vcs: int | None = None
    switching: str = DEFAULT_SWITCHING
    buffer_depth: int = BUFFER_DEPTH
    exercise: int | None = None
    port: int = 0
    no_browser: bool = False
    out: Path | None = None


def explore(options: ExploreOptions) -> None:
    """Open a page on which to build a network, change it, and ask again.

    The page answers at its address on this machine as long as the command runs. The address has a token, and the page
    runs no files of Python. With --out the page is a file that works from disk, and shows what was computed.
    """
    from unknot_explore.page import page, started, stored
    from unknot_explore.server import require_harmless, serve

    if options.out is not None and options.out.suffix.lower() != ".html":
        raise UnknotError(f"{options.out}: the page is a file that ends in .html")
    if options.exercise is None:
        design, number = designed(options), None
    else:
        design, number = exercise_of(options.exercise), options.exercise - 1
    require_harmless(design.model_dump())
    start = started(design, exercise=number)
    if options.out is None:
        serve(start, options.port, browser=not options.no_browser)
        return
    from unknot.report.rendering import write

    write(page(start | {"answers": stored(design, number)}), options.out)
    notify(f"wrote {options.out}")


def designed(options: ExploreOptions) -> Design:
    """The design that options name."""
    from unknot.fabrics.named import network
    from unknot_explore.design import Design

    built = network(options.network, where="NETWORK")
    routing = options.routing or _customary(built, options.vcs)
    given = {name: getattr(options, name) for name in ("network", "vcs", "switching", "buffer_depth")}
    return Design.of({**given, "routing": routing})


def exercise_of(number: int) -> Design:
    """The design with which an exercise begins, by its number from 1."""
    from unknot_explore.course import course
    from unknot_explore.design import Design

    if not 1 <= number <= len(course()):
        raise UnknotError(f"--exercise {number}: the course has exercises 1 to {len(course())}")
    return Design.of(course()[number - 1]["design"])


def _customary(built: Network, vcs: int | None) -> str:
    from unknot.routing.customary import CUSTOMARY
    from unknot.routing.named import routing

    for name in CUSTOMARY[:-1]:
        with contextlib.suppress(NetworkError, RelationError):
            routing(built, name, vcs)
            return name
    return CUSTOMARY[-1]
