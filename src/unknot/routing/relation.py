"""The routing relation: what every algorithm is, and all that prover and simulator ever see of it.

R(at, address) → candidates. `at` is where a header stands: an input virtual channel (VC), ``first[channel] + index``,
or the injection port of a terminal, ``num_vcs + terminal``. `address` is what the header carries, by default the
destination terminal. A candidate is an output VC of the router where the header stands, or EJECT.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from unknot._base.errors import RelationError
from unknot._base.older import takes_parts
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.contract import COMPARISONS, IN_ROUTER, Step, towards_home
from unknot.routing.contract import EJECT as EJECT
from unknot.routing.contract import NO_WAIT as NO_WAIT
from unknot.routing.contract import TIER as TIER
from unknot.routing.contract import VC_MASK as VC_MASK
from unknot.routing.contract import Candidate as Candidate
from unknot.routing.contract import Out as Out
from unknot.routing.contract import Rule as Rule
from unknot.routing.contract import decode as decode
from unknot.routing.parts import Addressing as Addressing
from unknot.routing.parts import Preference as Preference
from unknot.routing.parts import Published as Published
from unknot.routing.tabulate import Asked
from unknot.routing.virtual_channels import VirtualChannels


@takes_parts(addresses=Addressing, published=Published, preference=Preference)
@dataclass(frozen=True, eq=False, init=False, repr=False)
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
    addresses : Addressing, optional
        What headers carry, and who sends to whom; by default all terminals to all.
    commits : bool
        Whether a header chooses once, on arrival, among all its candidates, those marked NO_WAIT included, and
        waits for what it chose; else it chooses anew every cycle.
    published : Published, optional
        What the source of the algorithm claims.
    preference : Preference, optional
        What runs prefer among all that is legal. Proofs ignore it.

    Attributes
    ----------
    destination, may_use, address_labels, classes
        As in `addresses`, arrays checked and read-only.
    claims, claims_minimal, source
        As in `published`.
    direct, compares, selection, decides, hops
        As in `preference`.

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
    name: str
    addresses: Addressing
    commits: bool
    published: Published
    preference: Preference

    def __init__(
        self,
        network: Network,
        vcs: npt.ArrayLike | VirtualChannels,
        rule: Rule,
        name: str = "rule",
        addresses: Addressing | None = None,
        commits: bool = False,
        published: Published | None = None,
        preference: Preference | None = None,
    ) -> None:
        virtual = vcs if isinstance(vcs, VirtualChannels) else VirtualChannels(network, vcs)
        if virtual.network is not network:
            raise RelationError(f"{name}: the virtual channels belong to another network")
        if not callable(rule):
            raise RelationError(f"{name}: a rule is a function of (at, address, out), got {rule!r}")
        for given, kind in ((addresses, Addressing), (published, Published), (preference, Preference)):
            if given is not None and not isinstance(given, kind):
                raise RelationError(f"{name}: expected {kind.__name__}(…), got {given!r}")
        addresses = (addresses or Addressing()).checked(name, network)
        preference = (preference or Preference()).checked(name, network.num_terminals, addresses)
        parts = {"addresses": addresses, "published": published or Published(), "preference": preference}
        for part in parts.values():
            self.__dict__.update(vars(part))
        self.__dict__.update(parts, network=network, vcs=virtual, rule=rule, name=name, commits=commits)

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


def cited(
    virtual: VirtualChannels,
    rule: Rule,
    name: str,
    claims: Mapping[str, bool] | None = None,
    *,
    minimal: bool | None = None,
    source: str = "",
    **more: Any,
) -> Relation:
    """The relation of a rule, with claims of its source.

    Parameters
    ----------
    claims, minimal, source
        See `Published`.
    **more
        Other arguments of `Relation`.
    """
    published = Published(claims or {}, minimal, source)
    return Relation(virtual.network, virtual, rule, name, published=published, **more)


def by_steps(
    virtual: VirtualChannels,
    step: Step,
    name: str,
    claims: Mapping[str, bool] | None = None,
    *,
    home: IntArray | None = None,
    **more: Any,
) -> Relation:
    """The relation of a rule away from home, with claims of its source; see `towards_home` and `cited`."""
    return cited(virtual, towards_home(virtual, step, home), name, claims, **more)
