"""Form of the share of line rate that a job gets."""

from __future__ import annotations

from typing import Annotated

from unknot.cli.answers.form import Form, Words, of
from unknot.cli.answers.networks import NetworkForm
from unknot.verify.line_rate_answer import LineRate


class LineRateAnswer(
    Form,
    of=LineRate,
    without="relation hashing loads",
    also="""
        hash=hashing.kind qps=hashing.qps draws share share_error share_quantiles load load_error load_quantiles
        assumption
    """,
):
    """JSON answer of `unknot line-rate`."""

    table = """
        network.name operation members flows planes rails rail_aligned rate hash qps draws share share_error
        share_quantiles load load_error load_quantiles sprayed_load busiest thin changes assumption unread
    """

    network: NetworkForm = of("network")
    rail_aligned: Annotated[bool | None, Words(lambda aligned, _: {True: "yes", False: "no"}.get(aligned, ""))]
