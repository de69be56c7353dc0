"""Reading and writing strings as the lines of a text file, without creating a Python object per line."""

from os import PathLike
from pathlib import Path

import torch
from torch import Tensor

from torch_stringops._atomic import replacing
from torch_stringops.tensor.strings import Strings, compact

_LF, _CR = 10, 13


def read_lines(path: str | PathLike[str]) -> tuple[Tensor, Tensor]:
    """Reads the lines of a file, which end in LF or CR LF, as `data` and `offsets`. The last line end is optional.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     _ = Path(file.name).write_text("to\\nbe\\n")
        ...     data, offsets = read_lines(file.name)
        >>> bytes(data.tolist()), offsets.tolist()
        (b'tobe', [0, 2, 4])
    """
    raw = bytearray(Path(path).read_bytes())
    if not raw:
        return torch.empty(0, dtype=torch.uint8, device="cpu"), torch.zeros(1, dtype=torch.int32, device="cpu")
    data = torch.frombuffer(raw, dtype=torch.uint8)
    ends = (data == _LF).nonzero().flatten()
    if raw[-1] != _LF:
        ends = torch.cat([ends, ends.new_tensor([len(raw)])])
    begins = torch.cat([ends.new_zeros(1), ends[:-1] + 1])
    ends = ends - ((data[(ends - 1).clamp(min=0)] == _CR) & (ends > begins)).to(ends.dtype)
    lines: tuple[Tensor, Tensor] = torch.ops.stringops.string_tensor_pack(begins, ends, data)
    return lines


def write_lines(path: str | PathLike[str], data: Tensor, offsets: Tensor, *, op: str) -> None:
    """Writes strings `[N]` on the CPU as lines that end in LF. Raises ValueError if a string contains a line break."""
    s = compact(Strings._new(data, offsets))
    data, offsets = s.data, s.offsets.long()
    breaks = ((data == _LF) | (data == _CR)).nonzero().flatten()
    if breaks.numel():
        bad = int(torch.searchsorted(offsets, breaks[0], right=True)) - 1
        raise ValueError(f"{op}: expected strings without line breaks, got one in string {bad}")
    # The bytes of string j are shifted by the j line ends before them.
    shifts = torch.repeat_interleave(torch.arange(offsets.numel() - 1, device="cpu"), offsets.diff())
    lines = torch.full([data.numel() + offsets.numel() - 1], _LF, dtype=torch.uint8, device="cpu")
    lines[torch.arange(data.numel(), device="cpu") + shifts] = data
    with replacing(path) as file:
        file.write(lines.numpy().data)
