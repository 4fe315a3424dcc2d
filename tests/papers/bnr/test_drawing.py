"""The drawn table of best networks for routing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from unknot.network.families import mesh
from unknot.report.picture import Drawing, rendered
from unknot.routing import dimension_order, pbfaa, planar_adaptive, vba
from unknot_papers.bnr import bnr
from unknot_papers.bnr.drawing import draw_bnr


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")]


@pytest.mark.long
def test_every_class_has_a_line_and_every_forbidden_path_a_picture() -> None:
    relation = planar_adaptive(mesh(2, 2, 3))
    table = bnr(relation)
    svg = draw_bnr(relation, table, ["because"]).text
    assert svg == draw_bnr(relation, table, ["because"]).text
    shown = texts(svg)
    missing = [row for row in table if not row.provided]
    assert shown[0] == f"planar_adaptive on mesh(2, 2, 3): {8 - len(missing)} of 8 BNRs provided"
    assert [text for text in shown if re.fullmatch("[+−]{3}", text)] == [row.name for row in table]
    assert [text[6:] for text in shown if text.startswith("class ")] == [row.name for row in missing]
    for row in missing:
        assert row.forbidden is not None
        assert row.forbidden.describe(relation) in shown
    assert "– because" in shown
    refused = svg.count('stroke="#d55e00"')
    assert refused == len(missing)
    assert rendered(Drawing(svg), "png").startswith(b"\x89PNG")


def test_what_holds_and_what_is_lost_by_choice() -> None:
    relation = vba(mesh(3, 3))
    assert "Minimal, deadlock-free and fully adaptive." in texts(draw_bnr(relation, bnr(relation), []).text)
    relation = pbfaa(mesh(3, 3), returns=False)
    shown = texts(draw_bnr(relation, bnr(relation)).text)
    assert sum(text.startswith("none; but bound for") for text in shown) == 2
    assert not any("fully adaptive" in text for text in shown)
    assert "no messages" in texts(draw_bnr(vba(mesh(3, 1)), bnr(vba(mesh(3, 1)))).text)


@pytest.mark.long
def test_many_paths_are_counted_instead_of_drawn() -> None:
    relation = dimension_order(mesh(*[2] * 6))
    table = bnr(relation)
    missing = sum(not row.provided for row in table)
    assert f"{missing - 32} paths not drawn" in texts(draw_bnr(relation, table).text)
    assert not any(
        text.startswith("class ") for text in texts(draw_bnr(dimension_order(mesh(33, 32)), table[:0]).text)
    )
