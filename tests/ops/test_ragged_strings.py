"""ragged_to_dense of strings, which are padded with a string."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference.ragged_strings import strings_to_dense_ref
from support import draws, large, strategies
from support.cases import each
from support.harness import Call, OpSuite, OpTests, call
from support.ragged import lengths_lists, sides, splits, strided, widths
from support.strings import compact

import torch_stringops
from torch_stringops import StringTensor, ragged_to_dense

WORDS = ["a", "", "ccc", "dd", "é"]

IDS = torch.tensor([7, 8, 9, 5, 6])
SPLITS = torch.tensor([0, 3, 3, 5])


PADDINGS = ["<pad>", "é", "\0", "", "-" * 100, "=" * 5000]


@st.composite
def calls(draw: st.DrawFn) -> Call:
    row_splits = splits(draw(lengths_lists))
    total = int(row_splits[-1])
    cols = draw(st.integers(0, 3))
    flat = draw(st.lists(strategies.strings, min_size=1, max_size=6))
    strings: list[Any] = [flat[i % len(flat)] for i in range(total * max(cols, 1))]
    if cols:
        strings = [strings[i : i + cols] for i in range(0, total * cols, cols)]
    width = draw(widths)
    limits: dict[str, int | None] = {}
    if width is None:
        low = draw(st.integers(0, 20))
        limits = {"max_width": draw(st.one_of(st.none(), st.integers(low, 50))), "min_width": low}
        limits["pad_to_multiple_of"] = draw(st.integers(1, 9))
    if draw(st.booleans()):
        row_splits = strided(row_splits)
    return call(strings, row_splits, width, draw(st.sampled_from(PADDINGS)), draw(sides), **limits)


def drawn(rng: draws.Random, n: int) -> Call:
    strings = draws.strings(rng, n)
    cuts = sorted(rng.randrange(len(strings) + 1) for _ in range(n // rng.choice([1, 5, 50])))
    row_splits = torch.tensor([0, *cuts, len(strings)])
    return call(strings, row_splits, rng.randrange(9), rng.choice(PADDINGS[:4]), rng.choice(["left", "right"]))


def too_large() -> Iterator[tuple[str, Call]]:
    few, three = [b"a", b"b", b"c"], torch.tensor([0, 3])
    yield large.WIDTH, call(few, three, 2**31, "x", "right")
    yield (
        r"padding 1 rows to 1000000000 elements with 5 bytes each needs 4999999985 bytes",
        call(few, three, 10**9, "<pad>", "left"),
    )
    yield large.BYTES, call([large.MEBIBYTE], torch.tensor([0, 1]), 2048, large.MEBIBYTE.decode(), "right")
    yield large.OFFSETS, call([[b""] * 40, [b""] * 40], torch.tensor([0, 2]), 10**8, "", "right")
    yield large.ROW_SPLITS, call([], large.repeated(0, (2**31,)), 1, "x", "right")


class TestStringsToDense(OpTests):
    suite = OpSuite(
        op="_strings_to_dense",
        reference=strings_to_dense_ref,
        samples=[
            call([b"a", b"", b"ccc", b"dd", b"e"], SPLITS, None, "<pad>", "right"),
            call([b"a", b"", b"ccc", b"dd", b"e"], SPLITS, 2, "<pad>", "left"),
            call([[b"a", b"b"], [b"", b"d" * 40]], torch.tensor([0, 2, 2]), 3, "x", "left"),
            call([[], []], torch.tensor([0, 2, 2]), 3, "x", "right"),
            call([], torch.tensor([0]), 3, "x", "right"),
            call([], torch.tensor([0, 0]), 200, "x", "right"),
            call([b"a"], torch.tensor([0, 1]), 0, "x", "right"),
            call([b"a"], torch.tensor([0, 0, 1]), None, "x", "right", min_width=3, pad_to_multiple_of=4),
            call([b"word"] * 26983, splits([n % 19 for n in range(3000)]), None, "<pad>", "right"),
        ],
        strategy=calls(),
        draw=drawn,
        small=call([b"ab c", b"d"], torch.tensor([0, 2, 2]), 2, "x", "right"),
        too_large=too_large,
        name_in_errors="ragged_to_dense",
        errors=[
            (
                call([b"a"], torch.tensor([0, 1], dtype=torch.int32), 1, "x", "right"),
                "expected `row_splits` to be int64, got int32 (convert with .to(torch.int64))",
            ),
            (call([b"a"], torch.tensor([0, 1]), -1, "x", "right"), "expected `width` >= 0 or None, got -1"),
            (call([b"a"], torch.tensor([0, 1]), 1, "x", "up"), "expected `side` to be 'left' or 'right', got 'up'"),
        ],
    )


@pytest.mark.parametrize("padding", ["", "<pad>"])
@given(lengths=lengths_lists, width=widths, side=sides)
def test_strings_match_their_indices(padding: str, lengths: list[int], width: int | None, side: str):
    total = sum(lengths)
    words = [WORDS[i % 5] + str(i) for i in range(total)]
    indices = ragged_to_dense(torch.arange(total), splits(lengths), width, -1, side)
    want = [[padding if i < 0 else words[i] for i in row] for row in indices.tolist()]
    strings = StringTensor(*compact([b"skipped", *(w.encode() for w in words)]))
    strings = StringTensor(strings.data, strings.offsets[1:])
    got = ragged_to_dense(strings, splits(lengths), width, padding, side)
    assert got.tolist() == want
    assert tuple(got.shape) == tuple(indices.shape)
    if not padding:
        assert got.data is strings.data


@pytest.mark.parametrize("padding", ["", b"", "<pad>", b"<pad>"])
def test_rows_of_strings_are_elements(padding: str | bytes):
    strings = StringTensor.from_list([["a", "b"], ["c", "d"], ["e", "f"]])
    got = ragged_to_dense(strings, splits([2, 0, 1]), padding_value=padding)
    pad = [StringTensor.from_list(padding).item()] * 2
    assert got.tolist() == [[["a", "b"], ["c", "d"]], [pad, pad], [["e", "f"], pad]]


@each("padding", ["", "<pad>"])
@each(("limits", "width"), [
    ({"max_width": 2}, 2), ({"max_width": 9}, 3), ({"min_width": 5}, 5), ({"pad_to_multiple_of": 4}, 4),
    ({"max_width": 2, "pad_to_multiple_of": 8}, 8),
    ({"max_width": 5, "min_width": 5, "pad_to_multiple_of": 5}, 5),
])  # fmt: skip
def test_limits_of_the_width(limits: dict[str, int], width: int, padding: str):
    for side in ("right", "left"):
        want = ragged_to_dense(IDS, SPLITS, width, side=side)
        assert torch.equal(ragged_to_dense(IDS, SPLITS, side=side, **limits), want)
        assert torch.equal(torch_stringops.ragged_mask(SPLITS, want.shape[1], side), want != 0)
        strings = StringTensor.from_list(["a", "b", "c", "d", "e"])
        got = ragged_to_dense(strings, SPLITS, None, padding, side, **limits)
        assert got.tolist() == ragged_to_dense(strings, SPLITS, width, padding, side).tolist()


def test_tracing_knows_the_limits_of_the_width():
    class Model(torch.nn.Module):
        def forward(self, ids: torch.Tensor, row_splits: torch.Tensor) -> torch.Tensor:
            dense = ragged_to_dense(ids, row_splits, max_width=10, min_width=3, pad_to_multiple_of=4)
            torch._check(dense.shape[1] >= 4)  # neither is checked at run time, as both are known
            torch._check(dense.shape[1] <= 12)
            return dense

    program = torch.export.export(Model(), (IDS, SPLITS))
    (limits,) = program.range_constraints.values()
    assert (limits.lower, limits.upper) == (4, 12)
    assert torch.equal(program.module()(IDS, SPLITS), Model()(IDS, SPLITS))


def test_padding_of_strings_is_a_string():
    with pytest.raises(TypeError, match="expected `padding_value` to be str or bytes for strings, got int"):
        ragged_to_dense(StringTensor.from_list(["a"]), splits([1]), 2, 7)
