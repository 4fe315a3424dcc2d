"""The pictures of the documentation, drawn anew: `python examples/images.py [FOLDER]`, by default `docs/images`.

Those that compare with BookSim or take minutes are drawn by `benchmarks` (`booksim.png`, `booksim-options.png`,
`lanes-over-time.svg`), and `report.png` is a page of `make demo` in a browser.
"""

import subprocess
import sys
import time
from pathlib import Path

from unknot._base.phrases import count
from unknot.certificates import Configuration
from unknot.network import tod
from unknot.report import draw_load, shapes
from unknot.report.configuration_drawing import KnotSheet, drawn_vcs, knot_sheet
from unknot.report.picture import Drawing
from unknot.report.sheet import COLOURS, number
from unknot.routing import Relation
from unknot.routing.named import relation_of
from unknot.simulation import simulate
from unknot.simulation.traces.recording import Frame, record
from unknot.verify import check

ROOT = Path(__file__).parents[1]
COMMANDS = {
    "fat_tree.svg": ("show", "fat_tree(3, 3)"),
    "dragonfly.svg": ("show", "dragonfly(4)"),
    "slim_fly.svg": ("show", "slim_fly(5)"),
    "cube_connected_cycles.svg": ("show", "cube_connected_cycles(3)"),
    "lcfaa.svg": ("check", "mesh(3, 3)", "--routing", "lcfaa", "--switching", "wormhole"),
    "design-vct.svg": ("design", "routing", "mesh(2)", "--switching", "vct"),
    "itm.png": ("itm", "itm(24, extra=12, seed=3)"),
    "broadcast.png": ("multicast", "itm(24, seed=3)", "--routing", "fully_adaptive"),
    "rcbn-permutation.svg": ("permute", "rcbn(16)", "--random", "1", "--dead", "s2r5"),
}
"""The command that draws each picture."""
KNOTS = {
    "knot.svg": ("mesh(3, 3)", "lcfaa", "wormhole"),
    "knot-vct.svg": ("ring(4)", "dimension_order", "vct"),
    "knot-nonatomic.svg": ("ring(4)", "duato", "wormhole-nonatomic"),
}
"""The network, routing and switching technique of each moving picture of a deadlock."""


TIED = 60.0
"""Share of the time, in percent, after which the messages stand still."""
STEP = 0.35
"""Seconds for each step until then."""


def moving_knot(relation: Relation, configuration: Configuration) -> Drawing:
    """Draw the replay of a deadlock as a moving picture, over and over.

    Flits fill the buffers as they did in the simulator; then every header shows what it waits for. It is an SVG whose
    movement is CSS, so it moves on web pages and in READMEs too; where the reader prefers that nothing moves, and in
    PNG and PDF, it shows the standstill.
    """
    title = f"{count(len(configuration.messages), 'message')} on {relation.network.name} come to a standstill"
    part = knot_sheet(relation, configuration, drawn_vcs(configuration))
    if isinstance(part, str):
        return shapes.note(title, part)
    frames = record(relation, configuration).frames
    worms, rules = _worms(part, frames)
    discs, moves = _discs(part, frames)
    waits = [f'<g class="wait">{part.arrows(i)}</g>' for i in range(len(configuration.messages))]
    appear = f".wait{{animation:wait {_seconds(frames)}s infinite}}@keyframes wait{{0%,{_percent(TIED)}%{{opacity:0}}"
    appear += f"{_percent(TIED + 4)}%,100%{{opacity:1}}}}"
    still = "@media (prefers-reduced-motion:reduce){*{animation:none !important}}"
    style = f"<style>{appear}{''.join([*rules, *moves])}{still}</style>"
    parts = [style, *part.around([*worms, *waits]), *discs, *part.notes()]
    return shapes.svg(part.sheet.width, part.bottom, title, parts)


def _worms(part: KnotSheet, frames: tuple[Frame, ...]) -> tuple[list[str], list[str]]:
    """A line for each message and VC, and how the flits on it change."""
    depth = part.configuration.buffer_depth
    keys = sorted({key for frame in frames for key in frame.flits})
    lines, rules = [], []
    for number_, (m, vc) in enumerate(keys):
        steps = []
        for frame in frames:
            others = list(frame.flits)
            ahead = sum(n for key, n in frame.flits.items() if key[1] == vc and _before(others, key, (m, vc)))
            dash = f"stroke-dasharray:{frame.flits.get((m, vc), 0)} {2 * depth};stroke-dashoffset:{-ahead}"
            steps.append(f"{dash};stroke-opacity:1")
        look = f'class="w{number_}" pathLength="{depth}" fill="none" stroke="{COLOURS[m % len(COLOURS)]}"'
        # In the end a buffer is full or empty, so what does not move needs no dashes.
        full = 1 if (m, vc) in frames[-1].flits else 0
        look += f' stroke-width="{number(part.width)}" stroke-opacity="{full}"'
        lines.append(f'<path d="{part.filled(vc)}" {look}/>')
        rules.append(_keyframes(f"w{number_}", steps, frames))
    return lines, rules


def _before(others: list[tuple[int, int]], key: tuple[int, int], own: tuple[int, int]) -> bool:
    """Whether flits stand in front of others in their buffer."""
    return key != own and own in others and others.index(key) < others.index(own)


def _discs(part: KnotSheet, frames: tuple[Frame, ...]) -> tuple[list[str], list[str]]:
    """A disc for the header of each message, and how it moves."""
    discs, rules = [], []
    for m, message in enumerate(part.configuration.messages):
        path, steps = [*message.lead, *message.held], []
        end = part.to_header(path[-1])[-1]
        for frame in frames:
            reached = [i for i, vc in enumerate(path) if (m, vc) in frame.flits]
            off = part.to_header(path[max(reached, default=0)])[-1] - end
            place = f"transform:translate({number(off.real)}px,{number(off.imag)}px)"
            steps.append(f"{place};opacity:{1 if reached else 0}")
        discs.append(f'<g class="d{m}">{shapes.numbered(m, end, part.disc, "")}</g>')
        rules.append(_keyframes(f"d{m}", steps, frames))
    return discs, rules


def _keyframes(name: str, steps: list[str], frames: tuple[Frame, ...]) -> str:
    """The rule of one element: its look at each frame, and the last one until the end."""
    each = TIED / max(len(steps) - 1, 1)
    looks = "".join(f"{_percent(i * each)}%{{{look}}}" for i, look in enumerate(steps))
    rule = f".{name}{{animation:{name} {_seconds(frames)}s linear infinite}}"
    return f"{rule}@keyframes {name}{{{looks}100%{{{steps[-1]}}}}}"


def _seconds(frames: tuple[Frame, ...]) -> str:
    return _percent(STEP * len(frames) * 100 / TIED)


def _percent(share: float) -> str:
    return f"{share:.2f}".rstrip("0").rstrip(".")


def main() -> None:
    begun = time.monotonic()
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images"
    folder.mkdir(parents=True, exist_ok=True)
    for name, words in COMMANDS.items():
        # In the folder itself, so that the manifest of a picture names no folder of this machine.
        command = [sys.executable, "-m", "unknot", *words, "--out", name]
        code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False, cwd=folder).returncode
        if code not in (0, 1):
            sys.exit(f"{name}: `unknot {' '.join(words)}` ended with exit code {code}")
    network = tod.network("mesh(16, 16)")
    run = simulate(network, 0.2, routing="dimension_order", warmup=200, measure=1000)
    (folder / "mesh-load.svg").write_text(draw_load(network, run.utilisation).text, encoding="utf-8")
    for name, (topology, routing, switching) in KNOTS.items():
        deadlock = check(topology, switching, routing=routing).configuration
        if deadlock is not None:
            moving_knot(relation_of(topology, routing, None, what="images"), deadlock).save(folder / name)
    print(f"{len(COMMANDS) + len(KNOTS) + 1} pictures in {folder}, {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
