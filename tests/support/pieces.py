"""Shared by the tests of split and split_to_sequence: dtypes, inputs, sizes."""

import dataclasses
import math
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

import torch_stringops as so
from support import draws, harness

FLOATS = [torch.float16, torch.float32, torch.float64]
DTYPES = [
    *FLOATS, torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32,
    torch.uint64, torch.complex64, torch.complex128,
]  # fmt: skip


def numbered(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """A tensor whose elements differ, as far as the dtype allows."""
    return torch.arange(math.prod(shape)).reshape(shape).to(dtype)


def sizes_of(length: int) -> st.SearchStrategy[list[int]]:
    """Sizes, some of them 0, that sum to `length`."""
    edges = st.lists(st.integers(0, length), max_size=5).map(sorted)
    return edges.map(lambda e: [b - a for a, b in zip([0, *e], [*e, length], strict=True)])


@st.composite
def cuts(draw: st.DrawFn, min_dim: int = 1) -> tuple[list[int], int, list[int]]:
    """A shape with all dimensions at least `min_dim`, an axis of it, and sizes that sum to the axis."""
    shape = draw(st.lists(st.integers(min_dim, 5), min_size=1, max_size=4))
    axis = draw(st.integers(0, len(shape) - 1))
    sizes = draw(sizes_of(shape[axis]))
    return shape, axis - draw(st.sampled_from([0, len(shape)])), sizes


def words(shape: list[int], texts: list[bytes]) -> Any:
    """Nested lists of the texts, which are repeated in order."""
    texts = texts or [b"x"]
    at = -1

    def level(sizes: list[int]) -> Any:
        nonlocal at
        if not sizes:
            at += 1
            return texts[at % len(texts)]
        return [level(sizes[1:]) for _ in range(sizes[0])]

    return level(shape)


def drawn_cut(rng: draws.Random, n: int) -> harness.Call:
    """About n random strings, and sizes that sum to their first dimension."""
    text = draws.strings(rng, n)
    sizes, left = [], len(text)
    while left:
        sizes.append(rng.randrange(min(left, 200) + 1))
        left -= sizes[-1]
    return harness.call(text, sizes)


def with_tensor(call: harness.Call) -> harness.Call:
    """The call with its sizes, the argument `split`, as a tensor, or None."""
    input, split, *rest = call.args if len(call.args) > 1 else (*call.args, None)
    if isinstance(split, list):
        split = torch.tensor(split, dtype=torch.int64)
    return harness.Call((input, split, *rest), call.kwargs)


def by_tensor(suite: harness.OpSuite, errors: list[tuple[harness.Call, str]]) -> harness.OpSuite:
    """The suite of the overload that takes the sizes as a tensor, from that of the overload that takes a list."""

    def reference(input: Any, split: Tensor | None, *args: Any, **kwargs: Any) -> Any:
        return suite.reference(input, None if split is None else split.tolist(), *args, **kwargs)

    lists = [(call, text) for call, text in suite.errors if call.kwargs.get("opset", 18) >= 13]
    return dataclasses.replace(
        suite,
        overload_name="Tensor",
        reference=reference,
        samples=[with_tensor(call) for call in suite.samples],
        strategy=suite.strategy.map(with_tensor),
        draw=suite.draw and (lambda rng, n: with_tensor(suite.draw(rng, n))),
        small=with_tensor(suite.small_call()),
        too_large=lambda: [(text, with_tensor(call)) for text, call in suite.too_large()],
        errors=[*((with_tensor(call), text) for call, text in lists), *errors],
    )


def values(pieces: list[Any]) -> list[Any]:
    return [piece.tolist() for piece in pieces]


TABLE = so.StringTensor.from_list([["a", "bb", "c", "", "e"], ["f", "g", "hh", "i", "j"]])
