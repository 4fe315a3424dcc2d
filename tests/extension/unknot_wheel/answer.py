"""The form of the command's JSON."""

from unknot.cli.answers.form import Form


class DegreesAnswer(Form):
    """JSON answer of `unknot degrees`."""

    network: str
    routers: dict[str, int]
