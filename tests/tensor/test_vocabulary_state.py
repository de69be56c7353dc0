"""Vocabulary: state_dict, files, pickles, and torch's functions on modules."""

import contextlib
import copy
import io
import json
import pickle
from pathlib import Path

import pytest
import torch
from support.cases import each
from support.errors import BAD_ARGUMENT
from support.modules import earlier_state
from support.vocabularies import WORDS, Model, built, strings
from torch import nn

from torch_stringops import SubwordTokenizer, Vocabulary
from torch_stringops.nn import TfidfVectorizer

GOLDEN = Path(__file__).parents[1] / "golden"


class TestFiles:
    def test_round_trip(self, tmp_path: Path):
        path = tmp_path / "words.txt"
        vocabulary = built()
        vocabulary.save(path)
        assert path.read_text() == "".join(f"{w}\n" for w in vocabulary.tokens.tolist())
        again = Vocabulary.from_file(path)
        assert again([*WORDS, "seen"]).tolist() == vocabulary([*WORDS, "seen"]).tolist()
        assert repr(again) == repr(vocabulary)
        assert Vocabulary.from_file(path, num_oov_buckets=2)["seen"] >= len(again)

    @pytest.mark.parametrize("name", ["pad_token", "unknown_token"])
    def test_a_file_without_the_special_tokens_is_rejected_by_default(self, tmp_path: Path, name: str):
        """Otherwise words that are loaded with other settings would silently get other ids."""
        path = tmp_path / "words.txt"
        Vocabulary(["to", "be", "<pad>" if name == "unknown_token" else "<unk>"]).save(path)
        with pytest.raises(BAD_ARGUMENT, match=rf"expected `{name}` .* \(pass {name}=None if there is none\)"):
            Vocabulary.from_file(path)
        assert Vocabulary.from_file(path, **{name: None})(["to", "seen"]).tolist()[0] == 0
        plain = Vocabulary.from_file(path, pad_token=None, unknown_token=None)
        assert plain(["be", "seen"]).tolist() == [1, 3]

    @pytest.mark.parametrize(("text", "want"), [
        (b"", []), (b"\n", [""]), (b"a", ["a"]), (b"a\nb", ["a", "b"]), (b"a\r\nb\r\n", ["a", "b"]),
        (b"\r\na\n", ["", "a"]), (b"a b\n\xd0\xb6\x00\n", ["a b", "ж\x00"]),
    ])  # fmt: skip
    def test_line_ends(self, tmp_path: Path, text: bytes, want: list[str]):
        path = tmp_path / "words.txt"
        path.write_bytes(text)
        vocabulary = Vocabulary.from_file(path, pad_token=None, unknown_token=None)
        assert vocabulary.tokens.tolist() == want

    @pytest.mark.parametrize("token", ["a\nb", "\r", "\n"])
    def test_line_breaks_cannot_be_saved(self, tmp_path: Path, token: str):
        with pytest.raises(BAD_ARGUMENT, match=r"Vocabulary.save: expected .* got one in string 2"):
            Vocabulary(["x", "", token, "y"]).save(tmp_path / "words.txt")
        assert not (tmp_path / "words.txt").exists()

    def test_an_empty_vocabulary_can_be_saved(self, tmp_path: Path):
        Vocabulary([]).save(tmp_path / "words.txt")
        assert (tmp_path / "words.txt").read_bytes() == b""

    @pytest.mark.parametrize("path", [None, 5, b"words.txt", io.BytesIO()])
    def test_paths_are_paths(self, path):
        for call in (Vocabulary.from_file, built().save):
            with pytest.raises(TypeError):
                call(path)

    def test_a_folder_is_not_a_file(self, tmp_path: Path):
        for call in (Vocabulary.from_file, built().save):
            with pytest.raises(IsADirectoryError):
                call(tmp_path)


class TestState:
    def test_state_is_a_tensor_of_bytes(self):
        """Only tensors, so that file formats for named tensors can store it."""
        state = Model(built(num_oov_buckets=3)).state_dict()
        assert list(state) == ["vocabulary._extra_state", "embedding.weight"]
        assert all(type(t) is torch.Tensor for t in state.values())
        raw = state["vocabulary._extra_state"].numpy().tobytes()  # in the layout of safetensors
        body = 8 + int.from_bytes(raw[:8], "little")
        header = json.loads(raw[8:body])
        assert [(part["dtype"], part["shape"]) for part in header.values()] == [
            ("U8", [len("".join({*WORDS, "<pad>", "<unk>"}))]),
            ("I32", [13]),
            ("I64", [3]),
        ]
        begin, end = header["settings"]["data_offsets"]
        assert raw[body + begin : body + end] == bytes([1, *[0] * 7, 0, *[0] * 7, 3, *[0] * 7])

    @each("assign", [False, True])
    @each("other", [
        Vocabulary(["x", "<unk>"], unknown_token="<unk>"), Vocabulary([]),
        Vocabulary(["x"], pad_token="x", num_oov_buckets=7), built(),
    ])  # fmt: skip
    @each("saved", [built(), built(num_oov_buckets=5), Vocabulary(["to", "be"]), Vocabulary(["to"], num_oov_buckets=0)])
    def test_loading_replaces_the_vocabulary(self, saved: Vocabulary, other: Vocabulary, assign: bool):
        file = io.BytesIO()
        state = nn.Sequential(saved)
        torch.save(earlier_state(state) if assign else state.state_dict(), file)
        file.seek(0)
        other = nn.Sequential(copy.deepcopy(other))
        result = other.load_state_dict(torch.load(file, weights_only=True), assign=assign)
        assert not result.missing_keys
        assert not result.unexpected_keys
        (other,) = other
        assert other(WORDS).tolist() == saved(WORDS).tolist()
        assert other.tokens.tolist() == saved.tokens.tolist()
        assert repr(other) == repr(saved)
        for name in ("pad_token", "pad_id", "unknown_token", "unknown_id", "num_oov_buckets", "num_ids"):
            assert getattr(other, name) == getattr(saved, name)
        assert other.counts is None

    def test_loading_shares_no_memory(self):
        other = Vocabulary(["x"])
        for state, name in ((built().state_dict(), "_extra_state"), (earlier_state(built()), "data")):
            other.load_state_dict(state)
            state[name].fill_(0)
            assert other.tokens.tolist() == built().tokens.tolist()

    def test_keys_that_are_missing_or_unexpected(self):
        state = earlier_state(built())
        for key in ("data", "offsets", "settings"):
            rest = {k: v for k, v in state.items() if k != key}
            vocabulary = Vocabulary(["x", "y"])
            with pytest.raises(RuntimeError, match='Missing key.* "_extra_state"'):
                vocabulary.load_state_dict(rest)
            vocabulary.load_state_dict(rest, strict=False)
            assert vocabulary(["x", "y"]).tolist() == [0, 1]
        with pytest.raises(RuntimeError, match=r'Unexpected key.* "more"'):
            Vocabulary(["x"]).load_state_dict(state | {"more": torch.zeros(1)})

    @each(("change", "text"), [
        ({"offsets": torch.tensor([0, 5, 3], dtype=torch.int32)}, "non-decreasing"),
        ({"offsets": torch.tensor([0, 2**30], dtype=torch.int32)}, "within"),
        ({"offsets": torch.tensor([[0, 1]], dtype=torch.int32)}, "rank 1"),
        ({"offsets": torch.tensor([0, 1])}, "int32"),
        ({"offsets": torch.tensor([0, 0, 0], dtype=torch.int32)}, "positions 0 and 1"),
        ({"data": torch.zeros(3)}, "uint8"), ({"data": torch.zeros(0, dtype=torch.uint8)}, "within"),
        ({"data": "text"}, "Tensor"),
        ({"settings": torch.tensor([1, 0])}, r"expected `settings` of shape \[3\], got \[2\]"),
        ({"settings": torch.tensor([1.0, 0.0, 0.0])}, "int64"),
        ({"settings": [1, 0, 0]}, "expected `settings` to be a Tensor, got list"),
        ({"settings": torch.tensor([12, 0, 0])}, r"expected `settings\[0\]` within \[-1, 11\], got 12"),
        ({"settings": torch.tensor([1, -2, 0])}, r"expected `settings\[1\]` within \[-1, 11\], got -2"),
        ({"settings": torch.tensor([1, 1, 0])}, r"expected `settings` \[0\] and \[1\] to differ"),
        ({"settings": torch.tensor([1, 0, -1])}, r"expected `settings\[2\]` within \[0, 2\*\*62\], got -1"),
        ({"settings": torch.tensor([1, 0, 2**62 + 1])}, "got 4611686018427387905"),
        ({"settings": torch.zeros(3, dtype=torch.int64, device="meta")}, "meta"),
    ])  # fmt: skip
    def test_loaded_state_is_validated(self, change: dict, text: str):
        vocabulary = Vocabulary(["x", "y"])
        with pytest.raises(RuntimeError, match=text):
            vocabulary.load_state_dict(earlier_state(built()) | change)
        assert vocabulary(["x", "y"]).tolist() == [0, 1]
        assert vocabulary.tokens.tolist() == ["x", "y"]

    def test_loaded_bytes_are_validated(self):
        vocabulary, state = Vocabulary(["x", "y"]), built().state_dict()["_extra_state"]
        other = TfidfVectorizer().get_extra_state()
        changed = state[:7], state[:-1], state[8:], state.int(), state[None], state.to("meta")
        for wrong in (*changed, other, "text"):
            with pytest.raises(RuntimeError, match="Vocabulary: expected"):
                vocabulary.load_state_dict({"_extra_state": wrong})
        for at in range(0, len(state), 3):  # of the header and of the parts
            damaged = state.clone()
            damaged[at] ^= 64
            with contextlib.suppress(RuntimeError):
                vocabulary.load_state_dict({"_extra_state": damaged})
            assert vocabulary(vocabulary.tokens).tolist() == list(range(len(vocabulary)))

    @each("copied", [
        copy.deepcopy, copy.copy, lambda v: pickle.loads(pickle.dumps(v)), lambda v: v.to(torch.float16),
        lambda v: v.half().double(), lambda v: v.type(torch.float32), lambda v: v.to("cpu"),
        lambda v: v.to("meta"), lambda v: v.share_memory(), lambda v: v.eval(),
    ])  # fmt: skip
    def test_copies_and_pickles_are_equal(self, copied):
        vocabulary = copied(built())
        assert vocabulary(WORDS).tolist() == built()(WORDS).tolist()
        assert vocabulary.decode(vocabulary(WORDS)).tolist() == WORDS

    def test_torch_save_of_the_module(self):
        file = io.BytesIO()
        torch.save(Model(built()), file)
        file.seek(0)
        again = torch.load(file, weights_only=False)
        assert again.vocabulary(WORDS).tolist() == built()(WORDS).tolist()

    def test_pickles_name_public_classes_only(self):
        raw = pickle.dumps(built(), protocol=2)
        assert b"torch_stringops.vocabulary" in raw
        assert b"torch_stringops._" not in raw
        assert b"._state" not in raw

    def test_a_pickle_with_a_table_of_another_version_rebuilds_it(self):
        vocabulary = built()
        vocabulary._table = torch.zeros(100, dtype=torch.uint8)
        assert pickle.loads(pickle.dumps(vocabulary))(WORDS).tolist() == built()(WORDS).tolist()

    @pytest.mark.parametrize("offsets", [[0, 9, 2], [-1, 2], [0, 2**31 - 1], [[0, 2], [2, 4]]])
    def test_a_pickle_with_malformed_offsets_is_rejected(self, offsets):
        vocabulary = built()
        vocabulary._offsets = torch.tensor(offsets, dtype=torch.int32)
        with pytest.raises(BAD_ARGUMENT, match="offsets|rank"):
            pickle.loads(pickle.dumps(vocabulary))

    @pytest.mark.parametrize("settings", [(12, 0, 0), (1, 1, 0), (1, 0, -1)])
    def test_a_pickle_with_malformed_settings_is_rejected(self, settings):
        vocabulary = built()
        vocabulary._settings = settings
        with pytest.raises(BAD_ARGUMENT, match="expected `settings"):
            pickle.loads(pickle.dumps(vocabulary))


class TestWhatTorchDoesToModules:
    """Tokens, settings and table are neither parameters nor buffers, so torch does not change them.

    Buffers are averaged, cast, moved and emptied; the digest in one is right after each.
    """

    def check(self, model: nn.Module) -> None:
        want = built()
        model.vocabulary._seen = -1  # compares the digest, as after a broadcast
        assert model.vocabulary(WORDS).tolist() == want(WORDS).tolist()
        assert model.vocabulary.tokens.tolist() == want.tokens.tolist()
        assert model.vocabulary.decode([1, 2]).tolist() == ["<unk>", "to"]

    def test_the_only_buffer_is_a_digest(self):
        assert not list(built().parameters())
        digests = {str([t.tolist() for t in v.buffers()]) for v in (built(), built(), built(num_oov_buckets=3))}
        assert len(digests) == 2

    def test_the_digest_of_another_rank(self):
        vocabulary = built()
        shallow = copy.copy(vocabulary)
        shallow.load_state_dict(Vocabulary(["x"]).state_dict())
        (digest,) = vocabulary.buffers()
        for other in (Vocabulary(["x"]), built(num_oov_buckets=3)):
            digest.copy_(next(other.buffers()))
            calls = (vocabulary, vocabulary.split_encode, lambda s: vocabulary.tokenize_encode(s, tokenexp="."))
            for call in (*calls, lambda s: vocabulary.decode([0]), lambda s: vocabulary.half()):
                with pytest.raises(RuntimeError, match=r"^Vocabulary.*: expected the same vocabulary on all ranks"):
                    call(["to"])
        vocabulary.load_state_dict(built().state_dict())
        assert vocabulary(WORDS).tolist() == built()(WORDS).tolist()

    @pytest.mark.parametrize("device", ["cpu", "meta"])
    def test_to_empty_keeps_the_words(self, device: str):
        model = Model(built()).to_empty(device=device)
        assert model.embedding.weight.device.type == device
        self.check(model)

    def test_a_model_made_on_the_meta_device_and_loaded(self):
        saved = Model(built())
        with torch.device("meta"):
            model = Model(Vocabulary(["other"]), width=8)
            model.embedding = nn.Embedding(built().num_ids, 8)
        model.load_state_dict(saved.state_dict(), assign=True)
        self.check(model)
        torch.testing.assert_close(model(strings([WORDS])), saved(strings([WORDS])))

    def test_casting_sharing_and_copying(self):
        model = Model(built()).half().double().to(torch.bfloat16).share_memory().requires_grad_(False)
        self.check(copy.deepcopy(model).float())

    def test_the_average_of_models(self):
        averaged = torch.optim.swa_utils.AveragedModel(Model(built()), use_buffers=True)
        averaged.update_parameters(Model(built()))
        averaged.update_parameters(Model(built()))
        self.check(averaged.module)

    def test_functional_call_with_parameters_and_state(self):
        model = Model(built())
        words = strings([WORDS])
        with torch.no_grad():
            want = model(words)
            for state in (
                dict(model.named_parameters()),
                model.state_dict(),
                copy.deepcopy(model.state_dict()),
            ):
                torch.testing.assert_close(torch.func.functional_call(model, state, (words,)), want)
        self.check(model)

    @pytest.mark.parametrize("name", ["data", "offsets", "settings", "_extra_state"])
    def test_functional_call_with_the_state_of_another_vocabulary_is_rejected(self, name: str):
        """A lookup must never use the table of another vocabulary."""
        model = Model(built())
        other = Vocabulary.from_strings(["be", "to"], num_oov_buckets=2)
        other = earlier_state(Model(other)) | Model(other).state_dict()
        key = f"vocabulary.{name}"
        for value in (other[key], other[key].to("meta"), other[key].float()):
            with pytest.raises(AttributeError, match=f"`{name}` cannot be replaced"):
                torch.func.functional_call(model, {key: value}, (strings([WORDS]),))
        self.check(model)

    def test_data_parallel_replicas(self):
        self.check(Model(built())._replicate_for_data_parallel())

    def test_distributed_checkpoints(self):
        checkpoints = pytest.importorskip("torch.distributed.checkpoint.state_dict")
        model = Model(built())
        state = checkpoints.get_model_state_dict(model)
        assert list(state) == list(model.state_dict())
        other = Model(Vocabulary(built().tokens))
        other.embedding = nn.Embedding(built().num_ids, 8)
        checkpoints.set_model_state_dict(other, copy.deepcopy(state))
        self.check(other)


def test_expanded_tensors_are_rejected():
    """A file of a few bytes would make tensors of gigabytes."""
    vocabulary = built()
    state = earlier_state(vocabulary)
    state["offsets"] = torch.zeros(1, dtype=torch.int32).expand(2**30)
    with pytest.raises(RuntimeError, match=r"expected `offsets` of 4294967296 bytes, got an expanded tensor of 4"):
        built().load_state_dict(state)
    vocabulary._offsets = state["offsets"]
    with pytest.raises(BAD_ARGUMENT, match=r"^Vocabulary: expected `offsets` of 4294967296 bytes, got an expanded"):
        pickle.loads(pickle.dumps(vocabulary, protocol=pickle.HIGHEST_PROTOCOL))


def test_extra_state_alone_is_the_state(tmp_path: Path):
    """`PreTrainedModel.from_pretrained` of transformers passes it to `set_extra_state`, and calls nothing else."""

    def wordpieces(*tokens: str) -> SubwordTokenizer:
        path = tmp_path / "vocab.txt"
        path.write_text("\n".join(("[UNK]", "[CLS]", "[SEP]", *tokens)))
        return SubwordTokenizer.from_wordpiece(path)

    for full, other in ((built(), Vocabulary(["zzz"])), (wordpieces("to", "be", "##s"), wordpieces("z"))):
        state = full.get_extra_state()
        other.set_extra_state(state)
        for bad in (torch.zeros(9, dtype=torch.uint8), state[:-1], "abc", state[:1].expand(9)):
            with pytest.raises(
                (ValueError, RuntimeError, TypeError), match=rf"^{type(full).__name__}.set_extra_state: expected "
            ):
                other.set_extra_state(bad)
        assert torch.equal(other.get_extra_state(), state)
        assert repr(other) == repr(full)
