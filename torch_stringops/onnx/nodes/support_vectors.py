"""Support vector models of ai.onnx.ml."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from torch_stringops._types import NumbersLike, StringsLike
from torch_stringops.onnx._registry import ML, operator
from torch_stringops.onnx._scores import Labels, check_transform, transformed
from torch_stringops.onnx.nodes.control import repeat
from torch_stringops.string_tensor import StringTensor

_MAX_TABLE = 2**27  # elements of the table of weights


class _Kernel(nn.Module):
    """The kernel of a support vector model between rows and the support vectors."""

    vectors: Tensor

    def __init__(self, op: str, kind: str, parameters: Any, vectors: Any, count: int) -> None:
        super().__init__()
        if kind not in ("LINEAR", "POLY", "RBF", "SIGMOID"):
            raise ValueError(f"{op}: expected `kernel_type` LINEAR, POLY, RBF or SIGMOID, got {kind!r}")
        given = [] if parameters is None else [float(value) for value in parameters]
        if len(given) not in (0, 3):
            raise ValueError(f"{op}: expected gamma, coef0 and degree, got {len(given)} parameters")
        self.kind, (self.gamma, self.coef0, self.degree) = kind, given or [0.0, 0.0, 0.0]
        flat = torch.as_tensor(vectors, dtype=torch.float32).reshape(-1)
        if count < 1 or flat.numel() % count:
            raise ValueError(f"{op}: expected {count} support vectors, got {flat.numel()} numbers")
        self.register_buffer("vectors", flat.reshape(count, -1))

    def forward(self, x: Tensor) -> Tensor:
        vectors = self.vectors
        if self.kind == "RBF":
            squares = (x.unsqueeze(1) - vectors).square().sum(-1)
            return torch.exp(-self.gamma * squares)
        products = x @ vectors.t()
        if self.kind == "LINEAR":
            return products
        products = self.gamma * products + self.coef0
        return products.pow(self.degree) if self.kind == "POLY" else torch.tanh(products)


@operator("SVMRegressor", domain=ML)
class SVMRegressor(nn.Module):
    weights: Tensor
    rho: Tensor

    def __init__(
        self,
        *,
        coefficients: NumbersLike,
        rho: NumbersLike,
        support_vectors: NumbersLike | None = None,
        kernel_params: NumbersLike | None = None,
        kernel_type: str = "LINEAR",
        n_supports: int = 0,
        one_class: int = 0,
        post_transform: str = "NONE",
    ) -> None:
        super().__init__()
        op = "SVMRegressor"
        weights = torch.as_tensor(coefficients, dtype=torch.float32).reshape(-1)
        self.kernel: _Kernel | None = None
        if n_supports:
            self.kernel = _Kernel(op, kernel_type, kernel_params, support_vectors, n_supports)
            if weights.numel() != n_supports:
                raise ValueError(f"{op}: expected {n_supports} coefficients, got {weights.numel()}")
        self.one_class = bool(one_class)
        self.post_transform = check_transform(op, post_transform)
        self.register_buffer("weights", weights)
        self.register_buffer("rho", torch.as_tensor(rho, dtype=torch.float32).reshape(-1)[:1])

    def forward(self, X: Tensor) -> Tensor:
        rows = X.float() if X.dim() > 1 else X.float().unsqueeze(0)
        products = rows if self.kernel is None else self.kernel(rows)
        scores = (products @ self.weights).unsqueeze(1) + self.rho
        if self.one_class:
            return torch.where(scores > 0, 1.0, -1.0)
        return transformed(scores, self.post_transform)


@operator("SVMClassifier", domain=ML)
class SVMClassifier(nn.Module):
    """A decision for each pair of classes, and the class with most votes; or linear scores, without support vectors.

    With `prob_a` and `prob_b`, the scores are probabilities, by the method of Wu, Lin and Weng (2004). Its iteration
    stops early, as that of libsvm, because the results show where it stops.
    """

    weights: Tensor
    rho: Tensor
    first: Tensor
    second: Tensor

    def __init__(
        self,
        *,
        coefficients: NumbersLike,
        rho: NumbersLike,
        classlabels_ints: NumbersLike | None = None,
        classlabels_strings: StringsLike | None = None,
        kernel_params: NumbersLike | None = None,
        kernel_type: str = "LINEAR",
        post_transform: str = "NONE",
        prob_a: NumbersLike | None = None,
        prob_b: NumbersLike | None = None,
        support_vectors: NumbersLike | None = None,
        vectors_per_class: list[int] | None = None,
    ) -> None:
        super().__init__()
        op = "SVMClassifier"
        self.labels = Labels(op, classlabels_strings, classlabels_ints)
        self.post_transform = check_transform(op, post_transform)
        classes, vectors = self.labels.count, list(vectors_per_class or [])
        if any(not 0 <= n < 2**31 for n in vectors):
            raise ValueError(f"{op}: expected `vectors_per_class` of 0 or more, got {vectors}")
        weights = torch.as_tensor(coefficients, dtype=torch.float32).reshape(-1)
        bias = torch.as_tensor(rho, dtype=torch.float32).reshape(-1)
        count = int(sum(vectors))
        rows, decisions = (classes - 1, classes * (classes - 1) // 2) if count else (classes, 1)
        width = count or weights.numel() // classes
        if (count and len(vectors) != classes) or weights.numel() != rows * width or not 0 < decisions <= len(bias):
            raise ValueError(f"{op}: expected {rows} coefficients for each vector of {classes} classes, and "
                             f"{decisions} values of `rho`")  # fmt: skip
        if decisions * count > _MAX_TABLE:
            raise ValueError(f"{op}: expected at most {_MAX_TABLE} weights, got {decisions} of {count} vectors")
        weights = weights.reshape(rows, width)
        pairs = torch.zeros(2, 0, dtype=torch.int64)
        self.kernel: _Kernel | None = None
        if count:
            self.kernel = _Kernel(op, kernel_type, kernel_params, support_vectors, count)
            pairs = torch.triu_indices(classes, classes, 1)
            owner = torch.repeat_interleave(torch.arange(classes), torch.tensor(vectors))
            # The vectors of a class have a row of coefficients for each of the other classes.
            of_first, of_second = (owner == side.unsqueeze(1) for side in pairs)
            weights = torch.where(of_first, weights[pairs[1] - 1], 0.0) + torch.where(of_second, weights[pairs[0]], 0.0)
        for name, value in (
            ("weights", weights),
            ("rho", bias[:decisions]),
            ("first", pairs[0]),
            ("second", pairs[1]),
        ):
            self.register_buffer(name, value)
        self.sigmoid: Tensor | None
        self.register_buffer("sigmoid", None)
        if prob_a is not None and len(prob_a) and count:
            if prob_b is None or len(prob_a) != decisions or len(prob_b) != decisions:
                raise ValueError(f"{op}: expected {decisions} values of `prob_a` and `prob_b`")
            self.sigmoid = torch.stack([torch.as_tensor(p, dtype=torch.float32) for p in (prob_a, prob_b)])

    def forward(self, X: Tensor) -> tuple[Tensor | StringTensor, Tensor]:
        x = X.float() if X.dim() > 1 else X.float().unsqueeze(0)
        scores = (x if self.kernel is None else self.kernel(x)) @ self.weights.t() + self.rho
        votes = scores
        if self.kernel is not None:
            wins = torch.where(scores > 0, self.first, self.second)
            votes = nn.functional.one_hot(wins, self.labels.count).sum(1)
        labels = self.labels(votes.argmax(1))
        if self.sigmoid is not None:
            return labels, transformed(self._probabilities(scores, self.sigmoid), self.post_transform)
        if scores.shape[1] != 1:
            return labels, transformed(scores, self.post_transform)
        if self.post_transform in ("NONE", "LOGISTIC"):
            return labels, transformed(torch.cat([-scores, scores], 1), self.post_transform)
        if self.post_transform == "PROBIT":
            return labels, transformed(scores, "PROBIT")
        return labels, torch.cat([1 - scores, scores], 1)

    def _probabilities(self, scores: Tensor, sigmoid: Tensor) -> Tensor:
        """The probabilities of classes that fit best to those of the pairs."""
        k = self.labels.count
        wins = torch.sigmoid(-(scores * sigmoid[0] + sigmoid[1])).clamp(1e-7, 1 - 1e-7)
        r = scores.new_zeros(scores.shape[0], k, k)
        r[:, self.first, self.second] = wins
        r[:, self.second, self.first] = 1 - wins
        q = -r.transpose(1, 2) * r
        q = q + torch.diag_embed(r.square().sum(1))

        def errors(p: Tensor) -> Tensor:
            gradient = (q @ p.unsqueeze(-1)).squeeze(-1)
            return (gradient - (p * gradient).sum(-1, keepdim=True)).abs().amax(-1, keepdim=True)

        def goes(p: Tensor) -> Tensor:
            return (errors(p) >= 0.005 / k).any()

        def improve(_: Any, __: Any, states: Sequence[Tensor]) -> tuple[Tensor, list[Tensor], list[Tensor]]:
            (p,) = states
            new = p
            for t in range(k):
                gradient = (q @ new.unsqueeze(-1)).squeeze(-1)
                step = ((new * gradient).sum(-1) - gradient[:, t]) / q[:, t, t]
                new = (new + step.unsqueeze(1) * nn.functional.one_hot(self.first.new_tensor(t), k)) / (
                    1 + step.unsqueeze(1)
                )
            new = torch.where(errors(p) >= 0.005 / k, new, p)
            return goes(new), [new], []

        start = torch.full_like(r[:, 0], 1 / k)
        ((last,), _) = repeat(improve, max(100, k), goes(start), [start], [])
        return last  # type: ignore[no-any-return]
