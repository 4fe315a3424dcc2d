"""Two routings of ucb-bar/constellation for any network, on its ring of one direction.

Read in src/main/scala/routing (RoutingRelations.scala, RoutingHelpers.scala) at commit c1b42cd0. Each packet has one
path and one VC for each of its hops, so that a list of paths for pairs of terminals is the whole routing.
"""

from unknot import EJECT, Relation, RelationError
from unknot.network import Network
from unknot.routing.parts import Addressing, Published

CLAIMS = {"wormhole": True, "vct": True}


def generalized_dateline(network: Network, static: bool = False, dateline: int = 0) -> Relation:
    """Return the routing that changes the VC where a path crosses the dateline.

    Parameters
    ----------
    static : bool
        Whether every packet begins on VC 0 (`useStaticVC0`); by default on VC (19·source + 4·destination) mod 2.
    dateline : int
        Router where the channel begins that is the dateline; in a ring one channel breaks the only cycle.
    """
    routers = network.num_routers

    def vc(source: int, destination: int, router: int) -> int:
        crossed = (dateline - source) % routers <= (router - source) % routers
        begins = 0 if static else 19 * source + 4 * destination
        return (begins + crossed) % 2

    return _around(network, 2, vc, f"generalized dateline{', static' if static else ''}")


def layered(network: Network) -> Relation:
    """Return the routing that keeps a path in the first layer with all its channels; layer k lacks that into k."""
    routers = network.num_routers

    def vc(source: int, destination: int, router: int) -> int:
        return next(k for k in range(routers) if (k - 1 - source) % routers >= (destination - source) % routers)

    return _around(network, routers, vc, "layered")


def _around(network: Network, vcs: int, vc, name: str) -> Relation:
    """Return the routing round a ring of one direction, where a header carries source and destination."""
    routers = network.num_routers
    onwards = [network.between(here, (here + 1) % routers) for here in range(routers)]
    if network.num_channels != routers or not all(len(found) == 1 for found in onwards):
        raise RelationError(f"{name} needs a ring of one direction; {network.name} is none")

    def rule(at: int, address: int, out: list[int]) -> int:
        source, destination = divmod(address, routers)
        here = network.target[at // vcs] if at < vcs * routers else network.inject[at - vcs * routers]
        out[0] = EJECT
        if here != destination:
            out[0] = vcs * onwards[here][0] + vc(source, destination, here)
        return 1

    pairs = [divmod(address, routers) for address in range(routers * routers)]
    return Relation(
        network,
        vcs,
        rule,
        name=name,
        addresses=Addressing(
            destination=[destination for _, destination in pairs],
            may_use=[[source == terminal for source, _ in pairs] for terminal in range(routers)],
            address_labels=[f"{destination} from {source}" for source, destination in pairs],
        ),
        published=Published(CLAIMS),
    )
