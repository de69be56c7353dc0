// Subword tokenizers on one text at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/single_tokenizer.h"
#include "driver/runner.h"
#include "subword/table.h"

namespace stringops::kernels {

class SubwordSingle final : public SingleTokenizer {
 public:
  // The bytes of the table must outlive it, and so must the runner, by several tasks of which long texts are encoded.
  SubwordSingle(subword::Table&& table, const Runner& runner) : table_(std::move(table)), runner_(runner) {}

  std::unique_ptr<SingleEncoder> new_encoder() const override;
  int64_t num_ids() const override { return table_.num_ids(); }
  void decode(const int64_t* ids, int64_t count, bool skip_special, std::string& text) const override;

  // The rule of DecodeStream of Hugging Face's tokenizers: ids whose text ends with U+FFFD wait for the next one; the
  // text of the others is what they add to the text of the last ids that were given. If it does not begin with that
  // text, the stream begins anew with this id.
  const std::string& step(TokenStream& stream, int64_t id, bool skip_special) const override;

 private:
  bool try_step(TokenStream& stream, int64_t id, bool skip_special) const;

  const subword::Table table_;
  const Runner& runner_;
};

}  // namespace stringops::kernels
