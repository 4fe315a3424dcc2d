"""Next hops of Ethernet switches: the outgoing channels of each router for each destination, as ECMP uses them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot.network import Network
from unknot.network.faults import frozen
from unknot.network.model import IntArray
from unknot.routing.paths import homes_of
from unknot.routing.relation import EJECT, Out, Relation


@dataclass(frozen=True, eq=False)
class NextHops:
    """Outgoing channels for each destination router and router, as compressed rows.

    Attributes
    ----------
    network : Network
    homes : int64 array, shape (homes,)
        Destinations: the routers with terminals that eject, ascending.
    first : int32 array, shape (homes × routers + 1,)
        Where the row of each destination and router begins, destinations outermost.
    channels : int32 array
        The rows. An empty one drops packets, or is the destination itself.
    """

    network: Network
    homes: npt.NDArray[np.int64]
    first: IntArray
    channels: IntArray

    def row(self, home: int, router: int) -> list[int]:
        """Outgoing channels of a router for the destination at a position in `homes`."""
        at = home * self.network.num_routers + router
        return [int(channel) for channel in self.channels[self.first[at] : self.first[at + 1]]]

    def left(self, network: Network) -> NextHops:
        """What is left of the next hops on a network that failures left of this one: those that failed are struck."""
        if network.origin is None:
            return self
        whole = self.network.origin
        kept, homes = network.origin.routers.tolist(), homes_of(network)[0]
        routers = range(self.network.num_routers) if whole is None else whole.routers.tolist()
        channels = range(self.network.num_channels) if whole is None else whole.channels.tolist()
        router = {name: number for number, name in enumerate(routers)}
        here = {name: number for number, name in enumerate(network.origin.channels.tolist())}
        rows, begins = list[int](), [0]
        for home in homes.tolist():
            place = int(np.searchsorted(self.homes, router[kept[home]]))
            for name in kept:
                rows += [here[channels[c]] for c in self.row(place, router[name]) if channels[c] in here]
                begins.append(len(rows))
        return NextHops(network, homes, frozen(begins), frozen(rows))

    def relation(self, name: str, source: str = "") -> Relation:
        """Return the ECMP relation in one lossless class: a flow keeps its hash choice, which may be any."""
        network, (_, column) = self.network, homes_of(self.network)
        first, channels, routers = self.first, self.channels, network.num_routers
        router = np.concatenate([network.target, network.inject])
        eject = network.eject

        def ecmp(at: int, address: int, out: Out) -> int:
            here = router[at]
            if here == eject[address]:
                out[0] = EJECT
                return 1
            row, count = column[address] * routers + here, 0
            for position in range(first[row], first[row + 1]):
                out[count] = channels[position]
                count += 1
            return count

        return Relation(network, 1, ecmp, name, commits=True, source=source)
