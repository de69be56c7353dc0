"""StringTensor: strings of any shape, stored as two tensors. Methods call functions of tensor/ and ops/."""

from __future__ import annotations

import contextlib
import copy
import functools
import pickle
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import torch
from torch import Tensor

from torch_stringops._checks import MAX_BYTES, MAX_OFFSETS, shape_of, sizes_of, utf8, wrap_dim
from torch_stringops._tracing import is_eager
from torch_stringops.interop.arrow import arrow_schema, strings_from_arrow, strings_to_arrow
from torch_stringops.interop.numpy import as_dtype, strings_from_numpy, strings_to_numpy
from torch_stringops.interop.python import strings_from_list, strings_to_list
from torch_stringops.interop.strings import argument
from torch_stringops.ops import compare, edit, inspect, join, split, vocabulary
from torch_stringops.ops import gather as gather  # registers fake kernels
from torch_stringops.tensor import dispatch, indexing, joining, printing, ranges, reshape, serialization
from torch_stringops.tensor.ranges import Strings


class StringTensor(Strings):
    """Strings of shape `[*S]`, stored as two ordinary tensors.

    The string at `[i, ..., j]` is `data[offsets[i, ..., j] : offsets[i, ..., j + 1]]`. Strings are bytes,
    UTF-8 by convention. A StringTensor is immutable: its methods return new StringTensors, which share
    `data` if possible. torch's own functions accept it (`torch.cat([s, t])`, `torch.where(mask, s, t)`, `s == t`),
    and so do torch.compile, torch.export, DataLoader and torch.save.

    Args:
        data: uint8 `[num_bytes]`, contiguous.
        offsets: int32 `[*S[:-1], S[-1] + 1]`, in bytes; each row non-decreasing within `[0, num_bytes]`.
            Operators check the values, the constructor does not; see `validate`.
        scalar: whether this is a single string of rank 0; `offsets` is then `[2]`.

    Raises:
        TypeError: an argument is not a tensor.
        ValueError: a dtype or shape is not as above, or the devices differ.

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
                "(use StringTensor.from_list for Python strings)"
            )
        if scalar or not ranges.is_valid(data, offsets):
            ranges.check(data, offsets, scalar)
        self.data = data
        self.offsets = offsets
        self._scalar = scalar

    def _argument(self, op: str, name: str, value: Any) -> StringTensor:
        """Converts the argument `name` to strings on the device of this tensor."""
        if isinstance(value, StringTensor):
            return value
        if isinstance(value, (str, bytes)) and self.data.is_cpu and not torch.compiler.is_compiling():
            # A fast path for the most common argument of comparisons.
            raw = utf8(op, name, value)
            if len(raw) <= _MAX_KEPT and is_eager() and not torch.is_inference_mode_enabled():
                return _kept_string(raw)
            if 0 < len(raw) <= MAX_BYTES:
                return _new_string(raw)
        return StringTensor._converted(*argument(op, name, value)).to(self.device)

    @staticmethod
    def _converted(data: Tensor, offsets: Tensor, scalar: bool = False) -> StringTensor:
        # The functions of interop/ return valid tensors; only their sizes need a check.
        if data.numel() > MAX_BYTES or offsets.numel() > MAX_OFFSETS:
            ranges.check(data, offsets, scalar)
        return StringTensor._new(data, offsets, scalar)

    # Conversion from and to Python lists, NumPy arrays and Arrow columns.

    @staticmethod
    def from_list(values: Any, *, missing: str | bytes | None = None) -> StringTensor:
        """Creates a StringTensor from Python strings. `torch_stringops.as_strings` also accepts columns of tables.

        Args:
            values: `str` or `bytes` (gives rank 0), lists or tuples of them nested to any depth, a NumPy
                array of strings, or a StringTensor (returned as is). `str` is stored as UTF-8, `bytes` as is.
            missing: replaces missing strings (None, NaN). Default: None, a missing string is an error.

        Raises:
            TypeError: an element is not a string.
            ValueError: lists of one level differ in length; the message gives the position.

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
        """Creates a StringTensor from a NumPy array of the same shape. The strings are copied.

        Args:
            array: dtype `str_` (`U`), `bytes_` (`S`), `object` (of `str` and `bytes`) or `StringDType`.
            missing: replaces missing strings (None, NaN, masked elements). Default: None, a missing string is an
                error.

        Raises:
            TypeError: the dtype is not one of these, or an object is not a string.

        Example:
            >>> StringTensor.from_numpy(np.array([["a", "bc"]])).tolist()
            [['a', 'bc']]
        """
        return StringTensor._converted(*strings_from_numpy(array, missing=missing))

    @staticmethod
    def from_arrow(column: Any, *, missing: str | bytes | None = None) -> StringTensor:
        """Creates a StringTensor `[n]` from an Arrow column. A single chunk of `utf8` or `binary` is zero-copy.

        Args:
            column: a pyarrow Array or ChunkedArray, a polars or pandas Series, or any other object that implements
                the Arrow PyCapsule protocol (`__arrow_c_array__`, `__arrow_c_stream__`).
            missing: replaces missing strings (nulls). Default: None, a missing string is an error.

        Raises:
            TypeError: `column` is not an Arrow column of strings.
            ValueError: a string is missing; the message gives the position of the first.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> StringTensor.from_arrow(s).data.data_ptr() == s.data.data_ptr()
            True
        """
        return StringTensor._converted(*strings_from_arrow(column, missing=missing))

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """Exports strings of rank 1 as an Arrow `utf8` array, or `binary` if requested. Zero-copy."""
        if self._scalar:
            raise ValueError(
                "StringTensor.__arrow_c_array__: expected strings of rank 1, got shape [] (use .reshape(1))"
            )
        return strings_to_arrow(self.data, self.offsets, requested_schema)

    def __arrow_c_schema__(self) -> Any:
        """Exports the Arrow type of `__arrow_c_array__`: `utf8`."""
        return arrow_schema()

    def tolist(self, *, as_bytes: bool = False, errors: str = "strict") -> Any:
        """Returns the strings as a nested list; for rank 0, the string itself.

        Args:
            as_bytes: return `bytes` instead of `str`.
            errors: how to handle invalid UTF-8, as in `bytes.decode`.

        Raises:
            ValueError: a string is not UTF-8 and `errors` is "strict"; the message gives its position.

        Example:
            >>> StringTensor.from_list([b"caf\\xc3\\xa9", b"\\xff"]).tolist(errors="replace")
            ['café', '\\ufffd']
            >>> StringTensor.from_list(["a"]).tolist(as_bytes=True)
            [b'a']
        """
        s = self.cpu()
        return strings_to_list(s.data, s.offsets, scalar=self._scalar, as_bytes=as_bytes, errors=errors)

    def item(self, *, as_bytes: bool = False, errors: str = "strict") -> Any:
        """Returns the string of a tensor with exactly one element.

        Args:
            as_bytes: return `bytes` instead of `str`.
            errors: how to handle invalid UTF-8, as in `bytes.decode`.

        Raises:
            RuntimeError: the tensor does not have exactly one element.

        Example:
            >>> StringTensor.from_list(["a", "b"])[1].item()
            'b'
        """
        if self.numel() != 1:
            raise RuntimeError(f"a StringTensor with {self.numel()} elements cannot be converted to str")
        s = self if self.data.is_cpu else self.cpu()
        offsets = s.offsets.reshape(2)
        return strings_to_list(
            s.data, offsets, scalar=True, as_bytes=as_bytes, errors=errors, op="StringTensor.item"
        )

    def numpy(self, dtype: Any = object, *, errors: str = "strict") -> np.ndarray[Any, Any]:
        """Returns a copy of the strings as a NumPy array.

        Args:
            dtype: `object` (of `str`), `np.dtypes.StringDType()`, `"U"`, or `"S"` (the bytes, not decoded).
            errors: how to handle invalid UTF-8, as in `bytes.decode`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).numpy()
            array(['a', 'b'], dtype=object)
            >>> StringTensor.from_list(["a", "b"]).numpy("U")
            array(['a', 'b'], dtype='<U1')
        """
        s = self.cpu()
        if s.dim() > 1:
            # Without a list for each row. Errors are raised below, with the position of the string.
            with contextlib.suppress(ValueError):
                flat = s.flatten()
                strings = strings_to_numpy(flat.data, flat.offsets, dtype=dtype, errors=errors)
                return strings.reshape(s.shape)
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
        raise ValueError(f"StringTensor.__array__: NumPy cannot convert the strings to {name}")

    # Shape.

    @property
    def shape(self) -> torch.Size:
        """Returns the shape of the tensor.

        Example:
            >>> StringTensor.from_list([["a", "b", "c"]]).shape
            torch.Size([1, 3])
        """
        if self._scalar:
            return torch.Size([])
        sizes = self.offsets.shape
        return torch.Size([*sizes[:-1], sizes[-1] - 1])

    def size(self, dim: int | None = None) -> Any:
        """Returns the shape, or the size of axis `dim`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).size(0)
            2
        """
        return self.shape if dim is None else self.shape[wrap_dim(dim, self.ndim)]

    @property
    def ndim(self) -> int:
        """Returns the number of axes; 0 for a single string."""
        return 0 if self._scalar else self.offsets.dim()

    def dim(self) -> int:
        """Returns the number of axes; 0 for a single string."""
        return self.ndim

    def numel(self) -> int:
        """Returns the number of strings.

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

    # Changing the shape, permuting axes, repeating; see tensor/reshape.py.

    def reshape(self, *shape: Any) -> StringTensor:
        """Returns the same strings, in row-major order, with the given shape; one size may be -1.

        The result shares `data` if the bytes are in that order, as those of compact strings always are; otherwise
        the strings are copied.

        Example:
            >>> StringTensor.from_list(["a", "b", "c", "d"]).reshape(2, -1).tolist()
            [['a', 'b'], ['c', 'd']]
        """
        return reshape.reshape(self, sizes_of(shape))

    def view(self, *shape: Any) -> StringTensor:
        """Same as `reshape`. Strings are immutable, so a view and a copy behave alike.

        Example:
            >>> StringTensor.from_list(["a", "b"]).view(2, 1).shape
            torch.Size([2, 1])
        """
        return self.reshape(*shape)

    def reshape_as(self, other: Any) -> StringTensor:
        """Same as `reshape(other.shape)`."""
        return self.reshape(shape_of("reshape_as", other))

    def view_as(self, other: Any) -> StringTensor:
        """Same as `view(other.shape)`."""
        return self.reshape(shape_of("view_as", other))

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> StringTensor:
        """Flattens axes `start_dim` to `end_dim` into one.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).flatten().tolist()
            ['a', 'b', 'c', 'd']
        """
        return reshape.flatten(self, start_dim, end_dim)

    def ravel(self) -> StringTensor:
        """Flattens all axes into one."""
        return self.flatten()

    def unflatten(self, dim: int, sizes: Any) -> StringTensor:
        """Expands axis `dim` into several axes of the given sizes.

        Example:
            >>> StringTensor.from_list(["a", "b", "c", "d"]).unflatten(0, (2, 2)).tolist()
            [['a', 'b'], ['c', 'd']]
        """
        return reshape.unflatten(self, dim, sizes)

    def squeeze(self, dim: int | tuple[int, ...] | None = None) -> StringTensor:
        """Removes all axes of size 1, or those in `dim` that have size 1.

        Example:
            >>> StringTensor.from_list([["a"], ["b"]]).squeeze(1).tolist()
            ['a', 'b']
        """
        return reshape.squeeze(self, dim)

    def unsqueeze(self, dim: int) -> StringTensor:
        """Inserts an axis of size 1 at position `dim`. Shares `data`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).unsqueeze(-1).tolist()
            [['a'], ['b']]
        """
        return reshape.unsqueeze(self, dim)

    def permute(self, *dims: Any) -> StringTensor:
        """Permutes the axes. Shares `data` if the last axis stays the last; otherwise the strings are copied.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).permute(1, 0).tolist()
            [['a', 'c'], ['b', 'd']]
        """
        return reshape.permute(self, sizes_of(dims))

    def transpose(self, dim0: int, dim1: int) -> StringTensor:
        """Swaps axes `dim0` and `dim1`.

        Example:
            >>> StringTensor.from_list([["a", "b"]]).transpose(0, 1).tolist()
            [['a'], ['b']]
        """
        return reshape.transpose(self, dim0, dim1)

    swapaxes = transpose

    swapdims = transpose

    def t(self) -> StringTensor:
        """Transposes a matrix. A vector or a single string is returned as it is."""
        return reshape.t(self)

    @property
    def T(self) -> StringTensor:
        """Returns the strings with all axes reversed."""
        return reshape.reversed_axes(self)

    @property
    def mT(self) -> StringTensor:
        """Returns the strings with the last two axes swapped."""
        return reshape.mT(self)

    def movedim(self, source: Any, destination: Any) -> StringTensor:
        """Moves axes to other positions; the remaining axes keep their order.

        Example:
            >>> StringTensor.from_list([[["a", "b"]]]).movedim(-1, 0).shape
            torch.Size([2, 1, 1])
        """
        return reshape.movedim(self, source, destination)

    moveaxis = movedim

    def expand(self, *sizes: Any) -> StringTensor:
        """Expands axes of size 1 to larger sizes, and prepends new axes; -1 keeps a size.

        Only expanding the last axis copies strings.

        Example:
            >>> StringTensor.from_list([["a"], ["b"]]).expand(-1, 2).tolist()
            [['a', 'a'], ['b', 'b']]
        """
        return reshape.expand(self, sizes_of(sizes))

    def expand_as(self, other: Any) -> StringTensor:
        """Same as `expand(other.shape)`."""
        return self.expand(shape_of("expand_as", other))

    def broadcast_to(self, shape: Any) -> StringTensor:
        """Same as `expand(shape)`."""
        return self.expand(shape)

    def repeat(self, *repeats: Any) -> StringTensor:
        """Repeats the tensor along each axis, like `torch.Tensor.repeat`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).repeat(2, 1).tolist()
            [['a', 'b'], ['a', 'b']]
        """
        return reshape.repeat(self, sizes_of(repeats))

    def tile(self, *dims: Any) -> StringTensor:
        """Same as `repeat`, with missing leading counts taken as 1."""
        return reshape.tile(self, sizes_of(dims))

    def repeat_interleave(self, repeats: Any, dim: int | None = None) -> StringTensor:
        """Repeats each string, or each slice along `dim`, like `torch.repeat_interleave`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).repeat_interleave(2).tolist()
            ['a', 'a', 'b', 'b']
        """
        return reshape.repeat_interleave(self, repeats, dim)

    # Indexing, slicing, splitting, gathering, reordering; see tensor/indexing.py.

    def __getitem__(self, index: Any) -> StringTensor:
        return indexing.getitem(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError(
            "StringTensor: strings are not assigned in place; make a new tensor: "
            "torch.where(mask, s, t), s.where(mask, t) or torch.cat"
        )

    def __getitems__(self, indices: Any) -> StringTensor:
        """Returns a whole batch to DataLoader, for which a StringTensor is a map-style dataset."""
        return self[indexing.index_tensor(indices)]

    def __iter__(self) -> Iterator[StringTensor]:
        if self._scalar:
            raise TypeError("iteration over a 0-d StringTensor")
        return iter(self.unbind(0))

    def select(self, dim: int, index: int) -> StringTensor:
        """Slices axis `dim` at `index`, and removes that axis.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).select(1, 0).tolist()
            ['a', 'c']
        """
        return indexing.select(self, dim, index)

    def narrow(self, dim: int, start: int, length: int) -> StringTensor:
        """Returns positions `start` to `start + length` of axis `dim`. Shares `data`.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).narrow(0, 1, 2).tolist()
            ['b', 'c']
        """
        return indexing.narrow(self, dim, start, length)

    def _tensor_split(self, split_size_or_sections: Any, dim: int = 0) -> tuple[StringTensor, ...]:
        """Splits the tensor like `torch.split`."""
        return tuple(indexing.split(self, dim, lambda t: t.split(split_size_or_sections, dim)))

    def split_with_sizes(self, split_sizes: Any, dim: int = 0) -> tuple[StringTensor, ...]:
        """Splits the tensor into chunks of the given sizes along `dim`. The chunks share `data`.

        Example:
            >>> [chunk.tolist() for chunk in StringTensor.from_list(["a", "b", "c"]).split_with_sizes([1, 2])]
            [['a'], ['b', 'c']]
        """
        return tuple(indexing.split(self, dim, lambda t: t.split_with_sizes(split_sizes, dim)))

    def chunk(self, chunks: int, dim: int = 0) -> tuple[StringTensor, ...]:
        """Splits the tensor into at most `chunks` chunks along `dim`. The chunks share `data`.

        Example:
            >>> [chunk.tolist() for chunk in StringTensor.from_list(["a", "b", "c"]).chunk(2)]
            [['a', 'b'], ['c']]
        """
        return tuple(indexing.split(self, dim, lambda t: t.chunk(chunks, dim)))

    def tensor_split(self, indices_or_sections: Any, dim: int = 0) -> tuple[StringTensor, ...]:
        """Splits the tensor into a number of chunks, or at indices, along `dim`, like `torch.tensor_split`.

        Example:
            >>> [chunk.tolist() for chunk in StringTensor.from_list(["a", "b", "c"]).tensor_split((1,))]
            [['a'], ['b', 'c']]
        """
        return tuple(indexing.tensor_split(self, indices_or_sections, dim))

    def unbind(self, dim: int = 0) -> tuple[StringTensor, ...]:
        """Removes axis `dim`, and returns a tuple of all slices along it.

        Example:
            >>> [string.item() for string in StringTensor.from_list(["a", "b"]).unbind()]
            ['a', 'b']
        """
        return tuple(indexing.unbind(self, dim))

    def index_select(self, dim: int, index: Tensor) -> StringTensor:
        """Selects the positions `index`, int32 or int64 `[K]`, of axis `dim`.

        Example:
            >>> StringTensor.from_list(["a", "b"]).index_select(0, torch.tensor([1, 1])).tolist()
            ['b', 'b']
        """
        return indexing.index_select(self, dim, index)

    def masked_select(self, mask: Tensor) -> StringTensor:
        """Returns the strings for which `mask` is true, as `[K]`. `mask` is bool and broadcasts.

        Example:
            >>> StringTensor.from_list([["a", "b"]]).masked_select(torch.tensor([False, True])).tolist()
            ['b']
        """
        return indexing.masked_select(self, mask)

    def take(self, index: Tensor) -> StringTensor:
        """Returns the strings at positions of the flattened tensor, with the shape of `index`.

        Example:
            >>> StringTensor.from_list([["a", "b"]]).take(torch.tensor([[1], [0]])).tolist()
            [['b'], ['a']]
        """
        return indexing.take(self, index)

    def gather(self, dim: int, index: Tensor) -> StringTensor:
        """Gathers strings along axis `dim` at the positions `index`, int64, like `torch.gather`.

        Example:
            >>> StringTensor.from_list([["a", "b"], ["c", "d"]]).gather(1, torch.tensor([[1], [0]])).tolist()
            [['b'], ['c']]
        """
        return indexing.gather(self, dim, index)

    def take_along_dim(self, indices: Tensor, dim: int | None = None) -> StringTensor:
        """Selects strings along `dim` at int64 positions that broadcast, like `torch.take_along_dim`."""
        return indexing.take_along_dim(self, indices, dim)

    def flip(self, *dims: Any) -> StringTensor:
        """Reverses the order of the strings along each axis in `dims`.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).flip(0).tolist()
            ['c', 'b', 'a']
        """
        return indexing.flip(self, sizes_of(dims))

    def roll(self, shifts: Any, dims: Any = None) -> StringTensor:
        """Rolls the strings along `dims`, like `torch.roll`.

        Example:
            >>> StringTensor.from_list(["a", "b", "c"]).roll(1).tolist()
            ['c', 'a', 'b']
        """
        return indexing.roll(self, shifts, dims)

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> StringTensor:
        """Returns the diagonal of axes `dim1` and `dim2` as the last axis, like `torch.diagonal`."""
        return indexing.diagonal(self, offset, dim1, dim2)

    # Memory and devices.

    @property
    def device(self) -> torch.device:
        """Returns the device of `data` and `offsets`. Operators on strings run on the CPU."""
        return self.data.device

    @property
    def nbytes(self) -> int:
        """Returns the number of bytes of `data` and `offsets`, including bytes of `data` that no string uses."""
        return self.data.nbytes + self.offsets.nbytes

    def is_compact(self) -> bool:
        """Returns True if the strings are adjacent in `data`, in row-major order, and no other bytes are in it.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> s.is_compact(), s[1:].is_compact()
            (True, False)
        """
        return ranges.is_compact(self)

    def compact(self) -> StringTensor:
        """Returns a compact copy of the strings, or `self` if they are compact.

        A slice shares `data` with the whole tensor and keeps all of it in memory; a compact copy does not.

        Example:
            >>> StringTensor.from_list(["a", "long and unwanted"])[:1].compact().data
            tensor([97], dtype=torch.uint8)
        """
        return ranges.compact(self)

    is_contiguous = is_compact
    contiguous = compact

    def clone(self) -> StringTensor:
        """Returns a copy that shares no memory with this tensor."""
        return ranges.clone(self)

    def detach(self) -> StringTensor:
        """Returns a new StringTensor that shares the memory. Strings have no gradients."""
        return self._new(self.data.detach(), self.offsets.detach(), self._scalar)

    def to(
        self,
        device: Any = None,
        *,
        dtype: torch.dtype | None = None,
        non_blocking: bool = False,
        copy: bool = False,
    ) -> StringTensor:
        """Returns the strings on the given device, or `self` if they are on it.

        Args:
            device: a device, its name or index; or a Tensor or StringTensor, for its device.
            dtype: must be None: strings have no dtype.
            non_blocking: as in `torch.Tensor.to`.
            copy: copy even if the strings are on the device.

        Raises:
            TypeError: `dtype` is not None.

        Example:
            >>> StringTensor.from_list(["a"]).to("cpu").device
            device(type='cpu')
        """
        if isinstance(device, (Tensor, StringTensor)):
            device = device.device
        return ranges.to(self, device, dtype, non_blocking, copy)

    def cpu(self) -> StringTensor:
        """Returns the strings on the CPU, or `self` if they are on it."""
        return self.to("cpu")

    def cuda(self, device: Any = None, non_blocking: bool = False) -> StringTensor:
        """Returns the strings on a CUDA device. Default: the current one."""
        return self.to("cuda" if device is None else device, non_blocking=non_blocking)

    @property
    def is_cuda(self) -> bool:
        """True if the strings are on a CUDA device."""
        return self.data.is_cuda

    @property
    def is_cpu(self) -> bool:
        """True if the strings are on the CPU."""
        return self.data.is_cpu

    def pin_memory(self) -> StringTensor:
        """Returns a copy in pinned memory, from which copies to a GPU can be asynchronous."""
        return self._new(self.data.pin_memory(), self.offsets.pin_memory(), self._scalar)

    def is_pinned(self) -> bool:
        """Returns True if both tensors are in pinned memory."""
        return bool(self.data.is_pinned() and self.offsets.is_pinned())

    def share_memory_(self) -> StringTensor:
        """Moves the storages of both tensors, in place, to shared memory, and returns `self`.

        Example:
            >>> StringTensor.from_list(["a"]).share_memory_().is_shared()
            True
        """
        self.data.share_memory_()
        self.offsets.share_memory_()
        return self

    def is_shared(self) -> bool:
        """Returns True if both tensors are in shared memory."""
        return bool(self.data.is_shared() and self.offsets.is_shared())

    def validate(self) -> StringTensor:
        """Checks the values of `offsets`, as every operator does, and returns `self`.

        Raises:
            ValueError: an offset is negative, greater than the size of `data`, or less than the one before it in its
                row.

        Example:
            >>> three_bytes = torch.zeros(3, dtype=torch.uint8)
            >>> StringTensor(three_bytes, torch.tensor([0, 4], dtype=torch.int32)).validate()
            Traceback (most recent call last):
            ValueError: StringTensor: expected `offsets` non-decreasing within [0, 3] in each row, got 4 at
            row 0, position 1
        """
        ranges.validate(self)
        return self

    # Comparison and selection.

    def eq(self, other: Any) -> Tensor:
        """Computes element-wise equality with `other`, with broadcasting. Same as `==`.

        Args:
            other: strings, in any form that `as_strings` accepts.

        Returns:
            bool, of the broadcast shape.

        Example:
            >>> StringTensor.from_list(["a", "b"]).eq("b")
            tensor([False,  True])
            >>> StringTensor.from_list(["a", "b"]) == ["a", "c"]
            tensor([ True, False])
        """
        return compare.string_equal(self, self._argument("eq", "other", other))

    def ne(self, other: Any) -> Tensor:
        """Computes element-wise inequality with `other`, with broadcasting. Same as `!=`."""
        return ~self.eq(other)

    def equal(self, other: StringTensor) -> bool:
        """Returns True if both tensors have the same shape and the same strings.

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
        except TypeError:  # `other` does not hold strings
            return NotImplemented
        return compare.string_equal(self, text)

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else ~equal

    # By identity, as for torch.Tensor, since == compares element by element.
    __hash__ = object.__hash__

    def __contains__(self, value: Any) -> bool:
        # As for torch.Tensor, true if an element is equal, for rank 0 too. For substrings: `"b" in s[0].item()`.
        return isinstance(value, (StringTensor, str, bytes)) and bool(self.eq(value).any())

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise RuntimeError(
                f"the truth of a StringTensor with {self.numel()} strings is ambiguous "
                "(compare, then use .any() or .all())"
            )
        return self.reshape(()).compact().data.numel() > 0

    def where(self, condition: Tensor, other: Any) -> StringTensor:
        """Selects strings of `self` if `condition` (bool) is true, otherwise of `other`, with broadcasting.

        Example:
            >>> s = StringTensor.from_list(["a", "b"])
            >>> s.where(s != "b", "?").tolist()
            ['a', '?']
        """
        return joining.where(condition, self, self._argument("where", "other", other))

    def masked_fill(self, mask: Tensor, value: StringTensor | str | bytes) -> StringTensor:
        """Replaces the strings for which `mask` (bool) is true by `value`, a single string, with broadcasting.

        Example:
            >>> s = StringTensor.from_list(["a", "", "c"])
            >>> s.masked_fill(s == "", "?").tolist()
            ['a', '?', 'c']
        """
        return joining.masked_fill(self, mask, self._argument("masked_fill", "value", value))

    # String operators, named after the methods of Python's str.

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
        """Splits each string at a delimiter, like Python's `str.split`; or the tensor into chunks, like `torch.split`.

        Args:
            by: a delimiter, or None for runs of whitespace; or, to split the tensor, the size or sizes of the chunks.
            maxsplit: with a delimiter: maximum number of splits per string; -1 for no limit.
            skip_empty: with a delimiter: drop empty pieces.
            delimiter: the same as `by`, under the name that `string_split` and `split_ragged` use.
            dim: with sizes: the axis to split.

        Returns:
            With a delimiter: the pieces, strings `[*S, D]` padded with "", and their counts, int64 `[*S]`
            (see `string_split`). With sizes: a tuple of StringTensors that share `data`.

        Example:
            >>> s = StringTensor.from_list(["a b", "c"])
            >>> s.split()
            (StringTensor([['a', 'b'],
                          ['c', '']],
                         shape=[2, 2]), tensor([2, 1]))
            >>> [chunk.tolist() for chunk in s.split(1)]
            [['a b'], ['c']]
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
        """Splits each string at a delimiter, into ragged rows. See `string_split_ragged`.

        Args:
            delimiter: the delimiter; None for runs of whitespace.
            maxsplit: maximum number of splits per string; -1 for no limit.
            skip_empty: drop empty pieces.

        Returns:
            The pieces, strings `[T]`, and `row_splits`, int64 `[N + 1]`: the pieces of string `i` are at positions
            `row_splits[i]` to `row_splits[i + 1]`.

        Example:
            >>> pieces, row_splits = StringTensor.from_list(["to be", "", "or"]).split_ragged()
            >>> pieces.tolist(), row_splits.tolist()
            (['to', 'be', 'or'], [0, 2, 2, 3])
        """
        return split.string_split_ragged(self, delimiter or "", maxsplit, skip_empty=skip_empty)

    def length(self, unit: str = "codepoint") -> Tensor:
        """Returns the length of each string, in code points or in bytes.

        Args:
            unit: "codepoint", as Python's `len`, or "byte". A byte that is not part of a valid code point counts as
                one code point.

        Returns:
            int64 `[*S]`.

        Raises:
            ValueError: `unit` is not one of these.

        Example:
            >>> s = StringTensor.from_list(["café", ""])
            >>> s.length(), s.length("byte")
            (tensor([4, 0]), tensor([5, 0]))
        """
        return inspect.string_length(self, unit)

    def reverse(self) -> StringTensor:
        """Reverses the code points of each string, like Python's `s[::-1]`.

        A byte that is not part of a valid code point counts as one. `flip` reverses the order of the strings.

        Returns:
            Strings `[*S]`, compact.

        Example:
            >>> StringTensor.from_list(["abc", "café"]).reverse().tolist()
            ['cba', 'éfac']
        """
        return edit.string_reverse(self)

    def join(self, separator: str | bytes = "", dim: int = -1) -> StringTensor:
        """Joins the strings along axis `dim`, like Python's `separator.join`.

        Args:
            separator: inserted between adjacent strings.
            dim: the axis to join along.

        Returns:
            Strings `[*S]` without axis `dim`, compact; "" if the axis has size 0.

        Raises:
            ValueError: the result exceeds 2**31 - 1 bytes.
            IndexError: `dim` is out of range.

        Example:
            >>> StringTensor.from_list([["to", "be"], ["or", "not"]]).join(" ").tolist()
            ['to be', 'or not']
        """
        return join.string_join(self, separator, dim)

    def unique(self, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
        """Returns the distinct strings. Same as `torch.unique(s, ...)`.

        Args:
            sorted: sort the strings by their bytes (for UTF-8, by code points). If False, they are in order of first
                appearance, which is faster.
            return_inverse: also return the position of each string among the distinct ones, int64 `[*S]`.
            return_counts: also return the number of occurrences of each distinct string, int64 `[U]`.

        Returns:
            Strings `[U]`; or a tuple of them, the inverse and the counts, if requested.

        Example:
            >>> s = StringTensor.from_list(["b", "a", "b"])
            >>> s.unique(return_counts=True)
            (StringTensor(['a', 'b'], shape=[2]), tensor([1, 2]))
        """
        return vocabulary.unique(self, sorted, return_inverse, return_counts)

    # Printing, torch functions, pickling and copying.

    def __repr__(self) -> str:
        return printing.to_text(self)

    def __format__(self, spec: str) -> str:
        if not printing.can_format(self):
            return object.__format__(self, spec)
        try:
            return format(self.item(errors="replace"), spec)
        except (ValueError, RuntimeError):  # malformed offsets
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


# Bytes of a short string, which is kept for the next call with it.
_MAX_KEPT = 256


def _new_string(raw: bytes) -> StringTensor:
    offsets = torch.from_numpy(np.array([0, len(raw)], dtype=np.int32))
    data = (
        torch.frombuffer(bytearray(raw), dtype=torch.uint8)
        if raw
        else offsets.new_empty(0, dtype=torch.uint8)
    )
    return StringTensor._new(data, offsets, True)


_kept_string = functools.lru_cache(256)(_new_string)


def rebuild(data: Tensor, offsets: Tensor, scalar: bool) -> StringTensor:
    """Creates and validates a StringTensor from a pickle."""
    s = StringTensor(data, offsets, scalar=bool(scalar))
    serialization.check_pickled(s)
    return s


def reduce_to_send(s: StringTensor) -> Any:
    """As `__reduce_ex__`, for strings that torch.multiprocessing sends to another process."""
    s = s.compact()
    sent = serialization.to_send(s)
    return s.__reduce_ex__(pickle.HIGHEST_PROTOCOL) if sent is None else (rebuild_sent, sent)


def rebuild_sent(data: bytearray, offsets: bytearray, shape: tuple[int, ...], scalar: bool) -> StringTensor:
    """Creates and validates a StringTensor from the bytes that another process has sent."""
    return serialization.from_sent(StringTensor, data, offsets, shape, scalar)
