"""Traces read from files and written, and every problem reported with its place."""

from __future__ import annotations

import os

import pytest

from unknot._base.errors import TextError, UnknotError
from unknot.network import Network, Places
from unknot.network import families as topologies
from unknot.routing import dimension_order
from unknot.simulation.traces.trace_file import read_trace, write_trace
from unknot.simulation.traces.trace_run import run_trace
from unknot.traffic.trace import Trace, TracedMessage

MESH = topologies.mesh(3, 3)
MESSAGES = [
    TracedMessage(0, 0, 8, 4, (), 0, "ask"),
    TracedMessage(5, 8, 0, 2, (0,), 7, "answer"),
    TracedMessage(0, 3, 4, 1, (0, 1), 0, "ask"),
]


def columns(trace: Trace) -> list[TracedMessage]:
    return list(trace)


def test_columns_come_in_any_order_and_terminals_by_name_or_number(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "# made by hand\n\nid,Source,destination,flits, cycle ,needs,delay,class\n"
        'one,0,t8,4,0,,,ask\n"two, too",t8,t0,2,5,one,7,answer\n3,3,4,1,0, one ; "two, too" ,0,ask\n'.replace(
            ' one ; "two, too" ', '"one;two, too"'
        ),
        encoding="utf-8",
    )
    trace = read_trace(path, MESH)
    assert columns(trace) == MESSAGES
    assert trace.names == ("one", "two, too", "3")


def test_needs_are_numbers_of_messages_where_there_are_no_ids(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("cycle,source,destination,flits,needs\n0,0,1,1,1;2\n0,1,2,1,\n0,2,3,1,1\n", encoding="utf-8")
    assert [message.needs for message in read_trace(path, MESH)] == [(1, 2), (), (1,)]


def test_names_of_terminals_may_be_numbers_or_double(tmp_path):
    labels = ("2", "x", "x")
    network = Network(
        "odd", 3, [0, 1, 2], [1, 2, 0], inject=[0, 1, 2], eject=[0, 1, 2], places=Places(terminal_labels=labels)
    )
    path = tmp_path / "a.csv"
    write_trace(path, Trace.of([TracedMessage(0, 0, 1), TracedMessage(0, 2, 0)]), network)
    assert "0,0,2,1,1," in path.read_text(encoding="utf-8")
    trace = read_trace(path, network)
    assert trace.source.tolist() == [0, 0]
    path.write_text("cycle,source,destination,flits\n0,x,2,1\n", encoding="utf-8")
    with pytest.raises(TextError, match="2 terminals called 'x'; give the number"):
        read_trace(path, network)


def test_what_was_written_reads_the_same(tmp_path):
    trace, path = Trace.of(MESSAGES), tmp_path / "out.csv"
    run = run_trace(dimension_order(MESH), trace, limit=40)
    write_trace(path, trace, MESH, run)
    again = read_trace(path, MESH)
    assert columns(again) == MESSAGES
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "id,cycle,source,destination,flits,needs,delay,class,ready,injected,arrived,latency"
    assert lines[1] == f"0,0,t0,t8,4,,0,ask,0,0,{5 * 4 + 7 + 3},{5 * 4 + 7 + 3}"
    assert lines[3] == "2,0,t3,t4,1,0;1,0,ask,,,,"
    write_trace(path, again, MESH)
    assert columns(read_trace(path, MESH)) == MESSAGES
    write_trace(path, Trace.of([]), MESH)
    assert len(read_trace(path, MESH)) == 0


HEAD = "cycle,source,destination,flits,id,needs\n"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", "1", "empty; the first line names the columns"),
        ("cycle,source,flits\n", "1", "column 'destination' is missing"),
        ("cycle,source,destination,flits,dely\n", "1:32", "did you mean delay"),
        ("cycle,source,destination,flits,cycle\n", "1:32", "comes twice"),
        (HEAD + "0,0,1,1,a,\n0,0,1,1\n", "3:1", "4 values where there are 6 columns"),
        (HEAD + "x,0,1,1,a,\n", "2:1", "cycle must be a whole number, got 'x'"),
        (HEAD + "0,0,1,1.5,a,\n", "2:7", "flits must be a whole number, got '1.5'"),
        (HEAD + "0,0, 1,0,a,\n", "2:8", "flits must be a whole number from 1"),
        (HEAD + "0,0, 9,1,a,\n", "2:6", "terminals are numbered 0 to 8"),
        (HEAD + "0,t,1,1,a,\n", "2:3", "no terminal called 't'"),
        (HEAD + '0,"t0",1,1,"a,b",\n0,0,1,1,c,b\n', "3:11", "no message with id 'b'"),
        (HEAD + '0,0,1,1,"a,b",x\n', "2:15", "no message with id 'x'"),
        (HEAD + "0,0,1,1,a,\n0,0,1,1,a,\n", "3:9", "id 'a' is also that of line 2"),
        (HEAD + "0,0,1,1,,\n", "2:9", "the id is empty"),
        (HEAD + "0,0,1,1,a,b\n0,0,1,1,b,a\n", "2:11", "in a cycle: a, which needs b, which needs a"),
        (HEAD + '0,0,1,1,"a,\n', "2:1", "not CSV"),
        ("cycle,source,destination,flits,needs\n0,0,1,1,7\n", "2:9", "no message with number '7'"),
    ],
)
def test_problems_are_reported_with_their_position(tmp_path, text, place, words):
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TextError) as caught:
        read_trace(path, MESH)
    assert str(caught.value).startswith(f"{path}:{place}: ")
    assert words in str(caught.value)


def test_files_that_are_not_there_or_no_text_are_refused(tmp_path):
    with pytest.raises(UnknotError, match="No such file"):
        read_trace(tmp_path / "none.csv", MESH)
    (tmp_path / "a.csv").write_bytes(b"PAR1\xff\xff")
    with pytest.raises(UnknotError, match="a trace is CSV in UTF-8"):
        read_trace(tmp_path / "a.csv", MESH)


def test_a_pipe_is_no_trace(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(UnknotError, match="it is a pipe"):
        read_trace(tmp_path / "a.csv", MESH)


def test_a_trace_is_not_written_as_what_it_is_not(tmp_path):
    with pytest.raises(UnknotError, match=r"a\.parquet: a trace is written as CSV; name it \.csv"):
        write_trace(tmp_path / "a.parquet", Trace.of(MESSAGES), MESH)


def test_odd_digits_are_no_numbers(tmp_path):
    (tmp_path / "a.csv").write_text("cycle,source,destination,flits\n0,²,1,1\n")
    with pytest.raises(TextError, match=r"a\.csv:2:3: .*no terminal called '²'"):
        read_trace(tmp_path / "a.csv", MESH)
