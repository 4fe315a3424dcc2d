"""Public configurations of BookSim 2: how many are understood, and how many of these run.

``python -m benchmarks.booksim_public FOLDER`` takes a folder with the files of ``booksim_public.txt``, each at
``OWNER+NAME/PATH`` beside the files that it names, and prints what became of each. With ``BOOKSIM=…/booksim`` it also
says at which BookSim 2 stops. No list is a random sample. The first has repositories
that a person chose, whose names contain BookSim or GPGPU-Sim, and the reader was developed with some of their files.
The second was drawn when the first was done, and no file of it had been tried: all other repositories to be had with
BookSim in their names, in the order of an index of GitHub, then some with GPGPU-Sim or chiplets. The third was drawn
later, of further repositories that hold BookSim. Of each repository a list has the first files, by path, that set
``routing_function`` and a ``topology`` of BookSim 2, four or six of them, without copies of BookSim's own examples,
copies of other files, and logs.

Files with keys that BookSim 2 does not have are counted apart: only a fork defines these keys.
"""

from __future__ import annotations

import os
import re
import subprocess
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
            simulate(setup.relation, setup.load, **options)
    except UnknotError as error:
        return str(error).splitlines()[0].replace(f"{path}:", "").strip()
    return ""


def keys_of_forks(path: Path) -> list[str]:
    """Keys of a configuration that neither BookSim 2 nor GPGPU-Sim has."""
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8", errors="replace"))
    return [key for key in re.findall(r"^\s*(\w+)\s*=", text, re.MULTILINE) if key not in KEYS.keys() | OWN_KEYS]


def stops(path: Path, folder: Path) -> bool:
    """Whether BookSim 2 itself stops at a configuration, from whatever folder of its repository it is started."""
    command = [
        os.environ["BOOKSIM"],
        str(path.resolve()),
        *["sample_period=100", "max_samples=4", "sim_type=throughput"],
    ]
    for place in path.parents:
        if place == folder:
            return True
        try:
            done = subprocess.run(command, cwd=place, capture_output=True, timeout=100, check=False)
        except subprocess.TimeoutExpired:
            return False
        if b"Overall Traffic Statistics" in done.stdout:
            return False
    return True


def main(folder: Path) -> None:
    """Print what became of each file, and the shares of each list."""
    for part in LIST.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in part.splitlines() if not line.startswith("#")]
        ran: dict[bool, list[bool]] = {False: [], True: []}
        of_booksim = []
        for repository, name, _ in rows:
            path = folder / repository.replace("/", "+") / name
            said, foreign = outcome(path), keys_of_forks(path)
            ran[bool(foreign)].append(not said)
            more = ["keys of a fork:", *foreign] if foreign else []
            if "BOOKSIM" in os.environ:
                if stops(path, folder):
                    more.append("BookSim 2 stops")
                else:
                    of_booksim.append(not said)
            print(repository, name, said or "runs", *more, flush=True)
        run = sum(map(sum, ran.values()))
        print(f"{run} of {len(rows)} files of {len({row[0] for row in rows})} repositories run")
        print(f"{sum(ran[False])} of the {len(ran[False])} that have BookSim 2's keys alone")
        print(f"{sum(of_booksim)} of the {len(of_booksim)} that BookSim 2 runs\n" if of_booksim else "")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
