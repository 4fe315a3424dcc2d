"""Names that a shell completes; where none begins with the typed text, the shell completes files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from unknot._base.switching import SWITCHINGS


def _networks() -> Iterable[str]:
    from unknot.network.tod.functions import FUNCTIONS, foreign

    return {*FUNCTIONS, *foreign()}


def _routings() -> Iterable[str]:
    from unknot._base.extensions import DESIGNERS
    from unknot.routing.named import routings

    return {*routings(), *DESIGNERS}


def _patterns() -> Iterable[str]:
    from unknot.traffic import patterns

    return patterns()


def _flow_controls() -> Iterable[str]:
    from unknot.routing.flow_controls.named import builders

    return {*SWITCHINGS, *builders()}


def _formats() -> Iterable[str]:
    from unknot.fabrics.formats import FORMATS

    return FORMATS


def _beginning(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """A callback of typer: the names that begin with the typed text."""

    def complete(incomplete: str) -> list[str]:
        return sorted(name for name in names() if name.startswith(incomplete))

    return complete


NETWORKS = _beginning(_networks)
TECHNIQUES = _beginning(lambda: SWITCHINGS)
_BY_METAVAR: dict[str, Any] = {"NETWORK": NETWORKS, "FOLDER|NETWORK": NETWORKS, "FORMAT": _beginning(_formats)}
_BY_METAVAR |= dict.fromkeys(("OLD", "NEW"), _beginning(_routings))
_BY_NAME: dict[str, Any] = {
    "routing": _beginning(_routings),
    "traffic": _beginning(_patterns),
    "switching": _beginning(_flow_controls),
}


def completed(name: str, metavar: str) -> Any:
    """Return the callback of a parameter by its metavar, else by its name; None: the shell completes files."""
    return _BY_METAVAR.get(metavar) or _BY_NAME.get(name)


def command_typed(environment: Any) -> str:
    """Return the first word behind ``unknot`` of the line that a shell completes; empty while it is typed."""
    line = environment.get("COMP_WORDS") or environment.get("_TYPER_COMPLETE_ARGS") or ""
    words = line.split()[1:]
    return words[0] if words[1:] or (words and line[-1:].isspace()) else ""
