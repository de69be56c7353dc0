"""Functions of methods, `string_lower = function_of(StringTensor.lower)`: each is a function with all that belongs to one."""

import copy
import inspect
import pickle
import pydoc
from types import FunctionType

import pytest

import torch_stringops
from torch_stringops import StringTensor, _function_of, functions

FUNCTIONS: dict[str, FunctionType] = {
    name: value
    for name, value in vars(torch_stringops).items()
    if inspect.isfunction(value) and value.__code__.co_filename == _function_of.__file__
}
INPUT = "    input: strings `[*S]`, in any form that `as_strings` accepts.\n"


def test_most_functions_are_methods():
    assert len(FUNCTIONS) > 100
    assert {"string_lower", "string_min", "regex_count", "json_extract"} < FUNCTIONS.keys()


def test_a_function_has_the_name_and_the_file_of_its_method():
    """pickle, Sphinx and `help(torch_stringops)` find it by these."""
    for name, function in FUNCTIONS.items():
        method = getattr(StringTensor, name.removeprefix("string_"))
        family = method.__module__.rpartition(".")[2]
        assert function.__name__ == function.__qualname__ == name
        assert function.__module__ == f"{functions.__name__}.{family}"
        assert pickle.loads(pickle.dumps(function)) is function
        assert copy.deepcopy(function) is function


def test_a_function_has_the_signature_and_the_docstring_of_its_method():
    for name, function in FUNCTIONS.items():
        method = getattr(StringTensor, name.removeprefix("string_"))
        of_function, of_method = inspect.signature(function), inspect.signature(method)
        (first, *rest), (_self, *parameters) = of_function.parameters.values(), of_method.parameters.values()
        assert (first.name, first.kind, first.annotation) == ("input", first.POSITIONAL_OR_KEYWORD, "StringsLike")
        assert rest == parameters
        assert of_function.return_annotation == of_method.return_annotation.replace("Self", "StringTensor")
        assert function.__annotations__.keys() == {*of_function.parameters, "return"}
        doc, wanted = inspect.getdoc(function), inspect.getdoc(method)
        assert (INPUT in doc) == ("Args:\n" in wanted), name
        assert doc.replace(INPUT, "") == wanted
    text = pydoc.render_doc(torch_stringops.string_edit_distance, renderer=pydoc.plaintext)
    assert "string_edit_distance(input: 'StringsLike', other: 'StringsLike', " in text
    assert INPUT in text


@pytest.mark.parametrize(("call", "error"), [
    (lambda f: f(), "string_rsplit_ragged() missing 1 required positional argument: 'input'"),
    (lambda f: f(["a"], ",", 1, 2), "string_rsplit_ragged() takes from 1 to 3 positional arguments but 4 were given"),
    (lambda f: f(["a"], limit=2), "string_rsplit_ragged() got an unexpected keyword argument 'limit'"),
    (lambda f: f([1]), "string_rsplit_ragged: `input`: expected str or bytes at [0], got int"),
])  # fmt: skip
def test_errors_of_calls_have_the_name_of_the_function(call, error: str):
    with pytest.raises(TypeError) as raised:
        call(torch_stringops.string_rsplit_ragged)
    assert str(raised.value).startswith(error)


def test_input_is_a_keyword():
    assert torch_stringops.string_edit_distance(input=["ab"], other=["b"], max_distance=1).tolist() == [1]
    assert torch_stringops.string_min(input=["b", "a"], dim=0).values.item() == "a"
