"""HTML and colours for notebooks and terminals: complete, bounded, and never a tag or a control character of a text."""

import os
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.subword_small import LINES, tokenizer
from torch._subclasses import FakeTensorMode

import torch_stringops as ts
from torch_stringops import StringTensor, Vocabulary

HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "&lt;b&gt;&amp;", "</td></table></div>",
    "\u202eabc\u202c \u2066x\u2069 \u200f\u061c", "\x00\x1b[31m\x07\x9b\r\n\u2028\ufeff", "a\u0300" * 50,
    "\U000e0041\u00ad\u200b", b"\xff\xfe<b>\xf0\x9f",
]  # fmt: skip
ALLOWED = {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td", "bdi", "pre", "br", "span"}


class Page(HTMLParser):
    """The tags and the text of a page; every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert {name for name, _ in attributes} <= {"style", "title"}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def check(page: str, limit: int = 20_000) -> str:
    """Checks that a page is safe and small; returns its text."""
    assert len(page.encode()) < limit
    assert page.isprintable()
    parsed = Page(page)
    assert parsed.tags <= ALLOWED
    return parsed.text


def test_a_string_tensor_shows_shape_sizes_and_strings():
    text = check(StringTensor.from_list([["to", "be"], ["<or>", ""]])._repr_html_())
    assert text.startswith("StringTensor shape [2, 2]; strings 4; memory 32 bytes; bytes of strings 8; ")
    assert "lengths 0 to 4 bytes, 2.0 on average" in text
    assert text.endswith("indexstringbytes[0, 0]'to'2[0, 1]'be'2[1, 0]'<or>'4[1, 1]''0")


def test_a_slice_of_rows_shows_its_own_strings():
    s = StringTensor.from_list([["aa", "b"], ["ccc", "dddd"]])[:, 1]
    text = check(s._repr_html_())
    assert "bytes of strings 5; lengths 1 to 4 bytes" in text
    assert text.endswith("[0]'b'1[1]'dddd'4")


@pytest.mark.parametrize("text", HOSTILE, ids=repr)
def test_hostile_strings_are_text(text: str | bytes):
    check(StringTensor.from_list([text] * 30)._repr_html_())
    check(Vocabulary([text], num_oov_buckets=1)._repr_html_())
    shown = tokenizer().show_tokens([text])
    check(shown._repr_html_())
    assert repr(shown).replace("\n", "").isprintable()


@given(st.lists(st.text() | st.binary(), max_size=4))
def test_any_text_is_safe(texts: list[str | bytes]):
    s = StringTensor.from_list([t.encode("utf-8", "surrogatepass") if isinstance(t, str) else t for t in texts])
    check(s._repr_html_())
    check(SHOWS.show_tokens(s)._repr_html_())


SHOWS = tokenizer()


def test_pages_are_bounded():
    worst = StringTensor.from_list(["'" * 1000] * 1000)
    check(worst._repr_html_())
    check(worst.reshape([1] * 60 + [1000])._repr_html_())
    check(Vocabulary([f"{i}" + "'" * 1000 for i in range(1000)])._repr_html_())
    many = SHOWS.show_tokens(["word " * 10_000] * 1000)
    assert (many.num_texts, many.num_tokens) == (1, 1000)
    check(many._repr_html_(), limit=130_000)
    assert SHOWS.show_tokens(["a"] * 1000).num_texts == 100


def test_huge_tensors_are_not_read():
    """Strings that are one row expanded: their offsets alone would take 40 GB."""
    row = StringTensor.from_list([["a", "b"]])
    huge = StringTensor(row.data, row.offsets.expand(2**31 // 3 - 1, 3))
    text = check(huge._repr_html_())
    assert "strings 1,431,655,762" in text
    assert "lengths" not in text
    assert text.endswith("………")


def malformed() -> StringTensor:
    return StringTensor(torch.zeros(3, dtype=torch.uint8), torch.tensor([5, -1, 2], dtype=torch.int32))


@pytest.mark.parametrize(
    ("s", "text"),
    [
        (StringTensor.from_list([]), "StringTensor shape [0]; strings 0; "),
        (StringTensor.from_list("a"), "StringTensor shape []; strings 1; "),
        (malformed(), "offsets malformed"),
        (StringTensor.from_list(["a"]).to("meta"), "StringTensor(..., shape=[1], device='meta')"),
        (object.__new__(StringTensor), "StringTensor(data=None, offsets=None)"),
    ],
    ids=["empty", "scalar", "malformed", "meta", "no tensors"],
)
def test_unusual_tensors(s: StringTensor, text: str):
    assert text in check(s._repr_html_())


def test_fake_tensors_show_their_shape():
    s = StringTensor.from_list(["a", "b"])
    vocabulary = Vocabulary(["a"])
    with FakeTensorMode() as mode:
        fake = StringTensor(mode.from_tensor(s.data), mode.from_tensor(s.offsets))
        assert check(fake._repr_html_()) == "StringTensor(..., shape=[2])"
        check(vocabulary._repr_html_())
        check(SHOWS._repr_html_())


def test_a_vocabulary_shows_tokens_and_counts():
    text = check(Vocabulary.from_strings(["b", "a<", "b"])._repr_html_())
    assert text.startswith("Vocabulary(4, pad_token='<pad>', unknown_token='<unk>') tokens 4; ids 4")
    assert text.endswith("idtokenoccurrences0'<pad>'01'<unk>'02'b'23'a<'1")
    assert "occurrences" not in check(Vocabulary([f"{i}" for i in range(100)])._repr_html_())


def test_a_tokenizer_shows_special_tokens_first():
    text = check(SHOWS._repr_html_())
    assert text.startswith(f"SubwordTokenizer({SHOWS.extra_repr()}) ids 304; of special tokens ")
    ids = [int(id) for id in re.findall(r"(\d+)b?'", text.partition("idtoken")[2])]
    assert set(SHOWS.special_ids[:10]) <= set(ids)


@pytest.mark.parametrize("color", [None, True])
def test_shown_tokens_are_those_of_encode(color: bool | None):
    shown = SHOWS.show_tokens(LINES, color=color)
    ids, row_splits = SHOWS.encode(LINES)
    assert (shown.num_texts, shown.num_tokens) == (len(LINES), len(ids))
    titles = re.findall(r'title="(\d+)"', shown._repr_html_())
    assert [int(title) for title in titles] == ids.tolist()
    text = re.sub(r"\x1b\[[\d;]*m", "", repr(shown)).replace("|", "")
    assert text == "\n".join(LINES)
    assert row_splits[-1] == len(ids)


def test_special_tokens_have_their_names():
    template = SHOWS(["to"], add_special_tokens=True)["input_ids"][0].tolist()
    shown = SHOWS.show_tokens(["to"], add_special_tokens=True)
    assert shown.num_tokens == len(template)
    assert SHOWS.show_tokens("to").num_texts == 1


def test_colours_are_for_terminals(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" not in repr(SHOWS.show_tokens("to be"))
    assert repr(SHOWS.show_tokens("to be", color=True)).count("\x1b[0m") == SHOWS.show_tokens("to be").num_tokens
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert "\x1b" in repr(SHOWS.show_tokens("to be"))
    assert "\x1b" not in repr(SHOWS.show_tokens("to be", color=False))
    monkeypatch.setitem(os.environ, "NO_COLOR", "1")
    assert "\x1b" not in repr(SHOWS.show_tokens("to be"))


def test_lines_of_a_text_stand_in_lines():
    shown = SHOWS.show_tokens("a\nb")
    assert repr(shown) == "a|\\n\nb"
    assert "<br>" in shown._repr_html_()
    assert unescape(check(shown._repr_html_())) == "a\\nb"


def test_adjacent_tokens_of_one_colour_differ():
    assert "\x1b[4;38" in repr(SHOWS.show_tokens("xxx", color=True))


def test_wrong_arguments_are_named():
    with pytest.raises(TypeError, match="SubwordTokenizer.show_tokens: expected `color` to be a bool, got str"):
        SHOWS.show_tokens("a", color="yes")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="SubwordTokenizer.show_tokens"):
        SHOWS.show_tokens(1)  # type: ignore[arg-type]


def test_a_histogram_of_lengths_is_one_line():
    lengths = ts.as_strings(["a", "bb", "cccc"]).length()
    assert torch.histc(lengths.float(), bins=4, min=0, max=4).tolist() == [0, 1, 1, 1]


def test_the_page_shows_what_a_notebook_shows():
    page = Path(__file__).parents[2] / "docs" / "notebooks.md"
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"to": 256, b" b": 257, b" be": 258}
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
    tokenizer = ts.SubwordTokenizer.from_tiktoken(ranks, pattern, {"<pad>": 259}, pad_token="<pad>")
    shown = re.findall(r"<!-- notebook: ([^\n]*) -->\n(.*?)<!-- end -->", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(shown) == 2
    for code, html in shown:
        assert html == eval(code, {"ts": ts, "tokenizer": tokenizer})._repr_html_() + "\n"
