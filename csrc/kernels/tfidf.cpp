#include "kernels/tfidf.h"

#include "core/fail.h"
#include "core/hash.h"
#include "core/narrow.h"

namespace stringops::kernels {
namespace {

// Random, against hash flooding by the integers of a pool. No result depends on it.
const HashSeed& process_seed() {
  static const HashSeed seed = random_seed();
  return seed;
}

size_t capacity_for(int64_t max_keys) {
  size_t capacity = 16;
  while (capacity < 2 * static_cast<size_t>(max_keys)) capacity *= 2;
  return capacity;
}

// The elements of the pool that are n-grams of length `n`: [begin, end).
struct Section {
  int64_t begin;
  int64_t end;
};

Section section_of(const NgramAttributes& attributes, size_t i, int64_t pool_size) {
  const std::vector<int64_t>& begins = attributes.ngram_counts;
  return {begins[i], i + 1 < begins.size() ? begins[i + 1] : pool_size};
}

}  // namespace

KeyTable::KeyTable(int64_t max_keys) : slots_(capacity_for(max_keys), Slot{0, -1}) {}

uint64_t KeyTable::slot_of(uint64_t key) const {
  const HashSeed& seed = process_seed();
  const uint64_t mask = slots_.size() - 1;
  uint64_t i = mix(key ^ seed.low, seed.high | 1) & mask;
  while (slots_[i].id >= 0 && slots_[i].key != key) i = (i + 1) & mask;
  return i;
}

int32_t KeyTable::find_or_insert(uint64_t key, int32_t id) {
  Slot& slot = slots_[slot_of(key)];
  if (slot.id < 0) slot = {key, id};
  return slot.id;
}

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
      first_(ids.size(), kNone),
      children_(static_cast<int64_t>(ids.size())) {
  const auto pool_size = static_cast<int64_t>(ids.size());
  int32_t ngram = 0;
  for (size_t i = 0; i < attributes.ngram_counts.size(); ++i) {
    const auto length = static_cast<int64_t>(i) + 1;
    const auto [begin, end] = section_of(attributes, i, pool_size);
    for (int64_t at = begin; at < end; at += length, ++ngram) {
      if (length < min_length_ || length > max_length_) continue;
      int32_t& first = first_[static_cast<size_t>(ids[static_cast<size_t>(at)])];
      if (first == kNone) first = add_node();
      int32_t node = first;
      for (int64_t j = at + 1; j < at + length; ++j) {
        nodes_[static_cast<size_t>(node)].has_children = true;
        const auto next = narrow<int32_t>(nodes_.size());
        node = children_.find_or_insert(child_key(node, ids[static_cast<size_t>(j)]), next);
        if (node == next) add_node();
      }
      int32_t& here = nodes_[static_cast<size_t>(node)].ngram;
      STRINGOPS_CHECK(here == kNone, op, ": expected distinct n-grams in the pool, got the same ", length,
                      "-gram at positions ", here, " and ", ngram, " of the n-grams");
      here = ngram;
    }
  }
}

int32_t NgramTrie::add_node() {
  nodes_.push_back({kNone, false});
  return narrow<int32_t>(nodes_.size() - 1);
}

}  // namespace stringops::kernels
