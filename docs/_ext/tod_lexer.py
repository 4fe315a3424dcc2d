"""Colours for TOD, the topology description language, from the words of its grammar."""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from unknot.network import families

WORDS = ("include", "for", "in", "if", "then", "else", "and", "or", "not", "true", "false")


class TodLexer(RegexLexer):
    """Names of families are built in; numbers, texts, operators and comments are as in Python."""

    name = "TOD"
    aliases = ("tod",)
    filenames = ("*.tod",)
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"#[^\n]*", Comment.Single),
            (r'"[^"\n]*"', String.Double),
            (words(sorted(families.__all__), prefix=r"\b", suffix=r"\b"), Name.Builtin),
            (words(WORDS, prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\d+(\.\d+)?", Number),
            (r"[A-Za-z_]\w*", Name),
            (r"\*\*|->|<->|==|!=|<=|>=|&&|\|\||\.\.|[-+*/%<>=|&^~@!?]", Operator),
            (r"[()\[\]{},;:.]", Punctuation),
            (r"\s+", Text.Whitespace),
            (r".", Text),
        ]
    }


def setup(app: Any) -> dict[str, bool]:
    """Register the lexer."""
    app.add_lexer("tod", TodLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
