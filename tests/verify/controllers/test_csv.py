"""State tables in CSV files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from unknot._base.errors import TextError
from unknot.verify.controllers import check_table, load_table, read_table

FILE = Path(__file__).parents[3] / "examples/controllers/mi.csv"
TEXT = FILE.read_text()


def test_a_sheet_says_what_toml_says() -> None:
    same = """
    nodes = ["owner"]
    ordered = ["Fwd"]
    [cache]
    many = true
    core = ["store"]
    start = "I"
    I = { store = "send GetM to directory; become IM" }
    IM = { store = "stall", Data = "become M", Fwd = "stall" }
    M = { Fwd = "send Data to requestor; become I" }
    [directory]
    start = "I"
    I = { GetM = "send Data to requestor; owner = requestor; become M" }
    M = { GetM = "send Fwd to owner; owner = requestor" }
    """
    assert replace(read_table(same), name="mi") == load_table(FILE)


def test_settings_and_quotes(tmp_path: Path) -> None:
    file = tmp_path / "sized.csv"
    more = "network,slow,Fwd\nrooms,Data,2\nlimits,cache,1\nentries,cache,IM\nat,cache,3,4\n"
    file.write_text(more + TEXT.replace("ordered,Fwd", "ordered,slow"))
    table = load_table(file)
    assert (table.rooms, table.limits, table.networks) == ({"Data": 2}, {"cache": 1}, {"Fwd": "slow"})
    assert (table.kinds[0].entries, table.kinds[0].at, table.ordered) == (("IM",), (3, 4), ("slow",))
    file.write_text(
        TEXT.replace("send GetM to directory; become IM", '"send GetM(owner=self) to directory; become IM"')
    )
    assert check_table(load_table(file)).answer == "no"


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("become IM,,", "become IX,,", "6:3", "has no state 'IX'"),
        ("M,,,send", "I,,,send", "7:10", "has no state 'M'"),
        ("IM,stall", ",stall", "7:1", "begins with a state"),
        ("nodes,owner", "rooms,Data,x", "1:1", "a whole number"),
        ("nodes,owner", "nodes,owner\ncore,cache,load", "3:1", "cache core is told twice"),
        ("become M,stall", 'become M,"stall', "7:19", "cell in quotes"),
        ("become M,stall", "become M,stall,stall", "7:25", "no event stands above"),
        ("M,,,send", "start,,,send", "8:9", "'start' is the name of a setting"),
        ("IM,stall,become", "many,stall,become", "7:6", "'many' is the name of a setting"),
        ("core,cache", "core,nodes", "2:1", "'nodes' is the name of a setting"),
        ("nodes,owner", "nodes,owner\nnodes,other", "2:1", "nodes is told twice"),
    ],
)
def test_slips_are_shown_where_they_stand(tmp_path: Path, old: str, new: str, place: str, message: str) -> None:
    file = tmp_path / "slip.csv"
    file.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(TextError, match=message) as error:
        load_table(file)
    assert f":{place}: " in str(error.value)
