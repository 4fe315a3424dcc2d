"""Expressions and statements of SLICC, the language of gem5's coherence protocols.

They are tuples whose first part is their kind.
"""

from __future__ import annotations

import re
from typing import Any

from unknot._base.errors import Source, TextError

Tree = tuple[Any, ...]
_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?)|(?P<name>[A-Za-z_]\w*(?:::\w+)*)
    |(?P<mark>:=|==|!=|<=|>=|&&|\|\||<<|>>|->|[^\s])""",
    re.VERBOSE | re.DOTALL,
)
LEVELS = (("||",), ("&&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
"""Operators from the loosest to the tightest."""
DEEPEST = 60


class TreeReader:
    """Reads expressions and statements."""

    def __init__(self, text: str, where: str) -> None:
        self.source = Source(text, where)
        self.tokens = [
            (str(m.lastgroup), m.group(), m.start()) for m in _TOKEN.finditer(text) if m.lastgroup != "space"
        ]
        self.at, self.depth = 0, 0

    def error(self, message: str) -> TextError:
        place = self.tokens[min(self.at, len(self.tokens) - 1)][2] if self.tokens else 0
        return self.source.error(message, place)

    @property
    def word(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def peeked(self) -> str:
        return self.tokens[self.at + 1][1] if self.at + 1 < len(self.tokens) else ""

    def take(self, word: str = "") -> str:
        if not self.word or (word and self.word != word):
            found = repr(self.word) if self.word else "the end of the file"
            raise self.error(f"expected {repr(word) if word else 'more'} in a SLICC file, found {found}")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def taken(self, word: str) -> bool:
        if self.word != word:
            return False
        self.at += 1
        return True

    def skip(self, opening: str, closing: str) -> None:
        """Pass over a pair of brackets."""
        depth = 0
        while True:
            word = self.take()
            depth += (word == opening) - (word == closing)
            if not depth:
                return

    def block(self) -> list[Tree]:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"blocks more than {DEEPEST} deep")
        self.take("{")
        statements = []
        while not self.taken("}"):
            statements.append(self.statement())
        self.depth -= 1
        return statements

    def statement(self) -> Tree:
        """Read a statement."""
        if self.word == "if" and self.peeked() == "(":
            return self.condition()
        if self.word in ("peek", "enqueue") and self.peeked() == "(":
            what = self.take()
            self.take("(")
            port = self.take()
            self.take(",")
            kind = self.take()
            while self.taken(","):
                if self.peeked() == "=":
                    self.take()
                    self.take("=")
                self.expression()
            self.take(")")
            return (what, port, kind, self.block())
        if self.taken("return"):
            value = None if self.word == ";" else self.expression()
            self.take(";")
            return ("return", value)
        if self.kind == "name" and self.tokens[self.at + (2 if self.peeked() == "*" else 1)][0] == "name":
            kind = self.take()
            self.taken("*")
            name = self.take()
            first = self.expression() if self.taken(":=") else None
            self.take(";")
            return ("let", kind, name, first)
        target = self.expression()
        if self.taken(":=") or self.taken("="):
            value = self.expression()
            self.take(";")
            return ("set", target, value)
        self.take(";")
        return ("do", target)

    def condition(self) -> Tree:
        self.take("if")
        self.take("(")
        test = self.expression()
        self.take(")")
        then = self.block()
        other: list[Tree] = []
        if self.taken("else"):
            other = [self.condition()] if self.word == "if" else self.block()
        return ("if", test, then, other)

    def expression(self, level: int = 0) -> Tree:
        """Read an expression."""
        if level == len(LEVELS):
            return self.unary()
        left = self.expression(level + 1)
        while self.word in LEVELS[level]:
            op = self.take()
            left = ("op", op, left, self.expression(level + 1))
        return left

    def unary(self) -> Tree:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"brackets more than {DEEPEST} deep")
        if self.taken("!"):
            tree: Tree = ("not", self.unary())
        elif self.taken("-"):
            tree = ("op", "-", ("number", 0), self.unary())
        else:
            tree = self.primary()
        self.depth -= 1
        return tree

    def primary(self) -> Tree:
        kind, word = self.kind, self.take()
        if word == "(":
            tree = self.expression()
            self.take(")")
        elif word in ("new", "static_cast") and kind == "name":
            tree = ("opaque", word)
            if word == "new":
                self.take()
            else:
                self.take("(")
                self.take()
                self.take(",")
                self.take()
                self.take(",")
                tree = self.expression()
                self.take(")")
        elif kind == "number":
            tree = ("number", int(word, 0)) if "." not in word else ("opaque", word)
        elif kind == "text":
            tree = ("text", word.strip("\"'"))
        elif word in ("true", "false"):
            tree = ("number", int(word == "true"))
        elif self.word == ":" and self.tokens[self.at + 1][0] == "name":
            self.take()
            tree = ("enum", word, self.take())
        else:
            tree = ("name", word)
        return self.behind(tree)

    def behind(self, tree: Tree) -> Tree:
        """Members, calls and indices behind an expression."""
        while self.word in (".", "->", "(", "["):
            mark = self.take()
            if mark in (".", "->"):
                tree = ("get", tree, self.take())
                continue
            closing = ")" if mark == "(" else "]"
            arguments = []
            while not self.taken(closing):
                arguments.append(self.expression())
                self.taken(",")
            tree = ("call" if mark == "(" else "index", tree, arguments)
        return tree
