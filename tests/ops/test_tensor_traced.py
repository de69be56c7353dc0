"""split and split_to_sequence under torch.compile and torch.export."""

import pytest
import torch
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.pieces import TABLE, numbered, values
from support.traced import Called, check_traced

import torch_stringops as so


@each("input", [numbered(2, 5), TABLE])
@each(("function", "extra"), [
    (lambda x: so.split(x, [2, 0, 3], -1), ()),
    (lambda x: so.split(x, num_outputs=2), ()),
    (lambda x, sizes: so.split(x, sizes, 1), (torch.tensor([2, 0, 3]),)),
    (lambda x, sizes: so.split(x, sizes, 0, opset=13), (torch.tensor([2, 0]),)),
    (lambda x: so.split_to_sequence(x, [2, 0, 3], -1), ()),
    (lambda x: so.split_to_sequence(x, 2, 1), ()),
    (lambda x: so.split_to_sequence(x), ()),
    (lambda x: so.split_to_sequence(x, None, 1, False), ()),
    (lambda x, sizes: so.split_to_sequence(x, sizes, 1), (torch.tensor([2, 0, 3]),)),
    (lambda x, sizes: so.split_to_sequence(x, sizes), (torch.tensor([2, 0], dtype=torch.int32),)),
])  # fmt: skip
def test_traced(function, extra: tuple, input):
    check_traced(function, input, *extra)


def test_traced_sizes_are_read_at_run_time():
    def second(x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
        return so.split(x, sizes)[1] * 2

    x = numbered(6).requires_grad_()
    for run in (
        torch.compile(second, fullgraph=True, backend="aot_eager"),
        torch.export.export(Called(second), (x, torch.tensor([2, 4]))).module(),
    ):
        for sizes in ([2, 4], [6, 0], [0, 6], [5, 1]):
            assert run(x, torch.tensor(sizes)).tolist() == second(x, torch.tensor(sizes)).tolist()
        for sizes in ([2, 2], [7, -1]):
            with pytest.raises((ValueError, RuntimeError), match="expected `split`"):
                run(x, torch.tensor(sizes))
    (gradient,) = torch.autograd.grad(run(x, torch.tensor([5, 1])).sum(), x)
    assert gradient.tolist() == [0, 0, 0, 0, 0, 2]


@pytest.mark.parametrize("input", [numbered(2, 5), TABLE], ids=["numbers", "strings"])
def test_sizes_of_unknown_length_cannot_be_traced(input):
    def cut(x, sizes: torch.Tensor):
        return so.split(x, sizes[sizes > 0], 1)

    assert len(cut(input, torch.tensor([2, 0, 3]))) == 2
    with pytest.raises(Exception, match=r"`split` of a known length .*pass the sizes as a list"):
        torch.export.export(Called(cut), (input, torch.tensor([2, 0, 3])))


@pytest.mark.parametrize("opset", [13, 18])
@pytest.mark.parametrize("input", [numbered(4, 3), so.StringTensor.from_list([["a"], ["b"], ["c"], ["d"]])])
def test_num_outputs_of_an_axis_with_a_data_dependent_size(input, opset: int):
    def halves(x, mask: torch.Tensor):
        return so.split(x[mask], num_outputs=2, opset=opset)

    mask, none = torch.tensor([True, False, True, False]), torch.zeros(4, dtype=torch.bool)
    torch._dynamo.reset()
    for run in (torch.compile(halves, fullgraph=True), torch.export.export(Called(halves), (input, mask)).module()):
        for chosen in (mask, ~mask, ~none, none):
            assert values(run(input, chosen)) == values(halves(input, chosen))


def test_sizes_of_opset_1_cannot_be_traced_as_floats():
    with pytest.raises(BAD_ARGUMENT, match=r"cannot be traced \(pass the sizes as a list\)"):
        torch.export.export(Called(lambda x, s: so.split(x, s, opset=1)), (numbered(2), torch.tensor([1.0, 1.0])))


@pytest.mark.parametrize("input", [numbered(2, 5), TABLE], ids=["numbers", "strings"])
def test_a_data_dependent_number_of_chunks_cannot_be_traced(input):
    def by_size(x, size: torch.Tensor):
        return so.split_to_sequence(x, size, 1)

    def by_length(x, mask: torch.Tensor):
        return so.split_to_sequence(x[mask])

    size, mask = torch.tensor(2), torch.tensor([True, False])
    for function, extra, text in (
        (by_size, size, "pass the sizes as a list or as a tensor of rank 1, or a Python int"),
        (by_length, mask, "an axis of known size .*pass the sizes as a list"),
    ):
        function(input, extra)
        with pytest.raises(Exception, match=text):
            torch.export.export(Called(function), (input, extra))
        torch._dynamo.reset()
        with pytest.raises(Exception, match=text):
            torch.compile(function, fullgraph=True, backend="eager")(input, extra)
