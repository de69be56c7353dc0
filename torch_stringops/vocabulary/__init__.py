"""Vocabularies: strings to ids and back, built at once or from parts."""

import sys

from torch_stringops.vocabulary import _state, builder
from torch_stringops.vocabulary.builder import VocabularyBuilder as VocabularyBuilder
from torch_stringops.vocabulary.vocabulary import Vocabulary as Vocabulary

__all__ = ["Vocabulary", "VocabularyBuilder"]

# Pickles that were written before this was a folder name these modules.
sys.modules["torch_stringops._vocabulary_state"] = _state
sys.modules["torch_stringops.vocabulary_builder"] = builder
