"""Deadlock configurations: their form, and files of them, with what they are configurations of."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from unknot._base.errors import UnknotError
from unknot._base.input import read_json
from unknot._base.output import write_text
from unknot._base.quantities import AddressNumber, By, TerminalNumber
from unknot._base.switching import Switching
from unknot.certificates.verdict import Configuration, Message
from unknot.cli.answers.filling import answer, differences, read_form
from unknot.cli.answers.form import Bounds, Form, Natural, Positive, of
from unknot.cli.answers.networks import ManifestForm
from unknot.flow_control.model import FlowControl
from unknot.flow_control.pools import KINDS, NUMBERS, Pool
from unknot.flow_control.techniques import technique
from unknot.network.graph import hops_around
from unknot.routing.flow_controls.bubble import KEEPS
from unknot.routing.flow_controls.validated import validated
from unknot.routing.relation import Relation

Grade = Literal["injected", "scheduled", "not-established"]


class VcForm(Form):
    """A virtual channel."""

    vc: Natural
    """Number of the virtual channel."""
    channel: str
    """Name of its channel."""
    index: Natural
    """Its index within the channel."""


def _vc_at(vc: Any, subject: Any) -> Any:
    vcs, channel = subject.of.vcs, int(subject.of.vcs.channel[vc])
    return {"vc": vc, "channel": subject.network.channel_name(channel), "index": int(vcs.index[vc])}


def _destination(address: Any, subject: Any) -> Any:
    """The terminal an address stands for."""
    return int(subject.of.destination[address])


Vcs = list[Annotated[VcForm, By(_vc_at)]]


def _in_order(some: Any, _: Any) -> Any:
    return sorted(some)


class PoolForm(Form, of=Pool):
    """Slots that packets in some VCs take together."""

    vcs: Vcs
    hops: Annotated[list[Vcs], By(_in_order)]
    unguarded: Annotated[Vcs, By(_in_order)]


def _flow_words(flow: Any, _: Any) -> Any:
    if not (flow and flow["pools"]):
        return flow and flow["name"]
    return f"{flow['name']}: room for {flow['packets']} packets in each VC, {len(flow['pools'])} pools"


class FlowControlForm(Form, of=FlowControl, said=_flow_words):
    """Flow control of a relation."""


class MessageForm(Form):
    """One blocked message."""

    source: Natural
    """Terminal that sent it."""
    source_name: TerminalNumber = of("source")
    address: Natural
    """Address in its header."""
    address_name: AddressNumber = of("address")
    destination: Annotated[Natural, By(_destination)] = of("address")
    """Terminal that the address stands for."""
    destination_name: Annotated[TerminalNumber, By(_destination)] = of("address")
    length: Positive
    """Flits; it fills the VCs it holds exactly."""
    lead: Vcs
    """VCs on its way from the injection port to the first it holds."""
    held: Vcs
    """VCs it holds, tail first."""
    wanted: Vcs
    """VCs its header waits for, all held; where VCs share pools none behind another message."""


class ConfigurationForm(Form, of=Configuration, without="limited"):
    """A deadlock configuration: messages none of which can ever move."""

    switching: Switching
    buffer_depth: Positive
    """Flits per VC."""
    reachability: Grade
    """Way in which packets can get into it, if established."""
    messages: Annotated[list[MessageForm], Bounds(min_length=1)]
    """Messages in the order of the schedule."""
    flow: FlowControlForm | None = None
    """Flow control of the relation that they obey; null: that of `switching`."""
    order: list[Natural] = of(default=[])
    """Message whose header goes on by a VC, move by move; empty: one after another."""


class ConfigurationFile(Form):
    """A deadlock configuration of a routing: `unknot check --export` writes it, `unknot replay` reads it."""

    format: Literal["unknot-configuration"]
    version: Literal[1]
    network: str
    """Text or file that names the network."""
    routing: str
    """Text that names the routing."""
    vcs: Positive | None
    """Value of --vcs, if it was given."""
    num_vcs: Natural
    """Virtual channels in all."""
    configuration: ConfigurationForm
    manifest: ManifestForm | None = None
    """Of the command that wrote it."""


def write_configuration(
    relation: Relation, configuration: Configuration, path: str | Path, *, network: str, routing: str, vcs: int | None
) -> None:
    """Write a configuration, with the texts that name its network and routing, as JSON.

    The schema `configuration` describes them.
    """
    content = answer(
        ConfigurationFile,
        of=relation,
        format="unknot-configuration",
        version=1,
        network=network,
        routing=routing,
        vcs=vcs,
        configuration=configuration,
    )
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_configuration(path: str | Path) -> ConfigurationFile:
    """Read what `write_configuration` wrote.

    Raises
    ------
    UnknotError
        If it is not JSON, or not of the form; the text names the place in it.
    """
    content: ConfigurationFile = read_form(ConfigurationFile, _with_pools(read_json(path), path), str(path))
    for number, message in enumerate(content.configuration.messages):
        for name in ("held", "wanted"):
            alone = content.configuration.flow is None and not content.configuration.order
            if alone and not getattr(message, name):
                where = f"{path}: configuration.messages[{number}].{name}"
                raise UnknotError(f"{where}: it is empty, which it may be where VCs share pools only")
    return content


def configuration_on(relation: Relation, file: ConfigurationFile) -> Configuration:
    """The configuration of a file as one of a relation.

    Raises
    ------
    UnknotError
        If virtual channels, terminals or addresses are numbered or named otherwise there.
    """
    if file.num_vcs != relation.num_vcs:
        raise UnknotError(
            f"the configuration is one on {file.num_vcs} virtual channels, but {relation.name} on "
            f"{relation.network.name} has {relation.num_vcs}"
        )
    form: Any = file.configuration
    flow = None if form.flow is None else _flow(relation, form.flow)
    configuration = Configuration(
        form.switching,
        form.buffer_depth,
        form.reachability,
        tuple(
            Message(m.source, m.address, m.length, _vcs(m.lead), _vcs(m.held), _vcs(m.wanted)) for m in form.messages
        ),
        flow=flow,
        order=tuple(form.order),
    )
    for number, message in enumerate(configuration.messages, start=1):
        if (
            message.source >= relation.network.num_terminals
            or message.address >= relation.num_addresses
            or max((*message.lead, *message.held, *message.wanted, -1)) >= relation.num_vcs
        ):
            raise UnknotError(f"message {number} is of another network: {relation.network.name} is too small for it")
    here = answer(ConfigurationForm, configuration, of=relation)
    for place, written, name in differences(form.model_dump(mode="json"), here, "configuration"):
        raise UnknotError(
            f"{place} is {written!r} in the file, but {name!r} with {relation.name} on {relation.network.name}: the "
            "configuration is of another network or routing"
        )
    return configuration


def _flow(relation: Relation, form: Any) -> FlowControl:
    """The flow control of a file, looked at."""
    said = {field.name: getattr(form, field.name) for field in fields(FlowControl)}
    pools = tuple(Pool(**{name: _numbered(getattr(pool, name)) for name in KINDS}) for pool in form.pools)
    return validated(relation, FlowControl(**said | {"pools": pools}), "configuration.flow")


def _with_pools(content: Any, path: str | Path) -> Any:
    """A file in which a rule of rings, as older ones have, is said by pools."""
    told = content.get("configuration") if isinstance(content, dict) else None
    if not isinstance(told, dict) or (said := told.pop("bubble", None)) is None:
        # A field that came later is at its default.
        flow = told.get("flow") if isinstance(told, dict) else None
        pools = flow.get("pools") if isinstance(flow, dict) else None
        for pool in pools if isinstance(pools, list) else ():
            for name in NUMBERS if isinstance(pool, dict) else ():
                if hasattr(Pool, name):
                    pool.setdefault(name, getattr(Pool, name))
        return content
    try:
        rings, loose, packets = said["rings"], said["unguarded"], said["packets"]
        pools = [
            {"vcs": ring, "slots": len(ring) * packets, "keeps": KEEPS[said["rule"]],
             "hops": sorted(hops_around(ring), key=lambda hop: hop[0]["vc"]),
             "unguarded": sorted((vc for vc in loose if vc in ring), key=lambda vc: vc["vc"])}
            for ring in rings
        ]  # fmt: skip
        name = f"bubble('{said['rule']}', packets={packets})"
    except (AttributeError, KeyError, TypeError) as error:
        raise UnknotError(f"{path}: configuration.bubble: this is no rule of rings: {error}") from None
    told["flow"] = asdict(technique("vct")) | {"name": name, "packets": packets, "pools": pools}
    return _with_pools(content, path)


def _numbered(value: Any) -> Any:
    """Numbers of VCs, in whatever lists they are."""
    if isinstance(value, (int, str)):
        return value
    return value.vc if hasattr(value, "vc") else tuple(map(_numbered, value))


def _vcs(places: list[VcForm]) -> tuple[int, ...]:
    return tuple(place.vc for place in places)
