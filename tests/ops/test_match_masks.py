"""Matches of small automata by masks: against the engine, for both match rules, across words and blocks."""

import itertools
import random
from collections.abc import Iterator

import pytest
import torch
from support.cases import each
from support.engines import without_masks

import torch_stringops as so

PATTERNS = [
    "[a-z]+(?:ing|ed|s)", r"[a-z_]\w*\.[a-z_]\w*", r"\"[^\"\n]*\"|'[^'\n]*'", r"(\w+)@[\w.]+", "q[a-z]+x",
    "a(?:.*b)?", "a+b", "[ab]+b[ab]+", "a{2,5}", "a|ab", "ab|a", "ab|abc|b", "(?:a|b)c+", "a?b?c", "a*b", "[^a]+a",
    "é+a", "[^é]b", "a.b", "[a-c]+[b-d]+[c-e]", "x[^y]*y", "x[^y]+[^z]*z", "(?s).b", r"\d+(?:\.\d+)?%", "a*(?:b|c)",
    "ab+?c", "a[^a]*?a", "<[^>]*>", "(?i)a+S", "a[bc]{3}", "[а-я]+b", "b[а-я]+", "a+", "aa|b+", '"[^"]+"',
    "'[^'é]*'|<[^<>]+>", "%[^x]*x|\"[a-z]*'", "_[^\n]*z",
    "[a-z]+@[a-z]+", "x[xyz]*%[ab]+", "[^%]+%a[^%]*", r"[ab@]+\.[ab]+", "[a-z]*@b+",
    r"é?\w+@[b%]*1", "x[^_]*@%[^z]*z", "(?:a|b+)c@|[xy]c@b", "@+[^1]*b",
]  # fmt: skip
ALPHABET = "ab\"'éя.@_ csxyzgindeqб<>%1\n"
ATOMS = ["a", "b", ".", "[^a]", "é", "[aé]"]
REPEATS = ["", "*", "+", "?", "{2}", "{1,2}", "+?"]


def small_patterns() -> Iterator[str]:
    repeated = [atom + repeat for atom in ATOMS for repeat in REPEATS]
    yield from repeated
    for a, b, join in itertools.product(repeated, repeated, ("", "|")):
        yield f"{a}{join}{b}"
        if repeated.index(a) % 5 == 0:
            yield from (f"(?:{a}{join}{b})a", f"b(?:{a}{join}{b})", f"(?:{a}{join}{b})+b")


def results(strings: so.StringTensor, pattern: str) -> list[torch.Tensor]:
    ops = torch.ops.stringops
    return [
        *ops.regex_find_all_ragged(strings.data, strings.offsets, pattern),
        *ops.regex_find_all_spans_ragged(strings.data, strings.offsets, pattern),
        *ops.regex_split_ragged(strings.data, strings.offsets, pattern),
        *ops.regex_split_spans_ragged(strings.data, strings.offsets, pattern),
        *ops.regex_replace(strings.data, strings.offsets, pattern, "<->"),
        *ops.regex_replace(strings.data, strings.offsets, pattern, r"-\0+"),
        ops.regex_extract_spans(strings.data, strings.offsets, pattern, 0),
        *ops.regex_extract(strings.data, strings.offsets, pattern, 0),
        ops.regex_contains(strings.data, strings.offsets, pattern),
        *ops.tokenizer_ragged(strings.data, strings.offsets, tokenexp=pattern),
    ]


def compare(strings: so.StringTensor, pattern: str) -> None:
    by_masks = results(strings, pattern)
    with without_masks():
        by_engine = results(strings, pattern)
    assert all(map(torch.equal, by_masks, by_engine)), pattern


@pytest.mark.parametrize("letters", ["ab", "abé\n"])
def test_all_short_texts(letters: str):
    texts = ["".join(text) for n in range(6 if letters == "ab" else 4) for text in itertools.product(letters, repeat=n)]
    strings = so.StringTensor.from_list(texts)
    for pattern in small_patterns():
        compare(strings, pattern)


@each("pattern", PATTERNS)
@each("size", [8, 70, 3000])
def test_random_texts(tier: str, pattern: str, size: int):
    rng = random.Random(f"{pattern} {size}")
    for few in (2, 4, len(ALPHABET)):
        letters = rng.sample(ALPHABET, few) + [c for c in ALPHABET if c in pattern] * (few == 4)
        for alphabet in (letters, [c for c in letters if c.isascii()] or ["a"]):
            texts = ["".join(rng.choices(alphabet, k=rng.randrange(size))) for _ in range(60_000 // size // 10 + 3)]
            compare(so.StringTensor.from_list(texts), pattern)


@each("pattern", PATTERNS)
def test_strings_longer_than_a_block(pattern: str):
    rng = random.Random(pattern)
    texts = []
    for size in (8191, 8192, 8193, 5, 20000, 0, 40):
        letters = rng.sample(ALPHABET, 3) + [c for c in ALPHABET if c in pattern]
        texts.append("".join(rng.choices(letters, k=size)))
        texts.append("a" * size + "b")
    compare(so.StringTensor.from_list(texts), pattern)
