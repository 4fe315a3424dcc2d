"""How often runs call a load wrongly saturated, or carried: drawn networks and routings, packets of five lengths.

The truth is made of runs of a million cycles: at 0.98 of the plateau sources keep up, at 1.02 they do not. Each case
then runs as users run it, at parts of its plateau from 0.80 to 0.97, where "saturated" is false, and from 1.02 on,
where "stable" is a miss. Loads between are nobody's fault.

``python -m benchmarks.saturation 300`` measures what is missing of the first 300 cases (60 designs with 5 lengths), a
line each in ``reports/saturation.jsonl``; then, or when interrupted, it prints the table of all lines. About an hour
of processor time. ``--search`` tries the intervals of `saturation` too: in runs of a million cycles sources should
keep up at the lower end and fall behind at the upper, where runs of five million decide if those of one do not.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unknot import Relation
from unknot._base.errors import UnknotError
from unknot.fabrics.named import network
from unknot.routing.named import routing
from unknot.simulation import saturation, simulate
from unknot.simulation.run.scenario import Measurement, Scenario
from unknot.simulation.run.start import engine_of
from unknot.traffic import Traffic

STORE = Path("reports/saturation.jsonl")
SEED = 5411
DESIGNS = 60
LENGTHS = (1, 4, 8, 20, 40)
CARRIED = (0.80, 0.88, 0.93, 0.97)
BEYOND = (1.025, 1.05, 1.10)
LONG, SHORT = 1_000_000, 60_000
"""Cycles of a run that stands for the truth, four times as many for long packets, and of a run of the search."""
GRID = 20
"""Parts of such a run."""

CHOICES = (
    ("mesh({a}, {b})", ("dimension_order", "west_first", "duato", "negative_first"), (1, 2, 4)),
    ("torus({a}, {b})", ("dimension_order", "duato"), (2, 3, 4)),
    ("ring({n})", ("dimension_order", "up_down"), (2, 4)),
    ("line({n})", ("dimension_order",), (1, 2)),
    ("hypercube(3)", ("dimension_order", "duato"), (1, 2, 4)),
    ("complete({a})", ("hop_number",), (None,)),
    ("petersen()", ("up_down", "hop_number"), (None,)),
    ("tree(2, 2)", ("up_down",), (1, 2)),
    ("irregular({n}, 4, 1, {s})", ("up_down", "two_trees"), (None,)),
    ("random_regular(8, 3, seed={s})", ("up_down", "lash"), (None, 2)),
    ("de_bruijn(2, 3)", ("de_bruijn", "up_down"), (None,)),
    ("star({n})", ("up_down",), (1, 2)),
)


@dataclass(frozen=True)
class Case:
    """A design with packets of a length."""

    name: str
    relation: Relation
    options: dict[str, Any]

    def scenario(self, load: float, seed: int) -> Scenario:
        workload = Traffic("uniform", self.options["packet_length"])
        return Scenario(
            self.relation, load, workload, self.options["switching"], self.options["buffer_depth"], seed=seed
        )


def designs() -> Iterator[tuple[str, Relation]]:
    """Draw networks with routings, each once."""
    random, seen = np.random.default_rng(SEED), set[str]()
    while len(seen) < DESIGNS:
        text, names, vcs = CHOICES[random.integers(len(CHOICES))]
        a, b, n, s = random.integers([3, 2, 5, 1], [6, 5, 11, 1000]).tolist()
        text = text.format(a=a, b=b, n=n, s=s)
        named, many = names[random.integers(len(names))], vcs[random.integers(len(vcs))]
        name = f"{text} {named} {many}"
        if name in seen:
            continue
        try:
            relation = routing(network(text), named, many)
        except UnknotError:
            continue
        seen.add(name)
        yield name, relation


def cases() -> list[Case]:
    """The cases, the first length of all designs first."""
    drawn, random = list(designs()), np.random.default_rng(SEED + 1)
    made = []
    for length in LENGTHS:
        for name, relation in drawn:
            whole = bool(random.integers(2))
            depth = max(8, length) if whole else int(random.choice([2, 4, 8]))
            switching = "vct" if whole else "wormhole-nonatomic"
            options = {"packet_length": length, "switching": switching, "buffer_depth": depth}
            made.append(Case(f"{name} {length} {switching} {depth}", relation, options))
    order = np.random.default_rng(SEED + 2).permutation(len(made))
    return [made[k] for k in order.tolist()]


def behind(case: Case, load: float, cycles: int, seed: int = 1000) -> tuple[float, bool]:
    """Share of the time by which sources fall behind, the worst if beyond doubt, and whether they do at all."""
    engine = engine_of(case.scenario(load, seed), Measurement())
    if case.options["packet_length"] >= 20:
        cycles *= 4
    engine.advance_to(cycles // 5)
    lags, created = [engine.lag()], [engine.count("created")]
    for k in range(1, GRID + 1):
        engine.advance_to(cycles // 5 + cycles * k // GRID)
        lags.append(engine.lag())
        created.append(engine.count("created"))
    steps = np.diff(np.array(lags, dtype=np.float64), axis=0)
    every = steps.mean(axis=1)
    # Less what sources happened to create beyond the mean, which is noise of a backlog that grows.
    less = cycles / GRID - np.diff(created) / engine.sources.packets
    steps = np.concatenate([min(every, less, key=np.std)[:, None], steps], axis=1)
    growth, error = steps.mean(axis=0) * GRID / cycles, steps.std(axis=0, ddof=1) * np.sqrt(GRID) / cycles
    sure = (growth > 6 * error) & (growth * cycles > 1500)
    sure[0] |= growth[0] > 4 * error[0] and growth[0] > 0.002
    least = np.where(sure, growth - 2 * error, 0.0)[1:].max()
    return max(float(growth[0]), float(least)), bool(sure.any())


def plateau(case: Case) -> dict[str, Any]:
    """Look for the load beyond which sources fall behind, and confirm 0.98 and 1.02 of it by long runs."""
    low, top = 0.02, 1.0
    if behind(case, 1.0, SHORT)[1]:
        while top / low > 1.01:
            middle = (low * top) ** 0.5
            low, top = (low, middle) if behind(case, middle, SHORT)[1] else (middle, top)
    sides = set[float]()
    for step in range(12):
        if 0.98 not in sides:
            if behind(case, 0.98 * top, LONG)[1]:
                top = 0.985 * top
                continue
            sides.add(0.98)
        if 1.02 * top < 1 and not behind(case, 1.02 * top, LONG)[1]:
            top = 1.015 * top
            sides.clear()
            continue
        return {"plateau": top, "steps": step + 1}
    return {"plateau": None, "steps": 12}


def calls(case: Case, top: float, number: int) -> list[dict[str, Any]]:
    """Runs of a case at parts of its plateau."""
    made = []
    for k, part in enumerate((*CARRIED, *BEYOND)):
        if part * top <= 1:
            run = simulate(case.relation, part * top, **case.options, seed=SEED + number * 10 + k)
            made.append({"part": part, "outcome": run.outcome, "cycles": run.cycles})
    return made


def search(case: Case, number: int) -> dict[str, Any]:
    """The interval of a search, with whether sources fall behind at its ends."""
    found = saturation(case.relation, **case.options, seed=SEED + number)
    low = found.lower > 0 and behind(case, found.lower, LONG, seed=SEED)[1]
    # Just above the limit sources fall behind by parts of a thousand, which a million cycles may not show.
    high = found.limit is None or any(behind(case, found.limit, k * LONG, seed=SEED)[1] for k in (1, 5))
    return {"lower": found.lower, "limit": found.limit, "behind": [low, high]}


def kept(store: Path) -> dict[str, Any]:
    """Lines of the store by their keys."""
    lines = store.read_text().splitlines() if store.exists() else []
    return {line["key"]: line["value"] for line in map(json.loads, lines)}


def once(store: Path, known: dict[str, Any], key: str, compute: Callable[[], Any]) -> Any:
    """What the store has for a key, computed and added where it has nothing."""
    if key not in known:
        known[key] = compute()
        store.parent.mkdir(parents=True, exist_ok=True)
        with store.open("a") as file:
            file.write(json.dumps({"key": key, "value": known[key]}) + "\n")
    return known[key]


def table(known: dict[str, Any]) -> None:
    """Print outcomes by parts of the plateau, errors, and how many intervals hold."""
    runs = [run for key, value in known.items() if key.startswith("calls ") for run in value]
    outcomes = sorted({run["outcome"] for run in runs})
    counts = Counter((run["part"], run["outcome"]) for run in runs)
    print("of the plateau", *outcomes, sep=" | ")
    for part in (*CARRIED, *BEYOND):
        print(part, *(counts[part, outcome] for outcome in outcomes), sep=" | ")
    for name, parts, wrong in (("false", CARRIED, "saturated"), ("missed", BEYOND, "stable")):
        tried = sum(run["part"] in parts for run in runs)
        print(f"{name}: {sum(counts[part, wrong] for part in parts)} of {tried}")
    without = sum(key.startswith("truth ") and value["plateau"] is None for key, value in known.items())
    print(f"cases without a truth: {without}")
    found = [value for key, value in known.items() if key.startswith("search ")]
    ends = Counter(tuple(each["behind"]) for each in found)
    widths = [each["limit"] / each["lower"] - 1 for each in found if each["limit"] and each["lower"]]
    print(f"intervals: {ends[False, True]} of {len(found)} hold", end="")
    print(f", median width {np.median(widths):.2%}" if widths else "")


def main(words: list[str]) -> None:
    numbers = [int(word) for word in words if word != "--search"]
    first, last = numbers if len(numbers) > 1 else (0, *numbers) if numbers else (0, 300)
    known = kept(STORE)
    try:
        for number, case in list(enumerate(cases()))[first:last]:
            top = once(STORE, known, f"truth {case.name}", lambda: plateau(case))["plateau"]  # noqa: B023
            if top is not None:
                once(STORE, known, f"calls {case.name}", lambda: calls(case, top, number))  # noqa: B023
            if "--search" in words:
                once(STORE, known, f"search {case.name}", lambda: search(case, number))  # noqa: B023
            print(number, case.name, top, flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    table(known)


if __name__ == "__main__":
    main(sys.argv[1:])
