"""Text for pretraining: quality, duplicates, tokens in files, and batches of them in given proportions."""

from torch_stringops.pretrain.mix import Mix as Mix
from torch_stringops.pretrain.near_duplicates import deduplicate as deduplicate
from torch_stringops.pretrain.near_duplicates import near_duplicates as near_duplicates
from torch_stringops.pretrain.pack import Pack as Pack
from torch_stringops.pretrain.quality import gopher_filter as gopher_filter
from torch_stringops.pretrain.quality import text_quality as text_quality
from torch_stringops.pretrain.token_dataset import TokenDataset as TokenDataset
from torch_stringops.pretrain.write_tokens import count_tokens as count_tokens
from torch_stringops.pretrain.write_tokens import write_tokens as write_tokens
