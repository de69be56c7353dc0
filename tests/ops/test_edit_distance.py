"""string_edit_distance of all pairs, of long strings and up to a limit, against rapidfuzz; it has an OpSuite too."""

import random
import time

import numpy as np
import pytest
import torch
from rapidfuzz.distance import Levenshtein
from reference.compare import string_edit_distance_ref
from support.cases import each

from torch_stringops import StringTensor, string_edit_distance

ALPHABETS = {
    "two": "ab",
    "dna": "ACGT",
    "latin": "abcdefghijklmnopqrstuvwxyz",
    "cyrillic": "".join(map(chr, range(0x430, 0x450))),
    "han": "".join(map(chr, range(0x4E00, 0x4E00 + 3000))),
    "mixed": "ab\xe9\xff\u0100\u3042\U0001f600\U0001f601\udc80\udcff",  # two bytes of no character
}
SIZES = [0, 1, 7, 8, 9, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129]


def encoded(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def edited(rng: random.Random, text: str, alphabet: str, edits: int) -> str:
    units = list(text)
    for _ in range(edits):
        at = rng.randrange(len(units) + 1)
        units[at : at + rng.randrange(2)] = rng.choices(alphabet, k=rng.randrange(2))
    return "".join(units)


def drawn(rng: random.Random, alphabet: str, sizes: list[int], count: int) -> list[str]:
    """Random strings, of which a half are others with some edits."""
    texts = ["".join(rng.choices(alphabet, k=size)) for size in rng.choices(sizes, k=count)]
    return [edited(rng, rng.choice(texts), alphabet, rng.randrange(6)) if rng.random() < 0.5 else t for t in texts]


def tensor(texts: list[str]) -> StringTensor:
    return StringTensor.from_list([encoded(text) for text in texts])


def distances(left: list[str], right: list[str]) -> np.ndarray:
    return np.array([[Levenshtein.distance(a, b) for b in right] for a in left]).reshape(len(left), -1)


@each("alphabet", ALPHABETS)
def test_all_pairs(alphabet: str, tier: str) -> None:
    rng = random.Random(alphabet)
    letters = ALPHABETS[alphabet]
    for sizes, n, m in (
        (SIZES, 70, 130),
        ([3, 5, 8], 300, 90),
        (range(6, 20), 20, 1100),
        ([200, 600, 20], 9, 11),
    ):
        left, right = drawn(rng, letters, list(sizes), n), drawn(rng, letters, list(sizes), m)
        want = distances(left, right)
        a, b = tensor(left), tensor(right)
        grid = string_edit_distance(a[:, None], b[None])
        assert np.array_equal(grid.numpy(), want)
        assert np.array_equal(string_edit_distance(b, a[:, None]).numpy(), want)
        assert np.array_equal(string_edit_distance(a[None], b[:, None]).numpy(), want.T)
        assert np.array_equal(string_edit_distance(a[:1], b).numpy(), want[0])
        for limit in (0, 1, 2, 10, 64, 500):
            got = string_edit_distance(a[:, None], b, max_distance=limit)
            assert np.array_equal(got.numpy(), np.minimum(want, limit + 1))


@each("alphabet", ALPHABETS)
def test_pairs_of_short_strings(alphabet: str, tier: str) -> None:
    """Around the sizes of vectors and words, in one call, so that short and long ones are in a block."""
    rng = random.Random(alphabet)
    letters = ALPHABETS[alphabet]
    texts = drawn(rng, letters, [*SIZES, 15, 32, 62], 700)
    others = [edited(rng, text, letters, rng.randrange(5)) if rng.random() < 0.7 else "" for text in texts]
    want = np.array([Levenshtein.distance(a, b) for a, b in zip(texts, others, strict=True)])
    a, b = tensor(texts), tensor(others)
    assert np.array_equal(string_edit_distance(a, b).numpy(), want)
    assert np.array_equal(string_edit_distance(b, a).numpy(), want)
    want_bytes = [Levenshtein.distance(*map(encoded, pair)) for pair in zip(texts, others, strict=True)]
    assert string_edit_distance(a, b, unit="byte").tolist() == want_bytes
    for limit in (0, 1, 2, 3, 4, 16, 17, 40, 64):
        got = string_edit_distance(a, b, max_distance=limit)
        assert np.array_equal(got.numpy(), np.minimum(want, limit + 1)), limit
    for one in (0, 3, 200):
        want_one = distances(texts[one : one + 1], others)[0]
        assert np.array_equal(string_edit_distance(a[one], b).numpy(), want_one)
        got = string_edit_distance(b, a[one], max_distance=9)
        assert np.array_equal(got.numpy(), np.minimum(want_one, 10))


def test_code_points_and_faults_at_the_ends_of_blocks(tier: str) -> None:
    """Whether bytes are one code point must not depend on where they are; each is put around the 64th byte."""
    parts = ["\xe9", "\u0e01", "\u4e2d", "\ud7ff", "\ue000", "\U00010000", "\U0001f600", "\U0010ffff", "\0"]
    faults = [
        b"\x80", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf", b"\xe4\xb8",
    ]  # fmt: skip
    faults += [
        b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xff", b"\xf0\x9f\x98", b"\xc3", b"\xed\xff", b"\xe4\xb8\xad\x80",
    ]  # fmt: skip
    middles = [*(part.encode() for part in parts), *faults]
    texts = [b"a" * k + middle + b"b" * n for k in (0, *range(57, 66), 121) for middle in middles for n in (0, 70)]
    others = texts[1:] + texts[:1]
    left, right = ([t.decode(errors="surrogateescape") for t in some] for some in (texts, others))
    want = np.array([Levenshtein.distance(a, b) for a, b in zip(left, right, strict=True)])
    a, b = tensor(left), tensor(right)
    assert np.array_equal(string_edit_distance(a, b).numpy(), want)
    for limit in (0, 2, 5):
        got = string_edit_distance(a, b, max_distance=limit)
        assert np.array_equal(got.numpy(), np.minimum(want, limit + 1))
    reversed_texts = [t[::-1].encode(errors="surrogateescape") for t in left]
    assert a.reverse().equal(StringTensor.from_list(reversed_texts))


def test_axes_of_all_pairs() -> None:
    rng = random.Random(0)
    left, right = drawn(rng, "abc", [4, 9], 12), drawn(rng, "abc", [4, 9, 20], 10)
    want = torch.from_numpy(distances(left, right))
    a, b = tensor(left), tensor(right)
    for x, y, shape in (
        (a.reshape(3, 4, 1), b, (3, 4, 10)),
        (a.reshape(12, 1, 1), b.reshape(2, 5), (12, 2, 5)),
        (a.reshape(3, 4, 1, 1), b.reshape(1, 2, 5), (3, 4, 2, 5)),
        (a.reshape(3, 1, 4, 1, 1), b.reshape(1, 1, 2, 5), (3, 1, 4, 2, 5)),
    ):
        assert torch.equal(string_edit_distance(x, y), want.reshape(shape))
    # The axes of one operand are between those of the other.
    got = string_edit_distance(a.reshape(3, 1, 4, 1), b.reshape(2, 1, 5))
    assert torch.equal(got, want.reshape(3, 4, 2, 5).permute(0, 2, 1, 3))
    assert string_edit_distance(a[:0, None], b).shape == (0, 10)


@each("alphabet", ALPHABETS)
def test_pairs_of_long_strings(alphabet: str, tier: str) -> None:
    rng = random.Random(alphabet)
    letters = ALPHABETS[alphabet]
    pairs = []
    for size in (65, 128, 511, 512, 513, 1024, 1025, 2100):
        text = "".join(rng.choices(letters, k=size))
        pairs += [(text, edited(rng, text, letters, edits)) for edits in (1, 5, size // 20, size // 3)]
        pairs.append((text, "".join(rng.choices(letters, k=size * 2 // 3))))
        pairs.append((text[: size // 2] * 2, text[size // 3 :] + text[: size // 3]))  # moved
    left, right = map(list, zip(*pairs, strict=True))
    want = np.array([Levenshtein.distance(a, b) for a, b in pairs])
    a, b = tensor(left), tensor(right)
    assert np.array_equal(string_edit_distance(a, b).numpy(), want)
    assert np.array_equal(string_edit_distance(b, a).numpy(), want)
    for limit in (0, 3, 64, 100, 700):
        got = string_edit_distance(a, b, max_distance=limit)
        assert np.array_equal(got.numpy(), np.minimum(want, limit + 1))


def test_similar_strings_of_a_million_units_take_a_band() -> None:
    """A full matrix takes seconds."""
    rng = random.Random(0)
    text = "".join(rng.choices(ALPHABETS["latin"], k=10**6))
    other = edited(rng, text, ALPHABETS["latin"], 100)
    a, b = tensor([text]), tensor([other])
    start = time.process_time()
    distance = string_edit_distance(a, b).item()
    assert string_edit_distance(a, b, max_distance=20).item() == 21
    assert string_edit_distance(a, text[:-50], max_distance=20).item() == 21
    assert time.process_time() - start < 3
    assert distance == Levenshtein.distance(text, other, score_cutoff=200)


def test_many_distinct_code_points() -> None:
    """As many as a block has, of which tables have been cleared after each pair."""
    ranges = [range(0x3041, 0x3041 + 64), range(0x4E00, 0x4E00 + 64 * 128, 128), range(0x41, 0x41 + 64)]
    texts = ["".join(map(chr, r)) for r in ranges]
    texts += [text[::-1] for text in texts] + [text[:20] + "\u3042" + text[30:] for text in texts]
    for other in texts:
        want = [string_edit_distance_ref(text.encode(), other.encode()) for text in texts]
        assert StringTensor.from_list(texts).edit_distance(other).tolist() == want


def test_known_distances_of_several_strips() -> None:
    """The strings have no unit in common but those inserted."""
    for size in (4096, 4097, 9000):
        s = StringTensor.from_list(["a" * size])
        others = ["b" * size, "b" * (size + 5), "a" * 10 + "b" * size]
        assert s.edit_distance(others).tolist() == [size, size + 5, size]
        assert s.edit_distance("b" * 70 + "a" * (size - 100) + "c" * 70).tolist() == [140]


def test_limits() -> None:
    s = StringTensor.from_list(["kitten"])
    for limit, want in ((0, 1), (2, 3), (3, 3), (2**63 - 1, 3), (None, 3)):
        assert s.edit_distance("sitting", max_distance=limit).item() == want
    with pytest.raises(ValueError, match=r"expected `max_distance` within \[-2\*\*63"):
        s.edit_distance("sitting", max_distance=2**63)
    with pytest.raises(TypeError, match="expected `max_distance` to be int, got str"):
        s.edit_distance("sitting", max_distance="2")
