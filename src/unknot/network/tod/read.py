"""From text or file to network."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from unknot._base.errors import UnknotError
from unknot.network import Network
from unknot.network.tod.evaluate import Evaluator
from unknot.network.tod.files import Library, read_text
from unknot.network.tod.graph import to_network
from unknot.network.tod.parse import parse
from unknot.network.tod.plan import MAX_CHANNELS, Budget, Place, build


def network(
    text: str,
    *,
    where: str = "<text>",
    folders: Iterable[str | Path] = (),
    max_channels: int = MAX_CHANNELS,
) -> Network:
    """The network that a text describes.

    Parameters
    ----------
    text : str
        Definitions, and last the network, as in ``k = 8; ring(k) ** 2``. The language is in docs/tod.md.
    where : str
        Where the text came from, for messages.
    folders : iterable of path
        Folders whose files the text may use with ``include`` and ``file``; by default it may use none.
    max_channels : int
        Most channels, routers and coordinates of the network and of every graph on the way to it.

    Returns
    -------
    Network
        Called by the text itself if that is short.

    Raises
    ------
    TextError
        With line and column and a caret; `TodError` if there are several problems. Sizes are known before any memory
        is taken, so that a network beyond the limit is refused at once.

    Examples
    --------
    >>> network("ring(4) * line(3)")
    <Network ring(4) * line(3): 12 routers, 40 channels, 12 terminals>
    """
    if not isinstance(text, str):
        raise UnknotError(f"a network is described by a text, as in 'ring(8) ** 2'; got {text!r}")
    program = parse(text, where)
    library = Library(folders)
    scope = library.scope(program)
    if program.result is None:
        end = len(text.rstrip())
        raise program.source.error(
            "there is no network here: the last statement must be one, as in ring(8) ** 2", end
        )
    evaluator = Evaluator(Budget(max_channels), library)
    place = Place(program.source, program.result)
    try:
        made = build(evaluator.network(program.result, scope))
    except RecursionError as error:
        raise place.error("this is nested too deeply for the stack that is left") from error
    return to_network(made, _called(text, place))


def read(
    path: str | Path, *, folders: Iterable[str | Path] | None = None, max_channels: int = MAX_CHANNELS
) -> Network:
    """The network that a ``.tod`` file describes.

    Parameters
    ----------
    path : path
    folders : iterable of path, optional
        Folders whose files it may use; by default its own.
    max_channels : int
        As for `network`.

    Raises
    ------
    TextError
        As `network`, with the name of the file.
    """
    path = Path(path)
    allowed = [path.resolve().parent] if folders is None else folders
    text = read_text(path)
    described = network(text, where=str(path), folders=allowed, max_channels=max_channels)
    return described if _short(text) else _renamed(described, path.stem)


def _called(text: str, place: Place) -> str:
    return " ".join(text.split()) if _short(text) else place.text


def _short(text: str) -> bool:
    return len(text) <= 60 and "#" not in text and "\n" not in text.strip()


def _renamed(network: Network, name: str) -> Network:
    from dataclasses import replace

    return replace(network, name=name)
