"""A release, tried: ``make release``, or ``python -m tests.release [TAG]``.

The wheel is installed into a fresh environment of every Python that is found, the sdist into one of the oldest, with
the newest dependencies, and commands are tried there. For versions that are not found, the dependencies must resolve
to wheels. CHANGELOG has to date a tag, and what is built must have it as its version; the pages about all routings
have to show all.
The oldest dependencies are `make floors`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from release_version import newest_release, version

from tests.floors import PROJECT, attempt
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
    for release in VERSIONS:
        kept = sorted(Path.home().glob(f".pyenv/versions/{release}.*/bin/python"))
        for program in (shutil.which(f"python{release}"), *map(str, kept)):
            if program and subprocess.run([program, "-c", ""], capture_output=True, check=False).returncode == 0:
                known[release] = program
    return known


def require_tagged(tag: str) -> None:
    """Refuse a tag that is not of this commit, and one whose version is not the newest that CHANGELOG dates."""
    if version() != tag.removeprefix("v"):
        sys.exit(f"the tag is {tag}, and a build of this commit has version {version()}: check that tag out")
    newest = "{}.{}.{}".format(*newest_release((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))
    if newest != version():
        sys.exit(f"the newest version that CHANGELOG.md dates is {newest}: add '## [{version()}] - YEAR-MONTH-DAY'")


def require_shown() -> None:
    """Refuse pages that lack a routing of the catalogue: those that come out of running all of them."""
    for page in ("gallery", "throughput"):
        shown = re.findall(r"\w+", (ROOT / "docs" / f"{page}.csv").read_text(encoding="utf-8"))
        if lacking := sorted(set(routings()) - set(shown)):
            sys.exit(f"docs/{page}.csv lacks {', '.join(lacking)}: see benchmarks/{page}.py")


def install(python: str, distribution: Path, place: Path) -> str:
    """Install a wheel or sdist with all extras into a fresh environment; return its interpreter."""
    run(python, "-m", "venv", place)
    inside = str(place / "bin" / "python")
    own = () if distribution.suffix == ".whl" else ("--no-binary", "unknot")
    run(inside, "-m", "pip", "install", *ONLY_WHEELS, *own, f"{distribution}[all]")
    return inside


def resolve(python: str, folder: Path) -> None:
    """Require that all dependencies have wheels for a version of Python that is not here."""
    extras = PROJECT["optional-dependencies"]
    texts = [*PROJECT["dependencies"], *(t for name in ("solving", "plotting", "data", "dask") for t in extras[name])]
    run(sys.executable, "-m", "pip", "download", *ONLY_WHEELS, "--python-version", python, "--dest", folder, *texts)


def main() -> int:
    if len(sys.argv) > 1:
        require_tagged(sys.argv[1])
    require_shown()
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch)
        run(Path(sys.executable).parent / "uv", "build", "--quiet", "--out-dir", here / "dist", ROOT)
        built = sorted((here / "dist").glob(f"unknot-{version()}[-.]*"))
        for wheel in (file for file in built if file.suffix == ".whl"):
            alone = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("share/unknot/plain.py")]
            wrong += len(alone) != 1
            print(f"{wheel.name} has the checker as one file: {alone}", flush=True)
        known = pythons()
        for python in VERSIONS:
            if python not in known:
                resolve(python, here / "wheels")
                print(f"Python {python} is not here; its dependencies resolve", flush=True)
                continue
            # Both hold the same code, so one trial of the sdist shows that it is whole.
            kinds = (".whl", ".gz") if python == min(known) else (".whl",)
            for distribution in (file for file in built if file.suffix in kinds):
                print(f"Python {python}, {distribution.name}", flush=True)
                place = here / f"{python}{distribution.suffix}"
                wrong += attempt(install(known[python], distribution, place))
                shutil.rmtree(place)
    print(f"{wrong} commands did not end as they should")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
