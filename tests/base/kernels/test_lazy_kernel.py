"""Kernels in plain Python: as the compiled ones, and without Numba where a question is small."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from contextvars import copy_context
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawing import draw_until
from tests.strategies import networks
from tests.verify.test_table import ANY, broken, same
from unknot._base.errors import RelationError
from unknot._base.kernels import lazy_kernel
from unknot._base.kernels.lazy_kernel import Kernel, helper, is_small, kernel, plainly, viewed
from unknot._base.kernels.linked import RAISED
from unknot._base.kernels.native import Native
from unknot.certificates import evidence_holds, verdict_checker
from unknot.network import distances_from, metrics
from unknot.network.families import mesh
from unknot.routing import Relation, dimension_order
from unknot.routing.rules_kernel import towards
from unknot.verify import check, delivery, states
from unknot.verify.delivery import deliver
from unknot.verify.follow_kernel import depend


def everything_plain(patch: pytest.MonkeyPatch, plain: bool = True) -> None:
    for module in (states, delivery, verdict_checker, metrics):
        patch.setattr(module, "is_small", lambda *_: plain)
    patch.setattr(verdict_checker, "PLAIN", 10**9 if plain else -1)


def test_a_kernel_without_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    native = Native("unknot.verify.exact_kernel.spans")
    native._function = lambda: RAISED
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)
    with pytest.raises(MemoryError, match=r"no memory is left for the arrays of unknot.verify.exact_kernel.spans"):
        native()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    with pytest.raises(RuntimeError, match="is an index out of bounds"):
        native()


@pytest.mark.long
def test_plain_kernels_answer_as_the_compiled_ones() -> None:
    seen: Counter[Any] = Counter()

    @settings(max_examples=10)
    @given(ANY, st.integers(1, 2), st.integers(0, 2))
    def compare(relation: Relation, threads: int, change: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            everything_plain(patch, False)
            verdict, delivered = check(relation), deliver(relation)
        if verdict.certificate is not None and verdict.certificate.rank.size:
            rank = verdict.certificate.rank
            rank = (rank, rank[::-1].copy(), -rank)[change]
            verdict = replace(verdict, certificate=replace(verdict.certificate, rank=rank))
        with pytest.MonkeyPatch.context() as patch:
            everything_plain(patch, False)
            holds = evidence_holds(relation, verdict)
        with pytest.MonkeyPatch.context() as patch:
            everything_plain(patch)
            fresh = replace(relation)
            if not change:
                same(verdict, check(fresh, threads=threads))
            assert deliver(fresh, threads=threads) == delivered
            assert evidence_holds(fresh, verdict) == holds
            assert "compiled" not in fresh.__dict__
        seen[verdict.deadlock_free, holds] += 1

    draw_until(lambda: min(seen[True, True], seen[False, True]) > 5 and seen[True, False] > 0, compare)


@given(networks(strongly_connected=None), st.booleans())
def test_plain_distances_are_the_compiled_ones(network: Any, back: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        everything_plain(patch, False)
        compiled = distances_from(network, 0, reverse=back)
    with pytest.MonkeyPatch.context() as patch:
        everything_plain(patch)
        np.testing.assert_array_equal(distances_from(network, 0, reverse=back), compiled)


@pytest.mark.parametrize("kind", ["raises", "none", "elsewhere", "ejects", "many"])
def test_a_broken_rule_is_named_as_by_compiled_kernels(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def said() -> list[str]:
        found = []
        for question in (check, deliver):
            with pytest.raises(RelationError, match=r"broken at .* for t3: ") as error:
                question(Relation(mesh(3, 2), 1, broken(kind), name="broken"))
            found.append(str(error.value))
        return found

    everything_plain(monkeypatch, False)
    compiled = said()
    everything_plain(monkeypatch)
    assert said() == compiled


WITHOUT_NUMBA = """
import sys
sys.argv = ["unknot", "check", "mesh(8, 8)", "--routing", "dimension_order"]
from unknot.cli.program import main
try:
    main()
except SystemExit as end:
    print(end.code, "numba" in sys.modules)
"""


def test_a_check_of_a_small_network_does_without_numba() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT_NUMBA], capture_output=True, text=True, check=True)
    assert "separate checker accepts it" in " ".join(ran.stdout.split())
    assert ran.stdout.splitlines()[-1] == "0 False"
    assert not ran.stderr


@pytest.mark.parametrize(
    ("ready", "numba", "most"),
    [(True, False, lazy_kernel.FEW), (False, False, lazy_kernel.STATES), (False, True, lazy_kernel.MORE)],
)
def test_a_kernel_is_worth_its_loading_after_some_work(
    ready: bool, numba: bool, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = {"numba": None} if numba else {}
    monkeypatch.setattr(lazy_kernel, "sys", SimpleNamespace(modules=loaded))
    monkeypatch.setattr(lazy_kernel, "_visited", 0)
    monkeypatch.setattr(Native, "ready", ready)
    half = most // 2
    assert not is_small(2 * half + 1, depend)
    assert [is_small(size, depend) for size in (half, half, 1)] == [True, True, False]


def test_where_kernels_run_plainly() -> None:
    seen: list[bool] = []

    def look() -> None:
        seen.append(viewed() is memoryview)

    with plainly():
        look()
        for run in (look, copy_context().run):
            thread = threading.Thread(target=run, args=() if run is look else (look,))
            thread.start()
            thread.join()
        with plainly(False):
            look()
    look()
    assert seen == [True, False, True, False, False]


def test_a_kernel_is_called_by_rules_and_by_python(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(towards, Kernel)
    assert towards(0, 3, 4, True, 3) == 2, "in plain Python, since rules call it there"
    assert towards.native(0, 3, 4, True, 3) == 2
    assert towards.compiled is towards.compiled
    relation = dimension_order(mesh(3, 2))
    out = np.zeros(relation.max_candidates, dtype=np.int64)
    state = relation.num_vcs, 5
    assert relation.compiled.ctypes(*state, out.ctypes.data) == 1
    assert int(out[0]) == relation.candidates(*state)[0].vc

    with plainly():
        assert kernel(lambda a: a + 1)(1) == 2, "types are not wanted in plain Python"
    assert helper(lambda a: a + 1)(1) == 2


SEARCHES = """
import sys
import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.types import unliteral
from unknot._base.kernels.lazy_kernel import Kernel
from unknot.lane_assignment import changing_lanes, lanes

flows = np.random.default_rng(1).integers(0, 5, (8, 8))
for paths in ("free", "table"):
    for weights in (None, flows, flows / 7):
        lanes("ring(8)", paths, flows=weights, first="load", effort=200, time_limit=600)
changing_lanes("ring(8)", "table", changes="ports", time_limit=600)
found = 0
for room in [module for name, module in sys.modules.items() if name.startswith("unknot.")]:
    for name, value in vars(room).items():
        made = value.__dict__.get("_compiled") if isinstance(value, Kernel) else value
        if isinstance(made, Dispatcher) and made.py_func.__module__ == room.__name__:
            found += 1
            kinds = {tuple(map(unliteral, signature)) for signature in made.signatures}
            if len(kinds) > (2 if name == "climb" else 1):  # in an order of channels, and of other nodes
                print(room.__name__, name, made.signatures)
print(found > 20)
"""
"""A process of its own: tests of single kernels call some with other types."""


def test_every_kernel_has_one_signature() -> None:
    """One without a signature of its own is compiled again for every type that reaches it."""
    done = subprocess.run([sys.executable, "-c", SEARCHES], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr
