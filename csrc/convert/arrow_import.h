// Imports Arrow columns of strings: zero-copy if the layout is the library's, else copied and joined in two passes.
//
// A column is any number of chunks.
#pragma once

#include <Python.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "convert/arrow_chunk.h"
#include "convert/c_interfaces.h"
#include "convert/failure.h"
#include "core/narrow.h"
#include "core/quote.h"
#include "core/string_span.h"

namespace stringops::convert {

// Calls an Arrow stream, which another library implements: any member may be NULL, any call may fail, and its error
// text may have any length and need not be UTF-8.

// Returns the structure in a capsule, unless a consumer has moved it out.
template <class Struct>
Struct& take(PyObject* capsule, const char* name, const std::string& op, const char* from) {
  auto& held = from_capsule<Struct>(capsule, name, op, from);
  if (!held.release) fail(PyExc_ValueError, op + ": expected an Arrow structure that no consumer has moved out");
  return held;
}

// Returns the format of a schema, truncated if it is longer than any format of strings.
inline std::string read_format(const ArrowSchema& schema) {
  return schema.format ? std::string(schema.format, strnlen(schema.format, kMaxQuoted + 1)) : std::string();
}

// Runs a call of the producer without the GIL, because it may be slow or take the GIL itself; throws if it fails.
template <class Call>
void call_stream(const std::string& op, ArrowArrayStream& stream, Call&& call) {
  PyThreadState* const state = PyEval_SaveThread();
  const int error = call();
  PyEval_RestoreThread(state);
  if (error == 0) return;
  if (error == ENOMEM) throw std::bad_alloc();
  const char* given = stream.get_last_error ? stream.get_last_error(&stream) : nullptr;
  if (!given) given = std::strerror(error);
  constexpr size_t kMaxShown = 200;
  std::string text(given, strnlen(given, kMaxShown + 1));
  if (text.size() > kMaxShown) text.replace(kMaxShown, 1, "...");
  fail(PyExc_RuntimeError, op + ": the Arrow stream failed: " + text);
}

// Gets the schema, which the caller releases.
inline void get_schema(const std::string& op, ArrowArrayStream& stream, ArrowSchema& schema) {
  if (!stream.get_schema || !stream.get_next) {
    fail(PyExc_ValueError, op + ": expected an Arrow stream with `get_schema` and `get_next`, got NULL for `" +
                               (stream.get_schema ? "get_next`" : "get_schema`"));
  }
  call_stream(op, stream, [&] { return stream.get_schema(&stream, &schema); });
  if (!schema.release) fail(PyExc_ValueError, op + ": expected an Arrow stream with a schema, got none");
}

// Gets the next chunk, which the caller releases. After the last one, the chunk has no `release`.
inline void get_next(const std::string& op, ArrowArrayStream& stream, ArrowArray& array) {
  call_stream(op, stream, [&] { return stream.get_next(&stream, &array); });
}

// The chunks of one column, the replacement of its missing strings, and its size.
struct Column {
  std::string op;
  std::optional<std::string> fill;
  ArrowLayout layout = ArrowLayout::kOffsets32;
  std::deque<Chunk> chunks{};
  int64_t width = 0;  // the size of each string of ArrowLayout::kFixed
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
    } else if (format == "n") {
      layout = ArrowLayout::kNulls;
    } else if (format.rfind("w:", 0) == 0 && read_width(format.c_str() + 2)) {
      layout = ArrowLayout::kFixed;
    } else {
      fail(PyExc_TypeError, expected + type_name(format));
    }
  }

  // Moves the next chunk in and measures it.
  void add(ArrowArray& array) {
    Chunk& chunk = chunks.emplace_back(array);
    if (chunk.size() > kMaxBytes - size) {  // checked before any of its buffers is read
      fail(PyExc_ValueError, op + ": expected at most " + std::to_string(kMaxBytes) + " strings, got " +
                                 std::to_string(chunk.size()) + " (split the batch)");
    }
    chunk.check(op, layout, width);
    if (chunk.has_missing() && !fill) {
      fail(PyExc_ValueError, op + ": expected no missing strings, got one at [" +
                                 std::to_string(size + chunk.first_missing()) + "] (pass missing= to replace it)");
    }
    size += chunk.size();
    if (in_one_piece(chunk)) {
      grow(chunk.num_bytes());
      return;
    }
    int64_t bytes = 0, bad = -1;
    if (chunk.has_missing()) {
      for_each_string(chunk, [&](int64_t i, Chunk::Bytes string) {
        if (string.size < 0 && bad < 0) bad = i;
        bytes += string.size;  // less than 2**62
      });
    } else if (layout == ArrowLayout::kFixed) {
      bytes = chunk.size() * width;  // less than 2**62
    } else {
      bytes = chunk.views().num_bytes(chunk.size(), bad);
    }
    if (bad >= 0) {
      fail(PyExc_ValueError, op + ": expected the views of an Arrow array to lie in its buffers, got another at [" +
                                 std::to_string(size - chunk.size() + bad) + "]");
    }
    grow(bytes);
  }

  // Whether data and offsets, or only data, are zero-copy.
  bool shares_data() const { return chunks.size() == 1 && in_one_piece(chunks[0]) && num_bytes > 0; }
  bool shares_offsets() const {
    return shares_data() && layout == ArrowLayout::kOffsets32 &&
           reinterpret_cast<uintptr_t>(chunks[0].offsets32()) % alignof(int32_t) == 0;
  }

  // Writes the offsets, and the bytes unless `data` is null, as it is for shared data.
  void write(uint8_t* data, int32_t* offsets) {
    int64_t at = 0;
    *offsets++ = 0;
    for (const Chunk& chunk : chunks) {
      if (!in_one_piece(chunk)) {
        RunCopier copier(data + at, data + num_bytes);
        for_each_string(chunk, [&](int64_t, Chunk::Bytes string) {
          check_room(string.size, at);
          copier.add(string);
          *offsets++ = narrow<int32_t>(at += string.size);
        });
        copier.flush();
        continue;
      }
      const int64_t bytes = chunk.num_bytes();
      check_room(bytes, at);
      if (data && bytes) std::memcpy(data + at, chunk.data() + chunk.first_byte(), static_cast<size_t>(bytes));
      if (!chunk.write_offsets(at, offsets)) {
        if (chunk.has_valid_offsets()) Chunk::fail_changed(op);
        chunks.clear();  // the exception may keep the column alive, but not the producer's memory
        Chunk::fail_offsets(op);
      }
      offsets += chunk.size();
      at += bytes;
    }
    if (at != num_bytes) Chunk::fail_changed(op);
  }

 private:
  static bool in_one_piece(const Chunk& chunk) {
    return chunk.layout() != ArrowLayout::kViews && chunk.layout() != ArrowLayout::kFixed && !chunk.has_missing();
  }

  // Reads the digits of a width below 2**31. Returns false for others.
  bool read_width(const char* digits) {
    const char* at = digits;
    for (width = 0; *at >= '0' && *at <= '9' && width < kMaxBytes; ++at) width = width * 10 + (*at - '0');
    return at != digits && *at == 0 && width <= kMaxBytes;
  }

  // The name of a type in messages, as pyarrow and NumPy write it, or its format.
  static std::string type_name(const std::string& format) {
    static const std::pair<const char*, const char*> names[] = {
        {"b", "bool"},       {"c", "int8"},        {"C", "uint8"},   {"s", "int16"},
        {"S", "uint16"},     {"i", "int32"},       {"I", "uint32"},  {"l", "int64"},
        {"L", "uint64"},     {"e", "float16"},     {"f", "float32"}, {"g", "float64"},
        {"td", "dates"},     {"ts", "timestamps"}, {"tt", "times"},  {"tD", "durations"},
        {"ti", "intervals"}, {"d:", "decimals"},   {"+m", "maps"},   {"+r", "run-end encoded values"},
        {"+u", "unions"},    {"+v", "list views"}};
    for (const auto& [prefix, name] : names) {
      if (prefix[1] ? format.rfind(prefix, 0) == 0 : format == prefix) return name;
    }
    return "Arrow format " + quoted(format.data(), format.size()) +
           (format.rfind("+s", 0) == 0 ? " (a table: pass one of its columns)" : "");
  }

  // Calls f(index, bytes) for each string of a chunk; missing ones are replaced.
  template <class F>
  void for_each_string(const Chunk& chunk, F&& f) const {
    const auto visit = [&](const auto& strings) {
      if (!chunk.has_missing()) {
        for (int64_t i = 0; i < chunk.size(); ++i) f(i, strings.string(i));
        return;
      }
      const auto fill_size = static_cast<int64_t>(fill->size());
      const Chunk::Bytes replacement{fill->data(), fill_size, fill_size};
      for (int64_t i = 0; i < chunk.size(); ++i) f(i, chunk.is_missing(i) ? replacement : strings.string(i));
    };
    if (chunk.layout() == ArrowLayout::kViews) {
      visit(chunk.views());
    } else if (chunk.layout() == ArrowLayout::kFixed) {
      visit(chunk.fixed());
    } else {
      visit(chunk);
    }
  }

  void grow(int64_t bytes) {
    if (bytes > kMaxBytes - num_bytes) {
      fail_too_large(op, static_cast<uint64_t>(num_bytes) + static_cast<uint64_t>(bytes));
    }
    num_bytes += bytes;
  }

  void check_room(int64_t bytes, int64_t at) const {
    if (bytes < 0 || bytes > num_bytes - at) Chunk::fail_changed(op);
  }
};

// Passes the schema of a stream and all its chunks to `into`.
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

}  // namespace stringops::convert
