"""The calls whose allocations fail in allocation.py: each case of the tables of tests of conversions, and calls of the
functions of `_convert` that these do not reach.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np
import torch
from interop import test_arrow, test_arrow_export, test_lists, test_lists_out, test_numpy
from support.arrow import Encoded, Producer, Streaming, utf8
from support.cases import cases_of
from support.subword_small import LINES
from support.subword_small import tokenizer as small_tokenizer

from torch_stringops import StringTensor, Vocabulary, _convert, _counting, _native
from torch_stringops.data import StringColumn
from torch_stringops.data.columns.lines import find_lines

Thunk = Callable[[], Any]


def nothing_wrong() -> str:
    return ""


@dataclass
class Case:
    name: str
    variant: str
    # Prepares a call; allocations of the preparation do not fail.
    make: Callable[[], Thunk]
    # Checks the state after a call; returns what is wrong, or "".
    after: Callable[[], str] = nothing_wrong
    # Whether the allocations of the process's first call fail.
    cold: bool = False


TESTS: dict[str, list[Callable[..., None]]] = {
    "from_list": [test_lists.test_shapes_by_hand, test_lists.test_errors],
    "to_list": [
        test_lists_out.test_to_list_reads_any_valid_pair,
        test_lists_out.test_error_handlers_equal_those_of_decode,
        test_lists_out.test_errors_of_invalid_utf8_do_not_show_the_string,
    ],
    "numpy": [test_numpy.test_shapes_and_strides_by_hand, test_numpy.test_errors, test_numpy.test_to_numpy_by_hand],
    "from_arrow": [
        test_arrow.test_layouts_by_hand,
        test_arrow.test_missing_strings_are_named_or_filled,
        test_arrow.test_damaged_structures_are_rejected_and_released,
        test_arrow.test_other_types_are_rejected,
        test_arrow.test_stream_without_chunks_is_empty,
    ],
    "to_arrow": [
        test_arrow_export.test_export_shares_and_releases_memory,
        test_arrow_export.test_invalid_utf8_is_not_exported_as_text,
        test_arrow_export.test_only_rank_1_is_exported,
    ],
}
READ_BY_LAYOUT = ("from_list", "to_list")  # with str objects read in place, and by Python's API only


def with_layout(enable: bool, thunk: Thunk) -> Thunk:
    _convert.uses_layout(enable)
    return thunk


def releases() -> str:
    """Structures that a consumer has taken must be released once. (Others belong to the producer.)"""
    made, Producer.alive[:] = list(Producer.alive), []
    for producer in made:
        arrays, streams = producer.released.count("array"), producer.released.count("stream")
        if arrays > producer.made or streams > 1:
            return f"released too often: {producer.released}, of {producer.made} arrays"
        if isinstance(producer, Streaming) and producer.made and (arrays != producer.made or streams != 1):
            return f"not released: {producer.released}, of {producer.made} arrays"
    return ""


def cases_of_tests() -> Iterator[Case]:
    for name, tests in TESTS.items():
        for enable in (True, False) if name in READ_BY_LAYOUT else (True,):
            for test in tests:
                for number, case in enumerate(cases_of(test)):
                    variant = f"{test.__name__}, case {number}{'' if enable else ', by the API'}"
                    yield Case(name, variant, partial(with_layout, enable, case), after=releases)


def send(strings: StringTensor) -> list[Any]:
    """As a worker of a DataLoader does: a small tensor is sent as bytes."""
    return list(pickle.loads(ForkingPickler.dumps(strings)).tolist())


def calls() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Functions that give what `_convert` gives for valid arguments."""
    strings = StringTensor.from_list(["", "a", "some more ASCII than a few bytes", "café", "ĀĂ€", "😀 and others 😀"])
    variable = np.array(["a", "caf\xe9", "x" * 100], dtype=np.dtypes.StringDType())
    text = torch.frombuffer(bytearray(b"to\nbe\r\nor\rnot"), dtype=torch.uint8)
    column = StringColumn([strings, strings[2:]])
    streams = partial(Streaming, b"u", utf8(b"a", b"", b"somewhat longer"), 3)
    words = partial(Producer, b"u", utf8(b"a", b"b", b"c"), 3)
    yield "strings of NumPy", lambda: StringTensor.from_numpy(variable).tolist()
    yield "an Arrow stream", lambda: StringTensor.from_arrow(streams(chunks=3)).tolist()
    yield "an Arrow stream of one chunk", lambda: StringTensor.from_arrow(streams()).tolist()
    yield "an Arrow dictionary", lambda: StringTensor.from_arrow(Encoded(words(), [2, 0, 0], chunks=2)).tolist()
    yield "a requested schema", lambda: strings.__arrow_c_array__(strings.__arrow_c_schema__())
    yield "lists and strings", lambda: list(_counting._chunks(iter(["a", ["b", "\xe9"], (b"c",)]), "test"))
    yield "to another process", lambda: send(strings)
    yield "compact", lambda: strings[2:5].contiguous()
    yield "lines", lambda: find_lines(text, True, 100)
    yield "rows of a column", lambda: column[torch.tensor([0, -1])].tolist()
    yield "an index of ints", lambda: strings[[3, 0, 3]].tolist()
    yield "rows of another length", lambda: strings.reshape(2, 3)[:, :2].reshape(-1).tolist()
    # Without memory it may not find the layout; then the API is used.
    yield "the layout", lambda: isinstance(_convert.uses_layout(True), bool)
    yield "the tier", _native.simd_tier


TOKENS = [f"word{i}" + "_" * (i % 40) for i in range(60)]


def vocabulary_cases() -> Iterator[Case]:
    def built(tokens: list[str]) -> None:
        assert Vocabulary(tokens, unknown_token=tokens[0]).encode([*tokens, "another"]).tolist()[-2:] == [59, 0]

    def unpickled(pickled: bytes) -> None:
        assert torch.load(io.BytesIO(pickled), weights_only=False).encode(TOKENS).tolist() == [*range(60)]

    strings, file = StringTensor.from_list(TOKENS * 3), io.BytesIO()
    full, old = Vocabulary(TOKENS), ["old", *TOKENS[:3]]
    loading = Vocabulary(old)
    torch.save(full, file)

    def reload() -> Thunk:
        loading.load_state_dict(Vocabulary(old).state_dict())
        return partial(loading.load_state_dict, full.state_dict())

    def is_whole() -> str:
        want = {len(old): [len(old)] * 2, len(TOKENS): [4, 5]}
        got = loading.encode(TOKENS[4:6]).tolist()
        return "" if got == want.get(len(loading)) else f"of {len(loading)} tokens, gives {got}"

    yield Case("Vocabulary", "built", lambda: partial(built, TOKENS))
    yield Case("Vocabulary", "counted", lambda: lambda: Vocabulary.from_strings(strings).counts)
    yield Case("Vocabulary", "loaded", reload, after=is_whole)
    yield Case("Vocabulary", "unpickled", lambda: partial(unpickled, file.getvalue()))


def tokenizer_cases() -> Iterator[Case]:
    """One text at a time, by the functions themselves: those of SubwordTokenizer and DecodeStream hold on to them. And
    readers of files."""
    tokenizer = small_tokenizer()
    table, opened = tokenizer._table, tokenizer._open()
    text = LINES[0] + " é\x00" * 20
    ids = tokenizer.encode_text(text)
    rows = torch.tensor(ids[:3])
    vocab, pieces = b'{"a long token with an escape \\n": 1}', b'[["a long piece of a Unigram model", -1.5]]'
    merges, token = b'["a b", ["a long token of a merge", "b"], 1]', b"QUJDREVGR0hJSktMTU5PUFFSU1RVVg=="
    tokens = b'[{"rank": 0, "token_bytes": "%s"}]' % token
    streams = _convert.new_streams
    arguments: dict[str, Callable[[], tuple[Any, ...]]] = {
        "open_tokenizer": lambda: (_native.library_path(), table, table.data_ptr(), table.numel()),
        "encode_text": lambda: (opened, table, text),
        "decode_ids": lambda: (opened, table, ids, True),
        "new_streams": lambda: (3, True, True),
        "stream_step": lambda: (streams(1, True, True), opened, table, ids[0]),
        "stream_steps": lambda: (streams(3, True, True), opened, table, rows.data_ptr(), 3),
        "reset_stream": lambda: (streams(3, True, True), 1, 0, 0),
        "json_cut": lambda: (b'{"model": {"vocab": {}, "merges": []}}',),
        "json_vocabulary": lambda: (vocab, 0, len(vocab)),
        "json_pieces": lambda: (pieces, 0, len(pieces)),
        "json_merges": lambda: (merges, 0, len(merges)),
        "json_tokens": lambda: (tokens, 0, len(tokens), 1),
        "sentencepiece_pieces": lambda: (
            b"\x0a\x1a\x0a\x18a long piece of 24 bytes.\x12\x14\x1a\x12a long other field",
        ),
    }
    for name, make in arguments.items():
        # Looked up when it is called, by functions_without_case too.
        yield Case(name, "", lambda n=name, m=make: partial(lambda f, a: getattr(_convert, f)(*a), n, m()))


def all_cases() -> list[Case]:
    # First the case that needs the first call of the library.
    cases = [Case("simd_tiers", "the first call", lambda: _native.simd_tiers, cold=True)]
    for variant, call in calls():
        want = call()
        cases.append(Case("calls", variant, lambda c=call, w=want: partial(equals, c, w), after=releases))
    return [*cases, *cases_of_tests(), *vocabulary_cases(), *tokenizer_cases()]


def equals(call: Callable[[], Any], want: Any) -> None:
    got = call()
    assert isinstance(want, tuple | StringTensor) or str(got) == str(want), f"expected {want}, got {got}"


def functions_without_case(cases: list[Case]) -> set[str]:
    """Functions of `_convert` that no case calls."""
    plain = {name: f for name, f in vars(_convert).items() if callable(f) and not name.startswith("_")}
    called = set()

    def recording(name: str, *args: Any) -> Any:
        called.add(name)
        return plain[name](*args)

    try:
        for name in plain:
            setattr(_convert, name, partial(recording, name))
        for case in cases:
            if case.cold:
                continue
            try:
                case.make()()
            except Exception:
                continue
    finally:
        for name, function in plain.items():
            setattr(_convert, name, function)
    return plain.keys() - called
