import pytest
import torch
from hypothesis import strategies as st
from reference.string_tensor_pack import string_tensor_pack_ref
from support.errors import BAD_ARGUMENT
from support.harness import Call, OpSuite, OpTests, call

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
        errors=[
            (ranges([0, -1], [1, 1]), bad_range(-1, 1)),
            (ranges([0, 4], [1, 3]), bad_range(4, 3)),
            (ranges([0, 4], [1, 16]), bad_range(4, 16)),
            (ranges([0, 4], [1, 2**32 + 5]), bad_range(4, 2**32 + 5)),
            (
                ranges([0], [1, 2]),
                "string_tensor_pack: expected `ends` of the shape of `begins` [1], got shape [2]",
            ),
            (
                ranges([0.0], [1.0], dtype=torch.float32),
                "string_tensor_pack: expected `begins` to be int32 or int64, got float32",
            ),
            (
                call(torch.tensor(0), torch.tensor(1), SYMBOLS),
                "string_tensor_pack: expected `begins` of rank >= 1, got a scalar (use .reshape(1))",
            ),
            (
                call(torch.tensor([0]), torch.tensor([1]), SYMBOLS.int()),
                "string_tensor_pack: expected `symbols` to be uint8, got int32 (convert with .to(torch.uint8))",
            ),
        ],
    )


def test_overlaps_that_exceed_int32_offsets_are_refused_before_allocation():
    symbols = torch.zeros(1 << 20, dtype=torch.uint8)
    begins = torch.zeros(2048, dtype=torch.int64)
    with pytest.raises(
        BAD_ARGUMENT, match=r"the result needs \d+ bytes; int32 offsets address at most 2147483647"
    ):
        torch.ops.stringops.string_tensor_pack(begins, begins + (1 << 20), symbols)
