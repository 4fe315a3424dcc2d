"""The pages of the commands, from what `--help` prints, and the schemas of what they print as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from api_pages import _write
from unknot._base.extensions import heading
from unknot.cli.answers.schemas import FILES, FORMS, write_schemas
from unknot.cli.program import ALL, PANELS, SUBJECTS, command_named
from unknot_booksim.keys import KEYS_PAGE


def help_of(name: str) -> str:
    """Return what `unknot NAME --help` prints, 100 columns wide."""
    command = command_named(name)
    with typer.Context(command, info_name=f"unknot {name}", terminal_width=100, max_content_width=100) as context:
        return str(command.get_help(context))


def write_pages(app: Any) -> None:
    """Write a page for each command into `reference/commands`."""
    folder = Path(app.srcdir) / "reference" / "commands"
    folder.mkdir(parents=True, exist_ok=True)
    panels = {title: list(names) for title, names in PANELS.items()}
    for name, (point, *_) in ALL.extensions().items():
        panels.setdefault(heading(point), []).append(name)
    pages = {}
    index = "# Options of every command\n\nWhat `unknot COMMAND --help` prints.\n"
    for title, names in panels.items():
        index += f"\n## {title}\n\n```{{toctree}}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n"
        for name in names:
            asked = [f"{name} {subject}".strip() for subject in SUBJECTS.get(name, ("",))]
            helps = [f"# unknot {one}\n\n```text\n{help_of(one).strip()}\n```\n" for one in asked]
            entry = f"```{{index}} ! {name}\n```\n\n"  # whoever searches for a command's name finds its page
            pages[f"{name}.md"] = entry + "\n".join(helps)
    for name, text in {**pages, "index.md": index}.items():
        _write(folder / name, text)


def write_keys(app: Any) -> None:
    """Write the page of BookSim's keys, which the reader of its files has them from."""
    _write(Path(app.srcdir) / "reference" / "booksim-keys.md", KEYS_PAGE)


def write_forms(app: Any) -> None:
    """Write the schemas, and their list with the first line of each."""
    folder = Path(app.srcdir) / "schemas"
    write_schemas(folder)
    words = {name: form.__doc__ for name, form in FORMS.usable()} | dict.fromkeys(FILES, "Study file.")
    lines = (f"- [{name}](schemas/{name}.json): {text.splitlines()[0]}\n" for name, text in sorted(words.items()))
    _write(folder / "list.md", "".join(lines))


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before any is read."""
    app.connect("builder-inited", write_pages)
    app.connect("builder-inited", write_keys)
    app.connect("builder-inited", write_forms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
