"""tfidf_vectorizer: counts of n-grams, weighted."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import (
    MAX_OFFSETS,
    as_int,
    check_dtype,
    check_max_size,
    check_rank,
    check_same_device,
    check_strings,
    dtype_name,
)
from torch_stringops._native import operator
from torch_stringops._tracing import Size, dynamic_size, register_fake, strings_shape
from torch_stringops.ops._attributes import check_attributes
from torch_stringops.tensor.strings import Strings

_OP = "tfidf_vectorizer"
MAX_OUTPUTS = 2**26


def _check_attributes(name: str, tensors: list[str], given: dict[str, Any]) -> None:
    """Checks all but the positions in the pool, which is empty, and `num_outputs`, which would be allocated."""
    check_attributes(name, [*tensors, "ngram_indexes"], given | {"ngram_counts": [], "num_outputs": None})


def _shape_error(got: Any) -> ValueError:
    return ValueError(f"{_OP}: expected `input` of shape [C] or [N, C], got shape {got}")


def _check_vector(name: str, t: Tensor, dtype: torch.dtype) -> None:
    check_dtype(_OP, name, t, dtype)
    check_rank(_OP, name, t, 1)
    if not torch.compiler.is_compiling():
        check_max_size(_OP, name, t.shape[0], MAX_OFFSETS, "elements")


def _result(like: Tensor, shape: Sequence[Size], num_outputs: Size | None) -> Tensor:
    if isinstance(num_outputs, int) and not 0 <= num_outputs <= MAX_OUTPUTS:
        raise ValueError(f"{_OP}: expected `num_outputs` within [0, {MAX_OUTPUTS}], got {num_outputs}")
    width = dynamic_size() if num_outputs is None else num_outputs
    rows = shape[0] if len(shape) == 2 else 1
    if type(rows) is int and type(width) is int and rows * width > MAX_OFFSETS:
        raise ValueError(
            f"{_OP}: expected a result of at most {MAX_OFFSETS} elements, got [{rows}, {width}] "
            "(pass fewer rows or n-grams)"
        )
    return like.new_empty([*shape[:-1], width], dtype=torch.float32)


def _check_outputs(ngram_indexes: Tensor, weights: Tensor | None, **tensors: Tensor) -> None:
    given = {} if weights is None else {"weights": weights}
    check_same_device(_OP, **tensors, ngram_indexes=ngram_indexes, **given)
    _check_vector("ngram_indexes", ngram_indexes, torch.int64)
    if weights is not None:
        _check_vector("weights", weights, torch.float32)


@register_fake(_OP)
def _fake_ints(
    input: Tensor,
    pool_int64s: Tensor,
    ngram_indexes: Tensor,
    weights: Tensor | None = None,
    **attributes: Any,
) -> Tensor:
    _check_attributes(_OP, ["input", "pool_int64s"], attributes)
    if input.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"{_OP}: expected `input` to be int32 or int64, got {dtype_name(input.dtype)}")
    if input.dim() not in (1, 2):
        raise _shape_error(list(input.shape))
    _check_vector("pool_int64s", pool_int64s, torch.int64)
    _check_outputs(ngram_indexes, weights, input=input, pool_int64s=pool_int64s)
    return _result(input, input.shape, attributes.get("num_outputs"))


@register_fake(f"{_OP}.strings")
def _fake_strings(
    data: Tensor,
    offsets: Tensor,
    pool_data: Tensor,
    pool_offsets: Tensor,
    ngram_indexes: Tensor,
    weights: Tensor | None = None,
    **attributes: Any,
) -> Tensor:
    _check_attributes(f"{_OP}.strings", ["data", "offsets", "pool_data", "pool_offsets"], attributes)
    check_strings(_OP, data, offsets)
    shape = strings_shape(offsets)
    if len(shape) > 2:
        raise _shape_error(shape)
    check_strings(_OP, pool_data, pool_offsets, "pool_data", "pool_offsets")
    _check_outputs(ngram_indexes, weights, data=data, offsets=offsets, pool_data=pool_data, pool_offsets=pool_offsets)
    return _result(data, shape, attributes.get("num_outputs"))


_of_ints = operator(_OP)
_of_strings = operator(f"{_OP}.strings")


def _tfidf_vectorizer(
    input: Tensor | Strings,
    pool: Tensor | Strings,
    ngram_indexes: Any,
    weights: Any,
    num_outputs: int | None,
    **attributes: Any,
) -> Tensor:
    """`pool` is of the same kind as `input`."""
    device = (input if isinstance(input, Tensor) else input.data).device
    if not isinstance(ngram_indexes, Tensor):
        ngram_indexes = _as_list("ngram_indexes", ngram_indexes)
        if num_outputs is None:
            num_outputs = max([index + 1 for index in ngram_indexes], default=0)
        ngram_indexes = torch.tensor(ngram_indexes, dtype=torch.int64, device=device)
    if weights is not None and not isinstance(weights, Tensor):
        weights = torch.tensor(weights, dtype=torch.float32, device=device)
    if isinstance(input, Tensor):
        result: Tensor = _of_ints(input, pool, ngram_indexes, weights, num_outputs=num_outputs, **attributes)
        return result
    assert isinstance(pool, Strings)
    if input._scalar:
        raise _shape_error("[] (use .reshape(1))")
    result = _of_strings(
        input.data,
        input.offsets,
        pool.data,
        pool.offsets,
        ngram_indexes,
        weights,
        num_outputs=num_outputs,
        **attributes,
    )
    return result


def _as_list(name: str, values: Any) -> list[int]:
    expected = "a list of ints or a Tensor"
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{_OP}: expected `{name}` to be {expected}, got {type(values).__name__}")
    return [as_int(_OP, name, value, expected) for value in values]


def int_pool(values: Any, device: torch.device) -> Tensor:
    if isinstance(values, Tensor):
        return values
    return torch.tensor(_as_list("pool_int64s", values), dtype=torch.int64, device=device)
