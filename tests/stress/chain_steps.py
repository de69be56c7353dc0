"""The steps of tests/stress/chains.py: lines of Python in which `t` is a tensor, with random arguments around the
limits of the valid ones."""

import random
from collections.abc import Callable
from typing import Any

import torch

WRAPPING = ["2**31", "2**62", "-2**62", "2**63 - 1", "-2**63", "2**63", "-2**63 - 1", "2**64", "2**64 + 1"]
ODD = ["None", "1.0", "'a'", "torch.tensor(1)", "torch.tensor([0])", "[]", "()", "[0, 1]"]
INT_DTYPES = [
    "torch.int64", "torch.int64", "torch.int64", "torch.int32", "torch.int16", "torch.uint8", "torch.int8",
]  # fmt: skip

Random = random.Random


class Writer:
    """Writes the arguments of a step for a tensor of this shape."""

    def __init__(self, rng: Random, shape: tuple[int, ...]) -> None:
        self.rng = rng
        self.shape = shape
        self.rank = len(shape)
        self.numel = torch.Size(shape).numel()

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def pick(self, *choices: Any) -> Any:
        return self.rng.choice(choices)

    def between(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def integer(self, value: int) -> str:
        """`value`, sometimes as another type that is also an int; rarely another value."""
        drawn = self.rng.randrange(100)
        if drawn < 3:
            return f"np.{self.pick('int64', 'int32', 'int8')}({value})"
        if drawn < 5 and value in (0, 1):
            return str(bool(value))
        if drawn < 7:
            return str(self.pick(*WRAPPING))
        return str(self.pick(*ODD)) if drawn < 8 else str(value)

    def dim(self, rank: int | None = None) -> str:
        rank = self.rank if rank is None else rank
        outside = 1 if self.chance(4) else 0
        low = max(rank, 1)
        return self.integer(self.between(-low - outside, low - 1 + outside))

    def size(self, dim: int = 0) -> int:
        return self.shape[dim] if self.rank else 1

    def axis(self) -> int:
        """A valid axis (0 of rank 0)."""
        return self.between(0, max(self.rank - 1, 0))

    def dims(self, max_count: int = 3) -> str:
        """A list or tuple of axes, mostly different ones."""
        low = max(self.rank, 1)
        order = self.rng.sample(range(low), low)[: self.between(0, max_count)]
        if self.chance(5):
            order = [*order, *order]
        return self.several([self.integer(d - low if self.chance(30) else d) for d in order])

    def several(self, values: list[str]) -> str:
        """The values in a list, a tuple or a torch.Size."""
        if self.chance(50):
            return "[" + ", ".join(values) + "]"
        return "(" + "".join(v + ", " for v in values) + ")"

    def spread(self, values: list[str]) -> str:
        """The values as one argument, or as separate ones."""
        return ", ".join(values) if values and self.chance(50) else self.several(values)

    def sizes(self) -> list[str]:
        """A shape, mostly one with as many elements as the tensor."""
        left, sizes = self.numel, []
        while left > 1 and len(sizes) < 4:
            sizes.append(self.pick(*[d for d in range(1, left + 1) if left % d == 0]))
            left //= sizes[-1]
        if left != 1:
            sizes.append(left)
        sizes += [1] * self.between(0, 1)
        if self.numel == 0:
            sizes += [self.between(0, 3)]
        self.rng.shuffle(sizes)
        if sizes and self.chance(30):
            sizes[self.between(0, len(sizes) - 1)] = -1
        if sizes and self.chance(4):
            sizes[self.between(0, len(sizes) - 1)] += self.pick(-1, 1)
        return [self.integer(size) for size in sizes]

    def factors(self, size: int) -> str:
        """Two or three sizes, mostly with the product `size`."""
        first = self.pick(*[d for d in range(1, max(size, 1) + 1) if size % d == 0])
        sizes = [first, size // first] if size else [0, self.between(0, 3)]
        if self.chance(30):
            sizes[self.between(0, 1)] = -1
        return self.several([self.integer(s) for s in sizes + [1] * self.chance(20)])

    def ints(self, low: int, high: int, shape: list[int] | None = None, dtype: str | None = None) -> str:
        """An index tensor with values in [low, high)."""
        shape = shape if shape is not None else [self.between(0, 4)] * self.between(0, 2)
        if high <= low and not self.chance(3):
            shape = [0, *shape[1:]]
        count = torch.Size(shape).numel()
        high = max(high, low + 1)
        values = [self.between(low, high - 1 + (1 if self.chance(1) else 0)) for _ in range(count)]
        dtype = dtype or self.pick(*INT_DTYPES) if not self.chance(2) else "torch.float32"
        if dtype == "torch.uint8":
            values = [abs(v) for v in values]
        return f"torch.tensor({values}, dtype={dtype}).reshape({shape})"

    def mask(self, shape: tuple[int, ...]) -> str:
        shape = list(shape)
        if shape and self.chance(2):
            shape[-1] += 1
        values = [self.chance(50) for _ in range(torch.Size(shape).numel())]
        dtype = "torch.bool" if not self.chance(2) else "torch.int64"
        return f"torch.tensor({values}, dtype={dtype}).reshape({shape})"

    def broadcastable(self) -> tuple[int, ...]:
        """A shape that broadcasts with that of the tensor."""
        shape = [
            1 if self.chance(25) else size
            for size in self.shape[self.between(0, self.rank) if self.chance(30) else 0 :]
        ]
        return tuple([self.between(0, 2)] * self.chance(10) + shape)

    def bound(self, size: int) -> str:
        return "" if self.chance(40) else self.integer(self.between(-size - 2, size + 2))

    def item(self, axis: int) -> tuple[str, int]:
        """An item of an index at `axis`, and the number of axes that it indexes."""
        size = self.shape[axis] if axis < self.rank else 1
        kind = self.between(0, 15)
        if kind <= 2:
            return self.integer(self.between(-size, size - 1) if size else 0), 1
        if kind <= 6:
            step = "" if self.chance(60) else ":" + self.integer(self.between(0 if self.chance(5) else 1, 3))
            return f"slice({self.slice_arguments(size)})" if self.chance(
                20
            ) else f"{self.bound(size)}:{self.bound(size)}{step}", 1
        if kind == 7:
            return "None", 0
        if kind == 8:
            return "...", 0
        if kind == 9:
            return self.pick("True", "False", "torch.tensor(True)", "torch.tensor(False)"), 0
        if kind == 10:
            return self.mask((size,)), 1
        if kind == 11 and axis + 1 < self.rank:
            return self.mask((size, self.shape[axis + 1])), 2
        if kind == 12:
            values = [self.integer(self.between(-size, size - 1)) for _ in range(self.between(0, 3))] if size else []
            return self.pick(f"[{', '.join(values)}]", f"np.array([{', '.join(values)}], dtype=np.int64)"), 1
        if kind == 13:
            return f"[{', '.join(str(self.chance(50)) for _ in range(size))}]", 1
        return self.ints(-size, size), 1

    def slice_arguments(self, size: int) -> str:
        return ", ".join(self.bound(size) or "None" for _ in range(2))

    def index(self) -> str:
        items: list[str] = []
        axis = 0
        while axis < self.rank + (1 if self.chance(2) else 0) and not self.chance(20):
            item, taken = self.item(axis)
            if item == "..." and "..." in items:  # torch treats several ellipses differently
                continue
            items.append(item)
            axis += taken
            if len(items) > 6:
                break
        if not items:
            return "t[...]" if self.chance(50) else "t[()]"
        return f"t[{', '.join(items)}{',' * self.chance(20)}]"


def reach(w: Writer, function: str, args: str) -> str:
    """torch.function(t, ...) or t.function(...)."""
    return f"torch.{function}(t{', ' + args if args else ''})" if w.chance(40) else f"t.{function}({args})"


def joined(w: Writer) -> str:
    """Tensors to join: `t`, and others of the same shape except for one axis."""
    others = [
        "t", "t", "t.clone()", "t[:]", "t[1:]", "t[:0]", "t.flip(0)", "t[..., :1]", "t[..., 1:]", "t[0]",
    ]  # fmt: skip
    if not w.rank:
        others = ["t", "t.clone()", "t.reshape(1)"]
    count = w.between(1, 3)
    return w.several(["t", *(w.pick(*others[: 6 if w.chance(90) else None]) for _ in range(count - 1))])


def cuts(w: Writer, size: int) -> str:
    """Positions at which to split an axis, in any order."""
    return w.several([w.integer(w.between(-size - 1, size + 1)) for _ in range(w.between(0, 3))])


def part_sizes(w: Writer, size: int) -> str:
    parts, left = [], size
    while left and len(parts) < 4:
        parts.append(w.between(0, left))
        left -= parts[-1]
    parts.append(left)
    return w.several([w.integer(p) for p in parts])


def along(w: Writer, function: str, max_size: int = 3) -> str:
    dim = w.axis()
    shape = [w.between(0, size) if i != dim else w.between(0, max_size) for i, size in enumerate(w.shape)] or w.pick(
        [], [1]
    )
    size = w.size(dim)
    low = -size if function == "take_along_dim" and w.chance(5) else 0
    return reach(
        w, function, f"{dim - w.rank * w.chance(30) if w.rank else 0}, {w.ints(low, size, shape, 'torch.int64')}"
    )


def take_along(w: Writer) -> str:
    dim = w.axis()
    shape = [w.between(0, 3) if i == dim else w.pick(1, size) for i, size in enumerate(w.shape)] or w.pick([], [1])
    index = w.ints(0, w.size(dim), list(shape), "torch.int64")
    if w.chance(15):
        return reach(w, "take_along_dim", w.ints(0, w.numel, None, "torch.int64"))
    return reach(w, "take_along_dim", f"{index}, {w.integer(dim)}")


def expanded(w: Writer) -> str:
    sizes = [w.integer(w.between(0, 3) if size == 1 and w.chance(50) else w.pick(-1, size)) for size in w.shape]
    return w.spread([w.integer(w.between(0, 2)) for _ in range(w.between(0, 2) * w.chance(40))] + sizes)


def counts(w: Writer, at_least: int) -> list[str]:
    return [w.integer(w.between(0 if w.chance(10) else 1, 2)) for _ in range(at_least + w.between(0, 1) - w.chance(3))]


def repeats(w: Writer) -> str:
    dim = w.axis()
    size = w.size(dim)
    if w.chance(50):
        how = w.pick(str(w.between(0, 3)), "-1" if w.chance(20) else "2", "torch.tensor(2)", "torch.tensor([2])")
        return reach(w, "repeat_interleave", how + w.pick("", f", {w.dim()}", f", dim={w.dim()}"))
    flat = w.chance(30)
    many = w.ints(0, 3, [w.numel if flat else size], w.pick("torch.int64", "torch.int32"))
    return reach(w, "repeat_interleave", many if flat else f"{many}, {w.integer(dim)}")


def rolled(w: Writer) -> str:
    dim = w.axis()
    if w.chance(30):
        return reach(w, "roll", w.integer(w.between(-5, 5)))
    if w.chance(60):
        return reach(w, "roll", f"{w.integer(w.between(-5, 5))}, {w.integer(dim)}")
    dims = w.dims(2)
    return reach(
        w,
        "roll",
        f"{w.several([w.integer(w.between(-3, 3)) for _ in range(dims.count(',') or w.between(0, 1))])}, {dims}",
    )


def moved(w: Writer) -> str:
    name = w.pick("movedim", "moveaxis")
    if w.chance(50):
        return reach(w, name, f"{w.dim()}, {w.dim()}")
    count = w.between(0, min(w.rank, 2))
    pairs = [w.several([w.integer(d) for d in w.rng.sample(range(w.rank), count)]) for _ in range(2)]
    return reach(w, name, ", ".join(pairs))


def where(w: Writer) -> str:
    mask = w.mask(w.broadcastable())
    other = w.pick(
        "t",
        "t.flip(0)" if w.rank else "t",
        "t[:1]" if w.rank else "t",
        "t.reshape(-1)[:1]",
        "t[..., -1:]" if w.rank else "t",
        "a(7)",
    )
    return w.pick(f"torch.where({mask}, t, {other})", f"torch.where({mask}, {other}, t)", f"t.where({mask}, {other})")


def filled(w: Writer) -> str:
    return reach(w, "masked_fill", f"{w.mask(w.broadcastable())}, {w.pick('a(3)', 'a(12)', 't.reshape(-1)[0]', 't')}")


# The functions that make a step, and their relative frequencies.
STEPS: dict[Callable[[Writer], str], int] = {
    Writer.index: 20,
    lambda w: f"t.{w.pick('reshape', 'view')}({w.spread(w.sizes())})": 6,
    lambda w: f"torch.reshape(t, {w.several(w.sizes())})": 1,
    lambda w: reach(w, "flatten", w.pick("", w.dim(), f"{w.dim()}, {w.dim()}")): 2,
    lambda w: reach(w, "ravel", ""): 1,
    lambda w: reach(w, "unflatten", f"{(d := w.axis()) - w.rank * w.chance(20)}, {w.factors(w.size(d))}"): 2,
    lambda w: reach(w, "squeeze", w.pick("", w.dim(), w.dims())): 4,
    lambda w: reach(w, "unsqueeze", w.dim(w.rank + 1)): 3,
    lambda w: f"torch.permute(t, {w.dims(9)})" if w.chance(30) else f"t.permute({w.dims(9)})": 3,
    lambda w: reach(w, w.pick("transpose", "swapaxes", "swapdims"), f"{w.dim()}, {w.dim()}"): 3,
    lambda w: w.pick("t.t()", "torch.t(t)", "t.T" if w.rank == 2 else "t.mT", "t.mT"): 2,
    moved: 2,
    lambda w: f"t.expand({expanded(w)})": 3,
    lambda w: f"torch.broadcast_to(t, {w.several(['2', *map(str, w.shape)])})": 1,
    lambda w: w.pick("t.expand_as(t)", "t.reshape_as(t)", "t.view_as(t[None])"): 1,
    lambda w: f"t.repeat({w.spread(counts(w, w.rank))})": 3,
    lambda w: f"t.tile({w.spread(counts(w, w.between(0, w.rank)))})": 2,
    lambda w: f"torch.tile(t, {w.several(counts(w, w.between(0, w.rank)))})": 1,
    repeats: 3,
    lambda w: reach(w, "select", f"{(d := w.axis())}, {w.integer(w.between(-w.size(d), max(w.size(d) - 1, 0)))}"): 2,
    lambda w: reach(w, "narrow", f"{(d := w.axis())}, {w.integer(w.between(-w.size(d), w.size(d)))}, {w.integer(w.between(0, w.size(d)))}"): 3,
    lambda w: reach(w, "split", f"{w.integer(w.between(0, 3))}{w.pick('', ', ' + w.dim(), ', dim=' + w.dim())}"): 2,
    lambda w: reach(w, w.pick("split", "split_with_sizes"), f"{part_sizes(w, w.size(d := w.axis()))}, {d}"): 2,
    lambda w: reach(w, "chunk", f"{w.integer(w.between(0, 4))}{w.pick('', ', ' + w.dim())}"): 2,
    lambda w: reach(w, "tensor_split", f"{w.integer(w.between(0, 4))}{w.pick('', ', ' + w.dim())}"): 2,
    lambda w: reach(w, "tensor_split", f"{cuts(w, w.size(d := w.axis()))}, {d}"): 3,
    lambda w: reach(w, "tensor_split", f"torch.tensor({cuts(w, w.size(d := w.axis()))}), {d}"): 1,
    lambda w: reach(w, "unbind", w.pick("", w.dim())): 3,
    lambda w: reach(w, "index_select", f"{(d := w.axis())}, {w.ints(0, w.size(d), w.pick([], [1], [3], [0]))}"): 3,
    lambda w: reach(w, "masked_select", w.mask(w.broadcastable())): 2,
    lambda w: reach(w, "take", w.ints(-w.numel, w.numel, None, "torch.int64")): 2,
    lambda w: along(w, "gather"): 3,
    take_along: 2,
    lambda w: f"torch.flip(t, {w.dims()})" if w.chance(30) else f"t.flip({w.pick(w.dims(), w.dim(), w.dims()[1:-1] or '0')})": 3,
    rolled: 3,
    lambda w: reach(w, "diagonal", w.pick("", w.integer(w.between(-2, 2)), f"{w.integer(w.between(-2, 2))}, {w.dim()}, {w.dim()}")): 2,
    lambda w: f"torch.{w.pick('cat', 'concat', 'concatenate')}({joined(w)}{w.pick('', ', ' + w.dim(), ', dim=' + w.dim())})": 5,
    lambda w: f"torch.stack({joined(w)}{w.pick('', ', ' + w.dim(w.rank + 1))})": 4,
    lambda w: f"torch.{w.pick('hstack', 'vstack', 'dstack', 'column_stack', 'row_stack')}({joined(w)})": 2,
    lambda w: f"torch.atleast_{w.between(1, 3)}d(t)": 1,
    where: 4,
    filled: 2,
    lambda w: w.pick("t == t.flip(0)" if w.rank else "t == t", "t != t[..., :1]" if w.rank else "t != t", "t == a(3)", "t.eq(t[:1])", "torch.eq(t, t[:1])", "torch.ne(t, t)", "a(0) in t"): 2,
    lambda w: w.pick("t.shape", "t.numel()", "torch.numel(t)", "len(t)", "t.size(" + w.dim() + ")", "t.dim()", "list(t)", "torch.equal(t, t)", "t.is_contiguous() and 0"): 1,
    lambda w: w.pick("t.clone()", "torch.clone(t)", "t.contiguous()", "t.detach()", "torch.detach(t)", "copy.deepcopy(t)", "t.cpu()"): 1,
}  # fmt: skip
