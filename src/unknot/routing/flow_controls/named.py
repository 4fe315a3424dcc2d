"""Flow controls from the text in which a person names them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from unknot._base.calls import Call, apply, chosen, parse_call
from unknot._base.errors import RelationError
from unknot._base.extensions import Catalogue
from unknot._base.switching import DEFAULT_SWITCHING, SWITCHINGS, Switching, switching_named
from unknot.flow_control.model import FlowControl
from unknot.flow_control.techniques import TECHNIQUES, technique_of
from unknot.routing.flow_controls.validated import validated
from unknot.routing.own import own_function
from unknot.routing.relation import Relation

Builder = Callable[..., FlowControl]


def builders() -> Catalogue[Builder]:
    """The builders of `unknot.routing.flow_controls`, and those of extensions."""
    room = import_module(__name__.rpartition(".")[0])
    return Catalogue("flow_controls", {name: getattr(room, name) for name in room.__all__ if name != "flow_named"})


def is_technique(text: str) -> bool:
    """Whether a text is the name of one of the four techniques, which need no relation.

    Examples
    --------
    >>> is_technique("vct"), is_technique("damq()")
    (True, False)
    """
    return text in SWITCHINGS


def flow_named(relation: Relation, text: str, where: str = "--switching", **defaults: Any) -> FlowControl:
    """Return the flow control that a name or a call makes for a relation.

    The text is the name of a technique, a builder's call such as ``damq(reserved=1)``, or
    ``my_flow.py:damq(reserved=1)``, which runs a Python file and calls its function with the relation.

    Parameters
    ----------
    relation : Relation
        The routing.
    text : str
        A name or a call.
    where : str
        Where the text came from, for messages.
    **defaults
        Options that a builder is given if it takes them and the text has none of that name.

    Returns
    -------
    FlowControl
        One of the four techniques, or a flow control of this relation.

    Raises
    ------
    UnknotError
        If there is no such builder, or what it returns is no flow control of this relation.

    Examples
    --------
    >>> import unknot
    >>> relation = unknot.routing.dimension_order(unknot.network.families.ring(4))
    >>> len(flow_named(relation, "damq(reserved=1)").pools), flow_named(relation, "vct").name
    (8, 'vct')
    """
    if text in SWITCHINGS:
        return TECHNIQUES[text]
    if named := own_function(text, where, "relation"):
        file = Path(text.rpartition(".py:")[0] + ".py").name
        return _built(relation, *named, f"{file}: ", defaults)
    call = parse_call(text, where)
    return _built(relation, chosen(call, builders(), "flow control", SWITCHINGS), call, "", defaults)


def flow_given(
    relation: Relation,
    switching: str,
    flow: FlowControl | str | None = None,
    where: str = "--switching",
    **defaults: Any,
) -> tuple[Switching, FlowControl | None]:
    """Return the technique in which packets wait alike, and the flow control of a relation; None: a technique alone.

    Parameters
    ----------
    relation : Relation
        The routing.
    switching : str
        A technique, or what makes a flow control of the relation, as `flow_named` reads it.
    flow : FlowControl or str, optional
        A flow control, or what makes one; it goes with its own technique and the default.
    where : str
        Where `switching` came from, for messages.
    **defaults
        As of `flow_named`.

    Raises
    ------
    UnknotError
        If there is none of that name, it is none of this relation, or another technique stands beside it.

    Examples
    --------
    >>> import unknot
    >>> relation = unknot.routing.dimension_order(unknot.network.families.ring(4))
    >>> flow_given(relation, "wormhole"), flow_given(relation, "damq()")[0]
    (('wormhole', None), 'vct')
    """
    if flow is None and (not isinstance(switching, str) or switching in SWITCHINGS):
        return switching_named(switching), None
    text, where = (switching, where) if flow is None else (flow, "flow")
    made = flow_named(relation, text, where, **defaults) if isinstance(text, str) else text
    made = validated(relation, made, where)
    technique = technique_of(made)
    if flow is not None and switching not in (DEFAULT_SWITCHING, technique):
        held = f"packets hold buffers as under {technique}"
        raise RelationError(f"{made.name}: {held}, so it goes with {technique}, not with {switching}")
    return technique, made


def flow_of_rule(relation: Relation, rule: str, builder: str, where: str, **defaults: Any) -> FlowControl:
    """Return the flow control of a builder by its first argument, with options if needed: ``RULE(packets=1)``.

    It is another spelling of ``BUILDER('RULE', packets=1)``.
    """
    call = parse_call(rule, where)
    if call.args:
        raise RelationError(f"{where}: {call.name} takes options by their names alone, got {rule!r}")
    named = Call(builder, (call.name,), call.options, call.text, call.where, call.columns)
    return _built(relation, builders()[builder], named, "", defaults)


def _built(
    relation: Relation, builder: Callable[..., Any], call: Call, file: str, defaults: dict[str, Any]
) -> FlowControl:
    """What a builder of a file returns for a call, looked at."""
    takes = inspect.signature(builder).parameters
    more = {name: each for name, each in defaults.items() if name in takes and name not in call.options}
    return validated(relation, apply(call, builder, relation, **more), f"{call.where}: {file}{call.name}()")
