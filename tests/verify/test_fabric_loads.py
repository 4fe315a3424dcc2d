"""Loads on the tables of fabrics with slow cables, beside a linear program over routes that are followed here."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.cli.test_cli import unknot_says
from tests.fabrics.texts import End, Layout, fdbs, lst
from tests.verify.adaptive_fabrics import Drawn, drawn
from unknot._base.errors import UnknotError
from unknot.fabrics import read_fabric
from unknot.fabrics.diagnosis import diagnose
from unknot.verify.fabric_loads import capacity_of
from unknot.verify.fabric_routes import with_routes

QDR, DDR = 32.0, 16.0
"""Gb/s of data of four lanes."""
_END = re.compile(r"\{ \w+ .*? \{(\w+)\} LID:\w+ PN:(\w+) \}")


def written(one: Drawn, slow: set[frozenset[End]], folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    lines = []
    for line in lst(one.layout).splitlines():
        ends = frozenset((name, int(port, 16)) for name, port in _END.findall(line))
        lines.append(line.replace("SPD=10", "SPD=5") if ends in slow else line)
    (folder / "a.lst").write_text("\n".join(lines) + "\n")
    (folder / "a.fdbs").write_text(fdbs(one.layout))
    return folder


def route(one: Drawn, source: End, lid: int) -> list[End]:
    """Output ports of switches on the way, the last to the host left out."""
    (node, _), taken = one.far[source], []
    while one.far[node, port := one.layout.tables[node][lid]][0][0] == "S":
        taken.append((node, port))
        node = one.far[node, port][0]
    return taken


def most(one: Drawn, slow: set[frozenset[End]], demand: dict[tuple[End, End], float]) -> float:
    """The most Gb/s of the busiest host, by a linear program: a variable for each pair, and the rate."""
    pairs, layout = [*demand], one.layout
    sides: dict[tuple[str, End], dict[int, float]] = {}
    for i, (a, b) in enumerate(pairs):
        for out in route(one, a, layout.lids[b][0]):
            sides.setdefault(("cable", out), {})[i] = 1.0
        sides.setdefault(("out", a), {})[i] = 1.0
        sides.setdefault(("in", b), {})[i] = 1.0
    rows = np.zeros((len(sides), len(pairs) + 1))
    room = np.full(len(sides), QDR)
    for row, ((kind, end), flows) in enumerate(sides.items()):
        rows[row, [*flows]] = 1.0
        if kind == "cable" and frozenset((end, one.far[end])) in slow:
            room[row] = DDR
    equal = np.eye(len(pairs), len(pairs) + 1)
    equal[:, -1] = [-demand[pair] for pair in pairs]
    goal = np.zeros(len(pairs) + 1)
    goal[-1] = -1.0
    return float(-linprog(goal, A_ub=rows, b_ub=room, A_eq=equal, b_eq=np.zeros(len(pairs))).fun)


def hosts_of(layout: Layout) -> list[End]:
    return [end for end in layout.lids if end[0][0] == "H"]


@pytest.mark.parametrize("seed", range(20))
def test_what_hosts_get_is_that_of_a_linear_program(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    one = drawn(("fat tree", "torus")[seed % 2], seed)
    between = [frozenset(link) for link in one.layout.links if link[1][0][0] == "S"]
    slow = set(rng.sample(between, min(len(between) - 1, 1 + len(between) // 4)))
    fabric = read_fabric(written(one, slow, tmp_path / "a"))
    hosts = hosts_of(one.layout)
    every = {(a, b): 1 / (len(hosts) - 1) for a in hosts for b in hosts if a != b}
    ring = dict.fromkeys(zip(hosts, [*hosts[1:], hosts[0]], strict=True), 1.0)
    for traffic, demand in (("uniform_others", every), ("uniform", every), ("all_reduce", ring)):
        found = capacity_of(fabric, traffic)[0]
        assert found.gbps == pytest.approx(most(one, slow, demand), rel=1e-4)
        matrix = np.zeros((len(hosts), len(hosts)))
        order = {fabric.network.terminal_name(t): t for t in range(len(hosts))}
        for (a, b), rate in demand.items():
            matrix[order[a[0]], order[b[0]]] = 3 * rate
        assert capacity_of(fabric, matrix)[0].gbps == pytest.approx(found.gbps)
        assert found.highest_load <= 1 / found.share + 1e-5
    whole = read_fabric(written(one, set(), tmp_path / "b"))
    assert capacity_of(whole)[0].gbps == pytest.approx(most(one, set(), every), rel=1e-4)


def test_a_slow_cable_has_its_cost_on_the_tables(tmp_path: Path) -> None:
    """A leaf and spine whose tables send all from S0 by one spine: the slow cable there costs half of the rate."""
    one = drawn("fat tree", 3)
    node, port = next((node, port) for node, port in one.far if node == "S0" and one.far[node, port][0][0] == "S")
    slow = {frozenset(((node, port), one.far[node, port]))}
    fabric = read_fabric(written(one, slow, tmp_path / "a"))
    found = with_routes(fabric, diagnose(fabric))
    rows = [row for row in found.findings if row.fault == "slow cable"]
    assert len(rows) == 1
    whole = capacity_of(read_fabric(written(one, set(), tmp_path / "b")))[0]
    assert found.capacity is not None
    assert rows[0].routed_load == pytest.approx(found.capacity.highest_load / whole.highest_load, rel=1e-3)


def test_a_matrix_in_a_file(tmp_path: Path) -> None:
    folder, file = written(drawn("torus", 1), set(), tmp_path / "a"), tmp_path / "rates.csv"
    count = read_fabric(folder).network.num_terminals
    rows = [",".join("0" if a == b else "2" for b in range(count)) for a in range(count)]
    file.write_text("\n".join(rows) + "\n")
    shown = json.loads(unknot_says("diagnose", str(folder), "--traffic", str(file), "--json").stdout)
    assert shown["capacity"]["gbps"] == pytest.approx(capacity_of(read_fabric(folder))[0].gbps)
    file.write_text(rows[0] + "\nx,y\n")
    assert (
        "rates.csv:2:1: a row of rates has numbers"
        in unknot_says("diagnose", str(folder), "--traffic", str(file)).stderr
    )
    zeros = ",".join("0" * count)
    for text, words in (
        ("1,2\n3,4,5\n", "rates.csv:2:1: this row has 3 rates, and the first has 2"),
        ("1,2\n3,4\n", f"rates.csv: traffic: a matrix of {count} × {count} numbers is needed, got shape (2, 2)"),
        (f"{zeros}\n" * count, "rates.csv: traffic: all rates are 0, so no host sends; give the rates of some pair"),
        (f"-1{zeros[1:]}\n" * count, "rates.csv: traffic: rates are finite and not negative"),
    ):
        file.write_text(text)
        said = unknot_says("diagnose", str(folder), "--traffic", str(file))
        assert said.exit_code == 2
        assert words in said.stderr


def test_traffic_that_is_none(tmp_path: Path) -> None:
    fabric = read_fabric(written(drawn("torus", 1), set(), tmp_path / "a"))
    with pytest.raises(UnknotError, match=r"nonsense.*known: .*all_reduce"):
        capacity_of(fabric, "nonsense")
