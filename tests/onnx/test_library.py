"""The operators in onnxruntime: the same results and errors as in torch, for the samples of every suite."""

import re
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from onnx import helper, load_model_from_string
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.harness import OpSuite, malformed
from support.onnx_library import DOMAIN, TYPES, Call, info, listed, model_of, run, sample_calls, session
from support.registry import PACKAGED, REGISTERED, suite_of
from support.strings import compact

import torch_stringops
from torch_stringops import StringTensor
from torch_stringops._native import overload_of

# Texts of errors about the type of an argument that has one type in the node, which onnxruntime reports itself.
OF_TYPES = re.compile(r"expected `\w+` to be (u?int|float|bool|an integer)|of a dtype that ONNX lists|in opset 1,")


def suite_for(name: str) -> OpSuite:
    return suite_of(name.removeprefix("_packaged_") if name in PACKAGED else name)


def bits(t: Tensor) -> bytes:
    plain = t.detach().clone(memory_format=torch.contiguous_format)
    return bytes(plain.reshape(-1).view(torch.uint8).numpy().tobytes())


def assert_equal(got: list[Tensor], want: list[Tensor]) -> None:
    for g, w in zip(got, want, strict=True):
        assert g.dtype == w.dtype
        assert g.shape == w.shape
        assert bits(g) == bits(w)


@each("name", REGISTERED)
def test_samples_have_the_same_results(name: str):
    calls = sample_calls(name)
    assert calls
    for got, (_, want) in zip(run(calls), calls, strict=True):
        assert_equal(got, want)


def some_results(suite: OpSuite, call: Call) -> list[Tensor]:
    """The results of a sample, for the types of outputs; of one whose first argument has the type of the call's."""
    found: list[Tensor] = []
    for sample in suite.samples:
        args, kwargs = suite.tensors(sample)
        results = listed(suite.overload(*args, **kwargs))
        first = next((a for a in args if isinstance(a, Tensor)), None)
        if results and (not found or (first is not None and first.dtype == call.inputs[0].dtype)):
            found = results
    return found


@each("name", [name for name in REGISTERED if suite_for(name).errors])
def test_errors_have_the_same_texts(name: str):
    suite, overload = suite_for(name), overload_of(name)
    for bad, text in suite.errors:
        args, kwargs = suite.tensors(bad)
        if any(isinstance(a, Tensor) and not a.is_contiguous() for a in args):
            continue  # onnxruntime does not have such tensors
        call = Call(overload, args, kwargs)
        if not call.is_supported() or any(isinstance(v, torch.dtype) and v not in TYPES for v in args):
            continue
        expected = "Type Error" if OF_TYPES.search(text) else ""
        with pytest.raises(Exception, match=f"{re.escape(text)}|{expected or re.escape(text)}"):
            run([(call, some_results(suite, call))])


def has_types_of_strings(pair: tuple[Any, Any]) -> bool:
    """Whether onnxruntime has such tensors, of the types that a node declares."""
    types = [t.dtype for t in pair if isinstance(t, Tensor) and t.layout == torch.strided]
    return types == [torch.uint8, torch.int32] and all(t.device.type == "cpu" for t in pair)


@each("name", [name for name in REGISTERED if suite_for(name).string_pairs()])
def test_malformed_strings_have_the_same_errors(name: str):
    suite, overload = suite_for(name), overload_of(name)
    sample = suite.samples[0]
    args, kwargs = suite.tensors(sample)
    call = Call(overload, args, kwargs)
    want = some_results(suite, call)
    inputs = {x: t for x, t in call.named_inputs().items() if t.dtype != torch.bfloat16}
    outputs = [info(f"y{i}", t.dtype) for i, t in enumerate(want)]
    ran = session(model_of([call.node(len(want))], [info(x, t.dtype) for x, t in inputs.items()], outputs))
    for position, _ in suite.string_pairs():
        for what, pair in malformed(*compact([b"ab", b"c"])).items():
            if not has_types_of_strings(pair) or what == "data strided":
                continue
            changed = (*sample.args[:position], pair, *sample.args[position + 1 :])
            args = suite.tensors(type(sample)(changed, sample.kwargs))[0]
            with pytest.raises(BAD_ARGUMENT) as ours:
                overload(*args, **kwargs)
            feeds = {x: t.numpy() for x, t in Call(overload, args, kwargs).named_inputs().items()}
            with pytest.raises(Exception, match=re.escape(str(ours.value))):
                ran.run(None, feeds)


def strings_model(nodes: list[Any], outputs: list[Any], rank: int = 1) -> bytes:
    strings = helper.make_tensor_value_info("strings", 8, [None] * rank)
    return model_of(nodes, [strings], outputs)


def pack_and_unpack() -> list[Any]:
    return [
        helper.make_node("pack", ["strings"], ["data", "offsets"], domain=DOMAIN),
        helper.make_node("unpack", ["data", "offsets"], ["again"], domain=DOMAIN),
    ]


@pytest.mark.parametrize(
    "texts",
    [["", "a", "naïve\0Straße", "日本" * 20], [], [["a", "bc"], ["", "d"], ["é", "f"]], [[], []], [[["a"], ["b"]]]],
    ids=str,
)
def test_pack_gives_the_tensors_of_a_string_tensor_and_unpack_its_strings(texts: Any):
    want = StringTensor.from_list(texts)
    array = np.empty(tuple(want.shape), dtype=object)
    array.reshape(-1)[:] = want.reshape(-1).tolist()
    outputs = [info("data", torch.uint8), info("offsets", torch.int32), helper.make_tensor_value_info("again", 8, None)]
    model = strings_model(pack_and_unpack(), outputs, array.ndim)
    data, offsets, again = session(model).run(None, {"strings": array})
    assert_equal([torch.from_numpy(data), torch.from_numpy(offsets)], [want.data, want.offsets])
    assert again.tolist() == texts


def test_a_scalar_is_one_string():
    again = helper.make_tensor_value_info("again", 8, None)
    found = session(strings_model(pack_and_unpack(), [again], 0)).run(None, {"strings": np.array("ab", dtype=object)})
    assert found[0].tolist() == ["ab"]


def test_unpack_of_bytes_that_are_not_text_is_an_error():
    nodes = pack_and_unpack()[1:]
    model = model_of(
        nodes,
        [info("data", torch.uint8, 1), info("offsets", torch.int32, 1)],
        [helper.make_tensor_value_info("again", 8, None)],
    )
    data, offsets = compact([b"ab", b"c\xff"])
    with pytest.raises(Exception, match="unpack: invalid UTF-8 in row 1 at byte 1"):
        session(model).run(None, {"data": data.numpy(), "offsets": offsets.numpy()})


def attribute_error(node: Any) -> str:
    model = model_of([node], [info("data", torch.uint8, 1), info("offsets", torch.int32, 1)], [info("y", torch.int64)])
    with pytest.raises(Exception, match="string_find: ") as error:
        session(model)
    return str(error.value)


def find(**attributes: Any) -> Any:
    return helper.make_node("string_find", ["data", "offsets"], ["y"], domain=DOMAIN, **attributes)


def test_attributes_are_checked():
    assert "expected attribute `sub` to be a STRING, but it is missing" in attribute_error(find())
    assert "expected attribute `unit` to be a STRING, got another type" in attribute_error(find(sub="a", unit=3))


def test_a_type_that_the_model_declares_wrongly_is_an_error():
    node = helper.make_node("string_to_number", ["data", "offsets"], ["y"], domain=DOMAIN, dtype="int64")
    model = model_of(
        [node], [info("data", torch.uint8, 1), info("offsets", torch.int32, 1)], [info("y", torch.float64)]
    )
    data, offsets = compact([b"1"])
    with pytest.raises(Exception, match="string_to_number: output 0 is int64, but the model declares it as float64"):
        session(model).run(None, {"data": data.numpy(), "offsets": offsets.numpy()})


def test_a_wrong_number_of_outputs_is_an_error():
    overload = torch.ops.stringops.split.default
    args = [torch.arange(4), [2, 2]]
    with pytest.raises(Exception, match="split: returned 2 tensors, but the model declares 3 outputs"):
        run([(Call(overload, args, {}), [torch.empty(0, dtype=torch.int64)] * 3)])


def test_a_constant_size_may_be_an_attribute():
    """Earlier versions wrote `maxsplit`, `n` and others as attributes."""
    texts = compact([b"a b c"])
    split = torch.ops.stringops.string_split_ragged(*texts, " ")
    cases = [
        ("string_split_ragged", texts, {"delimiter": " ", "maxsplit": 1}),
        ("string_hash_bucket", texts, {"num_buckets": 7}),
        ("string_ngrams_ragged", split, {"n": [1, 2]}),
    ]
    for op, tensors, attributes in cases:
        call = Call(overload_of(op), tensors, attributes)
        want = listed(overload_of(op)(*tensors, **attributes))
        call.inputs = list(tensors)
        node = call.node(len(want))
        del node.attribute[:]
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        feeds = {name: t.numpy() for name, t in call.named_inputs().items()}
        model = model_of(
            [node],
            [info(name, t.dtype, t.dim()) for name, t in call.named_inputs().items()],
            [info(name, t.dtype, t.dim()) for name, t in zip(node.output, want, strict=True)],
        )
        found = [torch.from_numpy(value) for value in session(model).run(None, feeds)]
        loaded = listed(torch_stringops.onnx.load(load_model_from_string(model))(*tensors))
        for got, other, result in zip(found, loaded, want, strict=True):
            assert torch.equal(got, result), op
            assert torch.equal(other, result), op


def test_the_path_is_beside_the_package():
    assert torch_stringops.onnx.library_path().startswith(torch_stringops.__path__[0])
