// Imports Arrow columns that hold strings inside another type: lists of strings, and dictionary-encoded strings. Each
// is separated into its strings, as a column of their own, and positions in that column.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "convert/arrow_import.h"
#include "convert/c_interfaces.h"
#include "convert/failure.h"
#include "convert/ref.h"

namespace stringops::convert {

enum class Nesting { kNone, kList, kDictionary };

// A nested type. Its elements refer to strings by integers of `width` bytes, or are lists of `fixed_size` strings.
struct NestedType {
  Nesting nesting = Nesting::kNone;
  int width = 0;
  bool is_signed = true;
  int64_t fixed_size = -1;  // size of each list; -1: lists have offsets

  // Returns the number of buffers of an array of this type, including the validity bits.
  int64_t num_buffers() const { return fixed_size >= 0 ? 1 : 2; }
};

inline NestedType read_nested_type(const ArrowSchema& schema) {
  const std::string format = read_format(schema);
  NestedType type;
  if (schema.dictionary) {
    static constexpr char kFormats[] = "cCsSiIlL";  // int8, uint8, ... uint64
    const char* const at = format.size() == 1 ? std::strchr(kFormats, format[0]) : nullptr;
    if (!at) return type;
    type.nesting = Nesting::kDictionary;
    type.width = 1 << ((at - kFormats) / 2);
    type.is_signed = (at - kFormats) % 2 == 0;
    return type;
  }
  if (schema.n_children != 1 || !schema.children || !schema.children[0]) return type;
  if (format == "+l" || format == "+L") {
    type.nesting = Nesting::kList;
    type.width = format == "+l" ? 4 : 8;
  } else if (format.rfind("+w:", 0) == 0) {
    // The size has at most 18 digits. One that is not a number is read as 0, which is invalid for lists with elements.
    type.fixed_size = format.size() <= 21 ? std::strtoll(format.c_str() + 3, nullptr, 10) : -1;
    type.nesting = type.fixed_size >= 0 ? Nesting::kList : Nesting::kNone;
  }
  return type;
}

class Nested;

// A column of strings, or of a type that holds strings, depending on its schema.
struct AnyColumn {
  std::string op;
  std::optional<std::string> fill{};  // in place of missing strings
  std::string lists_error{};          // about a column of lists; empty if it is accepted
  int levels = 8;                     // of types that hold others, at most
  std::unique_ptr<Column, DropWithGil<Column>> strings{};
  std::unique_ptr<Nested, DropWithGil<Nested>> nested{};

  void read_schema(const ArrowSchema& schema);
  void add(ArrowArray& array);

  // Returns the result of arrow_import, which owns the column.
  PyObject* result();
};

// A nested column: the producer's arrays, the column of the strings inside, and their positions as int64.
class Nested {
 public:
  const std::string op;

  Nested(const AnyColumn& column, const NestedType& type, const ArrowSchema& inner)
      : op(column.op), type_(type), has_fill_(column.fill) {
    // Elements whose word is missing are missing, so what stands for the word does not matter.
    inner_.op = op;
    inner_.fill = is_list() ? column.fill : std::string();
    inner_.lists_error = op + ": expected a column of strings or of lists of strings, got one of lists of lists";
    inner_.levels = column.levels - 1;
    inner_.read_schema(inner);
  }

  int64_t size() const { return size_; }
  int64_t first_missing() const { return first_missing_; }
  bool is_list() const { return type_.nesting == Nesting::kList; }
  AnyColumn& inner() { return inner_; }

  // Moves the next chunk in.
  void add(ArrowArray& from) {
    Part& part = parts_.emplace_back();  // may throw, before anything is moved
    static_cast<ArrowArray&>(part.array) = std::exchange(from, ArrowArray{});
    const ArrowArray& a = part.array;
    ArrowArray* const inner = inner_of(a);
    int64_t end = 0;
    if (a.length < 0 || a.offset < 0 || __builtin_add_overflow(a.offset, a.length, &end) || end >= INT64_MAX / 16 ||
        a.n_buffers != type_.num_buffers() || !a.buffers || (a.null_count > 0 && !a.buffers[0]) ||
        (a.length > 0 && type_.num_buffers() == 2 && !a.buffers[1]) || !inner || !inner->release || inner->length < 0 ||
        inner->offset < 0) {
      fail(PyExc_ValueError,
           op + ": expected a well-formed Arrow array of " + type_name_text() + ", got one that is not");
    }
    part.first = is_list() ? narrow_to_lists(a, *inner) : 0;
    if (__builtin_add_overflow(inner->offset, inner->length, &end) || end >= INT64_MAX / 16) {
      fail(PyExc_ValueError,
           op + ": expected a well-formed Arrow array inside of " + type_name_text() + ", got one that is not");
    }
    if (a.length > kMaxBytes - size_ || inner->length > kMaxBytes - inner_size_) {
      fail(PyExc_ValueError, op + ": expected at most " + std::to_string(kMaxBytes) + " strings (split the batch)");
    }
    part.length = inner->length;
    if (!is_list()) part.nulls = null_entries(*inner);
    for (int64_t i = 0; i < a.length && first_missing_ < 0; ++i) {
      if (is_missing(a, i) || (!part.nulls.empty() && is_null_entry(part.nulls, read(a, i))))
        first_missing_ = size_ + i;
    }
    if (first_missing_ >= 0 && !has_fill_) {
      fail(PyExc_ValueError, op + ": expected no missing " + (is_list() ? "lists" : "strings") + ", got one at [" +
                                 std::to_string(first_missing_) + "] (pass missing= to replace it)");
    }
    size_ += a.length;
    // Chunks of one table often share their dictionary, which is then read only once.
    if (is_list() || parts_.size() == 1 || !same_buffers(*inner, last_inner_)) {
      last_base_ = inner_size_;
      inner_size_ += inner->length;
      last_inner_ = *inner;
      inner_.add(*inner);  // moves it out of its parent, which is later released without it
    }
    part.base = last_base_;
  }

  // Writes the positions of each element's strings: begin and end of a list (empty if it is missing), or, only in
  // `begins`, the string of a dictionary (-1 if it is missing).
  void write(int64_t* begins, int64_t* ends) const {
    for (const auto& [a, base, first, length, nulls] : parts_) {
      int64_t previous = 0;
      for (int64_t i = 0; i < a.length; ++i, ++begins) {
        const bool missing = is_missing(a, i);
        if (!is_list()) {
          const int64_t at = missing ? 0 : read(a, i);
          if (!missing && (at < 0 || at >= length)) fail_position("codes", "its dictionary");
          *begins = missing || is_null_entry(nulls, at) ? -1 : base + at;
          continue;
        }
        int64_t begin = list_begin(a, i) - first, end = list_begin(a, i + 1) - first;
        if (begin < 0 || end < begin || end > length) fail_position("offsets of lists", "its strings");
        if (missing) begin = end = previous;
        previous = end;
        *begins = base + begin;
        *ends++ = base + end;
      }
    }
  }

 private:
  ArrowArray* inner_of(const ArrowArray& a) const {
    if (!is_list()) return a.dictionary;
    return a.n_children == 1 && a.children ? a.children[0] : nullptr;
  }

  // Returns the position, among the strings of its array, at which list i begins and list i - 1 ends; at least 0.
  int64_t list_begin(const ArrowArray& a, int64_t i) const {
    int64_t begin = 0;
    if (type_.fixed_size < 0) {
      begin = read(a, i);
      if (begin < 0) fail_position("offsets of lists", "its strings");
    } else if (__builtin_mul_overflow(a.offset + i, type_.fixed_size, &begin)) {
      fail_position("lists", "its strings");
    }
    return begin;
  }

  // Restricts the strings to those that the lists cover, so that a slice's other strings are neither copied nor counted
  // as missing. Returns the position of the first.
  int64_t narrow_to_lists(const ArrowArray& a, ArrowArray& inner) const {
    const int64_t first = a.length ? list_begin(a, 0) : 0, end = a.length ? list_begin(a, a.length) : 0;
    int64_t offset = 0;
    if (end < first || end > inner.length || __builtin_add_overflow(inner.offset, first, &offset)) {
      fail_position("offsets of lists", "its strings");
    }
    if (inner.null_count > 0 && end - first != inner.length) inner.null_count = -1;  // unknown
    inner.offset = offset;
    inner.length = end - first;
    return first;
  }

  const char* type_name_text() const { return is_list() ? "lists" : "dictionary-encoded strings"; }

  static bool same_buffers(const ArrowArray& a, const ArrowArray& b) {
    return a.length == b.length && a.offset == b.offset && a.null_count == b.null_count && a.n_buffers == b.n_buffers &&
           a.n_children == 0 && b.n_children == 0 && !a.dictionary && !b.dictionary && a.n_buffers > 0 &&
           a.n_buffers <= 8 && a.buffers && b.buffers &&
           std::memcmp(a.buffers, b.buffers, static_cast<size_t>(a.n_buffers) * sizeof(void*)) == 0;
  }

  static bool is_missing(const ArrowArray& a, int64_t i) { return a.null_count != 0 && a.buffers[0] && is_null(a, i); }

  // Returns which entries of a dictionary are null, or an empty vector if none is. Elements with such a code are
  // missing. It is a copy, because the entries are moved out before the codes are written.
  static std::vector<bool> null_entries(const ArrowArray& words) {
    std::vector<bool> nulls;
    if (words.null_count == 0 || words.n_buffers < 1 || !words.buffers || !words.buffers[0]) return nulls;
    for (int64_t i = 0; i < words.length; ++i) nulls.push_back(is_missing(words, i));
    return nulls;
  }
  static bool is_null_entry(const std::vector<bool>& nulls, int64_t code) {
    return code >= 0 && code < static_cast<int64_t>(nulls.size()) && nulls[static_cast<size_t>(code)];
  }

  template <class T>
  static int64_t load(const ArrowArray& a, int64_t i) {
    // Numbers beyond the range of int64 become negative, which is invalid.
    return static_cast<int64_t>(read_at<T>(a.buffers[1], (a.offset + i) * static_cast<int64_t>(sizeof(T))));
  }

  // Returns element i of the buffer of integers.
  int64_t read(const ArrowArray& a, int64_t i) const {
    switch (type_.width) {
      case 1:
        return type_.is_signed ? load<int8_t>(a, i) : load<uint8_t>(a, i);
      case 2:
        return type_.is_signed ? load<int16_t>(a, i) : load<uint16_t>(a, i);
      case 4:
        return type_.is_signed ? load<int32_t>(a, i) : load<uint32_t>(a, i);
      default:
        return load<int64_t>(a, i);
    }
  }

  [[noreturn]] void fail_position(const char* what, const char* within) const {
    fail(PyExc_ValueError, op + ": expected the " + what + " of an Arrow array to lie within " + within);
  }

  struct Part {
    Owned<ArrowArray> array;
    // The position of its strings among those of all arrays, the first one that its lists cover, and their number.
    int64_t base = 0, first = 0, length = 0;
    std::vector<bool> nulls;  // the entries of its dictionary that are null
  };

  NestedType type_;
  bool has_fill_;
  AnyColumn inner_;
  std::deque<Part> parts_;
  ArrowArray last_inner_{};
  int64_t last_base_ = 0, inner_size_ = 0, size_ = 0, first_missing_ = -1;
};

constexpr const char* kNested = "torch_stringops.arrow_nested";

inline void AnyColumn::read_schema(const ArrowSchema& schema) {
  const NestedType type = read_nested_type(schema);
  if (type.nesting == Nesting::kNone || levels == 0) {
    strings.reset(new Column{op, fill});
    return strings->read_schema(schema);
  }
  if (type.nesting == Nesting::kList && !lists_error.empty()) fail(PyExc_TypeError, lists_error);
  nested.reset(new Nested(*this, type, schema.dictionary ? *schema.dictionary : *schema.children[0]));
}

inline void AnyColumn::add(ArrowArray& array) {
  nested ? nested->add(array) : strings->add(array);
}

inline PyObject* AnyColumn::result() {
  if (nested) {
    const long long size = nested->size(), first_missing = nested->first_missing();
    const Ref inner(nested->inner().result());
    const char* const name = nested->is_list() ? "list" : "dictionary";
    const Ref capsule(new_capsule(std::move(nested), kNested));
    return or_throw(Py_BuildValue("sOOLL", name, capsule.get(), inner.get(), size, first_missing));
  }
  const long long size = strings->size, num_bytes = strings->num_bytes;
  const bool shares_data = strings->shares_data(), shares_offsets = strings->shares_offsets();
  const Ref capsule(new_capsule(std::move(strings), kColumn));
  return or_throw(Py_BuildValue("OOLLii", Py_None, capsule.get(), size, num_bytes, shares_data, shares_offsets));
}

}  // namespace stringops::convert
