"""Studies and curves of flow controls of a relation: the same proofs and runs as of `check` and `simulate`."""

from __future__ import annotations

from pathlib import Path

import pytest

import unknot
from unknot._base.errors import RelationError, UnknotError
from unknot.routing.flow_controls import damq
from unknot.studies import load_study, run_study

STUDY = """
[common]
network = "torus(4, 4)"
routing = "dimension_order"
vcs = 2
packet_length = 2
buffer_depth = 8
[[design]]
switching = SWITCHING
[simulation]
loads = [0.1]
warmup = 50
measure = 200
"""
OWN = """
from unknot.routing.flow_controls import damq

def mine(relation, *, reserved=0):
    return damq(relation, slots=2, reserved=reserved)
"""


def written(folder: Path, switching: str) -> Path:
    """A study file with these flow controls."""
    file = folder / "study.toml"
    file.write_text(STUDY.replace("SWITCHING", switching))
    return file


@pytest.mark.long
def test_designs_are_proved_and_run_as_by_themselves(tmp_path: Path) -> None:
    texts = ["damq(slots=3)", "damq(slots=4, reserved=0)", "bubble('localised')", "cbfc(cell=2)", "whole_packet"]
    study = load_study(written(tmp_path, str(texts).replace("'", '"').replace('"localised"', "'localised'")))
    notes: list[str] = []
    first = run_study(study, jobs=1)
    for text, design in zip(texts, first.designs, strict=True):
        assert design.holds is (text != "damq(slots=4, reserved=0)")
        (run,) = design.runs
        alone = unknot.simulation.simulate(
            design.relation, 0.1, switching=text, packet_length=2, buffer_depth=8, warmup=50, measure=200
        )
        assert (run.latency_mean, run.accepted_load, run.flow) == (
            alone.latency_mean,
            alone.accepted_load,
            alone.flow,
        )
        assert design.verdict.flow == run.flow is not None
    told: list[str] = []
    again = run_study(study, jobs=1, note=notes.append, progress=lambda stage, *_: told.append(stage))
    assert [design.rows for design in again.designs] == [design.rows for design in first.designs]
    assert not notes
    assert all(stage.endswith("kept from before") for stage in told if ": " in stage)


@pytest.mark.long
def test_code_is_run_where_it_may_be_and_its_flow_control_is_in_the_key(tmp_path: Path) -> None:
    file = written(tmp_path, '"own.py:mine(reserved=1)"')
    (tmp_path / "own.py").write_text(OWN)
    with pytest.raises(UnknotError, match=r"toml:9:13: 'own.py:mine\(reserved=1\)' runs a Python file.*--allow-code"):
        load_study(file)
    (design,) = run_study(load_study(file, allow_code=True), jobs=1).designs
    assert design.holds is True
    (tmp_path / "own.py").write_text(OWN.replace("reserved=reserved", "reserved=0"))
    (design,) = run_study(load_study(file, allow_code=True), jobs=1).designs
    assert design.holds is False


@pytest.mark.parametrize(
    ("switching", "message"),
    [
        ("damk()", "study.toml:9:14: unknown flow control 'damk'; did you mean damq"),
        ("damq(slots=-1)", "study.toml:9:13: slots must be a whole number of at least 0, got -1"),
        ("damq(slots=9)", "study.toml:9:13: .*have room for 4 packets of 2, not for 10"),
        ("bubble('global', rings='r.toml')", "study.toml:9:13: .*reads a file of rings"),
    ],
)
def test_what_cannot_be_is_shown_where_it_stands(tmp_path: Path, switching: str, message: str) -> None:
    with pytest.raises(UnknotError, match=message):
        load_study(written(tmp_path, f'"{switching}"'))


def test_curves_have_the_flow_control_of_each_relation() -> None:
    curves = unknot.studies.curve(
        "ring(4)", routing=["dimension_order", "fully_adaptive"], vcs=2, switching="damq(slots=2)", packet_length=2,
        loads=[0.1], measure=200,
    )  # fmt: skip
    for design in curves.designs:
        (run,) = design.runs
        assert run.flow == design.verdict.flow == damq(design.relation, slots=2)
        assert run.rows[0]["switching"] == "damq(slots=2, reserved=1)"


def test_other_functions_refuse_flow_controls_by_name() -> None:
    with pytest.raises(UnknotError, match=r"'damq\(\)' is a flow control of a relation"):
        unknot.simulation.closed_loop("ring(4)", routing="dimension_order", switching="damq()", requests=1)
    with pytest.raises(RelationError, match="packets hold buffers as under vct, so it goes with vct, not with saf"):
        unknot.verify.check("ring(4)", "saf", routing="dimension_order", flow="damq()")
    assert unknot.simulation.zero_load_latency(
        "ring(4)", routing="dimension_order", switching="damq()"
    ) == unknot.simulation.zero_load_latency("ring(4)", routing="dimension_order")
