"""Verbs of papers: `unknot.bnr`, `unknot.itm` and `unknot.permute`."""

from unknot.cli.verbs import verb
from unknot_papers.commands.bnr import bnr as bnr_command
from unknot_papers.commands.itm import itm as itm_command
from unknot_papers.commands.permute import permute as permute_command

bnr = verb("bnr", bnr_command)
itm = verb("itm", itm_command)
permute = verb("permute", permute_command)
