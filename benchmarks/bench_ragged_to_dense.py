"""ragged_to_dense: word ids of W1 to a padded matrix."""

from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks import ours, peers
from benchmarks.corpora import SEED, words_per_row
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

OURS = "ours, ragged_to_dense"
WIDTH = 20


def build(context: Context) -> Comparison:
    rng = np.random.default_rng([SEED, 8])
    counts = words_per_row(rng, max(1, round(100_000 * context.scale)))
    splits = np.concatenate([[0], np.cumsum(counts)])
    values = rng.integers(1, 30_000, splits[-1])
    v, s = torch.from_numpy(values), torch.from_numpy(splits)
    dense = partial(ours.operator("ragged_to_dense"), v, s, WIDTH)
    contenders: peers.Contenders = [ours.contender(OURS, dense, lambda out: out.numpy())]
    contenders += [torch_padded(v, s), numpy_padded(values, splits), *tensorflow_padded(values, splits)]
    contenders += ours.memcpy(ours.num_bytes([v, s, dense()]))
    targets = [Target(OURS, name) for name in ("torch jagged_to_padded_dense", "numpy", "tensorflow")]
    title = f"{len(values):,} int64 values in {len(counts):,} rows to width {WIDTH}"
    return Comparison(title, contenders, targets, values.nbytes)


def torch_padded(values: torch.Tensor, splits: torch.Tensor) -> Contender:
    dense = torch.ops.aten._jagged_to_padded_dense_forward.default
    return Contender(
        "torch jagged_to_padded_dense",
        lambda: dense(values, [splits], [WIDTH], 0.0),
        lambda out: out.numpy(),
    )


def numpy_padded(values: NDArray[np.int64], splits: NDArray[np.int64]) -> Contender:
    def dense() -> NDArray[np.int64]:
        out = np.zeros((len(splits) - 1, WIDTH), dtype=np.int64)
        out[np.arange(WIDTH) < np.diff(splits)[:, None]] = values
        return out

    return Contender("numpy", dense, np.asarray)


@peers.needs("tensorflow")
def tensorflow_padded(values: NDArray[np.int64], splits: NDArray[np.int64]) -> peers.Contenders:
    tf = peers.load("tensorflow")
    ragged = tf.RaggedTensor.from_row_splits(values, splits, validate=False)
    shape = [None, WIDTH]

    def dense(ragged: Any) -> Any:
        return ragged.to_tensor(shape=shape)

    return [
        Contender(
            f"tensorflow to_tensor, {how}", partial(call, ragged), lambda out: out.numpy(), group="tensorflow"
        )
        for how, call in (("eager", dense), ("traced", tf.function(dense)))
    ]


ROWS = [Row("ragged_to_dense/W1", build)]
