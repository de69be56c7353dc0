"""Python, NumPy and pandas."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.measure import Contender
from benchmarks.peers.base import Contenders, load, needs

HAS_STRING_DTYPE = hasattr(np.dtypes, "StringDType")


def python_split(corpus: Corpus, delimiter: str) -> Contenders:
    strings, separator = corpus.strings, delimiter or None
    return [Contender("Python", lambda: [s.split(separator) for s in strings], canonical.from_lists)]


def numpy_strings(corpus: Corpus) -> dict[str, Any]:
    """The corpus as an array of each of NumPy's string dtypes, by dtype."""
    kinds: dict[str, Any] = {"str_": np.array(corpus.strings)}
    if HAS_STRING_DTYPE:
        kinds["StringDType"] = np.array(corpus.strings, dtype=np.dtypes.StringDType())
    return kinds


def numpy_split(corpus: Corpus, delimiter: str) -> Contenders:
    """np.char.split, which returns Python lists. np.strings has no split."""
    separator = delimiter or None
    return [
        Contender(
            f"numpy char.split of {kind}",
            partial(np.char.split, array, separator),
            canonical.from_lists,
            group="numpy",
        )
        for kind, array in numpy_strings(corpus).items()
    ]


@needs("pandas", "pyarrow")
def pandas_split(corpus: Corpus, delimiter: str) -> Contenders:
    separator = delimiter or None
    return [
        Contender(
            f"pandas str.split of {kind}",
            partial(series.str.split, separator),
            lambda out: canonical.from_lists(out.tolist()),
            group="pandas",
        )
        for kind, series in pandas_strings(corpus).items()
    ]


def pandas_strings(corpus: Corpus) -> dict[str, Any]:
    """The corpus as a Series of each of pandas' string dtypes, by dtype."""
    series, strings = load("pandas").Series, corpus.strings
    return {name: series(strings, dtype=dtype) for name, dtype in pandas_dtypes().items()}


def pandas_dtypes() -> dict[str, Any]:
    pd = load("pandas")
    dtypes: dict[str, Any] = {"object": object, "ArrowDtype": pd.ArrowDtype(load("pyarrow").string())}
    if int(pd.__version__.partition(".")[0]) >= 3:
        dtypes["str"] = "str"
    return dtypes
