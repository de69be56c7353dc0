"""Vocabularies: strings to ids and back, built at once or from parts."""

from torch_stringops.vocabulary.builder import VocabularyBuilder as VocabularyBuilder
from torch_stringops.vocabulary.vocabulary import Vocabulary as Vocabulary

__all__ = ["Vocabulary", "VocabularyBuilder"]
