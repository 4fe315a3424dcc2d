"""Compiled rules that are kept on disk: the same answers in another process, and one file for each rule."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from unknot.network.families import mesh, ring, torus
from unknot.routing import dimension_order, duato
from unknot.routing.pointer import LEAN, kept_rule, rule_digest
from unknot.routing.relation import EJECT, Relation
from unknot.routing.relation_kernel import _in_one_piece

PROGRAM = """
import sys
import numpy as np
from unknot.routing import dimension_order, duato
from unknot.routing.tabulate import compile_relation
from unknot.network.families import mesh
relations = [dimension_order(mesh(3, 2)), duato(mesh(3, 2))]
for relation in relations:
    function = compile_relation(relation)
    call, out = function.ctypes, np.zeros(relation.max_candidates, dtype=np.int64)
    for at in range(relation.vcs.router.size):
        for address in range(relation.num_addresses):
            count = call(at, address, out.ctypes.data)
            wanted = [(c.vc, c.tier) for c in relation.candidates(at, address)]
            print(count == len(wanted), [int(v) & ((1 << 40) - 1) for v in out[:count]] ==
                  [(1 << 40) - 1 if vc is None else vc for vc, _ in wanted])
    print("loaded", function.keeps is None, file=sys.stderr)
"""


@pytest.mark.long
def test_rules_loaded_by_another_process_answer_alike(tmp_path: Path) -> None:
    runs = [
        subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout
    assert set(runs[1].stdout.split()) == {"True"}
    assert [line for line in runs[1].stderr.splitlines() if line.startswith("loaded")] == ["loaded True"] * 2


def test_a_digest_sees_code_arrays_and_functions_that_are_called() -> None:
    def made(shift: int, places: list[int]) -> Relation:
        table = np.array(places)
        table.setflags(write=False)

        def inner(at: int) -> int:
            return int(table[at]) + shift

        def rule(at: int, address: int, out: np.ndarray) -> int:
            out[0] = EJECT + inner(at)
            return 1

        return Relation(ring(3), 1, rule)

    digests = [rule_digest(made(*given).rule, 4) for given in ((0, [1, 2]), (0, [1, 2]), (1, [1, 2]), (0, [1, 3]))]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
    assert None not in digests
    assert rule_digest(made(0, [1, 2]).rule, 5) != digests[0]


def test_what_cannot_be_known_has_no_digest() -> None:
    something = object()

    def rule(at: int, address: int, out: np.ndarray) -> int:
        return 0 if something is None else 1

    assert rule_digest(rule) is None
    big = np.zeros(1_000_000)

    def other(at: int, address: int, out: np.ndarray) -> int:
        return int(big[at])

    assert rule_digest(other) is None


def test_equal_networks_share_a_rule_and_others_do_not() -> None:
    one, same, more, other = (
        rule_digest(relation.rule)
        for relation in (
            dimension_order(mesh(3, 3)),
            dimension_order(mesh(3, 3)),
            duato(mesh(3, 3)),
            duato(torus(3, 3)),
        )
    )
    assert one == same
    assert len({one, more, other}) == 3


def test_a_damaged_file_is_compiled_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("unknot._base.kernels.cache.folder", lambda: tmp_path)
    relation = dimension_order(mesh(2, 2))

    def is_loaded() -> bool:
        """Whether the rule was loaded; tests keep what `_shim` gives, so this asks one step below."""
        known = kept_rule(relation.rule, relation.max_candidates) is not None
        if not known:
            _in_one_piece(relation.rule, relation.max_candidates, LEAN)
        return known

    assert not is_loaded()
    (file,) = tmp_path.glob("rule-*.kernel")
    assert is_loaded()
    for content in (b"", b"\x80\x04garbage", file.read_bytes()[:-100]):
        file.write_bytes(content)
        assert not is_loaded()
        assert len(file.read_bytes()) > 1000
