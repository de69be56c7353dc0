// Cases of subword tokenizers.
#include <map>

#include "cases.h"
#include "kernels/subword.h"
#include "subword/build/build.h"

namespace stringops::instructions {
namespace {

using namespace kernels;

// A table of the bytes, and of each beginning of the words of a vocabulary.
std::vector<uint8_t> subword_table(const char* split) {
  std::vector<std::string> tokens;
  std::map<std::string, int64_t> ids;
  const auto id_of = [&](const std::string& token) {
    const auto [at, is_new] = ids.emplace(token, static_cast<int64_t>(tokens.size()));
    if (is_new) tokens.push_back(token);
    return at->second;
  };
  for (int byte = 0; byte < 256; ++byte) id_of(std::string(1, static_cast<char>(byte)));
  std::vector<int64_t> merges;
  const Strings words = drawn_words(512);
  const StringSpan span = words.span();
  for (int64_t i = 0; i < span.size(); ++i) {
    const std::string word = " " + std::string(span[i]);
    for (size_t n = 2; n <= word.size(); ++n) {
      const int64_t left = id_of(word.substr(0, n - 1)), right = id_of(word.substr(n - 1, 1));
      merges.insert(merges.end(), {left, right, id_of(word.substr(0, n))});
    }
  }
  std::vector<uint8_t> data;
  std::vector<int32_t> offsets{0};
  for (const std::string& token : tokens) {
    data.insert(data.end(), token.begin(), token.end());
    offsets.push_back(static_cast<int32_t>(data.size()));
  }
  const StringSpan pieces{data.data(), static_cast<int64_t>(data.size()), offsets.data(), 1,
                          static_cast<int64_t>(tokens.size())};
  return build_subword_table("", pieces, {merges.data(), static_cast<int64_t>(merges.size()) / 3},
                             "subword 1\nmodel bpe\n" + std::string(split) + "\n");
}

void subword_encode(const char* split, const Strings& strings, bool spans = false) {
  const StringSpan in = strings.span();
  const std::vector<uint8_t> bytes = subword_table(split);
  const auto splits = room<int64_t>(in.size() + 1);
  counted([&] {
    const auto table = subword::open_table(bytes.data(), static_cast<int64_t>(bytes.size()));
    require(table.has_value());
    std::vector<int64_t> ids;
    std::vector<int32_t> begins, ends;
    encode_subwords("", LoopRunner(), in, *table, {false, -1, spans}, [&](int64_t num_ids) {
      ids.resize(static_cast<size_t>(num_ids));
      if (!spans) return SubwordOutput{ids.data(), splits.get(), nullptr, nullptr};
      begins.resize(ids.size());
      ends.resize(ids.size());
      return SubwordOutput{ids.data(), splits.get(), begins.data(), ends.data()};
    });
  });
}

COUNTED("subword_encode/gpt2", subword_encode("split gpt2", ascii_text()))
COUNTED("subword_encode/llama3", subword_encode("split llama3", ascii_text()))
COUNTED("subword_encode/o200k", subword_encode("split o200k", ascii_text()))
COUNTED("subword_encode/deepseek", subword_encode("split deepseek", ascii_text()))
COUNTED("subword_encode/llama3_world", subword_encode("split llama3", world_text()))
COUNTED("subword_encode/nfkc", subword_encode("normalize nfkc\nsplit gpt2", ascii_text()))
COUNTED("subword_encode/nfkc_world", subword_encode("normalize nfkc\nsplit gpt2", world_text()))
COUNTED("subword_encode/spans", subword_encode("split llama3", ascii_text(), true))

}  // namespace
}  // namespace stringops::instructions
