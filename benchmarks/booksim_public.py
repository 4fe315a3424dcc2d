"""Public configurations of BookSim 2: how many are understood, and how many of these run.

``python -m benchmarks.booksim_public FOLDER`` takes a folder with the files of ``booksim_public.txt``, each at
``OWNER+NAME/PATH`` beside the files that it names, and prints what became of each. The
repositories are not a random sample: their names contain BookSim or GPGPU-Sim, and a person chose them. The reader
was developed with some of their files. The list has the first four files of each repository, by path, that set
``routing_function`` and a ``topology`` of BookSim 2, without copies of BookSim's own examples, copies of other files,
and logs.

Files with keys that BookSim 2 does not have are counted apart: only a fork defines these keys.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from unknot._base.errors import UnknotError
from unknot.simulation import simulate
from unknot_booksim import KEYS, read_setup
from unknot_booksim.gpgpusim import OWN_KEYS

CYCLES = 300
LIST = Path(__file__).with_suffix(".txt")


def outcome(path: Path) -> str:
    """What became of a configuration; empty if it ran."""
    try:
        setup = read_setup(path, outside_files=True)
        if setup.batches is None:
            options = setup.options | {"warmup": 0, "measure": CYCLES}
            simulate(setup.relation, min(setup.load, 1.0), **options)
    except UnknotError as error:
        return str(error).splitlines()[0].replace(f"{path}:", "").strip()
    return ""


def keys_of_forks(path: Path) -> list[str]:
    """Keys of a configuration that neither BookSim 2 nor GPGPU-Sim has."""
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8", errors="replace"))
    return [key for key in re.findall(r"^\s*(\w+)\s*=", text, re.MULTILINE) if key not in KEYS.keys() | OWN_KEYS]


def main(folder: Path) -> None:
    """Print what became of each file, and the shares."""
    rows = [line.split("\t") for line in LIST.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    of_booksim, of_forks = [], []
    for repository, name, _ in rows:
        path = folder / repository.replace("/", "+") / name
        said, foreign = outcome(path), keys_of_forks(path)
        (of_forks if foreign else of_booksim).append(not said)
        print(repository, name, said or "runs", *(["keys of a fork:", *foreign] if foreign else ()), flush=True)
    print(f"{sum(of_booksim + of_forks)} of {len(rows)} files of {len({row[0] for row in rows})} repositories run")
    print(f"{sum(of_booksim)} of the {len(of_booksim)} that have BookSim 2's keys alone")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
