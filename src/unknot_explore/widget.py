"""The playground in notebooks: Jupyter, VS Code and marimo."""

from __future__ import annotations

import threading
from typing import Any

from unknot._base.errors import UnknotError
from unknot.report.scene import front_end
from unknot_explore.design import Design
from unknot_explore.page import started
from unknot_explore.worker import Desk, Question

MISSING = "explore in a notebook needs the package anywidget: pip install 'unknot[explore]'"


def explore(network: str = "mesh(4, 4)", routing: str = "dimension_order", **options: Any) -> Any:
    """Show the playground in a notebook.

    Parameters
    ----------
    network, routing : str
        As commands take them.
    **options : Any
        Further fields of `Design`: `vcs`, `switching`, `buffer_depth`, `traffic`, `load`, `dead`, `turns`; and
        `exercise`, the number of an exercise of the course from 1.

    Returns
    -------
    anywidget.AnyWidget
        The widget; its last line in a cell shows it.

    Raises
    ------
    UnknotError
        If anywidget is missing, or an option is none of a design.

    Examples
    --------
    >>> import unknot
    >>> widget = unknot.explore("ring(4)")  # doctest: +SKIP
    """
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise UnknotError(MISSING) from None
    from unknot_explore.command import exercise_of

    number = options.pop("exercise", None)
    design = Design.of({"network": network, "routing": routing, **options}) if number is None else exercise_of(number)
    given = started(design, exercise=None if number is None else number - 1)

    class Playground(anywidget.AnyWidget):
        """The page of `unknot explore` as a widget."""

        _esm, _css = front_end("explore.js"), front_end("explore.css")
        start = traitlets.Dict().tag(sync=True)

    widget, desk, cancels = Playground(start=given), Desk(), dict[int, threading.Event]()

    def heard(_: Any, message: dict[str, Any], __: Any) -> None:
        number = int(message["id"])
        if message.get("cancel"):
            cancels.pop(number, threading.Event()).set()
            return
        cancels[number] = threading.Event()
        asked = message["question"], message["design"], message.get("given") or {}
        threading.Thread(target=answer, args=(number, asked, cancels[number]), daemon=True).start()

    def answer(number: int, asked: Question, cancelled: threading.Event) -> None:
        desk.ask(asked, lambda part: widget.send({"id": number, "part": part}), cancelled)
        cancels.pop(number, None)

    widget.on_msg(heard)
    return widget
