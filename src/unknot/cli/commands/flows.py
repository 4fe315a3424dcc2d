"""Flow control that options name: a technique, or a flow control of the relation where a command takes that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from unknot._base.errors import UnknotError
from unknot._base.switching import DEFAULT_SWITCHING, SWITCHINGS, Switching, switching_named
from unknot.cli.commands.completion import TECHNIQUES

if TYPE_CHECKING:
    from unknot.flow_control.model import FlowControl
    from unknot.routing.relation import Relation


def flow_of(
    relation: Relation, switching: str, rule: str | None = None, **defaults: Any
) -> tuple[Switching, FlowControl | None]:
    """The technique, and the flow control of a relation, that --switching or --bubble names; None: a technique alone.

    Parameters
    ----------
    rule : str, optional
        The text of --bubble.
    **defaults
        Options of the builder that the text may leave out.
    """
    from unknot.routing.flow_controls.named import flow_given, flow_of_rule

    if rule is None:
        return flow_given(relation, switching, **defaults)
    if switching != DEFAULT_SWITCHING:
        raise UnknotError(
            f"--bubble: its rules count whole packets, so it goes with {DEFAULT_SWITCHING}, not with --switching "
            f"{switching}"
        )
    return switching, flow_of_rule(relation, rule, "bubble", "--bubble", **defaults)


def technique_alone(text: str, option: str) -> Switching:
    """The technique that a text names; a flow control of a relation is refused by the name of another option.

    Raises
    ------
    UnknotError
        If it names none.
    """
    from unknot.routing.flow_controls.named import builders
    from unknot.routing.own import is_code

    name = text.partition("(")[0].strip()
    if is_code(text) or name in builders():
        raise UnknotError(
            f"{option}: --switching {text} is a flow control of a relation, under which there is no answer; give one "
            f"of {', '.join(SWITCHINGS)}"
        )
    return switching_named(text)


def one_technique(words: str) -> Any:
    """An option that takes one of the four techniques, and refuses a flow control of a relation by name."""

    def check(ctx: typer.Context, value: str) -> str:
        return technique_alone(value, f"unknot {ctx.info_name}")

    names = "|".join(SWITCHINGS)
    option = typer.Option("--switching", metavar=names, help=words, callback=check, autocompletion=TECHNIQUES)
    return Annotated[str, option]
