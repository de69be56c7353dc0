// A subword tokenizer that takes one text at a time. The operator library implements it (kernels/subword_single.h), and
// the Python module calls it: both are built together, so that the interface may be one of C++.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/string_span.h"

namespace stringops {

// Encodes one text after the other, and keeps its memory between them. Not for several threads at once.
class SingleEncoder {
 public:
  struct Ids {
    const uint32_t* at;  // valid until the next call
    int64_t count;
  };

  virtual ~SingleEncoder() = default;
  // Memory for the next text, of at least `num_bytes`.
  virtual uint8_t* reserve(int64_t num_bytes) = 0;
  // The ids of the text that was written there.
  virtual Ids encode(int64_t num_bytes) = 0;
};

// The ids of a stream whose text is not complete, and those before them that it may depend on.
struct TokenStream {
  std::vector<int64_t> ids;
  size_t num_given = 0;   // of the ids, those whose text was given
  size_t num_prompt = 0;  // of the ids, those that came before the first step
  std::string given;      // the text of these
  std::string text;       // that of all, then the result of a step
};

class SingleTokenizer {
 public:
  virtual ~SingleTokenizer() = default;
  virtual std::unique_ptr<SingleEncoder> new_encoder() const = 0;
  virtual int64_t num_ids() const = 0;
  // Sets `text` to that of the ids, with U+FFFD for what is not UTF-8. Ids that do not exist have no text.
  virtual void decode(const int64_t* ids, int64_t count, bool skip_special, std::string& text) const = 0;
  // Appends an id to a stream. Returns the text that is complete by it; it is valid until the next call. An id that
  // does not exist changes nothing.
  virtual const std::string& step(TokenStream& stream, int64_t id, bool skip_special) const = 0;
};

}  // namespace stringops

// The tokenizer of a table that subword_build returned; null if the bytes are not one. They must outlive it.
using OpenTokenizer = stringops::SingleTokenizer*(const uint8_t* bytes, int64_t num_bytes);
extern "C" __attribute__((visibility("default"))) OpenTokenizer stringops_open_tokenizer;
