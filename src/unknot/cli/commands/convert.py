"""`unknot convert`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError
from unknot.cli.commands.options import Json, NetworkText

if TYPE_CHECKING:
    from unknot.fabrics import Format
    from unknot.network import Network

_SHOWN = 8
"""Most hosts that are named."""


def convert(
    source: NetworkText,
    target: Path,
    to: str | None = None,
    json: Json = False,
) -> None:
    """Write a network into a file of another format, and name the parts that the format drops.

    Parameters
    ----------
    target : argument FILE
        Output file, whose ending decides the format unless --to does.
    to : FORMAT
        Name of the format.
    """
    from unknot.cli.answers.networks import ConvertAnswer
    from unknot.cli.commands.display import tell
    from unknot.cli.commands.run import kind_of_run
    from unknot.fabrics import write_network
    from unknot.fabrics.formats import kind_of
    from unknot.fabrics.named import network as named

    path = Path(source)
    if path.is_file() and kind_of(path) is None and (runs := kind_of_run(path)) is not None:
        raise UnknotError(f"{source}: {runs.kind} is no network; `unknot run {source}` runs it")
    built = named(source, where="NETWORK")
    form, dropped = write_network(built, target, to)
    keys: dict[str, Any] = {"format": form.name, "dropped": dropped, "notes": _notes(built, form)}
    tell(json, ConvertAnswer, of=built, file=str(target), **keys)


def _notes(network: Network, form: Format) -> list[str]:
    """Hosts with several ports, where the format has terminals alone."""
    from unknot.fabrics.ibsim import with_several_ports

    if form.joins_ports:
        return []
    hosts = with_several_ports(network)
    several = [f"{host} ({', '.join(map(str, ports))})" for host, ports in hosts.items()]
    if not several:
        return []
    count = f"{len(several)} hosts have" if len(several) > 1 else "1 host has"
    names = ", ".join(several[:_SHOWN]) + (", …" if len(several) > _SHOWN else "")
    return [f"{count} several ports, each written as a terminal of its own: {names}"]
