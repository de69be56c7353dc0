"""torch_stringops.transformers.accelerate: an accelerated tokenizer does what the original does, in everything."""

import copy
import gc
import inspect
import pickle
import random
import subprocess
import sys
import weakref
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tokenizers")
# A folder `transformers` without the package would be importable too.
pytest.importorskip("transformers.tokenization_utils_tokenizers")

import tokenizers
import torch
import transformers
from stress.accelerate import compare, pair_of
from support import published_patterns as published
from support import subword as make
from support.subword_peers import PEERS
from support.transformers_calls import batch_difference, fields, outcome
from tokenizers import normalizers, pre_tokenizers, processors
from transformers import AddedToken, BatchEncoding, PreTrainedTokenizerFast

from torch_stringops.transformers import _calls, accelerate

pytestmark = pytest.mark.check

KINDS = [
    "gpt2", "llama3, ignore_merges", "qwen2, NFC", "added tokens, NFC", "template", "roberta",
    "some bytes, unknown token", "wordpiece, uncased", "wordpiece, added tokens", "llama-2, normalized tokens",
    "clip", "unigram, T5", "unigram, ALBERT",
]  # fmt: skip
TEXTS = ["to be, or not", "that is  the question<s>", "", "naïve é", "</s> 12 fox<|endoftext|>"]


@pytest.fixture
def pair() -> tuple[Any, Any]:
    """A tokenizer and its accelerated copy."""
    return pair_of(PEERS["roberta"](1, 600).tokenizer, random.Random(0))


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each call was served by the operators."""
    found: list[bool] = []

    def counting(function: Any) -> Any:
        def counted(*arguments: Any) -> Any:
            result = function(*arguments)
            found.append(result is not None)
            return result

        return counted

    for name in ("encode", "encode_plain"):
        monkeypatch.setattr(_calls, name, counting(getattr(_calls, name)))
    return found


def check(original: Any, ours: Any, **options: Any) -> None:
    difference = batch_difference(original(TEXTS, **options), ours(TEXTS, **options), encodings=True)
    assert difference is None, difference


@pytest.mark.parametrize("name", KINDS)
def test_random_calls(name: str, served: list[bool]):
    assert compare(name, PEERS[name](1, 800).tokenizer, PEERS[name](1, 800).inserted, 120, 0) is None
    assert sum(served) > 0.4 * len(served)


@pytest.mark.parametrize("options", [
    {},
    {"padding": True, "truncation": True, "max_length": 8, "return_tensors": "pt"},
    {"padding": "max_length", "truncation": "only_first", "max_length": 8, "return_tensors": "np"},
    {"text_pair": TEXTS[::-1], "padding": True, "return_token_type_ids": True},
    {"add_special_tokens": False, "return_special_tokens_mask": True, "return_length": True},
])  # fmt: skip
def test_calls_are_served(options: dict[str, Any], pair: tuple[Any, Any], served: list[bool]):
    check(*pair, **options)
    assert served == [True]


def test_one_text_is_served(pair: tuple[Any, Any], served: list[bool]):
    original, ours = pair
    assert original(TEXTS[0]).data == ours(TEXTS[0]).data
    assert original.encode(TEXTS[1]) == ours.encode(TEXTS[1])
    assert served == [True, True]


def test_signatures_are_those_of_the_original(pair: tuple[Any, Any]):
    for name in ("__call__", "encode", "decode", "batch_decode", "tokenize", "_encode_plus"):
        signatures = [inspect.signature(getattr(tokenizer, name)) for tokenizer in pair]
        assert signatures[0] == signatures[1], name


def test_results_have_the_type_of_the_originals(pair: tuple[Any, Any]):
    original, ours = pair
    found = ours(TEXTS, padding=True, return_tensors="pt")
    assert type(found) is BatchEncoding
    assert found.input_ids.is_contiguous()
    assert found.to("cpu") is found
    assert len(found.encodings) == len(TEXTS)
    assert [fields(e) for e in found[1:3]] == [fields(e) for e in original(TEXTS, padding=True)[1:3]]
    assert found.word_ids(1) == original(TEXTS, padding=True).word_ids(1)
    assert found.char_to_token(1, 3) == original(TEXTS).char_to_token(1, 3)
    for copied in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert type(copied.encodings) is list
        assert copied.tokens(0) == original(TEXTS, padding=True).tokens(0)
    assert len([1] + found.encodings) == len(found.encodings + [1]) == len(TEXTS) + 1  # noqa: RUF005
    assert len([] + ours(TEXTS).encodings) == len(TEXTS)  # noqa: RUF005


def test_encodings_are_those_of_the_call(pair: tuple[Any, Any]):
    original, ours = pair
    texts = list(TEXTS)
    expected = original(texts, padding="max_length", max_length=9, truncation=True)
    found = ours(texts, padding="max_length", max_length=9, truncation=True)
    texts[:] = ["changed"]
    ours("another call")
    ours.add_tokens(["question"])
    ours.backend_tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    assert [fields(e) for e in found.encodings] == [fields(e) for e in expected.encodings]
    settings = ours.backend_tokenizer.padding, ours.backend_tokenizer.truncation
    assert settings == (None, None)


def change_pre_tokenizer(tokenizer: Any) -> None:
    tokenizer.backend_tokenizer.pre_tokenizer.add_prefix_space = False


CHANGES = {
    "new token": lambda t: t.add_tokens(["question"]),
    "new tokens, one by one": lambda t: [t.add_tokens([token]) for token in ("be,", "question", "is")],
    "new special token": lambda t: t.add_special_tokens({"extra_special_tokens": ["is  the"]}),
    "token of the model becomes an added one": lambda t: t.backend_tokenizer.add_special_tokens(["is"]),
    "flags of an added token": lambda t: t.add_tokens([AddedToken("<s>", lstrip=True, special=True)]),
    "template": lambda t: setattr(
        t.backend_tokenizer, "post_processor", processors.BertProcessing(("<s>", 1), ("</s>", 2))
    ),
    "no template": lambda t: setattr(t.backend_tokenizer, "post_processor", processors.ByteLevel(trim_offsets=False)),
    "normalizer": lambda t: setattr(t.backend_tokenizer, "normalizer", normalizers.Lowercase()),
    "pre-tokenizer": lambda t: setattr(t.backend_tokenizer, "pre_tokenizer", make.byte_level(published.LLAMA3)),
    "pre-tokenizer, in place": change_pre_tokenizer,
    "unsupported pre-tokenizer": lambda t: setattr(
        t.backend_tokenizer,
        "pre_tokenizer",
        pre_tokenizers.Sequence([pre_tokenizers.UnicodeScripts(), pre_tokenizers.ByteLevel()]),
    ),
    "ignore_merges": lambda t: setattr(t.backend_tokenizer.model, "ignore_merges", True),
    "special tokens are split": lambda t: setattr(t, "split_special_tokens", True),
    "sides": lambda t: [setattr(t, f"{what}_side", "left") for what in ("padding", "truncation")],
    "input names": lambda t: setattr(t, "model_input_names", ["input_ids", "token_type_ids"]),
    "padding": lambda t: setattr(t, "pad_token", "is"),
    "bos and eos": lambda t: [setattr(t, "bos_token", "</s>"), setattr(t, "add_bos_token", True)],
    "backend": lambda t: setattr(t, "_tokenizer", PEERS["gpt2"](2, 500).tokenizer),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes_count_from_the_next_call_on(name: str, pair: tuple[Any, Any]):
    original, ours = pair
    options = {"padding": True, "truncation": True, "max_length": 7}
    check(original, ours, **options)
    before = ours(TEXTS, **options)
    bystander = accelerate(original)
    for tokenizer in pair:
        CHANGES[name](tokenizer)
    check(original, ours, **options)
    check(original, ours)
    assert batch_difference(before, bystander(TEXTS, **options), encodings=True) is None
    rows = original(TEXTS)["input_ids"]
    assert original.batch_decode(rows, skip_special_tokens=True) == ours.batch_decode(rows, True)


def test_a_state_that_returns_is_not_built_again(pair: tuple[Any, Any]):
    original, ours = pair
    first, other = original.backend_tokenizer.post_processor, processors.ByteLevel(trim_offsets=False)
    for processor in [other, first] * 3:
        for tokenizer in pair:
            tokenizer.backend_tokenizer.post_processor = processor
        check(original, ours)
    assert len(ours._stringops_watch._tables) == 2


def test_the_original_and_its_class_stay_as_they_are(pair: tuple[Any, Any]):
    original, ours = pair
    assert type(original) is PreTrainedTokenizerFast
    assert not any("stringops" in name for name in [*vars(original), *dir(PreTrainedTokenizerFast)])
    assert isinstance(ours, PreTrainedTokenizerFast)
    assert type(ours).__name__ == type(original).__name__
    assert type(ours.backend_tokenizer) is tokenizers.Tokenizer
    assert vars(original.backend_tokenizer) == {}
    assert accelerate(ours) is ours
    ours.add_tokens(["question"])
    assert len(ours) == len(original) + 1


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_copies_are_accelerated(copied: Any, pair: tuple[Any, Any], served: list[bool]):
    original, ours = pair
    found = copied(ours)
    check(original, found)
    assert served == [True]
    assert type(found) is type(ours)
    found.padding_side = "left"
    check(original, ours, padding=True)
    original.padding_side = "left"
    check(original, found, padding=True)
    if found._tokenizer is not ours._tokenizer:
        found.add_tokens(["question"])
        original.padding_side = "right"
        check(original, ours, padding=True)
        original.add_tokens(["question"])
        original.padding_side = "left"
        check(original, found, padding=True)


def test_saved_files_are_the_same(pair: tuple[Any, Any], tmp_path: Path):
    for tokenizer, folder in zip(pair, ("original", "ours"), strict=True):
        tokenizer(TEXTS, padding=True, truncation=True, max_length=5)
        tokenizer.add_tokens(["question"])
        tokenizer.save_pretrained(tmp_path / folder)
    names = sorted(path.name for path in (tmp_path / "original").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "ours").iterdir())
    for name in names:
        assert (tmp_path / "original" / name).read_bytes() == (tmp_path / "ours" / name).read_bytes(), name
    loaded = PreTrainedTokenizerFast.from_pretrained(tmp_path / "ours")
    check(loaded, accelerate(loaded))


CHAT = (
    "{% for m in messages %}<s>{{ m['role'] }} {% if m['role'] == 'user' %}{{ m['content'] }}"
    "{% else %}{% generation %}{{ m['content'] }}{% endgeneration %}{% endif %}</s>{% endfor %}"
)


@pytest.mark.parametrize("options", [
    {}, {"return_dict": False}, {"tokenize": False}, {"return_assistant_tokens_mask": True},
    {"padding": True, "return_tensors": "pt"}, {"truncation": True, "max_length": 6},
    {"sanitize_control_tokens": True},
])  # fmt: skip
def test_chat_templates(options: dict[str, Any], pair: tuple[Any, Any]):
    pytest.importorskip("jinja2")
    chat = [{"role": "user", "content": "to be<s>"}, {"role": "assistant", "content": "or not"}]
    for messages in (chat, [chat, chat[:1]]):
        for tokenizer in pair:
            tokenizer.chat_template = CHAT
        calls = [partial(t.apply_chat_template, messages, **options) for t in pair]
        (expected, *rest), (found, *other) = map(outcome, calls)
        assert rest == other
        if expected is not None:
            assert batch_difference(expected, found, encodings=True) is None


def test_pad_and_collate(pair: tuple[Any, Any]):
    for options in ({}, {"return_tensors": "pt"}, {"padding": "max_length", "max_length": 20}):
        expected, found = (t.pad([t(text) for text in TEXTS], **options) for t in pair)
        assert batch_difference(expected, found, encodings=False) is None
    collators = [transformers.DataCollatorWithPadding(t) for t in pair]
    expected, found = (collator([t(text) for text in TEXTS]) for collator, t in zip(collators, pair, strict=True))
    assert batch_difference(expected, found, encodings=False) is None


def test_a_backend_outlives_its_tokenizer():
    _, ours = pair_of(PEERS["roberta"](1, 600).tokenizer, random.Random(0))
    ours(TEXTS)
    backend, watch = ours.backend_tokenizer, weakref.ref(ours._stringops_watch)
    del ours
    gc.collect()
    assert watch() is None
    assert vars(backend) == {}
    assert backend.add_tokens(["question"]) == 1


def test_default_device(pair: tuple[Any, Any]):
    original, ours = pair
    with torch.device("meta"):
        expected, found = (t(TEXTS, padding=True, return_tensors="pt") for t in (original, ours))
        assert expected.input_ids.device == found.input_ids.device
        assert original.batch_decode([[5, 6], [7]]) == ours.batch_decode([[5, 6], [7]])
        check(original, ours)


class Own(PreTrainedTokenizerFast):
    def _encode_plus(self, *arguments: Any, **options: Any) -> Any:
        return super()._encode_plus(*arguments, **options)


class OwnDecoding(PreTrainedTokenizerFast):
    def _decode(self, *arguments: Any, **options: Any) -> str:
        return super()._decode(*arguments, **options).upper()


def test_errors():
    with pytest.raises(TypeError, match="accelerate: expected a fast tokenizer of transformers .* got 'int'"):
        accelerate(3)
    unsupported = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0}, unk_token="a"))
    with pytest.raises(ValueError, match="accelerate: 1 part"):
        accelerate(PreTrainedTokenizerFast(tokenizer_object=unsupported))
    with pytest.raises(ValueError, match="accelerate: Own has an `_encode_plus` of its own"):
        accelerate(Own(tokenizer_object=PEERS["gpt2"](1, 500).tokenizer))


def test_classes_with_other_decoding():
    original = OwnDecoding(tokenizer_object=PEERS["gpt2"](1, 500).tokenizer)
    ours = accelerate(original)
    rows = original(TEXTS)["input_ids"]
    assert ours.batch_decode(rows) == original.batch_decode(rows)
    assert ours.batch_decode(rows)[0] == TEXTS[0].upper()


def test_transformers_is_not_imported():
    program = "import sys, torch_stringops.transformers; assert 'transformers' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
