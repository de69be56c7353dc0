"""Type checkers on programs of a user: mypy --strict and pyright find no error in one, and every mistake in the other."""

import importlib.util
import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import torch_stringops

FOLDER = Path(__file__).parent
PROGRAM, MISTAKES = FOLDER / "typed_program.py", FOLDER / "typed_mistakes.py"
PACKAGES = Path(torch_stringops.__file__).parents[1]
# File -> line -> messages.
Errors = dict[str, dict[int, str]]


def run_checker(module: str, *args: str, **environment: str) -> str:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"needs {module} (of the extra `test`)")
    command = [sys.executable, "-m", module, *args]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def mypy(folder: Path) -> Errors:
    options = [
        "--strict", "--config-file=", "--follow-imports=silent", "--no-error-summary", "--hide-error-context",
    ]  # fmt: skip
    # mypy finds installed packages itself, and rejects their folder in MYPYPATH.
    paths = {} if PACKAGES.name == "site-packages" else {"MYPYPATH": str(PACKAGES)}
    text = run_checker("mypy", *options, f"--cache-dir={folder}", str(PROGRAM), str(MISTAKES), **paths)
    errors: Errors = {PROGRAM.name: {}, MISTAKES.name: {}}
    for path, line, message in re.findall(r"^(.*?):(\d+): error: (.*)$", text, re.MULTILINE):
        errors[Path(path).name][int(line)] = message
    return errors


def pyright(folder: Path) -> Errors:
    config = {
        "typeCheckingMode": "strict",
        "reportAny": "error",
        "reportUnusedExpression": False,
        "extraPaths": [str(PACKAGES)],
        "include": [str(PROGRAM), str(MISTAKES)],
    }
    file = folder / "pyrightconfig.json"
    file.write_text(json.dumps(config), encoding="utf-8")
    text = run_checker("basedpyright", "--outputjson", f"--pythonpath={sys.executable}", f"--project={file}")
    errors: Errors = {PROGRAM.name: {}, MISTAKES.name: {}}
    found = json.loads(text)
    assert found["summary"]["filesAnalyzed"] == 2
    for error in found["generalDiagnostics"]:
        errors[Path(error["file"]).name][error["range"]["start"]["line"] + 1] = error["message"]
    return errors


@pytest.fixture(scope="module", params=["mypy", pytest.param("pyright", marks=pytest.mark.check)])
def errors(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Errors:
    checkers = {"mypy": mypy, "pyright": pyright}
    return checkers[request.param](tmp_path_factory.mktemp("types"))


@pytest.mark.check
def test_a_program_without_mistakes_has_no_errors(errors: Errors):
    assert errors[PROGRAM.name] == {}


@pytest.mark.check
def test_all_mistakes_are_reported(errors: Errors):
    lines = MISTAKES.read_text(encoding="utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if "  # wrong: " in line}
    assert len(wrong) > 25
    assert errors[MISTAKES.name].keys() == wrong


def test_the_program_runs():
    """The types are also what the calls return: each `assert_type` of a plain class is checked as `isinstance`."""
    checked = 0

    def assert_type(value: object, kind: object) -> object:
        nonlocal checked
        if issubclass(type(kind), type):  # not `dict[str, Tensor]`
            assert isinstance(value, kind), f"{type(value)} is not {kind}"
            checked += 1
        return value

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typing_extensions.assert_type", assert_type)
        runpy.run_path(str(PROGRAM))
    assert checked > 50
