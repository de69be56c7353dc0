"""Public functions from methods of StringTensor: `string_lower = function_of(StringTensor.lower)`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error
from torch_stringops._types import StringsLike
from torch_stringops.string_tensor import StringTensor

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

_INPUT = "    input: strings `[*S]`, in any form that `as_strings` accepts.\n"


class Function(Protocol[P, R_co]):
    """A function of strings. Its parameters are `input` and those of a method."""

    def __call__(self, input: StringsLike, *args: P.args, **kwargs: P.kwargs) -> R_co: ...


def function_of(method: Callable[Concatenate[StringTensor, P], R]) -> Function[P, R]:
    """Returns the function that calls `method` on `input`, with the signature and the docstring of the method.

    It has the name of the method, after `string_` unless that says what it is (`regex_count`), and its errors begin
    with this name. It belongs to the file in functions/ that has the name of the method's file.
    """
    plain: Any = inspect.unwrap(method)  # without the wrapper that names errors after the method
    name = plain.__name__ if plain.__name__.startswith(("json_", "regex_")) else f"string_{plain.__name__}"

    # No functools.wraps: inspect, doctest and typing would find the method in `__wrapped__`.
    def function(input: StringsLike, *args: Any, **kwargs: Any) -> Any:
        try:
            return plain(strings_argument(name, "input", input), *args, **kwargs)
        except ERRORS as error:
            name_error(error, name)
            raise

    _, *parameters = inspect.signature(plain).parameters.values()
    first = inspect.Parameter("input", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="StringsLike")
    returns = str(plain.__annotations__["return"]).replace("Self", "StringTensor")
    attributes = {
        "__name__": name,
        "__qualname__": name,  # in the errors of Python
        "__module__": plain.__module__.replace(".methods.", ".functions."),
        "__doc__": inspect.cleandoc(plain.__doc__).replace("Args:\n", f"Args:\n{_INPUT}", 1),
        "__annotations__": {"input": "StringsLike"} | plain.__annotations__ | {"return": returns},
        "__signature__": inspect.Signature([first, *parameters], return_annotation=returns),
    }
    for attribute, value in attributes.items():
        setattr(function, attribute, value)
    return function


if TYPE_CHECKING:

    def overloaded(
        method: Callable[Concatenate[StringTensor, P], R],
    ) -> Callable[Concatenate[StringsLike, P], R]:
        """Same as `function_of`. Type checkers keep all overloads of the method, but `input` must be positional."""
else:
    overloaded = function_of
