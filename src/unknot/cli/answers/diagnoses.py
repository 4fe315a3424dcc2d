"""Forms of diagnoses of fabrics."""

from __future__ import annotations

from unknot.cli.answers.form import Form
from unknot.fabrics.diagnosis import EngineSafety, Finding
from unknot.network.recognised import Structure
from unknot.verify.fabric_loads import Capacity
from unknot.verify.fabric_routes import RoutedDiagnosis


class FindingForm(Form, of=Finding):
    """A fault of a fabric."""

    table = "fault words bisection load routed_load errors_per_hour"


class EngineForm(Form, of=EngineSafety):
    """A routing engine on a fabric."""


class StructureForm(Form, of=Structure, without="differences parts level group coordinates remarks"):
    """What a fabric was built as."""


class CapacityForm(Form, of=Capacity):
    """How much of their line rate hosts get on the forwarding tables."""

    table = "traffic highest_load share gbps busiest"


class DiagnosisForm(Form, of=RoutedDiagnosis, without="intended", also="counts"):
    """Recognised structure and faults of a fabric, the worst first."""

    table = "structure.words intended_by counts cables load capacity.* remarks findings engines"


class DiagnoseAnswer(DiagnosisForm, of=RoutedDiagnosis, without="intended", also="counts holds"):
    """JSON answer of `unknot diagnose`."""

    frame = "findings"
    table = "fabric holds structure.words intended_by counts cables load capacity.* remarks notes findings engines"

    notes: list[str]
    """What was found on reading the files."""
