"""Both simulators event by event: what every buffer holds after every cycle, of the same packets and the same draws.

``python -m benchmarks.booksim_events CLONE`` takes a clone of booksim/booksim2 in which make was run, compiles
``booksim_events.cpp`` there, draws 100 configurations, gives both simulators the same packets (time, source,
destination, length, class) and lets Unknot route each as BookSim routed it. After each cycle the flits in every
buffer, the packet in front, how much of it has left, and the output VC that it was granted are compared: a header
that comes in, a VC or a switch that is granted, or a flit that is ejected in another cycle is seen there. The first
difference of each configuration is printed. Further arguments are which keys are drawn (``booksim_drawn.py``), the
first configuration, how many, and cycles.
With ``--record`` digests for `tests/booksim/test_events.py` are written instead.

Where both are right in their own way a *rule* is applied on one side; docs/booksim.md lists them.
"""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tests.booksim.events import Fed, Packet, Ports, Recorded, drawn_packets, engine_of

from benchmarks.booksim_drawn import keys_of
from benchmarks.booksim_random import written
from unknot._base.errors import UnknotError
from unknot.simulation.engine.engine import Engine
from unknot_booksim import read_setup
from unknot_booksim.setup import Setup


def compiled(clone: Path, folder: Path) -> Path:
    """Compile the program against the object files of the clone."""
    source, program = (clone / "src").resolve(), folder / "events"
    left_out = ("main.o", "rng_wrapper.o", "rng_double_wrapper.o", "power_module.o")
    objects = [str(path) for path in sorted(source.rglob("*.o")) if path.name not in left_out]
    include = [f"-I{source / part}" for part in ("", "networks", "routers", "allocators", "arbiters", "power")]
    code = str(Path(__file__).with_suffix(".cpp"))
    subprocess.run(["g++", "-O2", "-fno-access-control", *include, code, *objects, "-o", str(program)], check=True)
    return program


def channels_between(setup: Setup) -> Callable[[int, int, int, int], int | None]:
    """The channel of a port, or the next one that is left between its routers; None of a port that leads nowhere."""
    network, channel = setup.relation.network, setup.built.channel
    left: dict[tuple[int, int, int], list[int]] = {}
    is_grid = setup.configuration.text("topology") in ("mesh", "torus")

    def between(subnet: int, a: int, port: int, b: int) -> int | None:
        if is_grid:
            found = int(channel[a, port]) if port < channel.shape[1] else -1
            return found if found >= 0 and network.target[found] == b else None
        here = subnet, a, b
        if here not in left:
            left[here] = np.flatnonzero((network.source == a) & (network.target == b)).tolist()
        return left[here].pop(0) if left[here] else None

    return between


def theirs(program: Path, path: Path, setup: Setup, packets: list[Packet], draws: str, cycles: int) -> Recorded:
    """Run BookSim on packets."""
    with TemporaryDirectory() as folder:
        fed, drawn, routes, states = (str(Path(folder, name)) for name in ("fed", "drawn", "routes", "states"))
        Path(fed).write_text("\n".join(" ".join(map(str, packet)) for packet in packets))
        Path(drawn).write_text(draws)
        command = [str(program), str(path), fed, drawn, routes, states, str(cycles)]
        out = subprocess.run(command, capture_output=True, text=True, check=False)
        if out.returncode:
            raise UnknotError("BookSim stops: " + (out.stderr or out.stdout).strip().splitlines()[-1][:150])
        lines = [line.split() for line in Path(routes).read_text().splitlines()]
        words = np.fromfile(states, dtype=np.int64)
    rows = {kind: [tuple(map(int, line[1:])) for line in lines if line[0] == kind] for kind in "pcnr"}
    subnets, terminals = setup.options.get("subnets", 1), setup.relation.network.num_terminals
    many, local = setup.relation.num_vcs, setup.configuration.whole("num_vcs")
    router = {old: new for new, old in enumerate(sorted({row[1] for row in rows["p"]}))}
    into: Ports = {}
    out_of: Ports = {}
    between = channels_between(setup)
    for subnet, a, port, b, entry in rows["c"]:
        channel = between(subnet, router[a], port, router[b])
        if channel is not None:
            first = subnet * many + int(setup.relation.vcs.first[channel])
            into[subnet, router[b], entry] = out_of[subnet, router[a], port] = first
    for node, subnet, a, entry, b, port in rows["n"]:
        into[subnet, router[a], entry] = subnets * many + (subnet * terminals + node) * local
        out_of[subnet, router[b], port] = subnets * many + ((subnets + subnet) * terminals + node) * local
    ports = [(subnet, router[r], port) for subnet, r, inputs in rows["p"] for port in range(inputs)]
    done = Recorded(into, out_of, ports, states=renumbered(words.reshape(cycles, -1, local, 4), into, out_of, ports))
    read_offers(done, [(*row[:3], router.get(row[3], -1), *row[4:]) for row in rows["r"]])
    return done


def renumbered(words: np.ndarray, into: Ports, out_of: Ports, ports: list[tuple[int, int, int]]) -> np.ndarray:
    """States of the ports that lead somewhere, with outputs by the numbers of their buffers."""
    local = words.shape[2]
    kept = [k for k, port in enumerate(ports) if port in into]
    outputs = np.full((len(kept), 1 + max(port for _, _, port in out_of)), -1)
    for row, k in enumerate(kept):
        subnet, r, _ = ports[k]
        outputs[row] = [out_of.get((subnet, r, port), -1) for port in range(outputs.shape[1])]
    states = words[:, kept]
    goes = states[..., 3]
    first = outputs[np.arange(len(kept))[:, None], np.maximum(goes, 0) // local]
    states[..., 3] = np.where(goes >= 0, first + goes % local, -1)
    return states.reshape(len(words), -1, 4)


def read_offers(done: Recorded, rows: list[tuple[int, ...]]) -> None:
    """Note what packets were offered: rows of call, key, cycle, router, input port, VC, output port, its VCs."""
    offered: dict[int, dict[int, tuple[int, ...]]] = defaultdict(dict)
    before = 0
    for call, key, cycle, r, entry, vc, port, first, last in rows:
        here = key >> 1 & 7, r, entry
        if r < 0:
            done.tried[key] = cycle, first
        elif here in done.into:
            buffer, base = done.into[here] + vc, done.out_of.get((key >> 1 & 7, r, port), -1)
            # A later call takes the place of one before.
            so_far = offered[key].get(buffer, ()) if call == before else ()
            offered[key][buffer] = so_far + tuple(range(base + first, base + last + 1))
        before = call
    done.offered.update(offered)


def draws_of(engine: Engine, done: Recorded) -> str:
    """What random numbers are a function of: a salt, and of each router its first rows and buffers."""
    part = engine.parts[0]
    first = part.words[part.first_word[:-1]]
    buffers: dict[tuple[int, int], list[int]] = {}
    for port in done.ports:
        buffers.setdefault(port[:2], []).append(done.into.get(port, -1))
    rows = zip(first.first_input.tolist(), first.first_output.tolist(), buffers.values(), strict=True)
    lines = [" ".join(map(str, (a, b, len(ports), *ports))) for a, b, ports in rows]
    return "\n".join([str(int(part.setup.salt) % 2**64), *lines])


def both(program: Path, text: str, seed: int, cycles: int, *, general: bool = False) -> tuple[Fed, Recorded]:
    """BookSim's run of a configuration, and the engine of Unknot that is to do the same."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "events.cfg")
        path.write_text(text)
        setup = read_setup(path, faithful=True, outside_files=True)
        packets = drawn_packets(setup, cycles, random.Random(seed))
        alone = theirs(program, path, setup, [], "0", 1)
        engine = engine_of(setup, alone, general=general)
        done = theirs(program, path, setup, packets, draws_of(engine, alone), cycles)
    return Fed(setup, engine, done, packets), done


def compared(program: Path, text: str, seed: int, cycles: int, *, general: bool = False) -> str:
    """Where both are different first; empty if nowhere."""
    fed, done = both(program, text, seed, cycles, general=general)
    assert done.states is not None
    for cycle, (table, other) in enumerate(zip(fed.after_each_cycle(cycles), done.states, strict=True)):
        rows = np.flatnonzero((table != other).any(axis=1))
        if rows.size:
            words = [f"{table[row].tolist()}, BookSim {other[row].tolist()}" for row in rows[:3]]
            return f"cycle {cycle}, {rows.size} buffers: " + "; ".join(words)
    return "".join(fed.addresses.unknown[:1])


def record(program: Path) -> None:
    """Write digests of what BookSim does, of small configurations each of whose packets has one way."""
    path = Path(__file__).parents[1] / "tests" / "cases" / "booksim_events.json"
    cases = json.loads(path.read_text(encoding="utf-8"))
    for case in cases:
        _, done = both(program, case["text"], 1, case["cycles"])
        assert done.states is not None
        assert not compared(program, case["text"], 1, case["cycles"])
        case |= {"into": [[*key, first] for key, first in done.into.items()], "ports": done.ports}
        case |= {"out_of": [[*key, first] for key, first in done.out_of.items()]}
        case["digest"] = hashlib.sha256(np.ascontiguousarray(done.states).tobytes()).hexdigest()[:16]
        print(case["digest"], case["text"], flush=True)
    path.write_text(json.dumps(cases, separators=(",", ":")).replace("},{", "},\n{") + "\n", encoding="utf-8")


def main(words: list[str]) -> None:
    """Print what differs of each configuration."""
    with TemporaryDirectory() as folder:
        program = compiled(Path(words[0]), Path(folder))
        if "--record" in words:
            record(program)
            return
        which, first, many, cycles = (*words[1:], *("keys", "0", "100", "500")[len(words) - 1 :])
        equal = stops = 0
        for k in range(int(first), int(first) + int(many)):
            keys = keys_of(which, k)
            try:
                difference = compared(program, written(keys), k, int(cycles))
                equal += not difference
            except UnknotError as error:
                difference = str(error).splitlines()[0]
                stops += 1
            text = " ".join(f"{key}={value}" for key, value in keys.items()) if difference else ""
            print(k, difference or "equal", text, flush=True)
        print(f"{equal} of {int(many) - stops} are equal event by event; {stops} do not run in one of both")


if __name__ == "__main__":
    main(sys.argv[1:])
