"""A BookSim configuration as a study file."""

from __future__ import annotations

from unknot._base.errors import UnknotError
from unknot.simulation.engine.router import Router
from unknot.studies.booksim.setup import Setup

WORDS = {
    ("mesh", "dor"): "dimension_order",
    ("mesh", "dim_order"): "dimension_order",
    ("mesh", "xy_yx"): "o1turn",
    ("mesh", "romm"): "romm",
    ("mesh", "valiant"): "valiant",
    ("mesh", "min_adapt"): "duato",
    ("torus", "dim_order"): 'dimension_order(either_way=True, dateline="entry")',
    ("torus", "valiant"): "valiant",
    ("torus", "min_adapt"): "duato",
    ("fly", "dest_tag"): "destination_tag",
    ("fattree", "nca"): "nca",
    ("fattree", "anca"): "nca",
}
"""Texts of the routings that a study can name; some leave open what BookSim draws."""
PATTERNS = {
    "uniform": "uniform", "bitcomp": "bit_complement", "bitrev": "bit_reverse", "transpose": "transpose",
    "shuffle": "shuffle", "tornado": "tornado", "neighbor": "neighbour",
}  # fmt: skip


def study_of(setup: Setup) -> str:
    """The text of a study with the design of a configuration, at its load.

    Raises
    ------
    UnknotError
        If studies have no word for its network, routing or traffic; `unknot run` runs the configuration itself.
    """
    settings = setup.configuration
    if "classes" in setup.options or setup.batches:
        raise UnknotError("studies have no word for traffic classes and batches; `unknot run` runs the configuration")
    topology, routing = settings.text("topology"), settings.text("routing_function")
    traffic = settings.one("traffic")
    network = setup.built.words
    if topology in ("fly", "fattree"):
        network = f"{'butterfly' if topology == 'fly' else 'fat_tree'}({setup.built.k}, {setup.built.n})"
    if topology == "anynet":
        network = f"booksim:{settings.text('network_file')}"
    known = None if settings.on("noq") else WORDS.get((topology, routing))
    missing = [
        what
        for what, word in (
            (f"the network {topology}", network),
            (f"{routing} on {topology}{' with noq' * settings.on('noq')}", known),
            (f"the pattern {traffic}", PATTERNS.get(traffic)),
        )
        if not word
    ]
    if missing:
        raise UnknotError(f"studies have no word for {' and '.join(missing)}; `unknot run` runs the configuration")
    options, router = setup.options, setup.options["router"]
    assert isinstance(router, Router)
    lengths = setup.packet_length
    lines = [
        f"title = {_text(f'From a configuration of BookSim 2: {routing} on {topology}')}",
        "",
        "[[design]]",
        f"name = {_text(f'{routing} on {topology}')}",
        f"network = {_text(network)}",
        f"routing = {_literal(known or '')}",
        f"vcs = {settings.whole('num_vcs')}",
        f"switching = {_text(options['switching'])}",
        f"buffer_depth = {options['buffer_depth']}",
        f"traffic = {_text(PATTERNS[traffic])}",
    ]
    if len(lengths) == 1:
        lines.append(f"packet_length = {next(iter(lengths))}")
    else:
        lines.append(f"packet_length = {{ {', '.join(f'{size} = {share!r}' for size, share in lengths.items())} }}")
    default = Router()
    changed = [
        f"{name} = {_value(getattr(router, name))}"
        for name in router.__dataclass_fields__
        if getattr(router, name) != getattr(default, name)
    ]
    if changed:
        lines.append(f"router = {{ {', '.join(changed)} }}")
    if options["bursts"] is not None:
        lines.append(f"bursts = {{ begin = {options['bursts'].begin!r}, end = {options['bursts'].end!r} }}")
    lines += ["", "[simulation]", f"loads = [{min(setup.load, 1.0)!r}]", f"seeds = {list(setup.seeds)}"]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _literal(value: str) -> str:
    return f"'{value}'"


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else _text(value) if isinstance(value, str) else str(value)
