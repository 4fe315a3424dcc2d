"""Form of an error that ends a command."""

from __future__ import annotations

from unknot.cli.answers.form import Form
from unknot.cli.failure import Failure


class FailureForm(Form, of=Failure):
    """An error that ended a command."""


class ErrorAnswer(Form):
    """JSON in place of an answer, from any command with `--json` that ends with an error."""

    error: FailureForm
    """The first error."""
    further: list[FailureForm]
    """Other errors of the same file."""
