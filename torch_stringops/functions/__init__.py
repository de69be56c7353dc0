"""The public functions, by family. Those that are methods of StringTensor are made from them by `function_of`."""

import functools
from collections.abc import Callable
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from torch_stringops._arguments import strings_argument
from torch_stringops.string_tensor import StringTensor

P = ParamSpec("P")
R = TypeVar("R")


def function_of(
    method: Callable[Concatenate[StringTensor, P], R], module: str
) -> Callable[Concatenate[Any, P], R]:
    """`string_<method>(input, ...)`, which is `as_strings(input).<method>(...)`, with the method's docstring.

    `module` is the `__name__` of the module that it is assigned in.
    """
    name = f"string_{method.__name__}"

    @functools.wraps(method)
    def function(input: Any, *args: P.args, **kwargs: P.kwargs) -> R:
        return method(strings_argument(name, "input", input), *args, **kwargs)

    of_method = signature(method, eval_str=True)
    first, *others = of_method.parameters.values()
    function.__signature__ = of_method.replace(parameters=[first.replace(name="input"), *others])  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    return function  # type: ignore[return-value]
