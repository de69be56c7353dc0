"""Patterns whose matches are runs of classes: masks against the engine, for both match rules, across block ends."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from support.cases import each
from support.engines import without_masks
from support.threads import on_threads

import torch_stringops as so

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\pL+| ?\pN+| ?[^\s\pL\pN]+|\s+"

# With look-aheads, which only the first matches have.
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+"
)
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|"
    r"\s+(?!\S)|\s"
)
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
SUFFIX = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{SUFFIX}|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{SUFFIX}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PUBLISHED = [
    GPT2.replace(r"|\s+", r"|\s+(?!\S)|\s+"), LLAMA3, LLAMA3.replace("{1,3}", ""), CL100K, O200K,
    O200K.replace(SUFFIX, "").replace("{1,3}", ""),  # Tekken
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",  # r50k
    LLAMA3.replace("{1,3}", "").replace(r"\p{L}+", r"[\p{L}\p{M}]+").replace(r"\s\p{L}\p{N}", r"\s\p{L}\p{M}\p{N}"),
    LLAMA3.replace(r"]+[\r\n]*", "]+").removeprefix("(?i:'s|'t|'re|'ve|'m|'ll|'d)|"),
]  # fmt: skip

PATTERNS = [
    *PUBLISHED,
    GPT2, GPT2.replace("(?:", "(?i:").replace("s", "r", 1),
    r"\w+|[^\w\s]", r"\w+|[^\w\s]+", r"[^\w\s]|\w+", r"\w|[^\w\s]+", r"(\w+|[^\w\s])", r"((?:\w+)|([^\w\s]))",
    r"\d+|[A-Z][a-z]+|[a-z]+", r"\d+|[A-Z][a-z]*|[a-z]+", r"[A-Z][a-z]+|[a-z]+|\s", r"[A-Z][a-z]+",
    r"\pL+", r"\pL+|\pN+", r"\p{Lu}+|\p{Ll}+", r"\pL|\pN+", "[а-я]+", "[一-龥]+", "[^，]+", "[а-я]|[a-z]+", r"[^\s\pL]",
    r" ?\w+|[^\w\s]", r" ?\w+|\s+", r" ?\w+|\s", r"\s+| ?\w+", r"[ _]?[a-z]+|[ _]", r" ?[a-z]| ?[A-Z]+| ",
    r" ?[a-z]+| +", r" ?[^\s'a-z]+|[a-z]+|\s+", "'s| ?[a-z]+|'", "'s|'t|'ll|[a-z]+", "'s|'so|[a-z]+", "'s|[a-z]+|[^a-z]",
    r"'(?:s|ll)|\w+", r"\w{2,}", r"\w{3,}", r"\b\w\w+\b", r"\b\w+\b", r"\w+\w", r"\pL{2,}", r"\pL+\pL+\pL", r"[a-z]{32,}", r"[^,]{64,}", r"\S{40,}", r"[^,é]{65,}",
    r"[a-z]+(?:'[a-z]+)*", r"\w+(?:['.][a-z0-9A-Z_]+)?", r"\w+(?:'\w+)?|[^\w\s]", r"\pL+(?:['!]\pL+)*|\pN+(?:[.,]\pN+)?|[^\s\pL\pN]+",
    r"\d+(?:\.\d+)?|[A-Z][a-z]+|[a-z]+(?:'[a-z]+)+", r"\pL{1,}(?: \pL+)?", r"[A-Z][a-z]+|[a-z]+(?:'[a-z]+)?",
    "[ \u00a0\u3000]?[a-zé日]+", "[\u3000\u00a0]?\\pL+|\\pN+|!", "[\U0001f600_]?[a-z]+|[ \t]", "[\u3000!a]?[a-z\u3000]+", "[，é]?[a-z]",
    r"\w+?|\s", "(?:a|b)+|c", "(a)+|c", "(a){0}b+|c",
]  # fmt: skip

PIECES = [
    "'", "'s", "'ll", "'l", "'re", "''", "'S", "s", "l", "a", "ab", "abc", "A", "Ab", "AB", "z", "1", "12", " ", "  ", " \t",
    "\n", "\t", ".", "..", "_", "!", ",", "é", "É", "я", "Я", "日", "本，", "，", "ª", "٣", "²", "\u00a0", "\u3000", "\U0001f600",
    "\U00010400", "\u0301", "ǅ", "ſ", "\u212a", "\v", "\0", "\r\n", "\n ", " \n", "'ſ", "'VE", "'lL", "123", "1234", "(", "é́", "/", "\n/", ".1", "a'", "é!a", "\u0301A", "日A", "ʰ", "Ǆ",
]  # fmt: skip


def cut(strings: so.StringTensor, pattern: str) -> Iterator[tuple[list[str], list[int]]]:
    ways: list[dict[str, Any]] = [{"tokenexp": pattern, "mincharnum": n} for n in (1, 2, 5)]
    ways.append({"separators": [pattern], "mincharnum": 3})
    if pattern in PUBLISHED:
        ways.clear()
    for how in ways:
        data, offsets, row_splits = torch.ops.stringops.tokenizer_ragged(strings.data, strings.offsets, **how)
        yield so.StringTensor(data, offsets).tolist(), row_splits.tolist()
    found, row_splits = strings.regex_find_all_ragged(pattern)
    yield found.tolist(), row_splits.tolist()


def compare(strings: so.StringTensor, pattern: str) -> None:
    by_masks = list(cut(strings, pattern))
    with without_masks():
        by_engine = list(cut(strings, pattern))
    assert by_masks == by_engine


def random_text(rng: random.Random) -> str:
    pieces = rng.sample(PIECES, rng.randint(2, 9))
    return "".join(rng.choice(pieces) for _ in range(rng.choice([0, 1, 3, 8, 60, 70, 200])))


@each("pattern", PATTERNS)
def test_masks_agree_with_the_engine(pattern: str):
    rng = random.Random(pattern)
    compare(so.StringTensor.from_list([random_text(rng) for _ in range(200)]), pattern)


@each("pattern", [
    *PUBLISHED, GPT2, r"\w+|[^\w\s]", r"\d+|[A-Z][a-z]+|[a-z]+", r"\pL{2,}", r" ?\w+|\s+", "[ \u00a0\u3000]?[a-zé日]+",
    r"\w+(?:'\w+)?|[^\w\s]", r"\pL+(?:['!]\pL+)*",
])  # fmt: skip
def test_long_strings_that_blocks_divide(pattern: str):
    rng = random.Random(pattern)
    texts = []
    for _ in range(6):
        text = "".join(random_text(rng) for _ in range(60))
        texts.append(text * (1 + 20000 // (len(text) + 1)))
    compare(so.StringTensor.from_list(texts), pattern)
    strings = so.StringTensor.from_list([text * 5 for text in texts])  # long enough for several tasks
    one = strings.regex_find_all_ragged(pattern)
    with on_threads(3):
        three = strings.regex_find_all_ragged(pattern)
    assert all(torch.equal(a, b) for a, b in zip((one[0].offsets, one[1]), (three[0].offsets, three[1]), strict=True))


@pytest.mark.parametrize(
    "pattern", [GPT2, r"\d+|[A-Z][a-z]+|[a-z]+", r" ?\w+|\s+", r"\w+(?:'\w+)?", r"[sl]+(?:['A][sl]+)*|."]
)
def test_all_short_texts(pattern: str):
    texts = ["".join(t) for n in range(6) for t in itertools.product("'sl A", repeat=n)]
    compare(so.StringTensor.from_list(texts), pattern)


@pytest.mark.parametrize("pattern", PUBLISHED[1:])
def test_all_short_texts_of_words(pattern: str):
    texts = ["".join(t) for n in range(6) for t in itertools.product("'s1\n A!", repeat=n)]
    compare(so.StringTensor.from_list(texts), pattern)


@pytest.mark.parametrize("pattern", PUBLISHED[4:6])
def test_all_short_texts_of_words_with_capitals(pattern: str):
    texts = ["".join(t) for n in range(6) for t in itertools.product("'sS日\u0301!", repeat=n)]
    compare(so.StringTensor.from_list(texts), pattern)
