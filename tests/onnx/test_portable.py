"""Portable forms, in onnxruntime without the library: equal to the operators on random strings, or refused."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from support import onnx_samples
from support.models import strings
from support.onnx_library_form import as_array
from support.onnx_sessions import session
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

import torch_stringops as ts
from torch_stringops import StringTensor, Vocabulary
from torch_stringops.nn import TextVectorization
from torch_stringops.onnx import export, load
from torch_stringops.onnx._call import Call, NoForm
from torch_stringops.onnx._forms import FORMS, Form
from torch_stringops.onnx._forms_strings import check_pattern
from torch_stringops.onnx._operators import DOMAIN, operators

VOCABULARY = Vocabulary(["<unk>", "a", "b", "é", "", "x y", "\0"], unknown_token="<unk>")
POOL = {"pool_strings": ["a", "b", "", "a", "b"], "ngram_counts": [0, 3], "ngram_indexes": [0, 1, 3, 4]}
LENGTHS = {"min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 1}


def words(text: StringTensor) -> tuple[StringTensor, Tensor]:
    return ts.string_split_ragged(text)


def lengths(text: StringTensor) -> Tensor:
    return words(text)[1].diff()


# Calls on strings `[n]` and others of the same shape, by the names of the operators.
CALLS: dict[str, list[Callable[[StringTensor, StringTensor], Any]]] = {
    "string_split_ragged": [
        lambda text, _: words(text),
        lambda text, _: ts.string_split_ragged(text, ","),
        lambda text, _: ts.string_split_ragged(text, "aa", 1),
        lambda text, _: ts.string_split_ragged(text, ",", skip_empty=True),
        lambda text, _: ts.string_split_ragged(text, compat="onnxruntime"),
        lambda text, _: ts.string_split_ragged(text, ",", 2, compat="onnxruntime"),
    ],
    "string_split": [
        lambda text, _: ts.string_split(text),
        lambda text, _: ts.string_split(text, ",", 1),
        lambda text, _: ts.string_split(text, ",", compat="onnxruntime"),
    ],
    "vocab_encode": [lambda text, _: VOCABULARY.encode(text), lambda text, _: VOCABULARY._find(text, -1, 0)],
    "split_encode": [
        lambda text, _: VOCABULARY.split_encode(text),
        lambda text, _: VOCABULARY.split_encode(text, " ", skip_empty=True),
    ],
    "tokenize_encode": [lambda text, _: VOCABULARY.tokenize_encode(text, tokenexp=r"\w+|[^\w\s]")],
    "tokenizer_ragged": [
        lambda text, _: ts.tokenizer_ragged(text, separators=[r"\s", ","]),
        lambda text, _: ts.tokenizer_ragged(text, separators=[""]),
        lambda text, _: ts.tokenizer_ragged(text, tokenexp=r"[a-zé]+", mincharnum=2),
    ],
    "tokenizer": [
        lambda text, _: ts.tokenizer(text, tokenexp=".", pad_value="#"),
        lambda text, _: ts.tokenizer(text, separators=["a+"]),
    ],
    "string_concat": [lambda text, other: ts.string_concat(text, "-", other), lambda text, _: text + "\0"],
    "string_equal": [lambda text, other: text == other, lambda text, _: text == "a"],
    "string_isin": [lambda text, _: text.isin(["a", "", "é"]), lambda text, _: text.isin(StringTensor.from_list([]))],
    "regex_full_match": [lambda text, _: text.regex_full_match(r"[a-z ]*"), lambda text, _: text.regex_full_match("(?s).é?")],
    "string_startswith": [lambda text, _: text.startswith("a"), lambda text, _: text.startswith("")],
    "string_endswith": [lambda text, _: text.endswith("é")],
    "string_contains": [lambda text, _: text.contains(","), lambda text, _: text.contains("\0"), lambda text, _: text.contains("\\E.")],
    "string_is_ascii": [lambda text, _: text.is_ascii()],
    "string_length": [lambda text, _: text.length()],
    "string_murmur3": [lambda text, _: text.murmur3(), lambda text, _: text.murmur3(7, positive=False)],
    "_string_where": [lambda text, other: torch.where(text == "a", text, other)],
    "_string_masked_select": [lambda text, _: text[text != "a"]],
    "string_tensor_pack": [lambda text, _: text.flip(0), lambda text, _: ts.string_split(text, ",")[0].T],
    "_string_gather": [lambda text, _: text[lengths(text).nonzero().squeeze(1)]],
    "string_unique": [lambda text, _: torch.unique(text, sorted=False, return_inverse=True, return_counts=True)],
    "_string_unique_sorted": [lambda text, _: torch.unique(text, return_inverse=True, return_counts=True)],
    "string_from_number": [lambda text, _: ts.string_from_number(lengths(text) - 1)],
    "string_normalizer": [
        lambda text, _: ts.string_normalizer(text, stopwords=["a", ""], is_case_sensitive=True),
        lambda text, _: ts.string_normalizer(text, stopwords=["b"], is_case_sensitive=True),
    ],
    "tfidf_vectorizer.strings": [
        lambda text, _: ts.tfidf_vectorizer(ts.string_split(text)[0], mode="TF", num_outputs=5, **LENGTHS, **POOL),
        lambda text, _: ts.tfidf_vectorizer(text, mode="IDF", num_outputs=5, weights=[1, 2, 3, 0.5], **LENGTHS, **POOL),
    ],
    "tfidf_vectorizer": [
        lambda text, _: ts.tfidf_vectorizer(
            ts.ragged_to_dense(VOCABULARY.split_encode(text)[0], words(text)[1], 5), mode="TFIDF", num_outputs=3,
            pool_int64s=[1, 2, 0], ngram_counts=[0], ngram_indexes=[2, 0, 1], max_gram_length=1, max_skip_count=0,
            min_gram_length=1, weights=[0.5, 2, 3],
        )
    ],
    "ragged_to_dense": [
        lambda text, _: ts.ragged_to_dense(*VOCABULARY.split_encode(text), padding_value=-1),
        lambda text, _: ts.ragged_to_dense(*VOCABULARY.split_encode(text), 2, side="left"),
        lambda text, _: ts.ragged_to_dense(
            *VOCABULARY.split_encode(text), max_width=5, min_width=2, pad_to_multiple_of=4, side="left"
        ),
        lambda text, _: ts.ragged_to_dense(torch.eye(7)[VOCABULARY.split_encode(text)[0]], words(text)[1], 3),
    ],
    "_strings_to_dense": [
        lambda text, _: ts.ragged_to_dense(*words(text), padding_value="é"),
        lambda text, _: ts.ragged_to_dense(*words(text), 2, padding_value="#", side="left"),
        lambda text, _: ts.ragged_to_dense(*words(text)),
    ],
    "ragged_mask": [
        lambda text, _: ts.ragged_mask(words(text)[1]),
        lambda text, _: ts.ragged_mask(words(text)[1], 3, side="left"),
    ],
    "_ragged_lengths": [lambda text, _: ts.ragged_lengths(words(text)[1])],
    "dense_to_ragged": [
        lambda text, _: ts.dense_to_ragged(ts.ragged_mask(words(text)[1], 5), lengths(text).clamp(max=4))
    ],
    "ragged_count": [
        lambda text, _: ts.ragged_count(VOCABULARY.split_encode(text)[0] - 1, words(text)[1], 3),
        lambda text, _: ts.ragged_count(*VOCABULARY.split_encode(text), 9, binary=True),
    ],
}  # fmt: skip

PIECES = st.sampled_from(["a", "b", "aa", " ", ",", "é", "\0", "\n", "\u3000", "\x85", "😀", "x y", "\\E.", "ſ", "İ"])
TEXT = st.lists(PIECES, max_size=6).map("".join) | st.text(max_size=8)
NAMES = [f"{name}-{i}" for name, calls in CALLS.items() for i in range(len(calls))]


class All(nn.Module):
    def __init__(self, names: list[str] = NAMES) -> None:
        super().__init__()
        self.vocabulary, self.names = VOCABULARY, names

    def forward(self, text: StringTensor, other: StringTensor) -> list[Any]:
        found = [name.rsplit("-", 1) for name in self.names]
        return [CALLS[name][int(i)](text, other) for name, i in found]


def flat(values: Any) -> list[np.ndarray]:
    return [as_array(v) for v in tree_leaves(values, is_leaf=lambda v: isinstance(v, StringTensor))]


def portable(model: nn.Module, *args: Any) -> Any:
    proto = export(model.eval(), args, portable=True)
    onnx.checker.check_model(proto, full_check=True)
    assert DOMAIN not in {node.domain for node in proto.graph.node} | {o.domain for o in proto.opset_import}
    return proto


def compare(session: onnxruntime.InferenceSession, model: nn.Module, *args: StringTensor) -> None:
    names = [value.name for value in session.get_inputs()]
    with torch.no_grad():
        results = model(*args)
    got = session.run(None, dict(zip(names, map(as_array, args), strict=True)))
    parts = zip(model.names, results, strict=True) if isinstance(model, All) else [("", results)]
    wants = [(label, want) for label, part in parts for want in flat(part)]
    for (label, want), value in zip(wants, got, strict=True):
        if label.startswith("tokenizer-") and args[0].numel() == 0:
            continue  # eager returns strings of shape [0], programs [0, 0]
        assert (want.dtype, want.shape) == (value.dtype, value.shape), label
        if want.dtype == np.float32:
            np.testing.assert_allclose(value, want, rtol=1e-4, atol=1e-5, err_msg=label)
        else:
            assert want.tolist() == value.tolist(), label


@pytest.fixture(scope="module")
def all_forms() -> Any:
    return portable(All(), StringTensor.from_list(["a b", "b"]), StringTensor.from_list(["a", "c"]))


@pytest.fixture(scope="module")
def all_session(all_forms: Any) -> onnxruntime.InferenceSession:
    return session(all_forms)


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=5))
def test_forms_are_exact(all_session: onnxruntime.InferenceSession, pairs: list[tuple[str, str]]) -> None:
    compare(all_session, All(), strings([a for a, _ in pairs]), strings([b for _, b in pairs]))


def test_forms_of_many_strings(all_session: onnxruntime.InferenceSession) -> None:
    """So many that onnxruntime uses its threads."""
    rng = random.Random(0)
    pieces = ["a", "b", "aa", " ", ",", "é", "\0", "x y", "😀"]
    texts = [["".join(rng.choices(pieces, k=rng.randrange(8))) for _ in range(5_000)] for _ in range(2)]
    compare(all_session, All(), *map(strings, texts))


class Sums(nn.Module):
    """Sums at positions that repeat, in all of the ways in which models write them."""

    def __init__(self) -> None:
        super().__init__()
        self.vocabulary = VOCABULARY
        self.bags = nn.ModuleList(
            nn.EmbeddingBag(7, 16, mode=mode, include_last_offset=True) for mode in ("sum", "mean", "max")
        )

    def forward(self, text: StringTensor) -> list[Tensor]:
        ids, row_splits = self.vocabulary.split_encode(text)
        rows = self.bags[0].weight[ids]
        zeros = rows.new_zeros(2, 16)
        return [
            *(bag(ids, row_splits) for bag in self.bags),
            ts.ragged_count(ids, row_splits, 7),
            zeros.index_add(0, ids % 2, rows),
            zeros.index_put((ids % 2, ids - 16), rows[:, 0], accumulate=True),
            torch.ops.aten.index_put(zeros, [None, ids], rows[:2, :1], True),
        ]


def test_sums_at_positions_that_repeat() -> None:
    rng = random.Random(1)
    texts = [" ".join(rng.choices(["a", "b", "é", "c"], k=k)) for k in (30_000, 0, 30_000, 7)]
    model = Sums()
    proto = portable(model, strings(["a b", "c"]))
    for _ in range(2):
        compare(session(proto), model, strings(texts))
    # A race shows in few runs.
    assert not any(a.name == "reduction" for n in proto.graph.node if n.op_type == "ScatterND" for a in n.attribute)


@pytest.mark.check
def test_forms_of_rank_2() -> None:
    """Of the calls that take strings of rank 2."""
    text = StringTensor.from_list([["a b,é", ""], ["x y,aab", "\0"], ["b", "a"]])
    other = StringTensor.from_list([["a", "b"], ["é,", ""], ["aa a", "a"]])
    names = []
    for name in NAMES:
        try:
            All([name])(text, other)
        except (ValueError, TypeError, RuntimeError, IndexError):
            continue
        names.append(name)
    assert len(names) > 30
    model = All(names)
    compare(session(portable(model, text[:2], other[:2])), model, text, other)


# Calls with compat="onnxruntime": a module that is loaded gives the results of the specification.
NOT_LOADED = {"string_split_ragged-4", "string_split_ragged-5", "string_split-2"}


def test_forms_are_read_back(all_forms: Any) -> None:
    module = load(all_forms)
    for texts, others in ((["a b,é", "", "x y,aab"], ["a", "", ","]), (["\0\u3000ſ\n"], ["\\E."])):
        wants = All()(strings(texts), strings(others))
        got = iter(module(strings(texts), strings(others)))
        for name, want in zip(NAMES, wants, strict=True):
            for value in flat(want):
                found = as_array(next(got))
                if name not in NOT_LOADED:
                    assert (found.dtype, found.tolist()) == (value.dtype, value.tolist()), name


class Views(nn.Module):
    """Strings that are indexed, and results that are views."""

    def forward(self, text: StringTensor, table: StringTensor) -> list[Any]:
        row_splits = torch.tensor([0, 1, 1, 3])
        return [
            text[0], text[1:], text.unsqueeze(1), text.unsqueeze(0), text[:-1].flip(0), text[[1, 0]], table[0],
            table[::2], table[[2, 0, 0]], table.flip(0), table[1:, 1:], table[:, 0], table[:, 1:][0],
            ts.ragged_to_dense(table, row_splits, padding_value="-"), ts.ragged_to_dense(table, row_splits),
        ]  # fmt: skip


def test_views() -> None:
    text = strings(["a", "bc", "é\0"])
    table = StringTensor.from_list([["a", "bc"], ["é\0", ""], ["d", "e"]])
    compare(session(portable(Views(), text, table)), Views(), text, table)


def test_layer_of_text() -> None:
    for mode in ("int", "tf_idf"):
        layer = TextVectorization(standardize=None, output_mode=mode)
        layer.adapt(["to be or not to be", "let it be"])
        made = session(portable(layer, strings(["to be", ""])))
        for texts in (["to be", "x or\tnot é"], [], ["a"]):
            compare(made, layer, strings(texts))


class Refused(nn.Module):
    def forward(self, text: StringTensor) -> tuple[Any, ...]:
        lowered = text.lower()
        rows = text.unsqueeze(0).expand(2, -1)
        return lowered.strip(), text.regex_full_match(r"\pL+"), text.offsets.diff(), rows


def test_refusals_are_named_at_once() -> None:
    with pytest.raises(ValueError, match="^export: expected operators with a portable form") as raised:
        export(Refused(), (strings(["a"]),), portable=True)
    lines = str(raised.value).splitlines()[1:]
    assert [line.split()[0] for line in lines] == ["string_lower", "string_strip", "regex_full_match", "Expand"]
    assert "`rows = text.unsqueeze(0).expand(2, -1)`" in lines[3]
    assert "test_portable.py" in lines[0]
    assert "`lowered = text.lower()`" in lines[0]
    assert lines[2].endswith(r"onnxruntime may match `\p` of its pattern differently")

    class Bytes(nn.Module):
        def forward(self, text: StringTensor) -> Tensor:
            return text.offsets.diff()

    with pytest.raises(ValueError, match="reads the bytes or offsets of strings"):
        export(Bytes(), (strings(["a"]),), portable=True)


def test_a_form_that_does_not_ask_for_an_argument_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lengths(nn.Module):
        def forward(self, text: StringTensor) -> Tensor:
            return text.length("byte")

    def forgets_unit(c: Call) -> None:
        c.returns(c.add("Shape", c.strings()))

    monkeypatch.setitem(FORMS, "string_length", Form("Shape-15", forgets_unit, ""))
    with pytest.raises(ValueError, match="no form for `unit`"):
        export(Lengths(), (strings(["a"]),), portable=True)


def test_patterns_that_onnxruntime_does_not_read_are_refused() -> None:
    for pattern in ("a(?=b)", "a(?!b)b", "a*+", r"\d{1,2}+b", "[a+]++"):
        with pytest.raises(NoForm, match="no look-ahead, no possessive"):
            check_pattern(pattern)
    for pattern in (r"\++", "[*+(?=]+", r"[]+]*", r"[^\]+]+", "a}+", "(?:a+)+"):
        check_pattern(pattern)
        made = onnx.helper.make_node("RegexFullMatch", ["x"], ["y"], pattern=pattern)
        session(
            onnx_samples.model([made], [onnx_samples.strings("x")], [onnx_samples.value("y", onnx.TensorProto.BOOL)])
        )


def test_every_form_is_compared() -> None:
    assert set(CALLS) == set(FORMS)
    assert set(FORMS) <= {operator.name for operator in operators().values()}
