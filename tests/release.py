"""A release, tried: ``make release``, or ``python -m tests.release [TAG]``.

The wheel is installed into a fresh environment of every Python that is found, the sdist into one of the oldest, with
the newest dependencies, and commands are tried there. For versions that are not found, the dependencies must resolve
to wheels. A tag has to be the version, CHANGELOG has to date it, and the pages about all routings have to show all.
The oldest dependencies are `make floors`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.floors import PROJECT, attempt
from unknot import __version__
from unknot.routing.named import routings

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
"""Versions of Python that a release has to work on."""
ONLY_WHEELS = ("--disable-pip-version-check", "--quiet", "--only-binary", ":all:")


def run(*words: str | Path) -> None:
    """Run a command; its failure ends the trial."""
    print("+", *words, flush=True)
    subprocess.run([str(word) for word in words], check=True)


def pythons() -> dict[str, str]:
    """The interpreters of this machine by version: those on the path, and those of pyenv."""
    known: dict[str, str] = {}
    for version in VERSIONS:
        kept = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        for program in (shutil.which(f"python{version}"), *map(str, kept)):
            if program and subprocess.run([program, "-c", ""], capture_output=True, check=False).returncode == 0:
                known[version] = program
    return known


def require_dated(tag: str | None) -> None:
    """Refuse a tag that is not the version, and a version that CHANGELOG does not date."""
    if tag is not None and tag.removeprefix("v") != __version__:
        sys.exit(f"the tag is {tag}, and src/unknot/_base/__init__.py has version {__version__}")
    log = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d$", log, re.M):
        sys.exit(f"CHANGELOG.md has no line '## [{__version__}] - YEAR-MONTH-DAY'")


def require_shown() -> None:
    """Refuse pages that lack a routing of the catalogue: those that come out of running all of them."""
    for page in ("gallery", "throughput"):
        shown = re.findall(r"`(\w+)", (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"))
        if lacking := sorted(set(routings()) - set(shown)):
            sys.exit(f"docs/{page}.md lacks {', '.join(lacking)}: see benchmarks/{page}.py")


def install(python: str, distribution: Path, place: Path) -> str:
    """Install a wheel or sdist with all extras into a fresh environment; return its interpreter."""
    run(python, "-m", "venv", place)
    inside = str(place / "bin" / "python")
    own = () if distribution.suffix == ".whl" else ("--no-binary", "unknot")
    run(inside, "-m", "pip", "install", *ONLY_WHEELS, *own, f"{distribution}[all]")
    return inside


def resolve(version: str, folder: Path) -> None:
    """Require that all dependencies have wheels for a version of Python that is not here."""
    extras = PROJECT["optional-dependencies"]
    texts = [*PROJECT["dependencies"], *(t for name in ("solving", "plotting", "data", "dask") for t in extras[name])]
    run(sys.executable, "-m", "pip", "download", *ONLY_WHEELS, "--python-version", version, "--dest", folder, *texts)


def main() -> int:
    require_dated(sys.argv[1] if len(sys.argv) > 1 else None)
    require_shown()
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch)
        run(Path(sys.executable).parent / "uv", "build", "--quiet", "--out-dir", here / "dist", ROOT)
        built = sorted((here / "dist").glob("unknot-*"))
        known = pythons()
        for version in VERSIONS:
            if version not in known:
                resolve(version, here / "wheels")
                print(f"Python {version} is not here; its dependencies resolve", flush=True)
                continue
            # Both hold the same code, so one trial of the sdist shows that it is whole.
            kinds = (".whl", ".gz") if version == min(known) else (".whl",)
            for distribution in (file for file in built if file.suffix in kinds):
                print(f"Python {version}, {distribution.name}", flush=True)
                place = here / f"{version}{distribution.suffix}"
                wrong += attempt(install(known[version], distribution, place))
                shutil.rmtree(place)
    print(f"{wrong} commands did not end as they should")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
