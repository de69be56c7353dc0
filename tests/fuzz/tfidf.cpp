// tfidf_vectorizer: rows of ids against n-grams that are made and looked up one by one, in a map.
#include "kernels/tfidf.h"

#include <map>

#include "driver/testing.h"
#include "fuzz.h"
#include "results.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

using kernels::NgramAttributes;
using kernels::NgramOutputs;
using kernels::NgramTrie;
using Gram = std::vector<int64_t>;

std::vector<float> vectorize(const NgramTrie& trie, const NgramOutputs& to, int64_t max_skip_count,
                             const std::vector<int64_t>& ids, Shape shape, const kernels::Runner& runner) {
  const Exact<float> out(shape.rows * to.num_outputs);
  const Exact<int64_t> in(ids);
  kernels::vectorize(
      runner, trie, max_skip_count, to, shape.rows, shape.cols,
      [&](int64_t first, int64_t last, int64_t* to_ids) { std::copy(in.data() + first, in.data() + last, to_ids); },
      out.data());
  return out.copy();
}

// The n-grams of the pool, of all lengths in turn.
std::vector<Gram> ngrams_of(const NgramAttributes& attributes, const std::vector<int64_t>& pool) {
  std::vector<Gram> ngrams;
  const std::vector<int64_t>& begins = attributes.ngram_counts;
  for (size_t i = 0; i < begins.size(); ++i) {
    const auto end = static_cast<size_t>(i + 1 < begins.size() ? begins[i + 1] : static_cast<int64_t>(pool.size()));
    for (auto at = static_cast<size_t>(begins[i]); at < end; at += i + 1) {
      ngrams.emplace_back(pool.data() + at, pool.data() + at + i + 1);
    }
  }
  return ngrams;
}

std::vector<float> count_each(const std::map<Gram, size_t>& ngrams, const NgramAttributes& attributes,
                              const NgramOutputs& to, int64_t max_skip_count, const std::vector<int64_t>& ids,
                              Shape shape) {
  std::vector<float> counts(static_cast<size_t>(shape.rows * to.num_outputs));
  for (int64_t row = 0; row < shape.rows; ++row) {
    for (int64_t n = attributes.min_gram_length; n <= std::min(attributes.max_gram_length, shape.cols); ++n) {
      const int64_t distances = n == 1 ? 1 : std::min(max_skip_count, shape.cols) + 1;
      for (int64_t distance = 1; distance <= distances; ++distance) {
        for (int64_t start = 0; start + (n - 1) * distance < shape.cols; ++start) {
          Gram gram;
          for (int64_t j = 0; j < n; ++j) {
            gram.push_back(ids[static_cast<size_t>(row * shape.cols + start + j * distance)]);
          }
          const auto found = ngrams.find(gram);
          if (found == ngrams.end()) continue;
          const auto [at, weight] = to.of_ngrams[found->second];
          float& count = counts[static_cast<size_t>(row * to.num_outputs + at)];
          count = to.is_idf ? weight : count + weight;
        }
      }
    }
  }
  return counts;
}

// Covers tfidf_vectorizer.
FUZZ_TARGET(tfidf) {
  NgramAttributes attributes{1 + in.below(3), 0, {}};
  attributes.max_gram_length = attributes.min_gram_length + in.below(3);
  const int64_t max_skip_count = in.byte() < 224 ? in.below(5) : in.any<int64_t>() & INT64_MAX, tasks = 1 + in.below(3);
  const int64_t num_pool = in.below(40), num_ids = std::min(1 + in.below(5), num_pool);
  std::vector<int64_t> pool;
  for (int64_t i = 0; i < num_pool; ++i) pool.push_back(in.below(num_ids));
  const bool hostile = in.byte() >= 0xE0;
  int64_t at = in.byte() >= 0xF0 ? in.below(3) : 0;
  for (int64_t n = 1 + in.below(4), i = 1; i <= n; ++i) {
    attributes.ngram_counts.push_back(hostile ? in.any<int64_t>() : at);
    at += i * in.below(6);
  }
  const Shape shape{in.below(5), in.below(12)};
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < shape.rows * shape.cols; ++i) ids.push_back(in.below(num_ids + 1) - 1);

  int64_t count = 0;
  try {
    count = kernels::check_ngrams("", attributes, num_pool);
  } catch (const std::invalid_argument&) {
    return;
  }
  NgramOutputs to{{}, 1 + in.below(50), in.flag(), false};
  to.has_weights = to.num_outputs % 2 == 0;
  for (int64_t i = 0; i < count; ++i) {
    // N-grams with the same output have the same weight, as one of them is kept in that mode.
    const auto at = static_cast<int32_t>(in.below(to.num_outputs));
    to.of_ngrams.push_back({at, 0.25F * static_cast<float>(at % 7)});
  }
  std::map<Gram, size_t> ngrams;
  const std::vector<Gram> all = ngrams_of(attributes, pool);
  REQUIRE(static_cast<int64_t>(all.size()) == count);
  bool distinct = true;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto n = static_cast<int64_t>(all[i].size());
    if (n < attributes.min_gram_length || n > attributes.max_gram_length) continue;
    distinct = ngrams.emplace(all[i], i).second && distinct;
  }
  std::optional<NgramTrie> trie;
  try {
    trie.emplace("", attributes, pool);
  } catch (const std::invalid_argument&) {
    REQUIRE(!distinct);
    return;
  }
  REQUIRE(distinct);
  REQUIRE(vectorize(*trie, to, max_skip_count, ids, shape, kernels::LoopRunner(tasks)) ==
          count_each(ngrams, attributes, to, max_skip_count, ids, shape));
}

// Any keys, and ids in order of first appearance.
FUZZ_TARGET(tfidf_keys) {
  const int64_t count = in.below(100);
  kernels::KeyTable<kernels::ElementId> table(count);
  std::map<uint64_t, int32_t> want;
  for (int64_t i = 0; i < count; ++i) {
    const auto key = in.flag() ? in.any<uint64_t>() : static_cast<uint64_t>(in.below(8));
    const auto known = want.find(key);
    REQUIRE(table.find(key).id == (known == want.end() ? -1 : known->second));
    const auto next = static_cast<int32_t>(want.size());
    kernels::ElementId& found = table.find_or_insert(key);
    if (found.id < 0) found.id = next;
    REQUIRE(found.id == want.try_emplace(key, next).first->second);
  }
}

SHARED_CALL(tfidf_vectorizer, {
  const std::vector<int64_t> pool{0, 1, 2, 0, 1, 1, 2}, ids(static_cast<size_t>(world.strings.span.size()), 1);
  const NgramTrie trie("", {1, 2, {0, 3}}, pool);
  const NgramOutputs to{{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}}, 5, false, false};
  const StringSpan& in = world.strings.span;
  return digest(Exact<float>(vectorize(trie, to, 1, ids, {in.rows, in.cols}, runner)));
})

}  // namespace
}  // namespace stringops::fuzz
