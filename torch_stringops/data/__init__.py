"""String tensors in `torch.utils.data`: collating, and datasets that read whole batches."""

from torch_stringops.data.batches import ColumnDataset as ColumnDataset
from torch_stringops.data.batches import collate_strings as collate_strings
