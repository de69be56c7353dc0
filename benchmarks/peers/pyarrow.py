"""pyarrow: arrays of `utf8`, whose layout is that of a StringTensor."""

import itertools
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks import canonical, inputs
from benchmarks.corpora import Corpus
from benchmarks.peers import THREADS

pa.set_cpu_count(THREADS)
pa.set_io_thread_count(THREADS)


def strings(corpus: Corpus) -> Any:
    """Has the padding of pyarrow's buffers, since utf8_split_whitespace reads past the last byte."""
    data = pa.py_buffer(np.concatenate([corpus.data, np.zeros(64, np.uint8)])).slice(0, len(corpus.data))
    return pa.Array.from_buffers(pa.string(), len(corpus), [None, pa.py_buffer(corpus.offsets), data])


def numbers(array: Any) -> Any:
    return pa.array(array)


def named_groups(pattern: str) -> str:
    """The pattern with names for its groups, which pyarrow needs: g1, g2."""
    number = itertools.count(1)
    return re.sub(r"\((?!\?)", lambda _: f"(?P<g{next(number)}>", pattern)


def group(array: Any, pattern: str, number: int) -> Any:
    return pc.extract_regex(array, named_groups(pattern)).field(f"g{number}")


def equal(corpus: Corpus, other: Corpus) -> Callable[[], Any]:
    against = strings(other)
    return partial(pc.equal, strings(corpus), against[0] if len(other) == 1 else against)


def in_parts(corpus: Corpus, count: int, size: int) -> Callable[[], Any]:
    parts = [pa.array(part, pa.utf8()) for part in inputs.parts(corpus.strings, count, size)]
    return lambda: pa.concat_arrays(parts)


def join(corpus: Corpus, between: str) -> Callable[[], Any]:
    return partial(pc.binary_join, pa.array([s.split() for s in corpus.strings]), between)


def split_encode(corpus: Corpus, words: Corpus) -> Callable[[], Any]:
    array, known = strings(corpus), strings(words)

    def call() -> tuple[Any, Any]:
        pieces = pc.ascii_split_whitespace(array)
        return pc.index_in(pieces.values, value_set=known), pieces.offsets

    return call


def split(corpus: Corpus, delimiter: str, maxsplit: int = -1) -> dict[str, Any]:
    """At white space it returns empty pieces at the ends, which are not compared."""
    array, limit = strings(corpus), {} if maxsplit < 0 else {"max_splits": maxsplit}
    if delimiter:
        return {"": partial(pc.split_pattern, array, delimiter, **limit)}
    calls = {"ascii": pc.ascii_split_whitespace, "utf8": pc.utf8_split_whitespace}
    return {
        way: (partial(call, array, **limit), lambda out: canonical.from_arrow(out).without_empty())
        for way, call in calls.items()
    }


def sorted_unique(array: Any) -> Any:
    unique = array.unique()
    return unique.take(pc.sort_indices(unique))


NUMBERS = {"int64": "int64", "float32": "float", "float64": "double"}
CALLS: dict[str, Any] = {
    **{f"string_{name}": getattr(pc, f"utf8_{name}") for name in ("lower", "upper", "title", "capitalize", "swapcase")},
    **{
        f"string_is_{name}": getattr(pc, f"utf8_is_{name}")
        for name in ("alpha", "alnum", "digit", "space", "upper", "lower")
    },
    "string_is_ascii": pc.string_is_ascii,
    "string_length": pc.utf8_length,
    "string_find": lambda a, word, *_: pc.find_substring(a, word),
    "string_contains": pc.match_substring,
    "string_contains, ignore_case": lambda a, word: pc.match_substring(a, word, ignore_case=True),
    "string_count": pc.count_substring,
    "string_startswith": pc.starts_with,
    "string_endswith": pc.ends_with,
    "string_replace": pc.replace_substring,
    "string_strip": lambda a, chars: pc.utf8_trim_whitespace(a) if chars is None else pc.utf8_trim(a, chars),
    "string_normalize": pc.utf8_normalize,
    "string_concat": lambda a, between: pc.binary_join_element_wise(a, a, between),
    "string_repeat": pc.binary_repeat,
    "string_rjust": pc.utf8_lpad,
    "string_ljust": pc.utf8_rpad,
    "string_center": pc.utf8_center,
    "string_zfill": pc.utf8_zero_fill,
    "string_slice": pc.utf8_slice_codeunits,
    "string_reverse": pc.utf8_reverse,
    "string_less": pc.less,
    "string_argsort": pc.sort_indices,
    "string_min": lambda a: pc.min_max(a)["min"],
    "string_isin": lambda a, test: pc.is_in(a, value_set=test),
    "string_unique": {
        "dictionary_encode, no counts": lambda a: a.dictionary_encode(),
        "value_counts, no inverse": lambda a: a.value_counts(),
    },
    "unique, sorted": sorted_unique,
    "string_to_number": lambda a, dtype: pc.cast(a, NUMBERS[str(dtype).removeprefix("torch.")]),
    "string_from_number": lambda values: pc.cast(values, "string"),
    "string_to_datetime": lambda a, format, unit: pc.strptime(a, format=format, unit=unit),
    "regex_contains": pc.match_substring_regex,
    "regex_full_match": lambda a, pattern: pc.match_substring_regex(a, f"^(?:{pattern})$"),
    "regex_replace": pc.replace_substring_regex,
    "regex_extract": group,
    "_regex_extract_groups": lambda a, pattern, _: pc.extract_regex(a, named_groups(pattern)),
    "regex_count": pc.count_substring_regex,
    "regex_split_ragged": pc.split_pattern_regex,
    "vocab_encode": lambda a, words: pc.index_in(a, value_set=words),
    "x[i]": lambda a, index: (a.filter if index.type == pa.bool_() else a.take)(index),
    "where": lambda a, b, mask: pc.if_else(mask, a, b),
    "to_list": lambda a: a.to_pylist(),
    "from_list": pa.array,
    "from_numpy": pa.array,
    "from_arrow": lambda a: a.cast(pa.utf8()),
}
MADE: dict[str, Any] = {
    "string_equal": equal,
    "==": equal,
    "string_join_ragged": join,
    "string_split_ragged": split,
    "string_from_datetime": lambda times, format, unit: partial(
        pc.strftime, pa.array(times.astype(f"datetime64[{unit}]")), format=format
    ),
    "split_encode": split_encode,
    "cat": in_parts,
    "stack": in_parts,
}


def ids(out: Any) -> Any:
    return out.fill_null(-1)


def read_unique(out: Any) -> Any:
    if hasattr(out, "dictionary"):
        return out.dictionary, np.bincount(out.indices.to_numpy())
    return out.field("values"), out.field("counts").to_numpy()


READS: dict[str, Any] = {
    "string_to_datetime": lambda out: out.cast("int64"),
    "_regex_extract_groups": lambda out: canonical.joined(out.flatten()),
    "vocab_encode": ids,
    "split_encode": lambda out: canonical.from_ids(ids(out[0]).to_numpy(), out[1].to_numpy()),
    "string_unique": read_unique,
}
CASES = "it maps characters one by one"
DIFFERS = {
    "string_split_ragged": "its ways differ in white space beyond ASCII",
    "string_from_number": "it writes whole numbers and exponents differently from Python's repr",
    "split_encode": "it cuts at ASCII white space only",
    **dict.fromkeys(("string_upper", "string_title", "string_capitalize", "string_swapcase", "string_lower"), CASES),
    **{
        f"string_is_{name}": "its version of Unicode is another"
        for name in ("alpha", "alnum", "digit", "space", "upper", "lower")
    },
}
