"""Why a peer is faster, or a limit is missed: patterns of rows, the beginning of the peer's or the limit's name."""

from fnmatch import fnmatchcase

NO_REASON = "Nobody has looked for the cause."
MERGES = (
    "A word that is not a token is merged once in each call. Peers keep words in caches between calls; this package "
    "does not."
)
PASSING = (
    "Of 0.40 ms for 1000 tensors, torch takes 0.065 to find `__torch_function__` in each, and about 0.17 to pass 2000 "
    "to an operator and to release them; their attributes are read in 0.04 and checked in 0.05, and 0.03 is the work "
    "of one tensor as large. DLPack's C functions would pass them in 0.1, but do not show a storage that was made "
    "smaller."
)
REASONS = (
    (
        "string_is_*",
        "pyarrow",
        "Most of these strings differ from the class in their first characters, where both stop, so that mainly "
        "offsets and a cache line of each string are read, as torch does to load the first byte of each. Ours checks "
        "the offsets, too, and writes a byte for each string where pyarrow writes a bit.",
    ),
    (
        "string_rfind/*",
        "Python",
        "A `str` knows the width of its characters; ours counts the code points before the match, and so reads all "
        "bytes, of ASCII at 28 GB/s.",
    ),
    (
        "regex/contains/link/pages",
        "",
        "The match comes early. Strings are checked to be UTF-8 to their ends, which takes as long as "
        "`string_is_utf8`; the arrays of the peers were checked when they were made.",
    ),
    (
        "string_strip/*",
        "pyarrow",
        "Many strings change, and the ends of these are tested twice: to measure and to write.",
    ),
    (
        "string_hash/*",
        "polars",
        "polars' hash is not specified and may change between versions; ours is XXH3, which has a formula for each of "
        "several lengths: without AVX-512, a branch is mispredicted for most words; with it, all of them are computed.",
    ),
    ("gather/*", "polars", "It keeps views of 16 bytes, whose gather copies no bytes of long strings."),
    ("cat/1000*", "", PASSING),
    ("stack/*", "", PASSING),
    (
        "cat/2 *",
        "pyarrow",
        "Of 27 us, the call takes 6.5, of which Python half; pyarrow's takes 1. Copying the bytes, and shifting and "
        "checking the offsets, take about as long as in pyarrow, 18 to 20. Neither has page faults.",
    ),
    (
        "split_to_sequence/*",
        "torch",
        "It reads the sizes from a tensor before torch makes the views: it takes 55 us of 76.",
    ),
    (
        "split_to_sequence/*copied",
        "onnxruntime",
        "Copying as many bytes into new memory takes 1.2 ms of 1.65 and of 1.44; ours makes 100 tensors of torch.",
    ),
    (
        "dataloader/*",
        "list[str]",
        "A list of few strings is passed on as it is. Strings of a tensor are copied to a message, validated, and made "
        "tensors: calls of torch in processes that have just been woken, whose caches are cold.",
    ),
    (
        "files/stream of Parquet",
        "",
        "Decoding by pyarrow, in parts of 2 MB that bound the memory of a stream, takes as long as the scanner "
        "altogether (54 % of our time); the rest converts each part, and copies each batch, of which the scanner makes "
        "views.",
    ),
    (
        "vocab_build/*",
        "polars",
        "Placing words without collisions takes 25 of 40 ns a word, so that each lookup is one comparison.",
    ),
    (
        "tiers/*",
        "pyarrow",
        "The tier scalar is the reference implementation, written for readability, and the fallback for old CPUs.",
    ),
    (
        "subword_encode/1 short*",
        "",
        "Most of a call on one string is that of torch, whose addition of two numbers takes half as long; the rest "
        "opens the table, whose values come from strangers, and allocates.",
    ),
    (
        "subword_encode/T5 model*",
        "sentencepiece",
        "Words that are no piece are divided anew in each call, which takes 44 % of the time of code with T5's "
        "tokenizer.json.",
    ),
    ("subword_encode/*", "", MERGES),
    (
        "SubwordTokenizer.encode_text/*",
        "fastokens",
        "fastokens keeps the ids of pieces of text between calls, which are of the same texts here; ours looks each "
        "word up in the tokenizer's table, which is larger than the cache of a core.",
    ),
    (
        "overhead/2 strings",
        "torch.ops.aten.add",
        "string_jaccard makes a random seed in each call, as a defense against hash flooding: std::random_device takes "
        "a third of the call on this processor (`perf`). A quarter of a call of subword_encode is the operator itself, "
        "which opens and checks the table; the rest is Python, torch and the C library, for two and four results.",
    ),
)


def reason(row: str, name: str) -> str:
    return next((why for rows, peer, why in REASONS if fnmatchcase(row, rows) and name.startswith(peer)), NO_REASON)
