// Values of JSON documents (RFC 8259): finds those at paths, all in one pass over a document, and converts the text of
// a value to a string.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/string_span.h"
#include "driver/run_map.h"
#include "driver/runner.h"

namespace stringops::kernels {

class JsonPaths {
 public:
  static constexpr int32_t kNone = -1;  // no node

  // Throws std::invalid_argument, with an error that begins with `op`, if a path is malformed.
  JsonPaths(const char* op, const std::vector<std::string>& paths);

  int64_t size() const { return static_cast<int64_t>(order_.size()); }

  // The paths that end in a node, and those that lead through it: ranges of numbers of paths.
  struct Range {
    const int32_t* first;
    const int32_t* last;
    const int32_t* begin() const { return first; }
    const int32_t* end() const { return last; }
  };
  Range ending(int32_t node) const { return range(node, nodes_[static_cast<size_t>(node)].own_end); }
  Range through(int32_t node) const { return range(node, nodes_[static_cast<size_t>(node)].end); }

  static constexpr int32_t root() { return 0; }

  // The node of a member of the object at this node, or of an item of the array, or kNone.
  int32_t member(int32_t node, std::string_view key) const;
  int32_t item(int32_t node, int64_t index) const;
  bool has_members(int32_t node) const { return node != kNone && !nodes_[static_cast<size_t>(node)].members.empty(); }

 private:
  struct Node {
    std::vector<std::pair<std::string, int32_t>> members;
    std::vector<std::pair<int64_t, int32_t>> items;
    std::vector<int32_t> paths;  // that end here
    // In `order_`: those that end here, and then those of the nodes below.
    int32_t begin = 0, own_end = 0, end = 0;
  };

  Range range(int32_t node, int32_t end) const {
    return {order_.data() + nodes_[static_cast<size_t>(node)].begin, order_.data() + end};
  }
  int32_t add_member(int32_t node, std::string key);
  int32_t add_item(int32_t node, int64_t index);
  int32_t new_node();
  int32_t add_path(const char* op, std::string_view path);
  void number(int32_t node);

  std::vector<Node> nodes_;
  std::vector<int32_t> order_;
};

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
