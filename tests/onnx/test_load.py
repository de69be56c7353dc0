"""torch_stringops.onnx.load: the modules that it makes, in eager mode, compiled, exported and packaged."""

import copy
import io
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

onnx = pytest.importorskip("onnx")

from support.onnx_samples import SAMPLES, classifier, model, node, strings, value  # noqa: E402

import torch_stringops  # noqa: E402
from torch_stringops import StringTensor  # noqa: E402
from torch_stringops.nn import TextVectorization  # noqa: E402
from torch_stringops.onnx import export, load  # noqa: E402

TensorProto = onnx.TensorProto


def S(values: Any) -> StringTensor:
    return StringTensor.from_list(values)


def lists(outputs: Any) -> Any:
    return [lists(v) for v in outputs] if isinstance(outputs, tuple | list) else outputs.tolist()


CALLS: dict[str, list[tuple[Any, ...]]] = {
    "classifier": [(S(["to be", "a zz"]),), (S(["a"]),), (S(["BE not to be"] * 5),)],
    "shapes": [(torch.ones(2, 4),), (torch.ones(3, 4),)],
    "control": [(S(["a", "c"]), S("b"))],
    "sequences": [(S(["a", "b"]),)],
    "function": [(S(["a,b", "c.d.e"]),), (S(["a,b"]),)],
    "trees": [(torch.tensor([[0.0], [1.0]]),), (torch.tensor([[0.7]]),)],
}
EXPECTED = {
    "control": [["abbb", "cbbb"]],
    "sequences": [[["b", "a", "b"], 2]],
    "function": [[3, 4], [3]],
    "trees": [[["low", "high"], [[1.0, 0.0], [0.0, 1.0]]], [["high"], [[0.0, 1.0]]]],
}


@pytest.mark.parametrize("name", CALLS)
def test_samples_in_eager_mode_and_compiled(name: str):
    module = load(SAMPLES[name]())
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True, backend="eager", dynamic=True)
    for i, call in enumerate(CALLS[name]):
        got = lists(module(*call))
        assert lists(compiled(*call)) == got
        if name in EXPECTED:
            assert got == EXPECTED[name][i]


def test_inputs_are_what_as_strings_takes():
    module = load(classifier())
    want = module(S(["to be", "a"]))
    assert module(["to be", "a"]).equal(want)
    assert module(np.array(["to be", "a"], object)).equal(want)
    with pytest.raises(TypeError, match="expected the input `x` to be a Tensor, got list"):
        load(SAMPLES["shapes"]())([1.0])
    with pytest.raises(TypeError, match=r"expected the input `x` to be of torch.float32, got torch.int64"):
        load(SAMPLES["shapes"]())(torch.zeros(1, 4, dtype=torch.int64))


def test_constants_are_parameters_and_buffers():
    module = load(classifier())
    assert set(dict(module.named_parameters())) == {"embedding_weight", "out_weight", "out_bias"}
    module(["to be"]).sum().backward()
    assert all(p.grad is not None for p in module.parameters())
    buffers = dict(module.named_buffers())
    assert {t.dtype for name, t in buffers.items() if name.endswith(".data")} == {torch.uint8}
    saved = io.BytesIO()
    torch.save(module.state_dict(), saved)
    saved.seek(0)
    other = copy.deepcopy(module)
    torch.nn.init.zeros_(other.out_weight)
    other.load_state_dict(torch.load(saved, weights_only=True))
    assert other(["to be"]).equal(module(["to be"]))


def test_if_on_a_tensor_is_traced():
    """Branches of numbers and strings, whose bytes are of different sizes."""
    branches = []
    for op, first, second in (("Add", "s", "t"), ("Mul", "t", "t")):
        inner = [node(op, "x x", "z"), node("StringConcat", f"{first} {second}", "w")]
        branches.append(onnx.helper.make_graph(inner, op, [], [value("z"), strings("w", [None])]))
    made = [
        node("If", "c", "y joined", then_branch=branches[0], else_branch=branches[1]),
        node("StringConcat", "joined s", "text"),
    ]
    given = [value("c", TensorProto.BOOL, []), value("x"), strings("s"), strings("t")]
    module = load(model(made, given, [value("y"), strings("text")]))
    x, s, t = torch.tensor([3.0]), S(["a", "b"]), S(["ccc", "é"])
    compiled = torch.compile(module, fullgraph=True, backend="eager")
    for condition, want in ((True, [[6.0], ["accca", "béb"]]), (False, [[9.0], ["cccccca", "ééb"]])):
        assert lists(module(torch.tensor(condition), x, s, t)) == want
        assert lists(compiled(torch.tensor(condition), x, s, t)) == want


@pytest.mark.check
def test_loops_are_exported_for_any_number_of_steps():
    """LSTM, GRU, Loop and Scan become loops of the program; Loop may end early."""
    programs = {
        "layers": ((S(["a be or", "b"]),), [(S(["a b a be c", "a a be"]),), (S(["a", "b", "be"]),)]),
        "loops": ((torch.ones(4, 3),), [(torch.ones(9, 3),), (torch.ones(1, 3),), (torch.full([7, 3], 9.0),)]),
    }
    for name, (example, calls) in programs.items():
        module = load(SAMPLES[name]())
        program = torch_stringops.export(module, example).module()
        for call in calls:
            for got, want in zip(program(*call), module(*call), strict=True):
                torch.testing.assert_close(got, want)


def test_reversed_and_reshaped_strings_are_exported():
    nodes = [node("Slice", "s first last - down", "r"), node("Reshape", "r pairs", "y")]
    limits = {"first": [10**9], "last": [-(2**31)], "down": [-1], "pairs": [2, -1]}
    arrays = {name: np.array(numbers) for name, numbers in limits.items()}
    module = load(model(nodes, [strings("s", ["n"])], [strings("y")], initializer=arrays))
    program = torch_stringops.export(module, (S(list("abcd")),)).module()
    assert program(S(list("abcdef"))).tolist() == [["f", "e", "d"], ["c", "b", "a"]]


def test_strings_that_change_in_a_loop_are_traced_for_a_known_number_of_steps():
    made = SAMPLES["control"]()
    made.graph.input.append(value("times", TensorProto.INT64, []))
    made.graph.node[0].input[0] = "times"
    module = load(made)
    call = (S(["a", "c"]), S("b"), torch.tensor(2))
    assert module(*call).tolist() == ["abb", "cbb"]
    with pytest.raises(Exception, match="strings that change from step to step"):
        torch_stringops.export(module, call)


def test_strings_as_constants():
    """Initialisers and constants of strings, of ranks 0 to 2."""
    nodes = [
        node("Constant", "", "dash", value_string="-"),
        node("Constant", "", "row", value_strings=["x", "y"]),
        node("StringConcat", "s dash", "left"),
        node("StringConcat", "left row", "most"),
        node("StringConcat", "most table", "y"),
    ]
    table = np.array([["1", "é"], ["3", ""]], object)
    module = load(model(nodes, [strings("s")], [strings("y")], initializer={"table": table}))
    assert module("a").tolist() == [["a-x1", "a-yé"], ["a-x3", "a-y"]]
    assert module(S(["a", "b"])).tolist() == [["a-x1", "b-yé"], ["a-x3", "b-y"]]


def test_strings_move_as_numbers():
    """Operators that only move elements give strings at the positions at which they put numbers."""
    cases: list[tuple[str, list[Any], dict[str, Any]]] = [
        ("GatherND", [np.array([[0, 1], [1, 2]])], {}),
        ("GatherElements", [np.array([[2, 0, 1], [0, 0, -1]])], {"axis": 1}),
        ("Compress", [np.array([True, False, True])], {"axis": 1}),
        ("ReverseSequence", [np.array([1, 3])], {"batch_axis": 0, "time_axis": 1}),
        ("Tile", [np.array([2, 2])], {}), ("Trilu", [], {"upper": 0}), ("Expand", [np.array([2, 2, 3])], {}),
        ("Slice", [np.array([5]), np.array([-9]), np.array([1]), np.array([-2])], {}),
        ("Pad", [np.array([0, 1, 1, 2]), None], {"mode": "constant"}),
        ("Pad", [np.array([1, 1, 1, 1])], {"mode": "reflect"}),
        ("Flatten", [], {"axis": 0}), ("Transpose", [], {"perm": [1, 0]}),
    ]  # fmt: skip
    for op, others, attributes in cases:
        names = ["x", *(f"i{i}" if a is not None else "" for i, a in enumerate(others))]
        given = {f"i{i}": a for i, a in enumerate(others) if a is not None}
        made = [onnx.helper.make_node(op, names, ["y"], **attributes)]
        of_numbers = load(model(made, [value("x", TensorProto.INT64, [2, 3])], [value("y")], initializer=given))
        of_strings = load(model(made, [strings("x", [2, 3])], [strings("y")], initializer=given))
        numbers = torch.arange(1, 7).reshape(2, 3)
        want = of_numbers(numbers)
        got = of_strings(torch_stringops.string_from_number(numbers))
        expected = ["" if v == 0 else str(v) for v in want.flatten().tolist()]
        assert list(got.shape) == list(want.shape), op
        assert got.flatten().tolist() == expected, op


def test_results_that_older_versions_and_edges_have():
    """Literals, which onnxruntime or the reference evaluator give, too."""
    nan = float("nan")
    x = np.array([[[-1.0, 2.0], [-3.0, 4.0]]], np.float32)
    each = {name: np.array([[1.0, 2.0], [3.0, 4.0]], np.float32) for name in ("scale", "bias", "mean")}
    cases: list[tuple[str, int, list[np.ndarray], dict[str, Any], Any]] = [
        ("Range", 20, [np.array(5), np.array(1), np.array(1)], {}, []),
        ("Range", 20, [np.array(1), np.array(5), np.array(-1)], {}, []),
        ("Range", 20, [np.array(5), np.array(1), np.array(-2)], {}, [5, 3]),
        ("PRelu", 6, [x, np.array([2.0, 3.0], np.float32)], {}, [[[-2.0, 2.0], [-9.0, 4.0]]]),
        (
            "BatchNormalization",
            7,
            [x, *each.values(), np.ones((2, 2), np.float32)],
            {"spatial": 0, "epsilon": 0.0},
            [[[-1.0, 2.0], [-15.0, 4.0]]],
        ),
        ("Cast", 20, [np.array(["2.5", "-0.9", " 3. ", "7"], object)], {"to": TensorProto.INT64}, [2, 0, 3, 7]),
        (
            "LabelEncoder",
            20,
            [np.array([1, 2, 3, nan, 7], np.float32)],
            {"keys_floats": [1.0, nan, 3.0, nan, 2.0], "values_int64s": [10, 11, 12, 13, 14], "default_int64": -1},
            [10, 14, 12, 11, -1],
        ),
    ]
    for op, opset, arrays, attributes, want in cases:
        names = [f"x{i}" for i in range(len(arrays))]
        domain = "ai.onnx.ml" if op == "LabelEncoder" else ""
        made = onnx.helper.make_node(op, names, ["y"], domain=domain, **attributes)
        kinds = [
            value(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), list(array.shape))
            for name, array in zip(names, arrays, strict=True)
        ]
        opsets = [onnx.helper.make_opsetid("", opset), onnx.helper.make_opsetid("ai.onnx.ml", 4)]
        module = load(model([made], kinds, [value("y")], opsets=opsets))
        given = [S(a.tolist()) if a.dtype == object else torch.from_numpy(a) for a in arrays]
        assert lists(module(*given)) == want, op
    encoder = torch_stringops.onnx.ops.LabelEncoder(keys_floats=[nan], values_int64s=[5], default_int64=-1)
    assert encoder(torch.tensor([nan, 1.0])).tolist() == [5, -1]


def test_ranks_and_fixed_sizes_of_inputs_are_checked():
    inputs = [value("x", TensorProto.FLOAT, ["n", 2]), strings("s", ["n"])]
    module = load(model([node("Identity", "x", "y"), node("Identity", "s", "t")], inputs, [value("y"), strings("t")]))
    assert module(torch.ones(0, 2), S(["a"]))[1].tolist() == ["a"]
    for x, s, message in (
        (torch.ones(2), ["a"], r"the input `x` of shape \[\*, 2\], got \[2\]"),
        (torch.ones(1, 3), ["a"], r"the input `x` of shape \[\*, 2\], got \[1, 3\]"),
        (torch.ones(1, 2), [["a"]], r"the input `s` of shape \[\*\], got \[1, 1\]"),
    ):
        with pytest.raises(ValueError, match=message):
            module(x, s)
    program = torch_stringops.export(module, (torch.ones(2, 2), S(["a", "b"]))).module()
    assert program(torch.ones(5, 2), S(["a"]))[1].tolist() == ["a"]


def test_optional_inputs_and_outputs():
    nodes = [node("OptionalHasElement", "x", "has"), node("Unique", "s", "- first", sorted=0)]
    optional = onnx.helper.make_optional_type_proto(onnx.helper.make_tensor_type_proto(TensorProto.STRING, None))
    x = onnx.helper.make_value_info("x", optional)
    outputs = [value("has", TensorProto.BOOL), value("first", TensorProto.INT64)]
    module = load(model(nodes, [x, strings("s")], outputs))
    assert lists(module(None, ["b", "a", "b"])) == [False, [0, 1]]
    assert lists(module(["c"], ["b"])) == [True, [0]]


def test_unsupported_operators_are_named_at_once():
    nodes = [
        onnx.helper.make_node("MaxRoiPool", ["x"], ["a"], name="first"),
        onnx.helper.make_node("Anything", ["a"], ["y"], domain="custom"),
        onnx.helper.make_node("StringSplit", ["x"], ["z"]),
    ]
    made = model(nodes, [strings("x")], [strings("y")])
    with pytest.raises(
        ValueError, match=r"2 nodes .* ai.onnx.MaxRoiPool 'first' \(version 20\); custom.Anything of 'y'"
    ):
        load(made)
    old = [onnx.helper.make_opsetid("", 19)]
    with pytest.raises(ValueError, match=r"ai.onnx.StringSplit of 'z' \(version 19\)"):
        load(model(nodes[2:], [strings("x")], [strings("z")], opsets=old))


def test_the_pages_have_the_current_tables():
    tool = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "write_onnx_tables.py"))
    assert list(tool["stale"]()) == [], "run tools/write_onnx_tables.py"


class Text(torch.nn.Module):
    """Strings to scores and strings of several ranks."""

    def __init__(self) -> None:
        super().__init__()
        self.vectorize = TextVectorization(max_tokens=20, output_sequence_length=5)
        self.vectorize.adapt(["to be, or not", "x y z to river"])
        self.embedding, self.out = torch.nn.Embedding(20, 4), torch.nn.Linear(4, 2)

    def forward(self, text: StringTensor) -> Any:
        scores = self.out(self.embedding(self.vectorize(text)).mean(1))
        return scores, text.upper(), text[0], torch_stringops.string_find(text, "to")


def test_exported_models_are_read_back():
    """The library form, in which nodes are operators of this package."""
    torch.manual_seed(0)
    original = Text().eval()
    module = load(export(original, (S(["to be, or not", "x y z to river", ""]),)))
    for texts in (["to be, or not", "x y", "z"], ["café au  lait", "b"]):
        want, got = original(S(texts)), module(texts)
        torch.testing.assert_close(got[0], want[0])
        assert lists(got[1:]) == lists(want[1:])


@pytest.mark.check
def test_exported_and_packaged(tmp_path: Path):
    """A loaded model as a program for batches of every size, and without Python."""
    module = load(SAMPLES["function"]())
    program = torch_stringops.export(module, (S(["a,b", "c.d.e"]),))
    package = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "model.pt2"))
    packaged = torch._inductor.aoti_load_package(package)
    for texts in (["a"], ["a.b,c", "", "d"]):
        want = module(S(texts)).tolist()
        assert program.module()(S(texts)).tolist() == want
        assert packaged(S(texts)).tolist() == want
