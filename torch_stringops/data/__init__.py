"""String tensors in `torch.utils.data`: columns of any size, collating, and datasets that read whole batches.

Each room stands on those before it:

    files     paths, memory maps, compression, URLs, and copies of remote files
    columns   StringColumn: strings of any size, in memory or in mapped files; read_lines, save, load
    tables    read_csv, read_jsonl, read_parquet, read_arrow: columns of strings, numbers, bools and lists
    batches   ColumnDataset, collate_strings, CollateText: batches of rows in memory
    streams   StreamingDataset: batches of the rows of files, read in blocks
"""

from torch_stringops.data.batches.collate_text import CollateText as CollateText
from torch_stringops.data.batches.column_dataset import ColumnDataset as ColumnDataset
from torch_stringops.data.batches.column_dataset import collate_strings as collate_strings
from torch_stringops.data.columns.arrow_files import load as load
from torch_stringops.data.columns.arrow_files import save as save
from torch_stringops.data.columns.column import StringColumn as StringColumn
from torch_stringops.data.columns.lines import read_lines as read_lines
from torch_stringops.data.streams.options import StreamOptions as StreamOptions
from torch_stringops.data.streams.streaming_dataset import StreamingDataset as StreamingDataset
from torch_stringops.data.tables.readers import read_arrow as read_arrow
from torch_stringops.data.tables.readers import read_csv as read_csv
from torch_stringops.data.tables.readers import read_jsonl as read_jsonl
from torch_stringops.data.tables.readers import read_parquet as read_parquet
