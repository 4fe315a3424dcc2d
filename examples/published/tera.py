"""TERA on a full mesh, with a path as the service topology, without virtual channels.

Read in simulation_files/Figure-6-TERA-service-topologies of alexcano98/TERA-routing-HOTI-2025-reproducibility at
commit 00acd893, and in src/routing/extra.rs of its submodule caminos-lib at commit 81f16d22.
"""

from unknot import EJECT, Relation
from unknot.network import Network
from unknot.routing.parts import Published


def path(network: Network) -> Relation:
    """Return the routing of a full mesh in which channels between routers k and k + 1 are the service path.

    Everywhere a packet may follow the path towards its destination, or go straight there; where it enters the
    network, also to any other router by a channel outside the path.
    """
    channels, routers = network.num_channels, network.num_routers

    def rule(at: int, address: int, out: list[int]) -> int:
        here = network.target[at] if at < channels else network.inject[at - channels]
        there = network.eject[address]
        if here == there:
            out[0] = EJECT
            return 1
        step = here + 1 if there > here else here - 1
        free = range(routers) if at >= channels else (there,)
        found = [step, *(k for k in free if abs(k - here) > 1)]
        for count, k in enumerate(found):
            out[count] = network.between(here, k)[0]
        return len(found)

    return Relation(network, 1, rule, name="TERA, path", published=Published({"vct": True}))
