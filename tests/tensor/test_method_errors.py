"""Methods on strings reject what torch's methods reject."""

import pytest
import torch
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.surrogate import pair

from torch_stringops import StringTensor


@each(
    ("call", "error", "text"),
    [
        (
            lambda s: torch.cat([s, s[:, :1]]),
            RuntimeError,
            "Sizes of tensors must match except in dimension 0. "
            "Expected size 3 but got size 1 for tensor number 1 in the list",
        ),
        (lambda s: torch.cat([s, s[0]]), RuntimeError, "same number of dimensions"),
        (lambda s: torch.cat([s[0, 0]]), RuntimeError, "zero-dimensional tensor .at position 0. cannot"),
        (
            lambda s: torch.cat([s, torch.zeros(2)]),
            TypeError,
            "cat: expected StringTensors, got Tensor at position 1",
        ),
        (
            lambda s: torch.stack([s, s, s[:1]]),
            RuntimeError,
            r"stack expects each tensor to be equal size, but got \[2, 3\] at entry 0 and \[1, 3\] at entry 2",
        ),
        (lambda s: s.expand(5, 5), RuntimeError, "expand"),
        (
            lambda s: s.where(torch.tensor(1), s),
            TypeError,
            "expected `condition` to be a bool tensor, got torch.int64",
        ),
        (
            lambda s: s.where(torch.tensor(True), 3),
            TypeError,
            "expected `other` to be a StringTensor, or strings",
        ),
        (
            lambda s: s.select(0, torch.tensor([0, 1])),
            TypeError,
            r"select: expected `index` to be an int, or a tensor of one, got torch.int64 of shape \[2\]",
        ),
        (lambda s: s.select(0, torch.tensor(1.0)), TypeError, r"got torch.float32 of shape \[\]"),
        (lambda s: s.reshape(5), RuntimeError, "shape '.5.' is invalid for input of size 6"),
        (lambda s: s.transpose(0, 2), IndexError, "Dimension out of range"),
    ],
)
def test_errors_equal_those_of_torch(call, error, text):
    with pytest.raises(error, match=text):
        call(pair((2, 3))[1])


@each(
    "call",
    [
        lambda t: t.permute(0, 0),
        lambda t: t.permute(0, -2),
        lambda t: t.permute(0),
        lambda t: t.permute(0, 2),
        lambda t: t.movedim((0, 0), (0, 1)),
        lambda t: t.movedim((0, 1), (0,)),
        lambda t: t.movedim(0, 2),
        lambda t: t.narrow(1, 4, 0),
        lambda t: t.narrow(1, 2, 2),
        lambda t: t.narrow(1, 0, -1),
        lambda t: t.chunk(0, 1),
        lambda t: t.chunk(2, 2),
        lambda t: t.tensor_split(0, 1),
        lambda t: t.tensor_split((1,), 2),
        lambda t: t.split_with_sizes([1, 1], 1),
        lambda t: t.split_with_sizes([1, 2], 0),
        lambda t: t.split_with_sizes([-1, 4], 1),
        lambda t: t.select(1, 3),
        lambda t: t.select(0, -3),
        lambda t: t.expand(-1, 2, 3),
        lambda t: t.expand(3),
        lambda t: torch.cat([t, t[0]], 2),
        lambda t: torch.cat([t, t[0], t[0, 0]], 2),
        lambda t: t.expand(2, -2),
    ],
)
def test_axes_and_bounds_are_checked_as_torch_does(call):
    ids, s = pair((2, 3))
    with pytest.raises((IndexError, RuntimeError)) as expected:
        call(ids)
    with pytest.raises(expected.type):
        call(s)


def test_negative_sizes_do_not_expand_a_single_string():
    # torch gives tensors of negative sizes if another size is 0.
    s = StringTensor.from_list("a")
    for sizes in ([0, -1], [-1, 0], [-1], [2, -1]):
        with pytest.raises(RuntimeError):
            s.expand(sizes)
        with pytest.raises(RuntimeError):
            torch.compile(lambda s, sizes=sizes: s.expand(sizes).offsets, backend="eager")(s)


def test_results_over_2_31_bytes_are_rejected_before_allocation():
    data = torch.empty(2**30 + 1, dtype=torch.uint8)  # never touched
    offsets = torch.tensor([0, data.numel()], dtype=torch.int32)
    s = StringTensor(data, offsets)
    t = StringTensor(data[:-1], torch.tensor([0, 2**30], dtype=torch.int32))
    with pytest.raises(
        BAD_ARGUMENT,
        match=r"cat: the result needs 2147483649 bytes; .* 2147483647 .pass fewer or shorter strings",
    ):
        torch.cat([s, t])
    with pytest.raises(BAD_ARGUMENT, match=r"the result needs \d+ bytes"):
        s.repeat(2)
