"""Run every benchmark of this folder: ``python -m benchmarks [NAME …]``."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main() -> None:
    names = sys.argv[1:] or sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name != "__main__")
    for name in names:
        print(f"== {name}", flush=True)
        sys.argv[1:] = []
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
