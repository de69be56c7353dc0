"""Oracles of string_tensor_pack (OpenVINO StringTensorPack-15: string i is symbols[begins[i] : ends[i])) and of
string_tensor_unpack (OpenVINO StringTensorUnpack-15: where each string begins and ends in the concatenated bytes).
_check_strings returns one row if the strings are of the given sizes.
"""

from typing import Any


def string_tensor_pack_ref(begins: Any, ends: Any, symbols: Any) -> tuple[Any]:
    raw = bytes(symbols.tolist())

    def pack(b: Any, e: Any) -> Any:
        return [pack(x, y) for x, y in zip(b, e, strict=True)] if isinstance(b, list) else raw[b:e]

    return (pack(begins.tolist(), ends.tolist()),)


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


def check_strings_ref(strings: Any, sizes: list[int], num_bytes: int | None, *names: str) -> tuple[Any]:
    return ([[]],)
