"""Mutation testing: functions with a single fault, made by mutmut's operators, and the tests that ought to notice.

Run it by ``make mutants`` or ``python -m tests.mutation --help``.
"""
