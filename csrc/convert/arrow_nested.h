// Arrow columns that hold strings inside another type: lists of strings, and dictionary-encoded strings. Each is taken
// apart into the strings, a column of their own, and the positions that point into it.
#pragma once

#include <Python.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "convert/arrow_import.h"
#include "convert/c_interfaces.h"
#include "convert/failure.h"

namespace stringops::convert {

enum class Nesting { kNone, kList, kDictionary };

// How one element of a nested type points to strings: `width` bytes an integer, or lists of `fixed_size` strings.
struct NestedType {
  Nesting nesting = Nesting::kNone;
  int width = 0;
  bool is_signed = true;
  int64_t fixed_size = -1;  // of a list; -1: lists have offsets

  // Buffers of an array of this type, the validity bits included.
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
    // At most what fits 18 digits; a size that is not a number is 0, which no list with elements has.
    type.fixed_size = format.size() <= 21 ? std::strtoll(format.c_str() + 3, nullptr, 10) : -1;
    type.nesting = type.fixed_size >= 0 ? Nesting::kList : Nesting::kNone;
  }
  return type;
}

// A nested column: owns the producer's schema and arrays, hands out the columns of strings inside as a stream, and the
// positions as int64.
class Nested : public std::enable_shared_from_this<Nested> {
 public:
  const std::string op;

  explicit Nested(std::string name) : op(std::move(name)) {}
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
  ~Nested() {
    for (ArrowArray& array : arrays_) array.release(&array);
    if (schema_.release) schema_.release(&schema_);
  }

  int64_t size() const { return size_; }
  int64_t first_missing() const { return first_missing_; }
  bool is_list() const { return type_.nesting == Nesting::kList; }

  // Takes the schema over.
  void read_schema(ArrowSchema& from) {
    schema_ = std::exchange(from, ArrowSchema{});
    type_ = read_nested_type(schema_);
    if (type_.nesting == Nesting::kNone) fail(PyExc_TypeError, op + ": expected a column of lists or a dictionary");
  }

  // Takes one more chunk over.
  void add(ArrowArray& from) {
    arrays_.emplace_back();  // may fail, with nothing taken yet
    arrays_.back() = std::exchange(from, ArrowArray{});
    const ArrowArray& a = arrays_.back();
    ArrowArray* const inner = inner_of(a);
    int64_t end = 0;
    if (a.length < 0 || a.offset < 0 || __builtin_add_overflow(a.offset, a.length, &end) || end >= INT64_MAX / 16 ||
        a.n_buffers != type_.num_buffers() || !a.buffers || (a.null_count > 0 && !a.buffers[0]) ||
        (a.length > 0 && type_.num_buffers() == 2 && !a.buffers[1]) || !inner || !inner->release || inner->length < 0 ||
        inner->offset < 0) {
      fail(PyExc_ValueError,
           op + ": expected a well-formed Arrow array of " + type_name_text() + ", got one that is not");
    }
    const int64_t first = is_list() ? narrow_to_lists(a, *inner) : 0;
    if (__builtin_add_overflow(inner->offset, inner->length, &end) || end >= INT64_MAX / 16) {
      fail(PyExc_ValueError,
           op + ": expected a well-formed Arrow array inside of " + type_name_text() + ", got one that is not");
    }
    if (a.length > kMaxBytes - size_ || inner->length > kMaxBytes - inner_size_) {
      fail(PyExc_ValueError, op + ": expected at most " + std::to_string(kMaxBytes) + " strings (split the batch)");
    }
    // Chunks of one table often share their dictionary: then it is read once.
    const bool again = !is_list() && arrays_.size() > 1 && same_buffers(*inner, *last_inner_);
    if (!again) {
      last_base_ = inner_size_;
      inner_size_ += inner->length;
      inner_at_.push_back(arrays_.size() - 1);
      last_inner_ = inner;
    }
    bases_.push_back(last_base_);
    firsts_.push_back(first);
    lengths_.push_back(inner->length);
    nulls_.push_back(is_list() ? std::vector<bool>() : null_entries(*inner));
    for (int64_t i = 0; i < a.length && first_missing_ < 0; ++i) {
      if (is_missing(a, i) || (!nulls_.back().empty() && is_null_entry(nulls_.back(), read(a, i)))) {
        first_missing_ = size_ + i;
      }
    }
    size_ += a.length;
  }

  // The strings inside, as a stream of their own, which keeps this alive.
  void open_inner(ArrowArrayStream& stream) {
    struct Reader {
      std::shared_ptr<Nested> column;
      size_t next = 0;
    };
    stream.private_data = new Reader{shared_from_this()};
    stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      auto& column = static_cast<Reader*>(self->private_data)->column;
      // The parent releases what its child holds; this copy only keeps the parent.
      *out = column->is_list() ? *column->schema_.children[0] : *column->schema_.dictionary;
      out->private_data = new (std::nothrow) std::shared_ptr<Nested>(column);  // C callbacks may not throw
      if (!out->private_data) {
        *out = ArrowSchema{};
        return ENOMEM;
      }
      out->release = [](ArrowSchema* released) {
        delete static_cast<std::shared_ptr<Nested>*>(released->private_data);
        released->release = nullptr;
      };
      return 0;
    };
    stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      auto& reader = *static_cast<Reader*>(self->private_data);
      *out = ArrowArray{};
      if (reader.next == reader.column->inner_at_.size()) return 0;
      // A child may be moved out of its parent, which then is released without it.
      ArrowArray* const inner =
          reader.column->inner_of(reader.column->arrays_[reader.column->inner_at_[reader.next++]]);
      *out = *inner;
      inner->release = nullptr;
      return 0;
    };
    stream.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
    stream.release = [](ArrowArrayStream* self) {
      delete static_cast<Reader*>(self->private_data);
      self->release = nullptr;
    };
  }

  // Positions of each element's strings: first and end of a list (of a missing one, nothing), or one string of a
  // dictionary (of a missing one, -1) in `begins` alone.
  void write(int64_t* begins, int64_t* ends) const {
    for (size_t chunk = 0; chunk < arrays_.size(); ++chunk) {
      const ArrowArray& a = arrays_[chunk];
      const int64_t base = bases_[chunk], first = firsts_[chunk], length = lengths_[chunk];
      int64_t previous = 0;
      for (int64_t i = 0; i < a.length; ++i, ++begins) {
        const bool missing = is_missing(a, i);
        if (!is_list()) {
          const int64_t at = missing ? 0 : read(a, i);
          if (!missing && (at < 0 || at >= length)) fail_position("codes", "its dictionary");
          *begins = missing || is_null_entry(nulls_[chunk], at) ? -1 : base + at;
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

  // Where list i begins among the strings of its array, and list i - 1 ends; at least 0.
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

  // Leaves of the strings those that the lists cover: of a slice, others are neither copied nor missed if they are
  // null. Returns where they began.
  int64_t narrow_to_lists(const ArrowArray& a, ArrowArray& inner) const {
    const int64_t first = a.length ? list_begin(a, 0) : 0, end = a.length ? list_begin(a, a.length) : 0;
    int64_t offset = 0;
    if (end < first || end > inner.length || __builtin_add_overflow(inner.offset, first, &offset)) {
      fail_position("offsets of lists", "its strings");
    }
    if (inner.null_count > 0 && end - first != inner.length) inner.null_count = -1;  // not known
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

  static bool is_missing(const ArrowArray& a, int64_t i) {
    if (a.null_count == 0 || !a.buffers[0]) return false;
    const int64_t bit = a.offset + i;
    return !(static_cast<const uint8_t*>(a.buffers[0])[bit / 8] >> (bit % 8) & 1);
  }

  // Which words of a dictionary are null, as Arrow allows; empty if none is. Rows with such a code are missing, and no
  // others: the words are moved out before the codes are written, hence a copy.
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
    T value;
    std::memcpy(&value, static_cast<const char*>(a.buffers[1]) + (a.offset + i) * static_cast<int64_t>(sizeof(T)),
                sizeof(T));
    return static_cast<int64_t>(value);  // more than int64 holds becomes negative, which is refused
  }

  // Element i of the buffer of integers.
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

  ArrowSchema schema_{};
  NestedType type_;
  std::vector<ArrowArray> arrays_;
  // Of each array: where its strings begin among those of all, which of its own is the first that its lists cover, and
  // how many there are.
  std::vector<int64_t> bases_, firsts_, lengths_;
  std::vector<std::vector<bool>> nulls_;  // of each array: the words of its dictionary that are null
  std::vector<size_t> inner_at_;          // the arrays whose strings the inner stream has
  ArrowArray* last_inner_ = nullptr;
  int64_t last_base_ = 0, inner_size_ = 0, size_ = 0, first_missing_ = -1;
};

constexpr const char* kNested = "torch_stringops.arrow_nested";

// The result of arrow_import for a column that holds strings inside another type.
inline PyObject* open_nested(std::shared_ptr<Nested> nested) {
  using Held = std::shared_ptr<Nested>;
  auto inner = std::make_unique<ArrowArrayStream>();
  nested->open_inner(*inner);
  Ref inner_capsule(PyCapsule_New(inner.get(), kArrowStream, free_capsule<ArrowArrayStream>));
  if (!inner_capsule.get()) {
    inner->release(inner.get());
    throw Failure{};
  }
  static_cast<void>(inner.release());
  std::unique_ptr<Held, DropWithGil<Held>> held(new Held(nested));
  Ref capsule(or_throw(PyCapsule_New(held.get(), kNested, [](PyObject* dropped) {
    DropWithGil<Held>()(static_cast<Held*>(PyCapsule_GetPointer(dropped, kNested)));
  })));
  static_cast<void>(held.release());
  return or_throw(Py_BuildValue("sOOLL", nested->is_list() ? "list" : "dictionary", capsule.get(), inner_capsule.get(),
                                static_cast<long long>(nested->size()),
                                static_cast<long long>(nested->first_missing())));
}

// A column of strings, or of a type that holds strings, by its schema.
struct AnyColumn {
  std::string op;
  std::unique_ptr<Column, DropWithGil<Column>> strings{new Column};
  std::shared_ptr<Nested> nested;

  void read_schema(ArrowSchema& schema) {
    if (read_nested_type(schema).nesting == Nesting::kNone) {
      strings->read_schema(schema);
    } else {
      nested = std::shared_ptr<Nested>(new Nested(op), DropWithGil<Nested>());
      nested->read_schema(schema);
    }
  }
  void add(ArrowArray& array) {
    if (nested) {
      nested->add(array);
    } else {
      strings->add(array);
    }
  }
};

}  // namespace stringops::convert
