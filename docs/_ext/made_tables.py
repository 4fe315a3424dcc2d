"""Tables that pages include, written into `made` before any page is read, from the code or record of each."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from api_pages import _write
from unknot.certificates import plain
from unknot.certificates.plain.documents import places
from unknot.certificates.plain.flow import flow_of
from unknot.certificates.plain.slots import pool_of
from unknot.certificates.plain.tables import Table
from unknot.cli.questions import claims
from unknot.fabrics import FORMATS
from unknot.fabrics.format import PARTS
from unknot.network import families as network_families
from unknot.network import measure, tod
from unknot.network.tod.functions import foreign
from unknot.simulation import Energy
from unknot.simulation.energy.own import read_own
from unknot.traffic.patterns import patterns
from unknot_collectives.textbook import TREES, algorithms

PAPERS = {
    "bnr": ("bnr_algorithms", "bnr"),
    "itm": ("itm",),
    "wormhole": ("wormhole_cost", "wormhole"),
    "tod": ("tod",),
    "rcbn": ("rcbn",),
}
"""Scripts of each paper in `examples/papers`."""
STAGED = (".delta", ".rearrangeable")
"""Modules of multistage networks."""
COMMON = ("latency", "subject")
"""Parameters that tables leave out."""
RECORD = Path(__file__).parents[2] / "tests" / "papers" / "record.json"
NETWORKS = (
    "fat_tree(4, 3)",
    "xgft([16, 8], [1, 4])",
    "dragonfly(8)",
    "dragonfly_plus(4)",
    "hyperx([8, 8], 8)",
    "flattened_butterfly(4, 3)",
    "slim_fly(5)",
    "polarfly(7)",
    "polarstar(5, 4)",
    "random_regular(64, 4, 1)",
)
"""Networks whose figures the page on families shows."""


def table(head: str, rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown, whose head has its columns separated by semicolons."""
    lines = [head.split(";"), ["---"] * (head.count(";") + 1), *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", r"\|") for cell in line) + " |\n" for line in lines)


def formats() -> str:
    """Return the formats of network files, in their order."""
    rows = []
    for name, form in FORMATS.usable():
        ways = ["read"] * (form.holds != "program") + ["written"] * (form.write is not None)
        carried = (
            "everything" if form.keeps == set(PARTS) else ", ".join(part for part in PARTS if part in form.keeps)
        )
        endings = ", ".join(f"`{ending}`" for ending in form.endings)
        rows.append((f"`{name}`", endings, ", ".join(ways), carried or form.words))
    return table("format;endings;ways;content beside routers and channels", rows)


def figures(networks: Iterable[str] = NETWORKS) -> str:
    """Return sizes, degrees and distances of some networks."""
    rows = []
    for call in networks:
        sizes = measure(tod.network(call))
        degree = f"{sizes.degree_min}–{sizes.degree_max}".removeprefix(f"{sizes.degree_max}–")
        measured = (
            sizes.routers,
            sizes.channels,
            sizes.terminals,
            degree,
            sizes.diameter,
            f"{sizes.mean_distance:.3f}",
        )
        rows.append((f"`{call}`", *measured))
    return table("network;routers;channels;terminals;degree;diameter;mean distance", rows)


def families(*, staged: bool) -> str:
    """Return the families of networks, those of multistage networks or all others."""
    named = {name: getattr(network_families, name) for name in network_families.__all__ if name != "from_edges"}
    listed = {name: one for name, one in named.items() if one.__module__.endswith(STAGED) == staged}
    others = {name: one for name, one in foreign().usable() if staged and name not in named}
    return calls("call;network", {**listed, **others})


def calls(head: str, functions: Mapping[str, Callable[..., object]], first: int = 0) -> str:
    """Return a row for each function: its parameters from the given one on, and its docstring's first paragraph."""
    rows = []
    for name, function in functions.items():
        parameters = [
            p
            for p in [*inspect.signature(function).parameters.values()][first:]
            if p.name not in COMMON and p.name[0] != "_"
        ]
        shown = [("*" * (p.kind is p.VAR_POSITIONAL)) + p.name + _default(p) for p in parameters]
        words = (inspect.getdoc(getattr(function, "func", function)) or "").split("\n\n")[0].replace("\n", " ")
        rows.append((f"`{name}({', '.join(shown)})`".replace("()", ""), words))
    return table(head, rows)


def _default(parameter: inspect.Parameter) -> str:
    return "" if parameter.default is parameter.empty else f"={parameter.default!r}"


def subjects() -> str:
    """Return the form of each claim of evidence, and of its proof, from the docstrings of the checkers."""
    rows = []
    for subject, checker in sorted(plain.CLAIMS.items()):
        form = re.search(r"\n\nClaim: (.*?)\nProof: (.*?)(?:\n\n|$)", inspect.getdoc(checker.check) or "", re.S)
        if form is None:
            raise ValueError(f"the checker of {subject} states no form of claim and proof in its docstring")
        rows.append((f"`{subject}`", *(part.replace("\n", " ") for part in form.groups())))
    return table("`subject` of a claim;further keys;`proof`", rows)


def vocabulary(*readers: tuple[str, Any]) -> str:
    """Return the keys of parts of a document, from the docstrings of their readers, a table for each."""
    tables = []
    for head, reader in readers:
        rows = re.findall(r"^- (.*?): (.*?)(?=\n- |\Z)", inspect.getdoc(reader) or "", re.S | re.M)
        tables.append(table(head, [(keys, meaning.replace("\n  ", " ")) for keys, meaning in rows]))
    return "\n".join(tables)


def parameters(head: str, record: Any) -> str:
    """Return the parameters of a record, from its docstring."""
    section = (inspect.getdoc(record) or "").partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^(\w+) : .*\n((?:    .*\n?)+)", section, re.M)
    return table(head, [(f"`{name}`", " ".join(words.split())) for name, words in rows if name != "technology"])


def textbook_algorithms() -> str:
    """Return the names of the algorithms of each collective operation."""
    return "".join(
        f"- {operation}: {', '.join(f'`{name}`' for name in algorithms(operation))}\n" for operation in TREES
    )


def answers() -> dict[str, dict[str, str]]:
    """Return the recorded answers to the claims of each paper."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    return {
        paper: {k: v for one in scripts for k, v in record[one]["answers"].items()}
        for paper, scripts in PAPERS.items()
    }


def papers() -> dict[str, str]:
    """Return the counts of the answers, and for each paper the claims that do not hold as they stand."""
    words = ("yes", "only when", "no", "open")
    counts = [
        (f"[{paper.upper()}](#{paper})", *([*of.values()].count(word) for word in words))
        for paper, of in answers().items()
    ]
    counts.append(("all", *(sum(int(row[k]) for row in counts) for k in range(1, 5))))
    tables = {"papers": table("paper;yes;only when;no;open", counts)}
    for paper, of in answers().items():
        tables[f"claims-{paper}"] = table("claim;answer", [pair for pair in of.items() if pair[1] != "yes"])
    return tables


def write_tables(app: Any) -> None:
    """Write all tables."""
    folder = Path(app.srcdir) / "made"
    folder.mkdir(exist_ok=True)
    made = {
        "formats": formats(),
        "families": families(staged=False),
        "multistage": families(staged=True),
        "figures": figures(NETWORKS if app.config.console_execute else ()),
        "patterns": calls("pattern;destinations of a terminal", dict(patterns().usable()), first=1),
        "questions": calls("`--claim`;statement", dict(sorted(claims().usable())), first=1),
        "algorithms": textbook_algorithms(),
        "subjects": subjects(),
        "document": vocabulary(("key of a document;value", places), ("key of `relation`;value", Table)),
        "vocabulary": vocabulary(("key of `flow`;meaning", flow_of), ("key of a pool;meaning", pool_of)),
        "energy-options": parameters("option;meaning", Energy),
        "technology": vocabulary(("key;meaning", read_own)),
        **papers(),
    }
    for name, text in made.items():
        _write(folder / f"{name}.md", text)


def setup(app: Any) -> dict[str, bool]:
    """Write the tables before any page is read."""
    app.connect("builder-inited", write_tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
