"""Operators that take strings from other strings: _string_gather, _string_where, _string_masked_select, _string_cat."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from reference.gather import string_cat_ref, string_gather_ref, string_masked_select_ref, string_where_ref
from support import draws, large, strategies
from support.cases import each
from support.harness import Call, OpSuite, OpTests, call, check_malformed_lists
from support.strings import shape_of

WORDS = [b"to", b"", b"caf\xc3\xa9", b"x" * 70, b"or not to be"]
ROWS = [[b"a", b"bc"], [b"", b"d" * 40], [b"ef", b"g"]]
MANY = WORDS * 1500
EMPTY_ROWS: list[Any] = [[], []]
LONGEST = (16, 32, 64, 128, 300)  # bytes, by which the way to copy strings is chosen

ALIKE = "cat: expected `strings` of the same shape in all axes but `joined`, got another for tensor 1"


def index(values: Any, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    return torch.tensor(values, dtype=dtype)


def mask(values: Any) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.bool)


def of_lengths(longest: int) -> list[bytes]:
    """Strings of more than two blocks, of 0 to `longest` bytes."""
    return [bytes((i + j) % 256 for j in range(i * 7 % (longest + 1))) for i in range(2500)]


def percent(share: int) -> torch.Tensor:
    return mask([i * 7919 % 100 < share for i in range(2500)])


def count(strings: Any) -> int:
    return torch.Size(shape_of(strings)).numel()


lists = st.lists(strategies.tensors, min_size=1, max_size=4)


@st.composite
def gathers(draw: st.DrawFn) -> Call:
    tensors = draw(lists)
    total = sum(map(count, tensors))
    dtype = draw(st.sampled_from([torch.int32, torch.int64]))
    shape = draw(st.lists(st.integers(0, 5), min_size=1, max_size=3)) if total else [0]
    positions = [draw(st.integers(-total, total - 1)) for _ in range(torch.Size(shape).numel())]
    return call(tensors, index(positions, dtype).reshape(shape))


def drawn_gather(rng: draws.Random, n: int) -> Call:
    tensors = [draws.strings(rng, max(n // 3, 1)) for _ in range(rng.choice([1, 2, 3]))]
    total = sum(map(count, tensors))
    dtype = rng.choice([torch.int32, torch.int64])
    return call(tensors, index([rng.randrange(-total, total) for _ in range(n if total else 0)], dtype))


def too_large_gather() -> Iterator[tuple[str, Call]]:
    strings = [[large.MEBIBYTE]]
    yield large.BYTES, call(strings, large.repeated(0, (2048,)))
    yield (r"expected `positions` of at most 2147483647 elements, got \d+", call(strings, large.repeated(0, (2**31,))))
    yield large.OFFSETS, call(strings, large.repeated(0, (2**30, 1)))


class TestGather(OpTests):
    suite = OpSuite(
        op="_string_gather",
        reference=string_gather_ref,
        samples=[
            call([WORDS], index([3, 0, -1, 0, 2])),
            call([WORDS, ROWS], index([[10, 4], [5, -11]], torch.int32)),
            call([ROWS, ROWS, WORDS], index([[16], [0], [6]])),
            call([WORDS], index([])),
            call([[]], index([])),
            call([EMPTY_ROWS, WORDS], torch.zeros(2, 0, dtype=torch.int64)),
            call([MANY, WORDS], index(range(7504, -1, -1))),
            *(call([of_lengths(n)], index([i * 7919 % 2500 for i in range(2500)])) for n in LONGEST),
        ],
        strategy=gathers(),
        draw=drawn_gather,
        small=call([[b"ab c", b"d"]], index([1, 0])),
        too_large=too_large_gather,
        name_in_errors="StringTensor",
        errors=[
            (call([WORDS], index([0.0], torch.float32)), "expected `positions` to be int32 or int64, got float32"),
            (call([WORDS], torch.tensor(0)), "expected `positions` of rank >= 1, got a scalar (use .reshape(1))"),
            (call([], index([0])), "expected `strings` to be data and offsets of at least one tensor, got 0 tensors"),
        ],
    )

    @each("bad", [5, -6, 2**31, -(2**63), 2**63 - 1])
    @each("tensors", [[WORDS], [WORDS[:2], WORDS[2:]]])
    def test_positions_out_of_bounds(self, tensors: Any, bad: int) -> None:
        args, _ = self.suite.tensors(call(tensors, index([0, bad, 7])))
        with pytest.raises((IndexError, RuntimeError), match=f"index {bad} is out of bounds for 5 strings"):
            self.suite.overload(*args)

    def test_malformed_strings_of_a_list_are_rejected(self) -> None:
        check_malformed_lists(self.suite, index([-1, -2, -3]))


@st.composite
def wheres(draw: st.DrawFn) -> Call:
    pairs = strategies.tensors_of(st.tuples(st.booleans(), strategies.strings, strategies.strings))
    drawn = draw(pairs)

    def part(i: int, level: Any) -> Any:
        return [part(i, inner) for inner in level] if isinstance(level, list) else level[i]

    condition = mask(part(0, drawn)).reshape(shape_of(drawn))
    strings = [draw(st.sampled_from([part(i, drawn), [b"one"]])) for i in (1, 2)]
    return call(condition, *strings)


def drawn_where(rng: draws.Random, n: int) -> Call:
    strings, other = ([draws.string(rng) for _ in range(n)] for _ in range(2))
    return call(mask([rng.random() < 0.5 for _ in range(n)]), strings, rng.choice([other, other[:1]]))


def too_large_where() -> Iterator[tuple[str, Call]]:
    one = [large.MEBIBYTE]
    yield large.BYTES, call(large.repeated(1, (2048,), torch.bool), one, one)
    yield large.OFFSETS, call(large.repeated(1, (2**30, 1), torch.bool), one, one)


class TestWhere(OpTests):
    suite = OpSuite(
        op="_string_where",
        reference=string_where_ref,
        samples=[
            call(mask([1, 0, 0, 1, 1]), WORDS, WORDS[::-1]),
            call(mask([[1, 0], [0, 0], [1, 1]]), ROWS, [b"one"]),
            call(mask([1, 0, 1]), [b"one"], [[b"two"]]),
            call(mask([]), [], [b"one"]),
            call(mask(EMPTY_ROWS), EMPTY_ROWS, EMPTY_ROWS),
            call(mask([i % 3 == 0 for i in range(7500)]), MANY, MANY[::-1]),
            *(call(percent(50), of_lengths(n), of_lengths(n)[::-1]) for n in LONGEST),
        ],
        strategy=wheres(),
        draw=drawn_where,
        small=call(mask([1, 0]), [b"ab c", b"d"], [b"ab c", b"d"]),
        too_large=too_large_where,
        name_in_errors="where",
        errors=[
            (
                call(index([1, 0]), WORDS, WORDS),
                "expected `condition` to be bool, got int64 (convert with .to(torch.bool))",
            ),
            (
                call(torch.tensor(True), [b"a"], [b"b"]),
                "expected `condition` of rank >= 1, got a scalar (use .reshape(1))",
            ),
            (
                call(mask([1, 0]), WORDS, [b"a"]),
                "expected strings of shape [2] like `condition`, or a single string, got shape [5]",
            ),
        ],
    )


@st.composite
def selections(draw: st.DrawFn) -> Call:
    strings = draw(strategies.tensors)
    # Runs of equal values, as masks that are mostly true are read in runs.
    runs = draw(st.lists(st.tuples(st.booleans(), st.integers(1, 9)), min_size=1))
    values = [keep for keep, n in runs for _ in range(n)]
    total = count(strings)
    repeated = (values * (total // len(values) + 1))[:total]
    return call(strings, mask(repeated).reshape(shape_of(strings)))


def drawn_selection(rng: draws.Random, n: int) -> Call:
    strings = draws.strings(rng, n)
    density = rng.choice([0.01, 0.5, 0.9, 1.0])
    return call(
        strings, torch.tensor([rng.random() < density for _ in range(count(strings))]).reshape(shape_of(strings))
    )


class TestMaskedSelect(OpTests):
    suite = OpSuite(
        op="_string_masked_select",
        reference=string_masked_select_ref,
        samples=[
            call(WORDS, mask([1, 0, 0, 1, 1])),
            call(ROWS, mask([[1, 0], [0, 1], [1, 1]])),
            call([], mask([])),
            call(EMPTY_ROWS, mask(EMPTY_ROWS)),
            call(MANY, mask([i % 3 == 0 for i in range(7500)])),
            call(MANY, mask([i % 70 != 0 for i in range(7500)])),
            *(call(of_lengths(n), percent(share)) for n in LONGEST for share in (2, 20, 90)),
        ],
        strategy=selections(),
        draw=drawn_selection,
        small=call([b"ab c", b"d"], mask([0, 1])),
        name_in_errors="StringTensor",
        too_large=lambda: [
            (large.STRINGS, call(large.same_rows(large.MEBIBYTE, 2048), large.repeated(1, (2048, 1), torch.bool)))
        ],
        errors=[
            (call(WORDS, index([1] * 5)), "expected `mask` to be bool, got int64 (convert with .to(torch.bool))"),
            (call(WORDS, mask([1])), "expected `mask` of shape [5], got shape [1]"),
        ],
    )


def drawn_cat(rng: draws.Random, n: int) -> Call:
    tensors = [draws.strings(rng, max(n // 4, 1)) for _ in range(4)]
    return call(tensors, [sum(map(count, tensors))])


def too_large_cat() -> Iterator[tuple[str, Call]]:
    yield large.BYTES, call([[large.MEBIBYTE * 512]] * 4, [4])


class TestCat(OpTests):
    suite = OpSuite(
        op="_string_cat",
        reference=string_cat_ref,
        samples=[
            call([WORDS, WORDS[:2], []], [7]),
            call([WORDS[:1], [], WORDS[:2]], [3]),  # as many strings as tensors
            call([WORDS, ROWS], [-1]),
            call([ROWS, ROWS], [6, 2]),
            call([ROWS, WORDS[:2]], [2, 4]),
            call([ROWS], [1, 2, 3]),
            call([[], []], [0, 3]),
            call([EMPTY_ROWS], [3, 0]),
            call([MANY, [[word] for word in MANY], MANY], [3, 7500]),
            call([[word] for word in MANY[:40]], [40], "stack"),
            call([WORDS, WORDS[:2], []], [-1], "cat", 0),
            call([ROWS, ROWS[:1]], [4, 2], "cat", 0),
            call([ROWS, ROWS], [2, 3, 2], "stack", 2),
        ],
        strategy=lists.map(lambda tensors: call(tensors, [sum(map(count, tensors))])),
        draw=drawn_cat,
        small=call([[b"ab c"], [b"d"]], [2]),
        too_large=too_large_cat,
        name_in_errors="cat",
        errors=[
            (call([WORDS], [4]), "expected `shape` of 5 strings, got [4]"),
            (call([WORDS], [], "stack"), "stack: expected `shape` of 1 to 64 sizes, got 0"),
            (call([WORDS, ROWS, WORDS], [-1], "cat", 0), ALIKE),
            (call([ROWS, ROWS, ROWS[:2]], [8, 2], "cat", 1), ALIKE.replace("1", "2")),
            (call([WORDS], [-1, -5]), "expected `shape` of 5 strings, got [-1, -5]"),
        ],
    )
