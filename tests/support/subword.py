"""Byte-level tokenizers that `tokenizers` trains in a second, and texts of several scripts and kinds to compare them on."""

import itertools
import os
import random
import sysconfig
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

SENTENCES = [
    "The quick brown fox doesn't jump over 13 lazy dogs, it's said; they've all gone by 1999.",
    "Le cœur a ses raisons que la raison ne connaît point : voilà l'été, déjà !",
    "Übermäßige Größe schadet häufig, sagte der Prüfer am 3. März 2021.",
    "¿Dónde está la biblioteca? El niño comió piñas mañana.",
    "Съешь же ещё этих мягких французских булок, да выпей чаю в 17:45.",
    "Η ταχεία αλεπού πηδά πάνω από το σκυλί. Ο ΟΔΥΣΣΕΑΣ ήρθε.",
    "いろはにほへと ちりぬるを。東京タワーは333メートルです、ね?",
    "今天天气很好,我们去公园散步吧。2024年12月31日的晚上。",
    "다람쥐 헌 쳇바퀴에 타고파. 오늘은 날씨가 좋습니다!",
    "صِف خَلقَ خَودِ كَمِثلِ الشَمسِ إِذ بَزَغَت ١٢٣",
    "דג סקרן שט בים מאוכזב ולפתע מצא לו חברה",
    "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश १२३",
    "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน",
    "Tiếng Việt có dấu: Một ngày đẹp trời ở Hà Nội.",
    "👩‍👩‍👧‍👦 is a family 🎉🎉 and 🇩🇪 a flag, e\u0301 a letter; ﬁ ½ x² ™ ±≥",
]

# Characters on which the rules of words depend.
HARD = "'sStTlLvVrReEmMdDaBſK\u01c5ʰª中ⅷم\u0301\u0300\u20dd\u093f12٣²!/$_.,  \n\r\t\u00a0\u3000\u2028\u200b\x00\x1c\x85😀\ufffd"

SPECIAL = "<|endoftext|>"


def byte_level(pattern: "str | list[str] | None" = None, prefix_space: bool = False) -> Any:
    """The pre-tokenizer with these patterns; None for that of GPT-2."""
    from tokenizers import Regex, pre_tokenizers

    if pattern is None:
        return pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    patterns = [pattern] if isinstance(pattern, str) else pattern
    return pre_tokenizers.Sequence(
        [
            *(pre_tokenizers.Split(Regex(p), "isolated") for p in patterns),
            pre_tokenizers.ByteLevel(add_prefix_space=prefix_space, use_regex=False),
        ]
    )


def trained(pre_tokenizer: Any, size: int = 1000, seed: int = 0, **model: Any) -> Any:
    """A tokenizer of `size` tokens, trained on a sample of the texts below. The id of SPECIAL is 0."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(**model))
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        show_progress=False,
        special_tokens=[SPECIAL],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    rng = random.Random(seed)
    tokenizer.train_from_iterator([*natural(rng, 300), *code(rng, 300 + size // 10)], trainer)
    return tokenizer


@cache
def _code_lines() -> list[str]:
    folder = Path(sysconfig.get_paths()["stdlib"])
    files = [folder / f"{name}.py" for name in ("argparse", "ast", "ftplib", "tarfile", "typing", "_pydecimal")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())
    return [line for line in text.split("\n") if line.strip()]


def natural(rng: random.Random, n: int) -> list[str]:
    """Sentences of several scripts, whole, cut, or with their words in another order."""
    found = []
    for _ in range(n):
        words = rng.choice(SENTENCES).split(" ")
        if rng.random() < 0.5:
            words += rng.choice(SENTENCES).split(" ")
            rng.shuffle(words)
        text = rng.choice(["", " ", "\n", "  \n\n"]).join([" ".join(words), ""])
        found.append(text if rng.random() < 0.8 else text[: rng.randrange(len(text) + 1)])
    return found


def code(rng: random.Random, n: int) -> list[str]:
    lines = _code_lines()
    starts = [rng.randrange(len(lines)) for _ in range(n)]
    return ["\n".join(lines[start : start + rng.choice([1, 1, 1, 2, 5])]) for start in starts]


@cache
def stable_characters() -> str:
    """Characters that every version of Unicode in use has, so that classes do not depend on the version."""
    old = unicodedata.ucd_3_2_0
    found = map(chr, itertools.chain(range(0xD800), range(0xE000, 0x30000)))
    return "".join(
        c for c in found if old.category(c) not in ("Cn", "Co") and old.category(c) == unicodedata.category(c)
    )


def random_unicode(rng: random.Random, n: int, stable: bool = False) -> list[str]:
    """Strings of random characters, of all code points or of `stable_characters`."""
    known = stable_characters()

    def character() -> str:
        kind = rng.random()
        if kind < 0.3:
            return rng.choice(HARD)
        if kind < 0.6:
            return chr(rng.randrange(0x20, 0x500))
        if stable or kind < 0.8:
            return rng.choice(known)
        code = rng.randrange(0x110000 - 0x800)
        return chr(code if code < 0xD800 else code + 0x800)

    return ["".join(character() for _ in range(rng.choice([1, 2, 5, 10, 30]))) for _ in range(n)]


def adversarial(rng: random.Random, n: int) -> list[str]:
    return ["".join(rng.choices(HARD, k=rng.randint(1, 9))) for _ in range(n)]


def long_words(rng: random.Random, n: int) -> list[str]:
    """One or two pieces repeated, without or with a few changes: words of 16 to 2000 characters."""
    found = []
    for _ in range(n):
        piece = rng.choice(["a", "ab", "the", "é", "中文", "0", "=", " ", "\n", "\t ", "ſ", "'s", "_x", "😀"])
        text = (piece * rng.choice([16, 17, 64, 130, 2000]))[: rng.choice([20, 64, 130, 131, 2000])]
        at = rng.randrange(len(text))
        found.append(text if rng.random() < 0.5 else text[:at] + rng.choice(HARD) + text[at:])
    return found


KINDS = {
    "natural": natural,
    "code": code,
    "random Unicode": random_unicode,
    "adversarial": adversarial,
    "long words": long_words,
}


# Of the strings of a comparison.
SHARES = {"natural": 0.3, "code": 0.2, "random Unicode": 0.25, "adversarial": 0.24, "long words": 0.01}


def texts(rng: random.Random, n: int) -> list[str]:
    """About n strings of all kinds."""
    found = [text for name, share in SHARES.items() for text in KINDS[name](rng, max(1, int(share * n)))]
    rng.shuffle(found)
    return found


def stable_texts(rng: random.Random, n: int) -> list[str]:
    """The same, of characters on which the oracle's classes do not depend on the version of Unicode."""
    return [*natural(rng, n // 3), *code(rng, n // 4), *adversarial(rng, n // 4), *random_unicode(rng, n // 4, True)]
