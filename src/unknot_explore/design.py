"""A design of the playground: texts and numbers that a page may send, and the network and routing they make."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from unknot._base.errors import NetworkError, UnknotError

if TYPE_CHECKING:
    from unknot.network import Network
    from unknot.routing.relation import Relation

LINK = "--"
Text = Annotated[str, Field(max_length=2_000)]
Names = Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=256)]


class Design(BaseModel):
    """A network with its failures, a routing without some turns, and what runs have besides.

    Attributes
    ----------
    network, routing : str
        As commands take them.
    vcs : int or None
        VCs per channel; None: as the routing takes by itself.
    switching : str
        Technique or flow control.
    buffer_depth : int
        Flits per VC.
    traffic : str
        Pattern of runs.
    load : float
        Flits per terminal and cycle of runs.
    packet_length : int
        Flits of a packet in runs.
    dead : tuple of str
        Links ``a--b`` and routers that have failed, by names of routers.
    turns : tuple of str
        Turns ``a->b->c`` that packets take no more.

    Examples
    --------
    >>> design = Design(network="ring(4)", routing="fully_adaptive", turns=("0->1->2",))
    >>> print(design.command("check"))
    unknot check 'ring(4)' --routing 'forbidding(inside="fully_adaptive", turns=["0->1->2"])'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    network: Text = "mesh(4, 4)"
    routing: Text = "dimension_order"
    vcs: int | None = Field(None, ge=1, le=64)
    switching: Text = "vct"
    buffer_depth: int = Field(8, ge=1, le=4096)
    traffic: Text = "uniform"
    load: float = Field(0.1, ge=0, le=1)
    packet_length: int = Field(1, ge=1, le=1024)
    dead: Names = ()
    turns: Names = ()

    @classmethod
    def of(cls, given: Any) -> Design:
        """The design in a message of a page; UnknotError names the part that is wrong."""
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            raise UnknotError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None

    @property
    def routing_text(self) -> str:
        """The routing without its forbidden turns, as --routing takes it."""
        if not self.turns:
            return self.routing
        return f"forbidding(inside={json.dumps(self.routing)}, turns={json.dumps([*self.turns])})"

    def whole(self) -> Network:
        """The network before anything failed."""
        from unknot.fabrics.named import network

        return network(self.network)

    def network_text(self, whole: Network) -> str:
        """The network without what failed, in the topology language, where a router without links is none."""
        links = [name.split(LINK) for name in self.dead if LINK in name]
        gone = sorted({whole.router(name) for name in self.dead if LINK not in name})
        ends = {(whole.router(a), whole.router(b)) for a, b in links}
        for router in gone:
            ends |= {(router, int(b)) for b in whole.target[whole.source == router]}
            ends |= {(int(a), router) for a in whole.source[whole.target == router]}
        pairs = sorted({(min(pair), max(pair)) for pair in ends})
        text = self.network
        if pairs:
            listed = ", ".join(f"{_place(whole, a)} -- {_place(whole, b)}" for a, b in pairs)
            text = f"({text}) - {{{listed}}}"
        return text

    def built(self) -> Network:
        """The network that is left."""
        from unknot.fabrics.named import network

        whole = self.whole()
        return network(self.network_text(whole)) if self.dead else whole

    def relation(self) -> Relation:
        """The routing on the network that is left."""
        from unknot.routing.named import routing

        return routing(self.built(), self.routing_text, self.vcs)

    def command(self, verb: str, network: str = "") -> str:
        """The command line that asks the same."""
        words = ["unknot", verb, network or self.network]
        if verb != "show":
            words += ["--routing", self.routing_text]
            words += [] if self.vcs is None else ["--vcs", str(self.vcs)]
            words += [] if self.switching == "vct" else ["--switching", self.switching]
            words += [] if self.buffer_depth == 8 else ["--buffer-depth", str(self.buffer_depth)]
        if verb in ("simulate", "curve"):
            words += ["--load", f"{self.load:g}"] if verb == "simulate" else []
            words += [] if self.traffic == "uniform" else ["--traffic", self.traffic]
            words += [] if self.packet_length == 1 else ["--packet-length", str(self.packet_length)]
        return shlex.join(words)

    def python(self, verb: str, network: str = "") -> str:
        """The line of Python that asks the same."""
        more: dict[str, Any] = {} if verb == "show" else {"routing": self.routing_text}
        for name, default in (("vcs", None), ("switching", "vct"), ("buffer_depth", 8)):
            if verb != "show" and getattr(self, name) != default:
                more[name] = getattr(self, name)
        if verb == "simulate":
            more |= {"load": self.load}
        if verb in ("simulate", "curve") and self.traffic != "uniform":
            more |= {"traffic": self.traffic}
        options = "".join(f", {name}={value!r}" for name, value in more.items())
        return f"unknot.{verb}({network or self.network!r}{options})"


def _place(network: Network, router: int) -> str:
    """A router as the topology language names it."""
    if network.router_labels is not None:
        label = network.router_labels[router]
        if '"' in label:
            raise NetworkError(f"router {label!r} cannot be written in the topology language")
        return f'"{label}"'
    if network.coordinates is not None:
        at = network.coordinates[router].tolist()
        return f"({', '.join(map(str, at))})" if len(at) > 1 else str(at[0])
    return str(router)
