"""Shapes without elements: every public function on strings gives the same shapes traced as eager."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from support.cases import each
from support.harness import OpSuite
from support.registry import PUBLIC, suites
from support.traced import Called
from torch._dynamo.testing import CompileCounterWithBackend
from torch.utils._pytree import tree_map

import torch_stringops
from torch_stringops import StringTensor

SHAPES = [(0,), (0, 3), (2, 0), (2,)]

SUITES = {c.suite.op: c.suite for op in PUBLIC for c in suites(op) if c.suite.string_pairs()}

# Of operators whose samples name the sizes of their input.
ANY_SIZE: dict[str, dict[str, Any]] = {
    "split": {"num_outputs": 1},
    "split_to_sequence": {},
    "string_repeat": {"counts": 2},
    "string_join_ragged": {"row_splits": torch.tensor([0, 0])},
    "string_ngrams_ragged": {"row_splits": torch.tensor([0, 0]), "n": [2]},
    "string_normalizer": {"case_change_action": "LOWER"},
    "subword_build": {"numbers": torch.empty(0, 3, dtype=torch.int64), "spec": "subword 1\nmodel bpe\n"},
    "tfidf_vectorizer": {
        "max_gram_length": 1,
        "max_skip_count": 0,
        "min_gram_length": 1,
        "mode": "TF",
        "ngram_counts": [0],
        "ngram_indexes": [0, 1],
        "pool_strings": ["a", "b"],
    },
}

MODES = ["compiled", "compiled dynamic", "exported"]


def traced(function: Callable[..., Any], mode: str, args: tuple[Any, ...]) -> Any:
    torch._dynamo.reset()
    if mode == "exported":
        return torch.export.export(Called(function), args).module()(*args)
    return torch.compile(function, backend="eager", fullgraph=True, dynamic="dynamic" in mode)(*args)


def call_of(suite: OpSuite, shape: tuple[int, ...]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A call of the public function: empty strings of `shape`, and the other arguments of the first sample."""
    function, sample = getattr(torch_stringops, suite.op), suite.samples[0]
    positions = [position for position, _ in suite.string_pairs()]
    offsets = torch.zeros([*shape[:-1], shape[-1] + 1], dtype=torch.int32)
    strings = tuple(StringTensor(torch.zeros(0, dtype=torch.uint8), offsets.clone()) for _ in positions)

    def call(*given: Any) -> Any:
        if suite.op in ANY_SIZE:
            return function(given[0], **ANY_SIZE[suite.op])
        args = list(sample.args)
        for position, s in zip(positions, given, strict=True):
            args[position] = s
        return function(*args, **sample.kwargs)

    return call, strings


def shapes(result: Any) -> Any:
    return tree_map(lambda t: (list(t.shape), t.dtype) if isinstance(t, torch.Tensor) else t, result)


def test_functions_are_found():
    assert {"tokenizer", "string_split", "vocab_encode", "string_equal"} <= set(SUITES)


@pytest.mark.check
@pytest.mark.parametrize("op", sorted(SUITES))
@pytest.mark.parametrize("mode", MODES)
def test_shapes_without_elements(op: str, mode: str):
    compared = 0
    for shape in SHAPES:
        function, strings = call_of(SUITES[op], shape)
        try:
            want = shapes(function(*strings))
        except (ValueError, RuntimeError, IndexError):
            continue
        try:
            got = traced(function, mode, strings)
        except Exception as error:
            raise AssertionError(f"{op} of strings {shape} is not {mode}") from error
        assert str(shapes(got)) == str(want), f"{op} of strings {shape}"
        compared += 1
    assert compared, "every call raised"


@pytest.mark.parametrize(("shape", "want"), [((3,), [3, 0]), ((0,), [0, 0]), ((2, 0), [2, 0, 0]), ((0, 3), [0, 3, 0])])
def test_an_exported_tokenizer_for_every_batch_keeps_its_rank(shape: tuple[int, ...], want: list[int]):
    def tokens(s: StringTensor) -> StringTensor:
        return torch_stringops.tokenizer(s, separators=[" "])

    like = StringTensor.from_list(["a b", "c"] if len(shape) == 1 else [["a b", "c"], ["d", ""]])
    program = torch_stringops.export(Called(tokens), (like,))
    offsets = torch.zeros([*shape[:-1], shape[-1] + 1], dtype=torch.int32)
    assert list(program.module()(StringTensor(like.data[:0], offsets)).shape) == want


S = torch_stringops.as_strings(["a-b-c-d e f g", "x-y", "hello"])
OTHER = torch_stringops.as_strings(["a-b-x-d e f g", "y", ""])
PIECES = torch_stringops.string_split_ragged(S, "-")
PATTERN = "(.)(.)(.)(.)(.)"
ROW, TABLE = S.repeat(4), S.repeat(8, 3)
# Functions of an int, which may differ in each call.
OF_INT: dict[str, Callable[[int], Any]] = {
    "char_ngrams": lambda k: torch_stringops.string_char_ngrams_ragged(S, k, k + 1),
    "damerau": lambda k: torch_stringops.string_damerau(S, OTHER, max_distance=k),
    "edit_distance": lambda k: S.edit_distance(OTHER, max_distance=k),
    "extract": lambda k: torch_stringops.regex_extract(S, PATTERN, group=k),
    "fill": lambda k: S.to_number(errors="fill", fill=k / 4),
    "find": lambda k: torch_stringops.regex_find(S, PATTERN, group=k),
    "find_all": lambda k: torch_stringops.regex_find_all_ragged(S, PATTERN, group=k),
    "find_all_spans": lambda k: torch_stringops.regex_find_all_spans_ragged(S, PATTERN, group=k),
    "format": lambda k: torch_stringops.string_format("{} of {}", S, k),
    "format_size": lambda k: torch_stringops.string_format("{}", torch.ones(k).shape[0]),
    "hash": lambda k: torch_stringops.string_hash(S, k),
    "hash_bucket": lambda k: S.hash_bucket(k, seed=k),
    "index": lambda k: S.repeat(2)[k],
    "index_of_rows": lambda k: S.repeat(6, 1)[k],
    "jaccard": lambda k: torch_stringops.string_jaccard(S, OTHER, k),
    "minhash": lambda k: torch_stringops.string_minhash(S, k, k, k),
    "murmur3": lambda k: torch_stringops.string_murmur3(S, k),
    "ngrams": lambda k: torch_stringops.string_ngrams_ragged(*PIECES, (1, k)),
    "padding": lambda k: torch_stringops.ragged_to_dense(torch.ones(3), [0, 1, 3], padding_value=k / 4),
    "regex_replace": lambda k: torch_stringops.regex_replace(S, "[a-c]", "+", count=k - 1),
    "replace": lambda k: S.replace("-", "+", k - 1),
    "rsplit": lambda k: S.rsplit_ragged("-", k - 1),
    "split": lambda k: torch_stringops.string_split(S, "-", k - 1),
    "split_ragged": lambda k: S.split_ragged("-", k - 1),
    "topk": lambda k: S.repeat(2).topk(k),
}
# Parts of strings by an int, as torch makes of numbers.
OF_INT |= {
    "[:k]": lambda k: ROW[:k],
    "[k:]": lambda k: ROW[k:],
    "[k:k + 3]": lambda k: ROW[k : k + 3],
    "[1:-k]": lambda k: ROW[1:-k],
    "[-k:]": lambda k: ROW[-k:],
    "[::k]": lambda k: ROW[::k],
    "[:k:2]": lambda k: ROW[:k:2],
    "[None, :k]": lambda k: ROW[None, :k],
    "[:k, None]": lambda k: ROW[:k, None],
    "[:k] of rows": lambda k: TABLE[:k],
    "[:, :k]": lambda k: TABLE[:, :k],
    "[:, -k:]": lambda k: TABLE[:, -k:],
    "[..., :k]": lambda k: TABLE[..., :k],
    "[:k, :k]": lambda k: TABLE[:k, :k],
    "narrow": lambda k: ROW.narrow(0, -k, 2),
    "select": lambda k: TABLE.select(1, k),
    "tensor_split": lambda k: ROW.tensor_split([k]),
    "tensor_split of columns": lambda k: TABLE.tensor_split([k], 1),
}


@pytest.mark.check
@each("name", OF_INT)
def test_an_int_that_varies_takes_two_graphs(name: str):
    """As in torch.topk: the first call makes a graph of its int, the second one a graph of any int."""
    torch._dynamo.reset()
    counter = CompileCounterWithBackend("inductor" if name in ("hash_bucket", "ngrams", "format") else "eager")
    compiled = torch.compile(OF_INT[name], backend=counter, fullgraph=True)

    def plain(results: Any) -> Any:
        return [t.tolist() for t in ([results] if hasattr(results, "shape") else results)]

    for k in (2, 3, 4, 5):
        assert plain(compiled(k)) == plain(OF_INT[name](k)), k
    assert counter.frame_count <= 2


def test_the_script_of_one_string_is_traced():
    compiled = torch.compile(lambda s: torch_stringops.string_script(s[1]), backend="eager", fullgraph=True)
    found = compiled(torch_stringops.as_strings(["a", "быть"]))
    assert (found.shape, found.item()) == ((), "Cyrillic")
