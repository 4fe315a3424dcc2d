"""Parts shared by the checker: rejection, and the VCs that a blocked header may wait for."""

from __future__ import annotations

from unknot.errors import UnknotError
from unknot.routing.relation import Candidate


class Rejected(UnknotError):  # noqa: N818
    """Error: the evidence of a verdict does not hold; the text says where."""


class Unchecked(Rejected):
    """Error: there is no evidence, or too much of it to be checked again."""


def choices(found: list[Candidate], commits: bool) -> list[set[int | None]]:
    """Return the sets of VCs a blocked header may wait for: all at once, or, if it commits, each alone."""
    waited = {c.vc for c in found if c.waits or commits}
    return [{vc} for vc in waited] if commits else [waited][: len(waited)]
