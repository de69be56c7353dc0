"""Translates regular expressions of Oniguruma and of fancy-regex to RE2's syntax, which the operators take.

Classes are written as their characters, since `\\s`, `\\w` and `\\p{L}` are those of the library that a pattern was
written for, of its release of Unicode. What cannot be translated is an error that names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from torch_stringops.subword._unicode_sets import SETS

Ranges = list[tuple[int, int]]  # in order, without overlaps

_CATEGORIES = [name for name in SETS if len(name) == 2]
_ESCAPES = {"n": 0x0A, "r": 0x0D, "t": 0x09, "f": 0x0C, "v": 0x0B, "a": 0x07, "e": 0x1B}
# Characters of these categories may have others that differ in case only.
_CASED = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Nl", "So"}
# Pairs of letters that one character stands for, in any case, as the sharp s does for ss.
_JOINED = {"ss", "ff", "fi", "fl", "st"}
_ASSERTION = -1


class PatternFault(ValueError):
    """Names what a pattern has that is not supported."""


# Patterns come from strangers, and each code point takes about 50 microseconds.
MAX_PATTERN_CODEPOINTS = 1 << 14


class _Item(NamedTuple):
    """A part of a translated pattern."""

    text: str
    least: int  # characters of a match; _ASSERTION for a place
    letters: frozenset[str] = frozenset()  # that are matched in any case


def translated(pattern: str, engine: str) -> str:
    """A pattern in RE2's syntax that matches the same, leftmost-first, in a text of its own.

    Args:
        pattern: the pattern, none of whose matches is empty.
        engine: "onig", Oniguruma as `tokenizers` has it, or "fancy", the crate fancy-regex, as `tiktoken` has it.

    Raises:
        PatternFault: a part of it is not supported.
    """
    return _Translator(pattern, engine).run()


def members_of_class(pattern: str, engine: str) -> Ranges | None:
    """The characters of a pattern whose matches are one of them; None if it is another pattern."""
    translator = _Translator(pattern, engine)
    try:
        if translator.take("["):
            members = translator.bracket()
        else:
            found = translator.escape() if translator.take("\\") else translator.literal("^$.|?*+()[]{}")
            members = found if isinstance(found, list) else [(found, found)]
    except PatternFault:
        return None
    return None if translator.next() else members


class _Translator:
    def __init__(self, pattern: str, engine: str) -> None:
        self.pattern, self.at, self.is_onig = pattern, 0, engine == "onig"
        self.folds = False

    def run(self) -> str:
        if len(self.pattern) > MAX_PATTERN_CODEPOINTS:
            raise PatternFault(f"more than {MAX_PATTERN_CODEPOINTS} code points")
        self.folds = self.take("(?i)")
        found = self.alternatives()
        if self.at < len(self.pattern):
            raise PatternFault("a ) without (")
        if found.least <= 0:
            raise PatternFault("a match that may be empty")
        return found.text

    def take(self, text: str) -> bool:
        found = self.pattern.startswith(text, self.at)
        self.at += len(text) * found
        return found

    def take_match(self, pattern: str) -> re.Match[str] | None:
        found = re.compile(pattern).match(self.pattern, self.at)
        if found:
            self.at = found.end()
        return found

    def next(self) -> str:
        return self.pattern[self.at : self.at + 1]

    # Groups, sequences, repetitions.

    def alternatives(self) -> _Item:
        items = [self.sequence()]
        while self.take("|"):
            items.append(self.sequence())
        letters = frozenset().union(*(item.letters for item in items))
        return _Item("|".join(item.text for item in items), min(item.least for item in items), letters)

    def sequence(self) -> _Item:
        items: list[_Item] = []
        while self.next() not in ("", "|", ")"):
            items.append(self.repeated(self.item()))
        letters = [item.letters for item in items if item.least != _ASSERTION]
        for left, right in pairwise(letters):
            self.check_joined(left, right)
        least = sum(max(item.least, 0) for item in items)
        return _Item("".join(item.text for item in items), least, frozenset().union(*letters))

    def check_joined(self, left: Iterable[str], right: Iterable[str]) -> None:
        if self.is_onig and any(a + b in _JOINED for a in left for b in right):
            raise PatternFault("(?i) with letters that one character may stand for, such as ss")

    def item(self) -> _Item:
        if self.take("("):
            return self.group()
        if self.take("^"):
            return _Item("(?m:^)" if self.is_onig else r"\A", _ASSERTION)
        if self.take("$"):
            return _Item("(?m:$)" if self.is_onig else r"\z", _ASSERTION)
        if self.take(r"\A") or self.take(r"\z"):
            return _Item(self.pattern[self.at - 2 : self.at], _ASSERTION)
        if self.take("."):
            return self.of_set(complement([(0x0A, 0x0A)]))
        if self.take("["):
            return self.of_set(self.bracket())
        found = self.escape() if self.take("\\") else self.literal("*+?{")
        return self.of_set(self.folded([(found, found)]) if isinstance(found, int) else found)

    def group(self) -> _Item:
        folds = self.folds
        if self.take("?=") or self.take("?!"):
            opening = "(" + self.pattern[self.at - 2 : self.at]
            found = self.alternatives()
            self.close()
            return _Item(f"{opening}{found.text})", _ASSERTION)
        if self.take("?i:") or self.take("?-i:"):
            self.folds = self.pattern[self.at - 3] != "-"
        elif not self.take("?:") and not self.take_match(r"\?P?<[A-Za-z_]\w*>") and self.next() == "?":
            raise PatternFault("(" + self.pattern[self.at : self.at + 2])
        found = self.alternatives()
        self.close()
        self.folds = folds
        return _Item(f"(?:{found.text})", found.least, found.letters)

    def close(self) -> None:
        if not self.take(")"):
            raise PatternFault("a ( without )")

    def repeated(self, item: _Item) -> _Item:
        found = self.take_match(r"[*+?]|\{(\d+)?(,)?(\d+)?\}")
        if not found:
            return item
        low, comma, high = found.groups()
        is_braced = found.group().startswith("{")
        if is_braced and (
            (low is None and (high is None or not self.is_onig))
            or (low is not None and high is not None and int(low) > int(high))
        ):
            raise PatternFault(found.group())
        if item.least == _ASSERTION:
            raise PatternFault("a repetition of what matches a place")
        if item.least == 0 and found.group() != "?":
            raise PatternFault("a repetition of what may be empty")
        least = int(low or 0) if is_braced else int(found.group() == "+")
        repetition = f"{{{low or 0}{comma or ''}{high or ''}}}" if is_braced else found.group()
        text = item.text + repetition
        if is_braced:
            self.check_joined(item.letters, item.letters)
        if self.next() == "?" and is_braced and comma is None:
            raise PatternFault(f"{found.group()}?")
        if self.take("?"):
            text += "?"
        elif self.take("+"):
            # A range in braces is repeated in Oniguruma.
            text = f"(?:{text})+" if is_braced and self.is_onig else text + "+"
        if self.next() in ("*", "+", "?", "{"):
            raise PatternFault("a repetition of a repetition")
        return _Item(text, item.least * least, item.letters)

    # Characters.

    def literal(self, special: str) -> int:
        c = self.next()
        if c in special or not c:
            raise PatternFault(f"{c or 'the end of the pattern'} at this place")
        self.at += 1
        return ord(c)

    def escape(self, in_class: bool = False) -> int | Ranges:
        """The characters of an escape: one, or those of a class."""
        found = self.take_match(r"x([0-7][0-9a-fA-F])|x\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})")
        if found:
            codepoint = int(found[1] or found[2] or found[3], 16)
            if codepoint > 0x10FFFF or 0xD800 <= codepoint < 0xE000:
                raise PatternFault(f"\\{found.group()}")
            return codepoint
        found = self.take_match(r"([pP])(?:\{(\^?)([A-Za-z_=]+)\}|([A-Z]))")
        if found:
            negated = (found[1] == "P") != bool(found[2])
            members = property_set(found[3] or found[4])
            return complement(members) if negated else members
        c = self.next()
        self.at += 1
        if c.lower() in ("d", "s", "w") and c:
            members = words(self.is_onig, in_class) if c in "wW" else known("Nd" if c in "dD" else "s")
            return members if c.islower() else complement(members)
        if c in _ESCAPES:
            return _ESCAPES[c]
        if not c.isascii() or c.isalnum() or c in ("", "<", ">"):
            raise PatternFault(f"\\{c}")
        return ord(c)

    def bracket(self) -> Ranges:
        """A class, after its opening."""
        negated = self.take("^")
        operands: list[Ranges] = [[]]
        is_first = True
        while is_first or not self.take("]"):
            if self.take("&&"):
                operands.append([])
            elif self.take("["):
                if self.next() == ":":
                    raise PatternFault("[:")
                operands[-1] = union(operands[-1], self.bracket())
            else:
                operands[-1] = union(operands[-1], self.folded(self.class_item(is_first)))
            is_first = False
        if not all(operands):
            raise PatternFault("a class without characters")
        members = operands[0]
        for operand in operands[1:]:
            members = complement(union(complement(members), complement(operand)))
        return complement(members) if negated else members

    def class_item(self, is_first: bool) -> Ranges:
        """A character, a range, or a class by its name."""
        if self.next() == "-" and not is_first and self.pattern[self.at + 1 : self.at + 2] != "]":
            raise PatternFault("a - inside of a class")
        if self.pattern[self.at : self.at + 2] in ("--", "~~", "||"):
            raise PatternFault("an operation on classes but &&")
        low = self.escape(True) if self.take("\\") else self.literal("")
        if self.next() != "-" or self.pattern[self.at + 1 : self.at + 2] == "]":
            return [(low, low)] if isinstance(low, int) else low
        self.at += 1
        high = self.escape(True) if self.take("\\") else self.literal("[-&")
        if not isinstance(low, int) or not isinstance(high, int) or high < low:
            raise PatternFault("a range that is none")
        return [(low, high)]

    def folded(self, members: Ranges) -> Ranges:
        """With the characters that differ in case only, if that does not count."""
        if not self.folds:
            return members
        beyond = intersection(members, [(0x80, 0x10FFFF)])
        if any(intersection(beyond, known(name)) for name in _CASED):
            raise PatternFault("(?i) with characters beyond ASCII")
        letters = [chr(c) for a, b in members for c in range(a, min(b, 0x7F) + 1) if chr(c).isalpha()]
        more = [ord(c.swapcase()) for c in letters]
        # The long s, and the sign for kelvin.
        more += [0x17F for c in letters if c in "sS"] + [0x212A for c in letters if c in "kK"]
        return union(members, [(c, c) for c in more])

    def of_set(self, members: Ranges) -> _Item:
        """The tree of one character among these."""
        members = complement(complement(members))  # without surrogates
        if not members:
            raise PatternFault("a class without characters")
        letters = frozenset(
            chr(c).lower() for a, b in members for c in range(a, min(b, 0x7F) + 1) if self.folds and chr(c).isalpha()
        )
        (first, last), others = members[0], complement(members)
        if len(members) == 1 and first == last:
            return _Item(written(first), 1, letters)
        inverts = 0 < len(others) < len(members)
        parts = [written(a) if a == b else f"{written(a)}-{written(b)}" for a, b in (others if inverts else members)]
        return _Item("[" + "^" * inverts + "".join(parts) + "]", 1, letters)


def written(codepoint: int) -> str:
    """A character in a pattern, inside of a class or not."""
    c = chr(codepoint)
    if codepoint < 0x20 or codepoint == 0x7F:
        return f"\\x{codepoint:02x}"
    return c if codepoint >= 0x80 or c.isalnum() or c == " " else "\\" + c


def union(*sets: Iterable[tuple[int, int]]) -> Ranges:
    found: Ranges = []
    for first, last in sorted(range_ for members in sets for range_ in members):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def complement(members: Iterable[tuple[int, int]]) -> Ranges:
    """The other characters; surrogates are none."""
    found: Ranges = []
    begin = 0
    for first, last in union(members, [(0xD800, 0xDFFF)]):
        if begin < first:
            found.append((begin, first - 1))
        begin = last + 1
    return [*found, (begin, 0x10FFFF)] if begin <= 0x10FFFF else found


def intersection(a: Iterable[tuple[int, int]], b: Iterable[tuple[int, int]]) -> Ranges:
    return complement(union(complement(a), complement(b)))


@cache
def known(name: str) -> Ranges:
    found: Ranges = []
    at = 0
    lengths = [int(length, 16) for length in SETS[name].split()]
    for others, members in zip(lengths[::2], lengths[1::2], strict=True):
        found.append((at + others, at + others + members - 1))
        at += others + members
    return found


@cache
def property_set(name: str) -> Ranges:
    """`\\p{name}`: a category, or a script."""
    for prefix in ("Script=", "sc="):
        name = name.removeprefix(prefix)
    if name == "Cn":
        return complement(union(*(known(category) for category in _CATEGORIES)))
    categories = [category for category in _CATEGORIES if category.startswith(name)]
    if len(name) == 1 and categories:
        return union(*map(known, categories), property_set("Cn") if name == "C" else [])
    if name not in SETS or " " in name or name == "s":
        raise PatternFault(rf"\p{{{name}}}")
    return known(name)


@cache
def words(is_onig: bool, in_class: bool) -> Ranges:
    """`\\w`, which is another one inside of a class of Oniguruma."""
    base = union(*(property_set(name) for name in ("L", "M", "N", "Pc")))
    place = "in a class of " if is_onig and in_class else "of "
    others = known(f"w {place}{'Oniguruma' if is_onig else 'Rust'}")
    return union(intersection(base, complement(others)), intersection(others, complement(base)))
