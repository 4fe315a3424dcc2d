"""Networks, configurations and results for the tests of reports."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from unknot.certificates.verdict import Configuration, Message, Verdict
from unknot.network import Network, Places
from unknot.network.families import ring, torus
from unknot.routing import Relation, dimension_order
from unknot.simulation.engine.router import Router
from unknot.simulation.run.run import Run
from unknot.simulation.traces.replay import Replay
from unknot.studies.result import DesignResult, StudyResult
from unknot.verify import Delivery, check, deliver


def along(relation: Relation, source: int, address: int) -> list[int]:
    """The VCs of the first route from a terminal."""
    path: list[int] = []
    at = relation.num_vcs + source
    while (vc := relation.candidates(at, address)[0].vc) is not None:
        path.append(at := vc)
    return path


def ring_knot(network: Network, *, held: int = 1, row: int = 0) -> tuple[Relation, Configuration]:
    """Messages of `held` VCs each, one behind the other round a row of a torus routed without a dateline."""
    relation, side = dimension_order(network, 1, dateline="none"), network.radices[0]
    messages = []
    for x in range(0, side, held):
        source, target = row * side + x, row * side + (x + held + 1) % side
        path = along(relation, source, target)
        messages.append(Message(source, target, 8 * held, (), tuple(path[:held]), (path[held],)))
    return relation, Configuration("wormhole", 8, "injected", tuple(messages))


def cycle_knot(network: Network, cycle: list[int], vcs: int = 1) -> tuple[Relation, Configuration]:
    """Messages that hold every VC of each channel of a cycle of routers and wait for all those of the next."""
    relation = Relation(network, vcs, lambda at, address, out: 0)
    channels = [network.between(a, b)[0] for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True)]
    first, messages = relation.vcs.first, []
    for i, channel in enumerate(channels):
        after = channels[(i + 1) % len(channels)]
        for v in range(vcs):
            awaited = tuple(int(first[after]) + w for w in range(vcs))
            messages.append(Message(cycle[i], cycle[i - 1], 8, (), (int(first[channel]) + v,), awaited))
    return relation, Configuration("wormhole", 8, "not-established", tuple(messages))


HOSTILE_NAME = "</script><script>window.broken = 1</script>"


def hostile_knot() -> tuple[Relation, Configuration]:
    """Messages round a ring whose routers have names that would end a script."""
    plain = ring(4)
    labels = tuple(f"{HOSTILE_NAME}{r}" for r in range(4))
    network = Network(
        "<img src=x onerror='window.broken=1'>",
        4,
        plain.source,
        plain.target,
        inject=plain.inject,
        places=Places(coordinates=plain.coordinates, radices=plain.radices, router_labels=labels),
    )
    relation = dimension_order(network)
    configuration = check(relation).configuration
    assert configuration is not None
    return relation, configuration


def run(load: float, **changed: Any) -> Run:
    """A run that went well, but for what is changed."""
    values: dict[str, Any] = {
        "offered_load": load, "accepted_load": load, "latency_mean": 20 / (1 - load), "latency_p50": 20.0,
        "latency_p95": 40.0, "latency_p99": 60 / (1 - load), "latency_max": 99.0, "network_latency_mean": 19.0,
        "hops_mean": 5.1, "stable": True, "reason": "", "packets": 1234, "cycles": 5678, "flit_hops": 9999,
        "switching": "wormhole", "packet_length": 5, "buffer_depth": 8, "seed": 1, "deadlock": None,
    }  # fmt: skip
    return Run(**{**values, **changed})


@cache
def judged(vcs: int) -> tuple[Relation, Verdict, Delivery]:
    """A relation on a torus with its verdict, which no test changes."""
    relation = dimension_order(torus(4, 4), vcs)
    return relation, check(relation, "wormhole"), deliver(relation)


def study_result(
    *, name: str = "no dateline", title: str = "A study", text: str = "title = 'A study'\n"
) -> StudyResult:
    """Two designs on a torus, one of which can deadlock and does so when run."""
    designs = []
    for label, vcs in ((name, 1), ("dateline", 2)):
        relation, verdict, delivery = judged(vcs)
        replay = Replay(True, True, 1000, (), None) if verdict.configuration is not None else None
        runs = (run(0.1), run(0.2), run(0.4, stable=False, latency_mean=900.0, reason="the latency grew to the end"))
        if verdict.configuration is not None:
            stuck = run(
                0.3, stable=False, deadlock=verdict.configuration, reason="deadlock of 4 messages: long story"
            )
            runs = (*runs[:2], stuck)
        design = SimpleNamespace(
            name=label, network="torus(4, 4)", routing="dimension_order", vcs=vcs, switching="wormhole",
            packet_length=5, buffer_depth=8, traffic="uniform", router=Router(), bursts=None,
        )  # fmt: skip
        designs.append(DesignResult(verdict, delivery, True, replay, design, relation, runs))  # type: ignore[arg-type]
    study = SimpleNamespace(title=title, path="examples/a study.toml", text=text)
    return StudyResult(study, tuple(designs))  # type: ignore[arg-type]


def named(network: Network, names: list[str]) -> Network:
    """The same routers and channels under other names, without coordinates."""
    seats: Any = np.arange(network.num_routers)
    return Network(
        "named",
        network.num_routers,
        network.source,
        network.target,
        inject=seats,
        places=Places(router_labels=tuple(names)),
    )
