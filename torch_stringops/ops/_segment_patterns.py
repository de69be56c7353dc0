r"""The regular expressions of grapheme clusters, words and sentences, by the rules of UAX 29.

A match begins at a boundary and ends at the next one. The pattern of clusters is that of the standard's table 1c, with
its rule GB9c. Those of words and sentences have items that no boundary follows, in any number, and then the end of a
segment. What the rules skip stands after each character (WB4, SB5), and a look-ahead tells what comes next.
"""


def _set(name: str, *values: str, negated: bool = False) -> str:
    """The set of the code points that have one of the values of a property."""
    members = "".join(f"\\p{{{name}={value}}}" for value in values)
    return f"[{'^' if negated else ''}{members}]"


def _cluster(*values: str, negated: bool = False) -> str:
    return _set("Grapheme_Cluster_Break", *values, negated=negated)


def _conjunct(*values: str) -> str:
    return _set("Indic_Conjunct_Break", *values)


def _word(*values: str, negated: bool = False) -> str:
    return _set("Word_Break", *values, negated=negated)


def _sentence(*values: str, negated: bool = False) -> str:
    return _set("Sentence_Break", *values, negated=negated)


# A syllable that is not LV is LVT, which no V follows. A control character, which is alone, is what is left.
GRAPHEME = (
    r"\r\n|{prepend}*(?:{l}*(?:{lv}{v}*|{syllable}|{v}+){t}*|{l}+|{t}+|{flag}{flag}"
    r"|{pictograph}(?:{extend}*\x{{200d}}{pictograph})*"
    r"|{consonant}(?:{linking}*{linker}{linking}*{consonant})+|{any}){after}*|(?s:.)"
).format(
    any=_cluster("CR", "LF", "Control", negated=True),
    prepend=_cluster("Prepend"),
    extend=_cluster("Extend"),
    after=_cluster("Extend", "ZWJ", "SpacingMark"),
    pictograph=r"\p{Extended_Pictographic}",
    flag=_cluster("Regional_Indicator"),
    l=_cluster("L"),
    v=_cluster("V"),
    t=_cluster("T"),
    lv=_cluster("LV"),
    syllable=_cluster("LV", "LVT"),
    consonant=_conjunct("Consonant"),
    linker=_conjunct("Linker"),
    linking=_conjunct("Linker", "Extend"),
)

# A cluster of several code points has one of these.
JOINING = _cluster(*("CR", "Extend", "L", "LV", "LVT", "Prepend", "Regional_Indicator", "SpacingMark", "T", "V", "ZWJ"))

_LETTERS = ("ALetter", "Hebrew_Letter")
_WORD_ITEMS = [
    r"(?:{any}{skip}*)?\x{{200d}}(?=\p{{Extended_Pictographic}})",  # WB3c
    r"{flag}{skip}*{flag}{skip}*\x{{200d}}(?=\p{{Extended_Pictographic}})",
    r"{hebrew}{skip}*'{skip}*\x{{200d}}(?=\p{{Extended_Pictographic}})",
    r"{space}(?={space})",  # WB3d
    r"{letter}{skip}*(?:{between_letters}{skip}*(?={letter})|(?={after_letter}))",  # WB5 to WB7, WB9, WB13a
    r"{hebrew}{skip}*\"{skip}*(?={hebrew})",  # WB7b, WB7c
    r"{digit}{skip}*(?:{between_digits}{skip}*(?={digit})|(?={after_letter}))",  # WB8, WB10 to WB12, WB13a
    r"{katakana}{skip}*(?={after_katakana})",  # WB13, WB13a
    r"{joint}{skip}*(?={after_joint})",  # WB13a, WB13b
]
# WB7a, WB15 and WB16, WB3 to WB3b, and WB999.
_WORD_END = r"{hebrew}{skip}*'{skip}*|{flag}{skip}*{flag}{skip}*|\r\n|{newline}|{any}{skip}*"
WORD = f"(?:{'|'.join(_WORD_ITEMS)})*(?:{_WORD_END})".format(
    any=_word("CR", "LF", "Newline", negated=True),
    newline=_word("CR", "LF", "Newline"),
    skip=_word("Extend", "Format", "ZWJ"),
    space=_word("WSegSpace"),
    letter=_word(*_LETTERS),
    hebrew=_word("Hebrew_Letter"),
    digit=_word("Numeric"),
    katakana=_word("Katakana"),
    joint=_word("ExtendNumLet"),
    flag=_word("Regional_Indicator"),
    between_letters=_word("MidLetter", "MidNumLet", "Single_Quote"),
    between_digits=_word("MidNum", "MidNumLet", "Single_Quote"),
    after_letter=_word(*_LETTERS, "Numeric", "ExtendNumLet"),
    after_katakana=_word("Katakana", "ExtendNumLet"),
    after_joint=_word(*_LETTERS, "Numeric", "Katakana", "ExtendNumLet"),
)

_SEPARATORS = ("Sep", "CR", "LF")
_TERMS = ("ATerm", "STerm")
_SENTENCE_ITEMS = [
    r"{cased}{skip}*{full_stop}{skip}*(?={upper})",  # SB7
    r"{full_stop}{skip}*(?={digit})",  # SB6
    r"{full_stop}{tail}{not_letter}*(?={lower})",  # SB8
    r"{term}{tail}(?={continues})",  # SB8a
    r"{any}",  # SB998
]
# SB9 to SB11, and SB3 and SB4.
_SENTENCE_END = r"{term}{tail}(?:\r\n|{separator})?|\r\n|{separator}"
_SENTENCE_FORM = f"(?:{'|'.join(_SENTENCE_ITEMS)})+(?:{_SENTENCE_END})?|{_SENTENCE_END}"
SENTENCE = _SENTENCE_FORM.replace("{tail}", "{skip}*(?:{close}{skip}*)*(?:{space}{skip}*)*").format(
    any=_sentence(*_TERMS, *_SEPARATORS, negated=True),
    skip=_sentence("Extend", "Format"),
    cased=_sentence("Upper", "Lower"),
    upper=_sentence("Upper"),
    lower=_sentence("Lower"),
    digit=_sentence("Numeric"),
    full_stop=_sentence("ATerm"),
    term=_sentence(*_TERMS),
    close=_sentence("Close"),
    space=_sentence("Sp"),
    separator=_sentence(*_SEPARATORS),
    not_letter=_sentence("OLetter", "Upper", "Lower", *_TERMS, *_SEPARATORS, negated=True),
    continues=_sentence("SContinue", *_TERMS),
)
