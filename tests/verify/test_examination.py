"""`examine`: all that is asked of a routing in one frozen answer, and its claims."""

from __future__ import annotations

from unknot._base.deadline import Deadline
from unknot._base.switching import SWITCHINGS
from unknot.certificates import accept, document
from unknot.network.families import mesh, ring
from unknot.routing import dimension_order
from unknot.verify import check, deliver
from unknot.verify.check import NO_ANSWER
from unknot.verify.delivery import NOT_FOLLOWED
from unknot.verify.examination import NOTHING_FURTHER, Examination, FurtherAnswers, examine


def examined(further: FurtherAnswers = NOTHING_FURTHER, *, sides: int = 0) -> Examination:
    relation = dimension_order(mesh(sides, sides)) if sides else dimension_order(ring(4), vcs=1)
    return examine(relation, "vct", further, deadline=Deadline.after(60))


def test_a_safe_routing() -> None:
    every = examined(FurtherAnswers(every_technique=True, arbiter="round_robin", smallest=True), sides=3)
    relation = every.relation
    assert (every.safe, every.holds, every.smallest) == (True, True, None)
    assert list(every.verdicts) == list(SWITCHINGS)
    assert every.verdict is every.verdicts["vct"]
    assert every.delivery == deliver(relation)
    assert every.progress is not None
    assert every.progress.arrives
    subjects = [claim["subject"] for claim in every.claims()]
    assert subjects == ["deadlock"] * 4 + ["delivery", "lengths", "progress"]
    assert len(accept(document(relation.network, relation, every.claims()))) == 7
    alone = examined(sides=3)
    assert (list(alone.verdicts), alone.progress) == (["vct"], None)
    assert [claim["subject"] for claim in alone.claims()] == ["deadlock", "delivery", "lengths"]


def test_a_deadlock_is_replaced_by_the_smallest() -> None:
    examination = examined(FurtherAnswers(arbiter="fair", smallest=True))
    assert (examination.safe, examination.holds, examination.progress) == (False, True, None)
    assert examination.smallest is not None
    assert examination.verdict.configuration == examination.smallest.configuration
    assert examination.verdict.established == examination.smallest.configuration.summary  # type: ignore[union-attr]
    assert examination.verdicts["vct"].deadlock_free is False


def test_without_time_all_is_open() -> None:
    relation = dimension_order(mesh(2, 2))
    over = Deadline(1.0, 0.0)
    late = examine(relation, deadline=over, ending=over)
    assert (late.safe, late.holds, late.delivery) == (None, None, NOT_FOLLOWED)
    assert check(relation, time_limit=over).method == late.verdict.method == NO_ANSWER
    assert late.claims() == []
