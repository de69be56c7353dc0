"""The benchmarks: workloads are what they say, and a contender that computes something else is noticed."""

import json
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import canonical, corpora, document, ours, plot, report, runner
from benchmarks.bench_linear import tiled
from benchmarks.measure import (
    Comparison,
    Contender,
    Excuse,
    Figure,
    Options,
    Result,
    ResultsDiffer,
    Skipped,
    Spread,
    Target,
    compare,
    plan_rounds,
    ratio_of,
)
from benchmarks.rows import Context, Row
from benchmarks.runner import chosen
from benchmarks.store import Store

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


def test_tiled_rows_are_those_of_the_corpus_again_and_again():
    corpus = corpora.from_strings("t", "t", [b"ab", b"", b"c"])
    assert tiled(corpus, 7).encoded == [b"ab", b"", b"c", b"ab", b"", b"c", b"ab"]
    assert tiled(corpus, 2).encoded == [b"ab", b""]


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
    assert plan_rounds([0.001, 0.1, 10.0], Options(seconds=3), 60) == [60, 10, 3]


def test_a_contender_may_limit_its_rounds():
    calls: list[str] = []
    contenders = [Contender(name, partial(calls.append, name)) for name in "ab"]
    contenders[1] = replace(contenders[1], max_rounds=2)
    found = compare("row", Comparison("t", contenders), Options(rounds=6), silent)
    assert [line.rounds for line in found.lines] == [6, 2]


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


def ratios(*targets: Target, row: str = "row") -> Result:
    contenders = [
        contender("ours", [1], ours=True),
        contender("peer, in a form", [1]),
        contender("limit", [1]),
    ]
    return compare(row, Comparison("title", contenders, targets), TWO_ROUNDS, silent)


ENV = {
    "date": "2026-11-21 02:20 UTC",
    "cpu": "A & B <CPU>",
    "cores": 2,
    "system": "Linux",
    "commit": "abc",
    "versions": {"torch": "2.13", "polars": None},
    "tier": "avx2",
    "threads": 1,
    "scale": 1.0,
    "clock": "cpu",
}


def row(name: str, **how) -> dict[str, Row]:
    return {name: Row(name, lambda context: Comparison("t"), **how)}


def test_a_reason_is_shown_only_while_the_target_is_missed():
    rows = row("row", reasons={"peer, in a form": "the moon is full"})
    met = document.page([ratios(Target("ours", "peer, in a form", at_least=0))], {}, ENV, rows)
    assert "**1 of 1 targets met**" in met
    assert "## What is missed or lost\n\nNothing.\n" in met
    assert "moon" not in met
    missed = document.page([ratios(Target("ours", "peer, in a form", at_least=1e9))], {}, ENV, rows)
    assert "**0 of 1 targets met**" in missed
    assert "the moon is full |" in missed


def test_a_missed_target_without_a_reason_says_so():
    page = document.page([ratios(Target("ours", "limit", at_most=0))], {}, ENV, row("row"))
    assert f"| {document.NO_REASON} |" in page


def test_a_peer_that_is_faster_is_named_though_nothing_is_required():
    lost = ratios(Target("ours", "limit"))
    slow, fast = (replace(lost.ratios[0], ratio=Spread(x, x, x)) for x in (1.5, 0.5))
    copy = replace(fast, peer=ours.MEMCPY)
    page = document.page([replace(lost, ratios=[slow, fast, copy])], {}, ENV, row("row"))
    table = page.partition("## What is missed or lost")[2].partition("## All targets")[0]
    assert [line.split(" | ")[1:5] for line in table.strip().splitlines()[2:]] == [
        ["limit", "ours", "", "0.50x (0.50-0.50)"]
    ]


def test_the_document_links_its_plot_and_names_what_failed(tmp_path: Path):
    found = ratios(Target("ours", "peer, in a form", at_least=0))
    document.write(tmp_path, [found], {"other": "it fell over"}, ENV, row("row"))
    page = (tmp_path / "benchmarks.md").read_text()
    assert "](benchmarks.svg)" in page
    assert "**other failed**: it fell over" in page
    assert page.index("## What is missed or lost") < page.index("## All targets") < page.index("### row")
    ElementTree.parse(tmp_path / "benchmarks.svg")


def test_a_row_of_another_commit_is_marked():
    found = replace(ratios(), commit="abc")
    assert "measured at commit" not in document.page([found], {}, ENV, row("row"))
    assert "measured at commit def" in document.page([replace(found, commit="def")], {}, ENV, row("row"))


def test_merged_results_are_the_later_ones_in_the_order_of_the_rows():
    a, b, c = ratios(row="a"), ratios(row="b"), ratios(row="gone")
    again = ratios(row="a")
    assert document.merged({**row("b"), **row("a")}, [a, c, b], [again]) == [b, again]


def test_the_plot_is_xml_with_a_line_for_each_peer_with_a_target():
    peer = "peer, in a form"
    shown = [Target("ours", peer, at_least=0), Target("ours", "limit", at_least=1e6)]
    hidden = [Target("ours", "limit", at_most=1), Target("ours", peer), Target("ours", "ours", at_least=1)]
    text = plot.svg([ratios(*shown, *hidden, row="split/<W1>")], "A & B")
    root = ElementTree.fromstring(text)
    ns = "{http://www.w3.org/2000/svg}"
    words = [element.text for element in root.iter(f"{ns}text")]
    assert words.count("split/<W1>") == 1
    assert words.count("peer") == 1
    assert words.count("limit") == 1
    assert "A & B" in words
    circles = [element.get("class") for element in root.iter(f"{ns}circle")]
    assert circles[2:] == ["met", "missed"]  # after the legend's
    width = float(root.get("width"))
    assert all(0 <= float(element.get("cx")) < width for element in root.iter(f"{ns}circle"))
    assert "prefers-color-scheme: dark" in text


# Runs that stop and go on.


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rows that were measured, in their order; the row `stop` is where the user interrupts."""
    names: list[str] = []

    def measure(row: Row, context: Context, options: Options) -> Result:
        if row.name == "stop":
            raise KeyboardInterrupt
        if row.name == "breaks":
            raise RuntimeError("it broke")
        names.append(row.name)
        return ratios(Target("ours", "limit", at_least=0), row=row.name)

    monkeypatch.setattr(runner, "measure", measure)
    return names


def store(folder: Path, rows: list[Row], **env) -> Store:
    return Store(folder, {**ENV, **env}, TWO_ROUNDS, rows)


def rows_named(*names: str) -> list[Row]:
    return [found for name in names for found in row(name).values()]


def test_a_run_that_was_stopped_goes_on_with_the_row_it_was_at(tmp_path: Path, measured: list[str]):
    rows = rows_named("a", "b", "stop", "c")
    with pytest.raises(KeyboardInterrupt):
        runner.run(rows, Context(), TWO_ROUNDS, store(tmp_path, rows))
    assert measured == ["a", "b"]
    kept = store(tmp_path, rows, date="later").results()
    assert list(kept) == ["a", "b"]
    rows[2] = Row("stop", rows[2].build)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "measure", lambda row, *_: measured.append(row.name) or ratios(row=row.name))
        results, failures = runner.run(rows, Context(), TWO_ROUNDS, store(tmp_path, rows))
    assert measured == ["a", "b", "stop", "c"]
    assert [r.row for r in results] == ["a", "b", "stop", "c"]
    assert results[0] == kept["a"]
    assert not failures


def test_another_commit_or_choice_of_rows_starts_from_the_beginning(tmp_path: Path, measured: list[str]):
    rows = rows_named("a", "b")
    runner.run(rows, Context(), TWO_ROUNDS, store(tmp_path, rows))
    assert list(store(tmp_path, rows).results()) == ["a", "b"]
    assert not store(tmp_path, rows, commit="def").results()
    assert not store(tmp_path, rows, threads=2).results()
    assert not store(tmp_path, rows[:1]).results()
    store(tmp_path, rows).forget()
    assert not store(tmp_path, rows).results()


def test_a_result_that_was_cut_is_measured_again(tmp_path: Path, measured: list[str]):
    rows = rows_named("a", "b")
    found = store(tmp_path, rows)
    runner.run(rows, Context(), TWO_ROUNDS, found)
    found.path.write_text(found.path.read_text()[:-10])
    assert list(found.results()) == ["a"]
    runner.run(rows, Context(), TWO_ROUNDS, found)
    assert measured == ["a", "b", "b"]
    assert list(found.results()) == ["a", "b"]


def test_a_row_that_breaks_is_named_and_the_others_go_on(tmp_path: Path, measured: list[str]):
    rows = rows_named("a", "breaks", "b")
    results, failures = runner.run(rows, Context(), TWO_ROUNDS, store(tmp_path, rows))
    assert [r.row for r in results] == ["a", "b"]
    assert failures == {"breaks": "RuntimeError: it broke"}


def test_progress_tells_what_is_left(tmp_path: Path, measured: list[str], capsys: pytest.CaptureFixture[str]):
    rows = rows_named("a", "b", "c")
    found = store(tmp_path, rows)
    for name, seconds in (("a", 10), ("b", 50), ("c", 100)):
        found.add(ratios(row=name), seconds)
    found.forget()
    runner.run(rows, Context(), TWO_ROUNDS, found)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("[")]
    assert lines[0] == "[1/3] a; 0 s gone, about 2 min 40 s to go"
    assert [line.split(";")[0] for line in lines] == ["[1/3] a", "[2/3] b", "[3/3] c"]


def test_a_table_needs_its_limit_and_a_reason_its_target():
    ours_alone = Comparison("t", [contender("ours", [1])])
    with pytest.raises(ValueError, match="no memcpy of equal traffic"):
        runner.check(Row("row", lambda context: ours_alone), ours_alone)
    with pytest.raises(ValueError, match="no target: peer"):
        runner.check(Row("row", lambda context: ours_alone, reasons={"peer": "r"}), Comparison("t"))


# The command.


def benchmarks(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


def test_the_command_measures_rows_of_every_kind(tmp_path: Path):
    rows = ["string_split/W3", "from_list/W3", "threads/W1", "tiers/W4"]
    rows += ["memory", "vocab_encode/29k", "overhead/2 strings", "linear, memory kept/delimiter"]
    found = tmp_path / "found.json"
    options = ["--scale", "0.002", "--rounds", "2", "--store", str(tmp_path)]
    done = benchmarks(*rows, *options, "--json", str(found))
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.glob("unfinished-*"))
    answer = json.loads(found.read_text())
    assert sorted(r["row"] for r in answer["results"]) == sorted(rows)
    for name in ("pyarrow", "polars"):
        split = next(r for r in answer["results"] if r["row"] == "string_split/W3")
        assert any(name in line["name"] for line in split["lines"] + split["skipped"])
    assert done.stdout.startswith("# Benchmarks\n")
    assert "**ours, ragged**" in done.stdout
    again = benchmarks("--from", str(found), "--store", str(tmp_path))
    assert again.returncode == 0, again.stderr
    assert again.stdout == done.stdout


def test_an_unknown_row_is_named():
    done = benchmarks("no_such_row")
    assert done.returncode != 0
    assert "no row is named no_such_row" in done.stderr


def test_rows_are_chosen_by_name_or_part_of_it():
    rows = {name: Row(name, build=lambda context: Comparison("t")) for name in ("a/W1", "a/W1p", "b/W2")}
    assert [r.name for r in chosen(rows, [])] == ["a/W1", "a/W1p", "b/W2"]
    assert [r.name for r in chosen(rows, ["a/W1"])] == ["a/W1"]
    assert [r.name for r in chosen(rows, ["W1*", "b"])] == ["a/W1", "a/W1p", "b/W2"]
