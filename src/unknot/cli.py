"""The command line. Every command imports what it needs when it runs, so that help is there at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unknot.cli_options import (
    BufferDepth,
    Json,
    NetworkText,
    Picture,
    RoutingText,
    SwitchingName,
    TimeLimit,
    Vcs,
    Version,
)
from unknot.cli_outcomes import FAILS, HOLDS, INTERRUPTED, UNDECIDED, Commands, say

if TYPE_CHECKING:
    from unknot.routing.relation import Relation

app = typer.Typer(
    name="unknot",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _root(version: Version = False) -> None:
    """Describe, route, prove, simulate and compare interconnection networks."""


@app.command()
def run(
    study: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="The study file.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the report.")] = Path("reports"),
    jobs: Annotated[int | None, typer.Option(help="Points computed at a time; by default the cores.")] = None,
    store: Annotated[Path | None, typer.Option(help="SQLite file of results; by default beside the study.")] = None,
    json: Json = False,
) -> None:
    """Prove and simulate the designs of a study file, and write a report.

    Finished points are kept: a study that was stopped goes on where it stood.
    """
    from unknot import answers, terminal
    from unknot.report import write_study_report
    from unknot.studies import load_study, run_study
    from unknot.studies.run import default_store

    loaded = load_study(study)
    out.mkdir(parents=True, exist_ok=True)
    try:
        with terminal.progress_bar(study.name) as progress:
            result = run_study(loaded, jobs=jobs, store=store, progress=progress)
    except KeyboardInterrupt:
        kept = store or default_store(study)
        say(f"interrupted; finished points are kept in {kept}: give the same command again to go on from there")
        raise typer.Exit(INTERRUPTED) from None
    report = out / f"{study.stem}.html"
    write_study_report(result, report)
    if json:
        _print_json({**answers.of_study(result), "report": str(report)})
    else:
        terminal.show_study(result)
        print(f"\nreport: {report}")


@app.command()
def check(
    network: NetworkText,
    routing: RoutingText,
    vcs: Vcs = None,
    switching: SwitchingName = "wormhole",
    time_limit: TimeLimit = 60.0,
    buffer_depth: BufferDepth = 8,
    out: Picture = None,
    json: Json = False,
) -> None:
    """Prove that a routing cannot deadlock and delivers every pair, or show how it fails.

    Exit code 0: it holds; 1: it does not; 3: undecided in the time given.
    """
    from unknot import answers, terminal
    from unknot.switching import switching_named
    from unknot.verify import check as decide
    from unknot.verify import deliver
    from unknot.verify.checker import evidence_holds

    technique = switching_named(switching)
    relation = _relation(network, routing, vcs)
    with terminal.busy("proving"):
        verdict = decide(relation, technique, time_limit=time_limit, buffer_depth=buffer_depth)
        delivery = deliver(relation)
        holds = evidence_holds(relation, verdict)
    if out is not None:
        from unknot.report import draw_configuration, draw_network

        found = verdict.configuration
        _write(out, draw_network(relation.network) if found is None else draw_configuration(relation, found))
    if json:
        _print_json(
            {
                **answers.of_verdict(relation, verdict, holds),
                **answers.of_delivery(relation, delivery),
                **answers.of_relation(relation),
                "network": answers.of_network(relation.network),
            }
        )
    else:
        terminal.show_check(relation, verdict, delivery, holds)
    raise typer.Exit(_code(verdict.deadlock_free, delivery.delivered))


@app.command()
def audit(
    fabric: Annotated[
        Path, typer.Argument(metavar="FOLDER|FABRIC_FILE", help="ibnetdiscover output or a link list.")
    ],
    tables: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Forwarding tables, as OpenSM dumps them.")
    ] = None,
    switching: SwitchingName = "vct",
    time_limit: TimeLimit = 60.0,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE.html", help="Write a report.")] = None,
    json: Json = False,
) -> None:
    """Say whether the forwarding tables of a fabric can deadlock, and whether they deliver.

    Exit code 0: they cannot, and they deliver; 1: otherwise; 3: undecided in the time given.
    """
    from unknot import answers, terminal
    from unknot.fabrics import read_fabric
    from unknot.switching import switching_named
    from unknot.verify.audit import audit as judge

    technique = switching_named(switching)
    read = read_fabric(fabric, tables)
    with terminal.busy("auditing"):
        found = judge(read, switching=technique, time_limit=time_limit)
    if out is not None:
        from unknot.report import write_audit_report

        write_audit_report(found, out)
        say(f"report: {out}")
    if json:
        _print_json(answers.of_audit(found))
    else:
        terminal.show_audit(found)
    raise typer.Exit(_code(found.deadlock_free, found.delivered))


@app.command()
def show(
    network: NetworkText,
    sample: Annotated[
        int | None, typer.Option(help="Estimate distances of a large network from this many routers.")
    ] = None,
    out: Picture = None,
    json: Json = False,
) -> None:
    """Describe a network: sizes, degrees, distances."""
    from unknot import answers, terminal
    from unknot.network import measure
    from unknot.studies.design import network as named

    built = named(network, where="NETWORK")
    metrics = measure(built, sample=sample)
    if out is not None:
        from unknot.report import draw_network

        _write(out, draw_network(built))
    if json:
        _print_json(answers.of_metrics(built, metrics))
    else:
        terminal.show_network(built, metrics)


@app.command()
def convert(
    source: NetworkText,
    target: Annotated[Path, typer.Argument(metavar="FILE", help="Its ending decides the format, unless --to does.")],
    to: Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="Name of the format.")] = None,
    json: Json = False,
) -> None:
    """Write a network into a file of another format, and say what that format does not carry."""
    from unknot import answers
    from unknot.fabrics import write_network
    from unknot.studies.design import network as named

    built = named(source, where="NETWORK")
    form, dropped = write_network(built, target, to)
    if json:
        found = {"file": str(target), "format": form.name, "dropped": dropped, "network": answers.of_network(built)}
        _print_json(found)
    else:
        sizes = f"{built.num_routers} routers, {built.num_channels} channels, {built.num_terminals} terminals"
        print(f"{target}: {form.words} of {built.name}: {sizes}")
        for part in dropped:
            print(f"not carried by this format: {part}")


@app.command()
def simulate(
    network: NetworkText,
    routing: RoutingText,
    load: Annotated[float, typer.Option(help="Offered load in flits per terminal per cycle.")],
    vcs: Vcs = None,
    packet_length: Annotated[int, typer.Option(help="Flits.")] = 1,
    switching: SwitchingName = "wormhole",
    buffer_depth: BufferDepth = 8,
    traffic: Annotated[str, typer.Option(help="uniform or uniform-others.")] = "uniform",
    seed: Annotated[int, typer.Option(help="Of the random numbers.")] = 1,
    warmup: Annotated[
        int | None, typer.Option(help="Cycles before measuring; by default chosen for the network.")
    ] = None,
    measure: Annotated[int | None, typer.Option(help="Cycles in which packets are measured.")] = None,
    json: Json = False,
) -> None:
    """Run one design flit by flit."""
    from unknot import answers, terminal
    from unknot.simulation import simulate as run_flits
    from unknot.switching import switching_named

    technique = switching_named(switching)
    relation = _relation(network, routing, vcs)
    with terminal.busy("simulating"):
        found = run_flits(
            relation,
            load,
            packet_length=packet_length,
            switching=technique,
            buffer_depth=buffer_depth,
            seed=seed,
            traffic=traffic,
            warmup=warmup,
            measure=measure,
        )
    if json:
        sizes = {"network": answers.of_network(relation.network)}
        _print_json(answers.of_run(relation, found) | answers.of_relation(relation) | sizes)
    else:
        terminal.show_run(relation, found)


def _relation(network: str, routing: str, vcs: int | None) -> Relation:
    from unknot.studies import design

    built = design.network(network, where="NETWORK")
    design.require_connected(built)
    return design.routing(built, routing, vcs, where="--routing")


def _code(deadlock_free: bool | None, delivered: bool) -> int:
    if deadlock_free is None and delivered:
        return UNDECIDED
    return HOLDS if deadlock_free and delivered else FAILS


def _write(path: Path, svg: str) -> None:
    from unknot.report.picture import write_picture

    write_picture(svg, path)
    say(f"wrote {path}")


def _print_json(answer: dict[str, Any]) -> None:
    import json

    print(json.dumps(answer, indent=2, ensure_ascii=False))


def main() -> None:
    """Entry point of the command `unknot`."""
    app()
