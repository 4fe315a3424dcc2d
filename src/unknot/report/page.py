"""Pages made of the templates in ``templates``: everything but drawings is escaped where it enters."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from unknot._base.errors import visible
from unknot._base.output import make_folder, write_text
from unknot._base.version import __version__
from unknot.report.phrases import count


def page(template: str, **values: Any) -> str:
    """Render a template as a whole document that needs nothing beside itself.

    The same values give the same text.

    Parameters
    ----------
    template : str
        Name of a file in ``templates``.
    **values : object
        What it uses; `title` and `lead` of every page. Text is escaped, `markupsafe.Markup` is not.
    """
    return _templates().get_template(template).render(values)


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates"), encoding="utf-8"),
        autoescape=True,
        finalize=lambda value: visible(value, "\n\t") if type(value) is str else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        newline_sequence="\n",
    )
    environment.globals.update(version=__version__, count=count, grouped="{:,}".format)
    return environment


def write(text: str, path: str | Path) -> None:
    """Write a page, making its folder; other names in the folder stay as they are."""
    make_folder(Path(path).parent)
    write_text(path, text)
