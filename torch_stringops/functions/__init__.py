"""The public functions, by family. `function_of` makes functions from methods of StringTensor."""

import functools
import sys
from collections.abc import Callable
from inspect import getdoc, signature, unwrap
from typing import Any, Concatenate, ParamSpec, TypeVar

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error
from torch_stringops.string_tensor import StringTensor

P = ParamSpec("P")
R = TypeVar("R")


def function_of(
    method: Callable[Concatenate[StringTensor, P], R], prefix: str = "string_"
) -> Callable[Concatenate[Any, P], R]:
    """Makes the function `string_<method>(input, ...)`, which calls `as_strings(input).<method>(...)`.

    The module of a family assigns the result: `string_lower = function_of(StringTensor.lower)`.
    """
    name = f"{prefix}{method.__name__}"
    method = unwrap(method)

    @functools.wraps(method)
    def function(input: Any, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(strings_argument(name, "input", input), *args, **kwargs)
        except ERRORS as error:
            name_error(error, name)
            raise

    of_method = signature(method, eval_str=True, locals={"Self": StringTensor})
    first, *others = of_method.parameters.values()
    function.__signature__ = of_method.replace(parameters=[first.replace(name="input"), *others])  # type: ignore[attr-defined]
    function.__name__ = function.__qualname__ = name
    function.__module__ = sys._getframe(1).f_globals["__name__"]
    entry = "input: strings `[*S]`, in any form that `as_strings` accepts."
    function.__doc__ = (getdoc(method) or "").replace("Args:\n", f"Args:\n    {entry}\n", 1)
    return function  # type: ignore[return-value]
