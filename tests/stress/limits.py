"""Limits of int32: arguments and results of 2**31 elements or bytes are rejected before allocation.

    stress limits [--short]     --short: without calls on 2**31 - 1 bytes (limits_full_size.py), which take up to 7 GB,
                                and one result of each family and error that is too large: some are found after seconds

Arguments take no memory: untouched pages, and views of one element. During a call that must fail, the address space
is limited to a little more than is in use, so that the allocation of a large result, or a copy of a large argument,
would fail with another error than the expected one. Strings of rows that overlap are copied once before an operator
reads them: such a call may take as many bytes more.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from stress import limits_full_size
from support.harness import OpSuite, is_pair
from support.large import (
    BYTES,
    MAX_SIZE,
    MEBIBYTE,
    MILLION,
    int32,
    long_ragged_row,
    long_row,
    repeated,
    same_rows,
    uint8,
)
from support.limited import ALLOWANCE, run_limited
from support.registry import all_suites, family
from torch import Tensor

from torch_stringops import StringTensor

# The processor time that an operator may take before it raises an error.
MAX_SECONDS = 20.0

Rejected = tuple[str, str, Callable[[], Any]]  # operator, pattern of the error after its name, call


def bytes_of_rows(value: Any) -> int:
    """The bytes of the strings of all rows, if the value is the offsets of rows: what an operator may copy."""
    is_offsets = isinstance(value, Tensor) and value.dtype == torch.int32 and not value.is_meta
    if not is_offsets or value.ndim < 2 or value.numel() > MILLION:
        return 0
    return int((value[..., -1] - value[..., 0]).sum())


def sample_of(suite: OpSuite) -> tuple[list[Any], dict[str, Any]]:
    sample = next((s for s in suite.samples if s.args[:1] != ([],)), suite.samples[0])
    args, kwargs = suite.tensors(sample)
    return list(args), kwargs


def rejected_inputs() -> Iterator[Rejected]:
    """Each pair of strings with one byte, or one offset, more than the limit; also on meta."""
    for suite in all_suites().values():
        args, kwargs = sample_of(suite)
        arguments = suite.overload._schema.arguments
        for i in (i for i in range(len(args)) if is_pair(arguments, i)):
            names = [arguments[j].name for j in (i, i + 1)]
            if suite.op == "_check_strings":  # which has the names of a model's inputs
                names = [f"text.{name}" for name in names]
            large = [
                (
                    f"expected `{names[0]}` of at most 2147483647 bytes, got 2147483648 "
                    "(pass fewer or shorter strings)",
                    2**31,
                    int32(0, 1),
                ),
                *(
                    (
                        f"expected `{names[1]}` of at most 2147483647 elements, got 2147483648 (split the batch)",
                        3,
                        offsets,
                    )
                    for offsets in (repeated(0, (2**31,), torch.int32), repeated(0, (2**30, 2), torch.int32))
                ),
            ]
            for text, num_bytes, offsets in large:
                for device in ("cpu", "meta"):
                    data = torch.empty(num_bytes, dtype=torch.uint8, device=device)
                    new = [a.to(device) if isinstance(a, Tensor) else a for a in args]
                    new[i], new[i + 1] = data, offsets if device == "cpu" else offsets.to("meta")
                    pattern = re.escape(text) + "$"
                    name = suite.name_in_errors or suite.op
                    yield name, pattern, partial(suite.overload, *new, **kwargs)


def rejected_results(short: bool = False) -> Iterator[Rejected]:
    """The calls of the suites, or those that follow from the operator's family; the first of each error if `short`."""
    seen: set[tuple[str, str]] = set()
    for suite in all_suites().values():
        for pattern, call in suite.too_large_calls():
            if short:
                error = (family(suite.op), pattern)
                if error in seen:
                    continue
                seen.add(error)
            args, kwargs = suite.tensors(call)
            yield suite.name_in_errors or suite.op, pattern, partial(suite.overload, *args, **kwargs)


def rejected_on_meta() -> Iterator[Rejected]:
    """Calls with results that are too large by their shapes: tracing rejects them too."""
    for suite in all_suites().values():
        for pattern, call in suite.too_large_when_traced() if suite.too_large_when_traced else ():
            args, kwargs = suite.tensors(call)
            args = [a.to("meta") if isinstance(a, Tensor) else a for a in args]
            yield suite.name_in_errors or suite.op, pattern, partial(suite.overload, *args, **kwargs)


def rejected_methods() -> Iterator[Rejected]:
    """Methods of StringTensor, and functions in Python."""
    import numpy as np

    from torch_stringops import ragged_to_dense

    one = StringTensor(uint8(MEBIBYTE), int32(0, 2**20))
    rows = StringTensor(*same_rows(MEBIBYTE, 2000))
    words = StringTensor(*long_row()).split_ragged(",")[0]
    row, ragged = StringTensor(*long_row()), long_ragged_row()
    strings = r"the result has \d+ strings; a tensor has at most 2147483647 offsets \(make fewer at once\)"
    padding = r"padding 1000001 rows to 1000000 elements "
    keep = r"keep the rows ragged, or pass a smaller `width`"
    shape = r"the result has shape \[.*\]; a tensor has at most 2147483647 offsets \(make fewer at once\)"
    yield "StringTensor.repeat", shape, lambda: one.repeat(2**31)
    yield "StringTensor.repeat", BYTES, lambda: one.repeat(2**30)
    yield "StringTensor.repeat", shape, lambda: rows.repeat(2**21, 1)
    yield "StringTensor.expand", shape, lambda: one.expand(2**16, 2**15)
    yield "StringTensor.expand", BYTES, lambda: one.reshape(1, 1).expand(1, 2**30)
    yield "StringTensor.expand", BYTES, lambda: one.expand(2048)
    yield "StringTensor.repeat_interleave", strings, lambda: one.repeat_interleave(2**31)
    yield "StringTensor.repeat_interleave", BYTES, lambda: one.repeat_interleave(2**30)
    yield "StringTensor.repeat_interleave", strings, lambda: one.repeat_interleave(torch.tensor([2**31]))
    yield "StringTensor.take", strings, lambda: one.take(repeated(0, (2**31,)))
    yield "StringTensor.gather", strings, lambda: one.gather(0, repeated(0, (2**31,)))
    yield "StringTensor.index_select", strings, lambda: one.index_select(0, repeated(0, (2**31,)))
    yield "StringTensor.__getitem__", strings, lambda: one[repeated(0, (2**31,))]
    text = r"expected `offsets` of at most 2147483647 elements, got 4294967296 \(split the batch\)"
    yield "StringTensor", text, lambda: StringTensor(one.data, one.offsets.expand(2**31, 2))
    yield "StringTensor.reshape", BYTES, lambda: rows.expand(2, 2000, 1).reshape(1, -1).T
    other = StringTensor(uint8(b"a"), int32(0, 1))
    many = other.reshape(1, 1).expand(2**30, 1)
    yield "torch.cat", strings, lambda: torch.cat([many, many])
    # Each takes 200 MiB once it is compact.
    parts = [StringTensor(*same_rows(MEBIBYTE, 200)) for _ in range(11)]
    yield "torch.cat", BYTES, lambda: torch.cat(parts)
    yield "torch.stack", BYTES, lambda: torch.stack(parts)
    yield "torch.where", strings, lambda: torch.where(torch.ones(2**16, 1) > 0, one, other.expand(2**15))
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
    yield "StringTensor.split", r"padding 1000001 rows .*use string_split_ragged", lambda: row.split(",")
    for dtype in ("U", "S"):
        text = r"padding 1000001 strings to the 1999999 characters .*pass dtype=object"
        yield "StringTensor.numpy", text, lambda dtype=dtype: row.numpy(dtype)
    text = r"expected at most 2147483647 strings, got 2147483648 \(split the batch\)"
    yield "StringTensor.from_numpy", text, lambda: StringTensor.from_numpy(np.broadcast_to("a", 2**31))
    long = "\u00e9" * 2**20
    text = r"the result needs at least 2147483648 bytes; int32 offsets address at most 2147483647 \(pass fewer or shorter strings\)"
    yield "StringTensor.from_list", text, lambda: StringTensor.from_list([long] * MILLION)
    text = r"expected at most 2147483647 strings"
    yield "StringTensor.from_list", text, lambda: StringTensor.from_list([[["a"] * 2**11] * 2**10] * 2**10)


def check_rejected(cases: Iterator[Rejected]) -> int:
    wrong, count, began = [], 0, time.monotonic()
    for name, pattern, call in cases:
        count += 1
        copied = sum(map(bytes_of_rows, call.args)) if isinstance(call, partial) else 0
        outcome, seconds = run_limited(call, ALLOWANCE + copied)
        if not re.match(rf"(ValueError|RuntimeError): {re.escape(name)}: {pattern}", outcome):
            wrong.append(f"  {name}: expected {pattern!r}, got {outcome[:300]!r}")
        if seconds > MAX_SECONDS:
            wrong.append(f"  {name}: {pattern!r} took {seconds:.1f} s")
    print(f"  {count} rejected in {time.monotonic() - began:.1f} s, {len(wrong)} wrong", flush=True)
    print("".join(line + "\n" for line in wrong), end="", flush=True)
    return len(wrong)


def check_last_bytes() -> int:
    """Every operator on strings at the end of 2**31 - 1 bytes gives the result for these strings alone."""
    whole = torch.zeros(MAX_SIZE, dtype=torch.uint8)  # untouched, so that it takes no memory
    wrong = count = 0
    for suite in all_suites().values():
        args, kwargs = sample_of(suite)
        arguments = suite.overload._schema.arguments
        want = suite.overload(*args, **kwargs)
        for i in (i for i in range(len(args)) if is_pair(arguments, i)):
            moved = list(args)
            num_bytes = args[i].numel()
            if num_bytes:
                whole[-num_bytes:] = args[i]
            moved[i], moved[i + 1] = whole, args[i + 1] + (MAX_SIZE - num_bytes)
            got = suite.overload(*moved, **kwargs)
            wants, gots = ([r] if isinstance(r, Tensor) else list(r) for r in (want, got))
            same = len(wants) == len(gots) and all(map(torch.equal, wants, gots))
            count += 1
            if not same:
                wrong += 1
                print(f"  {suite.name}: a different result at the end of 2**31 - 1 bytes")
    print(f"  {count} pairs of arguments at the end of 2**31 - 1 bytes, {wrong} wrong", flush=True)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true", help="fewer calls, none of which takes 7 GB")
    options = parser.parse_args()
    torch.set_num_threads(1)
    wrong = 0
    cases = {
        "inputs": rejected_inputs(),
        "results": rejected_results(options.short),
        "results when traced": rejected_on_meta(),
        "methods": rejected_methods(),
    }
    for name, calls in cases.items():
        print(f"{name}:", flush=True)
        wrong += check_rejected(calls)
    wrong += check_last_bytes()
    if not options.short:
        limits_full_size.run()
    return 1 if wrong else 0
