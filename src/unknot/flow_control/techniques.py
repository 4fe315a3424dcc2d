"""The switching techniques, and the pause of lossless Ethernet, as values of flow control."""

from __future__ import annotations

from dataclasses import replace

from unknot._base.errors import UnknotError
from unknot._base.switching import Switching, switching_named
from unknot.flow_control.model import FlowControl

_ROOM = "a blocked packet holds one VC{}, and waits until one of its next VCs has room for the whole packet."
TECHNIQUES: dict[Switching, FlowControl] = {
    "saf": FlowControl(
        "saf", "buffer", "packet", keeps=False, complete=True,
        holding=f"Under store-and-forward, {_ROOM.format(', with all its flits')}",
    ),
    "vct": FlowControl(
        "vct", "buffer", "packet", keeps=False, complete=False,
        holding=f"Under virtual cut-through, {_ROOM.format('')}",
    ),
    "wormhole": FlowControl(
        "wormhole", "row", "empty", keeps=False, complete=False,
        holding="Under wormhole switching with atomic allocation, a packet may stretch over several VCs, and a VC "
        "holds flits of one packet at a time. A blocked packet keeps all its VCs, and waits until one of its next "
        "VCs is empty.",
    ),
    "wormhole-nonatomic": FlowControl(
        "wormhole-nonatomic", "row", "tail", keeps=True, complete=False,
        holding="Under wormhole switching with non-atomic allocation, packets queue in a VC: a header may be granted "
        "a VC before the packet ahead has left the VC, and has then committed to the VC.",
    ),
}  # fmt: skip
"""Store-and-forward, virtual cut-through, wormhole with atomic VC allocation, wormhole without."""
PFC = replace(
    TECHNIQUES["vct"], name="pfc",
    holding="Under priority flow control, the buffers are those of (port, priority): priority groups of the input "
    "port, which pause a queue of the sender while full. A blocked packet holds one group, and waits for the groups "
    "that pause its queue.",
)  # fmt: skip
"""The pause of (port, priority) of lossless Ethernet; ECMP's choice is kept by the relation, which commits."""


def technique(name: str) -> FlowControl:
    """Return the flow control of a switching technique.

    Parameters
    ----------
    name : {"saf", "vct", "wormhole", "wormhole-nonatomic"}

    Returns
    -------
    FlowControl
        The same record each time.

    Raises
    ------
    UnknotError
        If there is no technique of this name; the error lists near names.

    Examples
    --------
    >>> technique("saf").complete, technique("vct").complete
    (True, False)
    """
    return TECHNIQUES[switching_named(name)]


def technique_of(flow: FlowControl) -> Switching:
    """Return the technique whose packets wait as those of a flow control do, but for its pools and cells.

    Packets that fit in behind others wait as under atomic allocation: of packets that block each other for good,
    those in front of their virtual channels do so without the others.

    Raises
    ------
    UnknotError
        If none holds buffers and enters them so.

    Examples
    --------
    >>> technique_of(technique("saf"))
    'saf'
    """
    entry = "empty" if flow.enters == "empty or packet" else flow.enters
    plain = replace(flow, packets=0, pools=(), cell=1, name="", holding="", enters=entry)
    for name, known in TECHNIQUES.items():
        if replace(known, name="", holding="") == plain:
            return name
    raise UnknotError(
        f"{flow.name}: nothing decides about packets that hold a {flow.holds}, enter a VC when there is room for a "
        f"{flow.enters}, keeps={flow.keeps}, complete={flow.complete}; known are those of {', '.join(TECHNIQUES)}"
    )
