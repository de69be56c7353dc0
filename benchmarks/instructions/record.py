"""The committed counts, and their comparison with new counts."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.instructions.counting import TIERS

TOLERANCE = 0.03
PATH = Path(__file__).with_name("counts.txt")
COMMAND = "make instructions ARGS=--record"
MADE_BY = "# Made by "
HEAD = f"""\
# Instructions that kernels take on small fixed inputs: CONTRIBUTING.md, "Instruction counts".
# Written by `{COMMAND}`.
"""

Counts = dict[tuple[str, str], int]  # by case and tier


@dataclass(frozen=True)
class Record:
    made_by: str  # compiler and headers; counts are comparable only if they are the same
    counts: Counts


def format_record(record: Record) -> str:
    lines = [HEAD + MADE_BY + record.made_by, row("case", *TIERS)]
    for case in sorted({case for case, _ in record.counts}):
        lines.append(row(case, *(f"{record.counts[case, tier]:,}" for tier in TIERS)))
    return "\n".join(lines) + "\n"


def row(case: str, *cells: str) -> str:
    return f"{case:<42}" + "".join(f"{cell:>12}" for cell in cells)


def parse_record(text: str) -> Record:
    lines = text.splitlines()
    (made_by,) = (line.removeprefix(MADE_BY) for line in lines if line.startswith(MADE_BY))
    _, *rows = (line.split() for line in lines if not line.startswith("#"))
    counts = {
        (case, tier): int(cell.replace(",", ""))
        for case, *cells in rows
        for tier, cell in zip(TIERS, cells, strict=True)
    }
    return Record(made_by, counts)


def within(before: int, now: int) -> bool:
    return abs(now - before) <= TOLERANCE * before


def judge(before: int | None, now: int | None) -> str:
    """The verdict on a count, or "" if it is as recorded."""
    if before is None:
        return "not recorded"
    if now is None:
        return "recorded, but no longer counted"
    if within(before, now):
        return ""
    return "slower" if now > before else "faster than recorded"


def problems(recorded: Counts, counted: Counts) -> list[str]:
    """A sentence for each count that is not as recorded."""
    found = []
    for key in sorted({*recorded, *counted}):
        before, now = recorded.get(key), counted.get(key)
        verdict = judge(before, now)
        if verdict:
            change = f" ({before:,} -> {now:,}, {now / before - 1:+.1%})" if before and now else ""
            found.append(f"{' '.join(key)}: {verdict}{change}")
    return found


def advice(found: list[str]) -> str:
    if any(": slower" in problem for problem in found):
        return (
            "A kernel executes more instructions than it did. Make it as fast as it was; where the price is right, "
            f"record it with `{COMMAND}` and say why in the commit."
        )
    return f"Record it in the same commit: {COMMAND}"


def update(old: Record, new: Record) -> Record:
    """The counts to record. Those within the tolerance keep their old value, so that small changes add up."""
    if old.made_by != new.made_by:
        return new
    kept = {key: n for key, n in old.counts.items() if key in new.counts and within(n, new.counts[key])}
    return Record(new.made_by, new.counts | kept)
