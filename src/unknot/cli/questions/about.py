"""What a question is about, as it was named and as it is built."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.errors import UnknotError
from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.certificates.documents import Document

if TYPE_CHECKING:
    from unknot.network import Network
    from unknot.routing.relation import Relation


@dataclass
class About:
    """Network, routing, technique and flows of a question.

    Attributes
    ----------
    text, routing : str or None
        The network, or a folder; the routing. Without a routing, claims are about nobody's.
    switching : str
        A technique, or a flow control of the routing.
    parts : list of dict
        Questions about parts of the document.
    tables : Relation or None
        The routing of a folder.
    open, fails : list of str
        What files of a folder leave open, and what fails there, beside all that evidence can show.
    """

    text: str | None = None
    routing: str | None = None
    vcs: int | None = None
    switching: str = DEFAULT_SWITCHING
    flows: Path | None = None
    parts: list[Document] = field(default_factory=list)
    tables: Relation | None = None
    open: list[str] = field(default_factory=list)
    fails: list[str] = field(default_factory=list)

    @property
    def place(self) -> str:
        """The text of the network."""
        if self.text is None:
            raise UnknotError("accept: this question is about a network; name it with --network")
        return self.text

    @property
    def technique(self) -> Switching:
        """The technique, for claims that have no form for a flow control of a routing."""
        from unknot.cli.commands.flows import technique_alone

        return technique_alone(self.switching, "--claim")

    @cached_property
    def relation(self) -> Relation:
        """The routing that is named, or that a folder has."""
        from unknot.cli.commands.shared import relation_of

        if self.tables is not None:
            return self.tables
        if self.routing is None:
            raise UnknotError("accept: this question is about a routing; name it with --routing")
        return relation_of(self.place, self.routing, self.vcs, flows=self.flows)

    @cached_property
    def network(self) -> Network:
        """The network."""
        from unknot.fabrics.named import network

        return network(self.place, where="--network") if self.routing is None else self.relation.network

    @cached_property
    def matrix(self) -> Any:
        """The flows between terminals; None: each sends 1 to each other."""
        from unknot.lane_assignment.flows import read_flows

        return None if self.flows is None else read_flows(self.flows, self.network)


def claim(subject: str, **keys: object) -> Document:
    """A claim without its proof; what is None is left open."""
    return {"subject": subject, **{key: entry for key, entry in keys.items() if entry is not None}}
