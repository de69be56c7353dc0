"""repr: shape and first strings, formatted as torch prints tensors; only the strings shown are read."""

import pytest
import torch
from support.cases import each
from torch._subclasses.fake_tensor import FakeTensorMode

from torch_stringops import StringTensor


@pytest.fixture(autouse=True)
def _default_print_options():
    torch.set_printoptions(profile="default")
    yield
    torch.set_printoptions(profile="default")


@pytest.mark.parametrize(("values", "text"), [
    ([], "StringTensor([], shape=[0])"), ("it's", 'StringTensor("it\'s", shape=[])'),
    (["a", "b\n", "é日"], "StringTensor(['a', 'b\\n', 'é日'], shape=[3])"),
    ([b"\xff", b"\x00"], "StringTensor([b'\\xff', '\\x00'], shape=[2])"),
    ([["a", "b"]], "StringTensor([['a', 'b']], shape=[1, 2])"),
])  # fmt: skip
def test_small_tensors_in_one_line(values, text):
    assert repr(StringTensor.from_list(values)) == text


def test_rows_on_lines_and_blank_lines_between_matrices():
    assert repr(StringTensor.from_list([[["a"], ["b"]], [["c"], ["d"]]])) == (
        "StringTensor([[['a'],\n"
        "               ['b']],\n"
        "\n"
        "              [['c'],\n"
        "               ['d']]],\n"
        "             shape=[2, 2, 1])"
    )


@pytest.mark.parametrize("offsets", [[0, 9, 3], [-5, 1, 2], [2, 1, 0], [7, 8, 9], [2**31 - 1, -(2**31), 3]])
def test_offsets_out_of_range_or_order_show_what_is_in_range(offsets):
    data = torch.tensor(list(b"abc"), dtype=torch.uint8)
    begins, ends = offsets[:-1], offsets[1:]
    shown = [repr("abc"[max(b, 0) : max(e, 0)]) for b, e in zip(begins, ends, strict=True)]
    s = StringTensor(data, torch.tensor(offsets, dtype=torch.int32))
    assert repr(s) == f"StringTensor([{', '.join(shown)}], shape=[2])"


def test_long_rows_flow_into_lines():
    lines = repr(StringTensor.from_list([f"string {i}" for i in range(20)])).split("\n")
    assert len(lines) > 3
    assert all(len(line) <= 80 for line in lines)
    assert lines[1].startswith("              'string ")


def test_many_strings_are_summarised():
    s = StringTensor.from_list([str(i) for i in range(1001)])
    assert repr(s) == ("StringTensor(['0', '1', '2', ..., '998', '999', '1000'], shape=[1001])")
    assert "..., '27', '28'" not in repr(s[:1000])
    torch.set_printoptions(edgeitems=1, threshold=10)
    assert repr(s[:11].reshape(11, 1)) == (
        "StringTensor([['0'],\n              ...,\n              ['10']],\n             shape=[11, 1])"
    )


def test_long_strings_are_truncated_with_an_ellipsis():
    assert repr(StringTensor.from_list(["x" * 60, "y" * 61])) == (
        f"StringTensor(['{'x' * 60}',\n              '{'y' * 60}'…],\n             shape=[2])"
    )


@each("lead", range(4))
@each("char", ["é", "日", "😀"])
def test_truncation_does_not_divide_a_code_point(lead, char):
    text = "a" * (57 + lead) + char + "b" * 50
    shown = repr(StringTensor.from_list(text))
    cut = text.encode()[:60].decode(errors="ignore")
    assert shown == f"StringTensor('{cut}'…, shape=[])"


def test_only_the_strings_shown_are_read():
    data = torch.full((1 << 20,), 255, dtype=torch.uint8)
    data[:8] = ord("a")
    offsets = torch.arange(0, 8 * 2000, 8, dtype=torch.int32)
    offsets[4:-4] = -7  # invalid values of the strings that are not shown
    assert "'aaaaaaaa'" in repr(StringTensor(data, offsets))


def test_invalid_offsets_have_a_repr():
    s = StringTensor(torch.zeros(2, dtype=torch.uint8), torch.tensor([5, -3, 2**31 - 1], dtype=torch.int32))
    assert "shape=[2]" in repr(s)


def leaves():
    s = StringTensor.from_list(["a", "b"])
    return {
        "None": None,
        "str": "x" * 10_000,
        "float": torch.zeros(2),
        "rank 0": torch.tensor(1),
        "rank 300": torch.zeros([1] * 300),
        "meta": s.offsets.to("meta"),
        "int64": torch.tensor([0, 2**40]),
        "no offset": s.offsets[:0],
        "decreasing": torch.tensor([2, 0, 1], dtype=torch.int32),
        "parameter": torch.nn.Parameter(torch.zeros(3)),
        "sparse": torch.eye(2).to_sparse(),
        "rows": s.offsets.expand(2, 3, 3),
    }


@each("leaf", leaves())
@each("scalar", [False, True])
def test_objects_instead_of_tensors_have_a_short_repr(leaf, scalar):
    s = StringTensor.from_list(["a", "b"])
    value = leaves()[leaf]
    for data, offsets in ((value, value), (s.data, value), (value, s.offsets)):
        odd = StringTensor._new(data, offsets, scalar)
        assert repr(odd).startswith("StringTensor(")
        assert len(repr(odd)) < 1024
        assert len(f"{odd}") < 1024


def test_a_partially_initialized_object_has_a_repr():
    assert repr(object.__new__(StringTensor)) == "StringTensor(data=None, offsets=None)"
    odd = torch.utils._pytree.tree_map(lambda leaf: leaf.dtype, StringTensor.from_list(["a"]))
    assert repr(odd) == "StringTensor(data=dtype, offsets=dtype)"


def test_tensors_that_reject_every_function_are_named_by_their_type():
    def reject(*_: object) -> None:
        raise RuntimeError("rejected")

    rejecting = type("R" * 101, (torch.Tensor,), {"__torch_function__": staticmethod(reject)})
    data = torch.zeros(1, dtype=torch.uint8).as_subclass(rejecting)
    odd = StringTensor._new(data, torch.zeros(2, dtype=torch.int32))
    assert repr(odd) == f"StringTensor(data={'R' * 100}, offsets=Tensor, RuntimeError)"


@pytest.mark.parametrize(("shape", "text"), [
    ((200_000, 0), "StringTensor([], shape=[200000, 0])"),
    ((0, 3), "StringTensor([], shape=[0, 3])"),
    ([1] * 2000, f"StringTensor(..., shape=[{'1, ' * 8}...{', 1' * 8}])"),
])  # fmt: skip
def test_many_axes_and_rows_without_strings_show_only_the_shape(shape, text):
    data = torch.zeros(0, dtype=torch.uint8)
    offsets = torch.zeros([1] * (len(shape) - 1) + [shape[-1] + 1], dtype=torch.int32)
    assert repr(StringTensor(data, offsets.expand([*shape[:-1], shape[-1] + 1]))) == text


@pytest.mark.parametrize("shape", [(1000,), (10, 100), (7,) * 8, (1000, 1), (1,) * 60 + (500,)])
def test_repr_is_bounded(shape):
    s = StringTensor.from_list(["\x00" * 100]).reshape([1] * len(shape))
    shown = StringTensor(s.data, s.offsets.expand([*shape[:-1], 2]))
    if shape[-1] > 1:
        offsets = torch.arange(shape[-1] + 1, dtype=torch.int32) * 60
        shown = StringTensor(torch.zeros(60 * shape[-1], dtype=torch.uint8), offsets.expand([*shape[:-1], -1]))
    assert len(repr(shown)) < 64 * 1024


def test_a_single_string_is_formatted_as_a_str():
    s = StringTensor.from_list(["café", "b"])
    assert f"{s[0]}" == "café"
    assert f"{s[0]:>6}|{s[1]:-<3}" == "  café|b--"
    assert f"{StringTensor.from_list(b'a' + bytes([255]))}" == "a\ufffd"
    assert f"{s}" == repr(s)
    with pytest.raises(TypeError, match="format"):
        f"{s:>6}"
    assert f"{s[0].to('meta')}" == "StringTensor(..., shape=[], device='meta')"


def test_tensors_without_values_show_their_shape():
    s = StringTensor.from_list([["a", "b"]])
    assert repr(s.to("meta")) == "StringTensor(..., shape=[1, 2], device='meta')"
    with FakeTensorMode() as mode:
        fake = StringTensor(mode.from_tensor(s.data), mode.from_tensor(s.offsets))
        assert repr(fake) == "StringTensor(..., shape=[1, 2])"
    assert str(s) == repr(s)


def test_compiled_code_reads_values_after_a_break_of_the_graph():
    def texts(s: StringTensor) -> tuple[torch.Tensor, str, str, list[str]]:
        lower = s.lower()
        return s.length(), str(lower[1]), repr(lower), lower.tolist()

    s = StringTensor.from_list(["A b", "C"])
    torch._dynamo.reset()
    length, *found = torch.compile(texts, backend="eager")(s)
    assert length.tolist() == [3, 1]
    assert found == ["StringTensor('c', shape=[])", "StringTensor(['a b', 'c'], shape=[2])", ["a b", "c"]]
    with pytest.raises(Exception, match="function `strings_to_list`"):
        torch.compile(lambda s: s.tolist(), backend="eager", fullgraph=True)(s)
