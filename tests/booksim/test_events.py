"""Buffers after every cycle, of the packets that BookSim was given, against digests of what BookSim did.

``python -m benchmarks.booksim_events CLONE --record`` writes the digests. All packets of these cases have one way.
"""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.booksim.events import Fed, Recorded, drawn_packets, engine_of
from unknot_booksim import read_setup

CASES = json.loads((Path(__file__).parents[1] / "cases" / "booksim_events.json").read_text(encoding="utf-8"))


def states_of(case: dict[str, Any], folder: Path, seed: int = 1) -> str:
    path = folder / "events.cfg"
    path.write_text(case["text"])
    setup = read_setup(path, faithful=True)
    into, out_of = ({(s, r, p): first for s, r, p, first in case[name]} for name in ("into", "out_of"))
    done = Recorded(into, out_of, [(s, r, p) for s, r, p in case["ports"]])
    packets = drawn_packets(setup, case["cycles"], random.Random(seed))
    fed = Fed(setup, engine_of(setup, done), done, packets)
    states = np.array(list(fed.after_each_cycle(case["cycles"])))
    return hashlib.sha256(states.tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"].replace(";", " "))
def test_every_buffer_is_as_in_booksim_after_every_cycle(case: dict[str, Any], tmp_path: Path) -> None:
    assert states_of(case, tmp_path) == case["digest"]


def test_other_packets_have_another_digest(tmp_path: Path) -> None:
    assert states_of(CASES[0], tmp_path, seed=2) != CASES[0]["digest"]
