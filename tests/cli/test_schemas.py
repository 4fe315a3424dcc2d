"""What is printed and written as JSON has the published form."""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError
from typer.testing import CliRunner

from tests.fabrics.folders import EXAMPLES
from unknot._base.quantities import HOPS, Hops, Unit
from unknot._base.switching import SWITCHINGS
from unknot.certificates import Verdict, evidence_holds
from unknot.cli.answers.filling import answer
from unknot.cli.answers.form import Form, keys_of, model
from unknot.cli.answers.schemas import FILES, FORMS, json_schemas, write_schemas
from unknot.cli.answers.verdicts import VerdictForm
from unknot.cli.program import ALL, app, command_named, questions
from unknot.network.families import ring
from unknot.routing import dimension_order
from unknot.verify import check

schemas = cache(json_schemas)


@cache
def schema(name: str) -> Draft202012Validator:
    """What judges answers by the schema of this name."""
    return Draft202012Validator(schemas()[name])


def printed(*words: str) -> Any:
    """The JSON of a command, which --out writes as it is printed, and a table of its rows."""
    with TemporaryDirectory() as folder:
        file, table = Path(folder, "answer.json"), Path(folder, "answer.csv")
        result = CliRunner().invoke(app, [*words, "--json", "--out", str(file), "--out", str(table)])
        assert result.exit_code in (0, 1, 3), result.output
        found, kept = json.loads(result.stdout), json.loads(file.read_text(encoding="utf-8"))
        assert {**kept, "manifest": {**kept["manifest"], "output": "-"}} == found
        header, *rows = csv.reader(table.read_text(encoding="utf-8").splitlines())
        assert all(len(row) == len(header) for row in rows)
    return found


def test_schemas_are_written_a_file_each(tmp_path: Path) -> None:
    write_schemas(tmp_path / "schemas")
    files = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "schemas").iterdir()}
    assert files == schemas()
    assert set(files) == {*FORMS, *FILES}


@pytest.mark.sampled(1 / 8)
@pytest.mark.parametrize("name", [*FORMS, *FILES])
def test_schemas_keep_to_the_draft(name: str) -> None:
    Draft202012Validator.check_schema(schemas()[name])


def test_pages_link_only_schemas_that_are_made() -> None:
    pages = Path(__file__).parents[2].joinpath("docs").rglob("*.md")
    linked = {name for page in pages for name in re.findall(r"schemas/([\w-]+)\.json", page.read_text("utf-8"))}
    assert linked <= {*FORMS, *FILES}


@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize("words", [("duato", "3"), ("dimension_order", "1")])
def test_check(words: tuple[str, str], switching: str, tmp_path: Path) -> None:
    routing, vcs = words
    file = tmp_path / "knot.json"
    found = printed(
        "check", "torus(3, 4)", "--routing", routing, "--vcs", vcs, "--switching", switching, "--explain",
        "--export", str(file),
    )  # fmt: skip
    schema("check").validate(found)
    assert file.exists() == (found["deadlock_free"] is False)
    if file.exists():
        content = json.loads(file.read_text(encoding="utf-8"))
        schema("configuration").validate(content)
        assert content["configuration"] == found["configuration"]
        again = printed("replay", str(file))
        schema("replay").validate(again)
        assert again["accepted"] is True
        assert again["replay"]["stuck"] is True


RING = ("ring(4)", "--routing", "dimension_order")
COMMANDS = {
    "analyse": [(*RING, "--best"), ("mesh(2, 3)", "--routing", "west_first")],
    "bnr": [("mesh(2, 3)", "--routing", "west_first"), ("mesh(2, 2)", "--routing", "fully_adaptive")],
    "every-size": [("mesh(2)", "--routing", "lcfaa", "--switching", switching) for switching in ("vct", "wormhole")],
    "protocol-table": [
        (str(EXAMPLES.parent / "hangs/mi-stalls.toml"),),
        (str(EXAMPLES.parent / "controllers/turns.slicc"), "--caches", "2"),
    ],
    "protocol": [
        ("request_reply", "--network", "mesh(2)", "--routing", "dimension_order", "--time-limit", "600"),
        ("request_reply", "--network", "mesh(2)", "--routing", "message_classes"),
    ],
    "reconfigure": [("west_first", "dimension_order", "--network", "mesh(2, 2)")],
    "collective": [("ring(4)",), (*RING, "--vcs", "2", "--operation", "all_gather", "--size", "4,8")],
    "collective-program": [(str(EXAMPLES.parent / "collectives/allreduce-pairs.xml"),)],
    "convert": [("ring(4)", "{folder}/ring.graphml"), ("ring(4)", "{folder}/ring.dot")],
    "design": [
        ("routing", "mesh(2)", "--switching", "wormhole-nonatomic", "--by", "paths"),
        ("routing", "mesh(2)", "--vcs", "1/1 1/1"),
    ],
    "design-topology": [
        ("topology", "grid(2, 3)", "--ports", "2", "--one-way", "--moves", "1000"),
        ("topology", "nodes(5)", "--ports", "2", "--moves", "1000"),
    ],
    "export": [(RING[0], "{folder}/ring.json", *RING[1:]), ("ring(4)", "{folder}/ring.v", "--routing", "lanes")],
    "faults": [("mesh(2, 2)", "--routing", "up_down")],
    "faults-fabric": [(str(EXAMPLES / "opensm-ring12-lash"),)],
    "faults-repair": [
        ("ring(4)", "--routing", "lanes", "--repair"),
        ("mesh(2, 2)", "--routing", "up_down", "--repair", "--kind", "routers"),
    ],
    "itm": [("complete(4)",), ("ring(5)",)],
    "lanes": [("mesh(3, 3)",), ("ring(5)",)],
    "lanes-longer": [("ring(5)", "--lanes", "1", "--time-limit", "600")],
    "diagnose": [
        ("examples/fabrics/opensm-torus8x8-dor",),
        ("examples/fabrics/opensm-leafspine-degraded-ftree",),
        ("examples/fabrics/opensm-torus8x8-dor", "--intended", "examples/fabrics/opensm-torus8x8-updn"),
    ],
    "compare": [("ring(4) by up_down", "--failed", "0, 0.2")],
    "multicast": [RING, (*RING, "--operation", "all_gather")],
    "permute": [("butterfly(2, 2)", "3,0,1,2"), ("butterfly(2, 2)", "--random", "1")],
    "repair": [
        ("ring(5)", "--routing", "shortest_paths", "--time-limit", "600"),
        ("ring(5)", "--routing", "fully_adaptive", "--vcs", "1", "--time-limit", "600"),
    ],
    "show": [("ring(4)",), ("{{0 -- 1, 2 -- 3}}",)],
    "simulate": [
        (*RING, "--load", "0.1", "--warmup", "20", "--measure", "40", "--channels", "--interval", "10"),
        (
            *RING,
            "--load",
            "0.4",
            "--switching",
            "wormhole",
            "--packet-length",
            "1:0.5, 9:0.5",
            "--bursts",
            "0.1, 0.1",
            "--warmup",
            "500",
        ),
    ],
    "simulate-seeds": [(*RING, "--load", "0.1", "--warmup", "20", "--measure", "40", "--seeds", "2")],
    "simulate-saturation": [("mesh(2)", "--routing", "shortest_paths", "--saturation")],
    "trace": [(*RING, "--requests", "3"), (*RING, "--requests", "3", "--vcs", "2", "--classes", "request,reply")],
}
"""Words after the command; `audit` and `run` are below, `check` and `replay` above."""


CASES = [(name, words) for name, every in COMMANDS.items() if name in FORMS for words in every]


@pytest.mark.parametrize(("name", "words"), CASES)
def test_every_command(name: str, words: tuple[str, ...], tmp_path: Path) -> None:
    found = printed(_command_of(name), *(word.format(folder=tmp_path) for word in words))
    schema(name).validate(found)


def _command_of(schema: str) -> str:
    """The command whose answer has a schema: of `lanes-longer`, `lanes`."""
    return schema if schema in ALL else schema.split("-")[0]


def test_all_commands_that_print_json_have_a_schema() -> None:
    printing = {
        name.split()[0] for name in questions() if any(one.name == "json" for one in command_named(name).params)
    }
    assert printing == {_command_of(name) for name in FORMS if name not in ("configuration", "error")}


def test_run(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        "[common]\nnetwork = 'ring(4)'\nrouting = 'dimension_order'\n[[design]]\nvcs = 1\n"
        "packet_length = {1 = 0.5, 3 = 0.5}\n"
        "[[design]]\nvcs = 2\nbursts = {begin = 0.1, end = 0.1}\n"
        "[simulation]\nloads = [0.1]\nwarmup = 20\nmeasure = 40\n"
    )
    found = printed("run", str(study), "--out", str(tmp_path), "--jobs", "1")
    schema("run").validate(found)
    first, second = found["designs"]
    assert first["packet_length"] == {"1": 0.5, "3": 0.5}
    assert first["verdict"]["configuration"]["messages"][0]["source_name"] == "t0"
    assert second["bursts"] == {"begin": 0.1, "end": 0.1}
    assert [run["offered_load"] for run in second["runs"]] == [0.1]


@pytest.mark.parametrize("folder", ["opensm-torus8x8-dor", "opensm-leafspine-degraded-ftree"])
def test_audit(folder: str) -> None:
    found = printed("audit", str(EXAMPLES / folder))
    schema("audit").validate(found)
    assert found["deadlock_free"] is (folder != "opensm-torus8x8-dor")


@pytest.mark.parametrize("folder", ["frr-all-links-up", "frr-two-links-down"])
def test_audit_of_ethernet(folder: str) -> None:
    found = printed("audit", str(EXAMPLES.parent / "ethernet" / folder))
    schema("audit-ethernet").validate(found)
    assert found["deadlock_free"] is (folder == "frr-all-links-up")


def test_queues_after_faults() -> None:
    found = printed("faults", "xgft([1, 3], [1, 2])", "--routing", "bgp", "--at-once", "2", "--repair")
    schema("faults-queues").validate(found)
    assert (found["queues"], found["free"], found["valley_free_cut"]) == (2, True, 6)
    assert (found["state_queues"], found["state_lower_bound"]) == (1, 1)


def test_faults_without_an_as_plan() -> None:
    found = printed("faults", str(EXAMPLES.parent / "ethernet" / "frr-all-links-up"), "--routing", "bgp")
    schema("faults-plans").validate(found)
    assert [one["sweep"]["counts"] for one in found["plans"]] == [{"holds": 8}, {"holds": 8}]


def test_repair_of_ethernet(tmp_path: Path) -> None:
    folder = str(EXAMPLES.parent / "ethernet" / "frr-two-links-down")
    found = printed("repair", folder, "--out", str(tmp_path / "out"), "--evidence", str(tmp_path / "e.json"))
    schema("repair-ethernet").validate(found)
    assert (found["queues"], found["repaired_free"], found["repaired_losses"]) == (2, True, [])


def test_open_verdicts() -> None:
    relation = dimension_order(ring(4))
    for switching in SWITCHINGS:
        verdict = check(relation, switching)
        filled = answer(VerdictForm, verdict, of=relation, certificate_holds=evidence_holds(relation, verdict))
        _of(VerdictForm).validate(filled)
    undecided = Verdict(None, "wormhole", "exact search", "", "undecided")
    _of(VerdictForm).validate(answer(VerdictForm, undecided, of=relation, certificate_holds=None))


def _of(form: type[Form]) -> Draft202012Validator:
    return Draft202012Validator(model(form).model_json_schema(mode="serialization"))


@given(st.floats() | st.none(), st.lists(st.floats(), max_size=4))
def test_numbers_that_are_not_finite_are_null(number: float | None, several: list[float]) -> None:
    @dataclass
    class Thing:
        number: float | None
        several: tuple[float, ...]
        array: npt.NDArray[np.float64]

    thing = Thing(number, tuple(several), np.array(several))

    class ThingForm(Form, of=Thing):
        """A thing."""

    filled = answer(ThingForm, thing)
    finite = [value if math.isfinite(value) else None for value in several]
    assert filled == {
        "number": number if number is not None and math.isfinite(number) else None,
        "several": finite,
        "array": finite,
    }
    assert json.loads(json.dumps(filled, allow_nan=False)) == filled


def test_descriptions_come_from_docstrings_of_dataclasses_and_texts_below_keys() -> None:
    fields = schemas()["simulate"]["properties"]
    assert fields["hops_mean"]["description"]
    assert "Packet latency, from creation to the ejection of the tail" in fields["latency_p99"]["description"]
    below = schemas()["faults-plans"]["properties"]["survives"]
    assert below["description"].startswith("False: under none of these plans; else null")
    inherited = schemas()["lanes"]["properties"]["lower_bound"]
    assert inherited["description"].startswith("Fewer lanes are impossible")


@dataclass
class Inner:
    """What is within.

    Attributes
    ----------
    length : int
        Length of the part.
    """

    length: Hops


@dataclass
class Outer:
    """What is around."""

    inner: Inner | None

    @property
    def found(self) -> bool:
        """Whether there is something; None never."""
        return self.inner is not None


class OuterForm(Form, of=Outer, without="*", also="found hops=inner.length"):
    """A form that states nothing itself."""


@given(st.none() | st.integers(0, 99))
def test_keys_that_a_form_names_are_stated_by_the_class(length: int | None) -> None:
    filled = answer(OuterForm, Outer(None if length is None else Inner(length)))
    assert filled == {"found": length is not None, "hops": length}
    _of(OuterForm).validate(filled)
    assert keys_of(OuterForm)["hops"].mark(Unit) == HOPS
    keys = model(OuterForm).model_json_schema(mode="serialization")["properties"]
    assert keys["hops"]["description"] == "Length of the part."
    assert keys["found"]["description"] == "Whether there is something; null never."
    assert {kind.get("type") for kind in keys["hops"]["anyOf"]} == {"integer", "null"}


def test_a_key_that_the_class_lacks_is_no_key() -> None:
    class WrongForm(Form, of=Outer, without="*", also="lost"):
        """A form with a name that is wrong."""

    with pytest.raises(KeyError, match="lost"):
        keys_of(WrongForm)


def test_schemas_refuse_what_is_not_so() -> None:
    found = printed("check", "ring(4)", "--routing", "dimension_order")
    for damage in (
        {"deadlock_free": "no"},
        {"switching": "worm"},
        {"configuration": {**found["configuration"], "messages": []}},
        {"surprise": 1},
    ):
        with pytest.raises(ValidationError):
            schema("check").validate({**found, **damage})
    with pytest.raises(ValidationError):
        schema("check").validate({key: value for key, value in found.items() if key != "method"})
