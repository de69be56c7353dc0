"""A simple implementation of RE2's dialect with leftmost-longest matches, which computes all possible ends of a match.

A matcher is a function from a text (code points) and a position to the set of ends. There is no backtracking, no
automaton, and no error handling: the tests list patterns that RE2 rejects.
"""

import unicodedata
from collections.abc import Callable
from functools import lru_cache

Matcher = Callable[[str, int], set[int]]
Test = Callable[[str], bool]

LOWER, UPPER, DIGITS = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
PUNCTUATION = "".join(c for c in map(chr, range(0x21, 0x7F)) if not c.isalnum())

# "\d \w \s \b and [[:posix:]] classes are ASCII only", "\s = [\t\n\f\r ] (no \v); [[:space:]] includes \v".
PERL = {"d": DIGITS, "w": LOWER + UPPER + DIGITS + "_", "s": "\t\n\f\r "}
POSIX = {
    "alpha": LOWER + UPPER, "alnum": LOWER + UPPER + DIGITS, "lower": LOWER, "upper": UPPER, "digit": DIGITS,
    "xdigit": DIGITS + "abcdefABCDEF", "word": PERL["w"], "space": "\t\n\v\f\r ", "blank": "\t ",
    "punct": PUNCTUATION, "cntrl": "".join(map(chr, [*range(0x20), 0x7F])),
    "graph": LOWER + UPPER + DIGITS + PUNCTUATION, "print": LOWER + UPPER + DIGITS + PUNCTUATION + " ",
    "ascii": "".join(map(chr, range(0x80))),
}  # fmt: skip
CONTROLS = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
SCRIPTS = {
    "Han": "CJK UNIFIED", "Greek": "GREEK", "Cyrillic": "CYRILLIC", "Latin": "LATIN", "Hiragana": "HIRAGANA",
}  # fmt: skip


def fold(c: str) -> str:
    """Simple case folding: one code point to one code point."""
    return next((f for f in (c.casefold(), c.lower()) if len(f) == 1), c)


@lru_cache(maxsize=1)
def orbits() -> dict[str, str]:
    found: dict[str, str] = {}
    for c in map(chr, range(0x110000)):
        found[fold(c)] = found.get(fold(c), "") + c
    return found


def one(test: Test) -> Matcher:
    return lambda text, i: {i + 1} if i < len(text) and test(text[i]) else set()


def assertion(holds: Callable[[str, int], bool]) -> Matcher:
    return lambda text, i: {i} if holds(text, i) else set()


def sequence(parts: list[Matcher]) -> Matcher:
    def match(text: str, i: int) -> set[int]:
        ends = {i}
        for part in parts:
            ends = {e for begin in ends for e in part(text, begin)}
        return ends

    return match


def either(parts: list[Matcher]) -> Matcher:
    return parts[0] if len(parts) == 1 else lambda text, i: {e for part in parts for e in part(text, i)}


def repeat(part: Matcher, min_count: int, max_count: int | None) -> Matcher:
    def match(text: str, i: int) -> set[int]:
        last = {i}
        for _ in range(min_count):
            last = {e for begin in last for e in part(text, begin)}
        ends, count = set(last), min_count
        while last and (max_count is None or count < max_count):
            last = {e for begin in last for e in part(text, begin)} - ends
            ends |= last
            count += 1
        return ends

    return match


def is_word(text: str, i: int) -> bool:
    return 0 <= i < len(text) and text[i] in PERL["w"]


def at_boundary(text: str, i: int) -> bool:
    return is_word(text, i - 1) != is_word(text, i)


class Equals:
    """A test for one character, which ranges read."""

    def __init__(self, c: str) -> None:
        self.c = c

    def __call__(self, c: str) -> bool:
        return c == self.c


class Negated:
    """All characters except those of a test. Case folding applies to the test."""

    def __init__(self, test: Test) -> None:
        self.test = test

    def __call__(self, c: str) -> bool:
        return not self.test(c)


class Parser:
    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0

    def take(self, *texts: str) -> str:
        for text in texts:
            if self.pattern.startswith(text, self.at):
                self.at += len(text)
                return text
        return ""

    def until(self, end: str) -> str:
        """Consumes the pattern through `end`, or to its end; returns the text before `end`."""
        text = self.pattern[self.at :].split(end, 1)[0]
        self.at += len(text) + len(end)
        return text

    def more(self) -> bool:
        return self.at < len(self.pattern)

    def next(self) -> str:
        self.at += 1
        return self.pattern[self.at - 1]

    def alternatives(self, flags: set[str]) -> Matcher:
        """Parses up to the end of the group, which the caller consumes. Flags set inside apply to that end."""
        branches: list[list[Matcher]] = [[]]
        while self.more() and self.pattern[self.at] != ")":
            if self.take("|"):
                branches.append([])
            else:
                branches[-1] += self.repeated(flags)
        return either([sequence(branch) for branch in branches])

    def repeated(self, flags: set[str]) -> list[Matcher]:
        parts = self.atom(flags)
        if not parts:
            return []
        min_count, max_count = self.counts()
        if (min_count, max_count) != (1, 1):
            self.take("?")  # "lazy quantifiers are irrelevant"
            parts = [*parts[:-1], repeat(parts[-1], min_count, max_count)]
        return parts

    def counts(self) -> tuple[int, int | None]:
        if sign := self.take("*", "+", "?"):
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        before = self.at
        if self.take("{"):
            closed = "}" in self.pattern[self.at :]
            low, comma, high = self.until("}").partition(",")
            if closed and low.isdigit() and (not high or high.isdigit()):
                return int(low), int(high) if high else None if comma else int(low)
            self.at = before  # "a stray ... "{", "a{", "a{,3}" as literal text"
        return 1, 1

    def atom(self, flags: set[str]) -> list[Matcher]:
        if self.take("(?"):
            if self.take("P<", "<"):
                self.until(">")
            else:
                on, colon = self.set_flags(flags)
                if not colon:
                    flags.clear()
                    flags |= on
                    return []
                return [self.group(on)]
            return [self.group(set(flags))]
        if self.take("("):
            return [self.group(set(flags))]
        if self.take("["):
            return [one(self.char_class(flags))]
        if self.take("."):
            return [one(lambda c: True) if "s" in flags else one(lambda c: c != "\n")]
        if self.take("^"):
            many = "m" in flags
            return [assertion(lambda text, i: i == 0 or (many and text[i - 1] == "\n"))]
        if self.take("$"):
            many = "m" in flags
            return [assertion(lambda text, i: i == len(text) or (many and text[i] == "\n"))]
        if self.take("\\Q"):
            return [one(self.folded(c.__eq__, flags)) for c in self.until("\\E")]
        if self.take("\\A"):
            return [assertion(lambda text, i: i == 0)]
        if self.take("\\z"):
            return [assertion(lambda text, i: i == len(text))]
        if self.take("\\b"):
            return [assertion(at_boundary)]
        if self.take("\\B"):
            return [assertion(lambda text, i: not at_boundary(text, i))]
        return [one(self.folded(self.single(), flags))]

    def group(self, flags: set[str]) -> Matcher:
        inside = self.alternatives(flags)
        self.take(")")
        return inside

    def set_flags(self, flags: set[str]) -> tuple[set[str], bool]:
        on, value = set(flags), True
        while True:
            c = self.next()
            if c in ":)":
                return on, c == ":"
            if c == "-":
                value = False
            elif value:
                on.add(c)
            else:
                on.discard(c)

    def char_class(self, flags: set[str]) -> Test:
        negated = bool(self.take("^"))
        tests: list[Test] = []
        while not tests or self.pattern[self.at] != "]":  # "]" first in a class is literal
            if ":]" in self.pattern[self.at :] and self.take("[:"):
                name = self.until(":]")
                members = POSIX[name.removeprefix("^")]
                tests.append(Negated(members.__contains__) if name.startswith("^") else members.__contains__)
                continue
            low = self.single()
            if not isinstance(low, Equals) or not self.is_range():
                tests.append(low)
                continue
            self.take("-")
            high = self.single()
            assert isinstance(high, Equals)
            tests.append(lambda c, a=low.c, b=high.c: a <= c <= b)
        self.take("]")
        folded = [self.folded(test, flags) for test in tests]
        return lambda c: any(test(c) for test in folded) != negated

    def is_range(self) -> bool:
        return self.pattern[self.at] == "-" and self.pattern[self.at + 1] != "]"

    def folded(self, test: Test, flags: set[str]) -> Test:
        if "i" not in flags:
            return test
        if isinstance(test, Negated):  # \\W and similar: the complement of \\w, folded
            return Negated(self.folded(test.test, flags))
        return lambda c: any(test(other) for other in orbits()[fold(c)])

    def single(self) -> Test:
        """A character or a named set, outside or inside brackets."""
        c = self.next()
        if c != "\\":
            return Equals(c)
        c = self.next()
        if c in "dws":
            return PERL[c].__contains__
        if c in "DWS":
            return Negated(PERL[c.lower()].__contains__)
        if c in "pP":
            name = self.until("}") if self.take("{") else self.next()
            test = self.unicode(name.removeprefix("^"))
            return Negated(test) if (c == "P") != name.startswith("^") else test
        if c == "x":
            code = self.until("}") if self.take("{") else self.next() + self.next()
            return Equals(chr(int(code, 16)))
        if c in "01234567":
            digits = c
            while self.more() and len(digits) < 3 and self.pattern[self.at] in "01234567":
                digits += self.next()
            return Equals(chr(int(digits, 8)))
        return Equals(CONTROLS.get(c, c))

    def unicode(self, name: str) -> Test:
        if name == "Any":
            return lambda c: True
        if name in SCRIPTS:
            return lambda c: unicodedata.name(c, "").startswith(SCRIPTS[name])
        return lambda c: unicodedata.category(c).startswith(name)


@lru_cache(maxsize=1024)
def compile(pattern: str) -> Matcher:
    return Parser(pattern).alternatives(set())


def search(pattern: str, text: str, begin: int) -> tuple[int, int] | None:
    """ "Leftmost start; among matches at that start the LONGEST". Assertions see the text before `begin`."""
    match = compile(pattern)
    for i in range(begin, len(text) + 1):
        if ends := match(text, i):
            return i, max(ends)
    return None
