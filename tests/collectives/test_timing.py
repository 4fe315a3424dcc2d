"""Starts of transfers: at full rates, and at rates at which all pass beside each other."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from benchmarks.collective_gaps import KINDS, drawn

from unknot._base.errors import TextError
from unknot.certificates import document
from unknot.certificates.plain import Rejected, accept
from unknot.network.families import ring
from unknot_collectives import Operation, Platform, optimal, platform_of
from unknot_collectives.choice import best, candidates
from unknot_collectives.operation import ROOTED
from unknot_collectives.platform import Channel
from unknot_collectives.schedule_files import read_schedule, write_schedule
from unknot_collectives.timing import longest_chain, steady


@pytest.mark.parametrize("kind", KINDS)
def test_steady_schedules_are_right_and_take_what_their_depth_says(kind: str) -> None:
    draw = random.Random(KINDS.index(kind))
    for _ in range(3):
        platform = drawn(draw, 5)
        root = draw.choice(platform.members) if kind in ROOTED else None
        made = optimal(platform, Operation(kind, platform.members, Fraction(draw.randint(1, 60)), root))
        late, deep = longest_chain(made)
        for pieces in (1, 3):
            order = steady(made, pieces)
            exact = order.exact()
            accept(document(None, None, [exact.claim()]))
            assert exact.time <= order.time + 1e-9
            assert order.time <= late + float(made.busiest) * (pieces + deep - 1) / pieces + 1e-9
            assert {*exact.starts} - {0} or deep == 1


def test_a_slow_transfer_passes_beside_a_fast_one() -> None:
    """Node 0 needs all of the time; at full rates what comes from node 1 would stop it for a part."""
    ends = {(0, 4): (1, 3), (0, 1): (1, 3), (2, 3): (2, 0), (1, 4): (4, 3), (2, 4): (4, 0)}
    channels = [
        Channel(*pair, Fraction(r), Fraction(t)) for (a, b), (r, t) in ends.items() for pair in ((a, b), (b, a))
    ]
    platform = Platform("drawn", 5, tuple(channels), (0, 1, 2, 3))
    whole = Operation("all_reduce", platform.members, Fraction(149))
    made = best(candidates(platform, whole, ["optimal"]), whole.size)
    assert made.time < 93
    assert any(sent.rate for sent in made.transfers)


@pytest.mark.parametrize(("rate", "words"), [("x", "rate is a positive number"), ("1/2", "has a start")])
def test_rates_of_a_file_are_numbers_beside_starts(tmp_path: Path, rate: str, words: str) -> None:
    head, *rows = Path("examples/collectives/allreduce-ring.csv").read_text().splitlines()
    file = tmp_path / "ring.csv"
    file.write_text("\n".join([f"{head},rate", *(f"{row},{rate}" for row in rows)]))
    platform = platform_of(ring(4))
    with pytest.raises(TextError, match=f":2: .*{words}"):
        read_schedule(file, ring(4), platform, Operation("all_reduce", platform.members, Fraction(4)))


def test_rates_are_kept_in_a_file(tmp_path: Path) -> None:
    platform = platform_of(ring(4))
    whole = Operation("all_gather", platform.members, Fraction(8))
    made = steady(optimal(platform, whole), 2).exact()
    for file in (tmp_path / "made.csv", tmp_path / "made.json"):
        write_schedule(made, ring(4), file)
        read = read_schedule(file, ring(4), platform, whole)
        assert (read.transfers, read.starts, read.time) == (made.transfers, made.starts, made.time)


def test_rates_above_a_channel_are_rejected() -> None:
    one = Channel(0, 1, Fraction(2), Fraction(1))
    platform = Platform("pair", 2, (one, replace(one, source=1, target=0)), (0, 1))
    claim = steady(optimal(platform, Operation("broadcast", (0, 1), Fraction(4), 0)), 2).exact().claim()
    accept(document(None, None, [claim]))
    claim["proof"]["rates"][0] = [3, 1]
    with pytest.raises(Rejected, match="above 2"):
        accept(document(None, None, [claim]))
