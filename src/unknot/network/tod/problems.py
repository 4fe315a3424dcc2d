"""Several errors at once, and errors whose place is not known where they are found."""

from __future__ import annotations

from collections.abc import Sequence

from unknot._base.errors import TextError

SHOWN = 20
"""Most problems that one error prints."""


class TodError(TextError):
    """Error with all problems of a text; place and message are those of the first.

    Attributes
    ----------
    problems : tuple of TextError
    """

    def __init__(self, problems: Sequence[TextError]) -> None:
        first = problems[0]
        super().__init__(first.message, first.where, first.line, first.column, first.text)
        self.problems = tuple(problems)
        shown = [str(problem) for problem in problems[:SHOWN]]
        if len(problems) > SHOWN:
            shown.append(f"… and {len(problems) - SHOWN} more problems")
        self.args = ("\n".join(shown),)

    def __reduce__(self) -> tuple[type[TodError], tuple[tuple[TextError, ...]]]:
        return TodError, (self.problems,)


def raise_all(problems: Sequence[TextError]) -> None:
    """Raise the problems, if any: a single one as it is, several as one `TodError`."""
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise TodError(sorted(problems, key=lambda p: (p.where, p.line, p.column)))


class MisfitError(Exception):
    """Error in some operands; the caller that knows where they were written adds the place."""
