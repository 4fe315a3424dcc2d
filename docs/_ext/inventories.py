"""Small inventories of the foreign names that signatures use, so that building the site needs no network.

``python docs/_ext/inventories.py`` writes `docs/inventories` anew.
"""

from __future__ import annotations

import zlib
from pathlib import Path

NAMES = {
    "python": {
        "library/stdtypes.html": "int bool float str bytes tuple list dict set frozenset range",
        "library/functions.html": "object type slice",
        "library/constants.html": "None NoneType",
        "library/exceptions.html": "Exception ValueError",
        "library/pathlib.html": "pathlib.Path",
        "library/os.html": "os.PathLike",
        "library/typing.html": "typing.Any typing.Literal typing.Self typing.TextIO typing.BinaryIO",
        "library/fractions.html": "fractions.Fraction",
        "library/random.html": "random.Random",
        "library/concurrent.futures.html": "concurrent.futures.Executor concurrent.futures.Future",
        "library/importlib.metadata.html": "importlib.metadata.EntryPoint",
        "library/collections.html": "collections.Counter",
        "library/collections.abc.html": "collections.abc.Callable collections.abc.Collection collections.abc.Container "
        "collections.abc.Hashable collections.abc.Iterable collections.abc.Iterator collections.abc.Mapping "
        "collections.abc.Sequence collections.abc.Set collections.abc.Generator",
    },
    "numpy": {
        "reference/generated/numpy.ndarray.html": "numpy.ndarray",
        "reference/arrays.scalars.html": "numpy.int64 numpy.int32 numpy.int8 numpy.int16 numpy.bool_ numpy.uint8 numpy.float64 numpy.bool "
        "numpy.uint64 numpy.intp numpy.integer numpy.floating",
        "reference/typing.html": "numpy.typing.NDArray numpy.typing.ArrayLike",
        "reference/arrays.dtypes.html": "numpy.dtype",
    },
    "networkx": {
        "reference/classes/graph.html": "networkx.Graph",
        "reference/classes/digraph.html": "networkx.DiGraph",
        "reference/classes/multidigraph.html": "networkx.MultiDiGraph",
    },
    "pandas": {"reference/api/pandas.DataFrame.html": "pandas.DataFrame"},
    "matplotlib": {"api/figure_api.html": "matplotlib.figure.Figure"},
    "typer": {"": "typer.Typer typer.main.Typer"},
}


def inventory(project: str) -> bytes:
    """Return the inventory of a project in the format of Sphinx, version 2."""
    lines = [
        f"{name} py:{'data' if name in ('typing.Any', 'None', 'typing.Literal') else 'class'} 1 {page}#{name} -"
        for page, names in NAMES[project].items()
        for name in names.split()
    ]
    head = f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n"
    head += "# The remainder of this file is compressed using zlib.\n"
    return head.encode() + zlib.compress("".join(f"{line}\n" for line in lines).encode(), 9)


if __name__ == "__main__":
    for name in NAMES:
        (Path(__file__).parents[1] / "inventories" / f"{name}.inv").write_bytes(inventory(name))
