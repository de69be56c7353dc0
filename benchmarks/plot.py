"""Plots the ratios to peers as an SVG: a bar for each comparison with its target as a tick, on a logarithmic scale.

Every bar is labelled with its row, its peer and its ratio, so that colors do not carry information of their own. The
plot has its own background, and its colors follow the color scheme of the reader.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from benchmarks.measure import Result

WIDTH = 960
LINE = 17
TOP = 84
BOTTOM = 34
MARGIN = 16
RIGHT = WIDTH - 48  # leaves space for the label of the longest bar
LETTER = 6.6  # approximate width in pixels, for the width of columns
MIN_RATIO = 0.05  # smaller ratios are drawn at the edge
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)

STYLE = """
  text { font: 12px system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; }
  .quiet { fill: #59636e; }
  .figure { font-weight: 600; }
  .ground { fill: #ffffff; stroke: #d1d9e0; }
  .band { fill: #f6f8fa; }
  .grid { stroke: #e3e8ed; }
  .one { stroke: #59636e; }
  .stem { stroke: #8cb7ee; stroke-width: 3; }
  .met { fill: #0969da; }
  .missed { fill: #ffffff; stroke: #bc4c00; stroke-width: 2; }
  .behind { fill: #bc4c00; }
  .target { stroke: #1f2328; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .quiet { fill: #9198a1; }
    .ground { fill: #0d1117; stroke: #3d444d; }
    .band { fill: #151b23; }
    .grid { stroke: #262c36; }
    .one { stroke: #9198a1; }
    .stem { stroke: #1f4f8f; }
    .met { fill: #4493f8; }
    .missed { fill: #0d1117; stroke: #f0883e; }
    .behind { fill: #f0883e; }
    .target { stroke: #f0f6fc; }
  }
"""


@dataclass(frozen=True)
class Bar:
    row: str
    peer: str
    ratio: float
    target: float
    met: bool


def bars(results: Sequence[Result]) -> Iterator[Bar]:
    """The comparisons with other libraries that have a target, without limits.

    If the contender of ours is not the first of the row, it is appended in parentheses: `(padded)`, `(avx2)`.
    """
    for result in results:
        ours = [line.name for line in result.lines if line.ours]
        for ratio in result.ratios:
            if ratio.target.at_least is None or ratio.peer in ours:
                continue
            other = "" if ratio.target.ours == ours[0] else f" ({ratio.target.ours.removeprefix('ours, ')})"
            name = short(ratio.peer) + other
            yield Bar(result.row, name, ratio.ratio.median, ratio.target.at_least, bool(ratio.met))


def short(peer: str) -> str:
    """`onnxruntime StringSplit, OrtValue in and out` -> `onnxruntime StringSplit`."""
    return re.split(r"[,(]", peer)[0].strip()


def svg(results: Sequence[Result], caption: str) -> str:
    found = list(bars(results))
    values = [1.0, 10.0, *(v for bar in found for v in (bar.ratio, bar.target))]
    low, high = max(min(values), MIN_RATIO) / 1.1, max(values) * 1.1
    peers_at = MARGIN + width_of(bar.row for bar in found)
    left = peers_at + width_of(bar.peer for bar in found)
    height = TOP + LINE * len(found) + BOTTOM
    bottom = height - BOTTOM

    def x(value: float) -> float:
        share = math.log(max(value, low) / low) / math.log(high / low)
        return round(left + share * (RIGHT - left), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="How many times as fast as each peer">',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
        text(MARGIN, 28, "How many times as fast as each peer, one thread", "title"),
        text(MARGIN, 48, caption, "quiet"),
        *legend(),
    ]
    parts += bands(found)
    for tick in TICKS:
        if low <= tick <= high:
            kind = "one" if tick == 1 else "grid"
            parts.append(
                f'<line class="{kind}" x1="{x(tick)}" x2="{x(tick)}" y1="{TOP - 4}" y2="{bottom + 4}"/>'
            )
            for y in (TOP - 9, bottom + 18):
                parts.append(text(x(tick), y, f"{tick:g}x", "quiet", "middle"))
    for i, bar in enumerate(found):
        name = bar.row if i == 0 or found[i - 1].row != bar.row else ""
        parts += [text(MARGIN, TOP + LINE * i + 12.5, name)] if name else []
        parts.append(text(peers_at, TOP + LINE * i + 12.5, bar.peer, "quiet"))
        parts += line(bar, TOP + LINE * i + LINE / 2, x)
    return "\n".join([*parts, "</svg>"]) + "\n"


def text(x: float, y: float, content: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(content)}</text>'


def width_of(texts: Iterable[str]) -> int:
    return 14 + round(LETTER * max(map(len, texts), default=0))


def legend() -> list[str]:
    x, y = WIDTH - 290, 24
    return [
        f'<circle class="met" cx="{x}" cy="{y}" r="4.5"/>',
        text(x + 10, y + 4, "target met"),
        f'<circle class="missed" cx="{x + 94}" cy="{y}" r="4"/>',
        text(x + 104, y + 4, "missed"),
        f'<line class="target" x1="{x + 166}" x2="{x + 166}" y1="{y - 6}" y2="{y + 6}"/>',
        text(x + 174, y + 4, "the target"),
    ]


def bands(found: Sequence[Bar]) -> list[str]:
    """A tinted background for every second row, which groups its peers."""
    rows = list(dict.fromkeys(bar.row for bar in found))
    parts = []
    for row in rows[1::2]:
        at = [i for i, bar in enumerate(found) if bar.row == row]
        height = LINE * len(at)
        parts.append(
            f'<rect class="band" x="1" y="{TOP + LINE * at[0]}" width="{WIDTH - 2}" height="{height}"/>'
        )
    return parts


def line(bar: Bar, y: float, x: Callable[[float], float]) -> list[str]:
    """A bar from 1x to the ratio, with the target, and the ratio as a label at the right."""
    end = max(x(bar.ratio), 0 if bar.met else x(bar.target))
    kind, radius = ("met", 4.5) if bar.met else ("missed", 4)
    digits = 0 if bar.ratio >= 20 else 1 if bar.ratio >= 1 else 2
    return [
        f'<line class="stem" x1="{x(1)}" x2="{x(bar.ratio)}" y1="{y}" y2="{y}"/>',
        f'<line class="target" x1="{x(bar.target)}" x2="{x(bar.target)}" y1="{y - 6}" y2="{y + 6}"/>',
        f'<circle class="{kind}" cx="{x(bar.ratio)}" cy="{y}" r="{radius}"/>',
        text(end + 8, y + 4, f"{bar.ratio:.{digits}f}", "figure" if bar.met else "figure behind"),
    ]
