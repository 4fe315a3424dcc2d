"""Pictures of Unknot in the gallery: what a script leaves in `picture`."""

from __future__ import annotations

from typing import Any

from sphinx_gallery.scrapers import figure_rst


def scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the drawing as PNG, of which a thumbnail can be made, and return the text that shows it."""
    picture = block_vars["example_globals"].pop("picture", None)
    if picture is None:
        return ""
    path = next(block_vars["image_path_iterator"])
    picture.save(path)
    return figure_rst([path], gallery_conf["src_dir"])
