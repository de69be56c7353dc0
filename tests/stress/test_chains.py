"""Chains of random methods: the short form of `make stress CHECK=chains`, and differences that it found."""

import pytest
import torch
from stress import chains
from support.errors import BAD_ARGUMENT
from support.surrogate import pair, same

from torch_stringops import StringTensor


def test_chains_of_methods_on_strings_equal_those_on_ids():
    assert chains.check(5_000, "short") == []


def test_a_difference_is_found_and_reduced_to_the_step_that_causes_it(monkeypatch: pytest.MonkeyPatch):
    right = StringTensor.transpose

    def wrong(self, dim0, dim1):
        return self if self.shape == (2, 2) else right(self, dim0, dim1)

    monkeypatch.setattr(StringTensor, "transpose", wrong)
    chain = chains.Chain("any")
    chain.shape, chain.layout = (2, 3), "compact"
    chain.steps = ["t.clone()", "t[:, :2]", "t.flip(0)", "t.transpose(0, 1)", "t[0]"]
    assert chain.shortest() == ["t[:, :2]", "t.transpose(0, 1)"]


def test_parts_may_overlap():
    ids, s = pair((2, 4))
    for indices in ((3, 1), (-1, 2, 9), (), torch.tensor([2, 0])):
        for dim in (0, 1, -1):
            same(s.tensor_split(indices, dim), ids.tensor_split(indices, dim))


def test_an_axis_named_twice_is_rejected():
    _, s = pair((1, 2))
    with pytest.raises(RuntimeError, match="appears multiple times"):
        s.squeeze((0, -2))


def test_repeats_whose_sum_wraps_are_rejected():
    """torch itself writes out of bounds in this case."""
    _, s = pair((4,))
    with pytest.raises(BAD_ARGUMENT, match="repeat_interleave: the result has .* strings"):
        s.repeat_interleave(torch.tensor([2**62] * 4))
    with pytest.raises(RuntimeError, match="can not be negative"):
        s.repeat_interleave(torch.tensor([2**62, -(2**62), 1, 1]))


@pytest.mark.parametrize("shape", [(0, 2**62), (2**62, 0), (2**31, 0), (0, 2**16, 2**16)])
def test_shapes_without_strings_are_limited(shape):
    _, s = pair((0,))
    with pytest.raises(BAD_ARGUMENT, match="a tensor has at most 2147483647 offsets"):
        s.reshape(shape)


def test_repeating_rows_without_strings_is_limited():
    _, s = pair((1, 0))
    with pytest.raises(BAD_ARGUMENT, match="repeat: the result has shape .*a tensor has at most 2147483647"):
        s.repeat(2, 2**31, 1)


def test_a_bool_is_an_int_to_select():
    ids, s = pair((2, 3))
    same(s.select(0, False), ids[0])
    same(s.select(0, True), ids[1])
