"""Deadlock configurations: their form, and files of them, with what they are configurations of."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from unknot._base.errors import UnknotError
from unknot._base.input import read_json
from unknot._base.output import write_text
from unknot._base.switching import Switching
from unknot.certificates.verdict import Configuration, Message
from unknot.cli.answers.filling import answer, differences, read_form
from unknot.cli.answers.form import (
    AddressName,
    Bounds,
    By,
    Form,
    Natural,
    Positive,
    TerminalName,
    Words,
    form_of,
    key,
)
from unknot.cli.answers.networks import ManifestForm
from unknot.routing.bubble import Bubble, bubble
from unknot.routing.relation import Relation

Grade = Literal["injected", "scheduled", "not-established"]


class VcForm(Form):
    """A virtual channel."""

    vc: Natural = key("Number of the virtual channel.")
    channel: str = key("Name of its channel.")
    index: Natural = key("Its index within the channel.")


def _vc_at(vc: Any, subject: Any) -> Any:
    vcs, channel = subject.of.vcs, int(subject.of.vcs.channel[vc])
    return {"vc": vc, "channel": subject.network.channel_name(channel), "index": int(vcs.index[vc])}


def _destination(address: Any, subject: Any) -> Any:
    """The terminal an address stands for."""
    return int(subject.of.destination[address])


Vcs = list[Annotated[VcForm, By(_vc_at)]]


@form_of(Bubble)
class BubbleForm(Form):
    """Bubble flow control on some rings."""

    rings: list[Vcs]
    unguarded: Vcs


def _bubble_words(bubble: Any, _: Any) -> str:
    return bubble and f"{bubble['rule']}, room for {bubble['packets']} packets, {len(bubble['rings'])} rings"


BubbleInWords = Annotated[BubbleForm | None, Words(_bubble_words)]


class MessageForm(Form):
    """One blocked message."""

    source: Natural = key("Terminal that sent it.")
    source_name: TerminalName = key(of="source")
    address: Natural = key("Address in its header.")
    address_name: AddressName = key(of="address")
    destination: Annotated[Natural, By(_destination)] = key("Terminal that the address stands for.", of="address")
    destination_name: Annotated[TerminalName, By(_destination)] = key(of="address")
    length: Positive = key("Flits; it fills the VCs it holds exactly.")
    lead: Vcs = key("VCs on its way from the injection port to the first it holds.")
    held: Vcs = key("VCs it holds, tail first.")
    wanted: Vcs = key("VCs its header waits for, all held; with bubble flow control none behind another message.")


class ConfigurationForm(Form):
    """A deadlock configuration: messages none of which can ever move."""

    switching: Switching
    buffer_depth: Positive = key("Flits per VC.")
    reachability: Grade = key("Way in which packets can get into it, if established.")
    messages: Annotated[list[MessageForm], Bounds(min_length=1)] = key("Messages in the order of the schedule.")
    bubble: BubbleInWords = key("Bubble flow control that they obey.", default=None)
    order: list[Natural] = key(
        "Message whose header goes on by a VC, move by move; empty: one after another.", default=[]
    )


class ConfigurationFile(Form):
    """A deadlock configuration of a routing: `unknot check --export` writes it, `unknot replay` reads it."""

    format: Literal["unknot-configuration"]
    version: Literal[1]
    network: str = key("Text or file that names the network.")
    routing: str = key("Text that names the routing.")
    vcs: Positive | None = key("Value of --vcs, if it was given.")
    num_vcs: Natural = key("Virtual channels in all.")
    configuration: ConfigurationForm
    manifest: ManifestForm | None = key("Of the command that wrote it.", default=None)


def write_configuration(
    relation: Relation, configuration: Configuration, path: str | Path, *, network: str, routing: str, vcs: int | None
) -> None:
    """Write a configuration, with the texts that name its network and routing, as JSON.

    The form is docs/schemas/configuration.json.
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
    content: ConfigurationFile = read_form(ConfigurationFile, read_json(path), str(path))
    for number, message in enumerate(content.configuration.messages):
        for name in ("held", "wanted"):
            alone = content.configuration.bubble is None and not content.configuration.order
            if alone and not getattr(message, name):
                where = f"{path}: configuration.messages[{number}].{name}"
                raise UnknotError(f"{where}: it is empty, which it may be with bubble flow control only")
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
    rule = None
    if form.bubble is not None:
        rings = [_vcs(ring) for ring in form.bubble.rings]
        rule = bubble(relation, form.bubble.rule, packets=form.bubble.packets, rings=rings)
        rule = replace(rule, unguarded=_vcs(form.bubble.unguarded))
    configuration = Configuration(
        form.switching,
        form.buffer_depth,
        form.reachability,
        tuple(
            Message(m.source, m.address, m.length, _vcs(m.lead), _vcs(m.held), _vcs(m.wanted)) for m in form.messages
        ),
        bubble=rule,
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


def _vcs(places: list[VcForm]) -> tuple[int, ...]:
    return tuple(place.vc for place in places)
