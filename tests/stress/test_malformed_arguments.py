"""Malformed arguments of every operator: an error that names it or a valid result, never a crash."""

import re
import subprocess

import pytest
import torch
from stress import malformed_arguments
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.programs import run_stress
from support.registry import OVERLOADS, suite_of

OPS = torch.ops.stringops


def test_malformed_arguments_raise_an_error_or_give_a_valid_result(record_property):
    # In child processes, as a crash would end the other tests too.
    done = run_stress("malformed_arguments", stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    size = re.search(r"^(\d+) operators x (\d+) values or more: \d+ calls", done.stdout, re.MULTILINE)
    assert size, done.stdout
    record_property("table", size.group())
    print(size.group())
    assert int(size.group(1)) == len(OVERLOADS)
    assert int(size.group(2)) >= 20 * 2


def test_a_tensor_without_its_storage_is_rejected():
    data, offsets = torch.tensor([97, 98], dtype=torch.uint8), torch.tensor([0, 2], dtype=torch.int32)
    data.untyped_storage().resize_(1)
    with pytest.raises(
        BAD_ARGUMENT, match=r"^string_unique: expected `data` with a storage of at least 2 bytes, got 1"
    ):
        OPS.string_unique(data, offsets)


@each("name", OVERLOADS)
def test_tensors_on_another_device_are_rejected(name: str):
    """The dispatcher never does this, but a direct call of the CPU kernel can."""
    suite = suite_of(name)
    args, kwargs = suite.tensors(suite.samples[0])
    cpu = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
    for i, arg in enumerate(args):
        if isinstance(arg, torch.Tensor):
            elsewhere = [*args[:i], arg.to("meta"), *args[i + 1 :]]
            with pytest.raises(BAD_ARGUMENT, match=r"on the CPU \(move it with \.cpu\(\)\)$"):
                suite.overload.redispatch(cpu, *elsewhere, **kwargs)


@each("name", OVERLOADS)
def test_tensors_on_two_devices_are_rejected(name: str):
    """The fake implementation is called for them; its results on the CPU would be uninitialized memory."""
    suite = suite_of(name)
    for sample in suite.samples:
        args, kwargs = suite.tensors(sample)
        tensors = [i for i, arg in enumerate(args) if isinstance(arg, torch.Tensor)]
        for i in tensors if len(tensors) > 1 else []:
            elsewhere = [*args[:i], args[i].to("meta"), *args[i + 1 :]]
            with pytest.raises(ValueError, match="expected all tensors on one device, got .* on (cpu|meta)"):
                suite.overload(*elsewhere, **kwargs)


@each("name", OVERLOADS)
def test_none_for_one_of_several_tensors_is_named(name: str):
    """If no tensor is given, no kernel is found."""
    suite = suite_of(name)
    args, kwargs = suite.tensors(suite.samples[0])
    tensors = [(i, a.name) for i, a in enumerate(suite.overload._schema.arguments) if str(a.type) == "Tensor"]
    for i, argument in tensors if len(tensors) > 1 else []:
        with pytest.raises(BAD_ARGUMENT) as caught:
            suite.overload(*args[:i], None, *args[i + 1 :], **kwargs)
        assert str(caught.value) == f"{suite.op}: expected `{argument}` to be a Tensor, got None"


def test_a_fault_is_reported(monkeypatch: pytest.MonkeyPatch):
    """Of a fake kernel with another text, or without the check."""
    cases = [c for c in malformed_arguments.all_cases(["string_lower"]) if c.traced]
    assert [malformed_arguments.run_case(case) for case in cases] == [""] * len(malformed_arguments.TRACED)
    for fake, wrong in ((ValueError("string_lower: other"), "but when traced"), (None, "no error when traced")):
        monkeypatch.setattr(malformed_arguments, "fake_error", lambda *_, fake=fake: fake)
        assert all(wrong in malformed_arguments.run_case(case) for case in cases)
