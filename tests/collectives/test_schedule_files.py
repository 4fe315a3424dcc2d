"""Schedules as files: written, read back, and replayed by a reader of the file alone."""

from __future__ import annotations

import csv
import json
import random
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.collectives.test_collective_command import run
from unknot._base.errors import NetworkError, TextError
from unknot._base.units import Units
from unknot.fabrics.named import network as network_named
from unknot.network import Network
from unknot_collectives import Operation, platform_of, textbook, timed, write_schedule
from unknot_collectives.schedule_files import proposed, read_schedule

NETWORKS = ("ring(5)", "torus(3, 3)", "fat_tree(2, 2)", "mesh(2, 3)", "hypercube(3)", "dragonfly(2)")
OPERATIONS = ("all_gather", "reduce_scatter", "all_reduce", "all_to_all", "broadcast", "reduce", "gather", "scatter")
SENT = {"path", "source", "target", "chunk", "start", "step", "flits", "reduces"}


def rows_of(file: Path) -> list[dict[str, Any]]:
    if file.suffix == ".csv":
        return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["transfers"]
    return rows


def replayed(file: Path, network: Network) -> tuple[Fraction, dict[tuple[int, str], frozenset[str]]]:
    """Time, and whose contributions of each chunk each terminal has; from the rows and the network alone."""
    number = {network.channel_name(c): c for c in range(network.num_channels)}
    rows = rows_of(file)
    everybody = [network.terminal_name(t) for t in range(network.num_terminals)]
    held: dict[tuple[int, str], frozenset[str]] = {}
    for row in rows:
        for name in [row["origin"]] if row["origin"] else everybody:
            held[int(row["chunk"]), name] = frozenset([name])
    late, least, at = [], [], []
    for row in rows:
        path = [number[name] for name in row["path"].split("; ") if name]
        routers = [int(network.inject[everybody.index(row["source"])])]
        for channel in path:
            assert int(network.source[channel]) == routers[-1]
            routers.append(int(network.target[channel]))
        assert routers[-1] == int(network.eject[everybody.index(row["target"])])
        late.append(Fraction(sum(int(network.latency[c]) for c in path)))
        least.append(min([Fraction(1), *(Fraction(float(network.bandwidth[c])) for c in path)]))
        at.append(path)
    if rows[0]["start"] == "":
        time = Fraction(0)
        for step in sorted({int(row["step"]) for row in rows}):
            loads: defaultdict[Any, Fraction] = defaultdict(Fraction)
            before, longest = dict(held), Fraction(0)
            for k, row in enumerate(rows):
                if int(row["step"]) != step:
                    continue
                longest = max(longest, late[k])
                for c in (*at[k], "out of " + row["source"], "into " + row["target"]):
                    rate = Fraction(float(network.bandwidth[c])) if isinstance(c, int) else 1
                    loads[c] += Fraction(row["flits"]) / rate
                move(row, before, held)
            time += longest + max(loads.values())
        return time, held
    ends = [Fraction(row["start"]) + late[k] + Fraction(row["flits"]) / least[k] for k, row in enumerate(rows)]
    events = [(end, 0, k) for k, end in enumerate(ends)] + [(Fraction(r["start"]), 1, k) for k, r in enumerate(rows)]
    taken: dict[int, frozenset[str]] = {}
    for _, starts, k in sorted(events):
        row, chunk = rows[k], int(rows[k]["chunk"])
        if starts:
            taken[k] = held[chunk, row["source"]]
        else:
            move(row, {(chunk, row["source"]): taken[k]}, held)
    return max(ends), held


def move(row: dict[str, Any], before: dict[tuple[int, str], frozenset[str]], held: dict[Any, frozenset[str]]) -> None:
    chunk, there = int(row["chunk"]), (int(row["chunk"]), row["target"])
    came = before[chunk, row["source"]]
    if int(row["reduces"]):
        assert not came & held[there], "added twice"
        came |= held[there]
    held[there] = came


@pytest.mark.long
@pytest.mark.parametrize("case", range(12))
def test_what_is_written_is_read_and_says_the_same_time(tmp_path: Path, case: int) -> None:
    draw = random.Random(case)
    text, kind = draw.choice(NETWORKS), OPERATIONS[case % len(OPERATIONS)]
    file = tmp_path / ("best.csv" if case % 2 else "best.json")
    words = (text, "--operation", kind, "--size", str(draw.choice([1, 7, 64])), "--json")
    code, out, err = run(*words, "--algorithm", draw.choice(["best", "direct"]), "--export", str(file))
    assert code == 0, err
    time = json.loads(out)["time"]
    code, out, err = run(*words, "--algorithm", str(file))
    answer = json.loads(out)
    assert (code, answer["time"], answer["algorithm"]) == (0, time, file.name), err
    network = network_named(text)
    alone, held = replayed(file, network)
    assert float(alone) == pytest.approx(time, rel=1e-12)
    everybody = [network.terminal_name(t) for t in range(network.num_terminals)]
    for row in rows_of(file):
        for name in [row["end"]] if row["end"] else everybody:
            whole = frozenset([row["origin"]] if row["origin"] else everybody)
            assert held[int(row["chunk"]), name] == whole


@pytest.mark.parametrize(
    ("column", "word", "words"),
    [
        ("step", "-1", ":2: step is a whole number"),
        ("chunk", "99", "chunks are numbered 0 to"),
        ("flits", "0", ":2: flits is a positive number"),
        ("flits", "1/0", ":2: flits is a positive number"),
        ("flits", "65", ":3: chunk 0 is another in an earlier row"),
        ("origin", "nobody", r":2: ring\(4\) has no terminal 'nobody' \(origin\)"),
        ("source", "", ":2: a transfer has a source and a target"),
        ("target", "t3", "do not lead from 4 to 7"),
        ("path", "0→9", r":2: ring\(4\) has no channel '0→9'"),
        ("reduces", "2", ":2: reduces is a whole number from 0 to 1"),
        ("start", "x", ":2: start is a positive number"),
        ("start", "5", ":3: either all transfers have a start or none has"),
    ],
)
def test_faults_of_files_are_named_with_their_place(tmp_path: Path, column: str, word: str, words: str) -> None:
    network = network_named("ring(4)")
    platform = platform_of(network)
    operation = Operation("broadcast", platform.members, Fraction(64), root=4)
    file = tmp_path / "s.csv"
    code, _, err = run(
        "ring(4)", "--operation", "broadcast", "--algorithm", "chain", "--pieces", "1", "--export", str(file)
    )
    assert code == 0, err
    rows = rows_of(file)
    lines = file.read_text().splitlines()
    starts = [row["start"] for row in rows]
    for row in rows:
        row["start"] = "" if column == "start" else row["start"]
    rows[0][column] = word
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(TextError, match=rf"s\.csv.*{words}"):
        read_schedule(file, network, platform, operation)
    assert len(starts) == len(lines) - 1


@pytest.mark.long
def test_other_operations_sizes_and_shapes_are_refused(tmp_path: Path) -> None:
    network = network_named("ring(4)")
    platform = platform_of(network)
    gather = Operation("all_gather", platform.members, Fraction(8))
    file = tmp_path / "s.json"
    words = ("ring(4)", "--operation", "all_gather", "--size", "8")
    assert run(*words, "--algorithm", "ring", "--pieces", "1", "--export", str(file))[0] == 0
    assert read_schedule(file, network, platform, gather).time <= textbook(platform, gather, "ring").time
    with pytest.raises(TextError, match=r"s\.json: this is a schedule of all_gather, not of all_reduce"):
        read_schedule(file, network, platform, Operation("all_reduce", platform.members, Fraction(8)))
    with pytest.raises(TextError, match="replayed, this is no all_gather of 9 flits among 4 members: chunks"):
        read_schedule(file, network, platform, Operation("all_gather", platform.members, Fraction(9)))
    (choices,) = proposed([str(file)], network, platform, gather)
    with pytest.raises(NetworkError, match="is for 8 flits, not 16"):
        choices[0].schedule(Fraction(16))
    code, _, err = run("ring(5)", *words[1:], "--algorithm", str(file))
    assert (code, "no terminal" in err or "no channel" in err or "replayed" in err) == (2, True), err
    document = json.loads(file.read_text())
    document["transfers"] = document["transfers"][1:]
    file.write_text(json.dumps(document))
    with pytest.raises(TextError, match="replayed, this is no all_gather"):
        read_schedule(file, network, platform, gather)
    bad = {"[]": "an object with", '{"transfers": []}': "has none", '{"transfers": [3]}': "transfer 0: an object"}
    for text, reason in bad.items():
        file.write_text(text)
        with pytest.raises(TextError, match=reason):
            read_schedule(file, network, platform, gather)
    table = tmp_path / "s.csv"
    table.write_text("step,chunk\n0,0\n")
    with pytest.raises(TextError, match=r"s\.csv:1: a schedule has the columns .* is missing"):
        read_schedule(table, network, platform, gather)


def test_files_have_nanoseconds_and_bytes_with_units_and_are_read_again(tmp_path: Path) -> None:
    network = network_named("ring(4)")
    platform = platform_of(network)
    gather = Operation("all_gather", platform.members, Fraction(2000))
    made = timed(textbook(platform, gather, "ring").pipelined(3))
    for name in ("ring.csv", "ring.json"):
        write_schedule(made, network, tmp_path / name, Units.of("2 GHz, 32 B"))
        assert read_schedule(tmp_path / name, network, platform, gather).time == made.time
    document = json.loads((tmp_path / "ring.json").read_text())
    assert document["units"] == {"clock_ghz": 2.0, "flit_bytes": 32.0}
    assert (document["time_ns"], document["size_bytes"]) == (pytest.approx(float(made.time) / 2), 64_000)
    rows = rows_of(tmp_path / "ring.csv")
    assert all(float(row["start_ns"]) == pytest.approx(float(Fraction(row["start"])) / 2, abs=1e-3) for row in rows)
    assert {row["bytes"] for row in rows} == {"21333.333"}
