"""The loop itself: its cases, and one small fabric through the real OpenSM where it is installed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import networkx as nx
import pytest

from tests.fabric_loop import __main__ as looping
from tests.fabric_loop.__main__ import Tally, loop, repaired
from tests.fabric_loop.fabrics import ENGINES, Case, cases
from tests.fabric_loop.simulated import join, missing, running
from tests.reference.fabric_routes import follow, plain_ibnetdiscover, plain_tables
from tests.reference.multicast_copies import copy_packets, plain_mcfdbs
from unknot.fabrics import read_fabric
from unknot.fabrics.ibsim import read_ibsim
from unknot.network.families import torus
from unknot.verify.audit import audit


def test_there_are_a_dozen_fabrics_that_ibsim_can_take(tmp_path: Path) -> None:
    found = cases()
    assert len({case.name for case in found}) == len(found) >= 12
    assert sum(case.engines == ENGINES for case in found) >= 11
    for case in found:
        case.write(tmp_path / "ibsim.net")
        network = read_ibsim(tmp_path / "ibsim.net")
        assert network.num_terminals >= network.num_routers / 2


def test_seeds_of_a_torus() -> None:
    text = Case("t", torus(4, 4), radices=(4, 4)).torus()
    assert text == (
        "torus 4 4 1\nxp_link 0x200000 0x200004\nxm_link 0x200000 0x20000c\n"
        "yp_link 0x200000 0x200001\nym_link 0x200000 0x200003\n"
    )


@pytest.mark.parametrize(
    ("code", "refused", "unfinished", "wrong"),
    [
        (3, ["new tables: not finished within 60 s"], 1, 0),
        (3, None, 1, 0),
        (0, ["new tables: not finished within 60 s"], 1, 0),
        (0, ["same routes: more levels than one policy can tell"], 0, 0),
        (2, None, 0, 1),
    ],
)
def test_a_repair_that_was_not_finished_is_no_disagreement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, refused: list[str] | None, unfinished: int, wrong: int
) -> None:
    asked: list[str] = []

    def ended(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked[:] = words
        said = "" if refused is None else json.dumps({"refused": refused})
        return subprocess.CompletedProcess(words, code, said, "too few for a verdict")

    monkeypatch.setattr(looping.subprocess, "run", ended)
    tally = Tally()
    assert repaired(cases()[0], tmp_path / "net", "H0", tmp_path, tmp_path / "out", tally) == []
    assert (len(tally.unfinished), len(tally.wrong)) == (unfinished, wrong)
    assert "--time-limit" not in asked  # where work is counted, a busy machine finishes the same repairs


@pytest.mark.skipif(bool(missing()), reason=f"Debian packages that are not installed: {' '.join(missing())}")
def test_multicast_trees_of_the_real_subnet_manager(tmp_path: Path) -> None:
    """Up*/Down* by OpenSM is safe on this torus, and not together with a group of all hosts."""
    case = Case("torus", torus(4, 4))
    case.write(tmp_path / "ibsim.net")
    dumps = tmp_path / "dumps"
    dumps.mkdir()
    with running(tmp_path / "ibsim.net", dumps, *case.options("updn", dumps)) as fabric:
        join(fabric, "ff12:401b:ffff::ffff:ffff")
    audited = audit(read_fabric(dumps))
    assert audited.host_to_host.holds
    assert audited.multicast is not None
    assert (audited.multicast.groups, audited.multicast.pairs, audited.multicast.delivered) == (1, 240, True)
    plain = plain_tables(plain_ibnetdiscover(dumps / "fabric.ibnetdiscover"), dumps / "opensm.fdbs")
    plain.lanes = 1
    copied = copy_packets(plain, plain_mcfdbs(dumps / "opensm.mcfdbs"), 0)
    both = nx.compose(follow(plain, "host-to-host").dependencies, copied.dependencies)
    assert audited.multicast.deadlock_free is nx.is_directed_acyclic_graph(both)


@pytest.mark.campaign
@pytest.mark.skipif(bool(missing()), reason=f"Debian packages that are not installed: {' '.join(missing())}")
def test_a_torus_by_dimension_order_is_repaired_and_loaded(tmp_path: Path) -> None:
    tally = Tally()
    loop(Case("torus", torus(4, 4), engines=("dor",)), tmp_path / "torus", tally)
    assert tally.wrong == []
    assert (tally.judged, tally.stuck, tally.loaded) == (4, 1, 3)
