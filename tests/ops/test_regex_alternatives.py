"""Patterns with many alternatives and many classes of characters, against Python's re, by every engine."""

import random
import re
from contextlib import nullcontext
from itertools import pairwise

import pytest
from support.cases import each
from support.engines import by_closure, without_masks

import torch_stringops as so

HEADS = ["a", "b", "é", "日", "[a-c]", "[^ab]", "(?:a|bc)", "a?b", "a{2}", r"\d", "(?:é日)?1", "[b日]c*"]
TAILS = ["", "a", "b*", "[é日]", "c|a", "1+?"]


def check(pattern: str, texts: list[str]) -> None:
    strings = so.StringTensor.from_list(texts)
    want = [[m.group() for m in re.finditer(pattern, text, re.ASCII) if m.group()] for text in texts]
    for context in (nullcontext, without_masks, by_closure):
        with context():
            found, row_splits = so.regex_find_all_ragged(strings, pattern)
            rows = [found[a:b].tolist() for a, b in pairwise(row_splits.tolist())]
            assert [[match for match in row if match] for row in rows] == want
            assert so.regex_contains(strings, pattern).tolist() == [
                re.search(pattern, text, re.ASCII) is not None for text in texts
            ]
            assert so.regex_full_match(strings, pattern).tolist() == [
                re.fullmatch(pattern, text, re.ASCII) is not None for text in texts
            ]


@each("seed", range(20))
def test_many_alternatives(seed: int):
    rng = random.Random(seed)
    alternatives = [rng.choice(HEADS) + rng.choice(TAILS) for _ in range(rng.randint(17, 40))]
    pattern = rng.choice(["{}", "(?:{}){{1,2}}b", "x(?:{})|b"]).format("|".join(alternatives))
    check(pattern, ["".join(rng.choices("abcé日1x", k=rng.randint(0, 12))) for _ in range(40)])


# More classes than a table of transitions has columns.
@pytest.mark.parametrize("pattern", ["{}", "(?:{}){{1,9}}!|日", "(?:(?:{})本?){{2}}。"])
def test_lists_of_words_with_thousands_of_classes(pattern: str):
    rng = random.Random(pattern)
    letters = [chr(c) for c in range(0x4E00, 0x4E00 + 3000)]
    words = ["".join(rng.choices(letters, k=rng.randint(1, 3))) for _ in range(4000)]
    texts = [
        "".join(rng.choices(letters + words, k=rng.randint(0, 30))) + rng.choice(["", "。", "!"]) for _ in range(40)
    ]
    check(pattern.format("|".join(words)), texts)
