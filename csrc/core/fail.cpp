#include "core/fail.h"

#include "core/quote.h"

namespace stringops {

void fail_with(std::initializer_list<ErrorPart> parts) {
  std::string text;
  for (const ErrorPart& part : parts) {
    switch (part.kind) {
      case ErrorPart::Kind::kText:
        text += part.text;
        break;
      case ErrorPart::Kind::kSigned:
        text += std::to_string(static_cast<int64_t>(part.number));
        break;
      case ErrorPart::Kind::kUnsigned:
        text += std::to_string(part.number);
        break;
    }
  }
  throw std::invalid_argument(text);
}

void fail_choice(const char* op, const char* name, const char* choices, const std::string& got) {
  fail(op, ": expected `", name, "` to be ", choices, ", got ", quoted(got.data(), got.size()));
}

void fail_changed(const char* op) {
  throw ConcurrentWrite(std::string(op) + ": an argument was modified by another thread during the call (pass a copy)");
}

std::string shape_text(const std::vector<int64_t>& sizes) {
  std::string text;
  for (const int64_t size : sizes) text += (text.empty() ? "[" : ", ") + std::to_string(size);
  return text.empty() ? "[]" : text + "]";
}

std::string size_text(int64_t size) {
  return size < kTooMany ? std::to_string(size) : "more than " + std::to_string(kMaxBytes);
}

void check_result_bytes(const char* op, int64_t num_bytes) {
  STRINGOPS_CHECK(num_bytes <= kMaxBytes, op, ": the result needs ", size_text(num_bytes),
                  " bytes; int32 offsets address at most ", kMaxBytes, " (pass fewer or shorter strings)");
}

void check_result_offsets(const char* op, int64_t num_offsets) {
  STRINGOPS_CHECK(num_offsets <= kMaxOffsets, op, ": the result needs ", size_text(num_offsets),
                  " offsets; a tensor has at most ", kMaxOffsets, " (pass fewer or shorter strings)");
}

}  // namespace stringops
