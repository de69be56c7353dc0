"""NumPy: arrays of its string dtypes, and of numbers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.inputs import WIDTH

DTYPES: dict[str, Any] = {"str_": str}
if hasattr(np.dtypes, "StringDType"):
    DTYPES["StringDType"] = np.dtypes.StringDType()


def numbers(array: Any) -> Any:
    return array


def of_each(call: Callable[..., Any]) -> Callable[..., dict[str, Callable[[], Any]]]:
    """The call on an array of each dtype."""

    def make(*corpora: Any) -> dict[str, Callable[[], Any]]:
        return {
            kind: partial(call, *(np.array(c.strings, dtype=dtype) if isinstance(c, Corpus) else c for c in corpora))
            for kind, dtype in DTYPES.items()
        }

    return make


def ngrams(values: Any, splits: Any, n: int) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(values, n)
    within = np.ones(len(values), dtype=bool)
    within[splits[1:] - 1] = False
    return windows[within[:-1]], np.concatenate([[0], np.cumsum(np.maximum(np.diff(splits) - 1, 0))])


def to_dense(values: Any, splits: Any, width: int) -> Any:
    out = np.zeros((len(splits) - 1, width), dtype=np.int64)
    out[np.arange(width) < np.diff(splits)[:, None]] = values
    return out


def to_ragged(dense: Any, lengths: Any) -> Any:
    return dense[np.arange(WIDTH) < lengths[:, None]], np.concatenate([[0], np.cumsum(lengths)])


CALLS: dict[str, Any] = {
    "ragged_ngrams": ngrams,
    "ragged_to_dense": to_dense,
    "dense_to_ragged": to_ragged,
    "ragged_mask": lambda splits, width: np.arange(width) < np.diff(splits)[:, None],
    "from_list": partial(np.array, dtype=DTYPES.get("StringDType", str)),
}
MADE: dict[str, Any] = {
    "string_equal": of_each(lambda a, b: a == b),
    "string_unique": of_each(partial(np.unique, return_inverse=True, return_counts=True)),
    "string_split_ragged": of_each(lambda a, delimiter: np.char.split(a, delimiter or None)),
    "to_list": of_each(lambda a: a.tolist()),
}
READS: dict[str, Any] = {
    "string_split_ragged": lambda out: out.tolist(),
    "string_unique": lambda out: (out[0], out[2]),
    "ragged_ngrams": lambda out: canonical.from_ids(*out),
    "dense_to_ragged": lambda out: canonical.from_ids(*out),
}
