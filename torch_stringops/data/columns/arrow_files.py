"""Columns in Arrow IPC files, which open by memory mapping."""

from __future__ import annotations

from os import PathLike

from torch_stringops._atomic import replacing
from torch_stringops._names import named
from torch_stringops._types import StringsLike
from torch_stringops.data.columns.arrow_maps import chunks_of, files_of
from torch_stringops.data.columns.column import StringColumn
from torch_stringops.data.columns.watched_files import watch
from torch_stringops.data.files.arrow import pyarrow_module
from torch_stringops.data.files.local import Identity, MappedFile, Paths, expand, map_again
from torch_stringops.string_tensor import StringTensor


@named
def save(column: StringColumn | StringsLike, path: str | PathLike[str], *, name: str = "text") -> None:
    """Writes a column to an Arrow IPC file (also called Feather file), which `load` opens. Needs pyarrow.

    The type of the column is `utf8`, or `binary` if a string is not valid UTF-8. Each record batch holds
    about 64 MB.

    The file is written atomically: a temporary file in the same folder is written, synchronized to disk, and
    renamed. Other processes find the earlier file or the whole new one, also after a crash. If several
    processes save to one path, the file is that of one of them. A save that fails leaves the earlier file. If
    a process was killed, the next save to the path removes its temporary file.

    Args:
        column: a StringColumn, or one chunk in any form that `StringColumn` accepts.
        path: path of the file.
        name: the name of the column in the file.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save(StringColumn([["to", "be"], ["or", "not"]]), folder + "/words.arrow")
        ...     load(folder + "/words.arrow")[[0, 3]].tolist()
        ['to', 'not']
    """
    pa = pyarrow_module("save")
    if not isinstance(column, StringColumn):
        column = StringColumn([column])
    is_text = all(bool(strings.is_utf8().all()) for strings in column)
    schema = pa.schema([(name, pa.utf8() if is_text else pa.binary())])
    with replacing(path) as file, pa.ipc.new_file(file, schema) as writer:
        for strings in column:
            writer.write_batch(pa.record_batch([pa.array(strings, schema[0].type)], schema=schema))


@named
def load(paths: Paths, *, column: str | None = None) -> StringColumn:
    """Opens a column of Arrow IPC files by memory mapping, in milliseconds whatever its size. Needs pyarrow.

    The strings are read from the files when they are used. Processes share the pages of the files: forked
    workers of DataLoader share the maps, other processes map the files again. A file must not be changed
    while the column is in use: if it has been truncated, using its strings raises OSError. (The size is
    checked before the strings of a batch are read. A file that shrinks during the read, or while a slice that
    shares its memory is in use, ends the process.) Another file may replace it at its path. Offsets are
    checked when strings are used, not before.

    Args:
        paths: a path, a glob or a list of these, of Arrow files and Arrow streams written by `save` or by others, and
            of folders of `save_to_disk` of Hugging Face's `datasets`. The column must not be compressed; its type is
            `utf8`, `binary`, `large_utf8` or `large_binary` (of which 8 bytes a string are read, and 4 are held),
            without missing values (`read_arrow` accepts all files).
        column: the name of the column. Default: the only one.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is truncated or not an Arrow file, or the column is not as above.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save(["to", "be"], folder + "/a.arrow")
        ...     save(["or"], folder + "/b.arrow")
        ...     load(folder + "/*.arrow")
        StringColumn(3 strings in 2 chunks)
    """
    pyarrow_module("load")
    files = [file for path in expand("load", paths) for file in files_of(path)]
    return _column([MappedFile("load", file) for file in files], column)


def open_again(files: list[Identity], name: str | None) -> StringColumn:
    """The column of files in another process; raises OSError if one has changed."""
    return _column([map_again("load", file) for file in files], name)


def _column(files: list[MappedFile], name: str | None) -> StringColumn:
    chunks: list[StringTensor] = []
    for file in files:
        found = chunks_of(file, name)
        watch(found, file)
        chunks += found
    column = StringColumn(chunks)
    column._origin = (open_again, ([file.identity for file in files], name))
    return column
