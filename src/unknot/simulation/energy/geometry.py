"""Links and routers as technologies price them, and their prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Floats, Ints
from unknot.simulation.engine.ordinals import opposite

if TYPE_CHECKING:
    from unknot.simulation.run.scenario import Scenario

AT_END = ("buffer_write", "buffer_read", "crossbar_in")
AT_BEGIN = ("crossbar_out", "output", "switch_allocation", "vc_allocation")
"""Events in the router where a link ends, and where it begins: of flits, ``vc_allocation`` of headers. One more,
``link``, is on the link itself."""
PARTS = ("buffer", "crossbar", "output", "link")
"""What leaks, has a clock, and takes area."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """Links and routers of a network; links are channels, then injection links, then ejection links, by terminal.

    Attributes
    ----------
    flit_width, clock : float
        Bits of a flit, and GHz.
    width, length : float64 array, shape (links,)
        Wires of each link, and millimetres.
    begins, ends : int64 array, shape (links,)
        Routers; −1: a terminal.
    vcs, depth : int64 array, shape (links,); int
        VCs of the buffer where each link ends in a router, and flits of a VC.
    inputs, outputs : int64 array, shape (routers,)
        Ports of each router.
    terminals_first : bool
        Whether ports of terminals have the first numbers, see `Router`.
    """

    flit_width: float
    clock: float
    width: Floats
    length: Floats
    begins: Ints
    ends: Ints
    vcs: Ints
    depth: int
    inputs: Ints
    outputs: Ints
    terminals_first: bool = False

    @property
    def places(self) -> tuple[Ints, Ints]:
        """Number of each link among the inputs of its last router, and among the outputs of its first.

        A channel comes in where the channel back leaves.
        """
        of_terminals = (self.ends < 0) | (self.begins < 0)
        last = of_terminals ^ self.terminals_first
        number = np.arange(self.begins.size)
        back = number.copy()
        back[~of_terminals] = opposite(self.begins[~of_terminals], self.ends[~of_terminals])
        return _ranks(self.ends, last, back), _ranks(self.begins, last, number)


@dataclass(frozen=True, eq=False)
class Costs:
    """What a technology asks for the parts of a network.

    Attributes
    ----------
    energy : dict of str to float64 array, shape (links,)
        Picojoules of one event, by `AT_END`, `AT_BEGIN` and ``link``.
    power : dict of str to float64 array
        Milliwatts of leakage and clock, by `PARTS`: of each link (``buffer`` where it ends, ``link``) or router.
    area : dict of str to float64 array, or None
        Square millimetres in the same form; None where the technology has none.
    """

    energy: Mapping[str, npt.NDArray[Any]]
    power: Mapping[str, npt.NDArray[Any]]
    area: Mapping[str, npt.NDArray[Any]] | None


class Technology(Protocol):
    """What a technology file says.

    Attributes
    ----------
    name : str
        How answers call it.
    defaults : dict of str to float
        Options of `Energy` that the file settles unless they are given.
    """

    @property
    def name(self) -> str: ...

    @property
    def defaults(self) -> dict[str, float]: ...

    def costs(self, geometry: Geometry) -> Costs:
        """Return what the parts of a network cost."""
        ...


def geometry_of(scenario: Scenario, flit_width: float, clock: float, channels: Floats, terminals: float) -> Geometry:
    """The geometry of the network of a scenario.

    Parameters
    ----------
    channels : float64 array, shape (channels,)
        Their lengths in millimetres.
    terminals : float
        Length of the links of terminals.
    """
    relation = scenario.simulated
    network, many = relation.network, relation.network.num_terminals
    nowhere = np.full(many, -1)
    begins = np.concatenate([network.source, nowhere, network.eject]).astype(np.int64)
    ends = np.concatenate([network.target, network.inject, nowhere]).astype(np.int64)
    vcs = np.concatenate([relation.vcs.counts, np.full(many, relation.vcs.widest), np.zeros(many)]).astype(np.int64)
    return Geometry(
        flit_width=flit_width,
        clock=clock,
        width=flit_width * np.concatenate([network.bandwidth, np.ones(2 * many)]),
        length=np.concatenate([channels, np.full(2 * many, terminals)]),
        begins=begins,
        ends=ends,
        vcs=vcs,
        depth=scenario.buffer_depth,
        inputs=np.bincount(ends[ends >= 0], minlength=network.num_routers),
        outputs=np.bincount(begins[begins >= 0], minlength=network.num_routers),
        terminals_first=scenario.router.terminals_first,
    )


def _ranks(routers: Ints, last: Flags, place: Ints) -> Ints:
    """How many links of lower places have the same router as each; links marked as `last` come last."""
    order = np.lexsort((place, last, routers))
    ordered = routers[order]
    ranks = np.empty(routers.size, dtype=np.int64)
    ranks[order] = np.arange(routers.size) - np.searchsorted(ordered, ordered)
    return ranks
