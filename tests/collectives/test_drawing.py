"""Channels of schedules over time: busy as long as their bytes take, never two transfers at once, all drawn."""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise

import pytest

from unknot._base.units import Scale
from unknot.network.families import ring
from unknot_collectives import Operation, platform_of, textbook, timed
from unknot_collectives.drawing import MOST_ROWS, busy_scene, busy_times, draw_busy_channels


@pytest.mark.parametrize("kind", ["all_gather", "all_reduce"])
@pytest.mark.parametrize("starts", [False, True])
def test_channels_are_busy_for_their_bytes_and_one_transfer_at_a_time(kind: str, starts: bool) -> None:
    platform = platform_of(ring(5))
    schedule = textbook(platform, Operation(kind, platform.members, Fraction(10)), "ring")
    schedule = timed(schedule) if starts else schedule
    busy = busy_times(schedule)
    loads: defaultdict[int, Fraction] = defaultdict(Fraction)
    for sent in schedule.transfers:
        for channel in sent.path:
            loads[channel] += schedule.chunks[sent.chunk].size
    assert busy.keys() == loads.keys()
    for channel, spans in busy.items():
        spans = sorted(spans)
        assert sum(end - start for start, end, _ in spans) == pytest.approx(float(loads[channel]))
        assert all(before[1] <= after[0] + 1e-9 for before, after in pairwise(spans))
        assert spans[-1][1] <= float(schedule.time) + 1e-9
    adding = sum(end - start for spans in busy.values() for start, end, adds in spans if adds)
    added = sum(schedule.chunks[sent.chunk].size * len(sent.path) for sent in schedule.transfers if sent.reduces)
    assert adding == pytest.approx(float(added))
    assert (adding > 0) == (kind == "all_reduce")


def test_times_have_their_unit_and_no_power_of_ten() -> None:
    platform = platform_of(ring(4))
    names = [str(node) for node in range(platform.num_nodes)]
    schedule = textbook(platform, Operation("all_gather", platform.members, Fraction(4_000_000)), "ring")
    for scale, ticks in (
        (Scale(), ("3,000,001", "6,000,002", "12,000,003 cycles")),
        (Scale.of("2 GHz, 16 B"), ("1.5", "3", "6 ms")),
    ):
        picture, scene = draw_busy_channels(schedule, names, scale).text, busy_scene(schedule, ring(4), names, scale)
        assert all(f">{tick}<" in picture for tick in ticks)
        assert scene.words == f"12 channels over {ticks[-1]}, by the model."
        assert scene.data["busy"]["unit"] == ticks[-1].split()[1]
        assert scene.data["busy"]["end"] == pytest.approx(float(ticks[-1].split()[0].replace(",", "")), rel=1e-5)
        assert not re.search(r"\de[+-]?\d[^<{]*</text", picture)


def test_each_channel_has_a_row_and_the_less_busy_ones_are_counted() -> None:
    platform = platform_of(ring(5))
    names = [f"n{node}" for node in range(platform.num_nodes)]
    schedule = textbook(platform, Operation("all_gather", platform.members, Fraction(10)), "ring")
    svg = draw_busy_channels(schedule, names).text
    assert len(re.findall("busy 9[0-9]% of the time|busy 100% of the time", svg)) == len(busy_times(schedule)) == 15
    assert "left out" not in svg
    large = platform_of(ring(40))
    schedule = textbook(large, Operation("all_gather", large.members, Fraction(10)), "ring")
    svg = draw_busy_channels(schedule, [str(node) for node in range(large.num_nodes)]).text
    assert f"{120 - MOST_ROWS} less busy ones are left out" in svg
