"""torch.cat, torch.stack and torch.where of string tensors, and the functions of the same names with types."""

import pytest
import torch
from support.errors import BAD_ARGUMENT
from support.surrogate import pair, same
from support.threads import in_parallel, meanwhile

import torch_stringops as so
from torch_stringops import StringTensor


def test_parts_share_data_and_are_joined_without_a_copy():
    ids, s = pair((6, 2))
    parts = s.split(2)
    assert all(part.data is s.data for part in parts)
    assert torch.cat(parts).data is s.data
    same(torch.cat(parts[::-1]), torch.cat(ids.split(2)[::-1]))


def test_cat_of_different_sizes():
    (a, s), (b, t) = pair((2, 3)), pair((4, 3), "scattered")
    same(torch.cat([s, t]), torch.cat([a, b]))
    same(torch.cat([s.T, t.T], 1), torch.cat([a.T, b.T], 1))
    same(torch.cat([s[0], t[0, :0], t[3]]), torch.cat([a[0], b[0, :0], b[3]]))


def test_cat_skips_empty_vectors_as_torch_does():
    (a, s), (e, t) = pair((2, 3)), pair((0,))
    for ids, strings in (([a, e], [s, t]), ([e, a, e, a], [t, s, t, s]), ([e, e], [t, t]), ([e, e[:0]], [t, t])):
        for dim in (0, 1, -1):
            same(torch.cat(strings, dim), torch.cat(ids, dim))
    same(torch.compile(torch.cat, backend="eager", fullgraph=True)([s, t], 1), a)
    with pytest.raises(IndexError):
        torch.cat([t, s], 2)
    with pytest.raises(RuntimeError, match="same number of dimensions"):
        torch.cat([t, s, s[0]], 1)


def test_cat_does_not_keep_large_buffers():
    big = StringTensor.from_list(["x" * 1_000_000, "y"])
    other = StringTensor.from_list(["z" * 1_000_000, "w"])
    assert torch.cat([big[1:], other[1:]]).data.numel() == 2
    assert torch.where(torch.tensor([True]), big[1:], other[1:]).data.numel() == 1


def test_stack_of_rank_0_is_a_vector():
    _, s = pair((5,))
    stacked = torch.stack([s[3], s[1], StringTensor.from_list("new")])
    assert stacked.tolist() == [s[3].item(), s[1].item(), "new"]
    assert torch.stack(list(s.unbind())).equal(s)
    assert torch.stack([s[2].clone(), s[4].clone()]).is_contiguous()
    torn = StringTensor(s.data, torch.tensor([3, 2], dtype=torch.int32), scalar=True)
    with pytest.raises(BAD_ARGUMENT, match="got 2 after 3 at row 0, position 1"):
        torch.stack([s[0].clone(), torn])


@pytest.mark.parametrize("join", [torch.cat, torch.stack])
def test_many_tensors_are_joined_by_threads_while_another_runs_python_code(join):
    """The operator takes the lock of the interpreter to release its arguments."""
    parts = [StringTensor.from_list([str(i), "é"]) for i in range(300)]
    with meanwhile(lambda: None):
        results = in_parallel(lambda _: [join(parts).reshape(-1).tolist() for _ in range(3)], range(2))
    assert results == [[[text for i in range(300) for text in (str(i), "é")]] * 3] * 2


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("layout", ["compact", "scattered"])
def test_functions_with_types_equal_those_of_torch(layout, compiled):
    (_, s), (_, t), (_, row) = pair((2, 3), layout), pair((2, 3)), pair((3,), layout)
    mask = torch.tensor([[True], [False]])

    def calls(module, s, t, row, mask):
        return (
            module.cat([s, t]),
            module.cat((s, t, s), dim=1),
            module.cat([s], -1),
            module.stack([s, t]),
            module.stack((s, t), dim=-1),
            module.where(mask, s, t),
            module.where(mask, row, s),
            module.where(mask[0, 0], row, row[0]),
        )

    run = torch.compile(calls, fullgraph=True, backend="eager", dynamic=True) if compiled else calls
    found = run(so, s, t, row, mask)
    for got, want in zip(found, calls(torch, s, t, row, mask), strict=True):
        assert got.equal(want)


def test_functions_with_types_convert_strings():
    s = StringTensor.from_list(["a", "", "c"])
    assert so.cat([["x"], s, ("y",)]).tolist() == ["x", "a", "", "c", "y"]
    assert so.stack(["x", s[0], b"y"]).tolist() == ["x", "a", "y"]
    assert so.where(s == "", "?", s).tolist() == ["a", "?", "c"]
    assert so.where(torch.tensor([True, False]), ["x", "y"], "z").tolist() == ["x", "z"]


@pytest.mark.parametrize(("call", "text"), [
    (lambda s: so.cat([]), "cat: expected `tensors` to be a non-empty list or tuple of strings, got an empty list"),
    (
        lambda s: so.stack(s),
        "stack: expected `tensors` to be a non-empty list or tuple of strings, got StringTensor",
    ),
    (lambda s: so.cat([s, 3]), "cat: expected `tensors[1]` to be a StringTensor, or strings in a list"),
    (lambda s: so.cat([s, "x"]), "cat: zero-dimensional tensor (at position 1) cannot be concatenated"),
    (lambda s: so.stack([s, s[:1]]), "stack: "),
    (lambda s: so.where(s == "a", s, 3), "where: expected `other` to be a StringTensor, or strings in a list"),
    (lambda s: so.where(torch.arange(2), s, s), "where: expected `condition` to be a bool tensor, got torch.int64"),
    (lambda s: so.where([True, False], s, s), "where: expected `condition` to be a bool tensor, got list"),
])  # fmt: skip
def test_errors_of_functions_with_types(call, text):
    with pytest.raises((TypeError, RuntimeError)) as caught:
        call(StringTensor.from_list(["a", "b"]))
    assert str(caught.value).startswith(text)
