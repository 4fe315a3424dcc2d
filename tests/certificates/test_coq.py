"""Files for Coq: their text always, and what Coq says of them where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.certificates import Rejected, coq_file, document, verdict_claim
from unknot.cli.program import app
from unknot.network.families import mesh, ring
from unknot.routing import Relation, dimension_order, duato
from unknot.verify import check

CASES = {
    "order": (dimension_order(ring(4), 2), "vct"),
    "escape": (duato(mesh(2, 3), 2), "saf"),
    "drain": (duato(mesh(2, 3), 2), "wormhole"),
}


def written(relation: Relation, switching: str, **changes: object) -> str:
    claim = verdict_claim(check(relation, switching))
    claim["proof"].update(changes)
    return coq_file(document(relation.network, relation, [claim]), claim)


@pytest.mark.parametrize("kind", CASES)
def test_the_file_names_what_it_proves(kind: str) -> None:
    relation, switching = CASES[kind]
    text = written(relation, switching)
    assert f"Lemma checked : {kind} the_design = true." in text
    assert text.count("Definition a") >= relation.num_addresses
    assert text.rstrip().endswith("Print Assumptions free_of_deadlock.")
    assert "Admitted" not in text
    assert "Axiom" not in text


@pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[] if kind == "drain" else [pytest.mark.campaign]) for kind in CASES]
)
def test_coq_proves_it_and_refuses_ranks_that_are_alike(kind: str, tmp_path: Path) -> None:
    relation, switching = CASES[kind]
    for changes, proved in (({}, True), ({"rank": [1] * relation.num_vcs}, False)):
        path = tmp_path / "one.v"
        path.write_text(written(relation, switching, **changes), encoding="utf-8")
        ran = subprocess.run(["coqc", path.name], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (ran.returncode == 0) == ("Closed under the global context" in ran.stdout) == proved, ran.stderr


def test_what_coq_is_not_given(tmp_path: Path) -> None:
    relation = dimension_order(ring(5), 1, dateline="none")
    claim = verdict_claim(check(relation))
    with pytest.raises(Rejected, match="order, escape, drain"):
        coq_file(document(relation.network, relation, [claim]), claim)
    out = tmp_path / "knot.v"
    words = ["check", "ring(5)", "--routing", "dimension_order(dateline='none')", "--evidence", str(out)]
    result = CliRunner().invoke(app, words)
    assert (result.exit_code, out.exists()) == (1, False)
    assert "knot.v was not written" in result.output
