"""StringLookup: a module that converts strings to ids, or ids to strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

import torch
from torch import Tensor, nn

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_choice, check_int, utf8
from torch_stringops._names import named_class
from torch_stringops._packed_state import saved_tensors
from torch_stringops._types import IntegersLike, LookupOutput, OptionalStrings, StringsLike, Text, like
from torch_stringops.interop.lines import read_lines
from torch_stringops.nn._categories import MAX_BINS, bucket, check_salt, encode
from torch_stringops.nn._learning import Learned, Rows, batches
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary._arguments import check_ids
from torch_stringops.vocabulary.vocabulary import Vocabulary

MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")


@named_class
class StringLookup(nn.Module):
    """A module that converts strings to ids, or ids to strings, with the arguments and results of Keras' layer.

    The ids are: 0 for `mask_token`, if there is one and `output_mode` is "int"; then `num_oov_indices` ids for strings
    that are not in the vocabulary; then those of the tokens. `Vocabulary` is simpler, and has `split_encode`.

    `state_dict` contains the tokens, and with "tf_idf" their weights; it can be loaded into a module whose vocabulary
    has another size. The other arguments are not part of it.

    Args:
        max_tokens: maximum number of ids, at least 2; None for no limit.
        num_oov_indices: number of ids for unknown strings, which their hash selects. If it is 0, they are an error;
            compiled and exported programs give -1.
        mask_token: the string of padding. It gets id 0; in modes other than "int" it is left out.
        oov_token: with `invert`, the string for unknown ids.
        vocabulary: the tokens `[V]`, with or without the special tokens in front, or the path of a file with one
            token per line. None: call `adapt`, `set_vocabulary` or `load_state_dict` before the module.
        idf_weights: for "tf_idf", the weights of `vocabulary`, of the same length.
        invert: convert ids to strings.
        output_mode: "int", the ids; "one_hot", an axis for the ids is added; "multi_hot", "count" or
            "tf_idf", an axis for the ids replaces the last axis, and has for each id whether the row has it,
            how often, or this number times the weight of the id.
        pad_to_max_tokens: with the modes other than "int", this axis has the size `max_tokens`.
        salt: an int or two: with several `num_oov_indices`, the key of SipHash, which selects among them.

    Differences from Keras:
        | case | here | Keras |
        |---|---|---|
        | several `num_oov_indices`, no `salt` | XXH3 selects, as in `string_hash_bucket` | FarmHash64: other ids |
        | `num_oov_indices=0` in a compiled program | unknown strings get -1 | an error |

    Raises:
        TypeError: the type of an argument is not as above.
        ValueError: an argument is not as above; tokens are equal, or `mask_token` is one that is not in front.

    Example:
        >>> lookup = StringLookup(mask_token="")
        >>> lookup.adapt(["a", "b", "c", "b", "c", "c"])
        >>> lookup.get_vocabulary()
        ['', '[UNK]', 'c', 'b', 'a']
        >>> ids = lookup([["c", "d"], ["", "a"]])
        >>> ids
        tensor([[2, 1],
                [0, 4]])
        >>> back = StringLookup(mask_token="", vocabulary=lookup.get_vocabulary(), invert=True)
        >>> back(ids).tolist()
        [['c', '[UNK]'], ['', 'a']]
        >>> StringLookup(vocabulary=["a", "b"], output_mode="count")([["b", "b", "x"], ["a", "b", "b"]])
        tensor([[1, 0, 2],
                [0, 1, 2]])
    """

    idf_weights: Tensor

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: Text | None = None,
        oov_token: Text = "[UNK]",
        vocabulary: StringsLike | PathLike[str] | None = None,
        idf_weights: Tensor | Sequence[float] | None = None,
        invert: bool = False,
        output_mode: LookupOutput = "int",
        pad_to_max_tokens: bool = False,
        salt: int | Sequence[int] | None = None,
        *,
        _op: str = "StringLookup",
    ) -> None:
        super().__init__()
        self._op = _op
        self.max_tokens = None if max_tokens is None else check_int(_op, "max_tokens", max_tokens, 2)
        self.num_oov_indices = check_int(_op, "num_oov_indices", num_oov_indices, 0, MAX_BINS)
        utf8(_op, "oov_token", oov_token)
        if mask_token is not None:
            utf8(_op, "mask_token", mask_token)
        self.mask_token, self.oov_token = mask_token, oov_token
        self.invert, self.pad_to_max_tokens = bool(invert), bool(pad_to_max_tokens)
        self.output_mode = check_choice(_op, "output_mode", output_mode, MODES)
        self.salt = check_salt(_op, salt)
        if self.invert and output_mode != "int":
            raise ValueError(f'{_op}: expected `output_mode` "int" with `invert`, got "{output_mode}"')
        if self.pad_to_max_tokens and max_tokens is None:
            raise ValueError(f"{_op}: expected `max_tokens` with `pad_to_max_tokens`, got None")
        if self.max_tokens is not None and self.max_tokens < self._token_start:
            raise ValueError(
                f"{_op}: expected `max_tokens` >= {self._token_start}, the number of ids that are not of tokens, "
                f"got {max_tokens}"
            )
        if vocabulary is None and idf_weights is not None:
            raise ValueError(f"{_op}: expected a `vocabulary` with `idf_weights`, got None")
        self._adapts = vocabulary is None
        self._set(StringTensor.from_list([]), None)
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    @overload  # the types overlap in an empty list
    def forward(self, input: StringsLike) -> Tensor: ...  # type: ignore[overload-overlap]
    @overload
    def forward(self, input: IntegersLike) -> StringTensor: ...

    def forward(self, input: StringsLike | IntegersLike) -> Tensor | StringTensor:
        """Returns the ids of strings in the form of `output_mode`; with `invert`, the strings of ids.

        Args:
            input: strings `[*S]`, in any form that `as_strings` accepts; with `invert`, integers `[*S]`.

        Returns:
            int64 `[*S]`, in the mode "int"; int64 or, for "tf_idf", float `[*S[:-1], num_ids]`; for "one_hot" int64
            `[*S, num_ids]`. With `invert`, strings `[*S]`.

        Raises:
            RuntimeError: the module has no vocabulary yet.
        """
        self._check_vocabulary()
        if self.invert:
            return self._strings(check_ids(self._op, input))
        ids = self._ids(strings_argument(self._op, "input", input))
        mode = "count" if self.output_mode == "tf_idf" else self.output_mode
        return self._weighted(encode(ids, self._depth(), mode))

    if TYPE_CHECKING:  # nn.Module returns Any

        @like(forward)
        def __call__(self) -> None: ...

    def adapt(
        self,
        data: OptionalStrings | Iterable[OptionalStrings],
        steps: int | None = None,
        *,
        missing: Text | None = None,
    ) -> None:
        """Learns the vocabulary from strings, ordered by count, then by their bytes, both descending.

        Args:
            data: strings, in any form that `as_strings` accepts, or an iterable of batches of them. A list of
                lists is strings of rank 2; `iter` of it is batches. For "tf_idf", a row along the last axis
                is a document; if `data` is strings of rank 1, each string is one.
            steps: maximum number of batches that are read from an iterable.
            missing: replaces missing strings, as in `as_strings`. Default: None, a missing string is an error.

        Raises:
            ValueError: a string is missing, or the module was built with a `vocabulary`.
        """
        self._adapt(data, steps, missing, _rows)

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Text]:
        """Returns the tokens as a list: the token of id i at position i.

        Args:
            include_special_tokens: False for the tokens alone, without those for padding and unknown strings.
        """
        tokens: list[Text] = self.vocabulary.tokens.tolist()
        return self._specials() + tokens if include_special_tokens else tokens

    def vocabulary_size(self) -> int:
        """Returns the number of ids, including those of padding and unknown strings."""
        return self._token_start + len(self.vocabulary)

    def set_vocabulary(
        self,
        vocabulary: StringsLike | PathLike[str],
        idf_weights: Tensor | Sequence[float] | None = None,
    ) -> None:
        """Sets the tokens, and with "tf_idf" their weights.

        Args:
            vocabulary: as in the constructor.
            idf_weights: as in the constructor. If `vocabulary` is without special tokens, these get the average.

        Raises:
            ValueError: tokens are equal, there are none, or more than `max_tokens`; `idf_weights` are missing or not
                of the same length, or `output_mode` is not "tf_idf".
        """
        op = f"{self._op}.set_vocabulary"
        if (self.output_mode == "tf_idf") != (idf_weights is not None):
            expected = "with" if idf_weights is None else "only with"
            raise ValueError(f'{op}: expected `idf_weights` {expected} output_mode="tf_idf"')
        if isinstance(vocabulary, str | PathLike):
            tokens = StringTensor(*read_lines(vocabulary))
        else:
            tokens = strings_argument(op, "vocabulary", vocabulary)
        if tokens.dim() != 1 or tokens.numel() == 0:
            raise ValueError(f"{op}: expected `vocabulary` of rank 1, not empty, got shape {list(tokens.shape)}")
        given = tokens.shape[0]
        special = self._specials()
        found = bool(special) and given >= len(special) and bool((tokens[: len(special)] == special).all())
        if found:
            tokens = tokens[len(special) :]
        for name, token in (("mask_token", self.mask_token), ("oov_token", self.oov_token)):
            if token is None or (name == "oov_token" and not self.invert):
                continue
            if bool((tokens == token).any()):
                raise ValueError(f"{op}: expected `{name}` in front of the tokens, or not among them, got it elsewhere")
        size = self._token_start + len(tokens)
        if self.max_tokens is not None and size > self.max_tokens:
            raise ValueError(f"{op}: expected at most {self.max_tokens} tokens (`max_tokens`), got {size}")
        weights = None
        if idf_weights is not None:
            weights = torch.as_tensor(idf_weights, dtype=torch.float32, device="cpu")
            if list(weights.shape) != [given]:
                raise ValueError(f"{op}: expected `idf_weights` of shape [{given}], got {list(weights.shape)}")
            if not found:
                weights = self._with_specials(weights)
        self._set(tokens, weights)

    def extra_repr(self) -> str:
        return f"{self.vocabulary_size()}, output_mode={self.output_mode!r}" + ", invert=True" * self.invert

    @property
    def _oov_start(self) -> int:
        return 1 if self.mask_token is not None and self.output_mode == "int" else 0

    @property
    def _token_start(self) -> int:
        return self._oov_start + self.num_oov_indices

    def _specials(self) -> list[Text]:
        """The tokens of the ids before those of the vocabulary."""
        masks = [] if self.mask_token is None else [self.mask_token] * self._oov_start
        return masks + [self.oov_token] * self.num_oov_indices

    def _depth(self) -> int:
        """The number of ids in the result of modes other than "int"."""
        if self.output_mode == "int":
            return 0
        if self.pad_to_max_tokens and self.max_tokens is not None:
            return self.max_tokens
        return self.vocabulary_size()

    def _check_vocabulary(self) -> None:
        """Raises an error if there are no tokens, although `max_tokens` leaves room for some."""
        if len(self.vocabulary) == 0 and self.max_tokens != self._token_start:
            raise RuntimeError(
                f"{self._op}: expected a vocabulary, got none "
                "(pass vocabulary=, call adapt with text that has tokens, or load_state_dict)"
            )

    def _ids(self, strings: StringTensor, masked: bool = True) -> Tensor:
        """The ids of strings; -1 for the mask token in modes other than "int". Without `masked`, none is this token."""
        found = self.vocabulary._find(strings, -1, 0)
        if self.num_oov_indices == 1:  # the only one is the id before those of the tokens
            ids = found + self._token_start
        elif self.num_oov_indices > 1:
            unknown = bucket(strings, self.num_oov_indices, self.salt) + self._oov_start
            ids = torch.where(found < 0, unknown, found + self._token_start)
        else:
            ids = torch.where(found < 0, -1, found + self._token_start)
        if masked and self.mask_token is not None:
            is_mask = strings == self.mask_token
            ids = torch.where(is_mask, 0 if self.output_mode == "int" else -1, ids)
            if self.num_oov_indices == 0:
                found = torch.where(is_mask, 0, found)
        if self.num_oov_indices == 0 and not torch.compiler.is_compiling() and bool((found < 0).any()):
            at = int((found < 0).flatten().nonzero()[0])
            raise ValueError(
                f"{self._op}: expected strings of the vocabulary, as `num_oov_indices` is 0, "
                f"got another one at index {at} (row-major)"
            )
        return ids

    def _strings(self, ids: Tensor) -> StringTensor:
        at = ids - self._token_start
        known = (at >= 0) & (at < len(self.vocabulary))
        if len(self.vocabulary) == 0:
            strings = StringTensor.full(list(ids.shape), self.oov_token)
        else:
            strings = self.vocabulary.decode(torch.where(known, at, 0)).masked_fill(~known, self.oov_token)
        return strings if self.mask_token is None else strings.masked_fill(ids == 0, self.mask_token)

    def _weighted(self, encoded: Tensor) -> Tensor:
        """Multiplies counts by the weights of the ids, for "tf_idf"."""
        return encoded.to(self.idf_weights) * self.idf_weights if self.output_mode == "tf_idf" else encoded

    def _adapt(
        self, data: Any, steps: int | None, missing: Text | None, rows_of: Callable[[StringTensor], Rows]
    ) -> None:
        """Learns from the tokens that `rows_of` returns for each batch, and their row splits."""
        op, idf = f"{self._op}.adapt", self.output_mode == "tf_idf"
        if not self._adapts:
            raise ValueError(f"{op}: expected a module without the argument `vocabulary`")
        learned = Learned(batches(op, data, steps, missing), rows_of, idf)
        special = [token for token in (self.mask_token, self.oov_token) if token is not None]
        limit = None if self.max_tokens is None else max(self.max_tokens - self._token_start, 0)
        tokens = learned.tokens(special, limit)
        self._set(tokens, self._with_specials(learned.idf_weights(tokens)) if idf else None)

    def _with_specials(self, weights: Tensor) -> Tensor:
        """Puts the average in front of the weights of the tokens, for the ids of unknown strings."""
        return torch.cat([weights.mean().expand(self._token_start), weights])

    def _set(self, tokens: StringTensor, weights: Tensor | None) -> None:
        vocabulary = Vocabulary(tokens, num_oov_buckets=0)
        if self.output_mode == "tf_idf":
            weights = torch.zeros(0, device="cpu") if weights is None else weights
            if self.pad_to_max_tokens and self.max_tokens is not None:
                weights = nn.functional.pad(weights, (0, self.max_tokens - weights.shape[0]))
            self.register_buffer("idf_weights", weights)
        self.vocabulary = vocabulary

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
        """Gives `idf_weights` the size of the saved ones, which must be that of the saved vocabulary."""
        weights = state_dict.get(prefix + "idf_weights")
        try:
            saved = saved_tensors(self._op, state_dict, f"{prefix}vocabulary.", ["offsets"])
        except (TypeError, ValueError):
            saved = None  # the vocabulary reports it
        offsets = None if saved is None else saved["offsets"]
        if self.output_mode == "tf_idf" and isinstance(weights, Tensor) and isinstance(offsets, Tensor):
            size = max(self._token_start + offsets.numel() - 1, self.max_tokens or 0 if self.pad_to_max_tokens else 0)
            if list(weights.shape) == [size] or weights.numel() == 0:
                self.idf_weights = torch.empty_like(self.idf_weights).resize_(weights.shape)
            else:
                args[-1].append(
                    f'While loading "{prefix}idf_weights": expected shape [{size}], got {list(weights.shape)}'
                )
                state_dict = {key: value for key, value in state_dict.items() if value is not weights}
        super()._load_from_state_dict(state_dict, prefix, *args)


def _rows(strings: StringTensor) -> Rows:
    """The rows along the last axis; a batch of rank 1 is one row."""
    values = strings.reshape(-1)
    length = strings.shape[-1] if strings.dim() else 1
    num_rows = values.shape[0] // length if length else 0
    return values, torch.arange(num_rows + 1, device="cpu") * length
