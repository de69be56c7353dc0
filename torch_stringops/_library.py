"""Loads the operator library, and speaks to the few C functions in it that are no operators."""

import ctypes
from collections.abc import Callable
from typing import Any

import torch

from torch_stringops._errors import argument_error, choice_error
from torch_stringops._native import OPERATORS as _PATH

try:
    torch.ops.load_library(_PATH)
except OSError as error:
    raise ImportError(
        f"torch_stringops: torch {torch.__version__} could not load {_PATH.name}, which needs torch >= 2.10: "
        f"{error.__cause__ or error}"
    ) from error

_c = ctypes.CDLL(str(_PATH))
_c.stringops_simd_tiers.restype = ctypes.c_char_p
_c.stringops_simd_tier.restype = ctypes.c_char_p
_c.stringops_set_simd_tier.restype = ctypes.c_bool
_c.stringops_set_simd_tier.argtypes = [ctypes.c_char_p]


def operator(name: str) -> Callable[..., Any]:
    """`torch.ops.stringops.<name>`, found once: to look it up takes a tenth of a call on two strings.

    Arguments of the wrong type are refused in our words: torch's would quote them whole.
    """
    overload = getattr(torch.ops.stringops, name).default

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return overload(*args, **kwargs)
        except (RuntimeError, ValueError) as error:
            refused = argument_error(error, name, overload._schema, args, kwargs)
            if refused is None:
                raise
        raise refused

    return call


def library_path() -> str:
    """Path of the operator library, for a C++ host: `dlopen` it, and `torch.ops.stringops` exists there too.

    Example:
        >>> library_path().endswith("_ops.so")
        True
    """
    return str(_PATH)


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
