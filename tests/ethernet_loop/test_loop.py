"""The cases of the loop; the loop itself where FRR is installed and namespaces are allowed."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from tests.ethernet_loop.fabrics import cases
from tests.ethernet_loop.running import missing


def test_the_cases_are_as_many_as_they_should_be() -> None:
    found, sizes = cases(), Counter[int]()
    assert len({case.name for case in found}) == len(found)
    assert {2, 3} == {len(case.children) for case in found}
    assert {6, 30} <= {len(case.switches) for case in found}
    assert len({case.plan for case in found}) >= 3
    for case in found:
        assert len(case.cables) == case.network.num_channels / 2
        states = case.states()
        assert states == case.states()
        assert all(cable in case.cables for down in states for cable in down)
        sizes.update(map(len, states))
    assert sizes.total() >= 60
    assert sizes[2] >= 20
    assert sizes[3] >= 10


def test_cables_have_two_addresses_and_leaves_announce_their_hosts() -> None:
    case = cases()[0]
    addresses = [address for switch in case.switches for _, address in case.addresses(switch)]
    assert len(set(addresses)) == len(addresses) == 2 * len(case.cables) + 4
    assert "network 10.1.0.0/24" in case.configuration("leaf0")
    assert "network" not in case.configuration("spine0")


@pytest.mark.campaign
@pytest.mark.skipif(bool(missing()), reason=f"missing: {missing()}")
def test_a_fabric_run_by_frr() -> None:
    command = [sys.executable, "-m", "tests.ethernet_loop", "2-tier-rfc7938-allowas-in"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout
    assert " 0 disagreements" in done.stdout
