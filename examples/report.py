"""Progress lines, and the confusion matrix of train_text_classifier.py."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor


class Progress:
    """A progress line: rewritten in place on a terminal, else printed every few seconds."""

    def __init__(self, num_epochs: int, steps_per_epoch: int) -> None:
        self.num_epochs = num_epochs
        self.steps_per_epoch = steps_per_epoch
        self.step = 0
        self.strings = 0
        self.loss = 0.0
        self.started = time.monotonic()
        self.printed = 0.0
        self.terminal = sys.stdout.isatty()
        self.interval = 0.2 if self.terminal else 5.0

    def update(self, loss: float, strings: int) -> None:
        if self.step == 0:
            # The first step includes compilation, so it does not count towards the rate.
            self.started = time.monotonic()
            self.loss = loss
        else:
            self.strings += strings
        self.step += 1
        self.loss += (loss - self.loss) / min(self.step, 50)
        now = time.monotonic()
        epoch, step = divmod(self.step - 1, self.steps_per_epoch)
        last_of_epoch = step == self.steps_per_epoch - 1
        if now - self.printed < self.interval and not last_of_epoch:
            return
        self.printed = now
        rate = self.strings / max(now - self.started, 1e-9)
        left = (self.num_epochs * self.steps_per_epoch - self.step) * (now - self.started) / max(self.step - 1, 1)
        line = (
            f"  epoch {epoch + 1}/{self.num_epochs}  step {step + 1}/{self.steps_per_epoch}  loss {self.loss:.3f}  "
            + (f"{rate:,.0f} strings/s  {left:.0f} s left" if self.strings else "first step done")
        )
        end = "\n" if last_of_epoch or not self.terminal else ""
        print(f"\r{line:<90}" if self.terminal else line, end=end, flush=True)


@contextmanager
def working(what: str, seconds: float = 8.0) -> Iterator[None]:
    """Prints every few seconds that the block still works, for steps of torch that print nothing."""
    ended, start = threading.Event(), time.monotonic()

    def tell() -> None:
        while not ended.wait(seconds):
            print(f"  {what}: {time.monotonic() - start:.0f} s", flush=True)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def confusion_matrix(labels: Tensor, predictions: Tensor, num_classes: int) -> Tensor:
    """Counts, int64 `[num_classes, num_classes]`: rows are true classes, columns are predicted classes."""
    cells = torch.bincount(labels * num_classes + predictions, minlength=num_classes**2)
    return cells.reshape(num_classes, num_classes)


def most_confused(matrix: Tensor, names: list[str], max_pairs: int = 3) -> str:
    """The most frequent errors: "PREDICTED for TRUE (COUNT), ..."."""
    mistakes = matrix.clone().fill_diagonal_(0)
    counts, cells = mistakes.flatten().topk(min(max_pairs, mistakes.numel()))
    pairs = [
        f"{names[cell // len(names)]} for {names[cell % len(names)]} ({count})"
        for count, cell in zip(counts.tolist(), cells.tolist(), strict=True)
        if count
    ]
    return ", ".join(pairs) or "none"


def save_confusion_image(matrix: Tensor, names: list[str], title: str, path: Path) -> bool:
    """Draws the matrix in percent of each true class. Returns False if matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    totals = matrix.sum(1)
    percent = 100 * matrix / totals.clamp(min=1)[:, None]
    size = 2.6 + 0.42 * len(names)
    figure = Figure(figsize=(size + 0.6, size), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(percent, cmap="Blues", vmin=0, vmax=100)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), [f"{n} ({t})" for n, t in zip(names, totals.tolist(), strict=True)])
    axes.set_xlabel("predicted")
    axes.set_ylabel("true (number of test strings)")
    axes.set_title(title)
    axes.spines[:].set_visible(False)
    # Grid lines between the cells.
    axes.set_xticks([i + 0.5 for i in range(len(names) - 1)], minor=True)
    axes.set_yticks([i + 0.5 for i in range(len(names) - 1)], minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.tick_params(which="both", length=0)
    for row, values in enumerate(percent.tolist()):
        for column, value in enumerate(values):
            if value >= 0.5:
                color = "white" if value > 60 else "black"
                axes.text(column, row, f"{value:.0f}", ha="center", va="center", fontsize=8, color=color)
    figure.colorbar(image, ax=axes, shrink=0.6, label="% of the true class")
    figure.savefig(path, bbox_inches="tight")
    return True
