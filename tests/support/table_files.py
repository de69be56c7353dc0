"""Tables in files, and their values."""

import pyarrow
import pyarrow.parquet

from torch_stringops.data import StringColumn


def write(path, columns, schema=None):
    """A Parquet or an Arrow file; of the latter, a table without rows has no batches."""
    table = pyarrow.table(columns, schema=schema)
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
        return
    with pyarrow.OSFile(str(path), "wb") as sink, pyarrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def values(column):
    return column[:].tolist() if isinstance(column, StringColumn) else column.tolist()


def found(table):
    return {name: values(column) for name, column in table.items()}
