"""Rows of pairs of strings, in plain Python: the rules of `tokenizers`."""

from collections.abc import Sequence

Item = tuple[int | str, int]  # an id, or "A" or "B", and its type


def items_of(spec: str) -> list[Item]:
    """The directive `template_pair`."""
    for line in spec.splitlines():
        name, *words = line.split(" ")
        if name == "template_pair":
            parts = [word.split(":") for word in words]
            return [(part if part in ("A", "B") else int(part), int(kind)) for part, kind in parts]
    return [("A", 0), ("B", 1)]


def pair_row(
    first: Sequence[int], second: Sequence[int], items: Sequence[Item], special: bool, max_length: int, left: bool
) -> list[tuple[int, int]]:
    """Ids and types."""
    if not special:
        items = [item for item in items if isinstance(item[0], str)]
    room = max_length - (len(items) - 2)
    if max_length >= 0 and len(first) + len(second) > room:
        short, long = sorted([len(first), len(second)])
        long = max(short, room - short)
        if short + long > room:
            short, long = room // 2, room // 2 + room % 2
        swaps = len(first) > len(second)
        sizes = (long, short) if swaps else (short, long)
        first, second = (
            ids[max(len(ids) - size, 0) :] if left else ids[:size]
            for ids, size in zip((first, second), sizes, strict=True)
        )
    texts = {"A": first, "B": second}
    return [(id, kind) for item, kind in items for id in (texts[item] if isinstance(item, str) else [item])]
