"""Plant single faults and see which ones the tests miss.

A fault counts as noticed when a test fails, or does not end. Those that no test can notice are listed with the reason
in ``explained.txt``; every other one is printed and written to ``reports/mutants-*.txt``.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXPLAINED = Path(__file__).parent / "explained.txt"


@dataclass(frozen=True)
class Group:
    """Files whose functions get faults, and the tests that ought to notice.

    Attributes
    ----------
    goal : float
        Share of the faults that must be noticed.
    files : tuple of str
        Patterns; files of kernels are taken only where they are `interpreted`, all others only where they are not.
    interpreted : bool
        Numba is switched off, so that faults in kernels take effect.
    """

    goal: float
    files: tuple[str, ...]
    tests: tuple[str, ...]
    interpreted: bool = False

    def paths(self, part: str) -> list[Path]:
        """The files, those of them whose path contains a text."""
        paths = {path for pattern in self.files for path in ROOT.glob(pattern) if part in str(path)}
        return sorted(path for path in paths if path.stem.endswith("_kernel") == self.interpreted)


ELSEWHERE = {
    "certificates": (
        "tests/synthesis/test_design.py", "tests/lane_assignment/test_exact.py",
        "tests/lane_assignment/test_low_loads.py", "tests/lane_assignment/test_queues.py",
        "tests/lane_assignment/test_surviving_bounds.py", "tests/remedies/test_pruned.py",
        "tests/collectives/test_bounds.py", "tests/collectives/test_chunks.py",
        "tests/collectives/test_groups.py",
        "tests/verify/test_bubbles.py", "tests/verify/test_failure_groups.py", "tests/verify/test_phases.py",
        "tests/verify/test_progress.py", "tests/verify/test_update.py", "tests/verify/protocols/test_decision.py",
    ),
    "remedies": ("tests/cli/test_repair_fabric.py",),
    "verify": ("tests/contract", "tests/base/test_memory.py"),
    "routing": (
        "tests/verify/test_audit_lanes.py", "tests/verify/test_audit_multicast.py", "tests/verify/test_bubbles.py",
        "tests/remedies/test_lossless.py", "tests/verify/test_ethernet_faults.py",
    ),
    "network": ("tests/fabrics/test_machines.py", "tests/papers/multistage"),
}  # fmt: skip
"""Tests of a room that stand with those of another."""
GROUPS = {
    name + ("-kernels" if interpreted else ""): Group(
        goal, (f"src/unknot/{name}/**/*.py",), (f"tests/{name}", *ELSEWHERE.get(name, ())), interpreted
    )
    for names, goal in (
        ("certificates verify", 0.9),
        ("network routing traffic lane_assignment remedies synthesis studies simulation", 0.8),
    )
    for name in names.split()
    for interpreted in (False, True)
    # Kernels of the simulator read their state by an intrinsic (`view_kernel.py`), which Python cannot run.
    if (name, interpreted) != ("simulation", True)
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("groups", nargs="*", default=list(GROUPS), help=f"of {', '.join(GROUPS)}; by default all")
    parser.add_argument("--seconds", type=float, default=600.0, help="processor time for each group")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32), help="of the order of the faults")
    parser.add_argument("--faults", type=int, default=10**6, help="most faults of each group")
    parser.add_argument("--longest", type=float, default=15.0, help="seconds a test may take")
    parser.add_argument("--alone", type=float, default=300.0, help="seconds that the tests may take without a fault")
    parser.add_argument("--tests", type=float, default=6.0, help="seconds that tests may take for a fault")
    parser.add_argument("--examples", type=int, default=25, help="most examples of a property test")
    parser.add_argument("--only", default="", help="files whose path contains this")
    parser.add_argument("--within", default="", help="files and folders of tests, instead of those of the group")
    parser.add_argument("--again", action="store_true", help="only the faults that the last report lists")
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    if len(args.groups) > 1:
        options = ("seconds", "seed", "faults", "longest", "alone", "tests", "examples", "only", "within")
        command = [sys.executable, "-m", "tests.mutation", *(f"--{name}={getattr(args, name)}" for name in options)]
        command += ["--again"] * args.again
        return max(subprocess.run([*command, name], cwd=ROOT, check=False).returncode for name in args.groups)
    group = GROUPS[args.groups[0]]
    if group.interpreted and os.environ.get("NUMBA_DISABLE_JIT") != "1":
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        os.execv(sys.executable, [sys.executable, "-m", "tests.mutation", *sys.argv[1:], f"--seed={args.seed}"])
    from tests.mutation.runner import cap_examples, count_bits_in_python

    cap_examples(args.examples)
    if group.interpreted:
        count_bits_in_python()
    explained = {line.rpartition(" # ")[0] for line in EXPLAINED.read_text().splitlines() if line}
    return _judge(args.groups[0], group, args, explained)


def _judge(name: str, group: Group, args: argparse.Namespace, explained: set[str]) -> int:
    from tests.mutation.runner import Tests, run
    from tests.mutation.sites import mutants

    report = ROOT / "reports" / f"mutants-{name}.txt"
    planted = [mutant for path in group.paths(args.only) for mutant in mutants(ROOT, path)]
    lines: list[str] = []
    if args.again:
        lines = [line for line in report.read_text().splitlines() if line.startswith("  ")]
        listed = {line.partition(": ")[2] for line in lines}
        places = {key.partition(": ")[0] for key in listed}
        planted = [m for m in planted if f"{m.path}::{m.function}" in places and m.key in listed]
        keys = {m.key for m in planted}
        lines = [line for line in lines if line.partition(": ")[2] not in keys]
    if not planted:
        return 0
    random.Random(args.seed).shuffle(planted)
    planted, known = planted[: args.faults], len(planted)
    share, begin = 0.0, _spent()

    def tried(tests: Tests) -> None:
        nonlocal share
        alone = _spent() - begin
        left_out = [f"{name} ({tests.seconds[name]:.0f} s)" for name in sorted(tests.failed)]
        print(f"  tests alone: {alone:.0f} s; not run here: {', '.join(left_out)}", flush=True)
        number, excused, others = 0, 0, len(lines)
        for mutant in planted:
            if _spent() - begin - alone > args.seconds:
                break
            number += 1
            if mutant.key in explained:
                excused += 1
                continue
            chosen = tests.of(mutant, args.tests)
            if chosen and not tests.survives(mutant, chosen):
                continue
            lines.append(f"  {'missed' if chosen else 'no test runs it'}: {mutant.key}")
            print(f"{number:5}{lines[-1]}", flush=True)
        share = 1 - (len(lines) - others) / max(1, number)
        text = (
            f"{name}: {number} of {known} tried, {share:.1%} noticed or explained ({excused} explained), "
            f"{group.goal:.0%} goal; {len(tests.seconds) - len(tests.failed)} of {len(tests.items)} tests; "
            f"{alone:.0f} s for the tests alone, {_spent() - begin - alone:.0f} s for the faults"
        )
        print(text, flush=True)
        report.parent.mkdir(exist_ok=True)
        report.write_text("\n".join([f"{time.strftime('%Y-%m-%d')} seed {args.seed}", text, *sorted(lines), ""]))

    first = {Path(mutant.path).stem.removesuffix("_kernel") for mutant in planted}
    run(args.within.split() or list(group.tests), Tests(ROOT, args.longest, args.alone, first, tried))
    return 0 if share >= group.goal else 1


def _spent() -> float:
    """Processor time of this process and those it forked."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


if __name__ == "__main__":
    raise SystemExit(main())
