"""string_unique and _string_unique_sorted."""

from collections.abc import Iterator

import torch
from hypothesis import strategies as st
from ops.test_vocabulary import HARD
from reference.vocabulary import string_unique_ref, string_unique_sorted_ref
from support import draws, large, strategies
from support.harness import Call, OpSuite, OpTests, call
from support.strings import compact, decode

from torch_stringops import StringTensor, string_unique

WORDS = [b"", b"a", b"a\x00", b"b" * 11, b"b" * 12, b"b" * 11 + b"c", b"x" * 500, b"x" * 499 + b"y"]


@st.composite
def repeated(draw: st.DrawFn) -> list[bytes]:
    pool = draw(st.lists(strategies.strings, min_size=1, max_size=6))
    return draw(st.lists(st.sampled_from(pool), max_size=40))


def drawn_repeated(rng: draws.Random, n: int) -> Call:
    pool = [draws.string(rng) for _ in range(rng.choice([1, 5, 100, n]))]
    return call([rng.choice(pool) for _ in range(n)])


def too_large_distinct() -> Iterator[tuple[str, Call]]:
    data = torch.arange(2**19 + 1024, dtype=torch.int16).view(torch.uint8)
    windows = torch.arange(2048, dtype=torch.int32)[:, None] + large.int32(0, 2**20)
    yield large.STRINGS, call((data, windows))


class TestStringUnique(OpTests):
    suite = OpSuite(
        op="string_unique",
        reference=string_unique_ref,
        samples=[
            call([b"to", b"be", b"or", b"not", b"to", b"be"]),
            call([]),
            call([[b"", b"a"], [b"a", b""]]),
            call([WORDS, WORDS[::-1]]),
            # More distinct strings than the initial table holds, short and long, each several times.
            call([b"%d" % (i % 3000) * (1 + i % 5) for i in range(9000)]),
        ],
        strategy=st.one_of(strategies.tensors, repeated()).map(call),
        draw=drawn_repeated,
        too_large=too_large_distinct,
        parallel=False,
    )


# Strings that the first eight bytes, or the bytes after any number of eight, do not tell apart.
PREFIXES = [b"", b"1234567", b"12345678", b"123456789", b"p" * 300, b"p" * 301, b"p" * 5000]
ALIKE = [prefix + tail for prefix in PREFIXES for tail in [b"", b"\x00", b"\x00\x00", b"\x7f", b"\xff" * 9, *HARD]]


def drawn_alike(rng: draws.Random, n: int) -> Call:
    pool = [rng.choice(PREFIXES[:-1]) + draws.string(rng) for _ in range(rng.choice([5, 100, n]))]
    return call([rng.choice(pool) for _ in range(n)], by_count=rng.choice([False, True]))


class TestStringUniqueSorted(OpTests):
    suite = OpSuite(
        op="_string_unique_sorted",
        reference=string_unique_sorted_ref,
        samples=[
            call([b"to", b"be", b"or", b"not", b"to", b"be"]),
            call([]),
            call([[b"", b"a"], [b"a", b""]]),
            call([ALIKE, ALIKE[::-1]]),
            call([b"%d" % (i * 7919 % 3000) * (1 + i % 5) for i in range(9000)]),
            call([b"https://example.com/%d/%d" % (i % 7, i * 7919 % 3000) for i in range(3000)]),
            call([b"or", b"be", b"to", b"be"], by_count=True),
            # Counts below 1,024 and above.
            call([b"%d" % (i % 7 if i % 8 else i % 97) for i in range(9000)], by_count=True),
        ],
        strategy=st.builds(
            call, st.one_of(strategies.tensors, repeated(), st.lists(st.sampled_from(ALIKE))), by_count=st.booleans()
        ),
        draw=drawn_alike,
        too_large=too_large_distinct,
        parallel=False,
        name_in_errors="string_unique",
    )


def test_sorted_strings_that_differ_from_all_others_one_after_the_other():
    words = [b"x" * (40_000 - 100 * i) + b"y" * (100 * i) for i in range(300)]
    unique_data, unique_offsets, inverse, _ = torch.ops.stringops._string_unique_sorted(*compact(words))
    assert decode(unique_data, unique_offsets) == words
    assert torch.equal(inverse, torch.arange(300))


def test_rows_that_overlap():
    data, _ = compact([b"ababab"])
    offsets = torch.tensor([[0, 2, 4], [1, 3, 5], [2, 4, 6]], dtype=torch.int32)
    unique_data, unique_offsets, inverse, counts = torch.ops.stringops.string_unique(data, offsets)
    assert decode(unique_data, unique_offsets) == [b"ab", b"ba"]
    assert inverse.tolist() == [[0, 0], [1, 1], [0, 0]]
    assert counts.tolist() == [4, 2]


def test_empty_dimensions():
    data = torch.empty(0, dtype=torch.uint8)
    for shape in [(0, 4), (3, 1), (2, 0, 5)]:
        result = torch.ops.stringops.string_unique(data, torch.zeros(shape, dtype=torch.int32))
        assert [list(r.shape) for r in result] == [[0], [1], [*shape[:-1], shape[-1] - 1], [0]]


def test_many_distinct_strings():
    words = [b"%d" % i for i in range(60_000)]
    unique_data, unique_offsets, inverse, counts = torch.ops.stringops.string_unique(*compact([*words, *words]))
    assert decode(unique_data, unique_offsets) == words
    assert inverse.tolist() == [*range(60_000)] * 2
    assert counts.eq(2).all()


def test_a_string_of_rank_0_keeps_its_rank():
    unique, inverse, counts = string_unique(StringTensor.from_list("word"))
    assert unique.tolist() == ["word"]
    assert inverse.shape == ()
    assert counts.tolist() == [1]
