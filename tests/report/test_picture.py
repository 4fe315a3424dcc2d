"""PNG shows what SVG shows."""

from __future__ import annotations

import pickle
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from tests.cli.test_cli import refused
from tests.report.examples import named, ring_knot, run
from tests.report.test_placement import NETWORKS
from unknot._base.errors import UnknotError
from unknot.network import from_edges
from unknot.network.families import complete, mesh, ring, torus
from unknot.report import draw_configuration, draw_curves, draw_network
from unknot.report.picture import Drawing, rendered, write_picture
from unknot.report.shapes import HEAD
from unknot.report.sheet import Sheet
from unknot.report.svg_axes import LINES, SCALE

VARIED = {"one", "no channels", "torus", "hypercube", "loops and twins", "pieces", "faults", "fat tree", "dragonfly"}
"""Networks whose pictures differ in kind."""


def pixels(drawing: Drawing) -> np.ndarray:
    """Rows, columns, and red, green, blue from 0 to 1."""
    image: np.ndarray = imread(BytesIO(rendered(drawing, "png")))
    return image[:, :, :3]


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize(
    "name", [n if n in VARIED else pytest.param(n, marks=pytest.mark.campaign) for n in NETWORKS]
)
def test_every_router_is_on_the_picture(name: str) -> None:
    sheet = Sheet.of(NETWORKS[name])
    image = pixels(draw_network(NETWORKS[name], view="whole"))[SCALE * HEAD :]
    image = image[: round(SCALE * sheet.height)]
    assert image.shape[:2] == pytest.approx((SCALE * sheet.height, SCALE * sheet.width), abs=2)
    for z in sheet.place.tolist():
        around = [z + sheet.radius * 1j**k for k in range(4)]
        rim = [
            image[
                round(SCALE * p.imag) - 2 : round(SCALE * p.imag) + 3,
                round(SCALE * p.real) - 2 : round(SCALE * p.real) + 3,
            ]
            for p in around
        ]
        assert all(piece.min() < 0.8 for piece in rim)
    assert image[:4].min() == image[:, :4].min() == 1.0


@pytest.mark.parametrize("network", [ring(4), torus(6, 5)])
def test_links_are_on_the_picture(network: object) -> None:
    sheet = Sheet.of(network)  # type: ignore[arg-type]
    image = pixels(draw_network(network))[SCALE * HEAD :]  # type: ignore[arg-type]
    for c in range(sheet.network.num_channels):
        line = sheet.centre(c)
        p = 0.5 * (line[len(line) // 2] + line[(len(line) - 1) // 2])
        y, x = round(SCALE * p.imag), round(SCALE * p.real)
        assert image[y - 2 : y + 3, x - 2 : x + 3].min() < 0.95


def test_the_same_every_time() -> None:
    svg = draw_network(torus(4, 4))
    assert rendered(svg, "png") == rendered(svg, "png")


@pytest.mark.long
def test_configurations_are_drawn_in_colour() -> None:
    relation, configuration = ring_knot(torus(8, 8), row=3)
    image = pixels(draw_configuration(relation, configuration))
    colourful = np.ptp(image, axis=2) > 0.5
    assert colourful.sum() > 1000


def test_a_thousand_routers(tmp_path: Path) -> None:
    write_picture(draw_network(torus(32, 32)), tmp_path / "a.PNG")
    assert imread(tmp_path / "a.PNG").shape[0] > 1000


def test_names_that_no_font_has_and_that_look_like_formulas() -> None:
    network = named(mesh(2, 2), ["$x_2$", "\U000f1234", "網", "<b>&"])
    assert pixels(draw_network(network)).min() < 0.3


def test_the_ending_decides(tmp_path: Path) -> None:
    svg = draw_network(mesh(2, 2))
    write_picture(svg, tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == svg.text
    with pytest.raises(UnknotError, match=r"a\.jpg: a picture is written as \.svg, \.png or \.pdf$"):
        write_picture(svg, tmp_path / "a.jpg")
    with pytest.raises(UnknotError, match="<ellipse> cannot be drawn"):
        rendered(Drawing('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><ellipse/></svg>'), "png")


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize("form", ["png", "pdf"])
@pytest.mark.parametrize("name", ["curves", "network"])
def test_every_drawing_saves_itself_in_every_form(name: str, form: str, tmp_path: Path) -> None:
    drawn = {"curves": curves, "network": lambda: draw_network(mesh(3, 3))}[name]()
    data = drawn.save(tmp_path / f"a.{form}").read_bytes()
    assert data == rendered(pickle.loads(pickle.dumps(drawn)), form)
    if form == "png":
        assert imread(BytesIO(data)).shape[1] > 300
    else:
        assert data.startswith(b"%PDF-")
        assert b"/FontFile2" in data, "fonts are embedded as TrueType"
        assert b"/Type3" not in data
        assert b"/CreationDate" not in data


def curves() -> Drawing:
    return draw_curves({"a $b$": [run(0.1), run(0.4, stable=False)], "網": [run(0.2)]})


@pytest.mark.parametrize("command", ["show", "check", "simulate", "design"])
def test_every_command_that_draws_refuses_other_endings_with_the_list(command: str, tmp_path: Path) -> None:
    more = {"check": ["--routing", "duato"], "simulate": ["--routing", "duato", "--load", "0.1"]}
    said = refused(command, "mesh(3, 3)", *more.get(command, []), "--out", str(tmp_path / "a.jpg"))
    assert "a.jpg: " in said
    assert all(ending in said for ending in (".svg", ".png", ".pdf")), said


def test_one_way_channels_have_arrows_and_others_have_not() -> None:
    two, one = from_edges([(0, 1), (1, 2), (2, 0)]), from_edges([(0, 1), (1, 2), (2, 0)], directed=True)
    assert draw_network(one).text.count("Z") == 3
    assert draw_network(two).text.count("Z") == 0


def test_many_links_are_drawn_thin_and_pale() -> None:
    assert 'stroke-width="1.6"/>' in draw_network(complete(4)).text
    assert 'stroke-width="0.25" stroke-opacity="0.45"/>' in draw_network(complete(120)).text


def test_very_many_long_lines_are_drawn() -> None:
    """In parts, for the library has room for a few million pixels of one path; the last line of each is there."""
    lines = [f"M0,{y}L100,{y}" for y in (*[5] * (LINES - 1), 20, *[5] * (LINES - 1), 40, 60)]
    svg = f'<svg width="100" height="80"><path d="{"".join(lines)}" stroke="#000000" fill="none"/></svg>'
    image = pixels(Drawing(svg))
    for y in (5, 20, 40, 60):
        assert image[SCALE * y - 2 : SCALE * y + 2].min() < 0.5
    assert image[SCALE * 70 - 2 : SCALE * 70 + 2].min() == 1.0
