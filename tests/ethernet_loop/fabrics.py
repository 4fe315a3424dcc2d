"""The fabrics of the loop: Clos networks, AS plans, configurations of FRR, and the cables that fail."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from unknot.network import Network
from unknot.network.families import xgft
from unknot.routing.as_numbers import as_plan

Cable = tuple[str, str]
TIERS = ("leaf", "spine"), ("leaf", "agg", "core")


@dataclass(frozen=True)
class Case:
    """A Clos, how it is routed, and how many failures of each size are tried.

    Attributes
    ----------
    children, parents : tuple of int
        Of the extended generalised fat tree.
    routing : {"bgp", "ospf"}
    plan : str or tuple of int
        AS plan of `bgp`.
    allowas_in : int or tuple of int
        How often a switch accepts its own AS: for all, or by switch.
    by_age : bool
        Whether the oldest of equal paths is announced, FRR's default. What is compared must not depend on it.
    more : tuple of frozenset
        Further sets of cables.
    valley_free : bool
        Whether the route-maps are loaded that `unknot repair` writes.
    failures : tuple of int
        Sets of one, two, three, … cables that fail at once.
    """

    name: str
    children: tuple[int, ...]
    parents: tuple[int, ...]
    routing: str
    failures: tuple[int, ...]
    plan: str | tuple[int, ...] = "switch"
    allowas_in: int | tuple[int, ...] = 0
    relax: bool = True
    by_age: bool = False
    more: tuple[frozenset[Cable], ...] = ()
    valley_free: bool = False

    @cached_property
    def network(self) -> Network:
        """The Clos; routers are numbered as switches are named."""
        return xgft(self.children, self.parents)

    @property
    def daemon(self) -> str:
        """Daemon of FRR that routes."""
        return "bgpd" if self.routing == "bgp" else "ospfd"

    @property
    def words(self) -> str:
        """The routing, as Unknot names it."""
        if self.valley_free:
            return "route-maps"
        options = [f"plan={self.plan!r}" if isinstance(self.plan, str) else f"plan={[*self.plan]}"]
        options += [f"allowas_in={[*self.accepted] if isinstance(self.allowas_in, tuple) else self.allowas_in}"]
        options += [f"relax={self.relax}"]
        return self.routing if self.routing == "ospf" else f"bgp({', '.join(options)})"

    @property
    def accepted(self) -> tuple[int, ...]:
        """How often each switch accepts its own AS."""
        own = self.allowas_in
        return own if isinstance(own, tuple) else (own,) * self.network.num_routers

    @cached_property
    def systems(self) -> list[int]:
        """The AS of each switch, as FRR has it."""
        return [64512 + system for system in as_plan(self.network, self.plan)]

    @cached_property
    def switches(self) -> list[str]:
        """Names by router: the tier and a number in it."""
        assert self.network.coordinates is not None
        levels = self.network.coordinates[:, 0].tolist()
        seen, names = Counter[int](), TIERS[len(self.children) - 2]
        numbers = []
        for level in levels:
            numbers.append(f"{names[level]}{seen[level]}")
            seen[level] += 1
        return numbers

    @cached_property
    def cables(self) -> list[Cable]:
        """Cables, by the names of their switches."""
        ends = zip(self.network.source.tolist(), self.network.target.tolist(), strict=True)
        return [(self.switches[a], self.switches[b]) for a, b in ends if a < b]

    def addresses(self, switch: str) -> list[tuple[str, str]]:
        """Ports and addresses of a switch: /31 for each cable, a /24 for its hosts."""
        rows = []
        for number, (a, b) in enumerate(self.cables):
            if switch in (a, b):
                last = 2 * (number % 128) + (switch == b)
                rows.append((f"to-{b if switch == a else a}", f"172.16.{number // 128}.{last}/31"))
        if switch.startswith("leaf"):
            rows.append(("hosts", f"10.1.{self.switches.index(switch)}.1/24"))
        return rows

    def prefix(self, router: int) -> str:
        """Prefix of the hosts of a leaf."""
        return f"10.1.{router}.0/24"

    def configuration(self, switch: str) -> str:
        """What the routing daemon of a switch reads."""
        router = self.switches.index(switch)
        own = f"10.255.{router // 250}.{router % 250 + 1}"
        ports = self.addresses(switch)
        if self.routing == "ospf":
            lines = ["router ospf", f" ospf router-id {own}", " timers throttle spf 0 50 200", " maximum-paths 64"]
            lines += [" timers throttle lsa all 0", " timers lsa min-arrival 0"]
            for port, _ in ports:
                lines += [f"interface {port}", " ip ospf area 0"]
                quick = [" ip ospf network point-to-point", " ip ospf hello-interval 1", " ip ospf dead-interval 3"]
                lines += [" ip ospf passive"] if port == "hosts" else quick
            return "\n".join([*lines, ""])
        lines = [f"hostname {switch}", f"router bgp {self.systems[router]}", f" bgp router-id {own}"]
        lines += [" no bgp ebgp-requires-policy", " timers bgp 1 3"]
        lines += [] if self.by_age else [" bgp bestpath compare-routerid"]
        lines += [" bgp bestpath as-path multipath-relax"] if self.relax else []
        inner = [f"  network {self.prefix(router)}"] if switch.startswith("leaf") else []
        for port, address in ports:
            if port == "hosts":
                continue
            start, last = address.removesuffix("/31").rsplit(".", 1)
            far = f" neighbor {start}.{int(last) ^ 1}"
            lines += [f"{far} remote-as external", f"{far} timers connect 1", f"{far} advertisement-interval 0"]
            inner += [f" {far} allowas-in {self.accepted[router]}"] if self.accepted[router] else []
        return "\n".join(
            [*lines, " address-family ipv4 unicast", *inner, "  maximum-paths 64", " exit-address-family", ""]
        )

    def states(self) -> list[set[Cable]]:
        """The whole fabric, and sets of cables that fail: drawn, half of them among the cables of few switches."""
        draw, states = random.Random(self.name), [set[Cable]()]
        for size, count in enumerate(self.failures, 1):
            for number in range(count):
                near = self.cables
                if number % 2 and size > 1:
                    some = set(draw.sample([s for s in self.switches if s.startswith("leaf")], 2))
                    near = [cable for cable in near if some & {*cable}]
                down = set(draw.sample(near, size))
                while down in states:
                    down = set(draw.sample(self.cables, size))
                states.append(down)
        return [*states, *map(set, self.more)]


def cases() -> list[Case]:
    """All fabrics, from 6 to 30 switches."""
    small, pods, large = ((1, 4), (1, 2)), ((1, 2, 2), (1, 2, 2)), ((1, 3, 3), (1, 3, 4))
    spines, three = (*range(4), 4, 4), (*range(4), 4, 4, 4)
    # leaf0 hangs on one spine, and the other two hear of it from different leaves: leaf3 hears of both.
    apart = frozenset({("leaf0", "spine1"), ("leaf0", "spine2"), ("leaf3", "spine0"), ("leaf1", "spine1")})
    return [
        Case("2-tier-as-per-switch", *small, "bgp", (1, 8, 3)),
        Case("2-tier-rfc7938", *small, "bgp", (1, 4, 2), "rfc7938"),
        Case("2-tier-rfc7938-allowas-in", *small, "bgp", (1, 5, 2), "rfc7938", allowas_in=1),
        Case("2-tier-spines-one-as-no-relax", *small, "bgp", (1, 4, 2), spines, allowas_in=1, relax=False),
        Case("2-tier-no-relax", *small, "bgp", (1, 2, 1), relax=False),
        Case("2-tier-3-spines-no-relax", (1, 4), (1, 3), "bgp", (0, 1, 1), three, 1, False, False, (apart,)),
        Case("2-tier-3-spines-by-age", (1, 4), (1, 3), "bgp", (0, 3, 6), by_age=True),
        Case("3-tier-rfc7938-by-age", *pods, "bgp", (1, 2, 2), "rfc7938", by_age=True),
        Case("2-tier-ospf", *small, "ospf", (1, 5, 2)),
        Case("3-tier-as-per-switch", *pods, "bgp", (1, 4, 4)),
        Case("3-tier-rfc7938", *pods, "bgp", (1, 3, 3), "rfc7938"),
        Case("3-tier-rfc7938-allowas-in", *pods, "bgp", (1, 3, 4), "rfc7938", allowas_in=1),
        Case("3-tier-rfc7938-bbr", *pods, "bgp", (1, 4, 3), "rfc7938", (1,) * 4 + (1, 1, 0, 0) + (0,) * 4),
        Case("2-tier-rfc7938-tors", *small, "bgp", (1, 4, 2), "rfc7938", (1, 1, 1, 1, 0, 0)),
        Case("3-tier-ospf", *pods, "ospf", (1, 3, 3)),
        Case("2-tier-route-maps", *small, "bgp", (1, 4, 2), valley_free=True),
        Case("3-tier-route-maps", *pods, "bgp", (1, 3, 2), valley_free=True),
        Case("3-tier-30-switches", *large, "bgp", (0, 2, 2)),
    ]
