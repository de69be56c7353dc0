"""pandas: Series of each of its string dtypes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow

from benchmarks.corpora import Corpus
from benchmarks.inputs import DATETIME_FIELDS

DTYPES: dict[str, Any] = {"ArrowDtype": pd.ArrowDtype(pyarrow.string())}
if int(pd.__version__.partition(".")[0]) >= 3:
    DTYPES["str"] = "str"
ALL: dict[str, Any] = {"object": object, **DTYPES}


def of_each(call: Callable[..., Any], dtypes: dict[str, Any] = ALL) -> Callable[..., dict[str, Callable[[], Any]]]:
    """The call on a Series of each dtype; the strings of others are of the same."""

    def make(*values: Any) -> dict[str, Callable[[], Any]]:
        return {
            kind: partial(call, *(pd.Series(v.strings, dtype=dtype) if isinstance(v, Corpus) else v for v in values))
            for kind, dtype in dtypes.items()
        }

    return make


def encode(tokens: Corpus, words: Corpus) -> dict[str, Callable[[], Any]]:
    return {
        kind: partial(
            pd.Index(pd.Series(words.strings, dtype=dtype)).get_indexer,
            pd.Series(tokens.strings, dtype=dtype),
        )
        for kind, dtype in ALL.items()
    }


def fields(times: Any) -> Callable[[], list[Any]]:
    accessor = pd.Series(times.astype("datetime64[s]")).dt
    return lambda: [getattr(accessor, name) for name in DATETIME_FIELDS]


CALLS: dict[str, Any] = {"from_list": {kind: partial(pd.Series, dtype=dtype) for kind, dtype in DTYPES.items()}}
MADE: dict[str, Any] = {
    "string_equal": of_each(lambda s, other: s == (other.iloc[0] if len(other) == 1 else other)),
    "string_split_ragged": of_each(lambda s, delimiter: s.str.split(delimiter or None)),
    "string_unique": of_each(lambda s: s.factorize()),
    "to_list": of_each(lambda s: s.tolist(), DTYPES),
    "string_to_datetime": lambda corpus, format, unit: partial(
        pd.to_datetime, pd.Series(corpus.strings), format=format
    ),
    "datetime_fields": fields,
    "vocab_encode": encode,
}
READS: dict[str, Any] = {
    "from_list": lambda out: out.tolist(),
    "string_equal": lambda out: np.asarray(out, dtype=bool),
    "string_split_ragged": lambda out: out.tolist(),
    "string_unique": lambda out: (out[1].tolist(), np.bincount(out[0])),
    "string_to_datetime": lambda out: out.to_numpy().astype("datetime64[s]").astype(np.int64),
    "datetime_fields": lambda columns: np.stack([np.asarray(c, dtype=np.int64) for c in columns]),
}
