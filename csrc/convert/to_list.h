// Converts strings to nested lists of str or bytes. Each offset is read once and clamped: even under concurrent writes,
// no byte outside `data` is read.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "convert/failure.h"
#include "convert/layout.h"
#include "convert/ref.h"
#include "core/codepoints.h"
#include "core/string_span.h"

namespace stringops::convert {

// Disables garbage collection while many small objects are made: none of them is garbage, and no Python code runs.
class DisableCollection {
 public:
  DisableCollection() : was_enabled_(PyGC_Disable()) {}
  ~DisableCollection() {
    if (was_enabled_) PyGC_Enable();
  }

 private:
  int was_enabled_;
};

// The limit, in bytes. Longer strings that are not ASCII are decoded by the API, whose overhead is then small.
constexpr int64_t kMaxDecoded = 1 << 14;

// Makes nested lists of a shape.
struct Lists {
  std::string op;
  const Layout& layout;
  StringRows rows{};
  int rank = 0;
  int64_t sizes[kMaxRank] = {};
  int64_t path[kMaxRank] = {};
  bool as_bytes = false;
  const char* errors = nullptr;
  int64_t row = 0;
  bool was_ascii = true;  // whether the previous string was ASCII, which predicts this one
  uint8_t scratch[kMaxDecoded + 4];

  Lists(std::string name, const Layout& known) : op(std::move(name)), layout(known) {}

  PyObject* string(int64_t i) {
    const StringSpan span = rows.row(row);
    const ByteRange range = span.range(i);
    const char* begin = reinterpret_cast<const char*>(span.data) + range.begin;
    if (as_bytes) return or_throw(PyBytes_FromStringAndSize(begin, range.size()));
    if (layout.new_str && range.size() > 1) {
      if (PyObject* text = decode(span.data + range.begin, range.size())) return text;
    }
    PyObject* text = PyUnicode_DecodeUTF8(begin, range.size(), errors);
    if (!text) fail_decode(i);
    return text;
  }

  // Returns a str of n > 1 bytes, or nullptr if the API must decode them, because they are invalid or too many.
  PyObject* decode(const uint8_t* from, int64_t n) {
    if (was_ascii || is_ascii(from, n)) {
      PyObject* text = or_throw(layout.new_str(n, 0x7F));
      was_ascii = copy_ascii(storage<uint8_t>(text, layout.str_ascii), from, n);
      if (was_ascii) return text;
      Py_DECREF(text);
    }
    if (n > kMaxDecoded) return nullptr;
    // The bytes are copied, so that both passes see the same, with the zeros that read_utf8 needs.
    uint8_t* const copy = scratch;
    std::memcpy(copy, from, static_cast<size_t>(n));
    std::memset(copy + n, 0, 4);
    const Utf8Count count = count_utf8(copy, n);
    // CPython caches some strings of one code point, which only the API returns.
    if (count.greatest < 0xC2 || count.codepoints == 1) return nullptr;
    if (count.greatest < 0xC4) return decode_as<uint8_t>(copy, n, count.codepoints, 0xFF);
    if (count.greatest < 0xF0) return decode_as<uint16_t>(copy, n, count.codepoints, 0xFFFF);
    return decode_as<uint32_t>(copy, n, count.codepoints, 0x10FFFF);
  }

  template <class Unit>
  PyObject* decode_as(const uint8_t* from, int64_t n, int64_t codepoints, Py_UCS4 greatest) {
    Ref text(or_throw(layout.new_str(codepoints, greatest)));
    if (!read_utf8(from, n, storage<Unit>(text.get(), layout.str_compact), codepoints)) return nullptr;
    return text.release();
  }

  template <class Unit>
  static Unit* storage(PyObject* text, int offset) {
    return reinterpret_cast<Unit*>(reinterpret_cast<char*>(text) + offset);
  }

  [[noreturn]] void fail_decode(int64_t i) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) throw Failure{};
    const Caught caught;
    Py_ssize_t at = 0;
    Ref reason(PyUnicodeDecodeError_GetReason(caught.value()));
    const char* why = reason.get() ? PyUnicode_AsUTF8AndSize(reason.get(), nullptr) : nullptr;
    if (!why || PyUnicodeDecodeError_GetStart(caught.value(), &at) != 0) throw Failure{};
    path[rank - 1] = i;
    fail(PyExc_ValueError, op + ": invalid UTF-8 at " + position_text(path, rank) + ", byte " + std::to_string(at) +
                               ": " + why + " (pass errors=\"replace\", or as_bytes=True)");
  }

  PyObject* list(int depth) {
    const int64_t size = sizes[depth];
    Ref list(or_throw(PyList_New(size)));
    PyObject** items = layout.list ? read_at<PyObject**>(list.get(), layout.list) : nullptr;
    for (int64_t i = 0; i < size; ++i) {
      path[depth] = i;
      PyObject* item = depth == rank - 1 ? string(i) : this->list(depth + 1);
      if (items) {
        items[i] = item;
      } else if (PyList_SetItem(list.get(), i, item) != 0) {
        throw Failure{};
      }
    }
    if (depth == rank - 1) ++row;
    return list.release();
  }
};

}  // namespace stringops::convert
