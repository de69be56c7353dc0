"""Vocabulary: lookup and decoding, eager and as part of a compiled or exported model."""

import io
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from support.errors import BAD_ARGUMENT
from support.vocabularies import WORDS, Model, built, strings
from torch import nn

from torch_stringops import StringTensor, Vocabulary, ragged_to_dense


class TestLookingUp:
    def test_unknown_strings(self):
        assert Vocabulary(["a"], num_oov_buckets=0)(["a", "b"]).tolist() == [0, -1]
        assert Vocabulary(["a", "?"], unknown_token="?")(["a", "b"]).tolist() == [0, 1]
        ids = Vocabulary(["a", "?"], unknown_token="?", num_oov_buckets=5)(["a", "?", "abc"])
        assert ids.tolist() == [0, 1, 2 + 0x78AF5F94892F3950 % 5]

    def test_by_default_every_id_is_a_row_of_the_embedding(self):
        """Without an unknown token there is one more id."""
        plain = Vocabulary(["a", "b"])
        assert plain(["a", "seen", "b", ""]).tolist() == [0, 2, 1, 2]
        assert (plain.unknown_id, plain.num_ids, plain.num_oov_buckets) == (2, 3, 1)
        assert plain["seen"] == 2
        without = built(unknown_token=None)
        for vocabulary in (plain, without, built(), Vocabulary(["a"], unknown_token="a")):
            ids, _ = vocabulary.split_encode("never seen")
            assert ids.tolist() == [vocabulary.unknown_id] * 2
            assert nn.Embedding(vocabulary.num_ids, 2)(ids).shape == (2, 2)
        assert Vocabulary(["a"], num_oov_buckets=0).unknown_id == -1
        assert Vocabulary(["a"], num_oov_buckets=4).unknown_id == 1

    def test_padding(self):
        vocabulary = built(max_size=4)
        embedding = nn.Embedding(vocabulary.num_ids, 2, padding_idx=vocabulary.pad_id)
        ids, row_splits = vocabulary.split_encode(["to seen", "", "be"])
        padded = ragged_to_dense(ids, row_splits, padding_value=vocabulary.pad_id)
        assert padded.tolist() == [[2, 1], [0, 0], [3, 0]]
        assert (embedding(padded) == 0).all(-1).tolist() == [[False, False], [True, True], [False, True]]
        assert Vocabulary(["a", "b"], pad_token="b").pad_id == 1
        none = Vocabulary(["a"])
        assert (none.pad_token, none.pad_id, none.unknown_token) == (None, None, None)
        assert Vocabulary([b"\xff"], pad_token=b"\xff").pad_token == b"\xff"

    def test_shapes(self):
        vocabulary = built()
        assert vocabulary(strings("to")).shape == ()
        assert vocabulary(strings([])).shape == (0,)
        assert vocabulary(strings([[], []])).shape == (2, 0)
        assert vocabulary(strings([WORDS, WORDS])[:, ::2]).tolist() == [vocabulary(WORDS)[::2].tolist()] * 2

    def test_as_a_container(self):
        vocabulary = built()
        assert len(vocabulary) == 12
        assert "to" in vocabulary
        assert b"to" in vocabulary
        assert "seen" not in vocabulary
        assert 1 not in vocabulary
        assert vocabulary["to"] == 2
        assert vocabulary["seen"] == 1
        assert vocabulary[2] == vocabulary[np.int32(2)] == "to"
        assert list(vocabulary) == vocabulary.tokens.tolist()
        with pytest.raises(KeyError, match="seen"):
            Vocabulary(["a"], num_oov_buckets=0)["seen"]
        for key in (12, -1, 2**70):
            with pytest.raises(IndexError, match=r"expected an id within \[0, 12\), got "):
                vocabulary[key]
        for key in (1.0, None, slice(1), True, ["to"]):
            with pytest.raises(TypeError, match=f"expected `key` to be an int, got {type(key).__name__}"):
                vocabulary[key]

    def test_num_ids_counts_buckets(self):
        assert Vocabulary(["a", "b"], num_oov_buckets=3).num_ids == 5
        assert Vocabulary(["a", "b"], num_oov_buckets=0).num_ids == 2

    def test_repr(self):
        assert (
            repr(built(num_oov_buckets=3))
            == "Vocabulary(12, pad_token='<pad>', unknown_token='<unk>', num_oov_buckets=3)"
        )
        assert repr(Vocabulary(["a"])) == "Vocabulary(1, num_oov_buckets=1)"

    @pytest.mark.parametrize("delimiter", [0, 5, ["a"]])
    def test_delimiters_are_strings(self, delimiter):
        with pytest.raises(TypeError, match="split_encode: expected `delimiter` to be str or bytes, got "):
            built().split_encode(["a b"], delimiter)


class TestDecoding:
    @pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
    def test_inverts_encoding(self, dtype: torch.dtype):
        vocabulary = built()
        for shape in [(13,), (1, 13), (13, 1)]:
            words = strings(WORDS).reshape(shape)
            assert vocabulary.decode(vocabulary(words).to(dtype)).tolist() == words.tolist()
        one = vocabulary.decode(vocabulary(strings("be")).to(dtype))
        assert one.item() == "be"
        assert one.is_contiguous()
        assert vocabulary.decode(torch.zeros(2, 0, dtype=dtype)).shape == (2, 0)
        assert Vocabulary([]).decode(torch.zeros(0, dtype=dtype)).tolist() == []

    def test_ids_of_unknown_strings_decode_to_the_unknown_token(self):
        vocabulary = built(num_oov_buckets=2)
        assert vocabulary.decode(torch.tensor([1, 2, 12, 13])).tolist() == ["<unk>", "to", "<unk>", "<unk>"]
        assert vocabulary.decode([0]).tolist() == ["<pad>"]

    @pytest.mark.parametrize("ids", [
        [[3, 2], [0, 1]], ((3, 2), (0, 1)), np.array([[3, 2], [0, 1]]), np.array([[3, 2], [0, 1]], dtype=np.uint16),
        torch.tensor([[3, 2], [0, 1]], dtype=torch.int8),
    ])  # fmt: skip
    def test_ids_of_several_types(self, ids):
        assert built().decode(ids).tolist() == [["be", "to"], ["<pad>", "<unk>"]]

    def test_one_id_and_none(self):
        assert built().decode(2).item() == "to"
        assert built().decode([]).shape == (0,)
        assert built().decode([[], []]).shape == (2, 0)

    @pytest.mark.parametrize("ids", ["to", ["to"], None, [[1], [2, 3]], strings(["to"]), {1}])
    def test_non_numbers_are_rejected(self, ids):
        with pytest.raises(TypeError, match="expected `ids` to be a tensor, a NumPy array or a list of ints, got "):
            built().decode(ids)

    @pytest.mark.parametrize(("vocabulary", "bad", "limit"), [
        (Vocabulary(["a", "b"]), -1, 2), (Vocabulary(["a", "b"]), 2, 2),
        (Vocabulary(["a", "b"], num_oov_buckets=3), 2, 2),
        (Vocabulary(["a", "b"], num_oov_buckets=3, unknown_token="b"), 5, 5),
        (Vocabulary(["a", "b"], unknown_token="b"), -1, 2), (Vocabulary([]), 0, 0),
    ])  # fmt: skip
    def test_other_ids_are_rejected(self, vocabulary: Vocabulary, bad: int, limit: int):
        ids = torch.tensor([bad]) if limit == 0 else torch.tensor([[0, 1], [bad, 0]])
        at = 0 if limit == 0 else 2
        with pytest.raises(IndexError, match=rf"within \[0, {limit}\), got {bad} at index {at} \(row-major\)"):
            vocabulary.decode(ids)

    def test_ids_of_unknown_strings_need_an_unknown_token(self):
        vocabulary = Vocabulary(["a", "b"])
        with pytest.raises(IndexError, match=r"\(unknown strings decode if there is an `unknown_token`\)$"):
            vocabulary.decode(vocabulary(["seen"]))

    def test_ids_are_integers(self):
        with pytest.raises(BAD_ARGUMENT, match="expected `ids` of an integer dtype, got float32"):
            built().decode(torch.tensor([1.0]))
        with pytest.raises(BAD_ARGUMENT, match="expected `ids` of an integer dtype, got bool"):
            built().decode([True])


class TestCompiling:
    @pytest.fixture(autouse=True)
    def fresh(self):
        torch._dynamo.reset()
        yield
        torch._dynamo.reset()

    @staticmethod
    def batches() -> list[StringTensor]:
        return [strings([WORDS[i : i + n] for i in range(3)]) for n in (4, 7, 9)] + [strings(WORDS)]

    @pytest.mark.check
    def test_a_model_trains_compiled(self):
        model = Model(built(num_oov_buckets=3))
        compiled = torch.compile(model, fullgraph=True)
        for words in self.batches():
            out = compiled(words)
            torch.testing.assert_close(out, model(words))
            out.sum().backward()
            assert model.embedding.weight.grad is not None

    def test_a_compiled_model_uses_a_loaded_state(self):
        vocabulary = Vocabulary(["to", "be"])
        compiled = torch.compile(vocabulary, fullgraph=True, backend="eager")
        words = strings(["be", "to", "seen"])
        assert compiled(words).tolist() == [1, 0, 2]
        for other in (built(), Vocabulary(["be"], num_oov_buckets=0), Vocabulary(["to", "be"])):
            vocabulary.load_state_dict(other.state_dict())
            assert compiled(words).tolist() == other(words).tolist()

    @pytest.mark.parametrize("dynamic", [None, True])
    def test_decode_compiled(self, dynamic: bool | None):
        vocabulary = built(num_oov_buckets=3)

        @torch.compile(fullgraph=True, dynamic=dynamic)
        def normalise(words: StringTensor) -> StringTensor:
            return vocabulary.decode(vocabulary(words))

        assert normalise(strings([["to", "seen"], ["be", ""]])).tolist() == [["to", "<unk>"], ["be", ""]]
        assert normalise(strings([["", "b", "is"]] * 3)).tolist() == [["", "<unk>", "is"]] * 3

    @pytest.mark.parametrize("bad", [-1, 12, 2**40])
    def test_decode_compiled_rejects_ids(self, bad: int):
        compiled = torch.compile(built().decode, fullgraph=True)
        assert compiled(torch.tensor([2, 3, 4])).tolist() == ["to", "be", "or"]
        with pytest.raises((IndexError, RuntimeError)):
            compiled(torch.tensor([1, bad, 3]))

    def exported(self) -> tuple[nn.Module, torch.export.ExportedProgram]:
        model = Model(built(num_oov_buckets=3)).eval()
        words = strings([WORDS[:4], WORDS[4:8]])
        rows, cols, size = (torch.export.Dim.AUTO,) * 3
        shapes = ([{0: size}, {0: rows, 1: cols}],)
        return model, torch.export.export(model, (words,), dynamic_shapes=shapes)

    def test_export_saved_and_loaded_again(self):
        model, program = self.exported()
        file = io.BytesIO()
        torch.export.save(program, file)
        file.seek(0)
        loaded = torch.export.load(file).module()
        for words in self.batches()[:3]:
            torch.testing.assert_close(loaded(words), model(words))

    @pytest.mark.check
    def test_a_package_of_aot_inductor(self, tmp_path: Path):
        model, program = self.exported()
        path = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "model.pt2"))
        loaded = torch._inductor.aoti_load_package(path)
        for words in self.batches()[:3]:
            torch.testing.assert_close(loaded(words), model(words))


def test_pieces_looked_up_among_whole_strings_warn_once():
    vocabulary = Vocabulary.from_strings(["to be", "or not"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for text in ("", "to be", "to be"):
            vocabulary.split_encode([text])
    assert [(warning.category, warning.filename) for warning in caught] == [(UserWarning, __file__)]
    assert "split_encode: no piece is one of the tokens" in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for tokens, text in [(["to be", "to"], "to be"), (["to", "be"], "or not")]:
            Vocabulary(tokens).split_encode([text])
