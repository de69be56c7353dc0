"""Loads the native libraries. Imported before torch, so that a missing library is reported first."""

from torch_stringops import _platform as _platform  # raises ImportError on machines that are not supported

# isort: split
import sys
from pathlib import Path

_FOLDER = Path(__file__).parent
_OPERATORS = _FOLDER / "_ops.so"

# Python without a GIL ("t") has no limited API.
_CONVERT = "_convert.so" if "t" in getattr(sys, "abiflags", "") else "_convert.abi3.so"

for _name in (_OPERATORS.name, _CONVERT):
    if not (_FOLDER / _name).exists():
        raise ImportError(
            f"torch_stringops: {_name} is missing in {_FOLDER}, where Python found the package. A source folder hides "
            "the installed package from Python that runs in it: change to another folder; or build here, with "
            "`make build` or `pip install -e .`"
        )

# Raises ImportError in subinterpreters, in which torch would crash.
from torch_stringops import _convert as _convert  # type: ignore[attr-defined]  # noqa: E402, I001

import ctypes  # noqa: E402
from collections.abc import Callable  # noqa: E402
from functools import lru_cache  # noqa: E402
from typing import Any  # noqa: E402

import torch  # noqa: E402

from torch_stringops._checks import argument_error, choice_error, utf8  # noqa: E402

try:
    torch.ops.load_library(_OPERATORS)
except OSError as error:
    raise ImportError(
        f"torch_stringops: torch {torch.__version__} could not load {_OPERATORS.name}, which needs torch >= 2.10: "
        f"{error.__cause__ or error}"
    ) from error

_c = ctypes.CDLL(str(_OPERATORS))
_c.stringops_simd_tiers.restype = ctypes.c_char_p
_c.stringops_simd_tier.restype = ctypes.c_char_p
_c.stringops_set_simd_tier.restype = ctypes.c_bool
_c.stringops_set_simd_tier.argtypes = [ctypes.c_char_p]
_c.stringops_unicode_version.restype = ctypes.c_char_p
_c.stringops_build_info.restype = ctypes.c_char_p
_TakeText = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_char), ctypes.c_int64, ctypes.c_bool)
_c.stringops_group_names.restype = None
_c.stringops_group_names.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int64, _TakeText]
_c.stringops_has_case.restype = ctypes.c_bool
_c.stringops_has_case.argtypes = [ctypes.c_char_p, ctypes.c_int64]


def overload_of(name: str) -> Any:
    """Returns `torch.ops.stringops.<name>`; the name is `op` or `op.overload`."""
    op, _, overload = name.partition(".")
    try:
        return getattr(getattr(torch.ops.stringops, op), overload or "default")
    except AttributeError:
        raise ImportError(
            f"torch_stringops: the library has no operator `{name}`, since it was built from other sources than these "
            "Python files (build it again: `make build` in a clone, or `pip install .`)"
        ) from None


def schema_of(name: str) -> Any:
    """Returns the schema of `torch.ops.stringops.<name>`."""
    return overload_of(name)._schema


def operator(name: str) -> Callable[..., Any]:
    """Returns a function that calls `torch.ops.stringops.<name>`.

    The overload is looked up once, since a lookup takes a tenth of a call on two strings. Keyword arguments that equal
    their defaults are not passed, since torch takes half a microsecond to parse each. Errors for arguments of a wrong
    type are replaced by short ones, since those of torch quote the whole argument.
    """
    overload, defaults = _lookup(name)
    name = name.partition(".")[0]  # errors name the operator

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            for keyword, default in defaults:
                if kwargs.get(keyword, kwargs) is default:
                    del kwargs[keyword]
        try:
            return overload(*args, **kwargs)
        except (RuntimeError, ValueError) as error:
            replaced = argument_error(error, name, overload._schema, args, kwargs)
            if replaced is None:
                raise
        raise replaced

    return call


def operator_on_strings(name: str, finish: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Same as `operator`, but the function takes strings `s`, and returns `finish(s, results)`."""
    overload, defaults = _lookup(name)
    name = name.partition(".")[0]

    def call(s: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            for keyword, default in defaults:
                if kwargs.get(keyword, kwargs) is default:
                    del kwargs[keyword]
        try:
            return finish(s, overload(s._data, s._offsets, *args, **kwargs))
        except (RuntimeError, ValueError) as error:
            replaced = argument_error(error, name, overload._schema, (s._data, s._offsets, *args), kwargs)
            if replaced is None:
                raise
        except AttributeError:
            if hasattr(s, "_offsets"):
                raise
            replaced = TypeError(f"{name}: expected a StringTensor, got {type(s).__name__}")
        raise replaced

    return call


def _lookup(name: str) -> tuple[Any, list[tuple[str, Any]]]:
    """An overload, and the defaults of its keyword arguments, interned so that they can be compared with `is`."""
    overload = overload_of(name)
    keywords = [a for a in overload._schema.arguments if a.kwarg_only and a.has_default_value()]
    defaults = [(a.name, a.default_value) for a in keywords]
    return overload, [(k, sys.intern(v) if isinstance(v, str) else v) for k, v in defaults]


def library_path() -> str:
    """Returns the path of the operator library. A C++ program can `dlopen` it to register `torch.ops.stringops`.

    Example:
        >>> library_path().endswith("_ops.so")
        True
    """
    return str(_OPERATORS)


def unicode_version() -> str:
    """Returns the version of Unicode of the tables that operators use. That of Python's `str` may be another.

    Example:
        >>> unicode_version()
        '15.1.0'
    """
    return str(_c.stringops_unicode_version().decode())


def build_info() -> str:
    """Returns the compiler of the operator library, and the switches of its build."""
    return str(_c.stringops_build_info().decode())


def group_names(op: str, pattern: str | bytes) -> list[str]:
    """Returns the names of the groups of a regular expression, "" for those without. `op` is named in errors."""
    encoded = utf8(op, "pattern", pattern)
    texts: list[tuple[str, bool]] = []

    def take(text: Any, size: int, fault: bool) -> None:
        texts.append((text[:size].decode(), fault))

    _c.stringops_group_names(op.encode(), encoded, len(encoded), _TakeText(take))
    [(text, fault)] = texts
    if fault:
        raise ValueError(text)
    return text.split("\n")[:-1]


def has_case(op: str, name: str, text: str | bytes) -> bool:
    """Whether other texts have the same simple case folding as an argument."""
    return _has_case(utf8(op, name, text))


@lru_cache(256)
def _has_case(text: bytes) -> bool:
    return bool(_c.stringops_has_case(text, len(text)))


# Constants of the graph, as torch.compile cannot trace a call of C. torch.compiler.assume_constant_result sets the same
# attribute, but imports torch._dynamo, which takes a third of the time of `import torch_stringops`.
for _constant in (group_names, has_case):
    _constant._dynamo_marked_constant = True  # type: ignore[union-attr]


def simd_tiers() -> list[str]:
    """Returns the CPU tiers that this machine supports, best first.

    Example:
        >>> simd_tiers()[-1]
        'scalar'
    """
    return str(_c.stringops_simd_tiers().decode()).split(",")


def simd_tier() -> str:
    """Returns the current CPU tier: the best one, unless `STRINGOPS_SIMD` or `set_simd_tier` selects another.

    Example:
        >>> simd_tier() in simd_tiers()
        True
    """
    return str(_c.stringops_simd_tier().decode())


def set_simd_tier(tier: str) -> None:
    """Sets the CPU tier of this process, for tests and benchmarks. All tiers give the same results.

    Args:
        tier: one of `simd_tiers()`.

    Raises:
        TypeError: `tier` is not a str.
        ValueError: this machine does not support the tier.

    Example:
        >>> set_simd_tier(simd_tier())
    """
    if not isinstance(tier, str) or tier not in simd_tiers() or not _c.stringops_set_simd_tier(tier.encode()):
        raise choice_error("set_simd_tier", "tier", f"one of {simd_tiers()}", tier)
