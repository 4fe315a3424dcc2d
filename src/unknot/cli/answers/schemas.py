"""The published schemas: what every command prints as JSON, and the files it writes for itself.

Nothing keeps them: the documentation makes them when it is built, and ``python -m unknot.cli.answers.schemas FOLDER``
writes them into a folder.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import Field

from unknot._base.extensions import Catalogue
from unknot.cli.answers.configuration_file import ConfigurationFile
from unknot.cli.answers.failures import ErrorAnswer
from unknot.cli.answers.form import Form, model
from unknot.cli.answers.networks import ManifestForm
from unknot.studies.schema import study_schema


def _called(name: str) -> str:
    """The name of the schema of a form: EverySizeAnswer is every-size."""
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
FILES: dict[str, Callable[[], dict[str, Any]]] = {"study": study_schema}
"""Schemas of files that users write, by name."""


def json_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas (draft 2020-12) by name."""
    words = "What the answer came from; older answers have none."
    more = {"manifest": (model(ManifestForm), Field(default=None, description=words))}
    alone = (ConfigurationFile, ErrorAnswer)
    models = {name: model(form, **({} if form in alone else more)) for name, form in FORMS.usable()}
    draft = "https://json-schema.org/draft/2020-12/schema"
    schemas = {name: made.model_json_schema(mode="serialization") for name, made in models.items()}
    schemas |= {name: make() for name, make in FILES.items()}
    return {name: {"$schema": draft, **schema} for name, schema in schemas.items()}


def write_schemas(folder: Path) -> None:
    """Write each schema into a file of its name, where it is not there already."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in json_schemas().items():
        path, text = folder / f"{name}.json", json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m unknot.cli.answers.schemas FOLDER")
    write_schemas(Path(sys.argv[1]))
