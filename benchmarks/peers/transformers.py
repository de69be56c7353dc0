"""transformers: lists of strings to padded tensors."""

from typing import Any

import torch
import transformers

from benchmarks.corpora import Corpus
from benchmarks.trained import Model


def fast(model: Model) -> Any:
    inputs = ["input_ids", "attention_mask"]
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=model.source, model_input_names=inputs)
    tokenizer.add_special_tokens({"pad_token": "[PAD]"})
    return tokenizer


def batches(corpus: Corpus, model: Model) -> Any:
    tokenizer, lists = fast(model), [corpus.strings[at : at + 64] for at in range(0, len(corpus), 64)]
    return lambda: [tokenizer(batch, padding="longest", return_tensors="pt") for batch in lists]


def read(out: list[Any]) -> Any:
    """Ids and masks, one after the other."""
    return torch.cat([batch[name].ravel() for batch in out for name in ("input_ids", "attention_mask")])


MADE: dict[str, Any] = {"SubwordTokenizer": batches}
READS: dict[str, Any] = {"SubwordTokenizer": read}
