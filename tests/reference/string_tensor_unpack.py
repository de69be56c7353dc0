"""Oracle of string_tensor_unpack, after OpenVINO StringTensorUnpack-15: the bytes before each string, and after it."""

from typing import Any


def string_tensor_unpack_ref(strings: Any) -> tuple[Any, Any, list[int]]:
    symbols = b""

    def walk(level: Any) -> Any:
        nonlocal symbols
        if isinstance(level, list):
            pairs = [walk(part) for part in level]
            return [begin for begin, _ in pairs], [end for _, end in pairs]
        begin = len(symbols)
        symbols += level
        return begin, len(symbols)

    begins, ends = walk(strings)
    return begins, ends, list(symbols)


def string_tensor_unpack_ranges_ref(strings: Any) -> tuple[Any, Any]:
    return string_tensor_unpack_ref(strings)[:2]
