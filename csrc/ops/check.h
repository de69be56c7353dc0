// Checks arguments, and validates (data, offsets). Fake implementations check the metadata with the same error texts
// (torch_stringops/_checks.py).
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "core/fail.h"
#include "core/poll.h"
#include "core/string_span.h"
#include "ops/stable_abi.h"

namespace stringops {

std::string shape_text(const Tensor& t);

// Returns the position of an element in a tensor of this shape, such as "[1, 2]", from its row-major index.
std::string position_text(Sizes shape, int64_t index);

const char* dtype_text(ScalarType dtype);

void check_dtype(const char* op, const char* name, const Tensor& t, ScalarType expected);

// The storage may have been resized after the tensor was made, for example by untyped_storage().resize_(0) to free
// memory. Reading the tensor would then be out of bounds.
void check_storage(const char* op, const char* name, const Tensor& t);

void check_cpu(const char* op, const char* name, const Tensor& t);

void check_rank(const char* op, const char* name, const Tensor& t, int64_t expected);

// Throws unless `value` is one of two choices. Returns whether it is the second one.
bool check_choice(const char* op, const char* name, const std::string& value, const char* first, const char* second);

// Returns whether `unit` is code points, not bytes.
inline bool check_unit(const char* op, const std::string& unit) {
  return check_choice(op, "unit", unit, "byte", "codepoint");
}

// Checks the number of elements of an argument with one element per string or row. It is called before the argument is
// copied.
void check_count(const char* op, const char* name, const Tensor& t);

// Returns the shape of strings: that of `offsets`, with one less in the last dimension.
inline Sizes strings_shape(const Tensor& offsets) {
  Sizes shape = shape_of(offsets);
  shape.back() -= 1;
  return shape;
}

// A string argument whose offsets have not been read. The tensors are borrowed from the arguments, except for offsets
// that had to be copied.
struct UncheckedStrings {
  StringRows rows;
  Tensor data;
  Tensor offsets;

  Sizes shape() const { return strings_shape(offsets); }
};

// A checked string argument. Its strings are flat, whatever its layout: the bytes are those of `data`, or a copy.
struct Strings {
  StringSpan span;
  int64_t cols;  // the strings of a row
  Tensor data;   // the argument, borrowed
  Tensor offsets;
  Tensor flat_data, flat_offsets;  // what the span refers to, if the argument has several rows

  Sizes shape() const { return strings_shape(offsets); }
};

// Returns the rows of strings that need no copy and have no fault that metadata shows, which most have; otherwise
// nothing. Takes half of the time of check_strings_metadata.
std::optional<StringRows> readable_rows(const Tensor& data, const Tensor& offsets);

// Checks everything but the values of the offsets. It serves operators that check those that they read.
UncheckedStrings check_strings_metadata(const char* op, const Tensor& data, const Tensor& offsets,
                                        const char* data_name = "data", const char* offsets_name = "offsets");

// Throws if offsets are malformed.
void check_offsets(const char* op, const StringRows& rows, const char* offsets_name = "offsets");

// Checks a string argument, and flattens its rows (driver/flatten.h). All operators check their strings here, but for
// lengths in bytes, gathering and concatenation, which check the offsets that they read, and string_tensor_pack.
Strings check_strings(const char* op, const Tensor& data, const Tensor& offsets, const char* data_name = "data",
                      const char* offsets_name = "offsets");

// Returns the position, such as "[1, 2]", of the first string for which is_wrong(StringView) holds. There is one,
// except after a concurrent write.
template <class IsWrong>
std::string find_wrong(const char* op, const Strings& strings, IsWrong&& is_wrong) {
  const StringSpan& in = strings.span;
  Pace pace;
  for (int64_t i = 0; i < in.size(); ++i) {
    const StringView text = in.view(in.range(i));
    if (is_wrong(text)) return position_text(strings.shape(), i);
    pace.spend(text.size() + 1);
  }
  fail_changed(op);
}

// Returns strings of new tensors, which the result owns.
Strings own_strings(const char* op, std::tuple<Tensor, Tensor> tensors);

}  // namespace stringops
