"""A StringTensor is refused as a buffer when it is registered, not when the module is moved, saved or exported.

torch's register_buffer takes everything that has `__torch_function__`, and then calls methods of Tensor on it.
"""

from typing import Any

from torch.nn.modules.module import Module, register_module_buffer_registration_hook

from torch_stringops.string_tensor import StringTensor


def _refuse(module: Module, name: str, buffer: Any) -> None:
    if isinstance(buffer, StringTensor):
        raise TypeError(
            f"register_buffer: expected a Tensor for {name[:100]!r}, got StringTensor (register its `data` and "
            "`offsets` as two buffers, and make StringTensor(data, offsets) of them in forward; see Vocabulary)"
        )


register_module_buffer_registration_hook(_refuse)
