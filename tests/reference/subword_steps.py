"""The steps of `tokenizers` for models of characters, in plain Python: normalizers, splits, first symbols, decoders.

A text is a list of its characters, each with the bytes of the input that it stands for. A byte that is not part of
valid UTF-8 is a character: a lone surrogate, as `surrogateescape` gives it.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby

from reference.subword_wordpiece import decomposed, is_punctuation

Range = tuple[int, int]
Character = tuple[str, Range]
Characters = list[Character]

WHITESPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
# Alphabetic characters that are no letters: enclosed ones.
ENCLOSED = "\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189"
# What Nmt drops, and what becomes a space.
NMT_DROPPED = "".join(map(chr, [*range(1, 9), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F]))
NMT_BLANKS = "\t\n\f\r\u1680\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd"


def unhexed(text: str) -> str:
    return b"".fromhex(text.strip("-")).decode(errors="surrogateescape")


def replaced(text: Characters, pattern: str, by: str) -> Characters:
    """Each match of a regular expression by a text, which stands for the last character of the match."""
    characters = "".join(c for c, _ in text)
    found, done = [], 0
    for match in re.finditer(pattern, characters):
        found += text[done : match.start()]
        found += [(c, text[match.end() - 1][1]) for c in by]
        done = match.end()
    return found + text[done:]


def prepended(text: Characters, by: str) -> Characters:
    return [(c, text[0][1]) for c in by] + text if text else text


def normalized(text: Characters, words: Sequence[str]) -> Characters:
    """One directive `normalize`, but for NFC and BERT's."""
    name, *rest = words
    if name in ("nfd", "nfkd"):
        return decomposed(text, name.upper())
    if name == "strip_accents":
        return [(c, range_) for c, range_ in text if unicodedata.category(c)[0] != "M"]
    if name == "nmt":
        return [(" " if c in NMT_BLANKS else c, range_) for c, range_ in text if c not in NMT_DROPPED]
    if name == "prepend":
        return prepended(text, unhexed(rest[0]))
    if name == "replace":
        return replaced(text, re.escape(unhexed(rest[0])), unhexed(rest[1]))
    if name == "runs":
        characters = " " if rest[0] == "blank" else f"[{WHITESPACE}]"
        return replaced(text, f"{characters}{{{rest[1]},}}", unhexed(rest[2]))
    if name == "lower":
        return [(lower, range_) for c, range_ in text for lower in ("i\u0307" if c == "İ" else c.lower())]
    if name == "strip":
        left, right = rest
        while left == "1" and text and text[0][0] in WHITESPACE:
            text = text[1:]
        while right == "1" and text and text[-1][0] in WHITESPACE:
            text = text[:-1]
        return text
    raise ValueError(name)


# The directives `split` of `split`.
SPLITS = ("literal", "pattern", "punctuation", "words", "fixed", "metaspace", "whitespace")


def is_word(character: str) -> bool:
    r"""`\w` of the regular expressions of Rust."""
    category = unicodedata.category(character)
    if category[0] in "LM" or category in ("Nd", "Nl", "Pc") or character in "\u200c\u200d":
        return True
    return re.match(f"[{ENCLOSED}]", character) is not None


def split(text: Characters, words: Sequence[str]) -> Iterator[Characters]:
    """One directive `split` of those above."""
    name, *rest = words
    characters = "".join(c for c, _ in text)
    if name == "literal":
        yield from split_at(text, matches_of(re.escape(unhexed(rest[0])), characters), rest[1], rest[2] == "1")
    elif name == "pattern":
        # As Python's re writes the end of the text.
        pattern = unhexed(rest[0]).replace(r"\z", r"\Z")
        valid = re.sub("[\udc80-\udcff]", "\x01", characters)
        yield from split_at(text, matches_of(pattern, valid), rest[1], rest[2] == "1")
    elif name == "punctuation":
        found = [(at, at + 1) for at, c in enumerate(characters) if is_punctuation(c)]
        yield from split_at(text, found, rest[0], False)
    elif name == "words":
        kinds = [(c in WHITESPACE, is_word(c)) for c in characters]
        for (is_space, _), group in groupby(zip(text, kinds, strict=True), lambda pair: pair[1]):
            if not is_space:
                yield [character for character, _ in group]
    elif name == "fixed":
        yield from (text[at : at + int(rest[0])] for at in range(0, len(text), int(rest[0])))
    elif name == "whitespace":
        for is_space, group in groupby(text, lambda character: character[0] in WHITESPACE):
            if not is_space:
                yield list(group)
    elif name == "metaspace":
        by, scheme, splits = unhexed(rest[0]), rest[1], rest[2] == "1"
        text = replaced(text, " ", by)
        wanted = scheme == "always" or (scheme == "first" and text[0][1][0] == 0)
        if wanted and text[0][0] != by:
            text = prepended(text, by)
        found = matches_of(by, "".join(c for c, _ in text))
        yield from split_at(text, found, "merged_with_next", False) if splits else [text]
    else:
        raise ValueError(name)


def matches_of(pattern: str, characters: str) -> list[Range]:
    """Those that are not empty."""
    return [match.span() for match in re.finditer(pattern, characters) if match.group()]


def split_at(text: Characters, matches: Sequence[Range], behavior: str, invert: bool) -> Iterator[Characters]:
    parts: list[tuple[Characters, bool]] = []
    done = 0
    for begin, end in matches:
        parts += [(text[done:begin], invert), (text[begin:end], not invert)]
        done = end
    parts = [(part, is_match) for part, is_match in [*parts, (text[done:], invert)] if part]
    if behavior == "merged_with_next":
        parts = parts[::-1]
    pieces: list[Characters] = []
    last = False
    for part, is_match in parts:
        merges = behavior.startswith("merged") and is_match and not last
        if pieces and (merges or (behavior == "contiguous" and is_match == last)):
            pieces[-1] = part + pieces[-1] if behavior == "merged_with_next" else pieces[-1] + part
        elif not (behavior == "removed" and is_match):
            pieces.append(part)
        last = is_match
    yield from reversed(pieces) if behavior == "merged_with_next" else pieces


def symbols(
    word: Characters,
    ids: dict[bytes, int],
    unknown: int,
    fallback: bool,
    fuse: bool,
    affixes: tuple[bytes, bytes] = (b"", b""),
) -> list[tuple[int, Range]]:
    """The first symbols of a word. They cover its bytes in the order of the symbols."""
    found: list[tuple[int, int]] = []  # ids and numbers of bytes
    waiting = 0  # bytes of an unknown token; it comes after tokens of bytes that follow it
    sources: list[Range] = []  # of each byte that does not vanish
    for at, (character, source) in enumerate(word):
        raw = character.encode(errors="surrogateescape")
        id = ids.get((affixes[0] if at else b"") + raw + (affixes[1] if at + 1 == len(word) else b""))
        of_bytes = [ids.get(b"<0x%02X>" % byte, -1) for byte in raw]
        if id is not None:
            found += [(unknown, waiting)] if waiting else []
            waiting = 0
            found.append((id, len(raw)))
        elif fallback and min(of_bytes) >= 0:
            found += [(id, 1) for id in of_bytes]
        elif unknown >= 0:
            found += [(unknown, waiting)] if waiting and not fuse else []
            waiting = waiting + len(raw) if fuse else len(raw)
        else:
            continue
        sources += [source] * len(raw)
    found += [(unknown, waiting)] if waiting else []
    spans, at = [], 0
    for id, size in found:
        spans.append((id, (sources[at][0], sources[at + size - 1][1])))
        at += size
    return spans


def decoded(tokens: list[str], steps: Sequence[Sequence[str]]) -> bytes:
    """The text of the tokens of a row, by directives `decode`."""
    raw: list[bytes] | None = None
    for name, *rest in steps:
        if name == "replace":
            tokens = [token.replace(unhexed(rest[0]), unhexed(rest[1])) for token in tokens]
        elif name == "metaspace":
            by = unhexed(rest[0])
            drops = rest[1] == "1"
            tokens = [t.replace(by, "" if drops and i == 0 else " ") for i, t in enumerate(tokens)]
        elif name == "suffix":
            last = len(tokens) - 1
            tokens = [t.replace(unhexed(rest[0]), "" if i == last else " ") for i, t in enumerate(tokens)]
        elif name == "strip":
            tokens = [stripped(token, unhexed(rest[0]), int(rest[1])) for token in tokens]
        elif name == "byte_fallback":
            raw = list(bytes_of_runs(tokens))
        elif name == "join":
            tokens = [unhexed(rest[0]).join(tokens)]
        elif name == "fuse_replace":
            joined = b"".join(raw) if raw is not None else "".join(tokens).encode(errors="surrogateescape")
            raw = [joined.replace(bytes.fromhex(rest[0]), bytes.fromhex(rest[1].replace("-", "")))]
        elif name == "fuse_strip":
            text = b"".join(raw or [t.encode(errors="surrogateescape") for t in tokens])
            return stripped(text.decode(errors="surrogateescape"), unhexed(rest[0]), int(rest[1])).encode(
                errors="surrogateescape"
            )
    return b"".join(raw) if raw is not None else "".join(tokens).encode(errors="surrogateescape")


def stripped(text: str, character: str, most: int) -> str:
    for _ in range(most):
        text = text.removeprefix(character)
    return text


def bytes_of_runs(tokens: list[str]) -> Iterator[bytes]:
    for is_byte, group in groupby(tokens, lambda t: bool(re.fullmatch("<0x[0-9A-Fa-f]{2}>", t))):
        if not is_byte:
            yield from (token.encode(errors="surrogateescape") for token in group)
            continue
        raw = bytes(int(token[3:5], 16) for token in group)
        try:
            raw.decode()
        except UnicodeDecodeError:
            raw = "\ufffd".encode() * len(raw)
        yield raw
