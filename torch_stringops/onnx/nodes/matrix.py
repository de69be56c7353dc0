"""Matrix products, Einsum, attention and rotary embedding."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torch_stringops._tracing import known
from torch_stringops.onnx._registry import enter_functions, operator

enter_functions({"MatMul": torch.matmul})


@operator("Gemm")
def gemm(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    broadcast: int = 0,
) -> Tensor:
    a, b = a.t() if transA else a, b.t() if transB else b
    if c is not None and c.dim() <= 2 and a.is_floating_point():
        return torch.addmm(c, a, b, beta=beta, alpha=alpha)
    product = a @ b if alpha == 1 else a @ b * alpha
    if c is None:
        return product
    return (product + (c if beta == 1 else c * beta)).to(a.dtype)


@operator("Einsum")
def einsum(*tensors: Tensor, equation: str) -> Tensor:
    return torch.einsum(equation.replace(" ", ""), *tensors)


def _heads(x: Tensor, count: int | None) -> Tensor:
    """`[B, S, heads * size]` as `[B, heads, S, size]`."""
    if x.dim() == 4 or count is None:
        return x
    return x.reshape(x.shape[0], x.shape[1], count, -1).transpose(1, 2)


@operator("Attention")
def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    nonpad_kv_seqlen: Tensor | None = None,
    *,
    is_causal: int = 0,
    kv_num_heads: int | None = None,
    left_window_size: int = -1,
    q_num_heads: int | None = None,
    qk_matmul_output_mode: int = 0,
    right_window_size: int = -1,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A row without a key that it attends to is zero."""
    query, key, value = _heads(q, q_num_heads), _heads(k, kv_num_heads), _heads(v, kv_num_heads)
    past: Any = 0 if past_key is None else past_key.shape[2]
    if past_key is not None and past_value is not None:
        key, value = torch.cat([past_key, key], 2), torch.cat([past_value, value], 2)
    present = key, value
    if (groups := query.shape[1] // key.shape[1]) > 1:
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    raw = (query * factor**0.5) @ (key * factor**0.5).transpose(-1, -2)
    capped = softcap * torch.tanh(raw / softcap) if softcap else raw
    right = 0 if is_causal else right_window_size
    allowed = _allowed(raw, past, left_window_size, right, nonpad_kv_seqlen)
    biased = capped if mask is None else capped + _bias(mask, capped)
    biased = biased if allowed is None else biased.masked_fill(~allowed, -torch.inf)
    none = (biased == -torch.inf).all(-1, keepdim=True)
    weights = torch.softmax(biased.float() if softmax_precision == 1 else biased, -1).to(q.dtype)
    weights = weights.masked_fill(none, 0.0)
    result = weights @ value
    if q.dim() == 3:
        result = result.transpose(1, 2).flatten(2)
    return result, *present, (raw, capped, biased, weights)[qk_matmul_output_mode]


def _bias(mask: Tensor, scores: Tensor) -> Tensor:
    """The mask as an addend; keys beyond a shorter mask are masked."""
    if mask.dtype is torch.bool:
        mask = torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    missing = scores.shape[-1] - mask.shape[-1]
    padded = torch.nn.functional.pad(mask, (0, missing), value=-torch.inf) if known(missing > 0) else mask
    return padded.to(scores.dtype)


def _allowed(scores: Tensor, past: Any, left: int, right: int, lengths: Tensor | None) -> Tensor | None:
    """Whether a query may attend to a key: within the window around its position, and not in the padding."""
    if left < 0 and right < 0 and lengths is None:
        return None
    queries, keys = scores.shape[-2], scores.shape[-1]
    at = torch.arange(keys, device=scores.device)
    first = past if lengths is None else (lengths - queries).reshape(-1, 1, 1, 1)
    position = torch.arange(queries, device=scores.device).unsqueeze(1) + first
    allowed = torch.ones_like(position - at, dtype=torch.bool)
    if left >= 0:
        allowed = allowed & (position - at <= left)
    if right >= 0:
        allowed = allowed & (at - position <= right)
    return allowed if lengths is None else allowed & (at < lengths.reshape(-1, 1, 1, 1))


@operator("RotaryEmbedding")
def rotary_embedding(
    x: Tensor,
    cos: Tensor,
    sin: Tensor,
    position_ids: Tensor | None = None,
    *,
    interleaved: int = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> Tensor:
    heads = x if x.dim() == 4 else _heads(x, num_heads)
    if position_ids is not None:
        cos, sin = cos[position_ids], sin[position_ids]
    size = rotary_embedding_dim or heads.shape[-1]
    turned, rest = heads[..., :size], heads[..., size:]
    cos, sin = cos[..., : size // 2].unsqueeze(1), sin[..., : size // 2].unsqueeze(1)
    if interleaved:
        a, b = turned[..., 0::2], turned[..., 1::2]
        turned = torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
    else:
        a, b = turned.chunk(2, -1)
        turned = torch.cat([a * cos - b * sin, a * sin + b * cos], -1)
    result = torch.cat([turned, rest], -1)
    return result if x.dim() == 4 else result.transpose(1, 2).flatten(2)
