"""Our side of a comparison: corpora as tensors, operators as contenders, and memcpy as the limit."""

import ctypes
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

import torch_stringops
from benchmarks.canonical import Canonical, Ragged, from_offsets, from_padded_offsets
from benchmarks.corpora import Corpus
from benchmarks.measure import Contender, Skipped


def tensors(corpus: Corpus) -> tuple[Tensor, Tensor]:
    """`data` and `offsets` of the corpus, in torch's memory: aligned as a user's tensors are."""
    return torch.tensor(corpus.data), torch.tensor(corpus.offsets)


def string_tensor(corpus: Corpus) -> torch_stringops.StringTensor:
    return torch_stringops.StringTensor(*tensors(corpus))


class Missing(Exception):
    """The library that is installed has no such operator."""


def operator(name: str, overload_name: str = "default") -> Callable[..., Any]:
    """The overload itself, so that no time goes to resolving it."""
    try:
        overload: Callable[..., Any] = getattr(getattr(torch.ops.stringops, name), overload_name)
    except AttributeError as error:
        raise Missing(f"torch_stringops has no operator {name}") from error
    return overload


def ragged(out: tuple[Tensor, Tensor, Tensor]) -> Ragged:
    data, offsets, row_splits = (t.numpy() for t in out)
    return from_offsets(data, offsets.astype(np.int64), row_splits)


def padded(out: tuple[Tensor, Tensor, Tensor]) -> Ragged:
    data, offsets, counts = (t.numpy() for t in out)
    return from_padded_offsets(data, offsets, counts)


def num_bytes(tensors: Iterable[Tensor]) -> int:
    return sum(t.numel() * t.element_size() for t in tensors)


def use_tier(tier: str) -> Callable[[], None]:
    return lambda: torch_stringops.set_simd_tier(tier)


def contender(
    name: str, call: Callable[..., Any], canonical: Callable[[Any], Canonical], **how: Any
) -> Contender:
    return Contender(name, call, canonical, ours=True, **how)


def tier_contender(
    tier: str, name: str, call: Callable[..., Any], canonical: Callable[[Any], Canonical]
) -> Contender | Skipped:
    """The call on a CPU tier of its own, chosen before each sample."""
    if tier not in torch_stringops.simd_tiers():
        return Skipped(name, f"this CPU has no {tier}")
    choose = use_tier(tier)
    return Contender(name, lambda _: call(), canonical, prepare=choose, ours=True)


def settled(contender: Contender | Skipped) -> Contender | Skipped:
    """The contender, which does not pay for memory that another one freed.

    A peer frees hundreds of thousands of small objects after its call, and glibc puts them together in the next malloc
    of some size, whoever calls it: milliseconds.
    """
    if isinstance(contender, Skipped):
        return contender
    call = contender.call
    return replace(contender, call=lambda _: call(), prepare=put_free_memory_together)


def put_free_memory_together() -> None:
    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]
    library.free(library.malloc(1 << 16))


def tensors_of(out: Any) -> list[Tensor]:
    """The tensors in an operator's or a public function's output."""
    if isinstance(out, Tensor):
        return [out]
    if isinstance(out, torch_stringops.StringTensor):
        return [out.data, out.offsets]
    return [t for o in out for t in tensors_of(o)]


def memcpy(traffic: int, suffix: str = "") -> list[Contender]:
    """The limit: a copy that reads and writes `traffic` bytes together, into new or into warm memory.

    New memory is what an operator's output gets: torch's, on huge pages where it is large.
    """
    size = traffic // 2
    source = torch.ones(size, dtype=torch.uint8)
    warm = torch.ones(size, dtype=torch.uint8)
    library = ctypes.CDLL(None)
    first, last = HUGE_PAGE - 1, -HUGE_PAGE

    def into_new() -> Tensor:
        out = torch.empty(size, dtype=torch.uint8)
        address = out.data_ptr()
        if size >= 2 * HUGE_PAGE:
            begin, end = (address + first) & last, (address + size) & last
            library.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), MADV_HUGEPAGE)
        ctypes.memmove(address, source.data_ptr(), size)
        return out

    def into_warm() -> None:
        ctypes.memmove(warm.data_ptr(), source.data_ptr(), size)

    return [Contender(MEMCPY + suffix, into_new), Contender(MEMCPY_WARM + suffix, into_warm)]


HUGE_PAGE = 1 << 21
MADV_HUGEPAGE = 14
MEMCPY = "memcpy of equal traffic, new memory"
MEMCPY_WARM = "memcpy of equal traffic, warm memory"
