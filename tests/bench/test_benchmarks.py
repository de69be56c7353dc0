"""Benchmarks: contenders with different results are reported, and reports describe the measurements."""

import csv
import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import canonical, document, ours, overview, plot, report, runner, tables
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

ROOT = Path(__file__).resolve().parents[2]
TWO_ROUNDS = Options(rounds=2)


def silent(text: str) -> None:
    pass


# Measuring.


def contender(name: str, result: list[int], **how) -> Contender:
    return Contender(name, lambda: result, np.array, **how)


def test_different_results_of_contenders_are_an_error():
    comparison = Comparison("t", [contender("ours", [1, 2]), contender("peer", [1, 3])])
    with pytest.raises(ResultsDiffer, match="peer differs from ours: 1 of 2 elements"):
        compare("row", comparison, TWO_ROUNDS, silent)


def test_only_equal_contenders_of_a_group_count():
    contenders = [contender("ours", [1]), contender("a", [2], group="g"), contender("b", [1], group="g")]
    found = compare("row", Comparison("t", contenders, [Target("ours", "g", 0)]), TWO_ROUNDS, silent)
    assert [line.name for line in found.lines] == ["ours", "b"]
    assert [ratio.peer for ratio in found.ratios] == ["b"]


def split_contender(name: str, rows: list[list[str]], excuse: Excuse | None = None) -> Contender:
    return Contender(name, lambda: rows, canonical.from_lists, excuse=excuse)


def test_an_excuse_covers_its_rows_and_is_noted():
    ours = [["a"]] * 200
    peer = [["x"], *ours[1:]]
    rows = np.arange(200) < 1
    contenders = [split_contender("ours", ours), split_contender("peer", peer, Excuse(rows, "reason"))]
    found = compare("row", Comparison("t", contenders), TWO_ROUNDS, silent)
    assert found.notes == ["peer: 1 rows not compared: reason"]
    contenders[1].excuse = Excuse(np.roll(rows, 1), "reason")
    with pytest.raises(ResultsDiffer, match="1 bytes"):
        compare("row", Comparison("t", contenders), TWO_ROUNDS, silent)


def test_an_excuse_for_too_many_rows_is_an_error():
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


def test_the_report_names_met_and_missed_targets_and_skipped_peers():
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
    met = document.full_text([ratios(Target("ours", "peer, in a form", at_least=0))], {}, ENV, rows)
    assert "**1 of 1 targets met**" in met
    assert "## Missed targets and faster peers\n\nNone.\n" in met
    assert "moon" not in met
    missed = document.full_text([ratios(Target("ours", "peer, in a form", at_least=1e9))], {}, ENV, rows)
    assert "**0 of 1 targets met**" in missed
    assert "the moon is full |" in missed


def test_a_missed_target_without_a_reason_says_so():
    page = document.full_text([ratios(Target("ours", "limit", at_most=0))], {}, ENV, row("row"))
    assert f"| {tables.NO_REASON} |" in page


def test_a_faster_peer_is_named_even_without_a_target():
    lost = ratios(Target("ours", "limit"))
    slow, fast = (replace(lost.ratios[0], ratio=Spread(x, x, x)) for x in (1.5, 0.5))
    copy = replace(fast, peer=ours.MEMCPY)
    page = document.full_text([replace(lost, ratios=[slow, fast, copy])], {}, ENV, row("row"))
    table = page.partition("## Missed targets and faster peers")[2].partition("## All targets")[0]
    assert [line.split(" | ")[1:5] for line in table.strip().splitlines()[2:]] == [
        ["limit", "ours", "", "0.50x (0.50-0.50)"]
    ]


def overview_of(*results: Result, rows: dict[str, Row] | None = None) -> str:
    return overview.page(results, {}, ENV, rows or {}, "benchmarks.svg")


def with_ratio(result: Result, median: float, peer: str = "limit") -> Result:
    """The result with its first ratio changed."""
    changed = replace(result.ratios[0], ratio=Spread(median, median - 0.25, median + 0.25), peer=peer)
    return replace(result, ratios=[changed])


def test_the_document_links_its_plot_and_data_and_names_what_failed(tmp_path: Path):
    found = ratios(Target("ours", "peer, in a form", at_least=0))
    data = tmp_path / "results"
    document.write(tmp_path, data, [found], {"other": "it fell over"}, ENV, row("row"))
    page = (tmp_path / "benchmarks.md").read_text()
    assert "](benchmarks.svg)" in page
    assert "**other failed**: it fell over" in page
    assert all(f"({overview.DATA}/{name})" in page for name in tables.HEADERS)
    assert {path.name for path in data.iterdir()} == set(tables.HEADERS)
    ElementTree.parse(tmp_path / "benchmarks.svg")


def test_the_page_has_the_range_of_ratios_to_each_library():
    base = ratios(Target("ours", "limit"))
    fast = with_ratio(replace(base, row="split/W1"), 4.5, "polars.Series")
    slow = with_ratio(replace(base, row="split/W2"), 1.5, "polars split")
    lost = with_ratio(replace(base, row="cat/<pad>"), 0.5, "pyarrow concat")
    page = overview_of(fast, slow, lost)
    assert "| `split` | W1, W2 | polars 1.50-4.50 |\n" in page
    assert "| `cat` | &lt;pad> | pyarrow **0.50** |\n" in page
    assert f"- `cat/<pad>` pyarrow concat 0.50x (0.25-0.75): {tables.NO_REASON}\n" in page


def test_the_page_has_missed_limits_and_their_reasons():
    limit = with_ratio(ratios(Target("ours", "limit", at_most=1)), 1.5)
    met = overview_of(with_ratio(limit, 0.5), rows=row("row", reasons={"limit": "the moon is full"}))
    assert "the moon is full" not in met
    missed = overview_of(limit, rows=row("row", reasons={"limit": "the moon is full"}))
    assert "- `row` ours / limit 1.50x (1.25-1.75), limit 1x: the moon is full\n" in missed
    assert "0 of 1 are met in 1 rows" in missed


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_csv_files_have_every_figure(tmp_path: Path):
    found = with_ratio(ratios(Target("ours", "limit", at_least=9)), 0.5)
    figures = [Figure("MB", 1.25), Figure("peak", 2, at_most=1)]
    skipped = [Skipped("other", "not installed")]
    found = replace(found, figures=figures, skipped=skipped, notes=["a, b", "c"], input_bytes=1000)
    tables.write(tmp_path, [found], ENV, row("row", reasons={"limit": 'the "moon"'}))
    measured = {name: read_csv(tmp_path / name) for name in tables.HEADERS}
    assert measured["rows.csv"] == [
        {"row": "row", "measures": "title", "commit": "abc", "input bytes": "1000", "notes": "a, b; c"}
    ]
    assert [line["contender"] for line in measured["times.csv"]] == [line.name for line in found.lines]
    assert {line["unit"] for line in measured["times.csv"]} <= {"ms", "us"}
    assert [*measured["ratios.csv"][0].values()] == [
        *("row", "limit", "limit", "ours", "0.50", "0.25", "0.75", "peer / ours", ">= 9x", "no", 'the "moon"')
    ]
    assert [[*line.values()] for line in measured["figures.csv"]] == [
        ["row", "MB", "1.25", "", "", ""],
        ["row", "peak", "2", "<= 1", "no", tables.NO_REASON],
    ]
    assert measured["skipped.csv"] == [{"row": "row", "contender": "other", "reason": "not installed"}]


def test_csv_files_are_read_as_they_were_written(tmp_path: Path):
    targets = [
        Target("ours", "peer, in a form", at_least=9),
        Target("ours", "limit", at_most=2),
        Target("ours", "limit"),
    ]
    figures = [Figure("MB", 1.25), Figure("peak", 2, at_most=1)]
    found = replace(
        ratios(*targets), figures=figures, skipped=[Skipped("other", "not installed")], notes=["a; b"]
    )
    later = replace(ratios(row="later"), commit="def")
    env = report.with_later(
        report.with_later(ENV, ENV | {"commit": "def", "tier": "avx512"}), ENV | {"commit": "def"}
    )
    rows = row("row", reasons={"limit": "the moon is full"})
    tables.write(tmp_path / "a", [found, later], env, rows)
    results, read = tables.read(tmp_path / "a")
    assert [ratio.target for ratio in results[0].ratios] == targets
    assert results[0].figures == figures
    tables.write(tmp_path / "b", results, read, rows)
    for name in tables.HEADERS:
        assert (tmp_path / "a" / name).read_text() == (tmp_path / "b" / name).read_text()
    assert [line["tier"] for line in read_csv(tmp_path / "a" / "environments.csv")] == ["avx2", "avx2"]
    assert "1 rows of `later` were measured on 2026-11-21 02:20 UTC at commit def" in overview.page(
        results, {}, read, rows, "benchmarks.svg"
    )


def test_the_committed_page_has_the_figures_of_the_csv_files():
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    known = {
        cell for line in read_csv(ROOT / "benchmarks" / "results" / "ratios.csv") for cell in line.values()
    }
    table = page.partition("## Other libraries")[2].partition("## Where")[0]
    shown = re.findall(r"\d+\.\d\d(?=[-,* ])", table)
    assert len(shown) > 100
    assert set(shown) <= known


def test_a_row_of_another_commit_is_marked():
    found = replace(ratios(), commit="abc")
    assert "measured at commit" not in document.full_text([found], {}, ENV, row("row"))
    assert "measured at commit def" in document.full_text([replace(found, commit="def")], {}, ENV, row("row"))


def test_merging_keeps_later_results_in_the_order_of_the_rows():
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


# Runs that are stopped and continued.


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rows that were measured, in order; at the row `stop` the user interrupts."""
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


def test_a_stopped_run_continues_at_its_row(tmp_path: Path, measured: list[str]):
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


def test_another_commit_or_selection_starts_from_the_beginning(tmp_path: Path, measured: list[str]):
    rows = rows_named("a", "b")
    runner.run(rows, Context(), TWO_ROUNDS, store(tmp_path, rows))
    assert list(store(tmp_path, rows).results()) == ["a", "b"]
    assert not store(tmp_path, rows, commit="def").results()
    assert not store(tmp_path, rows, threads=2).results()
    assert not store(tmp_path, rows[:1]).results()
    store(tmp_path, rows).forget()
    assert not store(tmp_path, rows).results()


def test_a_truncated_result_is_measured_again(tmp_path: Path, measured: list[str]):
    rows = rows_named("a", "b")
    found = store(tmp_path, rows)
    runner.run(rows, Context(), TWO_ROUNDS, found)
    found.path.write_text(found.path.read_text()[:-10])
    assert list(found.results()) == ["a"]
    runner.run(rows, Context(), TWO_ROUNDS, found)
    assert measured == ["a", "b", "b"]
    assert list(found.results()) == ["a", "b"]


def test_a_failing_row_is_named_and_the_others_continue(tmp_path: Path, measured: list[str]):
    rows = rows_named("a", "breaks", "b")
    results, failures = runner.run(rows, Context(), TWO_ROUNDS, store(tmp_path, rows))
    assert [r.row for r in results] == ["a", "b"]
    assert failures == {"breaks": "RuntimeError: it broke"}


def test_progress_shows_the_remaining_time(
    tmp_path: Path, measured: list[str], capsys: pytest.CaptureFixture[str]
):
    rows = rows_named("a", "b", "c")
    found = store(tmp_path, rows)
    for name, seconds in (("a", 10), ("b", 50), ("c", 100)):
        found.add(ratios(row=name), seconds)
    found.forget()
    runner.run(rows, Context(), TWO_ROUNDS, found)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("[")]
    assert lines[0] == "[1/3] a; 0 s gone, about 2 min 40 s to go"
    assert [line.split(";")[0] for line in lines] == ["[1/3] a", "[2/3] b", "[3/3] c"]


def test_tables_require_a_limit_and_reasons_a_target():
    ours_alone = Comparison("t", [contender("ours", [1])])
    with pytest.raises(ValueError, match="no memcpy of equal traffic"):
        runner.check(Row("row", lambda context: ours_alone), ours_alone)
    with pytest.raises(ValueError, match="unknown targets: peer"):
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


def test_rows_are_selected_by_name_or_part_of_it():
    rows = {name: Row(name, build=lambda context: Comparison("t")) for name in ("a/W1", "a/W1p", "b/W2")}
    assert [r.name for r in chosen(rows, [])] == ["a/W1", "a/W1p", "b/W2"]
    assert [r.name for r in chosen(rows, ["a/W1"])] == ["a/W1"]
    assert [r.name for r in chosen(rows, ["W1*", "b"])] == ["a/W1", "a/W1p", "b/W2"]
