"""Finds and loads the native libraries. The first import of the package, before torch: its errors say what to do."""

from pathlib import Path

_FOLDER = Path(__file__).parent
_OPERATORS = _FOLDER / "_ops.so"

for _name in (_OPERATORS.name, "_convert.abi3.so"):
    if not (_FOLDER / _name).exists():
        raise ImportError(
            f"torch_stringops: {_name} is missing in {_FOLDER}, where Python found the package. A source folder hides "
            "the installed package from Python that runs in it: change to another folder; or build here, with "
            "`make build` or `pip install -e .`"
        )

# Refuses subinterpreters, in which torch itself crashes.
from torch_stringops import _convert as _convert  # type: ignore[attr-defined]  # noqa: E402, I001

import ctypes  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable  # noqa: E402
from typing import Any  # noqa: E402

import torch  # noqa: E402

from torch_stringops._checks import argument_error, choice_error  # noqa: E402

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


def schema_of(name: str) -> Any:
    """The schema of `torch.ops.stringops.<name>`."""
    return getattr(torch.ops.stringops, name).default._schema


def operator(name: str) -> Callable[..., Any]:
    """`torch.ops.stringops.<name>`, found once: to look it up takes a tenth of a call on two strings.

    Keywords at their defaults are left out, since torch takes half a microsecond to read each. Arguments of the wrong
    type are refused in our words: torch's would quote them whole.
    """
    overload, defaults = _found(name)

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            for keyword, default in defaults:
                if kwargs.get(keyword, kwargs) is default:
                    del kwargs[keyword]
        try:
            return overload(*args, **kwargs)
        except (RuntimeError, ValueError) as error:
            refused = argument_error(error, name, overload._schema, args, kwargs)
            if refused is None:
                raise
        raise refused

    return call


def operator_on_strings(name: str, finish: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """As `operator`, of `s` in the place of its `data` and `offsets`; `finish(s, results)` is what it returns."""
    overload, defaults = _found(name)

    def call(s: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            for keyword, default in defaults:
                if kwargs.get(keyword, kwargs) is default:
                    del kwargs[keyword]
        try:
            return finish(s, overload(s.data, s.offsets, *args, **kwargs))
        except (RuntimeError, ValueError) as error:
            refused = argument_error(error, name, overload._schema, (s.data, s.offsets, *args), kwargs)
            if refused is None:
                raise
        except AttributeError:
            if hasattr(s, "offsets"):
                raise
            refused = TypeError(f"{name}: expected a StringTensor, got {type(s).__name__}")
        raise refused

    return call


def _found(name: str) -> tuple[Any, list[tuple[str, Any]]]:
    """An operator, and the defaults of its keywords as Python's own constants, so that `is` finds them."""
    overload = getattr(torch.ops.stringops, name).default
    keywords = [a for a in overload._schema.arguments if a.kwarg_only and a.has_default_value()]
    defaults = [(a.name, a.default_value) for a in keywords]
    return overload, [(k, sys.intern(v) if isinstance(v, str) else v) for k, v in defaults]


def library_path() -> str:
    """Path of the operator library, for a C++ host: `dlopen` it, and `torch.ops.stringops` exists there too.

    Example:
        >>> library_path().endswith("_ops.so")
        True
    """
    return str(_OPERATORS)


def simd_tiers() -> list[str]:
    """CPU tiers that this machine can run, best first.

    Example:
        >>> simd_tiers()[-1]
        'scalar'
    """
    return str(_c.stringops_simd_tiers().decode()).split(",")


def simd_tier() -> str:
    """The CPU tier in force: the best one, unless `STRINGOPS_SIMD` or `set_simd_tier` chose another.

    Example:
        >>> simd_tier() in simd_tiers()
        True
    """
    return str(_c.stringops_simd_tier().decode())


def set_simd_tier(tier: str) -> None:
    """Force a CPU tier for this process. Every tier gives the same results; this is for tests and measurements.

    Raises:
        TypeError: `tier` is not a str.
        ValueError: this machine does not have the tier.

    Example:
        >>> set_simd_tier(simd_tier())
    """
    if not isinstance(tier, str) or tier not in simd_tiers() or not _c.stringops_set_simd_tier(tier.encode()):
        raise choice_error("set_simd_tier", "tier", f"one of {simd_tiers()}", tier)
