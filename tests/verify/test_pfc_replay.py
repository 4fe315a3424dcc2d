"""The replay and the prover, which share only the rules of PFC, on fabrics whose maps were changed at random."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.ethernet.qos import PortQos, SwitchQos
from unknot.routing.lossless import PacketPlace, PfcModel, Walk
from unknot.routing.lossless_classes import ClassWalk, lossless_relation
from unknot.verify.audit_ethernet import audit_ethernet
from unknot.verify.check import check
from unknot.verify.pfc_replay import Choice, Flow, replay

EXAMPLES = Path(__file__).parents[2] / "examples" / "ethernet"


def shuffled(fabric: EthernetFabric, random: np.random.Generator) -> EthernetFabric:
    """The fabric with other maps at some ports: among classes 2, 3, 4 and 6."""

    def of(port: PortQos) -> PortQos:
        maps = {}
        for name in ("tc_to_group", "tc_to_queue", "priority_to_queue"):
            row = list(getattr(port, name))
            if random.random() < 0.3:
                row[int(random.choice([2, 3, 4, 6]))] = int(random.choice([2, 3, 4, 6]))
            maps[name] = tuple(row)
        return replace(port, **maps)

    def all_of(qos: SwitchQos) -> SwitchQos:
        ports = {name: of(port) for name, port in qos.ports.items()}
        return replace(qos, ports=ports, unknown=next(iter(ports.values())))

    return replace(fabric, qos=tuple(map(all_of, fabric.qos)))


def some_flow(walk: Walk, random: np.random.Generator) -> Flow | None:
    """A flow with choices by lot; None if it does not come to a host."""
    starts = list(walk.starts)
    place: PacketPlace = starts[int(random.integers(len(starts)))]
    start, hops = place, []
    while walk.steps[place] and len(hops) < 20:
        hops.append(walk.steps[place][int(random.integers(len(walk.steps[place])))])
        place = hops[-1].place
    return Flow(start, tuple(hops)) if hops and walk.model.ends(place) else None


def agreement(seeds: range) -> tuple[int, int, int]:
    """Number of fabrics without a cycle, with one that flows fill, and with one that none do."""
    free = filled = 0
    for seed in seeds:
        random = np.random.default_rng(seed)
        name = "dual-tor-two-queues" if seed % 2 else "dual-tor-one-queue"
        fabric = shuffled(read_ethernet(EXAMPLES / name), random)
        audit = audit_ethernet(fabric)
        walk = Walk(PfcModel(fabric))
        classes = ClassWalk(walk.model)
        assert check(lossless_relation(classes)).deadlock_free is audit.verdict.deadlock_free
        assert audit.certificate_holds
        filled += audit.deadlock_free is False
        if audit.verdict.deadlock_free:
            free += 1
            flows = [flow for flow in (some_flow(walk, random) for _ in range(14)) if flow is not None]
            assert all(replay(classes, flows, choice) is None for choice in get_args(Choice)), seed
    return free, filled, len(seeds) - free - filled


@pytest.mark.long
def test_nothing_stands_still_where_the_prover_says_free(seed: int) -> None:
    """On another of the campaign's fabrics in each run."""
    agreement(range(seed % 150, seed % 150 + 1))


@pytest.mark.campaign
def test_nothing_stands_still_on_many_fabrics_that_are_free() -> None:
    free, filled, _ = agreement(range(150))
    assert free > 20
    assert filled > 20
