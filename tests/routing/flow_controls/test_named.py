"""The door for flow controls: four names, builders, users' files; and what is refused, by builder and VC."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from unknot._base.errors import UnknotError
from unknot.cli.commands.flows import flow_of
from unknot.cli.program import app
from unknot.flow_control import Pool, technique
from unknot.network.families import ring
from unknot.routing import Relation, dimension_order
from unknot.routing.flow_controls import flow_named
from unknot.verify import check

OWN = """
from dataclasses import replace
from unknot.flow_control import Pool, technique

def shared(relation, slots=2, own=0, **more):
    first = relation.vcs.first.tolist()
    pools = tuple(Pool(tuple(range(a, b)), slots, own, **more) for a, b in zip(first, first[1:]))
    return replace(technique("vct"), name="shared", packets=slots + own, pools=pools)

def raises(relation):
    return 1 // 0

def three(relation):
    return 3

def nothing():
    return None

def pools(relation, pool=0, vcs=(0, 1), slots=2, own=0, keeps="nothing", hops=(), unguarded=(), packets=2):
    pool = Pool(vcs, slots, own, keeps, frozenset(hops), frozenset(unguarded))
    return replace(technique("vct"), packets=packets, pools=(pool,))

def held(relation):
    return replace(technique("vct"), holds="lane")

def odd(relation):
    return replace(technique("vct"), enters="empty")

def row(relation):
    return replace(technique("wormhole"), packets=1, pools=(Pool((0, 1), 2),))
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "own.py"
    file.write_text(OWN)
    return file


@pytest.fixture
def relation() -> Relation:
    return dimension_order(ring(4), vcs=2)


def test_names_of_techniques_are_techniques(relation: Relation) -> None:
    for name in ("saf", "vct", "wormhole", "wormhole-nonatomic"):
        assert flow_named(relation, name) is technique(name)


def test_a_rule_is_another_spelling(relation: Relation) -> None:
    flow = flow_named(relation, "bubble('global', packets=1)")
    assert flow_of(relation, "vct", "global(packets=1)") == ("vct", flow)
    assert flow.name == "bubble('global', packets=1)"
    for rule, packets in (("global", 3), ("global(packets=2)", 2)):
        _, made = flow_of(relation, "vct", rule, packets=3)
        assert made is not None
        assert made.packets == packets


def test_a_builder_of_a_file(relation: Relation, own: Path) -> None:
    """The VCs of a channel share its slots, so the dateline does nothing; with a slot for each alone it does."""
    shared = flow_named(relation, f"{own}:shared(slots=3)")
    assert (len(shared.pools), shared.pools[0], shared.packets) == (8, Pool((0, 1), 3), 3)
    assert check(relation, flow=shared).deadlock_free is False
    assert check(relation, flow=f"{own}:shared(own=1)").deadlock_free is True


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bubbel('global')", r"unknown flow control 'bubbel'; did you mean bubble"),
        ("vctt", "did you mean vct"),
        ("bubble('global', packet=1)", "bubble has no option 'packet'; did you mean packets"),
        ("bubble(1)", "bubble: rule is a text, not 1"),
        ("bubble('lokal')", "did you mean global or localised"),
        ("OWN:shard", "own.py has no function 'shard'; did you mean shared"),
        ("OWN", "name the function in .*own.py as well"),
        ("OWN:raises", r"raises\(\) raised ZeroDivisionError.*own.py, line 11, in raises"),
        ("OWN:nothing", r"nothing\(\) must take the relation first"),
        ("OWN:three", r"three\(\) returned 3, of type int; a FlowControl is needed"),
        ("OWN:held", "holds is 'lane'; known: buffer, row"),
        ("OWN:odd", "nothing decides about packets"),
        ("OWN:row", r"row\(\): pools count whole packets"),
        ("OWN:pools(packets=0)", "room for at least 1"),
        ("OWN:pools(slots=2.5)", r"pools\(\): pools are of whole numbers"),
        ("OWN:pools(vcs=[0, 99])", "pool 1 of 1: it has no VC 99; .* has VCs 0 to 15"),
        ("OWN:pools(vcs=[0, 1, 0])", r"it has \(0\)→\(1\) VC 0 twice"),
        ("OWN:pools(vcs=[])", "it has no VCs"),
        ("OWN:pools(slots=-1)", r"the pool of \(0\)→\(1\) VC 0 has slots=-1, which cannot be negative"),
        ("OWN:pools(own=-1)", "has own=-1"),
        ("OWN:pools(keeps='a slot')", "keeps is 'a slot'; did you mean"),
        ("OWN:pools(hops=[[0, 2]])", r"\(0\)→\(3\) VC 0 is in its hops or unguarded, and not of the pool"),
        ("OWN:pools(unguarded=[99])", "VC 99 is in its hops"),
        ("OWN:pools(hops=[[0, 1]])", r"a hop does not go on from \(0\)→\(1\) VC 0 to \(0\)→\(1\) VC 1"),
        ("OWN:pools(vcs=[0, 4], hops=[[0, 4]], own=1)", "the hop from .* would take no slot"),
        ("OWN:pools(slots=0)", r"no packet can ever enter it: \(0\)→\(1\) VC 0"),
        ("OWN:pools(slots=1, keeps='slot of the pool')", "no packet can ever enter it"),
        ("OWN:pools(packets=1, keeps='slot of the buffer')", "no packet can ever enter it"),
    ],
)
def test_what_cannot_be_is_refused(relation: Relation, own: Path, text: str, said: str) -> None:
    with pytest.raises(UnknotError, match=said):
        flow_named(relation, text.replace("OWN", str(own)))


def test_pools_of_other_number_types_are_plain_then(relation: Relation) -> None:
    import numpy as np

    from unknot.routing.flow_controls.validated import validated

    pool = Pool(tuple(np.arange(2)), np.int64(2))  # type: ignore[arg-type]
    flow = validated(relation, replace(technique("vct"), packets=2, pools=(pool,)), "test")
    assert {type(v) for v in (*flow.pools[0].vcs, flow.pools[0].slots)} == {int}


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words)


RING = ("ring(4)", "--routing", "dimension_order")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["faults", *RING], "unknot faults: --switching bubble('global') is a flow control of a relation"),
        (["repair", *RING], "unknot repair: --switching bubble('global') is a flow control of a relation"),
        (["check", *RING, "--to", "up_down"], "unknot reconfigure: --switching bubble('global') is a flow control"),
        (["check", *RING, "--protocol", "request_reply"], "unknot protocol: --switching bubble('global')"),
        (["check", *RING, "--all-sizes"], "unknot every-size: --switching bubble('global')"),
        (["check", *RING, "--smallest"], "--smallest is about techniques without a flow control of the relation"),
        (["check", *RING, "--arbiter", "fair"], "--arbiter is about techniques without a flow control"),
        (["check", *RING, "--explain"], "--explain is about techniques without a flow control"),
    ],
)
def test_commands_and_options_that_do_not_take_one_say_so(words: list[str], said: str) -> None:
    refused = run(*words, "--switching", "bubble('global')")
    assert refused.exit_code == 2
    assert said in " ".join(refused.stderr.split())
