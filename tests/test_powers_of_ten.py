"""The table of powers of ten is what the tool writes."""

import runpy
from pathlib import Path

TOOL = runpy.run_path(str(Path(__file__).resolve().parent.parent / "tools" / "write_powers_of_ten.py"))


def test_file_is_what_the_tool_writes():
    assert TOOL["TABLE"].read_text(encoding="utf-8") == TOOL["table"]()


def test_exponents_of_two():
    for power in range(-400, 401):
        assert TOOL["exponent_of_two"](power) == power * 1741647 >> 19
