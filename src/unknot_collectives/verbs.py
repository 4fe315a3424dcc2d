"""Verbs of collective operations: `unknot.collective` and `unknot.multicast`."""

from unknot.cli.verbs import verb
from unknot_collectives.commands.collective import collective as collective_command
from unknot_collectives.commands.multicast import multicast as multicast_command

collective = verb("collective", collective_command)
multicast = verb("multicast", multicast_command)
