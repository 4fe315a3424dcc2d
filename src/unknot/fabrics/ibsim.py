"""Network files of the InfiniBand simulator `ibsim`: nodes with quoted names and their cabled ports; no LIDs.

Written names keep to what `ibsim` takes: up to 64 characters, no quotes, and neither ``#`` nor ``@``, which mark its
prefixes and aliases.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

from unknot._base.arrays import ranks
from unknot._base.errors import NetworkError
from unknot._base.input import read_lines
from unknot._base.output import write_text
from unknot.fabrics.cabling import Cabling
from unknot.fabrics.format import Format
from unknot.fabrics.nodes import FabricNode
from unknot.network import Network
from unknot.network.model import IntArray

_NODE = re.compile(r'^(Switch|Hca|Ca)\s+([0-9]{1,9})\s+"([^"]+)"\s*(?:#.*)?$')
_NAME = re.compile(r'[^\s"#@\[\]](?:[^\x00-\x1f\x7f"#@]{0,62}[^\s"#@])?')
_PORT = re.compile(r'^\[([0-9]{1,9})\]\s+"([^"]+)"\s*\[([0-9]{1,9})\]\s*(?:#.*)?$')


def read_ibsim(path: str | Path) -> Network:
    """Read an `ibsim` network in which every cable is listed at both ends. Routers and terminals in file order.

    Raises
    ------
    TextError
        With file and line: an unknown line, or a link that is listed at one end only or contradicted.
    """
    lines = read_lines(path, growth=100)
    cabling = Cabling(path, lines, has_rates=False)
    node: FabricNode | None = None
    for number, line in enumerate(lines, start=1):
        if match := _NODE.match(line):
            kind, ports, name = match.groups()
            node = cabling.node(FabricNode(name, kind == "Switch", 0, name, int(ports), number))
        elif match := _PORT.match(line):
            if node is None:
                raise cabling.error("a port line must stand below the line of its node", number)
            cabling.cable((node.key, int(match[1])), (match[2], int(match[3])), number)
        elif line.strip() and not line.startswith("#"):
            raise cabling.error("an ibsim network has no such line; is it broken or cut off?", number)
    return cabling.finish(ordered_by_guid=False).network


def write_ibsim(network: Network, path: str | Path) -> None:
    """Write `ibsim_text` to a file."""
    write_text(path, ibsim_text(network))


def ibsim_text(network: Network) -> str:
    """Return routers as switches and terminals as host ports; a host has several by the rule of `hosts_of`.

    Each channel is cabled with one that leads back; port numbers are those of the network if it has them, else the
    channels of a switch in order and then its hosts. Read back, the channels are in the order of switches and ports,
    and the ports of a host stand together.

    Raises
    ------
    NetworkError
        For a channel without an opposite or back to its own router, a terminal that ejects where it does not inject,
        a switch without a cable or with more than 254 ports, and names that `ibsim` does not take.
    """
    cables = _cables(network)
    switches = [network.router_labels[r] if network.router_labels else f"S{r}" for r in range(network.num_routers)]
    hosts = hosts_of(network)
    ports_of: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for terminal, (host, port) in enumerate(hosts):
        ports_of[host].append((port, terminal))
    _check_names([*switches, *ports_of, *(host for (host, _), times in Counter(hosts).items() if times > 1)])
    plugged: list[dict[int, tuple[str, int]]] = [{} for _ in switches]
    for router, number, other, far in cables:
        plugged[router][number] = (switches[other], far)
    host_port = []
    for terminal, router in enumerate(network.inject.tolist()):
        number = next(p for p in range(1, len(plugged[router]) + 2) if p not in plugged[router])
        plugged[router][number] = hosts[terminal]
        host_port.append(number)
    text = []
    for name, ports in zip(switches, plugged, strict=True):
        if not ports or max(ports) > _MOST_PORTS:
            what = "no cable" if not ports else f"a port {max(ports)}"
            raise NetworkError(f"switch {name} has {what}; ibsim takes switches with 1 to {_MOST_PORTS} ports")
        text.append(f'Switch {max(ports)} "{name}"')
        text += [f'[{number}] "{other}"[{far}]' for number, (other, far) in sorted(ports.items())] + [""]
    for host, own in ports_of.items():
        text.append(f'Hca {max(own)[0]} "{host}"')
        text += [f'[{port}] "{switches[network.inject[t]]}"[{host_port[t]}]' for port, t in sorted(own)] + [""]
    return "\n".join(text)


_MOST_PORTS = 254


def _cables(network: Network) -> list[tuple[int, int, int, int]]:
    """Return for each channel its source router and port, and its target router and port."""
    for t in range(network.num_terminals):
        if network.inject[t] != network.eject[t]:
            raise NetworkError(f"terminal {network.terminal_name(t)} injects and ejects at two routers; no host can")
    ends = network.ends
    backward: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for channel, (u, v) in enumerate(ends):
        if u == v:
            raise NetworkError(f"a channel of {network.router_name(u)} leads back to itself; no cable of ibsim does")
        backward[u, v].append(channel)
    for u, v in ends:
        if len(backward[u, v]) != len(backward[v, u]):
            raise NetworkError(
                f"channels from {network.router_name(u)} to {network.router_name(v)}: {len(backward[u, v])}, back: "
                f"{len(backward[v, u])}; a cable is one of each"
            )
    if network.ports is not None and (ports := _own_ports(network, network.ports)) is not None:
        return ports
    port = (1 + ranks(network.source)).tolist()
    twin = {
        c: d for (u, v), channels in list(backward.items()) for c, d in zip(channels, backward[v, u], strict=True)
    }
    return [(u, port[c], v, port[twin[c]]) for c, (u, v) in enumerate(ends)]


def _own_ports(network: Network, ports: IntArray) -> list[tuple[int, int, int, int]] | None:
    """Cables with the port numbers of the network, if each is positive and every cable has the same two ends."""
    near, far = ports[:, 0].tolist(), ports[:, 1].tolist()
    rows = list(zip(network.source.tolist(), near, network.target.tolist(), far, strict=True))
    known = set(rows)
    good = all(min(p, q) >= 1 and (v, q, u, p) in known for u, p, v, q in rows)
    return rows if good and len({row[:2] for row in rows}) == len(rows) else None


def _check_names(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not _NAME.fullmatch(name) or len(name.encode()) > 64:
            raise NetworkError(f'ibsim cannot take the name {name!r}: at most 64 bytes, without ", # and @')
        if name in seen:
            raise NetworkError(f"two nodes are called {name!r}; ibsim would take them for one")
        seen.add(name)


_SIGN = re.compile(r'^(?:Switch|Hca|Ca)\s+\d+\s+"', re.M)
FORMAT = Format(
    "ibsim", "an ibsim network", (".net",), read_ibsim, write_ibsim, _SIGN.search,
    frozenset({"terminals", "router names", "terminal names", "port numbers"}), joins_ports=True,
)  # fmt: skip


_HOST_PORT = re.compile(r"(.*[^\s])\[([1-9][0-9]{0,2})\]", re.S)


def hosts_of(network: Network) -> list[tuple[str, int]]:
    """The host and the port of each terminal, by its name.

    Terminals with the names ``H0[1]`` and ``H0[2]`` are ports of the host H0, if their names are the only ones of
    this host and nothing else is called H0. Every other terminal is a host of its own, with port 1.

    Returns
    -------
    list of (str, int)
        Name of the host and number of the port, by terminal.

    Examples
    --------
    >>> from unknot.network import Network, Places
    >>> places = Places(terminal_labels=("a[1]", "a[2]", "b[2]"))
    >>> hosts_of(Network("n", 2, [0, 1], [1, 0], inject=[0, 1, 1], places=places))
    [('a', 1), ('a', 2), ('b[2]', 1)]
    """
    names = [network.terminal_labels[t] if network.terminal_labels else f"H{t}" for t in range(network.num_terminals)]
    taken = {*names, *(network.router_labels or (f"S{r}" for r in range(network.num_routers)))}
    ports_of: defaultdict[str, list[int]] = defaultdict(list)
    split = [_HOST_PORT.fullmatch(name) for name in names]
    for match in split:
        if match is not None:
            ports_of[match[1]].append(int(match[2]))
    several = {host for host, ports in ports_of.items() if 1 < len(set(ports)) == len(ports) and host not in taken}
    return [
        (match[1], int(match[2])) if match is not None and match[1] in several else (name, 1)
        for name, match in zip(names, split, strict=True)
    ]


def with_several_ports(network: Network) -> dict[str, list[int]]:
    """The ports of each host that has several, by its name."""
    ports: defaultdict[str, list[int]] = defaultdict(list)
    for host, port in hosts_of(network):
        ports[host].append(port)
    return {host: numbers for host, numbers in ports.items() if len(numbers) > 1}
