"""The checker as one file says of every document what the package says, and knows each subject."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.certificates.forgeries import forgeries
from tests.certificates.honest import KINDS, honest
from tests.certificates.specimens import MAKE, question_for, specimen
from tests.certificates.standalone import standalone
from unknot.certificates import plain
from unknot.certificates.joining import joined

OLDER = sorted((Path(__file__).parent / "older").glob("*.json"))
QUICK = [kind for kind in KINDS if kind not in ("changes and remedies", "removals")]


@cache
def alone() -> Any:
    """The joined file as a module, which finds nothing of Unknot in its own names."""
    spec = importlib.util.spec_from_file_location("joined", standalone())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def said(checker: Any, document: Any, question: Any = None) -> Any:
    """What a checker shows of a document, or how and why it refuses it."""
    try:
        return checker.answers(document, question)
    except checker.Rejected as error:
        return error.word, error.status, str(error)


def alike(document: Any, question: Any = None) -> Any:
    """What both say."""
    whole = said(plain, document, question)
    assert said(alone(), document, question) == whole
    return whole


def test_subjects_are_the_same() -> None:
    assert list(alone().CLAIMS) == list(plain.CLAIMS)
    assert len(plain.CLAIMS) == 23
    shown = {name: (one.about, one.check.__name__, one.answers) for name, one in plain.CLAIMS.items()}
    assert shown == {name: (one.about, one.check.__name__, one.answers) for name, one in alone().CLAIMS.items()}


@pytest.mark.parametrize("name", MAKE)
def test_specimens_and_what_is_missing_in_them(name: str) -> None:
    content = specimen(name)
    assert not isinstance(alike(content, question_for(content))[0], str)
    for number, claim in enumerate(content["claims"]):
        for part in (claim, claim["proof"]):
            for key in [*part]:
                entry = part.pop(key)
                alike(content)
                part[key] = [entry] if number % 2 else None
                alike(content)
                part[key] = entry


@pytest.mark.sampled(1 / 12)
@pytest.mark.parametrize("kind", QUICK)
def test_forgeries_of_each_kind(kind: str) -> None:
    for forgery in forgeries(kind, 12, 3, 1):
        assert alike(forgery.document, forgery.question)[0] == "REJECTED"


@pytest.mark.campaign
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind: str) -> None:
    for number in range(8):
        for variant in range(3):
            alike(json.loads(honest(kind, number, variant)))
    for forgery in forgeries(kind, 100, 3, 8):
        assert alike(forgery.document, forgery.question)[0] == "REJECTED"


def test_a_document_of_each_kind_by_python_alone(tmp_path: Path) -> None:
    """Isolated, without site packages: every subject is accepted, and a claim of another answer is not."""
    files, subjects = [], set[str]()
    for name in (*MAKE, *QUICK):
        content = specimen(name) if name in MAKE else json.loads(honest(name, 0, 0))
        subjects |= {claim["subject"] for claim in content["claims"]}
        if content["claims"] or "parts" in content:
            files.append(tmp_path / f"{name}.json")
            files[-1].write_text(json.dumps(content), encoding="utf-8")
    words = [sys.executable, "-I", "-S", str(standalone()), *map(str, [*files, *OLDER])]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    wrong = [line for line in done.stdout.splitlines() if ": accepted: " not in line]
    assert [line.partition(": ")[2][:40] for line in wrong] == ["REJECTED: this is no document of a known"]
    assert subjects == {*plain.CLAIMS}


def test_the_joined_file_is_whole() -> None:
    text = joined()
    assert text == joined()
    assert "unknot.certificates" not in text.split('"""', 2)[2]
    compile(text, "plain.py", "exec")
    assert max(map(len, text.splitlines())) <= 240
