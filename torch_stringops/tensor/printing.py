"""repr of a string tensor, laid out as torch prints tensors. Bounded, and reads what it shows, and no other byte."""

from typing import Any

import torch
from torch import Tensor
from torch._tensor_str import PRINT_OPTS

from torch_stringops._checks import MAX_RANK
from torch_stringops._tracing import can_read
from torch_stringops.tensor.ranges import Strings, numel, ranges, rank, shape

# Bytes of a string that are shown at most; what is cut off shows as an ellipsis after the closing quote.
MAX_STRING = 60
# Characters for the strings of one tensor, above which an ellipsis stands for the rest.
MAX_TEXT = 2**15


def _quoted(data: Tensor, begin: int, end: int) -> str:
    """One string as Python would write it. Offsets may be anything: a repr must not fail."""
    begin = min(max(begin, 0), len(data))
    end = min(max(end, begin), len(data))
    stop = min(end, begin + MAX_STRING)
    raw = bytes(data[begin:stop].tolist())
    if stop < end:
        # Not through the middle of a code point: drop at most three continuation bytes and their lead.
        for back in range(1, 5):
            if back <= len(raw) and raw[-back] >= 0xC0:
                needed = 2 if raw[-back] < 0xE0 else 3 if raw[-back] < 0xF0 else 4
                raw = raw[:-back] if needed > back else raw
                break
    try:
        text = repr(raw.decode())
    except UnicodeDecodeError:
        text = repr(raw)  # b'...': not text
    return text + "…" if stop < end else text


def _shown(size: int, summarize: bool) -> list[int | None]:
    """Positions shown along an axis; None stands for the ones left out."""
    edge: int = PRINT_OPTS.edgeitems
    if not summarize or size <= 2 * edge:
        return list(range(size))
    return [*range(edge), None, *range(size - edge, size)]


class _Lines:
    """The nested rows of a tensor's strings, until their characters are used up."""

    def __init__(self, s: Strings) -> None:
        self.data = s.data
        self.summarize = numel(s) > PRINT_OPTS.threshold
        self.left = MAX_TEXT

    def write(self, begins: Tensor, ends: Tensor, indent: int) -> str:
        if begins.dim() == 0:
            text = _quoted(self.data, int(begins), int(ends))
            self.left -= len(text) + 2
            return text
        parts: list[str] = []
        for i in _shown(begins.shape[0], self.summarize):
            if i is None or self.left <= 0:
                parts.append("...")
            else:
                parts.append(self.write(begins[i], ends[i], indent + 1))
            if self.left <= 0:
                break
        pad = " " * (indent + 1)
        if begins.dim() > 1:
            separator = "," + "\n" * (begins.dim() - 1) + pad
            self.left -= len(separator) * len(parts)
            return f"[{separator.join(parts)}]"
        return "[" + (",\n" + pad).join(self.flow(parts, len(pad))) + "]"

    def flow(self, parts: list[str], pad: int) -> list[str]:
        """Elements in lines as wide as torch's."""
        lines: list[str] = []
        line = ""
        width: int = PRINT_OPTS.linewidth
        for part in parts:
            if line and pad + len(line) + 2 + len(part) > width:
                lines.append(line)
                self.left -= pad
                line = part
            else:
                line = f"{line}, {part}" if line else part
        return [*lines, line]


def _size(size: Any) -> Any:
    return size if isinstance(size, int) else str(size)[:40]


def _shape(sizes: Any) -> str:
    """A shape as a list; of many sizes, the first and the last."""
    if len(sizes) <= 16:
        return str([_size(size) for size in sizes])
    first, last = ([str(_size(size)) for size in part] for part in (sizes[:8], sizes[-8:]))
    return f"[{', '.join([*first, '...', *last])}]"


def _leaf(value: Any) -> str:
    """What stands in the place of `data` or `offsets`, where the two are not those of strings."""
    if value is None or type(value) is not Tensor:
        return str(type(value).__name__)[:100] if value is not None else "None"
    return f"{str(value.dtype).removeprefix('torch.')}{_shape(value.shape)}"


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
    end = f"shape={_shape(shape(s))}" + ("" if s.data.is_cpu else f", device='{s.data.device}'") + ")"
    if not (can_read(s.offsets) and can_read(s.data)) or rank(s) > MAX_RANK:
        return f"{prefix}..., {end}"
    if numel(s) == 0:
        return f"{prefix}[], {end}"
    s = s._new(s.data.cpu(), s.offsets.cpu(), s._scalar)
    strings = _Lines(s).write(*ranges(s), len(prefix))
    separator = ",\n" + " " * len(prefix) if "\n" in strings else ", "
    return f"{prefix}{strings}{separator}{end}"


def to_text(s: Strings) -> str:
    """The repr. tree_map and half-made objects put anything in the place of the two tensors: never raises."""
    data, offsets = getattr(s, "data", None), getattr(s, "offsets", None)
    try:
        if _are_strings(data, offsets):
            return _text(s)
        return f"StringTensor(data={_leaf(data)}, offsets={_leaf(offsets)})"
    except Exception as error:  # of a tensor subclass, or since `_scalar` says otherwise than `offsets`
        types = [type(value).__name__[:100] for value in (data, offsets, error)]
        return "StringTensor(data={}, offsets={}, {})".format(*types)


def can_format(s: Strings) -> bool:
    """Whether `s` is formatted as a str: a single string is, as torch formats a tensor of rank 0 as a number."""
    return s._scalar and _are_strings(s.data, s.offsets) and can_read(s.data) and can_read(s.offsets)
