"""Sizes at the border of int32, for every operator: what is too large is refused before anything of its size exists.

    borders.py [--real]

Arguments cost nothing: untouched memory, and views of one element. While an operator must refuse, the address space is
limited to a little more than is in use, so that an allocation of a large result, or of a copy of a large argument, fails
in another way than is asked for here. `--real` adds calls at the border itself, 2**31 - 1 bytes, in up to 7 GB.
"""

from __future__ import annotations

import argparse
import re
import resource
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from support.harness import OpSuite, is_pair
from support.registry import OVERLOADS, suite_of
from torch import Tensor

from torch_stringops import StringTensor

MOST = 2**31 - 1
# What an operator may take to find out; and for how long.
ALLOWANCE, LONGEST_SECONDS = 512 << 20, 20.0
MILLION = 10**6
BYTES = r"the result needs \d+ bytes; int32 offsets address at most 2147483647 \(split the batch\)"
OFFSETS = r"the result needs \d+ offsets; a tensor has at most 2147483647 \(split the batch\)"

OPS = torch.ops.stringops
Refused = tuple[str, str, Callable[[], Any]]  # operator, pattern of the error behind its name, call


def int32(*values: int) -> Tensor:
    return torch.tensor(values, dtype=torch.int32)


def uint8(text: bytes) -> Tensor:
    return torch.frombuffer(bytearray(text), dtype=torch.uint8) if text else torch.empty(0, dtype=torch.uint8)


def repeated(value: int, shape: tuple[int, ...], dtype: torch.dtype = torch.int64) -> Tensor:
    """A tensor of any size in the memory of one element."""
    return torch.full((), value, dtype=dtype).expand(shape)


def same_rows(text: bytes, rows: int) -> tuple[Tensor, Tensor]:
    """The same string in each of so many rows, in the bytes of one: `[rows, 1]`."""
    return uint8(text), int32(0, len(text)).expand(rows, 2)


def one_long_row(pieces: int = MILLION, rows: int = MILLION) -> tuple[Tensor, Tensor]:
    """A string of so many pieces, beside so many of none."""
    text = b"a," * (pieces - 1) + b"a"
    return uint8(text), torch.tensor([0] + [len(text)] * (rows + 1), dtype=torch.int32)


def one_long_ragged_row() -> Tensor:
    return torch.cat([torch.tensor([0]), torch.arange(MILLION, 2 * MILLION + 1)])


SMALL_TABLE = OPS.vocab_build(uint8(b"ab"), int32(0, 1, 2))
MEBIBYTE = b"x" * 2**20
WINDOWS = torch.arange(2048, dtype=torch.int32)[:, None] + int32(0, 2**20)


def too_large() -> dict[str, list[tuple[str, Callable[[], Any]]]]:
    """Results at and beyond the border, by operator. Every operator must be here."""
    xs, commas = same_rows(MEBIBYTE, 2048), same_rows(b"," * (2**20 - 1), 2048)
    row = one_long_row()
    # rows x (width + 1) = 2**31
    narrow = one_long_row(2**20 - 1, 2**11 - 1)
    windows = (uint8(torch.arange(2**19 + 1024, dtype=torch.int16).numpy().tobytes()), WINDOWS)
    empties = (uint8(b""), torch.zeros(2 * MILLION, dtype=torch.int32))
    ragged = one_long_ragged_row()
    padding = r"padding 1000001 rows to (the )?1000000 "
    keep = r".*more than 2147483647 \(keep the rows ragged, or pass a smaller `width`\)"
    pieces = r"expected at most 16777216 pieces, got"
    large = torch.zeros(2**31, dtype=torch.uint8)
    ids = torch.zeros(2 * MILLION, dtype=torch.int64)

    return {
        "string_split": [
            (BYTES, lambda: OPS.string_split(*xs, ",")),
            (padding + r"pieces .* offsets \(use string_split_ragged\)", lambda: OPS.string_split(*row, ",")),
            ("padding 2048 rows to the 1048575 pieces", lambda: OPS.string_split(*narrow, ",")),
        ],
        "string_split_ragged": [
            (BYTES, lambda: OPS.string_split_ragged(*xs, ",")),
            (OFFSETS, lambda: OPS.string_split_ragged(*commas, ",")),
        ],
        "split_encode": [
            (
                r"the result has 2147483648 ids; expected at most 2147483647 \(split the batch\)",
                lambda: OPS.split_encode(*commas, SMALL_TABLE, ","),
            )
        ],
        "tokenizer": [
            (BYTES, lambda: OPS.tokenizer(*xs, separators=[","])),
            (
                padding + r"tokens .* offsets \(use tokenizer_ragged\)",
                lambda: OPS.tokenizer(*row, separators=[","]),
            ),
            (BYTES, lambda: OPS.tokenizer(*one_long_row(3, 2000), separators=[","], pad_value="x" * 2**20)),
        ],
        "tokenizer_ragged": [
            (BYTES, lambda: OPS.tokenizer_ragged(*xs, separators=[","])),
            (
                BYTES,
                lambda: OPS.tokenizer_ragged(*same_rows(MEBIBYTE[2:], 2048), separators=[","], mark=True),
            ),
        ],
        "string_tensor_pack": [
            (BYTES, lambda: OPS.string_tensor_pack(repeated(0, (2048,)), repeated(2**20, (2048,)), xs[0])),
            (OFFSETS, lambda: OPS.string_tensor_pack(*[repeated(0, (MOST,), torch.int32)] * 2, xs[0])),
            (OFFSETS, lambda: OPS.string_tensor_pack(*[repeated(0, (2**30, 1))] * 2, xs[0])),
            (OFFSETS, lambda: OPS.string_tensor_pack(*[repeated(0, (2**43, 2**19))] * 2, xs[0])),
        ],
        "string_tensor_unpack": [(BYTES, lambda: OPS.string_tensor_unpack(*xs))],
        "_string_tensor_unpack_ranges": [(BYTES, lambda: OPS._string_tensor_unpack_ranges(*xs))],
        "string_unique": [(BYTES, lambda: OPS.string_unique(*windows))],
        "string_equal": [
            (
                r"expected shapes that broadcast to at most 2147483647 strings, got \[65536, 1\] and \[32768\] \(spl",
                lambda: OPS.string_equal(*same_rows(b"a", 2**16), uint8(b"a"), torch.zeros(2**15 + 1).int()),
            )
        ],
        "vocab_build": [
            (
                r"expected distinct strings, got 1999999 in 0 bytes, which hold at most 1 \(make them distinct ",
                lambda: OPS.vocab_build(*empties),
            )
        ],
        "vocab_encode": [
            (
                r"expected `table` as vocab_build returns it, got 2147483648 other bytes",
                lambda: OPS.vocab_encode(uint8(b""), int32(0), large),
            )
        ],
        "split": [
            (pieces + " 2147483648", lambda: OPS.split(torch.empty(2**31, 0), None, 0, num_outputs=2**31)),
            (
                r"expected `split` to sum to 2147483648 \(size of axis 0\), got 2\*\*63 or more",
                lambda: OPS.split(torch.empty(2**31, 0), [2**63 - 1, 2**63 - 1, 2**31 + 2], 0),
            ),
        ],
        "split.strings": [
            (BYTES, lambda: OPS.split(*xs, None, 0, num_outputs=2048)),
            (BYTES, lambda: OPS.split(*xs, None, 0, num_outputs=1)),
        ],
        "split_to_sequence": [(pieces + " 2147483648", lambda: OPS.split_to_sequence(torch.empty(2**31, 0)))],
        "split_to_sequence.strings": [(BYTES, lambda: OPS.split_to_sequence(*xs))],
        "_split_sizes": [
            (pieces + " 2147483648", lambda: OPS._split_sizes(repeated(0, (2**31,)), 0, 0, "split"))
        ],
        "ragged_to_dense": [
            (padding + "elements needs " + keep, lambda: OPS.ragged_to_dense(ids, ragged)),
            (keep, lambda: OPS.ragged_to_dense(ids[:3], torch.tensor([0, 3]), 2**31)),
            (keep, lambda: OPS.ragged_to_dense(ids[:3], torch.tensor([0, 1, 3]), 2**30)),
            (keep, lambda: OPS.ragged_to_dense(repeated(0, (2**31,)), torch.tensor([0, 2**31]))),
            (
                r"expected `row_splits` of at most 2147483647 elements, got 2147483648 \(split the batch\)",
                lambda: OPS.ragged_to_dense(ids[:0], repeated(0, (2**31,))),
            ),
        ],
        "_ragged_to_dense_backward": [
            (
                r"expected `row_splits` of at most 2147483647 elements, got 2147483649 \(split the batch\)",
                lambda: OPS._ragged_to_dense_backward(
                    repeated(0, (2**31, 1)), repeated(0, (2**31 + 1,)), 0, "right"
                ),
            )
        ],
        "ragged_mask": [
            (padding + "elements needs " + keep, lambda: OPS.ragged_mask(ragged)),
            (keep, lambda: OPS.ragged_mask(torch.tensor([0, 2**31]))),
            (keep, lambda: OPS.ragged_mask(torch.tensor([0, 1, 2]), 2**30)),
            (
                r"expected `row_splits` of at most 2147483647 elements, got 2147483648 \(split the batch\)",
                lambda: OPS.ragged_mask(repeated(0, (2**31,))),
            ),
        ],
        "dense_to_ragged": [
            (
                r"expected `lengths` of at most 2147483647 elements, got 2147483648 \(split the batch\)",
                lambda: OPS.dense_to_ragged(repeated(0, (2**31, 1)), repeated(0, (2**31,))),
            ),
            (
                r"expected `lengths` of at most 2\*\*63 - 1 elements in all, got more at row 1",
                lambda: OPS.dense_to_ragged(torch.empty(3, 2**62, 0), repeated(2**62, (3,))),
            ),
            (
                r"expected `lengths` within \[0, 2147483648\] \(columns of `dense`\), got 2147483649 at row 0",
                lambda: OPS.dense_to_ragged(repeated(0, (1, 2**31)), torch.tensor([2**31 + 1])),
            ),
        ],
    }


def suites() -> list[OpSuite]:
    return [suite_of(name) for name in OVERLOADS]


def overload_of(suite: OpSuite) -> str:
    return suite.op if suite.overload_name == "default" else f"{suite.op}.{suite.overload_name}"


def sample_of(suite: OpSuite) -> tuple[list[Any], dict[str, Any]]:
    sample = next((s for s in suite.samples if s.args[:1] != ([],)), suite.samples[0])
    args, kwargs = suite.tensors(sample)
    return list(args), kwargs


def refused_inputs() -> Iterator[Refused]:
    """Each pair of strings with one byte, and one offset, more than there may be; also without any memory."""
    for suite in suites():
        args, kwargs = sample_of(suite)
        arguments = suite.overload._schema.arguments
        for i in (i for i in range(len(args)) if is_pair(arguments, i)):
            names = [arguments[j].name for j in (i, i + 1)]
            large = [
                (f"expected `{names[0]}` of at most 2147483647 bytes, got 2147483648", 2**31, int32(0, 1)),
                *(
                    (f"expected `{names[1]}` of at most 2147483647 elements, got 2147483648", 3, offsets)
                    for offsets in (repeated(0, (2**31,), torch.int32), repeated(0, (2**30, 2), torch.int32))
                ),
            ]
            for text, num_bytes, offsets in large:
                for device in ("cpu", "meta"):
                    data = torch.empty(num_bytes, dtype=torch.uint8, device=device)
                    new = [a.to(device) if isinstance(a, Tensor) else a for a in args]
                    new[i], new[i + 1] = data, offsets if device == "cpu" else offsets.to("meta")
                    pattern = re.escape(text + " (split the batch)") + "$"
                    name = suite.name_in_errors or suite.op
                    yield name, pattern, lambda s=suite, a=new, k=kwargs: s.overload(*a, **k)


def refused_results() -> Iterator[Refused]:
    names = {overload_of(suite): suite.name_in_errors or suite.op for suite in suites()}
    cases = too_large()
    if missing := sorted(set(names) - set(cases)):
        raise SystemExit(f"tests/stress/limits.py has no too large results of {', '.join(missing)}")
    for overload, calls in cases.items():
        for pattern, call in calls:
            yield ("split" if overload == "_split_sizes" else names[overload]), pattern, call


def refused_on_meta() -> Iterator[Refused]:
    """What sizes alone decide, tracing refuses too."""
    meta = torch.device("meta")
    rows = torch.empty(1001, dtype=torch.int64, device=meta)
    many = torch.empty(2**31, dtype=torch.int64, device=meta)
    strings = torch.empty(5, dtype=torch.uint8, device=meta)
    keep = r"padding 1000 rows to 1000000000 elements needs more than 2147483647 \(keep the rows ragged"
    splits = r"expected `row_splits` of at most 2147483647 elements, got 2147483648 \(split the batch\)$"
    yield "ragged_mask", keep, lambda: OPS.ragged_mask(rows, 10**9)
    yield "ragged_mask", splits, lambda: OPS.ragged_mask(many, 1)
    yield "ragged_to_dense", keep, lambda: OPS.ragged_to_dense(rows, rows, 10**9)
    yield "ragged_to_dense", splits, lambda: OPS.ragged_to_dense(rows, many, 1)
    yield "string_tensor_pack", OFFSETS, lambda: OPS.string_tensor_pack(many, many, strings)
    left = torch.empty((2**16, 2), dtype=torch.int32, device=meta)
    right = torch.empty(2**15 + 1, dtype=torch.int32, device=meta)
    text = r"expected shapes that broadcast to at most 2147483647 strings, got \[65536, 1\] and \[32768\] \(split"
    yield "string_equal", text, lambda: OPS.string_equal(strings, left, strings, right)


def refused_verbs() -> Iterator[Refused]:
    """StringTensor's own methods, and functions in Python."""
    import numpy as np

    from torch_stringops import ragged_to_dense

    one = StringTensor(uint8(MEBIBYTE), int32(0, 2**20))
    rows = StringTensor(*same_rows(MEBIBYTE, 2000))
    words = StringTensor(*one_long_row()).split_ragged(",")[0]
    row, ragged = StringTensor(*one_long_row()), one_long_ragged_row()
    strings = r"the result has \d+ strings; a tensor has at most 2147483647 offsets \(split the batch\)"
    padding = r"padding 1000001 rows to 1000000 elements "
    keep = r"keep the rows ragged, or pass a smaller `width`"
    shape = r"the result has shape \[.*\]; a tensor has at most 2147483647 offsets \(split the batch\)"
    yield "repeat", shape, lambda: one.repeat(2**31)
    yield "repeat", BYTES, lambda: one.repeat(2**30)
    yield "repeat", shape, lambda: rows.repeat(2**21, 1)
    yield "expand", shape, lambda: one.expand(2**16, 2**15)
    yield "expand", BYTES, lambda: one.reshape(1, 1).expand(1, 2**30)
    yield "string_tensor_pack", BYTES, lambda: one.expand(2048)
    yield "repeat_interleave", strings, lambda: one.repeat_interleave(2**31)
    yield "repeat_interleave", BYTES, lambda: one.repeat_interleave(2**30)
    yield "repeat_interleave", strings, lambda: one.repeat_interleave(torch.tensor([2**31]))
    yield "take", strings, lambda: one.take(repeated(0, (2**31,)))
    yield "gather", strings, lambda: one.gather(0, repeated(0, (2**31,)))
    yield "index_select", strings, lambda: one.index_select(0, repeated(0, (2**31,)))
    yield "StringTensor", strings, lambda: one[repeated(0, (2**31,))]
    text = r"expected `offsets` of at most 2147483647 elements, got 4294967296 \(split the batch\)"
    yield "StringTensor", text, lambda: StringTensor(one.data, one.offsets.expand(2**31, 2))
    yield "string_tensor_pack", BYTES, lambda: rows.expand(2, 2000, 1).reshape(1, -1).T
    other = StringTensor(uint8(b"a"), int32(0, 1))
    many = other.reshape(1, 1).expand(2**30, 1)
    yield "cat", strings, lambda: torch.cat([many, many])
    # Each of 200 MiB once it is compact, in bytes of its own.
    parts = [StringTensor(*same_rows(MEBIBYTE, 200)) for _ in range(11)]
    yield "cat", BYTES, lambda: torch.cat(parts)
    yield "stack", BYTES, lambda: torch.stack(parts)
    yield "where", strings, lambda: torch.where(torch.ones(2**16, 1) > 0, one, other.expand(2**15))
    for side in ("right", "left"):
        for pad in (0, "<pad>"):
            yield (
                "ragged_to_dense",
                padding + ".*" + keep,
                lambda side=side, pad=pad: ragged_to_dense(words, ragged, padding_value=pad, side=side),
            )
    few = StringTensor.from_list(["a"] * 3)
    yield (
        "ragged_to_dense",
        r"padding 1 rows to 1000000000 elements with 5 bytes each needs 4999999985 bytes; .*" + keep,
        lambda: ragged_to_dense(few, torch.tensor([0, 3]), 10**9, "<pad>"),
    )
    yield "string_split", r"padding 1000001 rows .*use string_split_ragged", lambda: row.split(",")
    for dtype in ("U", "S"):
        text = r"padding 1000001 strings to the 1999999 characters .*pass dtype=object"
        yield "StringTensor.numpy", text, lambda dtype=dtype: row.numpy(dtype)
    text = r"expected at most 2147483647 strings, got 2147483648 \(split the batch\)"
    yield "StringTensor.from_numpy", text, lambda: StringTensor.from_numpy(np.broadcast_to("a", 2**31))
    long = "\u00e9" * 2**20
    text = r"the result needs at least 2147483648 bytes; int32 offsets address at most 2147483647 \(split the batch\)"
    yield "StringTensor.from_list", text, lambda: StringTensor.from_list([long] * MILLION)
    text = r"expected at most 2147483647 strings"
    yield "StringTensor.from_list", text, lambda: StringTensor.from_list([[["a"] * 2**11] * 2**10] * 2**10)


def address_space() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


def check_refused(cases: Iterator[Refused]) -> int:
    wrong, count, began = [], 0, time.monotonic()
    for name, pattern, call in cases:
        count += 1
        started = time.monotonic()
        resource.setrlimit(resource.RLIMIT_AS, (address_space() + ALLOWANCE, resource.RLIM_INFINITY))
        try:
            call()
            outcome = "no error"
        except Exception as error:
            outcome = f"{type(error).__name__}: {error}"
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        seconds = time.monotonic() - started
        if not re.match(rf"(ValueError|RuntimeError): {re.escape(name)}: {pattern}", outcome):
            wrong.append(f"  {name}: expected {pattern!r}, got {outcome[:300]!r}")
        if seconds > LONGEST_SECONDS:
            wrong.append(f"  {name}: {pattern!r} took {seconds:.1f} s")
    print(f"  {count} refused in {time.monotonic() - began:.1f} s, {len(wrong)} wrong", flush=True)
    print("".join(line + "\n" for line in wrong), end="", flush=True)
    return len(wrong)


def check_last_bytes() -> int:
    """Every operator on strings that are the last bytes of 2**31 - 1: the result is that of these bytes alone."""
    whole = torch.zeros(MOST, dtype=torch.uint8)  # untouched, so that it takes no memory
    wrong = count = 0
    for suite in suites():
        args, kwargs = sample_of(suite)
        arguments = suite.overload._schema.arguments
        want = suite.overload(*args, **kwargs)
        for i in (i for i in range(len(args)) if is_pair(arguments, i)):
            moved = list(args)
            num_bytes = args[i].numel()
            if num_bytes:
                whole[-num_bytes:] = args[i]
            moved[i], moved[i + 1] = whole, args[i + 1] + (MOST - num_bytes)
            got = suite.overload(*moved, **kwargs)
            wants, gots = ([r] if isinstance(r, Tensor) else list(r) for r in (want, got))
            same = len(wants) == len(gots) and all(map(torch.equal, wants, gots))
            count += 1
            if not same:
                wrong += 1
                print(f"  {overload_of(suite)}: another result at the end of 2**31 - 1 bytes")
    print(f"  {count} pairs of arguments at the end of 2**31 - 1 bytes, {wrong} wrong", flush=True)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--short", action="store_true", help="without calls on 2**31 - 1 bytes, which take 7 GB"
    )
    options = parser.parse_args()
    torch.set_num_threads(1)
    wrong = 0
    for cases in (refused_inputs, refused_results, refused_on_meta, refused_verbs):
        print(f"{cases.__name__}:", flush=True)
        wrong += check_refused(cases())
    wrong += check_last_bytes()
    if not options.short:
        from stress import limits_full_size

        limits_full_size.main()
    return 1 if wrong else 0
