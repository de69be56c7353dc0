"""Declaring an operator: one call registers the fake, checks arguments and handles rank 0."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from support.errors import BAD_ARGUMENT
from support.vocabularies import strings
from torch import Tensor

from torch_stringops import StringTensor
from torch_stringops.ops._declare import declare_map, declare_reduce, declare_zip

WORDS = [["ab", ""], ["abc", "d"]]


def shape_of(offsets: Tensor) -> list[int]:
    return [*offsets.shape[:-1], offsets.shape[-1] - 1]


@pytest.fixture(scope="module")
def ops() -> Iterator[dict[str, Any]]:
    """Three operators, implemented on lists: the bytes reversed, their number, whether the first string is longer."""
    kept = len(torch.library._keep_alive)
    with torch.library._scoped_library("stringops", "FRAGMENT") as library:
        library.define("scratch_map(Tensor data, Tensor offsets) -> (Tensor data, Tensor offsets)")
        library.define("scratch_reduce(Tensor data, Tensor offsets, *, int scale=1) -> Tensor")
        library.define("scratch_zip(Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets) -> Tensor")

        def reverse(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
            values = StringTensor(data, offsets).reshape(-1).tolist()
            s = StringTensor.from_list([value[::-1] for value in values])
            return s.data.clone(), s.offsets if offsets.dim() == 1 else s.reshape(shape_of(offsets)).offsets

        def lengths(data: Tensor, offsets: Tensor, *, scale: int = 1) -> Tensor:
            return offsets.diff().long() * scale

        def longer(data: Tensor, offsets: Tensor, other_data: Tensor, other_offsets: Tensor) -> Tensor:
            return offsets.diff() > other_offsets.diff()

        for name, kernel in (("map", reverse), ("reduce", lengths), ("zip", longer)):
            library.impl(f"scratch_{name}", kernel, "CPU")
        yield {
            "map": declare_map("scratch_map"),
            "reduce": declare_reduce("scratch_reduce", torch.int64),
            "zip": declare_zip("scratch_zip", torch.bool),
        }
    # Removes the fakes, so that tests which iterate over the operators do not find these.
    for fakes in torch.library._keep_alive[kept:]:
        fakes._destroy()
    del torch.library._keep_alive[kept:]


def test_values_and_ranks(ops: dict[str, Any]):
    s = strings(WORDS)
    assert ops["map"](s).tolist() == [["ba", ""], ["cba", "d"]]
    assert ops["reduce"](s).tolist() == [[2, 0], [3, 1]]
    assert ops["reduce"](s, scale=10).tolist() == [[20, 0], [30, 10]]
    assert ops["zip"](s, strings(["a", "b"])).tolist() == [[True, False], [True, False]]


def test_rank_0(ops: dict[str, Any]):
    s = strings("abc")
    assert ops["map"](s).shape == ()
    assert ops["map"](s).item() == "cba"
    assert ops["reduce"](s).shape == ()
    assert ops["zip"](s, s).shape == ()
    assert ops["zip"](s, strings(["a", "abcd"])).tolist() == [True, False]


def test_results_have_the_type_of_the_argument(ops: dict[str, Any]):
    assert type(ops["map"](strings(["a"]))) is StringTensor
    special = type("Special", (StringTensor,), {})
    s = strings(["a"])
    assert type(ops["map"](special(s.data, s.offsets))) is special


@pytest.mark.parametrize("scalar", [False, True])
def test_traced(ops: dict[str, Any], scalar: bool):
    def both(s: StringTensor, t: StringTensor) -> tuple[Any, ...]:
        return ops["map"](s), ops["reduce"](s, scale=2), ops["zip"](s, t)

    s, t = (strings("ab"), strings("c")) if scalar else (strings(["ab", "c"]), strings(["", "cde"]))
    want = [r.tolist() for r in both(s, t)]
    torch._dynamo.reset()
    assert [r.tolist() for r in torch.compile(both, fullgraph=True)(s, t)] == want
    model = torch.nn.Module()
    model.forward = both
    assert [r.tolist() for r in torch.export.export(model, (s, t)).module()(s, t)] == want


def test_fakes_give_shapes_and_dtypes(ops: dict[str, Any]):
    s, t = strings(WORDS).to("meta"), strings(["a", "b"]).to("meta")
    assert ops["reduce"](s).shape == (2, 2)
    assert ops["reduce"](s).dtype is torch.int64
    assert ops["zip"](s, t).shape == (2, 2)
    assert ops["zip"](s, t).dtype is torch.bool


@pytest.mark.parametrize(("arguments", "text"), [
    ({"data": torch.zeros(2)}, "scratch_reduce: expected `data` to be uint8, got float32 (convert with .to(torch.uint8))"),
    ({"offsets": torch.tensor(0)}, "scratch_reduce: expected `offsets` to be int32, got int64 (convert with .to(torch.int32))"),
])  # fmt: skip
def test_fakes_reject_non_strings(ops: dict[str, Any], arguments: dict[str, Tensor], text: str):
    s = strings(["a"])
    given = {"data": s.data, "offsets": s.offsets} | arguments
    with pytest.raises(BAD_ARGUMENT) as error:
        torch.ops.stringops.scratch_reduce(*(t.to("meta") for t in given.values()))
    assert text in str(error.value)


def test_shapes_that_do_not_broadcast(ops: dict[str, Any]):
    with pytest.raises(BAD_ARGUMENT, match=r"scratch_zip: expected shapes that broadcast, got \[2\] and \[3\]"):
        ops["zip"](strings(["a", "b"]).to("meta"), strings(["a", "b", "c"]).to("meta"))


def test_wrong_arguments_are_named(ops: dict[str, Any]):
    with pytest.raises(TypeError, match=r"^scratch_reduce: expected `scale` to be int, got str$"):
        ops["reduce"](strings(["a"]), scale="b" * 1000)
    with pytest.raises(TypeError, match=r"^scratch_reduce: got an unexpected argument `size`$"):
        ops["reduce"](strings(["a"]), size=3)
    with pytest.raises(TypeError, match=r"^scratch_reduce: expected at most 2 positional arguments, got 3$"):
        ops["reduce"](strings(["a"]), 3)


def test_errors_name_the_type_of_non_strings(ops: dict[str, Any]):
    for name in ("map", "reduce"):
        with pytest.raises(TypeError, match=f"^scratch_{name}: expected a StringTensor, got list$"):
            ops[name](["a"])
    with pytest.raises(TypeError, match=r"^scratch_zip: expected two StringTensors, got StringTensor and str$"):
        ops["zip"](strings(["a"]), "a")
