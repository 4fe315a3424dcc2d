"""Deadlock configurations as files: written with what they are configurations of, and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from unknot import answers
from unknot.errors import TextError, UnknotError
from unknot.output import write_text
from unknot.routing.relation import Relation
from unknot.schemas import ConfigurationFile, PlaceForm
from unknot.verify.verdict import Configuration, Message

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def write_configuration(
    relation: Relation, configuration: Configuration, path: str | Path, *, network: str, routing: str, vcs: int | None
) -> None:
    """Write a configuration, with the texts that name its network and routing, as JSON.

    The form is docs/schemas/configuration.json.
    """
    content = {
        "format": "unknot-configuration",
        "version": 1,
        "network": network,
        "routing": routing,
        "vcs": vcs,
        "num_vcs": relation.num_vcs,
        "configuration": answers.of_configuration(relation, configuration),
    }
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_configuration(path: str | Path) -> ConfigurationFile:
    """Read what `write_configuration` wrote.

    Raises
    ------
    UnknotError
        If it is not JSON, or not of the form; the text names the place in it.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        line = error.doc.splitlines()[error.lineno - 1] if error.doc.strip() else ""
        raise TextError(f"this is not JSON: {error.msg}", path, error.lineno, error.colno, line) from error
    except UnicodeDecodeError as error:
        raise TextError("this is not a text in UTF-8", path) from error
    try:
        return ConfigurationFile.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        more = f" (and {error.error_count() - 1} more such places)" if error.error_count() > 1 else ""
        raise UnknotError(f"{path}: {_place(first)}: {first['msg'][0].lower()}{first['msg'][1:]}{more}") from error


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
    form = file.configuration
    found = Configuration(
        form.switching,
        form.buffer_depth,
        form.reachability,
        tuple(
            Message(m.source, m.address, m.length, _vcs(m.lead), _vcs(m.held), _vcs(m.wanted)) for m in form.messages
        ),
    )
    for number, message in enumerate(found.messages, start=1):
        if (
            message.source >= relation.network.num_terminals
            or message.address >= relation.num_addresses
            or max(message.lead + message.held + message.wanted) >= relation.num_vcs
        ):
            raise UnknotError(f"message {number} is of another network: {relation.network.name} is too small for it")
    _compare(json.loads(form.model_dump_json()), answers.of_configuration(relation, found), "configuration", relation)
    return found


def _compare(told: Any, here: Any, where: str, relation: Relation) -> None:
    """Names in the file are those of the relation."""
    if isinstance(told, dict):
        for key, value in told.items():
            _compare(value, here[key], f"{where}.{key}", relation)
    elif isinstance(told, list):
        for i, value in enumerate(told):
            _compare(value, here[i], f"{where}[{i}]", relation)
    elif told != here:
        raise UnknotError(
            f"{where} is {told!r} in the file, but {here!r} with {relation.name} on {relation.network.name}: the "
            "configuration is of another network or routing"
        )


def _vcs(places: list[PlaceForm]) -> tuple[int, ...]:
    return tuple(place.vc for place in places)


def _place(error: ErrorDetails) -> str:
    """Where in the file, as one would write it: configuration.messages[2].held."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"])
    return text.removeprefix(".") or "the whole"
