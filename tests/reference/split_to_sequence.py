"""Oracle of split_to_sequence, after ONNX SplitToSequence-11, on nested lists as that of split."""

from typing import Any

from reference.split import cut_all, length, nested, rank


def take(level: Any, axis: int, index: int) -> Any:
    """One slice of an axis, without the axis."""
    return level[index] if axis == 0 else [take(part, axis - 1, index) for part in level]


def split_to_sequence_ref(
    input: Any, split: Any = None, axis: int = 0, keepdims: bool = True
) -> tuple[Any, ...]:
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
    """As the operator sees strings: a single one has shape [1]."""
    return tuple([p] if isinstance(p, bytes) else p for p in split_to_sequence_ref(*args, **kwargs))
