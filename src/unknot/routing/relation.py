"""The routing relation: what every algorithm is, and all that prover and simulator ever see of it.

R(at, address) → candidates. `at` is where a header stands: an input virtual channel (VC), ``first[channel] + index``,
or the injection port of a terminal, ``num_vcs + terminal``. `address` is what the header carries, by default the
destination terminal. A candidate is an output VC of the router where the header stands, or EJECT.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags
from unknot._base.errors import RelationError, require_known
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.contract import COMPARISONS, IN_ROUTER, Detour, direct_addresses, terminals_of
from unknot.routing.contract import EJECT as EJECT
from unknot.routing.contract import NO_WAIT as NO_WAIT
from unknot.routing.contract import TIER as TIER
from unknot.routing.contract import VC_MASK as VC_MASK
from unknot.routing.contract import Candidate as Candidate
from unknot.routing.contract import Out as Out
from unknot.routing.contract import Rule as Rule
from unknot.routing.contract import decode as decode
from unknot.routing.tabulate import Asked
from unknot.routing.virtual_channels import VirtualChannels


@dataclass(frozen=True, eq=False)
class Relation(Asked):
    """A routing relation over the virtual channels of a network.

    Parameters
    ----------
    network : Network
        The network that is routed.
    vcs : int, array_like of int or VirtualChannels
        VCs per channel.
    rule : callable
        ``rule(at, address, out) -> count`` writes candidates to the int64 array `out` and returns how many. It may
        read arrays it captured, must not write them, and must always answer the same. It should be plain enough for
        Numba; if it is not, it is tabulated over its reachable states.
    name : str
        Name of the algorithm, for messages.
    destination : array_like of int, shape (addresses,), optional
        Terminal each address stands for; by default address = terminal.
    may_use : array_like of bool, shape (terminals, addresses), optional
        Which addresses a source uses. By default every terminal uses every address, its own included (traffic
        from a terminal to itself is legal where the rule offers it a candidate).
    commits : bool
        Whether a header chooses once, on arrival, among all its candidates, those marked NO_WAIT included, and
        waits for what it chose; else it chooses anew every cycle.
    claims : mapping of str to bool
        For each switching technique, whether the source of the algorithm says it is deadlock-free.
    claims_minimal : bool, optional
        Whether the source of the algorithm says that it uses shortest paths only.
    address_labels : sequence of str, optional
        Names of addresses for messages.
    source : str
        Where the algorithm was published, in a few words; empty for one's own.
    direct : array_like of int, shape (terminals, terminals) or (terminals,), optional
        For each source and destination the address a packet takes unless the way there is the more congested: on
        injection, the simulator compares it with one drawn at random (UGAL, Singh 2005); −1: none. In one dimension,
        for each source the address for terminal 0, which those for others follow in order. Proofs ignore it.
    compares : {"UGAL-L_VCH", "UGAL-L_VC", "UGAL-L"}
        Queues that are compared where `direct` is given: of whole ports (UGAL-L), of the VCs that the packet may
        take (UGAL-L_VC), or of VCs only where both ways begin with the same port (UGAL-L_VCH).
    classes : sequence of str
        Names of message classes, if there are any: the addresses then are blocks of one length, one for each class.
    selection : str, optional
        The selection function that suits it, one of `SELECTIONS` (`simulation/engine/codes.py`); runs use it
        unless their router names another. Proofs ignore it.
    decides : Detour, optional
        How the source router makes the comparison, instead of `compares`. Proofs ignore it.
    hops : callable, optional
        ``hops(at, address, out)`` is the number of hops from an injection port by the preferred candidates, where it
        can be had without walking them. It is a function as `rule` is, writes nothing to `out`, and has no part in
        proofs: runs use it where packets compare two addresses.

    Examples
    --------
    >>> from unknot import EJECT
    >>> from unknot.verify import check
    >>> from unknot.network.families import line
    >>> def across(at, address, out):
    ...     router = (1, 0, 0, 1)[at]  # the ends of both VCs, then the routers of both injection ports
    ...     out[0] = EJECT if router == address else router
    ...     return 1
    >>> check(Relation(line(2), 1, across)).deadlock_free
    True
    """

    network: Network
    vcs: VirtualChannels
    rule: Rule
    name: str = "rule"
    destination: IntArray = None  # type: ignore[assignment]
    may_use: Flags | None = None
    commits: bool = False
    claims: Mapping[str, bool] = field(default_factory=dict)
    claims_minimal: bool | None = None
    address_labels: Sequence[str] | None = None
    source: str = ""
    direct: IntArray | None = None
    compares: str = "UGAL-L_VCH"
    classes: Sequence[str] = ()
    selection: str | None = None
    decides: Detour | None = None
    hops: Rule | None = None

    if TYPE_CHECKING:  # what may be given is wider than what is kept

        def __init__(
            self,
            network: Network,
            vcs: npt.ArrayLike | VirtualChannels,
            rule: Rule,
            name: str = "rule",
            destination: npt.ArrayLike | None = None,
            may_use: npt.ArrayLike | None = None,
            commits: bool = False,
            claims: Mapping[str, bool] = ...,
            claims_minimal: bool | None = None,
            address_labels: Sequence[str] | None = None,
            source: str = "",
            direct: npt.ArrayLike | None = None,
            compares: str = "UGAL-L_VCH",
            classes: Sequence[str] = (),
            selection: str | None = None,
            decides: Detour | None = None,
            hops: Rule | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        vcs = self.vcs if isinstance(self.vcs, VirtualChannels) else VirtualChannels(self.network, self.vcs)
        if vcs.network is not self.network:
            raise RelationError(f"{self.name}: the virtual channels belong to another network")
        if not callable(self.rule):
            raise RelationError(f"{self.name}: a rule is a function of (at, address, out), got {self.rule!r}")
        terminals = self.network.num_terminals
        destination = terminals_of(self.name, self.destination, self.network)
        if self.address_labels is not None and len(self.address_labels) != destination.size:
            raise RelationError(
                f"{self.name}: {len(self.address_labels)} address_labels for {destination.size} addresses"
            )
        if self.classes and destination.size % len(self.classes):
            raise RelationError(f"{self.name}: {destination.size} addresses for {len(self.classes)} message classes")
        if self.may_use is not None:
            may_use = np.array(self.may_use, dtype=bool, order="C")
            if may_use.shape != (terminals, destination.size):
                raise RelationError(
                    f"{self.name}: may_use has shape {may_use.shape}, wanted ({terminals}, {destination.size})"
                )
            may_use.setflags(write=False)
            object.__setattr__(self, "may_use", may_use)
        require_known(f"{self.name}: unknown variant", self.compares, COMPARISONS, RelationError)
        if self.direct is not None:
            direct = direct_addresses(self.name, self.direct, destination, terminals, self.may_use)
            object.__setattr__(self, "direct", direct)
        parts = max(1, len(self.classes)) * (0 if self.decides is None else self.decides.blocks)
        if parts and (destination.size % parts or (self.direct is None and destination.size // parts % 2)):
            raise RelationError(f"{self.name}: {destination.size} addresses are not {parts} blocks to decide within")
        object.__setattr__(self, "vcs", vcs)
        object.__setattr__(self, "destination", destination)

    def direct_addresses(self, source: Any, to: Any) -> Any:
        """Return the direct addresses of some sources for some destinations, whose shapes are joined."""
        assert self.direct is not None
        return self.direct[source] + to if self.direct.ndim == 1 else self.direct[source, to]

    @property
    def compares_on_injection(self) -> bool:
        """Whether packets choose between two addresses before they enter the network (UGAL)."""
        return self.direct is not None and self.decides is None

    @property
    def comparison(self) -> int:
        """Number of the variant in `COMPARISONS`, counted from 1, or `IN_ROUTER`; 0 if nothing is compared."""
        if self.decides is not None:
            return IN_ROUTER
        return 0 if self.direct is None else 1 + COMPARISONS.index(self.compares)

    @property
    def made_by(self) -> tuple[str, int | None] | None:
        """Routing text and VCs per channel given to `unknot.routing.named.routing`; None for other relations."""
        made_by: tuple[str, int | None] | None = self.__dict__.get("_made_by")
        return made_by

    def __repr__(self) -> str:
        return f"<Relation {self.name} on {self.network.name}, {self.num_vcs} VCs>"
