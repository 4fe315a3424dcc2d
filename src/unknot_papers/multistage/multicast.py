"""Multicast through a multistage network: each input to several outputs, along trees that share no link.

A switch may pass a message on through several of its outputs. Links carry one input's message; where two paths of one
input meet they are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from unknot.errors import NetworkError, UnknotError
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import stages
from unknot.shown import Brief
from unknot.threads import processors
from unknot_papers.multistage.paths import reaches


@dataclass(frozen=True, eq=False, repr=False)
class Trees(Brief):
    """Whether requests for several outputs each can be met at once.

    Attributes
    ----------
    network : Network
    requests : dict
        The outputs each input asks for.
    realised : bool or None
        None when the time was up.
    channels : dict
        For each input the channels of its tree, ascending; empty if not realised.
    """

    network: Network
    requests: dict[int, tuple[int, ...]]
    realised: bool | None
    channels: dict[int, IntArray]


def multicast(network: Network, requests: Mapping[int, Iterable[int]], *, time_limit: float = 60.0) -> Trees:
    """Find trees without conflict by CP-SAT, or prove that there are none.

    Parameters
    ----------
    requests : mapping of int to ints
        The outputs each input asks for; no output is asked for twice.

    Raises
    ------
    UnknotError
        If a terminal does not exist or two inputs ask for one output.
    """
    from ortools.sat.python import cp_model

    wanted = _checked(network, requests)
    towards = reaches(network)
    model = cp_model.CpModel()
    users: dict[int, list[cp_model.IntVar]] = {}
    trees: dict[int, dict[int, cp_model.IntVar]] = {}
    for source, outputs in wanted.items():
        inside = np.asarray(np.logical_or.reduce(towards[:, list(outputs)], axis=1))
        tree = {int(c): model.new_bool_var("") for c in np.flatnonzero(inside[network.target])}
        trees[source] = tree
        for channel, variable in tree.items():
            users.setdefault(channel, []).append(variable)
        start = int(network.inject[source])
        entering: dict[int, list[cp_model.IntVar]] = {}
        for channel, variable in tree.items():
            entering.setdefault(int(network.target[channel]), []).append(variable)
        for channel, variable in tree.items():
            router = int(network.source[channel])
            if router != start:
                model.add_bool_or([*entering.get(router, []), ~variable])
        for into in entering.values():
            model.add_at_most_one(into)
        for output in outputs:
            if int(network.eject[output]) != start:
                model.add_bool_or(entering.get(int(network.eject[output]), []))
    for crowd in users.values():
        model.add_at_most_one(crowd)
    solver = cp_model.CpSolver()
    solver.parameters.catch_sigint_signal = False
    solver.parameters.max_time_in_seconds = time_limit
    solver.parameters.num_workers = min(8, processors())
    solver.parameters.random_seed = 1
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return Trees(network, wanted, False, {})
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Trees(network, wanted, None, {})
    chosen = {
        source: _pruned(network, wanted[source], [c for c, var in tree.items() if solver.value(var)])
        for source, tree in trees.items()
    }
    return Trees(network, wanted, True, chosen)


def accept_trees(found: Trees) -> None:
    """Check from the network alone that every output is reached from its input and no link serves two inputs.

    Raises
    ------
    NetworkError
        At the first thing that is wrong.
    """
    network, used = found.network, set[int]()
    if not found.realised:
        return
    stage = stages(network).stage
    for source, outputs in found.requests.items():
        reached = {int(network.inject[source])}
        for channel in sorted(found.channels[source].tolist(), key=lambda c: int(stage[network.source[c]])):
            if channel in used:
                raise NetworkError(f"{network.name}: two inputs use {network.channel_name(channel)}")
            used.add(channel)
            if int(network.source[channel]) not in reached:
                raise NetworkError(f"{network.name}: {network.channel_name(channel)} hangs in the air")
            reached.add(int(network.target[channel]))
        for output in outputs:
            if int(network.eject[output]) not in reached:
                raise NetworkError(f"{network.name}: {network.terminal_name(output)} is not reached")


def _checked(network: Network, requests: Mapping[int, Iterable[int]]) -> dict[int, tuple[int, ...]]:
    wanted: dict[int, tuple[int, ...]] = {}
    taken: dict[int, int] = {}
    for source, outputs in requests.items():
        start = network.terminal(source)
        wanted[start] = tuple(network.terminal(output) for output in outputs)
        for output in wanted[start]:
            if output in taken:
                names = [network.terminal_name(t) for t in (taken[output], start, output)]
                raise UnknotError(f"multicast: inputs {names[0]} and {names[1]} ask for the same output {names[2]}")
            taken[output] = start
    return wanted


def _pruned(network: Network, outputs: tuple[int, ...], channels: list[int]) -> IntArray:
    """The channels that lead to an output, those that lead nowhere left out."""
    needed = {int(network.eject[output]) for output in outputs}
    kept: list[int] = []
    stage = stages(network).stage
    for channel in sorted(channels, key=lambda c: -int(stage[network.source[c]])):
        if int(network.target[channel]) in needed:
            kept.append(channel)
            needed.add(int(network.source[channel]))
    return np.array(sorted(kept), dtype=np.int32)
