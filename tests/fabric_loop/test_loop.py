"""The loop itself: its cases, and one small fabric through the real OpenSM where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fabric_loop.__main__ import Tally, loop
from tests.fabric_loop.fabrics import ENGINES, Case, cases
from tests.fabric_loop.simulated import missing
from unknot.fabrics.ibsim import read_ibsim
from unknot.topologies import torus


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


@pytest.mark.skipif(bool(missing()), reason=f"Debian packages that are not installed: {' '.join(missing())}")
def test_a_torus_by_dimension_order_is_repaired_and_loaded(tmp_path: Path) -> None:
    tally = Tally()
    loop(Case("torus", torus(4, 4), engines=("dor",)), tmp_path / "torus", tally)
    assert tally.wrong == []
    assert (tally.judged, tally.stuck, tally.loaded) == (4, 1, 3)
