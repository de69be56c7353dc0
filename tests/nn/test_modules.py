"""Hashing, Normalize and StringLookup: results, ways to run, state, errors."""

import copy
import inspect
import pickle
import pydoc
import unicodedata
from typing import Any

import numpy as np
import pytest
import torch
from support.cases import each
from support.modules import check_pickle, check_state, check_ways_to_run, earlier_state, plain

import torch_stringops
from torch_stringops import StringTensor, string_hash_bucket, string_siphash
from torch_stringops.nn import Hashing, Normalize, StringLookup, TextVectorization

WORDS = ["to", "be", "", "or", "not", "été", "to", "[UNK]", "zebra"]
TABLE = StringTensor.from_list([WORDS[:3], WORDS[3:6], WORDS[6:]])


def test_bins_are_those_of_the_operators():
    s = StringTensor.from_list(WORDS)
    assert torch.equal(Hashing(7)(s), string_hash_bucket(s, 7))
    for salt in (5, (1, 2**64 - 1)):
        key = [salt, salt] if isinstance(salt, int) else list(salt)
        expected = [h % 2**64 % 7 for h in string_siphash(s, key).tolist()]
        assert Hashing(7, salt=salt)(s).tolist() == expected


@pytest.mark.parametrize("num_bins", [2, 1000, 2**61 - 1, 2**61])
def test_remainders_of_the_unsigned_hash(num_bins: int):
    s = StringTensor.from_list([str(n) for n in range(200)])
    expected = [h % 2**64 % num_bins for h in string_siphash(s, [3, 4]).tolist()]
    assert Hashing(num_bins, salt=(3, 4))(s).tolist() == expected


def test_a_call_has_the_signature_of_forward():
    for module in (Hashing(4), Normalize(), StringLookup(vocabulary=WORDS[:2]), TextVectorization()):
        kind = type(module)
        assert inspect.signature(module) == inspect.signature(module.forward)
        assert list(inspect.signature(kind).parameters) == list(inspect.signature(kind.__init__).parameters)[1:]
        assert kind.__call__ is torch.nn.Module.__call__  # which torch's compilers recognize
        assert str(inspect.signature(kind.forward)) in pydoc.render_doc(module, renderer=pydoc.plaintext)


def test_bin_of_the_mask():
    bins = Hashing(4, mask_value="to")(WORDS)
    rest = string_hash_bucket(StringTensor.from_list(WORDS), 3) + 1
    assert bins.tolist() == [0 if word == "to" else b for word, b in zip(WORDS, rest.tolist(), strict=True)]
    assert Hashing(1, mask_value="to")(WORDS).tolist() == [0] * len(WORDS)


def test_types_of_the_mask_that_are_rejected():
    for wrong in ([1], 1.5, True, object(), ["a"], torch.tensor(1), StringTensor.from_list(["a"])):
        with pytest.raises(TypeError, match=r"^Hashing: expected `mask_value` to be str, bytes, an int or None, got "):
            Hashing(4, mask_value=wrong)  # type: ignore[arg-type]
    assert Hashing(4, mask_value=np.int64(3))(torch.tensor([3, 4])).tolist()[0] == 0  # type: ignore[arg-type]
    assert Hashing(4, mask_value=b"a")(["a"]).tolist() == [0]


def test_integers_are_hashed_as_digits():
    hashing = Hashing(9, mask_value=3, salt=1)
    assert torch.equal(hashing(torch.tensor([3, -4, 50])), hashing(["3", "-4", "50"]))
    with pytest.raises(ValueError, match="got a floating-point tensor"):
        hashing(torch.tensor([1.0]))


@pytest.mark.parametrize("mode", ["int", "one_hot", "multi_hot", "count"])
def test_modes_of_hashing(mode: str):
    bins, result = Hashing(5)(TABLE), Hashing(5, output_mode=mode)(TABLE)
    one_hot = torch.nn.functional.one_hot(bins, 5).float()
    expected = {"int": bins, "one_hot": one_hot, "multi_hot": one_hot.amax(1), "count": one_hot.sum(1)}[mode]
    assert torch.equal(result, expected)
    check_ways_to_run(Hashing(5, "be", 2, mode), TABLE, TABLE[:0], TABLE[:1])
    check_pickle(Hashing(5, "be", 2, mode), TABLE)


def test_normalize():
    text = ["ÉTÉ ﬁ", " Ångström\n", ""]
    assert Normalize()(text).tolist() == [t.lower() for t in text]
    assert Normalize(lower=False)(text).tolist() == text
    folded = [unicodedata.normalize("NFKC", t).lower() for t in text]
    assert Normalize(form="NFKC")(text).tolist() == folded
    assert Normalize(strip_accents=True, strip=True)(text).tolist() == ["ete ﬁ", "angstrom", ""]
    assert Normalize(form="NFC", strip_accents=True)(["한글"]).tolist() == ["한글"]


def test_torchscript_is_refused_in_one_sentence():
    vocabulary = torch_stringops.Vocabulary(WORDS[:2])

    def lower(strings):
        return torch_stringops.string_lower(strings)

    def count(numbers):
        return torch_stringops.as_strings(["a"]).numel() + numbers

    functions = (lower, count, torch_stringops.string_lower)
    for value in (vocabulary, Hashing(2), Normalize(), TextVectorization(), TABLE, StringTensor, *functions):
        model = torch.nn.Sequential(value) if isinstance(value, torch.nn.Module) else value
        with pytest.raises(RuntimeError, match=r"^torch\.jit\.script: TorchScript supports neither [^\n]*$"):
            torch.jit.script(model)


def test_normalize_runs_everywhere():
    module = Normalize(form="NFKC", strip_accents=True, strip=True)
    check_ways_to_run(module, TABLE, TABLE[:0], TABLE[:1])
    check_pickle(module, TABLE)
    assert not module.state_dict()


@pytest.mark.parametrize(("settings", "specials"), [
    ({}, ["[UNK]"]), ({"mask_token": ""}, ["", "[UNK]"]),
    ({"mask_token": "", "num_oov_indices": 3}, ["", "[UNK]", "[UNK]", "[UNK]"]),
    ({"num_oov_indices": 2, "salt": 3, "oov_token": "?"}, ["?", "?"]),
])  # fmt: skip
def test_ids_of_strings(settings: dict[str, Any], specials: list[str]):
    lookup = StringLookup(vocabulary=["to", "be", "été"], **settings)
    assert lookup.get_vocabulary() == [*specials, "to", "be", "été"]
    assert lookup.get_vocabulary(include_special_tokens=False) == ["to", "be", "été"]
    assert lookup.vocabulary_size() == len(specials) + 3
    start = 1 if "mask_token" in settings else 0
    buckets = Hashing(lookup.num_oov_indices, salt=lookup.salt)(WORDS).tolist()
    known = {"to": len(specials), "be": len(specials) + 1, "été": len(specials) + 2}
    known |= {"": 0} if start else {}
    expected = [known.get(word, start + at) for word, at in zip(WORDS, buckets, strict=True)]
    assert lookup(WORDS).tolist() == expected
    assert lookup("be").tolist() == known["be"]
    with_specials = StringLookup(vocabulary=lookup.get_vocabulary(), **settings)
    assert with_specials(WORDS).tolist() == expected
    check_ways_to_run(lookup, TABLE, TABLE[:0], TABLE[:1])
    check_pickle(lookup, TABLE)
    check_state(lookup, StringLookup(**settings), TABLE)


def test_adapt_orders_tokens_by_count_and_then_backwards():
    data = ["b", "a", "c", "c", "é", "", "[UNK]", "z"]
    lookup = StringLookup(mask_token="")
    for form in (data, StringTensor.from_list(data), iter(data), [StringTensor.from_list([w]) for w in data]):
        lookup.adapt(form)
        assert lookup.get_vocabulary() == ["", "[UNK]", "c", "é", "z", "b", "a"]
    lookup.adapt(iter([["a"], ["b"], ["c"]]), steps=2)
    assert lookup.get_vocabulary() == ["", "[UNK]", "b", "a"]
    small = StringLookup(max_tokens=3, mask_token="")
    small.adapt(data)
    assert small.get_vocabulary() == ["", "[UNK]", "c"]


def test_zero_ids_for_unknown_strings():
    lookup = StringLookup(num_oov_indices=0, vocabulary=["a", "b"], mask_token="")
    assert lookup(["b", "", "a"]).tolist() == [2, 0, 1]
    with pytest.raises(ValueError, match=r"got another one at index 1 \(row-major\)"):
        lookup(["a", "c"])


@pytest.mark.parametrize("mask", [None, "", "<pad>"])
def test_strings_of_ids(mask: str | None):
    lookup = StringLookup(mask_token=mask, vocabulary=["to", "été"], invert=True)
    ids = torch.arange(-1, 6).reshape(1, 7)
    first = ["[UNK]", "[UNK]"] if mask is None else ["[UNK]", mask, "[UNK]"]
    expected = [*first, "to", "été", *["[UNK]"] * 4][:7]
    assert lookup(ids).tolist() == [expected]
    assert lookup(torch.tensor(2)).tolist() == expected[3]
    check_state(lookup, StringLookup(mask_token=mask, invert=True), ids)
    check_pickle(lookup, ids)
    compiled = torch.compile(lookup, fullgraph=True)
    assert compiled(ids).tolist() == [expected]


@pytest.mark.check
@pytest.mark.parametrize("mode", ["one_hot", "multi_hot", "count", "tf_idf"])
@pytest.mark.parametrize("pad", [False, True])
def test_other_modes(mode: str, pad: bool):
    weights = [0.5, 2.0, 3.0] if mode == "tf_idf" else None
    size = {"max_tokens": 6, "pad_to_max_tokens": True} if pad else {}
    lookup = StringLookup(vocabulary=["to", "be", "été"], mask_token="", output_mode=mode, idf_weights=weights, **size)
    depth = 6 if pad else 4
    ids = torch.tensor([[1, 2, -1], [0, 0, 3], [1, 0, 0]])
    one_hot = (ids[..., None] == torch.arange(depth)).long()
    full = torch.tensor([5.5 / 3, 0.5, 2.0, 3.0, 0, 0][:depth])
    expected = {
        "one_hot": one_hot,
        "multi_hot": one_hot.amax(1),
        "count": one_hot.sum(1),
        "tf_idf": one_hot.sum(1) * full,
    }[mode]
    torch.testing.assert_close(lookup(TABLE), expected)
    check_ways_to_run(lookup, TABLE, TABLE[:0], TABLE[:1])
    check_pickle(lookup, TABLE)
    check_state(lookup, StringLookup(mask_token="", output_mode=mode, **size), TABLE)


def test_weights_of_documents():
    lookup = StringLookup(output_mode="tf_idf")
    lookup.adapt([["a", "b", "a"], ["a", "c", "c"]])
    idf = [torch.log(torch.tensor(1 + 2 / (1 + n))).item() for n in (2, 1, 1)]
    assert lookup.get_vocabulary() == ["[UNK]", "a", "c", "b"]
    torch.testing.assert_close(lookup.idf_weights, torch.tensor([sum(idf) / 3, *idf]))


def test_documents_of_strings_of_rank_1():
    """Each is one, as in Keras; a batch of rank 1 of an iterable is a single document."""
    for data, documents in ((["a", "b", "a"], 3), (iter(["a", "b", "a"]), 3), (iter([["a", "b", "a"]]), 1)):
        lookup = StringLookup(output_mode="tf_idf")
        lookup.adapt(data)
        containing = torch.tensor([documents - 1 or 1, 1])
        torch.testing.assert_close(lookup.idf_weights[1:], torch.log(1 + documents / (1 + containing)))


def test_state_of_another_length_is_an_error():
    lookup = StringLookup(vocabulary=["a", "b"], output_mode="tf_idf", idf_weights=[1.0, 2.0])
    for state in (lookup.state_dict(), earlier_state(lookup)):
        StringLookup(output_mode="tf_idf").load_state_dict(state)
        with pytest.raises(RuntimeError, match=r"expected shape \[3\], got \[1\]"):
            StringLookup(output_mode="tf_idf").load_state_dict(state | {"idf_weights": torch.ones(1)})


@each(
    ("make", "message"),
    [
        (lambda: Hashing(0), "expected `num_bins` within"),
        (lambda: Hashing(2, salt=[1]), "expected `salt` to be an int or two ints, got 1"),
        (lambda: Hashing(2, output_mode="ints"), 'expected `output_mode` to be one of "int", .* got "ints"'),
        (lambda: Normalize(form="NFX"), "expected `form` to be one of None"),
        (lambda: StringLookup(max_tokens=1), "expected `max_tokens` >= 2, got 1"),
        (
            lambda: StringLookup(max_tokens=4, num_oov_indices=5),
            "expected `max_tokens` >= 5, the number of ids that are not of tokens, got 4",
        ),
        (lambda: StringLookup(pad_to_max_tokens=True), "expected `max_tokens` with `pad_to_max_tokens`"),
        (lambda: StringLookup(invert=True, output_mode="count"), 'expected `output_mode` "int" with `invert`'),
        (lambda: StringLookup(idf_weights=[1.0]), "expected a `vocabulary` with `idf_weights`"),
        (lambda: StringLookup(vocabulary=[]), "expected `vocabulary` of rank 1, not empty"),
        (lambda: StringLookup(vocabulary=["a", "a"]), "a"),
        (lambda: StringLookup(vocabulary=["a", ""], mask_token=""), "expected `mask_token` in front"),
        (lambda: StringLookup(vocabulary=["a", "[UNK]"], invert=True), "expected `oov_token` in front"),
        (lambda: StringLookup(vocabulary=["a", "b"], max_tokens=2), r"at most 2 tokens \(`max_tokens`\), got 3"),
        (lambda: StringLookup(vocabulary=["a"], idf_weights=[1.0]), 'only with output_mode="tf_idf"'),
        (lambda: StringLookup(vocabulary=["a"], output_mode="tf_idf"), "expected `idf_weights` with output_mode"),
        (
            lambda: StringLookup(vocabulary=["a"], output_mode="tf_idf", idf_weights=[1.0, 2.0]),
            r"expected `idf_weights` of shape \[1\], got \[2\]",
        ),
        (lambda: StringLookup(vocabulary=["a"]).adapt(["a"]), "without the argument `vocabulary`"),
        (lambda: StringLookup().adapt([["a", "b"], ["c"]]), r"got 1 \(a list is one batch: pass iter\(data\)"),
    ],
)
def test_arguments_that_are_rejected(make: Any, message: str):
    with pytest.raises(ValueError, match=message):
        make()


def test_types_that_are_rejected():
    with pytest.raises(TypeError, match="expected strings or an iterable of batches of strings, got set"):
        StringLookup().adapt({"a"})
    with pytest.raises(TypeError, match="oov_token"):
        StringLookup(oov_token=None)


NO_VOCABULARY = r"expected a vocabulary, got none \(pass vocabulary=, call adapt .*, or load_state_dict\)"


@pytest.mark.parametrize(
    "make",
    [
        lambda **vocabulary: TextVectorization(**vocabulary),
        lambda **vocabulary: TextVectorization(output_mode="count", split=None, **vocabulary),
        lambda **vocabulary: StringLookup(**vocabulary),
        lambda **vocabulary: StringLookup(mask_token="", num_oov_indices=3, **vocabulary),
        lambda **vocabulary: StringLookup(num_oov_indices=0, output_mode="one_hot", **vocabulary),
        lambda **vocabulary: StringLookup(invert=True, **vocabulary),
        lambda **vocabulary: StringLookup(max_tokens=9, output_mode="multi_hot", pad_to_max_tokens=True, **vocabulary),
    ],
)
def test_a_module_without_a_vocabulary_is_an_error(make: Any):
    """As in Keras. It used to give the ids of unknown strings, on which a model trains without an error."""
    module, learned = make(), make(vocabulary=["to", "be"])
    strings = not getattr(module, "invert", False)
    input = StringTensor.from_list([["to", "be"]]) if strings else torch.tensor([0, 1])
    message = f"{type(module).__name__}: {NO_VOCABULARY}"
    ways = [module, copy.deepcopy(module), pickle.loads(pickle.dumps(module))]
    for way in ways:
        for given in (input, input[:0]):
            with pytest.raises(RuntimeError, match=message):
                way(given)
    with pytest.raises(RuntimeError, match=message):
        torch_stringops.export(module, (input,))
    torch._dynamo.reset()
    with pytest.raises(RuntimeError, match=message):
        torch.compile(module, fullgraph=True, backend="eager")(input)
    for way in ways:
        way.load_state_dict(learned.state_dict())
        assert plain(way(input)) == plain(learned(input))
        assert plain(copy.deepcopy(way)(input)) == plain(learned(input))


def test_no_tokens_learned_are_no_vocabulary():
    for weights in ("int", "tf_idf"):
        module = StringLookup(output_mode=weights)
        for data in ([], iter([]), [["[UNK]"]]):
            module.adapt(data)
            with pytest.raises(RuntimeError, match=NO_VOCABULARY):
                module(["a"])
        module.adapt(["a"])
        assert module(["a"]).numel()


def test_max_tokens_without_room_for_tokens_is_a_vocabulary():
    lookup = StringLookup(max_tokens=2, mask_token="")
    lookup.adapt(["a"])
    assert lookup(["a", ""]).tolist() == [1, 0]


def test_vocabulary_of_a_file(tmp_path: Any):
    path = tmp_path / "words.txt"
    path.write_text("a\nb\n", encoding="utf-8")
    assert StringLookup(vocabulary=path).get_vocabulary() == ["[UNK]", "a", "b"]
    assert StringLookup(vocabulary=str(path)).get_vocabulary() == ["[UNK]", "a", "b"]


@pytest.mark.parametrize(
    "module",
    [
        Hashing(5, "be", 2, "count"),
        Normalize(form="NFC", strip_accents=True),
        StringLookup(vocabulary=["to", "be"], mask_token="", num_oov_indices=2, output_mode="multi_hot"),
    ],
    ids=lambda module: type(module).__name__,
)
def test_compiled_by_inductor(module: torch.nn.Module):
    torch._dynamo.reset()
    compiled = torch.compile(module, fullgraph=True)
    for table in (TABLE, TABLE[:1], TABLE[:0]):
        assert compiled(table).tolist() == module(table).tolist()
