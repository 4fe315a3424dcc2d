"""Types for users: what the documents show passes `mypy --strict` in a file of a user's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
USERS_FILE = """
import numpy as np
import unknot
from unknot.network import Places, Wires
from unknot.network.families import mesh
from unknot.routing.relation import Out

net = unknot.Network("two", 2, [0, 1], [1, 0], Wires(latency=2, ports=[[1, 1], [1, 1]]))
named = Places(router_labels=["a", "b"])
many = unknot.Network("two", 2, np.array([0, 1]), (1, 0), [1, 2], inject=[0], places=named)


def rule(at: int, address: int, out: Out) -> int:
    out[0] = unknot.EJECT
    return 1


relation = unknot.Relation(net, 1, rule, "mine", unknot.routing.Addressing([0, 1], [[True, True], [True, False]]))
shared = unknot.Relation(net, [1, 2], rule, addresses=unknot.routing.Addressing(address_labels=["a", "b"]))
verdict: unknot.Verdict = unknot.verify.check(relation, "wormhole")
grid: unknot.Network = mesh(4, 4, latency=2)
ends: list[int] = net.source.tolist()
"""


WRONG = 'import unknot\n\nunknot.Network("two", 2, None, [1, 0])\n'


def test_a_users_file_passes_strict_mypy(tmp_path: Path) -> None:
    for name, text in (("mine.py", USERS_FILE), ("wrong.py", WRONG)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "mine.py", "wrong.py"]
    command += ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    (complaint,) = ran.stdout.splitlines()
    assert complaint.startswith('wrong.py:3: error: Argument 3 to "Network" has incompatible type "None"')
