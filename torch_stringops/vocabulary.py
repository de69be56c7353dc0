"""Vocabulary: the module between words and the rows of an embedding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any

import torch
from torch import Tensor, nn

from torch_stringops._errors import quoted
from torch_stringops._fake import check_rank, check_tensor, dtype_name
from torch_stringops._layout import can_read
from torch_stringops.interop.lines import read_lines, write_lines
from torch_stringops.ops.split_encode import encode_pieces
from torch_stringops.ops.string_unique import string_unique
from torch_stringops.string_tensor import StringTensor

Text = str | bytes


class Vocabulary(nn.Module):
    """Words and their numbers: a module that turns strings into the ids that `nn.Embedding` takes.

    The id of a token is its position. `state_dict` holds the tokens as two tensors, and loads into a
    vocabulary of another size; the table for lookups is rebuilt, not saved. It works inside
    torch.compile(fullgraph=True), torch.export and AOTInductor as part of a model. The tokens stay on the
    CPU, where strings are, whatever device the model moves to; move the ids.

    Args:
        tokens: distinct strings `[V]`, or a list of `str` or `bytes`. Lookups are fastest with frequent ones
            first.
        unknown_token: one of the tokens; a string that is none of them gets its id. None: it gets -1.
        num_oov_buckets: where positive, such a string gets `V + XXH3(string) % num_oov_buckets` instead, the
            same on every machine: unknown words share that many more rows of an embedding.

    Attributes:
        tokens: strings `[V]`.
        counts: int64 `[V]`, how often each token occurred, where `from_strings` counted them; else None. Not
            part of the state.
        unknown_id: what an unknown string gets where there are no buckets.
        num_ids: V + num_oov_buckets, the number of rows that an embedding needs.

    Raises:
        ValueError: two tokens are equal, or `unknown_token` is not among them.

    Example:
        >>> words = StringTensor.from_list(["to", "be", "or", "not", "to", "be"])
        >>> vocabulary = Vocabulary.from_strings(words)
        >>> vocabulary.tokens.tolist()
        ['<unk>', 'to', 'be', 'or', 'not']
        >>> vocabulary(StringTensor.from_list([["not", "to"], ["be", "seen"]]))
        tensor([[4, 1],
                [2, 0]])
        >>> vocabulary.decode(torch.tensor([4, 1, 0])).tolist()
        ['not', 'to', '<unk>']
        >>> model = nn.Sequential(vocabulary, nn.Embedding(vocabulary.num_ids, 8))
        >>> model(words).shape
        torch.Size([6, 8])
    """

    data: Tensor
    offsets: Tensor
    table: Tensor
    counts: Tensor | None

    def __init__(
        self,
        tokens: StringTensor | Sequence[Text],
        *,
        unknown_token: Text | None = None,
        num_oov_buckets: int = 0,
    ) -> None:
        super().__init__()
        if num_oov_buckets < 0:
            raise ValueError(f"Vocabulary: expected `num_oov_buckets` >= 0, got {num_oov_buckets}")
        self.unknown_token = unknown_token
        self.num_oov_buckets = num_oov_buckets
        self.counts = None
        for name in ("data", "offsets", "table"):
            self.register_buffer(name, None, persistent=name != "table")
        self._set_tokens(StringTensor.from_list(tokens))

    @staticmethod
    def from_strings(
        input: StringTensor | Iterable[StringTensor],
        *,
        max_size: int | None = None,
        min_frequency: int = 1,
        specials: Sequence[Text] = ("<unk>",),
        unknown_token: Text | None = "<unk>",
        num_oov_buckets: int = 0,
    ) -> Vocabulary:
        """Build a vocabulary of the strings that occur, the most frequent first, then the first seen.

        Args:
            input: strings of any shape; or several such, taken one at a time, for more text than one tensor
                holds.
            max_size: most tokens, specials among them.
            min_frequency: how often a string must occur; specials need not.
            specials: tokens that come first, in this order. The padding of `string_split` is the empty
                string: as a special, `""` gives it an id of its own.
            unknown_token: as in the constructor; must be a special or a word that occurs.
            num_oov_buckets: as in the constructor.

        Raises:
            ValueError: `max_size` is less than the number of specials, or two of these are equal.

        Example:
            >>> words = StringTensor.from_list(["b", "a", "b", "", "c", "a", "b"])
            >>> vocabulary = Vocabulary.from_strings(words, min_frequency=2, specials=("", "<unk>"))
            >>> vocabulary.tokens.tolist(), vocabulary.counts.tolist()
            (['', '<unk>', 'b', 'a'], [1, 0, 3, 2])
        """
        if max_size is not None and max_size < len(specials):
            raise ValueError(
                f"Vocabulary.from_strings: expected `max_size` >= {len(specials)}, the number of specials, "
                f"got {max_size}"
            )
        words, counts = _count(input)
        first = StringTensor.from_list(list(specials))
        ids = torch.ops.stringops.vocab_encode(
            words.data, words.offsets, torch.ops.stringops.vocab_build(first.data, first.offsets)
        )
        special_counts = counts.new_zeros(len(specials)).index_put((ids[ids >= 0],), counts[ids >= 0])
        kept = ((ids < 0) & (counts >= min_frequency)).nonzero().flatten()
        kept = kept[counts[kept].argsort(descending=True, stable=True)]
        if max_size is not None:
            kept = kept[: max_size - len(specials)]
        vocabulary = Vocabulary(
            torch.cat([first, words[kept]]),  # type: ignore[list-item, arg-type]
            unknown_token=unknown_token,
            num_oov_buckets=num_oov_buckets,
        )
        vocabulary.counts = torch.cat([special_counts, counts[kept]])
        return vocabulary

    @staticmethod
    def from_file(
        path: str | PathLike[str], *, unknown_token: Text | None = None, num_oov_buckets: int = 0
    ) -> Vocabulary:
        """Read a vocabulary from a text file, a token a line; the arguments are the constructor's.

        Lines end in LF or CR LF. `save` writes such a file.

        Raises:
            OSError: the file cannot be read.
            ValueError: two lines are equal.
        """
        return Vocabulary(read_lines(path), unknown_token=unknown_token, num_oov_buckets=num_oov_buckets)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tokens to a text file, a token a line, for `from_file` and for people.

        Raises:
            OSError: the file cannot be written.
            ValueError: a token holds a line break; `torch.save(vocabulary.state_dict(), path)` takes any.

        Example:
            >>> import os, tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "words.txt")
            ...     Vocabulary(["to", "be"]).save(path)
            ...     Vocabulary.from_file(path)
            Vocabulary(2)
        """
        write_lines(path, self.tokens, op="Vocabulary.save")

    @property
    def tokens(self) -> StringTensor:
        """The tokens, strings `[V]`; the id of each is its position."""
        return StringTensor(self.data, self.offsets)

    @property
    def num_ids(self) -> int:
        """How many ids there are, buckets included: the rows that an embedding needs."""
        return len(self) + self.num_oov_buckets

    def forward(self, input: StringTensor | Sequence[Any]) -> Tensor:
        """As `encode`."""
        return self.encode(input)

    def encode(self, input: StringTensor | Sequence[Any]) -> Tensor:
        """Look strings up.

        Args:
            input: strings `[*S]`, or a (nested) list of them.

        Returns:
            int64 `[*S]`.

        Example:
            >>> Vocabulary(["to", "be"]).encode(["be", "or"])
            tensor([ 1, -1])
        """
        return self._find(input, self.unknown_id, self.num_oov_buckets)

    def split_encode(
        self, input: StringTensor | Sequence[Any], delimiter: Text = ""
    ) -> tuple[Tensor, Tensor]:
        """Cut strings at a delimiter, and look the pieces up: `encode` of `string_split_ragged`, in one step.

        What a model on text begins with; the pieces take no memory.

        Args:
            input: strings `[*S]`, or a (nested) list of them; N is their number, in row-major order.
            delimiter: what to cut at; `""` cuts at whitespace.

        Returns:
            ids: int64 `[T]`; T depends on the data.
            row_splits: int64 `[N + 1]`, in elements: string i has the ids `[row_splits[i], row_splits[i + 1])`.

        Example:
            >>> vocabulary = Vocabulary(["to", "be"])
            >>> vocabulary.split_encode(["to be", "or not to be"])
            (tensor([ 0,  1, -1, -1,  0,  1]), tensor([0, 2, 6]))
        """
        strings = StringTensor.from_list(input)
        ids, row_splits = encode_pieces(
            strings.data,
            strings.offsets,
            self.table,
            delimiter,
            unknown_id=self.unknown_id,
            num_oov_buckets=self.num_oov_buckets,
        )
        return ids, row_splits

    def decode(self, ids: Tensor) -> StringTensor:
        """Turn ids back into tokens.

        Ids that `encode` gives to unknown strings become `unknown_token`.

        Args:
            ids: int32 or int64 `[*S]`, on the CPU.

        Returns:
            strings `[*S]`, compact.

        Raises:
            IndexError: an id is not within `[0, V)`, nor a bucket's where there is an `unknown_token`.
                Compiled or exported, the type is another.
            TypeError: `ids` is not a tensor.
            ValueError: `ids` is not of an integer type.

        Example:
            >>> Vocabulary(["to", "be"]).decode(torch.tensor([[1, 0]])).tolist()
            [['be', 'to']]
        """
        check_tensor("Vocabulary.decode", "ids", ids)
        if ids.dtype not in (torch.int32, torch.int64):
            raise ValueError(
                f"Vocabulary.decode: expected `ids` to be int32 or int64, got {dtype_name(ids.dtype)}"
            )
        size = len(self)
        limit = size if self.unknown_token is None else self.num_ids
        valid = (ids >= 0) & (ids < limit)
        if not torch.compiler.is_compiling() and not valid.all():
            at = int((~valid).flatten().nonzero()[0])
            raise IndexError(
                f"Vocabulary.decode: expected `ids` within [0, {limit}), got {int(ids.flatten()[at])} "
                f"at index {at} (row-major)"
            )
        # One past the end where invalid: a compiled graph refuses it, too, where a negative index would wrap.
        at_token = torch.where(valid, torch.where(ids < size, ids, self.unknown_id), size)
        shape = list(ids.shape)
        begins, ends = (t[at_token.reshape(shape or [1])] for t in (self.offsets[:-1], self.offsets[1:]))
        data, offsets = torch.ops.stringops.string_tensor_pack(begins, ends, self.data)
        return StringTensor(data, offsets, scalar=not shape)

    def __len__(self) -> int:
        return self.offsets.shape[0] - 1

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str | bytes) and int(self._find(token, -1, 0)) >= 0

    def __getitem__(self, key: Text | int) -> Any:
        """The id of a token (as `encode` gives it; KeyError where that is -1), or the token of an id."""
        if isinstance(key, str | bytes):
            found = int(self.encode(StringTensor.from_list(key)))
            if found < 0:
                raise KeyError(f"Vocabulary: expected one of the tokens, got {quoted(key)}")
            return found
        if not 0 <= key < len(self):
            raise IndexError(f"Vocabulary: expected an id within [0, {len(self)}), got {key}")
        return self.tokens[key].item()

    def extra_repr(self) -> str:
        parts = [str(len(self))]
        if self.unknown_token is not None:
            parts.append(f"unknown_token={self.unknown_token!r}")
        if self.num_oov_buckets:
            parts.append(f"num_oov_buckets={self.num_oov_buckets}")
        return ", ".join(parts)

    def _find(self, input: Any, unknown_id: int, num_oov_buckets: int) -> Tensor:
        strings = StringTensor.from_list(input)
        ids: Tensor = torch.ops.stringops.vocab_encode(
            strings.data, strings.offsets, self.table, unknown_id=unknown_id, num_oov_buckets=num_oov_buckets
        )
        return ids if strings.dim() else ids.reshape(())

    def _set_tokens(self, tokens: StringTensor) -> None:
        """Takes a compact copy of the tokens, and builds what follows from them; all or nothing."""
        tokens = tokens.cpu()
        check_rank("Vocabulary", "tokens", tokens, 1)  # type: ignore[arg-type]
        table = torch.ops.stringops.vocab_build(tokens.data, tokens.offsets)
        data, offsets = torch.ops.stringops.string_tensor_pack(
            tokens.offsets[:-1], tokens.offsets[1:], tokens.data
        )
        unknown_id = -1
        if self.unknown_token is not None:
            unknown = StringTensor.from_list(self.unknown_token)
            unknown_id = int(torch.ops.stringops.vocab_encode(unknown.data, unknown.offsets, table))
            if unknown_id < 0:
                raise ValueError("Vocabulary: expected `unknown_token` to be one of the tokens; it is not")
        self.data, self.offsets, self.table = data, offsets, table
        self.unknown_id = unknown_id

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
        data, offsets = state_dict.get(prefix + "data"), state_dict.get(prefix + "offsets")
        if data is not None and offsets is not None:
            try:
                self._set_tokens(StringTensor(data, offsets))
            except (TypeError, ValueError, RuntimeError) as error:  # the last: torch 2.15's, for ValueError
                error_msgs.append(f'While loading the vocabulary "{prefix[:-1]}": {error}')
                return
            self.counts = None
        # What is left to nn.Module is the bookkeeping: it copies our tensors onto themselves.
        own = {key: value for key, value in state_dict.items() if key.startswith(prefix)}
        own |= {prefix + name: getattr(self, name) for name in ("data", "offsets") if prefix + name in own}
        super()._load_from_state_dict(
            own, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Vocabulary:
        # Bytes and offsets stay what they are, where they are: no device nor dtype of the model is theirs.
        def stay(t: Tensor) -> Tensor:
            moved = fn(t)
            return moved if moved.device.type == "cpu" and moved.dtype == t.dtype else t

        super()._apply(stay, recurse)
        return self

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        tokens = self.tokens
        if can_read(tokens.data) and can_read(tokens.offsets):
            tokens.validate()
        check_rank("Vocabulary", "tokens", tokens, 1)  # type: ignore[arg-type]
        # A pickle keeps the table, so that processes share it; one from another version builds its own.
        try:
            self._find([], -1, 0)
        except (ValueError, RuntimeError):  # the last: torch 2.15's, for ValueError
            self._set_tokens(tokens)


def _count(input: StringTensor | Iterable[StringTensor]) -> tuple[StringTensor, Tensor]:
    """The distinct strings in order of first appearance, and how often each occurs."""
    parts = [input] if isinstance(input, StringTensor) else input
    words = StringTensor.from_list([])
    counts = torch.zeros(0, dtype=torch.int64, device="cpu")
    for part in parts:
        if not isinstance(part, StringTensor):
            raise TypeError(f"Vocabulary.from_strings: expected a StringTensor, got {type(part).__name__}")
        part_words, _, part_counts = string_unique(part.cpu())
        if len(words) == 0:
            words, counts = part_words, part_counts
            continue
        # What is known comes first, so it keeps its place.
        words, numbers, _ = string_unique(torch.cat([words, part_words]))  # type: ignore[list-item, arg-type]
        counts = counts.new_zeros(len(words)).index_add(0, numbers, torch.cat([counts, part_counts]))
    return words, counts
