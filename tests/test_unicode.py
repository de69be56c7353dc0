"""The Unicode tables are those that the tool writes, and their version is named where users look."""

import json
import runpy
import unicodedata
from pathlib import Path

import pytest
from support.cases import each

import torch_stringops

ROOT = Path(__file__).resolve().parent.parent
TOOL = runpy.run_path(str(ROOT / "tools" / "write_unicode_tables.py"))


def test_version_is_named():
    version = torch_stringops.unicode_version()
    assert json.loads(TOOL["GOLDEN"].read_text(encoding="utf-8"))["unicode"] == version
    short = version.removesuffix(".0")
    assert f"Unicode {short}" in (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    assert f"version {short}" in (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")


def test_all_tables_have_this_version():
    version = torch_stringops.unicode_version()
    for name in (
        *("tables/case.cpp", "tables/normalization.cpp", "tables/width.cpp"),
        *("tables/categories.cpp", "tables/segments.cpp"),
    ):
        text = (ROOT / "csrc" / name).read_text(encoding="utf-8")
        assert text.startswith(f"// Unicode {version}. Written by "), name


def test_files_are_what_the_tool_writes():
    if unicodedata.unidata_version != torch_stringops.unicode_version():
        pytest.skip(f"this Python has Unicode {unicodedata.unidata_version}")
    for file, make in ((TOOL["TABLES"], TOOL["tables"]), (TOOL["GOLDEN"], TOOL["golden"])):
        assert file.read_text(encoding="utf-8") == make(), file.name


@each("bits", [1, 6, 7])
@each("values", [[], [0, 0], [0, 5], [7, 0, 0, 0, 7], list(range(1000))])
def test_two_stages_give_back_the_values(values: list[int], bits: int):
    padded = values + [0] * (2048 - len(values))
    limit, blocks, entries = TOOL["two_stages"](padded, bits)
    size = 1 << bits
    for c, value in enumerate(padded):
        assert value == (entries[blocks[c >> bits] * size + c % size] if c < limit else 0)
    assert not any(entries[:size])
