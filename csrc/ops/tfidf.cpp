// tfidf_vectorizer, of strings and of integers. Spec: ONNX TfIdfVectorizer-9.
#include "kernels/tfidf.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/narrow.h"
#include "kernels/vocabulary.h"
#include "ops/register.h"

namespace stringops {
namespace {

using kernels::ElementId;
using kernels::KeyTable;
using kernels::NgramAttributes;
using kernels::NgramTrie;

constexpr const char* kTfidf = "tfidf_vectorizer";

// The limit of the outputs of a row. One index of an untrusted model determines their number, and each output takes
// memory in every row.
constexpr int64_t kMaxOutputs = int64_t{1} << 26;

// The attributes that tensors do not hold.
struct Attributes {
  NgramAttributes ngrams;
  int64_t max_skip_count;
  const std::string& mode;
  std::optional<int64_t> num_outputs;

  void check() const {
    STRINGOPS_CHECK(ngrams.min_gram_length >= 1, kTfidf, ": expected `min_gram_length` >= 1, got ",
                    ngrams.min_gram_length);
    STRINGOPS_CHECK(ngrams.max_gram_length >= ngrams.min_gram_length, kTfidf,
                    ": expected `max_gram_length` >= `min_gram_length` (", ngrams.min_gram_length, "), got ",
                    ngrams.max_gram_length);
    STRINGOPS_CHECK(max_skip_count >= 0, kTfidf, ": expected `max_skip_count` >= 0, got ", max_skip_count);
    if (mode != "TF" && mode != "IDF" && mode != "TFIDF") fail_choice(kTfidf, "mode", "'TF', 'IDF' or 'TFIDF'", mode);
    STRINGOPS_CHECK(!num_outputs || (*num_outputs >= 0 && *num_outputs <= kMaxOutputs), kTfidf,
                    ": expected `num_outputs` within [0, ", kMaxOutputs, "], got ", num_outputs.value_or(0));
  }
};

template <class T>
bool equal(const std::vector<T>& kept, const T* values, int64_t count) {
  return static_cast<int64_t>(kept.size()) == count &&
         (count == 0 || std::memcmp(kept.data(), values, kept.size() * sizeof(T)) == 0);
}

void check_vector(const char* name, const Tensor& t, ScalarType dtype) {
  check_cpu(kTfidf, name, t);
  check_dtype(kTfidf, name, t, dtype);
  check_rank(kTfidf, name, t, 1);
  check_count(kTfidf, name, t);
}

// Copies of `ngram_indexes` and `weights`, and the object that is made of them.
struct Outputs {
  std::vector<int64_t> indexes;
  std::vector<float> weights;
  std::optional<int64_t> num_outputs;
  kernels::NgramOutputs outputs;

  Outputs(const std::string& mode, std::optional<int64_t> num_outputs_arg, const int64_t* index, int64_t count,
          const float* weight, int64_t num_weights)
      : indexes(index, index + count),
        weights(weight, weight + num_weights),
        num_outputs(num_outputs_arg),
        outputs{{}, 0, mode == "IDF", num_weights > 0} {
    outputs.of_ngrams.reserve(indexes.size());
    const int64_t limit = num_outputs.value_or(kMaxOutputs);
    for (size_t i = 0; i < indexes.size(); ++i) {
      STRINGOPS_CHECK(0 <= indexes[i] && indexes[i] < limit, kTfidf, ": expected `ngram_indexes` within [0, ",
                      limit - 1, "], got ", indexes[i], " at position ", i);
      outputs.of_ngrams.push_back({narrow<int32_t>(indexes[i]), weights.empty() ? 1.0F : weights[i]});
      outputs.num_outputs = std::max(outputs.num_outputs, indexes[i] + 1);
    }
    if (num_outputs) outputs.num_outputs = *num_outputs;
  }

  bool is_of(const std::string& mode, std::optional<int64_t> num_outputs_arg, const int64_t* index, int64_t count,
             const float* weight, int64_t num_weights) const {
    return outputs.is_idf == (mode == "IDF") && num_outputs == num_outputs_arg && equal(indexes, index, count) &&
           equal(weights, weight, num_weights);
  }
};

// Returns the last object that was made of such content, or a new one: most calls have the attributes of the previous
// one.
template <class Kept, class... Content>
std::shared_ptr<const Kept> find_kept(const Content&... content) {
  thread_local std::shared_ptr<const Kept> kept;
  if (!kept || !kept->is_of(content...)) {
    kept = nullptr;
    kept = std::make_shared<const Kept>(content...);
  }
  return kept;
}

std::shared_ptr<const Outputs> find_outputs(const Tensor& indexes_arg, const std::optional<Tensor>& weights_arg,
                                            const Attributes& attributes, int64_t num_ngrams) {
  const Tensor indexes = as_contiguous(indexes_arg);
  STRINGOPS_CHECK(indexes.numel() == num_ngrams, kTfidf, ": expected `ngram_indexes` of ", num_ngrams,
                  " elements, as many as there are n-grams in the pool, got ", indexes.numel());
  const auto* const index = const_ptr<int64_t>(indexes);
  const float* none = nullptr;
  if (!weights_arg) return find_kept<Outputs>(attributes.mode, attributes.num_outputs, index, num_ngrams, none, 0);
  const Tensor weights = as_contiguous(*weights_arg);
  STRINGOPS_CHECK(weights.numel() == num_ngrams, kTfidf, ": expected `weights` of ", num_ngrams,
                  " elements, like `ngram_indexes`, got ", weights.numel());
  const bool weighted = attributes.mode != "TF";
  return find_kept<Outputs>(attributes.mode, attributes.num_outputs, index, num_ngrams,
                            weighted ? const_ptr<float>(weights) : none, weighted ? num_ngrams : 0);
}

// `encode` as in kernels::vectorize.
template <class Encode>
Tensor vectorize(const NgramTrie& trie, const Attributes& attributes, const kernels::NgramOutputs& to,
                 const Sizes& shape, Encode&& encode) {
  const int64_t cols = shape.back(), rows = shape.size() == 1 ? 1 : shape[0];
  const int64_t count = count_elements({rows, to.num_outputs});
  STRINGOPS_CHECK(count <= kMaxOffsets, kTfidf, ": expected a result of at most ", kMaxOffsets, " elements, got [",
                  rows, ", ", to.num_outputs, "] (pass fewer rows or n-grams)");
  Sizes result_shape = shape;
  result_shape.back() = to.num_outputs;
  Tensor result = new_tensor(result_shape, ScalarType::Float);
  kernels::vectorize(TorchRunner(), trie, attributes.max_skip_count, to, rows, cols, encode,
                     mutable_ptr<float>(result));
  return result;
}

Sizes check_shape(Sizes shape) {
  STRINGOPS_CHECK(shape.size() == 1 || shape.size() == 2, kTfidf,
                  ": expected `input` of shape [C] or [N, C], got shape ", shape_text(shape));
  return shape;
}

struct IntPool {
  NgramAttributes attributes;
  std::vector<int64_t> elements;
  KeyTable<ElementId> table;
  NgramTrie trie;

  IntPool(NgramAttributes a, const int64_t* pool, int64_t size)
      : attributes(std::move(a)), elements(pool, pool + size), table(size), trie(kTfidf, attributes, ids()) {}

  bool is_of(const NgramAttributes& a, const int64_t* pool, int64_t size) const {
    return attributes == a && equal(elements, pool, size);
  }

 private:
  std::vector<int64_t> ids() {
    std::vector<int64_t> ids;
    ids.reserve(elements.size());
    int32_t next = 0;
    for (const int64_t element : elements) {
      ElementId& found = table.find_or_insert(static_cast<uint64_t>(element));
      if (found.id < 0) found.id = next++;
      ids.push_back(found.id);
    }
    return ids;
  }
};

struct StringPool {
  NgramAttributes attributes;
  std::vector<int32_t> offsets;  // offsets of a compact copy of the strings
  std::vector<uint8_t> data;
  kernels::DistinctTable words;
  NgramTrie trie;

  StringPool(NgramAttributes a, const StringSpan& pool)
      : attributes(std::move(a)),
        words(kernels::tabulate_distinct(kTfidf, copy(pool))),
        trie(kTfidf, attributes, words.ids) {}

  bool is_of(const NgramAttributes& a, const StringSpan& pool) const {
    if (!(attributes == a) || static_cast<int64_t>(offsets.size()) != pool.size() + 1) return false;
    if (equal(offsets, pool.offsets, pool.size() + 1)) {
      return static_cast<int64_t>(data.size()) <= pool.num_bytes && std::equal(data.begin(), data.end(), pool.data);
    }
    for (int64_t i = 0; i < pool.size(); ++i) {
      const auto at = static_cast<size_t>(i);
      const std::string_view text = pool[i];
      if (static_cast<int64_t>(text.size()) != offsets[at + 1] - offsets[at]) return false;
      if (!std::equal(text.begin(), text.end(), reinterpret_cast<const char*>(data.data()) + offsets[at])) return false;
    }
    return true;
  }

 private:
  StringSpan copy(const StringSpan& pool) {
    offsets.push_back(0);
    int64_t num_bytes = 0;
    for (int64_t i = 0; i < pool.size(); ++i) num_bytes += static_cast<int64_t>(pool[i].size());
    check_result_bytes(kTfidf, num_bytes);
    for (int64_t i = 0; i < pool.size(); ++i) {
      const std::string_view text = pool[i];
      data.insert(data.end(), text.begin(), text.end());
      offsets.push_back(narrow<int32_t>(data.size()));
    }
    return {data.data(), static_cast<int64_t>(data.size()), offsets.data(), pool.size()};
  }
};

template <class Int>
Tensor vectorize_ints(const Tensor& input_arg, const IntPool& pool, const Attributes& attributes,
                      const kernels::NgramOutputs& to, const Sizes& shape) {
  const Tensor input = as_contiguous(input_arg);
  const Int* const values = const_ptr<Int>(input);
  return vectorize(pool.trie, attributes, to, shape, [&](int64_t first, int64_t last, int64_t* ids) {
    for (int64_t i = first; i < last; ++i) {
      ids[i - first] = pool.table.find(static_cast<uint64_t>(static_cast<int64_t>(values[i]))).id;
    }
  });
}

Tensor tfidf_vectorizer(const Tensor& input, const Tensor& pool_int64s, const Tensor& ngram_indexes,
                        const std::optional<Tensor>& weights, int64_t max_gram_length, int64_t max_skip_count,
                        int64_t min_gram_length, const std::string& mode, const Sizes& ngram_counts,
                        std::optional<int64_t> num_outputs) {
  const Attributes attributes{{min_gram_length, max_gram_length, ngram_counts}, max_skip_count, mode, num_outputs};
  attributes.check();
  check_cpu(kTfidf, "input", input);
  const ScalarType dtype = input.scalar_type();
  STRINGOPS_CHECK(dtype == ScalarType::Int || dtype == ScalarType::Long, kTfidf,
                  ": expected `input` to be int32 or int64, got ", dtype_text(dtype));
  const Sizes shape = check_shape(shape_of(input));
  check_vector("pool_int64s", pool_int64s, ScalarType::Long);
  check_vector("ngram_indexes", ngram_indexes, ScalarType::Long);
  if (weights) check_vector("weights", *weights, ScalarType::Float);

  const int64_t num_ngrams = kernels::check_ngrams(kTfidf, attributes.ngrams, pool_int64s.numel());
  const auto to = find_outputs(ngram_indexes, weights, attributes, num_ngrams);
  const Tensor elements = as_contiguous(pool_int64s);
  const auto pool = find_kept<IntPool>(attributes.ngrams, const_ptr<int64_t>(elements), elements.numel());
  return dtype == ScalarType::Int ? vectorize_ints<int32_t>(input, *pool, attributes, to->outputs, shape)
                                  : vectorize_ints<int64_t>(input, *pool, attributes, to->outputs, shape);
}

Tensor tfidf_vectorizer_strings(const Tensor& data, const Tensor& offsets, const Tensor& pool_data,
                                const Tensor& pool_offsets, const Tensor& ngram_indexes,
                                const std::optional<Tensor>& weights, int64_t max_gram_length, int64_t max_skip_count,
                                int64_t min_gram_length, const std::string& mode, const Sizes& ngram_counts,
                                std::optional<int64_t> num_outputs) {
  const Attributes attributes{{min_gram_length, max_gram_length, ngram_counts}, max_skip_count, mode, num_outputs};
  attributes.check();
  const Strings in = check_strings(kTfidf, data, offsets);
  const Sizes shape = check_shape(in.shape());
  const Strings elements = check_strings(kTfidf, pool_data, pool_offsets, "pool_data", "pool_offsets");
  check_vector("ngram_indexes", ngram_indexes, ScalarType::Long);
  if (weights) check_vector("weights", *weights, ScalarType::Float);

  const int64_t num_ngrams = kernels::check_ngrams(kTfidf, attributes.ngrams, elements.span.size());
  const auto to = find_outputs(ngram_indexes, weights, attributes, num_ngrams);
  const auto pool = find_kept<StringPool>(attributes.ngrams, elements.span);
  const std::vector<uint8_t>& table = pool->words.table;
  const auto opened = kernels::open_vocab_table(table.data(), static_cast<int64_t>(table.size()));
  const kernels::VocabLookup lookup(*opened, {-1, 0});
  return vectorize(pool->trie, attributes, to->outputs, shape,
                   [&](int64_t first, int64_t last, int64_t* ids) { lookup.encode_some(in.span, first, last, ids); });
}

}  // namespace
}  // namespace stringops

// The overload for strings is registered, and hence tried, first.
STRINGOPS_OVERLOAD(tfidf_vectorizer, strings,
                   "(Tensor data, Tensor offsets, Tensor pool_data, Tensor pool_offsets, Tensor ngram_indexes,"
                   " Tensor? weights=None, *, int max_gram_length, int max_skip_count, int min_gram_length, str mode,"
                   " int[] ngram_counts, SymInt? num_outputs=None) -> Tensor",
                   "float32")
STRINGOPS_OPERATOR(tfidf_vectorizer,
                   "(Tensor input, Tensor pool_int64s, Tensor ngram_indexes, Tensor? weights=None, *,"
                   " int max_gram_length, int max_skip_count, int min_gram_length, str mode, int[] ngram_counts,"
                   " SymInt? num_outputs=None) -> Tensor",
                   "float32")
