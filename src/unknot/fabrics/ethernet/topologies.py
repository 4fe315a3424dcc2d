"""Cables by the topology of a lab: that of containerlab, before or after deployment, or netlab's transformed one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unknot._base.errors import TextError, library
from unknot._base.input import read_text
from unknot.fabrics.ethernet.routes import Port

NAMES = (
    "*.clab.yml", "*.clab.yaml", "clab.yml", "topology-data.json", "netlab.json", "netlab.yml", "netlab.snapshot.yml",
)  # fmt: skip
"""Names of such files."""
NOTHING = ("", "~", "null")
"""Scalars for no value."""
Cable = tuple[Port, Port]


def read_topology(path: str | Path, switches: Collection[str]) -> tuple[list[Cable], list[str]]:
    """Read the cables between switches from the topology of a lab.

    Parameters
    ----------
    switches : collection of str
        Names of the switches, as nodes or as containers have them (``clab-LAB-NODE``).

    Returns
    -------
    list of (Port, Port)
        Ports have the names that the node's own system gives them, where this is EOS, SONiC or SR Linux.
    list of str
        Nodes with a cable to a switch that are no switches.

    Raises
    ------
    TextError
        With line and column, if this is no such topology, a port has two cables, or three switches share a link.
    """
    lab = _Lab(Path(path), read_text(path))
    root = lab.root()
    whole = lab.table(root)
    inner = lab.table(whole["topology"]) if "topology" in whole else whole
    if "links" not in inner:
        raise lab.error(root, "there are no links; a topology of containerlab or netlab is needed")
    prefix, kinds = f"clab-{lab.text(whole['name'])}-" if "name" in whole else "", lab.kinds(inner)
    cables, strangers, taken = list[Cable](), dict[str, None](), dict[Port, int]()
    for link in lab.items(inner["links"]):
        ends = []
        for at, node, interface in lab.ends(link):
            switch = next((one for one in (node, prefix + node) if one in switches), None)
            if switch is None:
                strangers[node] = None
                continue
            port = Port(switch, _named(kinds.get(node, ""), interface))
            if port in taken:
                raise lab.error(at, f"{port} has a cable by line {taken[port]} already")
            taken[port] = at.start_mark.line + 1
            ends.append(port)
        if len(ends) > 2:
            raise lab.error(link, f"{len(ends)} switches share this link; only cables between two can be judged")
        if len(ends) == 2:
            cables.append((min(ends), max(ends)))
    return cables, sorted(strangers)


_PORTS: dict[re.Pattern[str], tuple[re.Pattern[str], Callable[[str], str]]] = {
    re.compile("(arista_)?(ceos|eos)"): (
        re.compile(r"(?:eth|et|e)(\d+(?:_\d+)*)"),
        lambda n: "Ethernet" + n.replace("_", "/"),
    ),
    re.compile("(nokia_)?srl(inux)?"): (re.compile(r"e(\d+(?:-\d+)+)"), lambda n: "ethernet-" + n.replace("-", "/")),
    re.compile("sonic-v[sm]"): (re.compile(r"eth(\d{1,4})"), lambda n: f"Ethernet{4 * int(n) - 4}"),
}
"""By kind of node: ports as containerlab names them, and as the node's own system does."""


def _named(kind: str, interface: str) -> str:
    """The name that a node's own system gives to an interface."""
    for kinds, (pattern, own) in _PORTS.items():
        if kinds.fullmatch(kind) and (found := pattern.fullmatch(interface)):
            return own(found[1])
    return interface


@dataclass(frozen=True)
class _Lab:
    """The text of a topology, whose nodes of YAML know their places."""

    path: Path
    content: str

    def error(self, node: Any, message: str) -> TextError:
        """Make an error at a node."""
        return self._at(node.start_mark, message)

    def _at(self, mark: Any, message: str) -> TextError:
        lines = self.content.splitlines() or [""]
        text = lines[min(mark.line, len(lines) - 1)]
        return TextError(message, self.path, mark.line + 1, min(mark.column, len(text)) + 1, text)

    def root(self) -> Any:
        """The node of the whole text; TextError if there is no YAML."""
        yaml = library("yaml")
        try:
            found = yaml.compose(self.content, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            raise self._at(error.problem_mark, f"this is not YAML: {error.problem}") from None
        except (yaml.YAMLError, RecursionError) as error:
            raise TextError(f"this is not YAML: {str(error).partition(chr(10))[0]}", self.path) from None
        if found is None:
            raise TextError("this file is empty", self.path)
        return found

    def table(self, node: Any) -> dict[str, Any]:
        """The nodes of a mapping by key."""
        if node.id == "scalar" and node.value in NOTHING:
            return {}
        if node.id != "mapping":
            raise self.error(node, f"keys with values are needed, not a {node.id}")
        return {str(key.value): value for key, value in node.value if key.id == "scalar"}

    def items(self, node: Any) -> list[Any]:
        """The nodes of a list."""
        if node.id == "scalar" and node.value in NOTHING:
            return []
        if node.id != "sequence":
            raise self.error(node, f"a list is needed, not a {node.id}")
        return list(node.value)

    def text(self, node: Any) -> str:
        """The text of a scalar, with variables filled in."""
        if node.id != "scalar":
            raise self.error(node, f"a name is needed, not a {node.id}")
        if "$" in node.value:
            raise self.error(node, "a variable is not filled in; give topology-data.json of the deployed lab")
        return str(node.value)

    def part(self, table: dict[str, Any], key: str) -> dict[str, Any]:
        """The mapping at a key, which may be missing."""
        return self.table(table[key]) if key in table else {}

    def kinds(self, topology: dict[str, Any]) -> dict[str, str]:
        """The kind of each node: its own, that of its group, or the default."""
        nodes, groups = self.part(topology, "nodes"), self.part(topology, "groups")
        kinds = {}
        for name, node in nodes.items():
            facts = self.table(node)
            group = self.part(groups, self.text(facts["group"])) if "group" in facts else {}
            known = self.part(topology, "defaults") | group | facts
            kinds[name] = self.text(known["kind"]) if "kind" in known else ""
        return kinds

    def ends(self, link: Any) -> list[tuple[Any, str, str]]:
        """Ends of a link, in whichever shape: where each stands, its node, and its interface."""
        facts = self.table(link)
        listed = facts.get("endpoints", facts.get("interfaces", link))
        named = [one for key, one in self.table(listed).items() if key in "az"] if listed.id == "mapping" else None
        ends = []
        for end in self.items(listed) if named is None else named:
            if end.id == "scalar":
                node, colon, interface = self.text(end).partition(":")
                if not colon:
                    raise self.error(end, f"NODE:INTERFACE is needed, got {node!r}")
            else:
                its = self.table(end)
                names = [its.get("node"), its.get("interface", its.get("ifname"))]
                if None in names:
                    raise self.error(end, "node and interface are needed")
                node, interface = map(self.text, names)
            ends.append((end, node, interface))
        return ends
