"""`unknot replay`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot.cli.commands.options import Json
from unknot.cli.commands.shared import is_path, relation_of, routing_in
from unknot.cli.commands.unread import name_idle
from unknot.cli.commands.written import write_knot
from unknot.cli.exit_codes import FAILS, HOLDS

if TYPE_CHECKING:
    from unknot.certificates import Configuration
    from unknot.routing.relation import Relation


def replay(
    file: Path,
    network: str | None = None,
    routing: str | None = None,
    vcs: int | None = None,
    outside_files: bool = False,
    cycles: int = 1000,
    json: Json = False,
) -> int:
    """Check a deadlock configuration and run it in the simulator, where no packet may ever move.

    Exit code 0: the configuration is a deadlock, and its packets stick; 1: the checker rejects the configuration,
    or packets move.

    Parameters
    ----------
    file : argument FILE.json
        Counterexample written by `unknot check --export`.
    network : NETWORK
        Network in place of the file's own.
    routing : NAME
        Routing in place of the file's own.
    outside_files
        Allow a network file outside the folder of the counterexample.
    cycles
        Cycles to wait for a movement.
    out : svg|png|pdf|html
        pictures of the deadlock; .html steps through it
    """
    from unknot._base.errors import UnknotError
    from unknot.cli.answers.configuration_file import configuration_on, read_configuration
    from unknot.cli.answers.replays import ReplayAnswer
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import describe, tell
    from unknot.report.configuration_text import waits
    from unknot.simulation import replay as carry_out

    content = read_configuration(file)
    confined = None if network or outside_files else file
    named = network or (content.network if confined else _from_here(file, content.network))
    text = routing or routing_in(file, content.routing, outside_files=outside_files)
    relation = relation_of(named, text, vcs or (None if routing else content.vcs), confined)
    configuration = configuration_on(relation, content)
    against = _objection(relation, configuration)
    outcome = None
    try:
        with activity.working("replaying"):
            outcome = carry_out(relation, configuration, cycles=cycles)
    except UnknotError as error:
        if against is None:
            raise
        against = f"{against}; {error}" if str(error) not in against else against
    write_knot(relation, configuration)
    keys: dict[str, Any] = {
        "configuration": configuration,
        "accepted": against is None,
        "objection": against,
        "replay": outcome,
    }
    tell(json, ReplayAnswer, of=relation, **keys)
    name_idle(outside_files=outside_files and network is not None and routing is not None)
    if not json and against is None and all(waits(configuration)):
        describe(relation, configuration)
    return HOLDS if against is None and outcome is not None and outcome.stuck else FAILS


def _from_here(file: Path, network: str) -> str:
    """The text of a network that a file keeps, a path as seen from the working folder."""
    return str(file.parent / network.strip()) if is_path(network, file.parent) else network


def _objection(relation: Relation, configuration: Configuration) -> str | None:
    """Return the checker's objection to a configuration, or None."""
    from unknot.certificates import Rejected, accept_configuration

    try:
        accept_configuration(relation, configuration)
    except Rejected as error:
        return str(error)
    return None
