"""SubwordTokenizer: batches, decoding, tokens, its state."""

import copy
import io
import pickle
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from support.cases import each
from support.modules import earlier_state
from support.subword_small import LINES, tokenizer

from torch_stringops import StringTensor, SubwordTokenizer
from torch_stringops.subword._definition import Definition
from torch_stringops.subword._readers import _settings_of

BEFORE, AFTER, PAD = 300, 301, 302


def rows(t: SubwordTokenizer, texts: Any, **options: Any) -> list[list[int]]:
    ids, row_splits = t.encode(texts, **options)
    return [ids[a:b].tolist() for a, b in pairwise(row_splits.tolist())]


def test_encode_takes_all_forms_of_strings():
    t = tokenizer()
    assert rows(t, "to be") == rows(t, ["to be"]) == rows(t, StringTensor.from_list(["to be"])) == [[256, 258]]
    assert rows(t, [["to be"], ["be"]]) == [[256, 258], [257]]
    assert rows(t, [b"\xff"]) == [[255]]


def test_template_and_truncation():
    t = tokenizer()
    assert rows(t, ["to be", ""], add_special_tokens=True) == [[300, 256, 258, 301], [300, 301]]
    assert rows(t, ["to be to"], add_special_tokens=True, max_length=3) == [[300, 256, 301]]
    assert rows(t, ["to be to"], max_length=2) == [[256, 258]]
    with pytest.raises(ValueError, match=r"max_length` within \[0, 2147483647\], got -1"):
        t.encode(["to"], max_length=-1)
    with pytest.raises((ValueError, RuntimeError), match="expected `max_length` >= 2"):
        t.encode(["to"], add_special_tokens=True, max_length=1)


def test_a_batch():
    batch = tokenizer()(["to be", "be"])
    assert list(batch) == ["input_ids", "attention_mask"]
    assert batch["input_ids"].tolist() == [[300, 256, 258, 301], [300, 257, 301, PAD]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]
    assert batch["attention_mask"].dtype == torch.int64


def test_paddings():
    t = tokenizer()
    texts = ["to be", "be"]

    def ids(**options: Any) -> list[list[int]]:
        return t(texts, add_special_tokens=False, **options)["input_ids"].tolist()

    assert ids(padding=True) == [[256, 258], [257, PAD]]
    assert ids(padding_side="left") == ids(padding_side="left", return_tensors="pt") == [[256, 258], [PAD, 257]]
    with pytest.raises(ValueError, match="expected `return_tensors` to be"):
        ids(return_tensors="np")
    assert ids(padding="max_length", max_length=3) == [[256, 258, PAD], [257, PAD, PAD]]
    assert ids(padding="max_length", max_length=1) == [[256], [257]]
    assert ids(padding="max_length", max_length=1, truncation=False) == [[256, 258], [257, PAD]]
    assert ids(pad_to_multiple_of=4) == [[256, 258, PAD, PAD], [257, PAD, PAD, PAD]]
    assert ids(padding="max_length", max_length=3, pad_to_multiple_of=2) == ids(pad_to_multiple_of=4)
    ragged = t(texts, padding=False, add_special_tokens=False)
    assert ragged["input_ids"].tolist() == [256, 258, 257]
    assert ragged["row_splits"].tolist() == [0, 2, 3]


def test_the_shape_of_a_batch_is_that_of_the_strings():
    t = tokenizer()
    assert t("to be")["input_ids"].tolist() == [300, 256, 258, 301]
    assert t([["to", "be"], ["or", ""]])["attention_mask"].shape == (2, 2, 4)
    none = StringTensor.from_list([])
    assert t(none)["input_ids"].shape == (0, 2)  # the special tokens of each row
    assert t(none, add_special_tokens=False)["input_ids"].shape == (0, 0)


def test_settings_are_defaults():
    t = tokenizer(pads_left=1, max_length=3, types=1, pad_type=4)
    batch = t(["to be", ""])
    assert batch["input_ids"].tolist() == [[300, 256, 301], [PAD, 300, 301]]
    assert batch["token_type_ids"].tolist() == [[0, 0, 0], [4, 0, 0]]
    assert "token_type_ids" not in t(["to"], return_token_type_ids=False)
    assert t(["to be"], max_length=4)["input_ids"].shape == (1, 4)
    assert t(["to be"], truncation=False)["input_ids"].shape == (1, 4)
    assert t.max_length == 3


def test_truncation_on_the_left():
    t = tokenizer(truncates_left=1)
    assert t(["to be to"], max_length=3)["input_ids"].tolist() == [[300, 259, 301]]
    assert t(["to be to"], max_length=2, add_special_tokens=False)["input_ids"].tolist() == [[258, 259]]


@pytest.mark.parametrize(("options", "text"), [
    ({"padding": "longer"}, 'expected `padding` to be one of "longest", "max_length", "do_not_pad", got "longer"'),
    ({"padding_side": "top"}, "expected `padding_side`"),
    ({"padding": "max_length"}, 'expected a `max_length` with padding="max_length", got None'),
    ({"max_length": -2}, r"expected `max_length` within"),
])  # fmt: skip
def test_malformed_options(options: dict[str, Any], text: str):
    with pytest.raises(ValueError, match=f"SubwordTokenizer: {text}"):
        tokenizer()(["to"], **options)


def test_padding_needs_an_id():
    t = tokenizer(pad=-1)
    assert t.pad_id is None
    assert t.pad_token is None
    assert t(["to"], padding=False)["input_ids"].tolist() == [300, 256, 301]
    with pytest.raises(ValueError, match="expected a tokenizer with a `pad_id`"):
        t(["to"])


def test_decode():
    t = tokenizer()
    ids, row_splits = t.encode(LINES, add_special_tokens=True)
    assert t.decode(ids, row_splits).tolist() == [
        line.replace("<s>", "").replace("</s>", "end") + "end" for line in LINES
    ]
    assert t.decode([[300, 256, 302], [195, 302, 302]]).tolist() == ["to", "\ufffd"]
    assert t.decode([[300, 256]], skip_special_tokens=False).tolist() == ["<s>to"]
    assert t.decode([256, 258]).item() == "to be"
    assert t.decode([195], errors="keep").item(as_bytes=True) == b"\xc3"
    assert t.decode([195, 256], errors="ignore").item() == "to"
    assert t.decode(torch.empty(2, 0, dtype=torch.int64)).tolist() == ["", ""]


def test_tokens():
    t = tokenizer()
    assert len(t) == t.vocab_size == 304
    assert t.vocabulary.shape == (304,)
    assert t.token_to_id(" be") == 258
    assert t.token_to_id("<s>") == 300
    assert t.token_to_id(b"\xff") == 255
    assert t.token_to_id("unheard of") is None
    assert t.token_to_id("") is None
    assert t.id_to_token(258) == " be"
    assert t.id_to_token(255) == b"\xff"
    assert t.id_to_token(303) is None
    assert t.special_ids == [300]
    t.special_ids.append(1)  # a list of the caller
    assert t.special_ids == [300]
    with pytest.raises(ValueError, match="within"):
        t.id_to_token(304)


def test_repr():
    assert repr(tokenizer(max_length=512, pad=300)) == "SubwordTokenizer(304, pad_token='<s>', max_length=512)"


def test_a_pad_token_by_its_text():
    ranks = {bytes([byte]): byte for byte in range(256)}
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
    t = SubwordTokenizer.from_tiktoken(ranks, pattern, {"<pad>": 256}, pad_token="<pad>")
    assert t.pad_token == "<pad>"
    assert t(["a", "ab"])["input_ids"].tolist() == [[97, 256], [97, 98]]
    with pytest.raises(ValueError, match="expected `pad_token` to be one of the tokens, got '<x>'"):
        SubwordTokenizer.from_tiktoken(ranks, pattern, pad_token="<x>")
    with pytest.raises(TypeError, match="expected `pattern` to be a str, got NoneType"):
        SubwordTokenizer.from_tiktoken(ranks)


def test_settings_of_an_object_of_transformers():
    object_ = SimpleNamespace(
        padding_side="left",
        truncation_side="right",
        model_input_names=["input_ids", "attention_mask"],
        pad_token_type_id=0,
        pad_token_id=None,
        model_max_length=10**30,
    )
    assert _settings_of(object_) == {"pads_left": 1, "truncates_left": 0, "types": 0, "pad_type": 0}
    object_.pad_token_id, object_.model_max_length = 5, 512
    object_.model_input_names.append("token_type_ids")
    assert _settings_of(object_).items() >= {"pad": 5, "max_length": 512, "types": 1}.items()


def equal(a: SubwordTokenizer, b: SubwordTokenizer) -> bool:
    results = [t(LINES) for t in (a, b)]
    return repr(a) == repr(b) and all(torch.equal(results[0][name], results[1][name]) for name in results[0])


def test_copies_and_files(tmp_path: Path):
    t = tokenizer(pads_left=1, max_length=20)
    assert equal(t, copy.deepcopy(t))
    assert equal(t, pickle.loads(pickle.dumps(t)))
    t.save(tmp_path / "t.pt")
    assert equal(t, SubwordTokenizer.load(tmp_path / "t.pt"))
    torch.save({"x": 1}, tmp_path / "x.pt")
    with pytest.raises(ValueError, match="expected a file of data, offsets, numbers, spec, settings"):
        SubwordTokenizer.load(tmp_path / "x.pt")


def test_the_state_of_a_module_replaces_that_of_any_other():
    model = torch.nn.Sequential(tokenizer(pads_left=1))
    other = torch.nn.Sequential(tokenizer("gpt2"))
    assert list(model.state_dict()) == ["0._extra_state"]
    for state in (model.state_dict(), earlier_state(model)):
        file = io.BytesIO()
        torch.save(state, file)
        file.seek(0)
        other.load_state_dict(torch.load(file, weights_only=True))
        assert equal(model[0], other[0])
    assert not list(model.parameters())
    assert equal(model.half().to("meta")[0], other[0])  # stays as it is


@each(("name", "value", "text"), [
    ("data", torch.zeros(3, dtype=torch.uint8), "offsets"),
    ("offsets", torch.tensor([[0, 1]], dtype=torch.int32), "rank 1"),
    ("numbers", torch.zeros(1, 3), "expected `numbers` to be int32, got float32"),
    ("numbers", torch.full([1, 3], 10**6, dtype=torch.int32), "expected ids in `numbers`"),
    ("numbers", torch.zeros(1, 2, dtype=torch.int32), r"expected `numbers` of shape \[M, 3\]"),
    ("spec", torch.zeros(1, 2, dtype=torch.uint8), "expected `spec` of rank 1"),
    ("spec", torch.full([9], 200, dtype=torch.uint8), "in line 1 of `spec`"),
    ("settings", torch.zeros(2, dtype=torch.int64), r"expected `settings` of shape \[6\], got \[2\]"),
    ("settings", torch.tensor([304, 0, 0, -1, 0, 0]), r"within \[-1, 304\), got 304"),
    ("settings", torch.tensor([3, 0, 0, -5, 0, 0]), "maximum length"),
    ("settings", torch.tensor([3, 0, 2, -1, 0, 0]), "`pads_left` of 0 or 1, got 2"),
    ("settings", 3, "expected `settings` to be a Tensor, got int"),
])  # fmt: skip
def test_a_malformed_state_is_rejected_and_leaves_the_old_one(name: str, value: Any, text: str):
    t = tokenizer()
    state = earlier_state(t) | {name: value}
    with pytest.raises(RuntimeError, match=text):
        t.load_state_dict(state)
    assert equal(t, tokenizer())


def test_a_missing_tensor_is_named():
    state = earlier_state(tokenizer())
    del state["spec"]
    with pytest.raises(RuntimeError, match=r'Missing key\(s\) in state_dict: "_extra_state"'):
        tokenizer().load_state_dict(state)


def test_a_pickled_table_of_another_version_is_rebuilt():
    t = tokenizer()
    t._table = torch.zeros(100, dtype=torch.uint8)
    assert equal(pickle.loads(pickle.dumps(t)), tokenizer())


def test_malformed_settings_of_a_definition():
    with pytest.raises(ValueError, match="expected the id of padding within"):
        tokenizer(pad=304)
    with pytest.raises((ValueError, RuntimeError), match="in line 2 of `spec`"):
        SubwordTokenizer(Definition(StringTensor.from_list([b"a"]), lines=["model x"]))
    with pytest.raises(TypeError, match=r"expected a Definition, got str \(use SubwordTokenizer.from_file"):
        SubwordTokenizer("gpt2")


def test_tokens_of_characters_are_those_of_the_file():
    pytest.importorskip("tokenizers")
    from support.subword_characters import llama2

    peer, _ = llama2(0, 400)
    tokenizer = SubwordTokenizer.from_file(peer, pad_token="</s>")
    vocabulary = tokenizer.vocabulary.tolist()
    assert vocabulary == [peer.id_to_token(id) for id in range(peer.get_vocab_size())]
    assert tokenizer.token_to_id("<0x41>") == peer.token_to_id("<0x41>")
    assert tokenizer.token_to_id("\u2581") == peer.token_to_id("\u2581")
    assert (tokenizer.id_to_token(1), tokenizer.pad_id) == ("<s>", 2)
    assert tokenizer.id_to_token(vocabulary.index("\u2581the")) == "\u2581the"
