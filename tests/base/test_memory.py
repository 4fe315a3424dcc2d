"""Memory: sizes as text, what control groups leave, and refusal before anything is built."""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextvars import copy_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base import memory
from unknot._base.errors import UnknotError
from unknot._base.memory import SizeError, in_words, memory_limit, require, size_of


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("4000000000", 4 * 10**9), ("16G", 2**34), ("16 GiB", 2**34), ("512mb", 2**29), ("1.5T", 3 * 2**39)],
)
def test_sizes_as_text(text: str, size: int) -> None:
    assert size_of(text) == size


@pytest.mark.parametrize(
    "text", ["", "G", "-1", "0", "0G", "1e9", "²G", "１G", "9" * 5000, "1.G", "16X", "inf", "nan"]
)
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UnknotError, match="a size of memory"):
        size_of(text)


@given(st.integers(1, 10**30))
def test_bytes_in_words_are_near_the_number(size: int) -> None:
    words = in_words(size)
    assert len(words) < 30
    if size < 2**59:
        number, unit = words.replace(",", "").split()
        assert size_of(f"{float(number):.9f} {unit}" if unit != "bytes" else number) == pytest.approx(size, rel=0.01)


def test_the_message_has_estimate_limit_and_remedy() -> None:
    with memory_limit("1G"):
        require("complete(2)", 2**30)
        with pytest.raises(SizeError, match=r"complete\(90000\) would take about 3 GiB .* limit is 1 GiB") as caught:
            require("complete(90000)", 3 * 2**30)
    assert "give --max-memory 3G " in str(caught.value), "a limit that is enough"
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    with memory_limit("4G"):
        require("complete(90000)", 3 * 2**30)


def test_the_limit_belongs_to_the_context() -> None:
    with memory_limit("5G"):
        with memory_limit("3G"):
            assert memory.limit() == 3 * 2**30
            with memory_limit(None):
                assert memory.limit() == 3 * 2**30
            inside = copy_context()
        assert memory.limit() == 5 * 2**30
    assert inside.run(memory.limit) == 3 * 2**30


def group(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")


def test_control_groups_of_both_versions_and_those_above(tmp_path: Path) -> None:
    root, own = tmp_path / "fs", tmp_path / "cgroup"
    group(
        root,
        {
            "memory.max": "max",
            "a/memory.max": "1000",
            "a/memory.current": "400",
            "a/memory.stat": "anon 7\ninactive_file 50",
            "a/b/memory.max": "max",
            "memory/c/memory.limit_in_bytes": "5000",
            "memory/c/memory.usage_in_bytes": "1000",
        },
    )
    own.write_text("0::/a/b\n")
    assert list(memory._of_groups(root, own)) == [650]
    own.write_text("4:cpu,memory:/c\n3:pids:/c\n")
    assert list(memory._of_groups(root, own)) == [4000]
    own.write_text("0::/\n")
    assert list(memory._of_groups(root, own)) == []


def test_what_is_available_is_a_sensible_number() -> None:
    assert 0 < memory.available() < 2**50
    assert memory.LEAST <= memory.limit() <= memory.DEFAULT


def test_what_grows_is_refused_before_it_is_built() -> None:
    from unknot.network.families import complete, omega
    from unknot.verify.explorer import require_candidates
    from unknot_papers.multistage import count_paths

    network = omega(64)
    with memory_limit("16K"), pytest.raises(SizeError, match=r"numbers of paths of omega\(64\)"):
        count_paths(network)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "available", lambda: 2**20)
        with memory_limit("1M"), pytest.raises(SizeError, match="candidates of duato on complete"):
            require_candidates(complete(70), 2, "duato")
        require_candidates(complete(7), 2, "duato")


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not hold a process to such a limit")
def test_the_system_refuses_more_than_there_is() -> None:
    """A command ends with a word, though nothing was estimated."""
    broken = (
        "import sys, numpy; from unknot import network; network.measure = lambda *a, **b: numpy.empty(2**47); "
        "sys.argv = ['unknot', 'show', 'ring(5)']; from unknot.cli.program import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", broken], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("out of memory: this takes more than there is, ")
    bounded = (
        "import resource; from unknot._base import memory\n"
        "memory.enforce(); print(resource.getrlimit(resource.RLIMIT_DATA)[0])"
    )
    done = subprocess.run([sys.executable, "-c", bounded], capture_output=True, text=True)
    assert memory.LEAST < int(done.stdout) < 2**47
