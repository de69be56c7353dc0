"""repr of string tensors, in the layout of torch tensors. Its size is bounded, and it reads only what it shows."""

from typing import Any

import torch
from torch import Tensor
from torch._compile import _disable_dynamo
from torch._tensor_str import PRINT_OPTS

from torch_stringops._checks import MAX_RANK
from torch_stringops._tracing import can_read
from torch_stringops.tensor.ranges import ranges
from torch_stringops.tensor.strings import Strings, numel, rank, shape

# Maximum number of bytes shown of a string. An ellipsis after the closing quote marks a truncated string.
MAX_STRING = 60
# Maximum number of characters shown of a tensor. An ellipsis marks the rest.
MAX_TEXT = 2**15
# Maximum number of strings of a row that are read at once.
_MAX_ROW = 64


def string_repr(data: Tensor | bytes, begin: int, end: int) -> str:
    """The repr of a string. It must not fail for invalid offsets."""
    size = len(data)
    begin = min(max(begin, 0), size)
    end = min(max(end, begin), size)
    stop = min(end, begin + MAX_STRING)
    raw = data[begin:stop] if isinstance(data, bytes) else bytes(data[begin:stop].tolist())
    if stop < end:
        # Do not truncate within a code point: drop an incomplete one, of at most three bytes.
        for back in range(1, 5):
            if back <= len(raw) and raw[-back] >= 0xC0:
                needed = 2 if raw[-back] < 0xE0 else 3 if raw[-back] < 0xF0 else 4
                raw = raw[:-back] if needed > back else raw
                break
    try:
        text = repr(raw.decode())
    except UnicodeDecodeError:
        text = repr(raw)  # b'...': not UTF-8
    return text + "…" if stop < end else text


def _shown(size: int, summarize: bool) -> list[int | None]:
    """The positions that are shown along an axis, with None in place of those that are not."""
    edge: int = PRINT_OPTS.edgeitems
    if not summarize or size <= 2 * edge:
        return list(range(size))
    return [*range(edge), None, *range(size - edge, size)]


class _Lines:
    """Formats the strings of a tensor as nested rows of bounded size."""

    def __init__(self, s: Strings) -> None:
        self.data = s.data
        self.summarize = numel(s) > PRINT_OPTS.threshold
        self.left = MAX_TEXT

    def write(self, begins: Tensor, ends: Tensor, indent: int) -> str:
        if begins.dim() == 0:
            text = string_repr(self.data, int(begins), int(ends))
            self.left -= len(text) + 2
            return text
        items: list[str] = []
        shown = _shown(begins.shape[0], self.summarize)
        row = self.read(begins, ends) if begins.dim() == 1 and len(shown) == begins.shape[0] <= _MAX_ROW else []
        for i in shown:
            if i is None or self.left <= 0:
                items.append("...")
            elif row:
                items.append(row[i])
                self.left -= len(row[i]) + 2
            else:
                items.append(self.write(begins[i], ends[i], indent + 1))
            if self.left <= 0:
                break
        pad = " " * (indent + 1)
        if begins.dim() > 1:
            separator = "," + "\n" * (begins.dim() - 1) + pad
            self.left -= len(separator) * len(items)
            return f"[{separator.join(items)}]"
        return "[" + (",\n" + pad).join(self.wrap(items, len(pad))) + "]"

    def read(self, begins: Tensor, ends: Tensor) -> list[str]:
        """The strings of a short row, read at once if no more bytes lie between them than are shown."""
        ranges = list(zip(begins.tolist(), ends.tolist(), strict=True))
        first, last = max(min(begin for begin, _ in ranges), 0), max(end for _, end in ranges)
        if last - first > MAX_STRING * len(ranges):
            return [string_repr(self.data, begin, end) for begin, end in ranges]
        raw = bytes(self.data[first : max(first, last)].tolist())
        return [string_repr(raw, begin - first, end - first) for begin, end in ranges]

    def wrap(self, items: list[str], pad: int) -> list[str]:
        """Wraps the items into lines of torch's line width."""
        lines: list[str] = []
        line = ""
        width: int = PRINT_OPTS.linewidth
        for item in items:
            if line and pad + len(line) + 2 + len(item) > width:
                lines.append(line)
                self.left -= pad
                line = item
            else:
                line = f"{line}, {item}" if line else item
        return [*lines, line]


def _size(size: Any) -> Any:
    return size if isinstance(size, int) else str(size)[:40]


def shape_repr(sizes: Any) -> str:
    """A shape as a list; for many axes, the first and the last sizes."""
    if len(sizes) <= 16:
        return str([_size(size) for size in sizes])
    first, last = ([str(_size(size)) for size in some] for some in (sizes[:8], sizes[-8:]))
    return f"[{', '.join([*first, '...', *last])}]"


def _leaf(value: Any) -> str:
    """A short text for `data` or `offsets` that are not valid."""
    if value is None or type(value) is not Tensor:
        return str(type(value).__name__)[:100] if value is not None else "None"
    return f"{str(value.dtype).removeprefix('torch.')}{shape_repr(value.shape)}"


def _are_strings(data: Any, offsets: Any) -> bool:
    return (
        isinstance(data, Tensor)
        and isinstance(offsets, Tensor)
        and data.dtype is torch.uint8
        and offsets.dtype is torch.int32
        and data.dim() == 1
        and offsets.dim() >= 1
        and (not isinstance(offsets.shape[-1], int) or offsets.shape[-1] >= 1)
    )


def _text(s: Strings) -> str:
    prefix = "StringTensor("
    end = f"shape={shape_repr(shape(s))}" + ("" if s.data.is_cpu else f", device='{s.data.device}'") + ")"
    if not (can_read(s.offsets) and can_read(s.data)) or rank(s) > MAX_RANK:
        return f"{prefix}..., {end}"
    if numel(s) == 0:
        return f"{prefix}[], {end}"
    s = s._new(s.data.cpu(), s.offsets.cpu(), s._scalar)
    strings = _Lines(s).write(*ranges(s), len(prefix))
    separator = ",\n" + " " * len(prefix) if "\n" in strings else ", "
    return f"{prefix}{strings}{separator}{end}"


def to_text(s: Strings) -> str:
    """The repr. Never raises, even if tree_map replaced the two tensors by other objects."""
    if torch.compiler.is_dynamo_compiling():
        return _untraced_text(s)  # breaks the graph, as the repr of a tensor does
    data, offsets = getattr(s, "data", None), getattr(s, "offsets", None)
    try:
        if _are_strings(data, offsets):
            return _text(s)
        return f"StringTensor(data={_leaf(data)}, offsets={_leaf(offsets)})"
    except Exception as error:  # from a tensor subclass, or if `_scalar` contradicts `offsets`
        types = [type(value).__name__[:100] for value in (data, offsets, error)]
        return "StringTensor(data={}, offsets={}, {})".format(*types)


_untraced_text = _disable_dynamo(to_text)


def can_format(s: Strings) -> bool:
    """Whether `format` applies to the string: for rank 0, as torch formats tensors of rank 0 as numbers."""
    return s._scalar and _are_strings(s.data, s.offsets) and can_read(s.data) and can_read(s.offsets)
