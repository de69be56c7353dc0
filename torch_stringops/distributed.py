"""Collectives of `torch.distributed` for StringTensors, and distinct strings over all ranks.

Sizes are sent first, then bytes. The backends need `broadcast`, `all_gather` and `all_to_all_single`, which gloo and
NCCL have; with NCCL, the bytes pass through the current CUDA device. Received strings are compact, on the CPU, where
operators run, and checked. All ranks of the group must make the same calls. A rank that raises an error before it
communicates leaves the others waiting, as in torch.distributed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import MAX_BYTES, MAX_RANK
from torch_stringops.functions.vocabulary import string_unique
from torch_stringops.string_tensor import StringTensor

__all__ = ["all_gather", "all_to_all", "broadcast", "gather", "scatter", "unique"]

# Number of bytes, whether the strings are of rank 0, rank and shape of `offsets`.
_HEADER = 3 + MAX_RANK


def broadcast(input: Any, src: int = 0, group: Any = None) -> StringTensor:
    """Returns the strings of rank `src` on every rank.

    Args:
        input: strings of any shape on rank `src`; ignored on others, which may pass None.
        src: the global rank that sends.
        group: the process group. Default: all ranks.

    Example, on every rank of a group:
        strings = broadcast(["a", "b"] if dist.get_rank() == 0 else None, src=0)
    """
    mine = _argument("broadcast", input) if dist.get_rank() == src else None
    return _broadcast(mine, src, group)


def all_gather(input: Any, group: Any = None) -> list[StringTensor]:
    """Returns the strings of each rank, in the order of the ranks, on every rank. Their shapes may differ."""
    mine = _argument("all_gather", input)
    rank, size = dist.get_rank(group), dist.get_world_size(group)
    device = _device(group)
    headers = [torch.empty(_HEADER, dtype=torch.int64, device=device) for _ in range(size)]
    dist.all_gather(headers, _header(mine).to(device), group=group)
    found = [mine if r == rank else _empty(header) for r, header in enumerate(torch.stack(headers).tolist())]
    for r, strings in enumerate(
        found
    ):  # of other sizes than those of other ranks, which all_gather does not take
        found[r] = _broadcast_parts(strings, _global(r, group), group, device)
    return [mine if r == rank else strings for r, strings in enumerate(found)]


def gather(input: Any, dst: int = 0, group: Any = None) -> list[StringTensor] | None:
    """Returns the strings of each rank, in the order of the ranks, on the global rank `dst`, and None on others."""
    mine = _argument("gather", input)
    target = dist.get_group_rank(group, dst) if group is not None else dst
    found = _exchange([mine if r == target else None for r in range(dist.get_world_size(group))], group)
    if dist.get_rank() != dst:
        return None
    return [strings for strings in found if strings is not None]


def scatter(inputs: Sequence[Any] | None, src: int = 0, group: Any = None) -> StringTensor:
    """Returns element r of `inputs` of the global rank `src` on rank r of the group.

    Args:
        inputs: strings for each rank, in their order; ignored on other ranks than `src`, which may pass None.
        src: the global rank that sends.
        group: the process group. Default: all ranks.

    Raises:
        ValueError: the number of elements is not that of the ranks.
    """
    size = dist.get_world_size(group)
    sent: list[StringTensor | None] = [None] * size
    if dist.get_rank() == src:
        sent = list(_list("scatter", inputs, size))
    source = dist.get_group_rank(group, src) if group is not None else src
    found = _exchange(sent, group)[source]
    assert found is not None
    return found


def all_to_all(inputs: Sequence[Any], group: Any = None) -> list[StringTensor]:
    """Sends element r of `inputs` to rank r, and returns what each rank has sent to this one, in their order.

    Raises:
        ValueError: the number of elements is not that of the ranks.
    """
    found = _exchange(list(_list("all_to_all", inputs, dist.get_world_size(group))), group)
    return [strings for strings in found if strings is not None]


def unique(input: Any, group: Any = None, counts: Tensor | None = None) -> tuple[StringTensor, Tensor]:
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
    """
    mine = _argument("unique", input).cpu()
    words, ids, local = string_unique(mine)
    if counts is not None:
        if counts.shape != mine.shape or counts.dtype != torch.int64:
            raise ValueError("unique: expected `counts` to be int64, in the shape of the strings")
        local = torch.zeros_like(local).index_add_(0, ids.reshape(-1), counts.cpu().reshape(-1))
    size = dist.get_world_size(group)
    bucket = words.hash_bucket(size)
    by_rank = bucket.argsort(stable=True)
    sizes = torch.bincount(bucket, minlength=size).tolist()
    shares = _exchange(list(torch.split(words[by_rank], sizes)), group)  # type: ignore[arg-type]
    received = [strings for strings in shares if strings is not None]
    numbers = _send(local[by_rank], sizes, [len(s) for s in received], group)
    found, ids, _ = string_unique(torch.cat(received))  # type: ignore[arg-type]
    return found, torch.zeros(len(found), dtype=torch.int64, device="cpu").index_add_(0, ids, numbers)


def _argument(op: str, value: Any) -> StringTensor:
    return strings_argument(op, "input", value).compact()


def _list(op: str, inputs: Any, size: int) -> list[StringTensor]:
    if not isinstance(inputs, (list, tuple)) or len(inputs) != size:
        got = len(inputs) if isinstance(inputs, (list, tuple)) else type(inputs).__name__
        raise ValueError(f"{op}: expected a list of strings for each of {size} ranks, got {got}")
    return [_argument(op, strings) for strings in inputs]


def _device(group: Any) -> torch.device:
    """The device through which the group communicates."""
    if "nccl" in str(dist.get_backend(group)):
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")


def _global(rank: int, group: Any) -> int:
    return rank if group is None else dist.get_global_rank(group, rank)


def _header(s: StringTensor | None) -> Tensor:
    """The sizes of compact strings; zeros for None."""
    header = torch.zeros(_HEADER, dtype=torch.int64, device="cpu")
    if s is not None:
        shape = s.offsets.shape
        sizes = [s.data.numel(), int(s._scalar), len(shape), *shape]
        header[: len(sizes)] = torch.tensor(sizes, device="cpu")
    return header


def _empty(header: list[int]) -> StringTensor:
    """Strings for the sizes, whose bytes and offsets have not been received."""
    num_bytes, scalar, rank, *shape = header
    if not (0 <= num_bytes <= MAX_BYTES and 0 < rank <= MAX_RANK):
        raise RuntimeError("torch_stringops.distributed: expected sizes of strings from another rank")
    data = torch.empty(num_bytes, dtype=torch.uint8, device="cpu")
    return StringTensor(data, torch.zeros(shape[:rank], dtype=torch.int32, device="cpu"), scalar=bool(scalar))


def _broadcast(s: StringTensor | None, src: int, group: Any) -> StringTensor:
    device = _device(group)
    header = _header(s).to(device)
    dist.broadcast(header, src, group=group)
    received = _broadcast_parts(_empty(header.tolist()) if s is None else s, src, group, device)
    return received if s is None else s


def _broadcast_parts(s: StringTensor, src: int, group: Any, device: torch.device) -> StringTensor:
    parts = []
    for t in (s.data, s.offsets):
        part = t.to(device)
        if part.numel():
            dist.broadcast(part, src, group=group)
        parts.append(part.to("cpu"))
    received = StringTensor(*parts, scalar=s._scalar)
    return received.validate()


def _exchange(sent: list[StringTensor | None], group: Any) -> list[StringTensor | None]:
    """Sends one element to each rank, and returns what they have sent to this one; None stands for nothing."""
    size = len(sent)
    headers = torch.stack([_header(s) for s in sent]).reshape(-1)
    got = _send(headers, [_HEADER] * size, [_HEADER] * size, group).reshape(size, _HEADER).tolist()
    received = [_empty(header) if header[2] else None for header in got]
    for name in ("data", "offsets"):
        parts = [None if s is None else getattr(s, name).cpu().reshape(-1) for s in sent]
        like = torch.empty(0, dtype=torch.uint8 if name == "data" else torch.int32, device="cpu")
        everything = torch.cat([like, *(p for p in parts if p is not None)])
        sizes = [0 if p is None else p.numel() for p in parts]
        targets = [0 if s is None else getattr(s, name).numel() for s in received]
        pieces = _send(everything, sizes, targets, group).split(targets)
        for i, (s, piece) in enumerate(zip(received, pieces, strict=True)):
            if s is not None:
                data, offsets = (
                    (piece, s.offsets) if name == "data" else (s.data, piece.reshape(s.offsets.shape))
                )
                received[i] = StringTensor(data, offsets, scalar=s._scalar)
    return [None if s is None else s.validate() for s in received]


def _send(t: Tensor, sizes: list[int], received: list[int], group: Any) -> Tensor:
    """all_to_all_single of a tensor on the CPU, by elements."""
    device = _device(group)
    out = torch.empty(sum(received), dtype=t.dtype, device=device)
    dist.all_to_all_single(out, t.contiguous().to(device), received, sizes, group=group)
    return out.cpu()
