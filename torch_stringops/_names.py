"""Errors name the public function that was called, however many functions below it found the fault.

Messages begin with a name: `string_sort: expected ...`. Each public function replaces it by its own on the way out, so
that the outermost name remains. Only errors that this package or torch raised are changed: those of a caller's code,
such as an iterator of texts, pass through.
"""

import functools
import re
import sys
import types
from collections.abc import Callable, Container, Iterable, Mapping
from inspect import CO_VARARGS, CO_VARKEYWORDS, Signature, isfunction, isgeneratorfunction, signature, unwrap
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

# The types whose messages are changed; not those that torch derives from them to control tracing.
ERRORS = (TypeError, ValueError, IndexError, KeyError, RuntimeError, NotImplementedError, OverflowError)

# Special methods whose errors are named.
_SPECIAL = """
    __array__ __arrow_array__ __arrow_c_array__ __contains__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __getitem__
    __getitems__ __setitem__ __iter__ __init__ __setstate__ __call__ __add__ __radd__ __mul__ __rmul__
""".split()  # noqa: SIM905

# The files of this package, torch, NumPy and Python's library, in which no code of a caller is.
_FOLDERS = tuple(f"{Path(str(module.__file__)).parent}/" for module in (sys.modules[__package__], torch, np))
_LIBRARY = (f"{Path(functools.__file__).parent}/", "<frozen ", "<stringsource>")

# The name at the beginning of a message of this package, of torch ("cat: ...") or of Python ("lower() takes ...").
_NAME = re.compile(r"(?:[A-Za-z_][\w.]*)(?:(?:\(\))?: |(?=\(\) ))")

# The maximum number of characters of a message. Messages of torch and Python may quote a whole argument.
_MAX_TEXT = 900


def name_error(error: Exception, name: str) -> None:
    """Replaces the name at the beginning of the message, and truncates messages that quote a whole argument."""
    if torch.compiler.is_dynamo_compiling() or type(error) not in ERRORS:
        return
    if not (error.args and isinstance(error.args[0], str) and _is_ours(error.__traceback__)):
        return
    # Errors of torch may end in a stack of C++.
    text = error.args[0].partition("\nException raised from ")[0]
    if not text.startswith((f"{name}: ", f"{name}()")):
        found = _NAME.match(text)
        rest = text[found.end() :] if found else text
        text = name + rest if rest.startswith("() ") else f"{name}: {rest}"
    error.args = (text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}...", *error.args[1:])


def _is_ours(traceback: types.TracebackType | None) -> bool:
    """Whether no frame between the public function and the error is of a caller's code."""
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        is_library = file.startswith(_LIBRARY) and "site-packages" not in file
        # Functions of Cython, such as pyarrow's, have no Python file.
        if file.endswith((".py", ">")) and not (is_library or file.startswith(_FOLDERS)):
            return False
        traceback = traceback.tb_next
    return True


def named(function: F, name: str | None = None) -> F:
    """Decorates a public function: its errors begin with its name."""
    own = name or function.__name__

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except ERRORS as error:
            name_error(error, own)
            raise

    @functools.wraps(function)
    def call_self(self: Any, *args: Any, **kwargs: Any) -> Any:  # faster than `call`; Python rejects other arguments
        try:
            return function(self, *args, **kwargs) if args or kwargs else function(self)
        except ERRORS as error:
            name_error(error, own)
            raise

    # inspect.signature would take a tenth of the time of `import torch_stringops`.
    code = function.__code__
    takes_self = code.co_varnames[:1] == ("self",) and code.co_argcount + code.co_kwonlyargcount == 1
    takes_more = code.co_flags & (CO_VARARGS | CO_VARKEYWORDS)
    return call_self if takes_self and not takes_more else call  # type: ignore[return-value]


def names_its_errors(function: F) -> F:
    """Marks a method whose errors begin with its name already, so that it is called without a wrapper."""
    function.names_its_errors = True  # type: ignore[attr-defined]
    return function


def reject_script(*_: object) -> None:
    """`__prepare_scriptable__`, which torch.jit.script calls: otherwise its error shows sources of this package."""
    raise RuntimeError(
        "torch.jit.script: TorchScript supports neither StringTensor nor functions and modules that take strings "
        "(use torch.compile, or torch_stringops.export)"
    )


def reject_scripts(values: Iterable[object]) -> None:
    """The same for those values that are functions, also if a function that is compiled calls them."""
    for value in values:
        if isfunction(value):
            value.__prepare_scriptable__ = reject_script  # type: ignore[attr-defined]


def named_class(cls: C) -> C:
    """Decorates a public class: errors begin with `Class.method`, or with `Class` if an object is made or called."""
    members: dict[str, Any] = {}
    for base in reversed(cls.__mro__):  # its own, and those of private bases
        members |= vars(base) if base.__module__.startswith("torch_stringops.") else {}
    methods = {key: member for key, member in members.items() if not isinstance(member, property)}
    name_methods(cls, methods, cls.__name__)
    if issubclass(cls, torch.nn.Module):
        cls.__signature__ = _CallSignature()  # type: ignore[attr-defined]
        cls.__prepare_scriptable__ = reject_script  # type: ignore[attr-defined]
    return cls


class _CallSignature:
    """The signature of a module that is called: that of `forward`. The class has that of `__init__`.

    torch's compilers recognize nn.Module.__call__, so that a class cannot have its own.
    """

    def __get__(self, module: Any, cls: type) -> Signature:
        if module is None:
            raise AttributeError("__signature__")
        return signature(module.forward)


def name_methods(cls: type, members: Mapping[str, Any], name: str, unnamed: Container[str] = ()) -> None:
    """Decorates those of `members` that are public methods or properties, except those in `unnamed`, for `cls`.

    Errors show `name` for the class. pickle and doctest find the methods in `cls`.
    """
    for key, member in list(members.items()):
        if key in unnamed or (key.startswith("_") and key not in _SPECIAL):
            continue
        wrap = type(member) if isinstance(member, (staticmethod, classmethod, property)) else None
        function = unwrap(getattr(member, "fget", getattr(member, "__func__", member)))
        if not isfunction(function) or isgeneratorfunction(function):
            continue
        if getattr(function, "names_its_errors", False):
            continue
        is_call = key in ("__init__", "__setstate__", "forward", "__call__")
        method = named(function, name if is_call else f"{name}.{key}")
        method.__module__, method.__qualname__ = cls.__module__, f"{cls.__qualname__}.{key}"
        setattr(cls, key, wrap(method) if wrap else method)
