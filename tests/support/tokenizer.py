"""Patterns and texts for the tests of the Tokenizer, used with hypothesis and in the comparison with onnxruntime."""

from typing import Any

import torch_stringops as so

# A class, once or repeated: patterns that use masks, and similar ones that do not.
CLASSES = [
    "[a-z]+", "[a-zA-Z0-9_]+", r"\w+", r"\w", r"\W", r"\W+", r"\s+", r"\s", r"\S+", r"\d+", r"\D+", "[a-z]",
    "[A-Z]", "[ab]", "a+", " +", "[^a-z]", "[^a-z]+", r"[^\s]+", "[^,]+", "[^,]", r"[^\n]+", "[[:alpha:]]+",
    "[[:^alpha:]]", "[[:space:]]+", "[[:punct:]]", "[[:word:]]+", "[^[:punct:][:space:]]+", r"[\w.]+",
    r"[\d-z]", "[]a]+", "[^]a]+", "[a-]+", "[-a]+", r"[\]a]", r"[a\-c]+", r"[ \t\n]+", r"[,;.]",
    r"[\x00-\x20]+", r"[\x00]", "[é]", "[a-zé]+", "[\u0430-\u044f]+", "[日本]", r"[^\x00-\x7f]+",
    r"[\x{80}-\x{10ffff}]", r"\pL+", r"\p{L}", r"\pN+", r"\PL+", r"[\pL_]+", r"[^\pL]+", r"\p{Han}+",
    r"\p{^L}+", "(?i)[a-z]+", "(?i)[^k]+", r"(?i)\w+", "(?s).", "(?s).+", ".+", "(.)", "[a-z]+?",
    "[a-z]{1,}", "(?:[a-z]+)", "([a-z]+)", "[a-z]{1}", "(?U)[a-z]+", "(?s:.)", "[a]", "[^a]", r"[\s\S]",
    r"[^\s\S]", r"\x{65e5}+",
]  # fmt: skip

LITERALS = [
    " ", ",", "a", "b", "aa", "ab", "aba", "abab", "::", "--", "-", "é", "日", "日本", "foo", "foobar", "\n",
    "\0", r"\.", r"a\.b", r"\n", r"\t", r"\x20", r"\x{e9}", r"\101", r"\0", r"\Qa.b\E", r"\Q::", r"\-", "]",
    "{", "}", "a{", "a{,3}", "<", "(?:ab)", "(ab)", "(?P<n>ab)", "(?<n>ab)", "(?i)a", "(?i)ab", "(?i)k",
    "(?i)s", "(?i)É", "(?i:a)b", "a{1}", "a{2}", "\U0001f600", "abcdefghijklmnopqrstuvwxyz" * 3,
]  # fmt: skip

GENERAL = [
    "foo|foobar", "1|12", "a|ab|abc", "a|ab", "ab|a", "ab|bcd", "(a|ab)(c|bcd)", "(ab)+", "ab*", "a.b", "..",
    "é|日", "--|-", "-+|,+", r"\w+|[^\w\s]", r"\w+'\w+|\w+", r"\d+(\.\d+)?", r"[a-z]+[0-9]*", "[a-z]{2}",
    "[a-z]{2,3}", "[a-z]{2,}", "a??", r"\w+?", "(?U)a+", "a+b+", "(a+)(b+)?", r"\p{Lu}\p{Ll}*", r"\pL\pM*",
    r"\bfoo\b", r"\b\w", r"\w\b", r"\ba", "^a", "a$", r"\Aa", r"a\z", "^abc", "(?m)^.", "(?m).$", "(?m)^a",
    "(?m)a$", "^a|b$", "(^a)+", "(?s)a.b", "(?i)foo|BAR", "(?i-s).", "(?-i)a", "a|", "|a", "()a", "(|a)b",
    "(a*)+b", "(a|b)*ab", "[ab][^ab]", r"\s*,\s*", r" ?[^\s]+", r"\s+$", r"^\s+|\s+$", "(?:a|b|ab)+",
    "((a))", r"\b,|x", r"\b[^a]", r"\b\W+", r"a|\b ", "(?m)\\n^", "a(?i)b", "(a(?i)b)c", "(?:(?i)a)b",
    "[a-z]+:", r"[a-z]\w*:", "[^,]+,", r"\w+-", "aba|a|日本", "fo{1,2}|b?ab", "(?i)foo",
]  # fmt: skip

# Patterns with empty matches.
EMPTY = [
    "x*", "a*", "[a-z]*", r"\s*", "a?", "()", "(?:)", "a{0}", "^", "$", r"\b", r"\A", r"\z", "(?m)^",
    "(?m)$", "a|()", "()|a", "a*|b", "(a*)*", "(a|b*)*", r"\b|a", r"\b|\d", "$|a", "(?m)$|a", "^|b",
    "(?m)^|b", r"\z|a", r"\b$|b",
]  # fmt: skip

PATTERNS = CLASSES + LITERALS + GENERAL + EMPTY

PIECES = [
    "a", "b", "ab", "abc", "aba", "abcd", "foo", "foobar", "Foo", "FOO", "K", "k", "s", "S", "z", "_", "0",
    "1", "12", "3.14", " ", "  ", "\t", "\n", "\n\n", "\r", "\v", "\f", "\0", "\x02", "\x03", "\x1f", "\x7f",
    ",", ".", ";", "::", ":", "-", "--", "'", "{", "}", "]", "[", "a{", "é", "É", "e\u0301", "ß", "ẞ",
    "\u017f", "\u212a", "\u0085", "\u00a0", "\u2003", "\u3000", "\ufeff", "日", "本", "日本語", "абв", "Я",
    "ω", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0001f600", "\U0010ffff", "٣",
]  # fmt: skip

PADS = ["", "#", "<pad>", "日"]

CHARACTER_MODES = [{"separators": [""]}, {"tokenexp": "."}]

# Members of classes made by `bracket`.
MEMBERS = [
    "a-z", "A-Z", "0-9", "b-k", "_", " ", ",", "a", "k", "s", r"\s", r"\d", r"\w", r"\S", r"\D", r"\W",
    r"\n", r"\x00-\x1f", "é", "\u0430-\u044f", "日", r"\-", r"\]", "[:alpha:]", "[:^space:]", "[:punct:]",
    r"\pL", r"\PL", r"\x{80}-\x{10ffff}", ".", "+", "^",
]  # fmt: skip
NEGATIONS = ["", "", "^"]
QUANTIFIERS = ["", "+", "", "+", "*", "?", "{2}", "{1,3}", "+?", "{1,}"]
FLAGS = ["", "", "", "(?i)"]


def bracket(negation: str, members: list[str], quantifier: str, flag: str) -> str:
    members = sorted(members, key=lambda m: m == "^")  # "^" in front would negate the class
    if members[0] == "^":
        members = ["a", *members]
    return f"{flag}[{negation}{''.join(members)}]{quantifier}"


def attributes(mark: bool = False, mincharnum: int = 1, pad_value: str = "#", **patterns: Any) -> dict[str, Any]:
    return {"mark": mark, "mincharnum": mincharnum, "pad_value": pad_value} | patterns


def tokens(strings: Any, **how: Any) -> Any:
    return so.tokenizer(so.StringTensor.from_list(strings), **how).tolist()
