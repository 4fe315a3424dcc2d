"""BookSim's routing functions as relations: which function a pair of names means, and what it needs.

Whatever BookSim draws when it routes a packet is part of the address here, so that a header's candidates depend on
where it stands and on its address only, and what is proved holds for every draw.
"""

from __future__ import annotations

from collections.abc import Callable

from unknot._base.errors import near
from unknot.routing.relation import Relation
from unknot.studies.booksim import adaptive, flats, meshes, tori, trees
from unknot.studies.booksim.configuration import Configuration
from unknot.studies.booksim.networks import Built
from unknot.studies.booksim.tori import UnfitError

Maker = Callable[[Built, int, bool], Relation]

ROUTINGS: dict[tuple[str, str], Maker] = {
    ("mesh", "dor"): meshes.dim_order,
    ("mesh", "dim_order"): meshes.dim_order,
    ("mesh", "xy_yx"): meshes.xy_yx,
    ("mesh", "adaptive_xy_yx"): adaptive.adaptive_xy_yx,
    ("mesh", "romm"): meshes.romm,
    ("mesh", "valiant"): meshes.valiant,
    ("mesh", "min_adapt"): meshes.min_adapt_mesh,
    ("mesh", "planar_adapt"): meshes.planar_adapt,
    ("torus", "dim_order"): tori.dim_order_torus,
    ("torus", "dim_order_bal"): tori.dim_order_bal,
    ("torus", "valiant"): tori.valiant_torus,
    ("torus", "min_adapt"): tori.min_adapt_torus,
    ("fly", "dest_tag"): trees.dest_tag,
    ("fattree", "nca"): trees.nca,
    ("fattree", "anca"): trees.anca,
    ("anynet", "min"): trees.min_anynet,
    ("cmesh", "dor"): flats.cmesh_dor,
    ("cmesh", "dor_no_express"): flats.cmesh_dor_no_express,
    ("cmesh", "xy_yx"): flats.cmesh_xy_yx,
    ("cmesh", "xy_yx_no_express"): flats.cmesh_xy_yx_no_express,
    ("flatfly", "ran_min"): flats.flatfly_min,
    ("flatfly", "xyyx"): flats.flatfly_xyyx,
    ("flatfly", "valiant"): flats.flatfly_valiant,
    ("flatfly", "adaptive_xyyx"): adaptive.adaptive_xyyx,
    ("flatfly", "ugal"): adaptive.flatfly_ugal,
    ("flatfly", "ugal_xyyx"): adaptive.flatfly_ugal_xyyx,
    ("dragonflynew", "min"): flats.dragonfly_min,
    ("dragonflynew", "ugal"): adaptive.dragonfly_ugal,
}
"""Routings by topology and `routing_function`."""

MOST_VCS = 2**24
_PRIVATE = "it takes VCs of their own for each destination; {} is built"
NOT_BUILT = {
    ("mesh", "dim_order_ni"): _PRIVATE.format("dim_order"),
    ("mesh", "dim_order_pni"): _PRIVATE.format("dim_order"),
    ("torus", "dim_order_ni"): _PRIVATE.format("dim_order"),
    ("flatfly", "ugal_pni"): _PRIVATE.format("ugal"),
    ("mesh", "romm_ni"): "romm is built",
    ("mesh", "chaos"): "BookSim's router `chaos` cannot start",
    ("torus", "chaos"): "BookSim's router `chaos` cannot start",
    ("torus", "valiant_ni"): "BookSim stops with a failed assertion",
}
"""Routing functions that BookSim has and are not built, and why or what to use."""


def relation_of(configuration: Configuration, built: Built) -> Relation:
    """The routing relation of a configuration.

    Raises
    ------
    UnknotError
        If BookSim has no such routing function, it is not built, or it takes other numbers of VCs.
    """
    topology, name = configuration.text("topology"), configuration.text("routing_function")
    vcs = configuration.whole("num_vcs", 1, 1024)
    if vcs * built.network.num_channels > MOST_VCS:
        raise configuration.error(
            "num_vcs", f"{vcs} VCs on each of {built.network.num_channels} channels are too many"
        )
    here = topology, name
    if here in NOT_BUILT:
        raise configuration.error("routing_function", f"{name} on {topology} is not built: {NOT_BUILT[here]}")
    if here not in ROUTINGS:
        known = [routing for where, routing in ROUTINGS if where == topology]
        raise configuration.error("routing_function", f"BookSim has no {name} on {topology}; {near(name, known)}")
    make = ROUTINGS[here]
    if configuration.on("noq"):
        if make is not meshes.dim_order:
            configuration.require_off("noq")
        if configuration.whole("routing_delay"):
            raise configuration.error("noq", "it takes routing_delay = 0, in BookSim too")
        make = meshes.next_hop_queues
    try:
        return make(built, vcs, configuration.faithful)
    except UnfitError as error:
        raise configuration.error(error.key, f"{name} on {topology}: {error}") from None
