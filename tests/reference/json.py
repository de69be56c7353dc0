"""Oracle of the values of JSON documents: a recursive descent by the grammar of RFC 8259, and paths on its tree."""

import json
import re
from dataclasses import dataclass
from typing import Any

MISSING, NULL, FALSE, TRUE, INTEGER, NUMBER, STRING, ARRAY, OBJECT = range(9)
_SPACE = re.compile(rb"[ \t\n\r]*")
_STRING = re.compile(rb'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS = {b"null": NULL, b"false": FALSE, b"true": TRUE}
_STEP = re.compile(r"""\.([\w-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\[('(?:[^'\\]|\\.)*')\]""")


class NotJson(Exception):
    pass


@dataclass
class Value:
    begin: int
    end: int
    kind: int
    children: Any = None  # a dict or a list of values


def text_of(quoted: bytes) -> str:
    """The text of a string in quotes. Half of a surrogate pair is U+FFFD."""
    text: str = json.loads(quoted)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Parser:
    def __init__(self, document: bytes) -> None:
        self.document, self.at = document, 0
        try:
            document.decode()
        except UnicodeDecodeError:
            raise NotJson from None

    def match(self, pattern: "re.Pattern[bytes]") -> "re.Match[bytes]":
        found = pattern.match(self.document, self.at)
        if not found:
            raise NotJson
        self.at = found.end()
        return found

    def take(self, byte: bytes) -> bool:
        self.match(_SPACE)
        found = self.document.startswith(byte, self.at)
        self.at += found
        return found

    def expect(self, byte: bytes) -> None:
        if not self.take(byte):
            raise NotJson

    def whole(self) -> Value:
        value = self.value()
        self.match(_SPACE)
        if self.at < len(self.document):
            raise NotJson
        return value

    def value(self) -> Value:
        self.match(_SPACE)
        begin = self.at
        kind, children = self.content(self.document[begin : begin + 1])
        return Value(begin, self.at, kind, children)

    def content(self, first: bytes) -> tuple[int, Any]:
        if first == b'"':
            self.match(_STRING)
            return STRING, None
        if first == b"{":
            return OBJECT, self.members()
        if first == b"[":
            return ARRAY, self.items()
        for word, kind in _WORDS.items():
            if self.document.startswith(word, self.at):
                self.at += len(word)
                return kind, None
        number = self.match(_NUMBER)
        is_integer = number[1] is None and number[2] is None and -(2**63) <= int(number[0]) < 2**63
        return INTEGER if is_integer else NUMBER, None

    def members(self) -> dict[str, Value]:
        self.expect(b"{")
        found: dict[str, Value] = {}
        if self.take(b"}"):
            return found
        while True:
            self.match(_SPACE)
            key = text_of(self.match(_STRING)[0])
            self.expect(b":")
            found[key] = self.value()
            if self.take(b"}"):
                return found
            self.expect(b",")

    def items(self) -> list[Value]:
        self.expect(b"[")
        found: list[Value] = []
        if self.take(b"]"):
            return found
        while True:
            found.append(self.value())
            if self.take(b"]"):
                return found
            self.expect(b",")


def steps(path: str) -> list[str | int]:
    found: list[str | int] = []
    for key, index, double, single in _STEP.findall(path):
        if single:
            # In double quotes: \' and " are escaped the other way round.
            double = '"' + re.sub(r"\\'", "'", re.sub(r'(?<!\\)"', r"\"", single[1:-1])) + '"'
        found.append(key or (int(index) if index else text_of(double.encode())))
    return found


def at_path(value: Value, path: str) -> Value:
    for step in steps(path):
        try:
            value = value.children[step]
        except (KeyError, IndexError, TypeError):
            return Value(0, 0, MISSING)
    return value


def json_spans_ref(strings: Any, paths: list[str], errors: str = "raise", op: str = "") -> tuple[list[Any], list[Any]]:
    """The spans and the kinds of the values of all paths."""

    def found(document: bytes, path: str) -> Value:
        try:
            return at_path(Parser(document).whole(), path)
        except NotJson:
            assert errors == "missing"
            return Value(0, 0, MISSING)

    def walk(level: Any, path: str, result: Any) -> Any:
        return [walk(s, path, result) for s in level] if isinstance(level, list) else result(found(level, path))

    return (
        [walk(strings, path, lambda v: [v.begin, v.end]) for path in paths],
        [walk(strings, path, lambda v: v.kind) for path in paths],
    )


def json_unquote_ref(text: bytes) -> bytes:
    return text_of(text).encode() if _STRING.fullmatch(text) else text
