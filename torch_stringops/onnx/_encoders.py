"""The operators of ai.onnx.ml that map categories: LabelEncoder, CategoryMapper, OneHotEncoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from torch_stringops._arguments import strings_argument
from torch_stringops._names import named_class
from torch_stringops._types import NumbersLike, StringsLike
from torch_stringops.functions.joining import cat
from torch_stringops.onnx._strings_buffer import StringsBuffer
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary import Vocabulary


class Positions(nn.Module):
    """The position of each element among keys, strings or numbers; the number of keys if it is none of them.

    Of equal keys, the first counts. A NaN among the keys is found.
    """

    first: Tensor
    values: Tensor
    nan: Tensor

    def __init__(self, keys: StringTensor | Tensor, op: str) -> None:
        super().__init__()
        self.op, self.count = op, keys.numel()
        self.vocabulary: Vocabulary | None = None
        if isinstance(keys, StringTensor):
            distinct, inverse = keys.flatten().unique(sorted=False, return_inverse=True)
            self.vocabulary = Vocabulary(distinct, num_oov_buckets=0)
            order, size, places = inverse, distinct.numel(), torch.arange(self.count, device="cpu")
        else:
            given = keys.flatten()
            is_nan = given.isnan()
            self.has_nan = bool(is_nan.any())
            places = (~is_nan).nonzero().squeeze(1)  # searchsorted takes no NaN
            values, order = given[places].unique(return_inverse=True)
            size = values.numel()
            self.register_buffer("values", values)
            nan = int(is_nan.nonzero()[0]) if self.has_nan else self.count
            self.register_buffer("nan", torch.tensor(nan, device="cpu"))
        # The first position of each distinct key, and of an unknown one in the end.
        at = torch.full([size + 1], self.count, dtype=torch.int64, device="cpu")
        self.register_buffer("first", at.scatter_reduce(0, order.reshape(-1), places, "amin"))

    def forward(self, x: StringTensor | Tensor) -> Tensor:
        first = self.first
        if self.vocabulary is not None:
            if isinstance(x, Tensor):
                raise TypeError(f"{self.op}: expected strings, got {x.dtype}")
            found = self.vocabulary(x)
            return first[torch.where(found < 0, first.shape[0] - 1, found)]
        if not isinstance(x, Tensor):
            raise TypeError(f"{self.op}: expected numbers, got strings")
        values = self.values
        x = x.to(values.dtype)
        if values.shape[0] == 0:
            result = torch.full_like(x, self.count, dtype=torch.int64)
        else:
            at = torch.searchsorted(values, x.contiguous()).clamp(max=values.shape[0] - 1)
            result = torch.where(values[at] == x, first[at], self.count)
        return torch.where(x.isnan(), self.nan, result) if self.has_nan else result


class Values(nn.Module):
    """The values at positions, strings or numbers; a default at the position after the last one."""

    numbers: Tensor

    def __init__(self, values: StringTensor | Tensor, default: StringTensor | Tensor) -> None:
        super().__init__()
        self.strings: StringsBuffer | None = None
        if isinstance(values, StringTensor):
            if not isinstance(default, StringTensor):
                raise TypeError("expected a default that is a string, as the values are")
            self.strings = StringsBuffer(cat([values.flatten(), default.reshape(1)]), "Values", "values")
        else:
            if isinstance(default, StringTensor):
                raise TypeError("expected a default that is a number, as the values are")
            table = torch.cat([values.reshape(-1), default.reshape(1).to(values.dtype)])
            self.register_buffer("numbers", table)

    def forward(self, positions: Tensor) -> StringTensor | Tensor:
        if self.strings is not None:
            strings: StringTensor = self.strings()
            return strings.take(positions)
        return self.numbers[positions]


def _one(op: str, what: str, candidates: dict[str, Any]) -> tuple[str, Any]:
    given = {name: value for name, value in candidates.items() if value is not None}
    if len(given) != 1:
        raise ValueError(f"{op}: expected one of {', '.join(candidates)} ({what}), got {len(given)}")
    return next(iter(given.items()))


def _values_of(op: str, name: str, value: Any) -> StringTensor | Tensor:
    """An attribute as strings or numbers, by the end of its name."""
    if isinstance(value, (StringTensor, Tensor)):
        return value
    if name.endswith("strings"):
        return strings_argument(op, name, value)
    return torch.as_tensor(value, dtype=torch.float32 if name.endswith("floats") else torch.int64, device="cpu")


@named_class
class LabelEncoder(nn.Module):
    """Maps each element, a string or a number, to the value of the key that it equals, or to a default.

    Spec: ai.onnx.ml LabelEncoder-1, -2 and -4. Of several equal keys, the first counts.

    Args:
        classes_strings: version 1: strings are mapped to their positions, and positions to the strings.
        default_float: the default for `values_floats`.
        default_int64: the default for `values_int64s`, and for unknown strings in version 1.
        default_string: the default for `values_strings`, and for unknown positions in version 1.
        default_tensor: the default for `values_tensor`, a tensor of one element.
        keys_floats, keys_int64s, keys_strings, keys_tensor: the keys; one of them is given. NaN equals NaN.
        values_floats, values_int64s, values_strings, values_tensor: the value of each key; one of them is given.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> encoder = ops.LabelEncoder(keys_strings=["red", "green"], values_int64s=[5, 7])
        >>> encoder(["green", "blue"])
        tensor([ 7, -1])
    """

    def __init__(
        self,
        *,
        classes_strings: StringsLike | None = None,
        default_float: float = -0.0,
        default_int64: int = -1,
        default_string: str = "_Unused",
        default_tensor: Tensor | StringTensor | None = None,
        keys_floats: NumbersLike | None = None,
        keys_int64s: NumbersLike | None = None,
        keys_strings: StringsLike | None = None,
        keys_tensor: Tensor | StringTensor | None = None,
        values_floats: NumbersLike | None = None,
        values_int64s: NumbersLike | None = None,
        values_strings: StringsLike | None = None,
        values_tensor: Tensor | StringTensor | None = None,
    ) -> None:
        super().__init__()
        op = "LabelEncoder"
        self.classes: CategoryMapper | None = None
        if classes_strings is not None:
            classes = strings_argument(op, "classes_strings", classes_strings)
            self.classes = CategoryMapper(
                cats_int64s=torch.arange(classes.numel(), device="cpu"),
                cats_strings=classes,
                default_int64=default_int64,
                default_string=default_string,
            )
            return
        keys_name, keys = _one(
            op,
            "the keys",
            {
                "keys_floats": keys_floats,
                "keys_int64s": keys_int64s,
                "keys_strings": keys_strings,
                "keys_tensor": keys_tensor,
            },
        )
        values_name, values = _one(
            op,
            "the values",
            {
                "values_floats": values_floats,
                "values_int64s": values_int64s,
                "values_strings": values_strings,
                "values_tensor": values_tensor,
            },
        )
        keys, values = _values_of(op, keys_name, keys), _values_of(op, values_name, values)
        if keys.numel() != values.numel():
            raise ValueError(f"{op}: expected a value for each of {keys.numel()} keys, got {values.numel()}")
        default: Tensor | StringTensor
        if values_name == "values_tensor" and default_tensor is not None:
            default = default_tensor
        elif isinstance(values, StringTensor):
            default = StringTensor.from_list(default_string)
        else:
            default = torch.tensor(default_float if values.is_floating_point() else default_int64, device="cpu")
        if default.numel() != 1:
            raise ValueError(f"{op}: expected `default_tensor` of one element, got {default.numel()}")
        self.positions, self.values = Positions(keys, op), Values(values, default)

    def forward(self, X: StringsLike | Tensor) -> StringTensor | Tensor:
        """Returns strings or numbers, of the shape of the input."""
        if self.classes is not None:
            return self.classes(X)  # type: ignore[no-any-return]
        x = X if isinstance(X, Tensor) else strings_argument("LabelEncoder", "X", X)
        return self.values(self.positions(x))  # type: ignore[no-any-return]


@named_class
class CategoryMapper(nn.Module):
    """Maps strings to ids, and ids to strings, by a list of both.

    Spec: ai.onnx.ml CategoryMapper-1.

    Args:
        cats_int64s: the id of each string.
        cats_strings: the strings.
        default_int64: the id of other strings.
        default_string: the string of other ids.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> mapper = ops.CategoryMapper(cats_int64s=[10, 20], cats_strings=["a", "b"])
        >>> mapper(["b", "c"]), mapper(torch.tensor([10, 3])).tolist()
        (tensor([20, -1]), ['a', '_Unused'])
    """

    def __init__(
        self,
        *,
        cats_int64s: NumbersLike,
        cats_strings: StringsLike,
        default_int64: int = -1,
        default_string: str = "_Unused",
    ) -> None:
        super().__init__()
        op = "CategoryMapper"
        ids = torch.as_tensor(cats_int64s, dtype=torch.int64, device="cpu")
        strings = strings_argument(op, "cats_strings", cats_strings)
        if ids.numel() != strings.numel():
            raise ValueError(f"{op}: expected an id for each of {strings.numel()} strings, got {ids.numel()}")
        self.of_strings, self.of_ids = Positions(strings, op), Positions(ids, op)
        self.ids = Values(ids, torch.tensor(default_int64, device="cpu"))
        self.strings = Values(strings, StringTensor.from_list(default_string))

    def forward(self, X: StringsLike | Tensor) -> StringTensor | Tensor:
        """Returns int64 for strings, and strings for integers, of the shape of the input."""
        if isinstance(X, Tensor):
            return self.strings(self.of_ids(X))  # type: ignore[no-any-return]
        return self.ids(self.of_strings(strings_argument("CategoryMapper", "X", X)))  # type: ignore[no-any-return]


@named_class
class OneHotEncoder(nn.Module):
    """One-hot vectors of categories, in a new last axis.

    Spec: ai.onnx.ml OneHotEncoder-1.

    Args:
        cats_int64s: the categories, for an input of numbers.
        cats_strings: the categories, for an input of strings.
        zeros: 0 to raise an error for other elements, whose vectors are zeros otherwise.

    Example:
        >>> from torch_stringops.onnx import ops
        >>> ops.OneHotEncoder(cats_strings=["a", "b"])(["b", "c"])
        tensor([[0., 1.],
                [0., 0.]])
    """

    def __init__(
        self,
        *,
        cats_int64s: Sequence[int] | Tensor | None = None,
        cats_strings: StringsLike | None = None,
        zeros: int = 1,
    ) -> None:
        super().__init__()
        name, cats = _one("OneHotEncoder", "the categories", {"cats_int64s": cats_int64s, "cats_strings": cats_strings})
        self.positions = Positions(_values_of("OneHotEncoder", name, cats), "OneHotEncoder")
        self.zeros = bool(zeros)

    def forward(self, X: StringsLike | Tensor) -> Tensor:
        """Returns float32 `[*S, number of categories]`."""
        x = X if isinstance(X, Tensor) else strings_argument("OneHotEncoder", "X", X)
        if isinstance(x, Tensor):
            x = x.long()
        at, count = self.positions(x), self.positions.count
        if not self.zeros and not torch.compiler.is_compiling() and bool((at == count).any()):
            raise ValueError("OneHotEncoder: expected elements that are categories, as `zeros` is 0, got another")
        places = torch.arange(count, device=at.device)
        matches: Tensor = at.unsqueeze(-1) == places
        return matches.float()
