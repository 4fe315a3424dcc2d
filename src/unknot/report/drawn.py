"""A drawing: an SVG text that shows itself in notebooks and writes itself into files."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot.report.picture import write_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Drawing(str):
    """The text of an SVG element.

    Attributes
    ----------
    figure : matplotlib.figure.Figure or None
        Of curves and series: the figure that was drawn. Changes of it are seen in its own `savefig`, not here.

    Examples
    --------
    >>> from unknot.report import draw_network
    >>> from unknot.network.families import ring
    >>> picture = draw_network(ring(4))
    >>> picture.startswith("<svg"), picture
    (True, <Drawing: Network ring(4): 4 routers, 8 channels, 4 terminals>)
    """

    __slots__ = ("figure",)
    figure: Figure | None

    def __new__(cls, text: str = "", figure: Figure | None = None) -> Drawing:
        made = super().__new__(cls, text)
        made.figure = figure
        return made

    def __repr__(self) -> str:
        title = self.partition("<title>")[2].partition("</title>")[0]
        return f"<Drawing: {title}>"

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | Path) -> Path:
        """Write it as SVG, PNG or PDF, as the ending of the file says.

        Raises
        ------
        UnknotError
            If the ending is none of these.
        """
        write_picture(self, path)
        return Path(path)

    def show(self) -> Any:
        """Show it: in the cell of a notebook, else in a browser."""
        from unknot._base.progress import in_notebook

        if in_notebook():
            shown: Any = import_module("IPython.display")
            return shown.display(shown.SVG(str(self)))
        import tempfile
        import webbrowser

        with tempfile.NamedTemporaryFile("w", suffix=".svg", delete=False, encoding="utf-8") as file:
            file.write(self)
        return webbrowser.open(Path(file.name).as_uri())
