"""Several separators of the tokenizer, which are texts and sets: masks against the engine, across block ends."""

import itertools
import random

import torch
from support.cases import each
from support.engines import without_masks
from support.threads import on_threads

import torch_stringops as so

SEPARATORS = [
    [", ", " "], [" ", ", "], ["，", "。"], ["ab", "ba"], ["ba", "aab", "b"], ["a", "ab"], ["aa"], ["aa", "a,"], [", |; "], ["[,;]", "ab"],
    [r",\s|\s\(|\)\s|\.\s", " "], ["，+", "日|é"], ["aba", "bab", "ab"], ["a|ab|b,", "ab,"], ["é,", "[é，]+"], ["aaab", "b  "],
    ["é日", "日"], ["(ab)|(ba)", "(a)"], ["ab", "[^\\0-\\x{10FFFF}]"],
]  # fmt: skip
LETTERS = [*"aaab,; ().", "é", "日", "，", "。", "ab", ", "]


def cut(strings: so.StringTensor, separators: list[str]) -> tuple[list[str], list[int]]:
    data, offsets, row_splits = torch.ops.stringops.tokenizer_ragged(
        strings.data, strings.offsets, separators=separators
    )
    return so.StringTensor(data, offsets).tolist(), row_splits.tolist()


def compare(strings: so.StringTensor, separators: list[str]) -> None:
    by_masks = cut(strings, separators)
    with without_masks():
        assert cut(strings, separators) == by_masks


@each("separators", SEPARATORS)
def test_masks_agree_with_the_engine(separators: list[str]):
    rng = random.Random(str(separators))
    texts = ["".join(rng.choices(LETTERS, k=rng.choice([0, 1, 3, 8, 60, 70, 200]))) for _ in range(200)]
    texts += ["".join(t) for n in range(5) for t in itertools.product("ab, ", repeat=n)]
    compare(so.StringTensor.from_list(texts), separators)


@each("separators", SEPARATORS)
def test_long_strings_that_blocks_and_tasks_divide(separators: list[str]):
    rng = random.Random(str(separators))
    strings = so.StringTensor.from_list(["".join(rng.choices(LETTERS, k=30_000)) for _ in range(3)])
    compare(strings, separators)
    one = cut(strings, separators)
    with on_threads(3):
        assert cut(strings, separators) == one


def test_literal_cases():
    tokens, row_splits = so.tokenizer_ragged(["a, b c,d", " x", ", "], separators=[", ", " "])
    assert (tokens.tolist(), row_splits.tolist()) == (["a", "b", "c,d", "x"], [0, 3, 4, 4])
    assert so.tokenizer_ragged(["aabab"], separators=["ba", "ab"])[0].tolist() == ["aa", "b"]
    assert so.tokenizer_ragged(["你好，世界。"], separators=["，", "。"])[0].tolist() == ["你好", "世界"]
