"""repr of a string tensor, laid out as torch prints tensors. Reads what it shows, and no other byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch._tensor_str import PRINT_OPTS

from torch_stringops._layout import can_read, ranges

if TYPE_CHECKING:
    from torch_stringops.string_tensor import StringTensor

# Bytes of a string that are shown at most; what is cut off shows as an ellipsis after the closing quote.
MAX_STRING = 60


def _quoted(s: StringTensor, begin: int, end: int) -> str:
    """One string as Python would write it. Offsets may be anything: a repr must not fail."""
    begin = min(max(begin, 0), len(s.data))
    end = min(max(end, begin), len(s.data))
    stop = min(end, begin + MAX_STRING)
    raw = bytes(s.data[begin:stop].tolist())
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
        text = repr(raw)  # b'...': these are no text
    return text + "…" if stop < end else text


def _shown(size: int, summarize: bool) -> list[int | None]:
    """Positions shown along an axis; None stands for the ones left out."""
    edge: int = PRINT_OPTS.edgeitems
    if not summarize or size <= 2 * edge:
        return list(range(size))
    return [*range(edge), None, *range(size - edge, size)]


def _lines(s: StringTensor, begins: Any, ends: Any, indent: int, summarize: bool) -> str:
    if begins.dim() == 0:
        return _quoted(s, int(begins), int(ends))
    shown = _shown(begins.shape[0], summarize)
    parts = ["..." if i is None else _lines(s, begins[i], ends[i], indent + 1, summarize) for i in shown]
    pad = " " * (indent + 1)
    if begins.dim() > 1:
        rows: str = ("," + "\n" * (begins.dim() - 1) + pad).join(parts)
        return f"[{rows}]"
    # Elements flow into lines as wide as torch's.
    lines: list[str] = []
    line = ""
    width: int = PRINT_OPTS.linewidth
    for part in parts:
        if line and len(pad) + len(line) + 2 + len(part) > width:
            lines.append(line)
            line = part
        else:
            line = f"{line}, {part}" if line else part
    return "[" + (",\n" + pad).join([*lines, line]) + "]"


def to_text(s: StringTensor) -> str:
    prefix = "StringTensor("
    shape = f"shape={[size if isinstance(size, int) else str(size) for size in s.shape]}"
    device = "" if s.device.type == "cpu" else f", device='{s.device}'"
    if not can_read(s.offsets):
        return f"{prefix}..., {shape}{device})"
    if s.device.type != "cpu":
        s = s.cpu()
    begins, ends = ranges(s)
    strings = _lines(s, begins, ends, len(prefix), s.numel() > PRINT_OPTS.threshold)
    separator = ",\n" + " " * len(prefix) if "\n" in strings else ", "
    return f"{prefix}{strings}{separator}{shape}{device})"
