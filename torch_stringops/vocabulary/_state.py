"""The state of a Vocabulary: tokens, settings, and the hash table of the tokens.

In state_dict it is the bytes of three tensors, without the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from torch_stringops._checks import check_dtype, check_int, check_rank, quoted, shape_text
from torch_stringops._module_state import ModuleState, fixed_tensor
from torch_stringops._tracing import can_read
from torch_stringops._types import Text
from torch_stringops.ops import vocabulary
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary._arguments import MAX_BUCKETS

_STATE = ("data", "offsets", "settings")


class Settings(NamedTuple):
    """Determines the ids, together with the tokens. In state_dict, an int64 tensor of these values, in this order."""

    unknown: int  # position of the unknown token, or -1
    pad: int  # position of the pad token, or -1
    num_oov_buckets: int


class Index(NamedTuple):
    """Compact tokens on the CPU, and their hash table."""

    data: Tensor
    offsets: Tensor
    table: Tensor

    @staticmethod
    def of(tokens: StringTensor) -> Index:
        """Builds an index, which does not share memory. Raises ValueError if tokens are equal, or the rank is not 1."""
        tokens = tokens.cpu()
        check_rank("Vocabulary", "tokens", tokens, 1)  # type: ignore[arg-type]
        table = vocabulary._vocab_build(tokens)
        data, offsets = torch.ops.stringops.string_tensor_pack(tokens.offsets[:-1], tokens.offsets[1:], tokens.data)
        return Index(data, offsets, table)

    def find(self, token: bytes) -> int:
        """Returns the position of a token, or -1."""
        one = StringTensor.from_list(token)
        return int(vocabulary._vocab_encode(one, self.table))


class VocabularyState(ModuleState):
    """Holds an Index and Settings, and saves, loads and pickles them."""

    _names = _STATE
    _kind = "vocabulary"

    # Attributes of the module itself, which torch.export lifts as constants.
    _data: Tensor
    _offsets: Tensor
    _table: Tensor
    _settings: Settings
    counts: Tensor | None
    _has_checked_pieces = False  # by the first call of split_encode that found pieces

    data, offsets, settings = (fixed_tensor(name, "Vocabulary") for name in _STATE)
    _extra_state = fixed_tensor("_extra_state", "Vocabulary")

    def _set(self, index: Index, settings: Settings) -> None:
        """Assigns the state. Cannot fail, so that an error leaves the old state."""
        self._data, self._offsets, self._table = index
        self._settings = settings
        self._mark()

    @property
    def tokens(self) -> StringTensor:
        """The tokens, strings `[V]`. The id of a token is its position."""
        return StringTensor(self._data, self._offsets)

    def __len__(self) -> int:
        return self._offsets.shape[0] - 1

    @property
    def pad_id(self) -> int | None:
        """The id of `pad_token`, or None: `padding_idx` of `nn.Embedding`, `padding_value` of `ragged_to_dense`."""
        return self._settings.pad if self._settings.pad >= 0 else None

    @property
    def pad_token(self) -> Text | None:
        """The padding token, or None."""
        return self._token(self._settings.pad)

    @property
    def unknown_id(self) -> int:
        """The id of `unknown_token`; without one, the first id after the tokens, or -1 if there are no buckets."""
        if self._settings.unknown >= 0:
            return self._settings.unknown
        return len(self) if self.num_oov_buckets else -1

    @property
    def unknown_token(self) -> Text | None:
        """The token for unknown strings, or None."""
        return self._token(self._settings.unknown)

    @property
    def num_oov_buckets(self) -> int:
        """The number of ids, after those of the tokens, for unknown strings."""
        return self._settings.num_oov_buckets

    @property
    def num_ids(self) -> int:
        """The number of ids, including buckets: `num_embeddings` of an `nn.Embedding`."""
        return len(self) + self.num_oov_buckets

    def extra_repr(self) -> str:
        parts = [str(len(self))]
        for name in ("pad_token", "unknown_token"):
            if (token := getattr(self, name)) is not None:
                parts.append(f"{name}={quoted(token)}")
        if self.num_oov_buckets:
            parts.append(f"num_oov_buckets={self.num_oov_buckets}")
        return ", ".join(parts)

    def _token(self, id: int) -> Text | None:
        """Returns a token as `str`, or as `bytes` if it is not UTF-8; None for -1."""
        return None if id < 0 else self._token_at(id)

    def _token_at(self, id: int) -> Text:
        raw = self.tokens[id].item(as_bytes=True)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw

    def _state(self) -> dict[str, Tensor]:
        settings = torch.tensor(self._settings, dtype=torch.int64, device="cpu")
        return {"data": self._data, "offsets": self._offsets, "settings": settings}

    def _load(self, tensors: dict[str, Any]) -> None:
        index = Index.of(StringTensor(tensors["data"], tensors["offsets"]))
        self._set(index, _checked(tensors["settings"], index.offsets.shape[0] - 1))
        self.counts = None

    def __getstate__(self) -> dict[str, Any]:
        # Pickles name no private class.
        return {**self.__dict__, "_settings": tuple(self._settings)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        tokens = self.tokens
        if can_read(tokens.data) and can_read(tokens.offsets):
            tokens.validate()
        check_rank("Vocabulary", "tokens", tokens, 1)  # type: ignore[arg-type]
        self._settings = _checked(torch.tensor(self._settings, device="cpu"), len(self))
        # The table is pickled, so that processes share it. A table of another version is rebuilt.
        try:
            Index(self._data, self._offsets, self._table).find(b"")
        except (ValueError, RuntimeError):  # RuntimeError: torch 2.15, for ValueError
            self._set(Index.of(tokens), self._settings)


def _checked(settings: Any, size: int) -> Settings:
    """Validates the settings of a vocabulary of `size` tokens, from an untrusted tensor."""
    if not isinstance(settings, Tensor):
        raise TypeError(f"Vocabulary: expected `settings` to be a Tensor, got {type(settings).__name__}")
    check_dtype("Vocabulary", "settings", settings, torch.int64)
    if list(settings.shape) != [len(Settings._fields)]:
        raise ValueError(f"Vocabulary: expected `settings` of shape [3], got {shape_text(settings)}")
    unknown, pad, num_oov_buckets = settings.tolist()
    check_int("Vocabulary", "settings[0]", unknown, -1, size - 1)
    check_int("Vocabulary", "settings[1]", pad, -1, size - 1)
    if unknown == pad != -1:
        raise ValueError(f"Vocabulary: expected `settings` [0] and [1] to differ, got {pad} for both")
    return Settings(unknown, pad, check_int("Vocabulary", "settings[2]", num_oov_buckets, 0, MAX_BUCKETS))
