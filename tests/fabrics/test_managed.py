"""OpenSM in the loop of faults: stand-ins for it and for `ibsim`, and the real ones where they are installed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import networkx as nx
import pytest
from typer.testing import CliRunner

from tests.fabric_loop.simulated import missing
from unknot._base.errors import UnknotError
from unknot.cli.program import app
from unknot.fabrics import read_fabric, write_network
from unknot.fabrics.fabric import Fabric, FabricCable
from unknot.fabrics.managed import manager, simulated
from unknot.fabrics.managed.manager import managed
from unknot.fabrics.managed.simulated import OpenSM
from unknot.network import Network
from unknot.network.families import dragonfly, fat_tree, line, ring, torus
from unknot.routing.switchboard import destinations, switchboard
from unknot.verify.failures import Failures
from unknot.verify.managed_faults import ManagedFaults, managed_faults

ROOT = Path(__file__).parents[2]


@pytest.fixture
def opensm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Path of a stand-in for OpenSM; one for ibsim is found, too."""
    for name in ("opensm", "ibsim"):
        program = tmp_path / name
        program.write_text(
            f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m tests.fabrics.stand_in {name} "$@"\n'
        )
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    (tmp_path / "library.so").touch()
    monkeypatch.setattr(simulated, "PRELOADED", (str(tmp_path / "library.so"),))
    return str(tmp_path / "opensm")


def swept(
    network: Network, text: str, failures: Failures | None = None, fabric: Fabric | None = None
) -> ManagedFaults:
    with managed(network, OpenSM.of(text), fabric) as managing:
        return managed_faults(managing, failures=failures or Failures("cables"))


def by_walk(old: Fabric, new: Fabric, cut: Sequence[FabricCable]) -> tuple[bool, bool, int]:
    """Whether the new tables, and any mixture with the old ones, have no cycle of cables, and pairs without route."""
    network, dead = new.network, {end for one in cut for end in zip(one.routers, one.ports, strict=True)}
    assert network.ports is not None
    ports, free, lost = network.ports.tolist(), [], 0
    for fabrics in ([new], [old, new]):
        tables = [switchboard(fabric).next_channel for fabric in fabrics]
        after, missed = nx.DiGraph(), 0
        for column in destinations(new, "host-to-host").tolist():
            for host in {*range(network.num_terminals)} - {int(new.owner[column])}:
                arrived = False
                for sl in {0 if one.levels is None else int(one.levels[host, column]) for one in fabrics}:
                    states = [(int(network.inject[host]), -1, 0)]
                    seen = {*states}
                    while states:
                        router, came, lane = states.pop()
                        port = ports[came][1] if came >= 0 else int(new.host_port[host])
                        for table in tables:
                            channel = int(table[router, column])
                            arrived |= channel == -1
                            if channel < 0 or (router, ports[channel][0]) in dead:
                                continue
                            for one in fabrics:
                                vl = 0 if one.lanes is None else int(one.lanes[router, port, ports[channel][0], sl])
                                if vl < 15:
                                    after.add_edge((came, lane) if came >= 0 else -1, (channel, vl))
                                    state = (int(network.target[channel]), channel, vl)
                                    states += [state] * (state not in seen)
                                    seen.add(state)
                missed += not arrived
        after.remove_nodes_from([-1])
        free.append(nx.is_directed_acyclic_graph(after))
        lost = missed if len(fabrics) == 1 else lost
    return free[0], free[1], lost


def check_against_walk(network: Network, text: str, failures: Failures) -> ManagedFaults:
    """Compare every outcome with walks of all pairs."""
    kept = dict[frozenset[str], tuple[bool, bool, int]]()
    with managed(network, OpenSM.of(text)) as managing:
        after = managing.after

        def noted(cut: Sequence[FabricCable]) -> Fabric:
            new = after(cut)
            kept[frozenset(cable.name for cable in cut)] = by_walk(managing.fabric, new, cut)
            return new

        managing.after = noted  # type: ignore[method-assign,assignment]
        faults = managed_faults(managing, failures=failures)
    assert len(kept) == len(faults.tried) == faults.possible
    for fault in faults.tried:
        new, mixed, lost = kept[frozenset(fault.parts)]
        assert lost == fault.undelivered_pairs + fault.severed_pairs, fault
        assert (fault.outcome == "deadlock") is not new, fault
        assert (fault.outcome == "between") is (new and not mixed), fault
    return faults


def test_a_ring_by_minimal_hops(opensm: str) -> None:
    faults = check_against_walk(ring(5), f"{opensm} -R minhop", Failures("cables"))
    assert (faults.opensm, faults.engine, faults.free_before) == ("OpenSM 9.8.7 -R minhop", "minhop", False)
    assert faults.survives is False
    assert faults.counts == {"between": 5}
    assert all(fault.load > 1 and fault.changed and fault.engine == "minhop" for fault in faults.tried)


def test_a_line_is_cut_in_two_and_switches_out_of_reach_keep_their_tables(opensm: str) -> None:
    faults = check_against_walk(line(4), f"{opensm} -R minhop", Failures("cables"))
    assert faults.survives
    assert {(fault.outcome, fault.undelivered_pairs) for fault in faults.tried} == {("disconnected", 0)}
    assert [fault.severed_pairs for fault in faults.tried] == [8, 6, 6]


def test_switches_fail_and_two_cables_at_once(opensm: str) -> None:
    faults = swept(ring(4), f"{opensm} -R minhop", Failures("routers"))
    ways = {fault.parts[0]: (fault.outcome, fault.severed_pairs) for fault in faults.tried}
    assert ways["S0"] == ("undecided", 0)
    assert all(ways[name][1] == 0 for name in ("S1", "S2", "S3"))
    twice = check_against_walk(ring(4), f"{opensm} -R minhop", Failures("cables", at_once=2))
    assert {fault.outcome for fault in twice.tried} == {"disconnected", "undelivered"}  # beyond OpenSM's reach


def test_the_worst_come_first_and_evidence_is_accepted(opensm: str, tmp_path: Path) -> None:
    network, out = tmp_path / "n.net", tmp_path / "evidence.json"
    write_network(torus(3, 3), network, "ibsim")
    words = ["faults", f"ibsim:{network}", "--opensm", f"{opensm} -R cyclic", "--budget", "3", "--json"]
    done = CliRunner().invoke(app, [*words, "--evidence", str(out)])
    assert done.exit_code == 1, done.output
    answer = json.loads(done.stdout)
    assert [row["outcome"] for row in answer["tried"]] == ["deadlock"] * 3
    checked = CliRunner().invoke(app, ["accept", str(out)])
    assert checked.exit_code == 0, checked.output
    assert "old and new tables" in checked.output


def test_guids_of_a_fabric_reach_the_simulator(opensm: str) -> None:
    fabric = read_fabric(ROOT / "examples/fabrics/opensm-ring12-lash")
    with managed(fabric.network, OpenSM.of(f"{opensm} -R minhop"), fabric) as managing:
        text = (managing.simulated.folder / "net").read_text()
    assert set(re.findall(r"^switchguid=0x(\w+)", text, re.M)) == {
        f"{guid:x}" for guid in fabric.switch_guid.tolist()
    }
    assert set(re.findall(r"^caguid=0x(\w+)", text, re.M)) == {f"{guid:x}" for guid in fabric.node_guid.tolist()}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/nowhere/opensm -R updn", "--opensm /nowhere/opensm: it does not exist; Debian's package opensm"),
        ("/etc/passwd", "--opensm /etc/passwd: it is no program that may be run"),
        ("true", "--opensm true: asked for its --version, it is no OpenSM: 'true"),
        ("'open", "give the path of OpenSM, then its options"),
        ("", "give the path of OpenSM, then its options"),
    ],
)
def test_programs_that_are_no_opensm(text: str, words: str) -> None:
    with pytest.raises(UnknotError, match=re.escape(words)):
        OpenSM.of(text)


@pytest.mark.parametrize(
    ("fault", "patience", "words"),
    [
        ("silent", 0.2, r"OpenSM hangs: a sweep is due, and its log has no new line for 0\.2 s"),
        ("leaving", 60, r"(?s)OpenSM ended .*no more"),
        ("blind", 60, r"OpenSM did not discover what is cabled: cut, and seen: S0\[1\] – S1\[2\]$"),
        ("moving", 60, r"OpenSM gave ports other LIDs after a cable was cut"),
    ],
)
def test_what_opensm_does_wrong_is_told(
    opensm: str, monkeypatch: pytest.MonkeyPatch, fault: str, patience: float, words: str
) -> None:
    with managed(ring(3), OpenSM.of(f"{opensm} -R {fault}")) as managing:
        monkeypatch.setattr(simulated, "PATIENCE", patience)
        monkeypatch.setattr(manager, "LATER", 0.1)
        with pytest.raises(UnknotError, match=words):
            managing.after(managing.fabric.cables[:1])


REAL = pytest.mark.skipif(bool(missing()), reason=f"Debian packages that are not installed: {' '.join(missing())}")


@REAL
@pytest.mark.campaign
@pytest.mark.parametrize(
    ("network", "words"),
    [
        (torus(3, 3), "-R minhop"),
        (ring(6), "-R lash -Q"),
        (dragonfly(2, 2, 1), "-R dfsssp -Q"),
        (fat_tree(2, 3), "-R updn"),
    ],
)
def test_the_real_subnet_manager_against_walks(network: Network, words: str) -> None:
    faults = check_against_walk(network, f"opensm {words}", Failures("cables"))
    assert faults.opensm.startswith("OpenSM 3.")


@REAL
@pytest.mark.campaign
def test_the_real_subnet_manager_keeps_guids(tmp_path: Path) -> None:
    fabric = read_fabric(ROOT / "examples/fabrics/opensm-ring12-lash")
    with managed(fabric.network, OpenSM.of("opensm -R lash -Q"), fabric) as managing:
        assert managing.fabric.switch_guid.tolist() == fabric.switch_guid.tolist()
        assert managing.fabric.node_guid.tolist() == fabric.node_guid.tolist()
