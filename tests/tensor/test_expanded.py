"""Strings whose offsets are expanded: a few numbers in memory, whatever the shape. They are read in place."""

import copy
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from support.errors import BAD_ARGUMENT
from support.large import int32, uint8
from torch import Tensor

import torch_stringops as so
from torch_stringops import StringTensor
from torch_stringops.tensor import serialization

WORD = uint8(b"word")


def offsets_of(layout: str, *values: int) -> Tensor:
    """The offsets [..., n + 1] of rows that all have these offsets."""
    row = int32(*values)
    return {
        "a row": row,
        "expanded": row.expand(3, len(values)),
        "expanded twice": row.expand(2, 3, len(values)),
        "expanded inside": torch.stack([row, row]).unsqueeze(1).expand(2, 3, len(values)),
        "every second": torch.stack([row, row, row, row])[::2],
        "transposed": torch.stack([row, row], dim=-1).T,
        "of a slice": torch.stack([torch.nn.functional.pad(row, (1, 1))] * 3)[:, 1:-1],
    }[layout]


LAYOUTS = [
    "a row", "expanded", "expanded twice", "expanded inside", "every second", "transposed", "of a slice",
]  # fmt: skip
BAD = [(0, 5), (-1, 4), (3, 2), (0, 4, 1), (0, 2**31 - 1), (4, 4, 3, 4)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_validation_reads_any_strides(layout: str):
    for values in ((0, 4), (2, 2), (0, 1, 4), (4,)):
        StringTensor(WORD, offsets_of(layout, *values)).validate()
    for values in BAD:
        offsets = offsets_of(layout, *values)
        with pytest.raises(ValueError, match="offsets") as want:
            StringTensor(WORD, offsets.contiguous()).validate()
        with pytest.raises(ValueError, match="offsets") as got:
            StringTensor(WORD, offsets).validate()
        assert str(got.value) == str(want.value)


def test_the_first_bad_row_is_named_by_its_index():
    rows = torch.stack([int32(0, 4), int32(0, 5)]).unsqueeze(1).expand(2, 3, 2)
    with pytest.raises(ValueError, match="got 5 at row 3, position 1$"):
        StringTensor(WORD, rows).validate()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_compactness_is_that_of_a_copy(layout: str):
    for values in ((0, 4), (0, 0), (4, 4), (0, 1, 4), (0, 0, 0), (0,), (4,)):
        offsets = offsets_of(layout, *values)
        for data in (WORD, WORD[:0]):
            if len(data) >= values[-1]:
                s = StringTensor(data, offsets)
                assert s.is_contiguous() == StringTensor(data, offsets.contiguous()).is_contiguous()
                assert s.contiguous().tolist() == s.tolist()


def test_adjacent_rows_of_a_slice_are_not_compact_unless_they_are_all():
    whole = int32(0, 1, 2, 9, 2, 3, 4, 9).reshape(2, 4)[:, :3]
    assert StringTensor(WORD, whole).is_contiguous()
    assert not StringTensor(WORD, whole[:1]).is_contiguous()


def test_copies_stay_expanded():
    s = StringTensor(WORD, offsets_of("expanded", 0, 4))
    for other in (copy.copy(s), copy.deepcopy(s), so.as_strings(s), s[1:]):
        assert other.offsets.stride() == (0, 1)
        assert other.tolist() == s.tolist()[: len(other)]


def pickled(s: StringTensor) -> bytes:
    """A file of torch.save with the tensors as they are: torch_stringops writes compact ones."""
    before = serialization.to_pickle
    serialization.to_pickle = lambda s: (s.data, s.offsets, s._scalar)  # type: ignore[assignment]
    try:
        torch.save(s, file := io.BytesIO())
    finally:
        serialization.to_pickle = before
    return file.getvalue()


def test_a_file_of_expanded_offsets_is_loaded_as_it_is_or_rejected():
    good = StringTensor(WORD, offsets_of("expanded", 0, 4))
    loaded = torch.load(io.BytesIO(pickled(good)), weights_only=True)
    assert (loaded.offsets.stride(), loaded.tolist()) == ((0, 1), good.tolist())
    for values in BAD:
        file = pickled(StringTensor(WORD, offsets_of("expanded", *values)))
        with pytest.raises(ValueError, match="StringTensor: expected `offsets` non-decreasing"):
            torch.load(io.BytesIO(file), weights_only=True)


LARGE = """
import io
import torch
from support.large import int32, uint8
from support.limited import run_limited
from tensor.test_expanded import pickled
from torch_stringops import StringTensor

def offsets(*values, rows=2**30 - 1):
    return int32(*values).expand(rows, len(values))

good = StringTensor(uint8(b"word"), offsets(0, 4))
bad = StringTensor(uint8(b"word"), offsets(0, 5))
files = {name: pickled(s) for name, s in (("good", good), ("bad", bad))}
assert max(map(len, files.values())) < 4096
text = "ValueError: StringTensor: expected `offsets` non-decreasing within [0, 4] in each row, got 5 at row 0, position 1"
for want, call in (
    ("no error", good.validate),
    (text.replace("StringTensor", "StringTensor.validate"), bad.validate),
    ("no error", good.is_contiguous),
    ("no error", lambda: torch.load(io.BytesIO(files["good"]), weights_only=True)),
    (text, lambda: torch.load(io.BytesIO(files["bad"]), weights_only=True)),
    ("no error", lambda: repr(good)),
):
    outcome, seconds = run_limited(call, 64 << 20)
    assert (outcome, seconds < 5) == (want, True), (want, outcome, seconds)
"""


def test_a_billion_rows_take_no_memory():
    path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    subprocess.run([sys.executable, "-c", LARGE], env=os.environ | {"PYTHONPATH": path}, check=True)


EMPTY = [[0, 2**33], [2**33, 0, 1], [0, 2**16, 2**16]]


@pytest.mark.parametrize("shape", EMPTY)
def test_sizes_that_are_too_large_are_rejected_in_empty_tensors_too(shape: list[int]):
    offsets = torch.empty(shape, dtype=torch.int32)
    text = (
        r"expected `offsets` of sizes whose product, without those of 0, is at most 2147483647, "
        rf"got shape \{str(shape)[:-1]}\] \(split the batch\)$"
    )
    with pytest.raises(BAD_ARGUMENT, match="^StringTensor: " + text):
        StringTensor(WORD, offsets)
    for device in ("cpu", "meta"):
        with pytest.raises(BAD_ARGUMENT, match="^string_lower: " + text):
            torch.ops.stringops.string_lower(WORD.to(device), offsets.to(device))


def test_results_have_the_same_limit():
    for device in ("cpu", "meta"):
        numbers = torch.empty([0, 2**33], device=device)
        with pytest.raises(BAD_ARGUMENT, match=r"^string_from_number: expected `input` of sizes whose product"):
            torch.ops.stringops.string_from_number(numbers)
        ranges = torch.empty([0, 2**33], dtype=torch.int64, device=device)
        with pytest.raises(BAD_ARGUMENT, match=r"^string_tensor_pack: the result needs 8589934593 offsets"):
            torch.ops.stringops.string_tensor_pack(ranges, ranges, WORD.to(device))
