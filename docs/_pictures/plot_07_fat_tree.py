"""A fat tree
==========

Three levels; terminals are at the leaves.
"""

from unknot.report import draw_network

picture = draw_network("fat_tree(3, 3)")
