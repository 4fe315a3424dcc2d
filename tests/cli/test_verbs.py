"""Verbs of the package: what a command answers its function answers, with the same names and defaults."""

from __future__ import annotations

import inspect
import json
import re
import shlex
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pyarrow
import pytest
from typer.testing import CliRunner

import unknot
from unknot import NetworkError, RelationError, UnknotError
from unknot.cli.commands.options import prepared
from unknot.cli.program import ALL, COMMANDS, app, questions
from unknot.network.families import mesh, ring
from unknot.routing import dimension_order, up_down

ROOT = Path(__file__).parents[2]
ALONE = {
    "accept": "judges files for a pipeline: `unknot.certificates` has its functions",
    "analyse": "`unknot.verify` has a function for each property",
    "cache": "looks after files of this machine",
    "explore": "opens a page: `unknot.explore` is a widget of notebooks",
    "convert": "writes a file: `unknot.fabrics.write_network`",
    "export": "writes a file: `unknot.report.export`",
    "replay": "reads an exported file: `unknot.replay` takes the objects",
    "rerun": "runs a command line again",
    "run": "runs a study file: `unknot.studies.run_study`",
    "trace": "reads a trace file: `unknot.simulation` has its functions",
}
"""Commands without a verb, and why."""
VERBS = {name.replace(" ", "_").replace("-", "_"): name for name in questions() if name not in ALONE}
"""Verbs, those of extensions too, with their commands."""
PAIRS: list[tuple[str, Callable[[], Any]]] = [
    ('compare "torus(4, 4) by duato" "ring(5)" --failed "0, 0.05"',
     lambda: unknot.compare(["torus(4, 4) by duato", "ring(5)"], failed="0, 0.05")),
    ('faults "ring(5)" --routing lanes --repair', lambda: unknot.faults("ring(5)", routing="lanes", repair=True)),
    ('check "torus(4, 4)" --routing dimension_order --switching wormhole --smallest',
     lambda: unknot.check("torus(4, 4)", "dimension_order", switching="wormhole", smallest=True)),
    ('check "mesh(3, 3)" --routing duato --arbiter round_robin',
     lambda: unknot.check(mesh(3, 3), "duato", arbiter="round_robin")),
    ('protocol request_reply --network "ring(5)" --routing dimension_order --vcs 2',
     lambda: unknot.protocol("request_reply", network=dimension_order(ring(5), vcs=2))),
    ('reconfigure dimension_order west_first --network "mesh(3, 3)"',
     lambda: unknot.reconfigure(dimension_order(mesh(3, 3)), "west_first", network=mesh(3, 3))),
    ('lanes "ring(5)" --lanes 1 --seed 3', lambda: unknot.lanes(ring(5), lanes=1, seed=3)),
    ('simulate "ring(5)" --routing dimension_order --load 0.2 --packet-length "1:0.5, 3:0.5" --measure 500',
     lambda: unknot.simulate("ring(5)", "dimension_order", load=0.2, packet_length={1: 0.5, 3: 0.5}, measure=500)),
    ('simulate "ring(5)" --routing dimension_order --load 0.2 --measure 300 --seeds 2 --units "2 GHz, 16 B"',
     lambda: unknot.simulate("ring(5)", "dimension_order", load=0.2, measure=300, seeds=2, units="2 GHz, 16 B")),
    ('curve "ring(5)" --routing dimension_order --routing up_down --loads "0.1, 0.2" --warmup 50 --measure 200',
     lambda: unknot.curve("ring(5)", ["dimension_order", "up_down"], loads=[0.1, 0.2], warmup=50, measure=200)),
    ('collective "torus(3, 3)" --operation all_gather --algorithm "ring, direct" --routing dimension_order --vcs 2',
     lambda: unknot.collective(
         "torus(3, 3)", "dimension_order", operation="all_gather", algorithm="ring, direct", vcs=2)),
    ('multicast "hypercube(3)" --routing dimension_order --operation all_gather',
     lambda: unknot.multicast("hypercube(3)", "dimension_order", operation="all_gather")),
    ('bnr "mesh(3, 3)" --routing west_first', lambda: unknot.bnr("mesh(3, 3)", "west_first")),
    ('itm "itm(24, extra=12, seed=3)"', lambda: unknot.itm("itm(24, extra=12, seed=3)")),
    ('permute "omega(8)" --random 1', lambda: unknot.permute("omega(8)", random=1)),
]  # fmt: skip
TABLE = re.findall(r"^\| `unknot (.*?)` \| `(unknot\..*?)` \|$", (ROOT / "docs/command-line.md").read_text(), re.M)
PAIRS += [(line, partial(eval, call, {"unknot": unknot})) for line, call in TABLE]
"""Command lines and the same from Python, those of docs/command-line.md too."""
TIMES = ("seconds", "manifest", "ns_per_flit_hop")
"""Keys of answers that differ from one run to the next."""


def timeless(document: Any) -> Any:
    """A document without times and manifests."""
    if isinstance(document, dict):
        return {name: timeless(value) for name, value in document.items() if name not in TIMES}
    return list(map(timeless, document)) if isinstance(document, list) else document


@pytest.mark.parametrize(("line", "call"), [pytest.param(*pair, id=pair[0]) for pair in PAIRS])
def test_a_verb_answers_as_its_command(
    line: str, call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(app, [*shlex.split(line), "--json"])
    answer = call()
    assert timeless(json.loads(answer.to_json())) == timeless(json.loads(done.stdout))
    assert answer.holds is {0: True, 1: False, 3: None}[done.exit_code]
    assert not capsys.readouterr().out
    assert len(repr(answer).splitlines()) <= 12


def test_the_page_has_every_verb() -> None:
    verbs = {call.partition("(")[0].removeprefix("unknot.") for _, call in TABLE}
    assert {*VERBS} - {"bnr", "itm", "multicast", "permute"} == verbs  # each has a page


@pytest.mark.parametrize("page", ["README.md", "examples/notebook.ipynb"])
def test_other_pages_show_snippets_of_that_page(page: str) -> None:
    """So that the test above has compared their answers with those of the commands."""
    text = (ROOT / page).read_text(encoding="utf-8").replace('\\"', '"')
    shown = re.findall(rf'unknot\.(?:{"|".join(VERBS)})\("[^"]*".*?\)', text)
    assert shown
    assert {*shown} <= {call for _, call in TABLE}
    for call in shown:
        (line,) = (line for line, other in TABLE if other == call)
        assert f"unknot {line}" in text


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_has_the_options_of_its_command(verb: str) -> None:
    core = VERBS[verb].partition(" ")[0] in COMMANDS
    command = getattr(import_module(f"unknot.cli.commands.{verb}"), verb) if core else ALL[VERBS[verb]]
    options = dict(inspect.signature(prepared(command)).parameters)
    for name in [name for name, one in options.items() if one.annotation.__metadata__[0].__dict__.get("hidden")]:
        del options[name]  # an old spelling
    parameters = inspect.signature(getattr(unknot, verb)).parameters
    assert sorted(repr(one.default) for name, one in parameters.items() if name != "routing") == sorted(
        repr(one.default) for name, one in options.items() if name not in ("routing", "json")
    )
    spelled = {word for one in options.values() for word in (one.name, *_spelled(one.annotation))}
    assert {*parameters} <= spelled


def _spelled(annotation: Any) -> list[str]:
    """The names of an option in Python."""
    declared = str(getattr(annotation.__metadata__[0], "default", None) or "")
    return [declared.partition("/")[0].lstrip("-").replace("-", "_")]


def test_a_network_is_a_text_a_file_or_an_object(tmp_path: Path) -> None:
    file = tmp_path / "five.edges"
    file.write_text("0 1\n1 2\n2 3\n3 4\n4 0\n")
    for network in ("ring(5)", ring(5), file, str(file), nx.cycle_graph(5)):
        assert unknot.show(network).diameter == 2
    assert unknot.show(nx.petersen_graph()).name == "Petersen Graph"
    with pytest.raises(NetworkError, match="a graph of NetworkX; got list"):
        unknot.show([1, 2])


def test_designs_are_objects_too() -> None:
    named, graph = "ring(5) by up_down", nx.cycle_graph(5)
    rows = unknot.compare([named, (ring(5), "up_down"), up_down(ring(5)), (graph, up_down)]).rows
    assert len({(row.uniform, row.deadlock_free, row.vcs) for row in rows}) == 1
    assert [row.design for row in rows][:2] == [named, named]


def test_a_routing_is_a_name_a_function_or_a_relation() -> None:
    def around(network: Any) -> Any:
        return dimension_order(network, vcs=2)

    def rule(at: int, address: int, out: Any) -> int:
        out[0] = unknot.EJECT
        return 1

    two = dimension_order(ring(5), vcs=2)
    assert unknot.deliver("ring(5)", routing=around) == unknot.deliver(two)
    assert unknot.check("ring(5)", routing=around).deadlock_free is True
    assert unknot.check("ring(5)", routing=dimension_order).deadlock_free is False
    assert unknot.faults("torus(3, 3)", up_down).survives is True
    kept = unknot.faults(two)  # its routes stay, but for those that a fault cuts
    assert (kept.survives, kept.counts) == (False, {"undelivered": 5})
    with pytest.raises(RelationError, match=r"is a relation on ring\(5\); name the routing, or give its function"):
        unknot.deliver("ring(6)", routing=two)
    with pytest.raises(RelationError, match="eject"):
        unknot.deliver("ring(5)", routing=rule)


def test_words_and_files_are_refused_as_on_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(UnknotError, match="did you mean matrix"):
        unknot.show("ring(5)", view="matrx")
    with pytest.raises(UnknotError, match="the ending tells what is written"):
        unknot.show("ring(5)", out=tmp_path / "net.gif")
    unknot.show("ring(5)", out=str(tmp_path / "net.svg"))
    assert (tmp_path / "net.svg").exists()
    with pytest.raises(TypeError, match="smple"):
        unknot.show("ring(5)", smple=3)


def test_an_interrupt_is_one_for_the_caller_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any, **named: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("unknot.studies.comparison.compared", interrupted)
    with pytest.raises(KeyboardInterrupt):
        unknot.compare(["ring(5)"])


def test_what_an_answer_can_do(tmp_path: Path) -> None:
    answer = unknot.compare(["ring(5)", "mesh(2, 3) by dimension_order"])
    assert answer.to_frame()["design"].tolist() == ["ring(5)", "mesh(2, 3) by dimension_order"]
    assert pyarrow.table(answer).column("bill.cost").to_pylist() == answer.to_frame()["bill.cost"].tolist()
    answer.save(tmp_path / "a.json", tmp_path / "a.csv", tmp_path / "a.parquet")
    assert json.loads((tmp_path / "a.json").read_text()) == json.loads(answer.to_json())
    assert (tmp_path / "a.csv").read_text().startswith("design,failed,routing")
    assert pyarrow.parquet.read_table(tmp_path / "a.parquet").num_rows == 2
    answer.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").lstrip().startswith("<")
    program = unknot.collective("examples/collectives/allreduce-pairs.xml")
    with pytest.raises(UnknotError, match="no picture"):
        program.save(tmp_path / "b.svg")
    with pytest.raises(UnknotError, match=r"saved as \.json"):
        answer.save(tmp_path / "a.txt")
    with pytest.raises(AttributeError, match="did you mean"):
        _ = answer.row
    with pytest.raises(UnknotError, match="has no truth value"):
        bool(answer)


def test_a_picture_can_be_part_of_a_figure(tmp_path: Path) -> None:
    answer = unknot.show("ring(5)")
    figure, axes = plt.subplots(1, 2)
    answer.plot(ax=axes[0])
    assert axes[0].patches
    assert not axes[1].patches
    plt.close(figure)
    answer.save(tmp_path / "ring.svg")
    assert (tmp_path / "ring.svg").read_text().startswith("<svg")


def test_behind_a_relation_stands_what_it_has_not() -> None:
    """`check(relation, technique)` and `simulate(relation, load)`, as everybody writes them."""
    relation = dimension_order(ring(4), vcs=1)
    assert unknot.check(relation, "saf").switching == unknot.check(relation, switching="saf").switching == "saf"
    run = unknot.simulate(relation, 0.05, measure=100, warmup=50, packet_length=2)
    assert run.offered_load == 0.05
    with pytest.raises(UnknotError, match="is a routing already"):
        unknot.check(relation, "dimension_order", switching="saf")


@pytest.mark.parametrize(
    ("verb", "options", "said"),
    [
        (unknot.check, {"routing": 5}, "routing: a name, a Relation or a function is expected, got 5"),
        (unknot.check, {"routing": ["duato"]}, r"routing: one alone is expected, got \['duato'\]"),
        (unknot.check, {"routing": "duato", "vcs": 2.5}, "vcs: a whole number is expected, got 2.5"),
        (unknot.check, {"routing": "duato", "vcs": True}, "vcs: a whole number is expected, got True"),
        (unknot.check, {"routing": "duato", "explain": "no"}, "explain: True or False is expected, got 'no'"),
        (unknot.design_topology, {"ports": "two"}, "ports: a whole number is expected, got 'two'"),
        (unknot.lanes, {"out": 5}, "out: the name of a file is expected, got 5"),
    ],
)
def test_options_of_other_types_are_named(verb: Callable[..., Any], options: dict[str, Any], said: str) -> None:
    with pytest.raises(UnknotError, match=said):
        verb("ring(4)", **options)


def test_numbers_of_numpy_are_numbers() -> None:
    assert unknot.check("ring(5)", routing="dimension_order", vcs=np.int64(2)).holds


def test_cables_that_are_down_are_a_text_or_pairs() -> None:
    tree = "xgft([2, 2], [1, 2])"
    forms = "(0,0), (1,0)", ["(0,0),(1,0)"], [("(0,0)", "(1,0)")]
    whole, *less = (unknot.line_rate(tree, draws=50, down=form).sprayed_load for form in (None, *forms))
    assert {*less} == {2 * whole}
    with pytest.raises(UnknotError, match=r"no router 'x'; known: \(0,0\)"):
        unknot.line_rate(tree, down=[("x", "(1,0)")])
