"""What is wrong in a technology file is shown where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulation.energy.technologies import NOXIM, OWN, gates
from unknot._base.errors import TextError, UnknotError
from unknot.simulation.energy.gates import GateTechnology
from unknot.simulation.energy.noxim import TableTechnology
from unknot.simulation.energy.option import energy_of, read_technology
from unknot.simulation.energy.own import OwnTechnology


@pytest.mark.parametrize(
    ("text", "kind"),
    [(OWN, OwnTechnology), (gates(), GateTechnology), (NOXIM, TableTechnology)],
    ids=["own", "booksim", "noxim"],
)
def test_three_forms_are_told_apart(tmp_path: Path, text: str, kind: type) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    assert isinstance(read_technology(tmp_path / "file"), kind)
    (tmp_path / "file").write_bytes(text.replace("\n", "\r\n").encode())
    assert isinstance(read_technology(tmp_path / "file"), kind)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (OWN.replace('link = "17', 'lnk = "17'), "9:1", "unknown key 'lnk'; did you mean link"),
        (OWN.replace('link = "17 pJ/bit/mm"\n', ""), "1:1", "link is missing here"),
        (OWN.replace("17 pJ/bit/mm", "17 pJ/bit"), "9:8", "link is in pJ/bit/mm, got 'pJ/bit'"),
        (OWN.replace("17 pJ/bit/mm", "17 mW"), "9:8", "link is in pJ/bit/mm, got 'mW'"),
        (OWN.replace("17 pJ/bit/mm", "-17 pJ/bit/mm"), "9:8", "link is at least 0, got '-17 pJ/bit/mm'"),
        (OWN.replace("17 pJ/bit/mm", "nan pJ/bit/mm"), "9:8", "link is at least 0, got 'nan pJ/bit/mm'"),
        (OWN.replace('"17 pJ/bit/mm"', "17"), "9:8", 'link is a number with the unit pJ/bit/mm, such as "0.5 pJ'),
        (OWN.replace("43 um/bit", "0 um/bit"), "16:18", "crossbar_pitch is above 0"),
        ("no technology", "1:4", "not valid TOML"),
        (gates().replace("Vdd =", "Vd ="), "10:1", "unknown key 'Vd'; did you mean Vdd"),
        (gates().replace("Vdd = 0.9", "Vdd = -0.9"), "10:7", "Vdd is a number above 0, got '-0.9"),
        (gates().replace("Vdd = 0.9", "Vdd = nan"), "10:7", "Vdd is a number above 0"),
        (gates() + "Vdd = 1;\n", "26:1", "Vdd is given twice"),
        (gates() + "  Vdd: 1;\n", "26:3", "expected KEY = NUMBER;"),
        (NOXIM.replace("LinkBitLine", "LinkLine"), "4:5", "unknown key 'LinkLine'; did you mean LinkBitLine"),
        (NOXIM.replace("[8, 64, 7e-3,", "[8, 64,"), "3:9", "expected [depth, flit width, leakage, push, front, pop]"),
        (NOXIM.replace("7e-3", "-7e-3"), "3:9", "as numbers from 0 on"),
        (NOXIM.replace("7e-3", "nan"), "3:9", "as numbers from 0 on"),
        (NOXIM.replace("            default:     [2e-4, 5e-14]\n", ""), "1:1", "selection is missing here"),
        (NOXIM + "    Buffer:\n", "21:5", "Buffer is given twice"),
    ],
)  # fmt: skip
def test_errors_show_the_place(tmp_path: Path, text: str, place: str, words: str) -> None:
    file = tmp_path / "file"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TextError) as raised:
        read_technology(file)
    assert str(raised.value).startswith(f"{file}:{place}: ")
    assert words in str(raised.value)
    assert str(raised.value).rstrip().endswith("^")


def test_a_key_of_booksim_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "tech").write_text(gates().replace("Rw =", "// Rw ="), encoding="utf-8")
    with pytest.raises(UnknotError, match="Rw is missing, and nothing can stand for it"):
        read_technology(tmp_path / "tech")


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("nothing.toml, pitch=1", "1:1", "'nothing.toml' is no file and no technology"),
        ("45nm, ptch=1", "1:7", "unknown option 'ptch'; did you mean pitch"),
        ("45nm, pitch=1 mW", "1:7", "pitch is in mm, got 'mW'"),
        ("45nm, pitch=x", "1:7", "pitch is a number with the unit mm"),
        ("45nm, pitch=1, pitch=2", "1:16", "pitch is given twice"),
        ("45nm, pitch=0", "1:7", "pitch is above 0"),
        ("45nm, pitch=1, channel_length=2", "1:1", "both say how long channels are"),
    ],
)
def test_errors_of_options_show_the_place(text: str, place: str, words: str) -> None:
    with pytest.raises(TextError) as raised:
        energy_of(text, "--energy")
    assert str(raised.value).startswith(f"--energy:{place}: ")
    assert words in str(raised.value)


def test_a_file_elsewhere_is_refused_where_it_must_not_be(tmp_path: Path) -> None:
    (tmp_path / "tech.toml").write_text(OWN, encoding="utf-8")
    inside = tmp_path / "inside"
    inside.mkdir()
    with pytest.raises(UnknotError, match="outside the folder"):
        energy_of("../tech.toml", folder=inside, confined=True)
    assert energy_of("tech.toml", folder=tmp_path, confined=True) is not None
