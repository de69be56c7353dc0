"""Modules with the names, attributes and defaults of the specifications: a port of a model reads line by line.

They return what the specification returns, StringTensors for `tensor(string)`. `load` makes them of the nodes of a
file. Strings among their attributes are buffers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

import torch_stringops
from torch_stringops._names import named_class
from torch_stringops._types import CaseAction, Compat, StringsLike
from torch_stringops.onnx._encoders import CategoryMapper as CategoryMapper
from torch_stringops.onnx._encoders import LabelEncoder as LabelEncoder
from torch_stringops.onnx._encoders import OneHotEncoder as OneHotEncoder
from torch_stringops.onnx._strings_buffer import StringsBuffer
from torch_stringops.onnx._tfidf import TfIdfVectorizer as TfIdfVectorizer
from torch_stringops.string_tensor import StringTensor

AnyTensor = Tensor | StringTensor


@named_class
class StringSplit(nn.Module):
    """Splits each string at a delimiter, and pads the rows of pieces to the same width. See `string_split`.

    Spec: ONNX StringSplit-20.

    Args:
        delimiter: the delimiter; None or `""` for whitespace.
        maxsplit: maximum number of splits per string; None or a negative number for no limit.
        compat: `"reference"`, or `"onnxruntime"` for the outputs of onnxruntime where they differ.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> pieces, counts = ops.StringSplit(delimiter=",", maxsplit=1)(["a,b,c", "d"])
        >>> pieces.tolist(), counts.tolist()
        ([['a', 'b,c'], ['d', '']], [2, 1])
    """

    def __init__(
        self, *, delimiter: str | None = None, maxsplit: int | None = None, compat: Compat = "reference"
    ) -> None:
        super().__init__()
        self.delimiter, self.maxsplit, self.compat = delimiter or "", maxsplit, compat

    def forward(self, X: StringsLike) -> tuple[StringTensor, Tensor]:
        """Returns the pieces, strings `[*S, D]`, and their counts, int64 `[*S]`."""
        maxsplit = -1 if self.maxsplit is None else self.maxsplit
        return torch_stringops.string_split(X, self.delimiter, maxsplit, compat=self.compat)

    if TYPE_CHECKING:  # nn.Module returns Any

        def __call__(self, X: StringsLike) -> tuple[StringTensor, Tensor]: ...

    def extra_repr(self) -> str:
        return f"delimiter={self.delimiter!r}, maxsplit={self.maxsplit}"


@named_class
class StringConcat(nn.Module):
    """Concatenates strings element by element, with broadcasting. See `string_concat`.

    Spec: ONNX StringConcat-20.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> ops.StringConcat()(["a", "b"], ["x"]).tolist()
        ['ax', 'bx']
    """

    def forward(self, X: StringsLike, Y: StringsLike) -> StringTensor:
        """Returns strings of the shape to which both shapes broadcast."""
        return torch_stringops.string_concat(X, Y)

    if TYPE_CHECKING:

        def __call__(self, X: StringsLike, Y: StringsLike) -> StringTensor: ...


@named_class
class StringNormalizer(nn.Module):
    """Removes the strings that are stop words, and changes the case of the others. See `string_normalizer`.

    Spec: ONNX StringNormalizer-10.

    Args:
        case_change_action: "NONE", "LOWER" or "UPPER".
        is_case_sensitive: whether stop words must be equal in case.
        locale: not used: case is Unicode's.
        stopwords: the strings to remove.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> ops.StringNormalizer(case_change_action="LOWER", stopwords=["the"])(["The", "End"]).tolist()
        ['end']
    """

    def __init__(
        self,
        *,
        case_change_action: CaseAction = "NONE",
        is_case_sensitive: int = 0,
        locale: str | None = None,
        stopwords: StringsLike | None = None,
    ) -> None:
        super().__init__()
        self.case_change_action, self.is_case_sensitive = case_change_action, bool(is_case_sensitive)
        self.locale = locale
        self.stopwords = StringsBuffer([] if stopwords is None else stopwords, "StringNormalizer", "stopwords")

    def forward(self, X: StringsLike) -> StringTensor:
        """Returns strings `[R]` of strings `[C]`, or `[1, R]` of `[1, C]`."""
        return torch_stringops.string_normalizer(
            X,
            case_change_action=self.case_change_action,
            is_case_sensitive=self.is_case_sensitive,
            stopwords=self.stopwords(),
        )

    if TYPE_CHECKING:

        def __call__(self, X: StringsLike) -> StringTensor: ...

    def extra_repr(self) -> str:
        return f"case_change_action={self.case_change_action!r}, is_case_sensitive={self.is_case_sensitive}"


@named_class
class RegexFullMatch(nn.Module):
    """Whether each string as a whole matches a regular expression. See `regex_full_match`.

    Spec: ONNX RegexFullMatch-20.

    Args:
        pattern: the regular expression.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> ops.RegexFullMatch(pattern="[a-c]+")(["abc", "abcd"])
        tensor([ True, False])
    """

    def __init__(self, *, pattern: str) -> None:
        super().__init__()
        self.pattern = pattern

    def forward(self, X: StringsLike) -> Tensor:
        """Returns bool, of the shape of the strings."""
        return torch_stringops.regex_full_match(X, self.pattern)

    if TYPE_CHECKING:

        def __call__(self, X: StringsLike) -> Tensor: ...

    def extra_repr(self) -> str:
        return f"pattern={self.pattern!r}"


@named_class
class Tokenizer(nn.Module):
    r"""Splits each string into tokens with regular expressions, and pads the rows of tokens. See `tokenizer`.

    Spec: com.microsoft Tokenizer-1.

    Args:
        mark: not 0 to insert "\x02" before and "\x03" after the tokens of each string.
        mincharnum: minimum number of code points per token.
        pad_value: the padding.
        separators: regular expressions of the separators.
        tokenexp: regular expression of the tokens. Exactly one of `separators` and `tokenexp` is given.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> ops.Tokenizer(mark=0, mincharnum=1, pad_value="#", separators=[" "])(["to be", "or"]).tolist()
        [['to', 'be'], ['or', '#']]
    """

    def __init__(
        self,
        *,
        mark: int,
        mincharnum: int,
        pad_value: str,
        separators: Sequence[str] | None = None,
        tokenexp: str | None = None,
    ) -> None:
        super().__init__()
        self.mark, self.mincharnum, self.pad_value = bool(mark), mincharnum, pad_value
        self.separators = None if separators is None else list(separators)
        self.tokenexp = tokenexp

    def forward(self, X: StringsLike) -> StringTensor:
        """Returns strings `[C, D]` of strings `[C]`, or `[N, C, D]` of `[N, C]`."""
        return torch_stringops.tokenizer(
            X,
            mark=self.mark,
            mincharnum=self.mincharnum,
            pad_value=self.pad_value,
            separators=self.separators,
            tokenexp=self.tokenexp,
        )

    if TYPE_CHECKING:

        def __call__(self, X: StringsLike) -> StringTensor: ...

    def extra_repr(self) -> str:
        mode = f"tokenexp={self.tokenexp!r}" if self.separators is None else f"separators={self.separators!r}"
        return f"{mode}, mark={self.mark}, mincharnum={self.mincharnum}, pad_value={self.pad_value!r}"


@named_class
class MurmurHash3(nn.Module):
    """MurmurHash3 of 32 bits, of the bytes of each string or number. See `string_murmur3`.

    Spec: com.microsoft MurmurHash3-1.

    Args:
        seed: the seed.
        positive: whether the result is uint32. Else int32, of the same bits.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> ops.MurmurHash3(positive=0)(["a", "ab"])
        tensor([ 1009084850, -1681926305], dtype=torch.int32)
    """

    def __init__(self, *, seed: int = 0, positive: int = 1) -> None:
        super().__init__()
        self.seed, self.positive = seed, bool(positive)

    def forward(self, X: StringsLike | Tensor) -> Tensor:
        """Returns uint32 or int32, of the shape of the input, whose numbers have 4 or 8 bytes."""
        if not isinstance(X, Tensor):
            return torch_stringops.string_murmur3(X, self.seed, self.positive)
        if X.dtype.itemsize not in (4, 8):
            raise ValueError(f"MurmurHash3: expected strings, or numbers of 4 or 8 bytes, got {X.dtype}")
        flat = X.contiguous().reshape(-1)
        ends = torch.arange(flat.shape[0] + 1, dtype=torch.int32, device=X.device) * X.dtype.itemsize
        strings = StringTensor(flat.view(torch.uint8), ends)
        return torch_stringops.string_murmur3(strings, self.seed, self.positive).reshape(X.shape)

    if TYPE_CHECKING:

        def __call__(self, X: StringsLike | Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return f"seed={self.seed}, positive={self.positive}"


@named_class
class Split(nn.Module):
    """Splits a tensor, or strings, along an axis. See `split`.

    Spec: ONNX Split-18.

    Args:
        axis: the axis to split.
        num_outputs: number of chunks, if the sizes are not given to the call.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> [chunk.tolist() for chunk in ops.Split(num_outputs=2)(torch.arange(3))]
        [[0, 1], [2]]
    """

    def __init__(self, *, axis: int = 0, num_outputs: int | None = None) -> None:
        super().__init__()
        self.axis, self.num_outputs = axis, num_outputs

    def forward(self, input: AnyTensor, split: Tensor | Sequence[int] | None = None) -> list[Any]:
        """Returns the chunks. `split` has the size of each."""
        return torch_stringops.split(input, split, self.axis, num_outputs=self.num_outputs)

    def extra_repr(self) -> str:
        return f"axis={self.axis}, num_outputs={self.num_outputs}"


@named_class
class SplitToSequence(nn.Module):
    """Splits a tensor, or strings, along an axis into a list. See `split_to_sequence`.

    Spec: ONNX SplitToSequence-11.

    Args:
        axis: the axis to split.
        keepdims: 0 to remove the axis from chunks of size 1, if no sizes are given to the call.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> [chunk.tolist() for chunk in ops.SplitToSequence(keepdims=0)(torch.arange(2))]
        [0, 1]
    """

    def __init__(self, *, axis: int = 0, keepdims: int = 1) -> None:
        super().__init__()
        self.axis, self.keepdims = axis, bool(keepdims)

    def forward(self, input: AnyTensor, split: int | Tensor | Sequence[int] | None = None) -> list[Any]:
        """Returns the chunks. `split` is the size of every chunk, or the size of each."""
        sizes = list(split) if isinstance(split, tuple) else split
        return torch_stringops.split_to_sequence(input, sizes, self.axis, self.keepdims)

    def extra_repr(self) -> str:
        return f"axis={self.axis}, keepdims={self.keepdims}"


@named_class
class StringTensorPack(nn.Module):
    """Gathers strings from byte ranges of a buffer. See `string_tensor_pack`.

    Spec: OpenVINO StringTensorPack-15.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> begins, ends, symbols = ops.StringTensorUnpack()(["OMZ", "GenAI"])
        >>> ops.StringTensorPack()(begins, ends, symbols).tolist()
        ['OMZ', 'GenAI']
    """

    def forward(self, begins: Tensor, ends: Tensor, symbols: Tensor) -> StringTensor:
        """Returns strings of the shape of `begins`."""
        return torch_stringops.string_tensor_pack(begins, ends, symbols)

    if TYPE_CHECKING:

        def __call__(self, begins: Tensor, ends: Tensor, symbols: Tensor) -> StringTensor: ...


@named_class
class StringTensorUnpack(nn.Module):
    """Returns the bytes of all strings in one buffer, and the byte range of each. See `string_tensor_unpack`.

    Spec: OpenVINO StringTensorUnpack-15.
    """

    def forward(self, data: StringsLike) -> tuple[Tensor, Tensor, Tensor]:
        """Returns `begins` and `ends`, int32 of the shape of the strings, and `symbols`, uint8."""
        return torch_stringops.string_tensor_unpack(data)

    if TYPE_CHECKING:

        def __call__(self, data: StringsLike) -> tuple[Tensor, Tensor, Tensor]: ...


__all__ = [
    "CategoryMapper",
    "LabelEncoder",
    "MurmurHash3",
    "OneHotEncoder",
    "RegexFullMatch",
    "Split",
    "SplitToSequence",
    "StringConcat",
    "StringNormalizer",
    "StringSplit",
    "StringTensorPack",
    "StringTensorUnpack",
    "TfIdfVectorizer",
    "Tokenizer",
]
