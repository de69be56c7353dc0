// Values of JSON documents (RFC 8259): finds those at paths, all in one pass over a document, and converts the text of
// a value to a string.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/string_span.h"
#include "driver/run_map.h"
#include "driver/runner.h"
#include "kernels/json_path.h"

namespace stringops::kernels {

// The kind of a value. The Python layer knows the numbers.
enum class JsonKind : uint8_t {
  kMissing = 0,  // there is no value
  kNull = 1,
  kFalse = 2,
  kTrue = 3,
  kInteger = 4,  // that int64 holds, without fraction and exponent
  kNumber = 5,   // others
  kString = 6,
  kArray = 7,
  kObject = 8,
};

// The text of a value: bytes of its document.
struct JsonValue {
  int32_t begin = 0;
  int32_t end = 0;
  JsonKind kind = JsonKind::kMissing;
};

// A document that is not JSON.
struct JsonFault {
  int64_t at;        // the byte at which the document cannot go on
  bool is_too_deep;  // it is a bracket within kMaxDepth others
};

// Scans documents, one at a time.
class JsonScanner {
 public:
  // Arrays and objects within each other.
  static constexpr int32_t kMaxDepth = 1024;

  explicit JsonScanner(const JsonPaths& paths) : paths_(paths) {}

  // Checks the document, and finds the value of each path; of equal keys of an object, the last one counts.
  std::optional<JsonFault> scan(StringView document, JsonValue* values);

 private:
  struct Level {
    const uint8_t* begin;
    int32_t node;
    int32_t index;  // of an item
    bool is_object;
  };

  int32_t find_member(int32_t node, StringView key, bool has_escapes);

  const JsonPaths& paths_;
  std::array<Level, kMaxDepth> levels_;
};

// Finds the values of each document (driver/reduce.h). The kind of path p in document i is `out[p * count + i]`, and
// the text is from spans[2 * (p * count + i)] to the next span, in bytes of the document. A document that is not JSON
// has no values, and sets `failed`.
struct JsonSpans {
  using Value = uint8_t;
  static constexpr Cost kCost{40, 1};
  static constexpr bool kRuns = true;

  const JsonPaths& paths;
  int32_t* spans;
  std::atomic<bool>& failed;

  void run(const StringSpan& in, int64_t first, int64_t last, uint8_t* out) const;
};

// The text of a string in quotes, without its escapes; other strings as they are.
struct JsonUnquote {
  static constexpr Cost kCost{20, 0.5};

  // Writes the results of a task, which have no more bytes than its strings (driver/run_map.h).
  class Writer {
   public:
    Writer(const char*, const JsonUnquote&, const MapOutput& out, int64_t begin, int64_t end)
        : out_(out), begin_(begin), end_(end) {}

    void write(const StringSpan& in, int64_t first, int64_t last);

    RunResult result;

   private:
    const MapOutput out_;
    const int64_t begin_, end_;
  };

  struct Driver {
    template <class Allocate>
    static void map(const char* op, const Runner& runner, const JsonUnquote& f, const StringSpan& in,
                    Allocate&& allocate) {
      RunMap::map_by<Writer>(op, runner, f, in, allocate);
    }
  };
};

}  // namespace stringops::kernels
