"""One process that fuzzes one reader under limits: ``python -m tests.fuzz.worker READER INPUTS SEED FOLDER``.

Damaged files are read until INPUTS of them were effective: different from each other and past the sniffing of the
format. The last line on stdout is the count as JSON. A reading that takes more than 20 s of the processor or 2 GB, or
raises anything but an `UnknotError`, is a failure. The files of failures stay in FOLDER.
"""

from __future__ import annotations

import contextlib
import faulthandler
import hashlib
import io
import json
import random
import resource
import signal
import sys
import time
import traceback
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.fuzz.mutation import damaged
from tests.fuzz.readers import READERS
from unknot._base.errors import UnknotError
from unknot.cli.commands.printing import notify

SLOWEST, LARGEST = 20.0, 2 * 2**30


def _raw(text: str) -> list[str]:
    """Characters that a terminal would obey."""
    return sorted({c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"})


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {SLOWEST:.0f} s of the processor")


def outcome(read: Any, path: Path) -> tuple[str, str]:
    """What came of reading: ``read``, ``refused`` or ``failure``, and what was wrong."""
    try:
        read(path)
    except UnknotError as error:
        shown = io.StringIO()
        with contextlib.redirect_stderr(shown):
            notify(str(error))
        if _raw(shown.getvalue()):
            return "failure", "raw escapes in a message"
        if path.name not in str(error):
            return "failure", f"a message without the name of the file: {str(error)[:200]!r}"
        return "refused", ""
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        return "failure", f"{type(error).__name__}: {str(error)[:200]} at {place.filename}:{place.lineno}"
    return "read", ""


def run(name: str, inputs: int, number: int, folder: Path) -> dict[str, Any]:
    """Fuzz one reader in this process."""
    reader = READERS[name]
    corpus = reader.corpus()
    path = folder / f"{name}{reader.ending}"
    for content in corpus[: 1 if name == "graphml" else None]:
        path.write_bytes(content)
        reader.read(path)
    counts: Counter[str] = Counter()
    failures: dict[str, str] = {}
    seen: set[bytes] = set()
    slowest = 0.0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.signal(signal.SIGPROF, _too_slow)  # without a handler it would end the process, and the tests with it

    def one(draw: random.Random) -> None:
        nonlocal slowest
        content = damaged(draw, corpus)
        key = hashlib.blake2b(content, digest_size=12).digest()
        counts["inputs"] += 1
        if key in seen:
            return
        seen.add(key)
        counts["distinct"] += 1
        path.write_bytes(content)
        signal.setitimer(signal.ITIMER_PROF, SLOWEST)
        start = time.process_time()
        came, words = outcome(reader.read, path)
        slowest = max(slowest, time.process_time() - start)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if reader.passes(content[: 1 << 16].decode("utf-8", errors="replace")):
            counts["effective"] += 1
            counts[came] += 1
        elif came == "failure":
            counts[came] += 1
        if came == "failure" and words not in failures and len(failures) < 20:
            kept = folder / f"{name}-{len(failures)}{reader.ending}"
            kept.write_bytes(content)
            failures[words] = str(kept)

    block = 0
    while counts["effective"] < inputs and block < 100:
        still = max(50, int((inputs - counts["effective"]) * 1.05))
        seed(number + block)(
            settings(
                max_examples=still, phases=[Phase.generate], database=None, deadline=None,
                suppress_health_check=list(HealthCheck),
            )(given(st.randoms(use_true_random=True))(one))
        )()  # fmt: skip
        block += 1
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return {
        "reader": name,
        "seed": number,
        **{key: counts[key] for key in ("inputs", "distinct", "effective", "read", "refused", "failure")},
        "slowest": round(slowest, 3),
        "grown": peak,
        "seconds": round(time.process_time(), 1),
        "failures": failures,
    }


def main() -> None:
    name, inputs, number, folder = sys.argv[1:]
    READERS[name].corpus()
    faulthandler.enable()
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + LARGEST, taken + LARGEST))
    print(json.dumps(run(name, int(inputs), int(number), Path(folder))))


if __name__ == "__main__":
    main()
