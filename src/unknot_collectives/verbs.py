"""The verb `unknot.collective`."""

from unknot.cli.verbs import verb
from unknot_collectives.commands.collective import collective as command

collective = verb("collective", command)
