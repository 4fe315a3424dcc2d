"""Command lines that are fuzzed: every command with good and odd values, and what became of each.

Every line runs in a fork of one process, with the memory and the time of a small design: after `PATIENCE` seconds of
processor time, or `LONGEST` by the clock, it gets SIGINT, and has `LONGEST` seconds to end.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import re
import resource
import signal
import sys
import time
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from tests.fuzz.mutation import ODD, damaged
from tests.fuzz.readers import READERS

PATIENCE, LONGEST = 3.0, 30.0
TICKS = os.sysconf("SC_CLK_TCK")
LARGEST = 2 * 2**30
CODES = {0, 1, 2, 3, 130}
NETWORKS = [
    *["ring(4)", "mesh(2, 2)", "torus(3, 3)", "omega(4)", "complete(3)", "fat_tree(2, 2)", "dragonfly(2)", "bus(3)"],
    *["hypercube(3)", "line(2)", "point()", "itm(3)", "benes(4)", "ring(3) ** 2", "{a -- b, b -> c : 3}", "mesh(0)"],
    *["butterfly(2, 2)", "complete(90000)", "ring(4, latency=2147483647)", "torus(3, 3", "mesh(2.5, 2)"],
]  # fmt: skip
ROUTINGS = [
    *["dimension_order", "up_down", "shortest_paths", "fully_adaptive", "duato", "nca", "destination_tag", "o1turn"],
    *["dimension_order(dateline='none')", "up_down(root=9)", "valiant", "lcfaa", "west_first", "odd_even", "layered"],
    *["no.py:rule", "rule.py:loops", "rule.py:wrong", "rule.py:raises", "rule.py:good", "up_down(root='\x1b[31m')"],
]
GOOD: dict[str, list[str]] = {
    "network": NETWORKS,
    "fabric": ["ring.ibnetdiscover", "ring.lst"],
    "source": NETWORKS,
    "target": ["out.dot", "out.json", "out.gml", "out.graphml", "out.edges"],
    "study": ["study-0.toml", "study-1.toml"],
    "file": ["replay-0.json", "trace-csv-0.csv", "trace-parquet-0.parquet"],
    "permutation": ["transpose", "0,1,2,3", "bit_reversal", "3 2 1 0"],
    "routings": ["dimension_order", "up_down"],
    "--routing": ROUTINGS,
    "--network": NETWORKS,
    "--vcs": ["1", "2", "4"],
    "--switching": ["saf", "vct", "wormhole", "wormhole-nonatomic"],
    "--load": ["0.1", "0.5", "1"],
    "--packet-length": ["4", "1:0.5, 5:0.5"],
    "--traffic": ["uniform", "transpose", "tornado", "hotspot(1, share=0.2)", "traffic.csv"],
    "--router": ["routing_delay=1", "allocator=islip, iterations=2", "selection=random"],
    "--bursts": ["0.01, 0.1"],
    "--fault": ["200: (0,0)->(0,1)", "30: router 1", "30: router 1; routing up_down"],
    "--measure": ["200", "1000"],
    "--warmup": ["0", "100"],
    "--seeds": ["2"],
    "--cycles": ["50"],
    "--out": ["out.svg", "out.png", "out.json", "out.html", "no/such/folder.svg", "."],
    "--export": ["out.json"],
    "--series": ["out.svg"],
    "--results": ["out.csv"],
    "--flows": ["flows.csv", *(f"flows-{number}.csv" for number in range(8))],
    "--tables": ["lfts-0.txt", "fdbs-0.txt"],
    "--from": ["json", "dot", "edges", "tod", "graphml"],
    "--kind": ["channel", "router", "link", "grid"],
    "--operation": ["broadcast", "all_reduce", "gather"],
    "--to": ["json", "dot"],
    "--time-limit": ["0", "0.5", "5"],
    "--store": ["s.sqlite", "study-0.toml"],
    "--class": ["share=.5, flits=2", "share=50%, traffic=hotspot(1, share=0.2), reply=4", "priority=1, name=a"],
    "--units": ["2 GHz, 16 B", "800 MHz, 64 bits"],
    "--adaptive": ["full", "2"],
    "--by": ["states", "paths"],
    "--symmetry": ["none", "reversal", "transposition"],
    "family": ["mesh(2)", "hypercube(2)", "mesh(1)"],
    "--lanes": ["1", "2"],
    "--members": ["0,1,2", "1 2"],
    "--order": ["auto", "circle", "dimensions", "numbers"],
    "--dead": ["s0r0,s0r1-s1r0", "s1r1"],
    "--method": ["auto", "search", "cp-sat", "level by level"],
    "--paths": ["free", "table", "given"],
    "--changes": ["none", "rising", "any", "ports"],
    "--goal": ["mean", "longest"],
    "--first": ["lanes", "load"],
    "--view": ["auto", "whole", "groups", "matrix"],
    "--classes": ["single", "paired"],
    "--sweep": ["injection_rate=0.1:0.3:0.1", "num_vcs=2,4"],
    "--sl": ["sl-0.txt"],
    "--sl2vl": ["sl2vl-0.txt"],
    "--mcfdbs": ["mcfdbs-0.txt"],
    "--compare": ["ring.ibnetdiscover"],
    "--cables": ["ring.lst"],
    "--compared": ["up_down"],
    "--csv": ["out.csv"],
    "--parquet": ["out.parquet"],
    "files": ["replay-0.json", "no-such-evidence.json"],
    "action": ["show"],
    "--evidence": ["out.json", "out.v"],
    "--loads": ["0.1:0.3:0.1", "0.1, 0.2"],
    "--dask": ["local"],
    "overrides": ["injection_rate=0.2", "num_vcs=2"],
}
NUMBERS = [
    *[
        ".5",
        "2.",
        "50%",
        "1/2",
        "1e3",
        "5_0",
        "0x3",
        "+3",
        "--3",
        "³",
        "½",
        "٣",
        "1 2",
        "1,5",
        "2147483648",
        "-0",
        "",
    ],
    *["", "\x1c1", "\u20032", "3\u00a0", "1e400", "0.1:0.3", "nan", "3.0", "1;2", "(1)", "[1]", "1-2", "'1'"],
]
"""Numbers as people mistype them."""
VALUES = [
    *["nan", "inf", "-inf", "-1", "0", "1e308", "1e-308", "0x10", "1_000", "1000000", "100000000", "1:1:1"],
    *["(((((", "a,b,c"],
    *["-9223372036854775808", "9223372036854775807", "9223372036854775808", "/dev/null", "/dev/zero"],
    *["/", "..", "-", "--"],
    *["\udcff", "__import__('os')", "%s", "{0}", "[]", "(0,0)", "t0", "True", "None", "0:0", "1;2", "5: x->y"],
]  # fmt: skip
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
def _command() -> Any:
    """The command line, with all that commands import."""
    import typer

    from unknot.cli.program import app

    for room in (
        "cli.answers",
        "fabrics",
        "report",
        "simulation",
        "studies",
        "lanes",
        "repair",
        "network.tod",
        "verify",
    ):
        importlib.import_module(f"unknot.{room}")

    return typer.main.get_command(app)


def texts() -> set[str]:
    """Names of the options and arguments of all commands whose values are not plain numbers."""
    found = set()
    for name, command in _command().commands.items():
        hints = get_type_hints(getattr(importlib.import_module(f"unknot.cli.commands.{name}"), name))
        for parameter in command.params:
            kinds = set(get_args(hints.get(parameter.name, int))) or {hints.get(parameter.name, int)}
            if kinds - {int, float, bool, type(None)}:
                option = parameter.param_type_name == "option"
                found.add(max(parameter.opts, key=len) if option else parameter.name)
    return found


def prepare(folder: Path) -> list[str]:
    """Write good and damaged files of every format; their names."""
    draw, names = random.Random(1), []
    for reader in READERS.values():
        corpus = reader.corpus()
        for number, data in enumerate([*corpus, damaged(draw, corpus), damaged(draw, corpus)]):
            names.append(f"{reader.name}-{number}{reader.ending}")
            (folder / names[-1]).write_bytes(data)
    (folder / "rule.py").write_text(RULES)
    (folder / "flows.csv").write_text("source,target,bandwidth\n0,1,2.5\n1,2,1\n")
    for number, row in enumerate(("0 1,2", "0;1;2", "0,1,.5", "0,1,50%", "t0,t1,2 GB/s", "0,1", "\x1c0,1,1", "0,1,")):
        (folder / f"flows-{number}.csv").write_text(f"source,target,bandwidth\n{row}\n")
        names.append(f"flows-{number}.csv")
    (folder / "traffic.csv").write_text("source,destination,load\n0,1,0.5\n")
    return names


def mistyped(draw: random.Random, text: str) -> str:
    """A good text as somebody mistypes it: another number, another or no separator, a letter twice or missing."""
    for _ in range(draw.choice((1, 1, 2))):
        places = [found.span() for found in re.finditer(r"[0-9.]+", text)]
        at = draw.randrange(len(text)) if text else 0
        match draw.randrange(6):
            case 0 | 1 if places:
                start, end = draw.choice(places)
                text = text[:start] + draw.choice(NUMBERS) + text[end:]
            case 2:
                text = re.sub(r"[,:;=/ ]", lambda found: draw.choice([found[0], ",", ";", " ", ":", "=", ""]), text)
            case 3:
                text = text[:at] + text[at + 1 :]
            case 4:
                text = text[:at] + text[at : at + 1] * 2 + text[at + 1 :]
            case _:
                text = text[:at] + draw.choice([" ", "\t", "\n", "\x1c", "\u2003", "-", "%", "'", '"']) + text[at:]
    return text


def line(draw: random.Random, names: list[str]) -> list[str]:
    """A command line: mostly good values, and now and then an odd one."""
    commands = _command().commands
    name = draw.choice(sorted(commands))
    words = [name]

    def value(of: str) -> str:
        chance = draw.random()
        if chance < 0.5 and of in GOOD:
            return draw.choice(GOOD[of])
        if chance < 0.7:
            return mistyped(draw, draw.choice(GOOD.get(of, ["1"])))
        if chance < 0.8:
            return draw.choice(names)
        if chance < 0.9:
            return draw.choice(VALUES)
        return (
            draw.choice(ODD).replace("\0", "") if chance < 0.97 else str(draw.choice((1, -1)) * draw.getrandbits(70))
        )

    for parameter in commands[name].params:
        option = parameter.param_type_name == "option"
        of = max(parameter.opts, key=len) if option else parameter.name
        if of == "--dask":  # connects to whatever address it is given
            continue
        if option and draw.random() > (0.95 if parameter.required else 0.3 if of in GOOD else 0.15):
            continue
        if option and parameter.is_flag:
            words.append(draw.choice(parameter.opts))
        elif option and of == "--jobs":
            words += [of, draw.choice(["1", "2", "0", "-1", "nan", "100000000", "9" * 30])]
        elif option:
            words += [of, value(of)] if draw.random() < 0.8 else [f"{of}={value(of)}"]
        elif draw.random() < 0.97:
            words.append(value(of))
    if draw.random() < 0.05:
        words.insert(
            draw.randrange(len(words) + 1), draw.choice(["--json", "-h", "--", "--max-memory", "--version", "x"])
        )
    return words


def outcome(words: list[str], folder: Path) -> tuple[int, str, float]:
    """Exit code of a command line in a fork of this process, what was wrong with it, and its seconds."""
    shown = folder.with_name("shown")
    shown.write_text("")
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _run(words, folder, shown)
    interrupted = 0.0
    while not (done := os.waitpid(pid, os.WNOHANG))[0]:
        now = time.monotonic()
        if not interrupted and (_spent(pid) > PATIENCE or now > start + LONGEST):
            interrupted = now
            os.kill(pid, signal.SIGINT)
        elif interrupted and now > interrupted + LONGEST:
            os.killpg(pid, signal.SIGKILL)
        time.sleep(0.01)
    took = time.monotonic() - start
    left = _end(pid)
    code = os.waitstatus_to_exitcode(done[1])
    text = shown.read_text(encoding="utf-8", errors="surrogateescape")
    raw = sorted({c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"})
    if code == -signal.SIGKILL:
        return code, "it did not end after an interrupt", took
    if code not in CODES:
        return code, f"exit code {code}: {text[-700:]}", took
    if "Traceback" in text:
        return code, f"a traceback: {text[-700:]}", took
    if raw and not any(word in ("-h", "--help") for word in words):
        return code, f"raw characters {raw}", took
    return code, f"processes are left running: {left}" if left else "", took


def _spent(pid: int) -> float:
    """Seconds of processor time of a process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def _run(words: list[str], folder: Path, shown: Path) -> None:
    """Be the command line."""
    os.setsid()
    os.chdir(folder)
    for number, path, flags in ((0, os.devnull, os.O_RDONLY), (1, shown, os.O_RDWR | os.O_CREAT | os.O_TRUNC)):
        os.dup2(os.open(path, flags), number)
    os.dup2(1, 2)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    signal.signal(signal.SIGINT, signal.default_int_handler)
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + LARGEST, taken + LARGEST))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.argv = ["unknot", *words]
    from unknot.cli.program import main

    try:
        main()
    except SystemExit as ended:
        os._exit(ended.code if isinstance(ended.code, int) else 0)
    finally:
        os._exit(99)


def _end(group: int) -> list[str]:
    """What the processes of a group run that are left after a second; they are ended."""
    for _ in range(50):
        left = [running for process in Path("/proc").iterdir() if (running := _running(process, group))]
        if not left:
            return []
        time.sleep(0.02)
    os.killpg(group, signal.SIGKILL)
    return left


def _running(process: Path, group: int) -> str:
    """The command of a process, where it is one of the group and has not ended."""
    with contextlib.suppress(OSError):
        if process.name.isdecimal() and os.getpgid(int(process.name)) == group:
            ended = (process / "stat").read_text().rpartition(") ")[2].startswith("Z")
            return "" if ended else (process / "cmdline").read_text().replace("\0", " ")[:200]
    return ""
