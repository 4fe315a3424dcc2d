"""Headroom that priority groups need after they pause, and watchdogs that act on legal pauses."""

from __future__ import annotations

import math
from collections import defaultdict

from unknot.fabrics.ethernet.buffers import PortBuffers
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.network.metrics import hops_from_any

QUANTUM = 512
"""Bits of a quantum, the unit of pauses."""
LONGEST = 65535
"""Quanta of the longest pause of one frame."""
RESPONSE = {
    100: 1, 1_000: 2, 10_000: 67, 25_000: 80, 40_000: 118, 50_000: 147, 100_000: 394, 200_000: 453, 400_000: 905,
    800_000: 905,
}  # fmt: skip
"""Quanta in which a port must obey a pause, by Mb/s (IEEE 802.3, 31B.3.7); 800 Gb/s as SONiC takes it."""
SIGNAL = 198e6
"""Metres a second of a signal in a fibre."""
PAUSE_FRAME = 84
"""Bytes of a pause on the wire, with preamble and gap."""
SHOWN = 5


def headroom_needed(port: PortBuffers) -> int | None:
    """Return the bytes that can still come after a port decides to pause; None if speed or cable are not known.

    A frame of the port's own may be ahead of the pause, and the sender may just have begun another. Between these are
    the way of the pause there, the response time, and the way of the last bits back. Cells of the buffer that small
    packets leave partly empty, gearboxes and pipelines come on top, and differ by chip.

    Parameters
    ----------
    port : PortBuffers

    Returns
    -------
    int or None

    Examples
    --------
    >>> headroom_needed(PortBuffers(speed=100_000, cable=300, mtu=9100, lossless_mtu=9100))
    81379
    """
    if port.speed not in RESPONSE or port.cable is None:
        return None
    on_the_way = 2 * port.cable / SIGNAL * port.speed * 1e6 / 8
    return math.ceil(on_the_way) + RESPONSE[port.speed] * QUANTUM // 8 + port.mtu + port.lossless_mtu + PAUSE_FRAME


def small_headroom(fabric: EthernetFabric) -> tuple[str, ...]:
    """Ports whose groups have less headroom than can come after a pause, in words."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for switch, own in enumerate(fabric.qos):
        for name, port in sorted(own.buffers.ports.items()):
            needed = headroom_needed(port)
            for group, xoff in sorted(port.headroom.items()):
                if needed is not None and port.speed is not None and xoff < needed:
                    why = (
                        f"priority group {group} has {xoff:,} bytes of headroom; {needed:,} can come after a pause "
                        f"({port.speed / 1000:g} Gb/s, {port.cable} m, frames of {port.mtu:,} bytes)"
                    )
                    texts[why].append(f"{fabric.network.router_name(switch)} {name}")
    return tuple(_of_ports(ports, why) for why, ports in list(texts.items())[:SHOWN])


def lossy_queues(fabric: EthernetFabric) -> tuple[str, ...]:
    """Ports that drop lossless packets: their queue has the limited buffer profile of a queue for lossy ones."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for channel, (near, _) in enumerate(fabric.ends):
        port = fabric.qos[int(fabric.network.source[channel])].buffers.ports.get(near.name, PortBuffers())
        maps = fabric.sender(channel)
        lossless = maps.queues_of(True) if maps.enabled else frozenset()
        for queue in sorted(lossless):
            profile = port.queues.get(queue)
            alike = [other for other in maps.queues_of(False) - lossless if port.queues.get(other) == profile]
            if alike and profile in port.limited:
                why = f"queue {queue} of lossless packets drops packets at a threshold: its buffer profile {profile} "
                texts[why + f"is that of queue {min(alike)} of lossy packets"].append(str(near))
    return tuple(_of_ports(ports, why) for why, ports in list(texts.items())[:SHOWN])


def hasty_watchdogs(fabric: EthernetFabric) -> tuple[str, ...]:
    """Watchdogs that act before a legal pause must end, in words.

    Without a deadlock a pause lasts at most as long as full pools take to drain, one after the other, through the
    slowest port of each switch on the longest of the shortest ways between hosts; and as one frame asks for.
    """
    speeds = [port.speed for own in fabric.qos for port in own.buffers.ports.values() if port.speed]
    pools = [own.buffers.pool for own in fabric.qos if own.buffers.pool]
    if not speeds:
        return ()
    edges = [*fabric.edges]
    longest = max((int(hops_from_any(fabric.network, [edge])[edges].max()) for edge in edges), default=0)
    drain = (longest + 1) * max(pools, default=0) * 8 / (min(speeds) * 1000)
    legal = max(drain, LONGEST * QUANTUM / (min(speeds) * 1000))
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for router, own in enumerate(fabric.qos):
        for name, port in sorted(own.buffers.ports.items()):
            if port.detection is not None and port.detection < legal:
                what = f"watchdog acts after {port.detection} ms, but a legal pause can last {legal:.3g} ms"
            elif port.detection is not None and port.detection < (own.buffers.poll or 0):
                what = f"watchdog of {port.detection} ms looks every {own.buffers.poll} ms only"
            else:
                continue
            texts[what].append(f"{fabric.network.router_name(router)} {name}")
    return tuple(_of_ports(ports, what) for what, ports in list(texts.items())[:SHOWN])


def _of_ports(ports: list[str], what: str) -> str:
    return f"{ports[0]}{f' and {len(ports) - 1} more ports' if len(ports) > 1 else ''}: {what}"
