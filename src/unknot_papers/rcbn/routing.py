"""Tag routing of recursively constructed composite banyan networks (Ren, Gu, Pan & Liu 2003).

The primary tag corrects the high bits of the row one by one in the front half, goes straight on in the back half and
corrects bit 0 at the last link: where a header stands and where it goes decide, no tag need be carried. With
``choice="all"`` a header may follow any alternate tag as well, and change from one to another on its way, the primary
one first (a tier); this keeps clear of dead switches and links as long as any path is left, for only channels from
which the destination can be reached are candidates (the paper's marks, or "pre-fault-tolerance"). Minimal: all paths
are equally long. One VC. It cannot deadlock under any switching technique, because channels lead from each stage to
the next and so no wait can close a cycle; the paper does not speak of deadlock, so nothing is claimed in its name.
"""

from __future__ import annotations

import numpy as np

from unknot._base.errors import RelationError, require_known
from unknot.network import Network
from unknot.network.stages import reaches, stages
from unknot.routing.relation import EJECT, TIER, Out, Relation, cited
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels
from unknot_papers.rcbn.topology import digits_of, high_bit, size_of_rcbn

CHOICES = ("primary", "all")
MAX_REACHES = 500_000_000
"""Most switches times terminals for which it is tabulated whether one reaches the other, a byte each."""


@takes_network
def rcbn_tags(network: Network, vcs: int = 1, *, choice: str = "primary") -> Relation:
    """Routing by primary tags, or by all tags.

    Parameters
    ----------
    vcs : int
        VCs per channel, all candidates alike.
    choice : {"primary", "all"}

    Raises
    ------
    RelationError
        If the choice is unknown or the network too large for a table; `NetworkError` if it is no RCBN.

    References
    ----------
    K. Ren, N. Gu, W. Pan, G. Liu: The recursively constructed composite banyan network (in Chinese). Acta Electronica
    Sinica, 31(2), 2003, 228–231.

    Examples
    --------
    >>> from unknot_papers.rcbn import rcbn
    >>> rcbn_tags(rcbn(16), choice="all")
    <Relation rcbn_tags (all) on rcbn(16), 96 VCs>
    """
    require_known("rcbn_tags: unknown choice", choice, CHOICES, RelationError)
    n = size_of_rcbn(network)
    view, virtual = stages(network), VirtualChannels(network, vcs)
    router, first, home = virtual.router, virtual.first, network.eject
    stage, row, last = view.stage, view.row, view.count - 1
    high = (np.int64(1) << high_bit(np.arange(view.count), n)).astype(np.int64)
    exits, target = _exits(network), network.target
    adaptive = choice == "all"
    if adaptive and network.num_routers * network.num_terminals > MAX_REACHES:
        raise RelationError(
            f"rcbn_tags on {network.name}: a table of {network.num_routers} switches and {network.num_terminals} "
            f"terminals is more than {MAX_REACHES} bytes; choice='primary' needs none"
        )
    reach = reaches(network).view(np.uint8) if adaptive else np.ones((1, 1), dtype=np.uint8)
    reach.setflags(write=False)

    def rule(at: int, address: int, out: Out) -> int:
        here = router[at]
        k = stage[here]
        if k == last:
            out[0] = EJECT
            return 1 if here == home[address] else 0
        change = row[here] ^ row[home[address]]
        own = 0
        if (k < n - 2 and change & high[k]) or (k == last - 1 and change & 1):
            own = 1
        elif k == last - 1 and change & high[k]:
            own = 2
        count = 0
        for digit in range(3):
            channel = exits[here, digit]
            if channel < 0 or (digit != own and not adaptive):
                continue
            if adaptive and not reach[target[channel], address]:
                continue
            for v in range(vcs):
                out[count] = first[channel] + v + (0 if digit == own else TIER)
                count += 1
        return count

    return cited(virtual, rule, f"rcbn_tags ({choice})", source="Ren, Gu, Pan & Liu 2003")


def _exits(network: Network) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """The channel that leaves each switch by digit 0, 1 and 1̄, or −1: shape (routers, 3)."""
    view = stages(network)
    n = network.radices[1].bit_length()
    change = view.row[network.source] ^ view.row[network.target]
    digit = digits_of(change, view.stage[network.source] < n - 2)
    exits = np.full((network.num_routers, 3), -1, dtype=np.int32)
    exits[network.source, digit] = np.arange(network.num_channels)
    exits.setflags(write=False)
    return exits
