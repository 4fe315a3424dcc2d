"""Tables read from SLICC."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from tests.reference.controllers import replayed
from unknot._base.errors import TextError, UnknotError
from unknot.verify.controllers import Send, StateTable, check_table, load_slicc

TURNS = Path(__file__).parents[3] / "examples/controllers"
TEXT = (TURNS / "turns.sm").read_text()


def read(folder: Path, *changes: tuple[str, str]) -> StateTable:
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "turns.sm").write_text(text)
    return load_slicc(str(folder / "turns.sm"))


def test_a_list_of_files() -> None:
    table = load_slicc(str(TURNS / "turns.slicc"))
    assert table.designed == {"0": ["ASK.0"], "2": ["BACK.2"], "1": ["GIVE.1"]}
    assert not table.unknown
    assert not table.merged
    verdict = check_table(table)
    assert (verdict.answer, verdict.fewest, len(verdict.deadlock.moves)) == ("no", 0, 14)  # type: ignore[union-attr]
    assert replayed(table, 3, verdict.deadlock)


def test_set_aside(tmp_path: Path) -> None:
    body = 'desc="hold it back") {\n    wanted_in.recycle(clockEdge(), 1);\n  }'
    table = read(tmp_path, ('desc="hold it back") {\n  }', body), ("{Wish, Back}", "Back"))
    verdict = check_table(table)
    assert (verdict.answer, verdict.fewest) == ("yes", 1)


def test_tests_fork_rules(tmp_path: Path) -> None:
    """Who has the turn asks again only in a faulty system, and is told apart from others."""
    twice = "getEntry(in_msg.addr).Owner.isElement(in_msg.Requestor)"
    test = f'if ({twice}) {{ error("twice"); }} trigger(Event:Ask, in_msg.addr);'
    table = read(tmp_path, ("trigger(Event:Ask, in_msg.addr);", test))
    rules = [rule for rule in table.kinds[1].rules if rule.event == "ASK.0"]
    assert [rule.guard for rule in rules] == ["(not ((TurnMsg_Requestor in Directory_Entry_Owner)))"] * 2
    assert check_table(table).answer == "no"


def test_tests_on_data_are_named_and_never_refute(tmp_path: Path) -> None:
    test = 'if (in_msg.Data.isZero()) { trigger(Event:Back, in_msg.addr); } else { error("data"); }'
    table = read(tmp_path, ("trigger(Event:Back, in_msg.addr);", test))
    assert table.merged == ("L1Cache: in_msg.Data.isZero(…)",)
    verdict = check_table(table)
    assert verdict.answer == "open"
    assert "left out" in verdict.established


def test_tests_on_data_choose_what_a_message_is(tmp_path: Path) -> None:
    """Both ways are followed where they differ in the message that is made alone."""
    test = "if (in_msg.Data.isZero()) { out_msg.Type := TurnType:GIVE; } else { out_msg.Type := TurnType:BACK; }"
    table = read(tmp_path, ("out_msg.Type := TurnType:GIVE;", test))
    does = [one for rule in table.kinds[0].rules if rule.event == "BACK.2" for one in rule.does]
    assert [one.message for one in does if isinstance(one, Send)] == ["GIVE.1", "BACK.1"]
    assert table.merged == ("L1Cache: in_msg.Data.isZero(…)",)


def test_sizes_of_messages_are_left_out(tmp_path: Path) -> None:
    """Ways that differ in what nobody follows are the same."""
    sizes = [f"out_msg.MessageSize := MessageSizeType:{one};" for one in ("Control", "Data")]
    test = f"if (in_msg.Data.isZero()) {{ {sizes[0]} }} else {{ {sizes[1]} }} out_msg.Type := TurnType:GIVE;"
    table = read(tmp_path, ("out_msg.Type := TurnType:GIVE;", test))
    assert not table.merged
    assert check_table(table).answer == "no"


def test_what_is_not_understood_is_named(tmp_path: Path) -> None:
    table = read(
        tmp_path, ("out_msg.Destination.add(in_msg.Requestor);", "out_msg.Destination := elsewhere(address);")
    )
    assert table.unknown == ("L1Cache: to whom a message on give_out goes",)
    assert check_table(table).answer == "open"


def test_machines_of_which_nothing_is_known(tmp_path: Path) -> None:
    table = read(tmp_path, ("MachineType:L1Cache,", "MachineType:Cache,"))
    assert "Cache" in table.unknown[0]
    assert check_table(table).answer == "open"


@pytest.mark.parametrize("cut", range(200, len(TEXT), 617))
def test_files_that_end_early(tmp_path: Path, cut: int) -> None:
    (tmp_path / "turns.sm").write_text(TEXT[:cut])
    with contextlib.suppress(TextError):
        load_slicc(str(tmp_path / "turns.sm"))


def test_files_without_machines(tmp_path: Path) -> None:
    (tmp_path / "none.sm").write_text("// nothing")
    with pytest.raises(UnknotError, match="no machine"):
        load_slicc(str(tmp_path / "none.sm"))
