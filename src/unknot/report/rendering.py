"""Pages made of the templates in ``templates``: HTML, where everything but drawings is escaped, and Markdown."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from unknot._base.errors import visible
from unknot._base.output import make_folder, write_text
from unknot._base.phrases import count
from unknot._base.version import __version__
from unknot.report.scene import front_end
from unknot.report.sheet import COLOURS, ON_COLOUR


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
    return templates().get_template(template).render(values)


@cache
def templates() -> Environment:
    """The environment of all templates."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates"), encoding="utf-8"),
        autoescape=select_autoescape(["html"]),
        finalize=lambda value: visible(value, "\n\t") if type(value) is str else value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        newline_sequence="\n",
    )
    chips = [*zip(COLOURS, ON_COLOUR, strict=True)]
    environment.globals.update(version=__version__, count=count, grouped="{:,}".format, chips=chips)
    environment.globals["front_end"] = front_end
    return environment


def write(text: str, path: str | Path) -> None:
    """Write a page, making its folder; other names in the folder stay as they are."""
    make_folder(Path(path).parent)
    write_text(path, text)
