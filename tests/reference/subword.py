"""Oracle of the subword operators: the rules of `tokenizers` and `tiktoken` in plain Python.

A byte that is not part of valid UTF-8 is a character that is neither letter, number nor whitespace.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from reference import subword_steps
from reference.subword_charsmap import Charsmap, precompiled
from reference.subword_patterns import WHITESPACE, compiled, pattern_of
from reference.subword_steps import is_word
from reference.subword_unigram import add_double, best_pieces, float_of, scores_of, with_runs
from reference.subword_wordpiece import bert_normalized, bert_words, joined, word_pieces

SPECIAL, SINGLE_WORD, LSTRIP, RSTRIP, NORMALIZED = 1, 2, 4, 8, 16

# Stands among the patterns: a space is put before each piece so far that does not begin with one.
PREFIX_SPACE = "prefix space"
BERT = "BERT's words"


@dataclass
class Text:
    """Characters, and the bytes of the input that each stands for."""

    characters: str
    ranges: list[tuple[int, int]]

    @staticmethod
    def of(string: bytes) -> "Text":
        characters = string.decode(errors="surrogateescape")
        sizes = [len(c.encode(errors="surrogateescape")) for c in characters]
        at, ranges = 0, []
        for size in sizes:
            ranges.append((at, at + size))
            at += size
        return Text(characters, ranges)

    @staticmethod
    def of_characters(pairs: list[tuple[str, tuple[int, int]]]) -> "Text":
        return Text("".join(c for c, _ in pairs), [range_ for _, range_ in pairs])

    def pairs(self) -> list[tuple[str, tuple[int, int]]]:
        return list(zip(self.characters, self.ranges, strict=True))

    def __getitem__(self, part: slice) -> "Text":
        return Text(self.characters[part], self.ranges[part])

    def bytes(self) -> list[tuple[int, tuple[int, int]]]:
        """Each byte, and the bytes of the input that its character stands for."""
        return [
            (byte, range_)
            for character, range_ in zip(self.characters, self.ranges, strict=True)
            for byte in character.encode(errors="surrogateescape")
        ]


@dataclass
class Subword:
    """A tokenizer: what `subword_build` takes."""

    pieces: Sequence[bytes]
    numbers: Sequence[Sequence[int]]
    spec: str
    splits: list[str | list[str]] = field(default_factory=list)
    added: list[tuple[int, int, str]] = field(default_factory=list)
    texts: dict[int, bytes] = field(default_factory=dict)
    whole = False
    unknown = -1
    wordpiece: tuple[bytes, int] | None = None
    bert: tuple[bool, ...] | None = None
    joins: tuple[str, bool] | None = None
    characters = fallback = fuse = False
    affixes = (b"", b"")
    unigram: tuple[dict[int, float], dict[str, int]] | None = None
    unknown_score = 0.0
    byte_ids: Sequence[int] = ()
    charsmap = Charsmap(b"")
    normalizers: list[list[str]] = field(default_factory=list)
    decoders: list[list[str]] = field(default_factory=list)
    template: tuple[list[int], list[int]] = ((), ())  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for line in self.spec.splitlines():
            name, *words = line.split(" ")
            if name == "model" and words[0] == "wordpiece":
                self.wordpiece = (bytes.fromhex(words[1].strip("-")), int(words[2]))
            elif words == ["unigram", "huggingface"]:
                known = {p.decode(errors="surrogateescape"): id for id, p in enumerate(self.pieces) if p}
                self.unigram = (scores_of(self.numbers), known)
            elif name == "unk_score":
                self.unknown_score = float_of(words[0])
            elif name == "byte_ids":
                self.byte_ids = [int(word) for word in words]
            elif name == "charsmap":
                self.charsmap = Charsmap(bytes.fromhex(words[0]))
            elif name == "split" and words[0] in subword_steps.SPLITS:
                self.splits.append(words)
            elif words == ["bert"]:
                self.splits.append(BERT)
            elif name == "split" and words[0] == "published":
                self.splits += [bytes.fromhex(word).decode() for word in words[2:]]
            elif name == "split":
                options = dict(word.split("=") for word in words[1:])
                if words == ["deepseek"]:  # three splits in a row
                    self.splits += [r"\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"]
                self.splits.append(pattern_of(words[0], **options))
            elif name == "added":
                content = b"" if words[2] == "-" else bytes.fromhex(words[2])
                self.added.append((int(words[0]), int(words[1]), content.decode()))
                self.texts[int(words[0])] = content
            elif name == "text":
                self.texts[int(words[0])] = b"" if words[1] == "-" else bytes.fromhex(words[1])
            elif name == "whole":
                self.whole = words == ["1"]
            elif name == "unk":
                self.unknown = int(words[0])
            elif name == "normalize":
                self.normalizers += [["nfkd"], ["nfc"]] if words == ["nfkc"] else [words]
                if words[0] == "bert":
                    self.bert = tuple(word == "1" for word in words[1:])
            elif name == "decode" and words[0] == "wordpiece":
                self.joins = (bytes.fromhex(words[1].strip("-")).decode(), words[2] == "1")
            elif name == "decode" and words[0] != "bytelevel":
                self.decoders.append(words)
            elif name == "bytes":
                self.characters = words == ["0"]
            elif name == "byte_fallback":
                self.fallback = words == ["1"]
            elif name in ("continuing_prefix", "word_suffix"):
                text = bytes.fromhex(words[0])
                self.affixes = (text, self.affixes[1]) if name[0] == "c" else (self.affixes[0], text)
            elif name == "fuse_unk":
                self.fuse = words == ["1"]
            elif name == "prefix_space" and words == ["1"]:
                self.splits.append(PREFIX_SPACE)
            elif name == "template_single":
                at = words.index("A")
                self.template = ([*map(int, words[:at])], [*map(int, words[at + 1 :])])
        if self.normalizers:  # ids of tokens that are found in normalized text decode to that
            self.texts |= {id: self.content_of(c).encode() for id, flags, c in self.added if flags & NORMALIZED}
        self.by_piece = {piece: id for id, piece in enumerate(self.pieces) if piece}
        self.ranks = "merges ranks" in self.spec
        self.merges = {(a, b): (at, result) for at, (a, b, result) in enumerate(self.numbers)}

    # The model.

    def merge_of(self, left: int, right: int) -> tuple[int, int] | None:
        """The priority and the result of merging two symbols."""
        if not self.ranks:
            return self.merges.get((left, right))
        result = self.by_piece.get(self.pieces[left] + self.pieces[right])
        return None if result is None else (result, result)

    def word(self, word: Text) -> Iterator[tuple[int, tuple[int, int]]]:
        """The ids of a word, each with the bytes of the input that it covers, in whole characters."""
        if self.wordpiece:
            pieces = word_pieces(word.characters, self.by_piece, *self.wordpiece, self.unknown)
            for id, begin, end in pieces:
                yield id, (word.ranges[begin][0], word.ranges[end - 1][1])
            return
        if self.unigram:
            scores, known = self.unigram
            text = word.characters
            found = best_pieces(text, known, scores, self.unknown, self.unknown_score, add_double)
            for id, begin, end in with_runs(text, found, self.unknown, known, self.byte_ids):
                yield id, (word.ranges[begin][0], word.ranges[end - 1][1])
            return
        raw = word.bytes()
        if self.whole:
            found = self.by_piece.get(bytes(byte for byte, _ in raw))
            if found is not None:
                yield found, (raw[0][1][0], raw[-1][1][1])
                return
        if self.characters:
            symbols = subword_steps.symbols(
                word.pairs(), self.by_piece, self.unknown, self.fallback, self.fuse, self.affixes
            )
        elif any(self.affixes):
            before, after = self.affixes
            symbols = []
            for i, (byte, at) in enumerate(raw):
                piece = before * (i > 0) + bytes([byte]) + after * (i + 1 == len(raw))
                symbols.append((self.by_piece.get(piece, self.unknown), at))
            symbols = [symbol for symbol in symbols if symbol[0] >= 0]
        else:
            symbols = [(self.by_piece.get(bytes([byte]), self.unknown), at) for byte, at in raw]
            symbols = [symbol for symbol in symbols if symbol[0] >= 0]
        while True:
            best = None
            for at, ((left, _), (right, _)) in enumerate(pairwise(symbols)):
                merge = self.merge_of(left, right)
                if merge is not None and (best is None or merge[0] < best[0]):
                    best = (merge[0], at, merge[1])
            if best is None:
                break
            _, at, result = best
            symbols[at : at + 2] = [(result, (symbols[at][1][0], symbols[at + 1][1][1]))]
        yield from symbols

    # The text around it.

    def cut_added(self, text: Text, normalized: bool) -> Iterator[tuple[int | None, Text]]:
        """Added tokens with their ids, and the text between them with None."""
        tokens = [token for token in self.added if bool(token[1] & NORMALIZED) == normalized]
        if normalized and self.normalizers:
            tokens = [(id, flags, self.content_of(content)) for id, flags, content in tokens]
        tokens = [token for token in tokens if token[2]]
        by_length = sorted(tokens, key=lambda token: -len(token[2]))
        s, at, done = text.characters, 0, 0
        while at < len(s):
            token = next((t for t in by_length if s.startswith(t[2], at)), None)
            if token is None:
                at += 1
                continue
            id, flags, content = token
            begin, end = at, at + len(content)
            at = end
            if flags & SINGLE_WORD and ((begin > 0 and is_word(s[begin - 1])) or (end < len(s) and is_word(s[end]))):
                continue
            if flags & LSTRIP:
                begin = max(len(re.sub(f"[{WHITESPACE}]+\\Z", "", s[:begin])), done)
            if flags & RSTRIP:
                end = len(s) - len(re.sub(f"\\A[{WHITESPACE}]+", "", s[end:]))
            if done < begin:
                yield None, text[done:begin]
            yield id, text[begin:end]
            done = end
        if done < len(s):
            yield None, text[done:]

    def content_of(self, content: str) -> str:
        return self.normalized(Text.of(content.encode())).characters

    def words(self, text: Text) -> Iterator[Text]:
        parts = [text]
        for split in self.splits:
            if isinstance(split, list):
                parts = [
                    Text.of_characters(found) for part in parts for found in subword_steps.split(part.pairs(), split)
                ]
            elif split == PREFIX_SPACE:
                parts = [part if part.characters[0] == " " else with_space(part) for part in parts]
            elif split == BERT:
                parts = [part[a:b] for part in parts for a, b in bert_words(part.characters)]
            else:
                only = split == pattern_of("clip")
                parts = [piece for part in parts for piece in isolated(compiled(split), part, only)]
        yield from parts

    def normalized(self, text: Text) -> Text:
        for step in self.normalizers:
            if step[0] == "bert":
                assert self.bert is not None
                text = Text.of_characters(bert_normalized(text.pairs(), self.bert))
            elif step[0] == "precompiled":
                text = Text.of_characters(precompiled(text.pairs(), self.charsmap))
            elif step[0] == "nfc":
                text = normalized(text)
            else:
                text = Text.of_characters(subword_steps.normalized(text.pairs(), step))
        return text

    def encode_one(self, string: bytes, special: bool, max_length: int) -> list[tuple[int, tuple[int, int]]]:
        found: list[tuple[int, tuple[int, int]]] = []
        for id, part in self.cut_added(Text.of(string), False):
            if id is not None:
                found.append((id, (part.ranges[0][0], part.ranges[-1][1])))
                continue
            for id, inner in self.cut_added(self.normalized(part), True):
                if id is not None:
                    found.append((id, (inner.ranges[0][0], inner.ranges[-1][1])))
                else:
                    found += [token for word in self.words(inner) for token in self.word(word)]
        before, after = self.template if special else ([], [])
        if max_length >= 0:
            found = found[: max(max_length - len(before) - len(after), 0)]
        return [*((id, (0, 0)) for id in before), *found, *((id, (0, 0)) for id in after)]

    def decode(self, ids: Sequence[int], skip_special: bool) -> bytes:
        special = {
            id
            for id, flags, content in self.added
            if skip_special and flags & SPECIAL and (not flags & NORMALIZED or self.content_of(content) == content)
        }
        pieces = dict(enumerate(self.pieces)) | self.texts
        kept = [pieces.get(id, b"") for id in ids if id not in special]
        if self.joins:
            return joined([piece.decode(errors="surrogateescape") for piece in kept], *self.joins).encode(
                errors="surrogateescape"
            )
        if self.decoders:
            return subword_steps.decoded([p.decode(errors="surrogateescape") for p in kept], self.decoders)
        return b"".join(kept)


def isolated(pattern: re.Pattern[str], text: Text, only: bool) -> Iterator[Text]:
    """The matches, and what is between them, unless `only` matches are wanted."""
    done = 0
    for match in pattern.finditer(text.characters):
        if done < match.start() and not only:
            yield text[done : match.start()]
        yield text[match.start() : match.end()]
        done = match.end()
    if done < len(text.characters) and not only:
        yield text[done:]


def with_space(text: Text) -> Text:
    """A space before the text, which stands for its first character."""
    return Text(" " + text.characters, [text.ranges[0], *text.ranges])


def normalized(text: Text) -> Text:
    """NFC. Where it changes characters, each result stands for all of the characters that were changed."""
    s = text.characters

    def begins(i: int) -> bool:
        """Whether character i neither moves nor composes with the two before, nor changes by itself."""
        before, c = s[max(i - 2, 0) : i], s[i]
        nfc = unicodedata.normalize("NFC", before) + c
        return not unicodedata.combining(c) and unicodedata.normalize("NFC", before + c) == nfc

    starts = [i for i in range(len(s)) if i == 0 or begins(i)]
    characters, ranges = "", []
    for begin, end in pairwise([*starts, len(s)]):
        composed = unicodedata.normalize("NFC", s[begin:end])
        characters += composed
        if composed == s[begin:end]:
            ranges += text.ranges[begin:end]
        else:
            ranges += [(text.ranges[begin][0], text.ranges[end - 1][1])] * len(composed)
    return Text(characters, ranges)
