"""Starts the checks of tests/stress in processes of their own."""

import subprocess
import sys
from pathlib import Path
from typing import Any

STRESS = Path(__file__).resolve().parents[1] / "stress"


def stress_command(check: str, *arguments: str) -> list[str]:
    return [sys.executable, str(STRESS), check, *arguments]


def run_stress(check: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs a check; its output, with stderr after stdout unless `options` say otherwise."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} | options
    return subprocess.run(stress_command(check, *arguments), text=True, **streams)
