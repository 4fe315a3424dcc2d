"""Planted faults are named, and hardly anything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from tests.fabrics.diagnosis.drawn_families import FAMILIES, MORE, Drawn, Fault
from tests.fabrics.diagnosis.planted import drawn, text, thin_bundles, without_a_switch
from unknot.fabrics import read_fabric
from unknot.fabrics.diagnosis import Diagnosis, Finding, diagnose

Families = Sequence[Callable[[Random], Drawn]]
CABLES = {"missing cable", "misplaced cable", "swapped cables", "extra cable"}
WORDS = {
    "missing": CABLES - {"extra cable"},
    "extra": CABLES - {"missing cable"},
    "swap": CABLES,
    "slow": {"slow cable"},
    "spine": {"host on a spine"},
}


def naming(fault: Fault, found: Diagnosis) -> list[Finding]:
    """The findings that name a fault: each wrong cable, both switches of each missing one, the host; else none."""
    some = [one for one in found.findings if one.fault in WORDS[fault.kind]]
    parts = [[one for one in some if cable.names & set(one.cables)] for cable in fault.cables]
    parts += [
        [one for one in some if one.fault != "extra cable" and pair <= set(one.switches)] for pair in fault.missing
    ]
    parts += [[one for one in some if fault.host in one.words]] if fault.host else []
    return [one for part in parts for one in part] if all(parts) else []


def tried(seed: int, folder: Path, families: Families = FAMILIES) -> tuple[Drawn, Diagnosis, int, int]:
    """A fabric, its diagnosis, the faults that are not named, and the findings that are none."""
    return judged(drawn(seed, families), folder)


def judged(fabric: Drawn, folder: Path) -> tuple[Drawn, Diagnosis, int, int]:
    """The same of a fabric."""
    file = folder / "fabric.ibnetdiscover"
    file.write_text(text(fabric))
    found = diagnose(read_fabric(file))
    named = [naming(fault, found) for fault in fabric.faults]
    right = {id(one) for some in named for one in some}
    return fabric, found, sum(not some for some in named), sum(id(one) not in right for one in found.findings)


@pytest.mark.parametrize("seed", [2, 5, 6, 7, 9, 10, 22, 40])
def test_planted_faults_are_named_and_nothing_else(seed: int, tmp_path: Path) -> None:
    fabric, found, missed, false = tried(seed, tmp_path)
    assert fabric.faults
    assert (found.structure.kind, missed, false) == (fabric.kind, 0, 0)


@pytest.mark.parametrize("seed", range(4))
def test_planted_faults_of_other_families_are_named(seed: int, tmp_path: Path) -> None:
    fabric, found, missed, false = tried(seed, tmp_path, MORE)
    assert (found.structure.kind, missed, false) == (fabric.kind, 0, 0)


@pytest.mark.campaign
@pytest.mark.parametrize("families", [FAMILIES, MORE])
def test_of_many_faults_nearly_all_are_named(families: Families, tmp_path: Path) -> None:
    every = [tried(seed, tmp_path, families) for seed in range(1000, 1200)]
    faults = sum(len(fabric.faults) for fabric, *_ in every)
    cables = sum(len(fabric.between) for fabric, *_ in every)
    missed, false = sum(row[2] for row in every), sum(row[3] for row in every)
    print(
        f"{faults - missed} of {faults} faults named, {false} false alarms on {cables} cables of {len(every)} fabrics"
    )
    assert missed <= 0.02 * faults
    assert false <= 0.001 * cables


def thin(seed: int, folder: Path) -> tuple[int, int, int]:
    """Thin bundles of a fabric, those that are not named with all cables that they lack, and other findings."""
    fabric, found, missed, false = judged(thin_bundles(seed), folder)
    lacking = {pair: len(fault.missing) for fault in fabric.faults for pair in fault.missing}
    told = {frozenset(one.switches): one.count for one in found.findings if one.fault == "missing cable"}
    return len(lacking), max(missed, sum(told.get(pair) != lost for pair, lost in lacking.items())), false


def a_switch_less(seed: int, folder: Path) -> tuple[bool, int, int]:
    """Whether a missing switch is named by an older dump; other findings with it, and findings without it."""
    whole, left, gone = without_a_switch(seed)
    for name, fabric in (("whole", whole), ("left", left)):
        (folder / f"{name}.ibnetdiscover").write_text(text(fabric, whole))
    fabric = read_fabric(folder / "left.ibnetdiscover")
    planned = diagnose(fabric, intended=folder / "whole.ibnetdiscover").findings
    before = read_fabric(folder / "whole.ibnetdiscover")
    guid = next(guid for guid, r in before.router_of.items() if before.network.router_name(r) == gone)
    count = sum(gone in cable.nodes for cable in whole.cables)
    lack = ("missing switch", (f"0x{guid:016x}",), count)
    named = [one for one in planned if (one.fault, one.switches, one.count) == lack]
    return bool(named), len(planned) - len(named), len(diagnose(fabric).findings)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_thin_bundles_are_named_with_all_cables_that_they_lack(seed: int, tmp_path: Path) -> None:
    bundles, missed, false = thin(seed, tmp_path)
    assert (bundles > 0, missed, false) == (True, 0, 0)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_missing_switch_is_named_by_a_plan(seed: int, tmp_path: Path) -> None:
    assert a_switch_less(seed, tmp_path)[:2] == (True, 0)


@pytest.mark.campaign
def test_of_many_thin_bundles_and_missing_switches_nearly_all_are_named(tmp_path: Path) -> None:
    bundles, missed, false = map(sum, zip(*(thin(seed, tmp_path) for seed in range(2000, 2200)), strict=True))
    switches = [a_switch_less(seed, tmp_path) for seed in range(3000, 3200)]
    print(f"{bundles - missed} of {bundles} thin bundles named, {false} false alarms")
    named, beside, unplanned = map(sum, zip(*switches, strict=True))
    print(f"{named} of {len(switches)} missing switches named, {beside} other findings; {unplanned} without plan")
    assert missed <= 0.02 * bundles
    assert false == 0
    assert (named, beside) == (len(switches), 0)
