"""The published schemas: what every command prints as JSON, and the files it writes for itself.

Written anew with ``python -m unknot.cli.answers.schemas docs/schemas``.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import Field

from unknot._base.extensions import Catalogue
from unknot.cli.answers.configuration_file import ConfigurationFile
from unknot.cli.answers.form import Form, model
from unknot.cli.answers.networks import ManifestForm


def _called(name: str) -> str:
    """The name of the schema of a form: CheckUpdateAnswer is check-update."""
    return re.sub("(?<!^)(?=[A-Z])", "-", name.removesuffix("Answer")).lower()


_FILES = sorted(Path(__file__).parent.glob("[!_]*.py"))
_MODULES = [import_module(f"unknot.cli.answers.{file.stem}") for file in _FILES if file.stem != "schemas"]
_CORE: dict[str, type[Form]] = {"configuration": ConfigurationFile} | {
    _called(name): form
    for module in _MODULES
    for name, form in vars(module).items()
    if name.endswith("Answer") and form.__module__ == module.__name__ and issubclass(form, Form)
}
FORMS: Catalogue[Any] = Catalogue("answers", _CORE, of=type)
"""Forms by name of the schema, those of extensions among them."""


def json_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas (draft 2020-12) by name, as docs/schemas has them."""
    words = "What the answer came from; older answers have none."
    more = {"manifest": (model(ManifestForm), Field(default=None, description=words))}
    models = {name: model(form, **({} if form is ConfigurationFile else more)) for name, form in FORMS.usable()}
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {name: {"$schema": draft, **made.model_json_schema(mode="serialization")} for name, made in models.items()}


if __name__ == "__main__":
    for _name, _schema in json_schemas().items():
        _text = json.dumps(_schema, indent=2, ensure_ascii=False) + "\n"
        Path(sys.argv[1], f"{_name}.json").write_text(_text, encoding="utf-8")
