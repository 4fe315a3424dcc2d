"""The directive `console`: commands that are run when the site is built, with what they print.

A page has one folder, in which `examples` leads to the examples of the repository; its commands run in order. A line
ends with ``# exit code N`` where N is not 0; any other exit code is a warning, which fails the build. What they
print is kept under `_build/.sessions`, by the commands up to there and the sources of Unknot. Where nothing is
executed, a page shows what is kept, or the commands alone.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"^(.*?)\s*# exit code (\d+)$")


@cache
def digest_of_sources() -> str:
    """Return a digest of everything under `src` and `examples` that a command may read."""
    digest = hashlib.sha256()
    for folder in ("src", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(path.read_bytes())
    return digest.hexdigest()


def run(lines: list[str], folder: str) -> str:
    """Return what the commands print, and raise `ValueError` where one ends with another exit code."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "COLUMNS": "100",
        "UNKNOT_QUIET": "1",
    }
    printed = ""
    for line in lines:
        match = CODE.match(line)
        command, code = (match[1], int(match[2])) if match else (line, 0)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if done.returncode != code:
            raise ValueError(f"exit code {done.returncode} of {command}\n{done.stdout}{done.stderr}")
        printed += done.stdout
    return "\n".join(line.rstrip() for line in printed.splitlines() if line.strip())


class Console(SphinxDirective):
    """Commands, one a line behind ``$``; options say which lines of what they print are shown."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "first": directives.positive_int,  # so many lines
        "from": directives.unchanged,  # from the line that has this text
        "silent": directives.flag,  # print nothing
    }

    def run(self) -> list[nodes.Node]:
        """Return the commands and what they print as two literal blocks."""
        shown = "\n".join(self.content)
        lines = [line[2:] for line in self.content if line.startswith("$ ")]
        blocks = [nodes.literal_block(shown, shown, language="console")]
        printed = self.printed(lines)
        if printed and "silent" not in self.options:
            kept = printed.splitlines()
            start = next((i for i, line in enumerate(kept) if self.options.get("from", "") in line), None)
            if start is None:
                self.state_machine.reporter.warning(f"no line has {self.options['from']!r}", line=self.lineno)
                start = 0
            kept = kept[start:]
            first = self.options.get("first", len(kept))
            text = "\n".join(kept[:first] + ["…"] * (len(kept) > first))
            blocks.append(nodes.literal_block(text, text, language="text"))
        return blocks

    def printed(self, lines: list[str]) -> str:
        """Return what the lines print, from what is kept where it is."""
        before = self.env.temp_data.setdefault("console", [])
        before.append(lines)
        key = hashlib.sha256(repr((before, digest_of_sources())).encode()).hexdigest()
        path = Path(self.env.app.srcdir) / "_build" / ".sessions" / key
        if path.exists():
            return path.read_text(encoding="utf-8")
        if not self.config.console_execute:
            return ""
        if "console_folder" not in self.env.temp_data:
            self.env.temp_data["console_folder"] = tempfile.TemporaryDirectory()
            self.env.temp_data["console_done"] = 0
            (Path(self.env.temp_data["console_folder"].name) / "examples").symlink_to(ROOT / "examples")
        try:
            for session in before[self.env.temp_data["console_done"] :]:
                printed = run(session, self.env.temp_data["console_folder"].name)
        except (ValueError, subprocess.TimeoutExpired) as error:
            self.state_machine.reporter.warning(str(error), line=self.lineno)
            return ""
        self.env.temp_data["console_done"] = len(before)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(printed, encoding="utf-8")
        return printed


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_config_value("console_execute", False, "env")
    app.add_directive("console", Console)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
