"""Each argument of each public function, method and operator with a value of the wrong type or far out of range: an
error of a known type and of less than 1 KB, or a valid result."""

import inspect
import math
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from support.registry import OVERLOADS, suites
from support.subword_small import tokenizer
from support.subword_tables import TABLES

import torch_stringops as so
from torch_stringops import StringTensor, SubwordTokenizer, Vocabulary, VocabularyBuilder, data, nn

LIMIT = 1024
ALLOWED = (LookupError, TypeError, ValueError, IndexError, RuntimeError, OverflowError)
# Other errors that Python raises, or torch (about devices and batches).
ALSO: dict[tuple[str, str], tuple[type[Exception], ...]] = {
    ("Vocabulary.__getitem__", "key"): (KeyError,),
    ("StringTensor.cuda", "device"): (AssertionError,),
    ("collate_strings", "batch"): (KeyError,),
}
# Arguments for which Python raises errors that name the file.
PATHS = {"path", "paths", "source", "folder", "vocabulary", "name_or_path"}
LONG = 10**6
WRONG: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "int": lambda: 1,
    "float": lambda: 1.5,
    "nan": lambda: math.nan,
    "2**62": lambda: 2**62,
    "2**64": lambda: 2**64,
    "-2**64": lambda: -(2**64),
    "10**5000": lambda: 10**5000,
    "object": object,
    "long bytes": lambda: b"x" * LONG,
    "long str": lambda: "x" * LONG,
    "long str with a lone surrogate": lambda: "\ud800" + "x" * LONG,
    "list of ints": lambda: list(range(10**4)),  # each may be a split position
    "list of long strs": lambda: ["\ud800" + "x" * LONG, "x" * LONG],
    "dict": lambda: {"x" * LONG: "x" * LONG},
    "Tensor": lambda: torch.zeros(2, dtype=torch.complex64),
    "StringTensor": lambda: TOKENS,
    "single StringTensor": lambda: TOKENS[0],
    "list of StringTensors": lambda: [TOKENS, TOKENS[0]],
}

WORDS = Path(__file__)
TOKEN_FOLDER = tempfile.TemporaryDirectory()
TOKENS = StringTensor.from_list(["to", "be", "or", "not"])
MATRIX = StringTensor.from_list([["to", "be"], ["or", "not"]])
data.write_tokens(TOKENS, tokenizer(), TOKEN_FOLDER.name, eos_id=0, progress=False)


def token_dataset() -> data.TokenDataset:
    return data.TokenDataset(TOKEN_FOLDER.name)


# Values of arguments without a default, by name.
VALID: dict[str, Callable[[], Any]] = {
    "self": lambda: MATRIX,
    "input": lambda: TOKENS,
    "values": lambda: torch.arange(4),
    "row_splits": lambda: torch.tensor([0, 2, 4]),
    "dense": lambda: torch.arange(4).reshape(2, 2),
    "table": lambda: so.vocab_build(TOKENS),
    "other": lambda: MATRIX,
    "begins": lambda: torch.tensor([0, 1]),
    "ends": lambda: torch.tensor([1, 2]),
    "symbols": lambda: torch.tensor([97, 98], dtype=torch.uint8),
    "data": lambda: TOKENS.data,
    "offsets": lambda: TOKENS.offsets,
    "tokens": lambda: TOKENS,
    "tensors": lambda: [TOKENS, TOKENS],
    "tier": so.simd_tier,
    "ids": lambda: torch.tensor([0, 1]),
    "mask": lambda: torch.tensor([True, False]),
    "condition": lambda: torch.tensor([True, False]),
    "index": lambda: torch.tensor([[0, 1]]),
    "indices": lambda: torch.tensor([[0, 1]]),
    "indices_or_sections": lambda: 2,
    "column": lambda: TOKENS,
    "array": TOKENS.numpy,
    "batch": lambda: ["to", "be"],
    "dim": lambda: 0,
    "dim0": lambda: 0,
    "dim1": lambda: 1,
    "dims": lambda: [1, 0],
    "sizes": lambda: [2, 2],
    "shape": lambda: [2, 2],
    "repeats": lambda: [1, 2],
    "split_sizes": lambda: [1, 1],
    "shifts": lambda: 1,
    "source": lambda: 0,
    "folder": lambda: TOKEN_FOLDER.name,
    "dataset": token_dataset,
    "sources": lambda: [([1, 2], 1)],
    "mask_id": lambda: 1,
    "sentinel_ids": lambda: [1],
    "name_or_path": lambda: 0,
    "text": lambda: "to",
    "texts": lambda: TOKENS,
    "tokenizer": tokenizer,
    "destination": lambda: 1,
    "start": lambda: 0,
    "length": lambda: 1,
    "chunks": lambda: 2,
    "key": lambda: "to",
    "token": lambda: "to",
    "value": lambda: "to",
    "path": lambda: Path(__file__).parent / "no_such_folder" / "words.txt",
    "width": lambda: 5,
    "sub": lambda: "o",
    "sep": lambda: "o",
    "delimiter": lambda: "o",
    "template": lambda: "{}",
    "old": lambda: "o",
    "new": lambda: "0",
    "prefix": lambda: "t",
    "suffix": lambda: "e",
    "form": lambda: "NFC",
    "pattern": lambda: "(o)",
    "patterns": lambda: ["o", "be"],
    "replacements": lambda: "0",
    "rewrite": lambda: "0",
    "counts": lambda: 2,
    "n": lambda: 2,
    "min": lambda: 1,
    "max": lambda: 2,
    "max_length": lambda: 1,
    "num_ids": lambda: 3,
    "rows": lambda: [(torch.arange(4), torch.tensor([0, 2, 4]))],
    "num_buckets": lambda: 7,
    "num_hashes": lambda: 2,
    "ngram": lambda: 2,
    "max_gram_length": lambda: 2,
    "max_skip_count": lambda: 0,
    "min_gram_length": lambda: 1,
    "mode": lambda: "TFIDF",
    "ngram_counts": lambda: [0],
    "ngram_indexes": lambda: [0, 1],
    "test_elements": lambda: TOKENS,
    "k": lambda: 2,
    "boundaries": lambda: TOKENS.sort().values,
    "strings": lambda: TOKENS,
    "size": lambda: [2],
    "fill_value": lambda: "to",
    "pad": lambda: [1, 1],
    "src": lambda: "to",
    "pieces": lambda: TOKENS,
    "numbers": lambda: torch.empty(0, 3, dtype=torch.int64),
    "paths": lambda: WORDS,
    "text_pair": lambda: TOKENS,
    "columns": lambda: TOKENS,
    "ranks": lambda: {bytes([byte]): byte for byte in range(256)},
    "id": lambda: 1,
    "num_bins": lambda: 3,
    "vocabulary": lambda: ["to", "be"],
    "epoch": lambda: 1,
    "state": data.StreamingDataset(WORDS, batch_size=2).state_dict,
    "function": lambda: StringTensor.lower,
    "lengths": lambda: torch.arange(4),
    "batch_size": lambda: 2,
    "spec": lambda: "subword 1\nmodel bpe",
}
VALID_FOR = {
    ("string_translate", "table"): {"o": None},
    ("StringTensor.translate", "table"): {"o": None},
    ("string_edit_distance", "other"): TOKENS,
    ("StringColumn.count", "function"): lambda s: s.contains("o"),
    ("StringColumn.filter", "function"): lambda s: s.contains("o"),
    ("write_tokens", "source"): TOKENS,
    ("write_tokens", "eos_id"): 0,
    ("TokenDataset.__getitem__", "index"): 1,
    ("TokenDataset.__getitems__", "indices"): [0, 1],
    ("write_tokens", "progress"): False,
    ("Pack.load_state_dict", "state"): data.Pack(token_dataset(), 2, 1).state_dict(),
    ("Mix.load_state_dict", "state"): data.Mix([([1, 2], 1)]).state_dict(),
    ("string_damerau", "other"): TOKENS,
    ("string_ratio", "other"): TOKENS,
    ("string_jaro_winkler", "other"): TOKENS,
    ("string_jaccard", "other"): TOKENS,
    ("string_cdist", "other"): TOKENS,
    ("string_less", "other"): TOKENS,
    ("string_less_equal", "other"): TOKENS,
    ("string_greater", "other"): TOKENS,
    ("string_greater_equal", "other"): TOKENS,
    ("broadcast_tensors", "tensors"): TOKENS,
    ("string_minimum", "other"): TOKENS,
    ("string_maximum", "other"): TOKENS,
    ("string_searchsorted", "values"): TOKENS,
    ("StringTensor.searchsorted", "values"): MATRIX,
    ("string_to_number", "input"): StringTensor.from_list(["1", "2"]),
    ("string_unhex", "input"): StringTensor.from_list(["6162"]),
    ("string_unbase64", "input"): StringTensor.from_list(["YWJj"]),
    ("string_from_bytes", "data"): torch.tensor([97, 98, 99, 100], dtype=torch.uint8),
    ("string_from_number", "input"): torch.arange(4),
    ("string_from_datetime", "input"): torch.arange(4),
    ("datetime_fields", "input"): torch.arange(4),
    ("json_extract", "input"): StringTensor.from_list(["[1]", "[]"]),
    ("json_extract", "path"): "$[0]",
    ("StringTensor.json_extract", "path"): "$[0]",
    ("json_fields", "input"): StringTensor.from_list(["[1]", "[]"]),
    ("json_fields", "fields"): {"a": "$[0]"},
    ("StringTensor.json_fields", "fields"): {"a": "$[0]"},
    ("string_to_datetime", "input"): StringTensor.from_list(["2024-02-29", "1970-01-01"]),
    ("tokenize_encode", "tokenexp"): "[a-z]+",
    ("Vocabulary.tokenize_encode", "tokenexp"): "[a-z]+",
    ("tfidf_vectorizer", "pool_strings"): TOKENS[:2],
    ("string_siphash", "key"): (1, 2),
    ("StringTensor.siphash", "key"): (1, 2),
    ("string_ngrams_ragged", "input"): TOKENS,
    ("ragged_count", "ids"): torch.arange(4),
    ("string_searchsorted", "input"): TOKENS.sort().values,
    ("tokenizer", "tokenexp"): "[a-z]+",
    ("tokenizer_ragged", "tokenexp"): "[a-z]+",
    ("split", "num_outputs"): 2,
    ("split_to_sequence", "input"): torch.arange(4),
    ("Vocabulary.from_strings", "input"): TOKENS,
    ("StringTensor.select", "index"): 0,
    ("StringTensor.index_select", "index"): torch.tensor([0, 1]),
    ("StringTensor.unflatten", "sizes"): [1, 2],
    ("StringTensor.cuda", "device"): "cpu",
    ("StringTensor.from_list", "values"): ["to", "be"],
    ("as_strings", "values"): ["to", "be"],
    ("where", "input"): MATRIX,
    ("as_ragged", "values"): pa.array([["to", "be"], []]),
    ("StringTensor", "offsets"): TOKENS.offsets,
    ("ColumnDataset.from_table", "table"): {"text": ["to", "be"]},
    ("Vocabulary.from_file", "pad_token"): None,
    ("Vocabulary.from_file", "unknown_token"): None,
    ("StringTensor.repeat_interleave", "repeats"): 2,
    ("string_equal", "other"): TOKENS,
    ("subword_encode", "table"): TABLES["gpt2"],
    ("subword_encode_spans", "table"): TABLES["gpt2"],
    ("subword_encode_pairs", "table"): TABLES["gpt2"],
    ("subword_encode_pairs", "other"): TOKENS,
    ("subword_decode", "table"): TABLES["gpt2"],
    ("subword_decode", "row_splits"): torch.tensor([0, 1, 2]),
    ("Vocabulary.from_file", "path"): WORDS.parents[1] / "golden" / "split.jsonl",
    ("StringLookup.adapt", "data"): TOKENS,
    ("TextVectorization.adapt", "data"): TOKENS,
    **{
        (f"SubwordTokenizer.{name}", "source"): WORDS.parent / "no_such_file.json"
        for name in ("from_file", "from_wordpiece", "from_sentencepiece")
    },
    ("SubwordTokenizer.from_pretrained", "name_or_path"): WORDS.parent / "no_such_folder",
}

# The public classes, each with an object and the class of torch whose methods it inherits.
CLASSES: dict[type, tuple[Any, type]] = {
    StringTensor: (MATRIX, object),
    Vocabulary: (Vocabulary(TOKENS), torch.nn.Module),
    VocabularyBuilder: (VocabularyBuilder(), object),
    SubwordTokenizer: (tokenizer(), torch.nn.Module),
    so.DecodeStream: (so.DecodeStream(tokenizer()), object),
    nn.BM25: (nn.BM25().fit(TOKENS), torch.nn.Module),
    nn.CountVectorizer: (nn.CountVectorizer().fit(TOKENS), torch.nn.Module),
    nn.HashingVectorizer: (nn.HashingVectorizer(), torch.nn.Module),
    nn.TfidfVectorizer: (nn.TfidfVectorizer().fit(TOKENS), torch.nn.Module),
    nn.Hashing: (nn.Hashing(3), torch.nn.Module),
    nn.Normalize: (nn.Normalize(), torch.nn.Module),
    nn.StringLookup: (nn.StringLookup(vocabulary=["to", "be"]), torch.nn.Module),
    nn.TextVectorization: (nn.TextVectorization(vocabulary=["to", "be"]), torch.nn.Module),
    data.CollateText: (data.CollateText(tokenizer()), object),
    data.CollateMaskedLM: (data.CollateMaskedLM(tokenizer(), 1), object),
    data.CollateSpanCorruption: (data.CollateSpanCorruption(tokenizer(), [1]), object),
    data.StringColumn: (data.StringColumn([TOKENS]), object),
    data.ColumnDataset: (data.ColumnDataset(TOKENS), torch.utils.data.Dataset),
    data.BucketBatchSampler: (
        data.BucketBatchSampler(torch.arange(4), batch_size=2),
        torch.utils.data.Sampler,
    ),
    data.Manifest: (data.Manifest(WORDS), object),
    data.TokenDataset: (token_dataset(), torch.utils.data.Dataset),
    data.Pack: (data.Pack(token_dataset(), 2, 1), torch.utils.data.IterableDataset),
    data.Mix: (data.Mix([([1, 2], 1)]), torch.utils.data.IterableDataset),
    data.StreamingDataset: (data.StreamingDataset(WORDS, batch_size=2), torch.utils.data.IterableDataset),
}


def test_all_public_classes_are_checked():
    public = {v for module in (so, nn, data) for v in vars(module).values() if isinstance(v, type)}
    assert {kind for kind in public if kind.__module__.startswith("torch_stringops.")} == CLASSES.keys()


# Receivers of methods that a matrix does not have.
RECEIVERS = {
    "StringTensor.item": TOKENS[0],
    "StringTensor.normalizer": TOKENS,
    "StringTensor.__arrow_c_array__": TOKENS,
    "StringLookup.adapt": nn.StringLookup(),
    "TextVectorization.adapt": nn.TextVectorization(),
    "StringTensor.to_number": StringTensor.from_list(["1", "2"]),
    "StringTensor.json_extract": StringTensor.from_list(["[1]", "[]"]),
    "StringTensor.json_fields": StringTensor.from_list(["[1]", "[]"]),
    "StringTensor.to_datetime": StringTensor.from_list(["2024-02-29"]),
    "StringTensor.unhex": StringTensor.from_list(["6162"]),
    "StringTensor.unbase64": StringTensor.from_list(["YWJj"]),
    "StringTensor.searchsorted": MATRIX.sort().values,
}
# These fail with any arguments: there is no assignment, no device, no folder and no file.
NEVER = {
    "StringTensor.__setitem__",
    "StringTensor.pin_memory",
    *("load", "read_arrow", "read_csv", "read_jsonl", "read_parquet", "save"),
    *("Vocabulary.save", "VocabularyBuilder.load", "VocabularyBuilder.merge", "VocabularyBuilder.save"),
    *(
        f"SubwordTokenizer.{n}"
        for n in [
            *("from_file", "from_pretrained", "from_sentencepiece", "from_tiktoken", "from_wordpiece"),
            *("load", "save"),
        ]
    ),
}


@dataclass
class Subject:
    """A callable, the arguments of a call that works, and the arguments to try, by index or name."""

    name: str
    function: Callable[..., Any]
    args: list[Any]
    kwargs: dict[str, Any]
    tried: dict[int | str, str]  # each with the name of its parameter

    @property
    def errors_name(self) -> str:
        """The name at the beginning of errors: of objects that are made or called, that of the class."""
        name = self.name.removeprefix("stringops::").removesuffix(".__init__").removesuffix(".forward")
        return name.partition(".")[0] if self.name.startswith("stringops::") else name


def subject(name: str, function: Callable[..., Any], *receiver: Any) -> Subject:
    made = Subject(name, function, [*receiver], {}, {})
    parameters = list(inspect.signature(function).parameters.values())
    for parameter in parameters[len(receiver) :]:
        value = parameter.default
        if parameter.kind is parameter.VAR_KEYWORD or parameter.name == "args":
            continue
        if (name, parameter.name) in VALID_FOR:
            value = VALID_FOR[name, parameter.name]
        elif value is parameter.empty:
            assert parameter.name in VALID, f"{name}: give VALID a value for {parameter.name}"
            value = VALID[parameter.name]()
        if parameter.kind is parameter.KEYWORD_ONLY:
            made.kwargs[parameter.name] = value
            made.tried[parameter.name] = parameter.name
        else:
            made.args.append(value)
            made.tried[len(made.args) - 1] = parameter.name
    return made


def methods(kind: type, receiver: Any, inherited: type) -> Iterator[Subject]:
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        if getattr(inherited, name, None) is getattr(kind, name, None) or (
            name.startswith("_") and name not in SPECIAL
        ):
            continue
        if isinstance(found, (staticmethod, classmethod)):
            yield subject(f"{kind.__name__}.{name}", getattr(kind, name))
        elif inspect.isfunction(found):
            full = f"{kind.__name__}.{name}"
            yield subject(full, found, RECEIVERS.get(full, receiver))


# Special methods whose arguments come from users; the others get objects made by Python or torch.
SPECIAL = (
    "__array__",
    "__arrow_c_array__",
    "__contains__",
    "__eq__",
    "__ne__",
    "__getitem__",
    "__getitems__",
    "__setitem__",
)


def subjects() -> Iterator[Subject]:
    for name in so.__all__:
        function = getattr(so, name)
        if inspect.isfunction(function) and name != "export":  # its arguments are those of torch.export
            yield subject(name, function)
    for name, function in vars(data).items():
        if inspect.isfunction(function):
            yield subject(name, function)
    for kind, (receiver, inherited) in CLASSES.items():
        if kind is not SubwordTokenizer:  # built by from_file and others
            yield subject(kind.__name__, kind)
        yield from methods(kind, receiver, inherited)
    for overload in OVERLOADS:
        op, _, name = overload.partition(".")
        suite = next(c.suite for c in suites(op) if c.suite.overload_name == (name or "default"))
        args, kwargs = suite.tensors(suite.samples[0])
        arguments = suite.overload._schema.arguments
        tried: dict[int | str, str] = {i: arguments[i].name for i in range(len(args))}
        tried |= {a.name: a.name for a in arguments if a.kwarg_only}
        yield Subject(f"stringops::{overload}", suite.overload, list(args), dict(kwargs), tried)


SUBJECTS = {s.name: s for s in subjects()}
# Errors of torch's own checks of an operator's arguments, which quote the whole argument or are about dispatch.
TORCHS = (
    "Expected a value of type",
    "There were no tensor arguments to this function",
    "Exceeds the limit (4300",
)


def outcome(s: Subject, position: int | str, wrong: Any) -> Exception | None:
    args, kwargs = list(s.args), dict(s.kwargs)
    if isinstance(position, int):
        args[position] = wrong
    else:
        kwargs[position] = wrong
    try:
        result = s.function(*args, **kwargs)
    except Exception as error:
        return error
    for part in result if isinstance(result, tuple) else (result,):
        if isinstance(part, StringTensor):
            part.validate()
    return None


def complaint(s: Subject, position: int | str, error: Exception) -> str:
    """A description of what is wrong with an error, or ""."""
    parameter = (s.name, s.tried[position])
    if isinstance(error, ALSO.get(parameter, ())):
        return ""
    if not PATHS.isdisjoint(s.tried.values()) and isinstance(error, (OSError, UnicodeEncodeError)):
        return ""
    text = str(error)
    if not isinstance(error, ALLOWED) or isinstance(error, UnicodeError):
        return f"{type(error).__name__}: {text[:200]}"
    if s.name.startswith("stringops::_"):
        return ""  # named by the functions that call it
    if s.name.startswith("stringops::") and any(torchs in text[:200] for torchs in TORCHS):
        return ""
    if "CUDA error" in text:
        return ""  # of torch, on a machine with a GPU
    if len(text) >= LIMIT:
        return f"{len(text)} characters: {text[:200]}"
    named = text.removeprefix("'").startswith(tuple(f"{s.errors_name}{end}" for end in (": ", "()")))
    return "" if named and "torch.ops" not in text and "csrc/" not in text else f"another name: {text[:200]}"


@pytest.mark.parametrize("name", SUBJECTS)
def test_arguments_of_the_wrong_type(name: str):
    s = SUBJECTS[name]
    complaints = []
    for position, parameter in s.tried.items():
        for kind, make in WRONG.items():
            error = outcome(s, position, make())
            if error is not None and (text := complaint(s, position, error)):
                complaints.append(f"{parameter}, {kind}: {text}")
    assert not complaints, "\n".join(complaints).encode("ascii", "backslashreposition").decode()


def test_numbers_of_numpy_are_taken_where_those_of_python_are():
    tried, refused = 0, []
    for name in sorted(SUBJECTS.keys() - NEVER):
        s = SUBJECTS[name]
        for position, parameter in s.tried.items():
            if parameter == "color":  # a flag, for which an int is taken
                continue
            value = s.args[position] if isinstance(position, int) else s.kwargs.get(position)
            for number in (value,) if value is not None else (3, 1, 0.5):
                kind = {int: np.int16, float: np.float32}.get(type(number))
                if kind is None or abs(number) >= 2**15 or outcome(s, position, number) is not None:
                    continue
                error = outcome(s, position, kind(number))
                refused += [] if error is None else [f"{name}, {parameter}, {kind.__name__}: {error}"]
                tried += 1
    assert tried > 350
    assert not refused, "\n".join(refused)


@pytest.mark.parametrize("name", sorted(SUBJECTS.keys() - NEVER))
def test_default_arguments_of_the_test_are_valid(name: str):
    SUBJECTS[name].function(*SUBJECTS[name].args, **SUBJECTS[name].kwargs)
