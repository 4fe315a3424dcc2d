"""From text or file to network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from unknot._base.errors import TextError, UnknotError
from unknot._base.input import read_text as text_of
from unknot.network import Network
from unknot.network.tod.evaluate import Evaluator, Scope
from unknot.network.tod.functions import problems_of
from unknot.network.tod.graph import from_network, to_network
from unknot.network.tod.parse import LONGEST, parse
from unknot.network.tod.plan import MAX_CHANNELS, Budget, Plan
from unknot.network.tod.syntax import Node, WholeText, raise_all


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
    evaluator = Evaluator(Budget(max_channels), library.plan)
    try:
        made = evaluator.budget.build(evaluator.network(program.result, scope))
    except RecursionError as error:
        raise program.result.error("this is nested too deeply for the stack that is left") from error
    return to_network(made, " ".join(text.split()) if _short(text) else program.result.text)


def read(
    path: str | Path, *, folders: Iterable[str | Path] | None = None, max_channels: int = MAX_CHANNELS
) -> Network:
    """The network that a ``.tod`` file describes.

    Parameters
    ----------
    path : path
        The file.
    folders : iterable of path, optional
        Folders whose files it may use; by default its own.
    max_channels : int
        As for `network`.

    Returns
    -------
    Network
        The network, under the name of the file unless that is a short text.

    Raises
    ------
    TextError
        As `network`, with the name of the file.

    Examples
    --------
    >>> from unknot.network import tod
    >>> tod.read("examples/hangs/pods-in-a-ring.tod").num_routers
    36
    """
    path = Path(path)
    allowed = [path.resolve().parent] if folders is None else folders
    text = read_text(path)
    described = network(text, where=str(path), folders=allowed, max_channels=max_channels)
    return described if _short(text) else replace(described, name=path.stem)


def _short(text: str) -> bool:
    return len(text) <= 60 and "#" not in text and "\n" not in text.strip()


MOST_FILES = 200


class Library:
    """The files that one text uses.

    Parameters
    ----------
    folders : iterable of path
        Where files are looked for, and what they may not lie outside of.
    """

    def __init__(self, folders: Iterable[str | Path]) -> None:
        self.folders = [Path(folder).resolve() for folder in folders]
        self.scopes: dict[Path, tuple[WholeText, Scope]] = {}
        self.plans: dict[Path, Plan] = {}
        self.open: list[Path] = []

    def scope(self, program: WholeText) -> Scope:
        """The definitions of a text and of those it includes, checked.

        Raises
        ------
        TextError
            All problems of the text that can be found without evaluating it.
        """
        scope = Scope()
        for include in program.includes:
            place = include.path
            _, inner = self._program(self._find(str(place.value), place), place)
            scope.definitions.update(inner.definitions)
        own: set[str] = set()
        problems: list[TextError] = []
        roots: dict[Node, frozenset[str]] = {} if program.result is None else {program.result: frozenset()}
        for definition in program.definitions:
            if definition.name in own:
                problems.append(definition.error(f"{definition.name} is defined twice"))
            own.add(definition.name)
            scope.definitions[definition.name] = (definition, scope)
            parameters = definition.parameters or ()
            if len(set(parameters)) < len(parameters):
                problems.append(definition.error(f"two parameters of {definition.name} have one name"))
            roots[definition.body] = frozenset(parameters)
        known = {name: definition for name, (definition, _) in scope.definitions.items()}
        raise_all(problems + problems_of(roots, known))
        return scope

    def plan(self, path: str, place: Node, evaluator: Evaluator) -> Plan:
        """The network of another file: the last statement of a .tod file, or an edge list."""
        file = self._find(path, place)
        if file not in self.plans:
            self.plans[file] = self._network(file, place, evaluator)
        return self.plans[file]

    def _network(self, path: Path, place: Node, evaluator: Evaluator) -> Plan:
        if path.suffix != ".tod":
            from unknot.network.edges import read_edge_list

            self._size(path, place)
            made = from_network(read_edge_list(path))
            return evaluator.budget.made(place, made)
        program, scope = self._program(path, place)
        if program.result is None:
            raise place.error(f"{path.name} has definitions but no network of its own; use include to take them over")
        with self._opened(path, place):
            return evaluator.network(program.result, scope)

    def _program(self, path: Path, place: Node) -> tuple[WholeText, Scope]:
        if path not in self.scopes:
            with self._opened(path, place):
                self._size(path, place)
                program = parse(read_text(path), str(path))
                self.scopes[path] = program, self.scope(program)
        return self.scopes[path]

    @contextmanager
    def _opened(self, path: Path, place: Node) -> Iterator[None]:
        if path in self.open:
            chain = " → ".join(p.name for p in [*self.open[self.open.index(path) :], path])
            raise place.error(f"files that use each other in a cycle: {chain}")
        if len(self.scopes) >= MOST_FILES or len(self.open) >= 20:
            raise place.error(f"too many files: at most {MOST_FILES}, 20 inside one another")
        self.open.append(path)
        try:
            yield
        finally:
            self.open.pop()

    def _find(self, name: str, place: Node) -> Path:
        if not self.folders:
            raise place.error("this text may not read files; give the folders it may read from")
        starts = [Path(place.source.where).parent.resolve()] if Path(place.source.where).suffix else []
        for folder in [*starts, *self.folders]:
            try:
                path = (folder / name).resolve()
                inside = any(path.is_relative_to(allowed) for allowed in self.folders)
                if inside and path.is_file():
                    return path
            except (OSError, ValueError, RuntimeError):
                continue
        shown = ", ".join(str(folder) for folder in self.folders)
        raise place.error(f"there is no file {name!r} in {shown}, and none outside may be read")

    def _size(self, path: Path, place: Node) -> None:
        if path.stat().st_size > 4 * LONGEST:
            raise place.error(f"{path.name} has {path.stat().st_size} bytes; the limit is {4 * LONGEST}")


def read_text(path: Path) -> str:
    """The text of a file, in UTF-8.

    Raises
    ------
    TextError
    """
    return text_of(path, what="a description is plain UTF-8")
