"""Docstrings by numpydoc, with its template compiled once: by itself numpydoc compiles it for every docstring."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpydoc
from jinja2 import Template
from numpydoc.docscrape import get_doc_object
from numpydoc.docscrape_sphinx import SphinxClassDoc, SphinxDocString, SphinxFunctionDoc, SphinxObjDoc
from sphinx.application import Sphinx


@cache
def template() -> Template:
    """Return the template by which numpydoc writes docstrings as reStructuredText."""
    made: Template = SphinxDocString("").template
    return made


def documented(
    obj: Any, what: str | None = None, doc: str | None = None, config: Any = None, builder: Any = None
) -> Any:
    """Return the docstring of an object, as `numpydoc.docscrape_sphinx.get_doc_object` does."""
    return get_doc_object(
        obj, what, doc, {**(config or {}), "template": template()}, SphinxClassDoc, SphinxFunctionDoc, SphinxObjDoc
    )


def setup(app: Sphinx) -> None:
    """Set up numpydoc."""
    numpydoc.setup(app, documented)
