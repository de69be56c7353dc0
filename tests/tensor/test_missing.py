"""A missing string is a ValueError of every function on strings, with a hint whose call succeeds."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from support.cases import each

import torch_stringops
from torch_stringops import StringTensor, Vocabulary, VocabularyBuilder, as_ragged, as_strings
from torch_stringops.data import ColumnDataset, StringColumn, collate_strings
from torch_stringops.nn import Hashing, Normalize, StringLookup, TextVectorization

TABLE = torch_stringops.vocab_build(["a", "b"])
# A valid value of each required parameter that is not strings.
GIVEN: dict[str, Any] = {
    "width": 3, "counts": 2, "start": 0, "prefix": "a", "suffix": "a", "form": "NFC", "num_buckets": 5,
    "num_hashes": 2, "ngram": 2, "key": [1, 2], "min": 1, "max": 2, "n": 2, "k": 1, "sep": "1", "delimiter": "1",
    "row_splits": torch.tensor([0, 2]), "pattern": "(.)", "rewrite": "-", "old": "a", "new": "b", "table": TABLE,
    "max_gram_length": 1, "max_skip_count": 0, "min_gram_length": 1, "mode": "TF", "ngram_counts": [0],
    "ngram_indexes": [0],
}  # fmt: skip
STRINGS = ("input", "other", "sub", "test", "values")
# Functions whose first parameter is not strings, or which subword tables are for.
OTHER = (
    "string_from_number", "string_from_datetime", "datetime_fields", "string_from_codepoints", "as_strings",
    "as_ragged", "split", "split_to_sequence",
)  # fmt: skip


def containers() -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {
        "list": lambda: ["1111", None],
        "tuple": lambda: ("1111", None),
        "NaN": lambda: ["1111", float("nan")],
        "object": lambda: np.array(["1111", None], dtype=object),
        "masked": lambda: np.ma.array(["1111", "1122"], mask=[False, True]),
        "StringDType": lambda: np.array(["1111", None], dtype=np.dtypes.StringDType(na_object=None)),
    }

    def pandas(kind: str) -> Any:
        pd = pytest.importorskip("pandas")
        makers = {
            "list of NA": lambda: ["1111", pd.NA],
            "Series": lambda: pd.Series(["1111", None], name="t"),
            "Series of objects": lambda: pd.Series(["1111", None], dtype=object),
            "Categorical": lambda: pd.Series(["1111", None], dtype="category"),
            "Index": lambda: pd.Index(["1111", None]),
        }
        return makers[kind]()

    for kind in ("list of NA", "Series", "Series of objects", "Categorical", "Index"):
        found[f"pandas {kind}"] = lambda kind=kind: pandas(kind)  # type: ignore[misc]
    found["pyarrow"] = lambda: pytest.importorskip("pyarrow").array(["1111", None])
    found["pyarrow chunks"] = lambda: pytest.importorskip("pyarrow").chunked_array([["1111"], [None]])
    found["pyarrow dictionary"] = lambda: pytest.importorskip("pyarrow").array(["1111", None]).dictionary_encode()
    found["polars"] = lambda: pytest.importorskip("polars").Series(["1111", None])
    found["datasets"] = lambda: pytest.importorskip("datasets").Dataset.from_dict({"text": ["1111", None]})["text"]
    return found


CONTAINERS = containers()


def public_calls() -> Iterator[tuple[str, str, Callable[[Any], Any], Callable[[Any], Any] | None]]:
    """The name, the parameter, the call with a value, and the call with a value and `missing="?"` if it exists."""
    for name in torch_stringops.__all__:
        function = getattr(torch_stringops, name)
        if not inspect.isfunction(function) or name in OTHER or name.startswith("subword_"):
            continue
        required = [
            p.name for p in inspect.signature(function).parameters.values() if p.default is inspect.Parameter.empty
        ]
        if not required or required[0] != "input":
            continue
        fixed = {p: GIVEN.get(p, ["1111", "1122"]) for p in required}
        fixed |= {"tokenexp": "."} if "tokenize" in name else {}
        fixed |= {"path": "$"} if name == "json_extract" else {}
        fixed |= {"table": {"1": "x"}} if name == "string_translate" else {}
        fixed |= {"fields": {"a": "$"}} if name == "json_fields" else {}
        fixed |= {"format": "%M%S"} if name == "string_to_datetime" else {}
        fixed |= {"pool_strings": ["a"]} if name == "tfidf_vectorizer" else {}
        for parameter in required:
            if parameter in STRINGS:

                def call(value: Any, function: Any = function, fixed: Any = fixed, p: str = parameter) -> Any:
                    return function(**{**fixed, p: value})

                yield name, parameter, call, None
    vocabulary = Vocabulary(["a", "b"])
    lookup, vectorize = StringLookup(vocabulary=["a"]), TextVectorization(vocabulary=["a"])
    modules = [Hashing(3), Normalize(), lookup, vectorize, vocabulary, vocabulary.split_encode]
    for module in modules:
        yield getattr(module, "__name__", type(module).__name__), "input", module, None
    yield "Vocabulary", "tokens", Vocabulary, None
    yield "set_vocabulary", "vocabulary", lookup.set_vocabulary, None
    yield "StringColumn", "chunks[0]", lambda value: StringColumn([value]), None
    yield "ColumnDataset", "column", lambda value: ColumnDataset(text=value), None
    for name, function in (
        ("as_strings", as_strings),
        ("Vocabulary.from_strings", Vocabulary.from_strings),
        ("VocabularyBuilder.add", VocabularyBuilder().add),
        ("StringLookup.adapt", StringLookup().adapt),
        ("TextVectorization.adapt", TextVectorization().adapt),
    ):
        yield name, "", function, lambda value, f=function: f(value, missing="1133")  # type: ignore[misc]


CALLS = {f"{name} {parameter}".strip(): call for name, parameter, *call in public_calls()}


def test_all_functions_are_called():
    assert len(CALLS) > 90
    for valid, _ in CALLS.values():
        valid(StringTensor.from_list(["1111", "1122"]))


@each("container", CONTAINERS)
def test_the_hint_of_a_missing_string_can_be_followed(container: str):
    given = CONTAINERS[container]()
    any_of = ("string_startswith sub", "string_endswith sub")  # a tuple is not strings one by one, but any of them
    for name, (call, with_missing) in CALLS.items():
        if container == "tuple" and name in any_of:
            continue
        with pytest.raises(ValueError, match="expected no missing strings, got one at") as error:
            call(given)
        text = str(error.value)
        if with_missing is not None:
            assert text.endswith("(pass missing= to replace it)"), name
            with_missing(given)
        else:
            hint = re.search(r"\(pass torch_stringops\.as_strings\((\S+), missing=\.\.\.\)\)$", text)
            assert hint is not None, (name, text)
            assert hint[1] == name.split()[-1], (name, text)
            call(as_strings(given, missing="1133"))


def test_missing_strings_of_iterables():
    for data in (["a", None, "b"], [None, "a"], [["a", None], ["b", "c"]]):
        for name in ("Vocabulary.from_strings", "VocabularyBuilder.add", "StringLookup.adapt"):
            call, with_missing = CALLS[name]
            with pytest.raises(ValueError, match=r"expected no missing strings.*\(pass missing= to replace it\)$"):
                call(iter(data))
            with_missing(iter(data))  # type: ignore[misc]
    assert Vocabulary.from_strings(iter([None, "a"]), missing="?", pad_token=None).tokens.tolist() == [
        "<unk>",
        "?",
        "a",
    ]
    lookup = StringLookup()
    lookup.adapt(iter(["a", float("nan"), None]), missing="?")
    assert lookup.get_vocabulary() == ["[UNK]", "?", "a"]


def test_missing_strings_of_samples_and_lists():
    with pytest.raises(ValueError, match=r"collate_strings: .* at \[1\] \(pass torch_stringops.as_strings\(samples, "):
        collate_strings(["a", None])
    with pytest.raises(ValueError, match=r"got one at \[1\] \(pass torch_stringops.as_strings\(other, missing="):
        StringTensor.from_list(["a", "b"]) == ["a", None]  # noqa: B015
    with pytest.raises(TypeError, match=r"expected a list at \[1\], as at \[0\], got NoneType$"):
        as_strings([["a"], None])


def test_columns_of_lists_are_rejected_before_their_missing_strings():
    """`as_ragged` makes ragged rows of them, which the functions do not take."""
    pa = pytest.importorskip("pyarrow")
    for column in (pa.array([["a"], None]), pa.array([["a", None]]), pa.array([["a"], ["b", "c"]])):
        with pytest.raises(TypeError, match=r"expected strings, got a column of lists \(strings, row_splits = "):
            torch_stringops.string_upper(column)


def test_missing_strings_while_tracing():
    def model(t: torch.Tensor) -> torch.Tensor:
        return t + torch_stringops.string_length(["a", None])

    with pytest.raises(Exception, match="expected no missing strings"):
        torch.compile(model, fullgraph=True, backend="eager")(torch.zeros(2))


# Columns without any string, which Arrow gives the type null.
EMPTY = {
    "pandas": lambda: pd.Series([], dtype=object),
    "polars": lambda: pl.Series("a", []),
    "pyarrow": lambda: pa.array([]),
    "chunks": lambda: pa.chunked_array([pa.nulls(0), pa.nulls(0)]),
}
MISSING = {
    "pandas": lambda: pd.Series([None, None], dtype=object),
    "NaN": lambda: pd.Series([np.nan, None], dtype=object),
    "polars": lambda: pl.Series("a", [None, None]),
    "pyarrow": lambda: pa.nulls(2),
    "slice": lambda: pa.nulls(5).slice(3),
    "chunks": lambda: pa.chunked_array([pa.nulls(1), pa.nulls(0), pa.nulls(1)]),
}
LISTS = {
    "pandas": lambda: pd.Series([[], None]),
    "polars": lambda: pl.Series("a", [[], None]),
    "pyarrow": lambda: pa.array([[], None]),
}


@pytest.mark.parametrize("source", EMPTY)
def test_a_column_without_rows(source):
    assert as_strings(EMPTY[source]()).tolist() == []


@pytest.mark.parametrize("source", MISSING)
def test_a_column_of_missing_strings(source):
    assert as_strings(MISSING[source](), missing="?").tolist() == ["?", "?"]
    with pytest.raises(ValueError, match=r"^as_strings: (column 'a': )?expected no missing strings, got one at \[0\]"):
        as_strings(MISSING[source]())


@pytest.mark.parametrize("source", LISTS)
def test_lists_without_strings(source):
    strings, row_splits = as_ragged(LISTS[source](), missing="?")
    assert (strings.tolist(), row_splits.tolist()) == ([], [0, 0, 0])


def test_lists_of_missing_strings():
    strings, row_splits = as_ragged(pa.array([[None], [None, None]]), missing="?")
    assert (strings.tolist(), row_splits.tolist()) == (["?"] * 3, [0, 1, 3])
    with pytest.raises(ValueError, match=r"^as_ragged: expected no missing strings, got one at \[0\]"):
        as_ragged(pa.array([[None]]))
