"""Text to files of token ids, and the number of tokens of a text."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import torch

from torch_stringops._checks import check_choice, check_int
from torch_stringops._names import named
from torch_stringops._types import ShardFormat, StringsLike, TokenDtype
from torch_stringops.data.columns.column import StringColumn
from torch_stringops.pretrain.token_plan import Json, Plan, pieces, shard_ranges
from torch_stringops.pretrain.token_shards import FORMATS
from torch_stringops.string_tensor import StringTensor
from torch_stringops.subword.tokenizer import SubwordTokenizer

_OP = "write_tokens"
# Writes the shards of a plan whose record is None, and compares the others; yields the number and record of each.
Write: TypeAlias = Callable[[Plan, list[Json | None]], Iterator[tuple[int, Json]]]
# Tokens that end a document, by the names that published tokenizers give them.
_EOS = (
    *("<|endoftext|>", "</s>", "<|end_of_text|>", "<eos>", "<|eos|>", "<EOS>"),
    "<\uff5cend\u2581of\u2581sentence\uff5c>",
)


@named
def write_tokens(
    source: StringColumn | StringsLike,
    tokenizer: SubwordTokenizer,
    folder: str | os.PathLike[str],
    *,
    shard_bytes: int = 2**27,
    dtype: TokenDtype = "auto",
    add_eos: bool = True,
    eos_id: int | None = None,
    format: ShardFormat = "arrow",
    processes: int = 1,
    progress: bool = True,
) -> dict[str, Any]:
    r"""Writes the token ids of documents to files, for `TokenDataset`.

    The documents are divided into shards, each of which is written atomically. If the call ends early, by an
    error, a signal or a crash, the same call continues with the shards that are missing. It compares the
    documents of the other shards with a hash that was written with each. So if all shards are there, it only
    reads the text. A shard whose file is missing or damaged is written again. Other documents, another
    tokenizer or other settings are an error.

    `manifest.json` is written last. TokenDataset does not open a folder without it.

    Args:
        source: documents `[N]`: a column, or strings in any form that StringColumn accepts as a chunk.
        tokenizer: the SubwordTokenizer that gives the ids. The special tokens of its template are not added.
        folder: the folder for the files, which is created if it does not exist.
        shard_bytes: about how many bytes of text (UTF-8) a shard has; a document is not divided. The ids of a
            shard are held in memory.
        dtype: the type of ids in the files: "uint16", "uint32" (format "arrow"), "int32" (format "megatron"). Default:
            "auto", the smaller one that holds the ids of the tokenizer.
        add_eos: add an id after each document, which marks its end.
        eos_id: that id. Default: the id of the token that ends documents, if the tokenizer has exactly one
            token with a usual name, such as `</s>` or `<|endoftext|>`.
        format: "arrow", Arrow files with a column `input_ids` of lists; or "megatron", the indexed dataset of
            Megatron-Core.
        processes: the number of processes that write shards. If there are several, they are spawned, so the
            main module of a program needs `if __name__ == "__main__"`. Each encodes on its share of torch's
            threads.
        progress: show progress on standard error.

    Returns:
        What `manifest.json` holds: `documents`, `tokens` (with those of `eos_id`), `bytes` of text, `tokenizer` (a
        hash), `format`, `dtype`, `eos_id`, and `shards`, a list of dicts of the counts of each.

    Raises:
        OSError: a file cannot be read or written.
        TypeError, ValueError: an argument is not as above; or the folder holds tokens of other documents or settings.

    Example:
        >>> import tempfile
        >>> from torch_stringops import SubwordTokenizer
        >>> from torch_stringops.pretrain import TokenDataset
        >>> ranks = {bytes([byte]): byte for byte in range(256)}
        >>> pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
        >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, pattern, {"<|endoftext|>": 256})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     manifest = write_tokens(["to be", "or"], tokenizer, folder, progress=False)
        ...     manifest["tokens"], TokenDataset(folder)[1]
        (9, tensor([111, 114, 256]))
    """
    plan = make_plan(source, tokenizer, folder, shard_bytes, dtype, add_eos, eos_id, format)
    processes = check_int(_OP, "processes", processes, 1)
    return write_shards(plan, partial(_in_processes, processes=processes) if processes > 1 else _here, progress)


@named
def count_tokens(
    column: StringColumn | StringsLike,
    tokenizer: SubwordTokenizer,
    *,
    threads: int = 0,
) -> int:
    r"""Returns the number of tokens of all strings, without those that the tokenizer's template adds.

    The number is that of `write_tokens` with `add_eos=False`. Counting takes about as long, but no ids are
    kept.

    Args:
        column: strings `[N]`: a column, or strings in any form that StringColumn accepts as a chunk.
        tokenizer: the SubwordTokenizer that encodes the strings.
        threads: the number of threads that call the tokenizer at the same time. Default: 0, the calling
            thread does; it encodes on torch's threads.

    Raises:
        TypeError, ValueError: an argument is not as above.

    Example:
        >>> from torch_stringops import SubwordTokenizer
        >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"to": 256}
        >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, r"\S+|\s+")
        >>> count_tokens(["to be", "or", ""], tokenizer)
        6
    """
    if not isinstance(tokenizer, SubwordTokenizer):
        raise TypeError(f"count_tokens: expected `tokenizer` to be a SubwordTokenizer, got {type(tokenizer).__name__}")
    rows = column if isinstance(column, StringColumn) else StringColumn([column])

    def counted(strings: StringTensor) -> int:
        return sum(int(tokenizer.encode(piece)[1][-1]) for piece in pieces(strings))

    return sum(rows._applied(counted, "count", threads))


def write_shards(plan: Plan, write: Write, progress: bool) -> Json:
    """Writes the shards of a plan that are missing, compares the others, and returns the manifest."""
    plan.begin()
    records = plan.records()
    done: dict[int, Json] = {}
    start = time.perf_counter()
    tokens = 0
    for number, record in (write if None in records else _here)(plan, records):
        done[number] = record
        tokens += record["tokens"] if records[number] is None else 0
        if progress:
            _show(len(done), len(records), tokens, time.perf_counter() - start)
    return plan.end([done[number] for number in range(len(records))])


def make_plan(
    source: StringColumn | StringsLike,
    tokenizer: SubwordTokenizer,
    folder: str | os.PathLike[str],
    shard_bytes: int,
    dtype: str,
    add_eos: bool,
    eos_id: int | None,
    format: str,
) -> Plan:
    """Checks the arguments of `write_tokens`."""
    if not isinstance(tokenizer, SubwordTokenizer):
        raise TypeError(f"{_OP}: expected `tokenizer` to be a SubwordTokenizer, got {type(tokenizer).__name__}")
    column = source if isinstance(source, StringColumn) else StringColumn([source])
    check_int(_OP, "shard_bytes", shard_bytes, 1, 2**30)
    check_choice(_OP, "format", format, tuple(FORMATS))
    if not add_eos:
        if eos_id is not None:
            raise ValueError(f"{_OP}: expected no `eos_id` with add_eos=False")
    elif eos_id is None:
        eos_id = _eos_of(tokenizer)
    else:
        eos_id = check_int(_OP, "eos_id", eos_id, 0, 2**31 - 1)
    limit = max(tokenizer.vocab_size, 0 if eos_id is None else eos_id + 1)
    dtypes = FORMATS[format].dtypes
    check_choice(_OP, "dtype", dtype, ("auto", *dtypes))
    if dtype == "auto":
        dtype = dtypes[limit > 2**16]
    elif dtype == "uint16" and limit > 2**16:
        raise ValueError(f"{_OP}: expected a `dtype` that holds ids up to {limit - 1}, got 'uint16'")
    return Plan(column, tokenizer, Path(folder), format, dtype, eos_id, shard_ranges(column, shard_bytes))


def _eos_of(tokenizer: SubwordTokenizer) -> int:
    found = {token: id for token in _EOS if (id := tokenizer.token_to_id(token)) is not None}
    if len(found) != 1:
        raise ValueError(
            f"{_OP}: expected `eos_id`, since the tokenizer has {len(found)} of the usual tokens that end a document "
            f"(or add_eos=False)"
        )
    return next(iter(found.values()))


def _here(plan: Plan, records: list[Json | None]) -> Iterator[tuple[int, Json]]:
    for number, record in enumerate(records):
        yield number, plan.write(number, record)


def _in_processes(plan: Plan, records: list[Json | None], processes: int) -> Iterator[tuple[int, Json]]:
    """Shards in the order in which they are finished. A process that is killed is an error."""
    threads = max(1, torch.get_num_threads() // processes)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, _start_process, (plan, threads))
    try:
        futures = {pool.submit(_write, number, record): number for number, record in enumerate(records)}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_plan: Plan  # of this process


def _start_process(plan: Plan, threads: int) -> None:
    global _plan
    _plan = plan
    torch.set_num_threads(threads)


def _write(number: int, record: Json | None) -> Json:
    return _plan.write(number, record)


def _show(done: int, total: int, tokens: int, seconds: float) -> None:
    rate = tokens / 1e6 / max(seconds, 1e-9)
    text = f"{_OP}: {done:,} of {total:,} shards, {tokens / 1e6:,.1f} million tokens, {rate:,.1f} a second"
    print(f"\r{text}", end="\n" if done == total else "", file=sys.stderr, flush=True)
