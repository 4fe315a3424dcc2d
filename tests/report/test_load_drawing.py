"""The drawing of where the load sits."""

from __future__ import annotations

import re

import numpy as np
import pytest

from unknot._base.errors import UnknotError
from unknot.network.families import line, mesh, ring
from unknot.report import draw_load
from unknot.report.drawing import RAMP, colour
from unknot.report.picture import Drawing, rendered


def test_colours_run_from_one_end_of_the_ramp_to_the_other() -> None:
    assert (colour(0.0), colour(0.5), colour(1.0), colour(7.0)) == (RAMP[0], RAMP[2], RAMP[-1], RAMP[-1])
    red, green, blue = np.array([[int(colour(k / 50)[i : i + 2], 16) for i in (1, 3, 5)] for k in range(51)]).T
    light = 0.21 * red + 0.72 * green + 0.07 * blue
    assert (np.diff(light) < 0).all()


def test_every_channel_has_its_colour() -> None:
    network = mesh(2, 2)
    drawn = draw_load(network, np.arange(8) / 10, note="a note & more").text
    for c in range(8):
        assert f'stroke="{colour(c / 10 / 0.8)}"' in drawn  # the scale ends at 0.8
    assert "busiest channel 0.7 flits per cycle, mean 0.35" in drawn
    assert "a note &amp; more" in drawn
    assert re.findall(r">(0|0\.4|0\.8)</text>", drawn) == ["0", "0.4", "0.8"]
    assert rendered(Drawing(drawn), "png").startswith(b"\x89PNG")


def test_no_load_and_no_channels() -> None:
    assert "busiest channel 0 flits" in draw_load(ring(3), np.zeros(6)).text
    assert "busiest channel 0 flits" in draw_load(line(1), []).text


def test_what_does_not_fit() -> None:
    with pytest.raises(UnknotError, match="each of the 6 channels"):
        draw_load(ring(3), [0.1, 0.2])
    assert "Too large to draw" in draw_load(ring(5000), np.full(10_000, 0.5), view="whole").text
