// Import of Arrow columns of strings: zero-copy if the layout is ours, else copied and joined in two passes.
//
// A column is any number of chunks. Structures are checked as far as possible; Arrow does not give the sizes of
// buffers.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "convert/arrow_stream.h"
#include "convert/c_interfaces.h"
#include "convert/failure.h"
#include "convert/layout.h"
#include "core/narrow.h"
#include "core/string_span.h"

namespace stringops::convert {

// int32 offsets (utf8, binary), int64 offsets (large_utf8, large_binary), or 16 bytes a string (string_view).
enum class ArrowLayout { kOffsets32, kOffsets64, kViews };

// An array of a producer.
class Chunk {
 public:
  // Moves the array out of `from`.
  explicit Chunk(ArrowArray& from) : array_(std::exchange(from, ArrowArray{})) {}

  int64_t size() const { return array_.length; }
  ArrowLayout layout() const { return layout_; }

  // Throws unless the structure can be a column of strings of this layout.
  void check(const std::string& op, ArrowLayout layout) {
    layout_ = layout;
    const ArrowArray& a = array_;
    int64_t end = 0;
    constexpr int64_t kMaxBuffers = INT32_MAX + int64_t{3};  // 32-bit indices of data buffers, and three others
    const bool views = layout == ArrowLayout::kViews;
    bool good = a.length >= 0 && a.offset >= 0 && !__builtin_add_overflow(a.offset, a.length, &end) &&
                end < INT64_MAX / 16 && a.n_children == 0 && !a.dictionary && a.buffers && a.n_buffers >= 3 &&
                a.n_buffers <= (views ? kMaxBuffers : 3) && (a.length == 0 || a.buffers[1]);
    // With views, the last buffer has the sizes of the data buffers.
    if (good && views) good = a.n_buffers == 3 || a.buffers[a.n_buffers - 1];
    if (good && a.null_count > 0) good = a.buffers[0];
    if (!good) fail(PyExc_ValueError, op + ": expected a well-formed Arrow array of strings, got one that is not");
    has_missing_ = a.null_count != 0 && a.buffers[0] && first_missing() < a.length;
    if (layout == ArrowLayout::kOffsets32) good = check_offsets<int32_t>();
    if (layout == ArrowLayout::kOffsets64) good = check_offsets<int64_t>();
    if (!good) {
      fail(PyExc_ValueError, op + ": expected the offsets of an Arrow array to be non-decreasing and >= 0");
    }
  }

  bool has_missing() const { return has_missing_; }
  bool is_missing(int64_t i) const { return is_null(array_, i); }
  int64_t first_missing() const {
    int64_t i = 0;
    while (i < size() && !is_missing(i)) ++i;
    return i;
  }

  // With offsets: the interval of the data buffer that the strings occupied when the offsets were checked.
  int64_t first_byte() const { return first_byte_; }
  int64_t num_bytes() const { return num_bytes_; }
  const uint8_t* data() const { return static_cast<const uint8_t*>(array_.buffers[2]); }
  const void* offsets32() const { return static_cast<const int32_t*>(array_.buffers[1]) + array_.offset; }
  // Offset i, counted from first_byte().
  int64_t offset(int64_t i) const {
    return std::clamp(raw_offset(i), first_byte_, first_byte_ + num_bytes_) - first_byte_;
  }

  struct Bytes {
    const void* at;
    int64_t size;
  };

  // String i; of size -1 if its view is invalid. Reads each field once, as it may change (race).
  Bytes string(int64_t i) const {
    if (layout_ != ArrowLayout::kViews) {
      const int64_t begin = offset(i);
      return {data() + first_byte_ + begin, offset(i + 1) - begin};
    }
    const char* const view = static_cast<const char*>(array_.buffers[1]) + (array_.offset + i) * 16;
    const int64_t size = read_at<int32_t>(view, 0);
    if (size <= kInlineBytes) return {view + 4, size < 0 ? -1 : size};
    const int64_t buffer = read_at<int32_t>(view, 8), begin = read_at<int32_t>(view, 12);
    if (buffer < 0 || buffer >= array_.n_buffers - 3 || begin < 0 || !array_.buffers[2 + buffer]) return {nullptr, -1};
    if (begin + size > read_at<int64_t>(array_.buffers[array_.n_buffers - 1], buffer * 8)) return {nullptr, -1};
    return {static_cast<const char*>(array_.buffers[2 + buffer]) + begin, size};
  }

 private:
  static constexpr int32_t kInlineBytes = 12;

  // Element `at` of the offsets; they need not be aligned.
  template <class T>
  int64_t read(int64_t at) const {
    return read_at<T>(array_.buffers[1], at * static_cast<int64_t>(sizeof(T)));
  }

  int64_t raw_offset(int64_t i) const {
    const int64_t at = array_.offset + i;
    return layout_ == ArrowLayout::kOffsets32 ? read<int32_t>(at) : read<int64_t>(at);
  }

  template <class T>
  bool check_offsets() {
    if (size() == 0) return true;
    bool decreasing = false;
    for (int64_t i = array_.offset; i < array_.offset + size(); ++i) decreasing |= read<T>(i + 1) < read<T>(i);
    const int64_t first = raw_offset(0), last = raw_offset(size());
    if (decreasing || first < 0 || last < first || (last > first && !data())) return false;
    first_byte_ = first;
    num_bytes_ = last - first;
    return true;
  }

  Owned<ArrowArray> array_;
  ArrowLayout layout_ = ArrowLayout::kOffsets32;
  bool has_missing_ = false;
  int64_t first_byte_ = 0;
  int64_t num_bytes_ = 0;
};

// The chunks of one column, the replacement of its missing strings, and its size.
struct Column {
  std::string op;
  ArrowLayout layout = ArrowLayout::kOffsets32;
  std::vector<std::shared_ptr<Chunk>> chunks;
  bool has_fill = false;
  std::string fill;
  int64_t size = 0;
  int64_t num_bytes = 0;

  // Reads the layout of the strings.
  void read_schema(const ArrowSchema& schema) {
    const std::string format = read_format(schema);
    const std::string expected = op + ": expected a column of strings, got ";
    if (schema.dictionary) {
      fail(PyExc_TypeError, expected + "a dictionary-encoded one (decode it, or cast it to a string type)");
    }
    if (format == "u" || format == "z") {
      layout = ArrowLayout::kOffsets32;
    } else if (format == "U" || format == "Z") {
      layout = ArrowLayout::kOffsets64;
    } else if (format == "vu" || format == "vz") {
      layout = ArrowLayout::kViews;
    } else {
      fail(PyExc_TypeError, expected + "Arrow format " + quoted(format.data(), format.size()) +
                                (format.rfind("+s", 0) == 0 ? " (a table: pass one of its columns)" : ""));
    }
  }

  // Moves the next chunk in and measures it.
  void add(ArrowArray& array) {
    chunks.push_back(std::make_shared<Chunk>(array));
    Chunk& chunk = *chunks.back();
    if (chunk.size() > kMaxBytes - size) {  // before any of its buffers is read
      fail(PyExc_ValueError, op + ": expected at most " + std::to_string(kMaxBytes) + " strings, got " +
                                 std::to_string(chunk.size()) + " (split the batch)");
    }
    chunk.check(op, layout);
    if (chunk.has_missing() && !has_fill) {
      fail(PyExc_ValueError, op + ": expected no missing strings, got one at [" +
                                 std::to_string(size + chunk.first_missing()) + "] (pass missing= to replace it)");
    }
    size += chunk.size();
    if (in_one_piece(chunk)) {
      grow(chunk.num_bytes());
      return;
    }
    for (int64_t i = 0; i < chunk.size(); ++i) {
      const int64_t bytes = string(chunk, i).size;
      if (bytes < 0) {
        fail(PyExc_ValueError, op + ": expected the views of an Arrow array to lie in its buffers, got another at [" +
                                   std::to_string(size - chunk.size() + i) + "]");
      }
      grow(bytes);
    }
  }

  // Whether data and offsets, or data alone, are zero-copy.
  bool shares_data() const { return chunks.size() == 1 && in_one_piece(*chunks[0]) && num_bytes > 0; }
  bool shares_offsets() const {
    return shares_data() && layout == ArrowLayout::kOffsets32 &&
           reinterpret_cast<uintptr_t>(chunks[0]->offsets32()) % alignof(int32_t) == 0;
  }

  // Writes the offsets, and the bytes unless `data` is null, as for shared data.
  void write(uint8_t* data, int32_t* offsets) const {
    int64_t at = 0;
    *offsets++ = 0;
    for (const auto& shared : chunks) {
      const Chunk& chunk = *shared;
      if (!in_one_piece(chunk)) {
        for (int64_t i = 0; i < chunk.size(); ++i) {
          const Chunk::Bytes bytes = string(chunk, i);
          check_room(bytes.size, at);
          if (bytes.size) std::memcpy(data + at, bytes.at, static_cast<size_t>(bytes.size));
          *offsets++ = narrow<int32_t>(at += bytes.size);
        }
        continue;
      }
      const int64_t bytes = chunk.num_bytes();
      check_room(bytes, at);
      if (data && bytes) std::memcpy(data + at, chunk.data() + chunk.first_byte(), static_cast<size_t>(bytes));
      for (int64_t i = 1; i <= chunk.size(); ++i) *offsets++ = narrow<int32_t>(at + chunk.offset(i));
      at += bytes;
    }
    if (at != num_bytes) fail_changed();
  }

 private:
  static bool in_one_piece(const Chunk& chunk) { return chunk.layout() != ArrowLayout::kViews && !chunk.has_missing(); }

  Chunk::Bytes string(const Chunk& chunk, int64_t i) const {
    if (chunk.has_missing() && chunk.is_missing(i)) return {fill.data(), static_cast<int64_t>(fill.size())};
    return chunk.string(i);
  }

  void grow(int64_t bytes) {
    if (bytes > kMaxBytes - num_bytes) {
      fail_too_large(op, static_cast<uint64_t>(num_bytes) + static_cast<uint64_t>(bytes));
    }
    num_bytes += bytes;
  }

  [[noreturn]] void fail_changed() const {
    fail(PyExc_ValueError, op + ": the Arrow array was modified by another thread during the call (pass a copy)");
  }
  void check_room(int64_t bytes, int64_t at) const {
    if (bytes < 0 || bytes > num_bytes - at) fail_changed();
  }
};

// Passes the schema of a stream and all its chunks to `into`: a Column, or a Nested one.
template <class Into>
void read_stream(ArrowArrayStream& from, Into& into) {
  Owned<ArrowArrayStream> stream(std::exchange(from, ArrowArrayStream{}));
  Owned<ArrowSchema> schema;
  get_schema(into.op, stream, schema);
  into.read_schema(schema);
  for (;;) {
    Owned<ArrowArray> array;
    get_next(into.op, stream, array);
    if (!array.release) return;
    into.add(array);
  }
}

constexpr const char* kColumn = "torch_stringops.arrow_column";

// Deletes the owner of a producer's structures, with the GIL held. Their release may run Python code, which must not
// see or clear the current exception.
template <class Held>
struct DropWithGil {
  void operator()(Held* held) const {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    delete held;
    PyErr_Restore(type, value, traceback);
  }
};

// A DLPack capsule of memory of a chunk, which lives as long as the tensor that torch makes of it.
inline PyObject* share_memory(const std::shared_ptr<Chunk>& owner, const void* data, int64_t size, bool is_offsets) {
  struct Shared {
    DlManagedTensor managed;
    std::shared_ptr<Chunk> owner;
    int64_t shape;
    int64_t stride;
  };
  auto shared = std::make_unique<Shared>();
  shared->owner = owner;
  shared->shape = size;
  shared->stride = 1;
  constexpr int32_t kCpu = 1;
  constexpr uint8_t kInt = 0, kUint = 1;
  DlTensor& tensor = shared->managed.tensor;
  tensor = {const_cast<void*>(data),
            kCpu,
            0,
            1,
            is_offsets ? kInt : kUint,
            static_cast<uint8_t>(is_offsets ? 32 : 8),
            1,
            &shared->shape,
            &shared->stride,
            0};
  shared->managed.context = shared.get();
  shared->managed.deleter = [](DlManagedTensor* managed) { delete static_cast<Shared*>(managed->context); };
  PyObject* capsule = or_throw(PyCapsule_New(&shared->managed, kDlTensor, [](PyObject* dropped) {
    // A consumer that takes the tensor renames the capsule.
    if (!PyCapsule_IsValid(dropped, kDlTensor)) return;
    auto* managed = static_cast<DlManagedTensor*>(PyCapsule_GetPointer(dropped, kDlTensor));
    managed->deleter(managed);
  }));
  shared.release();
  return capsule;
}

}  // namespace stringops::convert
