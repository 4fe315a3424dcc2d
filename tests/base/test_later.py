"""Public names that are loaded when they are first asked for."""

import importlib

import pytest

import unknot.verify


@pytest.mark.parametrize("name", ["check", "loads", "update"])
def test_a_function_is_not_hidden_by_the_module_of_its_name(name: str) -> None:
    module = importlib.import_module(f"unknot.verify.{name}")
    setattr(unknot.verify, name, module)  # as the import system does
    assert getattr(unknot.verify, name) is getattr(module, name)
