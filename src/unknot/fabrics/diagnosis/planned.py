"""Comparison of a fabric's cables with a plan of them, port by port."""

from __future__ import annotations

from collections import Counter
from typing import Any

from unknot.fabrics.diagnosis.cabling_faults import CablingFault, RouterPair
from unknot.fabrics.diagnosis.finding import Finding
from unknot.fabrics.diagnosis.pairing import Joined, joined
from unknot.fabrics.diagnosis.plan import CablePlan, cables_by_guid
from unknot.fabrics.fabric import Fabric

FEWEST = 3
"""Planned cables from which on a node that is not there counts as a switch: an adapter has two ports at most."""
End = tuple[Any, int]
"""A switch by number, a host by name, or a node that the fabric has not by its name; and a port, 0 of hosts."""


def planned_faults(fabric: Fabric, plan: CablePlan) -> tuple[list[CablingFault], list[str]]:
    """Return the cables that are missing, too many or elsewhere than planned, and remarks about the comparison."""
    node = _nodes(fabric)
    by_port = all(port or _is_host(node.get(name, name)) for cable in plan.cables for name, port in cable)
    planned = Counter[Any](_pair([_end(node, name, port, by_port) for name, port in cable]) for cable in plan.cables)
    there = Counter[Any]()
    for cable in cables_by_guid(fabric):
        there[_pair([_end(node, name, port, by_port) for name, port in cable])] += 1
    remarks = []
    if not any(_is_host(node.get(name)) for name in plan.nodes):
        there = Counter({pair: n for pair, n in there.items() if not any(_is_host(name) for name, _ in pair)})
        remarks.append(f"{plan.where} plans no cable of a host, so these are not compared")
    absent = sorted(name for name in plan.nodes if name not in node)
    if absent:
        remarks.append(f"{len(absent)} nodes of {plan.where} are not in the fabric, the first {absent[0]}")
    teller, lacks, found = _PlanTeller(fabric), planned - there, list[CablingFault]()
    ported = {name for cable in plan.cables for name, port in cable if port}
    for name in [name for name in absent if name in ported]:
        own = {pair: n for pair, n in lacks.items() if any(end[0] == f"?{name}" for end in pair)}
        if (cables := sum(own.values())) >= FEWEST:
            words = f"{name} is planned and missing, with all of its {cables} cables"
            found.append(CablingFault(Finding("missing switch", words, (), (name,), cables), (), ()))
            lacks -= Counter(own)
    return [*found, *(teller.told(fault) for fault in joined(there - planned, lacks))], remarks


def _nodes(fabric: Fabric) -> dict[str, Any]:
    """Switches and hosts by GUID and by name."""
    network = fabric.network
    node: dict[str, Any] = {}
    for t, guid in enumerate(fabric.node_guid.tolist()):
        name = network.terminal_name(t)
        host = name.partition("[")[0]
        node[f"0x{guid:016x}"] = node[host] = node[name] = host
    for r, guid in enumerate(fabric.switch_guid.tolist()):
        node[f"0x{guid:016x}"] = node[network.router_name(r)] = r
    return node


def _is_host(node: Any) -> bool:
    return isinstance(node, str) and not node.startswith("?")


def _end(node: dict[str, Any], name: str, port: int, by_port: bool) -> End:
    found = node.get(name, f"?{name}")
    return (found, 0) if isinstance(found, str) or not by_port else (found, port)


def _pair(ends: list[End]) -> tuple[End, ...]:
    return tuple(sorted(ends * (2 if len(ends) == 1 else 1), key=str))


class _PlanTeller:
    """Makes findings of differences from a plan."""

    def __init__(self, fabric: Fabric) -> None:
        self.network = fabric.network

    def told(self, fault: Joined) -> CablingFault:
        strays, lacks = [*map(self.name, fault.strays)], [*map(self.name, fault.lacks)]
        meant = " and ".join(lacks)
        switches = tuple(dict.fromkeys(self.end(end) for pair in (*fault.strays, *fault.lacks) for end in pair))
        if len(strays) > 1:
            words = f"{strays[0]} and {strays[1]} are swapped: planned are {meant}"
            finding = Finding("swapped cables", words, tuple(strays), switches, 2)
        elif strays and lacks:
            words = f"{strays[0]} is in a wrong port: planned is {meant}"
            finding = Finding("misplaced cable", words, tuple(strays), switches)
        elif strays:
            finding = Finding("extra cable", f"{strays[0]} is not planned", tuple(strays), switches, fault.count)
        else:
            more = f" ({fault.count} cables)" if fault.count > 1 else ""
            finding = Finding("missing cable", f"{meant} is planned and missing{more}", (), switches, fault.count)
        lost, beside = self.routers(fault.lacks), self.routers(fault.strays)
        return CablingFault(finding, lost * fault.count, beside * fault.count)

    def end(self, end: Any) -> str:
        node, _ = end
        return self.network.router_name(node) if isinstance(node, int) else str(node).removeprefix("?")

    def name(self, pair: Any) -> str:
        return " – ".join(self.end(end) + (f"[{end[1]}]" if end[1] else "") for end in pair)

    def routers(self, pairs: Any) -> tuple[RouterPair, ...]:
        """Pairs between switches."""
        both = [tuple(node for node, _ in pair if isinstance(node, int)) for pair in pairs]
        return tuple((min(pair), max(pair)) for pair in both if len({*pair}) == 2)
