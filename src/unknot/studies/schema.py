"""JSON Schema of study files, by which editors complete keys and mark mistakes."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from unknot._base.docstrings import entries
from unknot.studies.load import LISTS
from unknot.studies.study import Design, ProofLimit, Simulation

NEEDED = ("network", "routing")
"""Keys of each design, in [[design]] or [common]."""


def study_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of a study file as it is written: with [common], and lists for values.

    Names of routings, patterns and networks are any texts; `load_study` looks at these.

    Examples
    --------
    >>> sorted(study_schema()["properties"])
    ['common', 'design', 'proof', 'simulation', 'title']
    """
    definitions: dict[str, Any] = {}
    for model in (Design, Simulation, ProofLimit):
        definitions |= _described(model)
    design = definitions["Design"]
    del design["required"]
    for key in (*LISTS, "faults"):
        one = design["properties"][key]
        several = {"type": "array", "items": one, "minItems": 1}
        design["properties"][key] = {"anyOf": [one, several], **_words(one)}
    table, tables = {"$ref": "#/$defs/Design"}, {"type": "array", "minItems": 1}
    parts = {
        "title": {"type": "string", "maxLength": 1000},
        "common": table,
        "design": {**tables, "items": table},
        "simulation": {"$ref": "#/$defs/Simulation"},
        "proof": {"$ref": "#/$defs/ProofLimit"},
    }
    return {
        "title": "Study file of Unknot",
        "type": "object",
        "properties": parts,
        "required": ["design"],
        "additionalProperties": False,
        "allOf": [{"anyOf": [_in_common(key), _in_each(key)]} for key in NEEDED],
        "$defs": definitions,
    }


def _in_common(key: str) -> dict[str, Any]:
    return {"required": ["common"], "properties": {"common": {"required": [key]}}}


def _in_each(key: str) -> dict[str, Any]:
    return {"properties": {"design": {"items": {"required": [key]}}}}


def _described(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a table and of all within, by name, with the words of the docstring for each key."""
    schema = model.model_json_schema()
    within = schema.pop("$defs", {})
    schema["description"] = schema["description"].partition("\n\n")[0]
    for key, (_, words) in entries(model.__doc__ or "").items():
        if key in schema["properties"] and words:
            schema["properties"][key]["description"] = words
    return {**within, model.__name__: schema}


def _words(schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": schema["description"]} if "description" in schema else {}
