"""The state of a Vocabulary: tokens, settings, and the hash table of the tokens.

The state is not in parameters or buffers, since torch may move, cast, empty, broadcast, shard, average or swap (in
functional_call) these independently, after which the table would not match the tokens. In state_dict, the state is
three tensors, which are loaded together or not at all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from torch_stringops._checks import check_dtype, check_rank, quoted, shape_text
from torch_stringops._tracing import can_read
from torch_stringops._vocabulary_arguments import MAX_BUCKETS, Text, check_int
from torch_stringops.ops import vocabulary
from torch_stringops.string_tensor import StringTensor

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
        table = vocabulary.vocab_build(tokens)
        data, offsets = torch.ops.stringops.string_tensor_pack(
            tokens.offsets[:-1], tokens.offsets[1:], tokens.data
        )
        return Index(data, offsets, table)

    def find(self, token: bytes) -> int:
        """Returns the position of a token, or -1."""
        one = StringTensor.from_list(token)
        return int(vocabulary.vocab_encode(one, self.table))


def fixed_tensor(name: str, op: str = "Vocabulary") -> property:
    """A tensor of the state as an attribute, to which only an equal tensor can be assigned.

    torch.func.functional_call assigns to attributes that have the names of state_dict.
    """

    def get(self: Any) -> Tensor:
        t: Tensor = self._state()[name]
        return t

    def set(self: Any, value: Any) -> None:
        mine = get(self)
        like = isinstance(value, Tensor) and value.device == mine.device and value.dtype == mine.dtype
        if not (like and torch.equal(value, mine)):
            raise AttributeError(
                f"{op}: `{name}` cannot be replaced (use load_state_dict, or build another {op})"
            )

    return property(get, set)


class VocabularyState(nn.Module):
    """Holds an Index and Settings, and saves, loads and pickles them."""

    # Attributes of the module itself, which torch.export lifts as constants.
    _data: Tensor
    _offsets: Tensor
    _table: Tensor
    _settings: Settings
    counts: Tensor | None

    data, offsets, settings = (fixed_tensor(name) for name in _STATE)

    def _set(self, index: Index, settings: Settings) -> None:
        """Assigns the state. Cannot fail, so that an error leaves the old state."""
        self._data, self._offsets, self._table = index
        self._settings = settings

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
        if id < 0:
            return None
        raw: bytes = self.tokens[id].item(as_bytes=True)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw

    def _state(self) -> dict[str, Tensor]:
        settings = torch.tensor(self._settings, dtype=torch.int64, device="cpu")
        return {"data": self._data, "offsets": self._offsets, "settings": settings}

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination.update({prefix + name: t for name, t in self._state().items()})

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        missing = [prefix + name for name in _STATE if prefix + name not in state_dict]
        if missing:
            missing_keys += missing
        else:
            data, offsets, settings = (state_dict[prefix + name] for name in _STATE)
            try:
                index = Index.of(StringTensor(data, offsets))
                self._set(index, _checked(settings, index.offsets.shape[0] - 1))
                self.counts = None
            except (
                TypeError,
                ValueError,
                RuntimeError,
            ) as error:  # RuntimeError: torch 2.15, for ValueError
                error_msgs.append(f'While loading the vocabulary "{prefix[:-1]}": {error}')
        rest = {key: value for key, value in state_dict.items() if key.removeprefix(prefix) not in _STATE}
        super()._load_from_state_dict(
            rest, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

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
