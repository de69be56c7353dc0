"""Strings made inside a compiled or exported function are constants of its graph."""

from typing import Any

import pytest
import torch
from support.traced import Called

import torch_stringops
from torch_stringops.interop.python import strings_from_list


@pytest.mark.parametrize(
    "values", ["né", b"\xff", "", [], [[], []], ["a", b"bc", "é€😀"], [["a", "b"], ["", "cd"]], ((("a",), ("b",)),)]
)
def test_strings_in_a_compiled_function_are_constants(values):
    def run(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        data, offsets, _ = strings_from_list(values)
        return data, offsets + x

    x = torch.zeros((), dtype=torch.int32)
    expected = run(x)
    for got in (
        torch.compile(run, backend="eager", fullgraph=True)(x),
        torch.export.export(Called(run), (x,), strict=False).module()(x),
        torch.export.export(Called(run), (x,), strict=True).module()(x),
    ):
        for g, e in zip(got, expected, strict=True):
            assert g.dtype == e.dtype
            assert g.shape == e.shape
            assert torch.equal(g, e)


@pytest.mark.parametrize("values", [["a", 1], [["a"], ["b", "c"]], [["a"], "b"], ["a", ["b"]]])
def test_bad_strings_in_a_compiled_function_are_errors(values):
    compiled = torch.compile(lambda x: strings_from_list(values)[1] + x, backend="eager")
    with pytest.raises((TypeError, ValueError), match="expected"):
        compiled(torch.zeros((), dtype=torch.int32))


def test_lists_that_are_inputs_of_a_compiled_function_are_errors():
    class Lengths(torch.nn.Module):
        words = ("a", "bc")

        def forward(self, batch: Any, sep: str = "-") -> Any:
            texts = batch["text"] if isinstance(batch, dict) else batch
            return torch_stringops.string_concat(texts, sep, self.words, ["d", "e"]).length()

    compiled = torch.compile(Lengths(), backend="eager", fullgraph=True)
    texts = ["x", "yz"]
    assert compiled(torch_stringops.as_strings(texts)).tolist() == [4, 6]
    assert compiled(torch_stringops.as_strings(texts), "").tolist() == [3, 5]
    for batch in (texts, (*texts,), {"text": texts}):
        with pytest.raises(RuntimeError, match=r"string_concat.* that is an input of a compiled .*as_strings"):
            compiled(batch)
