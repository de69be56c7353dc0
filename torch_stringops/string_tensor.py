"""StringTensor: strings of any shape as two tensors. A method is its docstring and one call into tensor/ or ops/."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import torch
from torch import Tensor

from torch_stringops._checks import MAX_BYTES, MAX_OFFSETS, shape_of, sizes_of, utf8, wrap_dim
from torch_stringops.interop.arrow import arrow_schema, strings_from_arrow, strings_to_arrow
from torch_stringops.interop.numpy import as_dtype, strings_from_numpy, strings_to_numpy
from torch_stringops.interop.python import strings_from_list, strings_to_list
from torch_stringops.interop.strings import argument
from torch_stringops.ops import compare, edit, inspect, join, split, vocabulary
from torch_stringops.tensor import dispatch, indexing, joining, printing, ranges, reshape, serialization
from torch_stringops.tensor.ranges import Strings


class StringTensor(Strings):
    """Strings of shape `[*S]`, held as two ordinary tensors.

    The string at `[i, ..., j]` is `data[offsets[i, ..., j] : offsets[i, ..., j + 1]]`. Strings are bytes,
    UTF-8 by convention. A StringTensor is immutable: its methods return new ones, which share `data` where they
    can. torch's own functions take it (`torch.cat([s, t])`, `torch.where(mask, s, t)`, `s == t`), and so do
    torch.compile, torch.export, DataLoader and torch.save.

    Args:
        data: uint8 `[num_bytes]`, contiguous.
        offsets: int32 `[*S[:-1], S[-1] + 1]`, in bytes; each row non-decreasing within `[0, num_bytes]`.
            Operators check the values at their entry, the constructor does not; see `validate`.
        scalar: the one string of `offsets` `[2]` has rank 0.

    Raises:
        TypeError: an argument is not a tensor.
        ValueError: a dtype, shape or device is another.

    Example:
        >>> s = StringTensor.from_list([["to", "be"], ["or", "not"]])
        >>> s
        StringTensor([['to', 'be'],
                      ['or', 'not']],
                     shape=[2, 2])
        >>> s[:, 0].tolist()
        ['to', 'or']
        >>> torch.cat([s, s], dim=1).shape
        torch.Size([2, 4])
        >>> s == "be"
        tensor([[False,  True],
                [False, False]])
    """

    __slots__ = ("__weakref__",)

    def __init__(self, data: Tensor, offsets: Tensor = None, *, scalar: bool = False) -> None:  # type: ignore[assignment]
        if offsets is None:
            raise TypeError(
                f"StringTensor: expected the tensors `data` and `offsets`, got {type(data).__name__} alone "
                "(StringTensor.from_list makes one of Python's strings)"
            )
        if scalar or not ranges.clearly_strings(data, offsets):
            ranges.check(data, offsets, scalar)
        self.data = data
        self.offsets = offsets
        self._scalar = scalar

    def _argument(self, op: str, name: str, value: Any) -> StringTensor:
        """The argument `name` as strings to compare with or choose from, on the device of these strings."""
        if isinstance(value, StringTensor):
            return value
        if isinstance(value, (str, bytes)) and self.data.is_cpu and not torch.compiler.is_compiling():
            # What most comparisons are with, hence without a walk over lists of any shape.
            raw = utf8(op, name, value)
            if 0 < len(raw) <= MAX_BYTES:
                data = torch.frombuffer(bytearray(raw), dtype=torch.uint8)
                return self._new(data, torch.from_numpy(np.array([0, len(raw)], dtype=np.int32)), True)
        return StringTensor._converted(*argument(op, name, value)).to(self.device)

    @staticmethod
    def _converted(data: Tensor, offsets: Tensor, scalar: bool = False) -> StringTensor:
        # What interop/ makes needs no check but that of its size.
        if data.numel() > MAX_BYTES or offsets.numel() > MAX_OFFSETS:
            ranges.check(data, offsets, scalar)
        return StringTensor._new(data, offsets, scalar)

    # To and from what holds strings elsewhere.

    @staticmethod
    def from_list(values: Any, *, missing: str | bytes | None = None) -> StringTensor:
        """Strings from Python's. `torch_stringops.as_strings` takes columns of tables, too.

        Args:
            values: `str` or `bytes` (gives rank 0), lists or tuples of them nested to any depth, a NumPy
                array of strings, or a StringTensor (returned as is). `str` is stored as UTF-8, `bytes` as is.
            missing: what to put in the place of a missing string (None, NaN); None to allow none.

        Raises:
            TypeError: an element is not a string.
            ValueError: lists of one level differ in length; the message names the place.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", ""]]).tolist()
            [['a', 'b'], ['c', '']]
            >>> StringTensor.from_list("a").shape
            torch.Size([])
        """
        if isinstance(values, StringTensor):
            return values
        if isinstance(values, np.ndarray):
            return StringTensor.from_numpy(values, missing=missing)
        return StringTensor._converted(*strings_from_list(values, missing=missing))

    @staticmethod
    def from_numpy(array: np.ndarray[Any, Any], *, missing: str | bytes | None = None) -> StringTensor:
        """Strings of the shape of a NumPy array, copied.

        Args:
            array: dtype `str_` (`U`), `bytes_` (`S`), `object` (of `str` and `bytes`) or `StringDType`.
            missing: what to put in the place of a missing string (None, NaN, a masked element); None to allow
                none.

        Raises:
            TypeError: the dtype is another, or an object is not a string.

        Example:
            >>> StringTensor.from_numpy(np.array([["a", "bc"]])).tolist()
            [['a', 'bc']]
        """
        return StringTensor._converted(*strings_from_numpy(array, missing=missing))

    @staticmethod
    def from_arrow(column: Any, *, missing: str | bytes | None = None) -> StringTensor:
        """Strings `[n]` from an Arrow column; they share its memory if it is one chunk of `utf8` or `binary`.

        Args:
            column: a pyarrow Array or ChunkedArray, a polars or pandas Series, or anything else that speaks
                the Arrow PyCapsule protocol (`__arrow_c_array__`, `__arrow_c_stream__`).
            missing: what to put in the place of a missing string (null); None to allow none.

        Raises:
            TypeError: `column` is not an Arrow column, or holds no strings.
            ValueError: a string is missing; the message names the first.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> StringTensor.from_arrow(s).data.data_ptr() == s.data.data_ptr()
            True
        """
        return StringTensor._converted(*strings_from_arrow(column, missing=missing))

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """Rank 1 as an Arrow `utf8` array (`binary` if that is asked for), which shares the memory."""
        if self._scalar:
            raise ValueError(
                "StringTensor.__arrow_c_array__: expected strings of rank 1, got shape [] (use .reshape(1))"
            )
        return strings_to_arrow(self.data, self.offsets, requested_schema)

    def __arrow_c_schema__(self) -> Any:
        """The Arrow type of `__arrow_c_array__`: `utf8`."""
        return arrow_schema()

    def tolist(self, *, as_bytes: bool = False, errors: str = "strict") -> Any:
        """The strings as nested lists; rank 0 gives the string itself.

        Args:
            as_bytes: give `bytes`, not `str`.
            errors: what to do with invalid UTF-8, as in `bytes.decode`.

        Raises:
            ValueError: a string is not UTF-8 and `errors` is "strict"; the message says which one.

        Example:
            >>> StringTensor.from_list([b"caf\\xc3\\xa9", b"\\xff"]).tolist(errors="replace")
            ['café', '\\ufffd']
            >>> StringTensor.from_list(["a"]).tolist(as_bytes=True)
            [b'a']
        """
        s = self.cpu()
        return strings_to_list(s.data, s.offsets, scalar=self._scalar, as_bytes=as_bytes, errors=errors)

    def item(self, *, as_bytes: bool = False, errors: str = "strict") -> Any:
        """The one string of a tensor that holds one, as a `str`.

        Raises:
            RuntimeError: there are more, or none.

        Example:
            >>> StringTensor.from_list(["a", "b"])[1].item()
            'b'
        """
        if self.numel() != 1:
            raise RuntimeError(f"a StringTensor with {self.numel()} elements cannot be converted to str")
        one = self.reshape(()).cpu()
        return strings_to_list(
            one.data, one.offsets, scalar=True, as_bytes=as_bytes, errors=errors, op="StringTensor.item"
        )

    def numpy(self, dtype: Any = object, *, errors: str = "strict") -> np.ndarray[Any, Any]:
        """The strings as a NumPy array, a copy.

        Args:
            dtype: `object` (of `str`), `np.dtypes.StringDType()`, `"U"`, or `"S"` (the bytes, not decoded).
            errors: what to do with invalid UTF-8, as in `bytes.decode`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).numpy()
            array(['a', 'b'], dtype=object)
            >>> StringTensor.from_list(["a", "b"]).numpy("U")
            array(['a', 'b'], dtype='<U1')
        """
        s = self.cpu()
        return strings_to_numpy(s.data, s.offsets, dtype=dtype, scalar=self._scalar, errors=errors)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("StringTensor.__array__: a NumPy array of str cannot share the bytes")
        if dtype is None:
            return self.numpy()
        wanted = as_dtype("StringTensor.__array__", dtype)
        try:
            return self.numpy().astype(wanted)
        except (TypeError, ValueError):
            name = wanted.name
        raise ValueError(
            f"StringTensor.__array__: expected strings that NumPy converts to {name}, got others"
        )

    # Shape, as of any tensor.

    @property
    def shape(self) -> torch.Size:
        """Shape of the string tensor, as of any tensor.

        Example:
            >>> StringTensor.from_list([["a", "b", "c"]]).shape
            torch.Size([1, 3])
        """
        if self._scalar:
            return torch.Size([])
        sizes = self.offsets.shape
        return torch.Size([*sizes[:-1], sizes[-1] - 1])

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one axis.

        Example:
            >>> StringTensor.from_list(["a", "b"]).size(0)
            2
        """
        return self.shape if dim is None else self.shape[wrap_dim(dim, self.ndim)]

    @property
    def ndim(self) -> int:
        """Number of axes; 0 for a single string."""
        return 0 if self._scalar else self.offsets.dim()

    def dim(self) -> int:
        """Number of axes; 0 for a single string."""
        return self.ndim

    def numel(self) -> int:
        """Number of strings.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).numel()
            4
        """
        count: int = ranges.numel(self)
        return count

    nelement = numel

    def __len__(self) -> int:
        if self._scalar:
            raise TypeError("len() of a 0-d StringTensor")
        return self.shape[0]

    # Another shape or order of axes, and repetition; see tensor/reshape.py.

    def reshape(self, *shape: Any) -> StringTensor:
        """The same strings, in row-major order, in another shape; one size may be -1.

        Shares `data` wherever the bytes lie in that order (always, for compact strings), and gathers them
        otherwise.

        Example:
            >>> StringTensor.from_list(["a", "b", "c", "d"]).reshape(2, -1).tolist()
            [['a', 'b'], ['c', 'd']]
        """
        return reshape.reshape(self, sizes_of(shape))

    def view(self, *shape: Any) -> StringTensor:
        """As `reshape`: strings are never written in place, so a view cannot be told from a copy.

        Example:
            >>> StringTensor.from_list(["a", "b"]).view(2, 1).shape
            torch.Size([2, 1])
        """
        return self.reshape(*shape)

    def reshape_as(self, other: Any) -> StringTensor:
        """As `reshape(other.shape)`."""
        return self.reshape(shape_of("reshape_as", other))

    def view_as(self, other: Any) -> StringTensor:
        """As `view(other.shape)`."""
        return self.reshape(shape_of("view_as", other))

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> StringTensor:
        """Axes `start_dim` to `end_dim` made one.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).flatten().tolist()
            ['a', 'b', 'c', 'd']
        """
        return reshape.flatten(self, start_dim, end_dim)

    def ravel(self) -> StringTensor:
        """All axes made one."""
        return self.flatten()

    def unflatten(self, dim: int, sizes: Any) -> StringTensor:
        """Axis `dim` made several.

        Example:
            >>> StringTensor.from_list(["a", "b", "c", "d"]).unflatten(0, (2, 2)).tolist()
            [['a', 'b'], ['c', 'd']]
        """
        return reshape.unflatten(self, dim, sizes)

    def squeeze(self, dim: int | tuple[int, ...] | None = None) -> StringTensor:
        """Without the axes (of those given in `dim`) whose size is 1.

        Example:
            >>> StringTensor.from_list([["a"], ["b"]]).squeeze(1).tolist()
            ['a', 'b']
        """
        return reshape.squeeze(self, dim)

    def unsqueeze(self, dim: int) -> StringTensor:
        """With an axis of size 1 put before axis `dim`; shares `data`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).unsqueeze(-1).tolist()
            [['a'], ['b']]
        """
        return reshape.unsqueeze(self, dim)

    def permute(self, *dims: Any) -> StringTensor:
        """Axes in another order; shares `data` where the last axis stays the last.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).permute(1, 0).tolist()
            [['a', 'c'], ['b', 'd']]
        """
        return reshape.permute(self, sizes_of(dims))

    def transpose(self, dim0: int, dim1: int) -> StringTensor:
        """Axes `dim0` and `dim1` exchanged.

        Example:
            >>> StringTensor.from_list([["a", "b"]]).transpose(0, 1).tolist()
            [['a'], ['b']]
        """
        return reshape.transpose(self, dim0, dim1)

    swapaxes = transpose

    swapdims = transpose

    def t(self) -> StringTensor:
        """A matrix transposed; a vector or a single string as it is."""
        return reshape.t(self)

    @property
    def T(self) -> StringTensor:
        """All axes in reverse order."""
        return reshape.reversed_axes(self)

    @property
    def mT(self) -> StringTensor:
        """The last two axes exchanged."""
        return reshape.mT(self)

    def movedim(self, source: Any, destination: Any) -> StringTensor:
        """Axes moved to other places, the rest in their order.

        Example:
            >>> StringTensor.from_list([[["a", "b"]]]).movedim(-1, 0).shape
            torch.Size([2, 1, 1])
        """
        return reshape.movedim(self, source, destination)

    moveaxis = movedim

    def expand(self, *sizes: Any) -> StringTensor:
        """Axes of size 1 repeated; new axes come in front; -1 keeps a size.

        Costs no bytes for all axes but the last one, for which the strings are repeated in memory.

        Example:
            >>> StringTensor.from_list([["a"], ["b"]]).expand(-1, 2).tolist()
            [['a', 'a'], ['b', 'b']]
        """
        return reshape.expand(self, sizes_of(sizes))

    def expand_as(self, other: Any) -> StringTensor:
        """As `expand(other.shape)`."""
        return self.expand(shape_of("expand_as", other))

    def broadcast_to(self, shape: Any) -> StringTensor:
        """As `expand(shape)`."""
        return self.expand(shape)

    def repeat(self, *repeats: Any) -> StringTensor:
        """The whole tensor repeated along each axis, as `torch.Tensor.repeat`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).repeat(2, 1).tolist()
            [['a', 'b'], ['a', 'b']]
        """
        return reshape.repeat(self, sizes_of(repeats))

    def tile(self, *dims: Any) -> StringTensor:
        """As `repeat`, with missing leading counts taken as 1."""
        return reshape.tile(self, sizes_of(dims))

    def repeat_interleave(self, repeats: Any, dim: int | None = None) -> StringTensor:
        """Each string, or each slice along `dim`, repeated in place.

        Example:
            >>> StringTensor.from_list(["a", "b"]).repeat_interleave(2).tolist()
            ['a', 'a', 'b', 'b']
        """
        return reshape.repeat_interleave(self, repeats, dim)

    # Some of the strings, or all in another order; see tensor/indexing.py.

    def __getitem__(self, index: Any) -> StringTensor:
        return indexing.getitem(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError(
            "StringTensor: strings are not assigned in place; make a new tensor: "
            "torch.where(mask, s, t), s.where(mask, t) or torch.cat"
        )

    def __getitems__(self, indices: Any) -> StringTensor:
        """A whole batch for DataLoader, to which a string tensor is a dataset."""
        return self[indexing.index_tensor(indices)]

    def __iter__(self) -> Iterator[StringTensor]:
        if self._scalar:
            raise TypeError("iteration over a 0-d StringTensor")
        return iter(self.unbind(0))

    def select(self, dim: int, index: int) -> StringTensor:
        """The slice at `index` of axis `dim`, without that axis.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).select(1, 0).tolist()
            ['a', 'c']
        """
        return indexing.select(self, dim, index)

    def narrow(self, dim: int, start: int, length: int) -> StringTensor:
        """Slices `start` to `start + length` of axis `dim`; shares `data`.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).narrow(0, 1, 2).tolist()
            ['b', 'c']
        """
        return indexing.narrow(self, dim, start, length)

    def _tensor_split(self, split_size_or_sections: Any, dim: int = 0) -> tuple[StringTensor, ...]:
        """torch.split."""
        return tuple(indexing.cut(self, dim, lambda t: t.split(split_size_or_sections, dim)))

    def split_with_sizes(self, split_sizes: Any, dim: int = 0) -> tuple[StringTensor, ...]:
        """Chunks of these sizes along `dim`, sharing `data`.

        Example:
            >>> [part.tolist() for part in StringTensor.from_list(["a", "b", "c"]).split_with_sizes([1, 2])]
            [['a'], ['b', 'c']]
        """
        return tuple(indexing.cut(self, dim, lambda t: t.split_with_sizes(split_sizes, dim)))

    def chunk(self, chunks: int, dim: int = 0) -> tuple[StringTensor, ...]:
        """At most `chunks` chunks along `dim`, sharing `data`.

        Example:
            >>> [part.tolist() for part in StringTensor.from_list(["a", "b", "c"]).chunk(2)]
            [['a', 'b'], ['c']]
        """
        return tuple(indexing.cut(self, dim, lambda t: t.chunk(chunks, dim)))

    def tensor_split(self, indices_or_sections: Any, dim: int = 0) -> tuple[StringTensor, ...]:
        """Chunks along `dim`, as `torch.tensor_split`: so many, or cut at indices, which may go back.

        Example:
            >>> [part.tolist() for part in StringTensor.from_list(["a", "b", "c"]).tensor_split((1,))]
            [['a'], ['b', 'c']]
        """
        return tuple(indexing.tensor_split(self, indices_or_sections, dim))

    def unbind(self, dim: int = 0) -> tuple[StringTensor, ...]:
        """All slices along `dim`, without that axis.

        Example:
            >>> [part.item() for part in StringTensor.from_list(["a", "b"]).unbind()]
            ['a', 'b']
        """
        return tuple(indexing.unbind(self, dim))

    def index_select(self, dim: int, index: Tensor) -> StringTensor:
        """Slices of axis `dim` at int positions `index` `[K]`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).index_select(0, torch.tensor([1, 1])).tolist()
            ['b', 'b']
        """
        return indexing.index_select(self, dim, index)

    def masked_select(self, mask: Tensor) -> StringTensor:
        """The strings where `mask` (bool, broadcast) is true, as `[K]`.

        Example:
            >>> StringTensor.from_list([["a", "b"]]).masked_select(torch.tensor([False, True])).tolist()
            ['b']
        """
        return indexing.masked_select(self, mask)

    def take(self, index: Tensor) -> StringTensor:
        """Strings at positions of the flattened tensor, in the shape of `index`.

        Example:
            >>> StringTensor.from_list([["a", "b"]]).take(torch.tensor([[1], [0]])).tolist()
            [['b'], ['a']]
        """
        return indexing.take(self, index)

    def gather(self, dim: int, index: Tensor) -> StringTensor:
        """Strings at int64 positions along `dim`, as `torch.gather`.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).gather(1, torch.tensor([[1], [0]])).tolist()
            [['b'], ['c']]
        """
        return indexing.gather(self, dim, index)

    def take_along_dim(self, indices: Tensor, dim: int | None = None) -> StringTensor:
        """As `gather`, with broadcasting: takes what `argsort` returns. Without `dim`, from the flattened strings."""
        return indexing.take_along_dim(self, indices, dim)

    def flip(self, *dims: Any) -> StringTensor:
        """The order along each axis of `dims` reversed.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).flip(0).tolist()
            ['c', 'b', 'a']
        """
        return indexing.flip(self, sizes_of(dims))

    def roll(self, shifts: Any, dims: Any = None) -> StringTensor:
        """Strings shifted along `dims`, as `torch.roll`.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).roll(1).tolist()
            ['c', 'a', 'b']
        """
        return indexing.roll(self, shifts, dims)

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> StringTensor:
        """The diagonal of axes `dim1` and `dim2`, as the last axis."""
        return indexing.diagonal(self, offset, dim1, dim2)

    # Where and how the bytes lie. None of these changes a string.

    @property
    def device(self) -> torch.device:
        """Where `data` and `offsets` lie. Operators on strings run on the CPU."""
        return self.data.device

    @property
    def nbytes(self) -> int:
        """Bytes that `data` and `offsets` take; all of `data`, even if the strings need less."""
        return self.data.nbytes + self.offsets.nbytes

    def is_compact(self) -> bool:
        """Whether the strings, in order, cover `data` from its first byte to its last.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> s.is_compact(), s[1:].is_compact()
            (True, False)
        """
        return ranges.is_compact(self)

    def compact(self) -> StringTensor:
        """The same strings with no other bytes in `data`; itself if that is so already.

        A slice keeps all of `data` alive; this is how to let go of the rest.

        Example:
            >>> StringTensor.from_list(["a", "long and unwanted"])[:1].compact().data
            tensor([97], dtype=torch.uint8)
        """
        return ranges.compact(self)

    is_contiguous = is_compact
    contiguous = compact

    def clone(self) -> StringTensor:
        """A copy that shares no memory."""
        return ranges.clone(self)

    def detach(self) -> StringTensor:
        """The same strings; there are no gradients to detach from."""
        return self._new(self.data.detach(), self.offsets.detach(), self._scalar)

    def to(
        self,
        device: Any = None,
        *,
        dtype: torch.dtype | None = None,
        non_blocking: bool = False,
        copy: bool = False,
    ) -> StringTensor:
        """On another device, or on that of another tensor; itself if it is there already.

        Args:
            device: a device, its name or index, a Tensor or a StringTensor.
            dtype: None; strings have no dtype to convert.
            non_blocking: as in `torch.Tensor.to`.
            copy: copy even where nothing needs to move.

        Raises:
            TypeError: a dtype is given.

        Example:
            >>> StringTensor.from_list(["a"]).to("cpu").device
            device(type='cpu')
        """
        if isinstance(device, (Tensor, StringTensor)):
            device = device.device
        return ranges.to(self, device, dtype, non_blocking, copy)

    def cpu(self) -> StringTensor:
        """On the CPU, where the operators are."""
        return self.to("cpu")

    def cuda(self, device: Any = None, non_blocking: bool = False) -> StringTensor:
        """In a GPU's memory."""
        return self.to("cuda" if device is None else device, non_blocking=non_blocking)

    @property
    def is_cuda(self) -> bool:
        """Whether the tensors are in a GPU's memory."""
        return self.data.is_cuda

    @property
    def is_cpu(self) -> bool:
        """Whether the tensors are in the CPU's memory."""
        return self.data.is_cpu

    def pin_memory(self) -> StringTensor:
        """In page-locked memory, from which copies to a GPU are asynchronous."""
        return self._new(self.data.pin_memory(), self.offsets.pin_memory(), self._scalar)

    def is_pinned(self) -> bool:
        """Whether both tensors are in page-locked memory."""
        return bool(self.data.is_pinned() and self.offsets.is_pinned())

    def share_memory_(self) -> StringTensor:
        """Moves both tensors, in place and whole, to memory that other processes can map.

        Example:
            >>> StringTensor.from_list(["a"]).share_memory_().is_shared()
            True
        """
        self.data.share_memory_()
        self.offsets.share_memory_()
        return self

    def is_shared(self) -> bool:
        """Whether other processes can map both tensors."""
        return bool(self.data.is_shared() and self.offsets.is_shared())

    def validate(self) -> StringTensor:
        """Checks the values of `offsets`, which every operator does at its entry; returns the tensor.

        Raises:
            ValueError: an offset is smaller than the one before it in its row, negative, or beyond `data`.

        Example:
            >>> three_bytes = torch.zeros(3, dtype=torch.uint8)
            >>> StringTensor(three_bytes, torch.tensor([0, 4], dtype=torch.int32)).validate()
            Traceback (most recent call last):
            ValueError: StringTensor: expected `offsets` non-decreasing within [0, 3] in each row, got 4 at
            row 0, position 1
        """
        ranges.validate(self)
        return self

    # Comparing, and choosing between strings.

    def eq(self, other: Any) -> Tensor:
        """Which strings are equal to those of `other`, with broadcasting; what `==` gives.

        Args:
            other: a StringTensor, `str` or `bytes`, or what else `as_strings` takes.

        Example:
            >>> StringTensor.from_list(["a", "b"]).eq("b")
            tensor([False,  True])
            >>> StringTensor.from_list(["a", "b"]) == ["a", "c"]
            tensor([ True, False])
        """
        return compare.string_equal(self, self._argument("eq", "other", other))

    def ne(self, other: Any) -> Tensor:
        """Which strings differ from those of `other`, with broadcasting; what `!=` gives."""
        return ~self.eq(other)

    def equal(self, other: StringTensor) -> bool:
        """Whether both have one shape and the same strings.

        Example:
            >>> StringTensor.from_list(["a"]).equal(StringTensor.from_list([["a"]]))
            False
        """
        if not isinstance(other, StringTensor):
            raise TypeError(f"equal: expected `other` to be a StringTensor, got {type(other).__name__}")
        return self.shape == other.shape and bool(self.eq(other).all())

    def __eq__(self, other: Any) -> Any:
        try:
            text = self._argument("eq", "other", other)
        except TypeError:  # not of strings
            return NotImplemented
        return compare.string_equal(self, text)

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else ~equal

    # As torch's tensors: by identity, since == compares element by element.
    __hash__ = object.__hash__

    def __contains__(self, value: Any) -> bool:
        # As torch's, of rank 0 too: whether a string is equal. To look into one: `"b" in s[0].item()`.
        return isinstance(value, (StringTensor, str, bytes)) and bool(self.eq(value).any())

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise RuntimeError(
                f"the truth of a StringTensor with {self.numel()} strings is ambiguous "
                "(compare, then use .any() or .all())"
            )
        return self.reshape(()).compact().data.numel() > 0

    def where(self, condition: Tensor, other: Any) -> StringTensor:
        """These strings where `condition` (bool) is true, else `other`'s, with broadcasting.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> s.where(s != "b", "?").tolist()
            ['a', '?']
        """
        return joining.where(condition, self, self._argument("where", "other", other))

    def masked_fill(self, mask: Tensor, value: StringTensor | str | bytes) -> StringTensor:
        """`value`, one string, where `mask` (bool) is true, else these strings, with broadcasting.

        Example:
            >>> s = StringTensor.from_list(["a", "", "c"])
            >>> s.masked_fill(s == "", "?").tolist()
            ['a', '?', 'c']
        """
        return joining.masked_fill(self, mask, self._argument("masked_fill", "value", value))

    # Text: methods named after Python's str.

    @overload
    def split(
        self,
        by: str | bytes | None = None,
        maxsplit: int = -1,
        *,
        delimiter: str | bytes | None = None,
        skip_empty: bool = False,
    ) -> tuple[StringTensor, Tensor]: ...
    @overload
    def split(self, by: int | Sequence[int], dim: int = 0) -> tuple[StringTensor, ...]: ...

    def split(self, by: Any = None, *args: Any, delimiter: Any = None, **kwargs: Any) -> Any:
        """A string (or nothing) cuts the strings, as Python's `str.split`; ints cut the tensor, as
        `torch.split`.

        Args:
            by: a delimiter, or None for runs of whitespace; or the size, or sizes, of the chunks.
            maxsplit: with a delimiter: most cuts a string; -1 for no limit.
            skip_empty: with a delimiter: leave out the empty pieces.
            delimiter: another name of `by`, that of `string_split` and `split_ragged`.
            dim: with sizes: the axis to cut.

        Returns:
            With a delimiter: the pieces, strings `[*S, D]` padded with "", and their counts, int64 `[*S]`
            (see `string_split`). With sizes: a tuple of StringTensors that share `data`.

        Example:
            >>> s = StringTensor.from_list(["a", "b", "c"])
            >>> [part.tolist() for part in s.split(2)]
            [['a', 'b'], ['c']]
        """
        if delimiter is not None:
            if by is not None:
                raise TypeError("split: expected one of `by` and `delimiter`, got both")
            by = delimiter
        if by is None or isinstance(by, (str, bytes)):
            return split.string_split(self, by or "", *args, **kwargs)
        return self._tensor_split(by, *args, **kwargs)

    def split_ragged(
        self, delimiter: str | bytes | None = None, maxsplit: int = -1, *, skip_empty: bool = False
    ) -> tuple[StringTensor, Tensor]:
        """Each string cut at `delimiter` (None: at whitespace), the pieces in one vector.

        `skip_empty` leaves out the empty pieces. See `string_split_ragged`.

        Returns:
            The pieces, strings `[T]`, and `row_splits`, int64 `[N + 1]`: string `i` gave pieces
            `row_splits[i]` to `row_splits[i + 1]`.
        """
        return split.string_split_ragged(self, delimiter or "", maxsplit, skip_empty=skip_empty)

    def length(self, unit: str = "codepoint") -> Tensor:
        """The length of each string.

        Args:
            unit: "codepoint", as Python's `len` (a byte that is not part of a code point counts as one), or "byte".

        Returns:
            int64 `[*S]`.

        Raises:
            ValueError: `unit` is unknown.

        Example:
            >>> s = StringTensor.from_list(["café", ""])
            >>> s.length(), s.length("byte")
            (tensor([4, 0]), tensor([5, 0]))
        """
        return inspect.string_length(self, unit)

    def reverse(self) -> StringTensor:
        """Each string with its code points in reverse order, as Python's `s[::-1]`.

        A byte that is not part of a code point counts as one. To reverse the order of strings: `flip`.

        Returns:
            Strings `[*S]`, compact.

        Example:
            >>> StringTensor.from_list(["abc", "café"]).reverse().tolist()
            ['cba', 'éfac']
        """
        return edit.string_reverse(self)

    def join(self, separator: str | bytes = "", dim: int = -1) -> StringTensor:
        """The strings along axis `dim` joined to one, as Python's `separator.join`.

        Args:
            separator: between each two strings.
            dim: the axis that goes; of rank 1 one string is left, of rank 0.

        Returns:
            Strings of the other axes, compact; "" if `dim` has size 0.

        Raises:
            ValueError: the result needs more than 2**31 - 1 bytes.
            IndexError: there is no axis `dim`.

        Example:
            >>> StringTensor.from_list([["to", "be"], ["or", "not"]]).join(" ").tolist()
            ['to be', 'or not']
        """
        return join.string_join(self, separator, dim)

    def unique(self, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
        """The distinct strings, as `torch.unique`; what `torch.unique(s, ...)` calls.

        Args:
            sorted: in the order of their bytes (for UTF-8, of their code points), else in order of first
                appearance, which is faster and can be traced.
            return_inverse: also where each string is among the distinct ones, int64 `[*S]`.
            return_counts: also how often each occurs, int64 `[U]`.

        Returns:
            Strings `[U]`, or a tuple of them and what else was asked for.

        Raises:
            RuntimeError: torch.compile(fullgraph=True) or torch.export traces it with `sorted`.

        Example:
            >>> s = StringTensor.from_list(["b", "a", "b"])
            >>> s.unique(return_counts=True)
            (StringTensor(['a', 'b'], shape=[2]), tensor([1, 2]))
        """
        return vocabulary.unique(self, sorted, return_inverse, return_counts)

    # Printing, torch's functions, pickle and copy.

    def __repr__(self) -> str:
        return printing.to_text(self)

    def __format__(self, spec: str) -> str:
        if not printing.can_format(self):
            return object.__format__(self, spec)
        try:
            return format(self.item(errors="replace"), spec)
        except (ValueError, RuntimeError):  # offsets that are not those of one string
            return format(repr(self), spec)

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return dispatch.dispatch(function, args, kwargs or {})

    def __reduce_ex__(self, protocol: Any) -> Any:
        return rebuild, serialization.to_pickle(self)

    def __copy__(self) -> StringTensor:
        return self._new(self.data, self.offsets, self._scalar)

    def __deepcopy__(self, memo: dict[int, Any]) -> StringTensor:
        return self._new(copy.deepcopy(self.data, memo), copy.deepcopy(self.offsets, memo), self._scalar)


def rebuild(data: Tensor, offsets: Tensor, scalar: bool) -> StringTensor:
    """What a pickle calls."""
    s = StringTensor(data, offsets, scalar=bool(scalar))
    serialization.check_pickled(s)
    return s
