#include "kernels/tfidf.h"

#include "core/fail.h"

namespace stringops::kernels {
namespace {

// The elements of the pool that are n-grams of length `n`: [begin, end).
struct Section {
  int64_t begin;
  int64_t end;
};

Section section_of(const NgramAttributes& attributes, size_t i, int64_t pool_size) {
  const std::vector<int64_t>& begins = attributes.ngram_counts;
  return {begins[i], i + 1 < begins.size() ? begins[i + 1] : pool_size};
}

// The most nodes and n-grams after first elements.
int64_t count_targets(const NgramAttributes& attributes, int64_t pool_size) {
  int64_t count = 0;
  for (size_t i = 0; i < attributes.ngram_counts.size(); ++i) {
    const auto length = static_cast<int64_t>(i) + 1;
    if (length < attributes.min_gram_length || length > attributes.max_gram_length) continue;
    const auto [begin, end] = section_of(attributes, i, pool_size);
    count += (end - begin) / length * (length - 1);
  }
  return count;
}

}  // namespace

int64_t check_ngrams(const char* op, const NgramAttributes& attributes, int64_t pool_size) {
  int64_t count = 0;
  for (size_t i = 0; i < attributes.ngram_counts.size(); ++i) {
    const auto [begin, end] = section_of(attributes, i, pool_size);
    STRINGOPS_CHECK(0 <= begin && begin <= end && end <= pool_size, op,
                    ": expected `ngram_counts` to be ascending positions in a pool of ", pool_size, " elements, got ",
                    begin, " and ", end, " at position ", i);
    const auto length = static_cast<int64_t>(i) + 1;
    STRINGOPS_CHECK((end - begin) % length == 0, op, ": expected the ", length, "-grams of the pool to have ", length,
                    " elements each, got ", end - begin, " in all");
    count += (end - begin) / length;
  }
  return count;
}

NgramTrie::NgramTrie(const char* op, const NgramAttributes& attributes, const std::vector<int64_t>& ids)
    : min_length_(attributes.min_gram_length),
      max_length_(attributes.max_gram_length),
      first_(ids.size() + 1),
      children_(count_targets(attributes, static_cast<int64_t>(ids.size()))) {
  const auto pool_size = static_cast<int64_t>(ids.size());
  int32_t ngram = 0, num_nodes = 0;
  for (size_t i = 0; i < attributes.ngram_counts.size(); ++i) {
    const auto length = static_cast<int64_t>(i) + 1;
    const auto [begin, end] = section_of(attributes, i, pool_size);
    for (int64_t at = begin; at < end; at += length, ++ngram) {
      if (length < min_length_ || length > max_length_) continue;
      Target* target = &first_[static_cast<size_t>(ids[static_cast<size_t>(at)]) + 1];
      for (int64_t j = at + 1; j < at + length; ++j) {
        if (target->node < 0) target->node = num_nodes++;
        target = &children_.find_or_insert(child_key(target->node, ids[static_cast<size_t>(j)]));
      }
      STRINGOPS_CHECK(target->ngram < 0, op, ": expected distinct n-grams in the pool, got the same ", length,
                      "-gram at positions ", target->ngram, " and ", ngram, " of the n-grams");
      target->ngram = ngram;
    }
  }
}

}  // namespace stringops::kernels
