// The structures of the Arrow C data and stream interfaces, which PyCapsules hold. Their layouts are fixed by the
// specification.
#pragma once

#include <cstdint>
#include <utility>

namespace stringops::convert {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;  // -1: not counted
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

constexpr const char* kArrowSchema = "arrow_schema";
constexpr const char* kArrowArray = "arrow_array";
constexpr const char* kArrowStream = "arrow_array_stream";

// Owns the resources of an Arrow structure, unless a consumer has moved them out.
template <class Struct>
struct Owned : Struct {
  explicit Owned(Struct from = Struct{}) : Struct(from) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (this->release) this->release(this);
  }
};

// Whether the validity bit of element i is 0.
inline bool is_null(const ArrowArray& a, int64_t i) {
  const int64_t bit = a.offset + i;
  return !(static_cast<const uint8_t*>(a.buffers[0])[bit / 8] >> (bit % 8) & 1);
}

}  // namespace stringops::convert
