"""The fabrics of the loop: networks in the form that `ibsim` takes, and the engines that each is routed by."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import networkx as nx

from unknot.fabrics import write_network
from unknot.network import Network, from_edges
from unknot.network.families import dragonfly, fat_tree, hypercube, mesh, ring, torus

EXAMPLES = Path(__file__).parents[2] / "examples" / "fabrics"
ENGINES = ("minhop", "updn", "dor", "ftree", "lash", "dfsssp", "nue", "torus-2QoS")


@dataclass(frozen=True)
class Case:
    """A fabric: its name, its network or `ibsim` text, more words for OpenSM, the radices of a torus, and engines.

    `roots` are the switches at the top, for `updn` and `ftree`. The tables of the engines in `mended` are repaired;
    where there are none, those of the first engine that leaves a deadlock; with `anew`, with LIDs for this LMC.

    Of the engines that hosts with two ports are routed by, none gives the ports levels of their own; in repaired
    tables they have some, and `ibdmchk`, which knows levels of nodes alone, has nothing to say.
    """

    name: str
    network: Network | Path | str
    words: tuple[str, ...] = ()
    radices: tuple[int, ...] = ()
    lmc: int = 0
    engines: tuple[str, ...] = ENGINES
    roots: tuple[int, ...] = ()
    mended: tuple[str, ...] = ()
    anew: int = 0

    def write(self, path: Path) -> None:
        """As a file for `ibsim`."""
        if isinstance(self.network, Network):
            write_network(self.network, path, "ibsim")
        else:
            text = self.network if isinstance(self.network, str) else self.network.read_text()
            path.write_text(text)

    def options(self, engine: str, folder: Path) -> list[str]:
        """Words for OpenSM."""
        words = ["-R", engine, "-Q", *self.words]
        if engine == "nue" and "lash" in self.engines:
            words += ["--nue_max_num_vls", "2"]
        if engine == "updn" or (engine == "ftree" and self.roots):
            tops = self.roots or (0,)
            (folder / "roots.txt").write_text("".join(f"0x{0x200000 + top:x}\n" for top in tops))
            words += ["-a", str(folder / "roots.txt")]
        if engine == "torus-2QoS":
            (folder / "torus.conf").write_text(self.torus())
            words += ["--torus_config", str(folder / "torus.conf")]
        return words

    def torus(self) -> str:
        """Torus-2QoS's own file: radices, and the first links along each dimension."""
        x, y, z = (*self.radices, 1, 1)[:3]
        at = {(a, b, c): 0x200000 + (a * y + b) * z + c for a in range(x) for b in range(y) for c in range(z)}
        lines = [f"torus {x} {y} {z}"]
        for axis, radix in enumerate((x, y, z)):
            for sign, to in (("p", 1), ("m", radix - 1)):
                end = tuple(to if i == axis else 0 for i in range(3))
                if radix > 1:
                    lines.append(f"{'xyz'[axis]}{sign}_link 0x{at[0, 0, 0]:x} 0x{at[end]:x}")
        return "\n".join(lines) + "\n"


def random_fabric(switches: int, degree: int, seed: int) -> Network:
    """A random regular network by NetworkX."""
    graph = nx.random_regular_graph(degree, switches, seed=seed)
    return from_edges(sorted(tuple(sorted(edge)) for edge in graph.edges))


def tops(network: Network) -> tuple[int, ...]:
    """The switches of a tree that are farthest from those with hosts."""
    graph = nx.Graph(zip(network.source.tolist(), network.target.tolist(), strict=True))
    leaves = set(network.inject.tolist())
    away = nx.multi_source_dijkstra_path_length(graph, leaves)
    return tuple(sorted(router for router, hops in away.items() if hops == max(away.values())))


def dual_port_hosts(switches: int) -> str:
    """A ring whose hosts have two ports, on neighbouring switches."""
    text = []
    for s in range(switches):
        after, before = (s + 1) % switches, (s - 1) % switches
        text += [f'Switch 4 "S{s}"', f'[1] "S{after}"[2]', f'[2] "S{before}"[1]', f'[3] "H{s}"[1]']
        text += [f'[4] "H{before}"[2]', ""]
    for s in range(switches):
        text += [f'Hca 2 "H{s}"', f'[1] "S{s}"[3]', f'[2] "S{(s + 1) % switches}"[4]', ""]
    return "\n".join(text)


def cases() -> list[Case]:
    """At least a dozen, from small to large."""
    tree = EXAMPLES / "opensm-leafspine-degraded-ftree" / "ibsim.net"
    return [
        Case("ring-12", ring(12)),
        Case("torus-4x4", torus(4, 4), radices=(4, 4)),
        Case("torus-4x4-lmc1", torus(4, 4), ("-l", "1"), (4, 4), lmc=1),
        Case("torus-3x3x3", torus(3, 3, 3), radices=(3, 3, 3)),
        Case("mesh-5x4", mesh(5, 4)),
        Case("hypercube-4", hypercube(4)),
        Case("dual-port-ring-6", dual_port_hosts(6), engines=("minhop", "updn", "dor", "nue")),
        Case("random-24", random_fabric(24, 3, 1)),
        Case("random-24-lmc2", random_fabric(24, 3, 1), ("-l", "2"), lmc=2, engines=("minhop",)),
        Case("random-40", random_fabric(40, 4, 1), mended=("updn", "minhop")),
        Case("dragonfly", dragonfly(4, 2, 1)),
        Case("degraded-tree", tree),
        Case("fat-tree", fat_tree(4, 3), roots=tops(fat_tree(4, 3))),
        Case("torus-8x8", torus(8, 8), radices=(8, 8), mended=("dor", "minhop")),
        Case("torus-4x4-anew", torus(4, 4), engines=("minhop",), anew=1),
        Case("random-24-anew", random_fabric(24, 3, 1), engines=("minhop",), anew=2),
        Case("torus-8x8-lmc1", torus(8, 8), ("-l", "1"), lmc=1, engines=("dfsssp",)),
    ]
