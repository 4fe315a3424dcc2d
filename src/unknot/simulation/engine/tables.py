"""The tables of an empty network about to begin cycle 0; what they are is said in `state`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unknot._base.errors import SimulationError
from unknot._base.memory import require
from unknot.simulation.engine.entries import check_bandwidths
from unknot.simulation.engine.mix import Mix
from unknot.simulation.engine.sources import Sources
from unknot.simulation.engine.state import TABLES
from unknot.simulation.engine.state_arrays import State, placed, row_count
from unknot.simulation.engine.table_sizes import TableSizes
from unknot.simulation.run.scenario import Scenario

BUILDING = 25
"""Numbers of 8 bytes for each end of a buffer while tables are built."""
MOST_STATES = 100_000_000
"""Most pairs of an input VC and an address, or bytes, for which answers of a rule are kept."""


def empty_network(scenario: Scenario, sources: Sources | Mix, threads: int, *, general: bool) -> list[State]:
    """Return the network of a scenario, about to begin cycle 0, in as many parts as it has threads.

    Raises
    ------
    SizeError
        Before the large tables are made, if all of them and the routing cache take more memory than there may be.
    """
    relation, router = scenario.simulated, scenario.selecting_router
    network, num_vcs = relation.network, relation.num_vcs
    if router.priority == "class" and not isinstance(sources, Mix):
        raise SimulationError('router: priority "class" is of traffic classes, and there are none')
    check_bandwidths(network, router)
    # What is kept later, and what it takes to make the tables.
    memory = min(MOST_STATES, (num_vcs + network.num_terminals) * network.num_terminals)
    memory += 8 * BUILDING * (2 * num_vcs + 3 * relation.vcs.widest * network.num_terminals)
    name = f"a simulation of {network.name} with {num_vcs} virtual channels"
    require(name, memory)
    plan = TableSizes(scenario, sources, threads, general=general)
    tables, own = plan.shared(), plan.own()
    memory += sum(table.nbytes for table in tables.values() if isinstance(table, np.ndarray))  # until they are copied
    require(name, memory + _bytes(tables) + threads * _bytes(own) + plan.growth)
    # What few runs have, and the routing cache, which is made later, are empty.
    whole = placed(dict.fromkeys(TABLES, 0) | tables | own)
    return [plan.part(k, whole if k == 0 else whole | placed(own)) for k in range(threads)]


def _bytes(tables: Mapping[str, Any]) -> int:
    return sum(TABLES[name].itemsize * row_count(table) for name, table in tables.items())
