"""Results go to JSON and back exactly."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unknot.certificates.verdict import Certificate, Configuration, Message, Verdict
from unknot.simulation.engine.router import Router
from unknot.simulation.run.run import Run
from unknot.simulation.traces.replay import Replay
from unknot.studies.packed_results import PackedResults, decode, packed, plain
from unknot.studies.result import Proven
from unknot.verify.delivery import Delivery

MESSAGES = (Message(0, 3, 16, (1,), (2, 3), (4,)), Message(1, 2, 8, (), (4,), (2, 3)))
STUCK = Configuration("wormhole", 8, "injected", MESSAGES)
RUN = Run(
    0.1, 0.3, 1 / 3, None, 2.5, 1e-17, 7.0, None, 3.0, False, "é", 5, 5, 2**62,
    cycles=100, flit_hops=999, switching="vct", buffer_depth=8, deadlock=STUCK,
)  # fmt: skip


def there_and_back(value: Proven | Run) -> Proven | Run:
    return decode(type(value), json.loads(json.dumps(value, default=plain)))


def test_packed_runs_are_the_runs() -> None:
    runs = [replace(RUN, seed=seed, router=Router(iterations=1 + seed // 3)) for seed in range(6)]
    texts = [json.dumps(run, default=plain) for run in runs]
    like = texts[0].encode()
    sequence = PackedResults(Run, [packed(text, like) for text in texts], like)
    assert sequence == runs
    assert sequence[-1] == runs[-1]
    assert sequence[1:3] == runs[1:3]
    assert sequence != runs[1:]
    assert [run.router for run in sequence] == [run.router for run in runs]
    assert sum(map(len, sequence.packed)) < 400 * len(runs) < len(like) * len(runs)


def test_runs() -> None:
    assert there_and_back(RUN) == RUN
    assert there_and_back(replace(RUN, deadlock=None)) == replace(RUN, deadlock=None)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False, allow_infinity=False) | st.none())
def test_floats_are_exact(load: float, latency: float | None) -> None:
    run = replace(RUN, offered_load=load, latency_mean=latency)
    assert there_and_back(run) == run


def test_proofs_with_arrays_and_nested_tuples() -> None:
    rank = np.array([3, -1, 2**40], dtype=np.int64)
    delivery = Delivery(False, 9, 2, ((1, 2),), (((4, 5), 6), ((7,), 8)), False, None, None, (0, 3))
    replayed = Replay(True, False, 50, ((0, (1,)), (1, (0,))), STUCK)
    proofs = [
        Proven(Verdict(True, "saf", "m", "s", "e", None, Certificate("order", rank)), delivery, True, None),
        Proven(Verdict(False, "wormhole", "m", "s", "e", STUCK, None), delivery, True, replayed),
    ]
    for proof in proofs:
        found = there_and_back(proof)
        assert isinstance(found, Proven)
        assert (found.delivery, found.replay, found.certificate_holds) == (delivery, proof.replay, True)
        assert found.verdict.configuration == proof.verdict.configuration
        assert json.dumps(found, default=plain) == json.dumps(proof, default=plain)
    free = there_and_back(proofs[0])
    assert isinstance(free, Proven)
    assert free.verdict.certificate is not None
    assert free.verdict.certificate.rank.dtype == np.int64
    assert free.verdict.certificate.rank.tolist() == rank.tolist()


def test_numpy_scalars_become_plain() -> None:
    run = replace(RUN, accepted_load=np.float64(0.25), packets=np.int64(3))  # type: ignore[arg-type]
    written = json.loads(json.dumps(run, default=plain))
    assert written["accepted_load"] == 0.25
    assert type(written["packets"]) is int
