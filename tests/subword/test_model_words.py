"""Models of SentencePiece whose words are looked up one by one, and those where that would give other ids, against the
oracle in plain Python.
"""

import random
import struct
from typing import Any

import pytest
import torch
from support.cases import each
from support.strings import compact
from support.subword_charsmap import charsmap
from support.subword_tables import check_ids, scored

BLANK = "\u2581"
PIECES = ["", BLANK, *"abcé", *("ab", "ba", "aa", "abc", "bc", "aab", "aaa")]
PIECES += [BLANK + piece for piece in ("a", "b", "ab", "aba")]
# As BPE has them: each is greater than those that it is a part of, or not.
DISTINCT = [0.0, *(-1.25 - 0.75 * (7 * id % 23) for id in range(1, len(PIECES)))]


def build(
    model: str, pieces: list[str], scores: list[float], *lines: str, flags: str = "1 1 1 0"
) -> tuple[torch.Tensor, Any]:
    return scored(model, pieces, scores, *lines, f"normalize sentencepiece {flags}", "decode sentencepiece 2")


def check(table: torch.Tensor, oracle: Any, texts: list[str]) -> None:
    check_ids(table, oracle, texts, spans=True)


def random_texts(seed: int, count: int, words: int) -> list[str]:
    rng = random.Random(seed)
    known = ["".join(rng.choices("abcé", k=rng.randint(1, 9))) for _ in range(40)]
    known += ["abc" * 9, "", "", BLANK, f"a{BLANK}b", "aaaaaaaaaaaaaaaaaaaa", "\n", "\0a", "<0x61>"]

    def text() -> str:
        found = rng.choices(known, k=rng.randint(0, words))
        if rng.random() < 0.3:
            found.insert(rng.randint(0, len(found)), rng.choice(["xx", "日本", "aé日a"]))
        return " ".join(found) + rng.choice(["", " ", BLANK])

    return [text() for _ in range(count)]


def variants() -> dict[str, tuple[Any, ...]]:
    """Conditions of words being independent, of which each variant breaks one."""
    byte_ids = [5 + byte % 9 for byte in range(256)]
    own_ids = [len(PIECES) + byte for byte in range(256)]
    to_c = charsmap({b"a": b"c", "é".encode(): b""})
    rules = charsmap({b"ab": b"c ", b"b": BLANK.encode(), "a\u0301".encode(): b"aa"})
    return {
        "independent": (PIECES,),
        "bytes": ([*PIECES, *[""] * 256], f"byte_ids {' '.join(map(str, own_ids))}"),
        "bytes that are pieces": (PIECES, f"byte_ids {' '.join(map(str, byte_ids))}"),
        "a byte without an id": (
            [*PIECES, *[""] * 256],
            f"byte_ids {' '.join(map(str, [*own_ids[:0xE9], -1, *own_ids[0xEA:]]))}",
        ),
        "a space inside": ([*PIECES, f"b{BLANK}a"],),
        "runs of spaces": ([*PIECES, BLANK * 2, BLANK * 3, BLANK * 2 + "a"],),
        "a space at the end": ([*PIECES, "b" + BLANK],),
        "no piece of a space": ([piece for piece in PIECES if piece != BLANK],),
        "the unknown piece is a space": ([BLANK, *(piece for piece in PIECES[1:] if piece != BLANK)],),
        "the unknown piece is text": (["ab", *(piece for piece in PIECES[1:] if piece != "ab")],),
        "the user's pieces": ([*PIECES, f"c{BLANK}c"], f"frozen {len(PIECES)} 6"),
        "the user's pieces without spaces": (PIECES, "frozen 3 5 7"),
        "the user's pieces, for whose characters there are rules": (PIECES, "frozen 3 7", f"charsmap {rules.hex()}"),
        "the user's piece of one character": (PIECES, "frozen 4", f"charsmap {to_c.hex()}"),
        "unused pieces": (PIECES, "unused 6 9"),
        "a character that is not a piece": ([*PIECES, "日", "日本", "日a"],),
        "a charsmap": (PIECES, f"charsmap {rules.hex()}"),
    }


@each("model", ["unigram sentencepiece", "sentencepiece_bpe"])
@each("flags", ["1 1 1 0", "1 0 1 0", "0 1 1 0", "1 1 0 0", "1 1 1 1"])
@each("name", variants())
def test_ids_are_those_of_the_text(name: str, flags: str, model: str, tier: str):
    pieces, *lines = variants()[name]
    if "unused" in name and "unigram" in model:
        pytest.skip("Unigram has no such pieces")
    scores = [0.0, *(-1.25 - 0.75 * (7 * id % 23) for id in range(1, len(pieces)))]
    check(*build(model, pieces, scores, *lines, flags=flags), [*random_texts(1, 60, 12), "a\u0301 xa\u0301b"])


def test_merges_of_equal_scores(tier: str):
    scores = [score if id < 9 else -3.0 for id, score in enumerate(DISTINCT)]
    check(*build("sentencepiece_bpe", PIECES, scores), random_texts(2, 60, 12))


def texts_with_runs(seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    words = ["", "a", "ab", "aba", "é", "日", "\n", "abcabcabcabcabcabc", "aa" * 40]
    runs = [" " * rng.choice([0, 1, 2, 3, rng.randint(4, 40), 300]) for _ in range(5 * count)]
    return ["".join(run + rng.choice(words) for run in runs[5 * i : 5 * i + 5]) for i in range(count)]


@pytest.mark.check
@each("sizes", [(2, 3, 4, 5, 6, 7, 8), (2, 4, 8, 16), (2, 3, 5, 7, 8, 9, 12), (3, 4), (2,), (2, 256), (2, 257)])
@each("more", ["", "  a", "ca"])
@each("score", [-100.0, -3.0])
def test_runs_of_spaces_of_one_score(sizes: tuple[int, ...], more: str, score: float, tier: str):
    """Of the pieces that merge, the leftmost counts, as these are the last ones; other pieces of the score, or with such
    runs, are another rule.
    """
    runs = [BLANK * size for size in sizes]
    pieces = [*PIECES, *runs, *([more.replace(" ", BLANK)] if more else [])]
    scores = [*DISTINCT, *([score] * (len(pieces) - len(PIECES)))]
    for flags in ("1 0 1 0", "0 0 1 0"):
        check(*build("sentencepiece_bpe", pieces, scores, flags=flags), texts_with_runs(len(sizes), 12))


def test_pieces_in_any_order():
    """Merging makes some pieces out of parts of greater scores, some out of others, and some never."""
    rng = random.Random(1)
    for _ in range(40):
        more = {BLANK * rng.randint(0, 1) + "".join(rng.choices("abé", k=rng.randint(2, 9))) for _ in range(40)}
        pieces = ["", BLANK, *"abcé", *rng.sample(sorted(more), len(more))]
        scores = [-0.5 * id for id in range(len(pieces))]
        check(*build("sentencepiece_bpe", pieces, scores), [*random_texts(rng.randint(0, 99), 9, 9), *more])


@each("factor", [0.1, 0.7, 1e-4, 1e-12, 1e4, 1e12])
def test_sums_in_single_precision(factor: float, tier: str):
    """Many ways have nearly equal sums, between which rounding chooses, by the sum before the word."""
    rng = random.Random(str(factor))
    for _ in range(3):
        rounded = [struct.unpack("<f", struct.pack("<f", -factor * rng.randint(1, 5)))[0] for _ in PIECES]
        scores = [score * rng.choice([1, 1, 1 + 2**-20, 1 + 2**-14]) for score in rounded]
        check(*build("unigram sentencepiece", PIECES, scores), random_texts(rng.randint(0, 99), 6, 1500))


@pytest.mark.parametrize("score", [0.0, 1e300, -1e300, 3.5])
def test_other_scores(score: float):
    scores = [score if id % 5 == 3 else one for id, one in enumerate(DISTINCT)]
    for model in ("unigram sentencepiece", "sentencepiece_bpe"):
        if abs(score) < 1e30 or "bpe" in model:
            check(*build(model, PIECES, scores), random_texts(3, 20, 30))


@pytest.mark.parametrize("flags", ["1 1 1 0", "1 0 1 0", "1 1 0 0", "1 1 1 1"])
def test_characters_that_stay_are_found_in_blocks(flags: str, tier: str):
    """Runs of ASCII that end at each place of a block, by characters with rules or without."""
    rules = charsmap({"a\u0301".encode(): b"b", b"\t": b" ", b"\x01": b"", "\u0301".encode(): b"c"})
    ends = ["\u0301", "\t", "  ", "\n", "\x01", "\x7f", "é", "\0", " \u0301", BLANK]
    sizes = [0, 1, 6, 7, 8, 9, *range(61, 67), 127, 128, 129]
    texts = [
        ("ab c" * 40)[:before] + end + ("cab " * 40)[:after] for end in ends for before in sizes for after in (0, 3, 70)
    ]
    check(*build("unigram sentencepiece", PIECES, DISTINCT, f"charsmap {rules.hex()}", flags=flags), texts)


@pytest.mark.parametrize("model", ["unigram sentencepiece", "sentencepiece_bpe"])
def test_long_words_that_come_again(model: str):
    """Ids of long words are kept within a call, of some hundred KB, but not in calls of few bytes."""
    table, _ = build(model, PIECES, DISTINCT)
    rng = random.Random(3)
    words = ["".join(rng.choices("abcé", k=rng.randint(16, 40))) for _ in range(8000)]
    words += ["é" * size for size in range(120, 136)]  # around the most bytes of a word that is kept
    texts = [word.encode() for word in [*words, *rng.sample(words, len(words)), *words[:1000], *words[:1000]]]
    ids, row_splits = torch.ops.stringops.subword_encode(*compact(texts), table)
    few = 3
    parts = [
        torch.ops.stringops.subword_encode(*compact(texts[first : first + few]), table)
        for first in range(0, len(texts), few)
    ]
    assert torch.equal(ids, torch.cat([part[0] for part in parts]))
    assert torch.equal(row_splits.diff(), torch.cat([part[1].diff() for part in parts]))
