"""Strings that are encoded together, as many words at once, have the ids that each one has alone (in
`subword_encode_spans`, which merges one pair after the other), and that the oracle finds."""

import random
from functools import lru_cache
from typing import Any

import pytest
import torch
from reference.subword import Subword
from support.cases import each
from support.strings import compact
from support.subword_tables import TABLES, oracle_of

ops = torch.ops.stringops


def same_as_alone(strings: list[bytes], table: torch.Tensor) -> list[list[int]]:
    """The ids of the strings, encoded together, which must be those of each alone."""
    ids, row_splits = ops.subword_encode(*compact(strings), table)
    want, want_splits, _, _ = ops.subword_encode_spans(*compact(strings), table)
    assert row_splits.tolist() == want_splits.tolist()
    rows = [row.tolist() for row in ids.split(row_splits.diff().tolist())]
    want_rows = [row.tolist() for row in want.split(want_splits.diff().tolist())]
    for string, row, want_row in zip(strings, rows, want_rows, strict=True):
        assert row == want_row, string
    return rows


def ids_of(oracle: Any, string: bytes) -> list[int]:
    return [id for id, _ in oracle.encode_one(string, False, -1)]


def table_of(merges: list[tuple[int, int, int]], pieces: list[bytes]) -> tuple[torch.Tensor, Any]:
    """A table of merges of bytes, and its oracle."""
    spec = "subword 1\nmodel bpe\nsplit gpt2\ndecode bytelevel\n"
    return ops.subword_build(*compact(pieces), torch.tensor(merges), spec), Subword(pieces, merges, spec)


def drawn_merges(rng: random.Random, letters: bytes, count: int, most: int) -> tuple[torch.Tensor, Any]:
    """Random merges of letters, whose tokens have up to `most` bytes."""
    pieces = [bytes([byte]) for byte in range(256)]
    merges: list[tuple[int, int, int]] = []
    known = list(letters)
    for _ in range(count):
        left, right = rng.choice(known), rng.choice(known)
        text = pieces[left] + pieces[right]
        if text in pieces or len(text) > most:
            continue
        merges.append((left, right, len(pieces)))
        known.append(len(pieces))
        pieces.append(text)
    rng.shuffle(merges)
    return table_of(merges, pieces)


@lru_cache(maxsize=1)
def merging() -> tuple[torch.Tensor, Any]:
    """Tokens of up to dozens of bytes, and the oracle."""
    return drawn_merges(random.Random(17), b"abcd", 300, 40)


def drawn_words(rng: random.Random, sizes: list[int]) -> list[bytes]:
    return [bytes(rng.choices(b"abcd", k=size)) for size in sizes]


def test_words_of_16_bytes_and_more_are_merged_as_one_pair_after_the_other(tier: str):
    rng = random.Random(1)
    sizes = [*range(16, 70), *(rng.randrange(16, 65) for _ in range(500)), 127, 128, 1000, 4096]
    rng.shuffle(sizes)
    table, oracle = merging()
    words = drawn_words(rng, sizes)
    rows = same_as_alone(words, table)
    for word, row in zip(words[::9], rows[::9], strict=True):
        assert len(word) > 128 or row == ids_of(oracle, word)


@each("seed", range(12))
def test_long_words_are_merged_as_one_pair_after_the_other(tier: str, seed: int):
    """By a queue of pairs, and as runs of equal letters."""
    rng = random.Random(seed)
    letters = b"abc"[: 1 + seed % 3]
    table, oracle = drawn_merges(rng, letters, rng.choice([3, 10, 60]), rng.choice([4, 30, 200]))
    words = []
    for size in [65, 66, 129, rng.randrange(65, 300), rng.randrange(65, 300), rng.randrange(300, 600)]:
        period = bytes(rng.choices(letters, k=rng.choice([1, 2, 7, size])))
        words.append((period * size)[: size - 1] + bytes(rng.choices(letters)))
        words.append(b"".join(bytes([letter]) * rng.randrange(1, 80) for letter in rng.choices(letters, k=3)))
    for word, row in zip(words, same_as_alone(words, table), strict=True):
        assert row == ids_of(oracle, word), word


def test_tokens_of_thousands_of_bytes(tier: str):
    pieces = [*(bytes([byte]) for byte in range(256)), *(b"a" * 2**k for k in range(1, 12))]
    merges = [(97, 97, 256), *((id, id, id + 1) for id in range(256, 266))]
    rows = same_as_alone([b"a" * 5000, b"a" * 1023], table_of(merges, pieces)[0])
    assert rows == [[266, 266, 264, 263, 262, 258], [264, 263, 262, 261, 260, 259, 258, 257, 256, 97]]


@each("count", [1, 2, 3, 4, 5, 255, 256, 257, 1500])
def test_short_words_of_all_sizes_are_merged_as_one_pair_after_the_other(tier: str, count: int):
    rng = random.Random(count)
    words = drawn_words(rng, [rng.randrange(1, 16) for _ in range(count)])
    same_as_alone([b" ".join(words), *words], merging()[0])


def test_words_that_come_again_before_they_are_merged(tier: str):
    """A batch has 256 words; those with more than four ids are not kept for the next one."""
    rng = random.Random(2)
    words = drawn_words(rng, [rng.randrange(1, 16) for _ in range(200)])
    words += [b"zyxwvut", b"qqqqqqqqqqqqqqq"]
    text = b" ".join(rng.choice(words) for _ in range(5000))
    rows = same_as_alone([text, *words, text], merging()[0])
    assert rows[0] == rows[-1]


# More than the words that the cache of a call holds.
def test_words_that_replace_each_other_before_they_are_merged(tier: str):
    rng = random.Random(3)
    words = drawn_words(rng, [rng.randrange(6, 12) for _ in range(3000)])
    text = b" ".join(rng.choice(words) for _ in range(6000))
    same_as_alone([text[:500], text], merging()[0])


ASCII = bytes(range(128))
PLAIN = bytes(byte for byte in ASCII if byte >= 32 and byte != 127) + b"\t\n\r"


@each("size", [0, 1, 63, 64, 65, 128, 700])
@each("others", [b"", b"\x0b\x0c", b"\x00\x7f", "é中\u0301\u2028".encode(), b"\xff"])
def test_berts_words_of_strings_with_and_without_other_characters(tier: str, size: int, others: bytes):
    """Alone and next to each other."""
    rng = random.Random(size)
    table = TABLES["wordpiece"]
    strings = []
    for k in range(60):
        text = bytes(rng.choices(rng.choice([PLAIN, b"ab be.", b"a b"]), k=max(0, size - rng.randrange(3))))
        at = rng.randrange(len(text) + 1)
        strings.append(text if k % 7 else text[:at] + others + text[at:])
    strings += [b"", b"", b"To Be", b"", others, b"ab,be"]
    oracle = oracle_of(table)
    rows = same_as_alone(strings, table)
    for string, row in zip(strings, rows, strict=True):
        assert row == ids_of(oracle, string), string


@pytest.mark.parametrize("strings", [[b""], [b"", b""], ["é".encode(), b"", "é".encode()], [b" ", b""]])
def test_berts_words_of_empty_strings(tier: str, strings: list[bytes]):
    same_as_alone(strings, TABLES["wordpiece"])


# The first three bring texts to forms of Unicode, in which parts of a text stay as they are if it does.
NORMALIZERS = ["normalize nfkc", "normalize nfd", "normalize nfc", "normalize strip 1 1\nnormalize lower"]


@each("normalizer", NORMALIZERS)
@each("split", ["gpt2", "llama3 digits=3 marks=0 newline_tail=1 contractions=2 end=hf"])
@each("added", ["", "added 97 16 65cc81\n"])
def test_strings_that_normalization_changes(tier: str, normalizer: str, split: str, added: str):
    """Alone or among others, with and without added tokens that are found in normalized text."""
    rng = random.Random(4)
    pieces = [bytes([byte]) for byte in range(256)]
    spec = f"subword 1\nmodel bpe\n{normalizer}\nsplit {split}\n{added}decode bytelevel\n"
    no_merges = torch.empty(0, 3, dtype=torch.int64)
    table = ops.subword_build(*compact(pieces), no_merges, spec)
    oracle = Subword(pieces, [], spec)
    parts = ["a", "B", " ", " a", "\u0301", "e", "é", "½", "ﬁ", "\uac01", "\u1100", "\u00a0", "中", "1", "\n"]
    for changing in (False, True):
        drawn = parts if changing else ["a", " a", "中", "e", "1", ",", " "]
        strings = ["".join(rng.choices(drawn, k=rng.randrange(40))).encode() for _ in range(300)]
        strings += [b"", b" ", "\u0301".encode(), "é".encode()[:1], "é".encode()[1:], b"\xff "]
        rows = same_as_alone(strings, table)
        for string, row in zip(strings[::5], rows[::5], strict=True):
            assert row == ids_of(oracle, string), string
