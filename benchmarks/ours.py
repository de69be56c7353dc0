"""Our side of the rows: inputs as tensors, operators as calls, and memcpy as the limit."""

import ctypes
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

import torch_stringops as so
from benchmarks import canonical
from benchmarks.corpora import Corpus
from benchmarks.inputs import DATETIME_FIELDS, parts
from benchmarks.measure import Contender, Skipped
from torch_stringops import StringTensor, nn
from torch_stringops.pretrain import near_duplicates


class Missing(Exception):
    """The installed library does not have the operator."""


def tensors(corpus: Corpus) -> tuple[Tensor, Tensor]:
    """`data` and `offsets` of the corpus, allocated and aligned by torch."""
    return torch.tensor(corpus.data), torch.tensor(corpus.offsets)


def string_tensor(corpus: Corpus) -> StringTensor:
    return StringTensor(*tensors(corpus))


def converted(value: Any) -> Any:
    """An input of a row in our form."""
    if isinstance(value, Corpus):
        return string_tensor(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return torch.tensor(value)
    return [converted(x) for x in value] if isinstance(value, list) else value


def operator(name: str, overload_name: str = "default") -> Callable[..., Any]:
    """The overload, so that its resolution is not measured."""
    try:
        overload: Callable[..., Any] = getattr(getattr(torch.ops.stringops, name), overload_name)
    except AttributeError as error:
        raise Missing(f"torch_stringops has no operator {name}") from error
    return overload


def made(op: str, values: Iterable[Any], **options: Any) -> Callable[[], Any]:
    """The call of an operator or of an entry of CALLS, on converted inputs."""
    inputs = [converted(value) for value in values]
    if op in MADE:
        return MADE[op](*inputs, **options)
    if op in CALLS:
        return partial(CALLS[op], *inputs, **options)
    flat: list[Any] = []
    for value in inputs:
        flat += [value.data, value.offsets] if isinstance(value, StringTensor) else [value]
    name, _, overload = op.partition(".")
    return partial(operator(name, overload or "default"), *flat, **options)


def concat(strings: StringTensor, between: str) -> Callable[[], Any]:
    middle = so.as_strings([between])
    operands = [strings.data, strings.offsets, middle.data, middle.offsets[:2], strings.data, strings.offsets]
    return partial(operator("string_concat"), operands)


def join(strings: StringTensor, between: str) -> Callable[[], Any]:
    """Joins the words of each string again."""
    words, row_splits = strings.split_ragged()
    return partial(operator("string_join_ragged"), words.data, words.offsets, row_splits, between)


def word_ngrams(strings: StringTensor, n: int) -> Callable[[], Any]:
    return partial(so.string_ngrams_ragged, *strings.split_ragged(), n)


def from_codepoints(strings: StringTensor) -> Callable[[], Any]:
    return partial(operator("string_from_codepoints"), *operator("string_codepoints")(strings.data, strings.offsets))


def table_of(words: StringTensor) -> Tensor:
    table: Tensor = operator("vocab_build")(words.data, words.offsets)
    return table


def vocab_build(words: StringTensor) -> Any:
    """The ids that the table gives are compared."""
    make, look_up = operator("vocab_build"), operator("vocab_encode")
    flat = (words.data, words.offsets)
    return partial(make, *flat), lambda table: look_up(*flat, table)


def vocab_encode(tokens: StringTensor, words: StringTensor) -> Callable[[], Any]:
    return partial(operator("vocab_encode"), tokens.data, tokens.offsets, table_of(words))


def split_encode(strings: StringTensor, words: StringTensor) -> Callable[[], Any]:
    return partial(operator("split_encode"), strings.data, strings.offsets, table_of(words))


def tokenize_encode(strings: StringTensor, words: StringTensor, **options: Any) -> Callable[[], Any]:
    return partial(operator("tokenize_encode"), strings.data, strings.offsets, table_of(words), **options)


def in_parts(
    strings: StringTensor, count: int, size: int, join: Callable[[list[StringTensor]], Any]
) -> Callable[[], Any]:
    return partial(join, [part.contiguous() for part in parts(strings, count, size)])


def with_pairs(op: str, a: StringTensor, b: StringTensor, **options: Any) -> Callable[[], Any]:
    """All pairs of two lists of strings."""
    a = a[:, None]
    return partial(operator(op), a.data, a.offsets, b.data, b.offsets, **options)


def fitted(kind: str, strings: StringTensor, **options: Any) -> Callable[[], Any]:
    layer = getattr(nn, kind)(**options)
    layer.adapt(strings) if kind == "TextVectorization" else layer.fit(strings)
    return partial(layer, strings)


def adapted(strings: StringTensor, **options: Any) -> Any:
    layer = nn.TextVectorization(**options)
    layer.adapt(strings)
    return layer.get_vocabulary()


def from_strings(strings: Any) -> list[str]:
    tokens: list[str] = so.Vocabulary.from_strings(iter(strings), pad_token=None, unknown_token=None).tokens
    return tokens


def tfidf(ids: Tensor, *inputs: Tensor, **options: Any) -> Callable[[], Any]:
    return partial(operator("tfidf_vectorizer"), ids.reshape(-1, 50), *inputs, **options)


def copied(x: Tensor, size: int) -> Callable[[], Any]:
    sizes = [len(part) for part in torch.split(x, size)]
    return partial(operator("split_to_sequence"), x, sizes)


def encode_each(strings: StringTensor, model: Any) -> Callable[[], Any]:
    one, texts = model.ours.encode_text, strings.tolist()
    return lambda: [one(text) for text in texts]


def padded_batches(strings: StringTensor, model: Any) -> Callable[[], Any]:
    from benchmarks.peers.transformers import fast

    tokenizer, texts = so.SubwordTokenizer.from_file(fast(model)), strings.tolist()
    batches = [texts[at : at + 64] for at in range(0, len(texts), 64)]
    return lambda: [tokenizer(batch) for batch in batches]


# What is timed, as functions of the inputs: StringTensors and tensors.
CALLS: dict[str, Callable[..., Any]] = {
    "from_list": StringTensor.from_list,
    "from_numpy": StringTensor.from_numpy,
    "from_arrow": StringTensor.from_arrow,
    "to_list": StringTensor.tolist,
    "==": lambda a, b: a == b,
    "x[i]": lambda s, index: s[index],
    "where": lambda a, b, mask: torch.where(mask, a, b),
    "string_contains, ignore_case": lambda s, word: s.contains(word.upper(), ignore_case=True),
    "string_translate": lambda s, table: s.translate(table),
    "regex_contains_any": lambda s, patterns: s.regex_contains_any(patterns),
    "string_segments_ragged": lambda s, unit: s.segments_ragged(unit),
    "string_reverse, graphemes": lambda s: s.reverse("grapheme"),
    "string_width": lambda s: s.width(),
    "unique, sorted": lambda s: s.unique(),
    "json_extract": lambda s, path: s.json_extract(path)[0],
    "json_fields": lambda s, fields: [values for values, _ in so.json_fields(s, fields).values()],
    "datetime_fields": lambda times, *_: so.datetime_fields(times, unit="s"),
    "near_duplicates": lambda s, **options: near_duplicates(s, **options),
    "split_to_sequence": so.split_to_sequence,
    "ragged_ngrams": so.ragged_ngrams,
    "ragged_truncate": so.ragged_truncate,
    "ragged_concat": lambda v, r: so.ragged_concat([(v, r), (v, r)]),
    "ragged_add_special": so.ragged_add_special,
    "ragged_unique": so.ragged_unique,
    "ragged_count": so.ragged_count,
    "TextVectorization, adapt": adapted,
    "from_strings": from_strings,
}
# Calls that need preparation: each function prepares one, and returns what is timed.
MADE: dict[str, Callable[..., Callable[[], Any]]] = {
    "string_concat": concat,
    "string_join_ragged": join,
    "string_repeat": lambda s, n: partial(operator("string_repeat"), s.data, s.offsets, torch.tensor([n])),
    "string_ngrams_ragged": word_ngrams,
    "string_from_codepoints": from_codepoints,
    "vocab_build": vocab_build,
    "vocab_encode": vocab_encode,
    "split_encode": split_encode,
    "tokenize_encode": tokenize_encode,
    "subword_encode": lambda s, model: partial(operator("subword_encode"), s.data, s.offsets, model.ours._table),
    "encode_text": encode_each,
    "SubwordTokenizer": padded_batches,
    "cat": partial(in_parts, join=torch.cat),
    "stack": partial(in_parts, join=lambda parts: torch.stack(parts).reshape(-1)),
    "tfidf_vectorizer": tfidf,
    "split_to_sequence, copied": copied,
    **{
        f"{op}, all pairs": partial(with_pairs, op)
        for op in ("string_edit_distance", "string_damerau", "string_ratio", "string_jaro_winkler")
    },
    **{
        kind: partial(fitted, kind)
        for kind in ("TextVectorization", "CountVectorizer", "TfidfVectorizer", "HashingVectorizer")
    },
}


def unique_and_counts(out: Any) -> Any:
    data, offsets, inverse, counts = out
    if not np.array_equal(np.bincount(inverse.numpy()), counts.numpy()):
        raise ValueError("string_unique: counts are not those of the inverse")
    return StringTensor(data, offsets), counts.tolist()


def groups(out: Any) -> Any:
    """The strings of all groups, one group after the other."""
    data, offsets = out
    return canonical.of((data, torch.cat([offsets[:, :-1].reshape(-1), offsets[-1, -1:]])))


def sparse(matrix: Any) -> Any:
    parts = (matrix.crow_indices(), matrix.col_indices(), torch.round(matrix.values().double() * 1000))
    return torch.cat([part.long() for part in parts])


READS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("string_sort", "string_min"), lambda out: out[:2]),
    "string_bytes": lambda out: canonical.from_ids(*(t.numpy() for t in out)),
    "string_siphash": lambda out: (out.numpy().view("uint64") % np.uint64(2**62)).astype("int64"),
    "string_unique": unique_and_counts,
    "_regex_extract_groups": groups,
    "datetime_fields": lambda out: torch.stack([out[name].long() for name in DATETIME_FIELDS]),
    **dict.fromkeys(("split_to_sequence", "split_to_sequence, copied"), lambda out: torch.cat([*out])),
    "string_tensor_unpack": lambda out: torch.cat([t.long() for t in out]),
    "TextVectorization": lambda out: out.long(),
    "SubwordTokenizer": lambda out: torch.cat(
        [batch[name].ravel() for batch in out for name in ("input_ids", "attention_mask")]
    ),
    **dict.fromkeys(("CountVectorizer", "TfidfVectorizer", "HashingVectorizer"), sparse),
}


def num_bytes(tensors: Iterable[Tensor]) -> int:
    return sum(t.numel() * t.element_size() for t in tensors)


def tensors_of(out: Any) -> list[Tensor]:
    """The tensors in the inputs or in the output of an operator."""
    if isinstance(out, Tensor):
        return [out.values()] if out.layout == torch.sparse_csr else [out]
    if isinstance(out, StringTensor):
        return [out.data, out.offsets]
    return [t for o in out for t in tensors_of(o)] if isinstance(out, list | tuple) else []


def with_clean_heap(contender: Contender | Skipped) -> Contender | Skipped:
    """The contender, with the heap consolidated before each call.

    A peer frees hundreds of thousands of small objects after its call, which glibc consolidates in the next large
    malloc. This takes milliseconds, which would be measured for the next contender.
    """
    if isinstance(contender, Skipped) or contender.prepare is not None:
        return contender
    call = contender.call
    return replace(contender, call=lambda _: call(), prepare=consolidate_heap)


def consolidate_heap() -> None:
    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]
    library.free(library.malloc(1 << 16))


def memcpy(traffic: int) -> list[Contender | Skipped]:
    """The limit: a copy whose reads and writes sum to `traffic` bytes.

    Its memory is allocated like the outputs of operators: by torch, with huge pages if it is large.
    """
    size = traffic // 2
    source = torch.ones(size, dtype=torch.uint8)
    library = ctypes.CDLL(None)
    first, last = HUGE_PAGE - 1, -HUGE_PAGE

    def into_new() -> Tensor:
        out = torch.empty(size, dtype=torch.uint8)
        address = out.data_ptr()
        if size >= 2 * HUGE_PAGE:
            begin, end = (address + first) & last, (address + size) & last
            library.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), MADV_HUGEPAGE)
        ctypes.memmove(address, source.data_ptr(), size)
        return out

    return [Contender(MEMCPY, into_new, None)]


HUGE_PAGE = 1 << 21
MADV_HUGEPAGE = 14
MEMCPY = "memcpy of equal traffic"
