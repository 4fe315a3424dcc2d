"""The pictures of the documentation, drawn anew: `python examples/images.py [FOLDER]`, by default `docs/images`.

Those that compare with BookSim or take minutes are drawn by `benchmarks` (`booksim.png`, `booksim-options.png`,
`lanes-over-time.svg`), and `report.png` is a page of `make demo` in a browser.
"""

import subprocess
import sys
import time
from pathlib import Path

from unknot import check, simulate
from unknot.network import tod
from unknot.report import animate_configuration, draw_load

ROOT = Path(__file__).parents[1]
COMMANDS = {
    "fat_tree.svg": ("show", "fat_tree(3, 3)"),
    "dragonfly.svg": ("show", "dragonfly(4)"),
    "slim_fly.svg": ("show", "slim_fly(5)"),
    "cube_connected_cycles.svg": ("show", "cube_connected_cycles(3)"),
    "lcfaa.svg": ("check", "mesh(3, 3)", "--routing", "lcfaa", "--switching", "wormhole"),
    "design-vct.svg": ("design", "mesh(2)", "--switching", "vct"),
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


def main() -> None:
    begun = time.monotonic()
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images"
    folder.mkdir(parents=True, exist_ok=True)
    for name, words in COMMANDS.items():
        command = [sys.executable, "-m", "unknot", *words, "--out", str(folder / name)]
        code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        if code not in (0, 1):
            sys.exit(f"{name}: `unknot {' '.join(words)}` ended with exit code {code}")
    network = tod.network("mesh(16, 16)")
    run = simulate(network, 0.2, routing="dimension_order", warmup=200, measure=1000)
    (folder / "mesh-load.svg").write_text(draw_load(network, run.utilisation), encoding="utf-8")
    for name, (topology, routing, switching) in KNOTS.items():
        deadlock = check(topology, switching, routing=routing).configuration
        if deadlock is not None:
            animate_configuration(topology, deadlock, routing=routing).save(folder / name)
    print(f"{len(COMMANDS) + len(KNOTS) + 1} pictures in {folder}, {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
