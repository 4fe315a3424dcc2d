"""Run every checker of others that is installed on ten verdicts and ten refutations: `make proofs`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from unknot.certificates import coq_file, document, verdict_claim
from unknot.lane_assignment import Refutation, changing_lanes, lanes, write_refutation
from unknot.network import tod
from unknot.routing.named import routing
from unknot.verify import check

VERDICTS = (
    ("torus(4, 4)", "dimension_order", 2, "vct"),
    ("torus(4, 4)", "dimension_order", 2, "wormhole-nonatomic"),
    ("mesh(5, 5)", "west_first", None, "wormhole"),
    ("mesh(4, 4)", "odd_even", None, "vct"),
    ("hypercube(4)", "dimension_order", None, "saf"),
    ("mesh(4, 4)", "duato", None, "vct"),
    ("mesh(4, 4)", "duato", None, "wormhole"),
    ("mesh(4, 4)", "lcfaa", None, "saf"),
    ("torus(8, 8)", "duato", 3, "vct"),
    ("torus(8, 8)", "duato", 3, "wormhole"),
)
REFUTATIONS = (
    ("ring(15, directed=true)", "none"),
    ("kautz(2, 4)", "none"),
    ("kautz(2, 5)", "none"),
    ("ring(11, directed=true)", "none"),
    ("de_bruijn(2, 5)", "none"),
    ("ring(5, directed=true)", "none"),
    ("ring(7, directed=true)", "none"),
    ("ring(9, directed=true)", "none"),
    ("ring(13, directed=true)", "none"),
    ("de_bruijn(2, 6)", "none"),
)
TOOLS = {
    "coqc": "Debian's package coq",
    "drat-trim": "built from marijnheule/drat-trim",
    "lrat-check": "built from marijnheule/drat-trim",
    "cake_lpr": "built from tanyongkiam/cake_lpr",
}
PROOFS = {"drat-trim": "drat", "lrat-check": "lrat", "cake_lpr": "lrat"}
VERIFIED = {"s VERIFIED", "c VERIFIED", "s VERIFIED UNSAT"}
LIMIT = 300


def ran(*words: str, folder: Path) -> tuple[str, float]:
    """What a command prints, and its seconds by the clock."""
    began = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=LIMIT, check=False)
    return f"{done.stdout}\n{done.stderr}\nexit {done.returncode}", time.monotonic() - began


def row(what: str, passed: bool, seconds: float) -> bool:
    print(f"{'ok  ' if passed else 'FAIL'} {seconds:6.1f} s  {what}", flush=True)
    return passed


def verdicts(folder: Path) -> bool:
    """Have Coq prove ten verdicts, and refuse one whose ranks are all alike."""
    passed = True
    for number, (network, name, vcs, switching) in enumerate(VERDICTS):
        relation = routing(tod.network(network), name, vcs)
        claim = verdict_claim(check(relation, switching))
        content = document(relation.network, relation, [claim])
        path = folder / f"verdict{number}.v"
        path.write_text(coq_file(content, claim), encoding="utf-8")
        said, seconds = ran("coqc", path.name, folder=folder)
        good = "Closed under the global context" in said and said.endswith("exit 0")
        kind = claim["proof"]["kind"]
        passed &= row(f"coqc: {network}, {name}, free under {switching} by {kind}", good, seconds)
    claim["proof"]["rank"] = [1] * relation.num_vcs
    path.write_text(coq_file(content, claim), encoding="utf-8")
    said, seconds = ran("coqc", path.name, folder=folder)
    return passed & row("coqc refuses ranks that are all alike", not said.endswith("exit 0"), seconds)


def refutations(tools: list[str], folder: Path) -> bool:
    """Have ten refutations of numbers of lanes followed."""
    passed = True
    for number, (text, changes) in enumerate(REFUTATIONS):
        network = tod.network(text)
        limit = {"time_limit": LIMIT}  # by default the search may end without a refutation on a busy machine
        found = lanes(network, **limit) if changes == "none" else changing_lanes(network, changes=changes, **limit)
        if not isinstance(found.evidence, Refutation):
            passed = row(f"{text}, lanes {changes}: there is no refutation", False, 0.0)
            continue
        files = write_refutation(network, found.evidence, folder / f"refutation{number}.cnf")
        for tool in tools:
            proof = getattr(files, PROOFS[tool])
            said, seconds = ran(tool, str(files.clauses), str(proof), folder=folder)
            good = bool(VERIFIED & {line.strip() for line in said.splitlines()})
            what = f"{tool}: {text} in {found.evidence.lanes} lanes ({changes}), {len(found.evidence.steps)} steps"
            passed &= row(what, good, seconds)
    return passed


def main() -> int:
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    for tool in missing:
        print(f"{tool} is not on the path ({TOOLS[tool]}): its checks are left out")
    with tempfile.TemporaryDirectory() as name:
        passed = "coqc" in missing or verdicts(Path(name))
        tools = [tool for tool in PROOFS if tool not in missing]
        passed &= not tools or refutations(tools, Path(name))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
