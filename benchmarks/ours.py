"""The contenders of torch_stringops: corpora as tensors, operators as contenders, and memcpy as the limit."""

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
    """`data` and `offsets` of the corpus, allocated and aligned by torch."""
    return torch.tensor(corpus.data), torch.tensor(corpus.offsets)


def string_tensor(corpus: Corpus) -> torch_stringops.StringTensor:
    return torch_stringops.StringTensor(*tensors(corpus))


class Missing(Exception):
    """The installed library does not have the operator."""


def operator(name: str, overload_name: str = "default") -> Callable[..., Any]:
    """The overload, so that its resolution is not measured."""
    try:
        overload: Callable[..., Any] = getattr(getattr(torch.ops.stringops, name), overload_name)
    except AttributeError as error:
        raise Missing(f"torch_stringops has no operator {name}") from error
    return overload


def ragged(out: tuple[Tensor, Tensor, Tensor]) -> Ragged:
    data, offsets, row_splits = (t.numpy() for t in out)
    return from_offsets(data, offsets.astype(np.int64), row_splits)


def strings(out: tuple[Tensor, Tensor]) -> Ragged:
    data, offsets = (t.numpy() for t in out)
    return from_offsets(data, offsets.astype(np.int64), np.arange(len(offsets)))


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
    """The call on a CPU tier, which is set before each sample."""
    if tier not in torch_stringops.simd_tiers():
        return Skipped(name, f"this CPU has no {tier}")
    choose = use_tier(tier)
    return Contender(name, lambda _: call(), canonical, prepare=choose, ours=True)


def with_clean_heap(contender: Contender | Skipped) -> Contender | Skipped:
    """The contender, with the heap consolidated before each call.

    A peer frees hundreds of thousands of small objects after its call, which glibc consolidates in the next large
    malloc. This takes milliseconds, which would be measured for the next contender.
    """
    if isinstance(contender, Skipped):
        return contender
    call = contender.call
    return replace(contender, call=lambda _: call(), prepare=consolidate_heap)


def consolidate_heap() -> None:
    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]
    library.free(library.malloc(1 << 16))


def tensors_of(out: Any) -> list[Tensor]:
    """The tensors in the output of an operator or a public function."""
    if isinstance(out, Tensor):
        return [out]
    if isinstance(out, torch_stringops.StringTensor):
        return [out.data, out.offsets]
    return [t for o in out for t in tensors_of(o)]


def memcpy(traffic: int, suffix: str = "") -> list[Contender]:
    """The limit: copies whose reads and writes sum to `traffic` bytes, into new and into warm memory.

    New memory is allocated like the outputs of operators: by torch, with huge pages if it is large.
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
