"""Oracle of vocab_encode: a dict. More than one bucket needs XXH3, for which the test has literal values."""

from typing import Any

from reference.vocab_build import read_table


def vocab_encode_ref(strings: Any, table: Any, unknown_id: int = -1, num_oov_buckets: int = 0) -> tuple[Any]:
    number = {word: i for i, word in enumerate(read_table(table.tolist()))}
    assert num_oov_buckets <= 1
    unknown = len(number) if num_oov_buckets else unknown_id

    def walk(level: Any) -> Any:
        return [walk(part) for part in level] if isinstance(level, list) else number.get(level, unknown)

    return (walk(strings),)
