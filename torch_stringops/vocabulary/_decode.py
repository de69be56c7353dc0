"""Looks up the tokens of ids."""

from __future__ import annotations

import torch
from torch import Tensor

from torch_stringops._tracing import can_read
from torch_stringops.ops import pack
from torch_stringops.string_tensor import StringTensor
from torch_stringops.tensor.ranges import strings_at


def decode_ids(tokens: StringTensor, ids: Tensor, unknown: int, num_ids: int) -> StringTensor:
    """Same as `Vocabulary.decode`. `unknown` is the id of the unknown token, or -1."""
    size = tokens.shape[0]
    if can_read(ids) and ids.numel():
        # The bounds of the ids are checked first, since nearly all calls have only ids of tokens.
        least, largest = torch.aminmax(ids) if ids.dim() else (ids, ids)
        if least.item() >= 0 and largest.item() < size:
            found = strings_at(tokens, ids if ids.dim() else ids.reshape(1))
            return found if ids.dim() else found._new(found.data, found.offsets, True)
    limit = size if unknown < 0 else num_ids
    valid = (ids >= 0) & (ids < limit)
    if not torch.compiler.is_compiling() and not valid.all():
        at = int((~valid).flatten().nonzero()[0])
        bad = int(ids.flatten()[at])
        hint = " (unknown strings decode if there is an `unknown_token`)" if limit <= bad < num_ids else ""
        raise IndexError(
            f"Vocabulary.decode: expected `ids` within [0, {limit}), got {bad} at index {at} (row-major){hint}"
        )
    # Invalid ids index one past the end, which a compiled graph rejects too; a negative index would wrap.
    at_token = torch.where(valid, torch.where(ids < size, ids, unknown), size)
    shape = list(ids.shape)
    begins, ends = (t[at_token.reshape(shape or [1])] for t in (tokens.offsets[:-1], tokens.offsets[1:]))
    data, offsets = pack._string_tensor_pack(begins, ends, tokens.data)
    return StringTensor(data, offsets, scalar=not shape)
