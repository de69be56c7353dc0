"""Values of JSON documents compared with Python's json: the short form of `make stress CHECK=json_documents`."""

from support.programs import run_stress


def test_values_are_those_of_python():
    done = run_stress("json_documents", "--documents", "1000", timeout=120)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "1000 documents" in done.stdout
