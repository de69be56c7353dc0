"""Benchmarks: contenders with different results are reported, and the page has the figures of the records."""

import json
import re
import subprocess
import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import pytest
import torch

from benchmarks import ours, page, record, report, runner
from benchmarks.measure import (
    Comparison,
    Contender,
    Figure,
    Options,
    Result,
    ResultsDiffer,
    Skipped,
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
RUN = {"date": "2026-11-21", "commit": "abc", "cpu": "CPU", "cores": 2, "system": "Linux", "tier": "avx2"}
RUN |= {"threads": 1, "scale": 1.0, "clock": "cpu", "versions": {"torch": "2.13", "polars": None}}


def silent(text: str) -> None:
    pass


def contender(name: str, result: list, **how) -> Contender:
    return Contender(name, lambda: result, **how)


def measured(*contenders: Contender | Skipped, targets=(), row: str = "row", options=TWO_ROUNDS, **how) -> Result:
    return compare(row, Comparison("title", contenders, targets, **how), options, silent)


# Measuring.


def test_different_results_are_an_error_unless_a_few_rows_may_differ():
    first = [["a"]] * 200
    peer = [["x"], *first[1:]]
    with pytest.raises(ResultsDiffer, match="peer differs from ours: 1 bytes"):
        measured(contender("ours", first), contender("peer", peer))
    found = measured(contender("ours", first), contender("peer", peer, differs="reason"))
    assert found.notes == ["peer: 1 of 200 rows differ: reason"]
    with pytest.raises(ResultsDiffer, match="1 bytes"):
        measured(contender("ours", first[:50]), contender("peer", peer[:50], differs="reason"))
    found = measured(contender("ours", [1, 2]), contender("peer", [1, 3], optional=True))
    assert [line.name for line in found.lines] == ["ours"]
    assert found.notes == ["left out: peer differs from ours: 1 of 2 elements"]


def test_only_equal_contenders_of_a_group_count():
    contenders = [contender("ours", [1]), contender("a", [2], group="g"), contender("b", [1], group="g")]
    found = measured(*contenders, targets=[Target("ours", "g")])
    assert [line.name for line in found.lines] == ["ours", "b"]
    assert [ratio.peer for ratio in found.ratios] == ["b"]


def test_rounds_interleave_and_rotate_and_the_slow_take_part_in_fewer():
    calls: list[str] = []
    measured(*(Contender(name, partial(calls.append, name), None) for name in "abc"), options=Options(rounds=3))
    assert "".join(calls[-9:]) == "abcbcacab"
    assert plan_rounds([0.001, 0.1, 10.0], Options(seconds=3), 60) == [60, 10, 3]
    limited = [contender("a", [1]), contender("b", [1], max_rounds=2)]
    assert [line.rounds for line in measured(*limited, options=Options(rounds=6)).lines] == [6, 2]


def test_prepared_arguments_reach_the_call():
    numbers = iter(range(100))
    found: list[int] = []
    measured(Contender("a", found.append, None, prepare=lambda: next(numbers)), options=Options(rounds=3))
    assert found == list(range(len(found)))


def test_a_ratio_is_that_of_the_medians():
    ratio = ratio_of([10.0, 12.0, 11.0, 90.0, 11.0], [2.0, 2.2, 2.2, 2.4, 9.0])
    assert ratio.median == pytest.approx(5.0)
    assert ratio.low <= ratio.median <= ratio.high


# The report, the records and the page.


def ratios(*targets: Target, row: str = "row", run: str = RUN["date"]) -> Result:
    contenders = [contender("ours", [1], ours=True), contender("peer", [1]), contender("limit", [1])]
    return replace(measured(*contenders, targets=targets, row=row), run=run)


def test_the_report_names_limits_and_skipped_peers():
    contenders = [contender("ours", [1], ours=True), contender("peer", [1]), Skipped("other", "not installed")]
    targets = [Target("ours", "peer"), Target("ours", "peer", at_most=0)]
    found = measured(*contenders, targets=targets, figures=lambda: [Figure("size", 3, at_most=4)])
    text = report.row_section(found)
    assert "| other |  | skipped: not installed |" in text
    assert "<= 0 **missed**" in text
    assert "| size |  | 3 <= 4 met |" in text
    again = report.result_from(json.loads(json.dumps(asdict(found))))
    assert report.row_section(again) == text


def test_the_committed_page_is_that_of_the_records():
    results, runs = record.read(ROOT / "benchmarks" / "results")
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert text == page.page(results, runs), 'run `make bench ARGS="--from benchmarks/results"`'
    assert len(re.findall(r"\d+\.\d\d(?=[-,* ])", text.partition("## Where")[0])) > 100


# Runs that are stopped and continued.


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rows that were measured, in order; at the row `stop` the user interrupts."""
    names: list[str] = []

    def measure(row: Row, context: Context, options: Options) -> Result:
        if row.name == "stop" and "stop" not in names:
            names.append("stop")
            raise KeyboardInterrupt
        if row.name == "breaks":
            raise RuntimeError("it broke")
        names.append(row.name)
        return ratios(Target("ours", "limit"), row=row.name)

    monkeypatch.setattr(runner, "measure", measure)
    return names


def rows_named(*names: str) -> list[Row]:
    return [Row(name, lambda context: Comparison("t")) for name in names]


def store(folder: Path, rows: list[Row], **run) -> Store:
    return Store(folder, {**RUN, **run}, TWO_ROUNDS, rows)


def test_a_stopped_run_continues_at_its_row_and_only_there(tmp_path: Path, names: list[str]):
    rows = rows_named("a", "b", "stop", "c")
    with pytest.raises(KeyboardInterrupt):
        runner.run(rows, Context(), TWO_ROUNDS, store(tmp_path, rows))
    assert list(store(tmp_path, rows, date="later").results()) == ["a", "b"]
    for other in (store(tmp_path, rows, commit="def"), store(tmp_path, rows, threads=2), store(tmp_path, rows[:1])):
        assert not other.results()
    results, failures = runner.run(rows, Context(), TWO_ROUNDS, store(tmp_path, rows))
    assert names == ["a", "b", "stop", "stop", "c"]
    assert [r.row for r in results] == ["a", "b", "stop", "c"]
    assert not failures
    found = store(tmp_path, rows)
    found.path.write_text(found.path.read_text()[:-10])  # the process was killed while it wrote
    assert list(found.results()) == ["a", "b", "stop"]
    found.forget()
    assert not found.results()


def test_a_failing_row_is_named_and_the_others_continue(tmp_path: Path, names: list[str]):
    rows = rows_named("a", "breaks", "b")
    results, failures = runner.run(rows, Context(), TWO_ROUNDS, store(tmp_path, rows))
    assert [r.row for r in results] == ["a", "b"]
    assert failures == {"breaks": "RuntimeError: it broke"}


def test_progress_shows_the_remaining_time(tmp_path: Path, names: list[str], capsys: pytest.CaptureFixture[str]):
    rows = rows_named("a", "b", "c")
    found = store(tmp_path, rows)
    for name, seconds in (("a", 10), ("b", 50), ("c", 100)):
        found.add(ratios(row=name), seconds)
    found.forget()
    runner.run(rows, Context(), TWO_ROUNDS, found)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("[")]
    assert lines[0] == "[1/3] a; 0 s gone, about 2 min 40 s to go"
    assert [line.split(";")[0] for line in lines] == ["[1/3] a", "[2/3] b", "[3/3] c"]


def test_a_row_needs_a_copy_and_is_skipped_without_its_input(monkeypatch: pytest.MonkeyPatch):
    ours_alone = Comparison("t", [contender("ours", [1])])
    with pytest.raises(ValueError, match="no memcpy of equal traffic"):
        runner.check(ours_alone)
    runner.check(Comparison("t", [*ours_alone.contenders, *ours.memcpy(10)]))

    def missing(context: Context) -> Comparison:
        raise ImportError("django, whose text is the input")

    monkeypatch.setattr(runner, "pin", lambda cpus: None)
    context = Context(threads=torch.get_num_threads())
    found = runner.measure(Row("row", missing), context, TWO_ROUNDS)
    assert [s.reason for s in found.skipped] == ["not installed (django, whose text is the input)"]


# The command.


def benchmarks(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.mark.check
def test_the_command_measures_rows_of_every_kind(tmp_path: Path):
    rows = ["string_split/W3", "from_list/W3", "threads/W1", "tiers/W4", "vocab_encode/29k", "overhead/2 strings"]
    rows += ["string_sort/metadata", "regex/contains/literal/W3", "memory"]
    found = tmp_path / "found.json"
    options = ["--scale", "0.002", "--rounds", "2", "--store", str(tmp_path)]
    done = benchmarks(*rows, *options, "--json", str(found))
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.glob("unfinished-*"))
    answer = json.loads(found.read_text())
    assert sorted(r["row"] for r in answer["results"]) == sorted(rows)
    split = next(r for r in answer["results"] if r["row"] == "string_split/W3")
    for name in ("pyarrow", "polars"):
        assert any(name in line["name"] for line in split["lines"] + split["skipped"])
    assert done.stdout.startswith("# Benchmarks\n")
    assert "**ours, string_split_ragged**" in done.stdout


def test_rows_are_selected_by_name_or_part_of_it():
    rows = {row.name: row for row in rows_named("a/W1", "a/W1p", "b/W2")}
    for patterns, selected in (([], "a/W1 a/W1p b/W2"), (["a/W1"], "a/W1"), (["W1*", "b"], "a/W1 a/W1p b/W2")):
        assert [r.name for r in chosen(rows, patterns)] == selected.split()
    with pytest.raises(SystemExit, match="no row is named no_such_row"):
        chosen(rows, ["no_such_row"])
