"""Tables of the switches of a folder, by their names."""

from __future__ import annotations

from dataclasses import dataclass, field

from unknot.fabrics.ethernet.qos import SwitchQos
from unknot.fabrics.ethernet.routes import (
    Port,
    Prefix,
    Route,
)
from unknot.network import Network


def is_loopback(interface: str) -> bool:
    return interface.lower().startswith(("lo", "dummy"))


@dataclass(frozen=True)
class SwitchTables:
    """Routes of all switches, and their interfaces; `known`: channels behind these, as they are asked for."""

    network: Network
    routes: list[dict[Prefix, Route]]
    channels: dict[Port, tuple[int, ...]]
    switches: list[str]
    qos: list[SwitchQos]
    known: dict[tuple[int, str], tuple[int, ...]] = field(default_factory=dict, repr=False)

    def leads(self, router: int, interface: str) -> tuple[int, ...]:
        """Channels behind an interface or its subinterface; those of all members of a port channel."""
        if (router, interface) not in self.known:
            members, whole = self.qos[router].members, interface.partition(".")[0]
            keys = (interface, whole.replace("Po", "PortChannel"), whole)
            names = next((members[key] for key in keys if key in members), (interface,))
            ports = [Port(self.switches[router], part) for name in names for part in (name, name.partition(".")[0])]
            channels = dict.fromkeys(channel for port in ports for channel in self.channels.get(port, ()))
            self.known[router, interface] = tuple(channels)
        return self.known[router, interface]

    def channels_of(self, router: int, route: Route) -> tuple[int, ...]:
        """Channels by which the next hops of a route leave, ascending."""
        return tuple(sorted({c for name in route.interfaces for c in self.leads(router, name)}))

    def lists_hosts(self, router: int) -> bool:
        """Whether the routes of a switch list prefixes of hosts connected to it."""
        return any(
            route.local and not all(is_loopback(name) or self.leads(router, name) for name in route.interfaces)
            for route in self.routes[router].values()
        )

    def route(self, router: int, prefix: Prefix) -> Route | None:
        """The route by the longest prefix that covers one."""
        table = self.routes[router]
        wide = prefix
        while wide not in table:
            if wide.prefixlen == 0:
                return None
            wide = wide.supernet()
        return table[wide]
