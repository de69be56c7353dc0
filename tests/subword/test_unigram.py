"""Models of Unigram against the oracle in plain Python: sums that are nearly equal, unknown characters, a sample."""

import random
import struct
from typing import Any

import pytest
import torch
from support.cases import each
from support.subword_tables import check_ids, scored

BLANK = "\u2581"
PIECES = ["", BLANK, *"abcAé.-()1", *("ab", "bA", "Ac", "ca", "abc", "..", "-a", "1.", "()", "().", "é-", "-é", "c(")]
PIECES += [BLANK + piece for piece in ("a", "ab", "(", "A", "-", "abc")]
# What becomes of two characters next to each other that are no pieces: one part.
UNKNOWN = ["!", "?", "!?", "!!", "~!", "日", "!日", "\0", "\x7f"]
MODELS = ("unigram sentencepiece", "unigram huggingface")
SPLITS = {
    "whitespace": ["split whitespace", f"split metaspace {BLANK.encode().hex()} always 1"],
    "metaspace": [f"split metaspace {BLANK.encode().hex()} always 1"],
    "no split": [f"split metaspace {BLANK.encode().hex()} always 0"],
}


def build(
    model: str,
    pieces: list[str],
    scores: list[float],
    split: str = "whitespace",
    lines: tuple[str, ...] = (),
    warm: str = "warm",
) -> tuple[torch.Tensor, Any]:
    steps = ["normalize sentencepiece 1 1 1 0", "decode sentencepiece 2"] if model == MODELS[0] else SPLITS[split]
    return scored(model, pieces, scores, *lines, *steps, warm)


def random_texts(seed: int, count: int, words: int) -> list[str]:
    rng = random.Random(seed)
    parts = ["ab", "abc", "cab", "A", "Ac", "é", ".", "..", "-", "(", ")", "()", "1", "11", "a", *UNKNOWN]

    def word() -> str:
        return "".join(rng.choices(parts, k=rng.choice([1, 1, 2, 3, 5, 9, 40])))

    known = [word() for _ in range(60)]
    return [
        rng.choice(["", " "]) + rng.choice([" ", "  ", "\n", BLANK]).join(rng.choices(known, k=rng.randint(0, words)))
        for _ in range(count)
    ]


def random_scores(rng: random.Random, factor: float) -> list[float]:
    """Float32, so that sums in double precision are exact, with many nearly equal sums in single precision."""
    return [struct.unpack("<f", struct.pack("<f", -factor * rng.randint(1, 5)))[0] for _ in PIECES]


@each("model", MODELS)
@each("split", SPLITS)
def test_ids_are_those_of_the_text(model: str, split: str, tier: str):
    rng = random.Random(split)
    for factor in (0.7, 1.25):
        check_ids(*build(model, PIECES, random_scores(rng, factor), split), random_texts(1, 80, 12))


@each("model", MODELS)
@each("factor", [0.1, 1e-4, 1e-12, 1e12])
def test_sums_that_are_rounded(model: str, factor: float, tier: str):
    """Float64 scores, of which sums depend on what was added before."""
    rng = random.Random(str(factor))
    scores = [-factor * rng.randint(1, 5) * rng.choice([1, 1 + 2**-50, 1 + 2**-23]) for _ in PIECES]
    check_ids(*build(model, PIECES, scores), random_texts(2, 20, 200))


@each("model", MODELS)
@each("unknown", ["", "!", "a", "!a", "a!", "-", "()", ".!"])
def test_runs_of_unknown_characters(model: str, unknown: str, tier: str):
    """They are one part, also if one of them is the piece that stands for all."""
    rng = random.Random(unknown)
    pieces = [unknown, *(piece for piece in PIECES[1:] if piece != unknown), "!?", "~!!", ")~"]
    scores = [*random_scores(rng, 0.7), -2.0, -2.5, -3.0][: len(pieces)]
    texts = [*random_texts(3, 60, 8), "!!", "a!!", "!a!", "-!a-", "()!()", "a.!.a", "~!!~!?)~"]
    check_ids(*build(model, pieces, scores), texts)


@pytest.mark.parametrize("model", MODELS)
def test_bytes_of_unknown_characters(model: str, tier: str):
    byte_ids = [len(PIECES) + byte for byte in range(256)]
    scores = [*random_scores(random.Random(4), 0.7), *[-9.0] * 256]
    line = f"byte_ids {' '.join(map(str, byte_ids))}"
    check_ids(*build(model, [*PIECES, *[""] * 256], scores, lines=(line,)), random_texts(4, 80, 12))


@pytest.mark.parametrize("model", MODELS)
def test_words_of_a_sample(model: str, tier: str):
    scores = random_scores(random.Random(5), 0.7)
    texts = random_texts(5, 80, 12)
    warm = f"warm {' '.join(text.encode().hex() for text in texts[:40] if text)}"
    check_ids(*build(model, PIECES, scores, warm=warm), texts)
