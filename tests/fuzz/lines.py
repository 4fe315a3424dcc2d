"""Command lines that are fuzzed: most of them good, the others with odd values in one place, a few, or all."""

from __future__ import annotations

import importlib
import random
import re
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from tests.fuzz.mutation import ODD, damaged
from tests.fuzz.readers import READERS

ROUTED = [
    *[("ring(4)", "dimension_order"), ("mesh(2, 2)", "west_first"), ("mesh(3, 3)", "duato"), ("mesh(3, 3)", "lcfaa")],
    *[("torus(3, 3)", "dimension_order(dateline='none')"), ("hypercube(3)", "fully_adaptive")],
    *[("omega(4)", "destination_tag"), ("mesh(4, 4)", "o1turn"), ("ring(6)", "lanes"), ("fat_tree(2, 2)", "nca")],
    *[("{a -- b, b -> c : 3, c -> a}", "shortest_paths"), ("mesh(3, 3)", "odd_even"), ("mesh(3, 3)", "rule.py:good")],
    *[("mesh(3, 3)", "valiant"), ("complete(4)", "shortest_paths"), ("benes(4)", "fully_adaptive")],
    *[("ring(4, latency=3)", "up_down"), ("dragonfly(2)", "shortest_paths"), ("edges-0.edges", "up_down")],
]  # fmt: skip
"""Networks, and a routing that takes each."""
NETWORKS = [network for network, _ in ROUTED]
FABRICS = [("ibnetdiscover-0.ibnetdiscover", "lfts-0.lfts"), ("lst-0.lst", "fdbs-0.fdbs")]
GOOD: dict[str, list[str]] = {
    "network": NETWORKS,
    "fabric": [network for network, _ in FABRICS],
    "source": NETWORKS,
    "--distance": ["euclid", "manhattan", "chebyshev"],
    "--objective": ["hops", "diameter"],
    "nodes": ["grid(2, 3)", "nodes(6)", "mesh(2, 2)"],
    "target": ["out.dot", "out.json", "out.gml", "out.graphml", "out.edges"],
    "study": ["study-0.toml", "study-1.toml", "booksim-configuration-0.cfg"],
    "file": ["replay-0.json", "knot.json"],
    "permutation": ["0,1,2,3", "3 2 1 0", "1,0,-,2"],
    "routings": ["dimension_order", "up_down"],
    "--routing": [routing for _, routing in ROUTED],
    "--network": ["ring(4)"],
    "--vcs": ["2", "4", "3"],
    "--switching": ["saf", "vct", "wormhole", "wormhole-nonatomic"],
    "--survive": ["links", "channels", "routers", "any"],
    "--load": ["0.1", "0.5", "1"],
    "--packet-length": ["4", "1:0.5, 5:0.5"],
    "--traffic": ["uniform", "hotspot(1, share=0.2)", "permutation(seed=2)"],
    "--router": ["routing_delay=1", "allocator=islip, iterations=2", "selection=random"],
    "--bursts": ["0.01, 0.1"],
    "--fault": ["30: router 1", "30: router 1; routing up_down"],
    "--measure": ["200", "1000"],
    "--warmup": ["0", "100"],
    "--precision": ["0.1"],
    "--seeds": ["2"],
    "--cycles": ["50"],
    "--buffer-depth": ["5", "8"],
    "--out": ["out.svg", "out.png", "out.pdf", "out.json", "out.csv"],
    "--export": ["out.json"],
    "--results": ["out.csv"],
    "--flows": ["flows.csv"],
    "--tables": [tables for _, tables in FABRICS],
    "--from": ["json", "dot", "edges", "tod", "graphml"],
    "--kind": ["links", "channels", "routers"],
    "--operation": ["broadcast", "all_reduce", "gather", "all_to_all"],
    "--algorithm": ["halving", "ring", "direct"],
    "--to": ["json", "dot", "up_down", "dimension_order"],
    "to": ["up_down", "dimension_order"],
    "routing": ["dimension_order", "up_down"],
    "subject": ["sink", "request_reply", "coherence"],
    "--arbiter": ["fair", "round_robin", "oldest_first", "fixed"],
    "--bubble": ["localised", "global(packets=1)"],
    "--protocol": ["sink", "request_reply", "coherence"],
    "--time-limit": ["1", "0.5", "5"],
    "--store": ["s.sqlite"],
    "--class": ["share=.5, flits=2", "share=2, traffic=hotspot(1, share=0.2), reply=4", "priority=1, name=a"],
    "--units": ["2 GHz, 16 B", "800 MHz, 64 bits"],
    "--adaptive": ["full", "2"],
    "--by": ["states", "paths"],
    "family": ["mesh(2)", "hypercube(2)"],
    "--lanes": ["1", "2"],
    "--members": ["0,1,2", "1,2"],
    "--constraints": ["limits.toml"],
    "--routes": ["routes.json"],
    "--size": ["4", "1,64", "64B"],
    "--order": ["auto", "numbers"],
    "designs": ["ring(4) by up_down", "mesh(2, 2)"],
    "--failed": ["0", "0, 0.2"],
    "--energy": ["45nm, flit_width=128, clock=1, channel_length=2, terminal_length=1"],
    "--prices": ["prices.toml"],
    "--dead": ["s0r0,s0r1-s1r0", "s1r1"],
    "--paths": ["free", "table", "given"],
    "--changes": ["none", "rising", "any", "ports"],
    "--goal": ["mean", "longest"],
    "--first": ["lanes", "load"],
    "--view": ["auto", "whole", "matrix"],
    "--classes": ["request=1,reply=1"],
    "--sweep": ["injection_rate=0.1:0.3:0.1"],
    "--sl": ["psl-0.psl"],
    "--sl2vl": ["sl2vl-0.sl2vl"],
    "--mcfdbs": ["mcfdbs-0.mcfdbs"],
    "--compare": ["ibnetdiscover-0.ibnetdiscover"],
    "--intended": ["ibnetdiscover-0.ibnetdiscover"],
    "--csv": ["out.csv"],
    "--parquet": ["out.parquet"],
    "files": ["evidence.json"],
    "action": ["show"],
    "--evidence": ["out.json"],
    "--standalone": ["out.py"],
    "--loads": ["0.1:0.3:0.1", "0.1, 0.2"],
    "--executor": ["local"],
    "overrides": ["injection_rate=0.2", "num_vcs=2"],
    "--jobs": ["1", "2"],
    "--budget": ["3"],
}
"""Values that are right; those of numbers that are not here are 1."""
FITTING: dict[str, dict[str, list[str]]] = {
    "lanes": {"--export": ["out.json", "out.v", "out.cnf"]},
    "repair": {"--export": ["out.json"], "--out": ["out.json", "out"]},
    "line-rate": {"--members": ["members.txt"], "--down": ["s0r0,s0r1"], "--operation": ["all_reduce", "all_to_all"]},
    "audit": {"--out": ["out.html"], "--paused": ["leaf0:hosts"], "--dscp": ["3", "3,4"]},
    "diagnose": {"--out": ["out.html", "out.csv"]},
    "run": {"--out": ["reports", "out.html"]},
    "collective": {
        "--library": ["nccl", "nccl(nodes=2)"],
        "--export": ["out.csv", "out.json", "out.xml"],
        "--algorithm": ["best", "optimal", "ring,direct"],
    },
    "design routing": {"--vcs": ["1/1 1/2"], "--export": ["out.py"]},
    "trace": {"file": ["trace-csv-0.csv"]},
    "rerun": {"file": ["evidence.json", "knot.json"]},
    "permute": {"network": ["omega(4)", "benes(4)", "butterfly(2, 2)"]},
    "itm": {"network": ["itm(6)", "ring(4)", "complete(3)"], "--kind": ["exterior", "general"]},
    "design topology": {"--routes": ["out.json"], "--export": ["out.json"], "--constraints": ["prices.toml"]},
    "curve": {"--out": ["out.svg", "out.csv"]},
    "explore": {"--out": ["out.html"], "--exercise": ["1", "8"]},
}
"""Values of a command in place of those above."""
APART = [
    *[{"--requests", "file"}, {"--load", "--saturation"}, {"--flows", "--traffic"}, {"--flows", "--load"}],
    *[{"--class", "--traffic"}, {"--class", "--packet-length"}, {"--precision", "--measure"}, {"--from", "network"}],
    *[{"--random", "permutation"}, {"--lanes", "--sl2vl"}, {"study", "overrides"}, {"study", "--sweep"}],
    *[{"study", "--faithful"}, {"fabric", "--compare"}, {"--members", "--operation"}, {"--goal", "--most"}],
    *[{"--packet", "--overhead"}, {"--packet", "--together"}],
    {"--library", "--routing"},
]
"""Options that a command takes one of."""
NEEDED = {
    "repair": "--routing",
    "faults": "--routing",
    "trace": "file",
    "audit": "--tables",
    "permute": "permutation",
}
"""What a command needs, although another may do in its place."""
LEFT_OUT = {
    "lanes": {"--routing", "--vcs"}, "check": {"--all-sizes"}, "replay": {"--network", "--routing"},
    "accept": {"--network", "--routing", "--vcs"}, "rerun": {"--from"}, "convert": {"--from"},
    "faults": {"--tables", "--pairs"},
}  # fmt: skip
"""Options that fit few values of others; odd lines have them."""
BAD = [
    *["mesh(0)", "complete(90000)", "ring(4, latency=2147483647)", "torus(3, 3", "mesh(2.5, 2)", "point()", "bus(3)"],
    *["no.py:rule", "rule.py:loops", "rule.py:wrong", "rule.py:raises", "up_down(root='\x1b[31m')"],
    *["no/such/folder.svg", ".", "study-0.toml", "no-such-evidence.json", "200: (0,0)->(0,1)", "tornado"],
    *[f"flows-{number}.csv" for number in range(8)],
    *["nan", "inf", "-inf", "-1", "0", "1e308", "1e-308", "0x10", "1_000", "1000000", "100000000", "1:1:1"],
    *["-9223372036854775808", "9223372036854775807", "9223372036854775808", "/dev/null", "/dev/zero"],
    *["/", "..", "-", "--", "(((((", "a,b,c"],
    *["\udcff", "__import__('os')", "%s", "{0}", "[]", "(0,0)", "t0", "True", "None", "0:0", "1;2", "5: x->y"],
]  # fmt: skip
"""Values that may be wrong, or ask for much."""
NUMBERS = [
    *[".5", "2.", "50%", "1/2", "1e3", "5_0", "0x3", "+3", "--3", "³", "½", "٣", "1 2", "1,5", "2147483648", "-0"],
    *["", "\x1c1", "\u20032", "3\u00a0", "1e400", "0.1:0.3", "nan", "3.0", "1;2", "(1)", "[1]", "1-2", "'1'"],
]  # fmt: skip
"""Numbers as people mistype them."""
RULES = """
from unknot.routing import Relation
def loops(network): return Relation(network, lambda at, address, out: loop(), 1, "loops")
def loop():
    while True: pass
def wrong(network): return Relation(network, lambda at, address, out: 99, 1, "wrong")
def raises(network): raise KeyError("nothing")
def good(network):
    from unknot.routing import up_down
    return up_down(network)
"""


@cache
def commands() -> dict[str, Any]:
    """The parameters of each command, once all that commands import is loaded."""
    from unknot.cli.program import COMMANDS, command_named, questions

    rooms = (
        "cli.answers",
        "fabrics",
        "report",
        "simulation",
        "studies",
        "lane_assignment",
        "remedies",
        "network.tod",
        "verify",
    )
    for room in rooms:
        importlib.import_module(f"unknot.{room}")
    return {name: command_named(name).params for name in questions() if name.split()[0] in COMMANDS}


def texts() -> set[str]:
    """Names of the options and arguments of all commands whose values are not plain numbers."""
    names = set()
    for name, parameters in commands().items():
        own = name.replace(" ", "_").replace("-", "_")
        hints = get_type_hints(getattr(importlib.import_module(f"unknot.cli.commands.{own}"), own))
        for parameter in parameters:
            kinds = set(get_args(hints.get(parameter.name, int))) or {hints.get(parameter.name, int)}
            if kinds - {int, float, bool, type(None)}:
                names.add(_name(parameter))
    return names


def prepare(folder: Path) -> list[str]:
    """Write good and damaged files of every format; their names."""
    draw, names = random.Random(1), []
    for reader in READERS.values():
        corpus = reader.corpus()
        for number, content in enumerate([*corpus, damaged(draw, corpus), damaged(draw, corpus)]):
            names.append(f"{reader.name}-{number}{reader.ending}")
            (folder / names[-1]).write_bytes(content)
    (folder / "rule.py").write_text(RULES)
    (folder / "flows.csv").write_text("source,target,bandwidth\n0,1,2.5\n1,2,1\n")
    for number, row in enumerate(("0 1,2", "0;1;2", "0,1,.5", "0,1,50%", "t0,t1,2 GB/s", "0,1", "\x1c0,1,1", "0,1,")):
        (folder / f"flows-{number}.csv").write_text(f"source,target,bandwidth\n{row}\n")
        names.append(f"flows-{number}.csv")
    (folder / "members.txt").write_text("0\n1\n2\n3\n")
    (folder / "prices.toml").write_text("port = 5\nreach = 2\n")
    (folder / "traffic.csv").write_text("source,destination,load\n0,1,0.5\n")
    return names


def line(draw: random.Random, names: list[str]) -> list[str]:
    """A command line whose values are good but for none (most lines), one, two, or all of them."""
    name = draw.choice(sorted(commands()))
    values = _good(draw, name)
    places = [place for place, pair in enumerate(values) if pair[1] is not None]
    for place in draw.sample(places, min(len(places), draw.choices((0, 1, 2, 99), (60, 28, 8, 4))[0])):
        option, text = values[place]
        values[place] = option, _odd(draw, text or "", names)
    words = name.split()
    for option, text in values:
        if not option.startswith("-"):
            words.append(text or "")
        elif text is None:
            words.append(option)
        else:
            words += [option, text] if draw.random() < 0.8 else [f"{option}={text}"]
    if draw.random() < 0.03:
        extra = draw.choice(["--json", "-h", "--", "--max-memory", "--version", "x"])
        words.insert(draw.randrange(len(words) + 1), extra)
    return words


def _name(parameter: Any) -> str:
    return str(max(parameter.opts, key=len) if parameter.param_type_name == "option" else parameter.name)


def _good(draw: random.Random, name: str) -> list[tuple[str, str | None]]:
    """Options of a command, or its arguments, with good values; None for a flag."""
    network, routing = draw.choice(ROUTED)
    fabric, tables = draw.choice(FABRICS)
    fitting = {"--routing": [routing], "fabric": [fabric], "--tables": [tables]}
    fitting |= {key: [network] for key in ("network", "source")}
    fitting |= FITTING.get(name, {})
    values: dict[str, str | None] = {}
    for parameter in commands()[name]:
        option, of = parameter.param_type_name == "option", _name(parameter)
        if of in ("--help", "--executor"):  # dask connects to whatever address it is given
            continue
        needed = parameter.required or of in ("network", "fabric", "--load", NEEDED.get(name))
        chance = 0.01 if of in LEFT_OUT.get(name, ()) else 0.12 if option else 0.3
        if not needed and draw.random() > chance:
            continue
        if any(of in pair and pair & values.keys() for pair in APART):
            continue
        flag = option and parameter.is_flag
        values[draw.choice(parameter.opts) if flag else of] = (
            None if flag else draw.choice(fitting.get(of) or GOOD.get(of, ["1"]))
        )
    return list(values.items())


def _odd(draw: random.Random, text: str, names: list[str]) -> str:
    """A value in place of a good one: mistyped, another file, or something odd."""
    match draw.randrange(10):
        case 0 | 1 | 2 | 3 | 4:
            return _mistyped(draw, text)
        case 5 | 6:
            return draw.choice(names)
        case 7 | 8:
            return draw.choice(BAD)
    return draw.choice([*ODD, str(draw.choice((1, -1)) * draw.getrandbits(70))]).replace("\0", "")


def _mistyped(draw: random.Random, text: str) -> str:
    """A good text as somebody mistypes it: another number, another or no separator, a letter twice or missing."""
    for _ in range(draw.choice((1, 1, 2))):
        places = [match.span() for match in re.finditer(r"[0-9.]+", text)]
        at = draw.randrange(len(text)) if text else 0
        match draw.randrange(6):
            case 0 | 1 if places:
                start, end = draw.choice(places)
                text = text[:start] + draw.choice(NUMBERS) + text[end:]
            case 2:
                text = re.sub(r"[,:;=/ ]", lambda mark: draw.choice([mark[0], ",", ";", " ", ":", "=", ""]), text)
            case 3:
                text = text[:at] + text[at + 1 :]
            case 4:
                text = text[:at] + text[at : at + 1] * 2 + text[at + 1 :]
            case _:
                text = text[:at] + draw.choice([" ", "\t", "\n", "\x1c", "\u2003", "-", "%", "'", '"']) + text[at:]
    return text
