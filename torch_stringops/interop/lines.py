"""Strings as the lines of a file: read and written whole, without a Python object a line."""

from os import PathLike
from pathlib import Path

import torch

from torch_stringops.string_tensor import StringTensor

_LF, _CR = 10, 13


def read_lines(path: str | PathLike[str]) -> StringTensor:
    """Read the lines of a file.

    Args:
        path: of a file whose lines end in LF or CR LF; the last one may end with the file.

    Returns:
        strings `[N]`, without their line ends.

    Raises:
        OSError: the file cannot be read.
        ValueError: it holds more than 2**31 - 1 bytes.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     _ = Path(file.name).write_text("to\\nbe\\n")
        ...     read_lines(file.name).tolist()
        ['to', 'be']
    """
    raw = bytearray(Path(path).read_bytes())
    if not raw:
        return StringTensor.from_list([])
    data = torch.frombuffer(raw, dtype=torch.uint8)
    ends = (data == _LF).nonzero().flatten()
    if raw[-1] != _LF:
        ends = torch.cat([ends, ends.new_tensor([len(raw)])])
    begins = torch.cat([ends.new_zeros(1), ends[:-1] + 1])
    ends = ends - ((data[(ends - 1).clamp(min=0)] == _CR) & (ends > begins)).to(ends.dtype)
    return StringTensor(*torch.ops.stringops.string_tensor_pack(begins, ends, data))


def write_lines(path: str | PathLike[str], input: StringTensor, *, op: str = "write_lines") -> None:
    """Write strings as the lines of a file, each ended by LF.

    Args:
        path: of the file; one that exists is replaced.
        input: strings `[N]`.
        op: the name that errors begin with.

    Raises:
        OSError: the file cannot be written.
        ValueError: a string holds a line break, so it would not come back as it went.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     write_lines(file.name, StringTensor.from_list(["to", "be"]))
        ...     Path(file.name).read_text()
        'to\\nbe\\n'
    """
    tokens = input.cpu().compact()
    data, offsets = tokens.data, tokens.offsets.long()
    breaks = ((data == _LF) | (data == _CR)).nonzero().flatten()
    if breaks.numel():
        bad = int(torch.searchsorted(offsets, breaks[0], right=True)) - 1
        raise ValueError(f"{op}: expected strings without line breaks, got one in string {bad}")
    # Byte i of string j moves down by the j line ends before it.
    shifts = torch.repeat_interleave(torch.arange(offsets.numel() - 1, device="cpu"), offsets.diff())
    lines = torch.full([data.numel() + offsets.numel() - 1], _LF, dtype=torch.uint8, device="cpu")
    lines[torch.arange(data.numel(), device="cpu") + shifts] = data
    Path(path).write_bytes(lines.numpy().tobytes())
