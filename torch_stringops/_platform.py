"""Refuses machines and interpreters for which the package is not built. Imports no other module of the package."""

import sys


def check_platform(byte_order: str, abi_flags: str) -> None:
    """Raises ImportError for big-endian machines and for the free-threaded build of Python.

    Native code reads the bytes of strings as little-endian words, and conversions use the limited API of Python, which
    its free-threaded build does not have.

    Args:
        byte_order: as `sys.byteorder`.
        abi_flags: as `sys.abiflags`.
    """
    if byte_order != "little":
        raise ImportError(
            f"torch_stringops: this machine is {byte_order}-endian, which is not supported (expected a little-endian "
            "machine, such as x86-64 or AArch64)"
        )
    if "t" in abi_flags:
        version = ".".join(map(str, sys.version_info[:2]))
        raise ImportError(
            f"torch_stringops: the free-threaded build of Python, {version}t, is not supported (use Python {version} "
            "with the GIL)"
        )


check_platform(sys.byteorder, getattr(sys, "abiflags", ""))
