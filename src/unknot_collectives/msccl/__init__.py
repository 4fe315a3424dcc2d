"""Programs of collective operations as MSCCL and RCCL run them: read, written, and followed step by step."""

from unknot._base.public import public as _public
from unknot_collectives.msccl.files import read_msccl as read_msccl
from unknot_collectives.msccl.files import write_msccl as write_msccl
from unknot_collectives.msccl.following import Place as Place
from unknot_collectives.msccl.following import Race as Race
from unknot_collectives.msccl.following import Wait as Wait
from unknot_collectives.msccl.making import program_of as program_of
from unknot_collectives.msccl.making import require_program as require_program
from unknot_collectives.msccl.program import Chunks as Chunks
from unknot_collectives.msccl.program import Program as Program
from unknot_collectives.msccl.program import Rank as Rank
from unknot_collectives.msccl.program import Step as Step
from unknot_collectives.msccl.program import ThreadBlock as ThreadBlock
from unknot_collectives.msccl.running import ProgramRun as ProgramRun
from unknot_collectives.msccl.running import run_program as run_program

__all__ = _public(globals())
