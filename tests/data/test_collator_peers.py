"""CollateMaskedLM and CollateSpanCorruption draw as often as transformers' collator and T5's published algorithm."""

import warnings

import numpy as np
import pytest
import torch

from torch_stringops import SubwordTokenizer
from torch_stringops.data import CollateMaskedLM, CollateSpanCorruption

pytestmark = pytest.mark.check
TEXT = "wordless words and the wordy other one, another words' word order theyward"
DRAWS = 2000


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """The tokenizer of transformers, with its collator's module, and that of this package."""
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    merges = [
        ("w", "o"), ("r", "d"), ("wo", "rd"), ("Ġ", "word"), ("t", "h"), ("th", "e"), ("Ġ", "the"), ("e", "r"),
    ]  # fmt: skip
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    tokens = ["<pad>", "<mask>", *alphabet, *(a + b for a, b in merges)]
    model = tokenizers.models.BPE({token: id for id, token in enumerate(tokens)}, merges)
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    theirs.post_processor = tokenizers.processors.ByteLevel(trim_offsets=True)
    theirs.decoder = tokenizers.decoders.ByteLevel()
    theirs.add_special_tokens(["<pad>", "<mask>"])
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    theirs.save(str(path))
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=theirs, pad_token="<pad>", mask_token="<mask>")
    return transformers, fast, SubwordTokenizer.from_file(path, pad_token="<pad>")


def drawn(pair, whole_words):
    """Batches of both collators, each of as many rows of the text: `(input_ids, labels)`."""
    transformers, fast, tokenizer = pair
    rows = fast([TEXT] * DRAWS, return_special_tokens_mask=True, return_offsets_mapping=whole_words)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whole words are replaced by the mask only
        collate = transformers.DataCollatorForLanguageModeling(
            fast, mlm_probability=0.3, whole_word_mask=whole_words, seed=0
        )
    theirs = collate([{name: values[i] for name, values in rows.items()} for i in range(DRAWS)])
    ours = CollateMaskedLM(tokenizer, 1, 0.3, whole_words=whole_words)([TEXT] * DRAWS)
    return [(batch["input_ids"], batch["labels"]) for batch in (ours, theirs)]


def test_places_are_chosen_and_replaced_as_often(pair):
    original = torch.tensor(pair[1](TEXT)["input_ids"])
    found = []
    for ids, labels in drawn(pair, False):
        assert ids.shape == (DRAWS, len(original))
        chosen = labels != -100
        shares = [chosen, chosen & (ids == 1), chosen & (ids == original)]
        found.append(torch.stack([share.double().mean(dim=0) for share in shares]))
    # The standard error of a difference is 0.0145 at most.
    assert (found[0] - found[1]).abs().max() < 5 * 0.0145
    assert (found[0] - found[1]).abs().mean() < 0.0145


def test_whole_words_are_the_same_ones(pair):
    found = []
    for _, labels in drawn(pair, True):
        chosen = labels != -100
        found.append((chosen.double().mean(dim=0), (chosen[:, 1:] != chosen[:, :-1]).any(dim=0)))
    # A word begins where a token may be chosen that the one before is not.
    assert torch.equal(found[0][1], found[1][1])
    assert 0 < found[0][1].sum() < labels.shape[1] // 2
    assert (found[0][0] - found[1][0]).abs().max() < 5 * 0.0145


def t5_noise(length, density, mean_length, random):
    """Which tokens of a text are in spans, by the algorithm of the paper's code (`random_spans_noise_mask`)."""

    def segments(items, count):
        begins = np.zeros(items, np.bool_)
        begins[1 + random.permutation(items - 1)[: count - 1]] = True
        return np.bincount(np.cumsum(begins), minlength=count)

    noise = min(max(round(length * density), 1), length - 1)
    count = max(round(noise / mean_length), 1)
    sizes = np.stack([segments(length - noise, count), segments(noise, count)], axis=1).reshape(-1)
    return np.arange(2 * count).repeat(sizes) % 2 == 1


@pytest.mark.parametrize(("density", "mean_length"), [(0.15, 3), (0.5, 2)])
def test_spans_are_as_frequent_as_those_of_t5(density, mean_length):
    ranks = {bytes([byte]): byte for byte in range(256)}
    tokenizer = SubwordTokenizer.from_tiktoken(ranks, r"\S+|\s+", {"<pad>": 256}, pad_token="<pad>")
    length = 48
    sentinels = list(range(300, 330))
    batch = CollateSpanCorruption(tokenizer, sentinels, density, mean_length)(["x" * length] * DRAWS)
    ours = np.zeros(length)
    for inputs, labels in zip(batch["input_ids"].tolist(), batch["labels"].tolist(), strict=True):
        sizes = np.bincount(np.cumsum(np.array(labels) >= 300)) - 1  # of each span, after nothing
        at = 0
        for id in inputs:
            if id >= 300:
                ours[at : at + sizes[id - 300 + 1]] += 1
                at += sizes[id - 300 + 1]
            else:
                at += 1
        assert at >= length
    random = np.random.default_rng(0)
    theirs = sum(t5_noise(length, density, mean_length, random).astype(float) for _ in range(DRAWS))
    assert np.abs(ours - theirs).max() / DRAWS < 5 * 0.0158
    assert np.abs(ours - theirs).mean() / DRAWS < 0.0158
