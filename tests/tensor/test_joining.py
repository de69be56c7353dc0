"""torch.cat and torch.stack of string tensors."""

import threading

import pytest
import torch
from support.errors import BAD_ARGUMENT
from support.surrogate import pair, same

from torch_stringops import StringTensor


def test_parts_share_data_and_are_joined_without_a_copy():
    ids, s = pair((6, 2))
    parts = s.split(2)
    assert all(part.data is s.data for part in parts)
    assert torch.cat(parts).data is s.data
    same(torch.cat(parts[::-1]), torch.cat(ids.split(2)[::-1]))


@pytest.mark.parametrize(
    "layouts", [("compact", "compact"), ("scattered", "misaligned"), ("misaligned", "compact")]
)
@pytest.mark.parametrize("dim", [0, 1, 2, -1])
@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 0), (0, 2), (2, 1, 3)])
def test_cat_and_stack(shape, dim, layouts):
    (ids, s), (_, t) = (pair(shape, layout) for layout in layouts)
    for join in (torch.cat, torch.stack):
        try:
            want = join([ids, ids, ids], dim)
        except IndexError:
            with pytest.raises(IndexError):
                join([s, t, s], dim)
        else:
            same(join([s, t, s], dim), want)


def test_cat_of_different_sizes():
    (a, s), (b, t) = pair((2, 3)), pair((4, 3), "scattered")
    same(torch.cat([s, t]), torch.cat([a, b]))
    same(torch.cat([s.T, t.T], 1), torch.cat([a.T, b.T], 1))
    same(torch.cat([s[0], t[0, :0], t[3]]), torch.cat([a[0], b[0, :0], b[3]]))


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
    assert torch.stack([s[2].clone(), s[4].clone()]).is_compact()
    torn = StringTensor(s.data, torch.tensor([3, 2], dtype=torch.int32), scalar=True)
    with pytest.raises(BAD_ARGUMENT, match="got 2 after 3 at row 0, position 1"):
        torch.stack([s[0].clone(), torn])


@pytest.mark.parametrize("join", [torch.cat, torch.stack])
def test_many_tensors_are_joined_by_threads_while_another_runs_python_code(join):
    """The operator takes the lock of the interpreter to release its arguments."""
    parts = [StringTensor.from_list([str(i), "é"]) for i in range(300)]
    results, done = [], threading.Event()

    def run():
        while not done.is_set():
            pass

    def call():
        results.extend(join(parts).reshape(-1).tolist() for _ in range(3))

    other, threads = threading.Thread(target=run), [threading.Thread(target=call) for _ in range(2)]
    for thread in (other, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    other.join()
    assert results == [[text for i in range(300) for text in (str(i), "é")]] * 6
