"""Wrong attributes of traced calls: the fake kernel passes them to the operator with no strings, which rejects them."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from support.errors import BAD_ARGUMENT
from support.registry import all_suites
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from torch_stringops import StringTensor
from torch_stringops.ops import _attributes

OPS = torch.ops.stringops
NONE = (torch.empty(0, dtype=torch.uint8), torch.zeros(1, dtype=torch.int32))


def text_of(call: Callable[[], Any]) -> str:
    with pytest.raises(BAD_ARGUMENT) as error:
        call()
    return str(error.value)


def fakes_of(mode: FakeTensorMode, values: list[Any]) -> list[Any]:
    return [mode.from_tensor(value) if isinstance(value, Tensor) else value for value in values]


def is_of_strings(argument: Any) -> bool:
    return "Tensor" not in str(argument.type) or argument.name.endswith(("data", "offsets"))


def test_every_error_without_strings_is_raised_while_tracing():
    """For operators whose tensors are strings: what is wrong with no strings is wrong for every program."""
    found = set()
    for suite in all_suites().values():
        arguments = suite.overload._schema.arguments
        if not all(map(is_of_strings, arguments)) or suite.string_lists():
            continue
        for bad, text in suite.errors:
            args, kwargs = suite.tensors(bad)
            empty = [
                NONE[arguments[i].name.endswith("offsets")] if isinstance(value, Tensor) else value
                for i, value in enumerate(args)
            ]
            try:
                suite.overload(*empty, **kwargs)
            except BAD_ARGUMENT as error:
                if str(error) != text:  # the error is about the strings, here about their shape
                    continue
                mode = FakeTensorMode()
                fakes = fakes_of(mode, args)
                with mode, pytest.raises(BAD_ARGUMENT) as traced:
                    suite.overload(*fakes, **kwargs)
                # torch passes attributes to kernels in Python as str.
                assert str(traced.value) == text or isinstance(traced.value, UnicodeDecodeError)
                found.add(suite.name)
    assert len(found) > 20


def test_a_wrong_pattern_is_found_while_tracing():
    s = StringTensor.from_list(["a"])
    text = text_of(lambda: s.regex_contains("(a"))
    assert text_of(lambda: OPS.regex_contains(s.data.to("meta"), s.offsets.to("meta"), "(a")) == text.replace(
        "StringTensor.", ""
    )
    with pytest.raises(Exception, match="cannot compile `pattern`") as error:
        torch.compile(lambda s: s.regex_contains("(a"), backend="eager", fullgraph=True)(s)
    assert "when making fake tensor call" in str(error.value)


@pytest.mark.parametrize("inside", [False, True])
def test_attributes_are_checked_within_other_modes_and_with_another_default_device(inside: bool):
    class Other(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return function(*args, **kwargs or {})

    mode = FakeTensorMode()
    data, offsets = fakes_of(mode, list(NONE))
    outer, inner = (mode, Other()) if inside else (Other(), mode)
    with torch.device("meta"), outer, inner:
        assert OPS.string_length(data, offsets, "byte").shape == (0,)
        assert "expected `unit`" in text_of(lambda: OPS.string_length(data, offsets, "bytes"))


def test_without_private_functions_of_torch_the_operator_checks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr("torch._subclasses.fake_tensor.unset_fake_temporarily")
    monkeypatch.delattr("torch.utils._python_dispatch._disable_current_modes")
    assert _attributes._without_fakes() is None
    mode = FakeTensorMode()
    data, offsets = fakes_of(mode, list(NONE))
    with mode, warnings.catch_warnings():
        assert OPS.string_length(data, offsets, "bytes").shape == (0,)
    text_of(lambda: OPS.string_length(*NONE, "bytes"))


def test_symbols_are_left_to_the_run_time():
    assert _attributes._is_symbolic(torch.SymInt(object()))
    assert _attributes._is_symbolic([1, torch.SymInt(object())])
    assert not _attributes._is_symbolic([1, "a"])
