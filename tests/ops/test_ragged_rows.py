"""Functions on ragged rows, of numbers and of strings, against Python lists."""

import itertools
from collections import Counter
from functools import partial
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.ragged import splits
from torch.autograd import forward_ad

from torch_stringops import (
    StringTensor,
    ragged_add_special,
    ragged_concat,
    ragged_count,
    ragged_ngrams,
    ragged_truncate,
    ragged_unique,
    string_ngrams_ragged,
)

Rows = list[list[Any]]
rows_of_numbers = st.lists(st.lists(st.integers(0, 4), max_size=6), max_size=6)
rows_of_words = st.lists(st.lists(st.sampled_from(["", "a", "\u00e9", "to be"]), max_size=6), max_size=6)


def ragged(rows: Rows, words: bool) -> tuple[Any, torch.Tensor]:
    flat = [x for row in rows for x in row]
    return StringTensor.from_list(flat) if words else torch.tensor(flat, dtype=torch.int64), splits(
        [len(row) for row in rows]
    )


def lists(values: Any, row_splits: torch.Tensor) -> Rows:
    assert row_splits.dtype == torch.int64
    at = row_splits.tolist()
    assert at[0] == 0
    assert at[-1] == len(values)
    return [values[a:b].tolist() for a, b in itertools.pairwise(at)]


@st.composite
def rows_and_kind(draw: st.DrawFn) -> tuple[Rows, bool]:
    words = draw(st.booleans())
    return draw(rows_of_words if words else rows_of_numbers), words


@given(rows_and_kind(), st.integers(1, 4))
def test_ngrams(drawn, n):
    rows, words = drawn
    want = [[row[i : i + n] for i in range(len(row) - n + 1)] for row in rows]
    assert lists(*ragged_ngrams(*ragged(rows, words), n)) == want


@given(rows_and_kind(), st.integers(0, 4))
def test_truncate(drawn, length):
    rows, words = drawn
    assert lists(*ragged_truncate(*ragged(rows, words), length)) == [row[:length] for row in rows]
    want = [row[max(0, len(row) - length) :] for row in rows]
    assert lists(*ragged_truncate(*ragged(rows, words), length, side="left")) == want


@given(st.data())
def test_concat(data):
    words, count = data.draw(st.booleans()), data.draw(st.integers(0, 4))
    element = st.sampled_from(["", "a", "\u00e9"]) if words else st.integers(0, 9)
    row = st.lists(element, max_size=4)
    parts = data.draw(st.lists(st.lists(row, min_size=count, max_size=count), min_size=1, max_size=3))
    want = [[x for part in parts for x in part[i]] for i in range(count)]
    assert lists(*ragged_concat([ragged(part, words) for part in parts])) == want


@each("features", [(), (2,), (3, 1), (0,)])
@each("dtype", [torch.bool, torch.uint8, torch.bfloat16, torch.int32, torch.float64, torch.complex64])
def test_concat_copies_elements_of_any_dtype_and_layout(dtype, features):
    values = (
        (torch.arange(5 * 2 * 6) % 7)
        .to(dtype)
        .reshape(5, 2, 6)[:, 1, :]
        .as_strided((5, *features), (12, 1, 1)[: 1 + len(features)])
    )
    one = values[:1, ...].expand(3, *features)
    row_splits, single = splits([2, 0, 3]), splits([1, 1, 1])
    got, at = ragged_concat([(values, row_splits), (one, single)])
    want = torch.cat([values[:2], one[:1], one[1:2], values[2:], one[2:]])
    assert got.dtype == dtype
    assert torch.equal(got, want)
    assert at.tolist() == [0, 3, 4, 8]


def test_elements_of_every_integer_type():
    values, row_splits = torch.tensor([3, 1, 3, 2, 200]), torch.tensor([0, 3, 5])
    functions = (ragged_unique, partial(ragged_truncate, max_length=2), partial(ragged_ngrams, n=2))
    for dtype in (torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.int16, torch.int32):
        for function in functions:
            got, want = function(values.to(dtype), row_splits), function(values, row_splits)
            assert got[0].dtype == dtype
            assert got[0].long().tolist() == want[0].tolist()
            assert got[1].tolist() == want[1].tolist()


def test_concat_is_differentiated_in_all_modes():
    row_splits = splits([2, 0, 1])
    concat = lambda v: ragged_concat([(v, row_splits), (v, row_splits)])[0]  # noqa: E731
    values, tangent = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0, 6.0])
    want = torch.tensor([4.0, 5.0, 4.0, 5.0, 6.0, 6.0])
    assert torch.equal(torch.func.jvp(concat, (values,), (tangent,))[1], want)
    with forward_ad.dual_level():
        dual = concat(forward_ad.make_dual(values, tangent))
        assert torch.equal(forward_ad.unpack_dual(dual).tangent, want)
    assert torch.func.grad(lambda v: concat(v).sum())(values).tolist() == [2, 2, 2]
    assert torch.equal(torch.func.vmap(concat)(torch.stack([values, tangent])), torch.stack([concat(values), want]))
    leaf = values.clone().requires_grad_()
    concat(leaf).sum().backward()
    assert leaf.grad.tolist() == [2, 2, 2]


@given(rows_and_kind(), st.booleans(), st.booleans())
def test_add_special(drawn, with_begin, with_end):
    rows, words = drawn
    begin, end = ("[CLS]", "[SEP]") if words else (101, 102)
    begin, end = begin if with_begin else None, end if with_end else None
    want = [[begin] * with_begin + row + [end] * with_end for row in rows]
    assert lists(*ragged_add_special(*ragged(rows, words), begin, end)) == want


@given(rows_and_kind())
def test_unique(drawn):
    rows, words = drawn
    counted = [Counter(row) for row in rows]  # in order of first appearance
    values, row_splits, counts = ragged_unique(*ragged(rows, words), return_counts=True)
    assert lists(values, row_splits) == [list(c) for c in counted]
    assert lists(counts, row_splits) == [list(c.values()) for c in counted]
    assert lists(*ragged_unique(*ragged(rows, words))) == [list(c) for c in counted]


@given(st.lists(st.lists(st.integers(-2, 5), max_size=6), max_size=6), st.integers(0, 4))
def test_count(rows, num_ids):
    counts = ragged_count(*ragged(rows, False), num_ids)
    assert counts.shape == (len(rows), num_ids)
    assert counts.tolist() == [[row.count(i) for i in range(num_ids)] for row in rows]


@given(rows_of_words, st.one_of(st.integers(1, 3), st.lists(st.integers(1, 3), min_size=1, max_size=3)))
def test_ngrams_of_words(rows, n):
    want = [
        ["_".join(row[i : i + k]) for k in ([n] if isinstance(n, int) else n) for i in range(len(row) - k + 1)]
        for row in rows
    ]
    assert lists(*string_ngrams_ragged(*ragged(rows, True), n, "_")) == want


def test_elements_with_features_keep_them_and_their_gradients():
    values = torch.arange(8.0).reshape(4, 2).requires_grad_()
    row_splits = torch.tensor([0, 3, 4])
    windows, _ = ragged_ngrams(values, row_splits, 2)
    assert windows.shape == (2, 2, 2)
    longer, at = ragged_add_special(values, row_splits, begin=0.5)
    assert (longer.shape, at.tolist()) == ((6, 2), [0, 4, 6])
    (windows.sum() + longer.sum()).backward()
    assert values.grad.tolist() == [[2, 2], [3, 3], [2, 2], [1, 1]]


PROGRAMS = {
    "ngrams": lambda v, r: ragged_ngrams(v, r, 2),
    "truncate": lambda v, r: ragged_truncate(v, r, 2, "left"),
    "concat": lambda v, r: ragged_concat([(v, r), (v, r)]),
    "add_special": lambda v, r: ragged_add_special(v, r, v[0].item() if isinstance(v, StringTensor) else 7, None),
    "unique": lambda v, r: ragged_unique(v, r, True),
    "count": lambda v, r: ragged_count(v, r, 5),
    "no_ids": lambda v, r: ragged_count(v, r, 0),
    "words": lambda v, r: string_ngrams_ragged(v, r, (1, 2)),
}


@each("words", [False, True])
@each("name", PROGRAMS)
def test_compiled_functions_equal_eager_ones(name, words):
    if name in (("count", "no_ids") if words else ("words",)):
        return
    values, row_splits = ragged([[1, 2, 1], [], [3, 4]] if not words else [["a", "b", "a"], [], ["c", ""]], words)
    program = PROGRAMS[name]
    if name == "add_special":
        special = "x" if words else 7
        program = lambda v, r: ragged_add_special(v, r, special)  # noqa: E731
    want = program(values, row_splits)
    got = torch.compile(program, backend="aot_eager", fullgraph=True, dynamic=True)(values, row_splits)
    for a, b in zip(got if isinstance(got, tuple) else [got], want if isinstance(want, tuple) else [want], strict=True):
        assert a.tolist() == b.tolist()


@each(("bad", "text"), [
    (lambda v, r: ragged_ngrams(v, r, 0), "ragged_ngrams: expected `n` from 1 to 2147483647, got 0"),
    (lambda v, r: ragged_truncate(v, r, -1), "ragged_truncate: expected `max_length` >= 0, got -1"),
    (lambda v, r: ragged_truncate(v, r, 1, "top"), "expected `side` to be 'left' or 'right', got 'top'"),
    (
        lambda v, r: ragged_concat([(v, r), (v, r[:1])]),
        r"ragged_concat: expected `row_splits` non-decreasing from 0 to 3",
    ),
    (lambda v, r: ragged_concat([(v, r), (v[:0], r[:1])]), "as many rows in each pair, got 2 and 0"),
    (lambda v, r: ragged_concat([]), "expected a non-empty list of pairs"),
    (lambda v, r: ragged_concat([(v, r), (v.int(), r)]), "expected values of one dtype, got int64 and int32"),
    (
        lambda v, r: ragged_concat([(v, r), (v[:, None], r)]),
        r"expected values whose shapes differ in the first axis only, got \[3\] and \[3, 1\]",
    ),
    (lambda v, r: ragged_count(v.float(), r, 3), "expected `ids` to be int64 or int32 of shape"),
    (lambda v, r: ragged_count(v, r, -1), "expected `num_ids` >= 0, got -1"),
    (lambda v, r: ragged_unique(v.reshape(3, 1), r), r"expected `values` of rank 1, got shape \[3, 1\]"),
    (lambda v, r: ragged_unique(v, r.int()), "expected `row_splits` to be int64, got int32"),
    (lambda v, r: ragged_truncate(v, r + 1, 2), "from 0 to 3 .rows of `values`., got 1 at position 0"),
    (lambda v, r: ragged_add_special(v, r, 0.5), "expected `begin` to be a number that int64 holds, got 0.5"),
    (lambda v, r: ragged_ngrams(v[0], r, 2), "expected `values` of rank >= 1, got a scalar"),
])  # fmt: skip
def test_errors_name_function_and_argument(bad, text):
    with pytest.raises(BAD_ARGUMENT, match=text):
        bad(torch.tensor([1, 2, 3]), torch.tensor([0, 2, 3]))
