"""The benchmarks: workloads are what they say, and a contender that computes something else is noticed."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks import bench_string_equal, canonical, corpora, report
from benchmarks.measure import (
    Comparison,
    Contender,
    Excuse,
    Figure,
    Options,
    ResultsDiffer,
    Skipped,
    Target,
    compare,
    plan_rounds,
    ratio_of,
)
from benchmarks.rows import Row
from benchmarks.runner import chosen

ROOT = Path(__file__).resolve().parent.parent
SMALL = {name: max(1, size // 500) for name, (_, size) in corpora.MAKERS.items()}
TWO_ROUNDS = Options(rounds=2)


def small(name: str) -> corpora.Corpus:
    return corpora.MAKERS[name][0](SMALL[name])


def silent(text: str) -> None:
    pass


# Corpora.


@pytest.mark.parametrize("name", corpora.MAKERS)
def test_a_corpus_is_the_same_each_time_and_tiles_its_data(name: str):
    first, second = small(name), small(name)
    assert first.name == name
    assert first.data.tobytes() == second.data.tobytes()
    assert first.offsets.tolist() == second.offsets.tolist()
    assert first.offsets[0] == 0
    assert first.offsets[-1] == len(first.data)
    assert b"".join(first.encoded) == first.data.tobytes()


def test_w1_has_short_ascii_strings_of_2_to_20_words():
    strings = corpora.w1(2000).strings
    counts = [len(s.split(" ")) for s in strings]
    assert all(s.isascii() and s == " ".join(s.split()) for s in strings)
    assert (min(counts), max(counts)) == (2, 20)
    assert 8.3 < np.mean(counts) < 8.9
    assert 56 < np.mean([len(s) for s in strings]) < 64


def test_w1p_is_w1_with_one_long_row():
    counts = sorted(len(s.split()) for s in corpora.w1p(500).strings)
    assert counts[-1] == 200
    assert counts[-2] <= 20


def test_w2_has_paragraphs_of_2_kb_with_punctuation():
    strings = corpora.w2(50).strings
    assert 1700 < np.mean([len(s) for s in strings]) < 2300
    assert all(s.isascii() and "," in s for s in strings)


def test_w3_has_five_scripts_and_unicode_spaces():
    corpus = corpora.w3(2000)
    text = "\n".join(corpus.strings)
    for example in "абвé　\u2003\u00a0":
        assert example in text
    for first, last in (("\u4e00", "\u6fff"), ("\u3041", "\u3093"), ("\U0001f300", "\U0001f5ff")):
        assert any(first <= c <= last for c in text)
    assert 60 < corpus.num_bytes / len(corpus) < 80


@pytest.mark.parametrize(("name", "delimiter"), [("W4", ","), ("W4m", "::")])
def test_w4_has_lines_of_20_fields_of_which_5_percent_are_empty(name: str, delimiter: str):
    fields = [s.split(delimiter) for s in small(name).strings]
    assert {len(f) for f in fields} == {20}
    assert 0.03 < np.mean([f == "" for row in fields for f in row]) < 0.07


def test_w5_is_one_string_of_log_lines():
    corpus = corpora.w5(50_000)
    assert (len(corpus), corpus.num_bytes) == (1, 50_000)
    lines = corpus.strings[0].split("\n")[:-1]
    assert len(lines) > 200
    assert all(line.startswith("2026-01-") and "[worker-" in line for line in lines)


def test_w6_has_the_lines_of_the_standard_library():
    corpus = corpora.w6(200_000)
    assert 100_000 < corpus.num_bytes <= 200_000
    assert not any("\n" in s for s in corpus.strings)
    assert any(s.startswith("import ") for s in corpus.strings)


def test_a_vocabulary_has_distinct_words_and_the_frequent_are_shorter():
    words = corpora.vocabulary(3000)
    assert len(set(words)) == 3000
    assert np.mean([len(w) for w in words[:100]]) < np.mean([len(w) for w in words[-100:]])


def test_rows_with_finds_characters_of_several_bytes_within_rows_only():
    corpus = corpora.from_strings("t", "t", [b"a b", "a\u3000b".encode(), b"\xe3\x80", b"\x80", b""])
    assert corpus.rows_with("\u3000").tolist() == [False, True, False, False, False]
    assert corpus.rows_with(" \u3000").tolist() == [True, True, False, False, False]


# Canonical forms.


def test_padded_and_flat_and_listed_results_have_one_canonical_form():
    rows = [["a", "", "bcd"], [], ["é"]]
    listed = canonical.from_lists(rows)
    objects = np.array([["a", "", "bcd"], ["", "", ""], ["é", "", ""]], dtype=object)
    counts = np.array([3, 0, 1])
    data = np.frombuffer("abcdé".encode(), dtype=np.uint8)
    offsets = np.array([[0, 1, 1, 4], [4, 4, 4, 4], [4, 6, 6, 6]])
    for other in (
        canonical.from_padded_objects(objects, counts),
        canonical.from_padded_offsets(data, offsets, counts),
        canonical.from_offsets(data, np.array([0, 1, 1, 4, 6]), np.array([0, 3, 3, 4])),
    ):
        assert canonical.difference(listed, other) == ""


def test_padding_that_is_not_empty_is_an_error():
    objects = np.array([["a", "x"]], dtype=object)
    with pytest.raises(ValueError, match="padding is not empty"):
        canonical.from_padded_objects(objects, np.array([1]))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ([["ab"]], "1 rows, expected 2"),
        ([["ab", "c"], ["d"]], "the first is row 1: 1, expected 2"),
        ([["a", "cc"], ["d", "e"]], "pieces have another size"),
        ([["ab", "c"], ["d", "x"]], "1 bytes"),
    ],
)
def test_a_difference_says_where_it_is(other: list[list[str]], said: str):
    expected = canonical.from_lists([["ab", "c"], ["d", "e"]])
    assert said in canonical.difference(expected, canonical.from_lists(other))


# Measuring.


def contender(name: str, result: list[int], **how) -> Contender:
    return Contender(name, lambda: result, np.array, **how)


def test_a_contender_with_another_result_is_an_error():
    comparison = Comparison("t", [contender("ours", [1, 2]), contender("peer", [1, 3])])
    with pytest.raises(ResultsDiffer, match="peer differs from ours: 1 of 2 elements"):
        compare("row", comparison, TWO_ROUNDS, silent)


def test_of_a_group_only_equal_contenders_count():
    contenders = [contender("ours", [1]), contender("a", [2], group="g"), contender("b", [1], group="g")]
    found = compare("row", Comparison("t", contenders, [Target("ours", "g", 0)]), TWO_ROUNDS, silent)
    assert [line.name for line in found.lines] == ["ours", "b"]
    assert [ratio.peer for ratio in found.ratios] == ["b"]


def split_contender(name: str, rows: list[list[str]], excuse: Excuse | None = None) -> Contender:
    return Contender(name, lambda: rows, canonical.from_lists, excuse=excuse)


def test_an_excuse_covers_the_rows_it_names_and_is_noted():
    ours = [["a"]] * 200
    peer = [["x"], *ours[1:]]
    rows = np.arange(200) < 1
    contenders = [split_contender("ours", ours), split_contender("peer", peer, Excuse(rows, "reason"))]
    found = compare("row", Comparison("t", contenders), TWO_ROUNDS, silent)
    assert found.notes == ["peer: 1 rows not compared: reason"]
    contenders[1].excuse = Excuse(np.roll(rows, 1), "reason")
    with pytest.raises(ResultsDiffer, match="1 bytes"):
        compare("row", Comparison("t", contenders), TWO_ROUNDS, silent)


def test_an_excuse_for_many_rows_is_none():
    rows = np.ones(10, dtype=bool)
    contenders = [
        split_contender("ours", [["a"]] * 10),
        split_contender("peer", [["b"]] * 10, Excuse(rows, "r")),
    ]
    with pytest.raises(ResultsDiffer, match="10 of 10 rows would have to be left out"):
        compare("row", Comparison("t", contenders), TWO_ROUNDS, silent)


def test_rounds_interleave_and_rotate():
    calls: list[str] = []
    contenders = [Contender(name, partial(calls.append, name)) for name in "abc"]
    compare("row", Comparison("t", contenders), Options(rounds=3), silent)
    assert "".join(calls[-9:]) == "abcbcacab"


def test_a_slow_contender_takes_part_in_fewer_rounds():
    assert plan_rounds([0.001, 0.1, 10.0], Options(seconds=3), 60) == [60, 10, 7]


def test_prepared_arguments_reach_the_call():
    numbers = iter(range(100))
    found: list[int] = []
    compare(
        "row",
        Comparison("t", [Contender("a", found.append, prepare=lambda: next(numbers))]),
        Options(rounds=3),
        silent,
    )
    assert found == list(range(len(found)))


def test_a_ratio_is_that_of_the_medians():
    ratio = ratio_of([10.0, 12.0, 11.0, 90.0, 11.0], [2.0, 2.2, 2.2, 2.4, 9.0])
    assert ratio.median == pytest.approx(5.0)
    assert ratio.low <= ratio.median <= ratio.high


# The report.


def test_the_report_names_targets_met_missed_and_peers_skipped():
    contenders = [
        contender("ours", [1], ours=True),
        contender("peer", [1]),
        Skipped("other", "not installed"),
    ]
    targets = [Target("ours", "peer", at_least=0), Target("ours", "peer", at_most=0)]
    comparison = Comparison("title", contenders, targets, figures=lambda: [Figure("size", 3, at_most=4)])
    found = compare("row", comparison, TWO_ROUNDS, silent)
    text = report.row_section(found)
    assert "| other |  |  | skipped: not installed |" in text
    assert "met<br>**missed**" in text
    assert "| size |  |  | 3 | <= 4 | met |" in text
    again = report.result_from(json.loads(json.dumps(report.as_json([found], {}, {})))["results"][0])
    assert report.row_section(again) == text


# The command.


def benchmarks(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


def test_the_command_measures_rows_of_every_kind(tmp_path: Path):
    rows = ["string_split/W3", "from_list/W3", "threads/W1", "tiers/W4"]
    rows += ["memory", "vocab_encode/29k", "overhead/2 strings", "linear, memory kept/delimiter"]
    found = tmp_path / "found.json"
    done = benchmarks(*rows, "--scale", "0.002", "--rounds", "2", "--json", str(found))
    assert done.returncode == 0, done.stderr
    answer = json.loads(found.read_text())
    assert sorted(r["row"] for r in answer["results"]) == sorted(rows)
    for name in ("pyarrow", "polars"):
        split = next(r for r in answer["results"] if r["row"] == "string_split/W3")
        assert any(name in line["name"] for line in split["lines"] + split["skipped"])
    assert done.stdout.startswith("# Benchmarks\n")
    assert "**ours, ragged**" in done.stdout


def test_an_unknown_row_is_named():
    done = benchmarks("no_such_row")
    assert done.returncode != 0
    assert "no row is named no_such_row" in done.stderr


def test_rows_are_chosen_by_name_or_part_of_it():
    rows = {name: Row(name, build=lambda context: Comparison("t")) for name in ("a/W1", "a/W1p", "b/W2")}
    assert [r.name for r in chosen(rows, [])] == ["a/W1", "a/W1p", "b/W2"]
    assert [r.name for r in chosen(rows, ["a/W1"])] == ["a/W1"]
    assert [r.name for r in chosen(rows, ["W1*", "b"])] == ["a/W1", "a/W1p", "b/W2"]


def test_strings_to_compare_with_are_equal_different_at_the_end_or_of_another_row():
    corpus = corpora.w1(400)
    found = bench_string_equal.others(corpus).encoded
    kinds = {"equal": 0, "last byte": 0, "other": 0}
    for string, other in zip(corpus.encoded, found, strict=True):
        kind = "equal" if string == other else "last byte" if string[:-1] == other[:-1] else "other"
        kinds[kind] += 1
    assert 150 < kinds["equal"] < 250
    assert min(kinds.values()) > 60
