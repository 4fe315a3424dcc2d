"""Wheels: an example of a package that extends Unknot."""
