"""Libraries of subword tokenizers, on the strings of a corpus: ids of the same tokenizer.json, ranks or .model file.

Their caches of words stay between calls, and the text is the same each time, so these are their best figures; those of
"first call" have a tokenizer that was just loaded.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.canonical import Ragged
from benchmarks.corpora import Corpus
from benchmarks.measure import Contender, Skipped
from benchmarks.peers.base import THREADS, Contenders, load, needs


def from_arrays(ids: Any, row_splits: Any) -> Ragged:
    """Rows of ids as pieces of eight bytes."""
    data = np.asarray(ids).astype(np.int64).view(np.uint8)
    return Ragged(data, np.full(len(ids), 8), np.diff(np.asarray(row_splits).astype(np.int64)))


def from_lists(rows: Any) -> Ragged:
    sizes = [len(row) for row in rows]
    ids = np.fromiter((id for row in rows for id in row), np.int64, sum(sizes))
    return from_arrays(ids, np.cumsum([0, *sizes]))


def from_encodings(rows: Any) -> Ragged:
    return from_lists([row.ids for row in rows])


def from_awkward(rows: Any) -> Ragged:
    content = load("awkward").to_numpy(load("awkward").flatten(rows))
    return from_arrays(content, np.cumsum([0, *load("awkward").num(rows).tolist()]))


def loaded(name: str, make: Callable[[], Contenders]) -> Contenders:
    """Skips a peer that rejects the file."""
    try:
        return make()
    except Exception as error:
        reason = " ".join(str(error).split())
        return [Skipped(name, f"does not load the file ({reason[:90]})")]


@needs("tokenizers")
def tokenizers_ids(tokenizer: Any, text: Corpus, calls: int = 1) -> Contenders:
    batch = partial(tokenizer.encode_batch_fast, text.strings, add_special_tokens=False)
    return [Contender("tokenizers", batch, from_encodings, calls=calls)]


@needs("tiktoken")
def tiktoken_ids(ranks: dict[bytes, int], pattern: str, text: Corpus, calls: int = 1) -> Contenders:
    encoding = load("tiktoken").Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    encode = encoding.encode_ordinary

    def encode_all() -> list[list[int]]:
        return [encode(string) for string in text.strings]

    return [Contender("tiktoken", encode_all, from_lists, calls=calls)]


@needs("gigatoken", "awkward")
def gigatoken_ids(file: str | bytes, text: Corpus, calls: int = 1, first: bool = True) -> Contenders:
    def open_file() -> Any:
        library = load("gigatoken").Tokenizer
        return library.from_json(file) if isinstance(file, str) else library.from_sentencepiece(file)

    def make() -> Contenders:
        encode = partial(open_file().encode_batch, parallel=THREADS > 1)
        fresh = Contender(
            "gigatoken, first call",
            lambda tokenizer: tokenizer.encode_batch(text.encoded, parallel=THREADS > 1),
            from_awkward,
            prepare=open_file,
            max_rounds=5,
        )
        warm = Contender("gigatoken", partial(encode, text.encoded), from_awkward, calls=calls)
        return [warm, fresh] if first else [warm]

    return loaded("gigatoken", make)


@needs("fastokens")
def fastokens_ids(file: str, text: Corpus, calls: int = 1) -> Contenders:
    def canonical(out: tuple[bytes, bytes]) -> Ragged:
        return from_arrays(np.frombuffer(out[0], np.uint32), np.frombuffer(out[1], np.uint64))

    def make() -> Contenders:
        encode = load("fastokens").Tokenizer.from_json_str(file).encode_batch_flat
        return [Contender("fastokens", partial(encode, text.strings), canonical, calls=calls)]

    return loaded("fastokens", make)


@needs("tokie")
def tokie_ids(file: str, text: Corpus, calls: int = 1) -> Contenders:
    def make() -> Contenders:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tokenizer.json"
            path.write_text(file, encoding="utf-8")
            tokenizer = load("tokie").Tokenizer.from_json(str(path))
        batch = partial(tokenizer.encode_batch, text.strings, add_special_tokens=False)
        one_list = Contender("tokie encode_batch", batch, from_encodings, group="tokie", calls=calls)
        if calls > 1:
            return [one_list]
        with tempfile.NamedTemporaryFile(delete=False) as strings:
            strings.write(b"\xff".join(text.encoded))  # no byte of UTF-8
        files = partial(tokenizer.encode_files, [strings.name], b"\xff", False)
        of_file = Contender("tokie encode_files", files, lambda out: from_arrays(*out), group="tokie")
        return [one_list, of_file]

    return loaded("tokie", make)


def fastokens_encode(file: str) -> Callable[[str], list[int]]:
    encode = load("fastokens").Tokenizer.from_json_str(file).encode
    return lambda text: encode(text, False).ids  # type: ignore[no-any-return]


def tokie_encode(file: str) -> Callable[[str], list[int]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        path.write_text(file, encoding="utf-8")
        encode = load("tokie").Tokenizer.from_json(str(path)).encode
    return lambda text: encode(text, add_special_tokens=False).ids  # type: ignore[no-any-return]


@needs("kitoken")
def kitoken_ids(file: str | bytes, text: Corpus, calls: int = 1) -> Contenders:
    def make() -> Contenders:
        library = load("kitoken").Kitoken
        one = (
            library.from_tokenizers(file.encode())
            if isinstance(file, str)
            else library.from_sentencepiece(file)
        )
        return [Contender("kitoken", partial(one.encode_all, text.strings), from_lists, calls=calls)]

    return loaded("kitoken", make)


@needs("quicktok")
def quicktok_ids(file: str, text: Corpus, calls: int = 1) -> Contenders:
    def make() -> Contenders:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tokenizer.json"
            path.write_text(file, encoding="utf-8")
            load("quicktok").import_tokenizer(str(path), "own", folder)
            one = load("quicktok").Tokenizer("own", folder)
        encode = partial(one.encode_batch, text.strings, THREADS)
        return [Contender("quicktok", encode, lambda out: from_arrays(*out), calls=calls)]

    return loaded("quicktok", make)


@needs("sentencepiece")
def sentencepiece_ids(model: bytes, text: Corpus) -> Contenders:
    processor = load("sentencepiece").SentencePieceProcessor(model_proto=model)
    encode = partial(processor.encode, text.strings, num_threads=THREADS)
    return [Contender("sentencepiece", encode, from_lists)]
