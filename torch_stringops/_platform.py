"""Refuses machines for which the package is not built. Imports no other module of the package."""

import sys


def check_platform(byte_order: str) -> None:
    """Raises ImportError for big-endian machines: native code reads the bytes of strings as little-endian words.

    Args:
        byte_order: as `sys.byteorder`.
    """
    if byte_order != "little":
        raise ImportError(
            f"torch_stringops: this machine is {byte_order}-endian, which is not supported (expected a little-endian "
            "machine, such as x86-64 or AArch64)"
        )


check_platform(sys.byteorder)
