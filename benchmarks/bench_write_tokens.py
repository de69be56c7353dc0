"""write_tokens compared with encoding alone, and two workers of Ray compared with one.

The workers have imported torch before the clock starts.
"""

import tempfile
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.measure import Comparison, Contender, Target
from benchmarks.rows import Context, Row
from benchmarks.subword import text_of, trained
from torch_stringops import SubwordTokenizer
from torch_stringops._atomic import replacing
from torch_stringops.data import StringColumn, count_tokens, load, save, write_tokens

WRITE = "ours, write_tokens"
ENCODE = "encoding alone"
WORKER, WORKERS = "a worker of Ray", "ours, two workers of Ray"
BYTES, SHARD_BYTES = 50_000_000, 2**23
# A task of Ray takes tens of milliseconds to begin, so its shards are larger.
RAY_BYTES, RAY_SHARD = 1_000_000_000, 2**25
# Two tasks at least for each worker, which imports torch for its first one.
FIRST_BYTES, FIRST_SHARD = 3_000_000, 2**19
EOS = 0


@lru_cache(maxsize=1)
def temporary() -> tempfile.TemporaryDirectory[str]:
    """A folder that is removed with the process."""
    return tempfile.TemporaryDirectory(prefix="benchmarks")


def new_folder() -> str:
    return tempfile.mkdtemp(dir=temporary().name)


def documents(context: Context, num_bytes: int) -> tuple[StringColumn, int]:
    """Paragraphs of English, repeated, in a file of `save`; and the bytes of the text."""
    strings = ours.string_tensor(text_of(context, "paragraphs"))
    size = ours.num_bytes([strings.data])
    times = max(1, round(num_bytes * context.scale / size))
    path = Path(new_folder()) / "documents.arrow"
    save(StringColumn([strings] * times), path)
    return load(path), times * size


def number_of_tokens(found: Any) -> Any:
    return np.array([found if isinstance(found, int) else found["tokens"] - found["documents"]])


@peers.needs("tokenizers")
def writing(context: Context, column: StringColumn) -> peers.Contenders:
    tokenizer = SubwordTokenizer.from_file(trained("gpt2"))

    def write(folder: str) -> Any:
        return write_tokens(column, tokenizer, folder, shard_bytes=SHARD_BYTES, eos_id=EOS, progress=False)

    first = new_folder()
    write(first)
    files = {path.name: path.read_bytes() for path in Path(first).iterdir()}

    def write_files(folder: str) -> None:
        for name, content in files.items():
            with replacing(Path(folder) / name) as file:
                file.write(content)

    return [
        ours.contender(WRITE, write, number_of_tokens, prepare=new_folder),
        ours.contender(ENCODE, partial(count_tokens, column, tokenizer), number_of_tokens),
        Contender("the same files, without encoding", write_files, prepare=new_folder),
    ]


@peers.needs("tokenizers", "ray")
def in_tasks(context: Context, column: StringColumn) -> peers.Contenders:
    from torch_stringops.ray import write_tokens as write_in_tasks

    ray, tokenizer = peers.load("ray"), SubwordTokenizer.from_file(trained("gpt2"))

    first, _ = documents(context, FIRST_BYTES)

    def write(folder: str, column: StringColumn = column, shard_bytes: int = RAY_SHARD) -> Any:
        return write_in_tasks(column, tokenizer, folder, shard_bytes=shard_bytes, eos_id=EOS, progress=False)

    def start(workers: int) -> str:
        if ray.is_initialized():
            ray.shutdown()
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        write(new_folder(), first, FIRST_SHARD)
        return new_folder()

    return [
        ours.contender(name, write, number_of_tokens, prepare=partial(start, workers))
        for workers, name in enumerate((WORKER, WORKERS), 1)
    ]


def build(with_ray: bool, context: Context) -> Comparison:
    title = f"Tokens of {'tasks of Ray, each of a shard' if with_ray else 'files'}"
    if with_ray and len(context.cpus) < 2:
        return Comparison(f"{title} (this process has one core)")
    column, size = documents(context, RAY_BYTES if with_ray else BYTES)
    contenders = [*(in_tasks if with_ray else writing)(context, column), *ours.memcpy(size)]
    targets = [Target(WORKERS, WORKER, 1.6)] if with_ray else [Target(WRITE, ENCODE, 0.9)]
    title += f". {size / 1e6:,.0f} MB of paragraphs of English, byte-level BPE"
    return Comparison(title, contenders, targets, size, cpus=1 + with_ray, max_rounds=3)


FILES = (
    "The difference is the time that the kernel takes to write and sync the files: 27 to 60 ms, as long as for the "
    "same files without encoding, in the same row."
)
ROWS = [
    Row("write_tokens/paragraphs", partial(build, False), reasons={ENCODE: FILES}),
    Row("write_tokens/two workers of Ray", partial(build, True), all_threads=True),
]
