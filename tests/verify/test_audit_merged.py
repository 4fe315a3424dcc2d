"""Audits with one sender at each switch say what audits with all of them say."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.fabrics.folders import EXAMPLES
from tests.fabrics.texts import Layout, ibnetdiscover, lfts, psl, sl2vl
from tests.verify.test_audit import layouts
from tests.verify.test_audit_lanes import both_ways_round, laned
from unknot.certificates import accept_verdict
from unknot.fabrics import Fabric, read_fabric
from unknot.report.configuration_text import describe
from unknot.verify import audit_traffic as module
from unknot.verify.audit import Audit, audit

FOLDERS = ["opensm-leafspine-degraded-ftree", "opensm-torus8x8-dor", "opensm-random48-updn-rooted", "ibutils-65sw"]
FOLDERS += ["opensm-ring12-lash"]


def both(fabric: Fabric, monkeypatch: pytest.MonkeyPatch) -> tuple[Audit, Audit]:
    whole = audit(fabric)
    monkeypatch.setattr(module, "MERGED", 0)
    merged = audit(fabric)
    monkeypatch.undo()
    return whole, merged


def compare(whole: Audit, merged: Audit) -> None:
    for one, other in zip(whole.rows, merged.rows, strict=True):
        assert one.verdict.deadlock_free is other.verdict.deadlock_free
        assert (one.holds, bool(one.loop)) == (other.holds, bool(other.loop))
        assert len(one.lost) == len(other.lost)
        assert len(one.lost) == module.SHOWN or set(one.lost) == set(other.lost)
        assert (one.longer_pairs, one.extra_hops) == (other.longer_pairs, other.extra_hops)
        ours, theirs = one.delivery, other.delivery
        assert (ours.pairs, ours.undelivered_pairs) == (theirs.pairs, theirs.undelivered_pairs)
        assert (ours.minimal, ours.longest_route) == (theirs.minimal, theirs.longest_route)
        assert one.unknown == other.unknown
        if other.verdict.deadlock_free is not None:
            accept_verdict(other.relation, other.verdict)
        if other.delivery.delivered and whole.fabric.lanes is None:
            assert other.relation.network.num_terminals == whole.fabric.network.num_routers
            assert other.relation.name.endswith(", one sender at each switch")


@pytest.mark.sampled(0.4)
@pytest.mark.parametrize("name", FOLDERS)
def test_examples(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(*both(read_fabric(EXAMPLES / name), monkeypatch))


def test_counterexamples_name_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of one sender at each switch are written with a host of the switch."""
    whole, merged = both(read_fabric(EXAMPLES / "opensm-torus8x8-dor"), monkeypatch)
    texts = []
    for found in (whole.host_to_host, merged.host_to_host):
        assert found.verdict.configuration is not None
        texts.append(describe(found.relation, found.verdict.configuration))
    assert texts[0] == texts[1]
    assert "a port of" not in str(texts)


@settings(max_examples=2)
@example(layout=both_ways_round())
@given(layout=st.one_of(layouts(), laned()))
def test_any_tables(layout: Layout) -> None:
    """Whether all packets are alike, or have service levels, and lanes by these and by ports."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        (Path(folder) / "fabric").write_text(ibnetdiscover(layout))
        (Path(folder) / "tables").write_text(lfts(layout))
        if layout.levels:
            (Path(folder) / "levels.psl").write_text(psl(layout))
        if layout.lanes:
            (Path(folder) / "lanes.sl2vl").write_text(sl2vl(layout))
        compare(*both(read_fabric(folder), patch))
