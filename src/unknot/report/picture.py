"""Drawings: SVG texts, and figures of matplotlib, that show themselves in notebooks and become SVG, PNG and PDF."""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError
from unknot._base.manifest import line
from unknot._base.output import manifest_at, write_bytes, write_text
from unknot.report.phrases import escape
from unknot.report.sheet import INK, SOFT
from unknot.report.svg_axes import draw_elements, figure_of, limits_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from unknot._base.manifest import Manifest


ENDINGS = (".svg", ".png", ".pdf")


STYLE: dict[Any, Any] = {
    "svg.hashsalt": "unknot",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "font.family": ["DejaVu Sans"],
    "font.size": 9.5,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.titlesize": 10.5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "grid.color": "#e3e7eb",
    "legend.frameon": False,
    "lines.linewidth": 1.7,
    "lines.markersize": 4.5,
    "errorbar.capsize": 2.6,
    "path.simplify": False,
}
METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@dataclass(frozen=True, repr=False)
class Drawing:
    """A picture.

    Attributes
    ----------
    text : str
        An SVG element.
    figure : matplotlib.figure.Figure or None
        Of curves: the figure that was drawn. Changes of it are seen in its own `savefig`, not here.

    Examples
    --------
    >>> from unknot.report import draw_network
    >>> from unknot.network.families import ring
    >>> picture = draw_network(ring(4))
    >>> picture.text[:4], picture
    ('<svg', <Drawing: Network ring(4): 4 routers, 8 channels, 4 terminals>)
    """

    text: str
    figure: Figure | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        title = self.text.partition("<title>")[2].partition("</title>")[0]
        return f"<Drawing: {title}>"

    def _repr_svg_(self) -> str:
        return self.text

    def __html__(self) -> str:
        return self.text

    def save(self, path: str | Path) -> Path:
        """Write it as SVG, PNG or PDF, as the ending of the file says.

        Raises
        ------
        UnknotError
            If the ending is none of these.
        """
        write_picture(self, path)
        return Path(path)

    def draw(self, axes: Axes) -> None:
        """Draw it into axes of a figure of matplotlib.

        Parameters
        ----------
        axes : matplotlib.axes.Axes
            Whose frame and ticks it takes away.
        """
        axes.set_axis_off()
        if self.figure is not None:
            image = import_module("matplotlib.image").imread(io.BytesIO(rendered(self, "png")))
            axes.imshow(image, interpolation="antialiased")
            return
        root = ElementTree.fromstring(self.text)
        axes.set(**limits_of(root), aspect="equal")
        draw_elements(axes, root, {})

    def show(self) -> Any:
        """Show it: in the cell of a notebook, else in a browser."""
        from unknot._base.progress import in_notebook

        if in_notebook():
            shown: Any = import_module("IPython.display")
            return shown.display(shown.SVG(self.text))
        import tempfile
        import webbrowser

        with tempfile.NamedTemporaryFile("w", suffix=".svg", delete=False, encoding="utf-8") as file:
            file.write(self.text)
        return webbrowser.open(Path(file.name).as_uri())


def write_picture(drawing: Drawing, path: str | Path) -> None:
    """Write a drawing as SVG, PNG or PDF, as the ending of the file says.

    Raises
    ------
    UnknotError
        If the ending is none of these.
    """
    path = Path(path)
    require_ending(path)
    form = path.suffix.lower()[1:]
    if form != "svg":
        write_bytes(path, rendered(drawing, form, manifest_at(path)))
    else:
        write_text(path, drawing.text)


def require_ending(path: Path) -> None:
    """Refuse a file name without the ending of a picture.

    Raises
    ------
    UnknotError
    """
    if path.suffix.lower() not in ENDINGS:
        raise UnknotError(f"{path}: a picture is written as {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}")


def rendered(drawing: Drawing, form: str, manifest: Manifest | None = None) -> bytes:
    """A drawing as ``png``, `SCALE` pixels for one of the SVG, or as ``pdf``.

    Curves are rendered from the figure they carry. Other texts are read: they are made of rectangles,
    circles, texts, and paths of straight lines.

    Raises
    ------
    UnknotError
        For an element of another kind.
    """
    from matplotlib import rc_context

    with rc_context(style()):
        figure = drawing.figure or figure_of(drawing.text)
        return saved(figure, form, manifest)


def style(salt: str = "") -> dict[Any, Any]:
    """Settings of matplotlib for a figure; figures on one page differ in their salt."""
    return STYLE | {"svg.hashsalt": f"unknot {salt}".strip()}


def saved(figure: Figure, form: str, manifest: Manifest | None = None) -> bytes:
    """The bytes of a figure as ``svg``, ``png`` or ``pdf``: always the same, without a date.

    PNG and PDF have room for a manifest, the one as a text chunk, the other as keywords.
    """
    more = {} if manifest is None else {{"png": "unknot", "pdf": "Keywords"}[form]: line(manifest, "()")}
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(file, format=form, dpi="figure", metadata=METADATA[form] | more)
    return file.getvalue()


def night(colours: Mapping[str, str], rule: str = '[{0}="{1}"]{{{0}:{2}}}') -> str:
    """The style by which colours change where the reader prefers dark pages."""
    rules = (f"svg.unknot {rule.format(what, *pair)}" for pair in colours.items() for what in ("fill", "stroke"))
    return f"<style>@media (prefers-color-scheme:dark){{{''.join(rules)}}}</style>"


_NIGHT = {"#ffffff": "#15191e", "white": "#15191e", INK: "#e6eaee", SOFT: "#a4aeb8", "#e3e7eb": "#2c343c"}
DARK = night(_NIGHT, '[style*="{0}: {1}"]{{{0}:{2} !important}}')


def drawing(figure: Figure, title: str) -> Drawing:
    """A figure as a drawing: the element of its SVG alone, with a title and no remark on what wrote it."""
    text = saved(figure, "svg").decode()
    figure.set_layout_engine("none")  # so that everything stays in its place, whatever is written next
    text = text[text.index("<svg") :].strip()
    text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"\n\s*", "\n", text)
    opening, rest = text.split(">", 1)
    opening += ' class="unknot" role="img" stroke-linejoin="round" stroke-linecap="butt"'
    return Drawing(f"{opening}><title>{escape(title, quote=False)}</title>{DARK}{rest}", figure)
