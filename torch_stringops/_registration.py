"""Registers StringTensor with torch: as a pytree node, for torch.load, for processes, and against module buffers."""

from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
import torch.utils._pytree as pytree
from torch.export import ExportedProgram
from torch.nn.modules.module import Module, register_module_buffer_registration_hook

from torch_stringops._export_inputs import accepting_texts
from torch_stringops.string_tensor import StringTensor, rebuild, reduce_to_send


def _flatten(s: StringTensor) -> tuple[list[Any], bool]:
    return [s.data, s.offsets], s._scalar


def _flatten_with_keys(s: StringTensor) -> tuple[list[tuple[Any, Any]], bool]:
    return [(pytree.GetAttrKey("data"), s.data), (pytree.GetAttrKey("offsets"), s.offsets)], s._scalar


def _unflatten(leaves: Any, scalar: bool) -> StringTensor:
    # No checks, since tree_map may return leaves of any type.
    s = object.__new__(StringTensor)
    s._data, s._offsets = leaves
    s._scalar = scalar
    return s


def _reject_buffer(module: Module, name: str, buffer: Any) -> None:
    """Raises at registration, not when the module is moved, saved or exported.

    register_buffer accepts every object that has `__torch_function__`, and then calls methods of Tensor on it.
    """
    if isinstance(buffer, StringTensor):
        raise TypeError(
            f"register_buffer: expected a Tensor for {name[:100]!r}, got StringTensor (register its `data` and "
            "`offsets` as two buffers, and create StringTensor(data, offsets) in forward; see Vocabulary)"
        )


pytree.register_pytree_node(
    StringTensor,
    _flatten,
    _unflatten,
    serialized_type_name="torch_stringops.StringTensor",
    flatten_with_keys_fn=_flatten_with_keys,
)
torch.serialization.add_safe_globals([rebuild])
# The pickler of torch.multiprocessing, and thus of DataLoader.
ForkingPickler.register(StringTensor, reduce_to_send)
register_module_buffer_registration_hook(_reject_buffer)
# A program does not know the library when torch.export.load reads it, and torch has no hook for its inputs.
ExportedProgram.module = accepting_texts(ExportedProgram.module)  # type: ignore[method-assign]
