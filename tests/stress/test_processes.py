"""Processes that import libraries in any order, exit while threads run, and start children with every method."""

import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch  # noqa: F401 - as in a user's process
from stress.processes import START_METHODS, children, run_python

USE = {
    "torch_stringops": """
        s = torch_stringops.StringTensor.from_list(["foo bar", "baz"])
        assert torch_stringops.tokenizer_ragged(s, tokenexp="[a-z]+|[^a-z]")[0].tolist() == ["foo", " ", "bar", "baz"]
    """,
    "pyarrow": """
        assert pyarrow.compute.match_substring_regex(pyarrow.array(["foo bar"]), "o+ b").to_pylist() == [True]
    """,
    "re2": """
        assert re2.search("o+ b", "foo bar").group() == "oo b"
    """,
    "onnxruntime": """
        assert "CPUExecutionProvider" in onnxruntime.get_available_providers()
    """,
}
IMPORT = {name: f"import {name}" for name in USE} | {"pyarrow": "import pyarrow, pyarrow.compute"}


# Orders in which each pair occurs both ways.
NAMES = tuple(USE)
ORDERS = [NAMES, NAMES[::-1], (*NAMES[2:], *NAMES[:2])]


def test_libraries_can_be_imported_in_any_order():
    for name in ("pyarrow", "re2", "onnxruntime"):
        pytest.importorskip(name)

    def run(order: tuple[str, ...]) -> str:
        lines = [IMPORT[name] for name in order] + [textwrap.dedent(USE[name]) for name in (*order, *order)]
        done = run_python("\n".join(lines))
        return "" if done.returncode == 0 else f"{order}: {done.returncode}\n{done.stderr}"

    with ThreadPoolExecutor(2) as pool:
        assert "".join(pool.map(run, ORDERS)) == ""


# Runs in a subinterpreter, in which torch itself corrupts memory: its import crashes, hangs or raises a SystemError.
IMPORT_IN_A_SUBINTERPRETER = """
import sys
before = set(sys.modules)
try:
    import torch_stringops
except ImportError as error:
    print(error, [m for m in sorted(set(sys.modules) - before) if m.startswith(("torch.", "numpy"))], flush=True)
"""


@pytest.mark.parametrize("before", ["", "import torch_stringops"])
def test_a_subinterpreter_is_rejected_before_torch_is_loaded(before: str):
    done = run_python(f"""
        {before}
        try:
            import _interpreters
        except ImportError:  # before Python 3.13
            import _xxsubinterpreters as interpreters
            failure = interpreters.run_string(interpreters.create(), {IMPORT_IN_A_SUBINTERPRETER!r})
        else:
            failure = _interpreters.exec(_interpreters.create("legacy"), {IMPORT_IN_A_SUBINTERPRETER!r})
        assert failure is None, failure
    """)
    expected = "torch_stringops: expected the main interpreter, got a subinterpreter, where torch does not run []\n"
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_the_interpreter_exits_while_threads_work():
    """Not daemon threads: when Python before 3.14 ends those, torch itself aborts (even in `torch.empty`)."""
    done = run_python("""
        import threading, time, torch, torch_stringops as so
        torch.set_num_threads(2)
        text = so.StringTensor.from_list(["to be or not to be, that is the question"] * 5000)
        vocabulary = so.Vocabulary(["to", "be"])
        stop = time.monotonic() + 0.5
        def work():
            while time.monotonic() < stop:
                so.tokenizer_ragged(text, tokenexp="[a-z]+|,")
                vocabulary.split_encode(text)
                text.tolist()
        for _ in range(4):
            threading.Thread(target=work).start()
        time.sleep(0.3)
        print("main ends", flush=True)
    """)
    assert (done.returncode, done.stdout) == (0, "main ends\n"), done.stderr


@pytest.mark.parametrize("method", START_METHODS)
def test_children(method: str):
    children(method, 20 if method == "fork" else 1)
