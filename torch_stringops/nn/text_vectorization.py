"""TextVectorization: a module from raw text to ids or counts of its tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Generic, Literal, overload

import torch
from torch import Tensor, nn

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_choice, check_int
from torch_stringops._names import named_class
from torch_stringops._types import OptionalStrings, Standardize, StringsLike, Text, TextOutput, TokenSplit
from torch_stringops.functions.ngram import string_ngrams_ragged
from torch_stringops.functions.ragged import ragged_to_dense
from torch_stringops.functions.ragged_rows import ragged_truncate
from torch_stringops.functions.tokenizer import tokenizer_ragged
from torch_stringops.nn._analyzer import stop_list
from torch_stringops.nn._categories import encode_rows
from torch_stringops.nn._learning import Rows
from torch_stringops.nn._row_counts import count_ids
from torch_stringops.nn._token_pattern import select
from torch_stringops.nn.string_lookup import StringLookup
from torch_stringops.string_tensor import StringTensor

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    # The result of a call: int64 ids or counts, or with `ragged` ids and row splits.
    Ids = TypeVar("Ids", default=Tensor)
else:
    from typing import TypeVar

    Ids = TypeVar("Ids")

# The punctuation and the whitespace of ASCII, which Keras uses.
_PUNCTUATION = r"""[!"#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~']"""
_WHITESPACE = r"[ \t\n\v\f\r]"


@named_class
class TextVectorization(nn.Module, Generic[Ids]):
    """A module from raw text to ids or counts of its tokens, with the arguments and results of Keras' layer.

    The text is standardized and split, n-grams of the tokens are formed, and the tokens are looked up. The ids are
    those of `StringLookup` with `mask_token=""`: in the mode "int", 0 is padding and 1 an unknown token; in the others,
    0 is an unknown token. `state_dict` contains the tokens, and with "tf_idf" their weights.

    Args:
        max_tokens: maximum number of ids, at least 2; None for no limit.
        standardize: "lower_and_strip_punctuation", "lower" or "strip_punctuation", of ASCII; None; or a function from
            strings `[*S]` to strings, such as `Normalize`.
        split: "whitespace", of ASCII; "character", the code points; None, each string is a token; or a function from
            strings `[N]` to `(tokens, row_splits)`, such as `string_split_ragged`.
        ngrams: n-grams of words, joined with " ": of all lengths up to an int, or of the lengths of a tuple.
        output_mode: "int", the ids in the order of the text; "multi_hot", "count" or "tf_idf", for each id
            whether the text has it, how often, or this number times the weight of the id.
        output_sequence_length: with "int", rows of ids are padded or truncated to this length.
        pad_to_max_tokens: in modes other than "int", there are `max_tokens` columns.
        vocabulary: the tokens, as in `StringLookup`.
        idf_weights: for "tf_idf", the weights of `vocabulary`.
        ragged: with "int", the result is `(ids, row_splits)`, not padded.
        stop_words: a list of tokens that are dropped before n-grams are formed, and not learned; or "english", the
            list of scikit-learn if it is installed.
        sparse: in modes other than "int", the result is sparse, in compressed rows (`torch.sparse_csr`). torch does not
            compile or export this.

    Differences from Keras:
        | case | here | Keras |
        |---|---|---|
        | strings that are not UTF-8 | an error when they are split; see `string_repair` | some are accepted |
        | `ragged=True` | ids and int64 row splits | a RaggedTensor |
        | `standardize`, `split` as functions | on StringTensor and ragged rows | on tensors of TensorFlow |
        | `sparse` | compressed rows (CSR) | coordinates (COO) |
        | `encoding` | none | other encodings than UTF-8 |
        | `stop_words` | dropped | none |
        | `vocabulary` of str | the path of a file | the path of a file, unless in safe mode |

    Raises:
        TypeError: the type of an argument is not as above.
        ValueError: an argument is not as above.

    Example:
        >>> vectorize = TextVectorization()
        >>> vectorize.adapt(["To be, or not to be!", "Let it be."])
        >>> vectorize.get_vocabulary()
        ['', '[UNK]', 'be', 'to', 'or', 'not', 'let', 'it']
        >>> vectorize(["Be it so", "To be"])
        tensor([[2, 7, 1],
                [3, 2, 0]])
        >>> count = TextVectorization(ngrams=2, output_mode="count", vocabulary=["to", "be", "to be"])
        >>> count(["to be or not to be"])
        tensor([[5, 2, 2, 2]])
    """

    @overload
    def __init__(
        self: TextVectorization[Tensor],
        max_tokens: int | None = None,
        standardize: Standardize | Callable[[StringTensor], StringTensor] | None = "lower_and_strip_punctuation",
        split: TokenSplit | Callable[[StringTensor], Rows] | None = "whitespace",
        ngrams: int | tuple[int, ...] | None = None,
        output_mode: TextOutput = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: StringsLike | PathLike[str] | None = None,
        idf_weights: Tensor | Sequence[float] | None = None,
        ragged: Literal[False] = False,
        *,
        stop_words: StringsLike | None = None,
        sparse: bool = False,
    ) -> None: ...
    @overload
    def __init__(
        self: TextVectorization[tuple[Tensor, Tensor]],
        max_tokens: int | None = None,
        standardize: Standardize | Callable[[StringTensor], StringTensor] | None = "lower_and_strip_punctuation",
        split: TokenSplit | Callable[[StringTensor], Rows] | None = "whitespace",
        ngrams: int | tuple[int, ...] | None = None,
        output_mode: TextOutput = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: StringsLike | PathLike[str] | None = None,
        idf_weights: Tensor | Sequence[float] | None = None,
        *,
        ragged: Literal[True],
        stop_words: StringsLike | None = None,
        sparse: bool = False,
    ) -> None: ...

    def __init__(
        self,
        max_tokens: int | None = None,
        standardize: Standardize | Callable[[StringTensor], StringTensor] | None = "lower_and_strip_punctuation",
        split: TokenSplit | Callable[[StringTensor], Rows] | None = "whitespace",
        ngrams: int | tuple[int, ...] | None = None,
        output_mode: TextOutput = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: StringsLike | PathLike[str] | None = None,
        idf_weights: Tensor | Sequence[float] | None = None,
        ragged: bool = False,
        *,
        stop_words: StringsLike | None = None,
        sparse: bool = False,
    ) -> None:
        super().__init__()
        op = "TextVectorization"
        if not callable(standardize):
            choices = ("lower_and_strip_punctuation", "lower", "strip_punctuation", None)
            check_choice(op, "standardize", standardize, choices)
        if not callable(split):
            check_choice(op, "split", split, ("whitespace", "character", None))
        check_choice(op, "output_mode", output_mode, ("int", "multi_hot", "count", "tf_idf"))
        if output_sequence_length is not None:
            check_int(op, "output_sequence_length", output_sequence_length, 0)
        for name, value in (
            ("output_sequence_length", output_sequence_length is not None),
            ("ragged", ragged),
        ):
            if value and output_mode != "int":
                raise ValueError(f'{op}: expected `output_mode` "int" with `{name}`, got "{output_mode}"')
        if isinstance(ngrams, tuple):
            self.ngrams: tuple[int, ...] | None = tuple(check_int(op, "ngrams", n, 1) for n in ngrams)
        else:
            self.ngrams = None if ngrams is None else tuple(range(1, check_int(op, "ngrams", ngrams, 1, 2**16) + 1))
        self.standardize, self.split = standardize, split
        self.output_mode, self.output_sequence_length = output_mode, output_sequence_length
        if sparse and output_mode == "int":
            raise ValueError(f'{op}: expected another `output_mode` than "int" with `sparse`')
        self.ragged, self.sparse = bool(ragged), bool(sparse)
        self.stop_words = stop_list(op, stop_words)
        self.lookup = StringLookup(
            max_tokens=max_tokens,
            mask_token="",
            vocabulary=vocabulary,
            idf_weights=idf_weights,
            output_mode=output_mode,
            pad_to_max_tokens=pad_to_max_tokens,
            _op=op,
        )

    def forward(self, input: StringsLike) -> Ids:
        """Returns the ids or counts of the tokens of each text.

        Args:
            input: strings `[*S]`, in any form that `as_strings` accepts. If they are split, a last axis of size 1 is
                removed first, except of `[1]`. If not, the strings along the last axis are the tokens of a row.

        Returns:
            In the mode "int", int64 `[*S, T]`, where T is `output_sequence_length` or the greatest number of tokens;
            with `ragged`, the ids `[T]` and int64 row_splits `[N + 1]`, in row-major order. In other modes, int64 or,
            for "tf_idf", float `[*S, num_ids]`; with `sparse`, in compressed rows. If the strings are not split,
            `[*S[:-1], ...]` instead.

        Raises:
            RuntimeError: the module has no vocabulary yet.
            ValueError: with `sparse`, the result has another rank than 2.
        """
        self.lookup._check_vocabulary()
        strings = strings_argument("TextVectorization", "input", input)
        leading, (tokens, row_splits) = self._rows(strings)
        depth = self.lookup._depth()
        # The tokens of the splits named by a str are not empty, so none of them is the mask token.
        ids = self.lookup._ids(tokens, masked=callable(self.split) or self.split is None)
        if self.output_mode != "int":
            if self.sparse:
                return self._sparse(ids, row_splits, leading)  # type: ignore[return-value]
            mode = "count" if self.output_mode == "tf_idf" else self.output_mode
            counts = encode_rows(ids, row_splits, depth, mode).reshape([*leading, depth])
            return self.lookup._weighted(counts)  # type: ignore[return-value]
        if self.ragged:
            if self.output_sequence_length is None:
                return ids, row_splits  # type: ignore[return-value]
            return ragged_truncate(ids, row_splits, self.output_sequence_length)  # type: ignore[return-value]
        padded = ragged_to_dense(ids, row_splits, self.output_sequence_length)
        if len(leading) != 1:
            padded = padded.reshape([*leading, padded.shape[1]])
        return padded  # type: ignore[return-value]

    if TYPE_CHECKING:  # nn.Module returns Any

        def __call__(self, input: StringsLike) -> Ids: ...

    def adapt(
        self,
        data: OptionalStrings | Iterable[OptionalStrings],
        steps: int | None = None,
        *,
        missing: Text | None = None,
    ) -> None:
        """Learns the vocabulary from text: tokens ordered by count, then by their bytes, both descending.

        Args:
            data: strings, in any form that `as_strings` accepts, or an iterable of batches of them. A list of
                lists is strings of rank 2; `iter` of it is batches. For "tf_idf", each text is a document. If
                strings are not split, a row along the last axis is one; if `data` is then strings of rank 1,
                each string is.
            steps: maximum number of batches that are read from an iterable.
            missing: replaces missing strings, as in `as_strings`. Default: None, a missing string is an error.

        Raises:
            ValueError: a string is missing, or the module was built with a `vocabulary`.
        """
        self.lookup._adapt(data, steps, missing, lambda strings: self._rows(strings)[1])

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Text]:
        """Returns the tokens as a list: the token of id i at position i. See `StringLookup.get_vocabulary`."""
        return self.lookup.get_vocabulary(include_special_tokens)

    def vocabulary_size(self) -> int:
        """Returns the number of ids, including those of padding and unknown tokens."""
        return self.lookup.vocabulary_size()

    def set_vocabulary(
        self,
        vocabulary: StringsLike | PathLike[str],
        idf_weights: Tensor | Sequence[float] | None = None,
    ) -> None:
        """Sets the tokens, and with "tf_idf" their weights. See `StringLookup.set_vocabulary`."""
        self.lookup.set_vocabulary(vocabulary, idf_weights)

    def _rows(self, strings: StringTensor) -> tuple[list[int], Rows]:
        """The shape of the texts, and the tokens of each, in row-major order."""
        if self.split is None:
            rows = strings.reshape(1) if strings.dim() == 0 else strings
            leading, length = list(rows.shape[:-1]), rows.shape[-1]
            num_rows = 1
            for size in leading:
                num_rows = num_rows * size
            tokens = self._standardize(rows).reshape(-1)
            row_splits = torch.arange(num_rows + 1, device="cpu") * length
        else:
            if strings.dim() > 1 and strings.shape[-1] == 1:
                strings = strings.squeeze(-1)
            leading = list(strings.shape)
            tokens, row_splits = self._split(self._standardize(strings.reshape(-1)))
        if self.stop_words is not None:
            tokens, row_splits = select(tokens, row_splits, ~tokens.isin(self.stop_words))
        if self.ngrams is not None:
            tokens, row_splits = string_ngrams_ragged(tokens, row_splits, self.ngrams)
        return leading, (tokens, row_splits)

    def _sparse(self, ids: Tensor, row_splits: Tensor, leading: list[int]) -> Tensor:
        """The result in compressed rows."""
        if len(leading) != 1:
            raise ValueError(
                f"TextVectorization: expected texts of rank 1 with `sparse`, got the shape {leading} of the rows"
            )
        depth = self.lookup._depth()
        counts = count_ids(ids, row_splits, depth)
        values = counts.values
        if self.output_mode == "multi_hot":
            values = torch.ones_like(values)
        elif self.output_mode == "tf_idf":
            weights = self.lookup.idf_weights
            values = values.to(weights) * weights[counts.columns]
        return counts.matrix(values, depth, True)

    def _standardize(self, strings: StringTensor) -> StringTensor:
        how = self.standardize
        if callable(how):
            return how(strings)
        if how in ("strip_punctuation", "lower_and_strip_punctuation"):
            strings = strings.regex_replace(_PUNCTUATION, "")
        elif how == "lower":
            strings = strings.contiguous()  # so that no more bytes are changed than the strings have
        if how in ("lower", "lower_and_strip_punctuation"):
            data = strings.data
            is_capital = data.sub(ord("A")).lt(26)  # other bytes wrap around, to 26 and more
            strings = strings._new(torch.add(data, is_capital, alpha=32), strings.offsets, strings._scalar)
        return strings

    def _split(self, strings: StringTensor) -> Rows:
        if callable(self.split):
            return self.split(strings)
        return tokenizer_ragged(strings, separators=[_WHITESPACE] if self.split == "whitespace" else [""])

    def extra_repr(self) -> str:
        named = {name: getattr(self, name) for name in ("standardize", "split") if not callable(getattr(self, name))}
        named |= {"ngrams": self.ngrams, "output_mode": self.output_mode}
        return ", ".join(f"{name}={value!r}" for name, value in named.items())
