"""Reads the JSON of a tokenizer, whose vocabularies and merges are read in native code, without objects of Python."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import quoted
from torch_stringops.string_tensor import StringTensor


@dataclass(frozen=True)
class JsonValue:
    """The value `text[begin:end]` of a document."""

    text: bytes
    begin: int
    end: int

    def parse(self, op: str) -> Any:
        try:
            return json.loads(self.text[self.begin : self.end].decode("utf-8"))
        except ValueError:
            return _parse(op, self.text)  # raises the error, with the place in the whole text

    def read(self, op: str, read: Any, expected: str, *args: Any) -> Any:
        """The result of a native function.

        Raises:
            ValueError: the value is not as `expected`.
        """
        found = read(self.text, self.begin, self.end, *args)
        if found is None:
            _parse(op, self.text)
            raise ValueError(f"{op}: expected {expected}")
        return found


def _parse(op: str, text: bytes | str) -> Any:
    try:
        return json.loads(text.decode("utf-8") if isinstance(text, bytes) else text)
    except UnicodeDecodeError as error:
        raise ValueError(f"{op}: expected UTF-8: {error}") from None
    except ValueError as error:
        raise ValueError(f"{op}: expected JSON: {error}") from None


def parse_json(op: str, source: str | bytes) -> dict[str, Any]:
    """The object of a text of JSON. Its members `vocab` and `merges`, and those of its `model`, are JsonValues.

    Raises:
        ValueError: it is not UTF-8, or not the JSON of an object.
    """
    text = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    cut = _convert.json_cut(text)
    try:
        found = json.loads(cut[0]) if cut else None
    except ValueError:
        found = None
    if found is None:
        # The error has the place in the whole text.
        _parse(op, text)
        raise ValueError(f"{op}: expected a JSON object")
    places = tensor_of(cut[1], torch.int64).reshape(-1, 2).tolist()
    for holder in (found, found.get("model")):
        for name in ("vocab", "merges"):
            if isinstance(holder, dict) and name in holder:
                holder[name] = JsonValue(text, *places[holder[name]])
    return found  # type: ignore[no-any-return]


def read_vocabulary(op: str, value: JsonValue) -> tuple[StringTensor, Tensor]:
    """The tokens `[N]` and ids, int64 `[N]`, of an object."""
    data, offsets, ids = value.read(op, _convert.json_vocabulary, "an object of token -> id as `vocab`")
    return strings_of(data, offsets), tensor_of(ids, torch.int64)


def read_pieces(op: str, value: JsonValue, from_file: bool) -> tuple[StringTensor, Tensor]:
    """The pieces `[N]` and scores, float64 `[N]`, of a list. `from_file`: as `_huggingface.read_json` describes."""
    expected = "a list of [piece, score] as `vocab`"
    data, offsets, digits, digit_offsets, scores = value.read(op, _convert.json_pieces, expected)
    if from_file:
        return strings_of(data, offsets), tensor_of(scores, torch.float64)
    return strings_of(data, offsets), strings_of(digits, digit_offsets).to_number(torch.float64)


def read_merges(op: str, value: JsonValue) -> tuple[StringTensor, StringTensor]:
    """The two tokens of each merge, `[M, 2]`, and both as one string, `[M, 1]`."""
    expected = "merges of two tokens"
    data, offsets, bad = value.read(op, _convert.json_merges, f"a list of {expected}")
    if bad:
        raise ValueError(f"{op}: expected {expected}, got {quoted(bytes(bad))}")
    bytes_, rows = tensor_of(data, torch.uint8), tensor_of(offsets, torch.int32).reshape(-1, 3)
    return StringTensor(bytes_, rows), StringTensor(bytes_, rows[:, ::2].contiguous())


def read_tokens(op: str, value: JsonValue, count: int) -> tuple[StringTensor, int]:
    """The first `count` tokens of a tekken.json, as far as they are valid, and the length of its list."""
    expected = "a list of tokens as `vocab`"
    data, offsets, length = value.read(
        op, _convert.json_tokens, expected, min(max(count, 0), len(value.text))
    )
    return strings_of(data, offsets), length


def strings_of(data: bytearray, offsets: bytearray) -> StringTensor:
    """Strings in the buffers of a native function, without a copy."""
    return StringTensor(tensor_of(data, torch.uint8), tensor_of(offsets, torch.int32))


def tensor_of(buffer: bytearray, dtype: torch.dtype) -> Tensor:
    return torch.frombuffer(buffer, dtype=dtype) if buffer else torch.empty(0, dtype=dtype, device="cpu")
