"""Results of strings that overlap: 4,096 views of the same megabyte, of which every operator would make gigabytes.

Each operator of the registry that takes strings rejects the call in bounded memory and time, or is listed here with the
reason why its result is not that large. Run by limits.py.
"""

from __future__ import annotations

import ctypes
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from support import large
from support.families import ReduceSuite, ZipSuite
from support.harness import Call, OpSuite
from support.limited import run_limited
from support.registry import all_suites

from torch_stringops import _native

TEXT = (b"to be, or not to be 12 a-b " * 40_000)[: 2**20]
# The result is rejected by its size, with a hint.
TOO_LARGE = r"(the result (needs|has)|.*padding).*(2147483647|\d{10}).*\((split the batch|pass fewer or shorter strings|use \w+)\)$"
# Operators whose count is known only after the work reach the limit in minutes: the short form lowers it.
SHORT_LIMIT = 2**24
MAX_SECONDS = 20.0

ONE_EACH = "one value for each string"
RANK_1 = "takes strings of rank 1, which do not overlap"
DISTINCT = "distinct strings only, and one value for each string"
OWN_CALLS = "needs other arguments that fit; its suite has the calls that are rejected"
NOT_GROWING = {
    "_check_strings": "returns no strings",
    "_regex_extract_groups": "parts of each string, which are short in this check",
    "_string_masked_select": "rejected_methods has indexing by masks",
    "_string_unique_sorted": DISTINCT, "_string_where": "rejected_methods has torch.where",
    "_strings_to_dense": OWN_CALLS,
    "regex_extract": "a part of each string, which is short in this check",
    "string_argsort": ONE_EACH, "string_isin": ONE_EACH, "string_extract_many": OWN_CALLS,
    "string_join_ragged": RANK_1, "string_ngrams_ragged": RANK_1,
    "string_normalizer": "takes one row, whose strings do not overlap",
    "string_replace_many": OWN_CALLS, "string_searchsorted": ONE_EACH, "string_unique": DISTINCT,
    "subword_build": RANK_1,
    "tfidf_vectorizer.strings": "`num_outputs` numbers for each row",
    "vocab_build": RANK_1, "vocab_encode": ONE_EACH,
}  # fmt: skip


def set_limit(limit: int) -> None:
    """Results of strings that overlap may have so many bytes or elements."""
    _native._c.stringops_set_overlap_limit(ctypes.c_int64(limit))


def calls_of_views(rows: int) -> Iterator[tuple[OpSuite, Callable[[], Any]]]:
    strings = large.same_rows(TEXT, rows)
    for suite in all_suites().values():
        pairs = {position for position, _ in suite.string_pairs()}
        if not pairs or isinstance(suite, ReduceSuite | ZipSuite):
            continue  # no strings, or one value for each
        small = suite.small_call()
        args = tuple(strings if i in pairs else a for i, a in enumerate(small.args))
        tensors, kwargs = suite.tensors(Call(args, small.kwargs))
        yield suite, partial(suite.overload, *tensors, **kwargs)


def check(short: bool) -> int:
    wrong, began, names = [], time.monotonic(), set()
    set_limit(SHORT_LIMIT if short else large.MAX_SIZE)
    for suite, call in calls_of_views(4096 if short else 2**15):
        names.add(suite.name)
        outcome, seconds = run_limited(call)
        name = re.escape(suite.name_in_errors or suite.op)
        rejected = re.match(rf"(ValueError|RuntimeError): {name}: {TOO_LARGE}", outcome)
        if outcome.startswith("MemoryError") or bool(rejected) == (suite.name in NOT_GROWING):
            wrong.append(f"  {suite.name}: {outcome[:200]!r}")
        if short and seconds > MAX_SECONDS:
            wrong.append(f"  {suite.name}: {seconds:.1f} s")
    set_limit(large.MAX_SIZE)
    wrong += [f"  {name}: listed as not growing, but not called" for name in NOT_GROWING.keys() - names]
    print(f"  {len(names)} operators in {time.monotonic() - began:.1f} s, {len(wrong)} wrong", flush=True)
    print("".join(line + "\n" for line in wrong), end="", flush=True)
    return len(wrong)
