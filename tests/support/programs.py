"""Runs the checks of tests/stress in child processes."""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

STRESS = Path(__file__).resolve().parents[1] / "stress"
MAX_CRASHES = 20
MAX_POSITION = 200  # bytes


def stress_command(check: str, *arguments: str) -> list[str]:
    return [sys.executable, str(STRESS), check, *arguments]


def run_stress(check: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs a check and captures its output; stderr is merged into stdout unless `options` say otherwise."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} | options
    return subprocess.run(stress_command(check, *arguments), text=True, **streams)


def options(doc: str | None, **defaults: Any) -> argparse.Namespace:
    """The options of a check, which the first lines of its file explain; those that are False are switches."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        how = {"action": "store_true"} if default is False else {"type": type(default), "default": default}
        parser.add_argument("--" + name.replace("_", "-"), **how)
    return parser.parse_args()


def report_position(progress: int, position: str) -> None:
    """Called in a child: writes the case that it begins to the file of `--progress`."""
    os.pwrite(progress, position.encode()[:MAX_POSITION].ljust(MAX_POSITION), 0)


class Children:
    """Runs the cases of a check in a child process; after a crash, continues in a new one.

    The child gets `--progress`, a file descriptor for `report_position`. Its last line begins with SUMMARY.
    """

    def __init__(self, check: str, *arguments: str, show: bool = False, **environment: str) -> None:
        self.check, self.arguments, self.show = check, arguments, show
        self.environment = os.environ | environment
        self.progress = tempfile.TemporaryFile()  # noqa: SIM115
        self.lines: list[str] = []
        self.summary: list[str] = []
        self.crashes = 0

    def position(self) -> str:
        return os.pread(self.progress.fileno(), MAX_POSITION, 0).decode(errors="replace").strip()

    def run(self, resume: Callable[[str], list[str]] | None, describe: Callable[[str], str] = str) -> None:
        """`resume` maps the position of a crash to the arguments of the next child; without it, a crash is the end."""
        more: list[str] = []
        while self.crashes < MAX_CRASHES:
            report_position(self.progress.fileno(), "")
            ended = self._run_child(more)
            if self.summary:
                return
            position = self.position()
            self.crashes += 1
            self._note(f"  {describe(position) if position else 'before the first case'}: {ended}")
            if not position or resume is None:
                return
            more = resume(position)

    def _run_child(self, more: list[str]) -> str:
        fd = self.progress.fileno()
        command = stress_command(self.check, *self.arguments, "--progress", str(fd), *more)
        with (
            tempfile.TemporaryFile("w+", errors="replace") as stderr,
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                errors="replace",
                env=self.environment,
                pass_fds=[fd],
            ) as process,
        ):
            assert process.stdout
            for line in process.stdout:
                if line.startswith("SUMMARY"):
                    self.summary = line.split()[1:] or ["done"]
                else:
                    self._note(line.rstrip("\n"))
            status = process.wait()
            stderr.seek(0)
            return f"the process ended with {status}\n{stderr.read()[-4000:]}"

    def _note(self, line: str) -> None:
        self.lines.append(line)
        if self.show:
            print(line, flush=True)
