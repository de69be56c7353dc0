"""Oracles of split (ONNX Split-1 to -18) and split_to_sequence (ONNX SplitToSequence-11) on nested lists: of numbers, given
as a tensor, or of bytes.
"""

from typing import Any


def nested(input: Any) -> Any:
    return input if isinstance(input, list) else input.tolist()


def rank(input: Any) -> int:
    if not isinstance(input, list):
        return int(input.dim())
    return 1 + (rank(input[0]) if input and isinstance(input[0], list) else 0)


def length(level: Any, axis: int) -> int:
    return len(level) if axis == 0 else length(level[0], axis - 1)


def cut(level: Any, axis: int, first: int, last: int) -> Any:
    """Elements [first, last) of an axis."""
    if axis == 0:
        return level[first:last]
    return [cut(part, axis - 1, first, last) for part in level]


def cut_all(level: Any, axis: int, sizes: list[int]) -> tuple[Any, ...]:
    pieces = []
    first = 0
    for size in sizes:
        pieces.append(cut(level, axis, first, first + size))
        first += size
    return tuple(pieces)


def split_ref(
    input: Any, split: list[int] | None = None, axis: int = 0, *, num_outputs: int | None = None, opset: int = 18
) -> tuple[Any, ...]:
    level, axis = nested(input), axis % rank(input)
    if split is None:
        size = length(level, axis)
        # All parts are equal, except that since opset 18 the last one may be smaller.
        whole = -(-size // num_outputs)
        split = [whole] * (num_outputs - 1)
        split.append(size - sum(split))
        assert opset >= 18 or split[-1] == whole
    return cut_all(level, axis, split)


def split_sizes_ref(split: Any, length: int, axis: int, op: str) -> tuple[Any, ...]:
    """Sizes as shapes [size, 0]."""
    return tuple([[]] * size for size in split.tolist())


def take(level: Any, axis: int, index: int) -> Any:
    """One slice of an axis, without the axis."""
    return level[index] if axis == 0 else [take(part, axis - 1, index) for part in level]


def split_to_sequence_ref(input: Any, split: Any = None, axis: int = 0, keepdims: bool = True) -> tuple[Any, ...]:
    level, axis = nested(input), axis % rank(input)
    size = length(level, axis)
    if split is None and not keepdims:
        return tuple(take(level, axis, index) for index in range(size))
    if split is None:
        split = [1] * size
    elif isinstance(split, int):
        split = [split] * (size // split) + ([size % split] if size % split else [])
    return cut_all(level, axis, split)


def split_to_sequence_strings_ref(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """As for the operator, a string of rank 0 has shape [1]."""
    return tuple([p] if isinstance(p, bytes) else p for p in split_to_sequence_ref(*args, **kwargs))
