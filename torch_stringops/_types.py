"""Types of the arguments of public functions: `StringsLike`, and the forms of numbers, sizes and row splits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, TypeVar, Union

import numpy as np
import torch
from torch import Tensor

from torch_stringops.tensor.strings import Strings

Text: TypeAlias = str | bytes
F = TypeVar("F", bound=Callable[..., Any])


def like(function: F) -> Callable[[object], F]:
    """Gives a method the type and the docstring of another one, for type checkers and editors."""
    return lambda method: function


class ArrowArray(Protocol):
    """An object with a method of the Arrow PyCapsule protocol, such as an Array of pyarrow."""

    def __arrow_c_array__(self, requested_schema: object | None = None, /) -> tuple[object, object]: ...


class ArrowStream(Protocol):
    """An object with the method for columns in chunks, such as a Series of polars or a ChunkedArray of pyarrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object: ...


class PandasColumn(Protocol):
    """A Series or an Index of pandas. An `__array__` alone would accept tensors of numbers."""

    @property
    def array(self) -> Any: ...
    def __array__(self) -> np.ndarray[Any, Any]: ...


class DatasetColumn(Protocol):
    """A column of a Hugging Face dataset, `dataset["text"]`."""

    column_name: str
    source: Any


# Only type checkers resolve forward references in quotes.
NestedStrings: TypeAlias = Sequence[Union[Text, "NestedStrings"]]
# Lists with missing strings, for functions that have an argument `missing`. NaN has the type of a number.
NestedOptionals: TypeAlias = Sequence[Union[Text, "NestedOptionals", None]]
# The type is not recursive, since a `str` would match: it is a sequence of `str`.
NestedIntegers: TypeAlias = Sequence[int] | Sequence[Sequence[int]] | Sequence[Sequence[Sequence[int]]]
NestedNumbers: TypeAlias = Sequence[complex] | Sequence[Sequence[complex]] | Sequence[Sequence[Sequence[complex]]]

# NumPy has StringDType from version 2 on.
StringArray: TypeAlias = (
    np.ndarray[Any, np.dtype[np.str_ | np.bytes_ | np.object_]] | np.ndarray[Any, "np.dtypes.StringDType[Any]"]
)
IntegerArray: TypeAlias = np.ndarray[Any, np.dtype[np.integer[Any]]]
NumberArray: TypeAlias = np.ndarray[Any, np.dtype[np.number[Any] | np.bool_]]
# Arrays of lists of strings, for which NumPy has no type.
ListColumn: TypeAlias = ArrowArray | ArrowStream | PandasColumn | DatasetColumn
Column: TypeAlias = StringArray | ListColumn
# Lists of lists. Without Sequence inside, since a `str` would match.
StringRows: TypeAlias = Sequence[
    list[str] | list[bytes] | list[Text] | list[str | None] | list[Text | None] | tuple[Text | None, ...] | None
]
NumberRows: TypeAlias = Sequence[list[int] | list[float] | list[bool] | tuple[float, ...]]

StringsLike: TypeAlias = Strings | Text | NestedStrings | Column
"""Strings in any form that `as_strings` accepts, for annotations of code that passes them on.

A StringTensor; `str` or `bytes`; lists and tuples of them, nested to any depth; NumPy arrays of strings; columns of
pyarrow, polars, pandas and Hugging Face datasets, and other objects of the Arrow PyCapsule protocol. Type checkers
reject tensors and lists of numbers; they cannot know what a column holds.

Example:
    >>> def shout(texts: StringsLike) -> StringTensor:
    ...     return torch_stringops.string_upper(texts) + "!"
    >>> shout(["to", "be"]).tolist()
    ['TO!', 'BE!']
"""

# Strings of which some may be missing.
OptionalStrings: TypeAlias = StringsLike | NestedOptionals | None

# Numbers, ids and row splits: a tensor, or lists and arrays of numbers.
NumbersLike: TypeAlias = Tensor | NestedNumbers | NumberArray
IntegersLike: TypeAlias = Tensor | int | NestedIntegers | IntegerArray
IntsLike: TypeAlias = Tensor | Sequence[int] | IntegerArray

# A shape, or several axes: ints, or one sequence of them.
Shape: TypeAlias = Sequence[int | torch.SymInt]
Sizes: TypeAlias = int | torch.SymInt | Shape

# An index, which selects strings in `s[index]`.
IndexItem: TypeAlias = SupportsIndex | slice | EllipsisType | Tensor | NestedNumbers | NumberArray | None
Index: TypeAlias = IndexItem | Sequence[IndexItem]

Device: TypeAlias = torch.device | str | int

# Arguments that take one of a few names.
Unit: TypeAlias = Literal["codepoint", "byte"]
LengthUnit: TypeAlias = Literal["codepoint", "byte", "grapheme"]
ReverseUnit: TypeAlias = Literal["codepoint", "grapheme"]
Segments: TypeAlias = Literal["grapheme", "word", "sentence"]
TimeUnit: TypeAlias = Literal["s", "ms", "us", "ns"]
NumberErrors: TypeAlias = Literal["raise", "fill"]
JsonErrors: TypeAlias = Literal["raise", "missing"]
RepairErrors: TypeAlias = Literal["replace", "ignore"]
UnquoteErrors: TypeAlias = Literal["replace", "ignore", "surrogateescape"]
Side: TypeAlias = Literal["right", "left"]
Norm: TypeAlias = Literal["l1", "l2"]
NormalForm: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
CaseAction: TypeAlias = Literal["NONE", "LOWER", "UPPER"]
Metric: TypeAlias = Literal["levenshtein", "damerau", "ratio", "jaro_winkler"]
HashMethod: TypeAlias = Literal["permutations", "bins"]
Weighting: TypeAlias = Literal["TF", "IDF", "TFIDF"]
Compat: TypeAlias = Literal["reference", "onnxruntime"]
Accents: TypeAlias = Literal["ascii", "unicode"]
Analysis: TypeAlias = Literal["word", "char", "char_wb"]
BinsOutput: TypeAlias = Literal["int", "one_hot", "multi_hot", "count"]
LookupOutput: TypeAlias = Literal["int", "one_hot", "multi_hot", "count", "tf_idf"]
TextOutput: TypeAlias = Literal["int", "multi_hot", "count", "tf_idf"]
Standardize: TypeAlias = Literal["lower_and_strip_punctuation", "lower", "strip_punctuation"]
TokenSplit: TypeAlias = Literal["whitespace", "character"]
Padding: TypeAlias = Literal["longest", "max_length", "do_not_pad"]
MixStop: TypeAlias = Literal["first", "all"]
PackMode: TypeAlias = Literal["concat", "best_fit"]
ShardFormat: TypeAlias = Literal["arrow", "megatron"]
TokenDtype: TypeAlias = Literal["auto", "uint16", "uint32", "int32"]
