"""Names and sizes of compiled functions, for perf."""

from __future__ import annotations

import os
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from benchmarks import perf_names

ASSEMBLY = "define i64 @_ZN6unknot10sum_kernel3addB2v1Ex(i64 %a) {\n %b = add i64 %a, 1\n ret i64 %b\n}"


def compiled() -> bytes:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple("x86_64-unknown-linux-gnu").create_target_machine()
    code: bytes = machine.emit_object(llvm.parse_assembly(ASSEMBLY))
    return code


def test_functions_of_an_object_are_written_with_short_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ((name, size),) = perf_names.symbols(compiled())
    assert (perf_names.short_symbol(name), 0 < size < 64) == ("sum_kernel.add", True)
    monkeypatch.setattr(perf_names, "PERF_FOLDER", tmp_path)
    perf_names.write_perf_map(compiled(), lambda symbol: 0x1000 if symbol == name else 0)
    assert (tmp_path / f"perf-{os.getpid()}.map").read_text() == f"1000 {size:x} sum_kernel.add\n"


def test_other_objects_have_none() -> None:
    assert list(perf_names.symbols(b"MZ" + bytes(100))) == []
    assert perf_names.short_symbol("main") == "main"
