"""ragged_to_dense, dense_to_ragged and ragged_mask: ragged rows of word ids, as of W1, and padded matrices."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks import ours, peers
from benchmarks.corpora import SEED, words_per_row
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row

TO_DENSE = "ours, ragged_to_dense"
TO_RAGGED = "ours, dense_to_ragged"
MASK = "ours, ragged_mask"
WIDTH = 20


class Numbers:
    """Rows of int64 numbers in the formats that the contenders need."""

    def __init__(self, context: Context) -> None:
        rng = np.random.default_rng([SEED, 8])
        self.lengths = words_per_row(rng, max(1, round(100_000 * context.scale)))
        self.splits = np.concatenate([[0], np.cumsum(self.lengths)])
        self.values = rng.integers(1, 30_000, self.splits[-1])
        self.mask = np.arange(WIDTH) < self.lengths[:, None]
        self.dense = np.zeros((len(self.lengths), WIDTH), dtype=np.int64)
        self.dense[self.mask] = self.values

    def title(self, what: str) -> str:
        return f"{what}. {len(self.values):,} int64 numbers in {len(self.lengths):,} rows, width {WIDTH}"


def array_of(out: Any) -> NDArray[Any]:
    array: NDArray[Any] = out.numpy()
    return array


def joined(values: Any, splits: Any) -> NDArray[np.int64]:
    return np.concatenate([np.asarray(splits), np.asarray(values)])


def to_dense(context: Context) -> Comparison:
    numbers = Numbers(context)
    values, splits = torch.tensor(numbers.values), torch.tensor(numbers.splits)
    call = partial(ours.operator("ragged_to_dense"), values, splits, WIDTH)
    nested = torch.nested.nested_tensor_from_jagged(values, splits)
    padded = partial(nested.to_padded_tensor, 0, [len(numbers.lengths), WIDTH])
    contenders: peers.Contenders = [
        ours.contender(TO_DENSE, call, array_of),
        Contender("torch nested to_padded_tensor", padded, array_of),
        Contender("numpy", partial(numpy_dense, numbers), np.asarray),
        *tensorflow_dense(numbers),
    ]
    contenders += ours.memcpy(ours.num_bytes([values, splits, call()]))
    names = ("torch nested to_padded_tensor", "numpy", "tensorflow")
    title = numbers.title("Ragged to padded")
    return Comparison(title, contenders, [Target(TO_DENSE, n) for n in names], numbers.values.nbytes)


def numpy_dense(numbers: Numbers) -> NDArray[np.int64]:
    out = np.zeros((len(numbers.lengths), WIDTH), dtype=np.int64)
    out[np.arange(WIDTH) < np.diff(numbers.splits)[:, None]] = numbers.values
    return out


@peers.needs("tensorflow")
def tensorflow_dense(numbers: Numbers) -> peers.Contenders:
    tf = peers.load("tensorflow")
    ragged = tf.RaggedTensor.from_row_splits(numbers.values, numbers.splits, validate=False)

    def dense(ragged: Any) -> Any:
        return ragged.to_tensor(shape=[None, WIDTH])

    return both_ways("tensorflow to_tensor", dense, array_of, ragged)


def both_ways(
    name: str, call: Callable[..., Any], result: Callable[[Any], NDArray[Any]], *inputs: Any
) -> peers.Contenders:
    traced = peers.load("tensorflow").function(call)
    return [
        Contender(f"{name}, {how}", partial(way, *inputs), result, group="tensorflow")
        for how, way in (("eager", call), ("traced", traced))
    ]


def to_ragged(context: Context) -> Comparison:
    numbers = Numbers(context)
    dense, lengths = torch.tensor(numbers.dense), torch.tensor(numbers.lengths)
    call = partial(ours.operator("dense_to_ragged"), dense, lengths)
    columns = torch.arange(WIDTH)

    def masked() -> tuple[torch.Tensor, torch.Tensor]:
        return dense[columns < lengths[:, None]], torch.nn.functional.pad(lengths.cumsum(0), (1, 0))

    def numpy_masked() -> tuple[Any, Any]:
        mask = np.arange(WIDTH) < numbers.lengths[:, None]
        return numbers.dense[mask], np.concatenate([[0], np.cumsum(numbers.lengths)])

    contenders: peers.Contenders = [
        ours.contender(TO_RAGGED, call, lambda out: joined(*out)),
        Contender("torch index by mask", masked, lambda out: joined(*out)),
        Contender("numpy index by mask", numpy_masked, lambda out: joined(*out)),
        *tensorflow_ragged(numbers),
    ]
    contenders += ours.memcpy(ours.num_bytes([dense, lengths, *call()]))
    names = ("torch index by mask", "numpy index by mask", "tensorflow")
    title = numbers.title("Padded to ragged")
    return Comparison(title, contenders, [Target(TO_RAGGED, n) for n in names], numbers.dense.nbytes)


@peers.needs("tensorflow")
def tensorflow_ragged(numbers: Numbers) -> peers.Contenders:
    tf = peers.load("tensorflow")

    def ragged(dense: Any, lengths: Any) -> Any:
        return tf.RaggedTensor.from_tensor(dense, lengths=lengths)

    def result(out: Any) -> NDArray[np.int64]:
        return joined(out.flat_values, out.row_splits)

    inputs = (tf.constant(numbers.dense), tf.constant(numbers.lengths))
    return both_ways("tensorflow RaggedTensor.from_tensor", ragged, result, *inputs)


def mask(context: Context) -> Comparison:
    numbers = Numbers(context)
    splits, columns = torch.tensor(numbers.splits), torch.arange(WIDTH)
    call = partial(ours.operator("ragged_mask"), splits, WIDTH)
    contenders: peers.Contenders = [
        ours.contender(MASK, call, array_of),
        Contender("torch arange < diff", lambda: columns < splits.diff()[:, None], array_of),
        Contender(
            "numpy arange < diff", lambda: np.arange(WIDTH) < np.diff(numbers.splits)[:, None], np.asarray
        ),
        *tensorflow_mask(numbers),
    ]
    contenders += ours.memcpy(ours.num_bytes([splits, call()]))
    names = ("torch arange < diff", "numpy arange < diff", "tensorflow")
    title = numbers.title("Mask of the cells that hold numbers")
    return Comparison(title, contenders, [Target(MASK, n) for n in names], numbers.splits.nbytes)


@peers.needs("tensorflow")
def tensorflow_mask(numbers: Numbers) -> peers.Contenders:
    tf = peers.load("tensorflow")

    def of_splits(splits: Any) -> Any:
        return tf.sequence_mask(splits[1:] - splits[:-1], WIDTH)

    return both_ways("tensorflow sequence_mask", of_splits, array_of, tf.constant(numbers.splits))


ROWS = [
    Row("ragged_to_dense/W1", to_dense),
    Row("dense_to_ragged/W1", to_ragged),
    Row("ragged_mask/W1", mask),
]
