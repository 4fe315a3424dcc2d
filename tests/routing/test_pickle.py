"""Relations that are pickled and made again, here and in another process."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.networks import CATALOGUE
from tests.strategies import relations
from unknot._base.errors import RelationError
from unknot.network import tod
from unknot.network.families import line, mesh, ring
from unknot.routing import Relation, VirtualChannels, duato, overlay, tabulate, ugal
from unknot.routing import pickling_kernel as pickling
from unknot.routing.named import routing, routings
from unknot.routing.relation import EJECT
from unknot.verify import check
from unknot.verify.testing import attempt


@pytest.fixture(autouse=True, scope="module")
def patient() -> Iterator[None]:
    """Tabulate however busy the machine is: a rule that takes long would be compiled instead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate, "SECONDS", 600.0)
        yield


def alike(one: Relation, other: Relation) -> None:
    """Compare what two relations are and what they answer."""
    assert one.table is not None
    assert other.table is not None
    for column in ("first", "input_vc", "start", "value"):
        np.testing.assert_array_equal(getattr(one.table, column), getattr(other.table, column))
    for part in ("destination", "may_use", "direct"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    for part in ("name", "commits", "claims", "claims_minimal", "source", "classes"):
        assert getattr(one, part) == getattr(other, part), part
    addresses = range(one.num_addresses)
    assert [one.address_name(a) for a in addresses] == [other.address_name(a) for a in addresses]
    assert other.vcs.network is other.network
    np.testing.assert_array_equal(one.vcs.counts, other.vcs.counts)
    np.testing.assert_array_equal(one.network.target, other.network.target)


def again(relation: Relation) -> Relation:
    copied: Relation = pickle.loads(pickle.dumps(relation))
    assert copied is not relation
    return copied


def test_every_routing_by_value() -> None:
    networks = [tod.network(text) for text in CATALOGUE]
    for function in routings().values():
        built = next(relation for network in networks if (relation := attempt(function, network)) is not None)
        assert built.made_by is None
        alike(built, again(built))


def test_named_routings_go_by_name() -> None:
    relation = routing(tod.network("torus(8, 8)"), "dimension_order(dateline='none')", 2)
    text = pickle.dumps(relation)
    assert len(text) < len(pickle.dumps(relation.network)) + 500
    assert b"dateline='none'" in text
    copied = again(relation)
    alike(relation, copied)
    assert copied.made_by == relation.made_by == ("dimension_order(dateline='none')", 2)


@given(relations())
def test_any_relation(relation: Relation) -> None:
    alike(relation, again(relation))


def guarded(lock: Any) -> Relation:
    """A rule that captures what cannot be pickled."""
    network = line(4)
    virtual = VirtualChannels(network, 1)

    def rule(at: int, address: int, out: Any) -> int:
        with lock:
            here = int(virtual.router[at])
            step = 1 if address > here else -1
            out[0] = EJECT if here == address else network.between(here, here + step)[0]
        return 1

    return Relation(network, virtual, rule, name="guarded")


def test_what_cannot_be_pickled_by_value_goes_by_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    relation = guarded(threading.Lock())
    copied = again(relation)
    alike(relation, copied)
    assert check(copied, "vct").deadlock_free
    assert copied.compiled.ctypes(6, 0, np.zeros(9, dtype=np.int64).ctypes.data) == 1
    alike(relation, again(copied))
    relation.__dict__["table"] = None
    monkeypatch.setattr(pickling, "LARGEST", 3)
    with pytest.raises(RelationError, match=r"guarded: the rule cannot be pickled: .*lock.*more than 3 states"):
        pickle.dumps(relation)


def judge(relation: Relation) -> tuple[bool | None, list[int], bool]:
    """What a worker process finds."""
    verdict = check(relation, "vct")
    ranks = [] if verdict.certificate is None else verdict.certificate.rank.tolist()
    return verdict.deadlock_free, ranks, "compiled" in relation.__dict__


@pytest.mark.long
def test_another_process_judges_alike() -> None:
    """By name, by value with a compiled helper, combined, and by table."""
    network = mesh(3, 2)
    asked = [
        routing(network, "duato", 3),
        duato(network),
        overlay(network),
        ugal(ring(4)),
        guarded(threading.Lock()),
    ]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(judge, asked) == [judge(relation) for relation in asked]
