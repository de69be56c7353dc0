"""The texts of errors, as a person reads them: the name of the outermost public function, the argument, and what came."""

import inspect
import pickle
import re
from contextlib import nullcontext
from typing import Any

import numpy as np  # noqa: F401 - in CASES
import pytest
import torch
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.subword_small import tokenizer  # noqa: F401 - in CASES
from support.surrogate import pair
from support.traced import Called
from torch._dynamo.exc import Unsupported
from torch._subclasses.fake_tensor import FakeTensorMode

import torch_stringops as so
from torch_stringops import StringTensor, Vocabulary, VocabularyBuilder, nn
from torch_stringops._checks import quoted
from torch_stringops._names import named

S = StringTensor.from_list(["to", "be"])
MALFORMED = StringTensor(torch.zeros(1, dtype=torch.uint8), torch.tensor([0, 5, 6], dtype=torch.int32))
LONG = "x" * 10**6
LETTER = StringTensor.from_list(["x" * 70_000])
TABLE = pair((2, 3))[1]
FEW = StringTensor(torch.empty(2**30, dtype=torch.uint8), torch.tensor([0, 2**30], dtype=torch.int32))
ONE_MORE = StringTensor(torch.empty(2**30 + 1, dtype=torch.uint8), torch.tensor([0, 2**30 + 1], dtype=torch.int32))

# A call, then the type and the text of its error, in which "..." stands for any text.
CASES = r"""
so.string_split(S, 7)
TypeError: string_split: expected `delimiter` to be str, got int
S.strip(S)
TypeError: StringTensor.strip: expected `chars` to be str, got StringTensor
so.tokenizer(S, separators=["a", S[0]])
TypeError: tokenizer: expected `separators[1]` to be str, got StringTensor
torch.ops.stringops.string_lower(S)
TypeError: string_lower: expected `data` to be a Tensor, got StringTensor (pass its `data` and `offsets`)
max(S, key=len)
TypeError: len() of a 0-d StringTensor (use s.length() for its characters; torch.tensor, which calls len, makes tensors of numbers: use s.to_number(), s.hash(), or the two tensors s.data and s.offsets)
so.tokenizer(S, separators=["a", None])
TypeError: tokenizer: expected `separators[1]` to be str, got NoneType
so.tokenizer(S, separators=7)
TypeError: tokenizer: expected `separators` to be List[str], got int
so.string_split(S, maxsplit=2**64)
ValueError: string_split: expected `maxsplit` within [-2**63, 2**63 - 1], got 18446744073709551616
so.string_split(S, maxsplit=10**5000)
ValueError: string_split: expected `maxsplit` within [-2**63, 2**63 - 1], got an int of 16610 bits
so.ragged_mask(None)
TypeError: ragged_mask: expected `row_splits` to be a Tensor, got NoneType
so.ragged_lengths(["a"])
TypeError: ragged_lengths: expected `row_splits` to be a Tensor or numbers in a list, got a list of others
S.numpy(LONG)
TypeError: StringTensor.numpy: expected `dtype` to be one of NumPy's, got 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'...
np.asarray(S, dtype=float)
ValueError: StringTensor.__array__: NumPy cannot convert the strings to float64
S.reshape([1] * 65)
ValueError: StringTensor.reshape: expected at most 64 sizes or axes, got 65
S.expand_as(3)
TypeError: StringTensor.expand_as: expected `other` to be a StringTensor or a Tensor, got int
so.set_simd_tier(LONG)
ValueError: set_simd_tier: expected `tier` to be one of [...], got 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'...
S.eq("ab\ud800" + LONG)
ValueError: StringTensor.eq: expected `other` to be text that UTF-8 can hold, got a lone surrogate at codepoint 2 (encode it yourself, and pass bytes)
"ab\ud800" + LONG == S
ValueError: StringTensor.__eq__: expected `other` to be text that UTF-8 can hold, got a lone surrogate at codepoint 2 (encode it yourself, and pass bytes)
S.where(S == "to", "ab\ud800")
ValueError: StringTensor.where: expected `other` to be text that UTF-8 can hold, got a lone surrogate at codepoint 2 (encode it yourself, and pass bytes)
StringTensor.from_arrow(S, missing="ab\ud800")
ValueError: StringTensor.from_arrow: expected `missing` to be text that UTF-8 can hold, got a lone surrogate at codepoint 2 (encode it yourself, and pass bytes)
so.ragged_to_dense(S, torch.tensor([0, 1, 2]), 2, "ab\ud800")
ValueError: ragged_to_dense: expected `padding_value` to be text that UTF-8 can hold, got a lone surrogate at codepoint 2 (encode it yourself, and pass bytes)
torch.cat([TABLE, TABLE[:, :1]])
RuntimeError: ...Sizes of tensors must match except in dimension 0. Expected size 3 but got size 1 for tensor number 1 in the list...
torch.cat([TABLE, TABLE[0]])
RuntimeError: ...same number of dimensions...
torch.cat([TABLE[0, 0]])
RuntimeError: ...zero-dimensional tensor (at position 0) cannot...
torch.cat([TABLE, torch.zeros(2)])
TypeError: ...cat: expected StringTensors, got Tensor at position 1...
torch.stack([TABLE, TABLE, TABLE[:1]])
RuntimeError: ...stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [1, 3] at entry 2...
TABLE.where(torch.tensor(1), TABLE)
TypeError: ...expected `condition` to be a bool tensor, got torch.int64...
TABLE.where(torch.tensor(True), 3)
TypeError: ...expected `other` to be a StringTensor, or strings...
TABLE.select(0, torch.tensor([0, 1]))
TypeError: ...select: expected `index` to be an int, or a tensor of one, got torch.int64 of shape [2]...
TABLE.select(0, torch.tensor(1.0))
TypeError: ...got torch.float32 of shape []...
TABLE.reshape(5)
RuntimeError: ...shape '[5]' is invalid for input of size 6...
TABLE.transpose(0, 2)
IndexError: ...Dimension out of range...
torch.cat([ONE_MORE, FEW])
ValueError: torch.cat: the result needs 2147483649 bytes; ... 2147483647 (pass fewer or shorter strings...
ONE_MORE.repeat(2)
ValueError: ...the result needs 2147483650 bytes...
Vocabulary(["a", "a"])
ValueError: Vocabulary: ...
Vocabulary(S)(MALFORMED)
ValueError: Vocabulary: ...
Vocabulary(S).encode(MALFORMED)
ValueError: Vocabulary.encode: ...
Vocabulary.from_text(["a"], delimiter=3)
TypeError: Vocabulary.from_text: ...
VocabularyBuilder().add(MALFORMED)
ValueError: VocabularyBuilder.add: ...
tokenizer()(MALFORMED)
ValueError: SubwordTokenizer: ...
tokenizer().encode(MALFORMED)
ValueError: SubwordTokenizer.encode: ...
nn.TextVectorization(vocabulary=["a"])(MALFORMED)
ValueError: TextVectorization: ...
nn.TextVectorization().adapt([MALFORMED])
ValueError: TextVectorization.adapt: ...
nn.StringLookup().adapt([MALFORMED])
ValueError: StringLookup.adapt: ...
nn.Hashing(3)(MALFORMED)
ValueError: Hashing: ...
nn.Normalize()(MALFORMED)
ValueError: Normalize: ...
MALFORMED.sort()
ValueError: StringTensor.sort: ...
so.string_sort(MALFORMED)
ValueError: string_sort: ...
torch.sort(MALFORMED)
ValueError: torch.sort: ...
S.lt(3)
TypeError: StringTensor.lt: ...
MALFORMED.reshape(1, 2).T
ValueError: StringTensor.T: ...
S[7]
IndexError: StringTensor.__getitem__: ...
torch.cat([S, S.reshape(1, 2)])
RuntimeError: torch.cat: ...
S.hash(of=1)
TypeError: StringTensor.hash() got an unexpected keyword...
S.lower(1)
TypeError: StringTensor.lower() takes 1 positional...
so.string_hash(S, of=1)
TypeError: string_hash() got an unexpected keyword...
so.string_contains(S)
TypeError: string_contains() missing 1 required...
S.rjust(2**62)
ValueError: ...the result needs more than 2147483647 bytes...
so.string_repeat(S, 2**40)
ValueError: ...the result needs 4398046511104 bytes...
so.string_repeat(S, 2**62)
ValueError: ...the result needs more than 2147483647 bytes...
so.string_char_ngrams_ragged(LETTER, 1, 70_000)
ValueError: ...the result needs more than 2147483647 bytes...(pass fewer or shorter strings)
so.string_ngrams_ragged(LETTER.expand(1000), torch.tensor([0, 1000]), [900, 901])
ValueError: ...the result needs more than 2147483647 bytes...
S[0].rjust(2**40)
ValueError: ...(pass fewer or shorter strings)
StringTensor.full([2**40], "x")
ValueError: StringTensor.full: ...
""".strip().splitlines()


def error_of(call: Any) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return caught.value


@each("threads", [1, 2])
def test_texts_of_errors(threads: int):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for code, wanted in zip(CASES[::2], CASES[1::2], strict=True):
            error = error_of(lambda code=code: eval(code))
            kind = ValueError if wanted.startswith("ValueError") and type(error) in BAD_ARGUMENT else type(error)
            text = f"{kind.__name__}: {error}"
            pattern = ".*".join(map(re.escape, re.split(r"(?<!')\.\.\.", wanted)))
            assert re.fullmatch(pattern, text, re.DOTALL), f"{code}: {text[:1000]}"
    finally:
        torch.set_num_threads(before)


def test_one_batch_is_not_split():
    assert "split the batch" not in str(error_of(lambda: StringTensor.full([2**40], "x")))


AXES = """t.permute(0, 0); t.permute(0, -2); t.permute(0); t.permute(0, 2); t.movedim((0, 0), (0, 1)); t.movedim(0, 2)
t.movedim((0, 1), (0,)); t.narrow(1, 4, 0); t.narrow(1, 2, 2); t.narrow(1, 0, -1); t.chunk(0, 1); t.chunk(2, 2)
t.tensor_split(0, 1); t.tensor_split((1,), 2); t.split_with_sizes([1, 1], 1); t.split_with_sizes([1, 2], 0)
t.split_with_sizes([-1, 4], 1); t.select(1, 3); t.select(0, -3); t.expand(-1, 2, 3); t.expand(3); t.expand(2, -2)
t.expand(5, 5); torch.cat([t, t[0]], 2); torch.cat([t, t[0], t[0, 0]], 2)"""


@each("code", re.split(r"; |\n", AXES))
def test_axes_and_bounds_are_checked_as_torch_does(code: str):
    ids, s = pair((2, 3))
    expected = error_of(lambda: eval(code, {"t": ids, "torch": torch}))
    assert isinstance(expected, (IndexError, RuntimeError))
    assert isinstance(error_of(lambda: eval(code, {"t": s, "torch": torch})), type(expected))


@each("sizes", [[0, -1], [-1, 0], [-1], [2, -1]])
def test_negative_sizes_do_not_expand_a_single_string(sizes: list[int]):
    # torch gives tensors of negative sizes if another size is 0.
    s = StringTensor.from_list("a")
    assert isinstance(error_of(lambda: s.expand(sizes)), RuntimeError)
    traced = torch.compile(lambda s: s.expand(sizes).offsets, backend="eager")
    assert isinstance(error_of(lambda: traced(s)), RuntimeError)


@each("given", ["replac", LONG, "\ud800", "a\0b", ""])
def test_unknown_error_handlers_are_quoted(given: str):
    for call in (S.tolist, S[0].item, S.numpy):
        error = error_of(lambda call=call: call(errors=given))
        assert type(error) is LookupError
        assert str(error) == (
            f"StringTensor.{call.__name__}: expected `errors` to be 'strict', 'replace', 'ignore', 'surrogateescape' "
            f"or the name of a registered handler, got {quoted(given)}"
        )


SHOWN = [
    ("rigth", "'rigth'"), ("", "''"), ("it's a\\b", r"'it\'s a\\b'"), ("a\nb\x7f\0", r"'a\x0ab\x7f\x00'"),
    ("é~ ", r"'\xc3\xa9~ '"), ("x" * 32, "'" + "x" * 32 + "'"), ("x" * 33, "'" + "x" * 32 + "'..."),
    ("é" * 16, "'" + r"\xc3\xa9" * 16 + "'"), ("x" + "é" * 16, "'x" + r"\xc3\xa9" * 15 + r"\xc3'..."),
    (LONG, "'" + "x" * 32 + "'..."),
]  # fmt: skip


@each(("given", "shown"), SHOWN)
def test_wrong_choices_are_quoted_alike_by_operators_and_fakes(given: str, shown: str):
    real = (torch.tensor([0, 1]), S.data, S.offsets)
    with FakeTensorMode() as mode:
        fakes = [mode.from_tensor(t) for t in real]
    ops = torch.ops.stringops
    for (splits, *strings), context in ((real, nullcontext()), (fakes, mode)):
        with context:
            side = error_of(lambda splits=splits: ops.ragged_mask(splits, 1, given))
            compat = error_of(lambda strings=strings: ops.string_split(*strings, ",", compat=given))
        assert isinstance(side, BAD_ARGUMENT)
        assert str(side) == f"ragged_mask: expected `side` to be 'left' or 'right', got {shown}"
        choices = "'reference' or 'onnxruntime'"
        assert str(compat) == f"string_split: expected `compat` to be {choices}, got {shown}"


def test_strings_of_a_traced_call_are_named_and_not_read():
    traced = torch.compile(lambda s, t: s.strip(t), backend="eager", fullgraph=True)
    with pytest.raises(Unsupported, match="string_strip: expected `chars` to be str, got StringTensor"):
        traced(S, S[0])
    message = "StringTensor.tolist: the strings of a traced call have no values"
    with pytest.raises(RuntimeError, match=message):
        so.export(Called(lambda s: torch.tensor([len(x) for x in s.lower().tolist()])), (S,))
    # torch.compile leaves the graph to read them.
    assert torch.compile(lambda s: s.upper().tolist(), backend="eager")(S) == ["TO", "BE"]


@each("kind", [ValueError, KeyError, TypeError])
def test_errors_of_a_caller_s_code_are_not_changed(kind: type[Exception]):
    def texts():
        yield S
        raise kind("read: no more")

    adapt = nn.TextVectorization().adapt
    for call in (Vocabulary.from_strings, VocabularyBuilder().add, adapt):
        error = error_of(lambda call=call: call(texts()))
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
