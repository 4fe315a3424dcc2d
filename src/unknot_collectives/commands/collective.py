"""`unknot collective`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import SimulationError
from unknot.cli.commands.printing import notify
from unknot.cli.commands.shared import relation_of
from unknot.cli.commands.written import draw, write_evidence
from unknot.cli.exit_codes import FAILS, HOLDS, UNDECIDED
from unknot_collectives.commands.collective_options import CollectiveOptions, sizes_of

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot._base.units import Scale
    from unknot.network import Network
    from unknot.report.picture import Drawing
    from unknot.report.scene import Scene
    from unknot.routing.relation import Relation
    from unknot.verify.delivery import Delivery
    from unknot_collectives.comparison import Timed
    from unknot_collectives.nccl.choice import LibraryChoice
    from unknot_collectives.nccl.library import CollectiveLibrary
    from unknot_collectives.schedule import Schedule

TABLES = (".csv", ".json", ".xml")
"""Endings of files of schedules."""
OF_A_GPU = 5000
"""GB/s that a GPU copies within itself: what its terminal sends beside a library."""


def collective(options: CollectiveOptions) -> int:
    """Find the best schedule of a collective operation, and compare its time with a lower bound.

    With --routing the simulator runs schedules flit by flit. A FILE.xml is an MSCCL program, and the answer says
    whether the program hangs, races or ends with wrong sums. Exit code 0: a schedule exists, or the program is
    right; 1: the program is wrong, or a run has no end; 3: time ran out, and the answer has the best schedule so
    far.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.collective("torus(3, 3)", operation="all_gather", algorithm="ring, direct")
    >>> [(one.algorithm, float(one.time)) for one in answer.algorithms]
    [('ring', 513.0), ('direct', 514.0)]
    """
    file, json = Path(options.network), options.json
    from unknot._base.numbers import require_whole
    from unknot.fabrics.formats import kind_by_content

    if file.suffix == ".xml" and file.is_file() and kind_by_content(file) != "nccl":
        return HOLDS if _tell_program(file, json=json) else FAILS
    from unknot._base.deadline import NEVER
    from unknot._base.errors import UnknotError
    from unknot._base.units import Scale
    from unknot.cli.answers.networks import in_units
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.fabrics.named import network as named
    from unknot_collectives import group_of, platform_of
    from unknot_collectives.answer import CollectiveAnswer
    from unknot_collectives.choice import MOST_PACKED, PIECES, by_algorithm
    from unknot_collectives.commands.bounding import bounds_of, counted, reducing
    from unknot_collectives.commands.exporting import export_schedule, noted
    from unknot_collectives.commands.ranks import in_file
    from unknot_collectives.comparison import compared
    from unknot_collectives.msccl import require_program
    from unknot_collectives.nccl.choice import choices as chosen_by
    from unknot_collectives.on_routes import ScheduleRoutes, shortest_routes
    from unknot_collectives.operation import require_room
    from unknot_collectives.proposals import AlgorithmProposal
    from unknot_collectives.rings import ring_order
    from unknot_collectives.schedule_files import ENDINGS, proposed

    export, deadline, width = options.export, options.deadline or NEVER, options.terminal_width
    if export is not None and export.suffix not in TABLES:
        raise UnknotError(f"{export}: a schedule is written as .csv or .json, or as .xml, an MSCCL program")
    scale = Scale.of(options.units)
    sizes, rows = sizes_of(options, scale.units)
    library, relation = _library(options), None
    if options.routing is not None:
        relation = relation_of(options.network, options.routing, options.vcs, simulated=True)
    if library is not None:
        built, width = library.network, max(width, OF_A_GPU)
    else:
        built = named(options.network, where="NETWORK") if relation is None else relation.network
    require_whole("--terminal-width", width, 1, unit="flits", error=SimulationError)
    of_run = {} if relation is None else options.of_run
    require_whole("--overhead", options.overhead, 0, unit="cycles", error=SimulationError)
    on = partial(platform_of, built, terminal=Fraction(width), overhead=Fraction(options.overhead))
    platform, whole = on(), options.operation_on(built, rows)
    timed_on = on(stages=of_run["router"].header_cycles if of_run else 0)
    if export is not None and export.suffix == ".xml":
        require_program(whole)
    names = () if options.algorithm == "best" else tuple(name.strip() for name in options.algorithm.split(","))
    files = [name for name in names if Path(name).suffix in ENDINGS]
    names = tuple(name for name in names if name not in files)
    operations = [replace(whole, size=Fraction(flits)) for flits in sizes]
    require_room(whole, names)
    with activity.working("bounds"):
        bounds, is_exact = bounds_of(platform, operations, options.deadline)
    chosen = (
        [] if library is None else chosen_by(library, options.operation, sizes, bounds, reducing(platform, bounds))
    )
    with activity.working("schedules"):
        group, counts = group_of(built, whole), PIECES if options.pieces is None else (options.pieces,)
        ranked = in_file(options.members)
        group = (
            replace(group, row=whole.members)
            if ranked
            else replace(
                group, circle=tuple(m for part in whole.parts for m in ring_order(platform, group.only(part).row))
            )
        )
        routes = shortest_routes(built) if relation is None else ScheduleRoutes(relation)
        choices = proposed(files, built, timed_on, operations[0])
        if names or not files:
            others = by_algorithm(
                timed_on, whole, names, group=group, pieces=counts, routes=routes, searched=not ranked
            )
            choices = chain(choices, others)
        kept = list[AlgorithmProposal]()
        made = compared(
            noted(choices, kept),
            bounds,
            relation,
            until=deadline,
            enough=not names and len(whole.members) > MOST_PACKED,
            **of_run,
        )
    best = [table[0] for table in made.tables if table]
    last, shown = max(0, len(best) - 1), best[-1:]
    complete = made.complete and is_exact
    if not complete:
        count = f"{len(made.tables[last])} algorithms were compared" if best else "no schedule was made"
        notify(f"{count} in {deadline.seconds:g} s, the time limit" + "; the bound is a quick one" * (not is_exact))
    if best:
        drawn = best[-1].schedule, built, scale
        draw(lambda: _picture(*drawn), lambda: _scene(*drawn))
    if best and export is not None:
        export_schedule(export, made.tables[last], kept, built, scale.units)
    if options.evidence is not None:
        claims = [bounds[last].claim(), *(one.schedule.claim() for one in shown)]
        write_evidence(options.evidence, None, claims)
    measured = best[-1].measured if best else None
    sent = _of_messages(relation, best[-1].schedule) if relation is not None and best else None
    free, delivers = (None, None) if sent is None else _proved(sent, options.switching, deadline)
    tell(
        json, CollectiveAnswer, *shown, of=built, scale=scale, routing=relation and relation.name,
        deadlock_free=free, delivers=delivers,
        **options.some("operation", "overhead"), members=len(whole.members), groups=len(whole.parts),
        size=sizes[last], bound=float(bounds[last].time), complete=complete, algorithms=made.tables[last],
        bound_by=counted(bounds[last], built), sizes=best if len(sizes) > 1 else [], library=chosen,
        your_library=_in_words(library, chosen),
        units=in_units(scale.units, [{"latency": measured}, *map(_figures, made.tables[last])]),
    )  # fmt: skip
    if not complete:
        return UNDECIDED
    return HOLDS if relation is None or measured is not None else FAILS


def _figures(row: Timed) -> dict[str, float | None]:
    """Return the size and the times of a row, and what the operation gets of its size in a cycle."""
    taken = row.measured or row.time
    times = {"time": row.time, "bound": row.bound, "measured": row.measured}
    return {"size": row.size, **times, "throughput": row.size / taken}


def _library(options: CollectiveOptions) -> CollectiveLibrary | None:
    """Return the library that runs on the machine of a file, and say what was filled in."""
    from unknot._base.errors import UnknotError
    from unknot_collectives.nccl.choice import library_named

    if options.library is None:
        return None
    for name in ("routing", "members", "root"):
        if getattr(options, name) is not None:
            raise UnknotError(f"--library and --{name} do not go together: the library's routes and GPUs are its own")
    if options.groups != 1:
        raise UnknotError("--library: the library runs one group of all GPUs; leave --groups out")
    if not Path(options.network).is_file():
        raise UnknotError(f"--library reads a topology file of NCCL or RCCL; {options.network} is no file")
    library = library_named(options.library, options.network)
    if library.filled:
        notify(f"{options.network}: filled in, as NCCL asks the machine: {'; '.join(library.filled)}")
    return library


def _in_words(library: CollectiveLibrary | None, chosen: list[LibraryChoice]) -> str:
    if library is None:
        return ""
    best = chosen[-1] if len({one.size for one in chosen}) > 1 else chosen[0]
    how = " of switches that reduce" if best.algorithm not in ("ring", "tree", "pat") else ""
    by = f"{best.algorithm}, {best.protocol}" + ", which expects more than the links carry" * (best.of_bound > 1)
    return f"{best.of_bound:.2f} of the bound{how}, by {by} ({library.name} {library.version})"


def _proved(alone: Relation, switching: str, deadline: Deadline) -> tuple[bool | None, bool | None]:
    """Whether messages of a schedule are free of deadlock, and whether all arrive.

    Each message waits for earlier ones alone: with both the schedule ends under every timing.
    """
    from unknot.verify.check import check
    from unknot.verify.delivery import deliver

    free = check(alone, switching, time_limit=deadline).deadlock_free
    return free, deadline.unless_over(lambda: _ends(deliver(alone)))


def _of_messages(relation: Relation, schedule: Schedule) -> Relation:
    """The relation when only the messages of a schedule are sent."""
    import numpy as np

    from unknot.lane_assignment.flows import only
    from unknot_collectives.messages import messages_of

    sends = np.zeros((relation.network.num_terminals,) * 2, dtype=np.bool_)
    for message in messages_of(relation.network, schedule):
        sends[message.source, message.destination] = True
    return only(relation, sends)


def _ends(delivery: Delivery) -> bool | None:
    """Whether every packet comes to its terminal, and no route is endless; None: not known."""
    return delivery.delivered and delivery.longest_route is not None


def _tell_program(file: Path, *, json: bool) -> bool:
    """Follow a program, and return whether it is right."""
    from unknot.cli.commands.display import tell
    from unknot_collectives.answer import CollectiveProgramAnswer
    from unknot_collectives.msccl import read_msccl, run_program

    program = read_msccl(file)
    run = run_program(program)
    tell(
        json, CollectiveProgramAnswer, run, file=str(file), operation=program.collective, ranks=len(program.ranks),
        waits=[f"{wait.place} {wait.reason}" for wait in run.waits],
        races=[f"{race.earlier} and {race.later} (chunk {race.chunk} of {race.buffer!r})" for race in run.races],
    )  # fmt: skip
    return run.is_right


def _picture(schedule: Schedule, network: Network, scale: Scale) -> Drawing:
    """Draw the busy channels of a schedule."""
    from unknot_collectives.drawing import draw_busy_channels

    return draw_busy_channels(schedule, _nodes(network), scale)


def _scene(schedule: Schedule, network: Network, scale: Scale) -> Scene:
    """Make the page of the busy channels."""
    from unknot_collectives.drawing import busy_scene

    return busy_scene(schedule, network, _nodes(network), scale)


def _nodes(network: Network) -> list[str]:
    """Name the nodes of a platform: routers, and terminals behind them."""
    routers, terminals = range(network.num_routers), range(network.num_terminals)
    return [*map(network.router_name, routers), *map(network.terminal_name, terminals)]
