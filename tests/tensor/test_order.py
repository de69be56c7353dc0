"""Methods of order and of distinct strings equal torch's on numbers that are ordered as the strings are."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.strings import LAYOUTS
from torch import Tensor

import torch_stringops
from torch_stringops import StringTensor, broadcast_tensors, string_sort, string_value_counts

# In order, so that a rank is compared as its string is.
WORDS = sorted(["", "\0", "a", "ab", "b", "prefix of 12 bytes", "prefix of 12 bytes and more", "é", "日", "😀"])


def with_ranks(ranks: Tensor) -> Any:
    return WORDS[int(ranks)] if ranks.dim() == 0 else [with_ranks(part) for part in ranks]


def as_ranks(result: Any) -> Any:
    """Strings as their ranks; tuples and Tensors as tuples of lists."""
    if isinstance(result, StringTensor):
        result.validate()
        flat = [WORDS.index(word) for word in result.reshape(-1).tolist()]
        return list(result.shape), flat
    if isinstance(result, Tensor):
        return list(result.shape), result.flatten().tolist()
    return tuple(map(as_ranks, result))


def stable_topk(t: Any, k: int, dim: int, largest: bool) -> Any:
    """torch's topk, which leaves the order of equal numbers open, with the first ones first."""
    if isinstance(t, StringTensor) or t.dim() == 0:
        return tuple(torch.topk(t, k, dim, largest))
    values, indices = t.sort(dim=dim, descending=largest, stable=True)
    torch.topk(t, k, dim)
    return values.narrow(dim, 0, k), indices.narrow(dim, 0, k)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sort": lambda t: (*t.sort(stable=True), t.argsort(stable=True)),
    "sort along an axis": lambda t: (*t.sort(dim=0, descending=True, stable=True), t.argsort(dim=0, stable=True)),
    "string_sort": lambda t: string_sort(t, 0, True).values if isinstance(t, StringTensor) else t.sort(0, True).values,
    "least and greatest": lambda t: (t.min(), t.max()),
    "least along axes": lambda t: (t.min(0).values, t.min(-2, True).values),
    "greatest along axes": lambda t: (t.max(-1).values, t.max(0, True).values),
    "argmin": lambda t: (torch.argmin(t), torch.argmin(t, keepdim=True)),
    "argmin along an axis": lambda t: (torch.argmin(t, 0), t.argmin(dim=-1, keepdim=True)),
    "argmax": lambda t: (torch.argmax(t), t.argmax(keepdim=True)),
    "argmax along an axis": lambda t: (torch.argmax(t, dim=-1), t.argmax(0)),
    "topk of the last axis": lambda t: stable_topk(t, 2, -1, True),
    "topk of the first axis": lambda t: stable_topk(t, 1, 0, False),
    "topk, none": lambda t: stable_topk(t, 0, 0, True),
    "maximum": lambda t: torch.maximum(t, t.flip(0)),
    "minimum, broadcast": lambda t: torch.minimum(t, t.reshape(-1)[0]),
    "bucketize": lambda t: torch.bucketize(t, t.reshape(-1).sort().values),
    "bucketize, right": lambda t: torch.bucketize(t, t.reshape(-1).sort().values, right=True),
    "unique_consecutive": lambda t: torch.unique_consecutive(t, return_inverse=True, return_counts=True),
    "unique_consecutive, counts": lambda t: torch.unique_consecutive(t, return_counts=True),
    "unique_consecutive of slices": lambda t: torch.unique_consecutive(t, True, True, dim=0),
    "unique of slices": lambda t: torch.unique(t, return_inverse=True, return_counts=True, dim=0),
    "unique of other slices": lambda t: torch.unique(t, False, dim=-1),
    "broadcast_tensors": lambda t: torch.broadcast_tensors(t, t.reshape(-1)[0], t[None]),
}
CHOSEN = list(FUNCTIONS)


def outcome(function: Callable[[Any], Any], t: Any) -> Any:
    try:
        return as_ranks(function(t))
    except (RuntimeError, IndexError, ValueError):
        return "an error"


@given(st.data())
def test_functions_on_strings_equal_those_on_ranks(data):
    shape = data.draw(st.lists(st.integers(0, 4), max_size=3))
    few = data.draw(st.integers(1, len(WORDS)))
    count = torch.Size(shape).numel()
    drawn = data.draw(st.lists(st.integers(0, few - 1), min_size=count, max_size=count))
    ranks = torch.tensor(drawn, dtype=torch.int64).reshape(shape)
    layout = data.draw(st.sampled_from(list(LAYOUTS)))
    if shape:
        s = StringTensor(*LAYOUTS[layout](_bytes(with_ranks(ranks)), shape))
    else:
        s = StringTensor.from_list(with_ranks(ranks))
    for name in data.draw(st.lists(st.sampled_from(CHOSEN), min_size=4, max_size=4)):
        assert outcome(FUNCTIONS[name], s) == outcome(FUNCTIONS[name], ranks), name


def _bytes(nested: Any) -> Any:
    return [_bytes(x) for x in nested] if isinstance(nested, list) else nested.encode()


@pytest.mark.parametrize("words", [[], ["b"], ["b", "a", "a", "c", "b", "d"], WORDS * 3])
def test_counts_are_those_of_a_counter(words: list[str]):
    values, counts = string_value_counts(words)
    assert list(zip(values.tolist(), counts.tolist(), strict=True)) == Counter(words).most_common()


class Verbs(torch.nn.Module):
    """All functions, of which topk in a form that compares strings alone."""

    def forward(self, s: StringTensor) -> Any:
        results = [FUNCTIONS[name](s) for name in FUNCTIONS if not name.startswith("topk")]
        topk = [tuple(s.topk(1, dim=0, largest=largest)) for largest in (True, False)]
        return (s.value_counts(), *topk, *results)


def test_compiled_and_exported():
    module = Verbs()
    samples = [StringTensor.from_list(rows) for rows in ([["b", "a"], ["a", "b"]], [["b", "b"]] * 3)]
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    exported = torch_stringops.export(module, (samples[0],)).module()
    for s in samples:
        expected = as_ranks(module(s))
        assert as_ranks(compiled(s)) == expected
        assert as_ranks(exported(s)) == expected


def test_lists_are_converted():
    a, b = broadcast_tensors(["to", "be"], "or")
    assert (a.tolist(), b.tolist()) == (["to", "be"], ["or", "or"])
    s = StringTensor.from_list(["to", "be"])
    assert s.maximum("or").tolist() == ["to", "or"]
    assert s.bucketize(["be", "or"], right=True).tolist() == [2, 1]
    assert s.isin(test_elements=["be"]).tolist() == [False, True]


@each(("call", "error", "text"), [
    (lambda s: s.topk(3), RuntimeError, r"expected `k` within \[0, 2\], the size of the axis, got 3"),
    (lambda s: s.topk(-1, 0), RuntimeError, r"expected `k` within \[0, 1\], the size of the axis, got -1"),
    (lambda s: s.topk("a"), TypeError, "expected `k` to be an int, got str"),
    (lambda s: s.argmin(2), IndexError, "Dimension out of range"),
    (lambda s: s[:0].argmax(), ValueError, "expected at least one string"),
    (lambda s: s.bucketize(s), ValueError, r"expected `boundaries` of rank 1, got shape \[1, 2\]"),
    (lambda s: s.maximum(["a", "b", "c"]), ValueError, "broadcast"),
    (lambda s: s[0, 0].unique(dim=0), IndexError, "tensor has no dimensions"),
    (lambda s: s[:, :0].unique(dim=0), RuntimeError, "0 sized dimensions"),
    (lambda s: s.unique_consecutive(dim=2), IndexError, "Dimension out of range"),
    (lambda s: torch.broadcast_tensors(s, torch.zeros(1)), TypeError, "got Tensor at position 1"),
])  # fmt: skip
def test_arguments_that_are_rejected(call: Any, error: type[Exception], text: str):
    with pytest.raises(error, match=text):
        call(StringTensor.from_list([["a", "b"]]))
