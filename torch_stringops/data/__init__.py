"""String tensors in `torch.utils.data`: columns of any size, collating, and datasets that read whole batches."""

from torch_stringops.data.arrow_files import load as load
from torch_stringops.data.arrow_files import save as save
from torch_stringops.data.batches import ColumnDataset as ColumnDataset
from torch_stringops.data.batches import collate_strings as collate_strings
from torch_stringops.data.buckets import BucketBatchSampler as BucketBatchSampler
from torch_stringops.data.collate_text import CollateText as CollateText
from torch_stringops.data.column import StringColumn as StringColumn
from torch_stringops.data.lines import read_lines as read_lines
from torch_stringops.data.manifest import Manifest as Manifest
from torch_stringops.data.mix import Mix as Mix
from torch_stringops.data.near_duplicates import deduplicate as deduplicate
from torch_stringops.data.near_duplicates import near_duplicates as near_duplicates
from torch_stringops.data.pack import Pack as Pack
from torch_stringops.data.quality import gopher_filter as gopher_filter
from torch_stringops.data.quality import text_quality as text_quality
from torch_stringops.data.streaming import StreamingDataset as StreamingDataset
from torch_stringops.data.tables import read_arrow as read_arrow
from torch_stringops.data.tables import read_csv as read_csv
from torch_stringops.data.tables import read_jsonl as read_jsonl
from torch_stringops.data.tables import read_parquet as read_parquet
from torch_stringops.data.token_counts import count_tokens as count_tokens
from torch_stringops.data.token_dataset import TokenDataset as TokenDataset
from torch_stringops.data.tokens import write_tokens as write_tokens
