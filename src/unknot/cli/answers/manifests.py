"""Forms of manifests, and of the answer to whether a command still has the outcome that a file holds."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from unknot._base.manifest import Manifest
from unknot.cli.answers.form import Form, Plain, form_of

Word = Annotated[str, Field(max_length=100_000)]


@form_of(Manifest)
class ManifestForm(Form):
    """Manifest of an outcome: the command, code, libraries and networks that made it."""

    command: Annotated[list[Word], Field(max_length=10_000), Plain] = Field(
        description="Words of the command line after `unknot`, as they were typed."
    )
    networks: dict[str, str] = Field(description="Digests of the networks that were made or read, by their names.")
    libraries: dict[str, str] = Field(description="Versions of Python and of the libraries that decide outcomes.")


class RerunAnswer(Form):
    """JSON answer of `unknot rerun`."""

    file: str
    output: str = Field(description="As the command names it; `-` is the standard output.")
    command: list[str]
    same: bool
    differences: list[str] = Field(description="Where the outcomes differ; the first few.")
    changes: list[str] = Field(description="What has changed since: version, code, libraries, networks.")
