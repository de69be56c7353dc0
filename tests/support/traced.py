"""A function eager, compiled and exported."""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_map

import torch_stringops as so


class Called(torch.nn.Module):
    """A function as a module, for torch.export."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


def plain(result: Any) -> Any:
    """The result with lists in place of tensors."""
    return tree_map(
        lambda t: t.tolist() if hasattr(t, "tolist") else t, result, is_leaf=lambda t: isinstance(t, so.StringTensor)
    )


def check_traced(function: Callable[..., Any], *args: Any) -> None:
    """Asserts that a compiled and an exported function give the results of eager mode."""
    torch._dynamo.reset()
    want = plain(function(*args))
    assert plain(torch.compile(function, fullgraph=True, backend="aot_eager")(*args)) == want
    for export in (torch.export.export, so.export):
        assert plain(export(Called(function), args).module()(*args)) == want
