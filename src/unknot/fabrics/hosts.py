"""Hosts with several ports, whose terminals readers of fabrics call ``H0[1]`` and ``H0[2]``."""

from __future__ import annotations

import re
from collections import defaultdict

from unknot.network import Network

_PORT = re.compile(r"(.*[^\s])\[([1-9][0-9]{0,2})\]", re.S)


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
    >>> from unknot.network import Network
    >>> hosts_of(Network("n", 2, [0, 1], [1, 0], inject=[0, 1, 1], terminal_labels=("a[1]", "a[2]", "b[2]")))
    [('a', 1), ('a', 2), ('b[2]', 1)]
    """
    names = [network.terminal_labels[t] if network.terminal_labels else f"H{t}" for t in range(network.num_terminals)]
    taken = {*names, *(network.router_labels or (f"S{r}" for r in range(network.num_routers)))}
    ports_of: defaultdict[str, list[int]] = defaultdict(list)
    split = [_PORT.fullmatch(name) for name in names]
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
