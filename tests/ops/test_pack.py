"""string_tensor_pack and string_tensor_unpack."""

from collections.abc import Iterator

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from reference.pack import (
    check_strings_ref,
    string_tensor_pack_ref,
    string_tensor_unpack_ranges_ref,
    string_tensor_unpack_ref,
)
from support import draws, large, strategies
from support.cases import each
from support.harness import Call, OpSuite, OpTests, call
from support.strings import LAYOUTS, compact, decode
from support.traced import check_traced

import torch_stringops as so

SYMBOLS = torch.tensor(list(b"IntelOpenVINO\x00\xff"), dtype=torch.uint8)


def ranges(begins, ends, symbols=SYMBOLS, dtype=torch.int64) -> Call:
    return call(torch.tensor(begins, dtype=dtype), torch.tensor(ends, dtype=dtype), symbols)


@st.composite
def calls(draw: st.DrawFn) -> Call:
    symbols = draw(st.binary(max_size=300))
    shape = draw(st.lists(st.integers(0, 5), min_size=1, max_size=3))
    count = torch.Size(shape).numel()
    edge = st.integers(0, len(symbols))
    pairs = [sorted((draw(edge), draw(edge))) for _ in range(count)]
    dtype = draw(st.sampled_from([torch.int32, torch.int64]))
    begins = torch.tensor([b for b, _ in pairs], dtype=dtype).reshape(shape)
    ends = torch.tensor([e for _, e in pairs], dtype=dtype).reshape(shape)
    return call(begins, ends, torch.tensor(list(symbols), dtype=torch.uint8))


def bad_range(begin: int, end: int) -> str:
    return (
        "string_tensor_pack: expected 0 <= `begins` <= `ends` <= 15 (bytes of `symbols`), "
        f"got begin {begin} and end {end} at index 1 (row-major)"
    )


def drawn(rng: draws.Random, n: int) -> Call:
    symbols = torch.tensor([rng.randrange(256) for _ in range(rng.choice([0, 1, 300]))], dtype=torch.uint8)
    both = [sorted(rng.randrange(len(symbols) + 1) for _ in range(2)) for _ in range(n)]
    begins, ends = zip(*both, strict=True)
    return ranges(begins, ends, symbols, rng.choice([torch.int32, torch.int64]))


def too_large() -> Iterator[tuple[str, Call]]:
    zeros, sizes = (large.repeated(value, (2048,)) for value in (0, 2**20))
    yield large.BYTES, call(zeros, sizes, large.uint8(large.MEBIBYTE))
    for shape, dtype in (
        ((2**31 - 1,), torch.int32),
        ((2**30, 1), torch.int64),
        ((2**43, 2**19), torch.int64),
    ):
        yield large.OFFSETS, call(*[large.repeated(0, shape, dtype)] * 2, SYMBOLS)


def too_large_when_traced() -> Iterator[tuple[str, Call]]:
    many = large.repeated(0, (2**31,))
    yield large.OFFSETS, call(many, many, SYMBOLS)


class TestStringTensorPack(OpTests):
    suite = OpSuite(
        op="string_tensor_pack",
        reference=string_tensor_pack_ref,
        samples=[
            ranges([0, 5], [5, 13]),
            ranges([[9, 0], [3, 3]], [[13, 13], [3, 15]], dtype=torch.int32),
            ranges([], []),
            call(torch.zeros(2, 0, dtype=torch.int64), torch.zeros(2, 0, dtype=torch.int64), SYMBOLS),
            ranges(list(range(15)) * 500, list(range(1, 16)) * 500),
        ],
        strategy=calls(),
        draw=drawn,
        small=ranges([0, 2], [1, 3]),
        too_large=too_large,
        too_large_when_traced=too_large_when_traced,
        errors=[
            (ranges([0, -1], [1, 1]), bad_range(-1, 1)),
            (ranges([0, 4], [1, 3]), bad_range(4, 3)),
            (ranges([0, 4], [1, 16]), bad_range(4, 16)),
            (ranges([0, 4], [1, 2**32 + 5]), bad_range(4, 2**32 + 5)),
            (ranges([0], [1, 2]), "expected `ends` of the shape of `begins` [1], got shape [2]"),
            (ranges([0.0], [1.0], dtype=torch.float32), "expected `begins` to be int32 or int64, got float32"),
            (
                call(torch.tensor(0), torch.tensor(1), SYMBOLS),
                "expected `begins` of rank >= 1, got a scalar (use .reshape(1))",
            ),
            (
                call(torch.tensor([0]), torch.tensor([1]), SYMBOLS.int()),
                "expected `symbols` to be uint8, got int32 (convert with .to(torch.uint8))",
            ),
        ],
    )


SAMPLES = [
    call([b"OMZ", b"", b"GenAI", b" ", b"2024"]),
    call([[b"Intel", b"OpenVINO"], [b"OMZ", b"GenAI"]]),
    call([[[b"\x00\xff", b""], [b"", b"\xc3"]], [["日本".encode(), b"a"], [b"", b""]]]),
    call([b""]),
    call([]),
    call([[], []]),
    # Rows longer than a task, and many rows per task.
    call([b"k=v,", b"", b"x" * 70] * 3000),
    call([[b"ab", b""], [b"", b"c" * 40]] * 1500),
]


def too_large_to_unpack() -> Iterator[tuple[str, Call]]:
    yield large.STRINGS, call(large.same_rows(large.MEBIBYTE, 2048))


class TestStringTensorUnpack(OpTests):
    suite = OpSuite(
        op="string_tensor_unpack",
        reference=string_tensor_unpack_ref,
        samples=SAMPLES,
        strategy=strategies.tensors.map(call),
        too_large=too_large_to_unpack,
    )


class TestRanges(OpTests):
    suite = OpSuite(
        op="_string_tensor_unpack_ranges",
        reference=string_tensor_unpack_ranges_ref,
        samples=SAMPLES,
        strategy=strategies.tensors.map(call),
        too_large=too_large_to_unpack,
        name_in_errors="string_tensor_unpack",
    )


NAMES = ("text.data", "text.offsets")


def drawn_to_check(rng: draws.Random, n: int) -> Call:
    strings = draws.strings(rng, n)
    return call(strings, list(compact(strings)[1].shape), None, *NAMES)


class TestCheckStrings(OpTests):
    suite = OpSuite(
        op="_check_strings",
        reference=check_strings_ref,
        samples=[
            call([[b"Intel", b"OpenVINO"], [b"OMZ", b"GenAI"]], [2, 3], None, *NAMES),
            call([b"OMZ", b"", b"GenAI"], [4], None, *NAMES),
            call([[], []], [2, 1], None, *NAMES),
        ],
        draw=drawn_to_check,
        small=call([b"a", b"b"], [3], None, *NAMES),
        too_large=tuple,  # the result has one row
        parallel=False,
        name_in_errors="export",
        errors=[
            (
                call([[b"ab", b""]], [3], None, *NAMES),
                "expected `text.offsets` of rank 1, as in the example, got shape [1, 3] "
                "(export with an example of this rank)",
            ),
            (call([[b"ab", b""]], [1, 4], None, *NAMES), "expected `text.offsets` of shape [1, 4], got shape [1, 3]"),
            (call([b"ab", b""], [3], 3, *NAMES), "expected `text.data` of shape [3], got shape [2]"),
        ],
    )


@given(strings=strategies.tensors)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_public_function_matches_the_oracle_and_pack_undoes_it(layout: str, strings: object):
    data, offsets = LAYOUTS[layout](strings)
    unpacked = so.string_tensor_unpack(so.StringTensor(data, offsets))
    assert tuple(t.tolist() for t in unpacked) == string_tensor_unpack_ref(strings)
    packed = so.string_tensor_pack(*unpacked)
    assert decode(packed.data, packed.offsets) == strings


@pytest.mark.parametrize("shape", [[0], [2, 0], [0, 3], [0, 0], [3, 0, 2]])
def test_tensors_without_strings_keep_their_shape(shape: list[int]):
    strings = so.StringTensor.from_list([]).reshape(shape)
    begins, ends, symbols = so.string_tensor_unpack(strings)
    assert list(begins.shape) == list(ends.shape) == shape
    assert list(symbols.shape) == [0]
    assert begins.dtype == ends.dtype == torch.int32
    assert symbols.dtype == torch.uint8


def test_a_single_string_has_rank_0():
    rows = so.StringTensor.from_list(["ab", "cde"])
    for scalar, length in ((rows[1], 3), (so.StringTensor.from_list(""), 0)):
        begins, ends, symbols = so.string_tensor_unpack(scalar)
        assert begins.shape == ends.shape == ()
        assert (begins.item(), ends.item(), symbols.numel()) == (0, length, length)
    assert bytes(so.string_tensor_unpack(rows[1])[2].tolist()) == b"cde"


@pytest.mark.parametrize("strings", [
    so.StringTensor.from_list(["ab", "", "cde"]),
    so.StringTensor.from_list([["ab", ""], ["c", "de"], ["", "f"]]),
    so.StringTensor.from_list(["ab", "", "cde", "f"])[1:3],
    so.StringTensor.from_list([["ab", ""], ["c", "de"], ["", "f"]])[1:],
    so.StringTensor.from_list("ab"),
])  # fmt: skip
def test_contiguous_strings_are_not_copied(strings: so.StringTensor):
    begins, ends, symbols = so.string_tensor_unpack(strings)
    first = int(strings.offsets.reshape(-1)[0])
    assert symbols.data_ptr() == strings.data.data_ptr() + first
    flat = strings.reshape(-1).tolist(as_bytes=True)
    raw = bytes(symbols.tolist())
    pairs = zip(begins.reshape(-1).tolist(), ends.reshape(-1).tolist(), strict=True)
    assert [raw[b:e] for b, e in pairs] == flat
    assert raw == b"".join(flat)
    # Results can be written in place, so they share no memory, neither with each other nor with the offsets.
    begins += 1
    assert int(ends.reshape(-1)[-1]) == len(raw)
    assert strings.reshape(-1).tolist(as_bytes=True) == flat


@pytest.mark.parametrize("index", [(slice(None), slice(1)), (slice(None, None, 2),)])
def test_strings_that_are_not_contiguous_are_copied(index: tuple[slice, ...]):
    strings = so.StringTensor.from_list([["ab", "x"], ["c", "de"], ["", "f"]])[index]
    _, _, symbols = so.string_tensor_unpack(strings)
    assert bytes(symbols.tolist()) == b"".join(strings.reshape(-1).tolist(as_bytes=True))
    assert symbols.data_ptr() != strings.data.data_ptr()


@each("cols", [1, 2, 3, 20])
@each("gaps", [{}, {1500: 4}, {1500: 4, 2500: -4}, {1: 3}, {2999: -2}])
def test_gaps_between_rows_after_many_adjacent_rows(cols: int, gaps: dict[int, int]):
    steps = torch.arange(3000 * (cols + 1)).reshape(3000, cols + 1) % 4
    steps[:, 0] = 0
    steps[0, 0] = 5
    for row, gap in gaps.items():
        steps[row, 0] = gap
    offsets = steps.reshape(-1).cumsum(0).reshape(steps.shape).int()
    data = (torch.arange(int(offsets.max()) + 7) % 251).to(torch.uint8)
    unpacked = torch.ops.stringops.string_tensor_unpack(data, offsets)
    assert tuple(t.tolist() for t in unpacked) == string_tensor_unpack_ref(decode(data, offsets))


def test_traced():
    def lengths(strings: so.StringTensor) -> tuple[torch.Tensor, torch.Tensor]:
        begins, ends, symbols = so.string_tensor_unpack(strings)
        return ends - begins, symbols

    check_traced(lengths, so.StringTensor.from_list([["ab", ""], ["c", "de"]]))


def test_tensors_of_negative_sizes():
    """torch gives a tensor of rank 0 such sizes if another one is 0."""
    for sizes in ((0, -1), (-1, 0)):
        t = torch.tensor(1, dtype=torch.int32).expand(sizes)
        with pytest.raises(ValueError, match=r"expected `begins` of sizes of at least 0, got shape \["):
            torch.ops.stringops.string_tensor_pack(t, t, torch.zeros(3, dtype=torch.uint8))
        with pytest.raises(ValueError, match=r"expected `offsets` of sizes of at least 0, got shape \["):
            torch.ops.stringops.string_lower(torch.zeros(3, dtype=torch.uint8), t)
