"""Programs for type checkers are no tests: test_types.py reads them."""

collect_ignore = ["typed_program.py", "typed_mistakes.py"]
