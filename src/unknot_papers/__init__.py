"""Published papers.

Whatever serves one paper alone: a folder for each, with its algorithms, topologies, routings, commands and drawings.
Unknot finds them by entry points, as it finds the packages of others, and imports nothing from here.
"""
