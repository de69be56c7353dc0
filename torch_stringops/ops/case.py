"""Strings with another case, and string_normalizer."""

from typing import Any

from torch import Tensor

from torch_stringops._checks import check_same_device, check_strings
from torch_stringops._native import operator_on_strings
from torch_stringops._tracing import Size, dynamic_size, known, register_fake, strings_shape
from torch_stringops.ops._attributes import check_attributes
from torch_stringops.ops._declare import declare_map
from torch_stringops.tensor.strings import S

_string_lower = declare_map("string_lower")
_string_upper = declare_map("string_upper")
_string_casefold = declare_map("string_casefold")
_string_simple_fold = declare_map("_string_simple_fold")
_string_title = declare_map("string_title")
_string_capitalize = declare_map("string_capitalize")
_string_swapcase = declare_map("string_swapcase")


def folded(s: S, other: S, ignore_case: bool) -> tuple[S, S]:
    """Both strings, by simple case folding if their case is ignored."""
    return (_string_simple_fold(s), _string_simple_fold(other)) if ignore_case else (s, other)


_NORMALIZER = "string_normalizer"


def _shape_error(got: Any) -> ValueError:
    return ValueError(f"{_NORMALIZER}: expected strings of shape [C] or [1, C], got shape {got}")


@register_fake(_NORMALIZER)
def _fake_normalizer(
    data: Tensor,
    offsets: Tensor,
    stopwords_data: Tensor,
    stopwords_offsets: Tensor,
    **attributes: Any,
) -> tuple[Tensor, Tensor]:
    tensors = {
        "data": data,
        "offsets": offsets,
        "stopwords_data": stopwords_data,
        "stopwords_offsets": stopwords_offsets,
    }
    check_attributes(_NORMALIZER, [*tensors], attributes)
    check_same_device(_NORMALIZER, **tensors)
    check_strings(_NORMALIZER, data, offsets)
    shape = strings_shape(offsets)
    if len(shape) > 2 or (len(shape) == 2 and known(shape[0] != 1)):
        raise _shape_error(shape)
    check_strings(_NORMALIZER, stopwords_data, stopwords_offsets, "stopwords_data", "stopwords_offsets")
    keeps_all = known(stopwords_offsets.shape[-1] == 1)
    least = 2 if known(shape[-1] > 0) else 1
    num_offsets: Size = shape[-1] + 1 if keeps_all else dynamic_size(minimum=least)
    return data.new_empty([dynamic_size()]), offsets.new_empty([*shape[:-1], num_offsets])


_normalizer = operator_on_strings(_NORMALIZER, lambda s, strings: s._new(*strings))


def _string_normalizer(s: S, stopwords: S, **attributes: Any) -> S:
    if s._scalar:
        raise _shape_error("[] (use .reshape(1))")
    normalized: S = _normalizer(s, stopwords.data, stopwords.offsets, **attributes)
    return normalized
