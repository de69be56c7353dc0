"""The public functions, by family. Those that are methods of StringTensor are made from them by `function_of`."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from torch_stringops._arguments import strings_argument
from torch_stringops.string_tensor import StringTensor

P = ParamSpec("P")
R = TypeVar("R")


def function_of(method: Callable[Concatenate[StringTensor, P], R]) -> Callable[Concatenate[Any, P], R]:
    """`string_<method>(input, ...)`, which is `as_strings(input).<method>(...)`, with the method's docstring."""
    name = f"string_{method.__name__}"

    @functools.wraps(method)
    def function(input: Any, *args: P.args, **kwargs: P.kwargs) -> R:
        return method(strings_argument(name, "input", input), *args, **kwargs)

    signature = inspect.signature(method)
    first, *others = signature.parameters.values()
    function.__signature__ = signature.replace(parameters=[first.replace(name="input"), *others])  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    return function  # type: ignore[return-value]
