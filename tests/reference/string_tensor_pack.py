"""Oracle of string_tensor_pack, after OpenVINO StringTensorPack-15: string i is symbols[begins[i] : ends[i])."""

from typing import Any


def string_tensor_pack_ref(begins: Any, ends: Any, symbols: Any) -> tuple[Any]:
    raw = bytes(symbols.tolist())

    def pack(b: Any, e: Any) -> Any:
        return [pack(x, y) for x, y in zip(b, e, strict=True)] if isinstance(b, list) else raw[b:e]

    return (pack(begins.tolist(), ends.tolist()),)
