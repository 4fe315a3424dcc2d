"""`unknot permute`."""

from __future__ import annotations

from functools import partial

from unknot.cli.commands.options import MINUTE, Json, NetworkText, TimeLimit
from unknot.cli.commands.shared import exit_code
from unknot.cli.commands.written import draw


def permute(
    network: NetworkText,
    permutation: str | None = None,
    random: int | None = None,
    dead: str | None = None,
    deadline: TimeLimit = MINUTE,
    json: Json = False,
) -> int:
    """Route a permutation through a multistage network with no two messages on one link, or prove this impossible.

    Exit code 0: the network realises the permutation; 1: the permutation is blocked; 3: the question is undecided.

    Parameters
    ----------
    permutation : argument [OUTPUTS]
        Output of each input, such as 3,0,1,2; - for an idle input.
    random : SEED
        Seed of a random permutation to route.
    dead : NAMES
        Dead switches and links, such as s2r5,s0r1-s1r3.
    out : svg|png|pdf
        pictures of the paths

    Examples
    --------
    >>> import unknot
    >>> unknot.permute("omega(8)", random=1).holds
    False
    """
    from unknot._base.calls import Piece
    from unknot._base.errors import UnknotError
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import put
    from unknot.fabrics.named import network as named
    from unknot_papers.multistage import Marks, accept, permute_with_faults
    from unknot_papers.multistage.answer import PermuteAnswer, permute_answer
    from unknot_papers.multistage.drawing import draw_realisation
    from unknot_papers.multistage.realisation import permutation as permutation_of
    from unknot_papers.multistage.realisation import random_permutation

    whole = named(network, where="NETWORK")
    if permutation is not None and random is not None:
        raise UnknotError("either the outputs are needed, such as 3,0,1,2, or --random, not both")
    if permutation is not None:
        destinations = permutation_of(whole, permutation)
    elif random is not None:
        destinations = random_permutation(whole, random)
    else:
        raise UnknotError("the output of each input is needed, such as 3,0,1,2, or --random with a seed")
    pieces = list(Piece(dead or "", "<dead>").split(r",\s"))
    for piece in pieces:
        piece.read(partial(Marks.of, whole, [piece.text]))
    marks = Marks.of(whole, [piece.text for piece in pieces])
    with activity.working("routing"):
        realisation = permute_with_faults(whole, destinations, marks, time_limit=deadline)
        accept(realisation)
    draw(lambda: draw_realisation(realisation))
    put(json, PermuteAnswer, permute_answer(realisation), max_rows=realisation.sources.size)
    return exit_code(realisation.realised)
