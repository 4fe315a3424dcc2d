"""A playground: networks and routings to build, break and mend on a page, each answer proved as by commands.

`explore` serves the page, shows the page in notebooks, or writes one file. It stands beside the core, plugged in by
entry points.
"""
