"""Files, tables and lines removed from folders of InfiniBand fabrics make no silent yes of a NO or an open answer."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest

from tests.fabrics.folders import EXAMPLES
from unknot._base.errors import UnknotError
from unknot.fabrics import read_fabric
from unknot.verify.audit import audit

RING, TREES = EXAMPLES / "opensm-ring12-lash", EXAMPLES / "opensm-torus4x4-updn-multicast"
BEGINS = re.compile(r"Unicast lids|dump_ucast_routes|Switch 0x|Channel Adapter|vendid|Multicast mlids")
"""First line of a table, or of a node."""
TELL_ALL = "opensm.far"
"""A file without which nothing in the folder tells that routing is adaptive."""


def folders(place: Path) -> dict[str, Path]:
    """Folders that are not judged yes: by a cyclic order, levels, lanes, groups, hosts cut off, adaptive routing."""
    found = {name: place / name for name in ("plain", "levels", "lanes", "one", "adaptive", "groups", "cut")}
    for name, folder in found.items():
        shutil.copytree(TREES if name == "groups" else RING, folder)
    for name in ("plain", "one"):
        (found[name] / "paths.psl").unlink()
    for file in ("opensm.fdbs", "opensm-sl2vl.dump", "opensm-subnet.lst"):
        (found["one"] / file).unlink()
    (found["cut"] / "opensm.fdbs").unlink()
    file = found["cut"] / "opensm-lfts.dump"
    lines = file.read_text().splitlines(keepends=True)
    lines.remove(next(line for line in lines if "'H3'" in line))
    file.write_text("".join(lines))
    (found["adaptive"] / TELL_ALL).write_text("AR 1\n")
    levels, lanes = found["levels"] / "paths.psl", found["lanes"] / "opensm-sl2vl.dump"
    levels.write_text(re.sub(r"\d+$", "0", levels.read_text(), flags=re.M))
    lanes.write_text(re.sub(r"^(\d+ +\d+ +:).*$", r"\1" + " 0" * 16, lanes.read_text(), flags=re.M))
    return found


def judged(folder: Path) -> tuple[str, set[str]]:
    """The answer on a folder, and all that is said of its files; a folder that is refused has no answer."""
    try:
        fabric = read_fabric(folder)
        if fabric.tables is None:
            return "refused", set()
        found = audit(fabric, only_hosts=True)
    except UnknotError as error:
        return "refused", {str(error)}
    said = (*fabric.notes, *fabric.assumed, *fabric.adaptive, found.assumption)
    return found.answer, {words.replace(str(folder), "") for words in said}


def removed(draw: random.Random, folder: Path) -> str:
    """Remove something from a folder; return it in words."""
    file = draw.choice(sorted(folder.iterdir()))
    lines = file.read_text().splitlines(keepends=True)
    kind = draw.choice(("file", "table", "line", "lines"))
    if kind == "file" or not lines:
        file.unlink()
        return file.name
    begin = draw.randrange(len(lines))
    end = begin + draw.choice((1, 2, 8, 40)) if kind == "lines" else begin + 1
    if kind == "table":
        starts = [i for i, line in enumerate(lines) if BEGINS.match(line)] or [0]
        begin = draw.choice(starts)
        end = min((start for start in starts if start > begin), default=len(lines))
    file.write_text("".join(lines[:begin] + lines[end:]))
    return f"{file.name}: lines {begin + 1} to {end}"


@pytest.mark.campaign
def test_a_removal_makes_no_yes_in_silence(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    draw, wrong = random.Random(request.config.option.hypothesis_seed or 0), []
    whole = folders(tmp_path)
    before = {name: judged(folder) for name, folder in whole.items()}
    assert "yes" not in {answer for answer, _ in before.values()}, before
    for _ in range(200):
        name = draw.choice(sorted(whole))
        folder = tmp_path / "less"
        shutil.copytree(whole[name], folder)
        what = removed(draw, folder)
        answer, said = judged(folder)
        if answer == "yes" and said <= before[name][1] and what != TELL_ALL:
            wrong.append(f"{name}: {before[name][0]} became yes without {what}")
        shutil.rmtree(folder)
    assert wrong == []
