"""Slides for a lecture on deadlock: one page that needs nothing else, with pictures, verdicts and a curve.

Run it with ``python examples/lecture.py [FILE.html]``; ``--quick`` takes short runs. Arrow keys turn the slides.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import unknot
from unknot.network.families import torus
from unknot.report import draw_configuration, draw_curves, draw_network
from unknot.routing import dimension_order, duato

STYLE = """
body { margin: 0; font: 22px/1.4 system-ui, sans-serif; color-scheme: light dark; }
section { min-height: 100vh; box-sizing: border-box; padding: 6vh 8vw; scroll-snap-align: start; }
html { scroll-snap-type: y mandatory; }
svg { max-width: 100%; max-height: 66vh; width: auto; height: auto; }
"""
KEYS = """
addEventListener("keydown", key => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key.key];
  if (step) { key.preventDefault(); scrollBy(0, step * innerHeight); }
});
"""


def slides(quick: bool) -> list[tuple[str, str]]:
    """Titles and contents."""
    network = torus(4, 4)
    plain, dateline, adaptive = dimension_order(network), dimension_order(network, 4), duato(network, 4)
    stuck, free = unknot.verify.check(plain), unknot.verify.check(dateline)
    assert stuck.configuration is not None
    short = {"warmup": 200, "measure": 500} if quick else {}
    loads = (0.1, 0.4) if quick else (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
    curves = {
        name: [unknot.simulation.simulate(relation, load, packet_length=4, **short) for load in loads]
        for name, relation in (("dimension order with dateline", dateline), ("Duato", adaptive))
    }
    return [
        ("A torus", draw_network(network).text),
        ("One virtual channel: it can deadlock", draw_configuration(plain, stuck.configuration).text),
        ("A dateline: it cannot", free._repr_html_()),
        ("How they run", draw_curves(curves).text),
    ]


def main() -> None:
    """Write the page."""
    began = time.monotonic()
    names = [word for word in sys.argv[1:] if not word.startswith("--")]
    path = Path(names[0] if names else "lecture.html")
    body = "".join(
        f"<section><h1>{title}</h1>{content}</section>" for title, content in slides("--quick" in sys.argv)
    )
    head = f'<meta charset="utf-8"><title>Deadlock on a torus</title><style>{STYLE}</style>'
    path.write_text(f"<!DOCTYPE html><html lang=en>{head}<body>{body}<script>{KEYS}</script></body></html>", "utf-8")
    print(f"{path}: 4 slides, {time.monotonic() - began:.1f} s from nothing")


if __name__ == "__main__":
    main()
