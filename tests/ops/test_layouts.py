"""The same results in every memory layout, over the registry: operators flatten their arguments at the door."""

import base64
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch
from support import large
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.harness import OpSuite, is_pair
from support.registry import all_suites, is_private
from support.strings import compact as pair_of
from torch import Tensor

from torch_stringops import StringTensor

Pair = tuple[Tensor, Tensor]
STRINGS = 2400  # several blocks

# Operators that only take one row of strings.
ONE_ROW = {"string_join_ragged", "string_ngrams_ragged", "string_normalizer", "subword_build", "vocab_build"}


def rows_of(words: list[bytes], cols: int) -> Pair:
    return pair_of([words[i : i + cols] for i in range(0, len(words), cols)])


def with_gaps(words: list[bytes]) -> Pair:
    """Rows of one string, with a separator between them."""
    data, offsets = pair_of([part for word in words for part in (word, b", ")])
    return data, torch.stack([offsets[:-1:2], offsets[1::2]], dim=1)


def columns(words: list[bytes], cols: int) -> Pair:
    """`t[:, 1:]` of strings with one more column: a view of the offsets."""
    data, offsets = pair_of([[b"other", *words[i : i + cols]] for i in range(0, len(words), cols)])
    return data, offsets[:, 1:]


def every_second_row(words: list[bytes]) -> Pair:
    """`t[::2]` of rows of two strings."""
    data, offsets = pair_of([row for i in range(0, len(words), 2) for row in (words[i : i + 2], [b"other", b"row"])])
    return data, offsets[::2]


def permuted(words: list[bytes]) -> Pair:
    """Rows of two strings, in an order that is not that of their bytes."""
    order = torch.randperm(len(words) // 2, generator=torch.Generator().manual_seed(1))
    data, offsets = pair_of([words[2 * i : 2 * i + 2] for i in order.tolist()])
    return data, offsets[order.argsort()]


# Layout -> strings of a row, and a function of a list of strings whose length is a multiple of 1200.
LAYOUTS: dict[str, tuple[int, Callable[[list[bytes]], Pair]]] = {
    "[n, 1]": (1, lambda words: rows_of(words, 1)),
    "[n, 2]": (2, lambda words: rows_of(words, 2)),
    "[n, 12]": (12, lambda words: rows_of(words, 12)),
    "rows": (2, every_second_row),
    "column": (1, lambda words: columns(words, 1)),
    "columns": (2, lambda words: columns(words, 2)),
    "12 columns": (12, lambda words: columns(words, 12)),
    "permuted": (2, permuted),
    "gaps": (1, with_gaps),
    "[n, 1200]": (1200, lambda words: rows_of(words, 1200)),
    "1200 columns": (1200, lambda words: columns(words, 1200)),
}


def words(n: int) -> list[bytes]:
    """Words of 1 to 12 letters, one in eight of which has an accent."""
    rng = random.Random(0)
    known = ["".join(rng.choices("etaoinsrhldcum", k=rng.randint(1, 12))) for _ in range(4096)]
    known[::8] = [word.replace("e", "\xe9") for word in known[::8]]
    return [word.encode() for word in rng.choices(known, k=n)]


@dataclass
class Work:
    """How an operator is called."""

    rest: tuple[Any, ...] = ()  # the arguments after the strings; a function is called with their shape
    kwargs: dict[str, Any] = field(default_factory=dict)
    strings: Callable[[int], list[bytes]] = words
    by_row: bool = False  # whether the result depends on the shape
    before: tuple[Any, ...] = ()  # the arguments before the strings

    def arguments(self, pair: Pair) -> list[Any]:
        shape = [*pair[1].shape[:-1], pair[1].shape[-1] - 1]
        return [*self.before, *pair, *(a(shape) if callable(a) else a for a in self.rest)]


def numbers(n: int) -> list[bytes]:
    rng = random.Random(3)
    return [str(rng.randint(-99999, 99999)).encode() for _ in range(n)]


def special_works() -> dict[str, Work]:
    """Operators whose other arguments depend on the strings."""
    one, some = pair_of([b"seen"]), pair_of(sorted(set(words(1000))))
    zips = ["equal", "greater", "greater_equal", "less", "less_equal"]
    zips += ["edit_distance", "damerau", "ratio", "jaro_winkler"]
    zips += [f"{name}.each" for name in ("contains", "count", "endswith", "find", "startswith")]
    table = torch.ops.stringops.vocab_build(*some)
    halves = Work((lambda shape: [shape[0] // 2, shape[0] - shape[0] // 2],), by_row=True)
    in_tensor = Work((lambda shape: torch.tensor([shape[0] // 2, shape[0] - shape[0] // 2]),), by_row=True)
    return {
        **{f"string_{name}": Work(one) for name in zips},
        **{f"string_{name}": Work(by_row=True) for name in ("sort", "argsort", "max", "min")},
        "string_isin": Work(some),
        "string_jaccard": Work((*one, 2)),
        "string_contains_any": Work(some),
        "string_extract_many": Work(some),
        "string_replace_many": Work((*some, *one)),
        "regex_contains_any": Work(one),
        "string_searchsorted": Work(before=some),
        "string_join": Work(("-",), by_row=True),
        "string_repeat": Work((lambda shape: torch.full(shape, 2),)),
        "string_to_number": Work((torch.int64,), strings=numbers),
        "string_unbase64": Work(strings=lambda n: [base64.b64encode(word) for word in words(n)]),
        "string_unhex": Work(strings=lambda n: [word.hex().encode() for word in words(n)]),
        "split_strings": halves,
        "split_strings_to_sequence": halves,
        "split_strings.Tensor": in_tensor,
        "split_strings_to_sequence.Tensor": in_tensor,
        "vocab_encode": Work((table,)),
        "split_encode": Work((table,)),
        "tokenize_encode": Work((table,), {"tokenexp": "[a-z]+"}),
        "tfidf_vectorizer.strings": Work(
            (*pair_of([b"seen", b"tea"]), torch.tensor([0, 1])),
            {"max_gram_length": 1, "min_gram_length": 1, "max_skip_count": 0, "mode": "TF", "ngram_counts": [0]},
            by_row=True,
        ),
    }


def find_works() -> dict[str, Work]:
    """Every public operator that takes strings; by default with the other arguments of a sample of its suite."""
    special, found = special_works(), {}
    for name, suite in all_suites().items():
        if is_private(name) or not suite.string_pairs() or name in ONE_ROW:
            continue
        found[name] = special.pop(name) if name in special else sample_work(suite)
    assert not special, f"no such operators: {sorted(special)}"
    return found


def sample_work(suite: OpSuite) -> Work:
    """The arguments of a sample, with one string in place of other strings."""
    sample, others = suite.samples[0], [position for position, _ in suite.string_pairs()[1:]]
    rest: list[Any] = []
    for position, value in enumerate(sample.args[1:], start=1):
        rest += pair_of([b"seen"]) if position in others else [value]
    if suite.name == "subword_encode_pairs":  # each text has its pair
        rest[:2] = [lambda shape: EMPTY, lambda shape: torch.zeros([*shape[:-1], shape[-1] + 1], dtype=torch.int32)]
    return Work(tuple(rest), sample.kwargs)


EMPTY = torch.empty(0, dtype=torch.uint8)


WORKS = find_works()


def flattened(name: str, results: Any) -> list[Any]:
    """Results without their shape; offsets as begins and ends of the strings in compact data."""
    results = [results] if isinstance(results, Tensor) else list(results)
    returns = all_suites()[name].overload._schema.returns
    if str(returns[0].type) == "List[Tensor]":
        pairs = list(range(0, len(results), 2))
    else:
        pairs = [i for i in range(len(results)) if is_pair(returns, i)]
    for i in pairs:
        begins, ends, data = torch.ops.stringops.string_tensor_unpack(results[i], results[i + 1])
        results[i], results[i + 1] = data, torch.stack([begins.flatten(), ends.flatten()])
    return [part.flatten().tolist() for part in results]


@each("name", WORKS)
def test_results_do_not_depend_on_the_layout(name: str) -> None:
    work, overload = WORKS[name], all_suites()[name].overload
    strings = work.strings(STRINGS)
    for layout, (cols, build) in LAYOUTS.items():
        want = overload(*work.arguments(rows_of(strings, cols if work.by_row else STRINGS)), **work.kwargs)
        got = overload(*work.arguments(build(strings)), **work.kwargs)
        assert flattened(name, got) == flattened(name, want), layout


def test_every_public_operator_on_strings_is_called() -> None:
    takes_strings = {name for name, suite in all_suites().items() if suite.string_pairs()}
    public = {name for name in takes_strings if not is_private(name)}
    assert public == set(WORKS) | ONE_ROW


def test_operators_of_one_row_reject_others() -> None:
    for name in ONE_ROW:
        suite = all_suites()[name]
        with pytest.raises((ValueError, RuntimeError), match="expected"):
            suite.overload(*sample_work(suite).arguments(rows_of([b"a", b"b"], 1)), **suite.samples[0].kwargs)


def rows_apart(rows: list[list[bytes]], order: list[int], gap: bytes, end: bytes) -> Pair:
    """The rows, of which row order[i] is the i-th one in the data; `gap` is before each, `end` after the last one."""
    ends, parts, at = [], [], 0
    for row in (rows[i] for i in order):
        parts += [gap, *row]
        ends.append([at := at + len(gap), *(at := at + len(string) for string in row)])
    data = large.uint8(b"".join([*parts, end]))
    return data, torch.tensor(ends, dtype=torch.int32)[torch.tensor(order).argsort()]


# Sizes of strings around those of copies, and of blocks. The rows of a test are mostly of one size.
SIZES = [0, 1, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 500, 4096, 8191, 8192, 8193, 20_000]


@each("size", SIZES)
@each("cols", [1, 2, 3, 5])
def test_rows_apart_of_all_sizes(size: int, cols: int) -> None:
    rng = random.Random(size + cols)
    count = min(3000, 400_000 // (size + 10)) // cols * cols
    sizes = [rng.choice(SIZES[:15]) if rng.random() < 0.05 else size for _ in range(count)]
    strings = [rng.randbytes(n) if i % 7 == 0 else b"c\xc3\xa9"[: n % 4] * (n // 3) for i, n in enumerate(sizes)]
    rows = [strings[i : i + cols] for i in range(0, count, cols)]
    order = list(range(len(rows)))
    ops = torch.ops.stringops
    for end in (b"", b"?" * 40):  # the last rows are close to the end of the data, or not
        for _ in range(2):
            pair = rows_apart(rows, order, b"??", end)
            for call in (ops.string_length, ops.string_tensor_unpack, lambda d, o: ops._string_cat([d, o], [-1])):
                for a, b in zip(flat_list(call(*pair)), flat_list(call(*pair_of(strings))), strict=True):
                    assert torch.equal(a.flatten(), b.flatten())
            rng.shuffle(order)


def flat_list(results: Any) -> list[Tensor]:
    return [results] if isinstance(results, Tensor) else list(results)


def test_rows_of_any_strides() -> None:
    strings = words(24)
    data, offsets = rows_of(strings, 2)  # [12, 3]
    plain = {
        "expanded": offsets[0].expand(5, 3),
        "expanded inside": offsets.unsqueeze(1).expand(12, 3, 3),
        "expanded outside": offsets.expand(2, 12, 3),
        "every second": offsets[::2],
        "transposed": offsets.reshape(3, 4, 3).transpose(0, 1),
        "transposed offsets": offsets.T.contiguous().T,
        "of four dimensions": offsets.reshape(2, 3, 2, 3)[:, ::2, :, :2],
        "no rows": offsets[:0],
        "no columns": offsets[:, :1],
        "no columns, every second": offsets[::2, 1:2],
    }
    ops = torch.ops.stringops
    for name, strided in plain.items():
        copy = strided.contiguous()
        shape = [*copy.shape[:-1], copy.shape[-1] - 1]
        rows = copy.reshape(-1, copy.shape[-1]).tolist() if copy.numel() else []
        raw = bytes(data.numpy())
        want = [raw[a:b] for row in rows for a, b in itertools.pairwise(row)]
        assert (
            ops.string_length(data, strided, "byte").tolist()
            == torch.tensor([len(x) for x in want]).reshape(shape).tolist()
        ), name
        upper = StringTensor(*ops.string_upper(data, strided))
        assert list(upper.shape) == shape, name
        assert upper.flatten().tolist(as_bytes=True) == [x.decode().upper().encode() for x in want], name
        assert upper.is_contiguous(), name
        pieces, ends, splits = ops.string_split_ragged(data, strided, "e")
        assert StringTensor(pieces, ends).tolist(as_bytes=True) == [p for x in want for p in x.split(b"e")]
        assert len(splits) == len(want) + 1


@each("cols", [1, 2, 3, 15, 700])
@each("row", [0, 1, 699])
def test_a_bad_offset_is_found_in_any_row(cols: int, row: int) -> None:
    ops = torch.ops.stringops
    data = torch.zeros(700 * cols, dtype=torch.uint8)
    offsets = torch.stack([torch.arange(cols + 1) + i * cols for i in range(700)]).int()
    backwards = offsets.flip(0).contiguous()  # rows in any order are valid
    for rows in (offsets, backwards):
        ops.string_length(data, rows)
        places = {(0, -1), (cols, len(data) + 1), (cols, int(rows[row, 0]) - 1)}
        places |= {(cols // 2, int(rows[row, 0]) - 1)} if cols > 1 else set()
        for col, bad in places:
            wrong = rows.clone()
            wrong[row, col] = bad
            with pytest.raises(BAD_ARGUMENT, match=rf"got {bad} .*row {row}, position {col}"):
                ops.string_length(data, wrong)


def test_strings_that_overlap_have_a_limit_in_all() -> None:
    ops = torch.ops.stringops
    data, offsets = large.same_rows(large.MEBIBYTE, 2047)
    assert ops.string_length(data, offsets[:3]).tolist() == [[2**20]] * 3
    data, offsets = large.same_rows(large.MEBIBYTE, 2048)
    for name, work in WORKS.items():
        with pytest.raises(BAD_ARGUMENT, match=large.STRINGS):
            all_suites()[name].overload(*work.arguments((data, offsets)), **work.kwargs)


def test_lengths_in_bytes_need_no_bytes() -> None:
    data, offsets = large.same_rows(large.MEBIBYTE, 2**16)
    lengths = torch.ops.stringops.string_length(data, offsets, "byte")
    assert lengths.shape == (2**16, 1)
    assert bool((lengths == 2**20).all())


def test_a_view_of_several_rows_is_copied() -> None:
    s = StringTensor(*columns(words(12), 2))
    copy = s.contiguous()
    assert copy.tolist() == s.tolist()
    assert copy.is_contiguous()
    assert copy.data.data_ptr() != s.data.data_ptr()
    both = torch.cat([s, s])
    assert both.tolist() == [*s.tolist(), *s.tolist()]
    assert s[torch.tensor([[True, False]] * 6)].tolist() == [row[0] for row in s.tolist()]
