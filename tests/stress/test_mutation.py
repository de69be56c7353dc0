"""Mutation testing of the Python package: tests notice faults, equivalent changes survive."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from stress import mutate_python
from stress.mutation.faults import PACKAGE, faults_of
from stress.mutation.lines import TracedTest
from stress.mutation.report import equivalent, survivors

pytestmark = pytest.mark.skipif(not PACKAGE.exists(), reason="needs the sources of the package, not an installed one")

# In a separate process, as it forks before the package is imported.
PROGRAM = """
import json, sys
from functools import partial
from pathlib import Path
from stress import mutate_python
from stress.mutation import faults, lines, workers

workers.prepare(["torch", "pytest", "hypothesis"])
result = Path(sys.argv[1])
tests = "tests/tensor/test_repr.py"
((_, done),) = workers.run_all([workers.Task(tests, partial(lines.trace, tests, result), 60)], 1)
assert done.status == 0, done.output
line_map = lines.LineMap({tests: json.loads(result.read_text())})
found = faults.faults_of(faults.PACKAGE / "tensor/printing.py")
fault = next(f for f in found if f.what == "< to <=" and f.before.startswith("return text +"))
nothing = fault._replace(new="<  ")
print(json.dumps([verdict for _, verdict in mutate_python.judge([fault, nothing], line_map)]))
"""


def test_a_fault_is_noticed_and_an_equivalent_change_survives(tmp_path: Path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "lines.json")]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    fault, nothing = json.loads(done.stdout.splitlines()[-1])
    assert fault.startswith("noticed by tests/tensor/test_repr.py::"), fault
    assert re.fullmatch(r"survived \(\d\d tests\)", nothing), nothing


def found(source: str, folder: Path) -> list[tuple[str, str]]:
    path = folder / "module.py"
    path.write_text(textwrap.dedent(source))
    return [(fault.what, fault.after) for fault in faults_of(path)]


@pytest.mark.parametrize(("line", "expected"), [
    ("return a < b", {"None returned": "return None # return a < b", "< to <=": "return a <= b"}),
    ("return f(a, b)", {"None returned": "return None # return f(a, b)", "arguments swapped": "return f(b, a)"}),
    ("f(a, key=b)", {"statement removed": "pass # f(a, key=b)", "argument dropped": "f(a)"}),
    ("a = b", {"assignment removed": "pass # a = b"}),
    ("c = b", {}),
    ("c = a or not b", {"or to and": "c = a and not b", "not dropped": "c = a or b"}),
    ("c = b[a:]", {"bound dropped": "c = b[:]", "bound + 1": "c = b[a + 1:]"}),
    ("c = b if a == 'x' else f", {"condition True": "c = b if (True or (a == 'x')) else f", "string": "c = b if a == 'x?' else f"}),
    ("raise ValueError(f'{a + 1}')", {"raise removed": "pass # raise ValueError(f'{a + 1}')", "ValueError to TypeError": "raise TypeError(f'{a + 1}')"}),
    ("if TYPE_CHECKING: f(1)", {}),
    ("'a docstring of 1'", {}),
    ("c: Literal[1]", {}),
])  # fmt: skip
def test_faults_of_a_line(line: str, expected: dict[str, str], tmp_path: Path):
    faults = dict(found(f"def g(a, b, f):\n    {line}\n", tmp_path))
    assert faults.items() >= expected.items()
    assert bool(faults) is bool(expected)


def test_the_rest_of_a_file_keeps_its_line_numbers(tmp_path: Path):
    path = tmp_path / "module.py"
    path.write_text("def f(a):\n    raise ValueError(\n        a\n    )\n\n\nx = 1\n")
    for fault in faults_of(path):
        assert fault.source().decode().split("\n")[6].startswith("x = "), fault


def test_every_fault_is_found_again_in_a_report_and_in_the_list(tmp_path: Path):
    every = faults_of(PACKAGE / "string_tensor.py")
    report, listed = tmp_path / "report.txt", tmp_path / "survivors.md"
    report.write_text("".join(f"[1/1] survived (3 of 7 tests): {fault}\n" for fault in every))
    assert {f.key() for f in survivors(report, every)} == {f.key() for f in every}
    listed.write_text("".join(f"- `{f.name()}`: `` {f.after} ``: a reason.\n" for f in every))
    assert equivalent(listed) == {f.key() for f in every}


def test_listed_survivors_still_exist():
    listed = equivalent(mutate_python.EQUIVALENT)
    there = {f.key() for name, _ in listed for f in faults_of(PACKAGE.parent / name)}
    assert listed <= there


def test_parameters_alternate_and_the_fastest_test_is_first():
    tests = [TracedTest(f"a.py::f[{n}]", 1.0 + n) for n in range(4)] + [TracedTest("a.py::g", 5.0)]
    ordered = [t.name.split("::")[1] for t in mutate_python.in_order(tests)]
    assert ordered == ["f[0]", "g", "f[1]", "f[2]", "f[3]"]
    assert [t.name for t in mutate_python.within(mutate_python.in_order(tests), 6.5)] == ["a.py::f[0]", "a.py::g"]
