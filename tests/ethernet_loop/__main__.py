"""The loop with the real FRR: ``make ethernet-test``, or ``python -m tests.ethernet_loop [NAMES …]``.

Every fabric is run by FRR's daemons, its cables are taken down, the routes are dumped after each failure and compared
with computed ones; whether buffers depend on one another in a cycle is decided from the dump by the reader and the
audit, from the computed routes by the prover, and from the dump by NetworkX.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import networkx as nx

from tests.ethernet_loop.fabrics import Case, cases
from tests.ethernet_loop.running import LONG, Running, missing, set_apart
from unknot.fabrics.ethernet.bgp import read_bgp
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.network import Network
from unknot.remedies.lossless import repair_lossless
from unknot.routing.ethernet import PathVector, bgp_vector
from unknot.routing.named import routing
from unknot.routing.relation import Relation
from unknot.verify import check
from unknot.verify.audit_ethernet import audit_ethernet

Hops = dict[tuple[str, str], frozenset[str]]
"""Next switches, by switch and prefix."""
FIRST, NEXT, ALL = 60.0, 30.0, 900.0
"""Seconds in which routes must settle at first and after a failure, and those of the whole run."""


@dataclass
class Tally:
    """States compared by number of failed cables, those that deadlock or settled late, and what went wrong."""

    states: Counter[int] = field(default_factory=Counter)
    stuck: int = 0
    open: int = 0
    late: int = 0
    plans: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)


def main(names: list[str]) -> int:
    """Run the loop; the exit code is 0 if all agrees or something is missing, and 1 otherwise."""
    lacking = missing()
    if lacking:
        print(f"not run: this is missing: {lacking}")
        return 0
    set_apart("tests.ethernet_loop", names)
    tally, began = Tally(), time.monotonic()
    for case in cases():
        if not names or case.name in names:
            if time.monotonic() - began > ALL:
                tally.wrong.append(f"{case.name}: not run, {ALL:g} s are over")
                continue
            try:
                loop(case, tally)
            except RuntimeError as error:
                tally.wrong.append(f"{case.name}: {error}")
    several = {size: tally.states[size] for size in sorted(tally.states)}
    print(
        f"{tally.states.total()} states ({', '.join(f'{n} with {size} down' for size, n in several.items())}), "
        f"{tally.stuck} deadlock, {tally.open} open, {len(tally.plans)} routings; "
        f"{tally.late} settled late; {len(tally.wrong)} disagreements or cases not run; "
        f"{time.monotonic() - began:.0f} s"
    )
    for line in tally.wrong:
        print(f"  {line}")
    return 1 if tally.wrong or not tally.states else 0


def loop(case: Case, tally: Tally) -> None:
    """One fabric and all its failures; where something disagrees, routes are given longer to settle."""
    tally.plans.add(case.words)
    with tempfile.TemporaryDirectory(dir="/run/frr") as scratch, Running(case) as fabric:
        if case.valley_free:
            whole, out = _dump(case, Path(scratch, "whole"), fabric.settled(FIRST)), Path(scratch, "repaired")
            repair_lossless(read_ethernet(whole), out)
            fabric.load(out)
        plan: PathVector | None = None
        for number, down in enumerate(case.states()):
            fabric.fail(down)
            folder = Path(scratch, f"{case.name}-{number}")
            _dump(case, folder, fabric.settled(NEXT if number else FIRST))
            if not number and case.routing == "bgp":
                plan = _plan(case, folder, fabric.sessions())
            state = compare(case, folder, down, plan)
            if state.odd:
                tally.late += 1
                state = compare(case, _dump(case, folder, fabric.settled(NEXT, LONG)), down, plan)
            print(state.title + (f"; DISAGREES: {state.odd}" if state.odd else ""), flush=True)
            tally.states[len(down)] += 1
            tally.stuck += state.free is False
            tally.open += state.free is None
            if state.odd:
                tally.wrong.append(f"{state.title}: {state.odd}")


def _plan(case: Case, folder: Path, sessions: dict[str, dict[str, str]]) -> PathVector:
    """The choice of paths by what FRR prints of sessions and configuration, on the network of the case."""
    for switch, texts in sessions.items():
        for kind, text in texts.items():
            (folder / f"{switch}.{kind}").write_text(text)
    fabric = read_ethernet(folder)
    told, names = read_bgp(fabric), [*map(fabric.network.router_name, range(fabric.network.num_routers))]
    if told.plan is None or told.unread:
        raise RuntimeError(f"sessions tell no plan: {told}")
    plan = dict(zip(names, told.plan, strict=True))
    best = {"relax": case.relax, "oldest": case.by_age}
    if [plan[name] for name in case.switches] != case.systems or not best.items() <= told.options.items():
        raise RuntimeError(f"sessions tell another plan: {told}")
    limits = bgp_vector(fabric.network, plan=told.plan, allowas_in=told.options["allowas_in"]).limits.tolist()
    most = {(near.switch, far.switch): limit for (near, far), limit in zip(fabric.ends, limits, strict=True)}
    limits = [most[case.switches[near], case.switches[far]] for near, far in case.network.ends]
    return bgp_vector(case.network, plan=case.systems, allowas_in=limits, relax=case.relax)


def _dump(case: Case, folder: Path, routes: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for switch, text in routes.items():
        (folder / f"{switch}.route.json").write_text(text)
    (folder / "cables.txt").write_text("".join(f"{a} to-{b} {b} to-{a}\n" for a, b in case.cables))
    return folder


@dataclass(frozen=True)
class State:
    """What the audit says of a dump (None: a cycle that no flows were found for), and what disagrees."""

    title: str
    free: bool | None
    odd: str


def compare(case: Case, folder: Path, down: set[tuple[str, str]], plan: PathVector | None = None) -> State:
    """Compare what was dumped with what is computed, by the plan that sessions tell."""
    fabric, number = read_ethernet(folder), {name: router for router, name in enumerate(case.switches)}
    left = case.network.without(links=[(number[a], number[b]) for a, b in down])
    relation = None if case.valley_free else routing(left, case.words)
    if relation is not None and plan is not None:
        relation = plan.after_failures(left).relation()
    seen = dumped(case, fabric)
    computed = admitted(case, left) if relation is None else hops_of(case, left, relation)
    audit, free = audit_ethernet(fabric), relation is None or check(relation, "wormhole").deadlock_free
    walked = not circular(seen)
    word = {True: "free", False: "CAN DEADLOCK", None: "cycle, no flows found"}[audit.deadlock_free]
    title = f"{case.name}, down: {', '.join(f'{a}–{b}' for a, b in sorted(down)) or 'nothing'}: {word}"
    odd = [f"{key}: {sorted(seen[key])}, {sorted(computed[key])}" for key in seen if seen[key] != computed[key]][:3]
    if not free is walked is audit.verdict.deadlock_free:
        odd.append(f"deadlock-free {walked}, {free}, {audit.verdict.deadlock_free}")
    return State(title, audit.deadlock_free, "; ".join(odd))


def dumped(case: Case, fabric: EthernetFabric) -> Hops:
    """Next switches by the reader; none for what no switch announces."""
    network, homes = fabric.network, [router for router, name in enumerate(case.switches) if name.startswith("leaf")]
    hops: Hops = {(name, case.prefix(home)): frozenset() for name in case.switches for home in homes}
    for one in fabric.destinations:
        for router, channels in one.next_hops.items() if one.hosts else ():
            prefix = one.name
            hops[network.router_name(router), prefix] = frozenset(
                network.router_name(int(network.target[c])) for c in channels
            )
    return hops


def hops_of(case: Case, network: Network, relation: Relation) -> Hops:
    """Next switches as they are computed, by the candidates of packets at an input or from hosts."""
    hops: Hops = {}
    places = dict(
        zip(network.inject.tolist(), range(relation.num_vcs, relation.num_vcs + network.num_terminals), strict=True)
    )
    places |= {router: channel for channel, router in enumerate(network.target.tolist())}
    for router, name in enumerate(case.switches):
        for address, home in enumerate(network.eject.tolist()):
            offered = relation.candidates(places[router], address) if router in places else ()
            vcs = {one.vc for one in offered} - {None}
            hops[name, case.prefix(home)] = frozenset(case.switches[int(network.target[vc])] for vc in vcs)
    return hops


def admitted(case: Case, network: Network) -> Hops:
    """Next switches where each switch tells its best route to a neighbour above only if it did not learn it above."""
    tier = case.network.coordinates[:, 0].tolist() if case.network.coordinates is not None else []
    beside: dict[int, list[int]] = {router: [] for router in range(network.num_routers)}
    for a, b in zip(network.source.tolist(), network.target.tolist(), strict=True):
        beside[a].append(b)
    hops: Hops = {}
    for home in network.eject.tolist():
        best: dict[int, tuple[int, ...]] = {home: (home,)}
        while True:
            told = {
                r: {n: best[n] for n in beside[r] if n in best and r not in best[n]
                    and not (len(best[n]) > 1 and tier[best[n][1]] > tier[n] and tier[r] > tier[n])}
                for r in beside if r != home
            }  # fmt: skip
            least = {r: min(map(len, paths.values())) for r, paths in told.items() if paths}
            equal = {r: sorted(n for n in told[r] if len(told[r][n]) == least[r]) for r in least}
            now = {home: (home,), **{r: (r, *told[r][near[0]]) for r, near in equal.items()}}
            if now == best:
                break
            best = now
        for r, name in enumerate(case.switches):
            hops[name, case.prefix(home)] = frozenset(case.switches[n] for n in equal.get(r, ()))
    return hops


def circular(hops: Hops) -> bool:
    """Whether buffers depend on one another in a cycle on the way of packets between leaves, by NetworkX."""
    graph = nx.DiGraph()
    for prefix in {prefix for _, prefix in hops}:
        left, seen = [name for name, _ in hops if name.startswith("leaf")], set[str]()
        while left:
            name = left.pop()
            for to in hops[name, prefix] if name not in seen else ():
                graph.add_edges_from(((name, to), (to, then)) for then in hops[to, prefix])
                left.append(to)
            seen.add(name)
    return not nx.is_directed_acyclic_graph(graph)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
