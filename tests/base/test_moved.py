"""Old import paths lead to the new places, with a warning; pickles that name them can be read."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from importlib import import_module

import pytest

from unknot._base import moved


@pytest.mark.parametrize("old", [*moved.MODULES, "unknot.itm.recognise", "unknot.multistage.looping"])
def test_modules(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    new = import_module(str(moved.new_place(old)))
    monkeypatch.delitem(sys.modules, old, raising=False)
    with warnings.catch_warnings(record=True) as told:  # its packages may warn first, for what they are themselves
        warnings.simplefilter("always")
        served = import_module(old)
    assert str(told[-1].message) == f"{old} is now {new.__name__}"
    assert told[-1].filename.endswith("importlib/__init__.py")
    own = [name for name, value in vars(new).items() if getattr(value, "__module__", "") == new.__name__]
    own = [name for name in own if not name.startswith("__")]
    assert all(getattr(served, name) is getattr(new, name) for name in own)


@pytest.mark.parametrize(("package", "name"), [(p, n) for p, names in moved.NAMES.items() for n in names])
def test_names(package: str, name: str) -> None:
    new = moved.NAMES[package][name]
    vars(import_module(package)).pop(name, None)  # the old module of this name, where a test has imported it
    with pytest.warns(DeprecationWarning, match=f"^{package}.{name} is now {new}.{name}$") as told:
        exec(f"from {package} import {name}", {})
    assert told[-1].filename == "<string>"
    with pytest.warns(DeprecationWarning, match="is now"):
        assert getattr(import_module(package), name) is getattr(import_module(new), name)


OLD = """
import warnings
warnings.simplefilter("ignore")
import unknot
from unknot.verify import bnr, conclude, check, deliver
from unknot.topologies.itm import itm as grown
from unknot.topologies import itm, mesh, rcbn
from unknot.itm import *
from unknot.multistage import permute
from unknot.routing import lcfaa
relation = lcfaa(mesh(3, 3))
print(conclude(check(relation, "vct"), deliver(relation), bnr(relation)).holds, itm(5) == grown(5))
print(unknot.itm.recognise(itm(9)).reason == "", recognise(itm(9)).reason == "", permute(rcbn(8), range(8)).realised)
"""


def test_a_program_of_the_last_release_still_runs() -> None:
    done = subprocess.run([sys.executable, "-c", OLD], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.split() == ["True"] * 5


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pickles_of_old_places() -> None:
    from unknot_papers.itm import Recognised

    old = pickle.dumps(Recognised(None, "why"), protocol=0).replace(b"unknot_papers.itm", b"unknot.itm")
    assert b"cunknot.itm.recognise" in old or b"unknot.itm.recognise" in old
    assert type(pickle.loads(old)) is Recognised


@pytest.mark.filterwarnings("ignore:unknot.topologies is now:DeprecationWarning")
def test_what_never_was_is_not_found() -> None:
    for name in ("unknot.nothing", "unknot.network.nothing"):
        with pytest.raises(ModuleNotFoundError):
            import_module(name)
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        exec("from unknot.topologies import nothing", {})
