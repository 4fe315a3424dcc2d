"""The published schemas: what every command prints as JSON, and the files it writes for itself.

Written anew with ``python -m unknot.cli.answers.schemas docs/schemas``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import Field

from unknot._base.extensions import Catalogue
from unknot.cli.answers.analyses import AnalyseAnswer, FaultsAnswer, TableFaultsAnswer, UpdateAnswer
from unknot.cli.answers.configuration_file import ConfigurationFile
from unknot.cli.answers.design import DesignAnswer, EverySizeAnswer
from unknot.cli.answers.ethernet import EthernetAuditAnswer, EthernetRepairAnswer, FaultQueuesAnswer
from unknot.cli.answers.form import Form, model
from unknot.cli.answers.lanes import (
    ChangingAnswer,
    LanesAnswer,
    LongerAnswer,
    RepairAnswer,
    RepairedFaultsAnswer,
)
from unknot.cli.answers.messages import (
    CollectiveAnswer,
    MulticastAnswer,
    ProgramAnswer,
    ProtocolAnswer,
    ProtocolReplayAnswer,
    ProtocolRunAnswer,
    ReplayAnswer,
    TraceAnswer,
)
from unknot.cli.answers.networks import ConvertAnswer, ExportAnswer, ManifestForm, RerunAnswer, ShowAnswer
from unknot.cli.answers.runs import SaturationAnswer, SeedsAnswer, SimulateAnswer
from unknot.cli.answers.studies import AuditAnswer, BookSimAnswer, CompareAnswer, CurveAnswer, RunAnswer
from unknot.cli.answers.verdicts import AcceptAnswer, CheckAnswer

_CORE: dict[str, type[Form]] = {
    "accept": AcceptAnswer,
    "analyse": AnalyseAnswer,
    "audit": AuditAnswer,
    "audit-ethernet": EthernetAuditAnswer,
    "repair-ethernet": EthernetRepairAnswer,
    "faults-queues": FaultQueuesAnswer,
    "check": CheckAnswer,
    "check-all-sizes": EverySizeAnswer,
    "check-protocol": ProtocolAnswer,
    "simulate-protocol": ProtocolRunAnswer,
    "simulate-protocol-replay": ProtocolReplayAnswer,
    "check-update": UpdateAnswer,
    "collective": CollectiveAnswer,
    "collective-program": ProgramAnswer,
    "compare": CompareAnswer,
    "configuration": ConfigurationFile,
    "convert": ConvertAnswer,
    "curve": CurveAnswer,
    "design": DesignAnswer,
    "export": ExportAnswer,
    "faults": FaultsAnswer,
    "faults-fabric": TableFaultsAnswer,
    "faults-repair": RepairedFaultsAnswer,
    "lanes": LanesAnswer,
    "lanes-changes": ChangingAnswer,
    "lanes-longer": LongerAnswer,
    "multicast": MulticastAnswer,
    "repair": RepairAnswer,
    "replay": ReplayAnswer,
    "rerun": RerunAnswer,
    "run": RunAnswer,
    "run-booksim": BookSimAnswer,
    "show": ShowAnswer,
    "simulate": SimulateAnswer,
    "simulate-saturation": SaturationAnswer,
    "simulate-seeds": SeedsAnswer,
    "trace": TraceAnswer,
}
FORMS = Catalogue("answers", _CORE, of=type)
"""Forms by name of the schema, those of extensions among them."""


def json_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas (draft 2020-12) by name, as docs/schemas has them."""
    words = "What the answer came from; older answers have none."
    more = {"manifest": (model(ManifestForm), Field(default=None, description=words))}
    models = {name: model(form, **({} if form is ConfigurationFile else more)) for name, form in FORMS.usable()}
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {name: {"$schema": draft, **made.model_json_schema(mode="serialization")} for name, made in models.items()}


if __name__ == "__main__":
    for _name, _schema in json_schemas().items():
        _text = json.dumps(_schema, indent=2, ensure_ascii=False) + "\n"
        Path(sys.argv[1], f"{_name}.json").write_text(_text, encoding="utf-8")
