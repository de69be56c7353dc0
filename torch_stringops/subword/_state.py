"""The state of a SubwordTokenizer: what it was built from, and the table that was built.

In state_dict it is the bytes of five tensors, without the table, which another version of the library may lay out
otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from torch_stringops._checks import check_dtype, check_rank, shape_text
from torch_stringops._module_state import ModuleState, fixed_tensor
from torch_stringops._tracing import can_read
from torch_stringops.ops import subword
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword._definition import Definition

_OP = "SubwordTokenizer"
# The tensors of the state, and their types.
STATE = {
    "data": torch.uint8,
    "offsets": torch.int32,
    "numbers": torch.int32,
    "spec": torch.uint8,
    "settings": torch.int64,
}


class Settings(NamedTuple):
    """The settings that the module adds to the table. In state_dict, an int64 tensor of these values, in this order."""

    pad: int = -1  # id, or -1
    pad_type: int = 0  # value of token_type_ids where a row is padded
    pads_left: int = 0
    max_length: int = -1  # of a row with its special tokens, or -1
    truncates_left: int = 0
    types: int = 0  # whether token_type_ids are returned by default


class Source(NamedTuple):
    """Arguments of subword_build, of which the table is made: numbers as int32 `[M, 3]`."""

    pieces: StringTensor
    numbers: Tensor
    spec: str

    def build(self) -> Tensor:
        table: Tensor = subword._subword_build(self.pieces, self.numbers.long(), self.spec)
        return table


class SubwordState(ModuleState):
    """Holds a Source, its table and Settings, and saves, loads and pickles them."""

    _names = tuple(STATE)
    _kind = "tokenizer"

    # Attributes of the module itself, which torch.export lifts as constants.
    _data: Tensor
    _offsets: Tensor
    _numbers: Tensor
    _spec: str
    _table: Tensor
    _settings: Settings
    _before: list[int]  # of the template, around a text
    _after: list[int]
    _special_ids: list[int] | None = None  # until they are asked for

    data, offsets, numbers, spec, settings = (fixed_tensor(name, _OP) for name in STATE)
    _extra_state = fixed_tensor("_extra_state", _OP)

    def __init__(self, definition: Definition) -> None:
        super().__init__()
        if not isinstance(definition, Definition):
            raise TypeError(
                f"SubwordTokenizer: expected a Definition, got {type(definition).__name__} "
                "(use SubwordTokenizer.from_file, from_tiktoken, from_wordpiece or from_sentencepiece)"
            )
        numbers = torch.as_tensor(definition.numbers, dtype=torch.int32, device="cpu").reshape(-1, 3)
        source = Source(definition.pieces, numbers, definition.spec)
        self._set(source, source.build(), Settings(**definition.settings))
        self._check_settings()

    def _set(self, source: Source, table: Tensor, settings: Settings) -> None:
        """Assigns the state. A malformed template raises an error before anything has changed."""
        before, of_text, after = _template(source.spec)
        self._data, self._offsets = source.pieces.data, source.pieces.offsets
        self._numbers, self._spec, self._special_ids = source.numbers, source.spec, None
        self._table, self._settings = table, settings
        self._before, self._after = [id for id, _ in before], [id for id, _ in after]
        self._types = [kind for _, kind in before], of_text, [kind for _, kind in after]
        self._mark()

    def _check_settings(self) -> None:
        _checked(torch.tensor(self._settings, device="cpu"), self._offsets.shape[0] - 1)

    def _state(self) -> dict[str, Tensor]:
        spec = torch.frombuffer(bytearray(self._spec.encode()), dtype=torch.uint8)
        settings = torch.tensor(self._settings, dtype=torch.int64, device="cpu")
        tensors = (self._data, self._offsets, self._numbers, spec, settings)
        return dict(zip(STATE, tensors, strict=True))

    def _load(self, tensors: dict[str, Any], table: Tensor | None = None) -> None:
        """Replaces the state by an untrusted one. A table that was built from it is not built again."""
        data, offsets, numbers, spec, settings = (tensors[name] for name in STATE)
        pieces = StringTensor(data, offsets).cpu()
        check_rank(_OP, "offsets", pieces.offsets, 1)
        for name, t, rank in (("numbers", numbers, 2), ("spec", spec, 1), ("settings", settings, 1)):
            if not isinstance(t, Tensor):
                raise TypeError(f"{_OP}: expected `{name}` to be a Tensor, got {type(t).__name__}")
            check_dtype(_OP, name, t, STATE[name])
            check_rank(_OP, name, t, rank)
        text = spec.cpu().numpy().tobytes().decode("ascii", "replace")
        source = Source(pieces, numbers.cpu(), text)
        if table is None or not _is_table(table):
            table = source.build()
        self._set(source, table, _checked(settings, offsets.shape[0] - 1))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        # The table is pickled, so that processes share it. A table of another version is rebuilt.
        if can_read(self._table) and not _is_table(self._table):
            source = Source(StringTensor(self._data, self._offsets), self._numbers, self._spec)
            self._set(source, source.build(), self._settings)


def _template(spec: str) -> tuple[list[tuple[int, int]], int, list[tuple[int, int]]]:
    """The ids around a text and their types, and the type of the text.

    The specification may be malformed if its table was not built from it.
    """
    name = "\ntemplate_single "
    begin = spec.find(name) + len(name)  # the search is fast in a text of megabytes
    words = spec[begin:].partition("\n")[0].split(" ") if begin >= len(name) else ["A"]
    parts = [word.partition(":")[::2] for word in words]
    names = [name for name, _ in parts]
    try:
        at = names.index("A")
        kinds = [int(kind or 0) for _, kind in parts]
        ids = [int(name) for name in names[:at] + names[at + 1 :]]
    except ValueError:
        raise ValueError(f"{_OP}: expected ids around A in template_single, got {' '.join(words)[:80]!r}") from None
    before = list(zip(ids[:at], kinds[:at], strict=True))
    return before, kinds[at], list(zip(ids[at:], kinds[at + 1 :], strict=True))


def _is_table(table: Tensor) -> bool:
    """Whether operators accept a table: it has the layout of this version."""
    try:
        subword._subword_encode(StringTensor.from_list([b""]), table)
    except (ValueError, RuntimeError):
        return False
    return True


def _checked(settings: Tensor, size: int) -> Settings:
    """Validates settings of a tokenizer of `size` ids, from an untrusted tensor."""
    if list(settings.shape) != [len(Settings._fields)]:
        raise ValueError(f"{_OP}: expected `settings` of shape [{len(Settings._fields)}], got {shape_text(settings)}")
    found = Settings(*settings.tolist())
    if not -1 <= found.pad < size:
        raise ValueError(f"{_OP}: expected the id of padding within [-1, {size}), got {found.pad}")
    if found.max_length < -1:
        raise ValueError(f"{_OP}: expected a maximum length >= -1, got {found.max_length}")
    for name in ("pads_left", "truncates_left", "types"):
        if getattr(found, name) not in (0, 1):
            raise ValueError(f"{_OP}: expected `{name}` of 0 or 1, got {getattr(found, name)}")
    return found
