"""HTML of string tensors: shape, sizes and the first strings. Only what is shown is read."""

import torch

from torch_stringops._checks import MAX_RANK
from torch_stringops._html import MAX_ROWS, or_text, table
from torch_stringops._tracing import can_read
from torch_stringops.tensor.printing import shape_repr, string_repr, to_text
from torch_stringops.tensor.ranges import ranges
from torch_stringops.tensor.strings import Strings, numel, rank, shape, validate

# Lengths of more strings are not read: those of this number take some ten milliseconds.
_MAX_LENGTHS = 2**24


def to_html(s: Strings) -> str:
    """The HTML of strings, or their repr if it cannot show values. Never raises."""
    return or_text(lambda: _table(s), lambda: to_text(s))


def _table(s: Strings) -> str:
    if not (can_read(s.data) and can_read(s.offsets)) or rank(s) > MAX_RANK:
        raise ValueError("no values")
    count: int = numel(s)
    facts: list[tuple[str, object]] = [("shape", shape_repr(shape(s))), ("strings", f"{count:,}")]
    facts.append(("memory", f"{s.data.nbytes + s.offsets.nbytes:,} bytes"))
    if not s.data.is_cpu:
        facts.append(("device", s.data.device))
    begins, ends = (t.cpu() for t in ranges(s))
    if 0 < count <= _MAX_LENGTHS:
        facts += _lengths(s, (ends - begins).long())
    data = s.data if s.data.is_cpu else s.data.cpu()
    rows: list[list[object]] = []
    for i in range(min(count, MAX_ROWS)):
        index = torch.unravel_index(torch.tensor(i, device="cpu"), shape(s)) if rank(s) else ()
        begin, end = int(begins[index]), int(ends[index])
        rows.append([str([int(at) for at in index]), string_repr(data, begin, end), end - begin])
    if count > len(rows):
        rows.append(["…", "…", "…"])
    return table("StringTensor", facts, ["index", "string", "bytes"], rows)


def _lengths(s: Strings, lengths: torch.Tensor) -> list[tuple[str, object]]:
    try:
        validate(s)
    except ValueError:
        return [("offsets", "malformed (see validate)")]
    least, largest = (int(t) for t in torch.aminmax(lengths))
    total = int(lengths.sum())
    between = f"{least:,} to {largest:,} bytes, {total / lengths.numel():,.1f} on average"
    return [("bytes of strings", f"{total:,}"), ("lengths", between)]
