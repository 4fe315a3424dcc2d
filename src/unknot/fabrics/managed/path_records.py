"""Service levels of all paths of a running fabric, with few queries.

Most routing engines give a path the level of its two switches: one query for each pair of switches that have hosts is
then enough (LASH, Torus-2QoS), or one for each destination (Nue; engines with one level alone). DFSSSP gives each
pair of LIDs its own. So the levels between switches are asked for, and then compared with those of random other
pairs: if one differs, every pair is asked for. Pairs are also asked for again: if one answers differently, levels are
drawn anew at each query, as DFSSSP may do, and every pair is asked for several times more.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unknot._base.errors import UnknotError
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.levels import UNKNOWN, columns_of_hosts
from unknot.network.model import IntArray

Ask = Callable[[int, int], int | None]
WAYS = ("switches", "destinations", "pairs")
SPOTS = 200
"""Random pairs that are asked for as well, where levels of others are inferred, and that are asked for again."""
AGAIN = 8
"""Further queries for each pair where levels are drawn anew: one of two levels is then missed once in 256 pairs."""


@dataclass(frozen=True)
class Collected:
    """Service levels of a running fabric.

    Attributes
    ----------
    fabric : Fabric
        With the levels.
    by : {"switches", "destinations", "pairs", "draws"}
        What the levels were found to depend on; "draws": they are drawn anew at each query.
    queries : int
    unanswered : int
        Pairs of hosts without a path record.
    """

    fabric: Fabric
    by: str
    queries: int
    unanswered: int


def collect(fabric: Fabric, ask: Ask, by: str = "switches", *, spots: int = SPOTS, seed: int = 1) -> Collected:
    """Ask for the service levels between all hosts of a fabric.

    Parameters
    ----------
    fabric : Fabric
        With LIDs; tables are not needed.
    ask : callable
        Takes a source LID and a destination LID and returns the level, or None if there is no path.
    by : {"switches", "destinations", "pairs"}
        What the levels depend on: the switches of the two hosts, the destination alone, or anything. Where random
        other pairs show that it is more, every pair is asked for.
    spots : int
        How many of these are asked for.

    Raises
    ------
    UnknotError
        If `by` is unknown, or no host has a LID.
    """
    if by not in WAYS:
        raise UnknotError(f"unknown way to ask {by!r}; use one of {', '.join(WAYS)}")
    hosts = fabric.network.num_terminals
    columns = columns_of_hosts(fabric)
    owner = fabric.owner[columns]
    base = {int(t): int(fabric.lids[columns[np.argmax(owner == t)]]) for t in np.unique(owner)}
    if not base:
        raise UnknotError(f"no host of {fabric.name} has a LID, so there are no paths to ask for")
    senders = np.array(sorted(base))
    known: dict[tuple[int, int], int] = {}

    queries = 0

    def level_of(sender: int, column: int) -> int:
        nonlocal queries
        queries += 1
        answer = ask(base[sender], int(fabric.lids[column]))
        return UNKNOWN if answer is None else answer

    def level(sender: int, column: int) -> int:
        if (sender, column) not in known:
            known[sender, column] = level_of(sender, column)
        return known[sender, column]

    levels = np.full((hosts + fabric.network.num_routers, fabric.lids.size), UNKNOWN, dtype=np.int8)
    random = np.random.default_rng(seed)
    if by != "pairs":
        _infer(fabric, by, senders, columns, owner, level, levels)
        for sender, place in zip(
            random.choice(senders, spots), random.integers(columns.size, size=spots), strict=True
        ):
            if owner[place] != sender and level(int(sender), int(columns[place])) != levels[sender, columns[place]]:
                by = "pairs"
                break
    pairs = [(s, c) for s in senders.tolist() for c in columns[owner != s].tolist()]
    if by == "pairs":
        for pair in pairs:
            level(*pair)
    spot = random.permutation([*known])[:spots].tolist()
    if any(level_of(s, c) != known[s, c] for s, c in spot):
        by = "draws"
    more = set[tuple[int, int, int]]()
    if by in ("pairs", "draws"):
        for pair in pairs:
            levels[pair] = level(*pair)
            drawn = {level_of(*pair) for _ in range(AGAIN if by == "draws" else 0)}
            more |= {(*pair, sl) for sl in drawn - {level(*pair), UNKNOWN}}
    unanswered = np.count_nonzero((levels[np.ix_(senders, columns)] == UNKNOWN) & (senders[:, None] != owner))
    several = np.array(sorted(more), dtype=np.int32).reshape(-1, 3)
    return Collected(replace(fabric, levels=levels, more_levels=several), by, queries, int(unanswered))


def _infer(
    fabric: Fabric,
    by: str,
    senders: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int64],
    owner: IntArray,
    level: Callable[[int, int], int],
    levels: npt.NDArray[np.int8],
) -> None:
    """Levels of all pairs from those of representatives."""
    home = fabric.network.inject
    answers: dict[tuple[int, int], int] = {}
    for sender in senders.tolist():
        for column, to in zip(columns.tolist(), owner.tolist(), strict=True):
            if to != sender:
                key = (int(home[sender]), int(home[to])) if by == "switches" else (column, column)
                if key not in answers:
                    answers[key] = level(sender, column)
                levels[sender, column] = answers[key]


@contextlib.contextmanager
def asking(environment: Mapping[str, str]) -> Iterator[Ask]:
    """Ask the subnet manager that programs see in some environment, as under `ibsim`; one process for all queries.

    Raises
    ------
    UnknotError
        On a query, if there is no subnet manager.
    """
    words = [sys.executable, "-m", "unknot.fabrics.managed.subnet_administration"]
    folder = environment.get("OSM_TMP_DIR")  # the simulator's library leaves a folder there
    pipe = subprocess.PIPE
    with subprocess.Popen(
        words, env=environment, cwd=folder, text=True, stdin=pipe, stdout=pipe, stderr=pipe
    ) as process:

        def ask(slid: int, dlid: int) -> int | None:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(f"{slid} {dlid}\n")
                process.stdin.flush()
            answer = process.stdout.readline()
            if not answer:
                raise UnknotError(
                    f"no path records: {(process.stderr.read().splitlines() or ['the process ended'])[-1]}"
                )
            return None if answer == "None\n" else int(answer)

        try:
            yield ask
        finally:
            process.kill()
