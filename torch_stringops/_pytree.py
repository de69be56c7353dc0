"""StringTensor as a pytree node, wherever torch walks a structure: its leaves are `data` and `offsets`."""

from typing import Any

import torch.utils._pytree as pytree

from torch_stringops.string_tensor import StringTensor


def _flatten(s: StringTensor) -> tuple[list[Any], bool]:
    return [s.data, s.offsets], s._scalar


def _flatten_with_keys(s: StringTensor) -> tuple[list[tuple[Any, Any]], bool]:
    return [(pytree.GetAttrKey("data"), s.data), (pytree.GetAttrKey("offsets"), s.offsets)], s._scalar


def _unflatten(leaves: Any, scalar: bool) -> StringTensor:
    # Whatever a caller of tree_map put in the leaves' place: no checks.
    s = object.__new__(StringTensor)
    s.data, s.offsets = leaves
    s._scalar = scalar
    return s


pytree.register_pytree_node(
    StringTensor,
    _flatten,
    _unflatten,
    serialized_type_name="torch_stringops.StringTensor",
    flatten_with_keys_fn=_flatten_with_keys,
)
