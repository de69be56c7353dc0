"""The calls whose allocations fail in allocation.py: functions of `_convert`, and vocabularies."""

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
from support.arrow import Encoded, Producer, Streaming, i32, i64, utf8, view
from support.subword_small import LINES
from support.subword_small import tokenizer as small_tokenizer
from torch import Tensor

from torch_stringops import StringTensor, Vocabulary, _convert, _counting, _native
from torch_stringops.data import StringColumn
from torch_stringops.data.lines import find_lines

Thunk = Callable[[], Any]


def nothing_wrong() -> str:
    return ""


@dataclass
class Case:
    # The conversion, and the variant of the call.
    name: str
    variant: str
    # Prepares call number i; allocations of the preparation do not count.
    make: Callable[[int], Thunk]
    # Checks the state after the calls; returns what is wrong, or "".
    after: Callable[[], str] = nothing_wrong
    # Whether the allocations of the process's first call fail.
    cold: bool = False


# Every kind of storage, long and short; and a subclass, whose layout is unknown.
class Word(str):
    pass


ASCII = ["", "a", "some more ASCII than a few bytes", "x" * 2000]
WIDE = ["é", "café à la crème", "ĀĂ€", "日本語の文字列", "😀", "😀 and others 😀"]
MIXED: list[Any] = [*ASCII, *WIDE, b"bytes", b"\xff", Word("a subclass"), Word("caf\xe9 au lait")]
LISTS: dict[str, Any] = {
    "one string": "caf\xe9",
    "a list": MIXED,
    "lists of tuples": [tuple(MIXED[:3]), tuple(MIXED[3:6])],
    "many": MIXED * 20,
    "a surrogate": [["a"], ["b\ud800"]],
    "no string": ["a", None],
    "lists of different sizes": [["a"], ["b", "c"]],
}
# Also strings that are too long to be decoded without the API.
DECODED: dict[str, Any] = {
    "one string": "caf\xe9",
    "a list": ASCII + WIDE,
    "a long one": ["é" * 20000, "x" * 20000],
    "lists of lists": [[WIDE[:3], WIDE[3:]], [WIDE[3:], WIDE[:3]]],
    "bytes that are not text": [["a"], [b"b\xff"]],
}


def with_layout(enable: bool, thunk: Thunk) -> Thunk:
    """The thunk, which runs with objects read in place, or with Python's API only."""
    _convert.uses_layout(enable)
    return thunk


def list_cases() -> Iterator[Case]:
    for enable, how in ((True, ""), (False, ", by the API")):
        for variant, values in LISTS.items():
            yield Case(
                "from_list",
                variant + how,
                lambda _, v=values, e=enable: with_layout(e, partial(StringTensor.from_list, v)),
            )
        for variant, values in DECODED.items():
            strings = StringTensor.from_list(values)
            for options in ({}, {"as_bytes": True}, {"errors": "replace"}):
                yield Case(
                    "to_list",
                    f"{variant}, {options}{how}",
                    lambda _, s=strings, o=options, e=enable: with_layout(e, partial(s.tolist, **o)),
                )
    # Without memory it may not find the layout; then the API is used.
    yield Case("uses_layout", "found again", lambda _: lambda: _convert.uses_layout(True) is None)
    texts = ["a", ["b", "\xe9"], (b"c",)]
    yield Case("gather_texts", "strings and lists", lambda _: lambda: list(_counting._chunks(iter(texts), "test")))


def numpy_cases() -> Iterator[Case]:
    text = np.array([["a", "caf\xe9", ""], ["日本", "😀", "more"]])
    arrays = {
        "text": text,
        "bytes": np.array([b"a", b"bcd"] * 100),
        "objects": np.array(["a", "é"], dtype=object),
        "a surrogate": np.array(["a\ud800"]),
    }
    for variant, array in arrays.items():
        yield Case("from_numpy", variant, lambda _, a=array: partial(StringTensor.from_numpy, a))
    if hasattr(np.dtypes, "StringDType"):
        variable = np.array(["a", "caf\xe9", "x" * 100], dtype=np.dtypes.StringDType())
        yield Case("from_numpy", "StringDType", lambda _: partial(StringTensor.from_numpy, variable))
    for dtype in ("O", "U"):
        yield Case("to_numpy", dtype, lambda _, d=dtype: partial(StringTensor.from_numpy(text).numpy, dtype=d))


WORDS = [b"a", b"", "café".encode(), b"somewhat longer than a view"]
OFFSETS = [0, 1, 1, 6, 33]
DATA = b"".join(WORDS)
VIEWS = [None, b"".join(view(w) if len(w) <= 12 else view(w, 0, 6) for w in WORDS), DATA, i64(len(DATA))]


def producers() -> dict[str, tuple[Callable[[], Any], dict[str, Any]]]:
    """Arrow columns, and the options to read them with."""
    many = {"null_count": 1}
    return {
        "utf8": (lambda: Producer(b"u", utf8(*WORDS), 4), {}),
        "large_utf8": (lambda: Producer(b"U", [None, i64(*OFFSETS), DATA], 4), {}),
        "views": (lambda: Producer(b"vu", VIEWS, 4), {}),
        "one is missing": (
            lambda: Producer(b"z", [b"\x0b", *utf8(*WORDS)[1:]], 4, **many),
            {"missing": "??"},
        ),
        "a missing one is rejected": (lambda: Producer(b"z", [b"\x0b", *utf8(*WORDS)[1:]], 4, **many), {}),
        "decreasing offsets": (lambda: Producer(b"u", [None, i32(0, 2, 1), b"abc"], 2), {}),
        "another type": (lambda: Producer(b"i", utf8(*WORDS), 4), {}),
        "a stream": (lambda: Streaming(b"u", utf8(*WORDS), 4, chunks=3), {}),
        "a stream of views": (lambda: Streaming(b"vu", VIEWS, 4, chunks=2), {}),
        "a stream of one chunk": (lambda: Streaming(b"u", utf8(*WORDS), 4), {}),
        "a stream that fails": (failing_stream, {}),
        "a dictionary": (lambda: Encoded(Producer(b"u", utf8(*WORDS), 4), [3, 0, 0], chunks=2), {}),
    }


def failing_stream() -> Streaming:
    made = Streaming(b"u", utf8(*WORDS), 4, chunks=3)
    made.fields_fails_after = 2
    return made


def releases() -> str:
    """Structures that a consumer has taken must be released once. (Others belong to the producer.)"""
    made, Producer.alive[:] = list(Producer.alive), []
    for producer in made:
        of = {name: producer.released.count(name) for name in ("array", "stream")}
        if of["array"] > producer.made or of["stream"] > 1:
            return f"released too often: {of}, of {producer.made} arrays"
        taken = isinstance(producer, Streaming) and producer.made
        if taken and (of["array"] != producer.made or of["stream"] != 1):
            return f"not released: {of}, of {producer.made} arrays"
    return ""


def read_column(producer: Any, options: dict[str, Any]) -> list[Any]:
    return list(StringTensor.from_arrow(producer, **options).tolist(as_bytes=True))


def export_and_import(strings: StringTensor) -> list[Any]:
    return list(StringTensor.from_arrow(strings).tolist())


def arrow_cases() -> Iterator[Case]:
    for variant, (produce, options) in producers().items():
        yield Case(
            "from_arrow",
            variant,
            lambda _, p=produce, o=options: partial(read_column, p(), o),
            after=releases,
        )
    strings = StringTensor.from_list(ASCII + WIDE)
    yield Case("to_arrow", "and back", lambda _: partial(export_and_import, strings))
    invalid = StringTensor.from_list([b"a\xff"])
    yield Case("to_arrow", "no text", lambda _: invalid.__arrow_c_array__)
    schema = StringTensor.__arrow_c_schema__
    yield Case("to_arrow", "to a schema", lambda _: partial(strings.__arrow_c_array__, schema(strings)))


def send(strings: StringTensor) -> list[Any]:
    """As a worker of a DataLoader does: a small tensor is sent as bytes."""
    return list(pickle.loads(ForkingPickler.dumps(strings)).tolist())


def tensor_cases() -> Iterator[Case]:
    strings = StringTensor.from_list(ASCII + WIDE)
    yield Case("to_process", "a small tensor", lambda _: partial(send, strings))
    yield Case("to_compact", "a slice", lambda _: strings[2:5].compact)
    text = torch.frombuffer(bytearray(b"to\nbe\r\nor\rnot"), dtype=torch.uint8)
    yield Case("line_ranges", "of a text", lambda _: lambda: find_lines(text, True, 100)[0].tolist())
    column = StringColumn([strings, strings[2:]])
    yield Case("column_gather", "of two chunks", lambda _: lambda: column[torch.tensor([0, -1])].tolist())
    yield Case("from_index", "a list of ints", lambda _: lambda: strings[[3, 0, 3]].tolist())


TOKENS = [f"word{i}" + "_" * (i % 40) for i in range(60)]


def build_and_encode(tokens: list[str]) -> Tensor:
    return Vocabulary(tokens, unknown_token=tokens[0]).encode([*tokens, "another"])


def load(vocabulary: Vocabulary, state: dict[str, Any]) -> Tensor:
    vocabulary.load_state_dict(state)
    return vocabulary.encode(TOKENS)


def unpickle(pickled: bytes) -> Tensor:
    return torch.load(io.BytesIO(pickled), weights_only=False).encode(TOKENS)  # type: ignore[no-any-return]


def vocabulary_cases() -> Iterator[Case]:
    yield Case("Vocabulary", "built", lambda _: partial(build_and_encode, TOKENS))
    strings = StringTensor.from_list(TOKENS * 3)
    yield Case("Vocabulary", "counted", lambda _: lambda: Vocabulary.from_strings(strings).counts)
    full, old = Vocabulary(TOKENS), ["old", *TOKENS[:3]]
    loading = Vocabulary(old)

    def reload(_: int) -> Thunk:
        loading.load_state_dict(Vocabulary(old).state_dict())
        return partial(load, loading, full.state_dict())

    def is_whole() -> str:
        want = {len(old): [len(old)] * 2, len(TOKENS): [4, 5]}
        got = loading.encode(TOKENS[4:6]).tolist()
        return "" if got == want.get(len(loading)) else f"of {len(loading)} tokens, gives {got}"

    yield Case("Vocabulary", "loaded", reload, after=is_whole)
    file = io.BytesIO()
    torch.save(full, file)
    yield Case("Vocabulary", "unpickled", lambda _: partial(unpickle, file.getvalue()))


def single_text_cases() -> Iterator[Case]:
    """One text at a time, by the functions themselves: those of SubwordTokenizer and DecodeStream hold on to them."""
    tokenizer = small_tokenizer()
    table, opened = tokenizer._table, tokenizer._open()
    path, address, size = _native.library_path(), table.data_ptr(), table.numel()
    text = LINES[0] + " é\x00" * 20
    ids = tokenizer.encode_text(text)
    rows = torch.tensor(ids[:3])

    def streams(count: int) -> Any:
        return _convert.new_streams(count, True, True)

    yield Case(
        "open_tokenizer",
        "",
        lambda _: lambda: _convert.open_tokenizer(path, table, address, size) is not None,
    )
    yield Case("encode_text", "", lambda _: lambda: _convert.encode_text(opened, table, text))
    yield Case("decode_ids", "", lambda _: lambda: _convert.decode_ids(opened, table, ids, True))
    yield Case("new_streams", "", lambda _: lambda: streams(3) is not None)
    yield Case("stream_step", "", lambda _: partial(_convert.stream_step, streams(1), opened, table, ids[0]))
    yield Case(
        "stream_steps",
        "",
        lambda _: partial(_convert.stream_steps, streams(3), opened, table, rows.data_ptr(), 3),
    )
    yield Case("reset_stream", "", lambda _: partial(_convert.reset_stream, streams(3), 1, 0, 0))


def reader_cases() -> Iterator[Case]:
    """Files of subword tokenizers."""
    texts = {
        "json_cut": b'{"model": {"vocab": {}, "merges": []}}',
        "json_vocabulary": b'{"a long token with an escape \\n": 1}',
        "json_pieces": b'[["a long piece of a Unigram model", -1.5]]',
        "json_merges": b'["a b", ["a long token of a merge", "b"], 1]',
        "json_tokens": b'[{"rank": 0, "token_bytes": "QUJDREVGR0hJSktMTU5PUFFSU1RVVg=="}]',
        "rank_lines": b"QUJDREVGR0hJSktMTU5PUFFSU1RVVg== 1\n",
        "sentencepiece_pieces": b"\x0a\x1a\x0a\x18a long piece of 24 bytes.\x12\x14\x1a\x12a long other field",
    }

    def call(name: str) -> Any:
        text = texts[name]
        place = () if name in ("json_cut", "rank_lines", "sentencepiece_pieces") else (0, len(text))
        return getattr(_convert, name)(text, *place, *([1] if name == "json_tokens" else []))

    for name in texts:
        yield Case(name, "", lambda _, name=name: partial(call, name))


def library_cases() -> Iterator[Case]:
    yield Case("simd_tiers", "the first call", lambda _: _native.simd_tiers, cold=True)
    yield Case("simd_tier", "", lambda _: _native.simd_tier)


def all_cases() -> list[Case]:
    # First the cases that need the first call of the library.
    makers = (
        library_cases, list_cases, numpy_cases, arrow_cases, tensor_cases, vocabulary_cases, single_text_cases,
        reader_cases,
    )  # fmt: skip
    return [case for cases in makers for case in cases()]


def functions_without_case(cases: list[Case]) -> set[str]:
    """Functions of `_convert` that no case calls."""
    functions = {name for name in vars(_convert) if callable(getattr(_convert, name)) and not name.startswith("_")}
    plain = {name: getattr(_convert, name) for name in functions}
    called = set()

    def recording(name: str, *args: Any) -> Any:
        called.add(name)
        return plain[name](*args)

    try:
        for name in functions:
            setattr(_convert, name, partial(recording, name))
        for case in cases:
            if case.cold:
                continue
            try:
                case.make(0)()
            except Exception:
                continue
    finally:
        for name, function in plain.items():
            setattr(_convert, name, function)
    return functions - called
