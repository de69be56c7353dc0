"""Patterns of published pre-tokenizers, which have look-aheads, possessive repetitions and case-insensitive groups."""

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
SUFFIX = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{SUFFIX}|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{SUFFIX}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)
PUBLISHED = {
    "gpt2": GPT2,
    "llama3": LLAMA3,
    "qwen2": LLAMA3.replace("{1,3}", ""),
    "qwen3.5": LLAMA3.replace("{1,3}", "")
    .replace(r"\p{L}+", r"[\p{L}\p{M}]+")
    .replace(r"\p{L}\p{N}]", r"\p{L}\p{M}\p{N}]"),
    "o200k": O200K,
    "tekken": O200K.replace(SUFFIX, "").replace("{1,3}", ""),
    "cl100k": CL100K,
    "r50k": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "without suffixes": LLAMA3.replace(r"]+[\r\n]*", "]+").removeprefix("(?i:'s|'t|'re|'ve|'m|'ll|'d)|"),
}
