"""Manifests in files: where each format has room for one, and how it is found again."""

from __future__ import annotations

import json
import re
from typing import Any

from unknot._base.manifest import Manifest

MARK = '{"format": "unknot-manifest"'
"""How a manifest begins."""
MOST = 1 << 20
"""Bytes of a manifest that are read."""
SIDE = ".manifest.json"
"""What is added to the name of a table for the name of the file with its manifest, since CSV has no comments."""
_BEFORE = {
    ".svg": ("<metadata>{}</metadata>\n", "</svg>"),
    ".html": ("<details class='note'><summary>Manifest</summary><pre>{}</pre></details>\n", "</body>"),
}
"""By ending: the manifest, and what it stands before."""
_COMMENT = {".v": "// {}\n", ".dot": "// {}\n", ".cnf": "c {}\n"} | dict.fromkeys((".py", ".toml"), "# {}\n")
"""By ending: the first line."""


def line(manifest: Manifest, also: str = "") -> str:
    """A manifest as one line of ASCII that is JSON, with no quote in a string, none of ``<>&`` and none of `also`."""
    text = json.dumps(vars(manifest))
    text = re.sub(r"\\(.)", lambda match: "\\u0022" if match[1] == '"' else match[0], text)
    return re.sub(f"[<>&{re.escape(also)}]", lambda match: f"\\u{ord(match[0]):04x}", text)


def stamped(text: str, ending: str, manifest: Manifest) -> str:
    """A text with its manifest, where files with this ending have room for one."""
    words = line(manifest)
    if ending == ".json":
        return f'{text.rstrip()[:-1].rstrip()},\n"manifest": {words}\n}}\n'
    if ending in _BEFORE:
        form, end = _BEFORE[ending]
        head, found, tail = text.rpartition(end)
        return f"{head}{form.format(words)}{found}{tail}" if found else text
    if ending == ".md":
        return f"{text}\n<!-- {words} -->\n"
    if text.startswith("(*"):
        return f"(* {words} *)\n{text}"
    return _COMMENT[ending].format(words) + text if ending in _COMMENT else text


def manifest_in(content: bytes) -> Any:
    """The manifest in the bytes of a file, as JSON that was read but not checked; None if there is none."""
    if content[:1] == b"{":
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            return None
        return document if content.startswith(MARK.encode()) else document.get("manifest")
    at = content.rfind(MARK.encode())
    words = content[at : at + MOST].decode("ascii", "replace") if at >= 0 else ""
    if content[:4] == b"%PDF":
        words = words.replace("\\\\", "\\")
    try:
        return json.JSONDecoder().raw_decode(words)[0]
    except (ValueError, RecursionError):
        return None
