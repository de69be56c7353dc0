"""Reads the JSON of a tokenizer, whose vocabularies and merges are read in native code, without objects of Python."""

from __future__ import annotations

import functools
import json
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._checks import quoted
from torch_stringops.string_tensor import StringTensor

F = TypeVar("F", bound=Callable[..., Any])


class _Part(dict[str, Any]):
    """An object of a document, which notes the place and the value of the member that is read.

    Its parts share `read`, the place and the value that were read last.
    """

    def __init__(self, members: dict[str, Any], place: str, read: list[Any]) -> None:
        self.place, self.read = place, read
        super().__init__((name, _noting(value, self._at(name), read)) for name, value in members.items())

    def _at(self, name: str) -> str:
        shown = name if name.isascii() and name.isidentifier() else quoted(name)
        return f"{self.place}.{shown}" if self.place else shown

    def __getitem__(self, name: str) -> Any:
        self.read[:] = self._at(name), super().get(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.read[:] = self._at(name), super().get(name)
        return super().get(name, default)


class _Items(list[Any]):
    """A list of a document, like `_Part`."""

    def __init__(self, items: list[Any], place: str, read: list[Any]) -> None:
        self.place, self.read = place, read
        super().__init__(_noting(item, f"{place}[{i}]", read) for i, item in enumerate(items))

    def __iter__(self) -> Iterator[Any]:
        for i, item in enumerate(super().__iter__()):
            self.read[:] = f"{self.place}[{i}]", item
            yield item


def _noting(value: Any, place: str, read: list[Any]) -> Any:
    if isinstance(value, dict):
        return _Part(value, place, read)
    return _Items(value, place, read) if isinstance(value, list) else value


def naming_places(function: F) -> F:
    """Decorates a reader of `(op, source, ...)`: any error other than its own becomes a ValueError with the place.

    After such an error the source is read once more, by objects that note what is read, which takes several times as
    long.
    """

    @functools.wraps(function)
    def call(op: str, source: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        try:
            return function(op, source, *args, **kwargs)
        except Exception as error:
            if isinstance(error, ValueError) and str(error).startswith(f"{op}: "):
                raise
            read: list[Any] = ["the document", source]
            with suppress(Exception):
                function(op, _Part(source, "", read), *args, **kwargs)
            place, value = read
            got = next(kind.__name__ for kind in (dict, list, type(value)) if isinstance(value, kind))
            raise ValueError(f"{op}: expected `{place}` to be as the original library writes it, got {got}") from error

    return call  # type: ignore[return-value]


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
    except (ValueError, RecursionError) as error:
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
    except (ValueError, RecursionError):
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
    """The first `count` tokens of a tekken.json, in base64, as far as they are strings, and the length of its list."""
    expected = "a list of tokens as `vocab`"
    data, offsets, length = value.read(op, _convert.json_tokens, expected, min(max(count, 0), len(value.text)))
    return strings_of(data, offsets), length


def of_base64(strings: StringTensor) -> StringTensor:
    """The bytes of strings `[N]` of base64, of which unused bits may be set, before the first that is not base64."""
    with suppress(ValueError):
        return strings.unbase64()
    found = []
    with suppress(ValueError):
        for text in strings.tolist(as_bytes=True):
            if len(text) % 4 != 0:
                break
            found.append(b64decode(text, validate=True))
    return StringTensor.from_list(found)


def strings_of(data: bytearray, offsets: bytearray) -> StringTensor:
    """Strings in the buffers of a native function, without a copy."""
    return StringTensor(tensor_of(data, torch.uint8), tensor_of(offsets, torch.int32))


def tensor_of(buffer: bytearray, dtype: torch.dtype) -> Tensor:
    return torch.frombuffer(buffer, dtype=dtype) if buffer else torch.empty(0, dtype=dtype, device="cpu")
