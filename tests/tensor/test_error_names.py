"""Errors begin with the name of the outermost public function: test_error_texts.py has every argument of every name."""

import inspect
import pickle

import pytest
import torch
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.registry import OVERLOADS, suites
from support.subword_small import tokenizer

import torch_stringops as so
from torch_stringops import StringTensor, Vocabulary, VocabularyBuilder, nn
from torch_stringops._names import named

S = StringTensor.from_list(["to", "be"])
MALFORMED = StringTensor(torch.zeros(1, dtype=torch.uint8), torch.tensor([0, 5, 6], dtype=torch.int32))


def error_of(call) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return caught.value


@each(
    ("name", "call"),
    [
        ("Vocabulary", lambda: Vocabulary(["a", "a"])),
        ("Vocabulary", lambda: Vocabulary(S)(MALFORMED)),
        ("Vocabulary.encode", lambda: Vocabulary(S).encode(MALFORMED)),
        ("Vocabulary.from_strings", lambda: Vocabulary.from_strings(["a"], delimiter=3)),
        ("VocabularyBuilder.add", lambda: VocabularyBuilder(delimiter="").add(MALFORMED)),
        ("SubwordTokenizer", lambda: tokenizer()(MALFORMED)),
        ("SubwordTokenizer.encode", lambda: tokenizer().encode(MALFORMED)),
        ("TextVectorization", lambda: nn.TextVectorization(vocabulary=["a"])(MALFORMED)),
        ("TextVectorization.adapt", lambda: nn.TextVectorization().adapt([MALFORMED])),
        ("StringLookup.adapt", lambda: nn.StringLookup().adapt([MALFORMED])),
        ("Hashing", lambda: nn.Hashing(3)(MALFORMED)),
        ("Normalize", lambda: nn.Normalize()(MALFORMED)),
        ("StringTensor.full", lambda: StringTensor.full([2**40], "x")),
        ("StringTensor.sort", lambda: MALFORMED.sort()),
        ("string_sort", lambda: so.string_sort(MALFORMED)),
        ("torch.sort", lambda: torch.sort(MALFORMED)),
        ("StringTensor.lt", lambda: S.lt(3)),
        ("StringTensor.T", lambda: MALFORMED.reshape(1, 2).T),
        ("StringTensor.__getitem__", lambda: S[7]),
        ("torch.cat", lambda: torch.cat([S, S.reshape(1, 2)])),
    ],
)
def test_the_outermost_public_name_is_shown(name, call):
    assert str(error_of(call)).startswith(f"{name}: ")


def test_python_s_own_errors_name_the_class():
    assert str(error_of(lambda: S.hash(of=1))).startswith("StringTensor.hash() got an unexpected keyword")
    assert str(error_of(lambda: S.lower(1))).startswith("StringTensor.lower() takes 1 positional")
    assert str(error_of(lambda: so.string_hash(S, of=1))).startswith(
        "string_hash() got an unexpected keyword"
    )
    assert str(error_of(lambda: so.string_contains(S))).startswith("string_contains() missing 1 required")


@pytest.mark.parametrize("kind", [ValueError, KeyError, TypeError])
def test_errors_of_a_caller_s_code_are_not_changed(kind):
    def texts():
        yield S
        raise kind("read: no more")

    for call in (
        lambda: Vocabulary.from_strings(texts()),
        lambda: VocabularyBuilder().add(texts()),
        lambda: nn.TextVectorization().adapt(texts()),
    ):
        error = error_of(call)
        assert type(error) is kind
        assert error.args == ("read: no more",)


def test_type_cause_and_notes_are_kept():
    cause = OSError("disk")

    def fails():
        error = IndexError("gather: out of range")
        if hasattr(error, "add_note"):
            error.add_note("a note")
        raise error from cause

    fails.__code__ = fails.__code__.replace(co_filename=so.__file__)
    error = error_of(named(named(fails, "inner"), "outer"))
    assert type(error) is IndexError
    assert str(error) == "outer: out of range"
    assert error.__cause__ is cause
    assert getattr(error, "__notes__", ["a note"]) == ["a note"]


def test_methods_are_found_by_pickle_and_inspect():
    for method in (StringTensor.lower, StringTensor.contains, StringTensor.from_list, Vocabulary.encode):
        assert pickle.loads(pickle.dumps(method)) is method
    assert str(inspect.signature(StringTensor.unsqueeze)) == "(self, dim: 'int') -> 'Self'"
    assert next(iter(inspect.signature(Vocabulary).parameters)) == "tokens"
    assert "_names.py" not in inspect.getsource(StringTensor.lower)


def test_decorated_methods_are_traced_in_one_graph():
    def f(s):
        return (s.lower() + s.upper()).contains("b"), so.string_length(s)

    found = torch.compile(f, backend="eager", fullgraph=True)(S)
    assert found[0].tolist() == [False, True]


def arguments() -> list[tuple[str, int]]:
    """The tensors of each operator that has several: if none is given, no kernel is found."""
    found = []
    for overload in OVERLOADS:
        op, _, name = overload.partition(".")
        schema = getattr(getattr(torch.ops.stringops, op), name or "default")._schema
        tensors = [i for i, a in enumerate(schema.arguments) if str(a.type) == "Tensor"]
        found += [(overload, i) for i in tensors if len(tensors) > 1]
    return found


@each(("overload", "position"), arguments())
def test_none_for_a_tensor_of_an_operator(overload, position):
    op, _, name = overload.partition(".")
    suite = next(c.suite for c in suites(op) if c.suite.overload_name == (name or "default"))
    args, kwargs = suite.tensors(suite.samples[0])
    wanted = suite.overload._schema.arguments[position].name
    with pytest.raises(BAD_ARGUMENT) as caught:
        suite.overload(*args[:position], None, *args[position + 1 :], **kwargs)
    assert str(caught.value) == f"{op}: expected `{wanted}` to be a Tensor, got None"


LONG = StringTensor.from_list(["x" * 70_000])


@pytest.mark.parametrize(
    ("call", "size"),
    [
        (lambda: S.rjust(2**62), "more than 2147483647"),
        (lambda: so.string_repeat(S, 2**40), str(2**42)),
        (lambda: so.string_repeat(S, 2**62), "more than 2147483647"),
        (lambda: so.string_char_ngrams_ragged(LONG, 1, 70_000), "more than 2147483647"),
        (
            lambda: so.string_ngrams_ragged(LONG.expand(1000), torch.tensor([0, 1000]), [900, 901]),
            "more than 2147483647",
        ),
    ],
)
def test_sizes_in_errors_are_whole_on_any_number_of_threads(call, size):
    before = torch.get_num_threads()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            assert f"the result needs {size} bytes" in str(error_of(call))
    finally:
        torch.set_num_threads(before)


def test_a_single_string_is_not_a_batch_to_split():
    for call in (lambda: S[0].rjust(2**40), lambda: so.string_char_ngrams_ragged(LONG, 1, 70_000)):
        text = str(error_of(call))
        assert text.endswith("(pass fewer or shorter strings)")
    assert "split the batch" not in str(error_of(lambda: StringTensor.full([2**40], "x")))
