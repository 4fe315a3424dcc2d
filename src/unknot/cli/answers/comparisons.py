"""Forms of comparisons of designs."""

from __future__ import annotations

from unknot.cli.answers.form import Form
from unknot.cli.answers.networks import WithUnits
from unknot.studies.comparison import Compared


class ComparedForm(Form, of=Compared, also="cost_per_host"):
    """A design beside others."""

    table = """
        design failed routing terminals bill.radix bill.electrical bill.optical bill.cost cost_per_host
        bisection_lower bisection_upper vcs vc_pairs vc_highest deadlock_free delivered uniform uniform_bound
        adversarial adversarial_bound saturation all_to_all all_reduce pj_per_bit note
    """


class CompareAnswer(WithUnits):
    """JSON answer of `unknot compare`."""

    frame = "rows"
    table = "prices rows"

    prices: str
    """Where prices are from, and of when."""
    rows: list[ComparedForm]
