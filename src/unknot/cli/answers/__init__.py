"""JSON in and out: pydantic models, their schemas, and counterexample files.

One description for each noun: its dataclass, whose fields a model takes over
(`unknot.cli.answers.form`). Nothing here is imported before JSON is asked for.
"""
