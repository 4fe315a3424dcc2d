"""Parts of a relation beside its rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.errors import RelationError, require_known
from unknot.network import Network
from unknot.routing.contract import COMPARISONS, Detour, Rule, direct_addresses, terminals_of


@dataclass(frozen=True, eq=False)
class Addressing:
    """Addresses that headers carry, and who uses them; by default the numbers of terminals.

    Parameters
    ----------
    destination : array_like of int, shape (addresses,), optional
        Terminal each address stands for; by default address = terminal.
    may_use : array_like of bool, shape (terminals, addresses), optional
        Which addresses a source uses. By default every terminal uses every address, its own included (traffic
        from a terminal to itself is legal where the rule offers it a candidate).
    address_labels : sequence of str, optional
        Names of addresses for messages.
    classes : sequence of str
        Names of message classes, if there are any: the addresses then are blocks of one length, one for each class.

    Examples
    --------
    >>> Addressing([0, 1, 1], address_labels=["first", "second", "second, by way of first"]).classes
    ()
    """

    destination: npt.ArrayLike | None = None
    may_use: npt.ArrayLike | None = None
    address_labels: Sequence[str] | None = None
    classes: Sequence[str] = ()

    def checked(self, name: str, network: Network) -> Addressing:
        """Return them with read-only arrays; RelationError where they do not fit the network."""
        terminals, may_use = network.num_terminals, None
        destination = terminals_of(name, self.destination, network)
        if self.address_labels is not None and len(self.address_labels) != destination.size:
            raise RelationError(f"{name}: {len(self.address_labels)} address_labels for {destination.size} addresses")
        if self.classes and destination.size % len(self.classes):
            raise RelationError(f"{name}: {destination.size} addresses for {len(self.classes)} message classes")
        if self.may_use is not None:
            may_use = np.array(self.may_use, dtype=bool, order="C")
            if may_use.shape != (terminals, destination.size):
                wanted = f"wanted ({terminals}, {destination.size})"
                raise RelationError(f"{name}: may_use has shape {may_use.shape}, {wanted}")
            may_use.setflags(write=False)
        return replace(self, destination=destination, may_use=may_use)


@dataclass(frozen=True, eq=False)
class Published:
    """Claims of the source of an algorithm.

    Parameters
    ----------
    claims : mapping of str to bool
        For each switching technique, whether the source of the algorithm says it is deadlock-free.
    claims_minimal : bool, optional
        Whether the source of the algorithm says that it uses shortest paths only.
    source : str
        Where the algorithm was published, in a few words; empty for one's own.

    Examples
    --------
    >>> Published({"vct": True}, source="Duato 1993").claims["vct"]
    True
    """

    claims: Mapping[str, bool] = field(default_factory=dict)
    claims_minimal: bool | None = None
    source: str = ""


@dataclass(frozen=True, eq=False)
class Preference:
    """Preferences of runs among legal candidates; proofs ignore them.

    Parameters
    ----------
    direct : array_like of int, shape (terminals, terminals) or (terminals,), optional
        For each source and destination the address a packet takes unless the way there is the more congested: on
        injection, the simulator compares it with one drawn at random (UGAL, Singh 2005); −1: none. In one dimension,
        for each source the address for terminal 0, which those for others follow in order.
    compares : {"UGAL-L_VCH", "UGAL-L_VC", "UGAL-L"}
        Queues that are compared where `direct` is given: of whole ports (UGAL-L), of the VCs that the packet may
        take (UGAL-L_VC), or of VCs only where both ways begin with the same port (UGAL-L_VCH).
    selection : str, optional
        The selection function that suits it, one of `SELECTIONS` (`simulation/engine/codes.py`); runs use it
        unless their router names another.
    decides : Detour, optional
        How the source router makes the comparison, instead of `compares`.
    hops : callable, optional
        ``hops(at, address, out)`` is the number of hops from an injection port by the preferred candidates, where it
        can be had without walking them. It is a function as `rule` is, writes nothing to `out`, and is used where
        packets compare two addresses.

    Examples
    --------
    >>> Preference(selection="credits").compares
    'UGAL-L_VCH'
    """

    direct: npt.ArrayLike | None = None
    compares: str = "UGAL-L_VCH"
    selection: str | None = None
    decides: Detour | None = None
    hops: Rule | None = None

    def checked(self, name: str, terminals: int, addresses: Addressing) -> Preference:
        """Return it with a read-only array; RelationError where it does not fit checked addresses."""
        require_known(f"{name}: unknown variant", self.compares, COMPARISONS, RelationError)
        destination: Any = addresses.destination
        may_use: Any = addresses.may_use
        direct = self.direct
        if direct is not None:
            direct = direct_addresses(name, direct, destination, terminals, may_use)
        blocks = max(1, len(addresses.classes)) * (0 if self.decides is None else self.decides.blocks)
        if blocks and (destination.size % blocks or (direct is None and destination.size // blocks % 2)):
            raise RelationError(f"{name}: {destination.size} addresses are not {blocks} blocks to decide within")
        return replace(self, direct=direct)
