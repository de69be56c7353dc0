"""Collectives of `torch.distributed` for StringTensors, and distinct strings over all ranks.

Sizes are sent first, then bytes. The backends need `broadcast`, `all_gather_into_tensor` and `all_to_all_single` of
tensors of uint8, int32 and int64, which gloo and NCCL have; with NCCL, the bytes pass through the current CUDA device.
Received strings are compact, on the CPU, where operators run, and checked. All ranks of the group must make the same
calls. A rank that raises an error before it communicates leaves the others waiting, as in torch.distributed.

In `torch.compile`, the calls are functional collectives: `fullgraph=True` needs
`torch._dynamo.config.capture_scalar_outputs = True`, without which torch breaks the graph where sizes are read. The
number of dimensions has to be known: strings that are received have as many as this rank's argument, or 1 if it is
None. They are checked by the operators that use them. Other ranks may run the same call without torch.compile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import MAX_BYTES, MAX_RANK
from torch_stringops._counting import sum_counts
from torch_stringops._names import named
from torch_stringops._types import StringsLike
from torch_stringops.functions.vocabulary import string_unique
from torch_stringops.string_tensor import StringTensor

__all__ = ["all_gather", "all_to_all", "broadcast", "unique"]

# Number of bytes, whether the strings are of rank 0, rank and shape of `offsets`.
_HEADER = 3 + MAX_RANK


@named
def broadcast(input: StringsLike, src: int = 0, group: dist.ProcessGroup | None = None) -> StringTensor:
    """Returns the strings of rank `src` on every rank.

    Args:
        input: strings of any shape on rank `src`; ignored on others, which may pass None.
        src: the global rank that sends.
        group: the process group. Default: all ranks.

    Example, on every rank of a group:
        strings = broadcast(["a", "b"] if dist.get_rank() == 0 else None, src=0)
    """
    mine = _argument("broadcast", input) if dist.get_rank() == src else None
    dims = _dims(input if mine is None else mine)
    header = _broadcast(_header(mine), src, group)
    return _broadcast_parts(_empty(_sizes(header, 1, dims)[0], dims) if mine is None else mine, src, group)


@named
def all_gather(input: StringsLike, group: dist.ProcessGroup | None = None) -> list[StringTensor]:
    """Returns the strings of each rank, in the order of the ranks, on every rank. Their shapes may differ."""
    mine = _argument("all_gather", input)
    rank, size = dist.get_rank(group), dist.get_world_size(group)
    device = _device(group)
    headers = torch.empty(size * _HEADER, dtype=torch.int64, device=device)
    if hasattr(dist, "all_gather_single"):  # torch 2.13, which warns of the earlier name
        dist.all_gather_single(headers, _header(mine).to(device), group=group)
    else:
        dist.all_gather_into_tensor(headers, _header(mine).to(device), group=group)
    rows = _sizes(headers, size, _dims(mine))
    # One broadcast for each rank, since all_gather takes tensors of one size only.
    return [
        _broadcast_parts(mine if r == rank else _empty(rows[r], _dims(mine)), _global(r, group), group)
        for r in range(size)
    ]


@named
def all_to_all(inputs: Sequence[StringsLike], group: dist.ProcessGroup | None = None) -> list[StringTensor]:
    """Sends element r of `inputs` to rank r, and returns what each rank has sent to this one, in their order.

    Raises:
        ValueError: the number of elements is not that of the ranks.
    """
    size = dist.get_world_size(group)
    sent = _list("all_to_all", inputs, size)
    return _exchange(sent, _dims(sent[dist.get_rank(group)]), group)


@named
def unique(
    input: StringsLike, group: dist.ProcessGroup | None = None, counts: Tensor | None = None
) -> tuple[StringTensor, Tensor]:
    """Returns this rank's share of the distinct strings of all ranks, and how often they occur on all ranks.

    Each distinct string is on one rank: that of its hash, `hash_bucket(world size)`. The shares are about equal, and no
    rank holds all strings. `all_gather` of the shares gives all of them.

    Args:
        input: strings of any shape.
        group: the process group. Default: all ranks.
        counts: int64, in the shape of the strings, if they stand for so many each. Default: 1 each.

    Returns:
        strings: `[U]`, in the order of ranks and of first appearance on each.
        counts: int64 `[U]`.

    Raises:
        OverflowError: the sum of the counts of a string exceeds 2**63 - 1. It is raised on the rank of the string, or,
            if the sum of one rank is too large, on that rank before it communicates.
        ValueError: `counts` is not as above.
    """
    mine = _argument("unique", input).cpu()
    words, ids, local = string_unique(mine)
    if counts is not None:
        if counts.shape != mine.shape or counts.dtype != torch.int64:
            raise ValueError("unique: expected `counts` to be int64, in the shape of the strings")
        local = sum_counts("unique", ids.reshape(-1), counts.cpu().reshape(-1), local.shape[0])
    size = dist.get_world_size(group)
    bucket = words.hash_bucket(size)
    by_rank = bucket.argsort(stable=True)
    sizes = (bucket[None] == torch.arange(size, device="cpu")[:, None]).sum(1).tolist()
    received = _exchange(list(torch.split(words[by_rank], sizes)), 1, group)  # type: ignore[arg-type]
    numbers = _send(local[by_rank], sizes, [len(s) for s in received], group)
    found, ids, _ = string_unique(torch.cat(received))  # type: ignore[arg-type]
    return found, sum_counts("unique", ids, numbers, len(found))


def _argument(op: str, value: Any) -> StringTensor:
    return strings_argument(op, "input", value).contiguous()


def _list(op: str, inputs: Any, size: int) -> list[StringTensor]:
    if not isinstance(inputs, (list, tuple)) or len(inputs) != size:
        got = len(inputs) if isinstance(inputs, (list, tuple)) else type(inputs).__name__
        raise ValueError(f"{op}: expected a list of strings for each of {size} ranks, got {got}")
    return [_argument(op, strings) for strings in inputs]


# A constant of the graph: torch.compile of torch 2.10 cannot trace `get_backend`.
@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _uses_nccl(group: Any) -> bool:
    return "nccl" in str(dist.get_backend(group))


def _device(group: Any) -> torch.device:
    """The device through which the group communicates."""
    return torch.device("cuda", torch.cuda.current_device()) if _uses_nccl(group) else torch.device("cpu")


def _global(rank: int, group: Any) -> int:
    return rank if group is None else dist.get_global_rank(group, rank)


def _dims(strings: Any) -> int:
    return max(1, strings.ndim) if isinstance(strings, StringTensor) else 1


def _header(s: StringTensor | None) -> Tensor:
    """The sizes of compact strings; zeros for None."""
    sizes: list[Any] = [0] * _HEADER
    if s is not None:
        shape = s.offsets.shape
        sizes[: 3 + len(shape)] = [s.data.shape[0], int(s._scalar), len(shape), *shape]
    return torch.tensor(sizes, dtype=torch.int64, device="cpu")


def _sizes(headers: Tensor, size: int, dims: int) -> list[list[Any]]:
    """The headers of `size` ranks as lists. In torch.compile, without the sizes of more than `dims` dimensions."""
    rows = headers.reshape(size, _HEADER)
    return (rows[:, : 3 + dims] if torch.compiler.is_compiling() else rows).tolist()


def _empty(header: list[Any], dims: int) -> StringTensor:
    """Strings for the sizes, whose bytes and offsets have not been received. In torch.compile, of `dims` dimensions."""
    num_bytes, scalar, rank, *shape = header
    if torch.compiler.is_compiling():
        rank, scalar = dims, 0
        for size in (num_bytes, *shape[:dims]):
            torch._check(size >= 0)
            torch._check(size <= MAX_BYTES)
        torch._check(shape[dims - 1] >= 1)
    elif not (0 <= num_bytes <= MAX_BYTES and 0 < rank <= MAX_RANK):
        raise RuntimeError("torch_stringops.distributed: expected sizes of strings from another rank")
    data = torch.empty(num_bytes, dtype=torch.uint8, device="cpu")
    offsets = torch.zeros(shape[:rank], dtype=torch.int32, device="cpu")
    return StringTensor._new(data, offsets, bool(scalar))


def _received(s: StringTensor, data: Tensor, offsets: Tensor) -> StringTensor:
    """Strings like `s` of tensors from another rank."""
    strings = StringTensor._new(data, offsets, s._scalar)
    return strings if torch.compiler.is_compiling() else strings.validate()


def _broadcast(t: Tensor, src: int, group: Any) -> Tensor:
    """The tensor of the global rank `src`; others pass one of its size."""
    part = t.to(_device(group))
    if torch.compiler.is_compiling():
        # torch.compile does not replace dist.broadcast by this one, as it does for the other collectives.
        everyone: Any = dist.group.WORLD
        source = src if group is None else dist.get_group_rank(group, src)
        part = functional.broadcast(part, source, everyone if group is None else group)
    else:
        dist.broadcast(part, src, group=group)
    return part.cpu()


def _broadcast_parts(s: StringTensor, src: int, group: Any) -> StringTensor:
    parts = [_broadcast(t, src, group) for t in (s.data, s.offsets)]
    return s if dist.get_rank() == src else _received(s, *parts)


def _exchange(sent: list[StringTensor], dims: int, group: Any) -> list[StringTensor]:
    """Sends one element to each rank, and returns those of the ranks."""
    size = len(sent)
    headers = torch.stack([_header(s) for s in sent]).reshape(-1)
    got = _sizes(_send(headers, [_HEADER] * size, [_HEADER] * size, group), size, dims)
    received = [_empty(header, dims) for header in got]
    parts = []
    for name in ("data", "offsets"):
        given = [getattr(s, name).cpu().reshape(-1) for s in sent]
        targets = [getattr(s, name).numel() for s in received]
        parts.append(_send(torch.cat(given), [p.shape[0] for p in given], targets, group).split(targets))
    return [
        _received(s, data, offsets.reshape(s.offsets.shape)) for s, data, offsets in zip(received, *parts, strict=True)
    ]


def _send(t: Tensor, sizes: list[int], received: list[int], group: Any) -> Tensor:
    """all_to_all_single of a tensor on the CPU, by elements."""
    device = _device(group)
    out = torch.empty(sum(received), dtype=t.dtype, device=device)
    dist.all_to_all_single(out, t.contiguous().to(device), received, sizes, group=group)
    return out.cpu()
