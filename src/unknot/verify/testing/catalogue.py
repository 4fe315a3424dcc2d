"""Small networks of every family, as texts of the topology language, on which every routing algorithm is tried.

Each is small enough for every question to be decided in a fraction of a second. Sides are odd and even, equal and
unequal; the irregular one has a router without a terminal.
"""

from __future__ import annotations

GRIDS = ("line(4)", "mesh(3, 3)", "mesh(4, 2)", "mesh(2, 3, 2)")
"""Products of lines."""

RINGS = ("ring(4)", "ring(5)", "torus(4, 3)", "torus(3, 2, 2)", "ring(4) * line(2)")
"""Products with a ring in them."""

HYPERCUBES = ("hypercube(2)", "hypercube(3)")

OTHERS = (
    "complete(4)",
    "tree(2, 2)",
    "{i -- (i + 1) % 5, 5 + i -- 5 + (i + 2) % 5, i -- 5 + i for i in 5}",
    "terminals({a -- b -- c -- d -- a, c -- e, d -- e, e -- f}, inject=[0, 1, 3, 4, 5])",
    "{i -> (i + 1) % 4 for i in 4}",
)
"""Networks without dimensions: complete, a tree, Petersen's graph, one of named routers without any order, a ring
that goes round one way only."""

ONE_WAY_RINGS = ("ring(5, directed=true)", "ring(4, directed=true) * line(2)")
"""Rings with one direction, as dimensions."""

WORDS = (
    "de_bruijn(2, 3)",
    "de_bruijn(3, 2)",
    "de_bruijn(2, 3, directed=false)",
    "shuffle_exchange(3)",
    "cube_connected_cycles(3)",
)
"""Networks of words and their shifts, and cube-connected cycles."""

SWITCHES = ("irregular(8, 4, 2, seed=0)", "random_regular(8, 3, seed=0)")
"""Random networks: irregular with two terminals at each switch, and regular."""

FAT_TREES = ("fat_tree(2, 3)", "xgft([1, 3], [1, 2])")
"""Fat trees with terminals at the leaves; the second one is a leaf–spine network."""

DRAGONFLIES = ("dragonfly(2)", 'dragonfly(4, 1, 1, 3, arrangement="circulant")')
"""Dragonflies with one and with two links between every two groups."""

HYPERX = ("hyperx([3, 2])", "flattened_butterfly(3, 3, concentration=1)")
"""Products of complete graphs."""

LOW_DIAMETER = ("kautz(2, 2)", "star_graph(3)", "slim_fly(3, 1)", "heawood()")
"""Networks with many routers for their degree and diameter."""

MULTISTAGE = ("omega(8)", "rcbn(8)", "composite_banyan(4)", "benes(8)", "extra_stage_cube(4)", "clos(3, 2, 2)")
"""Switches in stages, terminals at the first and the last; in the third one some links are double."""

NETWORKS: tuple[str, ...] = (
    *(*GRIDS, *RINGS, *HYPERCUBES, *OTHERS, *ONE_WAY_RINGS, *WORDS, *SWITCHES),
    *(*FAT_TREES, *DRAGONFLIES, *HYPERX, *LOW_DIAMETER, *MULTISTAGE),
)
"""All networks of the catalogue."""
